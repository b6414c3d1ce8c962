//! Random inputs: manifests with groups, rules and Configs, with possible mistakes.

mod annotations;
mod configs;
mod resources;

use self::configs::config;
use self::resources::{crd, resource};
use crate::random::Random;

/// Kinds that the inputs use and every cluster has, and whether they are namespaced.
pub(crate) const KINDS: [(&str, &str, bool); 24] = [
    ("v1", "ConfigMap", true),
    ("v1", "Secret", true),
    ("v1", "Service", true),
    ("v1", "ServiceAccount", true),
    ("v1", "Namespace", false),
    ("v1", "PersistentVolume", false),
    ("v1", "PersistentVolumeClaim", true),
    ("v1", "Pod", true),
    ("apps/v1", "Deployment", true),
    ("apps/v1", "StatefulSet", true),
    ("batch/v1", "Job", true),
    ("batch/v1", "CronJob", true),
    ("networking.k8s.io/v1", "NetworkPolicy", true),
    ("policy/v1", "PodDisruptionBudget", true),
    ("policy/v1beta1", "PodDisruptionBudget", true),
    ("rbac.authorization.k8s.io/v1", "Role", true),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", true),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", false),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", false),
    ("scheduling.k8s.io/v1", "PriorityClass", false),
    ("storage.k8s.io/v1", "StorageClass", false),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition", false),
    ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", false),
    ("node.k8s.io/v1", "RuntimeClass", false),
];

/// One input: files in the order of `-f`, and what was deployed before.
pub(crate) struct Input {
    pub(crate) files: Vec<(String, String)>,
    pub(crate) existing: Option<String>,
}

trait More {
    /// True with a probability of `percent`.
    fn chance(&mut self, percent: usize) -> bool;
    /// One of some texts.
    fn word(&mut self, from: &[&'static str]) -> &'static str;
}

impl More for Random {
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn word(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }
}

/// How much is deliberately wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mood {
    /// Nothing.
    Valid,
    /// Texts of groups and rules.
    Texts,
    /// Everything.
    Wild,
}

pub(crate) fn input(seed: u64) -> Input {
    let mut r = Random::new(seed);
    let mood = match r.below(10) {
        0..=5 => Mood::Valid,
        6 | 7 => Mood::Texts,
        _ => Mood::Wild,
    };
    let count = 1 + r.below(14);
    let mut docs: Vec<String> = (0..count).map(|_| resource(&mut r, mood)).collect();
    if r.chance(50) {
        docs.push(crd(&mut r, mood, "Foo", true));
    }
    if r.chance(25) {
        docs.push(crd(&mut r, mood, "Bar", false));
    }
    let existing = r.chance(35).then(|| earlier(&mut r, &docs, mood));
    if r.chance(50) {
        let config = config(&mut r, mood);
        docs.insert(r.below(docs.len() + 1), config);
    }
    if r.chance(8) {
        let config = indented(&config(&mut r, mood), "    ");
        docs.push(format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kc\n  labels: {{kapp.k14s.io/config: \"\"}}\ndata:\n  config.yml: |\n{config}"
        ));
    }
    if mood == Mood::Wild && r.chance(15) {
        let copy = docs[r.below(docs.len())].clone();
        docs.push(if r.chance(50) {
            copy
        } else {
            format!("{copy}x-copy: 1\n")
        });
    }
    if mood == Mood::Wild && r.chance(20) {
        let at = r.below(docs.len());
        docs[at] = damaged(&mut r, &docs[at]);
    }
    if r.chance(10) {
        let listed: Vec<String> = docs
            .drain(..docs.len() / 2)
            .filter(|d| !d.starts_with('%'))
            .map(|d| {
                let mut text = indented(&d, "  ");
                text.replace_range(0..1, "-");
                text
            })
            .collect();
        docs.push(format!("apiVersion: v1\nkind: List\nitems:\n{}", listed.concat()));
        if listed.is_empty() {
            docs.pop();
            docs.push("apiVersion: v1\nkind: List\nitems: []\n".to_owned());
        }
    }
    let half = docs.len() / 2;
    let files = if docs.len() > 2 && r.chance(40) {
        vec![
            ("b.yaml".to_owned(), joined(&mut r, &docs[..half], mood)),
            ("a.yaml".to_owned(), joined(&mut r, &docs[half..], mood)),
        ]
    } else {
        vec![("a.yaml".to_owned(), joined(&mut r, &docs, mood))]
    };
    Input { files, existing }
}

fn indented(text: &str, by: &str) -> String {
    text.lines().map(|l| format!("{by}{l}\n")).collect()
}

fn joined(r: &mut Random, docs: &[String], mood: Mood) -> String {
    let mut out = String::new();
    if r.chance(30) {
        out.push_str("---\n");
    }
    for (i, doc) in docs.iter().enumerate() {
        if i > 0 {
            out.push_str(match r.below(20) {
                0 => "---\n\n---\n",
                1 => "--- # next\n",
                2 => "---\n# only a comment\n---\n",
                3 if mood == Mood::Wild => "...\nignored: true\n---\n",
                _ => "---\n",
            });
        }
        out.push_str(doc);
    }
    if mood == Mood::Wild && r.chance(4) {
        out.push_str("--- foo\n");
    }
    if r.chance(5) {
        out = out.replace('\n', "\r\n");
    }
    out
}

/// What was deployed before: some of the same, some changed, some others.
fn earlier(r: &mut Random, docs: &[String], mood: Mood) -> String {
    let mut out = Vec::new();
    if r.chance(30) {
        out.push(config(r, Mood::Valid));
    }
    for doc in docs {
        match r.below(4) {
            0 => {}
            1 => out.push(format!("{doc}x-old: \"1\"\n")),
            2 if r.chance(40) => out.push(annotated_otherwise(r, doc)),
            _ => out.push(doc.clone()),
        }
    }
    for _ in 0..r.below(4) {
        out.push(resource(r, mood));
    }
    out.join("---\n")
}

/// A document with another group or rule, if it has one.
fn annotated_otherwise(r: &mut Random, doc: &str) -> String {
    let (from, to) = (r.word(&["ga", "gb", "after", "x"]), r.word(&["gc", "before"]));
    doc.replacen(from, to, 1)
}

/// A document with a line or a character changed.
fn damaged(r: &mut Random, doc: &str) -> String {
    let mut lines: Vec<String> = doc.lines().map(str::to_owned).collect();
    let at = r.below(lines.len());
    match r.below(6) {
        0 => {
            lines.remove(at);
        }
        1 => {
            let line = lines[at].clone();
            lines.insert(at, line);
        }
        2 => lines[at].push_str(" [x"),
        // The YAML library ends a document with an indented first line at the next line that is not indented.
        3 if at > 0 => lines[at].insert(0, ' '),
        4 => lines[at] = lines[at].replacen(": ", ":", 1),
        _ => {
            return r
                .word(&[
                    "- a\n",
                    "text\n",
                    "5\n",
                    "{}\n",
                    "null\n",
                    "[]\n",
                    "items: [1]\n",
                    "items: {}\n",
                ])
                .to_owned();
        }
    }
    lines.join("\n") + "\n"
}
