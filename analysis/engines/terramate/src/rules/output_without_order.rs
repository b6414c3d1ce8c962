//! `terramate/output-without-order`: the output of another stack is used without an order.

use applyorder_core::diagnostic::Severity;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/output-without-order",
    severity: Severity::Warning,
    summary: "The output of another stack is used without an order",
    docs: "\
## What it does\n\
Reports `input` blocks whose `from_stack_id` names a stack that does not run before this one.\n\
\n\
## Why is this bad?\n\
Sharing outputs adds no order. In a fresh run the value is not there yet.\n\
\n\
## Example\n\
```hcl\n\
input \"vpc_id\" {\n\
\x20 backend       = \"default\"\n\
\x20 from_stack_id = \"vpc\"\n\
\x20 value         = outputs.vpc_id.value\n\
}\n\
stack {\n\
}\n\
```\n\
\n\
## Use instead\n\
```hcl\n\
stack {\n\
\x20 after = [\"/vpc\"]\n\
}\n\
```\n\
\n\
## What Terramate says\n\
Nothing.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

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
