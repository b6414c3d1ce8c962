//! What is unknown in a project.

use std::sync::Arc;

use super::imports::Imports;
use super::sources::Sources;
use super::stacks::{Node, NodeMark, StackIx, Stacks};
use crate::load::foreign::Effect;
use crate::load::instances::Instance;
use crate::load::tree::{Dir, Tree, project_file};
use crate::read::{FileFacts, Marks};
use crate::schema::{Metadata, may_be_missing_at_times};
use applyorder_core::files::ReadError;

/// What is unknown in a project.
pub(crate) struct Unknowns {
    /// Why orders are unknown.
    pub(crate) why: Option<String>,
    /// Why it is unknown whether Terramate loads the project.
    pub(crate) load: Option<String>,
    /// The directory of the value that makes it unknown.
    pub(crate) load_in: Option<u32>,
    /// Why it is unknown whether Terramate accepts its stacks.
    pub(crate) stacks: Option<String>,
    /// Whether there may be unknown stacks, or unknown tags of stacks: directories that were not searched,
    /// lines that could not be read, values that depend on something, bundles.
    pub(crate) may_hold_more: bool,
    /// Whether there may be unknown stacks: lines outside blocks that could not be read, or bundles, which
    /// files in YAML can also use.
    pub(crate) may_hold_stacks: bool,
}

impl Unknowns {
    pub(super) fn of(
        (tree, is_part): (&Tree, bool),
        sources: &Sources,
        stacks: &Stacks,
        importing: &[u32],
        imports: &[Arc<Imports>],
    ) -> Self {
        let mut followed = importing.iter().zip(imports);
        let unfollowed = followed.find(|(_, imports)| imports.is_limited);
        let unfollowed = unfollowed.and_then(|(dir, _)| tree.dirs.get(*dir as usize));
        let unfollowed = unfollowed.map(|dir| format!("not all imports of `{}` could be followed", dir.path));
        let marks = sources.all_marks();
        let in_doubt = marks.has(Marks::DOUBTS | Marks::UNREADABLE);
        let facts = || {
            let dirs = tree.dirs.iter().filter(|_| in_doubt);
            dirs.flat_map(|dir| sources.files(dir)).map(|(_, f)| f)
        };
        let unread = in_doubt.then(|| unread(tree, sources)).flatten();
        let unread = unread.or_else(|| not_named(tree));
        let has_gap = |facts: &Arc<FileFacts>| facts.shape.gap || !facts.shape.bundles.is_empty();
        let may_hold_stacks = unread.is_some() || facts().any(has_gap);
        let instance = tree.instances.iter().find(|i| i.is_loaded);
        let bundles = match instance {
            Some(Instance { shown, .. }) => Some(format!(
                "`{shown}` is an instance of a bundle, which can change the order of its stacks"
            )),
            None if facts().any(|f| !f.shape.bundles.is_empty()) => {
                Some("the project uses bundles, which can change the order of their stacks".to_owned())
            }
            None => None,
        };
        let stacks: Vec<(StackIx, &Node)> = stacks.marked(NodeMark::Doubtful).collect();
        let with_gaps = || {
            let all = stacks.iter().copied();
            all.filter(|(_, node)| node.unknown.is_some())
        };
        let unknown = |(_, node): (u32, &Node)| unknown_in(node, node.unknown.unwrap_or_default());
        let in_list = with_gaps().next().map(unknown);
        let lines =
            || may_hold_stacks.then(|| "some lines could not be parsed and may declare a stack".to_owned());
        let hides_tags = |node: &Node| node.stack().is_some_and(|s| s.gap || s.tags.unknown);
        let known = unread.clone().or(unfollowed);
        let imports_of = |dir: u32| imports.get(importing.binary_search(&dir).ok()?).map(|own| &**own);
        let value = || {
            let outside = || {
                let value = open_outside(tree, sources);
                value.or_else(|| random_metadata(tree, sources, imports_of))
            };
            open(&stacks).or_else(|| in_doubt.then(outside).flatten())
        };
        let value = if known.is_none() { value() } else { None };
        Self {
            load_in: value.as_ref().map(|(dir, _)| *dir),
            load: known.or(value.map(|(_, why)| why)).or_else(|| bundles.clone()),
            stacks: checked(&stacks),
            why: unread.or(in_list).or_else(|| bundles.clone()).or_else(lines),
            may_hold_more: is_part
                || may_hold_stacks
                || bundles.is_some()
                || with_gaps().any(|(_, node)| hides_tags(node)),
            may_hold_stacks,
        }
    }
}

/// The first file that is not read to its end.
fn unread(tree: &Tree, sources: &Sources) -> Option<String> {
    let of_dir = |dir: &Dir| {
        sources.all(dir).find_map(|(file, read)| match read {
            Ok(read) if read.facts.shape.is_limited => Some(format!(
                "`{}` is nested too deep for us",
                project_file(dir, &file.path)
            )),
            Err(ReadError::TooLarge(_)) => {
                Some(format!("`{}` is too large for us", project_file(dir, &file.path)))
            }
            Err(error @ (ReadError::NoMemory(_) | ReadError::NotRead(_))) => {
                Some(format!("`{}` {error}", project_file(dir, &file.path)))
            }
            Err(ReadError::Outside) => Some(format!(
                "`{}` is outside what we may read",
                project_file(dir, &file.path)
            )),
            _ => None,
        })
    };
    tree.dirs.iter().find_map(of_dir)
}

/// The first file that is loaded and whose name is not UTF-8.
fn not_named(tree: &Tree) -> Option<String> {
    let mut foreign = tree.foreign.iter();
    let file = foreign.find(|f| f.effect == Effect::Loaded)?;
    Some(format!("`/{}` is not read: its name is not UTF-8", file.shown))
}

/// The first value that Terramate may fail to evaluate, with its directory.
fn open(stacks: &[(StackIx, &Node)]) -> Option<(u32, String)> {
    stacks.iter().find_map(|(_, node)| {
        let name = node.stack()?.open.as_deref()?;
        Some((node.dir, unknown_in(node, name)))
    })
}

/// The first value outside of stacks that Terramate may fail to evaluate, with its directory.
fn open_outside(tree: &Tree, sources: &Sources) -> Option<(u32, String)> {
    (0u32..).zip(&tree.dirs).find_map(|(number, dir)| {
        let mut files = sources.files(dir);
        files.find_map(|(file, facts)| {
            let name = &facts.shape.open.first()?.value;
            let path = project_file(dir, &file.path);
            Some((
                number,
                format!("`{name}` in `{path}` is known only when Terramate runs"),
            ))
        })
    })
}

/// The first directory of which Terramate accepts the `metadata` of a bundle or a component only at times.
fn random_metadata<'a>(
    tree: &Tree,
    sources: &Sources,
    imports: impl Fn(u32) -> Option<&'a Imports>,
) -> Option<(u32, String)> {
    (0u32..).zip(&tree.dirs).find_map(|(number, dir)| {
        if !sources.marks(dir).has(Marks::DOUBTS) {
            return None;
        }
        let own = || sources.files(dir).map(|(_, facts)| facts);
        let problems = own().flat_map(|facts| &facts.shape.problems);
        let mut problems = problems.filter(|p| may_be_missing_at_times(p)).peekable();
        problems.peek()?;
        let imported = imports(number).into_iter().flat_map(|i| &i.merged);
        let all = own().chain(imported.map(|m| &m.facts));
        let metadata = Metadata::of(all.flat_map(|facts| facts.merged()));
        let is_random = problems.any(|problem| metadata.is_missing_at_times(problem));
        is_random.then(|| {
            let path = &dir.path;
            (
                number,
                format!("whether `metadata` in `{path}` is complete changes from run to run"),
            )
        })
    })
}

/// The first unknown value that Terramate checks after it has loaded everything.
fn checked(stacks: &[(StackIx, &Node)]) -> Option<String> {
    stacks.iter().find_map(|(_, node)| {
        let stack = node.stack()?;
        let lists = [("tags", &stack.tags), ("watch", &stack.watch)];
        let (name, _) = lists.into_iter().find(|(_, list)| list.unknown)?;
        Some(unknown_in(node, name))
    })
}

/// What is unknown because of a stack.
fn unknown_in(node: &Node, name: &str) -> String {
    format!(
        "`{name}` of stack `{}` is known only when Terramate runs",
        node.path
    )
}
