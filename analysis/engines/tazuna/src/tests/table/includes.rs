//! Findings about included files and other paths.

use super::*;

#[test]
fn includes() {
    entry(
        "    - includes: [{path: ''}]\n",
        &["tazuna/include-path-empty tazuna.yaml «''» error check:spec! apply:spec! destroy:spec!"],
    );
    let near = format!(
        "//- tazuna.yaml\n{}//- infra.yaml\nspec: {{}}\n",
        root("    - includes: [{path: infra.yml}]\n")
    );
    finds(
        &near,
        &["missing-file tazuna.yaml «infra.yml» error check:spec! apply:spec! destroy:spec!"],
    );
    assert!(fixed(&near, "missing-file", 0).contains("path: infra.yaml"));
    let dir = format!(
        "//- tazuna.yaml\n{}//- sub/x.yaml\n",
        root("    - includes: [{path: sub}]\n")
    );
    finds(
        &dir,
        &["unreadable-file tazuna.yaml «sub» error check:includes! apply:includes! destroy:includes!"],
    );
    let broken = format!(
        "//- tazuna.yaml\n{}//- a.yaml\nspec: [x]\n",
        root("    - includes: [{path: a.yaml}]\n")
    );
    finds(
        &broken,
        &["wrong-type a.yaml «[x]» error check:includes! apply:includes! destroy:includes!"],
    );
    let list = format!(
        "//- tazuna.yaml\n{}//- a.yaml\n- name: a\n",
        root("    - includes: [{path: a.yaml}]\n")
    );
    finds(
        &list,
        &["wrong-type a.yaml «- name: a» error check:includes! apply:includes! destroy:includes!"],
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
        &[
            "tazuna/nested-include tazuna.yaml «mid.yaml» error check:includes! apply:includes! destroy:includes!",
        ],
    );
    let own = root("    - includes: [{path: ./tazuna.yaml}]\n");
    assert!(tree(&own).findings().contains(
        &"tazuna/include-cycle tazuna.yaml «./tazuna.yaml» error check:includes! apply:includes! destroy:includes!".to_owned()
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
    finds(
        &text,
        &["invalid-value a.yaml «helm» error apply:expanded spec! destroy:expanded spec!"],
    );
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
