mod known;
mod logic;
mod marks;
mod oracle;
mod read;
mod semantics;
mod three_valued;

use super::*;
use crate::hcl::{Tree, parse};

/// A value in one line: `"a"`, `tuple[1,2]`, `set of string["a"]`, `unknown`.
pub(super) fn show(value: &Value) -> String {
    let name = match &value.data {
        Data::Tuple(_) => "tuple".to_owned(),
        Data::Object(_) => "object".to_owned(),
        _ => value.type_name(),
    };
    match &value.data {
        Data::Null(ty) => format!("null of {ty}"),
        Data::Unknown(_) => "unknown".to_owned(),
        Data::Bool(b) => b.to_string(),
        Data::Number(n) => n.text().unwrap_or_else(|| "rounded".to_owned()),
        Data::String(text) => format!("{text:?}"),
        _ => match (value.elements(), value.members()) {
            (Some(elements), _) => {
                format!(
                    "{name}[{}]",
                    elements.iter().map(show).collect::<Vec<_>>().join(",")
                )
            }
            (_, Some(members)) => {
                let members: Vec<String> = members.iter().map(|(k, v)| format!("{k}={}", show(v))).collect();
                format!("{name}{{{}}}", members.join(","))
            }
            _ => name,
        },
    }
}

/// `var.s`, `var.n`, `var.b`, `var.l` and `var.m` as seen by an engine that knows only their types; `var.any`
/// is of any type.
fn of_known_type(traversal: Traversal<'_>) -> Value {
    let strings = std::sync::Arc::new(Type::String);
    let ty = match traversal.steps.first().map(|step| &step.kind) {
        Some(StepKind::Attr("s")) => Type::String,
        Some(StepKind::Attr("n")) => Type::Number,
        Some(StepKind::Attr("b")) => Type::Bool,
        Some(StepKind::Attr("l")) => Type::List(strings),
        Some(StepKind::Attr("m")) => Type::Map(strings),
        _ => Type::Dynamic,
    };
    Unknown {
        known: Known::Type,
        ..Unknown::new("it is not known", ty)
    }
    .into()
}

pub(super) fn tree(expr: &str) -> Tree {
    let tree = parse(&format!("x = {expr}\n"));
    assert!(tree.is_clean(), "{expr}: {:?}", tree.errors());
    tree
}

pub(super) fn run_in(expr: &str, scope: &dyn Scope) -> Outcome {
    let tree = tree(expr);
    evaluate(
        tree.body().attribute("x").unwrap().value(),
        7,
        scope,
        &Budget::default(),
    )
}

pub(super) fn run(expr: &str) -> Outcome {
    run_in(expr, &NoVariables::default())
}

/// The value of an expression without error.
pub(super) fn value(expr: &str) -> String {
    let outcome = run(expr);
    assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
    show(&outcome.value)
}

/// The source at the place of the only error, and its kind.
pub(super) fn only_error(expr: &str) -> (EvalErrorKind, String) {
    let outcome = run(expr);
    let text = format!("x = {expr}\n");
    assert_eq!(outcome.errors.len(), 1, "{expr}: {:?}", outcome.errors);
    assert!(outcome.value.as_unknown().is_some(), "{expr}");
    assert_eq!(outcome.errors[0].place.file, 7);
    (
        outcome.errors[0].kind,
        outcome.errors[0].place.span.slice(&text).to_owned(),
    )
}
