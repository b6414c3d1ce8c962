//! `invalid-value` in Tazuna's files: values of the right type that Tazuna rejects.

use super::traced;
use crate::judge::Stage;
use crate::read::{FaultKind, OrasError, ProviderError, Text, VarError};
use crate::schema::TYPES;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place};
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_value::RULE;
use applyorder_core::rules::nearest;
use applyorder_syntax::template::quote;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, word);
    source.tell_secrets(found);
}

fn word(place: Place, kind: &FaultKind) -> Option<Wording> {
    let d = |text: String| Diagnostic::new(&RULE, place, text);
    Some(match kind {
        FaultKind::Header { field, wanted, found } => {
            let text = format!("invalid `{field}` `{found}`: expected `{wanted}` or nothing");
            let d = replaced(d(text), place, wanted);
            let theirs = format!("{field} must be {}, got {}", quote(wanted), quote(found));
            Wording::rejected(Stage::Header, d, theirs).detail("field", *field)
        }
        FaultKind::MinimumVersion { text, problem } => {
            const FIELD: &str = "minimumSupportedTazunaVersion";
            let d = d(format!("invalid version `{text}`")).note("`1.4.0`, `v1.4.0` and `1.4` are valid");
            let theirs = format!("spec.{FIELD} {} is not a valid semver: {problem}", quote(text));
            Wording::rejected(Stage::Version, d, theirs).detail("field", FIELD)
        }
        FaultKind::EnvironmentName => {
            let d = d("an environment has no name".to_owned());
            Wording::rejected(Stage::Spec, d, "environment name must not be empty")
                .detail("field", "environments")
        }
        FaultKind::ContextPattern {
            environment,
            index,
            text,
            problem,
        } => {
            let d = d(format!("invalid regular expression `{text}`: {problem}"));
            let of = of_environment(environment.as_deref());
            let theirs = format!("{of}context_matches[{index}] is not a valid regex: {problem}");
            Wording::rejected(Stage::Spec, d, theirs).detail("field", "context_matches")
        }
        FaultKind::ContextMode { environment, mode } => {
            let mut d = d(format!(
                "invalid `context_match_mode` `{mode}`: expected `or` or `and`"
            ));
            let lower = mode.to_ascii_lowercase();
            if matches!(&*lower, "or" | "and") {
                d = replaced(d, place, &lower);
            }
            let of = of_environment(environment.as_deref());
            let theirs = format!("{of}context_match_mode must be 'or' or 'and', got: {mode}");
            Wording::rejected(Stage::Spec, d, theirs).detail("field", "context_match_mode")
        }
        FaultKind::Provider { index, name, fault } => provider(place, *index, name, fault)?,
        FaultKind::ManifestType { written } => manifest_type(written),
        FaultKind::HelmfileVar {
            path,
            is_delegate,
            name,
            fault,
        } => helmfile_var(place, (path, *is_delegate), name, fault),
        FaultKind::Oras {
            path,
            fault: OrasError::Delegate { kind, is_written },
        } => {
            let mut d = d("invalid `oras.delegate.type`: expected `helmfile` or `kustomize`".to_owned());
            if let Some(near) = nearest(kind, ["helmfile", "kustomize"]).filter(|_| *is_written) {
                d = replaced(d, place, near);
            }
            let theirs = format!(
                "oras validation failed for manifest {path}: oras.delegate.type must be 'helmfile' or 'kustomize', got: {}",
                quote(kind)
            );
            Wording::rejected(Stage::Spec, d, theirs).detail("field", "oras.delegate.type")
        }
        _ => return None,
    })
}

fn replaced(d: Diagnostic, place: Place, word: &str) -> Diagnostic {
    d.replace_with(word, FixStep::SetValue(place, word.to_owned()))
}

/// The location of a setting of contexts in Tazuna's messages.
fn of_environment(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("environments[{}].", quote(name)))
}

fn provider(place: Place, index: usize, name: &str, fault: &ProviderError) -> Option<Wording> {
    let of = format!("providers[{index}] ({})", quote(name));
    let (ours, theirs) = match fault {
        ProviderError::Reserved => (
            "invalid provider name `default-op`: the built-in provider has it".to_owned(),
            format!("providers[{index}]: name \"default-op\" is reserved for the built-in provider"),
        ),
        ProviderError::Duplicate(_) => (
            format!("duplicate provider name `{name}`"),
            format!("providers[{index}]: duplicate name {}", quote(name)),
        ),
        ProviderError::OnePassword => (
            "a provider of type `onepassword` is not allowed here: use the built-in `default-op`".to_owned(),
            format!(
                "{of}: explicit \"onepassword\" type is not supported yet; use the built-in \"default-op\""
            ),
        ),
        ProviderError::UnknownType(kind) => (
            format!("unknown provider type `{kind}`"),
            format!("{of}: unsupported provider type {}", quote(kind)),
        ),
        _ => return None,
    };
    let mut d = Diagnostic::new(&RULE, place, ours);
    if let ProviderError::Duplicate(first) = fault {
        d = d.related(*first, "first defined here");
    }
    Some(Wording::rejected(Stage::Spec, d, theirs).detail("field", "providers"))
}

fn manifest_type(written: &Text) -> Wording {
    let kind = &*written.text;
    let text = format!("unknown manifest type `{kind}`");
    let mut d = Diagnostic::new(&RULE, written.shown(), text)
        .note("expected `kustomize`, `helmfile`, `genesissecret` or `oras`");
    let best = nearest(kind, TYPES);
    if let Some(near) = best {
        d = d.label(format!("did you mean `{near}`?"));
    }
    let others = TYPES.iter().copied().filter(|t| Some(*t) != best);
    for word in best.into_iter().chain(others) {
        d = replaced(d, written.place, word);
    }
    let told = Wording::rejected(
        Stage::Spec,
        traced(written, d),
        format!("unsupported manifest type: {kind}"),
    );
    told.detail("field", "type").detail("value", kind)
}

fn helmfile_var(place: Place, (path, is_delegate): (&str, bool), name: &str, fault: &VarError) -> Wording {
    let (ours, theirs) = var(fault);
    let mut d = Diagnostic::new(&RULE, place, format!("helmfile var `{name}` {ours}"));
    if let VarError::UnknownFrom(from) = fault
        && let Some(word) = nearest(from, ["env", "static", "op"])
    {
        d = replaced(d, place, word);
    }
    let of = if is_delegate {
        format!("oras validation failed for manifest {path}: oras.delegate.helmfile validation failed")
    } else {
        format!("helmfile validation failed for manifest {path}")
    };
    let theirs = format!("{of}: helmfile var '{name}' validation failed: helmfile var '{name}' {theirs}");
    Wording::rejected(Stage::Spec, d, theirs).detail("field", "vars")
}

/// The error in a var, in our words and as Tazuna's message.
fn var(fault: &VarError) -> (String, String) {
    let both = |ours: &str, theirs: &str| (ours.to_owned(), theirs.to_owned());
    match fault {
        VarError::NoFrom => both(
            "has no `from`",
            "has no From field, supported From is 'env/static/op'",
        ),
        VarError::NoEnv => both("has no `env`", "has From env but no env field"),
        VarError::NoStatic => both(
            "has none of `static`, `staticSlice` and `staticMap`",
            "has From static but no static/staticSlice/staticMap field",
        ),
        VarError::ManyStatics([one, slice, map]) => (
            "has more than one of `static`, `staticSlice` and `staticMap`".to_owned(),
            format!(
                "has From static but multiple static fields are set (static: {one}, staticSlice: {slice}, staticMap: {map})"
            ),
        ),
        VarError::NoOp => both("has no `op`", "has From op but no op field"),
        VarError::UnknownFrom(from) => (
            format!("has an unknown `from` `{from}`: expected `env`, `static` or `op`"),
            format!("has unsupported From field: {from}, supported From is 'env/static/op'"),
        ),
        VarError::EmptyOp(name) => (
            format!("has no `op.{name}`"),
            format!("has From op but op.{name} field is empty"),
        ),
        VarError::OpKey(key) => (
            format!("has an invalid `op.key` `{key}`: expected `id` or `label`"),
            format!("has From op but op.key field has invalid value: {key} (supported: id, label)"),
        ),
    }
}
