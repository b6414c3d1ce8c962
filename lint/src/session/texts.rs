//! Runs with replaced texts.

use std::collections::{BTreeSet, HashSet};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::files::{FileKind, Files};
use applyorder_analysis::workspace::Project;
use camino::{Utf8Path, Utf8PathBuf};

use super::Session;

impl Session {
    /// Whether a text is the one on the disk, and not standard input or the output of a command.
    #[must_use]
    pub fn is_on_disk(&self, path: &Utf8Path, text: &str) -> bool {
        let named = self.targets.stdin.as_deref() != Some(path);
        named && self.files.read(path).is_ok_and(|now| *now == *text.as_bytes())
    }

    /// Whether lines of a file may be shown: it must be in a tree that was asked about, with all links resolved. A link
    /// or an include in a foreign tree can lead to any file of this machine.
    #[must_use]
    pub fn may_quote(&self, path: &Utf8Path) -> bool {
        let trees = self.trees.get_or_init(|| self.trees());
        let real = self.real(path);
        real.is_none_or(|real| trees.iter().any(|tree| real.starts_with(tree)))
    }

    /// A path with all links resolved; `None` if it does not exist. Resolving each path completely is slow, so a path
    /// that is not a link is resolved from its directory.
    fn real(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut known = self.real_paths.borrow_mut();
        let mut below: Vec<(&Utf8Path, &str)> = Vec::new();
        let mut at = path;
        let mut real = loop {
            if let Some(real) = known.get(at) {
                break real.clone();
            }
            match (self.files.kind(at, false), at.parent(), at.file_name()) {
                (Some(FileKind::File | FileKind::Directory), Some(dir), Some(name)) => {
                    below.push((at, name));
                    at = dir;
                }
                _ => {
                    let real = self.files.canonical(at);
                    known.insert(at.to_owned(), real.clone());
                    break real;
                }
            }
        };
        for (at, name) in below.into_iter().rev() {
            real = real.map(|dir| dir.join(name));
            known.insert(at.to_owned(), real.clone());
        }
        real
    }

    /// The rules whose engine messages for a project must not be shown, because some of their findings are outside the
    /// trees.
    #[must_use]
    pub fn redacted_rules(&self, project: &Project) -> HashSet<&'static str> {
        let errors = project.resolution.verdicts.iter().flat_map(|v| &v.errors);
        let told: HashSet<&str> = errors.map(|error| error.rule).collect();
        let findings = project.findings();
        let is_told = |file: &FileId| findings.of(*file).any(|d| told.contains(d.rule.id));
        let outside = findings
            .files()
            .filter(is_told)
            .filter(|file| !self.may_quote(self.analysis.path(*file)));
        outside
            .flat_map(|file| findings.of(file))
            .map(|d| d.rule.id)
            .collect()
    }

    /// The work trees of the current directory and of the named paths, or these directories themselves if they are in
    /// none.
    fn trees(&self) -> BTreeSet<Utf8PathBuf> {
        let parent = |path: &Utf8Path| path.parent().map(Utf8Path::to_owned);
        let mut dirs = BTreeSet::from([self.paths.cwd.clone()]);
        // As named: the target of a link to a file was not named.
        for path in &self.targets.named {
            match self.files.kind(path, true) {
                Some(FileKind::Directory) => dirs.extend([path.clone()]),
                _ => dirs.extend(parent(path)),
            }
        }
        if self.is_of_command {
            // The files were given as arguments.
            let inputs = self.projects().flat_map(|(_, project)| &project.seed.inputs);
            dirs.extend(inputs.filter_map(|input| parent(input)));
        }
        let tree = |dir: &Utf8PathBuf| [self.files.vcs_root(dir), self.files.canonical(dir)];
        dirs.iter().flat_map(tree).flatten().collect()
    }

    /// The path of a file with all links resolved.
    #[must_use]
    pub fn canonical(&self, path: &Utf8Path) -> Utf8PathBuf {
        self.files.canonical(path).unwrap_or_else(|| path.to_owned())
    }

    /// Reads the configurations again. Those in use stay if the flags no longer give any.
    fn reload_configs(&mut self) {
        let Some((source, dirs)) = &self.configured else {
            return;
        };
        let (store, known) = (self.workspace.store(), self.analysis.engines().known());
        if let Ok(configs) = source.load(dirs, &*self.files, store, &known) {
            self.workspace.set_configs(configs.clone());
            self.workspace.refresh();
            self.configs = configs;
        }
    }

    /// Uses other texts of files as if they were on the disk. Nothing is written.
    pub fn set_texts(&mut self, texts: &[(Utf8PathBuf, String)]) {
        for (path, text) in texts {
            self.files.set(path, text);
        }
        // Every name of a file gets the new text.
        let changed: Vec<Utf8PathBuf> = texts.iter().map(|(path, _)| self.canonical(path)).collect();
        let read: Vec<Utf8PathBuf> = self
            .analysis
            .read_files()
            .map(|(_, path)| path.to_owned())
            .filter(|path| changed.contains(&self.canonical(path)))
            .collect();
        self.workspace.changed_on_disk(&read);
        self.workspace.refresh();
        if self
            .configs
            .files()
            .iter()
            .any(|path| changed.contains(&self.canonical(path)))
        {
            self.reload_configs();
        }
        self.workspace.search_hints();
        self.analysis = self.workspace.analysis();
        self.selected = self.select();
        self.ambiguous.take();
    }
}
