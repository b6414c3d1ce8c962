//! What a hover says of a stack besides its layer: its turn in Terramate's own sequence, and the edges
//! that nobody wrote.

use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::graph::{Direction, EdgeKind, NodeId, NodeKind};
use applyorder_core::markdown::{code, names};

/// More names than this are counted, not shown.
const MOST_NAMES: usize = 5;

/// The paragraphs on a stack.
pub(crate) fn hover(variant: &Variant, unit: UnitIx) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(turn(variant, unit));
    out.extend(implicit(variant, unit));
    out
}

/// "Runs 3rd of 12: layer 2 of 5, with 2 others."
fn turn(variant: &Variant, unit: UnitIx) -> Option<String> {
    let sequence = variant.apply.sequence.as_ref()?;
    let at = sequence.iter().position(|u| *u == unit)? + 1;
    let mut text = format!("Runs {} of {}", ordinal(at), sequence.len());
    let layers = variant.apply.layers.as_ref()?;
    let (number, layer) = (1usize..)
        .zip(layers.iter())
        .find(|(_, layer)| layer.contains(&unit))?;
    text.push_str(&format!(": layer {number} of {}", layers.len()));
    match layer.len() {
        0 | 1 => text.push_str(", alone."),
        2 => text.push_str(", with 1 other."),
        n => text.push_str(&format!(", with {} others.", n - 1)),
    }
    Some(text)
}

/// The edges of a stack that come from nesting.
fn implicit(variant: &Variant, unit: UnitIx) -> Option<String> {
    let graph = &variant.apply.graph;
    let side = |direction: Direction| -> Vec<&str> {
        graph
            .links(NodeId(unit.0), direction)
            .filter(|link| {
                graph
                    .edge(link.edge)
                    .is_some_and(|e| matches!(e.kind, EdgeKind::Implicit { .. }))
            })
            .filter_map(|link| match graph.kind(link.node)? {
                NodeKind::Unit(u) => Some(&*variant.units.get(u as usize)?.name),
                _ => None,
            })
            .collect()
    };
    let (above, below) = (side(Direction::Dependencies), side(Direction::Dependents));
    let mut parts = Vec::new();
    if let Some(above) = above.first() {
        parts.push(format!("after parent {}", code(above)));
    }
    if !below.is_empty() {
        parts.push(format!(
            "before nested {}",
            names(below.iter().copied(), MOST_NAMES)
        ));
    }
    (!parts.is_empty()).then(|| format!("Implicit order: {}.", parts.join(", and ")))
}

fn ordinal(n: usize) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::Fixture;

    fn paragraphs(path: &str) -> Vec<String> {
        let fixture = Fixture::new(
            crate::ALONE,
            "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n\
             //- /w/a/stack.tm\nstack {\n}\n//- /w/a/b/stack.tm\nstack {\n}\n//- /w/a/b/c/stack.tm\nstack {\n}\n\
             //- /w/z/stack.tm\nstack {\n  after = [\"/a\"]\n}\n//- /w/y/stack.tm\nstack {\n  after = [\"/a/b\"]\n}\n",
        );
        let project = fixture.analysis.projects().next().unwrap().1;
        let variant = &project.resolution.variants[0];
        let unit = variant.units.iter().position(|u| &*u.name == path).unwrap();
        hover(variant, UnitIx(unit as u32))
    }

    #[test]
    fn the_turn_and_the_edges_of_nesting() {
        assert_eq!(
            paragraphs("/a/b"),
            [
                "Runs 2nd of 5: layer 2 of 4, alone.",
                "Implicit order: after parent `/a`, and before nested `/a/b/c`."
            ]
        );
        // `/a` and `/a/b` represent all below them too.
        assert_eq!(paragraphs("/y"), ["Runs 4th of 5: layer 4 of 4, with 1 other."]);
    }

    #[test]
    fn ordinals() {
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th"
        );
    }
}
