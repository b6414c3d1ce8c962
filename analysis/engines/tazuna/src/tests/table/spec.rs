//! What the validation of `spec` rejects, and what it overlooks.

use super::*;

#[test]
fn header_and_version() {
    let both = |stage: &str| format!("error check:{stage}! apply:{stage}! destroy:{stage}!");
    let text = |head: &str| format!("{head}{}", root(""));
    finds(
        &text("apiVersion: tazuna.pepabo.com/v2\nkind: tazuna\n"),
        &[
            &format!(
                "invalid-value tazuna.yaml «tazuna.pepabo.com/v2» {}",
                both("header")
            ),
            "invalid-value tazuna.yaml «tazuna» error check:header apply:header destroy:header",
        ],
    );
    finds(&text("apiVersion: ''\nkind: ~\n"), &[]);
    finds(
        &format!("spec:\n  minimumSupportedTazunaVersion: new\n  manifests:\n{OK}"),
        &[&format!("invalid-value tazuna.yaml «new» {}", both("version"))],
    );
    let mut older = tree(&format!(
        "spec:\n  minimumSupportedTazunaVersion: 1.10\n  manifests:\n{OK}"
    ));
    older.config.version = Some("1.0.5".to_owned().try_into().unwrap());
    assert_eq!(
        older.findings(),
        [
            "unsupported-version tazuna.yaml «1.10» error check:version! apply:version! destroy:version!",
            "coerced-scalar tazuna.yaml «1.10» warning",
        ]
    );
    assert!(fixed(&text("kind: tazuna\n"), "invalid-value", 0).starts_with("kind: Tazuna\n"));
}

#[test]
fn contexts_and_environments() {
    let spec = |lines: &str| format!("spec:\n{lines}  manifests:\n{OK}");
    finds(
        &spec("  context_matches: ['a', '[']\n  context_match_mode: OR\n"),
        &[
            "invalid-value tazuna.yaml «'['» error check:spec! apply:spec! destroy:spec!",
            "invalid-value tazuna.yaml «OR» error check:spec apply:spec destroy:spec",
        ],
    );
    finds(
        &spec("  environments:\n    '': {}\n    prod: {context_match_mode: xor}\n"),
        &[
            "invalid-value tazuna.yaml «''» error check:spec! apply:spec! destroy:spec!",
            "invalid-value tazuna.yaml «xor» error check:spec apply:spec destroy:spec",
        ],
    );
    let declared = spec("  environments: {prod: ~}\n");
    assert_eq!(
        tree(&declared).environment("stage").findings(),
        [
            "tazuna/undeclared-environment tazuna.yaml «environments» error check:environment! apply:environment! destroy:environment!"
        ]
    );
    assert_eq!(tree(&declared).environment("prod").findings(), [""; 0]);
    assert!(fixed(&spec("  context_match_mode: OR\n"), "invalid-value", 0).contains("mode: or\n"));
}

#[test]
fn manifests() {
    entry(
        "    - name: a\n",
        &[
            "missing-field tazuna.yaml «name» error check:spec! apply:spec! destroy:spec!",
            "missing-field tazuna.yaml «name» error check:spec apply:spec destroy:spec",
        ],
    );
    entry(
        "    - {name: a, type: Kustomize, path: .}\n",
        &["invalid-value tazuna.yaml «Kustomize» error check:spec! apply:spec! destroy:spec!"],
    );
    entry(
        "    - {name: a, type: parallel, path: ., parallel: {children: []}}\n",
        &["tazuna/removed-parallel tazuna.yaml «parallel» error check:spec! apply:spec! destroy:spec!"],
    );
    entry(
        "    - {name: a, type: oras, path: x}\n",
        &["missing-field tazuna.yaml «name» error check:spec! apply:spec! destroy:spec!"],
    );
    entry(
        "    - {name: a, type: oras, path: x, oras: {reference: r, delegate: {type: helm}}}\n",
        &["invalid-value tazuna.yaml «helm» error check:spec! apply:spec! destroy:spec!"],
    );
    // A block of another type is decoded and otherwise ignored.
    entry(
        "    - {name: a, type: kustomize, path: ., helmfile: {vars: {v: {}}}}\n",
        &[],
    );
    assert!(
        fixed(
            &root("    - {name: a, type: helmfil, path: .}\n"),
            "invalid-value",
            0
        )
        .contains("type: helmfile")
    );
}

#[test]
fn helmfile_vars() {
    for (var, under) in [
        ("{}", Some("v")),
        ("{from: envs}", Some("envs")),
        ("{from: env}", Some("env")),
        ("{from: env, env: ''}", None),
        ("{from: static}", Some("static")),
        ("{from: static, static: a, staticSlice: []}", Some("staticSlice")),
        ("{from: static, staticMap: {}}", None),
        ("{from: op}", Some("op")),
        ("{from: op, op: {key: id, vault: v, item: i}}", Some("key")),
        (
            "{from: op, op: {key: name, vault: v, item: i, field: f}}",
            Some("name"),
        ),
        ("{from: op, op: {key: label, vault: v, item: i, field: f}}", None),
    ] {
        let text = format!("    - {{name: a, type: helmfile, path: ., helmfile: {{vars: {{v: {var}}}}}}}\n");
        let expected = under
            .map(|u| format!("invalid-value tazuna.yaml «{u}» error check:spec! apply:spec! destroy:spec!"));
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        entry(&text, &expected);
    }
}

#[test]
fn providers() {
    for (providers, under, rule) in [
        ("[{}]", "{}", "missing-field"),
        ("[{name: default-op}]", "default-op", "invalid-value"),
        ("[{name: a}]", "name", "missing-field"),
        ("[{name: a, type: onepassword}]", "onepassword", "invalid-value"),
        ("[{name: a, type: envfile}]", "envfile", "missing-field"),
        (
            "[{name: a, type: envfile, envfile: {}}]",
            "envfile",
            "missing-field",
        ),
    ] {
        finds(
            &format!("spec:\n  providers: {providers}\n  manifests:\n{OK}"),
            &[&format!(
                "{rule} tazuna.yaml «{under}» error check:spec! apply:spec! destroy:spec!"
            )],
        );
    }
    let twice = "[{name: a, type: envfile, envfile: {path: x}}, {name: a}]";
    let text = format!("spec:\n  providers: {twice}\n  manifests:\n{OK}");
    let found = of_rule(&tree(&text).analysis(), "invalid-value");
    assert_eq!(found[0].related[0].message, "first defined here");
}

#[test]
fn secrets() {
    let text = "//- tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: genesissecret, path: s.yaml}\n\
                //- s.yaml\nspec:\n  secrets:\n    - uri: op://vault/item\n";
    finds(
        text,
        &["invalid-value tazuna.yaml «s.yaml» error check:spec! apply:spec! destroy:spec!"],
    );
    let found = of_rule(&tree(text).analysis(), "invalid-value");
    assert_eq!(found[0].related.len(), 1);
}

#[test]
fn tests_of_a_type_there_is_not() {
    entry(
        "    - {name: a, type: kustomize, path: ., tests: [{type: waitUntil}, {type: WaitUntil}, {}]}\n",
        &[
            "tazuna/unknown-test-type tazuna.yaml «waitUntil» warning",
            "tazuna/unknown-test-type tazuna.yaml «{}» warning",
        ],
    );
}

#[test]
fn a_removed_box_can_be_unfolded() {
    let text = root(
        "    - type: parallel\n      path: .\n      parallel:\n        children:\n          - name: a\n            type: kustomize\n            path: .\n          - name: b\n            type: kustomize\n            path: .\n",
    );
    let unfolded = fixed(&text, "tazuna/removed-parallel", 0);
    assert_eq!(
        unfolded,
        root(
            "    - name: a\n      type: kustomize\n      path: .\n    - name: b\n      type: kustomize\n      path: .\n"
        )
    );
}
