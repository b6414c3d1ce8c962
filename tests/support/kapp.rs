//! Shared by the kapp tests and benches: an app made of some files, the edges and layers of a run in the vocabulary of
//! the cases, and the oracle program.
#![allow(dead_code, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use applyorder_analysis::config::{Config, Configs};
use applyorder_analysis::engine::{Resolution, RunOptions};
use applyorder_analysis::files::Files;
use applyorder_analysis::graph::{Direction, Expand};
use applyorder_analysis::workspace::{Analysis, Workspace};
use applyorder_kapp::{Op, Plan, PlannedOperation};
use camino::Utf8PathBuf;
use serde_json::{Value, json};

/// An app made of some files, passed as to `-f` in this order, and what was deployed before.
pub(crate) fn analysed(
    files: Arc<dyn Files>,
    root: &str,
    given: Vec<String>,
    state: Option<&str>,
) -> Arc<Analysis> {
    let engines = applyorder_engines::all();
    let app = format!("[{{name = \"app\", files = {}}}]", json!(given));
    let config = Config::default()
        .with_override("kapp.app", &app, &engines.known())
        .expect("a configuration")
        .at(root);
    let options = RunOptions {
        state: state.map(|s| Utf8PathBuf::from(root).join(s)),
        ..RunOptions::default()
    };
    let mut workspace = Workspace::new(engines, files, options);
    workspace.set_configs(Configs::fixed(config));
    workspace.refresh();
    workspace.analysis()
}

/// The resolution of the only app, and kapp's own plan.
pub(crate) fn resolved<T>(analysis: &Analysis, then: impl FnOnce(&Resolution, &Plan) -> T) -> T {
    let mut projects = analysis
        .projects()
        .filter(|(_, p)| p.engine().meta().id == "kapp");
    let (_, project) = projects.next().expect("a declared app is a project");
    assert!(projects.next().is_none(), "one app gives one project");
    let memo = project
        .resolution
        .state
        .as_ref()
        .expect("a resolution has a plan");
    let plan = memo.downcast_ref::<Plan>().expect("the plan is kapp's");
    then(&project.resolution, plan)
}

/// The kind of a run, as far as names in the cases depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunKind {
    Deploy,
    /// With the operation before each name.
    Update,
    /// Unchanged resources are not changes.
    Delete,
}

/// Edges and layers as names, sorted. A name contains the API group only if two changes of the run would otherwise have
/// the same name.
pub(crate) fn edges_and_layers(
    resolution: &Resolution,
    operation: &PlannedOperation,
    run: RunKind,
    cyclic: bool,
) -> (Value, Value) {
    let units = &resolution.variants[0].units;
    let plain = |i: u32| {
        let name = &*units[i as usize].name;
        name.split_once('#').map_or(name, |(plain, _)| plain)
    };
    let op = |i: u32| operation.changes[i as usize].op;
    let count = u32::try_from(units.len()).expect("few changes");
    let mut alike: HashMap<&str, u32> = HashMap::new();
    for i in (0..count).filter(|i| run != RunKind::Delete || op(*i) != Op::Noop) {
        *alike.entry(plain(i)).or_default() += 1;
    }
    let name = |i: u32| {
        let name = if alike.get(plain(i)).is_some_and(|n| *n > 1) {
            &*units[i as usize].name
        } else {
            plain(i)
        };
        if run == RunKind::Update {
            format!("{}:{name}", op(i).as_str())
        } else {
            name.to_owned()
        }
    };
    let graph = operation.graph();
    let mut expand = Expand::new(graph, Direction::Dependencies);
    let mut edges: Vec<[String; 2]> = Vec::new();
    for (node, _) in graph.units() {
        for pair in expand.of(node) {
            edges.push([name(node.0), name(pair.node.0)]);
        }
    }
    edges.sort();
    edges.dedup();
    let layers = graph.layers().filter(|_| !cyclic).map(|layers| {
        layers
            .iter()
            .map(|layer| {
                let mut names: Vec<String> = layer.iter().map(|n| name(n.0)).collect();
                names.sort();
                names
            })
            .collect::<Vec<_>>()
    });
    (json!(edges), json!(layers))
}

/// The oracle program: `APPLYORDER_KAPP`, else built from `tests/differential/kapp/oracle`.
pub(crate) fn oracle() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("APPLYORDER_KAPP") {
        return Some(path.into());
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/kapp/oracle");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kapp-oracle");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&target)
        .arg(".")
        .current_dir(source)
        .stderr(Stdio::null())
        .status();
    built.is_ok_and(|s| s.success()).then_some(target)
}
