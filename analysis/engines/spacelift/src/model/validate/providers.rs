//! Which configurations of providers there are where one is named.
//!
//! Source: `validateProviderConfigs` of Terraform 1.11, and what its graph says of a configuration that is missing.

use std::rc::Rc;

use applyorder_syntax::hcl::eval;
use applyorder_syntax::hcl::{Expr, ExprKind, ObjectKey};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::module::{Decl, Module};
use super::super::world::World;
use super::walk::{Scene, Walk};
use super::{Around, Repeated};
use crate::read::PROVIDERS;

/// A configuration of a provider, as a module names it: `spacelift`, `spacelift.eu`.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Config {
    name: String,
    alias: Option<String>,
}

impl Config {
    fn of(text: &str) -> Option<Self> {
        let (name, alias) = match text.split_once('.') {
            Some((name, alias)) => (name, Some(alias.to_owned())),
            None => (text, None),
        };
        let is_name = |text: &str| !text.is_empty() && !text.contains(['.', '[', ' ']);
        (is_name(name) && alias.as_deref().is_none_or(is_name)).then(|| Self {
            name: name.to_owned(),
            alias,
        })
    }

    /// As it is written in an expression; JSON has texts.
    fn read(expr: Expr<'_>) -> Option<Self> {
        match expr.as_names() {
            Some(names) => Self::of(&names.join(".")),
            None => Self::of(expr.as_text()?),
        }
    }

    fn shown(&self) -> String {
        match &self.alias {
            Some(alias) => format!("{}.{alias}", self.name),
            None => self.name.clone(),
        }
    }
}

/// The providers of a module.
#[derive(Default)]
pub(super) struct Declared {
    /// Those that it configures itself, and whether anything is said of them.
    configured: FxHashMap<Config, bool>,
    /// Those that its caller has to pass, as they are listed.
    awaited: Vec<Config>,
    /// The aliases of either.
    aliases: FxHashSet<String>,
    awaited_aliases: FxHashSet<String>,
    /// Where the providers that it requires come from, by their names.
    sources: FxHashMap<String, String>,
    /// Something of it cannot be told: then nothing is missing.
    is_open: bool,
}

impl Declared {
    fn of(world: &World<'_>, module: &Module<'_>) -> Self {
        let mut found = Self {
            is_open: module.has_gap,
            ..Self::default()
        };
        for source in module.files.iter().filter_map(|file| world.sources.get(*file)) {
            for block in source.facts.tree.body().blocks() {
                match block.kind() {
                    "provider" => {
                        let label = block.labels().next().map(|label| label.text);
                        let alias = block
                            .body()
                            .attribute("alias")
                            .map(|alias| alias.value().as_text());
                        let (Some(name), None | Some(Some(_))) = (label, alias) else {
                            found.is_open = true;
                            continue;
                        };
                        let alias = alias.flatten().map(str::to_owned);
                        let is_filled = block.body().attributes().any(|a| a.name() != "alias")
                            || block.body().blocks().next().is_some();
                        found.aliases.extend(alias.clone());
                        let name = name.to_owned();
                        *found.configured.entry(Config { name, alias }).or_default() |= is_filled;
                    }
                    "terraform" => {
                        for inner in block.body().blocks().filter(|b| b.kind() == PROVIDERS) {
                            for attribute in inner.body().attributes() {
                                found.require(attribute.name(), attribute.value());
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        let aliases = found.awaited.iter().filter_map(|config| config.alias.clone());
        found.awaited_aliases = aliases.collect();
        found
    }

    /// An entry of `required_providers`.
    fn require(&mut self, name: &str, value: Expr<'_>) {
        if let ExprKind::Object(object) = value.kind() {
            for item in object.items() {
                match item.key.as_text() {
                    Some("source") => {
                        let source = item.value.as_text().unwrap_or_default().to_owned();
                        self.sources.insert(name.to_owned(), source);
                    }
                    Some("configuration_aliases") => {
                        let ExprKind::Tuple(entries) = item.value.kind() else {
                            self.is_open = true;
                            continue;
                        };
                        let configs: Vec<Option<Config>> = entries.iter().map(Config::read).collect();
                        self.is_open |= configs.contains(&None);
                        self.awaited.extend(configs.into_iter().flatten());
                    }
                    None => self.is_open = true,
                    _ => {}
                }
            }
        }
    }

    /// The configuration of its own that a caller would put another one in place of.
    fn fills(&self, config: &Config) -> bool {
        self.configured.get(config) == Some(&true)
    }

    /// Why a caller cannot pass a provider under this name.
    fn refuses(&self, config: &Config) -> Option<String> {
        let shown = config.shown();
        if self.fills(config) {
            return Some(format!(
                "The called module configures `{shown}` itself, and takes no other."
            ));
        }
        let alias = config.alias.as_deref()?;
        let is_known = self.awaited_aliases.contains(alias) || self.aliases.contains(alias);
        let is_refused = !is_known && !self.is_default(&config.name);
        is_refused.then(|| format!("The called module takes no provider `{shown}`."))
    }

    /// Whether a provider is one that nobody but its name says where from, or one that Terraform takes for that.
    fn is_default(&self, name: &str) -> bool {
        let source = self.sources.get(name);
        source.is_none_or(|source| !source.contains('/') || source.contains("hashicorp/"))
    }
}

impl<'a> Walk<'_, '_, 'a> {
    /// The configuration that a resource names.
    pub(super) fn configured(&mut self, scene: &Scene<'_>, decl: &Decl<'a>) {
        if let Some(attr) = decl.attr("provider") {
            self.there(scene.address, "provider", attr.expr, attr.file);
        }
    }

    /// What a call passes, and what the called module wants.
    pub(super) fn passed(&mut self, address: &str, decl: &Decl<'a>) {
        let providers = decl.attr("providers").copied();
        let object = providers.and_then(|attr| match attr.expr.kind() {
            ExprKind::Object(object) => Some((attr, object)),
            _ => None,
        });
        if providers.is_some() && object.is_none() {
            return;
        }
        let child = self.validate.called(decl).map(|(number, _)| number);
        let child = child.and_then(|number| self.declared_by(number));
        let child = child.filter(|child| !child.is_open);
        let mut passed = FxHashSet::default();
        if let Some((attr, object)) = &object {
            for item in object.items() {
                self.there(address, "providers", item.value, attr.file);
                let config = match item.key {
                    ObjectKey::Name(name, _) => Config::of(name),
                    ObjectKey::Expr(key) => Config::read(key),
                };
                let Some(config) = config else { return };
                if let Some(why) = child.as_ref().and_then(|child| child.refuses(&config)) {
                    self.refuse(address, "providers", item.value, attr.file, &why);
                }
                passed.insert(config);
            }
        }
        let Some(child) = child else { return };
        let written = providers.or_else(|| decl.attr("source").copied());
        for config in &child.awaited {
            if let Some(attr) = written
                && !passed.contains(config)
                && !child.fills(config)
            {
                let why = format!("The called module wants a provider `{}`.", config.shown());
                self.refuse(address, "providers", attr.expr, attr.file, &why);
            }
        }
        let repeats = ["count", "for_each", "depends_on"];
        let repeat = repeats.iter().find_map(|name| decl.attr(name)).copied();
        if let Some(attr) = repeat
            && child.configured.values().any(|is_filled| *is_filled)
        {
            let why = format!(
                "The called module configures providers: it may not have `{}`.",
                attr.name
            );
            self.refuse(address, attr.name, attr.expr, attr.file, &why);
        }
    }

    /// A configuration that an expression names has to be there, where it has an alias.
    fn there(&mut self, address: &str, name: &str, expr: Expr<'a>, file: usize) {
        let config = Config::read(expr);
        let Some((config, alias)) = config.and_then(|c| Some((c.shown(), c.alias?))) else {
            return;
        };
        let Some(own) = self.declared_by(self.validate.number) else {
            return;
        };
        if own.is_open || own.aliases.contains(&alias) {
            return;
        }
        if own.awaited_aliases.contains(&alias) {
            if self.validate.path.is_empty() {
                let spot = self.validate.world.spot(place(expr, file));
                let why = format!("the caller of the module passes the provider `{config}`");
                self.validate.leave_open(spot, &why);
            }
            return;
        }
        let why = format!("Unknown provider configuration `{config}`.");
        self.refuse(address, name, expr, file, &why);
    }

    /// The providers of a module by its number.
    fn declared_by(&mut self, number: usize) -> Option<Rc<Declared>> {
        if let Some(known) = self.providers.get(&number) {
            return Some(known.clone());
        }
        let module = self.validate.world.modules.get(number)?;
        let made = Rc::new(Declared::of(self.validate.world, module));
        self.providers.insert(number, made.clone());
        Some(made)
    }

    fn refuse(&mut self, address: &str, name: &str, expr: Expr<'a>, file: usize, why: &str) {
        let at = || format!("{address}.{name}");
        let around = Around::new(Repeated::No, &at);
        self.validate.reject(place(expr, file), why, &around);
    }
}

fn place(expr: Expr<'_>, file: usize) -> eval::Place {
    eval::Place {
        file: u32::try_from(file).unwrap_or(u32::MAX),
        span: expr.span(),
    }
}
