//! `coerced-scalar` in manifests: names and strings that are read as something else.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::coerced_scalar::RULE;

use super::InSource;
use crate::read::FaultKind;

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let FaultKind::Unquoted {
            what,
            text,
            found: kind,
        } = &fault.kind
        else {
            continue;
        };
        let shown = if text.is_empty() {
            "an empty value".to_owned()
        } else {
            format!("`{text}`")
        };
        let mut d = Diagnostic::new(
            &RULE,
            place,
            format!("`ank apply` reads {shown} as {kind}, not as the {what}"),
        );
        if fault.startup.is_none() {
            d = d.note("a startup manifest takes the text");
        }
        if !text.is_empty() {
            let quoted = serde_json::Value::from(&**text).to_string();
            d = d.fix(
                format!("quote it: `{quoted}`"),
                Safety::Unsafe,
                vec![FixStep::Replace(place, quoted)],
            );
        }
        found.push(source.finding((at, fault), d));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::coerced_scalar::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |name: &str| {
            format!("apiVersion: v1\nworkloads:\n  {name}: {{agent: b, runtime: podman, runtimeConfig: x}}\n")
        };
        speaks(&RULE, &with("42"), &["42"]);
        speaks(&RULE, &with("\"42\""), &[]);
        speaks(&RULE, &with("007"), &[]);
    }
}
