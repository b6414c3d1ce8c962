//! Entries of `wants` and `wanted_by` that affect one command and not another.
//!
//! Source: Terramate 0.17.2, "Selection": `run` applies them, `list` never does.

use crate::read::Attribute;
use crate::scope::Whole;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::inert_dependency::RULE;

/// Under flags that limit the run: the entries that make `run` work on more stacks than `list` shows.
pub(super) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let scope = whole.scope;
    let Ok(flags) = &*scope.related.selection.flags else {
        return;
    };
    if flags.is_empty() || scope.model.unknowns.why.is_some() {
        return;
    }
    let chosen = scope.related.selection.by_flags(scope.stacks);
    let mut run = chosen.clone();
    scope.related.selection.wants.close(&mut run);
    let is = |set: &[bool], stack: u32| set.get(stack as usize) == Some(&true);
    for (stack, node) in scope.stacks.iter() {
        for entry in scope.entries.of(stack).filter(|e| !e.attribute.orders()) {
            let brings: Vec<u32> = match entry.attribute {
                Attribute::Wants if is(&run, stack) => {
                    let targets = entry.targets.iter().map(|t| t.0);
                    targets.filter(|t| !is(&chosen, *t)).collect()
                }
                Attribute::WantedBy if !is(&chosen, stack) && entry.targets.iter().any(|t| is(&run, t.0)) => {
                    vec![stack]
                }
                _ => continue,
            };
            let Some(first) = brings.first().and_then(|s| scope.stacks.get(*s)) else {
                continue;
            };
            let more = match brings.len() {
                1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            found.push(Finding::new(
                Diagnostic::new(
                    &RULE,
                    scope.place(node, entry),
                    format!(
                        "this entry selects `{}`{more} in `run`, not in `list`",
                        first.path
                    ),
                )
                .unit(node.path.clone())
                .unit(entry.text.clone())
                .note("`list` ignores `wants` and `wanted_by`"),
            ));
        }
    }
}
#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check_with;
    use applyorder_core::engine::RunOptions;

    fn found(tags: &str) -> Vec<String> {
        let options = RunOptions {
            tags: vec![tags.to_owned()],
            ..RunOptions::default()
        };
        let files = "//- /w/a/stack.tm\nstack {\n  tags = [\"a\"]\n  wants = [\"/b\"]\n}\n\
             //- /w/b/stack.tm\nstack {\n  tags = [\"b\"]\n}\n\
             //- /w/c/stack.tm\nstack {\n  tags = [\"c\"]\n  wanted_by = [\"/b\"]\n}\n";
        check_with(&RULE, files, options).found()
    }

    #[test]
    fn entries_that_only_run_looks_at() {
        let how = "in `run`, not in `list`";
        assert_eq!(
            found("a"),
            [
                format!("/a/stack.tm:3 \"/b\": this entry selects `/b` {how}"),
                format!("/c/stack.tm:3 \"/b\": this entry selects `/c` {how}"),
            ]
        );
        assert_eq!(found("b").len(), 1);
        assert_eq!(found("c"), [""; 0]);
        assert_eq!(found("a,b,c"), [""; 0], "both commands select all");
    }
}
