//! Errors in the text and its values, before anything is looked up.

use super::super::{project, verdict};
use super::*;

#[test]
fn syntax() {
    finds(
        "spec:\n  a: &x {b: 1}\n  manifests: *y\n",
        &[
            "unknown-field tazuna.yaml «a» warning",
            "syntax-error tazuna.yaml «*y» error check:decode! apply:decode! destroy:decode!",
        ][1..],
    );
    finds(
        &format!("%YAML 1.2\n---\n{}", root("")),
        &["syntax-error tazuna.yaml «%YAML 1.2» error check:decode! apply:decode! destroy:decode!"],
    );
    finds(
        &format!("x-a: .nan\n{}", root("")),
        &["syntax-error tazuna.yaml «.nan» error check:decode! apply:decode! destroy:decode!"],
    );
    finds(
        &format!("~: 1\n{}", root("")),
        &["syntax-error tazuna.yaml «~» error check:decode! apply:decode! destroy:decode!"],
    );
}

#[test]
fn types() {
    let decode = "error check:decode! apply:decode! destroy:decode!";
    for (field, under) in [
        ("dependsOn: ok", "ok"),
        ("tags: {a: b}", "{a: b}"),
        ("name: [a]", "[a]"),
        ("helmfile: {wait: \"true\"}", "\"true\""),
        ("helmfile: {timeoutSeconds: 1.5}", "1.5"),
        ("helmfile: {vars: {a: {staticMap: {b: [1]}}}}", "[1]"),
        ("includes: [a.yaml]", "a.yaml"),
        ("genesisSecret: x", "x"),
        ("tests: x", "x"),
    ] {
        let text = root(&format!(
            "    - name: a\n      type: kustomize\n      path: .\n      {field}\n"
        ));
        let found = tree(&text).findings();
        assert!(
            found.contains(&format!("wrong-type tazuna.yaml «{under}» {decode}")),
            "{field}: {found:?}"
        );
    }
    for good in [
        "helmfile: {timeoutSeconds: 3.0e1, wait: yes}",
        "genesisSecret: {}",
        "tests: [~]",
        "oras: ~",
    ] {
        let text = root(&format!(
            "    - name: a\n      type: kustomize\n      path: .\n      {good}\n"
        ));
        let found = tree(&text).findings();
        assert!(
            !found.iter().any(|f| f.contains("wrong-type")),
            "{good}: {found:?}"
        );
    }
    // Of several, Tazuna reports the first in the order of sorted keys.
    entry(
        "    - name: a\n      type: kustomize\n      path: .\n      tags: x\n      dependsOn: y\n",
        &[
            "wrong-type tazuna.yaml «x» error check:decode apply:decode destroy:decode",
            "wrong-type tazuna.yaml «y» error check:decode! apply:decode! destroy:decode!",
        ],
    );
    finds(
        "- a\n",
        &["wrong-type tazuna.yaml «- a» error check:decode! apply:decode! destroy:decode!"],
    );
}

#[test]
fn type_fixes() {
    let list = "    - name: a\n      type: kustomize\n      path: .\n      dependsOn: ok\n";
    assert!(fixed(&root(list), "wrong-type", 0).contains("dependsOn: [ok]\n"));
    let include = "    - includes: [a.yaml]\n";
    assert!(fixed(&root(include), "wrong-type", 0).contains("includes: [{path: a.yaml}]\n"));
    let quoted = "    - {name: a, type: kustomize, path: ., helmfile: {wait: 'true'}}\n";
    assert!(fixed(&root(quoted), "wrong-type", 0).contains("{wait: true}"));
}

#[test]
fn keys() {
    entry(
        "    - {Name: a, type: kustomize, path: ., depends_on: [x], x-note: 1}\n",
        &[
            "field-case tazuna.yaml «Name» warning",
            "unknown-field tazuna.yaml «depends_on» warning",
        ],
    );
    entry(
        "    - name: a\n      type: kustomize\n      path: .\n      tags: [u]\n      tags: [v]\n",
        &["duplicate-key tazuna.yaml «tags» warning"],
    );
    entry(
        "    - name: a\n      type: kustomize\n      path: .\n      tags: [u]\n      Tags: [v]\n",
        &[
            "duplicate-key tazuna.yaml «Tags» warning",
            "field-case tazuna.yaml «Tags» warning",
        ],
    );
    let owner = of_rule(&tree("dependsOn: [a]\nspec: {}\n").analysis(), "unknown-field");
    assert_eq!(
        owner[0].label.as_deref(),
        Some("`dependsOn` is a field of a manifest")
    );
    let merged = "x-b: &b {name: b}\nspec:\n  manifests:\n    - name: a\n      type: kustomize\n      path: .\n      <<: *b\n";
    finds(merged, &["tazuna/merge-overrides tazuna.yaml «name» warning"]);
}

/// As `encoding/json` decodes a field again and again into the same memory.
#[test]
fn spellings_of_one_list() {
    let names = |lists: &str| {
        let entry = format!("    - {{name: a, type: kustomize, path: ., {lists}}}\n");
        let found = of_rule(&tree(&root(&entry)).analysis(), "unknown-dependency");
        let messages = found.iter().filter_map(|d| d.engine_message.clone());
        let named = |message: String| message.rsplit(' ').next().unwrap_or_default().to_owned();
        let mut names: Vec<_> = messages.map(named).collect();
        // They are found in the order of the text.
        names.sort();
        names
    };
    for (lists, left) in [
        ("DependsOn: [o, p], dependsOn: [q]", &["\"q\""][..]),
        ("DependsOn: [o, p], dependsOn: [~]", &["\"o\""]),
        // What a shorter list leaves past its end is there again in a longer one.
        (
            "DependsOn: [o, p], dependsOn: [q], dependson: [r, ~]",
            &["\"p\"", "\"r\""],
        ),
        ("DependsOn: [ok, ok], dependsOn: [ok], dependson: [ok, ~]", &[]),
        (
            "DependsOn: [o, p], dependsOn: [q], dependson: [~, ~, ~]",
            &["\"\"", "\"p\"", "\"q\""],
        ),
        // An empty list and null get new memory.
        (
            "DependsOn: [o, p], dependsOn: [], dependson: [r, ~]",
            &["\"\"", "\"r\""],
        ),
        (
            "DependsOn: [o, p], dependsOn: ~, dependson: [r, ~]",
            &["\"\"", "\"r\""],
        ),
    ] {
        assert_eq!(names(lists), left, "{lists}");
    }
    let paths = |lists: &str| {
        let files = "//- a.yaml\nspec: {}\n//- b.yaml\nspec: {}\n";
        let text = format!(
            "//- tazuna.yaml\n{}{files}",
            root(&format!("    - {{{lists}}}\n"))
        );
        of_rule(&tree(&text).analysis(), "tazuna/include-path-empty").len()
    };
    let two = "Includes: [{path: a.yaml}, {path: b.yaml}]";
    assert_eq!(paths(&format!("{two}, includeS: [{{}}], includes: [{{}}, ~]")), 0);
    assert_eq!(paths(&format!("{two}, includeS: [], includes: [{{}}, ~]")), 2);
}

/// What is decoded into a field of an object that is there already is not what it makes on its own.
#[test]
fn spellings_in_spellings() {
    let vars = |blocks: &str| {
        let entry = format!("    - {{name: a, type: helmfile, path: ., {blocks}}}\n");
        let analysis = tree(&root(&entry)).analysis();
        verdict(project(&analysis), "check").ok
    };
    let bad = "HELMFILE: {vars: {b: {static: x}}}";
    let good = "vars: {a: {from: env, env: x}}";
    assert_eq!(vars(&format!("{bad}, helmfile: {{{good}}}")), Some(false));
    assert_eq!(
        vars(&format!("{bad}, helmfile: {{VARS: {{}}, {good}}}")),
        Some(false)
    );
    assert_eq!(vars(&format!("{bad}, helmfile: {{VARS: ~, {good}}}")), Some(true));
}

#[test]
fn scalars() {
    entry(
        "    - {name: 0x1F, type: kustomize, path: ., tags: [1.0, 1, '1.0', on]}\n",
        &[
            "coerced-scalar tazuna.yaml «0x1F» warning",
            "coerced-scalar tazuna.yaml «1.0» warning",
            "coerced-scalar tazuna.yaml «on» warning",
        ],
    );
    entry(
        "    - {name: a, type: kustomize, path: ., tags: [x, ~, '']}\n",
        &[
            "tazuna/null-list-entry tazuna.yaml «~» warning",
            "tazuna/null-list-entry tazuna.yaml «''» warning",
        ],
    );
    let text = root("    - {name: 0x1f, type: kustomize, path: .}\n");
    assert!(fixed(&text, "coerced-scalar", 0).contains("name: \"31\""));
    assert!(fixed(&text, "coerced-scalar", 1).contains("name: \"0x1f\""));
}

#[test]
fn what_is_noticed_first_is_reported_first() {
    let told = |text: &str| {
        let analysis = tree(text).analysis();
        let errors = verdict(project(&analysis), "check").errors.clone();
        errors.into_iter().map(|e| e.message).collect::<Vec<_>>()
    };
    let unmarshal = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
    for (text, message) in [
        (
            "a: *x\nb: [\n",
            "error converting YAML to JSON: yaml: unknown anchor 'x' referenced".to_owned(),
        ),
        (
            "a: 1\n---\nb: \u{1}\n",
            "error converting YAML to JSON: yaml: control characters are not allowed".to_owned(),
        ),
        // It is decoded together with the directive, which stops go-yaml.
        (
            "%YAML 1.2\n---\nb: \u{1}\n",
            "error converting YAML to JSON: yaml: control characters are not allowed".to_owned(),
        ),
        (
            "%YAML 1.2\n---\n- [\n",
            "error converting YAML to JSON: yaml: found incompatible YAML document".to_owned(),
        ),
        (
            "~: 1\n",
            "error converting YAML to JSON: unsupported map key of type: %!s(<nil>)".to_owned(),
        ),
        (
            "spec: {manifests: [{}, 5]}\n",
            format!("{unmarshal} number into Go struct field TazunaSpec.spec.manifests of type v1.Manifest"),
        ),
        (
            "spec: {manifests: [{type: [x]}]}\n",
            format!(
                "{unmarshal} array into Go struct field Manifest.spec.manifests.type of type v1.ManifestType"
            ),
        ),
        (
            "spec: {tests: [{timeoutSeconds: 1.5e300}]}\n",
            format!(
                "{unmarshal} number 1.5e+300 into Go struct field TestPluginSpec.spec.tests.timeoutSeconds of type int"
            ),
        ),
        (
            "{{ .X }}\n",
            "failed to render tazuna.yaml as a Go template: can't evaluate field X in type tmpl.Data"
                .to_owned(),
        ),
        (
            "kind: tazuna\n",
            "kind must be \"Tazuna\", got \"tazuna\"".to_owned(),
        ),
        (
            "spec: {context_matches: ['[']}\n",
            "context_matches[0] is not a valid regex: error parsing regexp: missing closing ]: `[`"
                .to_owned(),
        ),
    ] {
        assert_eq!(told(text).first(), Some(&message), "{text}");
    }
}
