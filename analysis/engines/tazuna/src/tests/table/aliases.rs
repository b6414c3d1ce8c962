//! A value that comes from an alias or a merge is shown there, with the place where it is written.

use super::*;

/// The finding of a rule is at this text, and its first related place is that one.
#[track_caller]
fn traced(text: &str, rule: &str, at: &str, origin: &str) {
    let analysis = tree(text).analysis();
    let found = of_rule(&analysis, rule);
    let [d] = found.as_slice() else {
        panic!("{rule}: {:?}", super::super::shown(&analysis));
    };
    let under = |place| analysis.span(place).slice(text);
    assert_eq!(under(d.place), at);
    assert_eq!(
        d.related.iter().map(|r| under(r.place)).collect::<Vec<_>>(),
        [origin]
    );
}

#[test]
fn values_through_aliases() {
    let text = |anchor: &str, entry: &str| format!("x-a: &a {anchor}\nspec:\n  manifests:\n{entry}{OK}");
    traced(
        &text("Web", "    - {name: *a , type: kustomize, path: .}\n"),
        "invalid-name",
        "*a",
        "Web",
    );
    traced(
        &text("helm", "    - {name: a, type: *a , path: .}\n"),
        "invalid-value",
        "*a",
        "helm",
    );
    traced(
        &text("{type: parallel}", "    - {name: a, <<: *a , path: .}\n"),
        "tazuna/removed-parallel",
        "*a",
        "parallel",
    );
    traced(
        &text("./gone", "    - {name: a, type: kustomize, path: *a }\n"),
        "missing-file",
        "*a",
        "./gone",
    );
    traced(
        &text(
            "gone",
            "    - {name: a, type: kustomize, path: ., dependsOn: [*a ]}\n",
        ),
        "unknown-dependency",
        "*a",
        "gone",
    );
    traced(
        &text("x", "    - {name: a, type: kustomize, path: ., tags: *a }\n"),
        "wrong-type",
        "*a",
        "x",
    );
}
