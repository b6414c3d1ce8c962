//! What one file gives under one reading: its manifests, ready to be put into any project.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHasher;

use crate::config::TazunaGeneration;
use crate::diagnostic::{FileId, Place};
use crate::engines::Unit;
use crate::engines::tazuna::count;
use crate::engines::tazuna::layer::{Memo, Pass, Shape, Sym};
use crate::engines::tazuna::load::State;
use crate::engines::tazuna::names::{self, Problem};
use crate::engines::tazuna::read::{
    Certainty, Draft, Item, Manifest, Reading, TazunaFacts, Text, View, rebased,
};
use crate::rules::{Signature, coerced_scalar};

/// The manifests of one view of a file.
pub(in crate::engines::tazuna) struct Piece {
    pub(in crate::engines::tazuna) file: FileId,
    pub(in crate::engines::tazuna) shape: Shape,
    pub(in crate::engines::tazuna) facts: Arc<TazunaFacts>,
    pub(in crate::engines::tazuna) view: Arc<View>,
    /// One per entry of the list that is no group.
    pub(in crate::engines::tazuna) units: Vec<FileUnit>,
    /// The entries of their `dependsOn`, one unit's behind the other's.
    pub(in crate::engines::tazuna) needs: Vec<Need>,
    /// Their tags with the places, one unit's behind the other's.
    pub(in crate::engines::tazuna) tags: Vec<(Sym, Place)>,
    /// The numbers of the entries that are groups.
    pub(in crate::engines::tazuna) groups: Vec<u32>,
    /// The numbers of the entries that have findings of their own.
    pub(in crate::engines::tazuna) noisy: Vec<u32>,
    /// The numbers of the entries of type `genesissecret`.
    pub(in crate::engines::tazuna) secrets: Vec<u32>,
    /// Whether environments may read the file differently.
    pub(in crate::engines::tazuna) is_templated: bool,
    /// Whether what is found in it speaks of the positions of its manifests, or of what brings the file in.
    pub(in crate::engines::tazuna) is_noisy: bool,
    /// Whether it has groups with fields that have no effect.
    pub(in crate::engines::tazuna) has_ignored: bool,
    /// Whether what is found in it is completed by what stands elsewhere.
    pub(in crate::engines::tazuna) is_entangled: bool,
}

/// A manifest.
pub(in crate::engines::tazuna) struct FileUnit {
    /// Its number in the list of the file.
    pub(in crate::engines::tazuna) item: u32,
    pub(in crate::engines::tazuna) unit: Unit,
    pub(in crate::engines::tazuna) name: Sym,
    pub(in crate::engines::tazuna) signature: Signature,
    pub(in crate::engines::tazuna) problem: Option<Problem>,
    /// Its entries in [`Piece::needs`].
    pub(in crate::engines::tazuna) needs: Range<u32>,
    /// Its entries in [`Piece::tags`].
    pub(in crate::engines::tazuna) tags: Range<u32>,
    /// Its list of tags as a number; equal lists have equal numbers.
    pub(in crate::engines::tazuna) tag_list: Sym,
    /// Whether nothing may rest on it.
    pub(in crate::engines::tazuna) broken: bool,
    /// Whether `dependsOn` is written, be it empty.
    pub(in crate::engines::tazuna) says_needs: bool,
    /// A hash of all that others may say of it.
    pub(in crate::engines::tazuna) public: u64,
}

/// An entry of `dependsOn`.
pub(in crate::engines::tazuna) struct Need {
    pub(in crate::engines::tazuna) text: Arc<str>,
    pub(in crate::engines::tazuna) name: Sym,
    pub(in crate::engines::tazuna) place: Place,
    pub(in crate::engines::tazuna) via: Option<Place>,
}

#[derive(PartialEq, Eq, Hash)]
struct PieceKey(FileId, Shape, Reading);

/// What a file that was read gives.
pub(super) fn of(
    pass: &Pass<'_, '_>,
    generation: TazunaGeneration,
    state: State,
    mut reading: Reading,
) -> Option<Arc<Piece>> {
    if !state.is_templated {
        reading.environment = None;
    }
    let key = PieceKey(state.file, state.shape, reading.clone());
    let piece = pass.memo().get(key, || {
        let facts = crate::engines::tazuna::load::facts(pass, state.file)?;
        let view = facts.view(&reading);
        Some(Arc::new(Piece::new(pass.memo(), generation, state, facts, view)))
    });
    Option::clone(&piece)
}

impl Piece {
    /// The manifests of a view.
    fn new(
        memo: &Memo,
        generation: TazunaGeneration,
        state: State,
        facts: Arc<TazunaFacts>,
        view: Arc<View>,
    ) -> Self {
        let certain = view.certainty == Certainty::Certain;
        let mut piece = Self {
            file: state.file,
            shape: state.shape,
            is_templated: state.is_templated,
            is_noisy: !view.is_quiet(),
            has_ignored: false,
            is_entangled: view
                .head
                .lints
                .iter()
                .chain(view.head.errors.iter().flatten())
                .any(is_coerced),
            facts,
            view: view.clone(),
            units: Vec::new(),
            needs: Vec::new(),
            tags: Vec::new(),
            groups: Vec::new(),
            noisy: Vec::new(),
            secrets: Vec::new(),
        };
        for (index, item) in view.items() {
            piece.add(memo, generation, certain, index, item);
        }
        piece.is_noisy |= !piece.noisy.is_empty()
            || !piece.secrets.is_empty()
            || !piece.groups.is_empty()
            || piece.units.iter().any(|u| u.unit.name.is_empty());
        piece
    }

    fn add(&mut self, memo: &Memo, generation: TazunaGeneration, certain: bool, index: usize, item: &Item) {
        let (manifest, base) = (&item.manifest, self.view.base(index));
        let at = |place| rebased(place, base);
        let item = count(index);
        let mut drafts = manifest
            .invalid
            .iter()
            .chain(&manifest.errors)
            .chain(&manifest.lints);
        self.has_ignored |= !manifest.ignored.is_empty();
        self.is_entangled |= drafts.clone().any(is_coerced);
        if drafts.next().is_some() || !manifest.ignored.is_empty() || manifest.exhausted {
            self.noisy.push(item);
        }
        if manifest.is_group() {
            self.groups.push(item);
            return;
        }
        if Manifest::text(manifest.kind.as_ref()) == "genesissecret" {
            self.secrets.push(item);
        }
        let from = count(self.needs.len());
        // G1 does not know the field.
        let needs: &[Text] = if generation == TazunaGeneration::G1 {
            &[]
        } else {
            &manifest.needs
        };
        for need in needs {
            self.needs.push(Need {
                text: need.text.clone(),
                name: memo.name(&need.text),
                place: at(need.place),
                via: need.via.map(at),
            });
        }
        let first_tag = count(self.tags.len());
        for (place, tag) in manifest.tag_places.iter().zip(manifest.tags.iter()) {
            self.tags.push((memo.name(tag), at(*place)));
        }
        let tag_list = match &*manifest.tags {
            [] => memo.name(&"".into()),
            [one] => memo.name(one),
            many => memo.name(&many.join("\0").into()),
        };
        let text = manifest
            .name
            .as_ref()
            .map_or_else(|| "".into(), |n| n.text.clone());
        let unit = Unit {
            header: at(manifest.header),
            name_place: manifest.name.as_ref().map(|n| at(n.place)),
            tags: manifest.tags.clone(),
            name: text.clone(),
        };
        let name = memo.name(&text);
        let mut hasher = FxHasher::default();
        let tag_place = self.tags.get(first_tag as usize).map(|(_, place)| *place);
        (name, unit.header, unit.name_place, tag_list, tag_place).hash(&mut hasher);
        self.units.push(FileUnit {
            item,
            name,
            public: hasher.finish(),
            signature: if text.is_empty() {
                Signature::none()
            } else {
                Signature::of(&text)
            },
            problem: names::problem(&text, generation),
            needs: from..count(self.needs.len()),
            tags: first_tag..count(self.tags.len()),
            tag_list,
            broken: manifest.broken || !certain,
            says_needs: manifest.needs_key.is_some(),
            unit,
        });
    }

    /// What both were read from is the same.
    pub(in crate::engines::tazuna) fn is_same(&self, other: &Self) -> bool {
        self.id() == other.id()
    }

    /// The file that it was read from.
    pub(super) fn state(&self) -> State {
        State {
            file: self.file,
            shape: self.shape,
            is_templated: self.is_templated,
        }
    }

    /// What it was read from: equal ones give equal pieces.
    pub(in crate::engines::tazuna) fn id(&self) -> (FileId, Shape, u32) {
        (self.file, self.shape, self.view.number())
    }

    /// The entries of `dependsOn` of one of its units.
    pub(in crate::engines::tazuna) fn needs_of(&self, unit: &FileUnit) -> &[Need] {
        let range = unit.needs.start as usize..unit.needs.end as usize;
        self.needs.get(range).unwrap_or_default()
    }

    /// Whether all that is in the file is known.
    pub(in crate::engines::tazuna) fn is_whole(&self) -> bool {
        self.view.is_certain() && !self.view.head.broken
    }

    /// An entry of the file's list that is no group.
    pub(in crate::engines::tazuna) fn item(&self, unit: &FileUnit) -> Option<(&Item, u32)> {
        let index = unit.item as usize;
        Some((self.view.item(index)?, self.view.base(index)))
    }
}

/// Whether a finding lacks the other ends of what it speaks of.
fn is_coerced(draft: &Draft) -> bool {
    draft.diagnostic.rule == &coerced_scalar::RULE
}
