//! Where the names of versioned resources are written: by template rules, and by annotations (kapp, versioned resources).
//!
//! kapp iterates over all resources for each versioned one. Resources that do not mention a name are not
//! written: each resource is visited once for the first name, and for the others only if it mentions them.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use super::explicit;
use super::labels::unknown_matcher;
use super::templates::{self, DiffError, Named};
use super::{Entry, object};
use crate::matcher::Matcher;
use crate::model::inputs::Item;
use crate::read::ObjectReference;

/// A kind of reference of a template rule, and the resources that contain it: numbers of versioned ones, of
/// others.
pub(super) type Affected<'a> = (&'a ObjectReference, [Vec<usize>; 2]);

/// The entries of a list that mention a name. May include one that no longer does.
#[derive(Default)]
struct Mentions(FxHashMap<Box<str>, BTreeSet<usize>>);

impl Mentions {
    fn add(&mut self, names: Vec<String>, number: usize) {
        for name in names {
            self.0.entry(name.into()).or_default().insert(number);
        }
    }

    fn of(&self, name: &str) -> Vec<usize> {
        self.0.get(name).into_iter().flatten().copied().collect()
    }
}

/// The mentions of a kind of reference in both lists, once they are collected.
type InBoth = [Option<Mentions>; 2];

/// See the module.
pub(super) struct References<'r, 'a> {
    /// By rule.
    affected: &'r [Vec<Affected<'a>>],
    /// By rule and kind of reference.
    mentions: Vec<Vec<InBoth>>,
    /// Those in annotations.
    explicit: InBoth,
}

impl<'r, 'a> References<'r, 'a> {
    pub(super) fn new(affected: &'r [Vec<Affected<'a>>]) -> Self {
        let none = |rule: &Vec<Affected<'a>>| rule.iter().map(|_| InBoth::default()).collect();
        Self {
            affected,
            mentions: affected.iter().map(none).collect(),
            explicit: InBoth::default(),
        }
    }

    /// Writes the name of a versioned resource into one of the two lists, wherever its rules lead; returns the
    /// first obstacle found.
    pub(super) fn write(
        &mut self,
        at: usize,
        list: &mut [Entry<'_>],
        named: &Named,
        rules: &[usize],
    ) -> Vec<(DiffError, Item)> {
        let mut faults = Vec::new();
        for (turn, rule) in rules.iter().enumerate() {
            let kinds = self.affected.get(*rule).map_or(0, Vec::len);
            for kind in 0..kinds {
                self.write_kind((*rule, kind), at, list, named, &mut faults);
            }
            // The others would write the same again.
            if turn == 0 {
                self.write_explicit(at, list, named, &mut faults);
            }
        }
        faults
    }

    fn write_kind(
        &mut self,
        (rule, kind): (usize, usize),
        at: usize,
        list: &mut [Entry<'_>],
        named: &Named,
        faults: &mut Vec<(DiffError, Item)>,
    ) {
        let Some((reference, standing)) = self.affected.get(rule).and_then(|kinds| kinds.get(kind)) else {
            return;
        };
        if reference.matchers.iter().any(Matcher::is_unknown) {
            let item = list.first().map(|e| e.change.item);
            faults.extend(item.map(|item| (unknown_matcher(), item)));
            return;
        }
        let standing = standing.get(at).map_or(&[][..], Vec::as_slice);
        let slot = self
            .mentions
            .get_mut(rule)
            .and_then(|kinds| kinds.get_mut(kind)?.get_mut(at));
        let Some(slot) = slot else { return };
        let mentioned = slot.as_ref().map(|mentions| mentions.of(&named.base));
        let is_first = mentioned.is_none();
        let mut written = Vec::new();
        for number in mentioned.as_deref().unwrap_or(standing) {
            let Some(entry) = list.get_mut(*number) else {
                continue;
            };
            let description = entry.change.describe(entry.resource);
            let (is_written, fault) = templates::write(&mut entry.object, reference, named, &description);
            faults.extend(fault.map(|fault| (fault, entry.change.item)));
            if is_written {
                written.push(*number);
                // A rule of a Config can lead to the name of the resource itself.
                let name = object::metadata(&entry.object, "name");
                if !name.is_empty() && *entry.change.name != *name {
                    entry.change.name = name.into();
                }
            }
        }
        if is_first {
            let mut mentions = Mentions::default();
            for number in standing {
                if let Some(entry) = list.get_mut(*number) {
                    mentions.add(templates::names(&mut entry.object, reference), *number);
                }
            }
            *slot = Some(mentions);
        }
        for number in written {
            self.note(at, list, number);
        }
    }

    /// Records what an entry mentions after a name was written into it.
    fn note(&mut self, at: usize, list: &mut [Entry<'_>], number: usize) {
        let Some(entry) = list.get_mut(number) else { return };
        for (kinds, mentions) in self.affected.iter().zip(&mut self.mentions) {
            for ((reference, standing), mentions) in kinds.iter().zip(mentions) {
                let is_in = standing
                    .get(at)
                    .is_some_and(|all| all.binary_search(&number).is_ok());
                if let Some(Some(mentions)) = mentions.get_mut(at).filter(|_| is_in) {
                    mentions.add(templates::names(&mut entry.object, reference), number);
                }
            }
        }
    }

    fn write_explicit(
        &mut self,
        at: usize,
        list: &mut [Entry<'_>],
        named: &Named,
        faults: &mut Vec<(DiffError, Item)>,
    ) {
        let Some(slot) = self.explicit.get_mut(at) else {
            return;
        };
        let mentioned = slot.as_ref().map(|mentions| mentions.of(&named.base));
        let mentions = slot.get_or_insert_default();
        for number in mentioned.unwrap_or_else(|| (0..list.len()).collect()) {
            let Some(entry) = list.get_mut(number) else {
                continue;
            };
            let (names, fault) = write_explicit(entry, named);
            faults.extend(fault.map(|fault| (fault, entry.change.item)));
            mentions.add(names, number);
        }
    }
}

/// Writes a name into the annotations that refer to it. Returns their names afterwards, and the first obstacle.
fn write_explicit(entry: &mut Entry<'_>, named: &Named) -> (Vec<String>, Option<DiffError>) {
    let (mut names, mut first) = (Vec::new(), None);
    for annotation in entry.resource.annotations() {
        let key = &*annotation.name.value;
        if !explicit::is_explicit(key) {
            continue;
        }
        let text = object::annotation(&entry.object, key).unwrap_or("").to_owned();
        match explicit::write(&text, key, named, &entry.describe()) {
            Ok((written, name)) => {
                let annotations = entry.object.pointer_mut("/metadata/annotations");
                if let Some(serde_json::Value::Object(map)) = annotations {
                    map.insert(key.to_owned(), serde_json::Value::String(written));
                }
                names.extend(name);
            }
            Err(fault) => {
                first.get_or_insert(fault.of_annotation(key));
            }
        }
    }
    (names, first)
}
