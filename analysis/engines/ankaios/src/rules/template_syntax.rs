//! `ankaios/template-syntax`: a template that cannot be rendered.

use applyorder_core::diagnostic::{Rule, Severity, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/template-syntax",
    severity: Severity::Error,
    summary: "A template that cannot be rendered",
    docs: include_str!("../../../../../docs/rules/ankaios/template-syntax.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |text: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: docker, runtimeConfig: '{text}', configs: {{x: c}}}}\nconfigs: {{c: d}}\n"
            )
        };
        speaks(&RULE, &with("{{foo x}}"), &["foo"]);
        speaks(&RULE, &with("a{{x"), &["{{x"]);
        speaks(&RULE, &with("{{x}}"), &[]);
    }
}
