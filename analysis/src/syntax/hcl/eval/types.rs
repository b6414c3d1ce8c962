//! Types of values, named as HCL names them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Not known, or that of an untyped `null`.
    Dynamic,
    /// `bool`.
    Bool,
    /// `number`.
    Number,
    /// `string`.
    String,
    /// A list of one element type.
    List(Arc<Type>),
    /// A set of one element type.
    Set(Arc<Type>),
    /// A map of one element type.
    Map(Arc<Type>),
    /// A sequence with a type for each place; what `[…]` gives.
    Tuple(Arc<[Type]>),
    /// Attributes with a type for each; what `{…}` gives.
    Object(Arc<BTreeMap<Arc<str>, Type>>),
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dynamic => f.write_str("dynamic"),
            Self::Bool => f.write_str("bool"),
            Self::Number => f.write_str("number"),
            Self::String => f.write_str("string"),
            Self::List(inner) => write!(f, "list of {inner}"),
            Self::Set(inner) => write!(f, "set of {inner}"),
            Self::Map(inner) => write!(f, "map of {inner}"),
            Self::Tuple(_) => f.write_str("tuple"),
            Self::Object(_) => f.write_str("object"),
        }
    }
}

impl Type {
    /// The element type of a collection.
    #[must_use]
    pub fn element(&self) -> Option<&Type> {
        match self {
            Self::List(inner) | Self::Set(inner) | Self::Map(inner) => Some(inner),
            _ => None,
        }
    }

    fn is_primitive(&self) -> bool {
        matches!(self, Self::Bool | Self::Number | Self::String)
    }

    /// Whether a value of this type can become one of `wanted`; whether each single value can is only
    /// found out by converting it.
    #[must_use]
    pub fn converts_to(&self, wanted: &Type) -> bool {
        if self == wanted || *self == Type::Dynamic || *wanted == Type::Dynamic {
            return true;
        }
        match (self, wanted) {
            (Type::Bool | Type::Number, Type::String) | (Type::String, Type::Bool | Type::Number) => true,
            (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to))
            | (Type::Map(from), Type::Map(to)) => from.converts_to(to),
            (Type::Tuple(from), Type::List(to) | Type::Set(to)) => from.iter().all(|t| t.converts_to(to)),
            (Type::Tuple(from), Type::Tuple(to)) => {
                from.len() == to.len() && from.iter().zip(to.iter()).all(|(a, b)| a.converts_to(b))
            }
            (Type::Object(from), Type::Map(to)) => from.values().all(|t| t.converts_to(to)),
            (Type::Object(from), Type::Object(to)) => to
                .iter()
                .all(|(name, wanted)| from.get(name).is_some_and(|t| t.converts_to(wanted))),
            (Type::Map(from), Type::Object(to)) => to.values().all(|t| from.converts_to(t)),
            _ => false,
        }
    }
}

/// The one type that values of all these types become where they meet: in the two arms of a
/// conditional, in `tolist`, in `coalesce`. Nothing if there is none.
#[must_use]
pub fn unify(types: &[Type]) -> Option<Type> {
    let first = types.first()?;
    if types.iter().all(|t| t == first) {
        return Some(first.clone());
    }
    let known: Vec<&Type> = types.iter().filter(|t| **t != Type::Dynamic).collect();
    let dynamic = known.len() < types.len();
    let all = |test: fn(&Type) -> bool| !known.is_empty() && known.iter().all(|t| test(t));
    let any = |test: fn(&Type) -> bool| known.iter().any(|t| test(t));
    let (is_map, is_object) = (
        |t: &Type| matches!(t, Type::Map(_)),
        |t: &Type| matches!(t, Type::Object(_)),
    );
    let (is_list, is_set) = (
        |t: &Type| matches!(t, Type::List(_)),
        |t: &Type| matches!(t, Type::Set(_)),
    );
    let is_tuple = |t: &Type| matches!(t, Type::Tuple(_));
    if all(|t| matches!(t, Type::Map(_) | Type::Object(_))) && any(is_map) {
        return unify_members(&known, dynamic).map(|t| Type::Map(Arc::new(t)));
    }
    if all(is_list) {
        return unify_members(&known, dynamic).map(|t| Type::List(Arc::new(t)));
    }
    if all(is_set) {
        return unify_members(&known, dynamic).map(|t| Type::Set(Arc::new(t)));
    }
    if all(|t| matches!(t, Type::List(_) | Type::Tuple(_))) && any(is_list) {
        return unify_members(&known, dynamic).map(|t| Type::List(Arc::new(t)));
    }
    if all(is_object) {
        return if dynamic {
            Some(Type::Dynamic)
        } else {
            unify_objects(&known)
        };
    }
    if all(is_tuple) {
        return if dynamic {
            Some(Type::Dynamic)
        } else {
            unify_tuples(&known)
        };
    }
    if any(is_object) && any(is_tuple) {
        return None;
    }
    if dynamic {
        return Some(Type::Dynamic);
    }
    preferred(&known)
}

/// The type among the given ones that all others convert to; text before numbers before truth values.
fn preferred(types: &[&Type]) -> Option<Type> {
    for wanted in [Type::String, Type::Number, Type::Bool] {
        if types.contains(&&wanted) {
            let fits = types.iter().all(|t| t.is_primitive() && t.converts_to(&wanted));
            return fits.then_some(wanted);
        }
    }
    types
        .iter()
        .find(|wanted| types.iter().all(|t| t.converts_to(wanted)))
        .map(|t| (*t).clone())
}

/// The one type for all members of all the types.
fn unify_members(types: &[&Type], dynamic: bool) -> Option<Type> {
    let mut members: Vec<Type> = Vec::new();
    for ty in types {
        match ty {
            Type::List(inner) | Type::Set(inner) | Type::Map(inner) => members.push((**inner).clone()),
            Type::Tuple(inner) => members.extend(inner.iter().cloned()),
            Type::Object(inner) => members.extend(inner.values().cloned()),
            _ => return None,
        }
    }
    if dynamic || members.is_empty() {
        return Some(Type::Dynamic);
    }
    unify(&members)
}

fn unify_objects(types: &[&Type]) -> Option<Type> {
    let mut objects = types.iter().filter_map(|t| match t {
        Type::Object(inner) => Some(inner),
        _ => None,
    });
    let first = objects.next()?;
    let same_names = objects
        .clone()
        .all(|o| o.len() == first.len() && o.keys().eq(first.keys()));
    if same_names {
        let mut result = BTreeMap::new();
        for name in first.keys() {
            let members: Vec<Type> = std::iter::once(first)
                .chain(objects.clone())
                .filter_map(|o| o.get(name).cloned())
                .collect();
            match unify(&members) {
                Some(ty) => result.insert(Arc::clone(name), ty),
                None => return unify_members(types, false).map(|t| Type::Map(Arc::new(t))),
            };
        }
        return Some(Type::Object(Arc::new(result)));
    }
    unify_members(types, false).map(|t| Type::Map(Arc::new(t)))
}

fn unify_tuples(types: &[&Type]) -> Option<Type> {
    let mut tuples = types.iter().filter_map(|t| match t {
        Type::Tuple(inner) => Some(inner),
        _ => None,
    });
    let first = tuples.next()?;
    if tuples.clone().all(|t| t.len() == first.len()) {
        let mut result = Vec::with_capacity(first.len());
        for index in 0..first.len() {
            let members: Vec<Type> = std::iter::once(first)
                .chain(tuples.clone())
                .filter_map(|t| t.get(index).cloned())
                .collect();
            match unify(&members) {
                Some(ty) => result.push(ty),
                None => return unify_members(types, false).map(|t| Type::List(Arc::new(t))),
            }
        }
        return Some(Type::Tuple(result.into()));
    }
    unify_members(types, false).map(|t| Type::List(Arc::new(t)))
}
