//! `kapp/versioned-reference`: kapp cannot write the name of a versioned resource where it is referred to.

use super::rejected;
use super::scope::Project;
use crate::judge;
use crate::model::error::What;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/versioned-reference",
    severity: Severity::Error,
    summary: "Invalid reference to a versioned resource",
    docs: include_str!("../../../../../docs/rules/kapp/versioned-reference.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let blocked = project.related.blocked.as_ref();
    let blocked = blocked.filter(|b| b.fault.matcher.is_none() && b.fault.is_of_versions());
    let Some(blocked) = blocked else { return };
    let (fault, inputs) = (&blocked.fault, &project.model.app.inputs);
    let resource = blocked.item.and_then(|item| Some((item, inputs.resource(item)?)));
    let place = match (resource, inputs.inputs.first()) {
        (Some((item, r)), _) => {
            let mut annotations = r.annotations().iter();
            let annotation = annotations.find(|a| fault.annotation.as_deref() == Some(&*a.name.value));
            let place = annotation.map_or_else(|| r.name_place(), |a| a.value.place);
            project.at(item, place)
        }
        (None, Some(input)) => Place::file(input.file),
        (None, None) => return,
    };
    let stage = if fault.panics { "crash" } else { "diff" };
    let says = fault.message.strip_prefix("panic: ").unwrap_or(&fault.message);
    let text = format!("invalid reference to a versioned resource: {says}");
    let about = project.reported(What::Versions, blocked.item, place);
    let d = Diagnostic::new(&RULE, place, text);
    found.push(rejected(d, vec![(judge::DEPLOY, stage, about)]));
}

#[cfg(test)]
mod tests {
    use crate::tests::{app, of_rule, under};
    use applyorder_core::engine::RunOptions;

    const VERSIONED: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  annotations: {kapp.k14s.io/versioned: \"\"}
---
";

    #[test]
    fn an_annotation_that_names_no_resource_is_reported() {
        let text = format!(
            "{VERSIONED}apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations:\n    kapp.k14s.io/versioned-explicit-ref: settings\n"
        );
        let analysis = app(&text, RunOptions::default());
        let found = of_rule(&analysis, super::RULE.id);
        assert_eq!(found.len(), 1);
        assert_eq!(under(&analysis, &found[0]), "settings");
        assert!(
            found[0]
                .message
                .ends_with("cannot unmarshal !!str `settings` into map[string]interface {}")
        );
    }

    #[test]
    fn nothing_is_asked_of_references_where_nothing_is_versioned() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  annotations:\n    kapp.k14s.io/versioned-explicit-ref: settings\n";
        assert!(of_rule(&app(text, RunOptions::default()), super::RULE.id).is_empty());
        let shaped =
            format!("{VERSIONED}apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  volumes: {{}}\n");
        let analysis = app(&shaped, RunOptions::default());
        let found = of_rule(&analysis, super::RULE.id);
        assert_eq!(under(&analysis, &found[0]), "web");
    }
}
