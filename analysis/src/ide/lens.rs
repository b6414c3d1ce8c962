//! One line on a file: how many of its project's units are declared in it, and in which layers they run.

use rustc_hash::FxHashSet;

use super::{declared_at, word};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;

/// `3 of 10 manifests here · layers 2–3 of 6`; in the nearest project that declares a unit in the file, and in its first
/// environment that does. `None` where there is none.
#[must_use]
pub fn lens(analysis: &Analysis, file: FileId) -> Option<String> {
    analysis.projects_of(file).into_iter().find_map(|(_, project)| {
        project.resolution.variants.iter().find_map(|variant| {
            let declared: Vec<bool> = variant
                .units
                .iter()
                .map(|unit| declared_at(analysis, unit).file == file)
                .collect();
            let here = declared.iter().filter(|here| **here).count();
            if here == 0 {
                return None;
            }
            let all = variant.units.len();
            let mut out = format!("{here} of {all} {} here", word(project, all != 1));
            let Some(layers) = &variant.apply.layers else {
                out.push_str(" · no order");
                return Some(out);
            };
            let is_here = |ix: usize| declared.get(ix) == Some(&true);
            let numbers: FxHashSet<usize> = (1..)
                .zip(layers.iter())
                .filter(|(_, layer)| layer.iter().any(|unit| is_here(unit.0 as usize)))
                .map(|(number, _)| number)
                .collect();
            match (numbers.iter().min(), numbers.iter().max()) {
                (Some(first), Some(last)) if first == last => {
                    out.push_str(&format!(" · layer {first} of {}", layers.len()));
                }
                (Some(first), Some(last)) => {
                    out.push_str(&format!(" · layers {first}–{last} of {}", layers.len()));
                }
                _ => {}
            }
            Some(out)
        })
    })
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
        assert_eq!(lens(&fixture.analysis, fixture.path(path)).as_deref(), expected);
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
