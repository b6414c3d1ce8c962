//! Whether a move changes the order: the location of a directory can imply an order, and so can the files next to a
//! file.

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::Engines;

use crate::args::{Global, RunArgs};
use crate::commands::lint::plural;
use crate::output::Output;
use crate::session::Session;

/// What can be compared even though names changed.
#[derive(PartialEq, Eq)]
struct Sizes {
    errors: usize,
    units: usize,
    edges: usize,
    /// How many units are in each layer, project by project.
    layers: Vec<Vec<usize>>,
}

impl Sizes {
    fn of(session: &Session) -> Self {
        let variants = || {
            let projects = session.analysis.projects();
            projects.flat_map(|(_, project)| project.resolution.variants.iter())
        };
        let errors = session.analysis.projects().map(|(_, project)| {
            let all = project.findings().iter();
            all.filter(|d| d.severity == Severity::Error).count()
        });
        let layers = variants().flat_map(|v| [&v.apply, &v.delete]).map(|order| {
            let layers = order.layers.iter().flat_map(|layers| layers.iter());
            layers.map(Vec::len).collect()
        });
        let mut layers: Vec<Vec<usize>> = layers.collect();
        layers.sort();
        Self {
            errors: errors.sum(),
            units: variants().map(|v| v.units.len()).sum(),
            edges: variants().map(|v| v.apply.graph.edges().len()).sum(),
            layers,
        }
    }
}

/// Reports other changes after a completed move.
pub(super) fn compare(engines: Engines, global: &Global, before: &Session, run: &RunArgs, out: &mut Output) {
    let Ok(after) = Session::open(engines, global, run, &mut Output::silent()) else {
        return;
    };
    let (was, is) = (Sizes::of(before), Sizes::of(&after));
    if is.errors > was.errors {
        let new = plural(is.errors - was.errors, ["new error", "new errors"]);
        out.warning(&format!("{new} after the move: see `applyorder lint`"));
    } else if was != is {
        out.warning(&format!(
            "the order is not the same after the move ({} to {}): see `applyorder diff HEAD`",
            was.edges,
            plural(is.edges, ["edge", "edges"])
        ));
    }
}
