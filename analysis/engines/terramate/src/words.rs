//! From a problem in a file to the diagnostic that people see.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks" and "The `stack` block".

use crate::problems::{Among, At, Fault, Problem};
use crate::rules::{import_invalid, stack_function, stack_label, stack_nested_block, stack_variable};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{
    Rule, duplicate_dependency, invalid_value, limit_reached, missing_field, nearest, syntax_error,
    unknown_field, unresolved, wrong_type,
};
use applyorder_syntax::hcl::eval::EvalErrorKind;

/// The diagnostic of a problem; `place` gives the place of an entry of its file's table.
pub(crate) fn diagnostic(problem: &Problem, place: impl Fn(At) -> Place) -> Diagnostic {
    let at = place(problem.at);
    let new = |rule: &'static Rule, message: String| Diagnostic::new(rule, at, message);
    match &problem.fault {
        Fault::Syntax { message, first } => {
            let d = new(&syntax_error::RULE, message.clone());
            match first {
                Some(first) => d.related(place(*first), "first defined here").fix(
                    "remove",
                    Safety::Unsafe,
                    vec![FixStep::RemoveKey(at)],
                ),
                None => d,
            }
        }
        Fault::Truncated(limit) => new(&limit_reached::RULE, format!("{limit}: the rest is not analyzed")),
        Fault::TooLong(limit) => new(&limit_reached::RULE, limit.clone()),
        Fault::Unresolved => new(
            &unresolved::RULE,
            "unknown value: computed only when Terramate runs".to_owned(),
        ),
        Fault::StackLabel => stack_label::found(at),
        Fault::StackBlock(kind) => stack_nested_block::found(at, kind),
        Fault::Evaluation {
            kind,
            attribute,
            message,
            function,
        } => {
            let rule = match kind {
                EvalErrorKind::Variable => &stack_variable::RULE,
                EvalErrorKind::Function | EvalErrorKind::Call => &stack_function::RULE,
                EvalErrorKind::Access | EvalErrorKind::Type | EvalErrorKind::Limit => &wrong_type::RULE,
            };
            let words = format!("failed to evaluate \"{attribute}\" attribute: eval expression: {message}");
            let d = new(rule, message.clone()).engine_message(words);
            match function {
                Some(name) => replaced(d, format!("replace with `tm_{name}`"), format!("tm_{name}")),
                None => d,
            }
        }
        Fault::NoText { path, found, source } => {
            let words = match &**path {
                "stack.name" => format!("field {path} must be a string but given \"{found}\""),
                "stack.description" => {
                    format!("field stack.\"description\" must be a \"string\" but given \"{found}\"")
                }
                _ => format!("field {path} must be a string but is \"{found}\""),
            };
            let message = format!("expected a string as `{path}`, found {found}");
            quoted(
                new(&wrong_type::RULE, message).engine_message(words),
                source.as_deref(),
            )
        }
        Fault::NoList {
            name,
            found,
            source,
            is_text,
            is_set,
        } => {
            let message = format!("expected a list of strings as `{name}`, found {found}");
            let words = format!("field \"{name}\" must be a set(string) but found a \"{found}\"");
            let d = new(&wrong_type::RULE, message).engine_message(words);
            if *is_text {
                d.fix("wrap it in a list", Safety::Unsafe, vec![FixStep::WrapInList(at)])
            } else if *is_set {
                replaced(d, "convert to a list".to_owned(), format!("tm_tolist({source})"))
            } else {
                d
            }
        }
        Fault::NoTextInList {
            name,
            index,
            found,
            source,
        } => {
            let message = format!("expected a string in `{name}`, found {found}");
            let words =
                format!("field \"{name}\" must be a set(string) but element {index} has type \"{found}\"");
            quoted(
                new(&wrong_type::RULE, message).engine_message(words),
                source.as_deref(),
            )
        }
        Fault::DuplicateEntry {
            name,
            index,
            text,
            first,
        } => {
            let words = format!(
                "duplicated entry \"{text}\" in the index {index} of field \"{name}\" of type set(string)"
            );
            new(
                &duplicate_dependency::RULE,
                format!("duplicate entry `{text}` in `{name}`"),
            )
            .severity(Severity::Error)
            .related(place(*first), "first listed here")
            .engine_message(words)
            .fix("remove the entry", Safety::Unsafe, vec![FixStep::RemoveEntry(at)])
        }
        Fault::Unknown {
            what,
            name,
            among,
            known,
            words,
        } => {
            let message = match among {
                Among::File if *what == "block" => format!("unknown block `{name}`"),
                Among::File => format!("unknown {what} `{name}` outside a block"),
                Among::Block(block) => format!("unknown {what} `{name}` in `{block}`"),
                Among::Here => format!("unknown {what} `{name}` here"),
            };
            let d = new(&unknown_field::RULE, message);
            let d = match near(name, known) {
                Some(near) => replaced(
                    d.label(format!("did you mean `{near}`?")),
                    format!("rename to `{near}`"),
                    near.to_owned(),
                ),
                None => d,
            };
            if problem.fatal {
                d.severity(Severity::Error).engine_message(words.clone())
            } else {
                d.severity(Severity::Warning)
            }
        }
        Fault::Missing { name, block, words } => {
            let rule = match &**block {
                "import" => &import_invalid::RULE,
                _ => &missing_field::RULE,
            };
            new(rule, format!("missing field `{name}` in `{block}`")).engine_message(words.clone())
        }
        Fault::LabelCount {
            block,
            takes,
            count,
            words,
        } => {
            let wanted = match takes {
                (0, 0) => "no label".to_owned(),
                (1, 1) => "exactly one label".to_owned(),
                (1, usize::MAX) => "at least one label".to_owned(),
                (least, usize::MAX) => format!("at least {least} labels"),
                (_, most) => format!("at most {most} labels"),
            };
            let message = format!("`{block}` requires {wanted}, found {count}");
            new(&missing_field::RULE, message).engine_message(words.clone())
        }
        Fault::Labels { block, ways, words } => {
            new(&invalid_value::RULE, format!("invalid labels of `{block}`"))
                .note(format!("expected {}", ways.join(", ")))
                .engine_message(words.clone())
        }
        Fault::DuplicateBlock { block, words } => {
            new(&invalid_value::RULE, format!("duplicate block `{block}`")).engine_message(words.clone())
        }
        Fault::Conflict { name, with, words } => {
            new(&invalid_value::RULE, format!("`{name}` conflicts with {with}")).engine_message(words.clone())
        }
        Fault::Value {
            name,
            wanted,
            found,
            is_type,
        } => {
            let rule = if *is_type {
                &wrong_type::RULE
            } else {
                &invalid_value::RULE
            };
            new(rule, format!("expected {wanted} as `{name}`, found {found}"))
                .engine_message(format!("{name} is not {wanted} but {found}"))
        }
    }
}

/// The name that was probably meant.
fn near<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    match name {
        // What others call it.
        "depends_on" | "dependsOn" if known.contains(&"after") => Some("after"),
        _ => nearest(name, known.iter().copied()),
    }
}

fn replaced(d: Diagnostic, title: String, text: String) -> Diagnostic {
    let place = d.place;
    d.fix(title, Safety::Unsafe, vec![FixStep::Replace(place, text)])
}

fn quoted(d: Diagnostic, source: Option<&str>) -> Diagnostic {
    match source {
        Some(source) => replaced(d, "quote the value".to_owned(), format!("\"{source}\"")),
        None => d,
    }
}
