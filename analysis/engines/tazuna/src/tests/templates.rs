//! Go templates: one result per environment, and no guesses if a template cannot be analyzed.

use super::{layers, of_rule, project, tree, verdict};

const TEMPLATED: &str = "spec:
  environments: {prod: ~, stage: ~}
  manifests:
    - {name: a-{{ .Environment }}, type: kustomize, path: .}
{{ if eq .Environment \"prod\" }}    - {name: b, type: kustomize, path: ., dependsOn: [a-prod, gone]}
{{ end }}";

#[test]
fn each_environment_has_its_result() {
    let analysis = tree(TEMPLATED).analysis();
    let resolution = project(&analysis);
    assert_eq!(resolution.variants.len(), 3);
    assert_eq!(layers(resolution, 2), [["a-stage"]]);
    let oks: Vec<_> = resolution
        .verdicts
        .iter()
        .filter(|v| v.command == "check")
        .map(|v| (v.environment.as_deref().unwrap_or(""), v.ok))
        .collect();
    assert_eq!(
        oks,
        [("", Some(false)), ("prod", Some(false)), ("stage", Some(true))]
    );
    let found = super::shown(&analysis);
    assert_eq!(
        found,
        [
            "invalid-name tazuna.yaml «a-» error check:names! in [\"\"]",
            "tazuna/apply-name-warning tazuna.yaml «a-» info in [\"\"]",
            "tazuna/destroy-order tazuna.yaml «dependsOn» hint in [\"prod\"]",
            "unknown-dependency tazuna.yaml «gone» error check:dependsOn! apply:dependsOn! in [\"prod\"]",
        ]
    );
}

#[test]
fn environments_with_equal_results_are_one_variant() {
    let text = "spec:\n  environments: {p: ~, q: ~}\n  manifests:\n    - {name: a, type: kustomize, path: .{{/* x */}}}\n    - {name: a, type: kustomize, path: .}\n";
    let analysis = tree(text).analysis();
    assert_eq!(project(&analysis).variants.len(), 1);
    let found = of_rule(&analysis, "duplicate-name");
    assert!(found[0].environments.is_empty());
}

#[test]
fn a_template_error_comes_first() {
    let text = "# {{ .Values.x }}\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    - {name: a, type: kustomize, path: .}\n";
    let analysis = tree(text).analysis();
    assert_eq!(
        super::shown(&analysis),
        ["syntax-error tazuna.yaml «.Values.x» error check:template! apply:template! destroy:template!"]
    );
    assert!(super::fixed(text, "syntax-error", 0).starts_with("# {{ \"{{\" }} .Values.x }}\n"));
}

#[test]
fn what_cannot_be_analysed_has_no_verdict() {
    let text = "spec:\n  manifests:\n    - {name: a, type: {{ printf \"%[2]*.[1]*f\" 2 6 3.0 }}, path: ., dependsOn: [b]}\n";
    let analysis = tree(text).analysis();
    let resolution = project(&analysis);
    assert_eq!(
        verdict(resolution, "check").ok,
        None,
        "{:?}",
        super::shown(&analysis)
    );
    assert!(
        super::shown(&analysis)
            .iter()
            .all(|f| f.starts_with("unresolved "))
    );
}

#[test]
fn an_included_template_is_rendered_too() {
    let text = "//- tazuna.yaml\nspec:\n  manifests:\n    - includes: [{path: a.yaml}]\n    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n\
                //- a.yaml\nspec:\n  manifests:\n{{ range .X }}\n";
    let analysis = tree(text).analysis();
    let found = super::shown(&analysis);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("syntax-error a.yaml")
            && found[0].ends_with("check:includes! apply:includes! destroy:includes!"),
        "{found:?}"
    );
}
