//! What clients send, read leniently: only the fields that are used, URIs as text, `null` for absent.

use camino::Utf8PathBuf;
use serde::{Deserialize, Deserializer};
use tower_lsp_server::ls_types::{Position, Range};

use crate::convert::path_of;

/// `null` counts as absent.
fn lenient<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(input: D) -> Result<T, D::Error> {
    Option::deserialize(input).map(Option::unwrap_or_default)
}

/// Parameters that are not used.
#[derive(Deserialize, Default)]
#[serde(from = "serde_json::Value")]
pub(crate) struct Ignored;

impl From<serde_json::Value> for Ignored {
    fn from(_: serde_json::Value) -> Self {
        Self
    }
}

#[derive(Deserialize)]
pub(crate) struct Document {
    pub(crate) uri: String,
    #[serde(default)]
    pub(crate) version: Option<i32>,
}

#[derive(Deserialize)]
pub(crate) struct Opened {
    pub(crate) uri: String,
    #[serde(default, rename = "languageId", deserialize_with = "lenient")]
    pub(crate) language: String,
    #[serde(default)]
    pub(crate) version: Option<i32>,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidOpen {
    pub(crate) text_document: Opened,
}

#[derive(Deserialize)]
pub(crate) struct ContentChange {
    #[serde(default)]
    pub(crate) range: Option<Range>,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidChange {
    pub(crate) text_document: Document,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) content_changes: Vec<ContentChange>,
}

/// Parameters that name a document and nothing else.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfDocument {
    pub(crate) text_document: Document,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AtPosition {
    pub(crate) text_document: Document,
    pub(crate) position: Position,
}

/// Parameters that name a document, and a position where there is one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MaybeAtPosition {
    pub(crate) text_document: Document,
    #[serde(default)]
    pub(crate) position: Option<Position>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AtPositions {
    pub(crate) text_document: Document,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) positions: Vec<Position>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GraphParams {
    pub(crate) text_document: Document,
    #[serde(default)]
    pub(crate) format: Option<String>,
    #[serde(default)]
    pub(crate) operation: Option<String>,
    #[serde(default)]
    pub(crate) environment: Option<String>,
    /// The unit whose neighborhood is requested.
    #[serde(default)]
    pub(crate) focus: Option<String>,
    #[serde(default)]
    pub(crate) depth: Option<u32>,
}

#[derive(Clone, Deserialize)]
pub(crate) struct ExecuteCommand {
    pub(crate) command: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) arguments: Vec<serde_json::Value>,
}

impl ExecuteCommand {
    /// A field of the first argument.
    pub(crate) fn argument(&self, name: &str) -> Option<&serde_json::Value> {
        self.arguments.first()?.get(name)
    }

    /// A text of the first argument.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.argument(name)?.as_str()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InRange {
    pub(crate) text_document: Document,
    pub(crate) range: Range,
}

/// An item of a hierarchy, as the client gives it back.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HierarchyItem {
    pub(crate) uri: String,
    pub(crate) selection_range: Range,
    /// What we gave with it, unless the client lost that.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) data: HierarchyData,
}

#[derive(Deserialize, Default)]
pub(crate) struct HierarchyData {
    #[serde(default)]
    pub(crate) unit: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct HierarchyCalls {
    pub(crate) item: HierarchyItem,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceContext {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) include_declaration: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferencesParams {
    pub(crate) text_document: Document,
    pub(crate) position: Position,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) context: ReferenceContext,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RenameParams {
    pub(crate) text_document: Document,
    pub(crate) position: Position,
    pub(crate) new_name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileRename {
    pub(crate) old_uri: String,
    pub(crate) new_uri: String,
}

#[derive(Deserialize)]
pub(crate) struct RenameFilesParams {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) files: Vec<FileRename>,
}

#[derive(Deserialize, Default)]
pub(crate) struct ActionContext {
    /// The requested kinds, as prefixes; absent = all.
    #[serde(default)]
    pub(crate) only: Option<Vec<String>>,
    /// The diagnostics as the client has them; returned with the fix that resolves them.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) diagnostics: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeActionParams {
    pub(crate) text_document: Document,
    pub(crate) range: Range,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) context: ActionContext,
}

#[derive(Deserialize)]
pub(crate) struct WorkspaceSymbolParams {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) query: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentDiagnosticParams {
    pub(crate) text_document: Document,
    #[serde(default)]
    pub(crate) previous_result_id: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct PreviousResult {
    pub(crate) uri: String,
    pub(crate) value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkspaceDiagnosticParams {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) previous_result_ids: Vec<PreviousResult>,
}

#[derive(Deserialize)]
pub(crate) struct FileEvent {
    /// Made of the URI when it is read: there may be thousands, and the owner has other things to do.
    #[serde(rename = "uri", deserialize_with = "path")]
    pub(crate) path: Option<Utf8PathBuf>,
}

fn path<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Utf8PathBuf>, D::Error> {
    String::deserialize(input).map(|uri| path_of(&uri))
}

#[derive(Deserialize)]
pub(crate) struct WatchedFiles {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) changes: Vec<FileEvent>,
}

#[derive(Deserialize)]
pub(crate) struct Folder {
    pub(crate) uri: String,
}

#[derive(Deserialize, Default)]
pub(crate) struct FolderChanges {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) added: Vec<Folder>,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) removed: Vec<Folder>,
}

#[derive(Deserialize)]
pub(crate) struct WorkspaceFolders {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) event: FolderChanges,
}

#[derive(Deserialize)]
pub(crate) struct Configuration {
    #[serde(default)]
    pub(crate) settings: serde_json::Value,
}
