//! `kapp/placeholder-lookalike`: a text that looks like a placeholder and is none.

use crate::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use crate::engines::kapp::grammar::PLACEHOLDERS;
use crate::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/placeholder-lookalike",
    severity: Severity::Warning,
    summary: "A text that looks like a placeholder and is none",
    docs: "\
## What it does\n\
Reports `{}`, `${name}`, `{{name}}`, `{ name }`, `<name>` and `$(name)` in the text of a group or rule: kapp replaces\n\
`{name}` and nothing else.\n\
\n\
## Why is this bad?\n\
The characters stay in the group name, which then is invalid, or is another than was meant.\n\
\n\
## Example\n\
```yaml\n\
kapp.k14s.io/change-group: \"big.co/db-${namespace}\"\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
kapp.k14s.io/change-group: \"big.co/db-{namespace}\"\n\
```\n\
\n\
## What kapp says\n\
In most cases that the group name is invalid, or that the placeholder has no value.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// What looks like a placeholder in a text: where, and what was meant.
pub(crate) fn find(text: &str) -> Option<(std::ops::Range<usize>, String)> {
    let forms = [("${", "}"), ("{{", "}}"), ("$(", ")"), ("<", ">")];
    for (open, close) in forms {
        let Some(start) = text.find(open) else { continue };
        let inner_start = start + open.len();
        let Some(length) = text.get(inner_start..).and_then(|t| t.find(close)) else {
            continue;
        };
        let inner = text.get(inner_start..inner_start + length)?;
        if let Some(meant) = meant(inner) {
            return Some((start..inner_start + length + close.len(), meant));
        }
    }
    if let Some(start) = text.find("{}") {
        return Some((start..start + 2, "{name}".to_owned()));
    }
    let start = text.find("{ ")?;
    let length = text.get(start..)?.find('}')?;
    let meant = meant(text.get(start + 1..start + length)?)?;
    Some((start..start + length + 1, meant))
}

fn meant(inner: &str) -> Option<String> {
    let wanted = format!(
        "{{{}}}",
        inner.trim().trim_start_matches('.').to_ascii_lowercase()
    );
    PLACEHOLDERS.contains(&wanted.as_str()).then_some(wanted)
}

/// The finding for the text of a group or rule; `value` is all of it.
pub(crate) fn diagnostic(place: Place, value: &str) -> Option<Diagnostic> {
    let (range, meant) = find(value)?;
    let odd = value.get(range.clone())?;
    let fixed = format!("{}{meant}{}", value.get(..range.start)?, value.get(range.end..)?);
    Some(
        Diagnostic::new(
            &RULE,
            place,
            format!("`{odd}` is no placeholder of kapp's; did you mean `{meant}`?"),
        )
        .fix(
            format!("replace by `{meant}`"),
            Safety::Unsafe,
            vec![FixStep::SetValue(place, fixed)],
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_tools_placeholders_are_known() {
        for (text, odd, want) in [
            ("a-${name}", "${name}", "{name}"),
            ("a-{{ .Namespace }}", "{{ .Namespace }}", "{namespace}"),
            ("a-{ kind }", "{ kind }", "{kind}"),
            ("<crd-kind>", "<crd-kind>", "{crd-kind}"),
            ("x{}", "{}", "{name}"),
        ] {
            let (range, meant) = find(text).unwrap();
            assert_eq!((&text[range], meant.as_str()), (odd, want));
        }
        assert_eq!(find("a-{name}-{nope}"), None);
    }
}
