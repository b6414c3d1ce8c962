//! The commands that a client can have executed.

/// Lists units: `{ uri, here }`, or those around one: `{ uri, unit, of }` with `layer`, `after`, `beside` or `before`.
pub(crate) const LIST: &str = "applyorder.list";
/// Says why one unit runs before another: `{ uri, a, b }`.
pub(crate) const WHY: &str = "applyorder.why";
/// Opens the picture of the order of a document's project: `{ uri }`. The client shows it; the server answers with it.
pub(crate) const GRAPH: &str = "applyorder.graph";
/// Chooses what runs are limited to: environments, tags and other options by the names of their settings.
pub(crate) const SELECT: &str = "applyorder.select";

/// All of them.
pub(crate) const ALL: [&str; 4] = [GRAPH, LIST, WHY, SELECT];
