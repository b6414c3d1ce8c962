//! Ids and tags that stacks could have.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// An id for the stack at a path: a UUID of the free form (version 8), made from the path, so that the same
/// project always gets the same.
pub(crate) fn new_id(path: &str) -> String {
    let half = |salt: u64| {
        let mut hasher = FxHasher::default();
        salt.hash(&mut hasher);
        path.hash(&mut hasher);
        hasher.finish()
    };
    let (high, low) = (half(1), half(2));
    format!(
        "{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    )
}

/// An allowed tag made from one that is not allowed.
pub(crate) fn better_tag(tag: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase() || "._/-".contains(c);
    let replaced: String = tag
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| if allowed(c) { c } else { '-' })
        .collect();
    let better = replaced.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    (!better.is_empty()).then(|| better.to_owned())
}
