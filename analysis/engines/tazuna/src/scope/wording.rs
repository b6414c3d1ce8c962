//! The finding of a rule for a fault, and where Tazuna reaches it.

use crate::judge::Stage;
use applyorder_core::diagnostic::Diagnostic;

/// The number of findings of one entry that are ordered among each other.
const FINE: u32 = 64;

fn fine(k: usize) -> u32 {
    u32::try_from(k).unwrap_or(FINE).min(FINE - 1)
}

/// The rank of the `k`th fault before the entries of a list, in Tazuna's order.
pub(super) fn in_head(k: usize) -> u32 {
    fine(k)
}

/// The rank of the `k`th fault of an entry, by the number of the entry.
pub(crate) fn of_item(item: u32, k: usize) -> u32 {
    item.saturating_add(1)
        .saturating_mul(FINE)
        .saturating_add(fine(k))
}

/// The rank of the `k`th fault after the entries.
pub(crate) fn behind(k: usize) -> u32 {
    u32::MAX - FINE + fine(k)
}

/// The entry that [`of_item`] was asked for.
pub(crate) fn unit_of(at: u32) -> u32 {
    (at / FINE).saturating_sub(1)
}

/// The finding of a rule for a fault; its places are local.
pub(crate) struct Wording {
    pub(crate) diagnostic: Diagnostic,
    /// The stage at which Tazuna rejects it, if the file is a root.
    pub(super) stage: Option<Stage>,
    /// Further keys of the engine's error.
    pub(super) details: Vec<(&'static str, String)>,
}

impl Wording {
    /// Not reported by Tazuna.
    pub(crate) fn silent(diagnostic: Diagnostic) -> Self {
        Self {
            diagnostic,
            stage: None,
            details: Vec::new(),
        }
    }

    /// Rejected by Tazuna at a stage, with its own message.
    pub(crate) fn rejected(stage: Stage, diagnostic: Diagnostic, message: impl Into<String>) -> Self {
        Self {
            diagnostic: diagnostic.engine_message(message),
            stage: Some(stage),
            details: Vec::new(),
        }
    }

    /// With a further key of the engine's error.
    pub(crate) fn detail(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.details.push((key, value.into()));
        self
    }
}

/// The placeholder in Tazuna's messages about a template for the file, which has another path for each root.
pub(crate) const NAMELESS: &str = "{file}";

/// Tazuna's message about the template of a file, with the path that it has for a root.
pub(super) fn with_path(words: &str, path: &str) -> String {
    words.replacen(NAMELESS, path, 1)
}
