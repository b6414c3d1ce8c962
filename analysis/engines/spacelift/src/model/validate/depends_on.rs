//! `depends_on`: names of whole objects.

use applyorder_syntax::hcl::{Expr, is_identifier};

use super::super::Wrong;
use super::super::fault::FaultText;
use super::super::module::{Decl, written};
use super::references::{Step, named};
use super::walk::{Scene, Walk};
use super::{Around, meta};

/// What `depends_on` accepts.
const WHOLE: &str = "only a whole object is allowed here, not an attribute of it";

impl<'a> Walk<'_, '_, 'a> {
    /// Checks `depends_on`.
    pub(super) fn depends_on(&mut self, scene: &Scene<'_>, decl: &Decl<'a>) {
        let Some(attr) = decl.attr("depends_on").copied().filter(|_| !decl.has_gap) else {
            return;
        };
        let Some(entries) = attr.expr.entries() else {
            let place = (self.place)(attr.value());
            let wrong = Wrong::Type("a list is required".to_owned());
            return self.tell(scene.address, "depends_on", place, wrong, None);
        };
        let at = || format!("{}.depends_on", scene.address);
        let around = Around::new(scene.repeated, &at);
        let file = u32::try_from(attr.file).unwrap_or(u32::MAX);
        for entry in entries.iter() {
            self.validate.references_alone(entry, file, &around);
            let why = match entry.as_text() {
                Some(text) => self.named_by_text(scene, text, entry, attr.file),
                None if !meta::is_static(entry) => Some("only a name with constant keys is allowed here"),
                None => names_a_part_of(entry).then_some(WHOLE),
            };
            if let Some(why) = why {
                let place = self.place_of(attr.file, entry.span());
                let wrong = Wrong::Type(why.to_owned());
                self.tell(scene.address, "depends_on", place, wrong, None);
            }
        }
    }

    /// What is wrong with a name in `depends_on` that is written as a string.
    fn named_by_text(
        &self,
        scene: &Scene<'_>,
        text: &str,
        entry: Expr<'a>,
        file: usize,
    ) -> Option<&'static str> {
        let names: Vec<&str> = text.split('.').map(str::trim).collect();
        if text.contains('[') {
            return None;
        }
        if !names.iter().all(|name| is_identifier(name)) {
            return Some("a name is required");
        }
        let (is_data, ty, name, rest) = match names.as_slice() {
            [
                "var" | "local" | "module" | "path" | "terraform" | "each" | "count" | "self",
                ..,
            ] => return None,
            ["data", ty, name, rest @ ..] => (true, *ty, *name, rest),
            [ty, name, rest @ ..] => (false, *ty, *name, rest),
            _ => return None,
        };
        if !rest.is_empty() {
            return Some(WHOLE);
        }
        let own = self.validate.own()?;
        if own.has_gap || own.resource(is_data, ty, name).is_some() {
            return None;
        }
        let at = || format!("{}.depends_on", scene.address);
        let around = Around::new(scene.repeated, &at);
        let place = written(entry.span(), file);
        let named = (is_data, ty, name);
        let text = FaultText::undeclared(own, &self.validate.compared, &self.validate.path, named);
        self.validate.fault(place, &text, &around);
        None
    }
}

/// Whether a reference names an attribute of a resource, a variable or a local.
fn names_a_part_of(entry: Expr<'_>) -> bool {
    let all = named(entry, 0);
    let Some(name) = all.first() else { return false };
    let names = name
        .steps
        .iter()
        .filter(|step| matches!(step, Step::Attr(_)))
        .count();
    match name.root {
        "var" | "local" => name.steps.len() > 1,
        // An output may be named.
        "module" | "data" => names > 2,
        "path" | "terraform" | "each" | "count" | "self" | "ephemeral" | "action" => false,
        _ => names > 1,
    }
}
