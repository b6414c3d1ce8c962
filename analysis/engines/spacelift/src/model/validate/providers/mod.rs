//! Which configurations of providers there are where one is named.
//!
//! Source: `validateProviderConfigs` of Terraform 1.11, and what its graph says of a configuration that is missing.

mod implied;
mod names;
mod own;
mod used;

use std::collections::BTreeSet;

use applyorder_syntax::hcl::eval;
use applyorder_syntax::hcl::{Block, Expr, ExprKind, ObjectKey};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Wrong;
use super::super::module::{Decl, Module, written};
use super::super::world::World;
use super::walk::{Scene, Walk};
use super::{Around, Repeated};
use crate::read::PROVIDERS;
use crate::schema::schema;

pub(in super::super) use implied::lacks_implied;
pub(super) use names::{not_a_name, not_a_source, not_implied};
pub(super) use used::UsedAliases;

/// A configuration of a provider, as a module names it: `spacelift`, `spacelift.eu`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(in super::super) struct Config {
    name: String,
    alias: Option<String>,
}

impl Config {
    pub(in super::super) fn of(text: &str) -> Option<Self> {
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
    pub(in super::super) fn read(expr: Expr<'_>) -> Option<Self> {
        match expr.as_names() {
            Some(names) => Self::of(&names.join(".")),
            None => Self::of(expr.as_text()?),
        }
    }

    pub(in super::super) fn shown(&self) -> String {
        match &self.alias {
            Some(alias) => format!("{}.{alias}", self.name),
            None => self.name.clone(),
        }
    }

    /// Whether it has no alias.
    pub(in super::super) const fn is_default(&self) -> bool {
        self.alias.is_none()
    }

    /// `for_each` of the block in a module that configures it, with its file.
    pub(in super::super) fn repetition<'a>(
        &self,
        world: &World<'a>,
        module: &Module<'a>,
    ) -> Option<(Expr<'a>, usize)> {
        module.files.iter().find_map(|file| {
            let source = world.sources.get(*file)?;
            let blocks = source.facts.tree.body().blocks();
            let mut own = blocks.filter(|block| {
                let alias = block.body().attribute("alias");
                block.kind() == "provider"
                    && block.labels().next().is_some_and(|label| label.text == self.name)
                    && alias.as_ref().and_then(|alias| alias.value().as_text()) == self.alias.as_deref()
            });
            let for_each = own.find_map(|block| block.body().attribute("for_each"))?;
            Some((for_each.value(), *file))
        })
    }
}

/// The providers of a module.
#[derive(Default)]
pub(in super::super) struct Declared {
    /// Whether it configures some, or calls a module that does.
    pub(in super::super) configures: bool,
    /// The names of those that it passes on and does not configure.
    pub(in super::super) passes_on: Vec<String>,
    /// Those that it configures itself, and whether anything is said of them.
    configured: FxHashMap<Config, bool>,
    /// Those of them that have `for_each`, as OpenTofu takes it.
    repeated: FxHashSet<Config>,
    /// Those that its caller has to pass, as they are listed.
    awaited: Vec<Config>,
    /// Where the providers that it requires come from, by their names here. Two names may be of one provider.
    required: FxHashMap<String, String>,
    /// The names under which callers pass it providers.
    given: BTreeSet<String>,
    /// Some part of it cannot be determined: then nothing is missing.
    is_open: bool,
}

impl Declared {
    fn of(world: &World<'_>, number: usize, module: &Module<'_>) -> Self {
        let mut found = Self {
            is_open: module.has_gap,
            ..Self::default()
        };
        for source in module.files.iter().filter_map(|file| world.sources.get(*file)) {
            for block in source.facts.tree.body().blocks() {
                match block.kind() {
                    "provider" => {
                        let is_filled = is_filled(block);
                        found.configures |= is_filled;
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
                        let name = name.to_owned();
                        let config = Config { name, alias };
                        if block.body().attribute("for_each").is_some() {
                            found.repeated.insert(config.clone());
                        }
                        *found.configured.entry(config).or_default() |= is_filled;
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
        let mut passed = passed_on(world, number, module);
        passed.retain(|config| !found.configured.contains_key(config));
        found.passes_on = passed.into_iter().map(|config| config.name).collect();
        found
    }

    /// An entry of `required_providers`.
    fn require(&mut self, name: &str, value: Expr<'_>) {
        // An entry takes the place of an overridden one as a whole.
        self.awaited.retain(|config| config.name != name);
        self.required.insert(name.to_owned(), by_default(name));
        if let ExprKind::Object(object) = value.kind() {
            for item in object.items() {
                match item.key.as_text() {
                    Some("source") => {
                        let source = item.value.as_text().unwrap_or_default();
                        self.required.insert(name.to_owned(), full(source));
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

    /// Whether it has `for_each` in one of its own.
    pub(in super::super) fn repeats(&self) -> bool {
        !self.repeated.is_empty()
    }

    /// Whether it has a configuration of its own of this name.
    pub(in super::super) fn configures_as(&self, config: &Config) -> bool {
        self.configured.contains_key(config)
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
        config.alias.as_ref()?;
        let is_known = self.awaited.contains(config) || self.configured.contains_key(config);
        let is_refused = !is_known && !self.source(&config.name).starts_with(DEFAULT);
        is_refused.then(|| format!("The called module takes no provider `{shown}`."))
    }

    /// The names under which callers pass it providers.
    pub(super) const fn names_given(&self) -> &BTreeSet<String> {
        &self.given
    }

    /// Where the provider of a name comes from.
    fn source(&self, name: &str) -> String {
        self.required
            .get(name)
            .cloned()
            .unwrap_or_else(|| by_default(name))
    }

    /// Whether it says anything of a name.
    fn knows(&self, name: &str) -> bool {
        self.required.contains_key(name) || self.configured.keys().any(|config| config.name == name)
    }

    /// Whether a configuration is among some, under any name of the same provider.
    fn is_among<'c>(&self, config: &Config, mut all: impl Iterator<Item = &'c Config>) -> bool {
        let source = self.source(&config.name);
        all.any(|other| other.alias == config.alias && self.source(&other.name) == source)
    }
}

/// Where Spacelift's provider comes from.
const OWN: &str = "spacelift-io/spacelift";

/// What precedes the name of a provider without a source.
const DEFAULT: &str = "hashicorp/";

fn by_default(name: &str) -> String {
    match name {
        "terraform" => "terraform.io/builtin/terraform".to_owned(),
        name => format!("{DEFAULT}{}", name.to_lowercase()),
    }
}

/// A source with what may be left out of it: the namespace. The host that may be left out is.
fn full(source: &str) -> String {
    let source = source.to_lowercase();
    let source = source.strip_prefix("registry.terraform.io/").unwrap_or(&source);
    match source.contains('/') {
        true => source.to_owned(),
        false => format!("{DEFAULT}{source}"),
    }
}

impl<'a> Walk<'_, '_, 'a> {
    /// The configuration that a resource names.
    pub(super) fn configured(&mut self, scene: &Scene<'_>, decl: &Decl<'a>) {
        self.implied(scene, decl);
        let Some(attr) = decl.attr("provider").copied() else {
            return;
        };
        self.there(scene.address, "provider", attr.expr, attr.file);
        if self.validate.world.is_tofu() {
            self.keyed(scene.address, "provider", attr.expr, attr.file);
        }
        let Some(config) = Config::read(attr.expr) else {
            // OpenTofu accepts a key after the alias.
            if !self.validate.world.is_tofu() && !matches!(attr.expr.kind(), ExprKind::Broken) {
                let why = "This takes the name of a provider, and an alias behind a dot.";
                self.refuse(scene.address, "provider", attr.expr, attr.file, why);
            }
            return;
        };
        if let Some(why) = not_a_name(&config.name) {
            let place = (self.place)(attr.value());
            let wrong = Wrong::Name(why.to_owned());
            return self.tell(scene.address, &config.name, place, wrong, None);
        }
        let own = self.validate.world.providers_of(self.validate.number);
        let is_ours = own.is_some_and(|own| !own.is_open && own.source(&config.name) == OWN);
        let is_known = schema(decl.is_data(), decl.ty()).is_some() || decl.ty().starts_with("spacelift_");
        if is_ours && !is_known && self.validate.world.knows_provider() {
            let place = (self.place)(decl.header());
            self.tell(scene.address, decl.ty(), place, Wrong::UnknownType, None);
        }
    }

    /// A configuration with `for_each` is named with a key, and no other is.
    ///
    /// Source: OpenTofu 1.10.
    pub(super) fn keyed(&mut self, address: &str, name: &str, expr: Expr<'a>, file: usize) {
        let (named, has_key) = match before_key(expr) {
            Some(source) => (source, true),
            None => (expr, false),
        };
        let own = self.validate.world.providers_of(self.validate.number);
        let (Some(own), Some(config)) = (own.filter(|own| !own.is_open), Config::read(named)) else {
            return;
        };
        let is_configured = own.configured.contains_key(&config);
        let shown = config.shown();
        let why = match (has_key, own.repeated.contains(&config)) {
            (true, false) if is_configured => {
                format!("The provider configuration `{shown}` has no `for_each`, so no key may follow it.")
            }
            (true, false) => {
                format!("The module has no provider configuration `{shown}`, so no key may follow it.")
            }
            (false, true) => {
                format!("The provider configuration `{shown}` has `for_each`, so a key has to follow it.")
            }
            _ => return,
        };
        self.refuse(address, name, expr, file, &why);
    }

    /// What a call passes, and what the called module requires.
    pub(super) fn passed(&mut self, address: &str, decl: &Decl<'a>) {
        let providers = decl.attr("providers").copied();
        let object = providers.and_then(|attr| match attr.expr.kind() {
            ExprKind::Object(object) => Some((attr, object)),
            _ => None,
        });
        if providers.is_some() && object.is_none() {
            return;
        }
        let called = self.validate.called(decl);
        let called = called.and_then(|(number, _)| self.validate.world.providers_of(number));
        let child = called.filter(|child| !child.is_open);
        let mut passed = FxHashSet::default();
        if let Some((attr, object)) = &object {
            for item in object.items() {
                self.there(address, "providers", item.value, attr.file);
                let config = match item.key {
                    ObjectKey::Name(name, _) => Config::of(name),
                    ObjectKey::Expr(key) => Config::read(key),
                };
                let Some(config) = config else { return };
                if let Some(why) = child.and_then(|child| child.refuses(&config)) {
                    self.refuse(address, "providers", item.value, attr.file, &why);
                } else if let Some(child) = child {
                    self.fits(address, (&config, child), item.value, attr.file);
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
        for name in &child.passes_on {
            let source = child.source(name);
            let is_it = |config: &Config| config.alias.is_none() && child.source(&config.name) == source;
            if let Some(attr) = written
                && !passed.iter().any(is_it)
            {
                let why = format!("The called module passes the provider `{name}` on, and is passed none.");
                if self.validate.world.is_tofu() {
                    // How OpenTofu resolves it is not known.
                    self.validate.leave_open(attr.value(), &why);
                } else {
                    self.refuse(address, "providers", attr.expr, attr.file, &why);
                }
            }
        }
        let repeats = ["count", "for_each", "depends_on"];
        let repeat = repeats.iter().find_map(|name| decl.attr(name)).copied();
        if let Some(attr) = repeat
            && child.configures
        {
            let why = format!(
                "The called module, or one that it calls, configures providers: it may not have `{}`.",
                attr.name
            );
            self.refuse(address, attr.name, attr.expr, attr.file, &why);
        }
    }

    /// What is passed has to come from where the called module says.
    fn fits(&mut self, address: &str, (config, child): (&Config, &Declared), expr: Expr<'a>, file: usize) {
        let Some(own) = self.validate.world.providers_of(self.validate.number) else {
            return;
        };
        let Some(given) = Config::read(expr).filter(|_| !own.is_open) else {
            return;
        };
        let wanted = child.source(&config.name);
        // Terraform looks for the name that the called module has among those of the caller too.
        let named = own.required.get(&config.name).filter(|_| config.alias.is_none());
        let source = named.cloned().unwrap_or_else(|| own.source(&given.name));
        if wanted == source {
            return;
        }
        if !child.knows(&config.name) {
            // Of such a name it takes what another called module says.
            let why = format!("where the provider `{}` comes from is not known", config.shown());
            let spot = self.validate.world.spot(place(expr, file));
            let own = self.validate.own();
            let calls = own.map_or(0, |own| own.calls.len());
            if calls > 1 {
                return self.validate.leave_open(spot, &why);
            }
        }
        let why = format!(
            "`{}` comes from `{source}`, and `{}` of the called module from `{wanted}`.",
            given.shown(),
            config.shown()
        );
        self.refuse(address, "providers", expr, file, &why);
    }

    /// A configuration that an expression names has to be there, where it has an alias.
    pub(super) fn there(&mut self, address: &str, name: &str, expr: Expr<'a>, file: usize) {
        let Some(config) = Config::read(expr).filter(|config| config.alias.is_some()) else {
            return;
        };
        let Some(own) = self.validate.world.providers_of(self.validate.number) else {
            return;
        };
        if own.is_open || own.is_among(&config, own.configured.keys()) {
            return;
        }
        let shown = config.shown();
        if own.is_among(&config, own.awaited.iter()) {
            if self.validate.path.is_empty() {
                let spot = self.validate.world.spot(place(expr, file));
                let why = format!("the caller of the module passes the provider `{shown}`");
                self.validate.leave_open(spot, &why);
            }
            return;
        }
        let why = format!("Unknown provider configuration `{shown}`.");
        self.refuse(address, name, expr, file, &why);
    }

    /// The providers of a module by its number.
    fn refuse(&mut self, address: &str, name: &str, expr: Expr<'a>, file: usize, why: &str) {
        let at = || format!("{address}.{name}");
        let around = Around::new(Repeated::No, &at);
        self.validate.reject(place(expr, file), why, &around);
    }
}

/// The providers of each module.
pub(in super::super) fn declared(world: &World<'_>) -> Vec<Declared> {
    let modules = world.modules.iter().enumerate();
    let mut all: Vec<Declared> = modules
        .map(|(n, module)| Declared::of(world, n, module))
        .collect();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    let mut given = Vec::new();
    for (number, module) in world.modules.iter().enumerate() {
        for call in &module.calls {
            let Some(called) = world.called_module(number, call) else {
                continue;
            };
            if let Some(callers) = callers.get_mut(called) {
                callers.push(number);
            }
            given.push((called, passed_as(call)));
        }
    }
    for (called, names) in given {
        if let Some(module) = all.get_mut(called) {
            module.given.extend(names);
        }
    }
    let configuring = all.iter().enumerate().filter(|(_, module)| module.configures);
    let mut open: Vec<usize> = configuring.map(|(number, _)| number).collect();
    while let Some(number) = open.pop() {
        for caller in callers.get(number).into_iter().flatten() {
            if let Some(module) = all.get_mut(*caller).filter(|module| !module.configures) {
                module.configures = true;
                open.push(*caller);
            }
        }
    }
    all
}

/// The names under which a call passes providers.
fn passed_as(call: &Decl<'_>) -> Vec<String> {
    let Some(ExprKind::Object(object)) = call.attr("providers").map(|attr| attr.expr.kind()) else {
        return Vec::new();
    };
    let keys = object.items().filter_map(|item| match item.key {
        ObjectKey::Name(name, _) => Config::of(name),
        ObjectKey::Expr(key) => Config::read(key),
    });
    keys.map(|config| config.name).collect()
}

/// The configurations without an alias that a module passes on to others.
fn passed_on(world: &World<'_>, number: usize, module: &Module<'_>) -> Vec<Config> {
    let mut found = Vec::new();
    for call in &module.calls {
        let Some(ExprKind::Object(object)) = call.attr("providers").map(|attr| attr.expr.kind()) else {
            continue;
        };
        if world.called_module(number, call).is_some() {
            let given = object.items().filter_map(|item| Config::read(item.value));
            found.extend(given.filter(|config| config.alias.is_none()));
        }
    }
    found.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    found.dedup();
    found
}

/// What precedes a key.
pub(super) fn before_key(expr: Expr<'_>) -> Option<Expr<'_>> {
    match expr.kind() {
        ExprKind::Index { source, .. } => Some(source),
        _ => None,
    }
}

/// Whether a configuration of a provider says anything of it.
fn is_filled(block: Block<'_>) -> bool {
    let body = block.body();
    body.attributes().any(|a| a.name() != "alias") || body.blocks().next().is_some()
}

fn place(expr: Expr<'_>, file: usize) -> eval::Place {
    written(expr.span(), file)
}
