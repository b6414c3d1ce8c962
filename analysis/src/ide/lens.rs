//! One line above a file: how many of its project's units are declared in it, and in which layers they run.

use super::layers::LayerTable;
use super::listing::seen_in;
use super::{declared_at, word};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::UnitIx;

/// `3 of 10 manifests here` and `layers 2–3 of 6`; for the nearest project that declares a unit in the file,
/// and its first environment that does. `None` if none does.
#[must_use]
pub fn lens(analysis: &Analysis, file: FileId) -> Option<[String; 2]> {
    let (project, variant) = seen_in(analysis, file)?;
    let units = (0..).map(UnitIx).zip(&variant.units);
    let here: Vec<UnitIx> = units
        .filter(|(_, unit)| declared_at(analysis, unit).file == file)
        .map(|(ix, _)| ix)
        .collect();
    let all = variant.units.len();
    let counted = format!("{} of {all} {} here", here.len(), word(project, all != 1));
    let shown = match &variant.apply.layers {
        None => "no order".to_owned(),
        Some(_) => LayerTable::new(variant)
            .of_all(here)
            .unwrap_or_else(|| "not in this run".to_owned()),
    };
    Some([counted, shown])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    const TREE: &str = "\
//- /w/part.yaml
spec:
  manifests:
    - {name: b, type: kustomize, path: ./x, dependsOn: [a]}
    - {name: c, type: kustomize, path: ./x, dependsOn: [b]}
//- /w/tazuna.yaml
spec:
  manifests:
    - {name: a, type: kustomize, path: ./x$0}
    - {includes: [{path: part.yaml}]}
";

    fn check(text: &str, path: &str, expected: Option<&str>) {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = lens(&fixture.analysis, fixture.path(path));
        assert_eq!(found.map(|parts| parts.join(" · ")).as_deref(), expected);
    }

    #[test]
    fn it_counts_what_is_declared_here() {
        check(
            TREE,
            "/w/part.yaml",
            Some("2 of 3 manifests here · layers 2–3 of 3"),
        );
        check(
            TREE,
            "/w/tazuna.yaml",
            Some("1 of 3 manifests here · layer 1 of 3"),
        );
        let cycle = TREE.replace("path: ./x$0", "path: ./x, dependsOn: [c]$0");
        check(&cycle, "/w/tazuna.yaml", Some("1 of 3 manifests here · no order"));
        let none = "//- /w/tazuna.yaml\nspec:\n  manifests: []$0\n";
        check(none, "/w/tazuna.yaml", None);
    }
}
