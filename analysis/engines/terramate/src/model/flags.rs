//! The flags of a run, each of which limits the stacks.
//!
//! Source: Terramate 0.17.2, "Selection".

use camino::Utf8Path;

use super::changes::{self, Change};
use super::stacks::{Node, StackIx, Stacks};
use super::tags::{self, Filter};
use crate::load::start;
use crate::load::tree::Tree;
use applyorder_core::engine::{Cx, RunOptions};
use applyorder_core::files::FileKind;

/// Why the flags of a run are rejected, as Terramate's message, with the flag.
pub(crate) type FlagError = (&'static str, String);

/// The flag for the directory of the run. Terramate goes there before anything else.
pub(crate) const CWD: &str = "--cwd";

/// The flags of a run, each of which limits the stacks.
#[derive(Default)]
pub(crate) struct Flags {
    /// `--tags`, as written and parsed.
    pub(crate) tags: Vec<(String, Filter)>,
    pub(crate) without: Vec<String>,
    /// The project path of `--cwd`, if it is not the root.
    pub(crate) below: Option<String>,
    /// Why each stack counts as changed. `None`: not requested.
    pub(crate) changed: Option<Vec<Option<Change>>>,
}

/// The entries of a flag that takes a list: a comma at the end is not followed by an empty one.
fn listed(text: &str) -> impl Iterator<Item = String> {
    let all = Some(text).filter(|text| !text.is_empty());
    let all = all.map(|text| text.strip_suffix(',').unwrap_or(text).split(','));
    all.into_iter().flatten().map(str::to_owned)
}

/// Terramate's message for a directory of the run, in the project, that does not exist.
fn no_directory(cx: &Cx<'_>, tree: &Tree, cwd: &Utf8Path) -> Option<String> {
    tree.project_path(cwd)?;
    let why = match cx.kind(cwd, true) {
        None => "no such file or directory",
        Some(FileKind::File) => "not a directory",
        Some(_) => return None,
    };
    Some(format!("changing working dir to {cwd}: chdir {cwd}: {why}"))
}

impl Flags {
    /// Reads the flags.
    ///
    /// # Errors
    /// A flag that Terramate rejects.
    pub(super) fn of(
        cx: &Cx<'_>,
        tree: &Tree,
        stacks: &Stacks,
        options: &RunOptions,
    ) -> Result<Self, FlagError> {
        if let Some(words) = options.cwd.as_deref().and_then(|cwd| no_directory(cx, tree, cwd)) {
            return Err((CWD, words));
        }
        let parse = |text: &String| {
            let filter = Filter::parse(text);
            let filter = filter.map_err(|e| ("--tags", format!("unable to parse tag clauses: {e}")))?;
            Ok((text.clone(), filter))
        };
        // An empty one counts as missing.
        let given = options.tags.iter().filter(|text| !text.is_empty());
        let tags = given.map(parse).collect::<Result<Vec<_>, _>>()?;
        let without: Vec<String> = options.no_tags.iter().flat_map(|text| listed(text)).collect();
        for tag in &without {
            tags::check(tag).map_err(|e| ("--no-tags", format!("unable validate tag: {e}")))?;
        }
        let named = options.changed.as_ref().map(|names| {
            let is_named = |path: &str| names.iter().any(|n| n == path);
            let stacks = stacks.iter();
            stacks
                .map(|(_, s)| is_named(&s.path).then_some(Change::Named))
                .collect()
        });
        let changed = match (&options.changed_files, named) {
            (Some(files), _) => Some(changes::of_files(cx, tree, stacks, files)?),
            (None, named) => named,
        };
        let below = options.cwd.as_deref().and_then(|cwd| start(cx, tree, cwd));
        Ok(Self {
            tags,
            without,
            below: below.filter(|b| b != "/"),
            changed,
        })
    }

    /// Whether they include every stack.
    pub(crate) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.without.is_empty() && self.below.is_none() && self.changed.is_none()
    }

    /// Whether a stack is in the directory of the run.
    pub(crate) fn is_below(&self, node: &Node) -> bool {
        let below = self.below.as_deref();
        below.is_none_or(|b| Utf8Path::new(&*node.path).starts_with(b))
    }

    /// Whether a stack counts as changed; `None`: not requested.
    pub(crate) fn change(&self, stack: StackIx) -> Option<Option<&Change>> {
        let changed = self.changed.as_ref()?;
        Some(changed.get(stack as usize).and_then(Option::as_ref))
    }

    /// The filter that a stack matches.
    pub(crate) fn tag_filter(&self, node: &Node) -> Option<&str> {
        let matching = self.tags.iter().find(|(_, f)| f.matches(&node.tags))?;
        Some(&matching.0)
    }

    /// The tag that excludes a stack.
    pub(crate) fn unwanted_tag(&self, node: &Node) -> Option<&str> {
        let unwanted = self.without.iter().map(String::as_str);
        unwanted
            .into_iter()
            .find(|t| node.tags.iter().any(|own| **own == **t))
    }

    /// Whether they include a stack.
    pub(crate) fn select(&self, stack: StackIx, node: &Node) -> bool {
        self.is_below(node)
            && self.change(stack).is_none_or(|c| c.is_some())
            && (self.tags.is_empty() || self.tag_filter(node).is_some())
            && self.unwanted_tag(node).is_none()
    }
}
