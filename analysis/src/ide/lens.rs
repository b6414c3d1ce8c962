//! One line on a file: how many of its project's units are declared in it, and in which layers they run.

use rustc_hash::FxHashSet;

use super::listing::seen_in;
use super::{declared_at, word};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;

/// `3 of 10 manifests here` and `layers 2–3 of 6`; in the nearest project that declares a unit in the file, and in its
/// first environment that does. `None` where there is none.
#[must_use]
pub fn lens(analysis: &Analysis, file: FileId) -> Option<[String; 2]> {
    let (project, variant) = seen_in(analysis, file)?;
    let is_here: Vec<bool> = variant
        .units
        .iter()
        .map(|unit| declared_at(analysis, unit).file == file)
        .collect();
    let here = is_here.iter().filter(|here| **here).count();
    let all = variant.units.len();
    let counted = format!("{here} of {all} {} here", word(project, all != 1));
    let Some(layers) = &variant.apply.layers else {
        return Some([counted, "no order".to_owned()]);
    };
    let numbers: FxHashSet<usize> = (1..)
        .zip(layers.iter())
        .filter(|(_, layer)| {
            layer
                .iter()
                .any(|unit| is_here.get(unit.0 as usize) == Some(&true))
        })
        .map(|(number, _)| number)
        .collect();
    let shown = match (numbers.iter().min(), numbers.iter().max()) {
        (Some(first), Some(last)) if first == last => format!("layer {first} of {}", layers.len()),
        (Some(first), Some(last)) => format!("layers {first}–{last} of {}", layers.len()),
        _ => "not in this run".to_owned(),
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
