//! Each rule of kapp's table of diagnostics: an app in which it speaks, at which text, and one beside it in which
//! it does not.

use super::{app, of_rule, under};
use crate::diagnostic::Severity;
use crate::engines::RunOptions;
use crate::engines::kapp::META;

/// A rule, its severity, an app with the texts it speaks of, and an app in which it is silent.
type Row = (&'static str, Severity, String, &'static [&'static str], String);

/// A ConfigMap with annotations.
fn map(name: &str, annotations: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations: {{{annotations}}}\n---\n"
    )
}

fn with_rule(rule: &str) -> String {
    map("owner", &format!("kapp.k14s.io/change-rule: {rule}"))
}

fn member(group: &str) -> String {
    map("member", &format!("kapp.k14s.io/change-group: {group}"))
}

fn config(body: &str) -> String {
    format!("apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n{body}---\n")
}

fn object(api: &str, kind: &str, name: &str, rest: &str) -> String {
    format!("apiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}\n{rest}---\n")
}

fn crd(spec: &str) -> String {
    object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "foos.e.com",
        &format!("spec: {{{spec}}}\n"),
    )
}

const FOO: &str = "group: e.com, scope: Namespaced, names: {kind: Foo}, versions: [{name: v1}]";
const EVERY: &str = "resourceMatchers: [{allMatcher: {}}]";

fn texts() -> Vec<Row> {
    let plain = "upsert after upserting g";
    let good = with_rule(plain) + &member("g");
    let bad = |rule: &str| with_rule(rule) + &member("g");
    vec![
        // AO101 to AO104
        (
            "invalid-value",
            Severity::Error,
            bad("upsert  after upserting g"),
            &[" "],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("'upsert after upserting g '"),
            &[" "],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("upsert after g"),
            &["upsert after g"],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("Upsert after upserting g"),
            &["Upsert"],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("upsert behind upserting g"),
            &["behind"],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("upsert after upsert g"),
            &["upsert"],
            good.clone(),
        ),
        // AO105
        (
            "invalid-name",
            Severity::Error,
            bad("upsert after upserting a/b/c"),
            &["a/b/c"],
            good.clone(),
        ),
        (
            "invalid-name",
            Severity::Error,
            member("-x") + &with_rule(plain),
            &["-x"],
            good.clone(),
        ),
        (
            "invalid-name",
            Severity::Error,
            member("Big.co/x") + &with_rule(plain),
            &["Big.co"],
            good.clone(),
        ),
        // AO106, AO107
        (
            "invalid-value",
            Severity::Error,
            bad("'upsert after upserting g-{nam}'"),
            &["{nam}"],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("'upsert after upserting {api-group}'"),
            &["{api-group}"],
            map(
                "owner",
                "kapp.k14s.io/change-rule: 'upsert after upserting g-{namespace}'",
            ) + &member("g-default"),
        ),
        // AO108
        (
            "kapp/placeholder-lookalike",
            Severity::Error,
            bad("'upsert after upserting g-{{name}}'"),
            &["{{name}}"],
            bad("'upsert after upserting g-{name}'"),
        ),
        // AO109
        (
            "kapp/placeholder-in-verb",
            Severity::Hint,
            bad("'{name} after upserting g'"),
            &["{name}"],
            good.clone(),
        ),
        // AO110
        (
            "kapp/trailing-newline",
            Severity::Error,
            object(
                "v1",
                "ConfigMap",
                "m",
                "  annotations:\n    kapp.k14s.io/change-rule: |\n      upsert after upserting g\n",
            ) + &member("g"),
            &["|"],
            object(
                "v1",
                "ConfigMap",
                "m",
                "  annotations:\n    kapp.k14s.io/change-rule: |-\n      upsert after upserting g\n",
            ) + &member("g"),
        ),
        // AO111
        (
            "unknown-field",
            Severity::Warning,
            map("m", "kapp.k14s.io/change-groups: g"),
            &["kapp.k14s.io/change-groups"],
            map("m", "kapp.k14s.io/change-group: g"),
        ),
        // AO112
        (
            "wrong-type",
            Severity::Error,
            map("m", "kapp.k14s.io/change-group: g, e.com/replicas: 3"),
            &["3"],
            map("m", "kapp.k14s.io/change-group: g, e.com/replicas: '3'"),
        ),
        (
            "wrong-type",
            Severity::Error,
            map("m", "kapp.k14s.io/change-group: n"),
            &["n"],
            map("m", "kapp.k14s.io/change-group: 'n'"),
        ),
        // AO113
        (
            "duplicate-key",
            Severity::Warning,
            map("m", "kapp.k14s.io/change-group: g, kapp.k14s.io/change-group: h"),
            &["kapp.k14s.io/change-group"],
            map(
                "m",
                "kapp.k14s.io/change-group: g, kapp.k14s.io/change-group.2: h",
            ),
        ),
        // AO114
        (
            "kapp/misplaced",
            Severity::Warning,
            object(
                "v1",
                "ConfigMap",
                "m",
                "  labels: {kapp.k14s.io/change-group: g}\n",
            ),
            &["kapp.k14s.io/change-group"],
            map("m", "kapp.k14s.io/change-group: g"),
        ),
        // AO115
        (
            "coerced-scalar",
            Severity::Warning,
            object("v1", "ConfigMap", "m", "  namespace: on\n"),
            &["on"],
            object("v1", "ConfigMap", "m", "  namespace: 'on'\n"),
        ),
    ]
}

fn graph() -> Vec<Row> {
    let two = |a: &str, b: &str| {
        map(
            "a",
            &format!("kapp.k14s.io/change-group: ga, kapp.k14s.io/change-rule: {a}"),
        ) + &map(
            "b",
            &format!("kapp.k14s.io/change-group: gb, kapp.k14s.io/change-rule: {b}"),
        )
    };
    let chain = two("upsert after upserting gb", "delete after deleting ga");
    vec![
        // AO201, AO205
        (
            "cycle",
            Severity::Error,
            two("upsert after upserting gb", "upsert after upserting ga"),
            &["gb"],
            chain.clone(),
        ),
        (
            "cycle",
            Severity::Error,
            two("delete after deleting gb", "delete after deleting ga"),
            &["gb"],
            chain,
        ),
        // AO204
        (
            "cycle",
            Severity::Error,
            object(
                "v1",
                "Namespace",
                "one",
                "  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}\n",
            ) + &object(
                "v1",
                "ConfigMap",
                "m",
                "  namespace: one\n  annotations: {kapp.k14s.io/change-group: g}\n",
            ),
            &["g"],
            object(
                "v1",
                "Namespace",
                "one",
                "  annotations: {kapp.k14s.io/change-rule: upsert before upserting g}\n",
            ) + &object(
                "v1",
                "ConfigMap",
                "m",
                "  namespace: one\n  annotations: {kapp.k14s.io/change-group: g}\n",
            ),
        ),
        // AO202, AO203
        (
            "self-dependency",
            Severity::Error,
            map(
                "a",
                "kapp.k14s.io/change-group: g, kapp.k14s.io/change-rule: upsert after upserting g",
            ),
            &["g"],
            map(
                "a",
                "kapp.k14s.io/change-group: g, kapp.k14s.io/change-rule: delete after upserting g",
            ),
        ),
        // AO206
        (
            "unknown-dependency",
            Severity::Warning,
            with_rule("upsert after upserting gg") + &member("g"),
            &["gg"],
            with_rule("upsert after upserting g") + &member("g"),
        ),
        // AO207
        (
            "inert-dependency",
            Severity::Info,
            with_rule("upsert after deleting g") + &member("g"),
            &["g"],
            with_rule("upsert after upserting g") + &member("g"),
        ),
        // AO208
        (
            "unknown-dependency",
            Severity::Warning,
            with_rule("upsert after upserting g")
                + &map("m", "kapp.k14s.io/change-group: g, kapp.k14s.io/noop: ''"),
            &["g"],
            with_rule("upsert after upserting g")
                + &map("m", "kapp.k14s.io/change-group: g, kapp.k14s.io/exists: ''"),
        ),
        // AO209
        (
            "kapp/unused-group",
            Severity::Hint,
            member("g"),
            &["g"],
            member("g") + &with_rule("upsert after upserting g"),
        ),
        // AO210
        (
            "kapp/default-dropped",
            Severity::Info,
            map("m", "kapp.k14s.io/change-rule: upsert after upserting g")
                + &object(
                    "apps/v1",
                    "Deployment",
                    "d",
                    "  annotations: {kapp.k14s.io/change-group: g}\n",
                ),
            &["g"],
            map("m", "kapp.k14s.io/change-group: g")
                + &object(
                    "apps/v1",
                    "Deployment",
                    "d",
                    "  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}\n",
                ),
        ),
        // AO211
        (
            "kapp/input-order-decides",
            Severity::Warning,
            config(&format!(
                "changeGroupBindings: [{{name: g, {EVERY}}}]\nchangeRuleBindings: [{{rules: [upsert after upserting g], ignoreIfCyclical: true, {EVERY}}}]\n"
            )) + &map("a", "")
                + &map("b", ""),
            &["upsert after upserting g"],
            config(&format!(
                "changeGroupBindings: [{{name: g, {EVERY}}}]\nchangeRuleBindings: [{{rules: [upsert after upserting g], ignoreIfCyclical: true, {EVERY}}}]\n"
            )) + &map("a", ""),
        ),
        // AO212
        (
            "redundant-dependency",
            Severity::Hint,
            map(
                "a",
                "kapp.k14s.io/change-rule: upsert after upserting g, kapp.k14s.io/change-rule.2: upsert after upserting g",
            ) + &member("g"),
            &["g"],
            map(
                "a",
                "kapp.k14s.io/change-rule: upsert after upserting g, kapp.k14s.io/change-rule.2: delete after deleting g",
            ) + &member("g"),
        ),
        // AO213
        (
            "kapp/no-delete-counterpart",
            Severity::Hint,
            with_rule("upsert after upserting g") + &member("g"),
            &["upsert after upserting g"],
            map(
                "a",
                "kapp.k14s.io/change-rule: upsert after upserting g, kapp.k14s.io/change-rule.2: delete before deleting g",
            ) + &member("g"),
        ),
        // AO214
        (
            "kapp/weak-wait",
            Severity::Info,
            with_rule("upsert after upserting g")
                + &map("m", "kapp.k14s.io/change-group: g, kapp.k14s.io/disable-wait: ''"),
            &["g"],
            with_rule("upsert after upserting g") + &member("g"),
        ),
        (
            "kapp/weak-wait",
            Severity::Info,
            with_rule("upsert after upserting g")
                + &object(
                    "batch/v1",
                    "CronJob",
                    "c",
                    "  annotations: {kapp.k14s.io/change-group: g}\n",
                ),
            &["g"],
            with_rule("upsert after upserting g")
                + &object(
                    "batch/v1",
                    "Job",
                    "c",
                    "  annotations: {kapp.k14s.io/change-group: g}\n",
                ),
        ),
        // AO215
        (
            "kapp/cross-namespace-target",
            Severity::Hint,
            with_rule("upsert after upserting g")
                + &object(
                    "v1",
                    "ConfigMap",
                    "m",
                    "  namespace: one\n  annotations: {kapp.k14s.io/change-group: g}\n",
                ),
            &["g"],
            with_rule("upsert after upserting g") + &member("g"),
        ),
        // AO216
        (
            "kapp/nondeterministic",
            Severity::Info,
            map(
                "a",
                "kapp.k14s.io/change-group: ga, kapp.k14s.io/change-rule: upsert after upserting gb, kapp.k14s.io/change-rule.2: upsert before upserting gb",
            ) + &map("b", "kapp.k14s.io/change-group: gb"),
            &["kapp.k14s.io/change-rule"],
            two("upsert after upserting gb", "upsert after upserting ga"),
        ),
    ]
}

fn resources() -> Vec<Row> {
    let plain = object("v1", "ConfigMap", "m", "");
    vec![
        // AO301
        (
            "missing-field",
            Severity::Error,
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n}\n".to_owned(),
            &["n"],
            plain.clone(),
        ),
        (
            "missing-field",
            Severity::Error,
            "apiVersion: v1\nmetadata: {name: x}\n".to_owned(),
            &["apiVersion"],
            plain.clone(),
        ),
        // AO302 to AO304
        (
            "duplicate-name",
            Severity::Error,
            plain.clone() + &object("v1", "ConfigMap", "m", "data: {a: b}\n"),
            &["m"],
            plain.clone() + &object("v1", "ConfigMap", "n", "data: {a: b}\n"),
        ),
        (
            "duplicate-name",
            Severity::Hint,
            plain.clone() + &plain,
            &["m"],
            plain.clone(),
        ),
        (
            "duplicate-name",
            Severity::Warning,
            plain.clone() + &object("v1", "ConfigMap", "m", "  namespace: default\n"),
            &["m"],
            plain.clone() + &object("v1", "ConfigMap", "m", "  namespace: other\n"),
        ),
        // AO305
        (
            "kapp/api-version-slashes",
            Severity::Error,
            object("a/b/c", "Foo", "m", ""),
            &["a/b/c"],
            object("a.com/b", "Foo", "m", ""),
        ),
        // AO306
        (
            "kapp/list-item",
            Severity::Error,
            "apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n".to_owned(),
            &["metadata"],
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
                .to_owned(),
        ),
        (
            "kapp/list-item",
            Severity::Error,
            "apiVersion: v1\nkind: List\nitems: [x]\n".to_owned(),
            &["x"],
            "apiVersion: v1\nkind: List\nitems: []\n".to_owned(),
        ),
        // AO307
        (
            "kapp/items-swallowed",
            Severity::Warning,
            "apiVersion: e.com/v1\nkind: Menu\nmetadata: {name: m}\nitems: []\n".to_owned(),
            &["items"],
            "apiVersion: e.com/v1\nkind: Menu\nmetadata: {name: m}\nitems: {}\n".to_owned(),
        ),
        // AO308
        (
            "kapp/ignored-tail",
            Severity::Warning,
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n...\na: b\n".to_owned(),
            &["a: b"],
            plain.clone(),
        ),
        // The first line is indented deeper than a later one: the document ends there.
        (
            "kapp/ignored-tail",
            Severity::Warning,
            "  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: m}\ndata: {}\n".to_owned(),
            &["d"],
            "  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: m}\n  data: {}\n".to_owned(),
        ),
        // AO309 to AO311
        (
            "syntax-error",
            Severity::Error,
            format!("{plain}--- x\n{plain}"),
            &["--- x"],
            format!("{plain}--- # x\n{plain}"),
        ),
        (
            "syntax-error",
            Severity::Error,
            "a: [\n".to_owned(),
            &[""],
            plain.clone(),
        ),
        (
            "syntax-error",
            Severity::Error,
            "- a\n- b\n".to_owned(),
            &["- a"],
            plain.clone(),
        ),
        // AO312
        (
            "unresolved",
            Severity::Info,
            object("e.com/v1", "Foo", "m", ""),
            &["Foo"],
            object("e.com/v1", "Foo", "m", "") + &crd(FOO),
        ),
        // AO313
        (
            "kapp/namespace-dropped",
            Severity::Hint,
            object("v1", "Namespace", "m", "  namespace: x\n"),
            &["x"],
            object("v1", "ConfigMap", "m", "  namespace: x\n"),
        ),
        // AO314
        (
            "kapp/empty-input",
            Severity::Error,
            "# nothing\n".to_owned(),
            &["# nothing"],
            plain.clone(),
        ),
        // AO315
        (
            "kapp/skipped-file",
            Severity::Hint,
            format!("//- d/a.yaml\n{plain}//- d/b.YAML\n{plain}"),
            &[""],
            format!("//- d/a.yaml\n{plain}//- d/b.txt\n{plain}"),
        ),
        // AO316
        (
            "kapp/cr-version",
            Severity::Warning,
            object("e.com/v2", "Foo", "m", "") + &crd(FOO),
            &["e.com/v2"],
            object("e.com/v1", "Foo", "m", "") + &crd(FOO),
        ),
        // AO317
        (
            "kapp/crd-incomplete",
            Severity::Error,
            crd("group: e.com, names: {}"),
            &["spec"],
            crd(FOO),
        ),
        // AO318
        (
            "kapp/stale-default-kind",
            Severity::Info,
            object("policy/v1", "PodDisruptionBudget", "m", ""),
            &["PodDisruptionBudget"],
            object("policy/v1beta1", "PodDisruptionBudget", "m", ""),
        ),
        // AO319
        (
            "kapp/labels-shape",
            Severity::Error,
            object("v1", "ConfigMap", "m", "  labels: [a]\n"),
            &["[a]"],
            object("v1", "ConfigMap", "m", "  labels: {a: b}\n"),
        ),
        // Sources, not resources
        (
            "unresolved",
            Severity::Info,
            "#@ x = 1\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: #@ x\n".to_owned(),
            &["#@ x = 1"],
            plain.clone(),
        ),
        (
            "missing-file",
            Severity::Error,
            "//- gone/\n".to_owned(),
            &[""],
            plain,
        ),
    ]
}

fn configs() -> Vec<Row> {
    let some = map("m", "");
    let with = |body: &str| config(body) + &map("m", "");
    let rule = |matchers: &str| {
        format!("changeRuleBindings:\n- rules: [upsert after upserting g]\n  resourceMatchers: {matchers}\n")
    };
    let fine = with(&rule("[{allMatcher: {}}]"));
    vec![
        // AO401
        (
            "kapp/config-kind",
            Severity::Error,
            "apiVersion: kapp.k14s.io/v1alpha1\nkind: Configs\n---\n".to_owned() + &some,
            &["Configs"],
            fine.clone(),
        ),
        // AO402
        (
            "unsupported-version",
            Severity::Warning,
            "apiVersion: kapp.k14s.io/v1\nkind: Config\nmetadata: {name: c}\n---\n".to_owned() + &some,
            &["kapp.k14s.io/v1"],
            fine.clone(),
        ),
        // AO403
        (
            "unsupported-version",
            Severity::Error,
            with("minimumRequiredVersion: v0.50.0\n"),
            &["v0.50.0"],
            with("minimumRequiredVersion: 0.50.0\n"),
        ),
        (
            "unsupported-version",
            Severity::Error,
            with("minimumRequiredVersion: 9.0.0\n"),
            &["9.0.0"],
            with("minimumRequiredVersion: 0.50\n"),
        ),
        (
            "unsupported-version",
            Severity::Error,
            with("minimumRequiredVersion: abc\n"),
            &["abc"],
            fine.clone(),
        ),
        // AO404
        (
            "wrong-type",
            Severity::Error,
            with("changeRuleBindings: x\n"),
            &["x"],
            fine.clone(),
        ),
        // AO405, AO406
        (
            "unknown-field",
            Severity::Warning,
            with("changeRuleBinding: []\n"),
            &["changeRuleBinding"],
            fine.clone(),
        ),
        (
            "field-case",
            Severity::Hint,
            with("ChangeRuleBindings: []\n"),
            &["ChangeRuleBindings"],
            fine.clone(),
        ),
        // AO407
        (
            "kapp/no-matchers",
            Severity::Warning,
            with("changeGroupBindings: [{name: g}]\n"),
            &["{name: g}"],
            fine.clone(),
        ),
        // AO408
        (
            "kapp/empty-matcher",
            Severity::Error,
            with(&rule("[{allMatcher: }]")),
            &["{allMatcher: }"],
            fine.clone(),
        ),
        // AO409
        (
            "kapp/several-matchers",
            Severity::Warning,
            with(&rule("[{allMatcher: {}, hasNamespaceMatcher: {}}]")),
            &["hasNamespaceMatcher"],
            fine.clone(),
        ),
        // AO410
        (
            "invalid-value",
            Severity::Error,
            with(&format!(
                "changeRuleBindings:\n- rules: [upsert afters upserting g]\n  {EVERY}\n"
            )),
            &["afters"],
            fine.clone(),
        ),
        (
            "invalid-value",
            Severity::Warning,
            with(
                "changeRuleBindings:\n- rules: [upsert afters upserting g]\n  resourceMatchers: [{apiVersionKindMatcher: {kind: X}}]\n",
            ),
            &["upsert afters upserting g"],
            fine.clone(),
        ),
        (
            "kapp/versioned-reference",
            Severity::Error,
            map("settings", "kapp.k14s.io/versioned: ''")
                + &object("v1", "Pod", "web", "spec: {volumes: {}}\n"),
            &["web"],
            object("v1", "Pod", "web", "spec: {volumes: {}}\n"),
        ),
        // AO411
        (
            "kapp/binding-unmatched",
            Severity::Hint,
            with(&rule("[{apiVersionKindMatcher: {apiVersion: v1, kind: Secret}}]")),
            &["rules: [upsert after upserting g]"],
            fine.clone(),
        ),
        // AO412
        (
            "kapp/configmap",
            Severity::Error,
            object(
                "v1",
                "ConfigMap",
                "c",
                "  labels: {kapp.k14s.io/config: ''}\ndata: {config.yaml: ''}\n",
            ),
            &["kapp.k14s.io/config"],
            object(
                "v1",
                "ConfigMap",
                "c",
                "  labels: {kapp.k14s.io/config: ''}\ndata:\n  config.yml: |\n    apiVersion: kapp.k14s.io/v1alpha1\n    kind: Config\n",
            ),
        ),
        (
            "kapp/configmap",
            Severity::Error,
            object(
                "v1",
                "ConfigMap",
                "c",
                "  labels: {kapp.k14s.io/config: ''}\ndata: {config.yml: ''}\n",
            ),
            &["kapp.k14s.io/config"],
            fine.clone(),
        ),
        // AO413
        (
            "kapp/not-used-by-delete",
            Severity::Info,
            with(&format!(
                "changeRuleBindings:\n- rules: [delete after deleting g]\n  {EVERY}\n"
            )) + &map("n", "kapp.k14s.io/change-group: g"),
            &["g"],
            fine,
        ),
    ]
}

#[test]
fn each_rule_speaks_where_it_should_and_only_there() {
    let mut wrong = Vec::new();
    let rows = [texts(), graph(), resources(), configs()].concat();
    for (rule, severity, bad, expected, good) in &rows {
        let analysis = app(bad, RunOptions::default());
        let found = of_rule(&analysis, rule);
        let texts: Vec<String> = found.iter().map(|d| under(&analysis, d)).collect();
        if texts != *expected || found.iter().any(|d| d.severity != *severity) {
            let severities: Vec<&str> = found.iter().map(|d| d.severity.as_str()).collect();
            wrong.push(format!(
                "{rule}: at {texts:?} {severities:?}, not {expected:?} in\n{bad}"
            ));
        }
        let analysis = app(good, RunOptions::default());
        let found = of_rule(&analysis, rule);
        if !found.is_empty() {
            let texts: Vec<String> = found.iter().map(|d| under(&analysis, d)).collect();
            wrong.push(format!("{rule} speaks at {texts:?} in\n{good}"));
        }
    }
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
    // Nothing here makes a limit be reached, or a file unreadable, in the memory.
    let elsewhere = ["limit-reached", "unreadable-file"];
    for rule in META.rules.iter().chain(META.shared_rules) {
        let tested = rows.iter().any(|(id, ..)| *id == rule.id);
        assert!(tested || elsewhere.contains(&rule.id), "{} has no row", rule.id);
    }
}
