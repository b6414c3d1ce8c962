//! `textDocument/documentLink` in the configuration: the files that it names.

use applyorder_analysis::config_file::paths;
use applyorder_analysis::files::{DiskFiles, FileKind, Files};
use tower_lsp_server::ls_types::DocumentLink;

use super::asked;
use crate::call::Call;
use crate::convert;
use crate::handler::RequestHandler;
use crate::params::OfDocument;
use crate::snapshot::Snapshot;

pub(crate) struct ConfigLinks;

impl RequestHandler for ConfigLinks {
    const METHOD: &'static str = "textDocument/documentLink";
    type Params = OfDocument;
    type Answer = Option<Vec<DocumentLink>>;

    fn document(params: &OfDocument) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(
        snapshot: &Snapshot,
        params: OfDocument,
        call: &Call,
    ) -> Result<Option<Vec<DocumentLink>>, String> {
        let Some(config) = asked(snapshot, &params.text_document.uri) else {
            return Ok(None);
        };
        let disk = DiskFiles::default();
        let convert = snapshot.convert();
        let mut links = Vec::new();
        for path in paths(&config) {
            if call.is_cancelled() {
                return Ok(None);
            }
            // Editors open files; a directory that is named has nothing to be shown.
            if disk.kind(&path.target, true) == Some(FileKind::File) {
                links.push(DocumentLink {
                    range: convert.range(config.file, path.span),
                    target: convert::uri(&convert::uri_of(&path.target)),
                    tooltip: None,
                    data: None,
                });
            }
        }
        Ok(Some(links))
    }
}
