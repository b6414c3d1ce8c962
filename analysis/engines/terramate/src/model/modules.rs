//! The local modules of Terraform and OpenTofu that a stack uses: if one of their files changed, the stack
//! counts as changed.
//!
//! Source: Terramate 0.17.2, `--changed`. Calls are followed in the order of files and blocks. A source that
//! was seen before with the same spelling is skipped, regardless of the module that contains it.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::flags::FlagError;
use crate::load::tree::Tree;
use crate::schema::without_names;
use applyorder_core::engine::Cx;
use applyorder_core::files::{FileKind, join_clean};
use applyorder_syntax::hcl::{self, Expr};

/// What modules call, directory by directory, each read once.
pub(super) struct Modules<'a> {
    cx: &'a Cx<'a>,
    tree: &'a Tree,
    /// The directories with a changed file in them or below, up to the root.
    changed: FxHashSet<Utf8PathBuf>,
    calls: FxHashMap<Utf8PathBuf, Arc<[String]>>,
}

impl<'a> Modules<'a> {
    /// With the changed files, absolute.
    pub(super) fn new(cx: &'a Cx<'a>, tree: &'a Tree, files: &[Utf8PathBuf]) -> Self {
        let mut changed = FxHashSet::default();
        for file in files.iter().filter(|file| file.starts_with(&tree.root)) {
            for dir in file.ancestors() {
                if !changed.insert(dir.to_owned()) || dir == tree.root {
                    break;
                }
            }
        }
        Self {
            cx,
            tree,
            changed,
            calls: FxHashMap::default(),
        }
    }

    /// The source of the module through which a stack in a directory counts as changed.
    ///
    /// # Errors
    /// A file that cannot be read as HCL, or a source without a directory: Terramate stops at them.
    pub(super) fn changed_through(&mut self, dir: &Utf8Path) -> Result<Option<Arc<str>>, FlagError> {
        for first in self.calls(dir)?.iter() {
            let mut visited: FxHashSet<String> = FxHashSet::default();
            let mut open = vec![(dir.to_owned(), first.clone())];
            while let Some((from, source)) = open.pop() {
                if visited.contains(&source) {
                    continue;
                }
                let module = join_clean(&from, &source);
                // What is outside the project is skipped with a warning.
                if !module.starts_with(&self.tree.root) {
                    continue;
                }
                if self.cx.kind(&module, true) != Some(FileKind::Directory) {
                    return Err((
                        "--changed",
                        format!("\"source\" path \"{module}\" is not a directory"),
                    ));
                }
                if self.changed.contains(&module) {
                    return Ok(Some(source.into()));
                }
                let below = self.calls(&module)?;
                open.extend(below.iter().rev().map(|call| (module.clone(), call.clone())));
                visited.insert(source);
            }
        }
        Ok(None)
    }

    /// The local sources of the modules that are called in a directory.
    fn calls(&mut self, dir: &Utf8Path) -> Result<Arc<[String]>, FlagError> {
        if let Some(known) = self.calls.get(dir) {
            return Ok(known.clone());
        }
        let mut found: Vec<String> = Vec::new();
        let entries = self.cx.list(dir).unwrap_or_default();
        for entry in entries
            .iter()
            .filter(|e| e.kind != FileKind::Directory && is_module_file(&e.name))
        {
            let path = dir.join(&entry.name);
            let rejected = |why: &str| Err(("--changed", format!("parsing modules: {path}: {why}")));
            let Ok((_, source)) = self.cx.source(&path) else {
                return rejected("it cannot be read");
            };
            let tree = hcl::parse(&source.text);
            if let Some(error) = tree.errors().first() {
                return rejected(&error.message);
            }
            let calls = tree
                .body()
                .blocks()
                .filter(|b| b.kind() == "module" && b.labels().count() == 1);
            let sources = calls.filter_map(|b| written(b.body().attribute("source")?.value()));
            found.extend(sources.filter(|source| is_local(source)));
        }
        let found: Arc<[String]> = found.into();
        self.calls.insert(dir.to_owned(), found.clone());
        Ok(found)
    }
}

/// The string of a source, which is evaluated without variables and functions; a failing one is skipped.
fn written(source: Expr<'_>) -> Option<String> {
    if let Some(text) = source.as_text() {
        return Some(text.to_owned());
    }
    let outcome = without_names(source);
    let text = outcome.value.as_str().filter(|_| outcome.errors.is_empty());
    text.map(str::to_owned)
}

fn is_module_file(name: &str) -> bool {
    !name.starts_with('.') && (name.ends_with(".tf") || name.ends_with(".tofu"))
}

fn is_local(source: &str) -> bool {
    source.starts_with("./") || source.starts_with("../")
}
