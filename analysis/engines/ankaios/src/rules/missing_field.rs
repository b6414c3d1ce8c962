//! `missing-field` in manifests: required fields.

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::missing_field::RULE;

use super::InSource;
use crate::read::FaultKind;

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let FaultKind::MissingField { field, of } = &fault.kind else {
            continue;
        };
        let name = source
            .workload(fault)
            .map(|w| format!(" `{}`", w.name.value))
            .unwrap_or_default();
        let text = if *of == "workload" {
            format!("missing field `{field}` in workload{name}")
        } else {
            format!("missing field `{field}` in this {of}")
        };
        let mut d = Diagnostic::new(&RULE, place, text);
        if *field == "agent" && *of == "workload" {
            d = d.note("`ank apply` takes it from `--agent` as well");
        }
        found.push(source.finding((at, fault), d));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::missing_field::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            "apiVersion: v1\nworkloads:\n  a: {agent: b, runtimeConfig: x}\n",
            &["a"],
        );
        speaks(
            &RULE,
            "apiVersion: v1\nworkloads:\n  a: {agent: b, runtime: podman, runtimeConfig: x}\n",
            &[],
        );
    }
}
