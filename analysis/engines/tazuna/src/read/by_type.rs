//! What the validation of one manifest type checks: `helmfile` and `oras` (Tazuna G5, schema).

use super::decode::{Obj, Reader, Val};
use super::fault::{Fault, FaultKind, OrasError, VarError};
use applyorder_core::diagnostic::Place;
use applyorder_syntax::text::Span;

/// Checks the vars of a helmfile block. Tazuna visits them in no fixed order.
pub(super) fn helmfile(
    reader: &mut Reader<'_, '_>,
    helmfile: &Obj<'_>,
    path: &str,
    is_delegate: bool,
    found: &mut Vec<Fault>,
) {
    let Some(Val::ObjMap(vars)) = helmfile.get("vars") else {
        return;
    };
    for (name, key, var) in vars {
        if let Some((span, fault)) = var_fault(var, *key) {
            let place = reader.pen.place(span);
            let kind = FaultKind::HelmfileVar {
                path: path.to_owned(),
                is_delegate,
                name: name.to_string(),
                fault,
            };
            found.push(Fault::new(place, kind));
        }
    }
}

fn var_fault(var: &Obj<'_>, key: Span) -> Option<(Span, VarError)> {
    let set = |name: &str| var.slot(name).filter(|s| s.is_set());
    let from = var.word("from").filter(|w| !w.null);
    let from_span = from.map_or(key, |w| w.span);
    let found = match from.map_or("", |w| &*w.text) {
        "" => (from_span, VarError::NoFrom),
        "env" if set("env").is_some() => return None,
        "env" => (from_span, VarError::NoEnv),
        "static" => {
            let given = ["static", "staticSlice", "staticMap"].map(set);
            let mut keys = given.iter().flatten().map(|slot| slot.key);
            match (keys.next(), keys.next()) {
                (Some(_), None) => return None,
                (None, _) => (from_span, VarError::NoStatic),
                (Some(_), Some(second)) => (second, VarError::ManyStatics(given.map(|slot| slot.is_some()))),
            }
        }
        "op" => match var.obj("op") {
            Some(op) => return op_fault(op),
            None => (from_span, VarError::NoOp),
        },
        other => (from_span, VarError::UnknownFrom(other.to_owned())),
    };
    Some(found)
}

fn op_fault(op: &Obj<'_>) -> Option<(Span, VarError)> {
    let word = |name: &str| op.word(name).filter(|w| !w.null);
    for name in ["key", "vault", "item", "field"] {
        if op.text(name).is_empty() {
            let span = word(name).map_or(op.header, |w| w.span);
            return Some((span, VarError::EmptyOp(name)));
        }
    }
    let key = word("key")?;
    let is_known = matches!(&*key.text, "id" | "label");
    (!is_known).then(|| (key.span, VarError::OpKey(key.text.to_string())))
}

/// Checks the settings of type `oras`.
pub(super) fn oras(
    reader: &mut Reader<'_, '_>,
    manifest: &Obj<'_>,
    header: Place,
    path: &str,
    found: &mut Vec<Fault>,
) {
    let tell = |found: &mut Vec<Fault>, place, fault| {
        let path = path.to_owned();
        found.push(Fault::new(place, FaultKind::Oras { path, fault }));
    };
    let Some(oras) = manifest.obj("oras") else {
        tell(found, header, OrasError::Missing);
        return;
    };
    let block = manifest.slot("oras").map_or(oras.header, |s| s.key);
    if oras.text("reference").is_empty() {
        let written = oras.word("reference").filter(|w| !w.null);
        let place = reader.pen.place(written.map_or(block, |w| w.span));
        tell(found, place, OrasError::NoReference);
    }
    let delegate = oras.obj("delegate");
    let kind = delegate.map_or("", |d| d.text("type"));
    match (delegate, kind) {
        (Some(delegate), "helmfile") => {
            if let Some(block) = delegate.obj("helmfile") {
                helmfile(reader, block, path, true, found);
            }
        }
        (_, "kustomize") => {}
        _ => {
            let word = delegate.and_then(|d| d.word("type")).filter(|w| !w.null);
            let span = word.map_or(delegate.map_or(block, |d| d.header), |w| w.span);
            let place = reader.pen.place(span);
            let fault = OrasError::Delegate {
                kind: kind.to_owned(),
                is_written: word.is_some(),
            };
            tell(found, place, fault);
        }
    }
}
