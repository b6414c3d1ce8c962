//! Texts of the analysis that are parsed again: fixes and selections need whole trees.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::Analysis;
use super::aliases::Aliases;
use applyorder_core::diagnostic::FileId;
use applyorder_syntax::Language;
use applyorder_syntax::hcl;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml;
use applyorder_syntax::yaml::index::Index;

/// A parsed text.
pub(super) enum Parsed {
    Yaml(yaml::Tree, Index, Aliases),
    Hcl(hcl::Tree),
}

impl Parsed {
    pub(super) fn new(text: &str, language: Language) -> Self {
        match language {
            Language::Yaml => Self::Yaml(yaml::parse(text), Index::default(), Aliases::default()),
            Language::Hcl => Self::Hcl(hcl::parse(text)),
        }
    }
}

/// The trees that were requested last. Fixes are requested file by file, and their steps may be in others.
#[derive(Default)]
pub(super) struct LastTrees(Mutex<Trees>);

#[derive(Default)]
struct Trees {
    by_file: FxHashMap<(FileId, Language), Arc<Parsed>>,
    /// The bytes of their texts.
    bytes: usize,
}

/// The maximum number of bytes of the texts whose trees are kept, if they are several.
const MOST_BYTES: usize = 4 << 20;

impl LastTrees {
    fn tree(&self, file: FileId, language: Language, text: &str) -> Arc<Parsed> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = last.by_file.get(&(file, language)) {
            return tree.clone();
        }
        if last.bytes + text.len() > MOST_BYTES {
            *last = Trees::default();
        }
        let tree = Arc::new(Parsed::new(text, language));
        last.by_file.insert((file, language), tree.clone());
        last.bytes += text.len();
        tree
    }
}

impl Analysis {
    /// The tree of a file.
    pub(super) fn tree(&self, file: FileId, language: Language, text: &str) -> Arc<Parsed> {
        self.last_trees.tree(file, language, text)
    }

    /// The language of a file by its name, else that of its engine.
    pub(super) fn language_of(&self, file: FileId) -> Option<Language> {
        Language::of(self.path(file)).or_else(|| {
            let mut projects = self.projects().filter(|(_, p)| p.has_file(file));
            projects.next().map(|(_, p)| p.engine().meta().language)
        })
    }

    /// The spans that enclose an offset in the tree of a file, outermost first.
    pub(crate) fn enclosing(&self, file: FileId, offset: u32) -> Vec<Span> {
        let (Some(language), Some(source)) = (self.language_of(file), self.source(file)) else {
            return Vec::new();
        };
        match &*self.tree(file, language, &source.text) {
            Parsed::Yaml(tree, index, _) => {
                let path = index.node_at(tree, offset);
                // The anchor and the tag of a node precede it.
                let spans = path.iter().flat_map(|node| [node.full_span(), node.span()]);
                spans.filter(|span| span.touches(offset)).collect()
            }
            Parsed::Hcl(tree) => tree.node_at(offset).iter().map(|node| node.span()).collect(),
        }
    }
}
