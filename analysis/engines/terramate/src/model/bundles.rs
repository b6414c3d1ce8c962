//! Instances of bundles whose source has no definition of a bundle.
//!
//! Source: Terramate 0.17.2, its evaluation of bundles: it evaluates all of them, after the environments, and reports
//! each that fails.

use std::sync::Arc;

use super::Model;
use crate::read::{FileFacts, Marks, Text};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Cx;
use applyorder_core::files::{FileKind, clean};

/// Why the source of an instance is not one, and Terramate's message.
pub(crate) struct BundleFault {
    pub(crate) message: String,
    pub(crate) words: String,
}

impl Model {
    /// The `bundle` blocks of the project's directories with a literal source, and the file of each.
    pub(crate) fn bundle_sources(&self) -> impl Iterator<Item = (FileId, &Text)> {
        let dirs = self.loaded.tree.dirs.iter();
        let dirs = dirs.filter(|dir| self.sources.marks(dir).has(Marks::DOUBTS));
        let files = dirs.flat_map(|dir| self.sources.files(dir));
        files.flat_map(|(loaded, facts)| {
            let sources = facts
                .shape
                .bundles
                .iter()
                .filter_map(|bundle| bundle.source.as_ref());
            sources.map(move |source| (loaded.file, source))
        })
    }

    /// Whether Terramate fails because of the source of an instance; `None` inside: it is missing.
    pub(crate) fn bundle_fault(&self, cx: &Cx<'_>, source: Option<&str>) -> Option<BundleFault> {
        let Some(source) = source else {
            return Some(BundleFault {
                message: "missing field `spec.source`".to_owned(),
                words: "config has an invalid schema: source must be string, got dynamic".to_owned(),
            });
        };
        // Others are remote.
        if !source.starts_with('/') {
            return None;
        }
        let (tree, path) = (&self.loaded.tree, clean(source));
        if let Some((index, dir)) = tree.at(path.as_str()) {
            let mut imported = self.imports(index).merged.iter().map(|merged| &merged.facts);
            let mut own = self.sources.files(dir).map(|(_, facts)| facts);
            let is_open =
                self.imports(index).is_limited || own.any(is_definition) || imported.any(is_definition);
            return (!is_open).then(|| BundleFault {
                message: format!("`{source}` defines no bundle"),
                words: format!("source '{source}' is not a bundle definition"),
            });
        }
        // A directory that is not part of the project is loaded as well.
        let host = tree.root.join(path.as_str().trim_start_matches('/'));
        let is_directory = cx.kind(&host, true) == Some(FileKind::Directory);
        (!is_directory).then(|| BundleFault {
            message: format!("`{source}` is not a directory of the project"),
            words: format!("source '{source}' could not be loaded"),
        })
    }
}

/// Whether a file may define a bundle.
fn is_definition(facts: &Arc<FileFacts>) -> bool {
    facts.shape.defines || facts.shape.gap
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::check;
    use applyorder_core::rules::invalid_value::RULE;

    /// Whether `run` accepts some files, and what it reports.
    fn run(files: &str) -> (Option<bool>, Vec<String>) {
        let checked = check(&RULE, &format!("//- /w/s/s.tm\nstack {{\n}}\n{files}"));
        let said = checked.said().into_iter().map(str::to_owned).collect();
        (checked.verdict(), said)
    }

    const DEFINES: &str = "define bundle metadata {\n  class = \"c\"\n  name = \"n\"\n  version = \"1\"\n}\n";

    #[test]
    fn a_source_defines_a_bundle() {
        let block = |source: &str| format!("//- /w/s/b.tm\nbundle \"b\" {{\n  source = {source}\n}}\n");
        let head = "apiVersion: terramate.io/cli/v1\nkind: BundleInstance\nmetadata: {name: b}\n";
        let none = |source: &str| vec![format!("source '{source}' is not a bundle definition")];
        for files in [
            block("\"/s\""),
            format!("//- /w/s/b.tm.yml\n{head}spec: {{source: /s}}\n"),
        ] {
            assert_eq!(run(&files), (Some(false), none("/s")), "{files}");
            let defined = format!("{files}//- /w/s/d.tm\n{DEFINES}");
            assert_eq!(run(&defined), (None, vec![]), "its effect is not known");
        }
        assert_eq!(run(&block("\"/x/../s/\"")), (Some(false), none("/x/../s/")));
        for source in ["/n", "/.h/n", "/s/s.tm"] {
            let missing = vec![format!("source '{source}' could not be loaded")];
            assert_eq!(run(&block(&format!("\"{source}\""))), (Some(false), missing));
        }
        let without = format!("//- /w/s/b.tm.yml\n{head}");
        assert!(run(&without).1[0].ends_with("source must be string, got dynamic"));
        // What is elsewhere, and what is not part of the project.
        let hidden = format!("{}//- /w/.h/d.tm\n{DEFINES}", block("\"/.h\""));
        for files in [block("\"github.com/a/b\""), block("global.a"), hidden] {
            assert_eq!(run(&files), (None, vec![]), "{files}");
        }
        // Terramate evaluates the `uuid` first.
        let uuid = block("\"/n\"\n  uuid = \"x\"");
        assert_eq!(run(&uuid), (None, vec![]));
        // Each environment may have a source of its own.
        let environments =
            "//- /w/s/b.tm\nbundle \"b\" {\n  source = \"/n\"\n  environment \"a\" {\n  }\n}\n";
        assert_eq!(run(environments), (None, vec![]));
    }

    #[test]
    fn environments_come_first() {
        let files = "//- /w/e.tm\nenvironment {\n  id = 1\n  name = \"n\"\n}\n//- /w/s/b.tm\nbundle \"b\" {\n  source = \"/s\"\n}\n";
        let words = "config has an invalid schema: id must be string, got number".to_owned();
        assert_eq!(run(files), (Some(false), vec![words]));
    }

    #[test]
    fn a_definition_may_be_imported() {
        let files = format!(
            "//- /w/s/b.tm\nbundle \"b\" {{\n  source = \"/d\"\n}}\n//- /w/d/i.tm\nimport {{\n  source = \"/e/d.txt\"\n}}\n//- /w/e/d.txt\n{DEFINES}"
        );
        assert_eq!(run(&files), (None, vec![]));
    }
}
