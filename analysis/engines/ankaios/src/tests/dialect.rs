//! How the two readers of Ankaios read rare YAML: tags, keys that are not strings, lists for mappings.

use applyorder_analysis::fixture::Fixture;

use crate::ALONE;

/// The messages of the server and `ank apply` about a manifest; empty if they accept it.
fn said(text: &str) -> [String; 2] {
    let fixture = Fixture::new(ALONE, &format!("//- /m.ank.yaml\n{text}"));
    let (_, project) = fixture.analysis.projects().next().unwrap();
    ["startup", "apply"].map(|command| {
        let mut verdicts = project.resolution.verdicts.iter();
        let verdict = verdicts.find(|v| v.command == command).unwrap();
        assert!(verdict.ok.is_some(), "{text}");
        let first = verdict.errors.first();
        first.map_or_else(String::new, |error| error.message.clone())
    })
}

/// A workload with one more line.
fn with(version: &str, line: &str) -> String {
    format!(
        "apiVersion: {version}\nworkloads:\n  a:\n    runtime: podman\n    agent: g\n    \
         runtimeConfig: 'image: x'\n    {line}\n"
    )
}

fn check(text: &str, startup: &str, apply: &str) {
    let [server, client] = said(text);
    for (own, expected) in [(server, startup), (client, apply)] {
        let fits = if expected.is_empty() {
            own.is_empty()
        } else {
            own.contains(expected)
        };
        assert!(fits, "{text}\n  {own}\n  {expected}");
    }
}

const TAGGED: &str = "untagged and internally tagged enums do not support enum input";
const NO_TEXT: &str = "Failed to convert manifest for schema validation: key must be a string";

#[test]
fn a_tag_is_met_where_each_reader_comes_to_it() {
    check(
        &with("v0.1", "restartPolicy: !t z"),
        "'workloads.a: unknown variant `t`, expected one of `NEVER`, `ON_FAILURE`, `ALWAYS` at line 4 column 5'",
        TAGGED,
    );
    check(&with("v0.1", "restartPolicy: !ALWAYS ~"), "", TAGGED);
    check(
        &with("v0.1", "restartPolicy: !ALWAYS x"),
        "'workloads.a.restartPolicy: invalid value: string \"x\", expected null at line 7 column 20'",
        TAGGED,
    );
    check(
        &with("v0.1", "tags: !t z"),
        "Found tags as mapping for workload 'a'",
        "Found tags as mapping for workload 'a'",
    );
    check(
        &with("v1", "tags: !t z"),
        "Found tags as sequence for workload 'a'",
        "Found tags as sequence for workload 'a'",
    );
    let rules = "controlInterfaceAccess: {allowRules: [{type: LogRule, workloadNames: !t [a]}]}";
    check(
        &with("v1", rules),
        "controlInterfaceAccess.allowRules[0].workloadNames: untagged",
        "Manifest schema validation failed",
    );
    check(
        &with("v0.1", rules),
        "allowRules[0].workloadNames: untagged",
        TAGGED,
    );
    check(
        "apiVersion: v1\nconfigs:\n  c:\n    !t x: b\n",
        "'configs.c: untagged and internally tagged enums do not support enum input at line 4 column 5'",
        NO_TEXT,
    );
    check(
        "apiVersion: !t {a: b}\nworkloads: {}\n",
        "'apiVersion: invalid type: map, expected a string at line 1 column 13'",
        "Manifest schema validation failed",
    );
    // What is below a tag is checked when it is converted to JSON, and not later.
    check("apiVersion: v1\nx: !t {a.b: 1}\n", "", "");
    check("apiVersion: v1\nx: !t {~: 1}\n", "", NO_TEXT);
}

#[test]
fn a_key_that_is_not_a_scalar_is_not_a_name() {
    let seq = "invalid type: sequence, expected";
    check(
        "apiVersion: v1\n? [a]\n: b\n",
        &format!("'{seq} field identifier at line 2 column 3'"),
        NO_TEXT,
    );
    check(
        "apiVersion: v1\nworkloads:\n  ? [a]\n  : b\n",
        &format!("'workloads: {seq} a string at line 3 column 5'"),
        NO_TEXT,
    );
    check(
        "apiVersion: v1\nconfigs:\n  ? [a]\n  : b\n",
        &format!("'configs: {seq} a string at line 3 column 5'"),
        NO_TEXT,
    );
    check(
        &with("v1", "? [a]\n    : b"),
        &format!("'workloads.a: {seq} field identifier at line 7 column 7'"),
        NO_TEXT,
    );
    // An alias has the value of its target, and the place of that.
    check(
        "apiVersion: v1\nworkloads: &a {}\n*a : x\n",
        "'invalid type: map, expected field identifier at line 2 column 12'",
        NO_TEXT,
    );
}

#[test]
fn access_rules_may_be_a_list_and_fields_numbers_to_the_conversion_only() {
    let access = |value: &str| format!("controlInterfaceAccess: {value}");
    let list = "invalid type: sequence, expected struct ControlInterfaceAccessSpec";
    check(&with("v0.1", &access("[[], []]")), list, "");
    check(
        &with("v0.1", &access("[[], [], []]")),
        list,
        "invalid length 3, expected 2 elements in sequence",
    );
    check(
        &with("v0.1", &access("[x]")),
        list,
        "invalid type: string \"x\", expected a sequence",
    );
    check(
        &with("v1", &access("[[]]")),
        list,
        "Manifest schema validation failed",
    );
    check(
        &with("v1", &access("{1: 2}")),
        "",
        "Invalid manifest data provided: invalid type: integer `2`, expected a sequence",
    );
    check(&with("v1", &access("{2: 2}")), "", "");
    check(
        &with("v1", &access("{0: [], allowRules: []}")),
        "",
        "duplicate field `allowRules`",
    );
    check(
        &with("v0.1", &access("{allowRules: [{type: 5, workloadNames: [a]}]}")),
        "invalid value: integer `5`, expected variant index 0 <= i < 2",
        "missing field `type`",
    );
    check(
        &with("v0.1", &access("{allowRules: [{type: 1, workloadNames: [a]}]}")),
        "",
        "",
    );
}

#[test]
fn an_empty_name_at_the_top_is_not_part_of_a_path() {
    check("apiVersion: v1\n'': {c: x}\n", "", "");
    let list = "apiVersion: v1\n'': [a]\n";
    check(list, "", "Could not find field desiredState..0");
    check(
        "apiVersion: v1\n'': {c: {d: x}}\n",
        "",
        "The provided path does not exist!",
    );
}

#[test]
fn a_tag_of_a_list_has_fields_by_name_or_number() {
    let form = "data did not match any variant of untagged enum MapOrVec at line 4 column 5";
    for (key, startup, apply) in [
        ("~", form, NO_TEXT),
        ("[x]", form, NO_TEXT),
        ("true", form, "Unsupported mapping key 'Bool(true)'"),
        ("1.5", form, "Unsupported mapping key 'Number(1.5)'"),
        ("-1", form, ""),
        ("7", "", ""),
        ("z", "", ""),
    ] {
        let line = format!("tags: [{{key: a, value: b, {key}: c}}]");
        check(&with("v0.1", &line), startup, apply);
    }
    check(&with("v0.1", "tags: [{0: a, 1: b}]"), "", "");
    check(&with("v0.1", "tags: [{0: a, 2: b}]"), form, "");
}
