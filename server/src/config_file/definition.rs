//! `textDocument/definition` in the configuration: the units that an expectation names, and the files.

use applyorder_analysis::config_file::{What, matching, paths};
use applyorder_analysis::files::{DiskFiles, FileKind, Files};
use applyorder_analysis::ide::FileSpan;
use applyorder_analysis::ide::definition::Destination;
use tower_lsp_server::ls_types::GotoDefinitionResponse;

use super::asked;
use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::requests::definition::answered;
use crate::snapshot::Snapshot;

/// How many units of a pattern are shown.
const MOST: usize = 1_000;

pub(crate) struct ConfigDefinitions;

impl RequestHandler for ConfigDefinitions {
    const METHOD: &'static str = "textDocument/definition";
    type Params = AtPosition;
    type Answer = Option<GotoDefinitionResponse>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPosition, _: &Call) -> Result<Self::Answer, String> {
        let Some(config) = asked(snapshot, &params.text_document.uri) else {
            return Ok(None);
        };
        let convert = snapshot.convert();
        let Some(offset) = convert.offset(config.file, params.position) else {
            return Ok(None);
        };
        let word = config
            .outline
            .word_at(offset)
            .filter(|word| word.what == What::Value);
        let Some(word) = word else { return Ok(None) };
        let analysis = &snapshot.analysis;
        let destinations: Vec<Destination> = if config.names_units(word.node) {
            let units = matching(analysis, &config, &word.text).into_iter().take(MOST);
            let places = units.map(|named| FileSpan::of(analysis, named.unit.place()));
            places.map(Destination::Place).collect()
        } else {
            let disk = DiskFiles::default();
            let named = paths(&config).into_iter();
            let here = named.filter(|path| path.span == word.inner(config.text));
            // Editors open files; a directory that is named has nothing to be shown.
            here.filter(|path| disk.kind(&path.target, true) == Some(FileKind::File))
                .map(|path| Destination::File(path.target))
                .collect()
        };
        let from = (config.file, word.inner(config.text));
        Ok(answered(snapshot, from, destinations))
    }
}
