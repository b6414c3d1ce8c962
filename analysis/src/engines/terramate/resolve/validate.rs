//! What makes Terramate refuse to load a directory, and what it checks of all stacks once loaded.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks", "The `stack` block" and "Whole-project
//! validation".

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::imports;
use super::stacks::Stacks;
use super::tags;
use super::tree::{Dir, Loaded, Tree};
use crate::diagnostic::{Diagnostic, FileId, FixStep, Place, Safety, Severity};
use crate::engines::Cx;
use crate::engines::terramate::facts::{At, FileFacts, Problem, RootAttribute, Value};
use crate::engines::terramate::rules;
use crate::files::{FileKind, ReadError, clean, join_clean};
use crate::rules::unreadable_file;
use crate::rules::{duplicate_key, duplicate_name, invalid_name, invalid_value, limit_reached, missing_file};
use crate::syntax::hcl::edit::quote;

/// A problem of a directory or a stack.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) diagnostic: Diagnostic,
    /// Terramate refuses because of it.
    pub(crate) fatal: bool,
    /// The project path of the directory.
    pub(crate) dir: Arc<str>,
    /// Further keys of the verdict's error.
    pub(crate) details: Vec<(&'static str, String)>,
    /// Terramate itself does not get to see it: the file has a syntax error.
    pub(crate) unseen: bool,
    /// Terramate meets it already while it looks for the root of the project.
    pub(crate) early: bool,
}

/// The readable files of a directory.
pub(super) fn files(dir: &Dir) -> impl Iterator<Item = (&Loaded, &Arc<FileFacts>)> {
    dir.files.iter().filter_map(|l| Some((l, l.facts.as_ref().ok()?)))
}

/// The problems because of which Terramate stops loading, per directory in the order of loading, and what
/// else is to be said of the files.
pub(super) fn load(cx: &Cx<'_>, tree: &Tree) -> Vec<Found> {
    let experiments = experiments(tree);
    let mut found = Vec::new();
    for dir in &tree.dirs {
        load_one(cx, tree, dir, experiments.as_deref(), &mut found);
    }
    found
}

/// The same of one directory.
pub(super) fn load_dir(cx: &Cx<'_>, tree: &Tree, dir: &Dir) -> Vec<Found> {
    let mut found = Vec::new();
    load_one(cx, tree, dir, experiments(tree).as_deref(), &mut found);
    found
}

fn load_one(cx: &Cx<'_>, tree: &Tree, dir: &Dir, experiments: Option<&[Arc<str>]>, found: &mut Vec<Found>) {
    let before = found.len();
    of_files(cx, tree, dir, experiments, found);
    if files(dir).next().is_some() {
        of_directory(cx, tree, dir, experiments, found);
    }
    if let Some(own) = found.get_mut(before..) {
        own.iter_mut().for_each(|f| f.dir = dir.path.clone());
    }
}

fn push(found: &mut Vec<Found>, diagnostic: Diagnostic, fatal: bool) -> &mut Found {
    let diagnostic = if fatal && diagnostic.enforced.is_empty() {
        diagnostic
            .enforced("run", "load", false)
            .enforced("list", "load", false)
    } else {
        diagnostic
    };
    let at = found.len();
    found.push(Found {
        diagnostic,
        fatal,
        dir: Arc::default(),
        details: Vec::new(),
        unseen: false,
        early: false,
    });
    &mut found[at]
}

fn of_files(cx: &Cx<'_>, tree: &Tree, dir: &Dir, experiments: Option<&[Arc<str>]>, found: &mut Vec<Found>) {
    let is_off = |experiment: &str| experiments.is_some_and(|on| !on.iter().any(|o| **o == *experiment));
    for loaded in &dir.files {
        let facts = match &loaded.facts {
            Ok(facts) => facts,
            Err(error) => {
                unreadable(loaded.file, error, found);
                continue;
            }
        };
        let looked_at = |p: &&Problem| !p.experiment.is_some_and(is_off);
        for problem in facts.shape.problems.iter().filter(looked_at) {
            let syntax = problem.diagnostic.rule == &crate::rules::syntax_error::RULE;
            let mut diagnostic = problem.diagnostic.clone();
            if let Some(literal) = problem.reference.as_deref().and_then(|r| metadata(dir, r)) {
                let step = FixStep::Replace(diagnostic.place, quote(&literal));
                diagnostic = diagnostic.fix(format!("write `{literal}`"), Safety::Unsafe, vec![step]);
            }
            let entry = push(found, diagnostic, problem.fatal);
            entry.unseen = facts.shape.unreadable && !syntax;
            entry.early = problem.early;
            let details = [("attribute", &problem.attribute), ("value", &problem.value)];
            entry.details = details
                .into_iter()
                .filter_map(|(k, v)| Some((k, v.as_deref()?.to_owned())))
                .collect();
        }
        if dir.parent.is_some() {
            for attribute in facts
                .shape
                .root
                .iter()
                .filter(|a| !a.path.starts_with("config.run.env."))
            {
                // `required_version = ""` is no demand.
                let empty = &*attribute.path == "required_version"
                    && attribute.text.as_ref().is_some_and(|t| t.value.is_empty());
                if empty {
                    continue;
                }
                push(found, nested_config(cx, tree, loaded.file, attribute), false);
            }
        }
    }
}

/// What a reference to Terramate's metadata would give in a directory, as far as that is written nowhere
/// else.
fn metadata(dir: &Dir, reference: &str) -> Option<String> {
    let relative = dir.path.strip_prefix('/')?;
    Some(match reference {
        "terramate.stack.path.absolute" => dir.path.to_string(),
        "terramate.stack.path.relative" => relative.to_owned(),
        "terramate.stack.path.basename" => dir.path.rsplit('/').next()?.to_owned(),
        _ => return None,
    })
}

/// A setting of the project that stands below its root.
fn nested_config(cx: &Cx<'_>, tree: &Tree, file: FileId, attribute: &RootAttribute) -> Diagnostic {
    let place = cx.place(file, attribute.at);
    let message = format!(
        "`terramate.{}` has an effect in the root directory only",
        attribute.path
    );
    let mut d = Diagnostic::new(&rules::root_nested_config::RULE, place, message)
        .note(format!("the root is `{}`", tree.root));
    let root = || tree.dirs.first().into_iter().flat_map(|d| files(d));
    let same = root().find_map(|(loaded, facts)| {
        let set = facts.shape.root.iter().find(|a| a.path == attribute.path)?;
        Some(cx.place(loaded.file, set.at))
    });
    if let Some(set) = same {
        d = d.related(set, "it is set in the root here");
    } else if let (Some((loaded, facts)), Some(value)) = (root().next(), &attribute.text) {
        let end = cx.place(loaded.file, facts.shape.end);
        d = d
            .related(cx.place(loaded.file, facts.shape.start), "the root")
            .fix(
                "move it to the root",
                Safety::Unsafe,
                vec![
                    FixStep::RemoveKey(place),
                    FixStep::Replace(end, setting(&attribute.path, &quote(&value.value))),
                ],
            );
    }
    d.fix("remove it", Safety::Unsafe, vec![FixStep::RemoveKey(place)])
}

/// A `terramate` block with one setting, to be put at the end of a file.
pub(super) fn setting(path: &str, value: &str) -> String {
    let mut names: Vec<&str> = std::iter::once("terramate").chain(path.split('.')).collect();
    let key = names.pop().unwrap_or_default();
    let mut text = String::from("\n");
    for (depth, name) in names.iter().enumerate() {
        text.push_str(&format!("{}{name} {{\n", "  ".repeat(depth)));
    }
    text.push_str(&format!("{}{key} = {value}\n", "  ".repeat(names.len())));
    for depth in (0..names.len()).rev() {
        text.push_str(&format!("{}}}\n", "  ".repeat(depth)));
    }
    text
}

fn unreadable(file: FileId, error: &ReadError, found: &mut Vec<Found>) {
    let (rule, fatal) = match error {
        ReadError::TooLarge(_) => (&limit_reached::RULE, false),
        _ => (&unreadable_file::RULE, true),
    };
    let message = match error {
        ReadError::IsDirectory => "Terramate reads this path as a file, and it is a directory".to_owned(),
        error => format!("the file cannot be read: it {error}"),
    };
    let message = message
        .replace("it no such", "there is no such")
        .replace("it permission denied", "permission denied");
    push(found, Diagnostic::new(rule, Place::file(file), message), fatal);
}

fn of_directory(
    cx: &Cx<'_>,
    tree: &Tree,
    dir: &Dir,
    experiments: Option<&[Arc<str>]>,
    found: &mut Vec<Found>,
) {
    second_stacks(cx, dir, found);
    set_twice(cx, dir, found);
    scripts_and_vendors(cx, dir, found);
    if let Some(known) = experiments {
        for (loaded, facts) in files(dir) {
            for used in facts
                .shape
                .experimental
                .iter()
                .filter(|e| !known.iter().any(|k| **k == *e.experiment))
            {
                let place = cx.place(loaded.file, used.at);
                let message = format!(
                    "`{}` belongs to the experiment `{}`, which is not switched on",
                    used.block, used.experiment
                );
                let mut d = Diagnostic::new(&rules::experiment_off::RULE, place, message).engine_message(format!(
                    "unrecognized block \"{}\" ({} is an experimental feature, it must be enabled before usage with \
                     `terramate.config.experiments = [\"{}\"]`)",
                    used.block, used.block, used.experiment
                ));
                if let Some((root, at, list)) = experiments_place(tree) {
                    let list = cx.place(root, list);
                    d = d
                        .related(cx.place(root, at), "the experiments that are switched on")
                        .fix(
                            format!("switch on `{}`", used.experiment),
                            Safety::Unsafe,
                            vec![FixStep::AppendEntry(list, used.experiment.to_owned())],
                        );
                } else if let Some((root, facts)) = tree.dirs.first().and_then(|r| files(r).next()) {
                    let block = setting("config.experiments", &format!("[{}]", quote(used.experiment)));
                    d = d.fix(
                        format!("switch on `{}`", used.experiment),
                        Safety::Unsafe,
                        vec![FixStep::Replace(cx.place(root.file, facts.shape.end), block)],
                    );
                }
                let entry = push(found, d, true);
                entry.unseen = facts.shape.unreadable;
            }
        }
    }
    imports::check(cx, tree, dir, found);
}

/// Pushes a finding about a block, for the modules beside this one.
pub(super) fn refuse(found: &mut Vec<Found>, diagnostic: Diagnostic) {
    push(found, diagnostic, true);
}

fn second_stacks(cx: &Cx<'_>, dir: &Dir, found: &mut Vec<Found>) {
    let mut first: Option<(Place, bool)> = None;
    for (loaded, facts) in files(dir) {
        for stack in &facts.shape.stacks {
            let place = cx.place(loaded.file, stack.header);
            let Some((earlier, sound)) = first else {
                first = Some((place, !stack.rejected && !facts.shape.unreadable));
                continue;
            };
            let d = Diagnostic::new(
                &rules::stack_duplicate::RULE,
                place,
                "this directory has a `stack` block already",
            )
            .related(earlier, "the first one")
            .engine_message("duplicated stack blocks across configs")
            .fix(
                "remove this block",
                Safety::Unsafe,
                vec![FixStep::Replace(
                    cx.place(loaded.file, stack.block),
                    String::new(),
                )],
            );
            let path = super::project_file(dir, &loaded.path);
            let entry = push(found, d, true);
            entry.details.push(("file", path));
            entry.unseen = facts.shape.unreadable || !sound;
        }
    }
}

fn set_twice(cx: &Cx<'_>, dir: &Dir, found: &mut Vec<Found>) {
    let mut first: FxHashMap<&str, (Place, FileId, At)> = FxHashMap::default();
    for (loaded, facts) in files(dir) {
        for attribute in &facts.shape.root {
            let place = cx.place(loaded.file, attribute.at);
            let known = first.get(&*attribute.path).copied();
            let Some((earlier, ..)) = known else {
                first.insert(&attribute.path, (place, loaded.file, attribute.at));
                continue;
            };
            let message = format!("`terramate.{}` is set already in this directory", attribute.path);
            let entry = push(
                found,
                Diagnostic::new(&duplicate_key::RULE, place, message)
                    .severity(Severity::Error)
                    .related(earlier, "it is set here"),
                true,
            );
            entry.unseen = facts.shape.unreadable;
            entry.early = true;
        }
    }
    globals_set_twice(cx, dir, found);
}

fn globals_set_twice(cx: &Cx<'_>, dir: &Dir, found: &mut Vec<Found>) {
    let mut first: FxHashMap<(&[Arc<str>], &str), Place> = FxHashMap::default();
    for (loaded, facts) in files(dir) {
        for (labels, name, at) in &facts.shape.globals {
            let place = cx.place(loaded.file, *at);
            let Some(earlier) = first.get(&(labels.as_slice(), &**name)) else {
                first.insert((labels, name), place);
                continue;
            };
            let d = Diagnostic::new(
                &duplicate_key::RULE,
                place,
                format!("the global `{name}` is set already in this directory"),
            )
            .severity(Severity::Error)
            .related(*earlier, "it is set here")
            .engine_message(format!("attribute \"{name}\" redeclared"));
            let entry = push(found, d, true);
            entry.unseen = facts.shape.unreadable;
            entry.early = true;
        }
    }
}

fn scripts_and_vendors(cx: &Cx<'_>, dir: &Dir, found: &mut Vec<Found>) {
    let mut scripts: FxHashMap<&[Arc<str>], Place> = FxHashMap::default();
    let mut vendor: Option<Place> = None;
    for (loaded, facts) in files(dir) {
        for (labels, at) in &facts.shape.scripts {
            let place = cx.place(loaded.file, *at);
            match scripts.get(labels.as_slice()) {
                Some(earlier) => {
                    let message = format!("this directory has a script `{}` already", labels.join(" "));
                    push(
                        found,
                        Diagnostic::new(&duplicate_name::RULE, place, message)
                            .related(*earlier, "the first one"),
                        true,
                    );
                }
                None => {
                    scripts.insert(labels, place);
                }
            }
        }
        for at in &facts.shape.vendors {
            let place = cx.place(loaded.file, *at);
            match vendor {
                Some(earlier) => {
                    push(
                        found,
                        Diagnostic::new(
                            &duplicate_key::RULE,
                            place,
                            "this directory has a `vendor` block already",
                        )
                        .severity(Severity::Error)
                        .related(earlier, "the first one"),
                        true,
                    )
                    .early = true;
                }
                None => vendor = Some(place),
            }
        }
    }
}

/// The experiments of the root directory; `None` where they can't be known.
fn experiments(tree: &Tree) -> Option<Vec<Arc<str>>> {
    let Some(root) = tree.dirs.first() else {
        return Some(Vec::new());
    };
    let mut all = Vec::new();
    for (_, facts) in files(root) {
        // What an import brings is merged; and lines that could not be read may hold the setting.
        if facts.shape.gap || !facts.shape.imports.is_empty() {
            return None;
        }
        match &facts.shape.experiments {
            Some(Some(known)) => all.extend(known.iter().cloned()),
            Some(None) => return None,
            None => {}
        }
    }
    Some(all)
}

/// Where the experiments are switched on: the attribute and its value.
fn experiments_place(tree: &Tree) -> Option<(FileId, At, At)> {
    files(tree.dirs.first()?).find_map(|(loaded, facts)| {
        let attribute = facts
            .shape
            .root
            .iter()
            .find(|a| &*a.path == "config.experiments")?;
        Some((loaded.file, attribute.at, attribute.value))
    })
}

/// What Terramate checks of every stack of the project, in the byte order of paths. It stops at the first
/// stack with an error.
pub(super) fn stacks(cx: &Cx<'_>, tree: &Tree, stacks: &Stacks) -> Vec<Found> {
    let mut found = Vec::new();
    let mut ids: Ids = Ids::default();
    for (index, node) in stacks.iter() {
        stack(cx, tree, stacks, (index, node), &mut ids, &mut found);
    }
    found
}

/// The ids of stacks in lower case, with the first stack of each.
pub(super) type Ids = FxHashMap<String, (u32, Place)>;

/// What is checked of one stack; `ids` are those of the stacks before it.
pub(super) fn stack(
    cx: &Cx<'_>,
    tree: &Tree,
    stacks: &Stacks,
    (index, node): (u32, &super::stacks::Node),
    ids: &mut Ids,
    found: &mut Vec<Found>,
) {
    let Some(stack) = node.stack() else { return };
    let before = found.len();
    watch(cx, tree, node, found);
    if let Value::Known(id) = &stack.id
        && !id.value.is_empty()
    {
        let place = cx.place(node.file, id.at);
        if !is_id(&id.value) {
            let text = format!(
                "\"stack.id\" \"{}\" doesn't match \"^[a-zA-Z0-9_-]{{1,64}}$\"",
                id.value
            );
            let message = format!(
                "`{}` is no stack id: 1 to 64 letters, digits, `_` and `-`",
                id.value
            );
            let d = Diagnostic::new(&invalid_name::RULE, place, message).engine_message(text);
            refuse_stack(found, with_new_id(d, place, &node.path));
        } else if let Some((other, earlier)) = ids.get(&id.value.to_ascii_lowercase()) {
            let other = stacks.path(*other);
            let text = format!(
                "duplicated ID found on stacks: stack \"{}\" and \"{other}\" have same ID \"{}\"",
                node.path, id.value
            );
            let message = format!("stack `{other}` has the id `{}` already", id.value);
            let d = Diagnostic::new(&duplicate_name::RULE, place, message)
                .related(*earlier, format!("the id of `{other}`"))
                .note("ids are compared without regard to upper and lower case")
                .engine_message(text);
            refuse_stack(found, with_new_id(d, place, &node.path))
                .details
                .push(("other", other.to_string()));
        } else {
            ids.insert(id.value.to_ascii_lowercase(), (index, place));
        }
    }
    for tag in &stack.tags.entries {
        let place = cx.place(node.file, tag.at);
        if tag.value.is_empty() {
            let d = Diagnostic::new(
                &rules::tag_empty::RULE,
                place,
                "no filter can ever name an empty tag",
            )
            .fix(
                "remove the entry",
                Safety::Safe,
                vec![FixStep::RemoveEntry(place)],
            );
            push(found, d, false);
        } else if let Err(words) = tags::check(&tag.value) {
            let message = format!(
                "`{}` is no tag: lower-case letters and digits, inside also `.`, `_`, `/` and `-`",
                tag.value
            );
            let mut d = Diagnostic::new(&invalid_name::RULE, place, message).engine_message(words);
            if let Some(better) = better_tag(&tag.value) {
                d = d.fix(
                    format!("replace by `{better}`"),
                    Safety::Unsafe,
                    vec![FixStep::SetValue(place, better)],
                );
            }
            refuse_stack(found, d)
                .details
                .push(("value", tag.value.to_string()));
        }
    }
    if let Some(own) = found.get_mut(before..) {
        for found in own {
            found.dir = node.path.clone();
            found.diagnostic.units.push(node.path.clone());
        }
    }
}

fn refuse_stack(found: &mut Vec<Found>, diagnostic: Diagnostic) -> &mut Found {
    push(
        found,
        diagnostic
            .enforced("run", "stacks", false)
            .enforced("list", "stacks", false),
        true,
    )
}

fn with_new_id(d: Diagnostic, place: Place, path: &str) -> Diagnostic {
    let step = FixStep::SetValue(place, new_id(path));
    d.fix("give it a new id", Safety::Unsafe, vec![step])
}

/// An id for the stack at a path: a UUID of the free form (version 8), made from the path, so that the same
/// project always gets the same.
pub(super) fn new_id(path: &str) -> String {
    let half = |salt: u64| {
        let mut hasher = FxHasher::default();
        salt.hash(&mut hasher);
        path.hash(&mut hasher);
        hasher.finish()
    };
    let (high, low) = (half(1), half(2));
    format!(
        "{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    )
}

/// Whether a text can be the id of a stack.
pub(crate) fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

pub(super) fn better_tag(tag: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase() || "._/-".contains(c);
    let replaced: String = tag
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| if allowed(c) { c } else { '-' })
        .collect();
    let better = replaced.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    (!better.is_empty()).then(|| better.to_owned())
}

fn watch(cx: &Cx<'_>, tree: &Tree, node: &super::stacks::Node, found: &mut Vec<Found>) {
    let Some((stack, dir)) = node.stack().zip(tree.dirs.get(node.dir as usize)) else {
        return;
    };
    for entry in &stack.watch.entries {
        let place = cx.place(node.file, entry.at);
        let written = &*entry.value;
        let host = if written.starts_with('/') {
            join_clean(&tree.root, written)
        } else {
            join_clean(&dir.host, written)
        };
        let mut problem = |message: String, words: String| {
            refuse_stack(
                found,
                Diagnostic::new(&invalid_value::RULE, place, message)
                    .engine_message(words)
                    .fix(
                        "remove the entry",
                        Safety::Unsafe,
                        vec![FixStep::RemoveEntry(place)],
                    ),
            )
            .details
            .push(("value", written.to_owned()));
        };
        // A test of text, as Terramate makes it: `/root-other` counts as inside of `/root`.
        if !host.as_str().starts_with(tree.root.as_str()) {
            problem(
                format!("`{written}` lies outside of the project"),
                format!("path {written} is outside project root"),
            );
            continue;
        }
        let shown = tree
            .project_path(&host)
            .unwrap_or_else(|| clean(written).into_string());
        match cx.kind(&host, true) {
            Some(FileKind::File) => {}
            Some(FileKind::Directory) => problem(
                format!("`{written}` is a directory; only files can be watched"),
                format!("stack.watch must be a list of regular files but directory \"{shown}\" was provided"),
            ),
            Some(_) => problem(
                format!("`{written}` is no regular file"),
                format!("stack.watch must be a list of regular files but file \"{shown}\" has another mode"),
            ),
            None => {
                let d = Diagnostic::new(&missing_file::RULE, place, format!("`{written}` does not exist"))
                    .severity(Severity::Info)
                    .note("Terramate says nothing: a file that does not exist never changes");
                push(found, d, false);
            }
        }
    }
}
