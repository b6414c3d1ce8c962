//! What clients ask: one file per request. Each converts positions in, asks the analysis, and converts out.

pub(crate) mod call_hierarchy;
pub(crate) mod code_action;
pub(crate) mod code_lens;
pub(crate) mod code_lens_resolve;
mod command_arguments;
pub(crate) mod completion;
pub(crate) mod completion_resolve;
pub(crate) mod definition;
pub(crate) mod diagnostic;
pub(crate) mod document_highlight;
pub(crate) mod document_link;
pub(crate) mod document_symbol;
pub(crate) mod execute_command;
pub(crate) mod folding_range;
pub(crate) mod graph;
pub(crate) mod hover;
pub(crate) mod inlay_hint;
pub(crate) mod prepare_rename;
pub(crate) mod references;
pub(crate) mod rename;
pub(crate) mod selection_range;
pub(crate) mod semantic_tokens;
pub(crate) mod signature_help;
pub(crate) mod will_rename_files;
pub(crate) mod workspace_diagnostic;
pub(crate) mod workspace_symbol;

use applyorder_analysis::diagnostic::FileId;
use tower_lsp_server::ls_types::Position;

use crate::params::Document;
use crate::snapshot::Snapshot;

/// The file and byte offset that a position means; `None` for a file the analysis does not know.
fn place(snapshot: &Snapshot, document: &Document, position: Position) -> Option<(FileId, u32)> {
    let file = snapshot.file(&document.uri)?;
    Some((file, snapshot.convert().offset(file, position)?))
}
