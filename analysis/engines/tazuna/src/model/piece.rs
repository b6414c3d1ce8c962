//! The content of one file under one reading: its manifests, ready to be used in any project.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::files::Opened;
use applyorder_core::store::Shape;

use rustc_hash::FxHasher;

use crate::config::TazunaGeneration;
use crate::count;
use crate::names::Problem;
use crate::read::{Certainty, Fault, FaultKind, Item, Manifest, Reading, TazunaFacts, Text, View, rebased};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::Unit;
use applyorder_core::layer::{Names, Pass, Sym};
use applyorder_core::rules::Signature;

/// The data of every file that each pass needs. It is stored next to the piece in the list of parts: most
/// pieces are not read.
#[derive(Clone, Copy)]
pub(crate) struct PieceBrief {
    pub(crate) file: FileId,
    shape: Shape,
    /// The number of the view.
    view: u32,
    /// How many manifests there are.
    pub(crate) units: u32,
    /// Whether environments may read the file differently.
    pub(crate) is_templated: bool,
    /// Whether its findings mention positions of its manifests, or the include of the file.
    pub(crate) is_noisy: bool,
    /// Whether it has groups with fields that have no effect.
    pub(crate) has_ignored: bool,
    /// Whether its findings depend on other files.
    pub(crate) is_entangled: bool,
    /// Whether it has groups.
    pub(crate) has_groups: bool,
    /// Whether it has manifests of type `genesissecret`.
    pub(crate) has_secrets: bool,
    /// Whether it is certainly what Tazuna reads.
    pub(crate) is_certain: bool,
    /// Whether some lines could not be read.
    pub(crate) is_broken: bool,
}

impl PieceBrief {
    /// Its inputs: equal ones give equal pieces.
    pub(crate) fn id(&self) -> (FileId, Shape, u32) {
        (self.file, self.shape, self.view)
    }

    /// Whether everything in the file is known.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_certain && !self.is_broken
    }
}

/// The manifests of one view of a file.
pub(crate) struct Piece {
    pub(crate) brief: PieceBrief,
    pub(crate) facts: Arc<TazunaFacts>,
    pub(crate) view: Arc<View>,
    /// One per entry of the list that is not a group.
    pub(crate) units: Vec<FileUnit>,
    /// The entries of their `dependsOn`, unit by unit.
    pub(crate) needs: Vec<DependsOnEntry>,
    /// Their tags with the places, unit by unit.
    pub(crate) tags: Vec<(Sym, Place)>,
    /// The numbers of the entries that are groups.
    pub(crate) groups: Vec<u32>,
    /// The numbers of the entries that have findings of their own.
    pub(crate) noisy: Vec<u32>,
    /// The numbers of the entries of type `genesissecret`.
    pub(crate) secrets: Vec<u32>,
}

/// A manifest.
pub(crate) struct FileUnit {
    /// Its number in the list of the file.
    pub(crate) item: u32,
    pub(crate) unit: Unit,
    pub(crate) name: Sym,
    pub(crate) signature: Signature,
    pub(crate) problem: Option<Problem>,
    /// Its entries in [`Piece::needs`].
    pub(crate) needs: Range<u32>,
    /// Its entries in [`Piece::tags`].
    pub(crate) tags: Range<u32>,
    /// Its list of tags as a number; equal lists have equal numbers.
    pub(crate) tag_list: Sym,
    /// Whether no conclusion may depend on it.
    pub(crate) broken: bool,
    /// Whether `dependsOn` is written, even if it is empty.
    pub(crate) says_needs: bool,
    /// Whether it may wait for more than is known.
    pub(crate) is_open: bool,
    /// A hash of everything that findings about others may mention.
    pub(crate) public: u64,
}

/// The data of a manifest that relating needs repeatedly.
#[derive(Clone, Copy)]
pub(crate) struct UnitSummary {
    pub(crate) name: Sym,
    pub(crate) tag_list: Sym,
    pub(crate) public: u64,
    pub(crate) signature: Signature,
    /// Whether no conclusion may depend on it.
    pub(crate) broken: bool,
    /// Whether Tazuna rejects its name.
    pub(crate) is_bad: bool,
    /// Whether `dependsOn` is written, even if it is empty.
    pub(crate) says_needs: bool,
    /// Whether its file is read whole, and is a template.
    pub(crate) whole: bool,
    pub(crate) templated: bool,
}

/// An entry of `dependsOn`.
pub(crate) struct DependsOnEntry {
    pub(crate) text: Arc<str>,
    pub(crate) name: Sym,
    pub(crate) place: Place,
    pub(crate) via: Option<Place>,
}

/// A file under one reading.
#[derive(PartialEq, Eq, Hash)]
struct PieceKey {
    file: FileId,
    shape: Shape,
    reading: Reading,
}

/// The pieces of some files under one reading each, in their order.
pub(super) fn of<'a>(
    pass: &Pass<'_>,
    generation: TazunaGeneration,
    files: impl Iterator<Item = (&'a Opened, &'a Reading)>,
) -> Vec<Arc<Piece>> {
    let asked = files.map(|(opened, reading)| {
        let environment = reading.environment.as_ref().filter(|_| opened.is_templated);
        let reading = Reading {
            environment: environment.cloned(),
            strict: reading.strict,
        };
        let key = PieceKey {
            file: opened.file,
            shape: opened.shape,
            reading,
        };
        (opened, key)
    });
    let memo = pass.cx.memo();
    memo.table::<PieceKey, Piece>().get_each(asked, |opened, key| {
        Piece::new(memo.names(), generation, opened, &key.reading)
    })
}

impl Piece {
    /// The manifests of a view.
    fn new(names: &Names, generation: TazunaGeneration, opened: &Opened, reading: &Reading) -> Self {
        let facts = opened.facts.clone();
        let view = facts.view(reading);
        let certain = view.certainty == Certainty::Certain;
        let mut piece = Self {
            brief: PieceBrief {
                file: opened.file,
                shape: opened.shape,
                view: view.number(),
                units: 0,
                is_templated: facts.is_templated(),
                is_noisy: !view.is_quiet(),
                has_ignored: false,
                is_entangled: view
                    .head
                    .lints
                    .iter()
                    .chain(view.head.errors.iter().flatten())
                    .any(is_coerced),
                has_groups: false,
                has_secrets: false,
                is_certain: certain,
                is_broken: view.head.broken,
            },
            facts,
            view: view.clone(),
            units: Vec::new(),
            needs: Vec::new(),
            tags: Vec::new(),
            groups: Vec::new(),
            noisy: Vec::new(),
            secrets: Vec::new(),
        };
        // Most files have one manifest: capacity for four of each would take most of their memory.
        let manifests = || view.items().map(|(_, item)| &item.manifest);
        piece
            .units
            .reserve_exact(manifests().filter(|m| !m.is_group()).count());
        piece
            .needs
            .reserve_exact(manifests().map(|m| m.needs.len()).sum());
        piece.tags.reserve_exact(manifests().map(|m| m.tags.len()).sum());
        for (index, item) in view.items() {
            piece.add(names, generation, certain, index, item);
        }
        piece.brief.units = count(piece.units.len());
        piece.brief.has_groups = !piece.groups.is_empty();
        piece.brief.has_secrets = !piece.secrets.is_empty();
        piece.brief.is_noisy |= !piece.noisy.is_empty()
            || !piece.secrets.is_empty()
            || !piece.groups.is_empty()
            || piece.units.iter().any(|u| u.unit.name.is_empty());
        piece
    }

    fn add(&mut self, names: &Names, generation: TazunaGeneration, certain: bool, index: usize, item: &Item) {
        let (manifest, base) = (&item.manifest, self.view.base(index));
        let at = |place| rebased(place, base);
        let item = count(index);
        let mut faults = manifest
            .invalid
            .iter()
            .chain(&manifest.errors)
            .chain(&manifest.lints);
        self.brief.has_ignored |= !manifest.ignored.is_empty();
        self.brief.is_entangled |= faults.clone().any(is_coerced);
        if faults.next().is_some() || !manifest.ignored.is_empty() || manifest.open.is_some() {
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
            self.needs.push(DependsOnEntry {
                text: need.text.clone(),
                name: names.intern(&need.text),
                place: at(need.place),
                via: need.via.map(at),
            });
        }
        let first_tag = count(self.tags.len());
        for (place, tag) in manifest.tag_places.iter().zip(manifest.tags.iter()) {
            self.tags.push((names.intern(tag), at(*place)));
        }
        let tag_list = match &*manifest.tags {
            [] => names.intern(&"".into()),
            [one] => names.intern(one),
            many => names.intern(&many.join("\0").into()),
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
        let name = names.intern(&text);
        let is_of_needs = |fault: &Fault| match &fault.kind {
            FaultKind::WrongType(wrong) => wrong.field == Some("dependsOn"),
            _ => false,
        };
        let is_open = manifest.broken || !certain || manifest.errors.iter().any(is_of_needs);
        let is_open = is_open && generation != TazunaGeneration::G1;
        let mut hasher = FxHasher::default();
        let tag_place = self.tags.get(first_tag as usize).map(|(_, place)| *place);
        (name, unit.header, unit.name_place, tag_list, tag_place, is_open).hash(&mut hasher);
        self.units.push(FileUnit {
            item,
            name,
            public: hasher.finish(),
            signature: if text.is_empty() {
                Signature::none()
            } else {
                Signature::of(&text)
            },
            problem: crate::names::problem(&text, generation),
            needs: from..count(self.needs.len()),
            tags: first_tag..count(self.tags.len()),
            tag_list,
            broken: manifest.broken || !certain,
            says_needs: manifest.needs_key.is_some(),
            is_open,
            unit,
        });
    }

    /// The data for relating one of its units.
    pub(super) fn summary_of(&self, unit: &FileUnit) -> UnitSummary {
        UnitSummary {
            name: unit.name,
            tag_list: unit.tag_list,
            public: unit.public,
            signature: unit.signature,
            broken: unit.broken,
            is_bad: unit.problem.is_some(),
            says_needs: unit.says_needs,
            whole: self.brief.is_whole(),
            templated: self.brief.is_templated,
        }
    }

    /// The entries of `dependsOn` of one of its units.
    pub(crate) fn needs_of(&self, unit: &FileUnit) -> &[DependsOnEntry] {
        let range = unit.needs.start as usize..unit.needs.end as usize;
        self.needs.get(range).unwrap_or_default()
    }

    /// An entry of the file's list that is not a group.
    pub(crate) fn item(&self, unit: &FileUnit) -> Option<(&Item, u32)> {
        let index = unit.item as usize;
        Some((self.view.item(index)?, self.view.base(index)))
    }
}

/// Whether a finding depends on other files.
fn is_coerced(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Coerced { .. })
}
