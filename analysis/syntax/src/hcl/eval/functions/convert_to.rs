//! `tostring`, `tolist` and the like.

use std::sync::Arc;

use super::super::convert::convert;
use super::super::types::Type;
use super::super::value::Value;
use super::{Args, Fault, Given};

fn to(args: &Args<'_>, wanted: &Type) -> Given {
    let value = args.get(0)?;
    let entries = value.elements().map_or(0, <[Value]>::len);
    if args.budget.left() < u64::try_from(entries).unwrap_or(u64::MAX) {
        // Work that takes more steps than are left is not started.
        args.spend(entries)?;
    }
    convert(value, wanted).map_err(Fault::Fails)
}

pub(super) fn string(args: &Args<'_>) -> Given {
    to(args, &Type::String)
}

pub(super) fn number(args: &Args<'_>) -> Given {
    to(args, &Type::Number)
}

pub(super) fn bool(args: &Args<'_>) -> Given {
    to(args, &Type::Bool)
}

pub(super) fn list(args: &Args<'_>) -> Given {
    to(args, &Type::List(Arc::new(Type::Dynamic)))
}

pub(super) fn set(args: &Args<'_>) -> Given {
    to(args, &Type::Set(Arc::new(Type::Dynamic)))
}

pub(super) fn map(args: &Args<'_>) -> Given {
    to(args, &Type::Map(Arc::new(Type::Dynamic)))
}
