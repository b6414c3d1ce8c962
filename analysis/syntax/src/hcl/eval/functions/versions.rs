//! `version_match`.
//!
//! Source: Terramate 0.17.2, `tm_version_match`: one library without prereleases, another with them.

use super::super::value::{Data, Value};
use super::args::{Args, Fault, Given};
use crate::go::{constraint, version};

pub(super) fn version_match(args: &Args<'_>) -> Given {
    let (version, required) = (args.string(0)?, args.string(1)?);
    let allows_prereleases = match args.rest(2) {
        [] => false,
        [flags] => flag(flags)?,
        _ => return Err(Fault::new("invalid number of arguments")),
    };
    let failed = |what: &str, why: &str| Fault::new(format!("{what}: {why}"));
    let is_met = if allows_prereleases {
        let version = constraint::Version::parse(version)
            .ok_or_else(|| failed("terramate built with invalid version", version))?;
        let required =
            constraint::Constraints::parse(required).map_err(|why| failed("invalid constraint", &why))?;
        required.admit(&version)
    } else {
        let required =
            version::Constraints::parse(required).map_err(|why| failed("invalid constraint", &why))?;
        let version = version::Version::semantic(version).map_err(|why| failed("invalid version", &why))?;
        required.admit(&version)
    };
    Ok(Value::bool(is_met))
}

/// `allow_prereleases`, the only flag there is.
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
