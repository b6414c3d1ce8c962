//! Verdicts that once differed from kapp's, each with its finding.

use super::{app, config, map, object, of_rule, under};
use applyorder_analysis::workspace::Analysis;
use applyorder_core::engine::RunOptions;

/// Each command with its result: `deploy ok`, `delete graph`.
pub(super) fn verdicts(analysis: &Analysis) -> Vec<String> {
    let (_, project) = analysis.projects().next().unwrap();
    let verdicts = project.resolution.verdicts.iter();
    verdicts
        .map(|v| match v.ok {
            Some(true) => format!("{} ok", v.command),
            Some(false) => format!("{} {}", v.command, v.stage.unwrap()),
            None => format!("{} unknown", v.command),
        })
        .collect()
}

/// The findings of a rule: severity, the text that they are at, and the commands that reject it.
pub(super) fn told(analysis: &Analysis, rule: &str) -> Vec<String> {
    let found = of_rule(analysis, rule);
    let one = |d: &applyorder_core::diagnostic::Diagnostic| {
        let enforced = d.enforced.iter();
        let by: Vec<String> = enforced
            .map(|e| format!("{}{}", e.command, if e.first { "!" } else { "" }))
            .collect();
        format!(
            "{} {} [{}]",
            d.severity.as_str(),
            under(analysis, d),
            by.join(" ")
        )
    };
    found.iter().map(one).collect()
}

pub(super) fn of(text: &str) -> std::sync::Arc<Analysis> {
    app(text, RunOptions::default())
}

fn bound(path: &str) -> String {
    let matchers = format!("[{{emptyFieldMatcher: {{path: {path}}}}}]");
    config(&format!(
        "changeGroupBindings:\n- {{name: g, resourceMatchers: {matchers}}}\nchangeRuleBindings:\n- {{rules: [upsert after upserting g], resourceMatchers: {matchers}}}\n"
    ))
}

#[test]
fn a_matcher_of_fields_sees_what_kapp_wrote_before() {
    let plain = object("v1", "ConfigMap", "m", "");
    for path in ["[metadata, namespace]", "[metadata, labels]", "[metadata]"] {
        let analysis = of(&(bound(path) + &plain));
        assert_eq!(
            verdicts(&analysis),
            ["deploy ok", "delete ok", "deploy-removal ok"],
            "{path}"
        );
    }
    for path in [
        "[spec, selector]",
        "[metadata, labels, own]",
        "[metadata, annotations]",
    ] {
        let analysis = of(&(bound(path) + &plain));
        assert_eq!(verdicts(&analysis)[0], "deploy graph", "{path}");
    }
    // kapp removes the namespace of a cluster-scoped resource.
    let cluster = object("v1", "Namespace", "ns", "  namespace: x\n");
    assert_eq!(
        verdicts(&of(&(bound("[metadata, namespace]") + &cluster)))[0],
        "deploy graph"
    );
}

#[test]
fn a_matcher_of_fields_sees_what_kapp_wrote_into_what_is_applied() {
    let app_text = bound("[metadata, labels]") + &object("v1", "Service", "m", "");
    let gone = object("v1", "ConfigMap", "gone", "");
    let options = RunOptions {
        state: Some("/w/state.yaml".into()),
        ..RunOptions::default()
    };
    let analysis = app(&format!("//- a.yaml\n{app_text}//- state.yaml\n{gone}"), options);
    let (_, project) = analysis.projects().next().unwrap();
    let symbols = project.resolution.symbols.iter();
    let members: Vec<usize> = symbols
        .filter(|s| &*s.name == "g")
        .map(|s| s.units.len())
        .collect();
    assert_eq!(members, [0]);
}

#[test]
fn a_member_of_a_group_of_kapps_own_waits_for_itself() {
    let service = |name: &str| {
        let rest = "  namespace: one\n  annotations: {kapp.k14s.io/change-group: change-groups.kapp.k14s.io/namespaces-one}\n";
        object("v1", "Service", name, rest)
    };
    let analysis = of(&service("s"));
    assert_eq!(verdicts(&analysis), ["deploy graph", "delete ok"]);
    let at = "error change-groups.kapp.k14s.io/namespaces-one";
    assert_eq!(told(&analysis, "self-dependency"), [format!("{at} [deploy!]")]);
    // With two of them kapp reaches the first one first.
    let analysis = of(&(service("s") + &service("t")));
    let both = [format!("{at} [deploy!]"), format!("{at} [deploy]")];
    assert_eq!(told(&analysis, "self-dependency"), both);
    assert!(of_rule(&analysis, "cycle").is_empty());
    let custom = "  namespace: one\n  annotations: {kapp.k14s.io/change-group: change-groups.kapp.k14s.io/crds-e.com-Foo}\n";
    let analysis = of(&object("e.com/v1", "Foo", "s", custom));
    assert_eq!(verdicts(&analysis), ["deploy graph", "delete ok"]);
    assert_eq!(
        told(&analysis, "self-dependency"),
        ["error change-groups.kapp.k14s.io/crds-e.com-Foo [deploy!]"]
    );
}

#[test]
fn names_that_kapps_own_bindings_make_are_looked_at() {
    let analysis = of(&object("v1", "ConfigMap", "s", "  namespace: x-\n"));
    assert_eq!(verdicts(&analysis), ["deploy graph", "delete graph"]);
    assert_eq!(told(&analysis, "invalid-name"), ["error x- [deploy! delete!]"]);
    let analysis = of(&(object("v1", "Namespace", "x-", "") + &object("v1", "ConfigMap", "s", "")));
    assert_eq!(told(&analysis, "invalid-name"), ["error x- [deploy! delete!]"]);
    let analysis = of(&object("e.com/v1", "a b", "s", "  namespace: x\n"));
    assert_eq!(verdicts(&analysis)[0], "deploy graph");
    assert_eq!(told(&analysis, "invalid-name"), ["error a b [deploy! delete!]"]);
}

#[test]
fn a_time_after_which_to_renew_is_a_duration_of_gos() {
    let renewed = |after: &str| map("m", &format!("kapp.k14s.io/renew-duration: \"{after}\""));
    for good in ["1h30m", "-1.5s", "0"] {
        assert_eq!(verdicts(&of(&renewed(good)))[0], "deploy ok", "{good}");
    }
    for bad in ["1d", "", "5", "1h "] {
        assert_eq!(verdicts(&of(&renewed(bad)))[0], "deploy diff", "{bad}");
    }
    let analysis = of(&renewed("1d"));
    assert_eq!(told(&analysis, "invalid-value"), ["error \"1d\" [deploy!]"]);
    let (_, project) = analysis.projects().next().unwrap();
    assert_eq!(
        project.resolution.verdicts[0].errors[0].message,
        "Unable to parse renew-duration for resource configmap/m (v1) namespace: default: time: unknown unit \"d\" in duration \"1d\""
    );
}

#[test]
fn findings_name_the_commands_that_come_to_them() {
    let annotated = |annotation: &str| {
        let rest = format!("  annotations: {{{annotation}}}\n");
        object(
            "admissionregistration.k8s.io/v1",
            "ValidatingWebhookConfiguration",
            "s",
            &rest,
        )
    };
    // Only a rule for deletion queries members of groups.
    let analysis = of(&annotated("kapp.k14s.io/change-group: \"g/{namespace}\""));
    assert_eq!(verdicts(&analysis), ["deploy ok", "delete graph"]);
    assert_eq!(told(&analysis, "invalid-value"), ["error {namespace} [delete!]"]);
    let analysis = of(&annotated("kapp.k14s.io/change-rule: upsert then upserting g"));
    assert_eq!(verdicts(&analysis), ["deploy graph", "delete graph"]);
    assert_eq!(told(&analysis, "invalid-value"), ["error then [deploy! delete!]"]);

    let definition = super::crd("scope: Namespaced, names: {kind: Foo}, versions: [{name: v1}]");
    let analysis = of(&definition);
    assert_eq!(verdicts(&analysis), ["deploy ok", "delete ok"]);
    assert_eq!(told(&analysis, "kapp/crd-incomplete"), ["warning spec []"]);
    let analysis = of(&(definition + &object("v1", "ConfigMap", "m", "")));
    assert_eq!(
        told(&analysis, "kapp/crd-incomplete"),
        ["error spec [deploy! delete!]"]
    );

    let every = "resourceMatchers: [{allMatcher: {}}]";
    let left_alone = map("m", "kapp.k14s.io/noop: \"\"");
    let name = config(&format!("changeGroupBindings:\n- name: -bad-\n  {every}\n"));
    let analysis = of(&(name.clone() + &left_alone));
    assert_eq!(
        verdicts(&analysis),
        ["deploy ok", "delete ok", "deploy-removal ok"]
    );
    assert_eq!(told(&analysis, "invalid-name"), ["warning -bad- []"]);
    let analysis = of(&(name + &object("v1", "ConfigMap", "m", "")));
    assert_eq!(
        told(&analysis, "invalid-name"),
        ["error -bad- [deploy! deploy-removal!]"]
    );

    let groups = config("changeGroupBindings:\n- name: g\n  resourceMatchers: [{allMatcher: }]\n");
    let analysis = of(&(groups.clone() + &left_alone));
    assert_eq!(verdicts(&analysis)[0], "deploy ok");
    assert_eq!(
        told(&analysis, "kapp/empty-matcher"),
        ["warning {allMatcher: } []"]
    );
    let analysis = of(&(groups + &object("v1", "ConfigMap", "m", "")));
    assert_eq!(
        told(&analysis, "kapp/empty-matcher"),
        ["error {allMatcher: } [deploy! deploy-removal!]"]
    );
    // What is known of a kind alone hides no panic at a path.
    for (part, words) in [
        (
            "~",
            "runtime error: invalid memory address or nil pointer dereference",
        ),
        ("{}", "Unknown array index: &resources.PathPartArrayIndex"),
        ("{index: -1}", "runtime error: index out of range [-1]"),
    ] {
        let matchers = format!(
            "[{{anyMatcher: {{matchers: [{{emptyFieldMatcher: {{path: [l, {part}]}}}}, {{allMatcher: {{}}}}]}}}}]"
        );
        let groups = config(&format!(
            "changeGroupBindings:\n- name: g\n  resourceMatchers: {matchers}\n"
        ));
        let analysis = of(&(groups + &object("v1", "ConfigMap", "m", "l: [1]\n")));
        assert_eq!(verdicts(&analysis)[0], "deploy crash");
        let (_, project) = analysis.projects().next().unwrap();
        assert_eq!(
            project.resolution.verdicts[0].errors[0].message,
            format!("panic: {words}")
        );
        assert_eq!(
            told(&analysis, "kapp/empty-matcher"),
            [format!("error {part} [deploy! deploy-removal!]")]
        );
    }
    // kapp checks its comparison rules in every deploy, and at no other time.
    let compared = config("rebaseRules:\n- {path: [a], type: remove, resourceMatchers: [{allMatcher: }]}\n");
    let analysis = of(&(compared + &left_alone));
    assert_eq!(verdicts(&analysis), ["deploy crash", "delete unknown"]);
    assert_eq!(
        told(&analysis, "kapp/empty-matcher"),
        ["error {allMatcher: } [deploy!]"]
    );
}

#[test]
fn what_is_refused_is_in_no_order_that_is_kept_to() {
    let analysis = of(&map("m", "kapp.k14s.io/change-rule: upsert then upserting g"));
    let (_, project) = analysis.projects().next().unwrap();
    let variant = &project.resolution.variants[0];
    for order in [&variant.apply, &variant.delete] {
        assert!(!order.guaranteed && order.because.is_some() && order.layers.is_none());
    }
}

#[test]
fn a_version_of_its_own_makes_another_object() {
    let first = map("z", "kapp.k14s.io/versioned: \"\"");
    let second = object("v1", "ConfigMap", "z", "  namespace: default\ndata: {a: b}\n");
    assert!(told(&of(&(first + &second)), "duplicate-name").is_empty());
    let first = map(
        "z",
        "kapp.k14s.io/versioned: \"\", kapp.k14s.io/versioned-keep-original: \"\"",
    );
    assert_eq!(told(&of(&(first + &second)), "duplicate-name"), ["warning z []"]);
}

#[test]
fn of_several_errors_of_a_kind_the_first_one_is_reported() {
    let files = "//- a.yaml\na: [\n//- b.yaml\n--- x\n//- gone/\n";
    let analysis = of(files);
    let all: Vec<String> = ["syntax-error", "missing-file"]
        .iter()
        .flat_map(|rule| told(&analysis, rule))
        .collect();
    assert_eq!(
        all,
        ["error  [deploy!]", "error --- x [deploy]", "error  [deploy]"]
    );
    // Everything that one report lists is reported.
    let nameless = "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n---\n";
    let analysis = of(&format!("{nameless}{nameless}"));
    let both = ["error metadata [deploy!]", "error metadata [deploy!]"];
    assert_eq!(told(&analysis, "missing-field"), both);
    let wrong = "//- a.yaml\napiVersion: kapp.k14s.io/v1alpha1\nkind: Other\nchangeGroupBindings: 5\n";
    let analysis = of(wrong);
    assert_eq!(told(&analysis, "kapp/config-kind"), ["error Other [deploy!]"]);
    assert_eq!(told(&analysis, "wrong-type"), ["error 5 [deploy]"]);
}

#[test]
fn of_two_cycles_kapp_reports_one() {
    let rule = |group: &str, other: &str| {
        format!(
            "kapp.k14s.io/change-group: {group}, kapp.k14s.io/change-rule: upsert after upserting {other}"
        )
    };
    let pair = |a: &str, b: &str| map(a, &rule(a, b)) + &map(b, &rule(b, a));
    let analysis = of(&(pair("a", "b") + &pair("c", "d")));
    assert_eq!(
        told(&analysis, "cycle"),
        ["error b [deploy!]", "error d [deploy]"]
    );
}

#[test]
fn a_version_that_a_config_asks_for_is_one_of_the_librarys() {
    let asks = |version: &str| {
        let text = format!("minimumRequiredVersion: \"{version}\"\n");
        config(&text) + &object("v1", "ConfigMap", "m", "")
    };
    for met in ["0.60.0", "0.1,", "0.60.0-rc.1", ">0.1"] {
        let found = verdicts(&of(&asks(met)))[0].clone();
        let expected = if matches!(met, "0.1," | ">0.1") {
            "deploy config"
        } else {
            "deploy ok"
        };
        assert_eq!(found, expected, "{met}");
    }
}

#[test]
fn whether_something_is_renewed_depends_on_the_time() {
    let text = |after: &str| {
        let m = map("m", &format!("kapp.k14s.io/renew-duration: {after}"));
        format!("//- a.yaml\n{m}//- state.yaml\n{m}")
    };
    let options = RunOptions {
        state: Some("/w/state.yaml".into()),
        ..RunOptions::default()
    };
    assert_eq!(verdicts(&app(&text("24h"), options.clone()))[0], "deploy unknown");
    assert_eq!(verdicts(&app(&text("0s"), options))[0], "deploy ok");
}

#[test]
fn a_misspelt_group_is_one_mistake() {
    let member = map("m", "kapp.k14s.io/change-group: database");
    let owner = |group: &str| {
        map(
            "o",
            &format!("kapp.k14s.io/change-rule: upsert after upserting {group}"),
        )
    };
    let analysis = of(&(member.clone() + &owner("databse")));
    assert_eq!(told(&analysis, "unknown-dependency"), ["warning databse []"]);
    assert!(told(&analysis, "kapp/unused-group").is_empty());
    let analysis = of(&(member + &owner("other")));
    assert_eq!(told(&analysis, "kapp/unused-group"), ["hint database []"]);
}

#[test]
fn a_value_that_is_not_a_string_hides_no_other_mistake() {
    let text = "kapp.k14s.io/change-group: \"a b\", kapp.k14s.io/change-rule: \"upsert afer upserting {kind}-{nme}\", kapp.k14s.io/change-rule.2: upsert afer upserting a, x: 3";
    let analysis = of(&map("m", text));
    assert_eq!(told(&analysis, "wrong-type"), ["error 3 []"]);
    assert_eq!(told(&analysis, "invalid-name"), ["warning a b []"]);
    let values = ["warning {nme} []", "warning afer []"];
    assert_eq!(told(&analysis, "invalid-value"), values);
    assert_eq!(verdicts(&analysis)[0], "deploy ok");
}

/// kapp reads lines, and ends the last one with a line break that the file may lack.
#[test]
fn a_file_that_ends_in_a_block_text_ends_in_a_line_break() {
    let with = |rule: &str| {
        let head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
        of(&format!(
            "{head}  annotations:\n    kapp.k14s.io/change-rule: {rule}\n      upsert after upserting g"
        ))
    };
    for (header, wanted) in [
        ("|", "deploy graph"),
        (">", "deploy graph"),
        ("|-", "deploy ok"),
        (">-", "deploy ok"),
    ] {
        assert_eq!(verdicts(&with(header))[0], wanted, "{header}");
    }
}

/// kapp reaches the longer cycle before the resource that waits for itself.
#[test]
fn a_cycle_with_a_resource_that_waits_for_itself_is_first_in_each_operation() {
    let object = |kind: &str, name: &str, annotations: &[&str]| {
        let head = format!("apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n  annotations:\n");
        let all = annotations
            .iter()
            .map(|a| format!("    kapp.k14s.io/change-{a}\n"));
        head + &all.collect::<String>() + "---\n"
    };
    let text = object("Secret", "a", &["group: g2", "rule: delete after deleting g3"])
        + &object(
            "ConfigMap",
            "b",
            &[
                "group.b: g4",
                "group.a: g3",
                "rule.1: delete after deleting g4",
                "rule.2: delete after deleting g2",
            ],
        );
    for config in [
        "",
        "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeRuleBindings:\n- {}\n",
    ] {
        let analysis = of(&(text.clone() + config));
        let refused = verdicts(&analysis).into_iter().filter(|v| v.ends_with(" graph"));
        let refused: Vec<String> = refused.collect();
        assert!(!refused.is_empty());
        let mut first: Vec<String> = Vec::new();
        for finding in analysis.findings() {
            let enforced = analysis.enforced(&finding);
            let marked = enforced.iter().filter(|e| e.first);
            first.extend(marked.map(|e| format!("{} graph", e.command)));
        }
        first.sort();
        assert_eq!(first, refused);
    }
}

#[test]
fn an_identity_is_what_kapp_joins_with_slashes() {
    let ok = ["deploy ok", "delete ok"];
    for (kind, name, other) in [("Foo Bar", "x", "Bar x"), ("Foo", "a", "b")] {
        let text = object("apps/v1", kind, name, "") + &object("apps/v1", "Foo", other, "");
        assert_eq!(verdicts(&of(&text)), ok, "{kind} {name}");
    }
    let text = object("apps/v1", "Foo/Bar", "x", "") + &object("apps/v1", "Foo", "Bar/x", "");
    assert_eq!(verdicts(&of(&text))[0], "deploy prepare");
}

/// Observed with kapp 0.60.1: Go decodes keys of every case, the last one in byte order.
#[test]
fn another_spelling_of_the_version_of_a_config_replaces_it() {
    let message = |body: &str| {
        let analysis = app(&(config(body) + &map("a", "")), RunOptions::default());
        let (_, project) = analysis.projects().next().unwrap();
        let errors = &project.resolution.verdicts.first().unwrap().errors;
        errors.first().map(|error| error.message.clone())
    };
    assert_eq!(
        message("apiversion: X\n").as_deref(),
        Some(
            "Parsing resource 'config/ (kapp.k14s.io/v1alpha1) cluster' as kapp config: Validating config: \
             Validating apiVersion: Unknown version (known: kapp.k14s.io/v1alpha1)"
        )
    );
    assert_eq!(message("ApiVersion: X\nKind: X\napiversion: null\n"), None);
}
