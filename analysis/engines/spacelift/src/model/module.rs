//! A module as its files together make it: overrides merged, names looked up.
//!
//! Source: spec section 3.

use std::cell::OnceCell;

use applyorder_syntax::hcl::{Block, Expr, ExprKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::known_names::KnownNames;
use super::overrides;
use super::parts::ephemeral;
pub(crate) use super::parts::{Attr, Inner, Source, Spot, written};
use crate::load::LoadedModule;
use crate::read::{BlockFacts, BlockKind, Ref};
use crate::schema::{DATA, Kind, META, META_BLOCKS, OF_DATA, schema};

/// A declaration: a block with what overrides it.
pub(crate) struct Decl<'a> {
    pub(crate) facts: &'a BlockFacts,
    pub(crate) file: usize,
    pub(crate) attrs: Vec<Attr<'a>>,
    pub(crate) blocks: Vec<Inner<'a>>,
    pub(crate) refs: Vec<(usize, &'a Ref)>,
    pub(crate) has_dynamic: bool,
    pub(crate) has_gap: bool,
    /// `source` of a call, where it is a literal text.
    pub(crate) source: Option<&'a str>,
    /// The arguments that it has where something overrides it.
    overridden: Option<Vec<&'a str>>,
}

impl<'a> Decl<'a> {
    pub(crate) fn attr(&self, name: &str) -> Option<&Attr<'a>> {
        self.attrs.iter().find(|a| a.name == name)
    }

    /// Whether something overrides it. Terraform then passes over arguments and blocks that it does not take.
    pub(crate) const fn is_overridden(&self) -> bool {
        self.overridden.is_some()
    }

    /// Whether a required argument is where Terraform looks for it: in what is overridden, too.
    pub(crate) fn has_required(&self, name: &str) -> bool {
        self.attr(name).is_some() && self.overridden.as_ref().is_none_or(|base| base.contains(&name))
    }

    pub(crate) const fn header(&self) -> Spot {
        Spot {
            file: self.file,
            at: self.facts.header,
        }
    }

    /// The block as a whole.
    pub(crate) const fn whole(&self) -> Spot {
        Spot {
            file: self.file,
            at: self.facts.whole,
        }
    }

    /// Where its name is.
    pub(crate) fn name_spot(&self) -> Spot {
        let at = self.facts.labels.last().map_or(self.facts.header, |(_, at)| *at);
        Spot { file: self.file, at }
    }

    /// Whether a variable may be null: else its default takes the place of null.
    pub(crate) fn is_nullable(&self) -> bool {
        let nullable = self.attr("nullable").map(|attr| attr.expr.kind());
        !matches!(nullable, Some(ExprKind::Bool(false)))
    }

    pub(crate) fn is_data(&self) -> bool {
        self.facts.kind == BlockKind::Data
    }

    pub(crate) fn ty(&self) -> &'a str {
        self.facts.label(0)
    }

    /// The name it is declared under.
    pub(crate) fn name(&self) -> &'a str {
        self.facts.labels.last().map_or("", |(text, _)| text)
    }

    /// What it decides; data sources decide nothing.
    pub(crate) fn decides(&self) -> Kind {
        match self.facts.kind {
            BlockKind::Resource => Kind::of(self.ty()),
            _ => Kind::Other,
        }
    }

    /// The address in its module: `spacelift_stack.a`, `data.spacelift_stack.b`.
    pub(crate) fn address(&self) -> String {
        let mut address = String::new();
        self.push_address(&mut address);
        address
    }

    /// Adds it to a text.
    pub(crate) fn push_address(&self, text: &mut String) {
        let data = if self.is_data() { "data." } else { "" };
        // With room for a key.
        text.reserve(data.len() + self.ty().len() + self.name().len() + 16);
        for part in [data, self.ty(), ".", self.name()] {
            text.push_str(part);
        }
    }
}

/// Something that cannot be declared so.
pub(crate) struct Misdeclared {
    /// What it is, as the address or the word with the name.
    pub(crate) subject: String,
    /// The word of the block: `resource`, `variable`.
    pub(crate) word: &'static str,
    pub(crate) spot: Spot,
    pub(crate) why: Misdeclaration,
}

/// What is wrong with a declaration.
pub(crate) enum Misdeclaration {
    /// It is declared already.
    Again { first: Spot },
    /// It overrides what is not there.
    NoBase,
    /// It overrides `depends_on`.
    DependsOn,
    /// Nothing of its sort can be overridden.
    NoOverride,
}

/// A directory of configuration.
#[derive(Default)]
pub(crate) struct Module<'a> {
    pub(crate) resources: Vec<Decl<'a>>,
    by_address: FxHashMap<(bool, &'a str, &'a str), usize>,
    pub(crate) variables: FxHashMap<&'a str, Decl<'a>>,
    pub(crate) outputs: Vec<Decl<'a>>,
    outputs_by_name: FxHashMap<&'a str, usize>,
    pub(crate) calls: Vec<Decl<'a>>,
    calls_by_name: FxHashMap<&'a str, usize>,
    pub(crate) locals: FxHashMap<&'a str, Attr<'a>>,
    /// What each local refers to.
    pub(crate) local_refs: Vec<(usize, &'a Ref)>,
    /// What `import` blocks refer to, with what they import to.
    pub(crate) imports: Vec<(usize, &'a BlockFacts, Expr<'a>)>,
    pub(crate) misdeclared: Vec<Misdeclared>,
    /// The types and names of its ephemeral resources.
    pub(crate) ephemeral: FxHashSet<(&'a str, &'a str)>,
    /// Whether it has actions, which later versions of Terraform have.
    pub(crate) has_actions: bool,
    /// The numbers of its sources.
    pub(crate) files: Vec<usize>,
    /// Those of them that override others.
    pub(crate) overriding: FxHashSet<usize>,
    /// Declarations may be in text that could not be read.
    pub(crate) has_gap: bool,
    known: Known<'a>,
}

/// The names of what a module declares, each list made when an unknown name is looked for in it.
#[derive(Default)]
struct Known<'a> {
    variables: OnceCell<KnownNames<'a>>,
    outputs: OnceCell<KnownNames<'a>>,
    calls: OnceCell<KnownNames<'a>>,
    locals: OnceCell<KnownNames<'a>>,
    /// By type, those of resources and those of data sources.
    resources: OnceCell<[FxHashMap<&'a str, KnownNames<'a>>; 2]>,
}

impl<'a> Module<'a> {
    /// Merges the files of a module. `files` are the numbers of its sources, in the order of reading.
    pub(crate) fn new(sources: &'a [Source], loaded: &LoadedModule, files: &[usize], is_tofu: bool) -> Self {
        let mut module = Module {
            has_gap: !loaded.unread.is_empty() || loaded.is_generated,
            files: files.to_vec(),
            ..Module::default()
        };
        for (number, is_override) in files.iter().zip(loaded.files.iter().map(|f| f.is_override)) {
            let Some(source) = sources.get(*number) else {
                continue;
            };
            if is_override {
                module.overriding.insert(*number);
                let found = overrides::misplaced(*number, source, is_tofu);
                module.misdeclared.extend(found);
            }
            module.has_gap |= source.facts.has_gap || source.facts.is_cut();
            let blocks = source.facts.blocks.iter().zip(source.facts.tree.body().blocks());
            for (facts, block) in blocks {
                module.has_actions |= block.kind() == "action";
                module.ephemeral.extend(ephemeral(block));
                if facts.kind == BlockKind::Locals {
                    module.add_locals(*number, facts, block, is_override);
                } else if block.kind() == "import" && !is_override {
                    // OpenTofu's resources wait for that only when it plans.
                    let to = block.body().attribute("to").map(|to| to.value());
                    let to = to.filter(|_| !is_tofu);
                    module.imports.extend(to.map(|to| (*number, facts, to)));
                } else if facts.labels.len() == facts.kind.labels() {
                    module.add(decl(*number, facts, block), is_override);
                } else if facts.has_gap || facts.labels.len() < facts.kind.labels() {
                    // A header that is being typed may become any name.
                    module.has_gap |= facts.kind.labels() > 0;
                }
            }
        }
        for decl in module.resources.iter_mut().filter(|decl| decl.is_overridden()) {
            decl.drop_unknown();
        }
        module.override_providers(sources);
        module
    }

    /// Notes the configurations of providers that do not override another. What is overridden may be in text
    /// that could not be read.
    fn override_providers(&mut self, sources: &[Source]) {
        if self.has_gap || self.overriding.is_empty() {
            return;
        }
        let files = self.files.iter();
        let files =
            files.filter_map(|file| Some((*file, sources.get(*file)?, self.overriding.contains(file))));
        self.misdeclared.extend(overrides::without_base(files));
    }

    fn add(&mut self, decl: Decl<'a>, is_override: bool) {
        let name = decl.name();
        let kind = decl.facts.kind;
        let (existing, word, subject) = match kind {
            BlockKind::Resource | BlockKind::Data => {
                let key = (kind == BlockKind::Data, decl.ty(), name);
                let known = self.by_address.get(&key).copied();
                (known, "resource", decl.address())
            }
            BlockKind::Module => {
                let known = self.calls_by_name.get(name).copied();
                (known, "module", format!("module.{name}"))
            }
            BlockKind::Output => {
                let known = self.outputs_by_name.get(name).copied();
                (known, "output", format!("output.{name}"))
            }
            BlockKind::Variable => {
                let known = self.variables.contains_key(name).then_some(0);
                (known, "variable", format!("var.{name}"))
            }
            _ => return,
        };
        let spot = decl.header();
        let wrong = |spot, why| Misdeclared {
            subject: subject.clone(),
            word,
            spot,
            why,
        };
        if is_override && existing.is_none() {
            self.misdeclared.push(wrong(spot, Misdeclaration::NoBase));
            return;
        }
        if is_override
            && let Some(attr) = decl.attr("depends_on")
            && !is_empty(attr)
        {
            let found = wrong(attr.name_spot(), Misdeclaration::DependsOn);
            self.misdeclared.push(found);
        } else if let (Some(at), false) = (existing, is_override) {
            let first = self.existing(kind, at, name).map(Decl::header);
            let first = first.unwrap_or(spot);
            let found = wrong(spot, Misdeclaration::Again { first });
            self.misdeclared.push(found);
            return;
        }
        if let Some(at) = existing {
            if let Some(base) = self.existing_mut(kind, at, name) {
                base.merge(decl);
            }
            return;
        }
        match kind {
            BlockKind::Resource | BlockKind::Data => {
                let key = (kind == BlockKind::Data, decl.ty(), name);
                self.by_address.insert(key, self.resources.len());
                self.resources.push(decl);
            }
            BlockKind::Module => {
                self.calls_by_name.insert(name, self.calls.len());
                self.calls.push(decl);
            }
            BlockKind::Output => {
                self.outputs_by_name.insert(name, self.outputs.len());
                self.outputs.push(decl);
            }
            _ => {
                self.variables.insert(name, decl);
            }
        }
    }

    fn existing(&self, kind: BlockKind, at: usize, name: &str) -> Option<&Decl<'a>> {
        match kind {
            BlockKind::Resource | BlockKind::Data => self.resources.get(at),
            BlockKind::Module => self.calls.get(at),
            BlockKind::Output => self.outputs.get(at),
            _ => self.variables.get(name),
        }
    }

    fn existing_mut(&mut self, kind: BlockKind, at: usize, name: &str) -> Option<&mut Decl<'a>> {
        match kind {
            BlockKind::Resource | BlockKind::Data => self.resources.get_mut(at),
            BlockKind::Module => self.calls.get_mut(at),
            BlockKind::Output => self.outputs.get_mut(at),
            _ => self.variables.get_mut(name),
        }
    }

    fn add_locals(&mut self, file: usize, facts: &'a BlockFacts, block: Block<'a>, is_override: bool) {
        self.has_gap |= facts.has_gap;
        let mut written: FxHashMap<&str, Vec<&'a Ref>> = FxHashMap::default();
        for r in &facts.refs {
            written.entry(&*r.attribute).or_default().push(r);
        }
        let (mut replaced, mut refs) = (FxHashSet::default(), Vec::new());
        for attr in attrs(file, facts, block) {
            let known = self.locals.get(attr.name).copied();
            match known {
                Some(first) if !is_override => self.misdeclared.push(Misdeclared {
                    subject: format!("local.{}", attr.name),
                    word: "local value",
                    spot: attr.name_spot(),
                    why: Misdeclaration::Again {
                        first: first.name_spot(),
                    },
                }),
                None if is_override => self.misdeclared.push(Misdeclared {
                    subject: format!("local.{}", attr.name),
                    word: "local value",
                    spot: attr.name_spot(),
                    why: Misdeclaration::NoBase,
                }),
                _ => {
                    if known.is_some() {
                        replaced.insert(attr.name);
                    }
                    self.locals.insert(attr.name, attr);
                    let own = written.remove(attr.name).unwrap_or_default();
                    refs.extend(own.into_iter().map(|r| (file, r)));
                }
            }
        }
        if !replaced.is_empty() {
            self.local_refs.retain(|(_, r)| !replaced.contains(&*r.attribute));
        }
        self.local_refs.extend(refs);
    }

    pub(crate) fn resource(&self, data: bool, ty: &str, name: &str) -> Option<usize> {
        self.by_address.get(&(data, ty, name)).copied()
    }

    pub(crate) fn call(&self, name: &str) -> Option<usize> {
        self.calls_by_name.get(name).copied()
    }

    pub(crate) fn output(&self, name: &str) -> Option<usize> {
        self.outputs_by_name.get(name).copied()
    }

    pub(crate) fn known_variables(&self) -> &KnownNames<'a> {
        let names = || self.variables.keys().copied().collect();
        self.known.variables.get_or_init(names)
    }

    pub(crate) fn known_outputs(&self) -> &KnownNames<'a> {
        let names = || self.outputs.iter().map(Decl::name).collect();
        self.known.outputs.get_or_init(names)
    }

    pub(crate) fn known_calls(&self) -> &KnownNames<'a> {
        let names = || self.calls.iter().map(Decl::name).collect();
        self.known.calls.get_or_init(names)
    }

    pub(crate) fn known_locals(&self) -> &KnownNames<'a> {
        let names = || self.locals.keys().copied().collect();
        self.known.locals.get_or_init(names)
    }

    /// The names of its resources or data sources of a type; `None` if it has none.
    pub(crate) fn known_resources(&self, is_data: bool, ty: &str) -> Option<&KnownNames<'a>> {
        let of = |is_data| {
            let mut all: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
            for decl in self.resources.iter().filter(|decl| decl.is_data() == is_data) {
                all.entry(decl.ty()).or_default().push(decl.name());
            }
            let known = |(ty, names): (_, Vec<&'a str>)| (ty, names.into_iter().collect());
            all.into_iter().map(known).collect()
        };
        let [resources, data] = self.known.resources.get_or_init(|| [false, true].map(of));
        if is_data { data.get(ty) } else { resources.get(ty) }
    }
}

impl<'a> Decl<'a> {
    /// Merges what overrides it: argument by argument, and nested blocks type by type.
    fn merge(&mut self, over: Decl<'a>) {
        if self.overridden.is_none() {
            self.overridden = Some(self.attrs.iter().map(|attr| attr.name).collect());
        }
        if over.attr("source").is_some() {
            self.source = over.source;
        }
        for attr in over.attrs {
            if attr.name == "depends_on" && is_empty(&attr) {
                continue;
            }
            self.refs.retain(|(_, r)| !r.is_of(attr.name));
            match self.attrs.iter_mut().find(|a| a.name == attr.name) {
                Some(base) => *base = attr,
                None => self.attrs.push(attr),
            }
        }
        // Of a `lifecycle` each setting is merged by itself, and conditions are only in what is overridden.
        let replaced: FxHashSet<&str> = over
            .blocks
            .iter()
            .map(|inner| inner.word)
            .filter(|word| *word != "lifecycle")
            .collect();
        // Of two that one file overrides with, only the later one is kept.
        let lifecycle = over.blocks.iter().find(|inner| inner.word == "lifecycle");
        let written = lifecycle.map(|inner| inner.header.file);
        self.blocks.retain(|inner| match inner.word {
            "lifecycle" => Some(inner.header.file) != written,
            word => !replaced.contains(word),
        });
        self.refs
            .retain(|(_, r)| r.inside.is_empty() || !replaced.contains(r.top()));
        self.blocks.extend(over.blocks);
        self.refs.extend(over.refs);
        self.has_dynamic |= over.has_dynamic;
        self.has_gap |= over.has_gap;
    }
}

impl Decl<'_> {
    /// Drops what the resource does not accept, if that is known.
    ///
    /// Source: how Terraform 1.11 merges bodies.
    fn drop_unknown(&mut self) {
        let schema = schema(self.is_data(), self.ty());
        let is_own = self.ty() == DATA && !self.is_data();
        if schema.is_none() && !is_own {
            return;
        }
        let is_known = |name: &str| {
            let of_schema =
                schema.is_some_and(|s| s.attributes.contains_key(name) || s.blocks.contains_key(name));
            META.contains(&name)
                || META_BLOCKS.contains(&name)
                || of_schema
                || is_own && OF_DATA.contains(&name)
        };
        self.attrs.retain(|attr| is_known(attr.name));
        self.blocks.retain(|inner| is_known(inner.word));
        self.refs.retain(|(_, r)| is_known(r.top()));
    }
}

/// Whether a list has no entries: Terraform does not distinguish such a `depends_on` from a missing one.
fn is_empty(attr: &Attr<'_>) -> bool {
    matches!(attr.expr.kind(), ExprKind::Tuple(entries) if entries.is_empty())
}

fn attrs<'a>(file: usize, facts: &'a BlockFacts, block: Block<'a>) -> impl Iterator<Item = Attr<'a>> {
    let both = facts.attributes.iter().zip(block.body().attributes());
    both.map(move |(known, attribute)| Attr {
        name: &known.name,
        expr: attribute.value(),
        file,
        name_at: known.name_at,
        value_at: known.value_at,
    })
}

fn decl<'a>(file: usize, facts: &'a BlockFacts, block: Block<'a>) -> Decl<'a> {
    Decl {
        attrs: attrs(file, facts, block).collect(),
        blocks: facts
            .blocks
            .iter()
            .zip(block.body().blocks())
            .map(|((word, at), block)| Inner {
                word,
                header: Spot { file, at: *at },
                block,
            })
            .collect(),
        refs: facts.refs.iter().map(|r| (file, r)).collect(),
        has_dynamic: facts.has_dynamic,
        has_gap: facts.has_gap,
        source: facts.source.as_deref(),
        overridden: None,
        facts,
        file,
    }
}
