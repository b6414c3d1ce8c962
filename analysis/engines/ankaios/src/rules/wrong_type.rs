//! `wrong-type` in manifests: values of another type.

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::wrong_type::RULE;

use super::InSource;
use crate::read::FaultKind;

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let text = match &fault.kind {
            FaultKind::WrongType {
                field,
                expected,
                found,
            } => {
                format!("expected a {expected} for `{field}`, found {found}")
            }
            FaultKind::LocalTag(tag) => format!("tag `!{tag}` is not allowed here"),
            _ => continue,
        };
        found.push(source.finding((at, fault), Diagnostic::new(&RULE, place, text)));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::wrong_type::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |deps: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: podman, runtimeConfig: x, dependencies: {deps}}}\n"
            )
        };
        speaks(&RULE, &with("[b]"), &["[b]"]);
        speaks(&RULE, &with("{b: 1}"), &["1"]);
        speaks(&RULE, &with("{}"), &[]);
    }
}
