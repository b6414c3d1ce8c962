//! `terramate/ref-above-root`: relative path that leaves the project root.

use crate::model::refs::Meaning;
use crate::scope::{Directory, MOST_RELATED};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/ref-above-root",
    severity: Severity::Warning,
    summary: "Relative path that leaves the project root",
    docs: include_str!("../../../../../docs/rules/terramate/ref-above-root.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    let scope = &dir.scope;
    for (_, node, entry) in dir.entries() {
        if let Meaning::Directory {
            path, climbs: true, ..
        } = &entry.meaning
        {
            let targets = entry.targets.iter().take(MOST_RELATED);
            let headers = targets.filter_map(|target| scope.header(target.0));
            let d = above_root(scope.place(node, entry), &entry.text, path, headers);
            found.push(Finding::new(d.unit(node.path.clone())));
        }
    }
}

/// An entry that is read as a project path, with headers of stacks that it means.
fn above_root(place: Place, entry: &str, path: &str, headers: impl Iterator<Item = Place>) -> Diagnostic {
    let message = format!("`{entry}` leaves the project root and is read as `{path}`");
    let d =
        Diagnostic::new(&RULE, place, message).replace_with(path, FixStep::SetValue(place, path.to_owned()));
    headers.fold(d, |d, header| d.related(header, "a stack that it includes"))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn it_is_read_from_the_root() {
        let checked = check(
            &RULE,
            "//- /lib/x\n\n//- /w/lib/stack.tm\nstack {\n}\n//- /w/a/stack.tm\nstack {\n  after = [\"../../lib\"]$0\n}\n",
        );
        assert_eq!(
            checked.found(),
            ["/a/stack.tm:2 \"../../lib\": `../../lib` leaves the project root and is read as `/lib`"]
        );
        assert_eq!(checked.related(), ["/lib/stack.tm:1 stack"]);
        assert_eq!(
            checked.fixed(0),
            "//- /w/a/stack.tm\nstack {\n  after = [\"/lib\"]\n}\n"
        );
    }
}
