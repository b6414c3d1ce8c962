//! The options of a run: from flags, from git, and with the names that answers use for units.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use applyorder_analysis::engine::{EngineMeta, RunOptions, Takes};
use applyorder_analysis::files::Files;
use applyorder_analysis::workspace::Analysis;
use camino::{Utf8Path, Utf8PathBuf};

use super::key;
use crate::args::SelectionArgs;
use crate::escape;
use crate::exit::Failure;
use crate::output::is_stdin;
use crate::place::Paths;
use crate::start::absolute;
use crate::vcs::{self, GitRoots};

/// The options of the run, with absolute paths. Values from the environment apply if the engine that the run is limited
/// to has the option.
pub(super) fn run_options(
    selection: &SelectionArgs,
    engine: Option<&EngineMeta>,
    cwd: &Utf8Path,
) -> RunOptions {
    let mut options = RunOptions::default();
    for (option, values) in &selection.options {
        let is_known = engine.is_none_or(|meta| meta.has_option(option.name));
        if !is_known && selection.lenient.contains(&option.name) {
            continue;
        }
        let value = |value: &String| {
            if option.takes.is_path() {
                absolute(cwd, Utf8Path::new(value)).into_string()
            } else {
                value.clone()
            }
        };
        options.set(option, values.iter().map(value).collect());
    }
    options
}

/// Input files named by flags that cannot be read: the option, and a sentence.
pub(super) fn unreadable_inputs(
    selection: &SelectionArgs,
    cwd: &Utf8Path,
    disk: &dyn Files,
) -> Vec<(&'static str, String)> {
    let given = selection.options.iter();
    let files = given.filter(|(option, _)| option.flag && matches!(option.takes, Takes::File | Takes::Files));
    let named = files.flat_map(|(option, values)| values.iter().map(|value| (option.name, value)));
    let problems = named.filter_map(|(name, value)| {
        let error = disk.read(&absolute(cwd, Utf8Path::new(value))).err()?;
        Some((name, format!("--{name} {}: {error}", escape::line(value))))
    });
    problems.collect()
}

/// The files that changed since a revision, in all work trees that contain the given paths.
pub(super) fn changed_since(
    paths: &[Utf8PathBuf],
    revision: &str,
    cwd: &Utf8Path,
) -> Result<Vec<Utf8PathBuf>, Failure> {
    let git = GitRoots::default();
    let mut named: Vec<Utf8PathBuf> = paths
        .iter()
        .filter(|p| !is_stdin(p))
        .map(|p| absolute(cwd, p))
        .collect();
    if named.is_empty() {
        named.push(cwd.to_owned());
    }
    let mut roots: BTreeSet<Utf8PathBuf> = BTreeSet::new();
    for path in &named {
        let dir = path.ancestors().find(|dir| dir.is_dir());
        let Some(root) = dir.and_then(|dir| git.root(dir)) else {
            return Err(Failure::new(format!(
                "--changed-since {}: {} is not in a git work tree",
                escape::line(revision),
                escape::line(path.as_str())
            )));
        };
        roots.insert(root);
    }
    let mut changed = Vec::new();
    for root in roots {
        let files = vcs::changed_files(&root, revision)
            .map_err(|e| Failure::new(format!("--changed-since {}: {e}", escape::line(revision))))?;
        changed.extend(files);
    }
    Ok(changed)
}

/// The options with `ENGINE:PROJECT#NAME` shortened to `NAME`, and displayed names mapped back to those in the files.
pub(super) fn with_plain_names(
    options: &RunOptions,
    analysis: &Analysis,
    paths: &Paths,
) -> Option<RunOptions> {
    let named = options.changed.iter().flatten().chain(&options.failed);
    if !named.clone().any(|name| name.contains(['#', '\\'])) {
        return None;
    }
    let keys: Vec<String> = analysis
        .projects()
        .map(|(_, p)| format!("{}#", key(p, paths)))
        .collect();
    let units = analysis
        .projects()
        .flat_map(|(_, p)| p.resolution.variants.iter().flat_map(|v| &v.units));
    let escaped: BTreeMap<String, &str> = units
        .filter_map(|unit| match escape::line(&unit.name) {
            Cow::Borrowed(_) => None,
            Cow::Owned(shown) => Some((shown, &*unit.name)),
        })
        .collect();
    let plain = |name: &mut String| {
        if let Some(rest) = keys.iter().find_map(|key| name.strip_prefix(key.as_str())) {
            *name = rest.to_owned();
        }
        if let Some(real) = escaped.get(name) {
            *name = (*real).to_owned();
        }
    };
    let mut options = options.clone();
    options.changed.iter_mut().flatten().for_each(plain);
    options.failed.iter_mut().for_each(plain);
    Some(options)
}
