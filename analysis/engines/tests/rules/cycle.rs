//! Tests of `cycle`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::cycle::RULE;

#[test]
fn over_two_files() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
    - name: c
      type: kustomize
      path: .
      dependsOn: [a]
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      dependsOn: [b]
    - name: b
      type: kustomize
      path: .
      dependsOn: [c, d]
    - name: d
      type: kustomize
      path: .
",
        ),
        "error a.yaml:6 «b»: `a` waits for itself, through `b` and `c`
  check cycle first, apply cycle first: circular dependency detected in manifest dependsOn graph
  a.yaml:6 «b»: `a` waits for `b` (`dependsOn`)
  a.yaml:10 «c»: `b` waits for `c` (`dependsOn`)
  tazuna.yaml:8 «a»: `c` waits for `a` (`dependsOn`)
  unsafe fix: remove the dependency of `a` on `b` (breaks the cycle)
    a.yaml:6 -      dependsOn: [b]
    a.yaml:6 +      dependsOn: []
  unsafe fix: remove the dependency of `b` on `c`
    a.yaml:10 -      dependsOn: [c, d]
    a.yaml:10 +      dependsOn: [d]
  unsafe fix: remove the dependency of `c` on `a`
    tazuna.yaml:8 -      dependsOn: [a]
    tazuna.yaml:8 +      dependsOn: []
hint a.yaml:10 «c»: in the cycle of `a`, 2 of 3
  label: `b` waits for `c` (`dependsOn`)
  a.yaml:6 «b»: `a` waits for itself, through `b` and `c`
  tazuna.yaml:8 «a»: `c` waits for `a` (`dependsOn`)
  unsafe fix: break the cycle here: remove the dependency of `b` on `c`
    a.yaml:10 -      dependsOn: [c, d]
    a.yaml:10 +      dependsOn: [d]
hint tazuna.yaml:8 «a»: in the cycle of `a`, 3 of 3
  label: `c` waits for `a` (`dependsOn`)
  a.yaml:6 «b»: `a` waits for itself, through `b` and `c`
  a.yaml:10 «c»: `b` waits for `c` (`dependsOn`)
  unsafe fix: break the cycle here: remove the dependency of `c` on `a`
    tazuna.yaml:8 -      dependsOn: [a]
    tazuna.yaml:8 +      dependsOn: []
"
    );
}

#[test]
fn a_chain_has_none() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
",
        ),
        ""
    );
}

fn message(names: &[&str]) -> String {
    let next = names.iter().cycle().skip(1);
    let manifests: String = names
        .iter()
        .zip(next)
        .map(|(name, next)| {
            format!("    - {{name: {name}, type: kustomize, path: ., dependsOn: [{next}]}}\n")
        })
        .collect();
    let tree = format!("//- /w/tazuna.yaml\nspec:\n  manifests:\n{manifests}");
    let told = told(applyorder_engines::all(), &RULE, &tree);
    let first = told.lines().next().unwrap_or_default();
    first
        .split_once("»: ")
        .map_or_else(String::new, |(_, message)| message.to_owned())
}

#[test]
fn a_long_way_round_is_counted() {
    assert_eq!(message(&["a", "b"]), "`a` waits for itself, through `b`");
    let three = "`a` waits for itself, through `b`, `c` and `d`";
    assert_eq!(message(&["a", "b", "c", "d"]), three);
    let more = "`a` waits for itself, through `b` and 4 more";
    assert_eq!(message(&["a", "b", "c", "d", "e", "f"]), more);
    // Editors show it in one line of 80 columns.
    let long = [
        "kubernetes-dashboard",
        "certificate-manager",
        "external-secrets-operator",
    ];
    let counted = "`kubernetes-dashboard` waits for itself, through 2 others";
    assert_eq!(message(&long), counted);
}

#[test]
fn a_stack_that_includes_itself_has_no_other_edges_to_mark() {
    let tree = "//- /w/terramate.tm
terramate {
  required_version = \">= 0.1\"
}
//- /w/a/stack.tm
stack {
}
//- /w/a/b/stack.tm
stack {
  before = [\"/a\"]
}
";
    let found = told(applyorder_engines::all(), &RULE, tree);
    assert!(found.contains("error stack.tm:2"), "{found}");
    assert!(!found.contains("hint"), "{found}");
}

#[test]
fn the_finding_is_where_it_is_best_cut_and_goes_with_its_marks() {
    // Without the entry of `c` no cycle is left; the others leave one.
    let tree = |comment: &str| {
        format!(
            "//- /w/tazuna.yaml
spec:
  manifests:
    - {{name: a, type: kustomize, path: ., dependsOn: [b, c]}}
    - {{name: b, type: kustomize, path: ., dependsOn: [c]}}
    - {{name: c, type: kustomize, path: ., dependsOn: [a]}}{comment}
"
        )
    };
    let found = told(applyorder_engines::all(), &RULE, &tree(""));
    let first = |severity: &str| found.lines().find(|line| line.starts_with(severity)).unwrap();
    assert_eq!(
        first("error"),
        "error tazuna.yaml:5 «a»: `c` waits for itself, through `a`"
    );
    assert_eq!(
        first("hint"),
        "hint tazuna.yaml:3 «c»: in the cycle of `c`, 2 of 2"
    );
    let ignored = tree(" # applyorder: ignore[cycle]");
    assert_eq!(told(applyorder_engines::all(), &RULE, &ignored), "");
}
