//! Candidates for completion.

use applyorder_core::diagnostic::{EngineIx, FileId};
use applyorder_core::engine::{Completion, CompletionKind, Joins, Operation, ProjectView, View};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::Node;
use rustc_hash::FxHashMap;

use super::field::{known_at, spot};
use crate::State;
use crate::read::{AnkaiosFacts, Condition, Restart, fields};

/// A list of words: `(label, description)`.
type Words = Vec<(String, Option<String>, CompletionKind)>;

pub(crate) fn complete(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
    let Some(facts) = analysis.facts_as::<AnkaiosFacts>(file, engine) else {
        return Vec::new();
    };
    let Some(source) = analysis.source(file) else {
        return Vec::new();
    };
    let text = &*source.text;
    let (path, is_value, span) = place(facts, text, offset);
    let projects: Vec<ProjectView<'_>> = analysis.projects_of(file);
    let words = candidates(&projects, &path, is_value);
    let written: Vec<String> = if is_value {
        Vec::new()
    } else {
        keys_around(facts, &path, offset)
    };
    let own = match path.as_slice() {
        [workloads, own, dependencies] if workloads == "workloads" && dependencies == "dependencies" => {
            Some(own.as_str())
        }
        _ => None,
    };
    let joins = |kind, label: &String| {
        let own = own.filter(|_| kind == CompletionKind::Unit)?;
        Some(Joins {
            unit: Some(own.into()),
            others: vec![label.as_str().into()],
            reversed: false,
            operation: Operation::Apply,
            place: None,
        })
    };
    // A key that is already written has its colon, and a colon in quotes is part of the key.
    let is_key = !is_value
        && !text
            .get(span.end as usize..)
            .is_some_and(|rest| rest.starts_with([':', '"', '\'']));
    // A colon ends a key only if a space follows it.
    let is_at_colon = is_value && text.get(..span.start as usize).is_some_and(|t| t.ends_with(':'));
    let insert = |kind, label: &String| {
        if is_at_colon {
            return Some(format!(" {label}"));
        }
        (is_key && kind != CompletionKind::Word).then(|| format!("{label}: "))
    };
    words
        .into_iter()
        .filter(|(label, ..)| !written.contains(label))
        .map(|(label, detail, kind)| Completion {
            joins: joins(kind, &label),
            insert: insert(kind, &label),
            label,
            span,
            detail,
            kind,
        })
        .collect()
}

/// Where in the manifest an offset is: the keys around it, whether a value is expected, and what is replaced.
fn place(facts: &AnkaiosFacts, text: &str, offset: u32) -> (Vec<String>, bool, Span) {
    let line_start = text
        .get(..offset as usize)
        .and_then(|t| t.rfind('\n'))
        .map_or(0, |n| n + 1);
    let line = text.get(line_start..offset as usize).unwrap_or("");
    let word = line
        .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
        .map_or(0, |n| n + 1);
    let end = text
        .get(offset as usize..)
        .and_then(|rest| rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))))
        .map_or(text.len(), |n| offset as usize + n);
    let span = Span::from_usize(line_start + word, end);
    let inner = spot(facts.tree(), offset);
    let before = line.get(..word).unwrap_or("").trim_end();
    let is_value = before.ends_with(':')
        || inner.key.is_none()
            && inner.value.is_some_and(|v| {
                v.is_scalar() && !v.is_absent() && v.span().touches(offset) && !before.is_empty()
            });
    let by_indent = around(text, line_start, line);
    if is_value && before.ends_with(':') {
        let mut path = by_indent;
        let key = before
            .trim_end_matches(':')
            .trim()
            .trim_start_matches("- ")
            .trim_matches(['"', '\'']);
        let key = key.rsplit(['{', ',']).next().unwrap_or(key).trim();
        if before.contains(['{', ',']) {
            path = inner.path.clone();
            if path.last().is_none_or(|last| last != key) {
                path.push(key.to_owned());
            }
        } else {
            path.push(key.to_owned());
        }
        return (path, true, span);
    }
    if before.contains(['{', '[', ',']) {
        let mut path = inner.path;
        if inner.value.is_some_and(|v| v.is_mapping()) || inner.key.is_some() {
            return (path, false, span);
        }
        if !is_value {
            path.pop();
        }
        return (path, is_value, span);
    }
    (by_indent, is_value, span)
}

/// The keys that a line is nested in, by indentation: while typing, the text is often not valid YAML.
fn around(text: &str, line_start: usize, line: &str) -> Vec<String> {
    let indent = |l: &str| l.len() - l.trim_start_matches([' ', '-']).len();
    let mut limit = indent(line);
    let mut is_item = line.trim_start().starts_with('-');
    let mut path = Vec::new();
    for above in text.get(..line_start).unwrap_or("").lines().rev() {
        let body = above.trim();
        if body.is_empty() || body.starts_with('#') || limit == 0 {
            if limit == 0 {
                break;
            }
            continue;
        }
        let own = above.len() - above.trim_start().len();
        let dashed = above.trim_start().starts_with("- ");
        if dashed && own < limit && indent(above) == limit && !is_item {
            // The first key of the same item.
            is_item = true;
            limit = own + 1;
            continue;
        }
        if own < limit && !dashed {
            let Some((key, _)) = body.split_once(':') else {
                continue;
            };
            if is_item {
                path.push("-".to_owned());
                is_item = false;
            }
            path.push(key.trim_matches(['"', '\'']).to_owned());
            limit = own;
        }
    }
    path.reverse();
    path
}

/// The existing keys of the mapping at a path, except the one at the cursor.
fn keys_around(facts: &AnkaiosFacts, path: &[String], offset: u32) -> Vec<String> {
    let mut node = facts
        .tree()
        .first_document()
        .and_then(|d| d.root())
        .and_then(|n| n.resolve());
    for step in path.iter().filter(|s| *s != "-") {
        node = node.and_then(|n| n.get(step)).and_then(|n| n.resolve());
    }
    if path.last().is_some_and(|last| last == "-") {
        return Vec::new();
    }
    let entries = node
        .iter()
        .flat_map(Node::entries)
        .filter(|e| !e.key.span().touches(offset));
    entries.map(|e| e.key.value().into_owned()).collect()
}

fn candidates(projects: &[ProjectView<'_>], path: &[String], is_value: bool) -> Words {
    let steps: Vec<&str> = path.iter().map(String::as_str).collect();
    let word = |word: &str, detail: &str| (word.to_owned(), Some(detail.to_owned()), CompletionKind::Word);
    match (steps.as_slice(), is_value) {
        (["workloads", own, "dependencies"], false) => units(projects, own),
        (["workloads", _, "dependencies", _], true) => Condition::ALL
            .iter()
            .map(|(_, text, what)| word(text, what))
            .collect(),
        (["workloads", _, "configs", _], true) => configs(projects),
        (["workloads", _, "restartPolicy"], true) => Restart::ALL
            .iter()
            .map(|(_, text)| word(text, "restart policy"))
            .collect(),
        (["workloads", _, "runtime"], true) => fields::RUNTIMES.iter().map(|r| word(r, "runtime")).collect(),
        (["workloads", _, "agent"], true) => agents(projects),
        (["apiVersion"], true) => vec![word("v1", "version of the manifest format")],
        (["workloads", _, "controlInterfaceAccess", _, "-", "type"], true) => ["StateRule", "LogRule"]
            .iter()
            .map(|t| word(t, "access rule"))
            .collect(),
        (["workloads", _, "controlInterfaceAccess", _, "-", "operation"], true) => {
            fields::OPERATIONS.iter().map(|o| word(o, "operation")).collect()
        }
        (_, false) => known_at(path)
            .into_iter()
            .flat_map(|known| known.fields)
            .map(|(name, text)| {
                (
                    (*name).to_owned(),
                    Some((*text).to_owned()),
                    CompletionKind::Field,
                )
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn states<'a>(projects: &'a [ProjectView<'a>]) -> impl Iterator<Item = &'a State> {
    projects
        .iter()
        .filter_map(|p| p.resolution.state.as_ref()?.downcast_ref::<State>())
}

fn units(projects: &[ProjectView<'_>], own: &str) -> Words {
    let mut names: Vec<String> = states(projects)
        .flat_map(|s| s.model.stated_units())
        .map(|(_, stated)| stated.unit.name.to_string())
        .filter(|name| name != own)
        .collect();
    names.sort();
    names.dedup();
    let layers = layers(projects);
    let unit = |name: String| {
        let detail = match layers.get(name.as_str()) {
            Some(layer) => format!("workload, {layer}"),
            None => "workload".to_owned(),
        };
        (name, Some(detail), CompletionKind::Unit)
    };
    names.into_iter().map(unit).collect()
}

/// The layers of workloads as text; of the first project that has them.
fn layers<'a>(projects: &'a [ProjectView<'_>]) -> FxHashMap<&'a str, String> {
    let mut out = FxHashMap::default();
    for variant in projects.iter().flat_map(|p| &p.resolution.variants) {
        for (unit, layer) in variant.units_with_layers() {
            if let Some(layer) = layer {
                out.entry(&*unit.name).or_insert(layer);
            }
        }
    }
    out
}

fn configs(projects: &[ProjectView<'_>]) -> Words {
    let mut names: Vec<String> = states(projects)
        .flat_map(|s| s.model.configs.keys())
        .map(|n| n.to_string())
        .collect();
    names.sort();
    names.dedup();
    let config = |name| (name, Some("config".to_owned()), CompletionKind::Symbol);
    names.into_iter().map(config).collect()
}

/// The agents that other workloads name.
fn agents(projects: &[ProjectView<'_>]) -> Words {
    let mut names: Vec<String> = states(projects)
        .flat_map(|s| s.model.sources.iter().flat_map(|m| &m.manifest().workloads))
        .filter_map(|w| w.agent.as_ref())
        .map(|a| a.text.value.to_string())
        .filter(|a| !a.is_empty() && !a.contains('{'))
        .collect();
    names.sort();
    names.dedup();
    let agent = |name| (name, Some("agent".to_owned()), CompletionKind::Word);
    names.into_iter().map(agent).collect()
}
