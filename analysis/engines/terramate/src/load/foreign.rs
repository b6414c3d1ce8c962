//! Files and directories whose names are not UTF-8.
//!
//! Source: Terramate 0.17.2, its search for instances of bundles. The file system that it searches there has no such
//! paths: the search fails at a directory, and at a file that it would decode. Everything else is loaded before.

use camino::{Utf8Path, Utf8PathBuf};

use super::instances::{Instance, is_instance};
use crate::discover::{GENERATED, is_config};
use applyorder_core::files::{DirEntry, FileKind};

/// A file or a directory whose name is not UTF-8.
pub(crate) struct Foreign {
    /// Where it is sorted.
    pub(super) path: Utf8PathBuf,
    /// Its path from the root, as it is shown.
    pub(crate) shown: String,
    pub(crate) effect: Effect,
}

/// What it causes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Terramate cannot list the directory.
    NotListed,
    /// Terramate cannot open the file.
    NotOpened,
    /// Terramate loads the file, but we cannot.
    Loaded,
}

impl Foreign {
    /// Whether Terramate reaches it after an instance.
    pub(crate) fn is_after(&self, instance: &Instance) -> bool {
        instance.path < self.path
    }

    /// `is_loaded`: the directory with the entry is part of the project.
    pub(super) fn of(root: &Utf8Path, dir: &Utf8Path, entry: &DirEntry, is_loaded: bool) -> Option<Self> {
        let name = entry.foreign_name()?;
        let effect = match entry.kind {
            FileKind::Directory => Effect::NotListed,
            _ if is_instance(name) => Effect::NotOpened,
            _ if is_loaded && (is_config(name) || name.ends_with(GENERATED)) => Effect::Loaded,
            _ => return None,
        };
        let path = dir.join(name);
        let shown = path.strip_prefix(root).unwrap_or(&path).as_str().to_owned();
        Some(Self { path, shown, effect })
    }
}

#[cfg(test)]
mod tests {
    use applyorder_analysis::workspace::Workspace;
    use applyorder_core::config::Configs;
    use applyorder_core::engine::{Offer, RunOptions};
    use applyorder_core::files::MemoryFiles;
    use std::sync::Arc;

    /// What `run` comes to with a file, in which a name after `?` is not UTF-8.
    fn run(path: &str, others: &[(&str, &str)]) -> (Option<bool>, Option<String>) {
        let mut files = MemoryFiles::new();
        files.insert("/w/t.tm", "terramate {\n  required_version = \"\"\n}\n");
        files.insert("/w/s/s.tm", "stack {\n}\n");
        for (path, text) in others {
            files.insert(format!("/w/{path}"), text);
        }
        files.insert(format!("/w/{}", path.replace('?', "\0")), "");
        let mut workspace = Workspace::new(crate::ALONE, Arc::new(files), RunOptions::default());
        workspace.set_configs(Configs::new());
        workspace.offer(&["/w/t.tm".into(), "/w/s/s.tm".into()], Offer::Found);
        workspace.refresh();
        let analysis = workspace.analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let run = &project.resolution.verdicts[0];
        let first = run.errors.first().map(|e| e.message.clone());
        (run.ok, first.or_else(|| run.because.clone()))
    }

    #[test]
    fn terramate_fails_at_directories_and_instances() {
        let fails = |words: &str| (Some(false), Some(words.to_owned()));
        for dir in ["?x/s.tm", "?x/file.txt"] {
            assert_eq!(run(dir, &[]), fails("readdir x: invalid argument"));
        }
        assert_eq!(run("s/.h/?x/a", &[]), fails("readdir s/.h/x: invalid argument"));
        let skipped = [("s/t/.tmskip", "")];
        assert_eq!(
            run("s/t/?x/a", &skipped),
            fails("readdir s/t/x: invalid argument")
        );
        assert_eq!(
            run("s/?x.tm.yml", &[]),
            fails("open s/x.tm.yml: invalid argument")
        );
    }

    #[test]
    fn directories_of_tools_are_searched_except_that_of_git() {
        for dir in [".terraform", "s/.terraform/modules/x", ".x/node_modules"] {
            assert_eq!(run(&format!("{dir}/?x/a"), &[]).0, Some(false), "{dir}");
            let broken = [(format!("{dir}/x.tm.yml"), "a: [\n")];
            let broken: Vec<(&str, &str)> = broken.iter().map(|(path, text)| (&**path, *text)).collect();
            assert_eq!(run("x.txt", &broken).0, Some(false), "{dir}");
        }
        assert_eq!(run(".git/?x/a", &[]).0, Some(true));
    }

    #[test]
    fn what_terramate_reaches_first_is_reported() {
        let instance = [("s/b.tm.yml", "a: [\n")];
        let first = |path: &str| run(path, &instance).1.unwrap();
        assert!(first("?a/x").starts_with("readdir"));
        assert!(!first("?t/x").starts_with("readdir"));
        let block = [("s/x.tm", "foo {\n}\n")];
        assert!(run("?a/x", &block).1.unwrap().contains("foo"));
    }

    #[test]
    fn a_file_that_is_not_read_leaves_the_verdict_open() {
        let open = (
            None,
            Some("`/s/x.tm` is not read: its name is not UTF-8".to_owned()),
        );
        assert_eq!(run("s/?x.tm", &[]), open);
        for path in ["s/?x.txt", "s/?.x.tm", "s/.h/?x.tm"] {
            assert_eq!(run(path, &[]), (Some(true), None), "{path}");
        }
    }
}
