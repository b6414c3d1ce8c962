//! What a directory sets in equal blocks, which Terramate merges.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::Loading;
use crate::problems::Fault;
use crate::read::Problem;
use crate::schema::{Metadata, may_be_missing_at_times};

/// The attributes in the equal blocks of a directory and of what it imports: collected once, and only if something is
/// missing.
pub(super) struct EqualBlocks<'a> {
    loading: Loading<'a>,
    set: OnceCell<FxHashSet<(&'a str, &'a str)>>,
    metadata: OnceCell<Metadata<'a>>,
}

impl<'a> EqualBlocks<'a> {
    pub(super) fn of(loading: Loading<'a>) -> Self {
        Self {
            loading,
            set: OnceCell::new(),
            metadata: OnceCell::new(),
        }
    }

    /// Whether a block lacks something that an equal block has.
    pub(super) fn have(&self, problem: &Problem) -> bool {
        let (Some(block), Fault::Missing { name, .. }) = (&problem.merged, &problem.fault) else {
            return false;
        };
        let set = self.set.get_or_init(|| self.attributes().collect());
        set.contains(&(&**block, &**name))
    }

    /// Whether Terramate misses something only at times: then the model says that it is unknown.
    pub(super) fn may_have(&self, problem: &Problem) -> bool {
        let metadata = || self.metadata.get_or_init(|| Metadata::of(self.attributes()));
        may_be_missing_at_times(problem) && metadata().is_missing_at_times(problem)
    }

    /// Each attribute with the key of its block.
    fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let Loading {
            sources,
            imports,
            dir,
            ..
        } = self.loading;
        let own = sources.files(dir).map(|(_, facts)| facts);
        let imported = imports.merged.iter().map(|merged| &merged.facts);
        own.chain(imported).flat_map(|facts| facts.merged())
    }
}
