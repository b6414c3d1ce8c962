//! Which method is whose.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp_server::jsonrpc::{self, Error};

use crate::convert;
use crate::notifications as on;
use crate::owner::Task;
use crate::requests as answer;
use crate::service::{Call, error};
use crate::snapshot::{DependsOn, Snapshot};
use crate::state::State;

/// A request as a value: what to do with which parameters, in a file of its own each.
pub(crate) trait RequestHandler {
    /// The method's name in the protocol.
    const METHOD: &'static str;
    /// What the client gives.
    type Params: DeserializeOwned + Send + 'static;
    /// What it gets.
    type Answer: Serialize;

    /// The URI of the document whose edit makes the answer stale.
    fn document(params: &Self::Params) -> Option<&str>;

    /// Whether every edit makes the answer stale.
    const OF_EVERYTHING: bool = false;

    /// The answer. Runs in the pool; asks `call` now and then whether it is still wanted where it can
    /// take long.
    ///
    /// # Errors
    /// A sentence for the user.
    fn answer(snapshot: &Snapshot, params: Self::Params, call: &Call) -> Result<Self::Answer, String>;

    /// What the owner notes before the snapshot is taken.
    fn note(params: &Self::Params) -> Option<Note> {
        let _ = params;
        None
    }
}

/// What the owner does before it gives a request its snapshot.
pub(crate) type Note = Box<dyn FnOnce(&mut State) + Send>;

type Run = Box<dyn FnOnce(&Snapshot, &Call) -> jsonrpc::Result<Value> + Send>;

/// A request, ready to be done.
pub(crate) struct Job {
    pub(crate) method: &'static str,
    pub(crate) run: Run,
    pub(crate) depends_on: DependsOn,
    pub(crate) note: Option<Note>,
}

fn job<H: RequestHandler>(params: Value) -> jsonrpc::Result<Job> {
    let params = if params.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        params
    };
    let params: H::Params =
        serde_json::from_value(params).map_err(|e| Error::invalid_params(format!("{}: {e}", H::METHOD)))?;
    let depends_on = match H::document(&params).and_then(convert::path_of) {
        _ if H::OF_EVERYTHING => DependsOn::Everything,
        Some(path) => DependsOn::Document(path),
        None => DependsOn::Nothing,
    };
    Ok(Job {
        method: H::METHOD,
        depends_on,
        note: H::note(&params),
        run: Box::new(move |snapshot, call| {
            let answer = H::answer(snapshot, params, call).map_err(|e| error(-32803, e))?;
            serde_json::to_value(answer).map_err(|_| Error::internal_error())
        }),
    })
}

/// The job for a request.
///
/// # Errors
/// When nobody answers the method, or its parameters can't be read.
pub(crate) fn request(method: &str, params: Value) -> jsonrpc::Result<Job> {
    macro_rules! route {
        ($($handler:ty),* $(,)?) => {
            match method {
                $(<$handler>::METHOD => job::<$handler>(params),)*
                _ => Err(Error::method_not_found()),
            }
        };
    }
    route!(
        answer::code_action::CodeActions,
        answer::completion::Completions,
        answer::definition::Definitions,
        answer::diagnostic::DocumentDiagnostics,
        answer::document_highlight::Highlights,
        answer::document_link::Links,
        answer::document_symbol::DocumentSymbols,
        answer::folding_range::FoldingRanges,
        answer::hover::Hovers,
        answer::inlay_hint::InlayHints,
        answer::prepare_rename::PrepareRename,
        answer::references::References,
        answer::rename::Rename,
        answer::will_rename_files::WillRenameFiles,
        answer::workspace_diagnostic::WorkspaceDiagnostics,
        answer::workspace_symbol::WorkspaceSymbols,
    )
}

fn notify<P: DeserializeOwned + Send + 'static>(
    method: &'static str,
    params: Value,
    handle: fn(&mut State, P),
) -> Option<Task> {
    let params: P = serde_json::from_value(params).ok()?;
    let what = Box::new(move |state: &mut State| handle(state, params));
    Some(Task::Notify(method, what))
}

/// The task for a notification; `None` for one that nobody handles or whose parameters can't be read.
pub(crate) fn notification(method: &str, params: Value) -> Option<Task> {
    macro_rules! route {
        ($($method:literal => $handle:path,)*) => {
            match method {
                "textDocument/didChange" => Some(Task::Change(serde_json::from_value(params).ok()?)),
                $($method => notify($method, params, $handle),)*
                _ => None,
            }
        };
    }
    route! {
        "initialized" => on::initialized::handle,
        "textDocument/didOpen" => on::did_open::handle,
        "textDocument/didSave" => on::did_save::handle,
        "textDocument/didClose" => on::did_close::handle,
        "workspace/didChangeWatchedFiles" => on::did_change_watched_files::handle,
        "workspace/didChangeWorkspaceFolders" => on::did_change_workspace_folders::handle,
        "workspace/didChangeConfiguration" => on::did_change_configuration::handle,
    }
}
