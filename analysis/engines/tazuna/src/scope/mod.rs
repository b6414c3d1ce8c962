//! What the checks of rules may see: a source, or the project as a whole.

mod fingerprint;
mod groups;
mod occurrences;
mod source;
mod whole;
mod wording;

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHasher};

use self::occurrences::Occurrences;
use super::Tazuna;
use super::judge::Stage;
use super::load::Setting;
use super::model::{Expansion, Part};
use super::relate::Related;
use applyorder_core::diagnostic::{FileId, FixStep};
use applyorder_core::layer::{Finding, Names, Scopes, Sym};
use applyorder_core::store::Shape;

pub(super) use fingerprint::fingerprint;
pub(super) use groups::{Group, MOST_MEMBERS};
pub(super) use source::{Source, subject};
pub(super) use whole::{NameError, Whole, is_strict, is_taken, of_names, related_include};
pub(super) use wording::{NAMELESS, Wording, behind, of_item, unit_of};

impl Scopes for Tazuna {
    type Source<'a> = Source<'a>;
    type Project<'a> = Whole<'a>;
}

/// A project while it is checked: everything that a check may query.
pub(crate) struct CheckContext<'a> {
    pub(crate) setting: &'a Setting,
    pub(crate) expansion: &'a Expansion,
    pub(crate) related: &'a Related,
    pub(crate) names: &'a Names,
    pub(crate) occurrences: Occurrences,
    /// The inputs of the root.
    pub(super) root: Option<(FileId, Shape, u32)>,
    /// A hash of which files are templates.
    pub(super) templates: u64,
    /// A hash of what decides whether a name may be declared in unreadable parts.
    pub(super) doubts: u64,
    /// The root's groups, computed on demand.
    groups: OnceLock<FxHashMap<Arc<str>, Group>>,
    /// The broken parts with the number of known references to each name in them, computed on demand.
    broken: OnceLock<Vec<Broken>>,
}

/// The text of a part in which some lines could not be read, and the number of known references to each name in
/// it.
pub(crate) type Broken = (Arc<str>, FxHashMap<Sym, usize>);

/// The bytes of broken files that are searched for names in one pass.
const SEARCHED: usize = 1 << 26;

impl<'a> CheckContext<'a> {
    pub(crate) fn new(names: &'a Names, related: &'a Related) -> Self {
        let expansion = &*related.expansion;
        let mut templates = FxHasher::default();
        let of_templates = expansion.parts.iter().filter(|p| p.brief.is_templated);
        of_templates.for_each(|p| p.brief.file.hash(&mut templates));
        let mut doubts = FxHasher::default();
        (related.incomplete, related.all_seen).hash(&mut doubts);
        for part in related
            .broken
            .iter()
            .filter_map(|p| expansion.parts.get(*p as usize))
        {
            part.brief.id().hash(&mut doubts);
        }
        Self {
            setting: &expansion.setting,
            expansion,
            related,
            names,
            occurrences: Occurrences::of(expansion),
            root: expansion.root().map(|root| root.brief.id()),
            templates: templates.finish(),
            doubts: doubts.finish(),
            groups: OnceLock::new(),
            broken: OnceLock::new(),
        }
    }

    pub(crate) fn groups(&self) -> &FxHashMap<Arc<str>, Group> {
        self.groups.get_or_init(|| groups::groups(self.expansion))
    }

    pub(crate) fn broken(&self) -> &[Broken] {
        self.broken.get_or_init(|| {
            let parts = self.related.broken.iter();
            let parts = parts.filter_map(|part| self.expansion.parts.get(*part as usize));
            let known = |part: &Part| {
                let mut known: FxHashMap<Sym, usize> = FxHashMap::default();
                for need in &part.piece.needs {
                    *known.entry(need.name).or_default() += 1;
                }
                (part.piece.facts.text().clone(), known)
            };
            parts.map(known).collect()
        })
    }

    /// Whether too many names are unknown to search broken files for each of them.
    pub(crate) fn too_much_to_search(&self) -> bool {
        let texts: usize = self.broken().iter().map(|(text, _)| text.len()).sum();
        texts.saturating_mul(self.related.dangling as usize) > SEARCHED
    }

    /// Whether findings that Tazuna does not report are shown for a file.
    pub(crate) fn tells_of(&self, part: &Part) -> bool {
        self.related.root_is_certain && part.brief.is_whole()
    }

    /// A finding in rendered text cannot be fixed in the template it came from.
    pub(crate) fn without_fixes_in_templates(&self, found: &mut [Finding]) {
        let is_of_template = |f: &Finding| f.rejections.iter().any(|r| r.stage == Stage::Template.name());
        for f in found.iter_mut().filter(|f| !is_of_template(f)) {
            let in_template = |step: &FixStep| self.expansion.is_template(step.place().file);
            f.diagnostic_mut()
                .fixes
                .retain(|fix| !fix.steps.iter().any(in_template));
        }
    }
}
