//! Verdicts of random manifests, compared with a second implementation of the steps of both entry points,
//! independent of the engine. Seeds are fixed.

use std::collections::{BTreeMap, BTreeSet};

use applyorder_analysis::fixture::Fixture;
use applyorder_core::engine::RunOptions;
use applyorder_core::layer::contradictions;

use super::handlebars::Random;
use crate::judge::{APPLY, STARTUP};

/// The content of a random manifest.
struct Written {
    version: Option<&'static str>,
    workloads: BTreeMap<String, Workload>,
    configs: BTreeSet<&'static str>,
}

struct Workload {
    agent: &'static str,
    restart: Option<&'static str>,
    needs: BTreeMap<String, &'static str>,
    uses: BTreeMap<&'static str, &'static str>,
    runtime_config: &'static str,
}

const CONDITIONS: [&str; 3] = ["ADD_COND_RUNNING", "ADD_COND_SUCCEEDED", "ADD_COND_FAILED"];
const RESTARTS: [&str; 3] = ["NEVER", "ON_FAILURE", "ALWAYS"];

impl Written {
    fn new(random: &mut Random) -> Self {
        let version = match random.below(12) {
            0..8 => Some("v1"),
            8..10 => Some("v0.1"),
            10 => Some("v2"),
            _ => None,
        };
        let long = "n".repeat(64);
        let mut names: Vec<String> = ["a", "b", "c", "d", "e", "Z", "_x", "1"]
            .map(str::to_owned)
            .into();
        if random.below(8) == 0 {
            names.push("a.b".to_owned());
        }
        if random.below(8) == 0 {
            names.push(long);
        }
        let count = 1 + random.below(6);
        let rare = |random: &mut Random| random.below(12) == 0;
        let workloads = (0..count).map(|_| {
            let name = names[random.below(names.len())].clone();
            let needs = (0..random.below(4)).map(|_| {
                let condition = match rare(random) && rare(random) {
                    true => "RUNNING",
                    false => CONDITIONS[random.below(3)],
                };
                (names[random.below(names.len())].clone(), condition)
            });
            let needs = needs.collect();
            let uses = match random.below(3) {
                0 => [("x", random.one(&["one", "two", "one", "none"]))].into(),
                _ => BTreeMap::new(),
            };
            let workload = Workload {
                agent: match rare(random) {
                    true => "b.c",
                    false => random.one(&["a", "b", ""]),
                },
                restart: match random.below(4) {
                    0 => Some(RESTARTS[random.below(3)]),
                    1 if rare(random) => Some("SOMETIMES"),
                    _ => None,
                },
                needs,
                uses,
                runtime_config: random.one(&["image: x", "image: {{x}}", "image: {{y}}"]),
            };
            (name, workload)
        });
        Self {
            workloads: workloads.collect(),
            configs: ["one", "two"].into(),
            version,
        }
    }

    fn text(&self) -> String {
        let mut out = self
            .version
            .map_or_else(String::new, |v| format!("apiVersion: {v}\n"));
        out.push_str("workloads:\n");
        for (name, workload) in &self.workloads {
            out.push_str(&format!(
                "  {name:?}:\n    runtime: podman\n    agent: {:?}\n    runtimeConfig: {:?}\n",
                workload.agent, workload.runtime_config
            ));
            if let Some(restart) = workload.restart {
                out.push_str(&format!("    restartPolicy: {restart}\n"));
            }
            for (field, entries) in [
                ("dependencies", flow(&workload.needs)),
                ("configs", flow(&workload.uses)),
            ] {
                if !entries.is_empty() {
                    out.push_str(&format!("    {field}: {{{entries}}}\n"));
                }
            }
        }
        let configs: Vec<String> = self.configs.iter().map(|c| format!("{c}: text")).collect();
        out.push_str(&format!("configs: {{{}}}\n", configs.join(", ")));
        out
    }

    fn has(&self, of: impl Fn(&str, &Workload) -> bool) -> bool {
        self.workloads.iter().any(|(name, workload)| of(name, workload))
    }

    fn has_unknown_condition(workload: &Workload) -> bool {
        workload.needs.values().any(|c| !CONDITIONS.contains(c))
    }

    /// The step at which the server rejects it as its startup manifest.
    fn startup(&self) -> Option<&'static str> {
        let wrong_value = |_: &str, w: &Workload| {
            Self::has_unknown_condition(w) || w.restart.is_some_and(|r| !RESTARTS.contains(&r))
        };
        if self.has(wrong_value) || self.version.is_none() {
            return Some("parse");
        }
        if !matches!(self.version, Some("v1" | "v0.1")) {
            return Some("version");
        }
        self.server(false)
    }

    /// The step at which `ank apply` or the server rejects it.
    fn apply(&self) -> Option<&'static str> {
        let is_bad_name = |name: &str| !is_name(name) || name.len() > 63;
        let wrong_restart = |_: &str, w: &Workload| w.restart.is_some_and(|r| !RESTARTS.contains(&r));
        if self.version != Some("v0.1") {
            let wrong = |name: &str, w: &Workload| {
                is_bad_name(name) || !is_name(w.agent) || Self::has_unknown_condition(w)
            };
            if self.version != Some("v1") || self.has(wrong) || self.has(wrong_restart) {
                return Some("schema");
            }
        }
        if self.has(|name, w| !is_name(name) || w.needs.keys().any(|n| !is_name(n))) {
            return Some("keys");
        }
        if self.has(wrong_restart) {
            return Some("convert");
        }
        self.server(self.version == Some("v0.1"))
    }

    /// The server's result for a manifest that it could read. `loses`: dependencies with an unknown condition
    /// are dropped.
    fn server(&self, loses: bool) -> Option<&'static str> {
        let missing = |_: &str, w: &Workload| w.uses.values().any(|config| !self.configs.contains(config));
        let unrendered = |_: &str, w: &Workload| !w.uses.is_empty() && w.runtime_config.contains("{{y}}");
        if self.has(missing) || self.has(unrendered) {
            return Some("render");
        }
        if self.has(|name, w| !is_name(name) || name.len() > 63 || !is_name(w.agent)) {
            return Some("names");
        }
        let needs = |w: &Workload| -> Vec<String> {
            let is_lost = loses && Self::has_unknown_condition(w);
            w.needs.keys().filter(|_| !is_lost).cloned().collect()
        };
        let graph: BTreeMap<&str, Vec<String>> = self
            .workloads
            .iter()
            .map(|(name, w)| (name.as_str(), needs(w)))
            .collect();
        is_refused(&graph).then_some("cycle")
    }
}

fn flow(entries: &BTreeMap<impl AsRef<str>, &str>) -> String {
    let all: Vec<String> = entries
        .iter()
        .map(|(key, value)| format!("{:?}: {value}", key.as_ref()))
        .collect();
    all.join(", ")
}

/// Whether it has only these characters, or is empty.
fn is_name(name: &str) -> bool {
    name.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}

/// The server's search for cycles, over names.
fn is_refused(graph: &BTreeMap<&str, Vec<String>>) -> bool {
    let (mut visited, mut path): (BTreeSet<&str>, Vec<&str>) = Default::default();
    for (root, needs) in graph {
        if needs.is_empty() || visited.contains(root) {
            continue;
        }
        let mut stack: Vec<&str> = vec![root];
        while let Some(head) = stack.last().copied() {
            let Some(needs) = graph.get(head) else {
                stack.pop();
                continue;
            };
            if visited.insert(head) {
                path.push(head);
            } else {
                path.pop();
                stack.pop();
            }
            if needs.iter().any(|n| path.contains(&n.as_str())) {
                return true;
            }
            stack.extend(needs.iter().map(String::as_str).filter(|n| !visited.contains(n)));
        }
    }
    false
}

#[test]
fn random_manifests_are_refused_at_the_step_that_was_written_down() {
    let mut random = Random(0x5eed_0101);
    let mut failures = String::new();
    let mut seen: BTreeMap<(&str, Option<&str>), usize> = BTreeMap::new();
    for _ in 0..1500 {
        let written = Written::new(&mut random);
        let text = written.text();
        let fixture = Fixture::new(crate::ALONE, &format!("//- /m.ank.yaml\n{text}"));
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let (options, inferred) = (RunOptions::default(), project.seed.inferred);
        let found = contradictions(&crate::ENGINE, &options, inferred, &project.resolution);
        failures.extend(found.into_iter().map(|c| format!("{c}:\n{text}\n")));
        for (command, wanted) in [(STARTUP, written.startup()), (APPLY, written.apply())] {
            let verdicts = &project.resolution.verdicts;
            let ours = verdicts.iter().find(|v| v.command == command).unwrap();
            *seen.entry((command, wanted)).or_default() += 1;
            if ours.ok != Some(wanted.is_none()) || ours.stage != wanted {
                failures.push_str(&format!(
                    "{command} {:?} {:?}, not {wanted:?}:\n{text}\n",
                    ours.ok, ours.stage
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    // Each step occurs, and accepted manifests as well.
    assert!(seen.len() >= 12 && seen.values().all(|n| *n > 5), "{seen:?}");
}
