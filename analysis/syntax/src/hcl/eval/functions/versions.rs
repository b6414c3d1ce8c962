//! `version_match`.
//!
//! Source: Terramate 0.17.2, `tm_version_match`: one library without prereleases, another with them.

use super::super::value::{Data, Value};
use super::args::{Args, Fault, Given};
use crate::go::required::{NotRead, is_met};

pub(super) fn version_match(args: &Args<'_>) -> Given {
    let (version, required) = (args.string(0)?, args.string(1)?);
    let allows_prereleases = match args.rest(2) {
        [] => false,
        [flags] => flag(flags)?,
        _ => return Err(Fault::new("invalid number of arguments")),
    };
    let NotRead {
        version: of_version,
        required: of_required,
    } = match is_met(required, version, allows_prereleases) {
        Ok(is_met) => return Ok(Value::bool(is_met)),
        Err(not_read) => not_read,
    };
    let of_version = |what: &str| of_version.map(|why| format!("{what}: {why}"));
    let of_required = of_required.map(|why| format!("invalid constraint: {why}"));
    // Each library validates in its own order.
    let first = match allows_prereleases {
        true => of_version("terramate built with invalid version").or(of_required),
        false => of_required.or_else(|| of_version("invalid version")),
    };
    Err(Fault::new(first.unwrap_or_default()))
}

/// `allow_prereleases`, the only flag.
fn flag(flags: &Value) -> Result<bool, Fault> {
    let Data::Object(fields) = &flags.data else {
        return Err(Fault::open("the flags of the match are not an object"));
    };
    match fields.values().get("allow_prereleases").map(|value| &value.data) {
        Some(Data::Bool(is_on)) => Ok(*is_on),
        Some(_) => Err(Fault::open("`allow_prereleases` is not a bool")),
        None => Err(Fault::new("attribute \"allow_prereleases\" is required")),
    }
}
