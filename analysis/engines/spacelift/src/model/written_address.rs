//! Addresses as `moved`, `removed` and `import` have them.
//!
//! Source: Terraform 1.11; OpenTofu 1.10, `parseResourceInstanceUnderModule`.

use std::fmt;

use applyorder_syntax::hcl::{Expr, ExprKind};

use super::key::Key;

/// What an address names.
pub(in crate::model) struct Address<'t> {
    /// The calls that lead to it, with the key of each.
    pub(in crate::model) calls: Vec<(&'t str, Key)>,
    /// What is in them; nothing where a call is meant.
    pub(in crate::model) resource: Option<Resource<'t>>,
}

pub(in crate::model) struct Resource<'t> {
    /// `data` and the like; nothing for what Terraform manages.
    pub(in crate::model) sort: Option<&'t str>,
    pub(in crate::model) ty: &'t str,
    pub(in crate::model) name: &'t str,
    /// Nothing where it is computed.
    pub(in crate::model) key: Option<Key>,
}

impl fmt::Display for Address<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, key) in &self.calls {
            write!(f, "module.{name}{key}.")?;
        }
        let Some(own) = &self.resource else { return Ok(()) };
        if let Some(sort) = own.sort {
            write!(f, "{sort}.")?;
        }
        write!(f, "{}.{}", own.ty, own.name)?;
        own.key.iter().try_for_each(|key| write!(f, "{key}"))
    }
}

/// Which keys an address may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Keys {
    None,
    Constant,
    /// Computed ones are left out.
    Any,
}

/// Words that are not types of resources in Terraform.
const RESERVED: &[&str] = &[
    "count",
    "each",
    "local",
    "module",
    "path",
    "self",
    "terraform",
    "var",
    "template",
    "lazy",
    "arg",
];

enum Step<'t> {
    Name(&'t str),
    /// Nothing of a computed one.
    Key(Option<Key>),
}

/// What is wrong with a key of another type.
pub(in crate::model) const NO_KEY: &str = "a key is a whole number or a text";

/// Reads an address; the error is the end of a sentence.
pub(in crate::model) fn read(expr: Expr<'_>, keys: Keys, is_tofu: bool) -> Result<Address<'_>, &'static str> {
    read_with(expr, (keys, is_tofu), &mut |_| None)
}

/// The same, with the values of computed keys.
pub(in crate::model) fn read_with<'t>(
    expr: Expr<'t>,
    (keys, is_tofu): (Keys, bool),
    computed: &mut dyn FnMut(Expr<'t>) -> Option<Key>,
) -> Result<Address<'t>, &'static str> {
    let steps = steps(expr, keys, computed)?;
    let mut rest = steps.as_slice();
    let mut calls = Vec::new();
    while let [Step::Name("module"), behind @ ..] = rest {
        let [Step::Name(name), behind @ ..] = behind else {
            return Err("`module` needs the name of a call behind it");
        };
        rest = behind;
        let mut key = Key::None;
        if let [Step::Key(own), behind @ ..] = rest {
            key = own.clone().unwrap_or(Key::None);
            rest = behind;
        }
        calls.push((*name, key));
    }
    if rest.is_empty() {
        return Ok(Address {
            calls,
            resource: None,
        });
    }
    let resource = Some(resource(rest, keys, is_tofu)?);
    Ok(Address { calls, resource })
}

fn resource<'t>(steps: &[Step<'t>], keys: Keys, is_tofu: bool) -> Result<Resource<'t>, &'static str> {
    let mut rest = steps;
    let mut sort = None;
    if let [Step::Name(word), behind @ ..] = rest {
        match *word {
            "data" => (sort, rest) = (Some(*word), behind),
            // OpenTofu reads all other words as types, and where no key is allowed, Terraform does too.
            _ if is_tofu || keys == Keys::None => {}
            "ephemeral" => (sort, rest) = (Some(*word), behind),
            "resource" => rest = behind,
            word if RESERVED.contains(&word) => {
                return Err("this word is not a type of resources");
            }
            _ => {}
        }
    }
    let [Step::Name(ty), Step::Name(name), behind @ ..] = rest else {
        return Err("the type of a resource and its name are required");
    };
    let key = match behind {
        [] => Some(Key::None),
        [Step::Key(key)] if keys != Keys::None => key.clone(),
        _ if keys == Keys::None => return Err("a resource is required, without keys"),
        _ => return Err("behind a resource only a key may stand"),
    };
    Ok(Resource { sort, ty, name, key })
}

fn steps<'t>(
    expr: Expr<'t>,
    keys: Keys,
    computed: &mut dyn FnMut(Expr<'t>) -> Option<Key>,
) -> Result<Vec<Step<'t>>, &'static str> {
    let mut found = Vec::new();
    let mut at = expr;
    loop {
        at = match at.kind() {
            ExprKind::Variable(name) => {
                found.push(Step::Name(name));
                break;
            }
            ExprKind::GetAttr { source, name, .. } => {
                found.push(Step::Name(name));
                source
            }
            ExprKind::LegacyIndex { source, number } => {
                found.push(Step::Key(number.parse().ok().map(Key::Int)));
                source
            }
            ExprKind::Index { source, key } => {
                let constant = match key.kind() {
                    ExprKind::Number(text) => match text.parse() {
                        Ok(number) => Some(Key::Int(number)),
                        Err(_) => return Err(NO_KEY),
                    },
                    ExprKind::Bool(_) | ExprKind::Null => return Err(NO_KEY),
                    _ => key.as_text().map(|text| Key::Str(text.into())),
                };
                if constant.is_none() && keys != Keys::Any {
                    return Err("only a name with constant keys is allowed here");
                }
                found.push(Step::Key(constant.or_else(|| computed(key))));
                source
            }
            _ => return Err("only a name with constant keys is allowed here"),
        };
        if keys == Keys::None && matches!(found.last(), Some(Step::Key(_))) {
            return Err("only a name without keys is allowed here");
        }
    }
    found.reverse();
    Ok(found)
}

/// The first name of an expression that is one name with attributes and with keys that are accepted.
pub(in crate::model) fn first_name<'t>(
    expr: Expr<'t>,
    accepts: impl Fn(Expr<'t>) -> bool,
) -> Option<&'t str> {
    let mut at = expr;
    loop {
        at = match at.kind() {
            ExprKind::Variable(name) => return Some(name),
            ExprKind::GetAttr { source, .. } | ExprKind::LegacyIndex { source, .. } => source,
            ExprKind::Index { source, key } if accepts(key) => source,
            _ => return None,
        };
    }
}
