//! The list of the engines that applyorder knows: the only place that names them.

use applyorder_core::engine::{Engine, Engines};

/// Every engine, in the order of tables.
#[must_use]
pub const fn all() -> Engines {
    static ALL: [&dyn Engine; 5] = [
        &applyorder_tazuna::ENGINE,
        &applyorder_terramate::ENGINE,
        &applyorder_kapp::ENGINE,
        &applyorder_ankaios::ENGINE,
        &applyorder_spacelift::ENGINE,
    ];
    Engines::new(&ALL)
}
