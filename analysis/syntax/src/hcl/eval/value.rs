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
    /// Where in it.
    pub span: Span,
}

/// A value with where it was written.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it is.
    pub data: Data,
    /// The expression it came from, through variables, lists and functions that pass entries on.
    pub place: Option<Place>,
    /// It is only likely to be this, as a name derived by a rule that is not documented.
    pub heuristic: bool,
    /// What is noted about it besides; of what is in it each has its own.
    pub marks: Marks,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Data {
    /// `null`, of a type.
    Null(Type),
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Box<Number>),
    /// A text.
    String(Arc<str>),
    /// What `[…]` gives.
    Tuple(Arc<Items>),
    /// A list of one element type.
    List(Arc<Items>, Type),
    /// A set of one element type, sorted, no two alike.
    Set(Arc<Items>, Type),
    /// What `{…}` gives.
    Object(Arc<Fields>),
    /// A map of one element type.
    Map(Arc<Fields>, Type),
    /// Something that can't be known.
    Unknown(Box<Unknown>),
}

/// Why a value can't be known, and what is known of it all the same.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// The reason, for people.
    pub why: Arc<str>,
    /// What it depends on.
    pub place: Option<Place>,
    /// Its type, [`Type::Dynamic`] if that is unknown as well.
    pub ty: Type,
    /// A mark of the engine that says which unknown it is, such as the id of one resource. What has one is neither null
    /// nor empty. It survives being passed on, and nothing that makes another value of it.
    pub symbol: Option<NonZeroU32>,
    /// What the engine knows of it.
    pub known: Known,
    /// Whether the engine may read it from elsewhere before it does anything: then it fails where nothing can be done
    /// with what it reads.
    pub is_read: bool,
}

/// Elements in order, and how deep they nest.
#[derive(Debug)]
pub struct Items {
    values: Vec<Value>,
    extent: Extent,
}

/// Members by name, and how deep they nest.
#[derive(Debug)]
pub struct Fields {
    values: BTreeMap<Arc<str>, Value>,
    extent: Extent,
}

/// How deep a value nests, how many values it holds and how many bytes of text, shared ones counted each time; and what
/// is noted about those in it.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    depth: u32,
    count: u32,
    text: usize,
    marks: Marks,
}

/// Most values one value may hold. Sharing can make a value exponentially larger than what it was
/// written with.
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
    /// One of which only the type is known, and the engine perhaps knows it.
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
    /// A text, in normal form C as all texts of HCL are.
    #[must_use]
    pub fn string(text: &str) -> Self {
        if text.is_ascii() {
            return Data::String(text.into()).into();
        }
        let normal = ComposingNormalizerBorrowed::new_nfc().normalize(text);
        Data::String(normal.as_ref().into()).into()
    }

    /// A truth value.
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

    /// A value that can't be known, of unknown type.
    #[must_use]
    pub fn unknown(why: &str) -> Self {
        Unknown::new(why, Type::Dynamic).into()
    }

    /// A value that can't be known but has an identity; see [`Unknown::symbol`].
    #[must_use]
    pub fn symbol(symbol: NonZeroU32, ty: Type, why: &str) -> Self {
        Unknown {
            symbol: Some(symbol),
            ..Unknown::new(why, ty)
        }
        .into()
    }

    /// The value where it can't be known and the engine reads it from elsewhere; see [`Unknown::is_read`].
    #[must_use]
    pub fn read(mut self) -> Self {
        if let Data::Unknown(unknown) = &mut self.data {
            unknown.is_read = true;
        }
        self
    }

    /// What `[…]` gives.
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

    /// A set; the elements must be of the type. Of two alike the first stays. What is noted about an element is noted
    /// about the set.
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

    /// What `{…}` gives.
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

    /// The value, said to come from `place`.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// The value, said to come from `place` unless it already says where from.
    #[must_use]
    pub fn or_at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// The value, heuristic if it is or `also` says so.
    #[must_use]
    pub fn likely(mut self, also: bool) -> Self {
        self.heuristic |= also;
        self
    }

    /// The value, with more noted about it.
    #[must_use]
    pub fn marked(mut self, marks: Marks) -> Self {
        self.marks = self.marks | marks;
        self
    }

    /// What is noted about it and anything in it.
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

    /// The name HCL has for its type: `string`, `set of string`, `dynamic` for `null`.
    #[must_use]
    pub fn type_name(&self) -> String {
        self.ty().to_string()
    }

    /// Whether it is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null(_))
    }

    /// What is known of it, if it is unknown itself.
    #[must_use]
    pub fn as_unknown(&self) -> Option<&Unknown> {
        match &self.data {
            Data::Unknown(unknown) => Some(unknown),
            _ => None,
        }
    }

    /// The first unknown in it, itself included.
    #[must_use]
    pub fn first_unknown(&self) -> Option<&Unknown> {
        self.find_unknown(|_| true)
    }

    /// The first unknown in it, itself included, that the engine may know.
    #[must_use]
    pub fn first_unshared(&self) -> Option<&Unknown> {
        self.find_unknown(|unknown| !unknown.known.is_shared())
    }

    /// The first unknown in it, itself included, of which the engine may know more than is known here.
    #[must_use]
    pub fn first_unfollowed(&self) -> Option<&Unknown> {
        self.find_unknown(|unknown| !unknown.known.is_followed())
    }

    /// Whether anything in it, itself included, is unknown and has no identity.
    pub(super) fn has_anonymous(&self) -> bool {
        self.find_unknown(|unknown| unknown.symbol.is_none()).is_some()
    }

    /// Whether anything in it, itself included, is unknown and has an identity.
    pub(super) fn has_identified(&self) -> bool {
        self.find_unknown(|unknown| unknown.symbol.is_some()).is_some()
    }

    /// Whether it is unknown and has an identity.
    pub(super) fn has_identity(&self) -> bool {
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

    /// The value of a truth value.
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

    /// How many values are in it with itself, shared ones counted each time.
    pub(super) fn count(&self) -> usize {
        self.extent().count as usize
    }

    /// How many bytes of text are in it, shared ones counted each time: as many as writing it out gives.
    pub(super) fn text_len(&self) -> usize {
        self.extent().text
    }
}

/// The extent of a value around others; nothing if it is too large to be gone through recursively.
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
