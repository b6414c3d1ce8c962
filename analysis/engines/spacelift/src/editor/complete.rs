//! Completion of the addresses that ids are taken from.

use applyorder_core::diagnostic::{EngineIx, FileId};
use applyorder_core::engine::{Completion, CompletionKind, Joins, View};
use applyorder_syntax::hcl::edit::quote;
use applyorder_syntax::hcl::{self, NodeRef};
use applyorder_syntax::text::Span;

use crate::Found;
use crate::model::Of;
use crate::read::{BlockKind, TfFacts, is_json};

/// What may stand at an offset of a file.
pub(crate) fn complete(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
    let Some(source) = analysis.source(file) else {
        return Vec::new();
    };
    let path = analysis.path(file).to_owned();
    if is_json(path.as_str()) {
        return Vec::new();
    }
    let Some(argument) = argument_at(&source.text, offset) else {
        return Vec::new();
    };
    let wanted: &[(&str, bool, &str)] = match argument.name.as_str() {
        "stack_id" | "depends_on_stack_id" => &[
            ("spacelift_stack", false, "stack"),
            ("spacelift_stack", true, "data source"),
            ("spacelift_current_stack", true, "data source"),
        ],
        "stack_dependency_id" => &[("spacelift_stack_dependency", false, "dependency")],
        "output_name" => return outputs(analysis, file, &argument),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for (_, facts) in beside(analysis, engine, file) {
        for block in &facts.blocks {
            let is_data = match block.kind {
                BlockKind::Resource => false,
                BlockKind::Data => true,
                _ => continue,
            };
            let (ty, name) = (block.label(0), block.label(1));
            let Some((_, _, word)) = wanted.iter().find(|(t, data, _)| *t == ty && *data == is_data) else {
                continue;
            };
            let prefix = if is_data { "data." } else { "" };
            let key = if block.attribute("for_each").is_some() {
                "[each.key]"
            } else if block.attribute("count").is_some() {
                "[count.index]"
            } else {
                ""
            };
            found.push(Completion {
                label: format!("{prefix}{ty}.{name}{key}.id"),
                span: argument.span,
                insert: None,
                detail: Some((*word).to_owned()),
                kind: CompletionKind::Unit,
                joins: argument
                    .joins(&format!("{prefix}{ty}.{name}"))
                    .filter(|_| key.is_empty()),
            });
        }
    }
    found.sort_by(|a, b| a.label.cmp(&b.label));
    found.dedup();
    found
}

/// The outputs of the stack that a reference takes from, where the directory it runs is known.
fn outputs(analysis: &dyn View, file: FileId, argument: &Argument) -> Vec<Completion> {
    let mut found = Vec::new();
    for view in analysis.projects_of(file) {
        let Some(state) = view
            .resolution
            .state
            .as_ref()
            .and_then(|s| s.downcast_ref::<Found>())
        else {
            continue;
        };
        let project = &state.project;
        let end = format!("spacelift_stack_dependency_reference.{}", argument.block);
        let own = project
            .references
            .iter()
            .filter(|r| r.header.file == file && r.resource.ends_with(&end));
        let upstreams = own.filter_map(|r| match r.of {
            Of::Dependency(number) => project.dependencies.get(number as usize)?.upstream.stack(),
            _ => None,
        });
        for stack in upstreams {
            let name = project.stacks.get(stack as usize).map_or("", |s| &*s.address);
            for output in project.outputs.get(&stack).into_iter().flatten() {
                found.push(Completion {
                    label: output.value.to_string(),
                    span: argument.span,
                    insert: (!argument.is_quoted).then(|| quote(&output.value)),
                    detail: Some(format!("output of {name}")),
                    kind: CompletionKind::Symbol,
                    joins: None,
                });
            }
        }
    }
    found.sort_by(|a, b| a.label.cmp(&b.label));
    found.dedup();
    found
}

/// The files of the same directory.
fn beside(analysis: &dyn View, engine: EngineIx, file: FileId) -> impl Iterator<Item = (FileId, &TfFacts)> {
    let dir = analysis.path(file).parent().map(ToOwned::to_owned);
    analysis
        .read_files()
        .filter(move |(_, path)| path.parent() == dir.as_deref())
        .filter_map(move |(id, _)| Some((id, analysis.facts_as::<TfFacts>(id, engine)?)))
}

/// An argument whose value is being typed.
struct Argument {
    /// The name of the block it is in.
    block: String,
    name: String,
    is_quoted: bool,
    /// What is replaced.
    span: Span,
    /// The stack that the other end of the dependency names, by its address.
    other: Option<String>,
}

impl Argument {
    /// What a stack in its place would order.
    fn joins(&self, address: &str) -> Option<Joins> {
        Some(Joins {
            unit: self.other.as_deref()?.into(),
            others: vec![address.into()],
            reversed: self.name == "stack_id",
        })
    }
}

/// The argument at an offset: by the tree, and where there is no value yet by the line.
fn argument_at(text: &str, offset: u32) -> Option<Argument> {
    let before = text.get(..offset as usize)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.get(line_start..)?;
    let (name, value) = line.split_once('=')?;
    let name = name.trim().to_owned();
    let typed = value.trim_start();
    let is_quoted = typed.starts_with('"');
    let typed = typed.strip_prefix('"').unwrap_or(typed);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
    if !hcl::is_identifier(&name) || !typed.chars().all(is_word) {
        return None;
    }
    let start = before.len() - typed.len();
    let rest = text.get(offset as usize..)?;
    let tail = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    // Only in a block of Spacelift's.
    let tree = hcl::parse(text);
    let path = tree.node_at(offset);
    let block = path.iter().find_map(|node| match node {
        NodeRef::Block(block) => Some(*block),
        _ => None,
    })?;
    let mut labels = block.labels().map(|l| l.text);
    let is_own = labels.next().is_some_and(|ty| ty.starts_with("spacelift_"));
    let other = match name.as_str() {
        "stack_id" => Some("depends_on_stack_id"),
        "depends_on_stack_id" => Some("stack_id"),
        _ => None,
    };
    let other = other.and_then(|other| {
        let written = block.body().attribute(other)?.value().span().slice(text);
        let address = written.trim().strip_suffix(".id")?;
        (!address.contains(['[', '(', '"', '$'])).then(|| address.to_owned())
    });
    // An id in quotes would be a text.
    let fits = !is_quoted || name == "output_name";
    (is_own && fits).then(|| Argument {
        block: labels.next().unwrap_or("").to_owned(),
        is_quoted,
        name,
        other,
        span: Span::from_usize(start, before.len() + tail),
    })
}
