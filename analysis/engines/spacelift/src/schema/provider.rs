//! What resources and data sources of the provider take and give, as the table next to this file lists it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use applyorder_syntax::hcl::eval::{Type, Value};

use crate::types::from_json;

/// Facts of the provider's own schema, of [`VERSION`].
const TABLE: &str = include_str!("provider.txt");

/// The version of the provider that the table is of.
pub(crate) const VERSION: &str = "1.53.5";

/// What a block takes and gives.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) attributes: BTreeMap<&'static str, Attribute>,
    pub(crate) blocks: BTreeMap<&'static str, Nested>,
}

/// An attribute.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) ty: Type,
    pub(crate) need: Need,
    /// An empty text is rejected.
    pub(crate) is_never_empty: bool,
    /// Terraform never shows it.
    pub(crate) is_sensitive: bool,
    /// The value that the provider plans if none is set.
    pub(crate) default: Option<Value>,
    /// A resource that exists may keep its value, whatever is set.
    pub(crate) is_kept: bool,
    pub(crate) limits: Limits,
}

/// A block in a block.
#[derive(Debug)]
pub(crate) struct Nested {
    /// How many there may be.
    pub(crate) most: usize,
    pub(crate) block: Block,
    pub(crate) limits: Limits,
}

/// What else has to be given together with something.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    /// None of these.
    pub(crate) conflicts: Vec<&'static str>,
    /// Exactly one of these.
    pub(crate) one_of: Vec<&'static str>,
    /// One of these or several.
    pub(crate) any_of: Vec<&'static str>,
    /// All of these.
    pub(crate) with: Vec<&'static str>,
}

impl Limits {
    /// Whether it is empty.
    pub(crate) const fn is_none(&self) -> bool {
        self.conflicts.is_empty() && self.one_of.is_empty() && self.any_of.is_empty() && self.with.is_empty()
    }
}

/// Who gives an attribute its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    Optional,
    /// The provider alone.
    Computed,
    /// The provider, unless the configuration does.
    Either,
}

/// The part of the table for one type, read on first use.
struct Section {
    text: &'static str,
    block: OnceLock<Block>,
}

static SECTIONS: LazyLock<BTreeMap<&'static str, Section>> = LazyLock::new(|| {
    let mut found = BTreeMap::new();
    let mut rest = TABLE;
    while !rest.is_empty() {
        let (header, body) = rest.split_once('\n').unwrap_or((rest, ""));
        let end = body
            .match_indices('\n')
            .map(|(at, _)| at + 1)
            .find(|at| !body.get(*at..).is_some_and(|next| next.starts_with(' ')));
        let end = if body.starts_with(' ') {
            end.unwrap_or(body.len())
        } else {
            0
        };
        let (text, next) = body.split_at(end);
        if !header.starts_with('#') {
            let block = OnceLock::new();
            found.insert(header, Section { text, block });
        }
        rest = next;
    }
    found
});

/// What a resource or data source takes and gives; nothing for a type that the table does not have.
pub(crate) fn schema(is_data: bool, ty: &str) -> Option<&'static Block> {
    let word = if is_data { "data" } else { "resource" };
    let section = SECTIONS.get(format!("{word} {ty}").as_str())?;
    Some(section.block.get_or_init(|| read(section.text)))
}

/// The types of resources, or of data sources.
pub(crate) fn types(is_data: bool) -> impl Iterator<Item = &'static str> {
    let word = if is_data { "data " } else { "resource " };
    SECTIONS.keys().filter_map(move |name| name.strip_prefix(word))
}

/// Reads the lines of one type.
fn read(text: &'static str) -> Block {
    // The block at each depth, the innermost last, with the name and the rest that make it a part of the one around it.
    let mut open: Vec<(&'static str, Nested)> = vec![("", nested(&[]))];
    for line in text.lines() {
        let words: Vec<&'static str> = line.split_whitespace().collect();
        let depth = (line.len() - line.trim_start().len()) / 2;
        close(&mut open, depth);
        match words.as_slice() {
            [name, "block", rest @ ..] => open.push((*name, nested(rest))),
            [name, ty, need, rest @ ..] => {
                let attribute = Attribute {
                    ty: of_type(ty),
                    need: match *need {
                        "required" => Need::Required,
                        "computed" => Need::Computed,
                        "either" => Need::Either,
                        _ => Need::Optional,
                    },
                    is_never_empty: rest.contains(&"nonempty"),
                    is_sensitive: rest.contains(&"sensitive"),
                    default: rest.iter().find_map(|word| default(word)),
                    is_kept: rest.contains(&"kept"),
                    limits: limits(rest),
                };
                if let Some((_, around)) = open.last_mut() {
                    around.block.attributes.insert(*name, attribute);
                }
            }
            _ => {}
        }
    }
    close(&mut open, 1);
    open.pop().map(|(_, top)| top.block).unwrap_or_default()
}

/// Puts the blocks that end before a line of a depth into those around them.
fn close(open: &mut Vec<(&'static str, Nested)>, depth: usize) {
    while open.len() > depth.max(1) {
        let done = open.pop();
        if let (Some((name, done)), Some((_, around))) = (done, open.last_mut()) {
            around.block.blocks.insert(name, done);
        }
    }
}

fn nested(words: &[&'static str]) -> Nested {
    let most = words.first().and_then(|word| word.parse().ok());
    Nested {
        most: most.unwrap_or(usize::MAX),
        block: Block::default(),
        limits: limits(words),
    }
}

fn default(word: &str) -> Option<Value> {
    let json = serde_json::from_str(word.strip_prefix("default=")?).ok()?;
    Some(from_json(&json))
}

fn limits(words: &[&'static str]) -> Limits {
    let list = |start: &str| {
        let found = words.iter().find_map(|word| word.strip_prefix(start));
        found.map_or_else(Vec::new, |names| names.split(',').collect())
    };
    Limits {
        conflicts: list("conflicts="),
        one_of: list("one-of="),
        any_of: list("any-of="),
        with: list("with="),
    }
}

fn of_type(text: &str) -> Type {
    let inner = |start: &str| text.strip_prefix(start).and_then(|t| t.strip_suffix(')'));
    if let Some(inner) = inner("list(") {
        return Type::List(Arc::new(plain(inner)));
    }
    if let Some(inner) = inner("set(") {
        return Type::Set(Arc::new(plain(inner)));
    }
    if let Some(inner) = inner("map(") {
        return Type::Map(Arc::new(plain(inner)));
    }
    plain(text)
}

fn plain(text: &str) -> Type {
    match text {
        "string" => Type::String,
        "bool" => Type::Bool,
        "number" => Type::Number,
        _ => Type::Dynamic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let mut attributes = 0;
        let mut blocks = 0;
        for name in SECTIONS.keys() {
            let (word, ty) = name.split_once(' ').unwrap();
            let mut open = vec![schema(word == "data", ty).unwrap()];
            while let Some(block) = open.pop() {
                attributes += block.attributes.len();
                blocks += block.blocks.len();
                for nested in block.blocks.values() {
                    assert!(nested.most >= 1);
                    open.push(&nested.block);
                }
                let limits = block.attributes.values().map(|a| &a.limits);
                for limits in limits.chain(block.blocks.values().map(|b| &b.limits)) {
                    let all = [&limits.conflicts, &limits.one_of, &limits.any_of, &limits.with];
                    for name in all.into_iter().flatten() {
                        let is_known = block.attributes.contains_key(name) || block.blocks.contains_key(name);
                        assert!(is_known, "{name}");
                    }
                }
            }
        }
        let lines = TABLE.lines().filter(|l| l.starts_with(' ')).count();
        assert_eq!(attributes + blocks, lines);
        let headers = TABLE.lines().filter(|l| !l.starts_with([' ', '#'])).count();
        assert_eq!(SECTIONS.len(), headers);
        assert!(TABLE.starts_with(&format!("# spacelift-io/spacelift {VERSION} ")));
    }

    #[test]
    fn a_line_says_type_need_and_limits() {
        let stack = schema(false, "spacelift_stack").unwrap();
        let name = &stack.attributes["name"];
        assert_eq!((&name.ty, name.need), (&Type::String, Need::Required));
        assert!(name.is_never_empty);
        assert_eq!(stack.attributes["labels"].ty, Type::Set(Arc::new(Type::String)));
        assert_eq!(stack.attributes["slug"].need, Need::Either);
        let ansible = &stack.blocks["ansible"];
        assert_eq!(ansible.most, 1);
        assert!(ansible.limits.conflicts.contains(&"pulumi"));
        assert_eq!(ansible.block.attributes["playbook"].need, Need::Required);
        assert!(stack.attributes["import_state"].is_sensitive && !name.is_sensitive);
        assert!(stack.blocks["opentofu"].block.blocks.contains_key("logging"));
        let variable = schema(false, "spacelift_environment_variable").unwrap();
        assert_eq!(variable.attributes["context_id"].limits.one_of.len(), 3);
        assert!(schema(false, "spacelift_current_stack").is_none());
        assert!(schema(true, "spacelift_current_stack").is_some());
    }
}
