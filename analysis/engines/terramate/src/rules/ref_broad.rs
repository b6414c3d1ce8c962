//! `terramate/ref-broad`: entry that includes more stacks than it names.

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
        if is_own || !matches!(entry.meaning, Meaning::Tags(..)) {
            continue;
        }
        let Some(first) = extra.first() else { continue };
        let first = scope.stacks.path(first.0);
        let headers = extra.iter().take(MOST_RELATED);
        let headers = headers.filter_map(|stack| scope.header(stack.0));
        let place = scope.place(node, entry);
        let d = broad(place, &entry.text, (extra.len(), &first), headers);
        found.push(Finding::new(d.unit(node.path.clone())));
    }
}

/// A filter that matches further stacks: how many, the path of the first, and the headers of some.
fn broad(
    place: Place,
    entry: &str,
    (count, first): (usize, &str),
    headers: impl Iterator<Item = Place>,
) -> Diagnostic {
    let message = match count {
        1 => format!("`{entry}` also matches 1 nested stack without the tag: `{first}`"),
        _ => format!(
            "`{entry}` also matches {count} nested stacks without the tag: `{first}`, {} more",
            count - 1
        ),
    };
    let d = Diagnostic::new(&RULE, place, message);
    headers.fold(d, |d, header| d.related(header, "does not have the tag"))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn one_of_many_is_named() {
        let nested: String = ["c", "d", "e"]
            .iter()
            .map(|name| format!("//- /w/n/{name}/stack.tm\nstack {{\n}}\n"))
            .collect();
        let tagged = "//- /w/n/stack.tm\nstack {\n  tags = [\"net\"]\n}\n";
        let names = "//- /w/a/stack.tm\nstack {\n  after = [\"tag:net\"]\n}\n";
        let found = check(&RULE, &format!("{tagged}{nested}{names}")).found();
        let expected = "`tag:net` also matches 3 nested stacks without the tag: `/n/c`, 2 more";
        assert!(found.len() == 1 && found[0].ends_with(expected), "{found:?}");
    }

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
