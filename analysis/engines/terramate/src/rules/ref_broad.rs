//! `terramate/ref-broad`: entry that includes more stacks than it names.

use std::sync::Arc;

use crate::model::refs::Meaning;
use crate::scope::{Directory, MOST_RELATED};
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/ref-broad",
    severity: Severity::Info,
    summary: "Entry that includes more stacks than it names",
    docs: include_str!("../../../../../docs/rules/terramate/ref-broad.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    let scope = &dir.scope;
    for (stack, node, entry) in dir.entries() {
        let is_own = entry.attribute.orders() && entry.targets.binary_search(&UnitIx(stack)).is_ok();
        let extra = entry.besides;
        if is_own || extra.is_empty() || !matches!(entry.meaning, Meaning::Tags(..)) {
            continue;
        }
        let first = || extra.iter().take(MOST_RELATED);
        let paths: Vec<Arc<str>> = first().map(|s| scope.stacks.path(s.0)).collect();
        let headers = first().filter_map(|stack| scope.header(stack.0));
        let place = scope.place(node, entry);
        let d = broad(place, &entry.text, (extra.len(), &paths), headers);
        found.push(Finding::new(d.unit(node.path.clone())));
    }
}

/// A filter that means further stacks: how many, the paths of the first, and their headers.
fn broad(
    place: Place,
    entry: &str,
    (count, first): (usize, &[Arc<str>]),
    headers: impl Iterator<Item = Place>,
) -> Diagnostic {
    let stacks = match count {
        1 => "1 stack".to_owned(),
        count => format!("{count} stacks"),
    };
    let shown: Vec<String> = first.iter().map(|path| format!("`{path}`")).collect();
    let more = if count > first.len() { ", …" } else { "" };
    let message = format!(
        "`{entry}` also matches {stacks} without the tag, nested in a tagged stack: {}{more}",
        shown.join(", ")
    );
    let d = Diagnostic::new(&RULE, place, message);
    headers.fold(d, |d, header| d.related(header, "does not have the tag"))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn stacks_below_a_match_are_named() {
        let checked = check(
            &RULE,
            "//- /w/n/stack.tm\nstack {\n  tags = [\"net\"]\n}\n//- /w/n/c/stack.tm\nstack {\n}\n\
             //- /w/a/stack.tm\nstack {\n  after = [\"tag:net\"]\n}\n",
        );
        assert_eq!(checked.found().len(), 1);
        assert_eq!(checked.related(), ["/n/c/stack.tm:1 stack"]);
    }
}
