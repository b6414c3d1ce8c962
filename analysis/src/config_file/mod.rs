//! `applyorder.toml` as a text that users write: its keys and values, their schema, and the paths in it. Errors
//! in it are found where it is read.

mod outline;
mod paths;
mod renamed;
mod schema;
mod units;

use camino::Utf8Path;

use crate::workspace::Analysis;
use applyorder_core::config;
use applyorder_core::diagnostic::{FileId, Rule};
use applyorder_core::engine::Engines;
use applyorder_syntax::text::{Span, TextEdit};

pub use outline::{Expected, NodeIx, Outline, ROOT, Step, What, Word};
pub use paths::{moved, named, paths};
pub use renamed::quoted;
pub(crate) use renamed::renamed;
pub use schema::{ConfigSchema, Described};
pub(crate) use units::mentions;
pub use units::{Mention, Named, layers, matching, mention_at, units};

/// Whether a path is that of a configuration file.
#[must_use]
pub fn is_config(path: &Utf8Path) -> bool {
    path.file_name()
        .is_some_and(|name| config::FILE_NAMES.contains(&name))
}

/// A configuration file for editor requests.
pub struct ConfigFile<'a> {
    /// The file.
    pub file: FileId,
    /// Its path.
    pub path: &'a Utf8Path,
    /// Its text.
    pub text: &'a str,
    /// The structure of the text.
    pub outline: Outline,
    /// The schema of its content.
    pub schema: ConfigSchema,
    /// The engines whose tables it can have.
    pub engines: Engines,
}

/// The configuration files of a workspace.
fn configs(analysis: &Analysis) -> impl Iterator<Item = ConfigFile<'_>> {
    let files = analysis.read_files().filter(|(_, path)| is_config(path));
    files.filter_map(|(file, _)| ConfigFile::of(analysis, file))
}

impl<'a> ConfigFile<'a> {
    /// A file of an analysis; `None` if it was not read.
    #[must_use]
    pub fn of(analysis: &'a Analysis, file: FileId) -> Option<Self> {
        let text = &*analysis.source(file)?.text;
        let engines = analysis.engines();
        Some(Self {
            file,
            path: analysis.path(file),
            text,
            outline: Outline::of(text),
            schema: ConfigSchema::new(&engines.known()),
            engines,
        })
    }

    /// Whether the keys of a table name rules.
    #[must_use]
    pub fn names_rules(&self, table: NodeIx) -> bool {
        let path = self.outline.path(table);
        let is_rules = matches!(path.last(), Some(Step::Key(key)) if key == "rules");
        is_rules && self.schema.at(path).is_map()
    }

    /// The values whose schema satisfies a predicate, themselves or as elements of a list.
    fn values(&self, is: impl Fn(&Described<'_>) -> bool) -> Vec<&Word> {
        let said = |path: &[&Step]| is(&self.schema.at(path.iter().copied()));
        let words = self.outline.words.iter().filter(|w| w.what == What::Value);
        let found = words.filter(|word| {
            let path = self.outline.path(word.node);
            said(&path) || matches!(path.split_last(), Some((Step::Element, list)) if said(list))
        });
        found.collect()
    }

    /// The edit that replaces the text of a value within its quotes; `None` if it is not written as a plain
    /// string, or the other text cannot be.
    fn plain_edit(&self, inner: Span, value: &str, text: &str) -> Option<TextEdit> {
        let is_plain = !text.contains(['"', '\'', '\\']) && !text.contains(char::is_control);
        (inner.slice(self.text) == value && is_plain).then(|| TextEdit {
            span: inner,
            text: text.to_owned(),
        })
    }

    /// The rules that a configuration can name.
    #[must_use]
    pub fn rules(&self) -> Vec<&'static Rule> {
        self.engines.rules()
    }
}
