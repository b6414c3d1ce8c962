//! `invalid-name`: resources with a name or namespace for which kapp cannot ask the cluster. Names of groups are
//! checked in `uses`.

use super::scope::Source;
use crate::model::error::What;
use crate::model::prepare::no_path;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_name;

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, namespace) in source.refused().pathless {
        let Some(r) = source.resource(item) else { continue };
        let (what, name, place) = if no_path("", &namespace).is_some() {
            ("namespace", &*namespace, r.namespace.place)
        } else {
            ("resource name", &*r.name.value, None)
        };
        let why = if matches!(name, "." | "..") {
            "a name cannot be only dots"
        } else {
            "a name cannot contain `/` or `%`"
        };
        let place = source.at(item, place.unwrap_or_else(|| r.name_place()));
        let d = Diagnostic::new(
            &invalid_name::RULE,
            place,
            format!("invalid {what} `{name}`: {why}"),
        )
        .note("kapp cannot ask the cluster whether the resource exists, and stops after a minute");
        found.push(source.rejected(d, "diff", What::Path, Some(item)));
    }
}

#[cfg(test)]
mod tests {
    use super::invalid_name::RULE;
    use crate::tests::{app, of_rule};
    use applyorder_core::engine::RunOptions;

    fn role(name: &str, namespace: &str) -> String {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: '{name}', namespace: '{namespace}'}}\n"
        )
    }

    /// Observed with kapp 0.60.1.
    #[test]
    fn a_resource_that_has_no_path_in_the_api_cannot_be_compared() {
        let said = |text: &str| {
            let analysis = app(text, RunOptions::default());
            let (_, project) = analysis.projects().next().unwrap();
            let verdict = &project.resolution.verdicts[0];
            let messages: Vec<String> = verdict.errors.iter().map(|e| e.message.clone()).collect();
            (verdict.ok, messages.concat(), of_rule(&analysis, RULE.id).len())
        };
        let words = |described: &str, why: &str| {
            let text =
                format!("Checking existence of resource {described}: API server says: {why} (reason: )");
            (Some(false), text, 1)
        };
        assert_eq!(
            said(&role("a/b", "x")),
            words(
                "role/a/b (rbac.authorization.k8s.io/v1) namespace: x",
                "invalid resource name \"a/b\": [may not contain '/']"
            )
        );
        assert_eq!(
            said(&role("%/", "x")),
            words(
                "role/%/ (rbac.authorization.k8s.io/v1) namespace: x",
                "invalid resource name \"%/\": [may not contain '/' may not contain '%']"
            )
        );
        assert_eq!(
            said(&role("a", "..")),
            words(
                "role/a (rbac.authorization.k8s.io/v1) namespace: ..",
                "invalid namespace \"..\": [may not be '..']"
            )
        );
        assert_eq!(said(&role("system:a b", "x")), (Some(true), String::new(), 0));
        // Without its definition on the cluster, kapp takes a custom resource for a new one.
        let defined = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: c}\n\
            spec:\n  group: x.io\n  names: {kind: Foo}\n  versions: [{name: v1}]\n---\n\
            apiVersion: x.io/v1\nkind: Foo\nmetadata: {name: a/b}\n";
        assert_eq!(said(defined).0, Some(true));
    }
}
