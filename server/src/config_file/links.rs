//! `textDocument/documentLink` in the configuration: the files that it names.

use applyorder_analysis::files::{DiskFiles, FileKind, Files, clean};
use camino::Utf8Path;
use tower_lsp_server::ls_types::DocumentLink;

use super::ConfigFile;
use super::outline::{Step, What};
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
        let Some(config) = ConfigFile::of(snapshot, &params.text_document.uri) else {
            return Ok(None);
        };
        let path = snapshot.analysis.path(config.file);
        let dir = path.parent().unwrap_or(Utf8Path::new("/"));
        let disk = DiskFiles::default();
        let convert = snapshot.convert();
        let mut links = Vec::new();
        for word in config.outline.words.iter().filter(|w| w.what == What::Value) {
            if call.is_cancelled() {
                return Ok(None);
            }
            let path = config.outline.path(word.node);
            let is_path = config.schema.at(path.iter().copied()).is_path()
                || matches!(path.split_last(), Some((Step::Element, list)) if config.schema.at(list.iter().copied()).is_path());
            let target = clean(dir.join(&word.text).as_str());
            // Editors open files; a directory that is named has nothing to be shown.
            if is_path && disk.kind(&target, true) == Some(FileKind::File) {
                // Without the quotes.
                let span = word.inner(config.text);
                links.push(DocumentLink {
                    range: convert.range(config.file, span),
                    target: convert::uri(&convert::uri_of(&target)),
                    tooltip: None,
                    data: None,
                });
            }
        }
        Ok(Some(links))
    }
}
