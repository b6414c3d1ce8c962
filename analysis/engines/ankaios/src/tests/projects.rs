//! Which projects manifests form, and the findings of each.

use std::sync::Arc;

use applyorder_analysis::fixture::{Fixture, told, told_with};
use applyorder_analysis::workspace::Workspace;
use applyorder_core::config::{Config, Configs};
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;
use applyorder_core::rules::unknown_dependency;
use camino::Utf8PathBuf;

use crate::ALONE;
use crate::config::{AGENT, AnkaiosApply, AnkaiosConfig, SECTION};

fn workload(name: &str, dependencies: &str) -> String {
    format!(
        "  {name}: {{agent: a, runtime: podman, runtimeConfig: 'image: x', dependencies: {{{dependencies}}}}}\n"
    )
}

fn manifest(workloads: &[String]) -> String {
    format!("apiVersion: v1\nworkloads:\n{}", workloads.concat())
}

fn roots(fixture: &Fixture) -> Vec<String> {
    fixture
        .analysis
        .projects()
        .map(|(_, p)| format!("{}#{}", p.seed.root, p.seed.name.as_deref().unwrap_or("")))
        .collect()
}

#[test]
fn only_manifests_are_projects() {
    let own = manifest(&[workload("a", "")]);
    let texts = [
        (
            "kubernetes",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nworkloads: {}\n".to_owned(),
        ),
        (
            "state",
            "desiredState:\n  apiVersion: v1\n  workloads: {}\n".to_owned(),
        ),
        ("words", "workloads: [cpu, memory]\n".to_owned()),
        ("other", "apiVersion: v2\nworkloads: {}\n".to_owned()),
        ("configs", "apiVersion: v1\nconfigs: text\n".to_owned()),
        ("compose", "services: {}\nconfigs: {}\napiVersion: x\n".to_owned()),
    ];
    let mut tree = format!("//- /own.yaml\n{own}");
    for (name, text) in texts {
        tree.push_str(&format!("//- /{name}.yaml\n{text}"));
    }
    assert_eq!(roots(&Fixture::new(ALONE, &tree)), ["/own.yaml#"]);
}

#[test]
fn nothing_is_concluded_across_unrelated_manifests() {
    let tree = format!(
        "//- /a.yaml\n{}//- /b.yaml\n{}",
        manifest(&[workload("a", "b: ADD_COND_RUNNING")]),
        manifest(&[workload("b", "a: ADD_COND_RUNNING")])
    );
    let fixture = Fixture::new(ALONE, &tree);
    assert_eq!(roots(&fixture), ["/a.yaml#", "/b.yaml#"]);
    assert_eq!(told(ALONE, &applyorder_core::rules::cycle::RULE, &tree), "");
    assert!(told(ALONE, &unknown_dependency::RULE, &tree).starts_with("info a.yaml:3 «b»"));
}

#[test]
fn what_is_in_the_cluster_is_not_missing() {
    let tree = format!(
        "//- /a.yaml\n{}//- /state.yaml\ndesiredState:\n  apiVersion: v1\n  workloads:\n    b: {{agent: a}}\n",
        manifest(&[workload("a", "b: ADD_COND_RUNNING")])
    );
    let options = RunOptions {
        state: Some("/state.yaml".into()),
        ..RunOptions::default()
    };
    assert_eq!(told_with(ALONE, &unknown_dependency::RULE, &tree, options), "");
    assert_ne!(told(ALONE, &unknown_dependency::RULE, &tree), "");
}

fn state(workloads: &[String]) -> String {
    let indented = workloads.concat().replace("\n  ", "\n    ");
    format!("desiredState:\n  apiVersion: v1\n  workloads:\n  {indented}")
}

/// The verdict of `ank apply` for a manifest in a cluster that has these workloads, and the reported cycles.
fn applied(before: &[String], files: &[String]) -> (Option<bool>, String, String) {
    let tree = format!(
        "//- /a.yaml\n{}//- /state.yaml\n{}",
        manifest(files),
        state(before)
    );
    let options = RunOptions {
        state: Some("/state.yaml".into()),
        ..RunOptions::default()
    };
    let fixture = Fixture::with_options(ALONE, &tree, options.clone());
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let found = applyorder_core::layer::contradictions(&crate::ENGINE, &options, false, &project.resolution);
    assert_eq!(found, [""; 0]);
    let verdict = project
        .resolution
        .verdicts
        .iter()
        .find(|v| v.command == "apply")
        .unwrap();
    let said = verdict
        .errors
        .first()
        .map(|e| e.message.clone())
        .unwrap_or_default();
    (
        verdict.ok,
        said,
        told_with(ALONE, &applyorder_core::rules::cycle::RULE, &tree, options),
    )
}

#[test]
fn an_apply_searches_for_cycles_from_what_it_changes() {
    let r = |name: &str| format!("{name}: ADD_COND_RUNNING");
    let missed = [
        workload("a", &format!("{}, {}, {}", r("b"), r("c"), r("d"))),
        workload("b", &r("a")),
        workload("c", ""),
        workload("d", &r("c")),
    ];
    // The cycle a, b was not detected, and is not if nothing changes.
    let (ok, said, told) = applied(&missed, &missed[1..2]);
    assert_eq!((ok, &*said), (Some(true), ""));
    assert!(
        told.contains("dependency cycle with workloads of the cluster: `a`, `b`"),
        "{told}"
    );
    assert!(told.contains("Ankaios accepts the manifest"), "{told}");
    // Another condition is a change of b.
    let (ok, said, told) = applied(&missed, &[workload("b", "a: ADD_COND_FAILED")]);
    assert_eq!(ok, Some(false));
    assert!(
        said.contains("workload dependency 'b' is part of a cycle."),
        "{said}"
    );
    assert!(told.contains("apply cycle first"), "{told}");
    // The cluster closes a cycle that the files do not have.
    let (ok, said, _) = applied(&[workload("x", &r("y"))], &[workload("y", &r("x"))]);
    assert_eq!(ok, Some(false));
    assert!(said.contains("'y' is part of a cycle"), "{said}");
    let (ok, _, told) = applied(&[workload("x", "")], &[workload("y", &r("x"))]);
    assert_eq!((ok, &*told), (Some(true), ""));
}

#[test]
fn with_a_state_only_what_differs_is_updated() {
    let r = |name: &str| format!("{name}: ADD_COND_RUNNING");
    let before = [
        workload("db", ""),
        workload("app", &r("db")),
        workload("other", &r("db")),
    ];
    let files = [
        workload("db", "").replace("image: x", "image: y"),
        workload("app", &r("db")),
        workload("new", ""),
    ];
    let states = "workloadStates:\n  agent:\n    app:\n      1: {state: Running}\n    other:\n      1: {state: Succeeded}\n";
    let tree = format!(
        "//- /a.yaml\n{}//- /state.yaml\n{}{states}",
        manifest(&files),
        state(&before)
    );
    let options = RunOptions {
        state: Some("/state.yaml".into()),
        ..RunOptions::default()
    };
    let fixture = Fixture::with_options(ALONE, &tree, options);
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let variant = &project.resolution.variants[0];
    assert_eq!(variant.actions, ["held back", "unchanged", "start"]);
    assert_eq!(
        variant.apply.because.as_deref(),
        Some("the update of `db` waits until `app` stopped: its old instance runs on")
    );
}

/// The outcome of an update of `b`, which `a` needs running: by the states of both, the agent of `b`, and the
/// connected agents.
fn updated(a: (&str, &str), b: (&str, &str), agent: &str, agents: &str) -> &'static str {
    let own = |name: &str, (state, sub): (&str, &str)| {
        format!("    {name}: {{1: {{state: {state}, subState: {sub}}}}}\n")
    };
    let tree = format!(
        "//- /m.yaml\napiVersion: v1\nworkloads:\n  b: {{runtime: podman, agent: A, runtimeConfig: 'image: y'}}\n\
         //- /state.yaml\ndesiredState:\n  apiVersion: v1\n  workloads:\n\
         \x20   a: {{runtime: podman, agent: A, runtimeConfig: 'image: x', dependencies: {{b: ADD_COND_RUNNING}}}}\n\
         \x20   b: {{runtime: podman, agent: '{agent}', runtimeConfig: 'image: x'}}\n\
         workloadStates:\n  A:\n{}  '{agent}':\n{}agents: {{{agents}}}\n",
        own("a", a),
        own("b", b)
    )
    .replace("  'A':\n", "");
    let options = RunOptions {
        state: Some("/state.yaml".into()),
        ..RunOptions::default()
    };
    let fixture = Fixture::with_options(ALONE, &tree, options);
    let (_, project) = fixture.analysis.projects().next().unwrap();
    project.resolution.variants[0].actions[0]
}

#[test]
fn what_waits_or_was_never_sent_holds_back_nothing() {
    let running = ("Running", "Ok");
    for (state, wanted) in [
        (running, "held back"),
        (("Pending", "Initial"), "held back"),
        (("Pending", "Starting"), "held back"),
        (("Pending", "StartingFailed"), "held back"),
        (("Pending", "WaitingToStart"), "update"),
        (("AgentDisconnected", "AgentDisconnected"), "update"),
        (("Stopping", "Stopping"), "update"),
        (("Succeeded", "Ok"), "update"),
        (("NotScheduled", "NotScheduled"), "update"),
    ] {
        assert_eq!(updated(state, running, "A", "A: {}"), wanted, "{state:?}");
    }
    let (waiting, unscheduled) = (("Pending", "WaitingToStart"), ("NotScheduled", "NotScheduled"));
    assert_eq!(updated(waiting, unscheduled, "", "A: {}"), "start");
    assert_eq!(updated(running, unscheduled, "", "A: {}"), "start");
    let initial = ("Pending", "Initial");
    assert_eq!(updated(initial, initial, "A", ""), "start");
    assert_eq!(updated(initial, initial, "A", "A: {}"), "held back");
}

#[test]
fn a_cycle_has_no_order_and_none_is_promised() {
    let tree = format!(
        "//- /a.yaml\n{}",
        manifest(&[
            workload("a", "b: ADD_COND_RUNNING"),
            workload("b", "a: ADD_COND_RUNNING"),
        ])
    );
    let fixture = Fixture::with_options(ALONE, &tree, RunOptions::default());
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let order = &project.resolution.variants[0].apply;
    assert_eq!(
        (order.layers.is_some(), order.guaranteed, order.because.as_deref()),
        (false, false, Some("a dependency cycle"))
    );
}

fn simulated(options: RunOptions) -> (Vec<(String, &'static str)>, Option<String>) {
    let tree = format!(
        "//- /a.yaml\n{}",
        manifest(&[
            workload("db", ""),
            workload("app", "db: ADD_COND_RUNNING"),
            workload("job", "db: ADD_COND_SUCCEEDED"),
            workload("alarm", "db: ADD_COND_FAILED"),
            workload("last", "app: ADD_COND_RUNNING"),
        ])
    );
    let fixture = Fixture::with_options(ALONE, &tree, options);
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let variant = &project.resolution.variants[0];
    let names = variant.units.iter().map(|u| u.name.to_string());
    (
        names.zip(variant.actions.iter().copied()).collect(),
        variant.apply.because.clone(),
    )
}

#[test]
fn an_update_is_held_back_by_what_needs_it_running() {
    let options = RunOptions {
        changed: Some(vec!["db".to_owned(), "job".to_owned()]),
        ..RunOptions::default()
    };
    let (actions, because) = simulated(options);
    let of = |name: &str| actions.iter().find(|(n, _)| n == name).map(|(_, a)| *a);
    assert_eq!(of("db"), Some("held back"));
    assert_eq!(of("job"), Some("update"));
    assert_eq!(of("app"), Some("unchanged"));
    assert!(because.unwrap().contains("`db` waits until `app` stopped"));
}

#[test]
fn after_a_failure_only_the_condition_failed_holds() {
    let options = RunOptions {
        failed: vec!["db".to_owned()],
        ..RunOptions::default()
    };
    let (actions, _) = simulated(options);
    let actions: Vec<&str> = actions.iter().map(|(_, a)| *a).collect();
    assert_eq!(
        actions,
        ["failed", "never starts", "never starts", "start", "never starts"]
    );
}

#[test]
fn agents_come_from_the_command_line_too() {
    let tree = "//- /a.yaml\napiVersion: v1\nworkloads:\n  a: {runtime: podman, runtimeConfig: 'image: x'}\n";
    let verdict = |agent: Option<&str>| {
        let options = RunOptions::default().with(&AGENT, agent);
        let fixture = Fixture::with_options(ALONE, tree, options);
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let verdicts = project.resolution.verdicts.iter();
        verdicts.map(|v| (v.command, v.ok, v.stage)).collect::<Vec<_>>()
    };
    assert_eq!(
        verdict(None),
        [
            ("startup", Some(false), Some("parse")),
            ("apply", Some(false), Some("agent"))
        ]
    );
    assert_eq!(
        verdict(Some("b")),
        [
            ("startup", Some(false), Some("parse")),
            ("apply", Some(true), None)
        ]
    );
}

/// The findings of rules that depend on several workloads, each with its project.
fn concluded(config: Config, tree: &[(&str, String)]) -> Vec<String> {
    let mut files = MemoryFiles::new();
    for (path, text) in tree {
        files.insert(Utf8PathBuf::from(*path), text.clone());
    }
    let paths: Vec<Utf8PathBuf> = tree.iter().map(|(path, _)| Utf8PathBuf::from(*path)).collect();
    let mut workspace = Workspace::new(ALONE, Arc::new(files), RunOptions::default());
    workspace.set_configs(Configs::fixed(config));
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    let analysis = workspace.analysis();
    let mut found = Vec::new();
    for (_, project) in analysis.projects() {
        let path = project.seed.root.as_str();
        let name = project.seed.name.as_deref().unwrap_or(path).to_owned();
        let commands: Vec<&str> = project.resolution.verdicts.iter().map(|v| v.command).collect();
        found.push(format!("{name} {commands:?}"));
        for path in &paths {
            let Some(file) = analysis.file(path) else { continue };
            for d in project.diagnostics_of(file) {
                found.push(format!("{name} {} {}", d.rule.id, d.message));
            }
        }
    }
    found
}

#[test]
fn a_declared_apply_concludes_and_its_manifests_only_start_up() {
    let apply = AnkaiosApply {
        name: "shop".to_owned(),
        files: vec!["a.yaml".to_owned(), "b.yaml".to_owned(), "gone.yaml".to_owned()],
        agent: None,
    };
    let section = AnkaiosConfig {
        apply: vec![apply],
        ..AnkaiosConfig::default()
    };
    let config = Config::default().at("/").with(&SECTION, section);
    let tree = [
        (
            "/a.yaml",
            manifest(&[workload("a", "b: ADD_COND_SUCCEEDED, c: ADD_COND_SUCCEEDED")]),
        ),
        ("/b.yaml", manifest(&[workload("b", ""), workload("a", "")])),
    ];
    let found = concluded(config, &tree);
    assert_eq!(
        found,
        [
            "shop [\"apply\"]",
            "shop unknown-dependency workload `a` depends on unknown workload `c`",
            "shop duplicate-name duplicate workload `a`",
            "/a.yaml [\"startup\"]",
            "/b.yaml [\"startup\"]",
        ]
    );
}

#[test]
fn what_agent_replaces_is_missing_only_at_startup() {
    let apply = AnkaiosApply {
        name: "shop".to_owned(),
        files: vec!["a.yaml".to_owned()],
        agent: Some("b".to_owned()),
    };
    let section = AnkaiosConfig {
        apply: vec![apply],
        ..AnkaiosConfig::default()
    };
    let config = Config::default().at("/").with(&SECTION, section);
    let text = "apiVersion: v1\nworkloads:\n  a: {runtime: podman, runtimeConfig: 'image: x'}\n";
    let found = concluded(config, &[("/a.yaml", text.to_owned())]);
    assert_eq!(
        found,
        [
            "shop [\"apply\"]",
            "/a.yaml [\"startup\"]",
            "/a.yaml missing-field missing field `agent` in workload `a`",
        ]
    );
}
