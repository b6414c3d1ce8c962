//! Completion: names of manifests, tags, paths, field names and their words.

use std::sync::Arc;

use applyorder_core::engine::EngineIx;
use camino::Utf8Path;
use rustc_hash::FxHashSet;

use crate::read::{Reading, TazunaFacts};
use crate::schema::{Field, ROOT, Table, Ty};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Completion, CompletionKind, Joins, Operation};
use applyorder_core::engine::{ProjectView, View};
use applyorder_core::files::{FileKind, resolve};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::context::{self, Context, Dash};

/// Candidates at a byte offset of a file.
pub(crate) fn complete(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
    let Some(source) = analysis.source(file) else {
        return Vec::new();
    };
    let Some(context) = context::at(&source.text, offset) else {
        return Vec::new();
    };
    let target = target(&context);
    let is_list = matches!(target, Some(Target::Units | Target::Tags));
    if is_list && context.dash == Dash::NoRoom {
        return Vec::new();
    }
    // Keys without others next to them.
    let is_new_item = matches!(target, Some(Target::Fields(_, Within::Item))) && context.siblings.is_empty();
    let mut found = match target {
        Some(Target::Fields(table, _)) => fields(table, &context, &source.text),
        Some(Target::Words(words)) => {
            let word = |w: &&'static str| completion(w, context.word, CompletionKind::Word, None);
            words.iter().map(word).collect()
        }
        Some(Target::Units) => units(analysis, engine, file, offset, context.word),
        Some(Target::Tags) => tags(analysis, engine, file, context.word),
        Some(Target::Path { files }) => paths(analysis, engine, file, &context, files, &source.text),
        None => Vec::new(),
    };
    if (is_new_item || is_list) && context.dash == Dash::Missing {
        found.iter_mut().for_each(|c| c.enclose("- ", ""));
    } else if context.joined || (is_list && context.bare) {
        for c in &mut found {
            let text = c.insert.take().unwrap_or_else(|| c.label.clone());
            // A single word after the key of a list would be a string, which the engine rejects.
            let text = if is_list && context.bare {
                format!("[{text}]")
            } else {
                text
            };
            c.insert = Some(if context.joined { format!(" {text}") } else { text });
        }
    }
    found
}

/// The purpose of the field whose key is at an offset.
pub(crate) fn field(
    analysis: &dyn View,
    engine: EngineIx,
    file: FileId,
    offset: u32,
) -> Option<(Span, String)> {
    analysis.facts(file, engine)?;
    let text = &analysis.source(file)?.text;
    let context = context::at(text, offset)?;
    let Some(Target::Fields(table, _)) = target(&context) else {
        return None;
    };
    let behind = text.get(context.word.end as usize..)?;
    let field = table
        .field(context.word.slice(text), false)
        .filter(|_| behind.starts_with(':'))?;
    let mut markdown = format!("`{}` of {}: {}", field.name, table.title, field.doc);
    if field.words.len() > 1 {
        let words: Vec<String> = field.words.iter().map(|w| format!("`{w}`")).collect();
        markdown.push_str(&format!("\n\nOne of {}.", words.join(", ")));
    }
    Some((context.word, markdown))
}

enum Target {
    Fields(&'static Table, Within),
    Words(&'static [&'static str]),
    Units,
    Tags,
    Path { files: bool },
}

/// What the keys of a mapping are in.
#[derive(Clone, Copy)]
enum Within {
    Field,
    /// An item of a list.
    Item,
}

fn target(context: &Context) -> Option<Target> {
    let mut table: &'static Table = &ROOT;
    let mut within = Within::Field;
    let mut keys = context.path.iter();
    while let Some(key) = keys.next() {
        let field = table.field(key, false)?;
        let last = keys.len() == 0;
        within = match field.ty {
            Ty::Objs(_) => Within::Item,
            _ => Within::Field,
        };
        match field.ty {
            Ty::Obj(inner) | Ty::Objs(inner) => table = inner,
            Ty::ObjMap(inner) => {
                // The next key is a user-defined name.
                keys.next()?;
                table = inner;
            }
            Ty::Str if last && context.value => {
                return match (table.go, field.name) {
                    _ if !field.words.is_empty() => Some(Target::Words(field.words)),
                    ("IncludeFile", "path") => Some(Target::Path { files: true }),
                    ("Manifest", "path") => Some(Target::Path { files: false }),
                    _ => None,
                };
            }
            Ty::Bool if last && context.value => return Some(Target::Words(&["true", "false"])),
            Ty::Strs if last => {
                return match field.name {
                    "dependsOn" => Some(Target::Units),
                    "tags" => Some(Target::Tags),
                    _ => None,
                };
            }
            _ => return None,
        }
    }
    (!context.value).then_some(Target::Fields(table, within))
}

fn completion(label: &str, span: Span, kind: CompletionKind, detail: Option<String>) -> Completion {
    Completion {
        label: label.to_owned(),
        span,
        insert: None,
        detail,
        kind,
        joins: None,
    }
}

fn fields(table: &'static Table, context: &Context, text: &str) -> Vec<Completion> {
    let behind = text.get(context.word.end as usize..).unwrap_or("");
    let is_quoted = behind.starts_with(['"', '\'']);
    let has_colon = behind.starts_with(':');
    let field = |f: &Field| Completion {
        insert: (!has_colon && !is_quoted).then(|| format!("{}: ", f.name)),
        ..completion(
            f.name,
            context.word,
            CompletionKind::Field,
            Some(f.doc.to_owned()),
        )
    };
    let missing = |f: &&Field| {
        context
            .siblings
            .iter()
            .all(|s| table.field(s, false).is_none_or(|s| s.name != f.name))
    };
    table.fields.iter().filter(missing).map(field).collect()
}

fn projects(analysis: &dyn View, engine: EngineIx, file: FileId) -> impl Iterator<Item = ProjectView<'_>> {
    analysis
        .projects_of(file)
        .into_iter()
        .filter(move |p| p.seed.engine == engine)
}

fn units(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32, span: Span) -> Vec<Completion> {
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut own: Option<Arc<str>> = None;
    if let Some(facts) = analysis.facts_as::<TazunaFacts>(file, engine) {
        let view = facts.view(&Reading::plain());
        // The last item that starts before the cursor: the text being typed may not be part of it yet.
        let before = |i: &usize| view.extent(*i).is_some_and(|e| e.start <= offset);
        let here = view.items().take_while(|(i, _)| before(i)).last();
        if let Some((index, item)) = here {
            taken.insert(item.manifest.name().to_owned());
            own = Some(item.manifest.name().into());
            let base = view.base(index);
            for need in &item.manifest.needs {
                let place = crate::read::rebased(need.place, base);
                // The text being typed is not an entry yet.
                if !analysis.span(place).touches(offset) {
                    taken.insert(need.text.to_string());
                }
            }
        }
    }
    taken.extend(on_line(facts_text(analysis, file), span));
    taken.insert(String::new());
    let mut out = Vec::new();
    for project in projects(analysis, engine, file) {
        for variant in &project.resolution.variants {
            // The first dependency of all changes the order of the others as well.
            let is_dag = variant.properties.contains(&("mode", "dag".to_owned()));
            let own = own.as_ref().filter(|_| is_dag);
            for (unit, layer) in variant.units_with_layers() {
                if !taken.insert(unit.name.to_string()) {
                    continue;
                }
                let detail = match layer {
                    Some(layer) => format!("manifest, {layer}"),
                    None => "manifest".to_owned(),
                };
                let joins = own.map(|own| Joins {
                    unit: Some(own.clone()),
                    others: vec![unit.name.clone()],
                    reversed: false,
                    operation: Operation::Apply,
                    place: None,
                });
                out.push(Completion {
                    joins,
                    ..completion(&unit.name, span, CompletionKind::Unit, Some(detail))
                });
            }
        }
    }
    out
}

fn facts_text(analysis: &dyn View, file: FileId) -> &str {
    analysis.source(file).map_or("", |s| &s.text)
}

/// The entries of a bracketed list on the cursor's line before it: the list may be broken.
fn on_line(text: &str, word: Span) -> impl Iterator<Item = String> {
    let before = text.get(..word.start as usize).unwrap_or("");
    let line = before.rsplit('\n').next().unwrap_or("");
    let list = line.rsplit_once('[').map_or("", |(_, list)| list);
    list.split(',')
        .map(|entry| entry.trim().trim_matches(['"', '\'']).to_owned())
}

fn tags(analysis: &dyn View, engine: EngineIx, file: FileId, span: Span) -> Vec<Completion> {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut out = Vec::new();
    for project in projects(analysis, engine, file) {
        for symbol in project.resolution.symbols.iter().filter(|s| s.kind == "tag") {
            if !symbol.name.is_empty() && seen.insert(&symbol.name) {
                let detail = match symbol.units.len() {
                    1 => "tag of 1 manifest".to_owned(),
                    n => format!("tag of {n} manifests"),
                };
                out.push(completion(
                    &symbol.name,
                    span,
                    CompletionKind::Symbol,
                    Some(detail),
                ));
            }
        }
    }
    out
}

/// Paths from the root's directory: the contents of the directory typed so far. Where a file is expected, files
/// that can be one, and those that were read elsewhere below; otherwise directories first.
fn paths(
    analysis: &dyn View,
    engine: EngineIx,
    file: FileId,
    context: &Context,
    files: bool,
    text: &str,
) -> Vec<Completion> {
    let typed = context.word.slice(text);
    let typed_dir = typed
        .rfind('/')
        .map_or("", |at| typed.get(..=at).unwrap_or_default());
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let mut out = Vec::new();
    let mut add = |label: String, kind: CompletionKind, out: &mut Vec<Completion>| {
        if seen.insert(label.clone()) {
            out.push(completion(&label, context.word, kind, None));
        }
    };
    let is_yaml = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
    for project in projects(analysis, engine, file) {
        let root = &project.seed.root;
        let dir = root.parent().unwrap_or(Utf8Path::new("/"));
        let at = resolve(dir, typed_dir);
        let mut entries: Vec<(bool, String)> = Vec::new();
        for entry in analysis.list(&at).iter() {
            let path = at.join(&entry.name);
            let kind = match entry.kind {
                FileKind::Symlink => analysis.kind(&path),
                kind => Some(kind),
            };
            let is_dir = kind == Some(FileKind::Directory);
            let is_wanted = is_dir || !files || is_yaml(&entry.name);
            if is_wanted && !entry.name.starts_with('.') && path != *root {
                entries.push((is_dir, entry.name.clone()));
            }
        }
        if !files {
            entries.sort_by_key(|(is_dir, _)| !is_dir);
        }
        for (is_dir, name) in entries {
            let slash = if files && is_dir { "/" } else { "" };
            let kind = if is_dir {
                CompletionKind::Directory
            } else {
                CompletionKind::Path
            };
            add(format!("{typed_dir}{name}{slash}"), kind, &mut out);
        }
        if !files {
            continue;
        }
        let prefix = if typed.starts_with("./") { "./" } else { "" };
        for (_, path) in analysis.read_files() {
            if let Ok(below) = path.strip_prefix(dir)
                && is_yaml(below.as_str())
                && path != root
            {
                add(format!("{prefix}{below}"), CompletionKind::Path, &mut out);
            }
        }
    }
    out
}
