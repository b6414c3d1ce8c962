//! The outputs and variables of stacks, if the directory that a stack runs is in this repository.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use applyorder_core::engine::Cx;
use applyorder_core::files::{FileKind, join_clean};
use applyorder_syntax::hcl::{Body, ExprKind};
use camino::{Utf8Path, Utf8PathBuf};

use super::world::World;
use super::{Declared, Given, Model, Of, StackIx};
use crate::read::{BlockKind, TfFacts, is_config};

/// The maximum number of directories that are read.
const MAX_DIRS: usize = 200;

/// What a directory declares.
#[derive(Clone, Default)]
struct Interface {
    outputs: Vec<Declared>,
    variables: Vec<Declared>,
}

/// Looks up the outputs of the stacks that references take from, and the variables of those that they give to.
pub(super) fn find(world: &World<'_>, model: &mut Model) {
    let ends = model
        .references
        .iter()
        .filter_map(|reference| match reference.of {
            Of::Dependency(number) => model.dependencies.get(number as usize),
            _ => None,
        });
    let named: BTreeSet<(StackIx, bool)> = ends
        .flat_map(|d| {
            [
                d.upstream.stack().map(|s| (s, true)),
                d.stack.stack().map(|s| (s, false)),
            ]
        })
        .flatten()
        .collect();
    let mut known: BTreeMap<Utf8PathBuf, Option<Interface>> = BTreeMap::new();
    for (stack, is_upstream) in named {
        let settings = model.stacks.get(stack as usize).and_then(|s| s.settings.as_ref());
        let Some(root) = settings
            .and_then(|s| s.project_root.as_deref())
            .filter(|r| !r.is_empty())
        else {
            continue;
        };
        let dir = join_clean(&world.repository, root.trim_start_matches('/'));
        if !dir.starts_with(&world.repository) || (known.len() >= MAX_DIRS && !known.contains_key(&dir)) {
            continue;
        }
        let declared = known
            .entry(dir.clone())
            .or_insert_with(|| declared(world.cx, &dir, &mut model.read));
        let Some(declared) = declared else { continue };
        if is_upstream {
            model.outputs.insert(stack, declared.outputs.clone());
        } else {
            model.inputs.insert(stack, declared.variables.clone());
        }
    }
}

fn declaration(name: Given<Arc<str>>, body: Body<'_>) -> Declared {
    let value = |name: &str| body.attribute(name).map(|attribute| attribute.value());
    let description = value("description").and_then(|v| v.as_text().map(Arc::from));
    let sensitive = match value("sensitive").map(|v| v.kind()) {
        None => Some(false),
        Some(ExprKind::Bool(value)) => Some(value),
        Some(_) => None,
    };
    Declared {
        name,
        description,
        sensitive,
        has_default: value("default").is_some(),
    }
}

/// What a directory declares; `None` if it is not a directory of Terraform, or cannot be read completely.
fn declared(cx: &Cx<'_>, dir: &Utf8Path, read: &mut BTreeSet<Utf8PathBuf>) -> Option<Interface> {
    let entries = cx.list(dir).ok()?;
    // Terragrunt may write further declarations.
    if entries.iter().any(|e| e.name == "terragrunt.hcl") {
        return None;
    }
    let files = entries
        .iter()
        .filter(|e| e.kind != FileKind::Directory && is_config(&e.name));
    let mut found = Interface::default();
    let mut any = false;
    for entry in files {
        any = true;
        let path = dir.join(&entry.name);
        let facts = cx.facts::<TfFacts>(&path).ok()?;
        read.insert(path);
        if facts.facts.has_gap || !facts.facts.problems.is_empty() {
            return None;
        }
        for (block, tree) in facts.facts.blocks.iter().zip(facts.facts.tree.body().blocks()) {
            let list = match block.kind {
                BlockKind::Output => &mut found.outputs,
                BlockKind::Variable => &mut found.variables,
                _ => continue,
            };
            let Some((name, at)) = block.labels.first() else {
                continue;
            };
            let name = Given {
                value: name.clone(),
                place: cx.place(facts.file, *at),
            };
            list.push(declaration(name, tree.body()));
        }
    }
    any.then_some(found)
}
