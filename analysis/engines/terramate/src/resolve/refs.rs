//! What the entries of `after`, `before`, `wants` and `wanted_by` mean.
//!
//! Source: Terramate 0.17.2, "Resolving entries of after/before/wants/wanted_by".

use std::sync::Arc;

use camino::Utf8Path;

use super::stacks::Stacks;
use super::tags::Filter;
use super::tree::Tree;
use crate::facts::{At, List, Stack};
use applyorder_core::engine::{Cx, UnitIx};
use applyorder_core::files::{FileKind, clean, join_clean};

/// The lists of a stack that name other stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Attribute {
    After,
    Before,
    Wants,
    WantedBy,
}

impl Attribute {
    pub(crate) const ALL: [Self; 4] = [Self::After, Self::Before, Self::Wants, Self::WantedBy];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::After => "after",
            Self::Before => "before",
            Self::Wants => "wants",
            Self::WantedBy => "wanted_by",
        }
    }

    pub(crate) fn of(self, stack: &Stack) -> &List {
        match self {
            Self::After => &stack.after,
            Self::Before => &stack.before,
            Self::Wants => &stack.wants,
            Self::WantedBy => &stack.wanted_by,
        }
    }

    /// Whether it is about order, and not about selection.
    pub(crate) const fn orders(self) -> bool {
        matches!(self, Self::After | Self::Before)
    }
}

/// What an entry came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The stacks at and below a directory. `climbs`: the path led above the root and was cut there.
    Directory { path: Arc<str>, climbs: bool },
    /// The stacks at and below those with matching tags.
    Tags(Filter),
    /// No tag filter: Terramate refuses. Its words.
    BadFilter(String),
    /// Nothing stands there. Terramate warns.
    Missing,
    /// A file stands there. Terramate warns.
    NotDirectory,
    /// The directory exists, and is not loaded; why.
    NotLoaded {
        path: Arc<str>,
        why: String,
        climbs: bool,
    },
}

/// An entry of one of the lists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) attribute: Attribute,
    pub(crate) text: Arc<str>,
    pub(crate) at: At,
    pub(crate) meaning: Meaning,
    /// The stacks it means, ascending.
    pub(crate) targets: Arc<[UnitIx]>,
}

impl Entry {
    /// Whether Terramate warns of it, or refuses it.
    pub(crate) fn is_faulty(&self) -> bool {
        matches!(
            self.meaning,
            Meaning::BadFilter(_) | Meaning::Missing | Meaning::NotDirectory
        )
    }
}

/// Resolves all entries of a stack, in the order of the lists.
pub(crate) fn resolve(cx: &Cx<'_>, tree: &Tree, stacks: &Stacks, dir: u32, stack: &Stack) -> Vec<Entry> {
    let Some(own) = tree.dirs.get(dir as usize) else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    for attribute in Attribute::ALL {
        for text in &attribute.of(stack).entries {
            let meaning = meaning(cx, tree, &own.path, &own.host, &text.value);
            let targets = targets(tree, stacks, &meaning);
            entries.push(Entry {
                attribute,
                text: text.value.clone(),
                at: text.at,
                meaning,
                targets,
            });
        }
    }
    entries
}

/// The stacks that an entry means, ascending.
pub(crate) fn targets(tree: &Tree, stacks: &Stacks, meaning: &Meaning) -> Arc<[UnitIx]> {
    match meaning {
        Meaning::Directory { path, .. } => tree.at(path).map_or_else(Arc::default, |(_, dir)| {
            let start = tree.by_path.get(path).copied().unwrap_or_default();
            stacks.below(start, dir.end)
        }),
        Meaning::Tags(filter) => {
            let mut all: Vec<UnitIx> = stacks
                .iter()
                .filter(|(_, s)| filter.matches(&s.tags))
                .filter_map(|(_, s)| Some((s.dir, tree.dirs.get(s.dir as usize)?.end)))
                .flat_map(|(start, end)| stacks.below(start, end).to_vec())
                .collect();
            all.sort_unstable();
            all.dedup();
            all.into()
        }
        _ => Arc::default(),
    }
}

fn meaning(cx: &Cx<'_>, tree: &Tree, own: &str, host: &Utf8Path, entry: &str) -> Meaning {
    if let Some(filter) = entry.strip_prefix("tag:") {
        return match Filter::parse(filter) {
            Ok(filter) => Meaning::Tags(filter),
            Err(words) => Meaning::BadFilter(words),
        };
    }
    let (wanted, place) = if entry.starts_with('/') {
        (clean(entry), join_clean(&tree.root, entry))
    } else {
        (clean(&format!("{own}/{entry}")), join_clean(host, entry))
    };
    let path: Arc<str> = wanted.as_str().into();
    let climbs = tree.project_path(&place).as_deref() != Some(&*path);
    let known = tree.by_path.contains_key(&path);
    if !known || climbs {
        match cx.kind(&place, true) {
            None => return Meaning::Missing,
            Some(FileKind::Directory) => {}
            Some(_) => return Meaning::NotDirectory,
        }
    }
    if known {
        Meaning::Directory { path, climbs }
    } else {
        not_loaded(tree, path, climbs)
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
                    format!("it lies below `{above}`, and {reason}")
                };
            } else if dir.skipped {
                why = format!("`{parent}` holds a `.tmskip`");
            }
            break;
        }
        above = parent;
    }
    Meaning::NotLoaded { path, why, climbs }
}
