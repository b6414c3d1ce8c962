//! The outputs of stacks, where the directory that a stack runs lies in this repository.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use applyorder_core::engine::Cx;
use applyorder_core::files::{FileKind, join_clean};
use camino::{Utf8Path, Utf8PathBuf};

use super::world::World;
use super::{Given, Model, Of, StackIx};
use crate::read::{BlockKind, TfFacts, is_config};

/// Most directories that are looked at.
const MAX_DIRS: usize = 200;

/// Looks up the outputs of the stacks that references name.
pub(super) fn find(world: &World<'_>, model: &mut Model) {
    let named: BTreeSet<StackIx> = model
        .references
        .iter()
        .filter_map(|reference| match reference.of {
            Of::Dependency(number) => model.dependencies.get(number as usize)?.upstream.stack(),
            _ => None,
        })
        .collect();
    let mut known: BTreeMap<Utf8PathBuf, Option<Vec<Given<Arc<str>>>>> = BTreeMap::new();
    for stack in named {
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
        let outputs = known
            .entry(dir.clone())
            .or_insert_with(|| outputs(world.cx, &dir, &mut model.read));
        if let Some(outputs) = outputs {
            model.outputs.insert(stack, outputs.clone());
        }
    }
}

/// The outputs of a directory; nothing where it is none of Terraform's, or can't be read whole.
fn outputs(cx: &Cx<'_>, dir: &Utf8Path, read: &mut BTreeSet<Utf8PathBuf>) -> Option<Vec<Given<Arc<str>>>> {
    let entries = cx.list(dir).ok()?;
    let files = entries
        .iter()
        .filter(|e| e.kind != FileKind::Directory && is_config(&e.name));
    let mut found = Vec::new();
    let mut any = false;
    for entry in files {
        any = true;
        let path = dir.join(&entry.name);
        let facts = cx.facts::<TfFacts>(&path).ok()?;
        read.insert(path);
        if facts.facts.has_gap || !facts.facts.problems.is_empty() {
            return None;
        }
        for block in facts.facts.blocks.iter().filter(|b| b.kind == BlockKind::Output) {
            found.extend(block.labels.first().map(|(name, at)| Given {
                value: name.clone(),
                place: cx.place(facts.file, *at),
            }));
        }
    }
    any.then_some(found)
}
