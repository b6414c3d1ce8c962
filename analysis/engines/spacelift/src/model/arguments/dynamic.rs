//! The arguments of a dynamic block itself.
//!
//! Source: `ext/dynblock` of HCL, `expand_spec.go`: `for_each`, `iterator`, and one `content`. None of the provider's blocks
//! has labels.

use super::super::Wrong;
use super::super::module::{Inner, written};
use super::super::validate::not_iterable;
use super::{At, Checker, Frame, Walk, Walked};

impl<'a> Checker<'_, 'a> {
    /// What is wrong with a dynamic block, whatever it makes.
    pub(super) fn dynamic(&mut self, walk: &Walk<'_, 'a>, frame: &Frame<'a>, inner: &Inner<'a>) {
        let (body, file) = (inner.block.body(), inner.header.file);
        let path = format!("{}{}", frame.path, inner.word);
        let inside = format!("{path}.");
        if !matches!(walk.of, Walked::Declaration(_)) {
            // The only value that matters is that of `for_each`.
            let Some(by) = body.attribute("for_each").map(|by| by.value()) else {
                return;
            };
            let value = self.inner_value(walk, by, file, &frame.entries, &path);
            if let Some(why) = not_iterable(&value) {
                let at = At {
                    resource: walk.resource,
                    path: &inside,
                    name: "for_each",
                    spot: self.world.spot(written(by.span(), file)),
                };
                self.tell(walk, at, Wrong::Type(why), None, value.has_heuristic());
            }
            return;
        }
        let mut found = Vec::new();
        for attribute in body.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            let wrong = match name {
                "for_each" => {
                    let value = self.inner_value(walk, value, file, &frame.entries, &path);
                    not_iterable(&value).map(Wrong::Type)
                }
                "iterator" => {
                    let is_name = value.as_names().is_some_and(|names| names.len() == 1);
                    (!is_name).then(|| Wrong::Type("a single name is required".to_owned()))
                }
                _ => Some(Wrong::Unknown),
            };
            let span = match wrong {
                Some(Wrong::Unknown) => attribute.name_span(),
                _ => value.span(),
            };
            found.extend(wrong.map(|wrong| (name, self.world.spot(written(span, file)), wrong)));
        }
        if body.attribute("for_each").is_none() {
            found.push(("for_each", inner.header, Wrong::Missing));
        }
        let mut contents = body.blocks().filter(|block| block.kind() == "content");
        match (contents.next(), contents.next()) {
            (None, _) => found.push(("content", inner.header, Wrong::Missing)),
            (_, Some(more)) => {
                let spot = self.world.spot(written(more.header_span(), file));
                found.push(("content", spot, Wrong::TooMany(1)));
            }
            _ => {}
        }
        for (name, spot, wrong) in found {
            let at = At {
                resource: walk.resource,
                path: &inside,
                name,
                spot,
            };
            self.tell(walk, at, wrong, None, false);
        }
    }
}
