//! The globals that are known so far: a tree of objects that later ones extend.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8Path;

use applyorder_syntax::hcl::eval::{Data, Value};

/// The directory of the file that sets a value.
pub(super) type Origin = Arc<Utf8Path>;

/// A node of the tree.
#[derive(Debug)]
pub(super) enum Node {
    Object(BTreeMap<Arc<str>, Node>, Origin),
    /// Anything else, including an object that is not extended yet.
    Value(Value, Origin),
}

impl Node {
    pub(super) const fn origin(&self) -> &Origin {
        match self {
            Self::Object(_, origin) | Self::Value(_, origin) => origin,
        }
    }

    pub(super) const fn is_object(&self) -> bool {
        match self {
            Self::Object(..) => true,
            Self::Value(value, _) => matches!(value.data, Data::Object(_)),
        }
    }

    /// The value; as deep as labels make objects.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Object(members, _) => {
                let members = members.iter().map(|(name, node)| (name.clone(), node.value()));
                Value::object(members.collect())
            }
            Self::Value(value, _) => value.clone(),
        }
    }

    /// The members; those of a value are made into nodes.
    fn members(&mut self) -> Option<&mut BTreeMap<Arc<str>, Self>> {
        if let Self::Value(value, origin) = self
            && let Data::Object(fields) = &value.data
        {
            let of_field = |(name, value): (&Arc<str>, &Value)| {
                (name.clone(), Self::Value(value.clone(), origin.clone()))
            };
            let members = fields.values().iter().map(of_field).collect();
            *self = Self::Object(members, origin.clone());
        }
        match self {
            Self::Object(members, _) => Some(members),
            Self::Value(..) => None,
        }
    }
}

/// What is at a path.
pub(super) enum At<'o> {
    Node(&'o Node),
    /// Inside an object that is a value: whether it is one itself, and where it was set.
    Inside(bool, &'o Origin),
}

/// What is at a path.
pub(super) fn get<'o>(root: &'o Node, path: &[Arc<str>]) -> Option<At<'o>> {
    let mut at = root;
    for (depth, name) in path.iter().enumerate() {
        match at {
            Node::Object(members, _) => at = members.get(name)?,
            Node::Value(value, origin) => {
                let mut value = value;
                for name in path.get(depth..)? {
                    let Data::Object(fields) = &value.data else {
                        return None;
                    };
                    value = fields.values().get(name)?;
                }
                return Some(At::Inside(matches!(value.data, Data::Object(_)), origin));
            }
        }
    }
    Some(At::Node(at))
}

/// Sets what is at a path; missing objects on the path are created.
///
/// # Errors
/// The name on the path at which something else is.
pub(super) fn set(root: &mut Node, path: &[Arc<str>], node: Node) -> Result<(), Arc<str>> {
    let Some((last, way)) = path.split_last() else {
        return Ok(());
    };
    let origin = node.origin().clone();
    let mut at = root;
    let mut name: Arc<str> = Arc::default();
    for next in way {
        let members = at.members().ok_or(name)?;
        at = members
            .entry(next.clone())
            .or_insert_with(|| Node::Object(BTreeMap::new(), origin.clone()));
        name = next.clone();
    }
    at.members().ok_or(name)?.insert(last.clone(), node);
    Ok(())
}

/// Removes what is at a path.
pub(super) fn remove(root: &mut Node, path: &[Arc<str>]) {
    let Some((last, way)) = path.split_last() else {
        return;
    };
    let mut at = root;
    for next in way {
        let Some(next) = at.members().and_then(|members| members.get_mut(next)) else {
            return;
        };
        at = next;
    }
    if let Some(members) = at.members() {
        members.remove(last);
    }
}
