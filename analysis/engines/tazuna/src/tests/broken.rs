//! States of a file while a user is typing: the other manifests stay known, and no false findings about them
//! are reported.

use super::{project, shown, tree};

const BEFORE: &str = "spec:
  manifests:
    - name: cni
      type: kustomize
      path: .
    - name: ingress
      type: kustomize
      path: .
      dependsOn: [cni]
";
const TARGET: &str = "    - name: mon
      type: kustomize
      path: .
      dependsOn: [cni]
";
const BEHIND: &str = "    - name: app
      type: kustomize
      path: .
      dependsOn: [ingress, mon]
    - name: last
      type: kustomize
      path: .
      dependsOn: []
";

const VALID: bool = true;
const BROKEN: bool = false;

/// What replaces `from` in the target, and whether that is YAML.
const STATES: [(&str, &str, &str, bool); 32] = [
    ("flow list unclosed", "[cni]", "[cni, ", BROKEN),
    ("flow list just opened", "[cni]", "[", BROKEN),
    ("flow list of two unclosed", "[cni]", "[cni, ingress", BROKEN),
    ("flow list with open quote", "[cni]", "[cni, \"ing", BROKEN),
    (
        "dangling dash",
        "dependsOn: [cni]",
        "dependsOn:\n        - ",
        VALID,
    ),
    (
        "dash without space",
        "dependsOn: [cni]",
        "dependsOn:\n        - cni\n        -",
        VALID,
    ),
    (
        "dash glued to the word",
        "dependsOn: [cni]",
        "dependsOn:\n        -cni",
        VALID,
    ),
    ("no value", "dependsOn: [cni]", "dependsOn:", VALID),
    ("no colon", "dependsOn: [cni]", "dependsOn", BROKEN),
    ("half a key", "dependsOn: [cni]", "depe", BROKEN),
    (
        "new item without value",
        "dependsOn: [cni]",
        "dependsOn: [cni]\n    - name:",
        VALID,
    ),
    (
        "new item, half a key",
        "dependsOn: [cni]",
        "dependsOn: [cni]\n    - na",
        VALID,
    ),
    (
        "new item, dash only",
        "dependsOn: [cni]",
        "dependsOn: [cni]\n    -",
        VALID,
    ),
    ("no space behind the dash", "- name: mon", "-name: mon", BROKEN),
    ("open double quote", "name: mon", "name: \"mon", BROKEN),
    ("open single quote", "path: .", "path: '.", BROKEN),
    ("nested colon", "name: mon", "name: mon: x", BROKEN),
    ("line indented by a tab", "      path: .", "\tpath: .", BROKEN),
    (
        "item indented by a tab",
        "    - name: mon",
        "\t- name: mon",
        BROKEN,
    ),
    ("key one column left", "      path: .", "     path: .", BROKEN),
    (
        "key two columns right",
        "      path: .",
        "        path: .",
        BROKEN,
    ),
    ("key at column 2", "      path: .", "  path: .", BROKEN),
    (
        "dash one column right",
        "    - name: mon",
        "     - name: mon",
        BROKEN,
    ),
    (
        "dash one column left",
        "    - name: mon",
        "   - name: mon",
        BROKEN,
    ),
    ("value starts with @", "path: .", "path: @x", BROKEN),
    ("value starts with %", "path: .", "path: %x", BROKEN),
    ("open brace", "path: .", "tags: {a: b", BROKEN),
    ("stray close", "[cni]", "cni, ingress]", VALID),
    ("extra close", "[cni]", "[cni, ingress]]", BROKEN),
    ("bare alias", "path: .", "path: *", BROKEN),
    ("bare anchor", "path: .", "path: &", BROKEN),
    (
        "two keys on a line",
        "type: kustomize\n      path: .",
        "type: kustomize path: .",
        BROKEN,
    ),
];

#[test]
fn the_other_manifests_stay_known() {
    let mut problems = Vec::new();
    for (state, from, to, valid) in STATES {
        assert!(TARGET.contains(from), "{state}");
        let text = format!("{BEFORE}{}{BEHIND}", TARGET.replacen(from, to, 1));
        let analysis = tree(&text).analysis();
        let variant = &project(&analysis).variants[0];
        for (name, needs) in [
            ("cni", vec![]),
            ("ingress", vec!["cni"]),
            ("app", vec!["ingress", "mon"]),
            ("last", vec![]),
        ] {
            let Some(at) = variant.units.iter().position(|u| &*u.name == name) else {
                problems.push(format!("{state}: {name} is lost"));
                continue;
            };
            let own: Vec<&str> = variant
                .dependencies
                .iter()
                .filter(|d| d.unit.0 as usize == at)
                .map(|d| &*d.text)
                .collect();
            if own != needs {
                problems.push(format!("{state}: {name} waits for {own:?}"));
            }
        }
        let found = shown(&analysis);
        if found.iter().any(|f| f.starts_with("syntax-error")) == valid {
            problems.push(format!("{state}: {found:?}"));
        }
        let file = analysis.files_with_findings().first().copied();
        let target = BEFORE.len() as u32..(text.len() - BEHIND.len()) as u32 + 6;
        for finding in file.into_iter().flat_map(|f| analysis.findings_of(f)) {
            let d = finding.diagnostic;
            let at = analysis.span(d.place).start;
            let lint = d.enforced.is_empty();
            // A name that no longer exists may dangle, once the text is valid again.
            let expected = lint || target.contains(&at) || valid && d.rule.id == "unknown-dependency";
            if !expected {
                problems.push(format!(
                    "{state}: outside of the target {} {}",
                    d.rule.id, d.message
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn a_syntax_error_is_what_tazuna_reports() {
    let text = format!("{BEFORE}{}{BEHIND}", TARGET.replace("[cni]", "[cni, "));
    let found = shown(&tree(&text).analysis());
    assert!(found[0].contains("check:decode!"), "{found:?}");
}
