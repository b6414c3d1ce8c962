//! Why one unit runs before another: the path from one to the other, each step with the place where it is
//! written.

use super::{FileSpan, declared_at, unit};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::graph::{EdgeKind, NodeId};

/// One step: a unit waits for the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The unit that waits.
    pub from: String,
    /// The unit it waits for.
    pub to: String,
    /// The attribute that says so, or the reason if the edge is implicit.
    pub because: String,
    /// Where that is written; for an implicit edge, where the dependent is declared.
    pub at: Option<FileSpan>,
}

/// The steps from the later unit to the earlier one, whichever of the two that is; empty if nothing orders
/// them. `None` if no project of the file has both. The first environment in which one waits for the other is
/// used.
#[must_use]
pub fn why(analysis: &Analysis, file: FileId, a: &str, b: &str) -> Option<Vec<Step>> {
    let mut is_known = false;
    for (_, project) in analysis.projects_of(file) {
        for variant in &project.resolution.variants {
            let named = |name: &str| {
                let at = variant.units.iter().position(|unit| &*unit.name == name)?;
                Some(NodeId(u32::try_from(at).ok()?))
            };
            let Some((a, b)) = named(a).zip(named(b)) else {
                continue;
            };
            is_known = true;
            let graph = &variant.apply.graph;
            let path = graph.shortest_path(a, b).or_else(|| graph.shortest_path(b, a));
            if let Some(path) = path {
                return Some(
                    path.steps()
                        .map(|step| of_step(analysis, variant, &step))
                        .collect(),
                );
            }
        }
    }
    is_known.then(Vec::new)
}

fn of_step(analysis: &Analysis, variant: &Variant, step: &applyorder_core::graph::Step<'_>) -> Step {
    let graph = &variant.apply.graph;
    let of_node = |node: NodeId| unit(variant, UnitIx(graph.kind(node)?.unit()?));
    let name = |node| of_node(node).map_or_else(|| "?".to_owned(), |unit| unit.name.to_string());
    let declared = || of_node(step.from).map(|unit| declared_at(analysis, unit));
    let (because, at) = match graph.main_edge(step.edges).map(|edge| edge.kind) {
        Some(EdgeKind::Explicit { dependency }) => match variant.dependencies.get(dependency as usize) {
            Some(written) => (
                written.attribute.to_owned(),
                Some(FileSpan::of(analysis, written.place)),
            ),
            None => (String::new(), declared()),
        },
        Some(EdgeKind::Implicit { reason }) => {
            let reason = variant.reasons.get(reason as usize);
            (reason.cloned().unwrap_or_default(), declared())
        }
        None => (String::new(), declared()),
    };
    Step {
        from: name(step.from),
        to: name(step.to),
        because,
        at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn the_way_is_found_from_both_ends() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ./x$0}\n    - {name: b, type: \
             kustomize, path: ./x, dependsOn: [a]}\n    - {name: c, type: kustomize, path: ./x, dependsOn: [b]}\n    - \
             {name: d, type: kustomize, path: ./x, dependsOn: []}\n",
        );
        let ask = |a, b| why(&fixture.analysis, fixture.file, a, b);
        let steps = ask("a", "c").unwrap();
        let shown: Vec<String> = steps
            .iter()
            .map(|s| {
                format!(
                    "{} {} {} {}",
                    s.from,
                    s.to,
                    s.because,
                    fixture.show(s.at.unwrap())
                )
            })
            .collect();
        assert_eq!(
            shown,
            ["c b dependsOn tazuna.yaml:5 b", "b a dependsOn tazuna.yaml:4 a"]
        );
        assert_eq!(ask("c", "a").unwrap(), steps);
        assert_eq!(ask("a", "d"), Some(Vec::new()));
        assert_eq!(ask("a", "gone"), None);
    }
}
