//! The same run over other texts.

use applyorder_analysis::files::Files;
use camino::{Utf8Path, Utf8PathBuf};

use super::Session;

impl Session {
    /// Whether a text is the one on the disk, and not standard input or what a command gave.
    #[must_use]
    pub fn is_on_disk(&self, path: &Utf8Path, text: &str) -> bool {
        let named = self.targets.stdin.as_deref() != Some(path);
        named && self.files.read(path).is_ok_and(|now| *now == *text.as_bytes())
    }

    /// The path of a file with all links resolved.
    #[must_use]
    pub fn canonical(&self, path: &Utf8Path) -> Utf8PathBuf {
        self.files.canonical(path).unwrap_or_else(|| path.to_owned())
    }

    /// Takes other texts of files as what is on the disk. Nothing is written.
    pub fn set_texts(&mut self, texts: &[(Utf8PathBuf, String)]) {
        for (path, text) in texts {
            self.files.set(path, text);
        }
        // Every name of a file has its new text.
        let changed: Vec<Utf8PathBuf> = texts.iter().map(|(path, _)| self.canonical(path)).collect();
        let read: Vec<Utf8PathBuf> = self
            .analysis
            .read_files()
            .map(|(_, path)| path.to_owned())
            .filter(|path| changed.contains(&self.canonical(path)))
            .collect();
        self.workspace.changed_on_disk(&read);
        self.workspace.refresh();
        self.workspace.search_hints();
        self.analysis = self.workspace.analysis();
        self.selected = self.select();
        self.ambiguous = self.ambiguous_names();
    }
}
