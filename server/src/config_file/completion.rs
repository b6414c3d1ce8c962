//! `textDocument/completion` in the configuration: keys, tables, rules and the words that a key can have.

use applyorder_analysis::config_file::{
    ConfigFile, Described, Expected, Named, NodeIx, ROOT, layers, quoted, units,
};
use applyorder_analysis::files::{DiskFiles, FileKind, Files, resolve};
use applyorder_analysis::markdown;
use applyorder_analysis::syntax::text::Span;
use camino::Utf8Path;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionTextEdit, Documentation, MarkupContent,
    MarkupKind, TextEdit,
};

use super::asked;
use crate::call::Call;
use crate::diagnostics::{docs_page, plain};
use crate::handler::RequestHandler;
use crate::params::AtPosition;
use crate::snapshot::Snapshot;

pub(crate) struct ConfigCompletions;

impl RequestHandler for ConfigCompletions {
    const METHOD: &'static str = "textDocument/completion";
    type Params = AtPosition;
    type Answer = Option<CompletionList>;

    fn document(params: &AtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: AtPosition, _: &Call) -> Result<Option<CompletionList>, String> {
        let Some(config) = asked(snapshot, &params.text_document.uri) else {
            return Ok(None);
        };
        let convert = snapshot.convert();
        let Some(offset) = convert.offset(config.file, params.position) else {
            return Ok(None);
        };
        let (node, expected, span) = config.outline.expected_at(offset);
        let range = convert.range(config.file, span);
        let documentation = |told: String| {
            let (kind, value) = if snapshot.supports.markdown_documentation {
                (MarkupKind::Markdown, told)
            } else {
                (MarkupKind::PlainText, markdown::plain(&told))
            };
            Documentation::MarkupContent(MarkupContent { kind, value })
        };
        let behind = config.text.get(span.end as usize..).unwrap_or("");
        let has_value = behind.trim_start_matches([' ', '\t']).starts_with('=');
        let typed = Span::new(span.start, offset.max(span.start)).slice(config.text);
        let mut found = proposals(snapshot, &config, (node, expected), typed);
        // A list is written with its first entry.
        let is_alone = config.text.get(..span.start as usize);
        let is_alone = is_alone.is_some_and(|before| before.trim_end_matches([' ', '\t']).ends_with('='));
        if is_alone && expected == Expected::Value && described(&config, node).is_array() {
            for proposal in &mut found {
                proposal.insert = format!("[{}]", proposal.insert);
            }
        }
        if has_value && matches!(expected, Expected::Key { .. }) {
            // The key alone is replaced.
            for proposal in &mut found {
                if let Some((key, _)) = proposal.insert.split_once(" = ") {
                    proposal.insert = key.to_owned();
                }
            }
        }
        let items = found.into_iter().enumerate();
        let items = items.map(|(rank, proposal)| CompletionItem {
            kind: Some(proposal.kind),
            detail: proposal.detail,
            documentation: proposal.told.map(documentation),
            sort_text: Some(format!("{rank:06}")),
            // What is there may have a quote in front that the label has not.
            filter_text: Some(proposal.insert.clone()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, proposal.insert))),
            label: proposal.label,
            ..CompletionItem::default()
        });
        Ok(Some(CompletionList {
            is_incomplete: false,
            items: items.collect(),
        }))
    }
}

struct Proposal {
    label: String,
    insert: String,
    kind: CompletionItemKind,
    detail: Option<String>,
    told: Option<String>,
}

fn proposals(
    snapshot: &Snapshot,
    config: &ConfigFile<'_>,
    (node, expected): (NodeIx, Expected),
    typed: &str,
) -> Vec<Proposal> {
    match expected {
        Expected::Nothing => Vec::new(),
        Expected::Value if config.names_units(node) => unit_names(snapshot, config),
        Expected::Value if takes_paths(config, node) => paths(config, typed),
        Expected::Value => values(&described(config, node)),
        Expected::Header { array } => headers(config, node, Some(array)),
        Expected::Key { new_line } => {
            let mut found = if config.names_rules(node) {
                rules(config, node)
            } else {
                keys(config, node)
            };
            if new_line {
                found.extend(headers(config, ROOT, None));
            }
            found
        }
    }
}

fn described<'c>(config: &'c ConfigFile<'_>, node: NodeIx) -> Described<'c> {
    config.schema.at(config.outline.path(node))
}

/// Whether a value is a path: one of its own, or one in a list of them.
fn takes_paths(config: &ConfigFile<'_>, value: NodeIx) -> bool {
    let around = config.outline.parent(value);
    [value, around]
        .iter()
        .any(|node| described(config, *node).is_path())
}

/// The maximum number of proposed paths.
const MOST_PATHS: usize = 1_000;

/// The contents of the directory that is typed so far, directories first. Hidden ones once a dot is typed.
fn paths(config: &ConfigFile<'_>, typed: &str) -> Vec<Proposal> {
    let typed = typed.trim_start_matches(['"', '\'']);
    let (dir, name) = typed.split_at(typed.rfind('/').map_or(0, |slash| slash + 1));
    let disk = DiskFiles::default();
    let at = resolve(config.path.parent().unwrap_or(Utf8Path::new("/")), dir);
    let entries = disk.list(&at).unwrap_or_default();
    let shown = entries.iter().filter(|entry| {
        let is_hidden = entry.name.starts_with('.') && !name.starts_with('.');
        !is_hidden && at.join(&entry.name) != *config.path
    });
    let mut shown: Vec<(bool, &str)> = shown
        .take(MOST_PATHS)
        .map(|entry| {
            let kind = disk.kind(&at.join(&entry.name), true);
            (kind == Some(FileKind::Directory), &*entry.name)
        })
        .collect();
    shown.sort_by_key(|(is_dir, _)| !is_dir);
    let proposal = |(is_dir, name): (bool, &str)| {
        let label = format!("{dir}{name}");
        Proposal {
            insert: quoted(&label),
            label,
            kind: match is_dir {
                true => CompletionItemKind::FOLDER,
                false => CompletionItemKind::FILE,
            },
            detail: None,
            told: None,
        }
    };
    shown.into_iter().map(proposal).collect()
}

/// The units that an expectation can name.
fn unit_names(snapshot: &Snapshot, config: &ConfigFile<'_>) -> Vec<Proposal> {
    let layers = layers(&snapshot.analysis, config);
    let units = units(&snapshot.analysis, config).into_iter();
    let proposal = |(name, named): (&str, Named<'_>)| {
        let word = named.project.engine().meta().unit;
        let layer = layers.get(name);
        Proposal {
            label: name.to_owned(),
            insert: quoted(name),
            kind: CompletionItemKind::REFERENCE,
            detail: Some(layer.map_or_else(|| word.to_owned(), |layer| format!("{word}, {layer}"))),
            told: None,
        }
    };
    units.map(proposal).collect()
}

fn values(value: &Described<'_>) -> Vec<Proposal> {
    let words = value.words().into_iter().map(|(word, told)| Proposal {
        label: word.to_owned(),
        insert: format!("\"{word}\""),
        kind: CompletionItemKind::ENUM_MEMBER,
        detail: None,
        told: told.map(str::to_owned),
    });
    let booleans = ["true", "false"].into_iter().filter(|_| value.is_boolean());
    let booleans = booleans.map(|word| Proposal {
        label: word.to_owned(),
        insert: word.to_owned(),
        kind: CompletionItemKind::VALUE,
        detail: None,
        told: None,
    });
    words.chain(booleans).collect()
}

/// The keys that a table does not have yet. Tables of the file itself have headers.
fn keys(config: &ConfigFile<'_>, table: NodeIx) -> Vec<Proposal> {
    let there = config.outline.keys_in(table);
    let described = config.schema.at(config.outline.path(table));
    let keys = config.schema.keys(&described).into_iter();
    keys.filter(|(key, told)| !(there.contains(key) || table == ROOT && told.has_header(&config.schema)))
        .map(|(key, told)| {
            let value = if told.is_table() {
                "{ }"
            } else if told.is_array() {
                "[]"
            } else {
                ""
            };
            Proposal {
                label: key.to_owned(),
                insert: format!("{key} = {value}"),
                kind: CompletionItemKind::PROPERTY,
                detail: Some(plain(&told.type_name(&config.schema))),
                told: told.description().map(str::to_owned),
            }
        })
        .collect()
}

/// The tables below one: for a header that is begun (`Some`, of an array or not), or as whole headers.
fn headers(config: &ConfigFile<'_>, above: NodeIx, begun: Option<bool>) -> Vec<Proposal> {
    let mut found = Vec::new();
    let described = config.schema.at(config.outline.path(above));
    let outline = &config.outline;
    let there: Vec<String> = outline
        .tables
        .iter()
        .map(|table| outline.dotted(*table))
        .collect();
    let mut open: Vec<(String, Described<'_>)> = Vec::new();
    open.extend(
        config
            .schema
            .keys(&described)
            .into_iter()
            .map(|(key, told)| (key.to_owned(), told)),
    );
    for (path, told) in open {
        let inner = config.schema.keys(&told).into_iter();
        let inner = inner.map(|(key, told)| (format!("{path}.{key}"), told));
        let inner: Vec<_> = if told.is_array() {
            Vec::new()
        } else {
            inner.collect()
        };
        for (path, told) in std::iter::once((path, told)).chain(inner) {
            let array = told.is_array();
            if !told.has_header(&config.schema) || begun.is_some_and(|begun| begun != array) {
                continue;
            }
            // A table has one header; of an array each has its own.
            if begun.is_none() && !array && there.contains(&path) {
                continue;
            }
            let header = if array {
                format!("[[{path}]]")
            } else {
                format!("[{path}]")
            };
            found.push(Proposal {
                insert: if begun.is_some() { path } else { header.clone() },
                label: header,
                kind: CompletionItemKind::MODULE,
                detail: None,
                told: told.description().map(str::to_owned),
            });
        }
    }
    found
}

/// What `[rules]` can name and does not name yet.
fn rules(config: &ConfigFile<'_>, table: NodeIx) -> Vec<Proposal> {
    let there = config.outline.keys_in(table);
    let quoted = |name: &str| {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.chars().all(is_bare) {
            format!("{name} = ")
        } else {
            format!("\"{name}\" = ")
        }
    };
    let rules = config.rules().into_iter().map(|rule| Proposal {
        label: rule.id.to_owned(),
        insert: quoted(rule.id),
        kind: CompletionItemKind::CONSTANT,
        detail: Some(rule.severity.as_str().to_owned()),
        told: Some(format!(
            "{}\n\n[What it means]({})",
            rule.summary,
            docs_page(rule.id)
        )),
    });
    let engines = config.engines.ids().flat_map(|engine| {
        [
            (
                engine.to_owned(),
                format!("All that is found in projects of {engine}."),
            ),
            (
                format!("{engine}/*"),
                format!("The rules that only {engine} has."),
            ),
        ]
    });
    let engines = engines.map(|(label, told)| Proposal {
        insert: quoted(&label),
        label,
        kind: CompletionItemKind::MODULE,
        detail: None,
        told: Some(told),
    });
    let all = rules.chain(engines);
    all.filter(|p| !there.contains(&p.label.as_str())).collect()
}
