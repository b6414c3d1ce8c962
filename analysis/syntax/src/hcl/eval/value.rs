//! Values: known, unknown with a reason, and either of them certain or only likely.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::known::Known;
use super::marks::Marks;
use super::number::Number;
use super::types::Type;
use crate::hcl::lex::MAX_DEPTH;
use crate::text::Span;

/// A place in one of the files that an engine numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The engine's number of the file.
    pub file: u32,
    /// The range in it.
    pub span: Span,
}

/// A value with its place in the source.
#[derive(Clone, Debug)]
pub struct Value {
    /// The value itself.
    pub data: Data,
    /// The expression it came from, through variables, lists and functions that pass entries on.
    pub place: Option<Place>,
    /// It is only likely to be this, as for a name derived by an undocumented rule.
    pub heuristic: bool,
    /// Its marks; the values in it each have their own.
    pub marks: Marks,
}

/// The data of a value.
#[derive(Clone, Debug)]
pub enum Data {
    /// `null`, of a type.
    Null(Type),
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(Box<Number>),
    /// A string.
    String(Arc<str>),
    /// The value of `[…]`.
    Tuple(Arc<Items>),
    /// A list of one element type.
    List(Arc<Items>, Type),
    /// A set of one element type, sorted, without duplicates.
    Set(Arc<Items>, Type),
    /// The value of `{…}`.
    Object(Arc<Fields>),
    /// A map of one element type.
    Map(Arc<Fields>, Type),
    /// Something that cannot be known.
    Unknown(Box<Unknown>),
}

/// Why a value cannot be known, and what is still known of it.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// The reason, shown to users.
    pub why: Arc<str>,
    /// What it depends on.
    pub place: Option<Place>,
    /// Its type, [`Type::Dynamic`] if that is unknown as well.
    pub ty: Type,
    /// The engine's number for the identity of the unknown, such as the ID of one resource. A value with one is
    /// neither null nor empty. It is kept when the value is passed on, but not by operations that derive
    /// another value.
    pub symbol: Option<NonZeroU32>,
    /// What the engine knows of it.
    pub known: Known,
    /// Whether the engine may read it from elsewhere before it does anything: then it fails if the value it
    /// reads is not usable.
    pub is_read: bool,
}

/// Elements in order, and their nesting depth.
#[derive(Debug)]
pub struct Items {
    values: Vec<Value>,
    extent: Extent,
}

/// Members by name, and their nesting depth.
#[derive(Debug)]
pub struct Fields {
    values: BTreeMap<Arc<str>, Value>,
    extent: Extent,
}

/// How deep a value nests, how many values it contains and how many bytes of text, shared ones counted each
/// time; and the marks of those in it.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    depth: u32,
    count: u32,
    text: usize,
    marks: Marks,
}

/// The maximum number of values in one value. Sharing can make a value exponentially larger than its source.
const MAX_COUNT: u32 = 1 << 20;

impl Items {
    /// The elements.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

impl Fields {
    /// The members, sorted by name.
    #[must_use]
    pub fn values(&self) -> &BTreeMap<Arc<str>, Value> {
        &self.values
    }
}

impl From<Data> for Value {
    fn from(data: Data) -> Self {
        Self {
            data,
            place: None,
            heuristic: false,
            marks: Marks::NONE,
        }
    }
}

impl From<Unknown> for Data {
    fn from(unknown: Unknown) -> Self {
        Self::Unknown(Box::new(unknown))
    }
}

impl From<Unknown> for Value {
    fn from(unknown: Unknown) -> Self {
        Data::from(unknown).into()
    }
}

impl Unknown {
    /// An unknown of which only the type is known; the engine possibly knows it.
    #[must_use]
    pub fn new(why: &str, ty: Type) -> Self {
        Self {
            why: why.into(),
            place: None,
            ty,
            symbol: None,
            known: Known::Perhaps,
            is_read: false,
        }
    }
}

impl Value {
    /// A string, in normal form C as all strings of HCL are.
    #[must_use]
    pub fn string(text: &str) -> Self {
        if text.is_ascii() {
            return Data::String(text.into()).into();
        }
        let normal = ComposingNormalizerBorrowed::new_nfc().normalize(text);
        Data::String(normal.as_ref().into()).into()
    }

    /// A boolean.
    #[must_use]
    pub fn bool(value: bool) -> Self {
        Data::Bool(value).into()
    }

    /// A number.
    #[must_use]
    pub fn number(value: Number) -> Self {
        Data::Number(Box::new(value)).into()
    }

    /// An untyped `null`.
    #[must_use]
    pub fn null() -> Self {
        Data::Null(Type::Dynamic).into()
    }

    /// A value that cannot be known, of unknown type.
    #[must_use]
    pub fn unknown(why: &str) -> Self {
        Unknown::new(why, Type::Dynamic).into()
    }

    /// A value that cannot be known but has an identity; see [`Unknown::symbol`].
    #[must_use]
    pub fn symbol(symbol: NonZeroU32, ty: Type, why: &str) -> Self {
        Unknown {
            symbol: Some(symbol),
            ..Unknown::new(why, ty)
        }
        .into()
    }

    /// The value, marked as read from elsewhere if it cannot be known; see [`Unknown::is_read`].
    #[must_use]
    pub fn read(mut self) -> Self {
        if let Data::Unknown(unknown) = &mut self.data {
            unknown.is_read = true;
        }
        self
    }

    /// The value of `[…]`.
    #[must_use]
    pub fn tuple(values: Vec<Value>) -> Self {
        match items(values) {
            Ok(items) => Data::Tuple(items).into(),
            Err(unknown) => unknown,
        }
    }

    /// A list; the elements must be of the type.
    #[must_use]
    pub fn list(values: Vec<Value>, ty: Type) -> Self {
        match items(values) {
            Ok(items) => Data::List(items, ty).into(),
            Err(unknown) => unknown,
        }
    }

    /// A set; the elements must be of the type. Of duplicates the first is kept. The marks of elements are
    /// moved to the set.
    #[must_use]
    pub fn set(mut values: Vec<Value>, ty: Type) -> Self {
        let marks: Marks = values.iter().map(Value::all_marks).collect();
        if !marks.is_empty() {
            values = values.iter().map(Value::without_marks).collect();
        }
        values.sort_by(Value::total_order);
        values.dedup_by(|later, earlier| {
            later.first_unknown().is_none() && later.total_order(earlier) == Ordering::Equal
        });
        match items(values) {
            Ok(items) => Value::from(Data::Set(items, ty)).marked(marks),
            Err(unknown) => unknown,
        }
    }

    /// The value of `{…}`.
    #[must_use]
    pub fn object(values: BTreeMap<Arc<str>, Value>) -> Self {
        match fields(values) {
            Ok(fields) => Data::Object(fields).into(),
            Err(unknown) => unknown,
        }
    }

    /// A map; the members must be of the type.
    #[must_use]
    pub fn map(values: BTreeMap<Arc<str>, Value>, ty: Type) -> Self {
        match fields(values) {
            Ok(fields) => Data::Map(fields, ty).into(),
            Err(unknown) => unknown,
        }
    }

    /// The value with the place `place`.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// The value with the place `place` unless it already has one.
    #[must_use]
    pub fn or_at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// The value, heuristic if it is or `also` is true.
    #[must_use]
    pub fn likely(mut self, also: bool) -> Self {
        self.heuristic |= also;
        self
    }

    /// The value with additional marks.
    #[must_use]
    pub fn marked(mut self, marks: Marks) -> Self {
        self.marks = self.marks | marks;
        self
    }

    /// The marks on it and on anything in it.
    #[must_use]
    pub fn all_marks(&self) -> Marks {
        match &self.data {
            Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _) => {
                self.marks | items.extent.marks
            }
            Data::Object(fields) | Data::Map(fields, _) => self.marks | fields.extent.marks,
            _ => self.marks,
        }
    }

    /// Its type.
    #[must_use]
    pub fn ty(&self) -> Type {
        match &self.data {
            Data::Null(ty) => ty.clone(),
            Data::Bool(_) => Type::Bool,
            Data::Number(_) => Type::Number,
            Data::String(_) => Type::String,
            Data::Tuple(items) => Type::Tuple(items.values.iter().map(Value::ty).collect()),
            Data::List(_, ty) => Type::List(Arc::new(ty.clone())),
            Data::Set(_, ty) => Type::Set(Arc::new(ty.clone())),
            Data::Object(fields) => Type::Object(Arc::new(
                fields
                    .values
                    .iter()
                    .map(|(k, v)| (Arc::clone(k), v.ty()))
                    .collect(),
            )),
            Data::Map(_, ty) => Type::Map(Arc::new(ty.clone())),
            Data::Unknown(unknown) => unknown.ty.clone(),
        }
    }

    /// The name of its type in HCL: `string`, `set of string`, `dynamic` for `null`.
    #[must_use]
    pub fn type_name(&self) -> String {
        self.ty().to_string()
    }

    /// Whether it is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null(_))
    }

    /// The unknown, if the value itself is one.
    #[must_use]
    pub fn as_unknown(&self) -> Option<&Unknown> {
        match &self.data {
            Data::Unknown(unknown) => Some(unknown),
            _ => None,
        }
    }

    /// The first unknown in it, including itself.
    #[must_use]
    pub fn first_unknown(&self) -> Option<&Unknown> {
        self.find_unknown(|_| true)
    }

    /// The first unknown in it, including itself, that the engine may know.
    #[must_use]
    pub fn first_unshared(&self) -> Option<&Unknown> {
        self.find_unknown(|unknown| !unknown.known.is_shared())
    }

    /// The first unknown in it, including itself, of which the engine may know more than is known here.
    #[must_use]
    pub fn first_unfollowed(&self) -> Option<&Unknown> {
        self.find_unknown(|unknown| !unknown.known.is_followed())
    }

    /// Whether anything in it, including itself, is unknown and has no identity.
    pub(super) fn has_anonymous(&self) -> bool {
        self.find_unknown(|unknown| unknown.symbol.is_none()).is_some()
    }

    /// Whether anything in it, including itself, is unknown and has an identity.
    pub(super) fn has_identified(&self) -> bool {
        self.find_unknown(|unknown| unknown.symbol.is_some()).is_some()
    }

    /// Whether it is unknown and has an identity.
    #[must_use]
    pub fn has_identity(&self) -> bool {
        self.as_unknown().is_some_and(|unknown| unknown.symbol.is_some())
    }

    pub(super) fn find_unknown(&self, test: fn(&Unknown) -> bool) -> Option<&Unknown> {
        match &self.data {
            Data::Unknown(unknown) => test(unknown).then_some(unknown),
            Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _) => {
                items.values.iter().find_map(|v| v.find_unknown(test))
            }
            Data::Object(fields) | Data::Map(fields, _) => {
                fields.values.values().find_map(|v| v.find_unknown(test))
            }
            _ => None,
        }
    }

    /// Whether it or anything in it is only likely.
    #[must_use]
    pub fn has_heuristic(&self) -> bool {
        self.heuristic
            || match &self.data {
                Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _) => {
                    items.values.iter().any(Value::has_heuristic)
                }
                Data::Object(fields) | Data::Map(fields, _) => {
                    fields.values.values().any(Value::has_heuristic)
                }
                _ => false,
            }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.data {
            Data::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a number.
    #[must_use]
    pub fn as_number(&self) -> Option<Number> {
        match &self.data {
            Data::Number(value) => Some(**value),
            _ => None,
        }
    }

    /// The elements of a tuple, list or set.
    #[must_use]
    pub fn elements(&self) -> Option<&[Value]> {
        match &self.data {
            Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _) => Some(&items.values),
            _ => None,
        }
    }

    /// The members of an object or map.
    #[must_use]
    pub fn members(&self) -> Option<&BTreeMap<Arc<str>, Value>> {
        match &self.data {
            Data::Object(fields) | Data::Map(fields, _) => Some(&fields.values),
            _ => None,
        }
    }

    fn extent(&self) -> Extent {
        match &self.data {
            Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _) => items.extent,
            Data::Object(fields) | Data::Map(fields, _) => fields.extent,
            data => Extent {
                depth: 0,
                count: 1,
                text: match data {
                    Data::String(text) => text.len(),
                    _ => 0,
                },
                marks: Marks::NONE,
            },
        }
    }

    /// The number of values in it and itself, shared ones counted each time.
    pub(super) fn count(&self) -> usize {
        self.extent().count as usize
    }

    /// The number of bytes of text in it, shared ones counted each time: as many as in its output.
    pub(super) fn text_len(&self) -> usize {
        self.extent().text
    }
}

/// The extent of a value that contains others; `None` if it is too large for recursion.
fn around<'v>(values: impl Iterator<Item = &'v Value>) -> Option<Extent> {
    let mut all = Extent {
        count: 1,
        ..Extent::default()
    };
    for value in values {
        let extent = value.extent();
        all.depth = all.depth.max(extent.depth);
        all.count = all.count.saturating_add(extent.count);
        all.text = all.text.saturating_add(extent.text);
        all.marks = all.marks | extent.marks | value.marks;
    }
    all.depth += 1;
    (all.depth <= MAX_DEPTH && all.count <= MAX_COUNT).then_some(all)
}

fn items(values: Vec<Value>) -> Result<Arc<Items>, Value> {
    match around(values.iter()) {
        Some(extent) => Ok(Arc::new(Items { values, extent })),
        None => Err(too_large()),
    }
}

fn fields(values: BTreeMap<Arc<str>, Value>) -> Result<Arc<Fields>, Value> {
    match around(values.values()) {
        Some(extent) => Ok(Arc::new(Fields { values, extent })),
        None => Err(too_large()),
    }
}

fn too_large() -> Value {
    Value::unknown("the value is too large or nested too deep")
}
