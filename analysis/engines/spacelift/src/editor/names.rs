//! Which names blocks, locals and variables can have.

use applyorder_syntax::hcl::is_identifier;

/// Whether a text can be the name of a block.
pub(crate) fn check(name: &str) -> Result<(), String> {
    if is_identifier(name) {
        Ok(())
    } else {
        Err("a name begins with a letter or `_` and goes on with letters, digits, `_` and `-`".to_owned())
    }
}
