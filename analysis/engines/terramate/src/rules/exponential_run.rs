//! `terramate/exponential-run`: subset of stacks that takes exponentially long to order.

use std::sync::Arc;

use crate::scope::Whole;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/exponential-run",
    severity: Severity::Warning,
    summary: "Subset of stacks that takes exponentially long to order",
    docs: include_str!("../../../../../docs/rules/terramate/exponential-run.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Counts the paths through the graph, which Terramate walks when it reduces the graph to a selection.
pub(super) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let scope = &whole.scope;
    let most = scope.related.most_paths;
    found.extend(most.and_then(|(most, stack)| {
        let header = scope.header(stack)?;
        Some(Finding::new(paths(header, scope.stacks.path(stack), most)))
    }));
}

/// The stack with the most paths to it.
fn paths(header: Place, path: Arc<str>, paths: u64) -> Diagnostic {
    let count = if paths > 1_000_000_000_000 {
        "over a billion".to_owned()
    } else {
        format!("{paths}")
    };
    let message = format!(
        "{count} paths of `after` and `before` lead to `{path}`: running a subset of stacks may take very long"
    );
    Diagnostic::new(&RULE, header, message).unit(path)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn paths_are_counted_not_stacks() {
        // Each of a rank runs after each of the rank before: the paths multiply.
        let ranks = |count: usize| {
            let mut files = String::new();
            for rank in 0..count {
                for n in 0..4 {
                    let after = match rank {
                        0 => String::new(),
                        _ => format!("  after = [\"/r{:02}\"]\n", rank - 1),
                    };
                    files.push_str(&format!("//- /w/r{rank:02}/s{n}/stack.tm\nstack {{\n{after}}}\n"));
                }
            }
            files
        };
        assert_eq!(check(&RULE, &ranks(8)).found(), [""; 0]);
        assert_eq!(check(&RULE, &ranks(14)).found().len(), 1);
    }
}
