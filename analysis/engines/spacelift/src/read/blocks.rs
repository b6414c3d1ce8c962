//! The blocks of a file, and what they refer to.

use std::sync::Arc;

use applyorder_core::memo::Mix;
use applyorder_syntax::hcl::{Block, Expr, ExprKind, Item, Tree};
use applyorder_syntax::text::Span;

use super::{At, Places};

/// The block in `terraform` that names providers and their versions.
pub(crate) const PROVIDERS: &str = "required_providers";

/// What a block at the top of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BlockKind {
    Resource,
    Data,
    Module,
    Variable,
    Output,
    Locals,
    Provider,
    Terraform,
    Other,
}

impl BlockKind {
    fn of(kind: &str) -> Self {
        match kind {
            "resource" => Self::Resource,
            "data" => Self::Data,
            "module" => Self::Module,
            "variable" => Self::Variable,
            "output" => Self::Output,
            "locals" => Self::Locals,
            "provider" => Self::Provider,
            "terraform" => Self::Terraform,
            _ => Self::Other,
        }
    }

    /// How many labels it has.
    pub(crate) const fn labels(self) -> usize {
        match self {
            Self::Resource | Self::Data => 2,
            Self::Module | Self::Variable | Self::Output | Self::Provider => 1,
            Self::Locals | Self::Terraform | Self::Other => 0,
        }
    }
}

/// The resource whose `template` is a blueprint.
pub(crate) const BLUEPRINT: &str = "spacelift_blueprint";

/// The resource whose `template` is one of stacks.
pub(crate) const TEMPLATE_VERSION: &str = "spacelift_template_version";

/// What a reference names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Target {
    Local(Arc<str>),
    Variable(Arc<str>),
    /// A call, and one of its outputs.
    Module(Arc<str>, Option<Arc<str>>),
    /// Whether it is a data source; type; name.
    Resource(bool, Arc<str>, Arc<str>),
    /// `each.value`.
    EachValue,
}

/// A reference in an expression.
#[derive(Clone, Debug)]
pub(crate) struct Ref {
    pub(crate) target: Target,
    /// The name of what is declared.
    pub(crate) name: At,
    /// The attribute of the block, or the local, that it is in.
    pub(crate) attribute: Arc<str>,
    /// The nested blocks around it, outermost first: `lifecycle.precondition`.
    pub(crate) inside: Arc<str>,
}

impl Ref {
    /// Whether it is in the value of an attribute at the top of the block.
    pub(crate) fn is_of(&self, attribute: &str) -> bool {
        self.inside.is_empty() && &*self.attribute == attribute
    }

    /// The attribute or block at the top that it is in. JSON writes blocks as attributes.
    pub(crate) fn top(&self) -> &str {
        let outermost = self.inside.split('.').next();
        outermost
            .filter(|word| !word.is_empty())
            .unwrap_or(&self.attribute)
    }
}

/// An attribute at the top of a block.
#[derive(Clone, Debug)]
pub(crate) struct AttributeFacts {
    pub(crate) name: Arc<str>,
    pub(crate) name_at: At,
    pub(crate) value_at: At,
}

/// Whether the source of a call is a directory next to the module itself.
pub(crate) fn is_local(source: &str) -> bool {
    source.starts_with("./") || source.starts_with("../") || matches!(source, "." | "..")
}

/// A block at the top of a file.
#[derive(Clone, Debug)]
pub(crate) struct BlockFacts {
    pub(crate) kind: BlockKind,
    pub(crate) labels: Vec<(Arc<str>, At)>,
    pub(crate) header: At,
    /// The block as a whole.
    pub(crate) whole: At,
    pub(crate) attributes: Vec<AttributeFacts>,
    /// The blocks directly inside, with the label of a dynamic one for its kind.
    pub(crate) blocks: Vec<(Arc<str>, At)>,
    /// Whether one of them is dynamic, so that it is unknown whether there are any.
    pub(crate) has_dynamic: bool,
    pub(crate) refs: Vec<Ref>,
    /// The resource of which its `for_each` takes the instances: whether it is a data source; type; name.
    pub(crate) chained: Option<(bool, Arc<str>, Arc<str>)>,
    /// Something in it could not be read.
    pub(crate) has_gap: bool,
    /// A `terraform` block that says where the state is: the directory is applied by itself.
    pub(crate) has_backend: bool,
    /// `source` of a call, where it is a literal text.
    pub(crate) source: Option<Arc<str>>,
}

impl BlockFacts {
    /// Whether it may hold a blueprint or a template of stacks.
    pub(crate) fn has_blueprint(&self) -> bool {
        self.kind == BlockKind::Resource && matches!(self.label(0), BLUEPRINT | TEMPLATE_VERSION)
    }

    /// Whether it is a resource or data source of Spacelift's.
    pub(crate) fn is_spacelift(&self) -> bool {
        matches!(self.kind, BlockKind::Resource | BlockKind::Data)
            && self
                .labels
                .first()
                .is_some_and(|(ty, _)| ty.starts_with("spacelift_"))
    }

    /// The directory that a call names next to the module itself.
    pub(crate) fn local_source(&self) -> Option<&Arc<str>> {
        self.source.as_ref().filter(|source| is_local(source))
    }

    pub(crate) fn label(&self, number: usize) -> &str {
        self.labels.get(number).map_or("", |(text, _)| text)
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&AttributeFacts> {
        self.attributes.iter().find(|a| &*a.name == name)
    }
}

/// Reads the blocks of a file, and mixes in all that is computed from them; into `interface` what callers of the module
/// see, into `computed` what the source of a call may be computed from.
pub(super) fn read(
    tree: &Tree,
    text: &str,
    places: &mut Places,
    mix: &mut Mix,
    interface: &mut Mix,
    computed: &mut Mix,
) -> Vec<BlockFacts> {
    let mut blocks = Vec::new();
    for item in tree.body().items() {
        match item {
            Item::Block(block) => {
                let mut own = Mix::default();
                let facts = block_facts(tree, text, block, places, &mut own);
                let signature = own.finish();
                mix.add(&signature);
                match facts.kind {
                    BlockKind::Variable | BlockKind::Provider | BlockKind::Terraform => {
                        interface.add(&signature)
                    }
                    // The value of an output is not what is validated in callers.
                    BlockKind::Output => {
                        interface.add(&(facts.label(0), facts.attributes.len()));
                        for attribute in &facts.attributes {
                            interface.add(&attribute.name);
                        }
                    }
                    BlockKind::Locals => computed.add(&signature),
                    BlockKind::Module if facts.source.is_none() => computed.add(&signature),
                    _ => {}
                }
                blocks.push(facts);
            }
            Item::Attribute(attribute) => {
                // Values of variables.
                mix.add(attribute.name());
                places.at(attribute.name_span());
                let value = attribute.value();
                mix.add(places.written_at(value.span()).slice(text));
                note(value, places);
            }
        }
    }
    blocks.shrink_to_fit();
    blocks
}

/// Notes the places of an expression. What it says is its text.
fn note(expr: Expr<'_>, places: &mut Places) {
    places.at(expr.span());
    for inner in expr.walk() {
        places.at(inner.span());
        match inner.kind() {
            ExprKind::GetAttr { name_span, .. } => {
                places.at(name_span);
            }
            ExprKind::Call(call) => {
                places.at(call.name_span());
            }
            _ => {}
        }
    }
}

fn block_facts(tree: &Tree, text: &str, block: Block<'_>, places: &mut Places, mix: &mut Mix) -> BlockFacts {
    let kind = BlockKind::of(block.kind());
    let labels: Vec<(Arc<str>, At)> = block
        .labels()
        .map(|l| (l.text.into(), places.at(l.span)))
        .collect();
    mix.add(&(
        'b',
        block.kind(),
        labels.iter().map(|(l, _)| &**l).collect::<Vec<_>>(),
    ));
    let header = places.at(block.header_span());
    let whole = places.at(block.span());
    let has_gap = tree.has_gap(block.span());
    mix.add(&(header, whole, has_gap));
    let mut facts = BlockFacts {
        kind,
        labels,
        header,
        whole,
        attributes: Vec::new(),
        blocks: Vec::new(),
        has_dynamic: false,
        refs: Vec::new(),
        chained: None,
        has_gap,
        has_backend: false,
        source: None,
    };
    // What other providers' resources take is unknown: their values are kept as they are written.
    let is_read_whole = facts.is_spacelift()
        || matches!(
            kind,
            BlockKind::Module | BlockKind::Variable | BlockKind::Output | BlockKind::Locals
        );
    let is_resource = matches!(kind, BlockKind::Resource | BlockKind::Data);
    let nowhere: Arc<str> = "".into();
    let mut open = items(block, &nowhere);
    while let Some((item, inside)) = open.pop() {
        let top = inside.is_empty();
        match item {
            Item::Block(inner) => {
                if top {
                    nested(&mut facts, inner, places);
                } else if facts.is_spacelift() {
                    places.at(inner.header_span());
                }
                mix.add(&('n', inner.kind(), inner.body().items().count()));
                mix.add(&inner.labels().map(|l| l.text).collect::<Vec<_>>());
                if kind != BlockKind::Terraform || inner.kind() == PROVIDERS {
                    let dot = if top { "" } else { "." };
                    open.extend(items(inner, &format!("{inside}{dot}{}", word(inner)).into()));
                }
            }
            Item::Attribute(attribute) => {
                let name: Arc<str> = attribute.name().into();
                let value = attribute.value();
                // Ids and fixes have it as it is written.
                mix.add(places.written_at(value.span()).slice(text));
                if top && (is_read_whole || is_resource) {
                    mix.add(&('a', &*name));
                    let name_at = places.at(attribute.name_span());
                    if is_read_whole {
                        note(value, places);
                    }
                    let value_at = places.at(value.span());
                    match &*name {
                        "source" if kind == BlockKind::Module => {
                            facts.source = value.as_text().map(Into::into);
                        }
                        "for_each" => facts.chained = chained(value),
                        _ => {}
                    }
                    facts.attributes.push(AttributeFacts {
                        name: name.clone(),
                        name_at,
                        value_at,
                    });
                } else if facts.is_spacelift() || kind == BlockKind::Terraform {
                    mix.add(&('a', &*name));
                    places.at(attribute.name_span());
                    note(value, places);
                } else {
                    // Whether Terraform can evaluate it is all that counts.
                    mix.add(&('a', &*name));
                    places.at(value.span());
                }
                let before = facts.refs.len();
                references(value, &name, &mut facts.refs, places);
                for found in facts.refs.iter_mut().skip(before) {
                    found.inside = inside.clone();
                }
            }
        }
    }
    facts.attributes.shrink_to_fit();
    facts.blocks.shrink_to_fit();
    facts.refs.shrink_to_fit();
    facts
}

fn nested(facts: &mut BlockFacts, inner: Block<'_>, places: &mut Places) {
    let is_dynamic = inner.kind() == "dynamic";
    facts.has_dynamic |= is_dynamic;
    facts.has_backend |= facts.kind == BlockKind::Terraform && matches!(inner.kind(), "backend" | "cloud");
    facts
        .blocks
        .push((word(inner).into(), places.at(inner.header_span())));
}

/// The sort of a nested block; of a dynamic one what it makes.
fn word(inner: Block<'_>) -> &str {
    match inner.kind() {
        "dynamic" => inner.labels().next().map_or("", |l| l.text),
        kind => kind,
    }
}

/// The items of a block, last first, with the nested blocks around them.
fn items<'t>(block: Block<'t>, inside: &Arc<str>) -> Vec<(Item<'t>, Arc<str>)> {
    let items = block.body().items().map(|item| (item, inside.clone()));
    let mut items: Vec<_> = items.collect();
    items.reverse();
    items
}

/// The resource that an expression is.
fn chained(expr: Expr<'_>) -> Option<(bool, Arc<str>, Arc<str>)> {
    match expr.as_names()?.as_slice() {
        ["data", ty, name] => Some((true, (*ty).into(), (*name).into())),
        [ty, name] if ty.contains('_') => Some((false, (*ty).into(), (*name).into())),
        _ => None,
    }
}

/// Notes what an expression refers to.
fn references(expr: Expr<'_>, attribute: &Arc<str>, refs: &mut Vec<Ref>, places: &mut Places) {
    let mut push = |target: Target, name: At| {
        refs.push(Ref {
            target,
            name,
            attribute: attribute.clone(),
            inside: "".into(),
        });
    };
    if &**attribute == "depends_on" {
        for entry in expr
            .entries()
            .into_iter()
            .flat_map(|e| e.iter().collect::<Vec<_>>())
        {
            if let Some(target) = entry.as_text().and_then(quoted_target) {
                push(target, places.at(entry.span()));
            }
        }
    }
    // Calls of which an output is named already.
    let mut called: Vec<Span> = Vec::new();
    for inner in expr.walk() {
        let ExprKind::GetAttr {
            source,
            name,
            name_span,
        } = inner.kind()
        else {
            continue;
        };
        match source.kind() {
            ExprKind::Variable("local") => push(Target::Local(name.into()), places.at(name_span)),
            ExprKind::Variable("var") => push(Target::Variable(name.into()), places.at(name_span)),
            ExprKind::Variable("module") if called.contains(&inner.span()) => {}
            ExprKind::Variable("module") => {
                push(Target::Module(name.into(), None), places.at(name_span));
            }
            ExprKind::Variable("each") if name == "value" => {
                push(Target::EachValue, places.at(inner.span()));
            }
            ExprKind::Variable("each" | "count" | "path" | "terraform" | "self" | "data") => {}
            ExprKind::Variable(ty) if ty.contains('_') => {
                let target = Target::Resource(false, ty.into(), name.into());
                push(target, places.at(name_span));
            }
            _ => {
                if let Some((target, call)) = longer(source, name) {
                    called.extend(call);
                    push(target, places.at(name_span));
                }
            }
        }
    }
}

/// `data.T.name`, and an output after `module.m`, indexed or not, with the place of the call. If the key is
/// computed, Terraform takes the module as a whole for what is meant.
fn longer(source: Expr<'_>, name: &str) -> Option<(Target, Option<Span>)> {
    if let ExprKind::GetAttr {
        source: root,
        name: ty,
        ..
    } = source.kind()
        && matches!(root.kind(), ExprKind::Variable("data"))
    {
        return Some((Target::Resource(true, ty.into(), name.into()), None));
    }
    let mut base = source;
    let mut is_written = true;
    loop {
        base = match base.kind() {
            ExprKind::Index { source, key } => {
                is_written &= matches!(key.kind(), ExprKind::Number(_)) || key.as_text().is_some();
                source
            }
            ExprKind::LegacyIndex { source, .. } => source,
            _ => break,
        };
    }
    let ExprKind::GetAttr {
        source: root,
        name: call,
        ..
    } = base.kind()
    else {
        return None;
    };
    matches!(root.kind(), ExprKind::Variable("module")).then(|| {
        (
            Target::Module(call.into(), is_written.then(|| name.into())),
            Some(base.span()),
        )
    })
}

/// An entry of `depends_on` in quotes, which Terraform still reads.
fn quoted_target(text: &str) -> Option<Target> {
    let names: Vec<&str> = text.split(['.', '[']).collect();
    Some(match names.as_slice() {
        ["data", ty, name, ..] => Target::Resource(true, (*ty).into(), (*name).into()),
        ["module", name, ..] => Target::Module((*name).into(), None),
        ["local", name, ..] => Target::Local((*name).into()),
        ["var", name, ..] => Target::Variable((*name).into()),
        [ty, name, ..] => Target::Resource(false, (*ty).into(), (*name).into()),
        _ => return None,
    })
}
