//! What stays true from one resolution to the next: names as numbers, and per file the units it gives.

use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::edit::Kept;
use crate::facts::{Certainty, Item, Manifest, Text, View, rebased};
use crate::names::{self, Problem};
use applyorder_core::config::TazunaGeneration;
use applyorder_core::diagnostic::{At, FileId, Place};
use applyorder_core::engine::{Unit, UnitIx};
use applyorder_core::files::DirEntry;
use applyorder_core::graph::{GraphBuilder, NodeId, OrderGraph};
use applyorder_core::rules::Signature;

/// A name as a number; equal names have equal numbers.
pub(super) type Sym = u32;

/// What is kept between the resolutions of a project.
#[derive(Default)]
pub(crate) struct Cache {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    names: FxHashMap<Arc<str>, Sym>,
    files: FxHashMap<(FileId, u32), Arc<FileUnits>>,
    includes: Vec<Arc<Includes>>,
    /// Lists of one target, by unit.
    single: Arc<[Arc<[UnitIx]>]>,
    chains: FxHashMap<u32, Arc<OrderGraph>>,
    sequence: Arc<[Vec<UnitIx>]>,
    paths: FxHashMap<(FileId, u32), Arc<PathAnswers>>,
    /// What stands in the root's directory.
    listing: Arc<[DirEntry]>,
    kept: Option<Kept>,
}

/// The manifests of one view of a file, ready to be put into any project.
pub(super) struct FileUnits {
    pub(super) view: Arc<View>,
    pub(super) generation: TazunaGeneration,
    /// One per entry of the list that is no group.
    pub(super) units: Vec<FileUnit>,
    /// The entries of their `dependsOn`, one unit's behind the other's.
    pub(super) needs: Vec<Need>,
    /// Their tags with the places, one unit's behind the other's.
    pub(super) tags: Vec<(Sym, Place)>,
    /// The numbers of the entries that are groups.
    pub(super) groups: Vec<u32>,
    /// The numbers of the entries that have findings of their own.
    pub(super) noisy: Vec<u32>,
    /// The numbers of the entries of type `genesissecret`.
    pub(super) secrets: Vec<u32>,
    /// How many names and entries the file has.
    pub(super) size: usize,
}

/// A manifest.
pub(super) struct FileUnit {
    /// Its number in the list of the file.
    pub(super) item: u32,
    pub(super) unit: Unit,
    pub(super) name: Sym,
    pub(super) signature: Signature,
    pub(super) problem: Option<Problem>,
    /// Its entries in [`FileUnits::needs`].
    pub(super) needs: std::ops::Range<u32>,
    /// Its entries in [`FileUnits::tags`].
    pub(super) tags: std::ops::Range<u32>,
    /// Its list of tags as a number; equal lists have equal numbers.
    pub(super) tag_list: Sym,
    /// Whether nothing may rest on it.
    pub(super) broken: bool,
    /// Whether `dependsOn` is written, be it empty.
    pub(super) says_needs: bool,
}

/// An entry of `dependsOn`.
pub(super) struct Need {
    pub(super) text: Arc<str>,
    pub(super) name: Sym,
    pub(super) place: Place,
    pub(super) via: Option<Place>,
}

/// Where the includes of a root lead.
pub(super) struct Includes {
    pub(super) view: Arc<View>,
    pub(super) all: Vec<Include>,
}

/// One include.
#[derive(Clone)]
pub(super) struct Include {
    /// The number of the group in the root's list.
    pub(super) item: u32,
    /// Its number in the group.
    pub(super) index: u32,
    /// Where its path is written.
    pub(super) place: Place,
    /// The path as it is written.
    pub(super) text: Arc<str>,
    /// The path as Tazuna prints it.
    pub(super) shown: Arc<str>,
    /// The file meant.
    pub(super) path: Utf8PathBuf,
    pub(super) file: FileId,
}

/// Which paths of a file's manifests do not exist.
pub(super) struct PathAnswers {
    pub(super) view: Arc<View>,
    /// The numbers of the entries whose path does not exist, with where it exists from the file itself.
    pub(super) missing: Vec<(u32, Option<String>)>,
}

impl State {
    fn units(&self, file: FileId, view: &Arc<View>, generation: TazunaGeneration) -> Option<&Arc<FileUnits>> {
        let known = self.files.get(&(file, view.number()))?;
        (Arc::ptr_eq(&known.view, view) && known.generation == generation).then_some(known)
    }

    /// Gives numbers to the names of a file, and keeps it.
    fn number(&mut self, file: FileId, mut units: FileUnits) -> Arc<FileUnits> {
        let key = (file, units.view.number());
        units.number(&mut self.names);
        let units = Arc::new(units);
        self.files.insert(key, units.clone());
        units
    }
}

/// Names that may be held before numbering starts anew.
const SPARE_NAMES: usize = 1 << 16;

impl Cache {
    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The units of a view of a file.
    pub(super) fn units(
        &self,
        file: FileId,
        view: &Arc<View>,
        generation: TazunaGeneration,
    ) -> Arc<FileUnits> {
        if let Some(known) = self.with(|state| state.units(file, view, generation).cloned()) {
            return known;
        }
        let units = file_units(view, generation);
        self.with(|state| state.number(file, units))
    }

    /// Reads the units of many views on all processors, so that asking for them one by one is cheap.
    pub(super) fn prepare(&self, views: &[(FileId, Arc<View>)], generation: TazunaGeneration) {
        let new: Vec<&(FileId, Arc<View>)> = self.with(|state| {
            let is_new = |(file, view): &&(FileId, Arc<View>)| state.units(*file, view, generation).is_none();
            views.iter().filter(is_new).collect()
        });
        let read = |(file, view): &&(FileId, Arc<View>)| (*file, file_units(view, generation));
        let units: Vec<(FileId, FileUnits)> = new.par_iter().with_min_len(16).map(read).collect();
        self.with(|state| {
            // Numbers are given in the order of the list, whoever was read first.
            state
                .names
                .reserve(units.iter().map(|(_, u)| u.units.len()).sum());
            for (file, units) in units {
                state.number(file, units);
            }
        });
    }

    /// Forgets what depends on which files there are: to be asked anew.
    pub(super) fn forget_answers(&self) {
        self.with(|state| {
            state.includes.clear();
            state.paths.clear();
        });
    }

    /// Keeps what stands in the root's directory.
    pub(super) fn set_listing(&self, entries: Arc<[DirEntry]>) {
        self.with(|state| state.listing = entries);
    }

    /// What stands in the root's directory.
    pub(crate) fn listing(&self) -> Arc<[DirEntry]> {
        self.with(|state| state.listing.clone())
    }

    /// The entry whose first key stands at a place.
    pub(crate) fn item(&self, header: Place) -> Option<Arc<Item>> {
        let At::Anchor(anchor) = header.at else {
            return None;
        };
        self.with(|state| {
            let units = state.files.get(&(header.file, View::number_of(anchor.index)))?;
            let at = units
                .units
                .binary_search_by_key(&header, |u| u.unit.header)
                .ok()?;
            units.view.item(units.units.get(at)?.item as usize).cloned()
        })
    }

    /// Forgets all names once most of them are no longer in use. To be called before units are asked for.
    pub(super) fn tidy(&self) {
        self.with(|state| {
            let used: usize = state.files.values().map(|f| f.size).sum();
            if state.names.len() > used * 2 + SPARE_NAMES {
                state.names.clear();
                state.files.clear();
            }
        });
    }

    /// Whether so many numbers were given that most of them are no longer in use.
    pub(super) fn is_untidy(&self, names_in_use: usize) -> bool {
        self.name_count() > names_in_use * 2 + SPARE_NAMES
    }

    /// The number of a name, if it has one.
    pub(super) fn number_of(&self, name: &str) -> Option<Sym> {
        self.with(|state| state.names.get(name).copied())
    }

    /// Keeps what the next edit starts from.
    pub(super) fn keep(&self, kept: Option<Kept>) {
        self.with(|state| state.kept = kept);
    }

    /// What the edit starts from; it is to be kept again.
    pub(super) fn take_kept(&self) -> Option<Kept> {
        self.with(|state| state.kept.take())
    }

    /// How many numbers were given to names.
    pub(super) fn name_count(&self) -> usize {
        self.with(|state| state.names.len())
    }

    /// Where the includes of a root's view lead.
    pub(super) fn includes(&self, view: &Arc<View>, find: impl FnOnce() -> Includes) -> Arc<Includes> {
        let known = self.with(|state| {
            state
                .includes
                .iter()
                .find(|i| Arc::ptr_eq(&i.view, view))
                .cloned()
        });
        if let Some(known) = known {
            return known;
        }
        let found = Arc::new(find());
        self.with(|state| {
            // One for each environment at most.
            state.includes.retain(|i| i.view.number() != view.number());
            state.includes.push(found.clone());
        });
        found
    }

    /// Which paths of a file's manifests do not exist, asked once as long as nothing comes or goes.
    pub(super) fn paths(
        &self,
        file: FileId,
        view: &Arc<View>,
        ask: impl FnOnce() -> PathAnswers,
    ) -> Arc<PathAnswers> {
        let known = self.with(|state| {
            state
                .paths
                .get(&(file, view.number()))
                .filter(|p| Arc::ptr_eq(&p.view, view))
                .cloned()
        });
        if let Some(known) = known {
            return known;
        }
        let answers = Arc::new(ask());
        self.with(|state| state.paths.insert((file, view.number()), answers.clone()));
        answers
    }

    /// For every unit of so many, and perhaps more, the list that holds it alone.
    pub(super) fn single(&self, units: usize) -> Arc<[Arc<[UnitIx]>]> {
        self.with(|state| {
            if state.single.len() < units {
                state.single = (0..count(units)).map(|u| Arc::from([UnitIx(u)])).collect();
            }
            state.single.clone()
        })
    }

    /// One unit behind the other, for the reason of that number; and the layers of one unit each.
    pub(super) fn chain(&self, units: usize, reason: u32) -> (Arc<OrderGraph>, Arc<[Vec<UnitIx>]>) {
        self.with(|state| {
            if state.sequence.len() != units {
                state.sequence = (0..count(units)).map(|u| vec![UnitIx(u)]).collect();
                state.chains.clear();
            }
            let chain = state.chains.entry(reason).or_insert_with(|| {
                let mut builder = GraphBuilder::with_capacity(units, units);
                for unit in 0..count(units) {
                    let node = builder.unit(unit);
                    if let Some(before) = unit.checked_sub(1) {
                        builder.implicit(node, NodeId(before), reason);
                    }
                }
                Arc::new(builder.build())
            });
            (chain.clone(), state.sequence.clone())
        })
    }
}

/// A number of units; saturates far beyond what the size limit of files lets in.
pub(super) fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

fn number(names: &mut FxHashMap<Arc<str>, Sym>, name: &Arc<str>) -> Sym {
    if let Some(known) = names.get(name) {
        return *known;
    }
    let next = count(names.len());
    names.insert(name.clone(), next);
    next
}

impl FileUnits {
    /// Gives equal names equal numbers.
    fn number(&mut self, names: &mut FxHashMap<Arc<str>, Sym>) {
        let empty: Arc<str> = "".into();
        for need in &mut self.needs {
            need.name = number(names, &need.text);
        }
        for unit in &mut self.units {
            unit.name = number(names, &unit.unit.name);
            let range = unit.tags.start as usize..unit.tags.end as usize;
            let own = self.tags.get_mut(range).unwrap_or_default();
            for ((name, _), tag) in own.iter_mut().zip(unit.unit.tags.iter()) {
                *name = number(names, tag);
            }
            unit.tag_list = match &*unit.unit.tags {
                [] => number(names, &empty),
                [one] => number(names, one),
                many => number(names, &many.join("\0").into()),
            };
        }
    }
}

/// A name that has no number yet.
const UNNUMBERED: Sym = Sym::MAX;

/// The units of a view, before [`FileUnits::number`].
fn file_units(view: &Arc<View>, generation: TazunaGeneration) -> FileUnits {
    let certain = view.certainty == Certainty::Certain;
    let mut out = FileUnits {
        view: view.clone(),
        generation,
        units: Vec::new(),
        needs: Vec::new(),
        tags: Vec::new(),
        groups: Vec::new(),
        noisy: Vec::new(),
        secrets: Vec::new(),
        size: 0,
    };
    let empty: Arc<str> = "".into();
    for (index, item) in view.items() {
        let (manifest, base) = (&item.manifest, view.base(index));
        let at = |place| rebased(place, base);
        let item = count(index);
        let quiet = manifest.invalid.is_empty() && manifest.errors.is_empty() && manifest.lints.is_empty();
        if !quiet || !manifest.ignored.is_empty() || manifest.exhausted {
            out.noisy.push(item);
        }
        if manifest.is_group() {
            out.groups.push(item);
            continue;
        }
        if Manifest::text(manifest.kind.as_ref()) == "genesissecret" {
            out.secrets.push(item);
        }
        let from = count(out.needs.len());
        // G1 does not know the field.
        let needs: &[Text] = if generation == TazunaGeneration::G1 {
            &[]
        } else {
            &manifest.needs
        };
        for need in needs {
            out.needs.push(Need {
                text: need.text.clone(),
                name: UNNUMBERED,
                place: at(need.place),
                via: need.via.map(at),
            });
        }
        let first_tag = count(out.tags.len());
        for place in manifest.tag_places.iter().take(manifest.tags.len()) {
            out.tags.push((UNNUMBERED, at(*place)));
        }
        let name = manifest.name.as_ref();
        let text = name.map_or(&empty, |n| &n.text);
        out.units.push(FileUnit {
            item,
            unit: Unit {
                name: text.clone(),
                header: at(manifest.header),
                name_place: name.map(|n| at(n.place)),
                tags: manifest.tags.clone(),
            },
            name: UNNUMBERED,
            signature: if text.is_empty() {
                Signature::none()
            } else {
                Signature::of(text)
            },
            problem: names::problem(text, generation),
            needs: from..count(out.needs.len()),
            tags: first_tag..count(out.tags.len()),
            tag_list: UNNUMBERED,
            broken: manifest.broken || !certain,
            says_needs: manifest.needs_key.is_some(),
        });
    }
    out.size = out.units.len() * 2 + out.needs.len() + out.tags.len();
    out
}
