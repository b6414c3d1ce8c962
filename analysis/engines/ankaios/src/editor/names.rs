//! Valid names.

use crate::read::fields::{MAX_NAME, is_name};

/// Whether a workload or config can have a name.
pub(crate) fn check(name: &str) -> Result<(), String> {
    if name.is_empty() {
        Err("a name must not be empty".to_owned())
    } else if !is_name(name) {
        Err(format!(
            "invalid name `{name}`: use only letters, digits, `_` and `-`"
        ))
    } else if name.len() > MAX_NAME {
        Err(format!(
            "name is too long: {} characters, maximum {MAX_NAME}",
            name.len()
        ))
    } else {
        Ok(())
    }
}
