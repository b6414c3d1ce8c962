//! Groups that other apps of the workspace declare: where nobody said which files form an app, a rule may be meant for
//! what was taken for another one, or for what is in a hidden directory, where no app is looked for.

use rustc_hash::FxHashSet;

use super::Operation;
use super::groups::Groups;
use crate::load;
use crate::read::{KappFacts, Key};
use applyorder_core::engine::Cx;
use applyorder_core::files::FileKind;
use applyorder_core::layer::Pass;
use camino::{Utf8Path, Utf8PathBuf};

/// The names of groups that files declare: whole ones, and what precedes the first placeholder of others.
#[derive(Default)]
struct Declared {
    names: FxHashSet<String>,
    prefixes: FxHashSet<String>,
}

impl Declared {
    fn take(&mut self, facts: &KappFacts) {
        for (_, _, r) in facts.resources() {
            let annotations = r.annotations().iter().filter(|a| a.key == Key::Group);
            annotations.for_each(|a| self.name(&a.value.value));
            if let Some(config) = r.config() {
                config
                    .groups
                    .iter()
                    .for_each(|group| self.name(&group.name.value));
            }
        }
    }

    fn name(&mut self, name: &str) {
        match name.split_once('{') {
            Some((prefix, _)) => self.prefixes.insert(prefix.to_owned()),
            None => self.names.insert(name.to_owned()),
        };
    }

    fn has(&self, name: &str) -> bool {
        let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
        self.names.contains(name)
            || ends
                .filter_map(|at| name.get(..at))
                .any(|prefix| self.prefixes.contains(prefix))
    }
}

/// The hidden directories beside a directory and beside those above it, as far as they are under version control
/// together.
fn hidden(cx: &Cx<'_>, root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Some(top) = cx.vcs_root(root) else {
        return Vec::new();
    };
    let above = root.ancestors().skip(1).take_while(|dir| dir.starts_with(&top));
    let in_dir = |dir: &Utf8Path| {
        let entries = cx.list(dir).unwrap_or_default();
        let hidden = entries.iter().filter(|entry| {
            entry.kind == FileKind::Directory && entry.name.starts_with('.') && entry.name != ".git"
        });
        hidden.map(|entry| dir.join(&entry.name)).collect::<Vec<_>>()
    };
    above.flat_map(in_dir).collect()
}

/// Marks the groups that lead nowhere here and are declared by another app.
pub(super) fn look(pass: &Pass<'_>, deploy: &Operation, groups: &mut Groups) {
    let (cx, seed) = (pass.cx, pass.seed);
    if !seed.inferred {
        return;
    }
    let nowhere = groups.nowhere();
    if nowhere.is_empty() {
        return;
    }
    let mut declared = Declared::default();
    let others = seed.beside.iter().filter(|path| **path != seed.root).cloned();
    for path in others.chain(hidden(cx, &seed.root)) {
        let files = load::below(cx, &path);
        cx.prefetch(&files);
        for file in files {
            if let Ok(read) = cx.facts::<KappFacts>(&file) {
                declared.take(&read.facts);
            }
        }
    }
    for at in nowhere {
        if deploy.uses.names.get(at).is_some_and(|name| declared.has(name)) {
            groups.declare(at);
        }
    }
}
