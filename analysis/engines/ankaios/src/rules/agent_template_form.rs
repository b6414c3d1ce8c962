//! `ankaios/agent-template-form`: a template in `agent` that the schema does not allow.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Rule, Safety, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;
use crate::read::FaultKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/agent-template-form",
    severity: Severity::Error,
    summary: "A template in `agent` that the schema does not allow",
    docs: include_str!("../../../../../docs/rules/ankaios/agent-template-form.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        if let FaultKind::AgentForm(text) = &fault.kind {
            let text = format!(
                "`ank apply` rejects the agent `{text}`: use name characters and `{{{{alias.key}}}}`"
            );
            let mut d = Diagnostic::new(&RULE, place, text);
            if let Some(plain) = plain_form(fault_text(fault)) {
                let step = FixStep::SetValue(place, plain.clone());
                d = d.fix(format!("replace with `{plain}`"), Safety::Unsafe, vec![step]);
            }
            found.push(source.finding((at, fault), d));
        }
    }
}

fn fault_text(fault: &crate::read::Fault) -> &str {
    match &fault.kind {
        FaultKind::AgentForm(text) => text,
        _ => "",
    }
}

/// The same template with two braces and no blanks inside, if that is sufficient.
fn plain_form(text: &str) -> Option<String> {
    let plain = text.replace("{{{", "{{").replace("}}}", "}}");
    let plain: String = plain.split_whitespace().collect();
    let inner = plain.replace("{{", "").replace("}}", "").replace('.', "");
    (plain != text && plain.contains("{{") && crate::read::fields::is_name(&inner)).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let body = "runtime: podman, runtimeConfig: x, configs: {x: c}";
        let bad = format!(
            "apiVersion: v1\nworkloads:\n  a: {{agent: \"{{{{ x }}}}\", {body}}}\nconfigs: {{c: d}}\n"
        );
        speaks(&RULE, &bad, &["\"{{ x }}\""]);
    }
}
