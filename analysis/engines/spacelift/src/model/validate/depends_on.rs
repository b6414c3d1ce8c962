//! `depends_on`: names of whole objects.

use applyorder_syntax::hcl::eval::Place;
use applyorder_syntax::hcl::{self, Expr, ExprKind};

use super::super::Wrong;
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
        // Whether a call has an output is not checked.
        let around = Around {
            is_named_only: true,
            ..Around::new(scene.repeated, &at)
        };
        let file = u32::try_from(attr.file).unwrap_or(u32::MAX);
        for entry in entries.iter() {
            self.validate.references_alone(entry, file, &around);
            let why = match entry.as_text() {
                Some(text) => self.named_by_text(text, written(entry.span(), attr.file), &around),
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

    /// What is wrong with a name in `depends_on` that is written as a string. It means the same as without the quotes.
    fn named_by_text(&self, text: &str, place: Place, around: &Around<'_>) -> Option<&'static str> {
        let tree = hcl::parse(&format!("name = (\n{text}\n)\n"));
        let is_one = tree.is_clean() && tree.body().items().count() == 1;
        let attribute = tree.body().attribute("name").filter(|_| is_one);
        let parsed = match attribute.map(|attribute| attribute.value().kind()) {
            Some(ExprKind::Paren(inner)) if meta::is_static(inner) => inner,
            _ => return Some("a name is required"),
        };
        self.validate.references_elsewhere(parsed, place, around);
        names_a_part_of(parsed).then_some(WHOLE)
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
        "module" | "data" | "resource" => names > 2,
        "path" | "terraform" | "each" | "count" | "self" | "ephemeral" | "action" => false,
        _ => names > 1,
    }
}
