//! `ankaios/tags-form`: tags in the form of the other version.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Safety, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;
use crate::read::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/tags-form",
    severity: Severity::Error,
    summary: "Tags in the form of the other version",
    docs: include_str!("../../../../../docs/rules/ankaios/tags-form.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        if let FaultKind::TagsForm {
            wants_list,
            found: form,
        } = &fault.kind
            && fault.loses.is_none()
        {
            let (version, wanted) = if *wants_list {
                ("v0.1", "a list of `key` and `value`")
            } else {
                ("v1", "a mapping of strings")
            };
            let text = format!("expected {wanted} for tags of version `{version}`, found {form}");
            let mut d = Diagnostic::new(&RULE, place, text);
            if let Some(version) = fault.related {
                d = d.related(source.place(version), "the version of the manifest");
            }
            if let Some(map) = super::tags_lost::as_mapping(source, fault).filter(|_| !wants_list) {
                d = d.fix(
                    "write the tags as a mapping",
                    Safety::Unsafe,
                    vec![FixStep::Replace(place, map)],
                );
            }
            found.push(source.finding((at, fault), d));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let body = "agent: b, runtime: podman, runtimeConfig: x";
        speaks(
            &RULE,
            &format!("apiVersion: v1\nworkloads:\n  a: {{{body}, tags: [{{key: k, value: v}}]}}\n"),
            &["[{key: k, value: v}]"],
        );
        speaks(
            &RULE,
            &format!("apiVersion: v1\nworkloads:\n  a: {{{body}, tags: {{k: v}}}}\n"),
            &[],
        );
    }
}
