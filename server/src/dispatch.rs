//! Maps methods to handlers.

use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp_server::jsonrpc::{self, Error};

use crate::config_file::{self, ConfigCompletions, ConfigDefinitions, ConfigHovers, ConfigLinks};
use crate::handler::{Job, RequestHandler, job};
use crate::notifications as on;
use crate::order_state::OrderStates;
use crate::requests as answer;
use crate::state::State;
use crate::task::Task;

/// The job for a request.
///
/// # Errors
/// When the method has no handler, or its parameters can't be parsed.
pub(crate) fn request(method: &str, params: Value) -> jsonrpc::Result<Job> {
    macro_rules! route {
        ($($handler:ty),* $(,)?) => {
            match method {
                $(<$handler>::METHOD => job::<$handler>(params),)*
                _ => Err(Error::method_not_found()),
            }
        };
    }
    // Configuration files belong to no engine, so they have their own handlers.
    if config_file::is_asked_about(&params) {
        match method {
            ConfigCompletions::METHOD => return job::<ConfigCompletions>(params),
            ConfigDefinitions::METHOD => return job::<ConfigDefinitions>(params),
            ConfigHovers::METHOD => return job::<ConfigHovers>(params),
            ConfigLinks::METHOD => return job::<ConfigLinks>(params),
            _ => {}
        }
    }
    route!(
        answer::call_hierarchy::IncomingCalls,
        answer::call_hierarchy::OutgoingCalls,
        answer::call_hierarchy::PrepareHierarchy,
        answer::code_action::CodeActions,
        answer::code_lens::CodeLenses,
        answer::code_lens_resolve::ResolveLens,
        answer::completion::Completions,
        answer::completion_resolve::ResolveCompletion,
        answer::definition::Definitions,
        answer::diagnostic::DocumentDiagnostics,
        answer::document_highlight::Highlights,
        answer::document_link::Links,
        answer::document_symbol::DocumentSymbols,
        answer::execute_command::ExecuteCommands,
        answer::folding_range::FoldingRanges,
        answer::graph::Graphs,
        answer::hover::Hovers,
        answer::inlay_hint::InlayHints,
        answer::prepare_rename::PrepareRename,
        answer::references::References,
        answer::rename::Rename,
        answer::selection_range::SelectionRanges,
        answer::semantic_tokens::AllTokens,
        answer::semantic_tokens::TokensInRange,
        answer::signature_help::Signatures,
        answer::will_rename_files::WillRenameFiles,
        answer::workspace_diagnostic::WorkspaceDiagnostics,
        answer::workspace_symbol::WorkspaceSymbols,
        OrderStates,
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

/// The task for a notification; `None` if it has no handler or its parameters can't be parsed.
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
