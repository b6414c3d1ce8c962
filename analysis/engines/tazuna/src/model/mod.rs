//! The project as each environment reads it: one piece per file, in sequence.

mod answers;
mod files;
mod nested;
mod piece;
mod secrets;

use std::sync::Arc;

use rayon::prelude::*;

use self::files::Opened;
use super::count;
use super::load::{Include, Includes, Loaded, Setting, Unreadable};
use super::read::rebased;
use applyorder_core::diagnostic::{FileId, FixStep, Place};
use applyorder_core::engine::{Link, Member};
use applyorder_core::layer::{Pass, Sym};

pub(super) use answers::PathAnswers;
pub(super) use files::IncludeOutcome;
pub(super) use nested::{Inner, Nested};
pub(super) use piece::{DependsOnEntry, FileUnit, Piece, PieceBrief, UnitSummary};
pub(super) use secrets::SecretError;

/// A file of the project, at one place of its list.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) piece: Arc<Piece>,
    pub(super) brief: PieceBrief,
    /// The include that brings it in; `None` for the root.
    pub(super) via: Option<Place>,
    /// Whether an earlier include brings in the same file.
    pub(super) again: bool,
}

/// The expanded list as some environments read it: parts, and their units in order.
pub(super) struct Expansion {
    pub(super) setting: Arc<Setting>,
    /// The root's first, then one per include that was read.
    pub(super) parts: Vec<Part>,
    /// Part, and number of the unit in [`Piece::units`].
    pub(super) list: Vec<(u32, u32)>,
    /// The data for relating each of them.
    pub(super) summaries: Vec<UnitSummary>,
    /// Per position the number of its first entry of `dependsOn`; one more at the end.
    pub(super) firsts: Vec<u32>,
    /// The names in these entries, unit by unit.
    pub(super) needs: Vec<Sym>,
    /// Per part the position of its first unit. The root's own are between those of its includes.
    starts: Vec<u32>,
    /// The positions of the root's own units.
    own: Vec<u32>,
    pub(super) includes: Arc<Includes>,
    /// The result of each include.
    pub(super) got: Arc<[IncludeOutcome]>,
    /// Per include that was read its part.
    part_of: Vec<Option<u32>>,
    /// Per part except the root its include.
    include_of: Vec<u32>,
    /// The files that are templates, ascending.
    templates: Vec<FileId>,
    /// Which paths of manifests do not exist, by part; only for parts with such paths.
    pub(super) paths: Vec<(u32, Arc<PathAnswers>)>,
    /// The secret references that Tazuna rejects, by part and number of the entry.
    pub(super) secrets: Vec<((u32, u32), SecretError)>,
    /// The parts that include files themselves.
    pub(super) nested: Vec<(u32, Nested)>,
    pub(super) members: Arc<[Member]>,
    pub(super) links: Arc<[Link]>,
}

/// The project in all environments.
pub struct Model {
    pub(super) loaded: Arc<Loaded>,
    /// The distinct readings.
    pub(super) variants: Vec<Arc<Expansion>>,
    /// Per environment its reading.
    pub(super) variant_of: Vec<usize>,
}

/// The files of some environments with the same includes.
struct Files {
    includes: Arc<Includes>,
    got: Arc<[IncludeOutcome]>,
    opened: Vec<Opened>,
}

impl Files {
    fn new(pass: &Pass<'_>, root: &Opened, includes: &Arc<Includes>) -> Self {
        let mut opened = vec![root.clone()];
        let got = files::open_all(pass, includes)
            .into_iter()
            .map(|read| match read {
                Ok(file) => {
                    opened.push(file);
                    IncludeOutcome::Read
                }
                Err(got) => got,
            });
        Self {
            got: got.collect(),
            opened,
            includes: includes.clone(),
        }
    }

    /// How an environment reads them; `known` is how another one does.
    fn parts(
        &self,
        pass: &Pass<'_>,
        setting: &Setting,
        environment: Option<&Arc<str>>,
        known: Option<&[Part]>,
    ) -> Vec<Part> {
        let generation = setting.generation;
        let (of_root, of_others) = (setting.root_reading(environment), setting.reading(environment));
        let read_so = |number: usize| if number == 0 { &of_root } else { &of_others };
        let opened = self.opened.iter().enumerate();
        let opened = opened.map(|(number, opened)| (opened, read_so(number)));
        if let Some(known) = known {
            let mut parts = known.to_vec();
            let templated = opened.filter(|(opened, _)| opened.is_templated);
            let pieces = piece::of(pass, generation, templated);
            let templated = parts.iter_mut().filter(|part| part.brief.is_templated);
            for (part, piece) in templated.zip(pieces) {
                (part.brief, part.piece) = (piece.brief, piece);
            }
            return parts;
        }
        let pieces = piece::of(pass, generation, opened);
        let read = self.includes.all.iter().zip(&*self.got);
        let read = read.filter(|(_, got)| matches!(got, IncludeOutcome::Read));
        let brought = read.map(|(include, _)| (Some(include.place), include.again));
        let brought = std::iter::once((None, false)).chain(brought);
        let mut parts = Vec::with_capacity(pieces.len());
        parts.extend(pieces.into_iter().zip(brought).map(|(piece, (via, again))| Part {
            brief: piece.brief,
            piece,
            via,
            again,
        }));
        parts
    }
}

/// Makes the pieces of all files, and combines them for each environment that reads them differently.
pub(super) fn model(pass: &Pass<'_>, loaded: &Arc<Loaded>) -> Model {
    let mut model = Model {
        loaded: loaded.clone(),
        variants: Vec::new(),
        variant_of: Vec::new(),
    };
    let Ok(root) = files::open(pass, loaded.setting.root_file) else {
        return model;
    };
    let mut files: Vec<Files> = Vec::new();
    let mut distinct: Vec<(usize, Vec<Part>)> = Vec::new();
    for environment in &loaded.environments {
        let includes = &environment.includes;
        let known = files.iter().position(|f| Arc::ptr_eq(&f.includes, includes));
        let number = known.unwrap_or(files.len());
        if known.is_none() {
            files.push(Files::new(pass, &root, includes));
        }
        let of_files = |(at, _): &&(usize, Vec<Part>)| *at == number;
        let first = distinct.iter().find(of_files).map(|(_, parts)| parts.as_slice());
        let Some(own) = files.get(number) else { continue };
        let parts = own.parts(pass, &loaded.setting, environment.name.as_ref(), first);
        let same = distinct
            .iter()
            .position(|(at, others)| *at == number && reads_the_same(others, &parts));
        model.variant_of.push(same.unwrap_or(distinct.len()));
        if same.is_none() {
            distinct.push((number, parts));
        }
    }
    let repeated = REPEATED / count(distinct.len()).max(1);
    let put_together = |(number, parts): (usize, Vec<Part>)| {
        let files = files.get(number)?;
        Some(Arc::new(Expansion::new(pass, loaded, files, parts, repeated)))
    };
    model.variants = if distinct.len() < 2 {
        distinct.into_iter().filter_map(put_together).collect()
    } else {
        distinct.into_par_iter().filter_map(put_together).collect()
    };
    model
}

fn reads_the_same(a: &[Part], b: &[Part]) -> bool {
    let same = |(a, b): (&Part, &Part)| a.brief.id() == b.brief.id();
    a.len() == b.len() && a.iter().zip(b).all(same)
}

impl Expansion {
    /// The list that parts expand to.
    fn new(pass: &Pass<'_>, loaded: &Loaded, files: &Files, parts: Vec<Part>, repeated: u32) -> Self {
        let setting = loaded.setting.clone();
        let includes = files.includes.clone();
        let (got, parts) = within_limit(&files.got, parts, repeated);
        let mut next = 1;
        let part_of = got.iter().map(|got| {
            let part = matches!(got, IncludeOutcome::Read).then_some(next);
            next += u32::from(part.is_some());
            part
        });
        let part_of: Vec<Option<u32>> = part_of.collect();
        let read = (0u32..).zip(&part_of).filter(|(_, part)| part.is_some());
        let include_of = read.map(|(include, _)| include).collect();
        let (list, starts) = list(&parts, &includes, &part_of);
        let of_root = |(position, (part, _)): (u32, &(u32, u32))| (*part == 0).then_some(position);
        let own = (0u32..).zip(&list).filter_map(of_root).collect();
        let (summaries, firsts, needs) = summaries(&parts, &list);
        let templates = parts
            .iter()
            .filter(|p| p.brief.is_templated)
            .map(|p| p.brief.file);
        let mut templates: Vec<FileId> = templates.collect();
        // Mostly they are in order already.
        templates.sort();
        Self {
            members: members(pass, &setting, &includes, &parts),
            links: includes.links.clone(),
            templates,
            paths: answers::of(pass, &setting, &parts),
            secrets: secrets::of(pass, &setting, &parts),
            nested: nested::of(pass, &setting, &includes, &part_of, &parts),
            summaries,
            firsts,
            needs,
            list,
            starts,
            own,
            got,
            part_of,
            include_of,
            includes,
            parts,
            setting,
        }
    }

    /// Whether a file is a template.
    pub(super) fn is_template(&self, file: FileId) -> bool {
        self.templates.binary_search(&file).is_ok()
    }

    /// The root's part.
    pub(super) fn root(&self) -> Option<&Part> {
        self.parts.first()
    }

    /// The unit at a position of the list as its file has it, with its part.
    pub(super) fn at(&self, position: usize) -> Option<(&FileUnit, &Part)> {
        let (part, unit) = self.list.get(position)?;
        let part = self.parts.get(*part as usize)?;
        Some((part.piece.units.get(*unit as usize)?, part))
    }

    /// How many slots there are: the root's (0), and one per include.
    pub(super) fn slots(&self) -> usize {
        self.got.len() + 1
    }

    /// The include that brings in a part.
    pub(super) fn include_of(&self, part: u32) -> Option<&Include> {
        let include = self.include_of.get(part.checked_sub(1)? as usize)?;
        self.includes.all.get(*include as usize)
    }

    /// The parts that a group of the root brings in.
    pub(super) fn parts_of_group(&self, item: u32) -> impl Iterator<Item = u32> {
        let all = &self.includes.all;
        let range = all.partition_point(|i| i.item < item)..all.partition_point(|i| i.item <= item);
        self.part_of
            .get(range)
            .unwrap_or_default()
            .iter()
            .copied()
            .flatten()
    }

    /// The part of a slot.
    pub(super) fn part_of(&self, slot: usize) -> Option<u32> {
        match slot.checked_sub(1) {
            None => (!self.parts.is_empty()).then_some(0),
            Some(include) => *self.part_of.get(include)?,
        }
    }

    /// The number of the part that a position of the list belongs to.
    pub(super) fn part_at(&self, position: usize) -> Option<u32> {
        self.list.get(position).map(|(part, _)| *part)
    }

    /// The position of a unit by its part and its number there.
    pub(super) fn position(&self, part: u32, unit: u32) -> Option<u32> {
        if part == 0 {
            return self.own.get(unit as usize).copied();
        }
        Some(self.starts.get(part as usize)? + unit)
    }

    /// The positions of a part's units.
    pub(super) fn positions(&self, part: u32) -> impl Iterator<Item = u32> {
        let start = self.starts.get(part as usize).copied().unwrap_or_default();
        let units = self.parts.get(part as usize).map_or(0, |p| p.brief.units);
        let (own, included) = match part {
            0 => (self.own.as_slice(), 0..0),
            _ => (&[][..], start..start + units),
        };
        own.iter().copied().chain(included)
    }

    /// The units of a part with their positions.
    pub(super) fn placed(&self, part: u32) -> impl Iterator<Item = (u32, &FileUnit)> {
        let units = self.parts.get(part as usize).map_or(&[][..], |p| &p.piece.units);
        (0u32..)
            .zip(units)
            .filter_map(move |(number, unit)| Some((self.position(part, number)?, unit)))
    }

    /// The step that removes an include: its entry, or the group if it has no other.
    pub(super) fn removal(&self, item: u32, place: Place) -> FixStep {
        let group = self.root().and_then(|root| {
            let view = &root.piece.view;
            let manifest = &view.item(item as usize)?.manifest;
            (manifest.includes.len() == 1).then(|| rebased(manifest.header, view.base(item as usize)))
        });
        FixStep::RemoveEntry(group.unwrap_or(place))
    }

    /// The secret reference of an entry of a part that Tazuna rejects.
    pub(super) fn bad_secret(&self, part: u32, item: u32) -> Option<&SecretError> {
        let at = self
            .secrets
            .binary_search_by_key(&(part, item), |(at, _)| *at)
            .ok()?;
        self.secrets.get(at).map(|(_, bad)| bad)
    }

    /// The paths of a part's manifests that do not exist.
    pub(super) fn paths_of(&self, part: u32) -> Option<&PathAnswers> {
        let at = self.paths.binary_search_by_key(&part, |(at, _)| *at).ok()?;
        self.paths.get(at).map(|(_, answers)| &**answers)
    }

    /// The includes of a part that is included itself.
    pub(super) fn nested_in(&self, part: u32) -> Option<&Nested> {
        let at = self.nested.binary_search_by_key(&part, |(at, _)| *at).ok()?;
        self.nested.get(at).map(|(_, nested)| nested)
    }
}

/// The maximum number of manifests that repeated includes of the same files may bring in, in all variants
/// together: a short list of includes of one long file would otherwise produce the product of both.
const REPEATED: u32 = 200_000;

/// The parts without those that bring in more than `most` again, and then the result of each include.
fn within_limit(
    got: &Arc<[IncludeOutcome]>,
    parts: Vec<Part>,
    most: u32,
) -> (Arc<[IncludeOutcome]>, Vec<Part>) {
    let mut repeated = 0u32;
    let kept = parts.iter().map(|part| {
        repeated = repeated.saturating_add(if part.again { part.brief.units } else { 0 });
        !part.again || repeated <= most
    });
    let kept: Vec<bool> = kept.collect();
    if repeated <= most {
        return (got.clone(), parts);
    }
    // The first part is the root's.
    let mut of_includes = kept.iter().skip(1);
    let got = got.iter().map(|got| match got {
        IncludeOutcome::Read if of_includes.next() == Some(&false) => {
            let text = format!("is included again, and applyorder reads {most} such manifests");
            IncludeOutcome::Unreadable(Unreadable::past(text))
        }
        got => got.clone(),
    });
    let got = got.collect();
    let parts = parts.into_iter().zip(&kept).filter(|(_, kept)| **kept);
    (got, parts.map(|(part, _)| part).collect())
}

/// The data for relating each unit of a list, side by side, so that the pieces need not be visited again.
fn summaries(parts: &[Part], list: &[(u32, u32)]) -> (Vec<UnitSummary>, Vec<u32>, Vec<Sym>) {
    let mut summaries = Vec::with_capacity(list.len());
    let mut firsts = Vec::with_capacity(list.len() + 1);
    let mut needs = Vec::with_capacity(list.len() * 3);
    firsts.push(0);
    for (part, unit) in list {
        let piece = parts.get(*part as usize).map(|part| &part.piece);
        if let Some(piece) = piece
            && let Some(unit) = piece.units.get(*unit as usize)
        {
            summaries.push(piece.summary_of(unit));
            needs.extend(piece.needs_of(unit).iter().map(|need| need.name));
            firsts.push(count(needs.len()));
        }
    }
    (summaries, firsts, needs)
}

/// The units of all parts in the order of the expanded list.
///
/// Also gives the position of the first unit of each part.
fn list(parts: &[Part], includes: &Includes, part_of: &[Option<u32>]) -> (Vec<(u32, u32)>, Vec<u32>) {
    let mut starts = vec![0; parts.len()];
    let Some(root) = parts.first() else {
        return (Vec::new(), starts);
    };
    let total: usize = parts.iter().map(|p| p.brief.units as usize).sum();
    let mut list = Vec::with_capacity(total);
    let mut own = (0u32..).zip(&root.piece.units).peekable();
    let mut next = includes.all.iter().zip(part_of).peekable();
    let groups = root.piece.groups.iter().copied();
    for group in groups.chain([count(root.piece.view.items().len())]) {
        while let Some((unit, _)) = own.next_if(|(_, u)| u.item < group) {
            list.push((0, unit));
        }
        while let Some((_, part)) = next.next_if(|(i, _)| i.item == group) {
            if let Some(part) = part
                && let (Some(read), Some(start)) = (parts.get(*part as usize), starts.get_mut(*part as usize))
            {
                *start = count(list.len());
                list.extend((0..read.brief.units).map(|unit| (*part, unit)));
            }
        }
    }
    (list, starts)
}

#[derive(PartialEq, Eq, Hash)]
struct MembersKey(super::load::IncludesKey, usize);

fn members(pass: &Pass<'_>, setting: &Setting, includes: &Includes, parts: &[Part]) -> Arc<[Member]> {
    let make = || {
        let root: Arc<str> = "the root".into();
        let included: Arc<str> = format!("included by {}", setting.name()).into();
        let member = |part: &Part| Member {
            file: part.brief.file,
            why: if part.via.is_none() {
                root.clone()
            } else {
                included.clone()
            },
            via: part.via,
        };
        parts.iter().map(member).collect::<Arc<[Member]>>()
    };
    if parts.len() == includes.all.len() + 1 {
        let members = pass.cx.memo().get(MembersKey(includes.key, parts.len()), make);
        return Arc::clone(&*members);
    }
    make()
}
