//! Types of values, named as HCL names them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Unknown, or that of an untyped `null`.
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
    /// A sequence with a type for each position; the type of `[…]`.
    Tuple(Arc<[Type]>),
    /// Attributes with a type for each; the type of `{…}`.
    Object(Arc<BTreeMap<Arc<str>, Type>>),
}

#[derive(PartialEq, Eq)]
enum Kind {
    Primitive,
    Sequence,
    Mapping,
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

    /// What the type is of: types of two kinds are never converted to one type.
    const fn kind(&self) -> Kind {
        match self {
            Self::Dynamic | Self::Bool | Self::Number | Self::String => Kind::Primitive,
            Self::List(_) | Self::Set(_) | Self::Tuple(_) => Kind::Sequence,
            Self::Map(_) | Self::Object(_) => Kind::Mapping,
        }
    }

    /// Whether it is that of a list, a set or a tuple, or unknown.
    #[must_use]
    pub fn may_be_sequence(&self) -> bool {
        *self == Self::Dynamic || self.kind() == Kind::Sequence
    }

    /// Whether it is that of a map or an object, or unknown.
    #[must_use]
    pub fn may_be_mapping(&self) -> bool {
        *self == Self::Dynamic || self.kind() == Kind::Mapping
    }

    /// The types of what is in a value of the type, with the names of attributes.
    fn members(&self) -> Vec<(&str, &Type)> {
        match self {
            Self::Dynamic | Self::Bool | Self::Number | Self::String => Vec::new(),
            Self::List(inner) | Self::Set(inner) | Self::Map(inner) => vec![("", inner)],
            Self::Tuple(types) => types.iter().map(|ty| ("", ty)).collect(),
            Self::Object(types) => types.iter().map(|(name, ty)| (&**name, ty)).collect(),
        }
    }

    /// Whether the type, or that of a part, is unknown.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let mut open = vec![self];
        while let Some(ty) = open.pop() {
            match ty {
                Self::Dynamic => return true,
                Self::Bool | Self::Number | Self::String => {}
                Self::List(inner) | Self::Set(inner) | Self::Map(inner) => open.push(inner),
                Self::Tuple(types) => open.extend(types.iter()),
                Self::Object(types) => open.extend(types.values()),
            }
        }
        false
    }

    /// Whether a value of this type can be converted to `wanted`; whether each single value can is only known
    /// by converting it.
    #[must_use]
    pub fn converts_to(&self, wanted: &Type) -> bool {
        if self == wanted || *self == Type::Dynamic || *wanted == Type::Dynamic {
            return true;
        }
        match (self, wanted) {
            (Type::Bool | Type::Number, Type::String) | (Type::String, Type::Bool | Type::Number) => true,
            (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to))
            | (Type::Map(from), Type::Map(to)) => from.converts_to(to),
            // Elements of an open type must agree on one, and not on any.
            (Type::Tuple(from), Type::List(to) | Type::Set(to)) if **to == Type::Dynamic => {
                let one = unify(from);
                from.is_empty()
                    || one.is_some_and(|t| t != Type::Dynamic || from.iter().all(|t| *t == Type::Dynamic))
            }
            (Type::Object(from), Type::Map(to)) if **to == Type::Dynamic => {
                from.is_empty() || unify(&from.values().cloned().collect::<Vec<_>>()).is_some()
            }
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

/// The one type to which values of all these types are converted: in the two arms of a conditional, in
/// `tolist`, in `coalesce`. `None` if none exists.
#[must_use]
pub fn unify(types: &[Type]) -> Option<Type> {
    let first = types.first()?;
    if types.iter().all(|t| t == first) {
        return Some(first.clone());
    }
    let known: Vec<&Type> = types.iter().filter(|t| **t != Type::Dynamic).collect();
    let dynamic = known.len() < types.len();
    let all = |test: fn(&Type) -> bool| known.iter().all(|t| test(t));
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
    let same_kind = all(is_map) || all(is_list) || all(is_set) || all(is_object) || all(is_tuple);
    if same_kind && dynamic {
        return Some(Type::Dynamic);
    }
    if all(is_map) || all(is_list) || all(is_set) {
        let members: Vec<Type> = known.iter().filter_map(|t| t.element().cloned()).collect();
        let member = Arc::new(unify(&members)?);
        return Some(match first {
            Type::Map(_) => Type::Map(member),
            Type::List(_) => Type::List(member),
            _ => Type::Set(member),
        });
    }
    if all(is_object) {
        return unify_objects(&known);
    }
    if all(is_tuple) {
        return unify_tuples(&known);
    }
    if any(is_map)
        && all(|t| matches!(t, Type::Map(_) | Type::Object(_)))
        && let Some(found) = with_collections(types, is_object)
    {
        return Some(found);
    }
    if any(is_list)
        && all(|t| matches!(t, Type::List(_) | Type::Tuple(_)))
        && let Some(found) = with_collections(types, is_tuple)
    {
        return Some(found);
    }
    if any(is_object) && any(is_tuple) {
        return None;
    }
    preferred(types)
}

/// Whether values of some types have no common type whatever the unknown types among them are: a list, a map and a
/// string never have one.
pub(super) fn never_unify(types: &[&Type]) -> bool {
    let Some((first, others)) = types.split_first() else {
        return false;
    };
    if types.iter().any(|ty| **ty == Type::Dynamic) {
        return false;
    }
    if others.iter().any(|ty| ty.kind() != first.kind()) {
        return true;
    }
    // Structures of the same shape remain structures.
    let shape = first.members();
    let parts: Vec<Vec<(&str, &Type)>> = types.iter().map(|ty| ty.members()).collect();
    let is_structure = |ty: &Type| matches!(ty, Type::Tuple(_) | Type::Object(_));
    let is_same = types.iter().all(|ty| is_structure(ty))
        && parts
            .iter()
            .all(|p| p.len() == shape.len() && p.iter().zip(&shape).all(|(a, b)| a.0 == b.0));
    if !is_same {
        let all: Vec<&Type> = parts.iter().flatten().map(|(_, ty)| *ty).collect();
        return never_unify(&all);
    }
    (0..shape.len()).any(|at| {
        let same = parts.iter().filter_map(|p| p.get(at));
        never_unify(&same.map(|(_, ty)| *ty).collect::<Vec<_>>())
    })
}

/// The first type, the more general before the less, that all others convert to.
fn preferred(types: &[Type]) -> Option<Type> {
    let rank = |t: &Type| match t {
        Type::String | Type::List(_) | Type::Map(_) => 0,
        Type::Bool | Type::Number | Type::Tuple(_) | Type::Object(_) => 1,
        Type::Set(_) => 2,
        Type::Dynamic => 3,
    };
    let mut order: Vec<&Type> = types.iter().collect();
    order.sort_by_key(|t| rank(t));
    order
        .into_iter()
        .find(|wanted| types.iter().all(|t| t.converts_to(wanted)))
        .cloned()
}

/// Unifies maps with objects, or lists with tuples: the structures become one collection first.
fn with_collections(types: &[Type], is_structure: fn(&Type) -> bool) -> Option<Type> {
    let structures: Vec<&Type> = types.iter().filter(|t| is_structure(t)).collect();
    let collection = as_collection(&structures)?;
    let replaced: Vec<Type> = types
        .iter()
        .map(|t| {
            if is_structure(t) {
                collection.clone()
            } else {
                t.clone()
            }
        })
        .collect();
    unify(&replaced).filter(|t| matches!(t, Type::Map(_) | Type::List(_)))
}

/// The map type that all objects, or the list type that all tuples are converted to.
fn as_collection(types: &[&Type]) -> Option<Type> {
    let mut members: Vec<Type> = Vec::new();
    let mut objects = false;
    for ty in types {
        match ty {
            Type::Tuple(inner) => members.extend(inner.iter().cloned()),
            Type::Object(inner) => {
                objects = true;
                members.extend(inner.values().cloned());
            }
            _ => return None,
        }
    }
    let member = Arc::new(unify(&members)?);
    let collection = if objects {
        Type::Map(member)
    } else {
        Type::List(member)
    };
    types
        .iter()
        .all(|t| t.converts_to(&collection))
        .then_some(collection)
}

fn unify_objects(types: &[&Type]) -> Option<Type> {
    let objects: Vec<&Arc<BTreeMap<Arc<str>, Type>>> = types
        .iter()
        .filter_map(|t| match t {
            Type::Object(inner) => Some(inner),
            _ => None,
        })
        .collect();
    let first = objects.first()?;
    if objects.iter().any(|o| !o.keys().eq(first.keys())) {
        return as_collection(types);
    }
    let mut result = BTreeMap::new();
    for name in first.keys() {
        let members: Vec<Type> = objects.iter().filter_map(|o| o.get(name).cloned()).collect();
        result.insert(Arc::clone(name), unify(&members)?);
    }
    Some(Type::Object(Arc::new(result)))
}

fn unify_tuples(types: &[&Type]) -> Option<Type> {
    let tuples: Vec<&Arc<[Type]>> = types
        .iter()
        .filter_map(|t| match t {
            Type::Tuple(inner) => Some(inner),
            _ => None,
        })
        .collect();
    let first = tuples.first()?;
    if tuples.iter().any(|t| t.len() != first.len()) {
        return as_collection(types);
    }
    let mut result = Vec::with_capacity(first.len());
    for index in 0..first.len() {
        let members: Vec<Type> = tuples.iter().filter_map(|t| t.get(index).cloned()).collect();
        result.push(unify(&members)?);
    }
    Some(Type::Tuple(result.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_two_kinds_never_unify() {
        let object = |members: &[(&str, Type)]| {
            let members = members.iter().map(|(name, ty)| (Arc::from(*name), ty.clone()));
            Type::Object(Arc::new(members.collect()))
        };
        let list = Type::List(Arc::new(Type::String));
        let tuple = Type::Tuple([Type::Dynamic].into());
        let mixed = object(&[("a", Type::String), ("b", list.clone()), ("c", Type::Dynamic)]);
        let plain = object(&[("a", Type::String)]);
        for (one, other, never) in [
            (&list, &mixed, true),
            (&tuple, &mixed, true),
            (&tuple, &Type::String, true),
            (&tuple, &list, false),
            (&Type::Dynamic, &list, false),
            // A common map would have texts and lists, or `c` decides.
            (&plain, &mixed, false),
            (&plain, &object(&[("a", Type::Bool), ("b", list.clone())]), true),
            (&mixed, &mixed, false),
            (&plain, &object(&[("a", list.clone())]), true),
            (&plain, &object(&[("a", Type::Dynamic)]), false),
            (
                &Type::Map(Arc::new(Type::String)),
                &object(&[("b", list.clone())]),
                true,
            ),
            (&object(&[]), &object(&[("b", list.clone())]), false),
        ] {
            assert_eq!(never_unify(&[one, other]), never, "{one:?} {other:?}");
        }
    }
}
