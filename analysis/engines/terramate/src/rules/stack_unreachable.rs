//! `terramate/stack-unreachable`: stack that is never loaded.

use crate::load::skipped_stacks::SkippedStack;
use crate::read::FileFacts;
use crate::scope::Whole;
use applyorder_core::diagnostic::{Diagnostic, FileId, Place, Severity};
use applyorder_core::engine::Cx;
use applyorder_core::layer::{Finding, Fingerprint};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-unreachable",
    severity: Severity::Warning,
    summary: "Stack that is never loaded",
    docs: include_str!("../../../../../docs/rules/terramate/stack-unreachable.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per file that declares a stack that Terramate does not load.
pub(super) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let (scope, cx) = (&whole.scope, whole.cx);
    for hidden in &scope.tree.skipped_stacks {
        let place = if hidden.is_json {
            declares_stack(cx, hidden).then_some(Place::file(hidden.file))
        } else {
            let facts = cx.read::<FileFacts>(hidden.file).ok();
            let stack = facts.and_then(|read| Some(read.facts.shape.stacks.first()?.header));
            stack.map(|header| scope.at(hidden.file, header))
        };
        let Some(place) = place else { continue };
        let d = Diagnostic::new(&RULE, place, format!("stack is never loaded: {}", hidden.why));
        let skip = hidden.skip.map(Place::file);
        found.push(Finding::new(match skip {
            Some(skip) => d.related(skip, "skips this directory"),
            None => d,
        }));
    }
}

fn declares_stack(cx: &Cx<'_>, hidden: &SkippedStack) -> bool {
    let Ok((_, source)) = cx.source(&hidden.path) else {
        return false;
    };
    let key = JsonKey(hidden.file, Fingerprint::of(&*source.text));
    *cx.memo().get(key, || {
        let value: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(&source.text);
        value.is_ok_and(|top| top.contains_key("stack"))
    })
}

/// Whether a JSON text declares a stack.
#[derive(PartialEq, Eq, Hash)]
struct JsonKey(FileId, Fingerprint);

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn where_terramate_does_not_look() {
        let checked = check(
            &RULE,
            "//- /w/.old/deep/stack.tm\nstack {\n}\n//- /w/.old/other.tm\nglobals {\n}\n\
             //- /w/off/.tmskip\n\n//- /w/off/stack.tm.hcl\nstack {\n}\n//- /w/off/x/s.tm\nstack {\n}\n\
             //- /w/a/stack.tm.json\n{\"stack\": {}}\n//- /w/a/globals.tm.json\n{\"globals\": {}}\n\
             //- /w/a/stack.tm\nstack {\n}\n//- /w/a/.terraform/stack.tm\nstack {\n}\n",
        );
        let never = "stack is never loaded:";
        assert_eq!(
            checked.found(),
            [
                format!("/.old/deep/stack.tm:1 stack: {never} `/.old` is skipped: hidden"),
                format!("/a/stack.tm.json:1 {{\"stack\": {{}}}}: {never} Terramate does not read JSON"),
                format!("/off/stack.tm.hcl:1 stack: {never} `/off` contains `.tmskip`"),
                format!("/off/x/s.tm:1 stack: {never} `/off` contains `.tmskip`"),
            ]
        );
    }
}
