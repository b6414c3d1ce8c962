//! `kapp/unmapped-namespace`: namespaces are mapped, but one is not.

use super::rejected;
use super::scope::{Project, Source};
use crate::judge;
use crate::model::error::What;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/unmapped-namespace",
    severity: Severity::Error,
    summary: "Unmapped namespace",
    docs: include_str!("../../../../../docs/rules/kapp/unmapped-namespace.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, namespace) in source.refused().unmapped {
        let Some(r) = source.resource(item) else { continue };
        let place = r.namespace.place.unwrap_or_else(|| r.name_place());
        let text = format!("unmapped namespace `{namespace}`");
        let d = Diagnostic::new(&RULE, source.at(item, place), text);
        found.push(source.rejected(d, "prepare", What::Namespaces, Some(item)));
    }
}

/// Entries that are not of the form `from=to`.
pub(super) fn check_entries(project: &Project<'_>, found: &mut Vec<Finding>) {
    let failed = project.related.failed.as_ref();
    let failed = failed.filter(|f| f.what == What::Namespaces && f.item.is_none());
    if let (Some(failed), Some(input)) = (failed, project.model.app.inputs.inputs.first()) {
        let place = Place::file(input.file);
        let about = project.reported(What::Namespaces, None, place);
        let d = Diagnostic::new(&RULE, place, failed.message.clone());
        found.push(rejected(d, vec![(judge::DEPLOY, "prepare", about)]));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::config::MAP_NS;
    use crate::tests::{app, object, of_rule, under};
    use applyorder_core::engine::RunOptions;

    fn found(mapped: &[&str]) -> Vec<String> {
        let options = RunOptions::default().with(&MAP_NS, mapped.iter().copied());
        let text = [
            object("v1", "ConfigMap", "a", "  namespace: staging\n"),
            object("v1", "ConfigMap", "b", ""),
            object("v1", "Namespace", "c", ""),
        ];
        let analysis = app(&text.concat(), options);
        let found = of_rule(&analysis, RULE.id);
        found.iter().map(|d| under(&analysis, d)).collect()
    }

    #[test]
    fn every_namespace_has_to_be_mapped_once_one_is() {
        assert!(found(&[]).is_empty());
        assert_eq!(found(&["staging=prod"]), ["b"]);
        assert_eq!(found(&["default=x"]), ["staging"]);
        assert!(found(&["staging=prod", "default=x"]).is_empty());
        assert_eq!(
            found(&["staging", "staging=prod", "default=x"]),
            ["apiVersion: v1"]
        );
    }
}
