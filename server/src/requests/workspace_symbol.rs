//! `workspace/symbol`

use applyorder_analysis::ide::symbols;
use tower_lsp_server::ls_types::{OneOf, SymbolKind, WorkspaceSymbol};

use crate::call::Call;
use crate::handler::RequestHandler;
use crate::params::WorkspaceSymbolParams;
use crate::snapshot::Snapshot;

/// The limit of symbols.
const MOST: usize = 500;

pub(crate) struct WorkspaceSymbols;

impl RequestHandler for WorkspaceSymbols {
    const METHOD: &'static str = "workspace/symbol";
    type Params = WorkspaceSymbolParams;
    type Answer = Vec<WorkspaceSymbol>;

    fn document(_: &WorkspaceSymbolParams) -> Option<&str> {
        None
    }

    fn answer(
        snapshot: &Snapshot,
        params: WorkspaceSymbolParams,
        _: &Call,
    ) -> Result<Vec<WorkspaceSymbol>, String> {
        let convert = snapshot.convert();
        let found = symbols::workspace_symbols(&snapshot.analysis, &params.query, MOST);
        Ok(found
            .into_iter()
            .filter_map(|s| {
                Some(WorkspaceSymbol {
                    name: s.name.to_string(),
                    kind: SymbolKind::OBJECT,
                    tags: None,
                    container_name: Some(format!("{} of {}", s.kind, s.project)),
                    location: OneOf::Left(convert.location_of(s.at.file, s.at.span)?),
                    data: None,
                })
            })
            .collect())
    }
}
