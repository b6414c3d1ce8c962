//! The language server of applyorder.
