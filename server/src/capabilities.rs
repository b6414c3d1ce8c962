//! What the client can take, and what the server offers.

use applyorder_analysis::syntax::text::Encoding;
use serde_json::{Value, json};

use crate::commands;
use crate::object::set;
use crate::settings::Shows;

/// What the client can take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Supports {
    pub(crate) encoding: Encoding,
    pub(crate) related_information: bool,
    pub(crate) code_description: bool,
    pub(crate) data: bool,
    pub(crate) versions: bool,
    pub(crate) unnecessary_tag: bool,
    pub(crate) pull_diagnostics: bool,
    pub(crate) diagnostic_refresh: bool,
    pub(crate) inlay_hint_refresh: bool,
    pub(crate) code_lens_refresh: bool,
    pub(crate) watching: bool,
    pub(crate) progress: bool,
    /// Whether it shows what our commands answer: said in the options at the start.
    pub(crate) commands: bool,
    pub(crate) watching_relative: bool,
    pub(crate) document_changes: bool,
    pub(crate) nested_symbols: bool,
    pub(crate) markdown_hover: bool,
    /// Whether it says what Markdown it reads: it follows links then.
    pub(crate) links: bool,
    /// Whether it accepts definitions as links, with the range of the reference and of the whole definition.
    pub(crate) definition_links: bool,
    pub(crate) completion_tags: bool,
    /// Whether each proposal can have a text next to it, and not only the selected one.
    pub(crate) completion_labels: bool,
    pub(crate) completion_deprecated: bool,
    pub(crate) markdown_documentation: bool,
}

impl Supports {
    /// Reads the client's capabilities; what is absent or of another type is not supported.
    pub(crate) fn read(capabilities: &Value) -> Self {
        let has = |pointer: &str| capabilities.pointer(pointer).and_then(Value::as_bool) == Some(true);
        let contains = |pointer: &str, word: &str| {
            capabilities
                .pointer(pointer)
                .and_then(Value::as_array)
                .is_some_and(|list| list.iter().any(|v| v.as_str() == Some(word)))
        };
        let published = "/textDocument/publishDiagnostics";
        let pulled = "/textDocument/diagnostic";
        let silent = [published, pulled]
            .iter()
            .all(|p| capabilities.pointer(p).is_none());
        let has_number = |pointer: &str, number: u64| {
            let list = capabilities.pointer(pointer).and_then(Value::as_array);
            list.is_some_and(|list| list.iter().any(|v| v.as_u64() == Some(number)))
        };
        // A client without diagnostic capabilities is not known to reject any part of them.
        let either =
            |name: &str| silent || has(&format!("{published}/{name}")) || has(&format!("{pulled}/{name}"));
        let markdown_hover = contains("/textDocument/hover/contentFormat", "markdown")
            || capabilities
                .pointer("/textDocument/hover/contentFormat")
                .is_none();
        Self {
            links: markdown_hover && capabilities.pointer("/general/markdown").is_some(),
            encoding: encoding(capabilities.pointer("/general/positionEncodings")),
            related_information: either("relatedInformation"),
            code_description: either("codeDescriptionSupport"),
            data: either("dataSupport"),
            versions: either("versionSupport"),
            unnecessary_tag: has_number(&format!("{published}/tagSupport/valueSet"), 1)
                || has_number(&format!("{pulled}/tagSupport/valueSet"), 1),
            pull_diagnostics: capabilities.pointer(pulled).is_some_and(Value::is_object),
            diagnostic_refresh: has("/workspace/diagnostics/refreshSupport")
                || has("/workspace/diagnostic/refreshSupport"),
            inlay_hint_refresh: has("/workspace/inlayHint/refreshSupport"),
            code_lens_refresh: has("/workspace/codeLens/refreshSupport"),
            watching: has("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            progress: has("/window/workDoneProgress"),
            commands: false,
            watching_relative: has("/workspace/didChangeWatchedFiles/relativePatternSupport"),
            document_changes: has("/workspace/workspaceEdit/documentChanges"),
            nested_symbols: has("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            markdown_documentation: contains(
                "/textDocument/completion/completionItem/documentationFormat",
                "markdown",
            ),
            definition_links: has("/textDocument/definition/linkSupport"),
            completion_tags: has_number("/textDocument/completion/completionItem/tagSupport/valueSet", 1),
            completion_labels: has("/textDocument/completion/completionItem/labelDetailsSupport"),
            completion_deprecated: has("/textDocument/completion/completionItem/deprecatedSupport"),
            markdown_hover,
        }
    }
}

/// UTF-8 if the client supports it, because then nothing has to be counted; else its own first choice.
fn encoding(offered: Option<&Value>) -> Encoding {
    let known = |v: &Value| {
        Some(match v.as_str()? {
            "utf-8" => Encoding::Utf8,
            "utf-16" => Encoding::Utf16,
            "utf-32" => Encoding::Utf32,
            _ => return None,
        })
    };
    let offered: Vec<Encoding> = offered
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(known).collect())
        .unwrap_or_default();
    if offered.contains(&Encoding::Utf8) {
        Encoding::Utf8
    } else {
        offered.first().copied().unwrap_or(Encoding::Utf16)
    }
}

/// The answer to `initialize`. What is off by default is offered only where it is on: a client may ask one server only.
pub(crate) fn initialize_result(encoding: Encoding, shows: Shows) -> Value {
    let encoding = match encoding {
        Encoding::Utf8 => "utf-8",
        Encoding::Utf16 => "utf-16",
        Encoding::Utf32 => "utf-32",
    };
    let mut result = json!({
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": {
                "triggerCharacters": ["[", "\"", "'", " ", "/", ",", ":", "."],
                "resolveProvider": true,
            },
            "callHierarchyProvider": true,
            "codeLensProvider": { "resolveProvider": true },
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix", "source.fixAll", "source.fixAll.applyorder"] },
            "documentLinkProvider": {},
            "foldingRangeProvider": shows.folding,
            "selectionRangeProvider": shows.selection_ranges,
            "signatureHelpProvider": { "triggerCharacters": [" "] },
            "executeCommandProvider": { "commands": commands::ALL },
            "inlayHintProvider": true,
            "diagnosticProvider": {
                "identifier": "applyorder",
                "interFileDependencies": true,
                // Findings of closed files are sent. Neovim, told that it may ask for all files, asks once, when
                // told to refresh, and then neither asks again nor refreshes the documents it shows.
                "workspaceDiagnostics": false,
            },
            "workspace": {
                "workspaceFolders": { "supported": true, "changeNotifications": true },
                "fileOperations": {
                    "willRename": { "filters": [{ "scheme": "file", "pattern": { "glob": "**" } }] },
                },
            },
        },
        "serverInfo": { "name": "applyorder", "version": env!("CARGO_PKG_VERSION") },
    });
    if let Some(capabilities) = result.get_mut("capabilities").filter(|_| shows.semantic_tokens) {
        let provider = json!({
            "legend": { "tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS },
            "full": true,
            "range": true,
        });
        set(capabilities, "semanticTokensProvider", provider);
    }
    result
}

/// The types of words, by their numbers.
pub(crate) const TOKEN_TYPES: [&str; 3] = ["class", "enumMember", "variable"];

/// What more there is to a word, by bits.
pub(crate) const TOKEN_MODIFIERS: [&str; 2] = ["declaration", "deprecated"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_negotiated() {
        let of = |v: Value| Supports::read(&json!({"general": {"positionEncodings": v}})).encoding;
        assert_eq!(of(json!(["utf-16", "utf-8"])), Encoding::Utf8);
        assert_eq!(of(json!(["utf-32", "utf-16"])), Encoding::Utf32);
        assert_eq!(of(json!(["utf-7"])), Encoding::Utf16);
        assert_eq!(of(Value::Null), Encoding::Utf16);
    }

    #[test]
    fn the_answer_to_initialize_is_what_the_protocol_types_say() {
        let all = json!({"folding": true, "selectionRanges": true, "semanticTokens": true});
        for settings in [Value::Null, all] {
            let result = initialize_result(Encoding::Utf16, Shows::read(&settings));
            let typed: tower_lsp_server::ls_types::InitializeResult =
                serde_json::from_value(result.clone()).unwrap();
            let again = serde_json::to_value(typed).unwrap();
            assert_eq!(again, result);
            let offered = &result["capabilities"];
            assert_eq!(offered["foldingRangeProvider"], settings != Value::Null);
            assert_eq!(
                offered.get("semanticTokensProvider").is_some(),
                settings != Value::Null
            );
        }
    }
}
