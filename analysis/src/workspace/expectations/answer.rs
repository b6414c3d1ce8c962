//! Whether a project meets one expectation.

use std::sync::Arc;

use applyorder_core::config::Expect;
use applyorder_core::config::expect::{NoEdges, matches_pattern};
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Engine, Operation, Resolution, UnitIx, Variant};
use applyorder_core::graph::{COMPARE, NodeId};
use applyorder_core::rules::{nearest, question};

/// The maximum number of pairs that are searched for a path.
const MOST_PAIRS: usize = 100_000;

/// Why an expectation is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// It is not met, and possibly what would meet it.
    No(String, Option<Suggestion>),
    /// It cannot be known.
    Unknown(String),
    /// The project does not have what the expectation names.
    Elsewhere {
        /// What is missing.
        why: String,
        /// Whether that is what the first of two patterns matches.
        is_first: bool,
        /// The unit that was probably meant.
        meant: Option<String>,
    },
}

/// A line that would meet an expectation, and where the dependencies of its unit are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The line.
    pub text: String,
    /// The unit's own dependencies, or its declaration.
    pub place: Place,
}

/// Whether the engine's result for a project is as expected, in every environment.
///
/// # Errors
/// Why it is not.
pub(super) fn answer(
    engine: &'static dyn Engine,
    resolution: &Resolution,
    operation: Operation,
    expect: &Expect,
) -> Result<(), Unmet> {
    let mut known = Err(Unmet::Elsewhere {
        why: "the project has no units".to_owned(),
        is_first: true,
        meant: None,
    });
    for variant in resolution.variants.iter() {
        let run = Run {
            engine,
            resolution,
            variant,
            operation,
        };
        match run.answer(expect) {
            Err(elsewhere @ Unmet::Elsewhere { .. }) if known.is_err() => known = Err(elsewhere),
            Err(Unmet::Elsewhere { .. }) => {}
            Err(Unmet::No(why, suggestion)) => {
                return Err(Unmet::No(format!("{why}{}", run.environments()), suggestion));
            }
            other => {
                other?;
                known = Ok(());
            }
        }
    }
    known
}

/// The runs of one kind.
#[derive(Clone, Copy)]
struct Run<'a> {
    engine: &'static dyn Engine,
    resolution: &'a Resolution,
    variant: &'a Variant,
    operation: Operation,
}

impl Run<'_> {
    /// The environments it applies in: empty if it is all of them.
    fn environments(self) -> String {
        if self.resolution.variants.len() < 2 {
            return String::new();
        }
        let name = |name: &Option<Arc<str>>| match name.as_deref() {
            None | Some("") => "(none)".to_owned(),
            Some(name) => name.to_owned(),
        };
        let names: Vec<String> = self.variant.environments.iter().map(name).collect();
        format!(" (environments: {})", names.join(", "))
    }

    fn answer(self, expect: &Expect) -> Result<(), Unmet> {
        let variant = self.variant;
        let order = variant.order_of(self.operation);
        match expect {
            Expect::MaxLayers(most) => match &order.layers {
                Some(layers) if layers.len() <= *most => Ok(()),
                Some(layers) => {
                    let count = match layers.len() {
                        1 => "1 layer".to_owned(),
                        n => format!("{n} layers"),
                    };
                    Err(Unmet::No(format!("found {count}"), None))
                }
                None => {
                    let why = order
                        .because
                        .as_deref()
                        .unwrap_or("its units wait for each other");
                    Err(Unmet::Unknown(format!("the order has no layers: {why}")))
                }
            },
            Expect::Order { first, then } => {
                let (first, then) = (named(variant, first, true)?, named(variant, then, false)?);
                if first.len().saturating_mul(then.len()) > MOST_PAIRS {
                    return Err(Unmet::Unknown(format!("more than {MOST_PAIRS} pairs of units")));
                }
                let pairs: Vec<(NodeId, NodeId)> = then
                    .iter()
                    .flat_map(|b| first.iter().map(|a| (*b, *a)))
                    .filter(|(b, a)| a != b)
                    .collect();
                if pairs.is_empty() {
                    return Err(Unmet::No("no unit runs after itself".to_owned(), None));
                }
                let components = order.graph.components();
                let waits = order.graph.reaches_all(&components, &pairs, &mut { COMPARE });
                for ((b, a), waits) in pairs.iter().zip(waits) {
                    match waits {
                        Some(true) => {}
                        Some(false) => return Err(self.unordered([*a, *b])),
                        None => return Err(Unmet::Unknown("too many pairs of units to compare".to_owned())),
                    }
                }
                Ok(())
            }
            Expect::NoEdges(NoEdges { from, to }) => {
                let name = |node| variant.name_of(&order.graph, node);
                for (pattern, is_first) in [(from, true), (to, false)] {
                    if !order
                        .graph
                        .nodes()
                        .any(|node| matches_pattern(pattern, &name(node)))
                    {
                        named(variant, pattern, is_first)?;
                    }
                }
                let wrong = order
                    .graph
                    .named_edges()
                    .map(|edge| (name(edge.from), name(edge.to)))
                    .find(|(a, b)| matches_pattern(from, a) && matches_pattern(to, b));
                match wrong {
                    Some((a, b)) => Err(Unmet::No(format!("`{a}` depends on `{b}`"), None)),
                    None => Ok(()),
                }
            }
        }
    }

    /// If something is unknown, there may be an edge that is not visible.
    fn unordered(self, [a, b]: [NodeId; 2]) -> Unmet {
        let variant = self.variant;
        let graph = &*variant.order_of(self.operation).graph;
        let name = |node: NodeId| variant.name_of(graph, node);
        if let Some((_, why)) = self.resolution.unresolved.first() {
            let (a, b) = (name(a), name(b));
            return Unmet::Unknown(format!("it is not known whether `{b}` waits for `{a}`: {why}"));
        }
        if graph.shortest_path(a, b).is_some() {
            return Unmet::No(
                format!("`{}` waits for `{}`: the other way around", name(a), name(b)),
                None,
            );
        }
        let ends = [UnitIx(a.0), UnitIx(b.0)];
        let line = match self.operation {
            Operation::Apply => self.engine.to_order(self.resolution, variant, ends),
            Operation::Delete => self.engine.to_order_deletion(self.resolution, variant, ends),
        };
        let suggestion = line.map(|(text, place)| Suggestion { text, place });
        Unmet::No(
            format!("`{}` does not wait for `{}`", name(b), name(a)),
            suggestion,
        )
    }
}

/// The units that match a pattern.
fn named(variant: &Variant, pattern: &str, is_first: bool) -> Result<Vec<NodeId>, Unmet> {
    let units = (0u32..).zip(&variant.units);
    let found: Vec<NodeId> = units
        .filter(|(_, unit)| matches_pattern(pattern, &unit.name))
        .map(|(ix, _)| NodeId(ix))
        .collect();
    if found.is_empty() {
        let near = nearest(pattern, variant.units.iter().map(|unit| &*unit.name));
        return Err(Unmet::Elsewhere {
            why: format!("unknown unit `{pattern}`{}", question(near)),
            is_first,
            meant: near.map(str::to_owned),
        });
    }
    Ok(found)
}
