//! What the validation of one manifest type looks at: `helmfile` and `oras` (Tazuna G5, schema).

use super::decode::{Obj, Reader, Val};
use super::draft::Draft;
use crate::judge::Stage;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety};
use applyorder_core::rules::{invalid_value, missing_field, nearest};
use applyorder_syntax::template::quote;
use applyorder_syntax::text::Span;

/// Checks the vars of a helmfile block. Tazuna goes through them in no fixed order.
pub(super) fn helmfile(
    reader: &mut Reader<'_, '_>,
    helmfile: &Obj<'_>,
    prefix: &str,
    found: &mut Vec<Draft>,
) {
    let Some(Val::ObjMap(vars)) = helmfile.get("vars") else {
        return;
    };
    for (name, key, var) in vars {
        if let Some((span, problem, words)) = var_problem(var, *key) {
            let place = reader.pen.place(span);
            let mut d = Diagnostic::new(
                &invalid_value::RULE,
                place,
                format!("helmfile var `{name}` {}", problem.ours),
            );
            if let Some(word) = words.and_then(|words| nearest(var.text("from"), words.iter().copied())) {
                d = d.fix(
                    format!("replace by `{word}`"),
                    Safety::Unsafe,
                    vec![FixStep::SetValue(place, word.to_owned())],
                );
            }
            let message = format!(
                "{prefix}helmfile var '{name}' validation failed: helmfile var '{name}' {}",
                problem.theirs
            );
            found.push(Draft::rejected(Stage::Spec, d, message).detail("field", "vars"));
        }
    }
}

struct Problem {
    /// Tazuna's words.
    theirs: String,
    ours: String,
}

fn problem(theirs: &str, ours: &str) -> Problem {
    Problem {
        theirs: theirs.to_owned(),
        ours: ours.to_owned(),
    }
}

const FROM: [&str; 3] = ["env", "static", "op"];
const OP_KEY: [&str; 2] = ["id", "label"];

type Words = Option<&'static [&'static str]>;

fn var_problem(var: &Obj<'_>, key: Span) -> Option<(Span, Problem, Words)> {
    let set = |name: &str| var.slot(name).filter(|s| s.is_set());
    let from = var.word("from").filter(|w| !w.null);
    let from_span = from.map_or(key, |w| w.span);
    let found = match from.map_or("", |w| &*w.text) {
        "" => (
            from_span,
            problem(
                "has no From field, supported From is 'env/static/op'",
                "does not say `from` where its value comes",
            ),
            None,
        ),
        "env" => {
            if set("env").is_some() {
                return None;
            }
            (
                from_span,
                problem("has From env but no env field", "has no `env`"),
                None,
            )
        }
        "static" => {
            let kinds = ["static", "staticSlice", "staticMap"];
            let given: Vec<_> = kinds.into_iter().filter_map(set).collect();
            match given.as_slice() {
                [_] => return None,
                [] => (
                    from_span,
                    problem(
                        "has From static but no static/staticSlice/staticMap field",
                        "has none of `static`, `staticSlice` and `staticMap`",
                    ),
                    None,
                ),
                [_, second, ..] => (
                    second.key,
                    Problem {
                        theirs: format!(
                            "has From static but multiple static fields are set (static: {}, staticSlice: {}, \
                             staticMap: {})",
                            set("static").is_some(),
                            set("staticSlice").is_some(),
                            set("staticMap").is_some()
                        ),
                        ours: "has more than one of `static`, `staticSlice` and `staticMap`".to_owned(),
                    },
                    None,
                ),
            }
        }
        "op" => {
            let Some(op) = var.obj("op") else {
                return Some((
                    from_span,
                    problem("has From op but no op field", "has no `op`"),
                    None,
                ));
            };
            return op_problem(op);
        }
        other => (
            from_span,
            Problem {
                theirs: format!("has unsupported From field: {other}, supported From is 'env/static/op'"),
                ours: format!("cannot come from `{other}`: `env`, `static` or `op`"),
            },
            Some(&FROM[..]),
        ),
    };
    Some(found)
}

fn op_problem(op: &Obj<'_>) -> Option<(Span, Problem, Words)> {
    let word = |name: &str| op.word(name).filter(|w| !w.null);
    for name in ["key", "vault", "item", "field"] {
        if op.text(name).is_empty() {
            let span = word(name).map_or(op.header, |w| w.span);
            let theirs = format!("has From op but op.{name} field is empty");
            return Some((
                span,
                Problem {
                    theirs,
                    ours: format!("has no `op.{name}`"),
                },
                None,
            ));
        }
    }
    let key = word("key")?;
    if OP_KEY.contains(&&*key.text) {
        return None;
    }
    let problem = Problem {
        theirs: format!(
            "has From op but op.key field has invalid value: {} (supported: id, label)",
            key.text
        ),
        ours: format!("has `op.key: {}`, which is neither `id` nor `label`", key.text),
    };
    Some((key.span, problem, None))
}

/// Checks the settings of type `oras`. Tazuna's words follow the `prefix`.
pub(super) fn oras(
    reader: &mut Reader<'_, '_>,
    manifest: &Obj<'_>,
    header: Place,
    prefix: &str,
    found: &mut Vec<Draft>,
) {
    let Some(oras) = manifest.obj("oras") else {
        let d = Diagnostic::new(
            &missing_field::RULE,
            header,
            "a manifest of type `oras` needs `oras`",
        );
        found.push(
            Draft::rejected(
                Stage::Spec,
                d,
                format!("{prefix}oras spec is required for oras manifest"),
            )
            .detail("field", "oras"),
        );
        return;
    };
    let block = manifest.slot("oras").map_or(oras.header, |s| s.key);
    if oras.text("reference").is_empty() {
        let span = oras
            .word("reference")
            .filter(|w| !w.null)
            .map_or(block, |w| w.span);
        let place = reader.pen.place(span);
        let d = Diagnostic::new(&missing_field::RULE, place, "`oras` needs a `reference`");
        found.push(
            Draft::rejected(Stage::Spec, d, format!("{prefix}oras.reference is required"))
                .detail("field", "reference"),
        );
    }
    let delegate = oras.obj("delegate");
    let kind = delegate.map_or("", |d| d.text("type"));
    match (delegate, kind) {
        (Some(delegate), "helmfile") => {
            if let Some(block) = delegate.obj("helmfile") {
                let prefix = format!("{prefix}oras.delegate.helmfile validation failed: ");
                helmfile(reader, block, &prefix, found);
            }
        }
        (_, "kustomize") => {}
        _ => {
            let word = delegate.and_then(|d| d.word("type")).filter(|w| !w.null);
            let span = word.map_or(delegate.map_or(block, |d| d.header), |w| w.span);
            let place = reader.pen.place(span);
            let mut d = Diagnostic::new(
                &invalid_value::RULE,
                place,
                "`oras.delegate.type` must be `helmfile` or `kustomize`",
            );
            if let Some(near) = word.and_then(|_| nearest(kind, ["helmfile", "kustomize"])) {
                d = d.fix(
                    format!("replace by `{near}`"),
                    Safety::Unsafe,
                    vec![FixStep::SetValue(place, near.to_owned())],
                );
            }
            let message = format!(
                "{prefix}oras.delegate.type must be 'helmfile' or 'kustomize', got: {}",
                quote(kind)
            );
            found.push(Draft::rejected(Stage::Spec, d, message).detail("field", "oras.delegate.type"));
        }
    }
}
