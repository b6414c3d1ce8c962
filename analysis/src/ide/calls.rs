//! The order as a hierarchy that an editor walks: what a unit runs after, and what it runs before.

use rustc_hash::FxHashMap;

use super::layers::LayerTable;
use super::unit_hover::short_path;
use super::{FileSpan, declared_at, neighbours, subject, unit, word};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::graph::{Direction, EdgeKind};

/// A unit in the hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// `manifest · layer 3 of 6 · data.yaml:5`.
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

/// The units that stand at an offset or that a reference there means, each declared place once.
#[must_use]
pub fn items(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    for (project, variant, ix) in at(analysis, file, offset) {
        if let Some(item) = item(analysis, project, variant, ix)
            && !found.iter().any(|known| known.at == item.at)
        {
            found.push(item);
        }
    }
    found
}

/// What the units at an offset run after, in all projects and environments.
#[must_use]
pub fn after(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Neighbour> {
    all(analysis, file, offset, Direction::Dependencies)
}

/// What the units at an offset run before, in all projects and environments.
#[must_use]
pub fn before(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Neighbour> {
    all(analysis, file, offset, Direction::Dependents)
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

fn all(analysis: &Analysis, file: FileId, offset: u32, direction: Direction) -> Vec<Neighbour> {
    let mut found: Vec<Neighbour> = Vec::new();
    let mut known: FxHashMap<FileSpan, usize> = FxHashMap::default();
    for (project, variant, ix) in at(analysis, file, offset) {
        for neighbour in neighbours::of(&variant.apply, ix, direction) {
            let Some(item) = item(analysis, project, variant, neighbour.unit) else {
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
            let at = *known.entry(item.at).or_insert_with(|| {
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
        let place = |n: &Neighbour| (analysis.path(n.item.at.file), n.item.at.span);
        place(a).cmp(&place(b))
    });
    found
}

/// A unit as an item; `None` where its text is not known.
pub(super) fn item(analysis: &Analysis, project: &Project, variant: &Variant, ix: UnitIx) -> Option<Item> {
    let this = unit(variant, ix)?;
    let at = declared_at(analysis, this);
    let line = analysis.source(at.file)?.lines().line(at.span.start);
    let place = format!(
        "{}:{}",
        short_path(analysis, project, at.file),
        line.saturating_add(1)
    );
    let layer = LayerTable::new(variant).of(ix);
    let parts = [Some(word(project, false).to_owned()), layer, Some(place)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
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
        assert_eq!(shown(&fixture, &after(analysis, file, offset)), after_it);
        assert_eq!(shown(&fixture, &before(analysis, file, offset)), before_it);
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
        let a = ["a (manifest · layer 1 of 3 · tazuna.yaml:3): tazuna.yaml:4 a"];
        let c = ["c (manifest · layer 3 of 3 · tazuna.yaml:5): tazuna.yaml:5 b"];
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
    fn what_nobody_wrote_is_shown_where_the_one_that_waits_is_declared() {
        let stack = |path: &str, rest: &str| format!("//- /w/{path}/stack.tm\n{rest}stack {{\n}}\n");
        let root = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";
        let text = format!("{}{root}{}", stack("a", ""), stack("a/b", "$0"));
        let fixture = Fixture::new(applyorder_engines::all(), &text);
        let offset = fixture.text(fixture.file).find("stack").unwrap() as u32;
        let found = after(&fixture.analysis, fixture.file, offset);
        let names: Vec<&str> = found.iter().map(|n| &*n.item.name).collect();
        assert_eq!(names, ["/a"]);
        assert_eq!(found[0].written[0].file, fixture.file);
        let items = items(&fixture.analysis, fixture.file, offset);
        assert_eq!(items[0].name, "/a/b");
    }
}
