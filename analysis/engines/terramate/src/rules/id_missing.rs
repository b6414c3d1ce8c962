//! `terramate/id-missing`: stack without an `id`.

use std::sync::Arc;

use crate::names::new_id;
use crate::read::Value;
use crate::scope::Directory;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::hcl::edit::quote;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/id-missing",
    severity: Severity::Hint,
    summary: "Stack without an `id`",
    docs: include_str!("../../../../../docs/rules/terramate/id-missing.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    let Some(stack) = dir.stack.and_then(|(_, node)| node.stack()) else {
        return;
    };
    if let (Value::Absent, false, Some(header)) = (&stack.id, stack.gap, dir.header()) {
        found.push(Finding::new(missing(header, &dir.dir.path)));
    }
}

/// The stack at a path.
fn missing(header: Place, path: &Arc<str>) -> Diagnostic {
    let step = FixStep::InsertKeyBefore(header, "id".to_owned(), quote(&new_id(path)));
    Diagnostic::new(&RULE, header, format!("missing `id` of stack `{path}`"))
        .unit(path.clone())
        .fix("add `id`", Safety::Safe, vec![step])
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn an_id_is_made_of_the_path() {
        let checked = check(
            &RULE,
            "//- /w/a/stack.tm\nstack {\n}\n//- /w/b/stack.tm\nstack {\n  id = \"b\"\n}\n",
        );
        assert_eq!(
            checked.found(),
            ["/a/stack.tm:1 stack: missing `id` of stack `/a`"]
        );
        let fixed = checked.fixed(0);
        let id = fixed.split('"').nth(1).unwrap();
        assert!(crate::model::stacks::is_id(id) && id.len() == 36, "{fixed}");
        let groups: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12]);
        assert_eq!(check(&RULE, &fixed).found(), [""; 0]);
    }
}
