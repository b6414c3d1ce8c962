//! Values: known, unknown with a reason, and either of them certain or only likely.

use std::cmp::Ordering;
use std::collections::BTreeMap;
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
    Number(Number),
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
    Unknown(Unknown),
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
    /// A mark of the engine that says which unknown it is, such as the id of one resource. It survives
    /// being passed on, and nothing that makes another value of it.
    pub symbol: Option<u32>,
    /// What the engine knows of it.
    pub known: Known,
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
        Data::Number(value).into()
    }

    /// An untyped `null`.
    #[must_use]
    pub fn null() -> Self {
        Data::Null(Type::Dynamic).into()
    }

    /// A value that can't be known, of unknown type.
    #[must_use]
    pub fn unknown(why: &str) -> Self {
        Data::Unknown(Unknown {
            why: why.into(),
            place: None,
            ty: Type::Dynamic,
            symbol: None,
            known: Known::Perhaps,
        })
        .into()
    }

    /// A value that can't be known but has an identity; see [`Unknown::symbol`].
    #[must_use]
    pub fn symbol(symbol: u32, ty: Type, why: &str) -> Self {
        Data::Unknown(Unknown {
            why: why.into(),
            place: None,
            ty,
            symbol: Some(symbol),
            known: Known::Perhaps,
        })
        .into()
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

    /// The value with nothing noted about it or anything in it.
    #[must_use]
    pub fn without_marks(&self) -> Self {
        self.with_marked(&|value| Self {
            marks: Marks::NONE,
            ..value
        })
    }

    /// The value with null for what is ephemeral in it, and for itself if it is.
    pub(super) fn without_ephemeral(&self) -> Self {
        self.with_marked(&|value| {
            if !value.marks.has(Marks::EPHEMERAL) {
                return value;
            }
            let data = match &value.data {
                // It may still become another type.
                Data::Unknown(unknown) => Data::Unknown(Unknown {
                    symbol: None,
                    known: unknown.known.of_result(),
                    ..unknown.clone()
                }),
                _ => Data::Null(value.ty()),
            };
            Self {
                data,
                marks: value.marks.without(Marks::EPHEMERAL),
                ..value
            }
        })
    }

    /// The value with what `change` makes of it and of each value in it, if anything is noted about it or in it. The type
    /// must stay.
    fn with_marked(&self, change: &dyn Fn(Self) -> Self) -> Self {
        if self.all_marks().is_empty() {
            return self.clone();
        }
        let all = |items: &Items| items.values.iter().map(|v| v.with_marked(change)).collect();
        let named = |fields: &Fields| {
            let all = fields.values.iter();
            all.map(|(k, v)| (Arc::clone(k), v.with_marked(change))).collect()
        };
        let made = match &self.data {
            Data::Tuple(items) => Self::tuple(all(items)),
            Data::List(items, ty) => Self::list(all(items), ty.clone()),
            Data::Object(fields) => Self::object(named(fields)),
            Data::Map(fields, ty) => Self::map(named(fields), ty.clone()),
            data => data.clone().into(),
        };
        change(Self {
            data: made.data,
            ..*self
        })
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
        self.find_unknown(|known| !known.is_shared())
    }

    /// The first unknown in it, itself included, of which the engine may know more than is known here.
    #[must_use]
    pub fn first_unfollowed(&self) -> Option<&Unknown> {
        self.find_unknown(|known| !known.is_followed())
    }

    fn find_unknown(&self, test: fn(&Known) -> bool) -> Option<&Unknown> {
        match &self.data {
            Data::Unknown(unknown) => test(&unknown.known).then_some(unknown),
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
        match self.data {
            Data::Number(value) => Some(value),
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

    /// Whether two values are equal as HCL's `==` has it: of one type and alike. Nothing where that
    /// depends on something unknown.
    #[must_use]
    pub fn equals(&self, other: &Value) -> Option<bool> {
        match (&self.data, &other.data) {
            (Data::Null(_), Data::Null(_)) => Some(true),
            (Data::Null(_), Data::Unknown(unknown)) | (Data::Unknown(unknown), Data::Null(_)) => {
                unknown.known.is_not_null().then_some(false)
            }
            (Data::Null(_), _) | (_, Data::Null(_)) => Some(false),
            (Data::Unknown(a), Data::Unknown(b)) if a.symbol.is_some() && a.symbol == b.symbol => Some(true),
            // Both may be null.
            (Data::Unknown(_), Data::Unknown(_)) => None,
            (Data::Unknown(unknown), Data::Number(number))
            | (Data::Number(number), Data::Unknown(unknown))
                if unknown.known.excludes(*number) =>
            {
                Some(false)
            }
            (Data::Unknown(unknown), Data::String(text)) | (Data::String(text), Data::Unknown(unknown))
                if unknown.known.excludes_text(text) =>
            {
                Some(false)
            }
            (Data::Unknown(unknown), _) => other.differs(&unknown.ty),
            (_, Data::Unknown(unknown)) => self.differs(&unknown.ty),
            (Data::Bool(a), Data::Bool(b)) => Some(a == b),
            (Data::Number(a), Data::Number(b)) => a.compare(*b).map(|o| o == Ordering::Equal),
            (Data::String(a), Data::String(b)) => Some(a == b),
            (Data::Tuple(a), Data::Tuple(b)) => all_equal(&a.values, &b.values),
            (Data::List(a, x), Data::List(b, y)) | (Data::Set(a, x), Data::Set(b, y)) => {
                if x != y {
                    return Some(false);
                }
                all_equal(&a.values, &b.values)
            }
            (Data::Object(a), Data::Object(b)) => all_members_equal(a, b),
            (Data::Map(a, x), Data::Map(b, y)) => {
                if x != y {
                    return Some(false);
                }
                all_members_equal(a, b)
            }
            _ => Some(false),
        }
    }

    /// False if it surely is not of the type of an unknown value.
    fn differs(&self, of_unknown: &Type) -> Option<bool> {
        let ty = self.ty();
        let is_open = of_unknown.is_open() || ty.is_open() && self.first_unshared().is_some();
        (!is_open && ty != *of_unknown).then_some(false)
    }

    /// A total order over all values, for sets and for output; HCL's own for texts, numbers and truth
    /// values.
    #[must_use]
    pub fn total_order(&self, other: &Value) -> Ordering {
        fn rank(value: &Value) -> u8 {
            match value.data {
                Data::Bool(_) => 1,
                Data::Number(_) => 2,
                Data::String(_) => 3,
                Data::Tuple(_) => 4,
                Data::List(..) => 5,
                Data::Set(..) => 6,
                Data::Object(_) => 7,
                Data::Map(..) => 8,
                Data::Null(_) => 9,
                Data::Unknown(_) => 10,
            }
        }
        match (&self.data, &other.data) {
            (Data::Bool(a), Data::Bool(b)) => a.cmp(b),
            (Data::Number(a), Data::Number(b)) => a.total_order(*b),
            (Data::String(a), Data::String(b)) => a.cmp(b),
            (Data::Unknown(a), Data::Unknown(b)) => a.symbol.cmp(&b.symbol),
            _ => match (self.elements(), other.elements(), self.members(), other.members()) {
                (Some(a), Some(b), _, _) if rank(self) == rank(other) => {
                    let pairs = a.iter().zip(b).map(|(x, y)| x.total_order(y));
                    pairs
                        .fold(Ordering::Equal, Ordering::then)
                        .then(a.len().cmp(&b.len()))
                }
                (_, _, Some(a), Some(b)) if rank(self) == rank(other) => {
                    let pairs = a
                        .iter()
                        .zip(b)
                        .map(|((k, x), (l, y))| k.cmp(l).then_with(|| x.total_order(y)));
                    pairs
                        .fold(Ordering::Equal, Ordering::then)
                        .then(a.len().cmp(&b.len()))
                }
                _ => rank(self).cmp(&rank(other)),
            },
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

fn all_equal(a: &[Value], b: &[Value]) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    conjunction(a.iter().zip(b).map(|(x, y)| x.equals(y)))
}

fn all_members_equal(a: &Fields, b: &Fields) -> Option<bool> {
    if a.values.len() != b.values.len() || !a.values.keys().eq(b.values.keys()) {
        return Some(false);
    }
    conjunction(a.values.values().zip(b.values.values()).map(|(x, y)| x.equals(y)))
}

/// False if one is, else unknown if one is, else true.
fn conjunction(all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for one in all {
        match one {
            Some(false) => return Some(false),
            None => result = None,
            Some(true) => {}
        }
    }
    result
}
