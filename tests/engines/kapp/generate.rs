//! Random inputs: manifests with groups, rules and Configs, and what can be wrong with them.

use std::fmt::Write as _;

use crate::random::Random;

/// Kinds that the inputs use and every cluster has, and whether they have a namespace.
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

/// Kinds of which nothing is known but what the input says.
const CUSTOM: [(&str, &str); 8] = [
    ("example.com/v1", "Foo"),
    ("example.com/v1", "Bar"),
    ("example.com/v2", "Foo"),
    ("kappctrl.k14s.io/v1alpha1", "App"),
    ("packaging.carvel.dev/v1alpha1", "PackageInstall"),
    ("storage/v1", "StorageClass"),
    ("other.example.com/v1", "Foo"),
    ("other.example.com/v1", "Service"),
];

/// One input: files in the order of `-f`, and what was deployed before.
pub(crate) struct Input {
    pub(crate) files: Vec<(String, String)>,
    pub(crate) existing: Option<String>,
}

trait More {
    /// True in so many of a hundred times.
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

/// How much is wrong on purpose.
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

const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "one"];
const SPACES: [&str; 3] = ["one", "two", "default"];

fn name(r: &mut Random) -> String {
    let name = r.word(&NAMES);
    match r.below(3) {
        0 => name.to_owned(),
        _ => format!("{name}-{}", r.below(40)),
    }
}

fn kind(r: &mut Random) -> (&'static str, &'static str) {
    if r.chance(25) {
        return CUSTOM[r.below(CUSTOM.len())];
    }
    loop {
        let (version, kind, _) = KINDS[r.below(KINDS.len())];
        if kind != "CustomResourceDefinition" {
            return (version, kind);
        }
    }
}

fn resource(r: &mut Random, mood: Mood) -> String {
    let (version, kind) = kind(r);
    let mut out = String::new();
    let wild = mood == Mood::Wild;
    if !(wild && r.chance(2)) {
        let version = if wild && r.chance(1) { "a/b/c" } else { version };
        writeln!(out, "apiVersion: {version}").unwrap();
    }
    if !(wild && r.chance(2)) {
        writeln!(out, "kind: {kind}").unwrap();
    }
    out.push_str("metadata:\n");
    match r.below(40) {
        0 if wild => out.push_str("  name: y\n"),
        1 if wild => out.push_str("  name: 12\n"),
        2 => writeln!(out, "  generateName: {}-", r.word(&NAMES)).unwrap(),
        _ => writeln!(out, "  name: {}", name(r)).unwrap(),
    }
    if r.chance(55) {
        writeln!(out, "  namespace: {}", r.word(&SPACES)).unwrap();
    }
    if wild && r.chance(3) {
        out.push_str(r.word(&[
            "  labels: [x]\n",
            "  labels: x\n",
            "  labels: {a: 1}\n",
            "  labels:\n",
        ]));
    }
    annotations(r, mood, &mut out);
    match r.below(12) {
        0 => out.push_str("spec: {list: []}\n"),
        1 => out.push_str("spec: {list: [{v: 1}, {}]}\n"),
        2 => out.push_str("spec: {list: [{v: []}, {v: {}}]}\n"),
        3 if wild => out.push_str("spec: {template: {metadata: {labels: [a]}}}\n"),
        9 => out.push_str("status: {list: [1]}\nspec: {list: [{v: 2}, {v: 3}]}\n"),
        4 if wild => out.push_str("spec: {template: x, selector: y}\n"),
        5..=8 => out.push_str(&body(r, mood, kind)),
        _ => {}
    }
    out
}

fn annotations(r: &mut Random, mood: Mood, out: &mut String) {
    let mut lines: Vec<String> = Vec::new();
    let groups = [0, 0, 1, 1, 2][r.below(5)];
    for n in 0..groups {
        let key = if n == 0 { String::new() } else { format!(".{n}") };
        let text = group(r, mood);
        lines.push(format!("kapp.k14s.io/change-group{key}: {}", quoted(r, &text)));
    }
    let rules = [0, 0, 0, 1, 1, 2][r.below(6)];
    for n in 0..rules {
        let key = if n == 0 { String::new() } else { format!(".{n}") };
        let text = rule(r, mood);
        lines.push(format!("kapp.k14s.io/change-rule{key}: {}", quoted(r, &text)));
    }
    for (key, percent) in [
        ("disable-default-change-group-and-rules", 8),
        ("exists", 3),
        ("noop", 4),
        ("versioned", 12),
        ("versioned-keep-original", 4),
    ] {
        if r.chance(percent) {
            lines.push(format!("kapp.k14s.io/{key}: \"\""));
        }
    }
    if r.chance(10) {
        lines.push("big.co/mark: x".to_owned());
    }
    if r.chance(6) {
        let count = match mood {
            Mood::Valid => r.word(&["\"1\"", "\"2\"", "'7'"]),
            _ => r.word(&["\"0\"", "'x'", "\"-1\"", "\"\"", "\"+2\"", "\"1_0\""]),
        };
        lines.push(format!("kapp.k14s.io/num-versions: {count}"));
    }
    if r.chance(10) {
        let key = r.word(&["", ".1", ".a/b", "x"]);
        let text = explicit(r, mood);
        lines.push(format!("kapp.k14s.io/versioned-explicit-ref{key}: {text:?}"));
    }
    if mood == Mood::Wild && r.chance(6) {
        let value = r.word(&[
            "3",
            "n",
            "~",
            "1e3",
            "0x1f",
            "2024-01-01",
            "1_0",
            "yEs",
            "[]",
            "!!str 3",
            "1:30",
        ]);
        lines.push(format!("example.com/odd: {value}"));
    }
    if lines.is_empty() {
        return;
    }
    out.push_str("  annotations:\n");
    for line in lines {
        writeln!(out, "    {line}").unwrap();
    }
}

/// A reference to a versioned resource, as an annotation holds it.
fn explicit(r: &mut Random, mood: Mood) -> String {
    if mood != Mood::Valid && r.chance(30) {
        return r
            .word(&[
                "",
                "alpha",
                "a rather long text",
                "[a]",
                "5",
                "kind: ConfigMap\nname: alpha\n",
                "{apiVersion: v1, kind: ConfigMap, name: 5}",
                "{apiVersion: v1, kind: ConfigMap, name: {a: b}}",
                "a: [",
                "\ta: b",
                "true",
                "1.5",
            ])
            .to_owned();
    }
    let kind = r.word(&["ConfigMap", "Secret", "Service"]);
    let name = r.word(&NAMES);
    let rest = r.word(&["", "", "namespace: one\n", "namespace: default\n", "Name: beta\n"]);
    match r.below(3) {
        0 => format!("name: {name}\nkind: {kind}\napiVersion: v1\n{rest}"),
        1 => format!("{{apiVersion: v1, kind: {kind}, name: {name}}}"),
        _ => format!("apiVersion: v1\nkind: {kind}\nname: {name}\n{rest}"),
    }
}

/// What kapp follows references in, and what it does not.
fn body(r: &mut Random, mood: Mood, kind: &str) -> String {
    let name = r.word(&NAMES);
    let odd = mood != Mood::Valid && r.chance(15);
    let volumes = if odd {
        r.word(&[
            "{a: b}",
            "x",
            "[x]",
            "[{configMap: x}]",
            "[{configMap: {name: 5}}]",
            "[{configMap: [a]}]",
            "~",
            "[~]",
            "[{secret: {secretName: 5}}]",
        ])
        .to_owned()
    } else {
        match r.below(5) {
            0 => format!("[{{name: v, configMap: {{name: {name}}}}}]"),
            1 => format!("[{{name: v, secret: {{secretName: {name}}}}}]"),
            2 => format!("[{{name: v, projected: {{sources: [{{secret: {{name: {name}}}}}, {{}}]}}}}]"),
            3 => format!("[{{name: v}}, {{configMap: {{name: {name}, kind: Secret}}}}]"),
            _ => format!("[{{configMap: {{Name: {name}}}}}]"),
        }
    };
    match kind {
        "CronJob" => {
            format!("spec: {{jobTemplate: {{spec: {{template: {{spec: {{volumes: {volumes}}}}}}}}}}}\n")
        }
        "Pod" => format!("spec: {{volumes: {volumes}, imagePullSecrets: [{{name: {name}}}]}}\n"),
        "ServiceAccount" => format!("secrets: [{{name: {name}}}, {{name: {name}-token-{}}}]\n", r.below(3)),
        "App" => format!(
            "spec: {{fetch: [{{git: {{secretRef: {{name: {name}}}}}}}], template: [{{ytt: {{}}}}]}}\n"
        ),
        "PackageInstall" => format!("spec: {{values: [{{secretRef: {{name: {name}}}}}]}}\n"),
        _ => format!(
            "spec:\n  template:\n    spec:\n      containers: [{{envFrom: [{{configMapRef: {{name: {name}}}}}]}}]\n      volumes: {volumes}\n"
        ),
    }
}

fn quoted(r: &mut Random, text: &str) -> String {
    let plain = !text.is_empty()
        && text.trim() == text
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || " ./-_".contains(c))
        && text.starts_with(|c: char| c.is_ascii_alphabetic());
    match r.below(4) {
        0 if plain => text.to_owned(),
        1 if !text.contains(['\n', '\t']) => format!("'{}'", text.replace('\'', "''")),
        2 if plain => format!("|-\n      {text}"),
        _ => format!("{text:?}"),
    }
}

fn group(r: &mut Random, mood: Mood) -> String {
    if mood != Mood::Valid && r.chance(20) {
        return r
            .word(&[
                "",
                "-x",
                "x.",
                "a/b/c",
                "/x",
                "x/",
                "Big.co/x",
                "x y",
                "x{}",
                "g-{nope}",
                "{crd-kind}",
                "${name}",
                "{{name}}",
                "g\n",
                "é",
                "a\"b",
                "{api-group}",
                "{namespace}",
            ])
            .to_owned();
    }
    r.word(&[
        "ga",
        "gb",
        "gc",
        "big.co/gd",
        "big.co/g-{name}",
        "big.co/k-{kind}",
        "change-groups.kapp.k14s.io/pod-related",
        "change-groups.kapp.k14s.io/rbac",
        "change-groups.kapp.k14s.io/crds",
    ])
    .to_owned()
}

fn rule(r: &mut Random, mood: Mood) -> String {
    if mood != Mood::Valid && r.chance(15) {
        return r
            .word(&[
                "",
                "upsert after upserting",
                "upsert  after upserting ga",
                "Upsert after upserting ga",
                "upsert then upserting ga",
                "upsert after upsert ga",
                "upsert after upserting -",
                "upsert after upserting g{nope}",
                "upsert after upserting ga ",
                "upsert after upserting ga\n",
                "{name} after upserting ga",
            ])
            .to_owned();
    }
    let action = r.word(&["upsert", "upsert", "upsert", "delete"]);
    let order = r.word(&["after", "after", "before"]);
    let same = if action == "upsert" {
        "upserting"
    } else {
        "deleting"
    };
    let target = if r.chance(80) {
        same
    } else {
        r.word(&["upserting", "deleting"])
    };
    format!("{action} {order} {target} {}", group(r, Mood::Valid))
}

fn crd(r: &mut Random, mood: Mood, kind: &str, namespaced: bool) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    let mut out = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {plural}.example.com\n"
    );
    annotations(r, mood, &mut out);
    let scope = if namespaced { "Namespaced" } else { "Cluster" };
    if mood == Mood::Wild && r.chance(15) {
        out.push_str(r.word(&[
            "spec: {group: example.com}\n",
            "spec: {group: [a], names: {kind: Foo}}\n",
            "spec: {group: example.com, names: x}\n",
            "spec: {group: 5, names: {kind: true}, scope: Namespaced, version: v1}\n",
            "spec: []\n",
            "spec: {group: example.com, versions: [a], names: {kind: Foo}}\n",
            "spec: {Group: example.com, names: {kind: Foo}, versions: {a: b}}\n",
        ]));
        return out;
    }
    writeln!(
        out,
        "spec:\n  group: example.com\n  scope: {scope}\n  names: {{kind: {kind}, plural: {plural}}}\n  versions: [{{name: v1, served: true, storage: true}}]"
    )
    .unwrap();
    out
}

fn matcher(r: &mut Random, mood: Mood, depth: usize) -> String {
    let (version, kind) = kind(r);
    let group = version.split_once('/').map_or("", |(g, _)| g);
    if mood == Mood::Wild && r.chance(4) {
        return r
            .word(&["{}", "{allMatcher: }", "{foo: {}}", "{notMatcher: {}}"])
            .to_owned();
    }
    match r.below(if depth > 1 { 8 } else { 11 }) {
        0 => "{allMatcher: {}}".to_owned(),
        1 => format!("{{apiVersionKindMatcher: {{apiVersion: {version}, kind: {kind}}}}}"),
        2 => format!("{{apiGroupKindMatcher: {{apiGroup: {group:?}, kind: {kind}}}}}"),
        3 => format!(
            "{{kindNamespaceNameMatcher: {{kind: {kind}, namespace: {}, name: {}}}}}",
            r.word(&SPACES),
            r.word(&NAMES)
        ),
        4 => r
            .word(&[
                "{hasNamespaceMatcher: {}}",
                "{HasNamespaceMatcher: {names: [one]}}",
            ])
            .to_owned(),
        5 => r
            .word(&[
                "{hasAnnotationMatcher: {keys: [big.co/mark]}}",
                "{hasAnnotationMatcher: {}}",
            ])
            .to_owned(),
        6 => "{customResourceMatcher: {}}".to_owned(),
        7 => r
            .word(&[
                "{emptyFieldMatcher: {path: [spec, list]}}",
                "{emptyFieldMatcher: {path: [spec, list, {allIndexes: true}, v]}}",
                "{emptyFieldMatcher: {path: [spec, list, {index: 1}, v]}}",
            ])
            .to_owned(),
        8 => format!("{{notMatcher: {{matcher: {}}}}}", matcher(r, mood, depth + 1)),
        9 => format!(
            "{{andMatcher: {{matchers: [{}, {}]}}}}",
            matcher(r, mood, depth + 1),
            matcher(r, mood, depth + 1)
        ),
        _ => format!("{{anyMatcher: {{matchers: [{}]}}}}", matcher(r, mood, depth + 1)),
    }
}

fn config(r: &mut Random, mood: Mood) -> String {
    let mut out = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n".to_owned();
    if mood == Mood::Wild && r.chance(20) {
        let odd = r.word(&[
            "minimumRequiredVersion: 0.61.0\n",
            "minimumRequiredVersion: v0.1.0\n",
            "minimumRequiredVersion: abc\n",
            "minimumRequiredVersion: 0.60\n",
            "changeGroupBindings: x\n",
            "changeGroupBindings: [x]\n",
            "changeRuleBindings: [{rules: x}]\n",
            "changeRuleBindings: [{ignoreIfCyclical: \"yes\"}]\n",
            "rebaseRules: [{}]\n",
            "rebaseRules: [{path: [spec], type: keep}]\n",
            "rebaseRules: [{path: [spec], paths: [[spec]], type: copy}]\n",
            "rebaseRules: [{ytt: {overlayContractV1: {}}, path: [spec]}]\n",
            "rebaseRules: [{ytt: {}}]\n",
            "rebaseRules: [{path: [spec], type: remove, resourceMatchers: [{}]}]\n",
            "rebaseRules: [{path: [spec, {index: x}], type: remove}]\n",
            "diffAgainstExistingFieldExclusionRules: [{path: [spec], resourceMatchers: [{foo: {}}]}]\n",
            "unknownField: 1\n",
        ]);
        out.push_str(odd);
        if odd.starts_with("change") {
            return out;
        }
    }
    let groups = r.below(4);
    if groups > 0 {
        out.push_str("changeGroupBindings:\n");
    }
    for _ in 0..groups {
        let name = group(r, mood);
        writeln!(
            out,
            "- name: {name:?}\n  resourceMatchers: [{}]",
            matcher(r, mood, 0)
        )
        .unwrap();
    }
    templates(r, mood, &mut out);
    comparing(r, mood, &mut out);
    labelling(r, mood, &mut out);
    let rules = r.below(4);
    if rules > 0 {
        out.push_str("changeRuleBindings:\n");
    }
    for _ in 0..rules {
        let texts: Vec<String> = (0..=r.below(2)).map(|_| format!("{:?}", rule(r, mood))).collect();
        writeln!(
            out,
            "- rules: [{}]\n  resourceMatchers: [{}]",
            texts.join(", "),
            matcher(r, mood, 0)
        )
        .unwrap();
        if r.chance(65) {
            out.push_str("  ignoreIfCyclical: true\n");
        }
    }
    out
}

fn templates(r: &mut Random, mood: Mood, out: &mut String) {
    if !r.chance(35) {
        return;
    }
    out.push_str("templateRules:\n");
    for _ in 0..=r.below(2) {
        writeln!(
            out,
            "- resourceMatchers: [{}]\n  affectedResources:\n    objectReferences:",
            matcher(r, mood, 0)
        )
        .unwrap();
        for _ in 0..=r.below(2) {
            let path = if mood == Mood::Wild && r.chance(10) {
                r.word(&[
                    "[spec, {regex: a}]",
                    "[spec, {}]",
                    "[]",
                    "[metadata, name]",
                    "[metadata, ~]",
                    "[spec, 5]",
                ])
            } else {
                r.word(&[
                    "[spec, list, {allIndexes: true}]",
                    "[spec, list, {index: 0}]",
                    "[spec]",
                    "[metadata]",
                    "[spec, volumes, {allIndexes: true}, configMap]",
                    "[spec, values, {allIndexes: true}, secretRef]",
                ])
            };
            let key = r.word(&["", "", ", nameKey: v", ", namekey: name"]);
            writeln!(
                out,
                "    - {{path: {path}, resourceMatchers: [{}]{key}}}",
                matcher(r, mood, 0)
            )
            .unwrap();
        }
    }
}

/// A path into a resource.
fn path(r: &mut Random, mood: Mood) -> &'static str {
    if mood == Mood::Wild && r.chance(15) {
        return r.word(&[
            "[]",
            "[spec, {}]",
            "[spec, ~]",
            "[spec, {regex: \"(\"}]",
            "[spec, list, {allIndexes: true}]",
            "[spec, list, {index: -1}, v]",
            "[metadata, name, x]",
            "[metadata, {allIndexes: true}, x]",
            "[kind]",
            "[apiVersion]",
            "[metadata]",
        ]);
    }
    r.word(&[
        "[spec]",
        "[x-old]",
        "[status]",
        "[metadata, labels]",
        "[metadata, labels, tier]",
        "[metadata, annotations]",
        "[metadata, annotations, kapp.k14s.io/change-group]",
        "[metadata, annotations, kapp.k14s.io/change-rule]",
        "[metadata, annotations, {regex: \"^kapp.k14s.io/change-\"}]",
        "[metadata, annotations, big.co/mark]",
        "[metadata, annotations, kapp.k14s.io/noop]",
        "[spec, made, up, here]",
        "[spec, list]",
        "[spec, list, {allIndexes: true}, v]",
        "[spec, list, {index: 0}, v]",
        "[spec, {regex: \"^(li|vo)\"}]",
        "[{regex: ^x-}]",
        "[secrets]",
        "[{regex: ^s}, list, {allIndexes: true}, v]",
    ])
}

fn sources(r: &mut Random) -> &'static str {
    r.word(&[
        "[existing]",
        "[new]",
        "[existing, new]",
        "[new, existing]",
        "[_current, existing]",
        "[other, existing]",
        "[]",
    ])
}

/// Rules by which what is there is compared with what is wanted.
fn comparing(r: &mut Random, mood: Mood, out: &mut String) {
    if r.chance(45) {
        out.push_str("rebaseRules:\n");
        for _ in 0..=r.below(3) {
            let at = match r.below(4) {
                0 => format!("paths: [{}, {}]", path(r, mood), path(r, mood)),
                _ => format!("path: {}", path(r, mood)),
            };
            let what = match r.below(5) {
                0 | 1 => "type: remove".to_owned(),
                _ => format!("type: copy, sources: {}", sources(r)),
            };
            writeln!(out, "- {{{at}, {what}, resourceMatchers: [{}]}}", matcher(r, mood, 0)).unwrap();
        }
    }
    for name in ["diffAgainstLastAppliedFieldExclusionRules", "diffAgainstExistingFieldExclusionRules"] {
        if r.chance(12) {
            let (path, matcher) = (path(r, mood), matcher(r, mood, 0));
            writeln!(out, "{name}: [{{path: {path}, resourceMatchers: [{matcher}]}}]").unwrap();
        }
    }
}

/// Rules by which labels are written.
fn labelling(r: &mut Random, mood: Mood, out: &mut String) {
    for name in ["ownershipLabelRules", "labelScopingRules"] {
        if r.chance(8) {
            let path = match mood {
                Mood::Wild => path(r, mood),
                _ => r.word(&["[metadata, annotations]", "[spec, labels]", "[spec, selector]", "[x-labels]"]),
            };
            writeln!(out, "{name}: [{{path: {path}, resourceMatchers: [{}]}}]", matcher(r, mood, 0)).unwrap();
        }
    }
    if r.chance(6) {
        out.push_str("additionalLabels: {tier: front}\n");
    }
}

/// What was deployed before: some of the same, some of it otherwise, something else.
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
        // The library ends a document whose first line is indented at the next that is not.
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
