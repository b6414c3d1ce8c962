//! How kapp's parsers read texts: line breaks, brackets, duplicate fields.

use super::verdicts::{of, told, verdicts};
use super::{config, map, of_rule};
use applyorder_analysis::workspace::Analysis;

#[test]
fn a_value_with_carriage_returns_of_its_own_is_unknown() {
    let rule = |value: &str| {
        let text = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    kapp.k14s.io/change-group: \
             x\n    kapp.k14s.io/change-rule: {value}\n"
        );
        of(&text.replace('\n', "\r\r\n"))
    };
    // kapp drops one of the carriage returns: the two lines are one sentence.
    let folded = rule("\"upsert after\n      upserting x\"");
    assert!(
        verdicts(&folded).iter().all(|v| v.ends_with("unknown")),
        "{:?}",
        verdicts(&folded)
    );
    assert_eq!(told(&folded, "limit-reached").len(), 1);
    assert!(told(&folded, "invalid-value").is_empty());
    // Between values they are empty lines.
    let plain = rule("upsert after upserting x");
    assert!(told(&plain, "limit-reached").is_empty());
    assert_eq!(told(&plain, "self-dependency").len(), 1);
}

/// The message of kapp 0.60 for a deploy, after a text that is always the same.
fn text_behind(analysis: &Analysis, start: &str) -> Option<String> {
    let (_, project) = analysis.projects().next().unwrap();
    let verdict = project.resolution.verdicts.first().unwrap();
    let text = &verdict.errors.first()?.message;
    let behind = text.split_once(start).map_or(text.as_str(), |(_, behind)| behind);
    Some(behind.to_owned())
}

#[test]
fn after_a_document_in_brackets_the_next_token_is_read() {
    let says = |behind: &str| {
        let object = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "api"}}"#;
        text_behind(
            &of(&format!("{object}{behind}")),
            "error converting YAML to JSON: yaml: ",
        )
    };
    let refused = [
        ("\n\t# d\n", "line 2: found character that cannot start any token"),
        (
            "\n# c\n\t# d\n",
            "line 3: found character that cannot start any token",
        ),
        ("\n@x\n", "line 2: found character that cannot start any token"),
        ("\n\"abc\n", "line 3: found unexpected end of stream"),
        ("\n\"a\\q\"\n", "line 2: found unknown escape character"),
        (
            "\n*\n",
            "line 2: did not find expected alphabetic or numeric character",
        ),
        ("\n!<\n", "line 2: did not find expected tag URI"),
        ("\n%x\n", "line 2: found unknown directive name"),
        ("\n>x\n", "line 2: did not find expected comment or line break"),
        ("\n\u{7}\n", "control characters are not allowed"),
        ("\n...\n\u{7}\n", "control characters are not allowed"),
    ];
    for (behind, text) in refused {
        assert_eq!(says(behind).as_deref(), Some(text), "{behind:?}");
    }
    let padding = "#".repeat(600);
    let far = [
        format!("\n...\n{padding}\n\u{7}"),
        format!("\nx: y\n{padding}\n\u{7}"),
    ];
    let near = ["\nx: y", "\n- x", "\n*a", "\n}", ",", " {}", "\n...\n\tx"];
    for behind in near.into_iter().chain(far.iter().map(String::as_str)) {
        assert_eq!(says(behind), None, "{behind:?}");
    }
}

#[test]
fn a_labeled_config_map_is_converted_as_a_whole() {
    const CONFIG: &str = "config.yml: \"{apiVersion: kapp.k14s.io/v1alpha1, kind: Config}\"";
    let good = format!("data: {{{CONFIG}}}");
    let says = |metadata: &str, body: &str| {
        let text = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  labels: {{kapp.k14s.io/config: ''}}\n{metadata}{body}\n"
        );
        let analysis = of(&text);
        let told = told(&analysis, "kapp/configmap");
        let text = text_behind(
            &analysis,
            "unable to convert unstructured object to /v1, Kind=ConfigMap: ",
        );
        assert_eq!(told.len(), usize::from(text.is_some()), "{told:?}");
        text
    };
    for (metadata, text) in [
        ("  annotations: {a: 5}\n", "unrecognized type: string"),
        ("  annotations: []\n", "cannot restore map from slice"),
        ("  namespace: []\n", "unrecognized type: string"),
        ("  generation: x\n", "unrecognized type: int64"),
        ("  generation: 1.5\n", "cannot convert float64 to int64"),
        ("  deletionGracePeriodSeconds: '5'\n", "unrecognized type: int64"),
        ("  ownerReferences: [5]\n", "cannot restore struct from: float64"),
        ("  ownerReferences: [{uid: 5}]\n", "unrecognized type: string"),
        (
            "  ownerReferences: [{controller: 5}]\n",
            "unrecognized type: bool",
        ),
        ("  finalizers: x\n", "cannot restore slice from string"),
        ("  managedFields: x\n", "cannot restore slice from string"),
        (
            "  managedFields: [{fieldsV1: [x], manager: {}}]\n",
            "unrecognized type: string",
        ),
        (
            "  creationTimestamp: x\n",
            "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"",
        ),
        (
            "  creationTimestamp: 5\n",
            "json: cannot unmarshal number into Go value of type string",
        ),
    ] {
        assert_eq!(says(metadata, &good).as_deref(), Some(text), "{metadata}");
    }
    let replicas = format!("data: {{{CONFIG}, replicas: 3}}");
    let base64 = |at: usize| format!("error decoding from json: illegal base64 data at input byte {at}");
    for (body, text) in [
        (replicas.as_str(), "unrecognized type: string".to_owned()),
        ("data: 5", "cannot restore map from float64".to_owned()),
        (
            &format!("{good}\nimmutable: 1"),
            "unrecognized type: bool".to_owned(),
        ),
        (&format!("{good}\nbinaryData: {{a: '%%'}}"), base64(0)),
        (&format!("{good}\nbinaryData: {{a: abcdefg}}"), base64(4)),
        (&format!("{good}\nbinaryData: {{a: abc d}}"), base64(3)),
        (&format!("{good}\nbinaryData: {{a: \"ab\\ncd\\ne\"}}"), base64(6)),
        (
            &format!("{good}\nbinaryData: {{a: 5}}"),
            "cannot restore slice from float64".to_owned(),
        ),
        (
            "data: {config.yml: ~}",
            "panic: runtime error: invalid memory address or nil pointer dereference".to_owned(),
        ),
    ] {
        assert_eq!(says("", body), Some(text), "{body}");
    }
    for metadata in [
        "  annotations: ~\n",
        "  generation: 2.0\n",
        "  creationTimestamp: null\n",
    ] {
        assert_eq!(
            says(
                metadata,
                &format!("{good}\nbinaryData: {{a: YWJj, b: ''}}\nspec: 5")
            ),
            None
        );
    }
}

#[test]
fn what_go_makes_of_a_field_that_is_there_twice_is_open() {
    let with = |body: &str| of(&(config(body) + &map("m", "")));
    let twice =
        with("changeRuleBindings: []\nCHANGERULEBINDINGS: [{resourceMatchers: [{allMatcher: {}}]}]\n");
    assert!(
        verdicts(&twice).iter().all(|v| v.ends_with("unknown")),
        "{:?}",
        verdicts(&twice)
    );
    assert_eq!(told(&twice, "limit-reached").len(), 1);
    // Of simple values the last one is used, in byte order.
    let version = |upper: &str, lower: &str| {
        let body = format!("minimumRequiredVersion: {lower}\nMinimumRequiredVersion: {upper}\n");
        let analysis = with(&body);
        for finding in of_rule(&analysis, "field-case") {
            assert!(finding.fixes.is_empty());
        }
        verdicts(&analysis)[0].clone()
    };
    assert_eq!(version("99.0.0", "0.9.0"), "deploy ok");
    assert_eq!(version("0.9.0", "99.0.0"), "deploy config");
}

#[test]
fn the_sources_of_a_rebase_rule_have_a_type_of_their_own() {
    let says = |sources: &str| {
        let rule = format!(
            "rebaseRules: [{{path: [spec], type: copy, sources: {sources}, resourceMatchers: []}}]\n"
        );
        text_behind(
            &of(&(config(&rule) + &map("m", ""))),
            "RebaseRule.RebaseRules.Sources of type ",
        )
    };
    assert_eq!(says("5").as_deref(), Some("[]resources.FieldCopyModSource"));
    assert_eq!(says("[{}]").as_deref(), Some("resources.FieldCopyModSource"));
    assert_eq!(says("[5, new]"), None);
}

#[test]
fn keys_that_are_not_scalars_are_shown_as_go_writes_them() {
    let says = |text: &str| text_behind(&of(text), "error converting YAML to JSON: ").unwrap();
    assert_eq!(
        says("x: {? [a, {b: 1, \"c\\\"d\": ~}] : y}\n"),
        r#"yaml: invalid map key: []interface {}{"a", map[interface {}]interface {}{"b":1, "c\"d":interface {}(nil)}}"#
    );
    let value = "{z: [1.5, yes, ~, -3, é], b: {10: x, 9: {}}, <<: {m: []}}";
    assert_eq!(
        says(&format!("a: {{~: {value}}}\n")),
        "Unsupported map key of type: %!s(<nil>), key: <nil>, value: map[interface {}]interface {}{\
         \"b\":map[interface {}]interface {}{9:map[interface {}]interface {}{}, 10:\"x\"}, \
         \"m\":[]interface {}{}, \"z\":[]interface {}{1.5, true, interface {}(nil), -3, \"é\"}}"
    );
    // Of equal keys the last one is there.
    assert_eq!(
        says("a: {~: 1, null: [2]}\n"),
        "Unsupported map key of type: %!s(<nil>), key: <nil>, value: []interface {}{2}"
    );
    let labeled = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, labels: {kapp.k14s.io/config: ''}}\ndata: {config.yml: '{[a]: b}'}\n";
    assert_eq!(says(labeled), r#"yaml: invalid map key: []interface {}{"a"}"#);
    // Anchors may make a value larger than any message.
    let mut text = "a: &a0 [x, x, x, x]\n".to_owned();
    for n in 1..9 {
        let last = n - 1;
        text.push_str(&format!("b{n}: &a{n} [*a{last}, *a{last}, *a{last}, *a{last}]\n"));
    }
    assert!(says(&format!("{text}~: *a8\n")).len() < 100_000);
}

#[test]
fn a_literal_merge_key_of_a_config_is_open() {
    let with = |body: &str| of(&(config(body) + &map("m", "")));
    for body in [
        "\"<<\": x\n",
        "'<<': {minimumRequiredVersion: 99.0.0}\n",
        "metadata: {labels: {\"<<\": x}}\n",
    ] {
        let analysis = with(body);
        assert!(
            verdicts(&analysis).iter().all(|v| v.ends_with("unknown")),
            "{body}"
        );
        assert_eq!(told(&analysis, "limit-reached").len(), 1, "{body}");
    }
    // A merge is one from the start, and no other resource is written again.
    assert_eq!(verdicts(&with("<<: {metadata: {name: x}}\n"))[0], "deploy ok");
    let other = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {\"<<\": x}\n";
    assert_eq!(verdicts(&of(other))[0], "deploy ok");
}
