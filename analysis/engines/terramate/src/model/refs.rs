//! What the entries of `after`, `before`, `wants` and `wanted_by` mean.
//!
//! Source: Terramate 0.17.2, "Resolving entries of after/before/wants/wanted_by".

use std::sync::Arc;

use camino::Utf8Path;

use super::Input;
use super::tags::Filter;
use crate::load::tree::{Dir, Tree};
use crate::read::{At, Attribute, Stack};
use applyorder_core::files::{FileKind, clean, join_clean};
use applyorder_core::layer::Sym;

/// What an entry means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The stacks at and below a directory, with its number. `climbs`: the path went above the root and was cut
    /// there.
    Directory { path: Arc<str>, dir: u32, climbs: bool },
    /// The stacks at and below those with matching tags; the filter's text as a name.
    Tags(Filter, Sym),
    /// An invalid tag filter, which Terramate rejects. Its message.
    BadFilter(String),
    /// Nothing exists there. Terramate warns.
    Missing,
    /// A file is there. Terramate warns.
    NotDirectory,
    /// The directory exists, but is not loaded; why.
    NotLoaded {
        path: Arc<str>,
        why: String,
        climbs: bool,
    },
}

/// An entry of one of the lists, as far as its own file and the directories define what it means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) attribute: Attribute,
    pub(crate) text: Arc<str>,
    pub(crate) at: At,
    pub(crate) meaning: Meaning,
}

impl Written {
    /// Whether Terramate warns about it, or rejects it.
    pub(crate) fn is_faulty(&self) -> bool {
        matches!(
            self.meaning,
            Meaning::BadFilter(_) | Meaning::Missing | Meaning::NotDirectory
        )
    }
}

/// All entries of a stack, in the order of the lists.
pub(super) fn written(input: &Input<'_>, dir: &Dir, stack: &Stack) -> Vec<Written> {
    let entries = Attribute::ALL.into_iter().flat_map(|attribute| {
        let entries = &attribute.of(stack).entries;
        entries.iter().map(move |text| (attribute, text))
    });
    let written = entries.map(|(attribute, text)| Written {
        attribute,
        text: text.value.clone(),
        at: text.at,
        meaning: meaning(input, dir, &text.value),
    });
    let mut written: Vec<Written> = written.collect();
    // Most stacks have one or two, and there are many stacks.
    written.shrink_to_fit();
    written
}

fn meaning(input: &Input<'_>, own: &Dir, entry: &Arc<str>) -> Meaning {
    let (cx, tree) = (input.cx, input.tree);
    if let Some(filter) = entry.strip_prefix("tag:") {
        return match Filter::parse(filter) {
            Ok(filter) => Meaning::Tags(filter, cx.memo().names().intern(entry)),
            Err(words) => Meaning::BadFilter(words),
        };
    }
    let (wanted, place) = if entry.starts_with('/') {
        (clean(entry), join_clean(&tree.root, entry))
    } else {
        (
            clean(&format!("{}/{entry}", own.path)),
            join_clean(&own.host, entry),
        )
    };
    let path: Arc<str> = wanted.as_str().into();
    let climbs = tree.project_path(&place).as_deref() != Some(&*path);
    let known = tree.by_path.get(&path).copied();
    if known.is_none() || climbs {
        match cx.kind(&place, true) {
            None => return Meaning::Missing,
            Some(FileKind::Directory) => {}
            Some(_) => return Meaning::NotDirectory,
        }
    }
    match known {
        Some(dir) => Meaning::Directory { path, dir, climbs },
        None => not_loaded(tree, path, climbs),
    }
}

fn not_loaded(tree: &Tree, path: Arc<str>, climbs: bool) -> Meaning {
    let mut above = Utf8Path::new(&*path);
    let mut why = "it is not part of the project".to_owned();
    while let Some(parent) = above.parent() {
        if let Some((_, dir)) = tree.at(parent.as_str()) {
            let name = above.file_name().unwrap_or_default();
            if let Some((_, reason)) = dir.left_out.iter().find(|(n, _)| n == name) {
                why = if above.as_str() == &*path {
                    (*reason).to_owned()
                } else {
                    format!("it is in `{above}`: {reason}")
                };
            } else if dir.skip.is_some() {
                why = format!("`{parent}` contains `.tmskip`");
            }
            break;
        }
        above = parent;
    }
    Meaning::NotLoaded { path, why, climbs }
}
