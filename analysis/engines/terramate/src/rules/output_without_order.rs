//! `terramate/output-without-order`: output of another stack used without an order.

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/output-without-order",
    severity: Severity::Warning,
    summary: "Output of another stack used without an order",
    docs: include_str!("../../../../../docs/rules/terramate/output-without-order.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// A stack that uses an output of another, with the header of that.
pub(crate) fn found(
    place: Place,
    consumer: &Arc<str>,
    producer: &Arc<str>,
    header: Option<Place>,
) -> Diagnostic {
    let message = format!("stack `{consumer}` uses an output of `{producer}` but does not run after it");
    let d = Diagnostic::new(&RULE, place, message)
        .unit(consumer.clone())
        .unit(producer.clone())
        .note("sharing outputs adds no order");
    match header {
        Some(header) => d.related(header, "the output is from this stack"),
        None => d,
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn an_order_is_added() {
        let with = |stack: &str| {
            check(
                &RULE,
                &format!(
                    "//- /w/vpc/stack.tm\nstack {{\n  id = \"vpc\"\n}}\n//- /w/app/stack.tm\n{stack}\
                     input \"x\" {{\n  from_stack_id = \"vpc\"\n}}\n"
                ),
            )
        };
        for (before, after) in [
            ("stack {\n}\n", "stack {\n  after = [\"/vpc\"]\n}\n"),
            (
                "stack {\n  after = [\"/b\"]\n}\n",
                "stack {\n  after = [\"/b\", \"/vpc\"]\n}\n",
            ),
        ] {
            let checked = with(before);
            assert_eq!(checked.found().len(), 1);
            assert_eq!(checked.related(), ["/vpc/stack.tm:1 stack"]);
            assert!(checked.fixed(0).contains(after), "{}", checked.fixed(0));
            assert_eq!(with(after).found(), [""; 0]);
        }
    }
}
