//! The order as a hierarchy that an editor walks: what a unit runs after, and what it runs before.

use rustc_hash::{FxHashMap, FxHashSet};

use super::layers::LayerTable;
use super::unit_hover::short_path;
use super::{FileSpan, declared_at, neighbours, subject, unit};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::graph::{Direction, EdgeKind};

/// A unit in the hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// `layer 3 · data.yaml:5`.
    pub detail: String,
    /// Where it is declared: what is asked again with to go on from here.
    pub at: FileSpan,
}

/// A unit that another one runs after or before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The unit.
    pub item: Item,
    /// Where the one that waits says so, in the order of the text. Where nobody wrote it, where the one that waits is
    /// declared.
    pub written: Vec<FileSpan>,
}

/// The units that stand at an offset or that a reference there means, each once; one text can declare several.
#[must_use]
pub fn items(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    let mut known: FxHashSet<(FileSpan, String)> = FxHashSet::default();
    let mut layers = LayersOf::default();
    for (project, variant, ix) in at(analysis, file, offset) {
        if let Some(item) = item(analysis, project, variant, layers.of(variant), ix)
            && known.insert((item.at, item.name.clone()))
        {
            found.push(item);
        }
    }
    found
}

/// What the units at an offset run after, in all projects and environments; with a name only those units that have it.
#[must_use]
pub fn after(analysis: &Analysis, file: FileId, offset: u32, name: Option<&str>) -> Vec<Neighbour> {
    all(analysis, (file, offset), name, Direction::Dependencies)
}

/// What the units at an offset run before, in all projects and environments; with a name only those units that have it.
#[must_use]
pub fn before(analysis: &Analysis, file: FileId, offset: u32, name: Option<&str>) -> Vec<Neighbour> {
    all(analysis, (file, offset), name, Direction::Dependents)
}

pub(super) fn at(analysis: &Analysis, file: FileId, offset: u32) -> Vec<(&Project, &Variant, UnitIx)> {
    let mut found = Vec::new();
    for subject in subject::at(analysis, file, offset) {
        let project: &Project = subject.of;
        found.extend(subject.units().map(|(_, variant, ix, _)| (project, variant, ix)));
        for (_, variant, dependency) in subject.dependencies() {
            found.extend(dependency.targets.iter().map(|ix| (project, variant, *ix)));
        }
    }
    found
}

fn all(
    analysis: &Analysis,
    (file, offset): (FileId, u32),
    name: Option<&str>,
    direction: Direction,
) -> Vec<Neighbour> {
    let mut found: Vec<Neighbour> = Vec::new();
    let mut known: FxHashMap<(FileSpan, String), usize> = FxHashMap::default();
    let mut layers = LayersOf::default();
    let is_meant = |variant: &Variant, ix| {
        let of = unit(variant, ix).map(|unit| &*unit.name);
        name.is_none() || of == name
    };
    for (project, variant, ix) in at(analysis, file, offset) {
        if !is_meant(variant, ix) {
            continue;
        }
        for neighbour in neighbours::of(&variant.apply, ix, direction) {
            let Some(item) = item(analysis, project, variant, layers.of(variant), neighbour.unit) else {
                continue;
            };
            let waiting = match direction {
                Direction::Dependencies => ix,
                Direction::Dependents => neighbour.unit,
            };
            let written = match neighbour.why {
                EdgeKind::Explicit { dependency } => variant
                    .dependencies
                    .get(dependency as usize)
                    .map(|d| FileSpan::of(analysis, d.place)),
                EdgeKind::Implicit { .. } => None,
            };
            let written =
                written.or_else(|| unit(variant, waiting).map(|waiting| declared_at(analysis, waiting)));
            let key = (item.at, item.name.clone());
            let at = *known.entry(key).or_insert_with(|| {
                found.push(Neighbour {
                    item,
                    written: Vec::new(),
                });
                found.len() - 1
            });
            if let Some(kept) = found.get_mut(at) {
                kept.written.extend(written);
            }
        }
    }
    for neighbour in &mut found {
        neighbour.written.sort_unstable();
        neighbour.written.dedup();
    }
    found.sort_by(|a, b| {
        let place = |item: &Item| (analysis.path(item.at.file), item.at.span);
        let (a, b) = (&a.item, &b.item);
        (place(a), &a.name).cmp(&(place(b), &b.name))
    });
    found
}

/// The layers of the variant that was asked for last: many units of one variant come in a row.
#[derive(Default)]
struct LayersOf<'a>(Option<(&'a Variant, LayerTable<'a>)>);

impl<'a> LayersOf<'a> {
    fn of(&mut self, variant: &'a Variant) -> &LayerTable<'a> {
        let kept = self.0.take();
        let kept = kept.filter(|(known, _)| std::ptr::eq(*known, variant));
        let (_, layers) = self
            .0
            .insert(kept.unwrap_or_else(|| (variant, LayerTable::new(variant))));
        layers
    }
}

/// A unit as an item; `None` where its text is not known.
pub(super) fn item(
    analysis: &Analysis,
    project: &Project,
    variant: &Variant,
    layers: &LayerTable<'_>,
    ix: UnitIx,
) -> Option<Item> {
    let this = unit(variant, ix)?;
    let at = declared_at(analysis, this);
    let line = analysis.source(at.file)?.lines().line(at.span.start);
    let place = format!(
        "{}:{}",
        short_path(analysis, project, at.file),
        line.saturating_add(1)
    );
    let parts: Vec<String> = layers.short(ix).into_iter().chain([place]).collect();
    Some(Item {
        name: this.name.to_string(),
        detail: parts.join(" · "),
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn shown(fixture: &Fixture, found: &[Neighbour]) -> Vec<String> {
        let place = |at: &FileSpan| fixture.show(*at);
        let one = |n: &Neighbour| {
            let written: Vec<String> = n.written.iter().map(place).collect();
            format!("{} ({}): {}", n.item.name, n.item.detail, written.join(", "))
        };
        found.iter().map(one).collect()
    }

    fn check(text: &str, after_it: &[&str], before_it: &[&str]) {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let (analysis, file, offset) = (&fixture.analysis, fixture.file, fixture.offset);
        assert_eq!(shown(&fixture, &after(analysis, file, offset, None)), after_it);
        assert_eq!(shown(&fixture, &before(analysis, file, offset, None)), before_it);
    }

    const LISTED: &str = "\
//- /w/tazuna.yaml
spec:
  manifests:
    - {name: a, type: kustomize, path: ./x}
    - {name: b, type: kustomize, path: ./x, dependsOn: [a]}
    - {name: c, type: kustomize, path: ./x, dependsOn: [b]}
";

    #[test]
    fn outward_is_what_it_runs_after_and_inward_what_it_runs_before() {
        let at_name = LISTED.replace("name: b", "name: $0b");
        let a = ["a (layer 1 · tazuna.yaml:3): tazuna.yaml:4 a"];
        let c = ["c (layer 3 · tazuna.yaml:5): tazuna.yaml:5 b"];
        check(&at_name, &a, &c);
        // At a reference it is about the unit that is meant.
        check(&LISTED.replace("[b]", "[$0b]"), &a, &c);
        check(
            &LISTED.replace("kind", "$0kind").replace("spec", "$0spec"),
            &[],
            &[],
        );
    }

    #[test]
    fn an_edge_without_an_entry_is_shown_at_the_declaration_of_the_dependent() {
        let stack = |path: &str, rest: &str| format!("//- /w/{path}/stack.tm\n{rest}stack {{\n}}\n");
        let root = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";
        let text = format!("{}{root}{}", stack("a", ""), stack("a/b", "$0"));
        let fixture = Fixture::new(applyorder_engines::all(), &text);
        let offset = fixture.text(fixture.file).find("stack").unwrap() as u32;
        let found = after(&fixture.analysis, fixture.file, offset, None);
        let names: Vec<&str> = found.iter().map(|n| &*n.item.name).collect();
        assert_eq!(names, ["/a"]);
        assert_eq!(found[0].written[0].file, fixture.file);
        let items = items(&fixture.analysis, fixture.file, offset);
        assert_eq!(items[0].name, "/a/b");
    }

    #[test]
    fn units_that_one_text_declares_are_distinguished() {
        let module = "variable \"name\" {}\nvariable \"after\" { default = null }\nresource \"spacelift_stack\" \"this\" {\n  name \
                      = var.name\n  repository = \"r\"\n  branch = \"m\"\n}\noutput \"id\" {\n  value = \
                      spacelift_stack.this.id\n}\n";
        let text = format!(
            "//- /w/m/main.tf\n{module}//- /w/main.tf\nmodule \"a\" {{\n  source = \"./m\"\n  name = \"a\"\n}}\nmodule \"b\" \
             {{\n  source = \"./m\"\n  name = \"b\"\n}}\nresource \"spacelift_stack_dependency\" \"d\" {{\n  stack_id = \
             module.a.id\n  depends_on_stack_id = $0module.b.id\n}}\n"
        );
        let fixture = Fixture::new(applyorder_engines::all(), &text);
        let (analysis, main) = (&fixture.analysis, fixture.file);
        let b = "module.b.spacelift_stack.this";
        let names =
            |found: Vec<Neighbour>| -> Vec<String> { found.into_iter().map(|n| n.item.name).collect() };
        let of_b = items(analysis, main, fixture.offset);
        assert_eq!(of_b.len(), 1);
        assert_eq!(of_b[0].name, b);
        // Where both are declared, each is one of two.
        let (file, offset) = (of_b[0].at.file, of_b[0].at.span.start);
        assert_eq!(items(analysis, file, offset).len(), 2);
        assert_eq!(names(after(analysis, file, offset, Some(b))), [""; 0]);
        let a = "module.a.spacelift_stack.this";
        assert_eq!(names(before(analysis, file, offset, Some(b))), [a]);
        assert_eq!(names(after(analysis, file, offset, Some(a))), [b]);
    }
}
