//! `textDocument/codeAction`: a quick fix for each fix of a finding, and one action for all safe ones of a file.

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::ide::code_actions::{self, Action};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::Range;

use crate::call::Call;
use crate::diagnostics::plain;
use crate::handler::RequestHandler;
use crate::object::set;
use crate::params::{ActionContext, CodeActionParams};
use crate::snapshot::Snapshot;

pub(crate) struct CodeActions;

const QUICK_FIX: &str = "quickfix";
const FIX_ALL: &str = "source.fixAll.applyorder";

impl RequestHandler for CodeActions {
    const METHOD: &'static str = "textDocument/codeAction";
    const OF_EVERYTHING: bool = true;
    type Params = CodeActionParams;
    type Answer = Option<Vec<Value>>;

    fn document(params: &CodeActionParams) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(
        snapshot: &Snapshot,
        params: CodeActionParams,
        call: &Call,
    ) -> Result<Option<Vec<Value>>, String> {
        let convert = snapshot.convert();
        let file = snapshot.file(&params.text_document.uri);
        let Some((file, span)) = file.and_then(|f| Some((f, convert.span(f, params.range)?))) else {
            return Ok(None);
        };
        let mut out = Vec::new();
        if is_wanted(&params.context, QUICK_FIX) {
            let shown = shown(&params.context);
            for action in code_actions::code_actions(&snapshot.analysis, file, span) {
                if call.is_cancelled() {
                    return Ok(None);
                }
                out.push(quick_fix(snapshot, &shown, file, &action));
            }
        }
        if is_wanted(&params.context, QUICK_FIX) {
            for (finding, edit) in code_actions::ignores(&snapshot.analysis, file, span) {
                if call.is_cancelled() {
                    return Ok(None);
                }
                let edits = vec![(file, vec![edit])];
                out.push(json!({
                    "title": format!("Ignore {} here", finding.diagnostic.rule.id),
                    "kind": QUICK_FIX,
                    "edit": convert.workspace_edit(&edits, snapshot.supports.document_changes),
                }));
            }
        }
        if is_wanted(&params.context, FIX_ALL) {
            let edits = code_actions::fix_all(&snapshot.analysis, file);
            if !edits.is_empty() {
                out.push(json!({
                    "title": "Apply all safe fixes",
                    "kind": FIX_ALL,
                    "edit": convert.workspace_edit(&edits, snapshot.supports.document_changes),
                }));
            }
        }
        Ok(Some(out))
    }
}

/// Whether the client requests actions of a kind: it names the kind or one that contains it.
fn is_wanted(context: &ActionContext, kind: &str) -> bool {
    let Some(only) = &context.only else { return true };
    only.iter().any(|wanted| {
        // The empty kind contains all others.
        wanted.is_empty()
            || kind
                .strip_prefix(wanted.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// The client's own copies of diagnostics, by their code and range.
type Shown<'c> = FxHashMap<(&'c str, Range), Vec<&'c Value>>;

fn shown(context: &ActionContext) -> Shown<'_> {
    let mut shown = Shown::default();
    for diagnostic in &context.diagnostics {
        let code = diagnostic.get("code").and_then(Value::as_str);
        let range = diagnostic.get("range").and_then(|r| Range::deserialize(r).ok());
        if let Some(key) = code.zip(range) {
            shown.entry(key).or_default().push(diagnostic);
        }
    }
    shown
}

fn quick_fix(snapshot: &Snapshot, shown: &Shown<'_>, file: FileId, action: &Action<'_>) -> Value {
    let convert = snapshot.convert();
    let finding = action.finding.diagnostic;
    let range = convert.range(file, snapshot.analysis.span(finding.place));
    // The client's own copy, so that it can tell which one is fixed.
    let fixed = shown.get(&(finding.rule.id, range));
    let mut title = sentence_case(&plain(&action.fix.title));
    if action.closes_cycle {
        title.push_str(" (closes a cycle)");
    }
    let mut out = json!({
        "title": title,
        "kind": QUICK_FIX,
        "edit": convert.workspace_edit(&action.edits, snapshot.supports.document_changes),
        "isPreferred": action.preferred,
    });
    if let Some(fixed) = fixed {
        set(&mut out, "diagnostics", json!(fixed));
    }
    out
}

fn sentence_case(title: &str) -> String {
    let mut chars = title.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower_lsp_server::ls_types::Position;

    #[test]
    fn kinds_are_wanted_by_prefix() {
        let only = |list: &[&str]| ActionContext {
            only: Some(list.iter().map(|s| (*s).to_owned()).collect()),
            diagnostics: Vec::new(),
        };
        assert!(is_wanted(&ActionContext::default(), QUICK_FIX));
        assert!(is_wanted(&only(&["source.fixAll"]), FIX_ALL));
        assert!(is_wanted(&only(&["source"]), FIX_ALL));
        assert!(is_wanted(&only(&[""]), FIX_ALL) && is_wanted(&only(&[""]), QUICK_FIX));
        assert!(!is_wanted(&only(&["source.fix"]), FIX_ALL));
        assert!(!is_wanted(&only(&["source"]), QUICK_FIX));
    }

    #[test]
    fn a_diagnostic_is_known_whatever_the_order_of_its_keys() {
        let range = r#"{"end": {"character": 3, "line": 2}, "start": {"character": 1, "line": 2}}"#;
        let text = format!(r#"{{"range": {range}, "code": "a-rule"}}"#);
        let context = ActionContext {
            only: None,
            diagnostics: vec![serde_json::from_str(&text).unwrap()],
        };
        let range = Range::new(Position::new(2, 1), Position::new(2, 3));
        assert_eq!(shown(&context).get(&("a-rule", range)).map(Vec::len), Some(1));
    }
}
