//! `kapp/rebase-rule`: a rebase rule or an exclusion that kapp cannot apply.

use super::rejected;
use super::scope::Project;
use crate::judge;
use crate::model::error::What;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/rebase-rule",
    severity: Severity::Error,
    summary: "Invalid rebase rule",
    docs: include_str!("../../../../../docs/rules/kapp/rebase-rule.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let blocked = project.related.blocked.as_ref();
    let blocked = blocked.filter(|b| b.fault.matcher.is_none() && !b.fault.is_of_versions());
    let Some(blocked) = blocked else { return };
    let (fault, inputs) = (&blocked.fault, &project.model.app.inputs);
    let resource = blocked.item.and_then(|item| Some((item, inputs.resource(item)?)));
    let resource = resource.map(|(item, r)| project.at(item, r.name_place()));
    let rule = fault.rule.and_then(|(config, place)| {
        let in_force = project.model.bindings.configs.get(config as usize)?;
        Some(project.at(in_force.item, place))
    });
    let first = || inputs.inputs.first().map(|input| Place::file(input.file));
    let Some(place) = rule.or(resource).or_else(first) else {
        return;
    };
    let stage = if fault.panics { "crash" } else { "diff" };
    let says = fault.message.strip_prefix("panic: ").unwrap_or(&fault.message);
    let mut d = Diagnostic::new(&RULE, place, format!("invalid rule: {says}"));
    if let (Some(_), Some(resource)) = (rule, resource) {
        d = d.related(resource, "in this resource");
    }
    let about = project.reported(What::Rebase, blocked.item, place);
    found.push(rejected(d, vec![(judge::DEPLOY, stage, about)]));
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{EVERY, config, map, speaks};
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let rule = |rest: &str| {
            format!(
                "{}{}",
                config(&format!("rebaseRules: [{{{rest}, {EVERY}}}]\n")),
                map("a", "")
            )
        };
        speaks(
            &RULE,
            Severity::Error,
            &rule("path: [spec], type: keep"),
            &["{path: [spec], type: keep, resourceMatchers: [{allMatcher: {}}]}"],
            &rule("path: [spec], type: remove"),
        );
    }

    #[test]
    fn an_exclusion_is_followed_in_resources_that_it_does_not_match() {
        let exclusion = |path: &str| {
            let rule =
                format!("diffAgainstExistingFieldExclusionRules: [{{path: {path}, resourceMatchers: []}}]\n");
            format!("{}{}data: x\n", config(&rule), map("a", "").replace("---\n", ""))
        };
        speaks(
            &RULE,
            Severity::Error,
            &exclusion("[data, {allIndexes: true}, x]"),
            &["a"],
            &exclusion("[data, y]"),
        );
    }
}
