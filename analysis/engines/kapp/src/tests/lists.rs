//! What kapp makes of lists of resources.

use super::verdicts::{of, told};

/// kapp has one text for all resources that lack a field, so that it reports both findings first.
#[test]
fn one_text_is_about_findings_of_several_rules() {
    for (text, rule) in [
        (
            "apiVersion: v1\nmetadata: {name: z}\n---\nkind: L\nitems: [{apiVersion: v1, metadata: {name: q}}]\n",
            "missing-field",
        ),
        (
            "kind: L\nitems: [{apiVersion: v1, metadata: {name: q}}]\n---\napiVersion: v1\nmetadata: {name: z}\n",
            "kapp/list-item",
        ),
    ] {
        let analysis = of(text);
        assert_eq!(told(&analysis, "missing-field").len(), 1, "{text}");
        for rule in ["missing-field", "kapp/list-item"] {
            assert!(told(&analysis, rule)[0].ends_with("[deploy!]"), "{text}");
        }
        let (_, project) = analysis.projects().next().unwrap();
        let errors = &project.resolution.verdicts[0].errors;
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].rule, rule);
        assert_eq!(errors[0].message.matches("Expected 'kind'").count(), 2, "{text}");
    }
}

/// kapp expands a list once: what it takes from it is not read as a list again, whatever the comparison changes.
#[test]
fn an_item_with_items_stays_a_resource() {
    let list = "kind: List\nitems:\n- apiVersion: v1\n  kind: Foo\n  metadata: {name: l}\n  \
                items: [{kind: S, metadata: {name: b, namespace: x}}]\n";
    let rules = "changeRuleBindings:\n- rules: [upsert before upserting h]\n  \
                 resourceMatchers: [{emptyFieldMatcher: {path: [data]}}]\n";
    let config = format!("apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n{rules}");
    let analysis = of(&format!("{list}---\n{config}"));
    let (_, project) = analysis.projects().next().unwrap();
    let units = &project.resolution.variants[0].units;
    assert_eq!(&*units[0].name, "Foo/l");
}
