//! Large kapp apps: `cargo bench --bench kapp`.
//!
//! Apps of 1,000 to 100,000 resources in the shape of the generated conformance cases, analyzed completely (reading,
//! both graphs, layers, findings): processor time, ratio per doubling, the same next to plain YAML events of the same
//! bytes, and, if Go is installed, kapp's own graph step. Then the bad case: 1,000 members under three overlapping
//! optional bindings of a group to itself.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::workspace::Analysis;

#[path = "../tests/support/kapp.rs"]
mod shared;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    // Running kapp takes minutes and can be skipped.
    let oracle = std::env::var_os("APPLYORDER_NO_KAPP")
        .is_none()
        .then(shared::oracle)
        .flatten();
    println!("resources      ours   ratio    events   ours/events    kapp's graph step");
    let mut last: Option<(usize, f64)> = None;
    for units in [50, 100, 200, 250, 400, 500, 1_000, 2_000, 5_000] {
        let text = app(units);
        let count = units * 20;
        let ours = best(3, || drop(analyse(&text)));
        let events = best(3, || events(&text));
        let theirs = oracle
            .as_deref()
            .filter(|_| [1_000, 5_000, 10_000].contains(&count));
        // Measured once, because it takes minutes.
        let step = theirs.and_then(|path| kapp_graph_step(path, &text));
        let seconds = ours.as_secs_f64();
        let ratio = match last {
            Some((before, time)) if before * 2 == count => format!("{:.2}", seconds / time),
            _ => String::new(),
        };
        last = Some((count, seconds));
        println!(
            "{count:>9} {:>7.1} ms {ratio:>6} {:>7.1} ms {:>10.2} {}",
            seconds * 1e3,
            events.as_secs_f64() * 1e3,
            seconds / events.as_secs_f64(),
            step.map_or_else(String::new, |t| format!(
                "{:>16.1} s ({:.0} times ours)",
                t.as_secs_f64(),
                t.as_secs_f64() / seconds
            ))
        );
    }
    if oracle.is_none() {
        println!("SKIPPED: kapp's graph step (Go is not installed, or the module cannot be had)");
    }
    let text = bad_case(1_000);
    let took = best(3, || drop(analyse(&text)));
    let analysis = analyse(&text);
    let (edges, layers) = size(&analysis);
    println!(
        "\n1,000 members, three optional bindings of a group to itself: {:.1} ms, {edges} edges, {layers} layers",
        took.as_secs_f64() * 1e3
    );
}

/// The minimum processor time of several rounds, which other load on the machine affects little.
fn best(rounds: usize, mut run: impl FnMut()) -> Duration {
    (0..rounds)
        .map(|_| {
            let before = processor_time();
            run();
            processor_time().saturating_sub(before)
        })
        .min()
        .unwrap_or_default()
}

/// The processor time of all threads of this program so far.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn analyse(text: &str) -> Arc<Analysis> {
    let mut files = MemoryFiles::new();
    files.insert("/app/big.yaml", text);
    shared::analysed(Arc::new(files), "/app", vec!["big.yaml".to_owned()], None)
}

fn size(analysis: &Analysis) -> (u64, usize) {
    shared::resolved(analysis, |resolution, plan| {
        let layers = resolution.variants[0].apply.layers.as_ref();
        (plan.deploy.graph().pair_count(), layers.map_or(0, |l| l.len()))
    })
}

/// Produces every event of the text, with a library that does only that.
fn events(text: &str) {
    let mut count = 0u64;
    for event in granit_parser::Parser::new_from_str(text) {
        if event.is_err() {
            break;
        }
        count += 1;
    }
    std::hint::black_box(count);
}

fn doc(
    out: &mut String,
    api: &str,
    kind: &str,
    name: &str,
    space: &str,
    annotations: &[(&str, &str)],
    body: &str,
) {
    write!(
        out,
        "---\napiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}\n"
    )
    .expect("a string");
    if !space.is_empty() {
        writeln!(out, "  namespace: {space}").expect("a string");
    }
    if !annotations.is_empty() {
        out.push_str("  annotations:\n");
        for (key, value) in annotations {
            writeln!(out, "    {key}: \"{value}\"").expect("a string");
        }
    }
    out.push_str(body);
}

/// An app with the given number of namespaces, 20 resources each, and ten custom resource definitions in total.
fn app(units: usize) -> String {
    const G: &str = "kapp.k14s.io/change-group";
    const R: &str = "kapp.k14s.io/change-rule";
    const DEL: &str = "kapp.k14s.io/change-rule.del";
    let mut o = String::new();
    for u in 1..=units {
        let n = &format!("ns-{u:04}");
        let c = (u - 1) % 10;
        let after = |what: &str| format!("upsert after upserting app.big.co/{what}-{{namespace}}");
        let group = |what: &str| format!("app.big.co/{what}-{{namespace}}");
        let (app, store, migrate) = (group("app"), group("store"), group("migrate"));
        let (after_app, after_migrate, after_store) = (after("app"), after("migrate"), after("store"));
        let before_store = "delete before deleting app.big.co/store-{namespace}";
        let own = format!("big{c}.example.com");
        doc(&mut o, "batch/v1", "Job", "health", n, &[(R, &after_app)], "");
        doc(
            &mut o,
            "apps/v1",
            "Deployment",
            "web",
            n,
            &[(G, &app), (R, &after_migrate), (DEL, before_store)],
            "",
        );
        doc(
            &mut o,
            "apps/v1",
            "Deployment",
            "worker",
            n,
            &[(G, &app), (R, &after_migrate)],
            "",
        );
        doc(&mut o, "apps/v1", "Deployment", "cron", n, &[], "");
        doc(&mut o, "apps/v1", "StatefulSet", "store", n, &[(G, &store)], "");
        doc(
            &mut o,
            "batch/v1",
            "Job",
            "migrate",
            n,
            &[(G, &migrate), (R, &after_store)],
            "",
        );
        doc(&mut o, "v1", "Service", "web", n, &[(G, &app)], "");
        doc(&mut o, "v1", "Service", "store", n, &[], "");
        doc(&mut o, "networking.k8s.io/v1", "Ingress", "web", n, &[], "");
        doc(&mut o, "policy/v1", "PodDisruptionBudget", "web", n, &[], "");
        if u <= 10 {
            let body = format!(
                "spec:\n  group: {own}\n  scope: Namespaced\n  names:\n    kind: Widget{c}\n    plural: widget{c}s\n  versions:\n  - name: v1\n    served: true\n    storage: true\n"
            );
            let name = format!("widget{c}s.{own}");
            doc(
                &mut o,
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                &name,
                "",
                &[],
                &body,
            );
        } else {
            doc(
                &mut o,
                "autoscaling/v2",
                "HorizontalPodAutoscaler",
                "web",
                n,
                &[],
                "",
            );
        }
        doc(
            &mut o,
            &format!("{own}/v1"),
            &format!("Widget{c}"),
            "w",
            n,
            &[],
            "",
        );
        doc(
            &mut o,
            "rbac.authorization.k8s.io/v1",
            "RoleBinding",
            "app",
            n,
            &[],
            "",
        );
        doc(&mut o, "rbac.authorization.k8s.io/v1", "Role", "app", n, &[], "");
        for (kind, name) in [
            ("ConfigMap", "web"),
            ("ConfigMap", "worker"),
            ("Secret", "db"),
            ("Secret", "tls"),
        ] {
            doc(&mut o, "v1", kind, name, n, &[], "");
        }
        doc(&mut o, "v1", "ServiceAccount", "app", n, &[], "");
        doc(&mut o, "v1", "Namespace", n, "", &[], "");
    }
    o
}

/// Members of one group under three optional bindings of the group to itself.
fn bad_case(members: usize) -> String {
    let mut o = String::from("apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeGroupBindings:\n");
    o.push_str(
        "- name: big.co/jobs\n  resourceMatchers:\n  - apiGroupKindMatcher: {apiGroup: batch, kind: Job}\n",
    );
    o.push_str("changeRuleBindings:\n");
    for matcher in [
        "apiGroupKindMatcher: {apiGroup: batch, kind: Job}",
        "hasNamespaceMatcher: {}",
        "allMatcher: {}",
    ] {
        writeln!(
            o,
            "- rules: [\"upsert after upserting big.co/jobs\"]\n  ignoreIfCyclical: true\n  resourceMatchers:\n  - {matcher}"
        )
        .expect("a string");
    }
    for i in 0..members {
        doc(&mut o, "batch/v1", "Job", &format!("j{i}"), "one", &[], "");
    }
    o
}

/// The processor time that kapp takes from changes to the graph.
fn kapp_graph_step(oracle: &Path, text: &str) -> Option<Duration> {
    let namespaced = |kind: &str| !matches!(kind, "Namespace" | "CustomResourceDefinition");
    let kinds: serde_json::Map<String, serde_json::Value> = [
        ("batch/v1", "Job"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("v1", "Service"),
        ("networking.k8s.io/v1", "Ingress"),
        ("policy/v1", "PodDisruptionBudget"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
        ("rbac.authorization.k8s.io/v1", "Role"),
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "ServiceAccount"),
        ("v1", "Namespace"),
    ]
    .into_iter()
    .map(|(version, kind)| (format!("{version} {kind}"), namespaced(kind).into()))
    .collect();
    let question = serde_json::json!({
        "files": [{ "path": "big.yaml", "text": text }], "kinds": kinds, "runs": 1, "time": true,
    });
    let mut child = Command::new(oracle)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    writeln!(child.stdin.take()?, "{question}").ok()?;
    let output = child.wait_with_output().ok()?;
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    answer["deploy"]["micros"].as_u64().map(Duration::from_micros)
}
