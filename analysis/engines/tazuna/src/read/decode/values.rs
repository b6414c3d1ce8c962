//! The content of an object of the schema, and the effect of a second spelling of a field.

use std::borrow::Cow;

use super::STEPS;
use crate::schema::Field;
use applyorder_core::diagnostic::Place;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::Node;

/// A string, and its place.
#[derive(Clone, Debug)]
pub(in super::super) struct Word<'t> {
    pub(in super::super) text: Cow<'t, str>,
    /// Where the text is written, in the anchor if it comes from an alias.
    pub(in super::super) span: Span,
    /// The alias or `<<` that it comes from.
    pub(in super::super) via: Option<Span>,
    /// Whether null is written: the field keeps its previous value.
    pub(in super::super) null: bool,
    /// Its place, if it already has one: two findings about one text share it.
    pub(in super::super) place: Option<Place>,
}

/// A value of the schema.
#[derive(Clone, Debug)]
pub(in super::super) enum Val<'t> {
    Null,
    Word(Word<'t>),
    /// A boolean or a number, whose value is not used.
    Plain,
    Words(Elements<Word<'t>>),
    Map,
    Obj(Obj<'t>),
    Objs(Elements<Obj<'t>>),
    ObjMap(Vec<(Cow<'t, str>, Span, Obj<'t>)>),
    /// The list of manifests, which is read item by item later.
    Manifests(Manifests<'t>),
    Any,
}

/// A list of manifests.
#[derive(Clone, Debug)]
pub(in super::super) struct Manifests<'t> {
    pub(in super::super) list: Node<'t>,
    /// The alias that it comes from.
    pub(in super::super) via: Option<Span>,
    /// By item, the items of all lists that are decoded into the same memory one after the other, the last of which
    /// is the item itself; `None` if the list is spelled in one way.
    joined: Option<Box<Elements<Vec<Node<'t>>>>>,
}

impl<'t> Manifests<'t> {
    pub(super) fn new(list: Node<'t>, via: Option<Span>) -> Self {
        let joined = None;
        Self { list, via, joined }
    }

    /// What is decoded into the memory of an item before the item.
    pub(in super::super) fn before(&self, item: usize) -> &[Node<'t>] {
        let all = self.joined.as_ref().and_then(|joined| joined.list.get(item));
        all.and_then(|all| all.split_last())
            .map_or(&[], |(_, before)| before)
    }

    fn into_items(self) -> Elements<Vec<Node<'t>>> {
        let alone = || self.list.items().map(|item| vec![item]).collect::<Vec<_>>();
        self.joined.map_or_else(|| alone().into(), |joined| *joined)
    }

    /// A later list, decoded into the memory of this one.
    fn overwritten(self, later: Self) -> Self {
        let join = |mut old: Vec<Node<'t>>, new| {
            old.extend(new);
            old
        };
        let (list, via) = (later.list, later.via);
        let joined = self.into_items().overwritten(later.into_items().list, join);
        let joined = Some(Box::new(joined));
        Self { list, via, joined }
    }
}

/// A list, and what Go keeps in its memory past the end.
#[derive(Clone, Debug)]
pub(in super::super) struct Elements<T> {
    pub(in super::super) list: Vec<T>,
    /// The elements of longer lists that were decoded into the same field before: a later list that reaches so
    /// far is decoded into them.
    past: Vec<T>,
}

impl<T> From<Vec<T>> for Elements<T> {
    fn from(list: Vec<T>) -> Self {
        let past = Vec::new();
        Self { list, past }
    }
}

impl<T> Elements<T> {
    /// A later list, decoded into the memory of this one: an empty list gets memory of its own.
    fn overwritten(self, later: Vec<T>, mut element: impl FnMut(T, T) -> T) -> Self {
        if later.is_empty() {
            return later.into();
        }
        let mut old = self.list.into_iter().chain(self.past);
        let decode = |new| match old.next() {
            Some(old) => element(old, new),
            None => new,
        };
        let list = later.into_iter().map(decode).collect();
        let past = old.collect();
        Self { list, past }
    }
}

/// One field that an object has.
#[derive(Clone, Debug)]
pub(in super::super) struct Slot<'t> {
    pub(in super::super) field: &'static Field,
    /// Its key.
    pub(in super::super) key: Span,
    /// The value as a whole.
    pub(in super::super) span: Span,
    pub(in super::super) value: Val<'t>,
    /// What was decoded into it one after the other, if it is spelled in several ways: a null among it clears what
    /// another object left in the field before.
    writes: Vec<Val<'t>>,
}

impl<'t> Slot<'t> {
    pub(super) fn new(field: &'static Field, (key, span): (Span, Span), value: Val<'t>) -> Self {
        Self {
            field,
            key,
            span,
            value,
            writes: Vec::new(),
        }
    }

    /// Decodes another value into it.
    pub(super) fn write(&mut self, later: Val<'t>, lost: &mut Lost<'t>) {
        let before = std::mem::replace(&mut self.value, Val::Null);
        if self.writes.is_empty() {
            self.writes.push(before.clone());
        }
        self.writes.push(later.clone());
        self.value = merged(self.field, before, later, lost);
    }
}

/// An object of the schema.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Obj<'t> {
    pub(in super::super) slots: Vec<Slot<'t>>,
    /// Its first key, or the value in its place.
    pub(in super::super) header: Span,
}

impl<'t> Obj<'t> {
    pub(in super::super) fn slot(&self, name: &str) -> Option<&Slot<'t>> {
        self.slots.iter().find(|s| s.field.name == name)
    }

    pub(in super::super) fn get(&self, name: &str) -> Option<&Val<'t>> {
        self.slot(name).map(|s| &s.value)
    }

    pub(in super::super) fn word(&self, name: &str) -> Option<&Word<'t>> {
        match self.get(name) {
            Some(Val::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// The text of a string field; empty if it is missing or null.
    pub(in super::super) fn text(&self, name: &str) -> &str {
        self.word(name).map_or("", |w| &w.text)
    }

    pub(in super::super) fn obj(&self, name: &str) -> Option<&Obj<'t>> {
        match self.get(name) {
            Some(Val::Obj(obj)) => Some(obj),
            _ => None,
        }
    }

    pub(in super::super) fn words(&self, name: &str) -> &[Word<'t>] {
        match self.get(name) {
            Some(Val::Words(words)) => &words.list,
            _ => &[],
        }
    }

    pub(in super::super) fn objs(&self, name: &str) -> &[Obj<'t>] {
        match self.get(name) {
            Some(Val::Objs(objs)) => &objs.list,
            _ => &[],
        }
    }
}

/// The lists of manifests in other spellings than the one that is kept.
#[derive(Default)]
pub(super) struct Lost<'t> {
    pub(super) lists: Vec<(Node<'t>, Option<Span>)>,
    /// The items that were joined, which aliases may multiply.
    pub(super) steps: u32,
}

impl<'t> Lost<'t> {
    /// The list that results from a later one under another spelling. Beyond the limit nothing is joined: the
    /// reader reports that.
    fn join(&mut self, before: Manifests<'t>, later: Val<'t>) -> Val<'t> {
        self.lists.push((before.list, before.via));
        let Val::Manifests(later) = later else {
            return later;
        };
        let count = before.list.items().count() + later.list.items().count();
        self.steps = self
            .steps
            .saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        Val::Manifests(match self.steps > STEPS {
            true => later,
            false => before.overwritten(later),
        })
    }
}

/// The value of a field that is decoded a second time, under another spelling: null clears a pointer or list and
/// does not change any other value. Of lists of manifests the later one is kept, each item with those that are decoded
/// before it, and the other is `lost`.
fn merged<'t>(field: &Field, before: Val<'t>, later: Val<'t>, lost: &mut Lost<'t>) -> Val<'t> {
    match (before, later) {
        (Val::Word(old), Val::Word(new)) if new.null && !field.is_pointer() => Val::Word(old),
        (Val::Words(old), Val::Words(new)) => {
            let keep = |old, new: Word<'t>| if new.null { old } else { new };
            Val::Words(old.overwritten(new.list, keep))
        }
        (Val::Obj(old), Val::Obj(new)) => Val::Obj(merged_object(old, new, lost)),
        (Val::Objs(old), Val::Objs(new)) => {
            let join = |old, new| merged_object(old, new, lost);
            Val::Objs(old.overwritten(new.list, join))
        }
        (Val::Obj(old), Val::Null) if !field.is_pointer() => Val::Obj(old),
        (Val::ObjMap(mut all), Val::ObjMap(new)) => {
            all.retain(|(name, ..)| new.iter().all(|(other, ..)| other != name));
            all.extend(new);
            all.sort_by(|a, b| a.0.cmp(&b.0));
            Val::ObjMap(all)
        }
        (Val::Manifests(before), later) => lost.join(before, later),
        (_, later) => later,
    }
}

/// An object that is decoded into another one.
pub(super) fn merged_object<'t>(mut old: Obj<'t>, new: Obj<'t>, lost: &mut Lost<'t>) -> Obj<'t> {
    for slot in new.slots {
        match old.slots.iter_mut().find(|s| s.field.name == slot.field.name) {
            Some(kept) if slot.writes.is_empty() => {
                kept.write(slot.value, lost);
                (kept.key, kept.span) = (slot.key, slot.span);
            }
            Some(kept) => {
                slot.writes.into_iter().for_each(|later| kept.write(later, lost));
                (kept.key, kept.span) = (slot.key, slot.span);
            }
            None => old.slots.push(slot),
        }
    }
    old
}
