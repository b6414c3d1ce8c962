//! `workspace/willRenameFiles`

use applyorder_analysis::config_file;
use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::Move;
use applyorder_analysis::ide::moved;
use applyorder_analysis::syntax::text::TextEdit;
use tower_lsp_server::ls_types::WorkspaceEdit;

use crate::call::Call;
use crate::convert::path_of;
use crate::handler::RequestHandler;
use crate::params::RenameFilesParams;
use crate::snapshot::Snapshot;

pub(crate) struct WillRenameFiles;

impl RequestHandler for WillRenameFiles {
    const METHOD: &'static str = "workspace/willRenameFiles";
    const OF_EVERYTHING: bool = true;
    type Params = RenameFilesParams;
    type Answer = Option<WorkspaceEdit>;

    fn document(_: &RenameFilesParams) -> Option<&str> {
        None
    }

    fn answer(
        snapshot: &Snapshot,
        params: RenameFilesParams,
        _: &Call,
    ) -> Result<Option<WorkspaceEdit>, String> {
        let mut all: Vec<(FileId, Vec<TextEdit>)> = Vec::new();
        for renamed in &params.files {
            let (Some(from), Some(to)) = (path_of(&renamed.old_uri), path_of(&renamed.new_uri)) else {
                continue;
            };
            for (_, project) in snapshot.analysis.projects() {
                for (file, edits) in moved::moved(&snapshot.analysis, project, &from, &to).edits {
                    add(&mut all, file, edits);
                }
            }
            let change = Move { from: &from, to: &to };
            for (file, edits) in config_file::moved(&snapshot.analysis, change).edits {
                add(&mut all, file, edits);
            }
        }
        if all.is_empty() {
            return Ok(None);
        }
        let versioned = snapshot.supports.document_changes;
        Ok(Some(snapshot.convert().workspace_edit(&all, versioned)))
    }
}

/// Adds edits to those of a file; one that overlaps an earlier one is left out.
fn add(all: &mut Vec<(FileId, Vec<TextEdit>)>, file: FileId, edits: Vec<TextEdit>) {
    let Some((_, known)) = all.iter_mut().find(|(f, _)| *f == file) else {
        all.push((file, edits));
        return;
    };
    for edit in edits {
        if !known.iter().any(|k| *k == edit || k.span.overlaps(edit.span)) {
            known.push(edit);
        }
    }
    known.sort_by_key(|e| e.span);
}
