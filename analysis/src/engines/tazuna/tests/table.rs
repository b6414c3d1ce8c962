//! Every finding there is: where it stands, how bad it is, who rejects it at which stage.

use super::{fixed, of_rule, tree};

const OK: &str = "    - {name: ok, type: kustomize, path: .}\n";

/// A root file with these entries of `manifests`, and a sound one behind.
fn root(entries: &str) -> String {
    format!("spec:\n  manifests:\n{entries}{OK}")
}

/// The findings of a text are these.
#[track_caller]
fn finds(text: &str, expected: &[&str]) {
    assert_eq!(tree(text).findings(), expected, "{text}");
}

/// The findings of one entry of `manifests`.
#[track_caller]
fn entry(entry: &str, expected: &[&str]) {
    finds(&root(entry), expected);
}

#[test]
fn a_sound_file_has_none() {
    entry("", &[]);
    finds("", &["tazuna/no-manifests tazuna.yaml «» info"]);
    finds(
        "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec: {manifests: []}\n",
        &["tazuna/no-manifests tazuna.yaml «manifests» info"],
    );
}

#[test]
fn syntax() {
    finds(
        "spec:\n  a: &x {b: 1}\n  manifests: *y\n",
        &[
            "unknown-field tazuna.yaml «a» warning",
            "syntax-error tazuna.yaml «*y» error check:decode! apply:decode!",
        ][1..],
    );
    finds(
        &format!("%YAML 1.2\n---\n{}", root("")),
        &["syntax-error tazuna.yaml «%YAML 1.2» error check:decode! apply:decode!"],
    );
    finds(
        &format!("x-a: .nan\n{}", root("")),
        &["syntax-error tazuna.yaml «.nan» error check:decode! apply:decode!"],
    );
    finds(
        &format!("~: 1\n{}", root("")),
        &["syntax-error tazuna.yaml «~» error check:decode! apply:decode!"],
    );
}

#[test]
fn types() {
    let decode = "error check:decode! apply:decode!";
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
            "wrong-type tazuna.yaml «x» error check:decode apply:decode",
            "wrong-type tazuna.yaml «y» error check:decode! apply:decode!",
        ],
    );
    finds(
        "- a\n",
        &["wrong-type tazuna.yaml «- a» error check:decode! apply:decode!"],
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
fn header_and_version() {
    let both = |stage: &str| format!("error check:{stage}! apply:{stage}!");
    let text = |head: &str| format!("{head}{}", root(""));
    finds(
        &text("apiVersion: tazuna.pepabo.com/v2\nkind: tazuna\n"),
        &[
            &format!(
                "invalid-value tazuna.yaml «tazuna.pepabo.com/v2» {}",
                both("header")
            ),
            "invalid-value tazuna.yaml «tazuna» error check:header apply:header",
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
    older.config.version = Some("1.0.5".to_owned());
    assert_eq!(
        older.findings(),
        [
            "coerced-scalar tazuna.yaml «1.10» warning",
            "unsupported-version tazuna.yaml «1.10» warning check:version! apply:version!",
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
            "invalid-value tazuna.yaml «'['» error check:spec! apply:spec!",
            "invalid-value tazuna.yaml «OR» error check:spec apply:spec",
        ],
    );
    finds(
        &spec("  environments:\n    '': {}\n    prod: {context_match_mode: xor}\n"),
        &[
            "invalid-value tazuna.yaml «''» error check:spec! apply:spec!",
            "invalid-value tazuna.yaml «xor» error check:spec apply:spec",
        ],
    );
    let declared = spec("  environments: {prod: ~}\n");
    assert_eq!(
        tree(&declared).environment("stage").findings(),
        [
            "tazuna/undeclared-environment tazuna.yaml «environments» error check:environment! apply:environment!"
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
            "missing-field tazuna.yaml «name» error check:spec! apply:spec!",
            "missing-field tazuna.yaml «name» error check:spec apply:spec",
        ],
    );
    entry(
        "    - {name: a, type: Kustomize, path: .}\n",
        &["invalid-value tazuna.yaml «Kustomize» error check:spec! apply:spec!"],
    );
    entry(
        "    - {name: a, type: parallel, path: ., parallel: {children: []}}\n",
        &["tazuna/removed-parallel tazuna.yaml «parallel» error check:spec! apply:spec!"],
    );
    entry(
        "    - {name: a, type: oras, path: x}\n",
        &["missing-field tazuna.yaml «name» error check:spec! apply:spec!"],
    );
    entry(
        "    - {name: a, type: oras, path: x, oras: {reference: r, delegate: {type: helm}}}\n",
        &["invalid-value tazuna.yaml «helm» error check:spec! apply:spec!"],
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
        let expected =
            under.map(|u| format!("invalid-value tazuna.yaml «{u}» error check:spec! apply:spec!"));
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
                "{rule} tazuna.yaml «{under}» error check:spec! apply:spec!"
            )],
        );
    }
    let twice = "[{name: a, type: envfile, envfile: {path: x}}, {name: a}]";
    let text = format!("spec:\n  providers: {twice}\n  manifests:\n{OK}");
    let found = of_rule(&tree(&text).analysis(), "invalid-value");
    assert_eq!(found[0].related[0].message, "the first `a`");
}

#[test]
fn secrets() {
    let text = "//- tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: genesissecret, path: s.yaml}\n\
                //- s.yaml\nspec:\n  secrets:\n    - uri: op://vault/item\n";
    finds(
        text,
        &["invalid-value tazuna.yaml «s.yaml» error check:spec! apply:spec!"],
    );
    let found = of_rule(&tree(text).analysis(), "invalid-value");
    assert_eq!(found[0].related.len(), 1);
}

#[test]
fn includes() {
    entry(
        "    - includes: [{path: ''}]\n",
        &["tazuna/include-path-empty tazuna.yaml «''» error check:spec! apply:spec!"],
    );
    let near = format!(
        "//- tazuna.yaml\n{}//- infra.yaml\nspec: {{}}\n",
        root("    - includes: [{path: infra.yml}]\n")
    );
    finds(
        &near,
        &["missing-file tazuna.yaml «infra.yml» error check:spec! apply:spec!"],
    );
    assert!(fixed(&near, "missing-file", 0).contains("path: infra.yaml"));
    let dir = format!(
        "//- tazuna.yaml\n{}//- sub/x.yaml\n",
        root("    - includes: [{path: sub}]\n")
    );
    finds(
        &dir,
        &["unreadable-file tazuna.yaml «sub» error check:includes! apply:includes!"],
    );
    let broken = format!(
        "//- tazuna.yaml\n{}//- a.yaml\nspec: [x]\n",
        root("    - includes: [{path: a.yaml}]\n")
    );
    finds(
        &broken,
        &["wrong-type a.yaml «[x]» error check:includes! apply:includes!"],
    );
    let list = format!(
        "//- tazuna.yaml\n{}//- a.yaml\n- name: a\n",
        root("    - includes: [{path: a.yaml}]\n")
    );
    finds(
        &list,
        &["wrong-type a.yaml «- name: a» error check:includes! apply:includes!"],
    );
}

#[test]
fn nested_includes() {
    let nested = format!(
        "//- tazuna.yaml\n{}//- mid.yaml\nspec: {{manifests: [{{includes: [{{path: leaf.yaml}}]}}]}}\n//- leaf.yaml\n",
        root("    - includes: [{path: mid.yaml}]\n")
    );
    finds(
        &nested,
        &["tazuna/nested-include tazuna.yaml «mid.yaml» error check:includes! apply:includes!"],
    );
    let own = root("    - includes: [{path: ./tazuna.yaml}]\n");
    assert!(tree(&own).findings().contains(
        &"tazuna/include-cycle tazuna.yaml «./tazuna.yaml» error check:includes! apply:includes!".to_owned()
    ));
    let each_other = format!(
        "//- tazuna.yaml\n{}//- a.yaml\nspec: {{manifests: [{{includes: [{{path: b.yaml}}]}}]}}\n\
         //- b.yaml\nspec: {{manifests: [{{includes: [{{path: a.yaml}}]}}]}}\n",
        root("    - includes: [{path: a.yaml}]\n")
    );
    let analysis = tree(&each_other).analysis();
    let found = of_rule(&analysis, "tazuna/include-cycle");
    let hops: Vec<&str> = found[0].related.iter().map(|r| r.message.as_str()).collect();
    assert_eq!(
        hops,
        ["includes `a.yaml`", "includes `b.yaml`", "includes `a.yaml`"]
    );
}

#[test]
fn values_of_included_manifests_matter_to_apply_only() {
    let text = format!(
        "//- tazuna.yaml\n{}//- a.yaml\nspec: {{manifests: [{{name: a, type: helm, path: .}}]}}\n",
        root("    - includes: [{path: a.yaml}]\n")
    );
    finds(&text, &["invalid-value a.yaml «helm» error apply:expanded spec!"]);
}

#[test]
fn what_has_no_effect() {
    let text = "//- tazuna.yaml\nspec:\n  manifests:\n    - name: G\n      dependsOn: [x]\n      tags: [t]\n      includes: [{path: a.yaml}]\n\
                //- a.yaml\nspec:\n  context_matches: ['[']\n  manifests: [{name: a, type: kustomize, path: .}]\n";
    finds(
        text,
        &[
            "tazuna/included-header-ignored a.yaml «context_matches» warning",
            "tazuna/include-group-field-ignored tazuna.yaml «dependsOn» warning",
            "tazuna/include-group-field-ignored tazuna.yaml «tags» warning",
        ],
    );
    finds(
        &format!("{}---\nspec: {{}}\n", root("")),
        &["tazuna/extra-document tazuna.yaml «---» warning"],
    );
    finds(&format!("{}---\n# nothing\n", root("")), &[]);
}

#[test]
fn names() {
    let sequential = "error check:names!";
    entry(
        "    - {type: kustomize, path: ./apps/My_App}\n",
        &[
            &format!("missing-field tazuna.yaml «type» {sequential}"),
            "missing-file tazuna.yaml «./apps/My_App» warning",
        ],
    );
    for (name, rule) in [
        ("Up", "invalid-name"),
        ("_metadata", "invalid-name"),
        ("a_b", "invalid-name"),
    ] {
        entry(
            &format!("    - {{name: {name}, type: kustomize, path: .}}\n"),
            &[&format!("{rule} tazuna.yaml «{name}» {sequential}")],
        );
    }
    entry(
        "    - {name: Up, type: kustomize, path: ., dependsOn: [ok]}\n",
        &[
            "invalid-name tazuna.yaml «Up» error check:names! apply:names!",
            "tazuna/destroy-order tazuna.yaml «dependsOn» info",
            "tazuna/order-contradicts-declaration tazuna.yaml «ok» info",
        ],
    );
    entry(
        "    - {name: ok, type: kustomize, path: .}\n",
        &[&format!("duplicate-name tazuna.yaml «ok» {sequential}")],
    );
}

#[test]
fn name_fixes() {
    let missing = root("    - type: kustomize\n      path: ./apps/My_App\n");
    assert!(
        fixed(&missing, "missing-field", 0).contains("    - name: kustomize-my-app\n      type: kustomize\n")
    );
    let upper = root(
        "    - {name: Up, type: kustomize, path: .}\n    - {name: x, type: kustomize, path: ., dependsOn: [Up]}\n",
    );
    let renamed = fixed(&upper, "invalid-name", 0);
    assert!(
        renamed.contains("name: up,") && renamed.contains("dependsOn: [up]"),
        "{renamed}"
    );
    let twice = root(OK);
    assert!(fixed(&twice, "duplicate-name", 0).ends_with("{name: ok-2, type: kustomize, path: .}\n"));
    let included_twice = format!(
        "//- tazuna.yaml\n{}//- a.yaml\nspec: {{manifests: [{{name: a, type: kustomize, path: .}}]}}\n",
        root("    - includes:\n        - path: a.yaml\n        - path: ./a.yaml\n")
    );
    assert!(!fixed(&included_twice, "duplicate-name", 0).contains("./a.yaml"));
}

#[test]
fn references() {
    let refs = "error check:dependsOn! apply:dependsOn!";
    entry(
        "    - {name: a, type: kustomize, path: ., dependsOn: [a]}\n",
        &[
            "tazuna/destroy-order tazuna.yaml «dependsOn» info",
            &format!("self-dependency tazuna.yaml «a» {refs}"),
        ],
    );
    entry(
        "    - {name: a, type: kustomize, path: ., dependsOn: [OK, ~]}\n",
        &[
            "tazuna/destroy-order tazuna.yaml «dependsOn» info",
            &format!("unknown-dependency tazuna.yaml «OK» {refs}"),
            "unknown-dependency tazuna.yaml «~» error check:dependsOn! apply:dependsOn",
        ],
    );
    let text = root("    - {name: a, type: kustomize, path: ., dependsOn: [OK]}\n");
    assert!(fixed(&text, "unknown-dependency", 0).contains("dependsOn: [ok]"));
}

#[test]
fn a_group_is_no_manifest() {
    let text = "//- tazuna.yaml\nspec:\n  manifests:\n    - name: infra\n      includes: [{path: a.yaml}]\n    \
                - {name: x, type: kustomize, path: ., dependsOn: [infra]}\n\
                //- a.yaml\nspec: {manifests: [{name: a, type: kustomize, path: .}, {name: b, type: kustomize, path: .}]}\n";
    let analysis = tree(text).analysis();
    let found = of_rule(&analysis, "unknown-dependency");
    assert!(found[0].message.contains("group of includes"), "{found:?}");
    assert!(fixed(text, "unknown-dependency", 0).contains("dependsOn: [a, b]"));
}

#[test]
fn cycles() {
    let text = "//- tazuna.yaml\nspec:\n  manifests:\n    - includes: [{path: a.yaml}, {path: b.yaml}]\n    - {name: c, type: kustomize, path: ., dependsOn: [a]}\n\
                //- a.yaml\nspec: {manifests: [{name: a, type: kustomize, path: ., dependsOn: [b]}]}\n\
                //- b.yaml\nspec: {manifests: [{name: b, type: kustomize, path: ., dependsOn: [c]}]}\n";
    let analysis = tree(text).analysis();
    let found = of_rule(&analysis, "cycle");
    assert_eq!(found.len(), 1);
    let files: Vec<&str> = found[0]
        .related
        .iter()
        .map(|r| analysis.path(r.place.file).file_name().unwrap())
        .collect();
    assert_eq!(files, ["a.yaml", "b.yaml", "tazuna.yaml"]);
    assert!(found[0].enforced.iter().all(|e| e.first && e.stage == "cycle"));
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
    let text = root("    - {name: 0x1F, type: kustomize, path: .}\n");
    assert!(fixed(&text, "coerced-scalar", 0).contains("name: \"31\""));
    assert!(fixed(&text, "coerced-scalar", 1).contains("name: \"0x1F\""));
}

#[test]
fn paths() {
    entry(
        "    - {name: a, type: kustomize, path: ./gone}\n",
        &["missing-file tazuna.yaml «./gone» warning"],
    );
    let beside = format!(
        "//- tazuna.yaml\n{}//- apps/apps.yaml\nspec: {{manifests: [{{name: a, type: kustomize, path: ./web}}]}}\n//- apps/web/x\n",
        root("    - includes: [{path: apps/apps.yaml}]\n")
    );
    finds(
        &beside,
        &["tazuna/included-path-base apps/apps.yaml «./web» warning"],
    );
    assert!(fixed(&beside, "tazuna/included-path-base", 0).contains("path: ./apps/web"));
}

#[test]
fn order() {
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    - name: b\n      type: kustomize\n      path: .\n\
                \u{20}   - {name: c, type: kustomize, path: ., dependsOn: [a, a]}\n    - {name: d, type: kustomize, path: ., dependsOn: []}\n    \
                - {name: e, type: kustomize, path: ., tags: [t], dependsOn: [c, a, f]}\n    - {name: f, type: kustomize, path: ., dependsOn: []}\n";
    finds(
        text,
        &[
            "tazuna/implicit-order-lost tazuna.yaml «b» warning",
            "tazuna/destroy-order tazuna.yaml «dependsOn» info",
            "duplicate-dependency tazuna.yaml «a» warning",
            "tazuna/tag-splits-dependency tazuna.yaml «c» info",
            "tazuna/tag-splits-dependency tazuna.yaml «a» info",
            "redundant-dependency tazuna.yaml «a» hint",
            "tazuna/order-contradicts-declaration tazuna.yaml «f» info",
            "tazuna/tag-splits-dependency tazuna.yaml «f» info",
        ],
    );
    let waits = fixed(text, "tazuna/implicit-order-lost", 0);
    assert!(waits.contains("      path: .\n      dependsOn: [a]\n"), "{waits}");
    let nothing = fixed(text, "tazuna/implicit-order-lost", 1);
    assert!(
        nothing.contains("      path: .\n      dependsOn: []\n"),
        "{nothing}"
    );
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
