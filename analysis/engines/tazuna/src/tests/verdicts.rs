//! Verdicts and texts that once differed from Tazuna's.

use super::{project, shown, tree, verdict};
use applyorder_core::files::MemoryFiles;

/// The verdict of `check` for a root, and whether some finding is an error.
fn checked(files: &[(&str, &[u8])]) -> (Option<bool>, String, bool) {
    let mut tree = tree("");
    tree.files = MemoryFiles::new();
    for (path, bytes) in files {
        tree.files.insert(format!("/w/{path}"), bytes);
    }
    let analysis = tree.analysis();
    let verdict = verdict(project(&analysis), "check");
    let first = verdict.errors.first().map_or("", |e| &e.message);
    let has_error = shown(&analysis).iter().any(|f| f.contains(" error"));
    (verdict.ok, first.to_owned(), has_error)
}

fn refused(files: &[(&str, &[u8])], message: &str) {
    let (ok, first, _) = checked(files);
    assert_eq!((ok, &*first), (Some(false), message), "{files:?}");
}

const SECRET: &[u8] = b"spec: {manifests: [{name: a, type: genesissecret, path: s.yaml}]}\n";

#[test]
fn secret_references_are_urls_as_go_parses_them() {
    let uri = |uri: &str| format!("spec: {{secrets: [{{uri: \"{uri}\"}}]}}\n");
    for good in ["op://</v/i", "op://h/v/i?%", "op://h/v/i#\\x7f"] {
        let found = checked(&[("tazuna.yaml", SECRET), ("s.yaml", uri(good).as_bytes())]);
        assert_eq!(found, (Some(true), String::new(), false), "{good}");
    }
    for (bad, why) in [
        ("op://h:x/v/i", "invalid port \":x\" after host"),
        ("op://[/v/i", "missing ']' in host"),
        ("op://%20/v/i", "invalid URL escape \"%20\""),
        (
            "op://@[v1]/v/i",
            "invalid host: ParseAddr(\"v1\"): unable to parse IP",
        ),
    ] {
        let text = format!(
            "validation failed for manifest[0]: genesissecret validation failed for manifest s.yaml: \
             secrets[0].uri validation failed: invalid 1Password URI \"{bad}\": parse \"{bad}\": {why}"
        );
        refused(&[("tazuna.yaml", SECRET), ("s.yaml", uri(bad).as_bytes())], &text);
    }
}

#[test]
fn null_keys_come_with_merges_too() {
    let text = "error converting YAML to JSON: unsupported map key of type: %!s(<nil>)";
    for merge in ["x: {<<: {~: x}}\n", "x: {<<: [{~: x}]}\n"] {
        refused(&[("tazuna.yaml", merge.as_bytes())], text);
    }
}

#[test]
fn what_is_not_known_is_not_an_error() {
    let deep = format!("x: {}{}\n", "[".repeat(9_990), "]".repeat(9_990));
    let root: &[u8] = b"spec: {manifests: [{includes: [{path: a.yaml}]}]}\n";
    let marks = "\u{feff}\u{feff}spec:\n  manifests:\n  - {name: A}\n  - {name: A}\n".as_bytes();
    let removed: &[u8] = b"{{/* \xc0 */}}spec: {manifests: []}\n";
    for unknown in [deep.as_bytes(), marks, removed] {
        let (ok, _, has_error) = checked(&[("tazuna.yaml", unknown)]);
        assert_eq!((ok, has_error), (None, false));
        let (ok, _, has_error) = checked(&[("tazuna.yaml", root), ("a.yaml", unknown)]);
        assert_eq!((ok, has_error), (None, false));
    }
}

#[test]
fn texts_are_those_of_the_library() {
    let says = |bytes: &[u8], text: &str| {
        refused(
            &[("tazuna.yaml", bytes)],
            &format!("error converting YAML to JSON: yaml: {text}"),
        );
        let root: &[u8] = b"spec: {manifests: [{includes: [{path: a.yaml}]}]}\n";
        refused(
            &[("tazuna.yaml", root), ("a.yaml", bytes)],
            &format!("failed to parse include file: a.yaml: error converting YAML to JSON: yaml: {text}"),
        );
    };
    says(b"a: \xff\n", "invalid leading UTF-8 octet");
    says(b"a: \xc3(\n", "invalid trailing UTF-8 octet");
    says(b"a: 1\n---\n\xff\n", "invalid leading UTF-8 octet");
    let late = [b"a: b: c\n#", &b"#".repeat(1_600)[..], b"\n\xff\n"].concat();
    says(&late, "mapping values are not allowed in this context");
    says(b"a: \xe2\x82", "incomplete UTF-8 octet sequence");
    says(b"a: b\nc: \"\x01\"\n", "control characters are not allowed");
    says(b"a: *x\nb: [\n", "unknown anchor 'x' referenced");
    says(b"a: [*x\n", "unknown anchor 'x' referenced");
    says(b"[*x, \"\n", "line 2: found unexpected end of stream");
}

/// Both spellings of a list have to decode, in the order of their bytes, before the next file is read.
#[test]
fn a_file_with_two_spellings_is_refused_before_a_later_one() {
    let root: &[u8] = b"spec: {manifests: [{includes: [{path: a.yaml}, {path: b.yaml}]}]}\n";
    let two: &[u8] = b"spec: {manifests: [{name: a, type: x}]}\nSpec: {manifests: [1]}\n";
    let files: [(&str, &[u8]); 3] = [("tazuna.yaml", root), ("a.yaml", two), ("b.yaml", b"spec: [\n")];
    let text = "failed to parse include file: a.yaml: error unmarshaling JSON: while decoding JSON: json: cannot \
                unmarshal number into Go struct field TazunaSpec.spec.manifests of type v1.Manifest";
    refused(&files, text);
    let decodes: &[u8] = b"spec: {manifests: [{name: a}]}\nSpec: {manifests: [{type: x}]}\n";
    let files: [(&str, &[u8]); 2] = [("tazuna.yaml", root), ("a.yaml", decodes)];
    let (ok, ..) = checked(&[files[0], files[1], ("b.yaml", b"spec: {}\n")]);
    assert_eq!(ok, Some(true));
}

/// Each item is decoded into what the list before left in its place.
#[test]
fn lists_of_manifests_in_several_spellings_are_joined() {
    let accepted = |lists: &str| {
        let root = format!("spec: {{{lists}}}\n");
        assert_eq!(
            checked(&[("tazuna.yaml", root.as_bytes())]).0,
            Some(true),
            "{lists}"
        );
    };
    let rejected = |lists: &str, texts: &str| {
        let root = format!("spec: {{{lists}}}\n");
        refused(&[("tazuna.yaml", root.as_bytes())], texts);
    };
    let unknown = |name: &str, text: &str| {
        format!("manifest \"{name}\" dependsOn references unknown manifest \"{text}\"")
    };
    let [a, b] = [
        "{name: a, path: ., type: kustomize}",
        "{name: b, path: ., type: kustomize, dependsOn: [z]}",
    ];
    accepted("MANIFESTS: [{name: a, path: .}], manifests: [{type: kustomize}]");
    accepted(&format!("MANIFESTS: [{a}, {b}], manifests: [{{}}]"));
    accepted(&format!("MANIFESTS: [{a}, {b}], Manifests: [], manifests: [{a}]"));
    rejected(
        &format!("MANIFESTS: [{a}, {b}], manifests: [~, ~]"),
        &unknown("b", "z"),
    );
    rejected(
        &format!("MANIFESTS: [{a}, {b}], Manifests: [{{dependsOn: [q]}}], manifests: [~, {{dependsOn: []}}]"),
        &unknown("a", "q"),
    );
    let none = "validation failed for manifest[1]: manifest path is required";
    rejected(
        &format!("MANIFESTS: [{a}, {b}], Manifests: [], manifests: [{a}, ~]"),
        none,
    );
    let nested = format!(
        "SPEC: {{manifests: [{a}, {b}]}}\nspec: {{Manifests: [{{}}], manifests: [{{dependsOn: [q]}}]}}\n"
    );
    refused(&[("tazuna.yaml", nested.as_bytes())], &unknown("a", "q"));
    let list = ["[", &vec!["~"; 300_000].join(","), "]"].concat();
    let spellings = ["MANIFESTS", "MANIFESTs", "MANIFEsts", "MANIfests", "Manifests"];
    let many = spellings.map(|key| format!("{key}: {list}")).join(", ");
    let many = format!("spec: {{{many}}}\n");
    assert_eq!(checked(&[("tazuna.yaml", many.as_bytes())]).0, None);
}

#[test]
fn a_list_that_another_spelling_clears_still_has_to_decode() {
    let text = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field \
                Manifest.spec.manifests.dependsOn of type []string";
    let list = "[{name: a, type: kustomize, path: ., dependsOn: x}]";
    for root in [
        format!("SPEC: {{manifests: {list}}}\nspec: {{manifests: ~}}\n"),
        format!("spec: {{Manifests: {list}, manifests: ~}}\n"),
        format!("spec: {{MANIFESTS: {list}, Manifests: ~, manifests: []}}\n"),
    ] {
        refused(&[("tazuna.yaml", root.as_bytes())], text);
    }
    let root: &[u8] = b"spec: {MANIFESTS: [{}], Manifests: ~, manifests: []}\n";
    assert_eq!(checked(&[("tazuna.yaml", root)]).0, Some(true));
}

/// A point does not keep Go from reading a number with `_` between its digits.
#[test]
fn a_fraction_may_have_underscores() {
    let root = |name: &str| format!("spec: {{manifests: [{{name: {name}, type: kustomize, path: .}}]}}\n");
    for (name, seen) in [(".1_0", "0.1"), (".1__0", ".1__0"), (".1_", ".1_")] {
        let text = format!(
            "manifest[0]: name \"{seen}\" contains invalid characters (allowed: lowercase a-z0-9 and '-', must \
             start and end with an alphanumeric)"
        );
        refused(&[("tazuna.yaml", root(name).as_bytes())], &text);
    }
}

#[test]
fn a_character_decoded_with_the_document_is_reported_before_its_errors() {
    let text = "error converting YAML to JSON: yaml: control characters are not allowed";
    for root in [": \n---\n\u{1}\n", "~: 1\n---\n\u{1}\n", "[*x]\n---\n\u{1}\n"] {
        refused(&[("tazuna.yaml", root.as_bytes())], text);
    }
    let root = format!("[*x]\n---\n{}\n\u{1}\n", "#".repeat(502));
    let text = "error converting YAML to JSON: yaml: unknown anchor 'x' referenced";
    refused(&[("tazuna.yaml", root.as_bytes())], text);
}

#[test]
fn two_keys_that_become_one_in_json_leave_the_verdict_open() {
    let root = |spec: &str| checked(&[("tazuna.yaml", format!("spec:\n  {spec}\n").as_bytes())]);
    let open = (None, String::new(), false);
    let vars = |vars: &str| {
        root(&format!(
            "manifests: [{{name: a, path: ., type: helmfile, helmfile: {{vars: {vars}}}}}]"
        ))
    };
    assert_eq!(
        root("environments: {1: {context_match_mode: x}, \"1\": {}}"),
        open
    );
    assert_eq!(root("environments: {\"1\": {}, 1.0: {context_matches: 5}}"), open);
    assert_eq!(vars("{1: {from: x}, \"1\": {from: static, static: y}}"), open);
    assert_eq!(vars("{on: {from: static, static: y}, \"true\": {}}"), open);
    // Of keys that were already equal, the last wins.
    let (ok, first, _) = root("environments: {1: {}, 01: {context_match_mode: x}}");
    assert_eq!(
        (ok, first.contains("context_match_mode must be")),
        (Some(false), true)
    );
    assert_eq!(
        root("environments: {on: {context_match_mode: x}, yes: {}}").0,
        Some(true)
    );
    assert_eq!(root("environments: {1: {}, \"1\": {}}").0, Some(true));
    // Included ones too.
    let include = b"spec: {manifests: [{includes: [{path: p.yaml}]}]}\n";
    let part =
        b"spec: {manifests: [{name: a, path: ., type: helmfile, helmfile: {vars: {1: 5, \"1\": {}}}}]}\n";
    assert_eq!(checked(&[("tazuna.yaml", include), ("p.yaml", part)]), open);
}

#[test]
fn what_is_reported_first_is_open_after_an_unknown_include() {
    let root = |order: [&str; 2]| {
        let [one, other] = order;
        format!("spec: {{manifests: [{{includes: [{{path: {one}}}, {{path: {other}}}]}}]}}\n")
    };
    let ask = |order: [&str; 2]| {
        let root = root(order);
        checked(&[
            ("tazuna.yaml", root.as_bytes()),
            (
                "open.yaml",
                b"spec: {manifests: [{name: a, path: ., type: helmfile, helmfile: {vars: {1: 5, \"1\": {}}}}]}\n",
            ),
            ("bad.yaml", b"spec: [\n"),
        ])
    };
    let (ok, first, has_error) = ask(["open.yaml", "bad.yaml"]);
    assert_eq!((ok, &*first, has_error), (Some(false), "", true));
    let (ok, first, _) = ask(["bad.yaml", "open.yaml"]);
    assert!(
        ok == Some(false) && first.starts_with("failed to parse include file"),
        "{first}"
    );
}
