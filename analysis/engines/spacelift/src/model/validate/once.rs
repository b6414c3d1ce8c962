//! Blocks other than declarations, and what has to be constant in them.
//!
//! Source: Terraform 1.11.

use applyorder_core::diagnostic::Place;
use applyorder_syntax::go::constraint::{Constraints, Version};
use applyorder_syntax::hcl::eval;
use applyorder_syntax::hcl::{Attribute, Block, Expr, ExprKind, ObjectKey, is_identifier};
use rustc_hash::FxHashSet;

use super::super::Wrong;
use super::super::module::{Decl, Spot};
use super::super::written_address::{self, Keys};
use super::bodies::Open;
use super::imports::import_keys;
use super::providers::{before_key, not_a_name, not_a_source};
use super::provisioners::is_at_destruction;
use super::references::named;
use super::walk::{Scene, Walk, scene};
use super::{Repeated, repetition, secrets};
use crate::read::PROVIDERS;

/// The versions that are followed.
const TERRAFORM: &str = "1.11";
const OPENTOFU: &str = "1.10";

/// More than either has had.
const MOST_PATCHES: u32 = 32;

/// What the `terraform` blocks of a module have.
#[derive(Default)]
struct Settings {
    /// Of the file: whether it overrides others, and whether its `required_version` counts.
    is_override: bool,
    decides_version: bool,
    has_backend: bool,
    has_cloud: bool,
    has_providers: bool,
    has_encryption: bool,
}

impl Settings {
    /// Goes on to a file. One that overrides others replaces what they say of the state.
    fn enter(&mut self, is_override: bool, decides_version: bool) {
        self.is_override = is_override;
        self.decides_version = decides_version;
        if is_override {
            (self.has_backend, self.has_cloud) = (false, false);
        }
    }

    /// Notes a block that defines where the state is; whether there is already one that it conflicts with.
    fn has_state_already(&mut self, word: &str) -> bool {
        let (own, other) = match word {
            "cloud" => (&mut self.has_cloud, self.has_backend),
            _ => (&mut self.has_backend, self.has_cloud),
        };
        std::mem::replace(own, true) || other && !self.is_override
    }
}

/// Whether a list of constraints on versions names a prerelease.
fn names_prerelease(constraints: &str) -> bool {
    constraints.split(',').any(|one| {
        let version = one.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let version = version.split('+').next().unwrap_or_default();
        let version = version.strip_prefix('v').unwrap_or(version);
        version.contains(|c: char| c == '-' || c.is_ascii_alphabetic())
    })
}

/// Why a text is not a list of constraints on versions.
fn not_constraints(text: &str) -> Option<&'static str> {
    let is_list = text.split(',').all(|one| !one.trim().is_empty()) && Constraints::parse(text).is_ok();
    (!is_list).then_some("it is not a constraint on versions")
}

impl<'a> Walk<'_, '_, 'a> {
    /// Whether a file overrides others.
    pub(super) fn overrides(&self, file: usize) -> bool {
        let own = self.validate.own();
        own.is_some_and(|own| own.overriding.contains(&file))
    }

    /// Whether a file says which versions read it.
    fn says_version(&self, file: usize) -> bool {
        let source = self.validate.world.sources.get(file);
        let blocks = source.into_iter().flat_map(|s| s.facts.tree.body().blocks());
        let mut blocks = blocks.filter(|block| block.kind() == "terraform");
        blocks.any(|block| block.body().attribute("required_version").is_some())
    }

    /// What may be in a module once.
    pub(super) fn once(&mut self, files: &[usize]) {
        let mut seen: FxHashSet<(&'a str, String)> = FxHashSet::default();
        let mut settings = Settings::default();
        let has_version = |file: &&usize| self.overrides(**file) && self.says_version(**file);
        let version = files.iter().rfind(has_version).copied();
        for file in files {
            let Some(source) = self.validate.world.sources.get(*file) else {
                continue;
            };
            settings.enter(self.overrides(*file), version.is_none_or(|last| last == *file));
            for (known, block) in source.facts.blocks.iter().zip(source.facts.tree.body().blocks()) {
                if known.has_gap {
                    continue;
                }
                let header = (self.place)(Spot {
                    file: *file,
                    at: known.header,
                });
                let attribute = |name: &str| block.body().attribute(name).map(|a| a.value());
                let name = match block.kind() {
                    "terraform" => {
                        self.terraform(block, *file, &mut settings);
                        continue;
                    }
                    "check" => {
                        self.looked_up(block, *file, &mut seen);
                        known.label(0).to_owned()
                    }
                    "provider" => {
                        if let Some(why) = not_a_name(known.label(0)) {
                            let wrong = Wrong::Name(why.to_owned());
                            self.tell("a file", known.label(0), header, wrong, None);
                        }
                        self.reserved(block, *file);
                        self.of_provider(known.label(0), block, *file);
                        let version = attribute("version");
                        let why = version.and_then(|expr| match expr.as_text() {
                            Some(text) => not_constraints(text),
                            None if named(expr, 0).is_empty() => None,
                            None => Some("nothing may be referred to here"),
                        });
                        if let (Some(version), Some(why)) = (version, why) {
                            self.say_of("provider", "version", version, *file, why);
                        }
                        let alias = match attribute("alias") {
                            None => {
                                self.repeated(block, *file);
                                String::new()
                            }
                            Some(alias) => match self.alias(alias) {
                                Ok(alias) => {
                                    self.instances(
                                        &format!("provider.{}.{alias}", known.label(0)),
                                        block,
                                        *file,
                                    );
                                    alias
                                }
                                Err(why) => {
                                    self.say_of("provider", "alias", alias, *file, &why);
                                    continue;
                                }
                            },
                        };
                        format!("{}.{alias}", known.label(0))
                    }
                    "moved" => {
                        self.moved(block, *file, header);
                        continue;
                    }
                    "removed" => {
                        self.removed(block, *file);
                        continue;
                    }
                    "import" => {
                        self.import(block, *file, header);
                        let is_tofu = self.validate.world.is_tofu();
                        let keys = match is_tofu {
                            true => Keys::Constant,
                            false => import_keys(block, false),
                        };
                        let to = attribute("to").map(|to| written_address::read(to, keys, is_tofu));
                        match to {
                            Some(Ok(to)) if to.resource.as_ref().is_some_and(|own| own.key.is_some()) => {
                                to.to_string()
                            }
                            _ => continue,
                        }
                    }
                    _ => continue,
                };
                // What overrides others is merged, or distinguished.
                if !settings.is_override && !seen.insert((block.kind(), name.clone())) {
                    let name = name.trim_end_matches('.');
                    self.tell(name, block.kind(), header, Wrong::TooMany(1), None);
                }
            }
        }
    }

    /// The data source of a check, which has its name in the module.
    fn looked_up(&mut self, check: Block<'a>, file: usize, seen: &mut FxHashSet<(&'a str, String)>) {
        for data in check.body().blocks().filter(|inner| inner.kind() == "data") {
            let labels: Vec<&str> = data.labels().map(|label| label.text).collect();
            let [ty, name] = labels.as_slice() else { continue };
            let place = self.place_of(file, data.header_span());
            let address = format!("data.{ty}.{name}");
            if !is_identifier(name) {
                self.tell(&address, name, place, Wrong::Name(String::new()), None);
            }
            let is_declared = self
                .validate
                .own()
                .is_some_and(|own| own.resource(true, ty, name).is_some());
            if !seen.insert(("data", address.clone())) || is_declared {
                self.tell(&address, "data", place, Wrong::TooMany(1), None);
            }
        }
    }

    pub(super) fn say_of(&mut self, subject: &str, name: &str, expr: Expr<'a>, file: usize, why: &str) {
        let place = self.place_of(file, expr.span());
        self.tell(subject, name, place, Wrong::Type(why.to_owned()), None);
    }

    /// The alias of a provider; or why it is invalid, as the end of a sentence.
    fn alias(&self, written: Expr<'a>) -> Result<String, String> {
        let alias = eval::convert(&self.constant(written)?, &eval::Type::String)?;
        let alias = alias.as_str().filter(|alias| is_identifier(alias));
        alias
            .map(str::to_owned)
            .ok_or_else(|| "an alias is a name, of letters, digits, `_` and `-`".to_owned())
    }

    fn terraform(&mut self, block: Block<'a>, file: usize, settings: &mut Settings) {
        if let Some(version) = block.body().attribute("required_version").map(|a| a.value()) {
            let constraints = self.version_constraints(version);
            if let Err(why) = &constraints {
                self.say_of("terraform", "required_version", version, file, why);
            }
            if let Ok(Some(constraints)) = constraints
                && settings.decides_version
                && !self.admits_known_version(&constraints)
            {
                let number = u32::try_from(file).unwrap_or(u32::MAX);
                let place = eval::Place {
                    file: number,
                    span: version.span(),
                };
                let why = "`required_version` admits no version whose rules are known";
                self.validate.leave_open_at(place, why);
            }
        }
        if let Some(experiments) = block.body().attribute("experiments") {
            let at = self
                .validate
                .world
                .sources
                .get(file)
                .map(|s| s.facts.at(experiments.name_span()));
            let spot = Spot {
                file,
                at: at.unwrap_or_default(),
            };
            self.validate
                .leave_open(spot, "which experiments there are depends on the version");
        }
        for inner in block.body().blocks() {
            match inner.kind() {
                word @ ("backend" | "cloud") if settings.has_state_already(word) => {
                    let place = self.place_of(file, inner.header_span());
                    self.tell("terraform", inner.kind(), place, Wrong::TooMany(1), None);
                }
                "backend" => self.backend(inner, file),
                "cloud" => self.cloud(inner, file),
                "encryption" if self.validate.world.is_tofu() => {
                    if !settings.is_override && std::mem::replace(&mut settings.has_encryption, true) {
                        let place = self.place_of(file, inner.header_span());
                        self.tell("terraform", "encryption", place, Wrong::TooMany(1), None);
                    }
                    if self.validate.number == 0 {
                        let spot = self.spot(file, inner.header_span());
                        let why = "what `encryption` says is not followed";
                        self.validate.leave_plan_open(spot, why);
                    }
                }
                PROVIDERS => {
                    // A file that overrides others may have its own.
                    if !settings.is_override && std::mem::replace(&mut settings.has_providers, true) {
                        let place = self.place_of(file, inner.header_span());
                        self.tell("terraform", PROVIDERS, place, Wrong::TooMany(1), None);
                    }
                    for attribute in inner.body().attributes() {
                        self.required(attribute, file);
                    }
                    for block in inner.body().blocks() {
                        let place = self.place_of(file, block.header_span());
                        self.tell("terraform", block.kind(), place, Wrong::UnknownBlock, None);
                    }
                }
                _ => {}
            }
        }
    }

    /// The value of an expression that must not refer to anything; else the reason, as the end of a sentence.
    fn literal(&self, written: Expr<'a>) -> Result<eval::Value, String> {
        match named(written, 0).is_empty() {
            true => self.constant(written),
            false => Err("nothing may be referred to here".to_owned()),
        }
    }

    /// The same for a text.
    fn literal_text(&self, written: Expr<'a>) -> Result<String, String> {
        let text = self.literal(written)?.as_str().map(str::to_owned);
        text.ok_or_else(|| "a string is required".to_owned())
    }

    /// The constraints on the version of Terraform, if there are any; or what is wrong with them, as the end of a
    /// sentence.
    ///
    /// Source: `decodeVersionConstraint` of Terraform 1.11.
    fn version_constraints(&self, written: Expr<'a>) -> Result<Option<Constraints>, String> {
        let text = eval::convert(&self.literal(written)?, &eval::Type::String)?;
        match text.as_str() {
            None => Ok(None),
            Some(text) => match not_constraints(text) {
                Some(why) => Err(why.to_owned()),
                None if names_prerelease(text) => Err("it must not name a prerelease".to_owned()),
                None => Ok(Constraints::parse(text).ok()),
            },
        }
    }

    /// Whether constraints admit a version of the minor one that is followed here: which one runs is unknown.
    fn admits_known_version(&self, constraints: &Constraints) -> bool {
        let minor = if self.validate.world.is_tofu() {
            OPENTOFU
        } else {
            TERRAFORM
        };
        let mut patches = 0..MOST_PATCHES;
        patches.any(|patch| {
            Version::parse(&format!("{minor}.{patch}")).is_some_and(|version| constraints.admit(&version))
        })
    }

    /// An entry of `required_providers`.
    fn required(&mut self, attribute: Attribute<'a>, file: usize) {
        let name = format!("{PROVIDERS}.{}", attribute.name());
        if let Some(why) = not_a_name(attribute.name()) {
            let place = self.place_of(file, attribute.name_span());
            let wrong = Wrong::Name(why.to_owned());
            self.tell("terraform", attribute.name(), place, wrong, None);
        }
        let value = attribute.value();
        let ExprKind::Object(object) = value.kind() else {
            // Before 0.13 only the version was written there.
            let text = self
                .constant(value)
                .and_then(|value| eval::convert(&value, &eval::Type::String));
            let why = match text.as_ref().map(eval::Value::as_str) {
                Ok(Some(text)) => not_constraints(text),
                _ => Some("an object is required"),
            };
            if let Some(why) = why {
                self.say_of("terraform", &name, value, file, why);
            }
            return;
        };
        for item in object.items() {
            let key = match item.key {
                ObjectKey::Name(key, _) => Ok(key.to_owned()),
                ObjectKey::Expr(key) => self.literal_text(key).map_err(|why| (key, why)),
            };
            let key = match key {
                Ok(key) => key,
                Err((key, why)) => {
                    self.say_of("terraform", &name, key, file, &why);
                    continue;
                }
            };
            let value = self.constant(item.value);
            let why = match (&*key, value.as_ref().ok().and_then(eval::Value::as_str)) {
                ("source", Some(source)) => not_a_source(source),
                ("version", Some(version)) => not_constraints(version),
                ("source" | "version", None) => Some("a string is required"),
                ("configuration_aliases", _) => None,
                _ => Some("it takes `source`, `version` and `configuration_aliases`"),
            };
            if let Some(why) = why {
                self.say_of("terraform", &name, item.value, file, why);
            }
        }
    }

    fn moved(&mut self, block: Block<'a>, file: usize, header: Place) {
        let ends = ["from", "to"].map(|name| block.body().attribute(name).map(|a| a.value()));
        let mut of_modules = Vec::new();
        for (name, end) in ["from", "to"].into_iter().zip(ends) {
            let Some(end) = end else { return };
            match written_address::read(end, Keys::Constant, self.validate.world.is_tofu()) {
                Ok(address) => of_modules.push(address.resource.is_none()),
                Err(why) => return self.say_of("moved", name, end, file, why),
            }
        }
        if let [from, to] = of_modules.as_slice()
            && from != to
        {
            let why = "both ends have to be modules, or both resources".to_owned();
            self.tell("moved", "from", header, Wrong::Type(why), None);
        }
    }

    fn removed(&mut self, block: Block<'a>, file: usize) {
        let Some(from) = block.body().attribute("from").map(|a| a.value()) else {
            return;
        };
        let address = written_address::read(from, Keys::None, self.validate.world.is_tofu());
        let why = match &address {
            Err(why) => Some(*why),
            Ok(address) => {
                let is_data = address.resource.as_ref().is_some_and(|own| own.sort.is_some());
                is_data.then_some("data sources are never destroyed")
            }
        };
        if let Some(why) = why {
            return self.say_of("removed", "from", from, file, why);
        }
        let blocks = || block.body().blocks();
        for inner in blocks().filter(|inner| inner.kind() == "lifecycle") {
            let Some(destroy) = inner.body().attribute("destroy").map(|a| a.value()) else {
                continue;
            };
            self.leave_reference_open(destroy, file);
            if let Some(why) = self.switch(destroy) {
                self.say_of("removed", "lifecycle.destroy", destroy, file, &why);
            }
        }
        let connections = blocks().filter(|inner| inner.kind() == "connection");
        let connections: Vec<_> = connections.map(|inner| (inner, file)).collect();
        if self.validate.world.is_tofu()
            && let Some((connection, _)) = connections.first()
        {
            let why = "whether `connection` is taken depends on the version of OpenTofu";
            self.validate
                .leave_open(self.spot(file, connection.header_span()), why);
        }
        for inner in blocks().filter(|inner| inner.kind() == "provisioner") {
            let is_of_resource = address.as_ref().is_ok_and(|address| address.resource.is_some());
            if !is_of_resource || !is_at_destruction(inner) {
                let place = self.place_of(file, inner.header_span());
                let why = "one is required that runs when a resource is destroyed".to_owned();
                self.tell("removed", "provisioner", place, Wrong::Type(why), None);
                continue;
            }
            let scene = scene(Repeated::No, "removed");
            self.at_destruction(&scene, connections.clone(), inner, file);
        }
    }

    /// What OpenTofu repeats needs an alias.
    fn repeated(&mut self, block: Block<'a>, file: usize) {
        let for_each = block.body().attribute("for_each");
        if let Some(attribute) = for_each.filter(|_| self.validate.world.is_tofu()) {
            let place = self.place_of(file, attribute.name_span());
            let wrong = Wrong::Needs {
                names: vec!["alias".to_owned()],
                any: false,
            };
            self.tell("provider", "for_each", place, wrong, None);
        }
    }

    /// By what OpenTofu repeats a provider: it evaluates that before it reads the modules.
    ///
    /// Source: OpenTofu 1.10, `decodeStaticFields` of a provider and `EvaluateForEachExpression`.
    fn instances(&mut self, address: &str, block: Block<'a>, file: usize) {
        let for_each = block.body().attribute("for_each");
        let Some(attribute) = for_each.filter(|_| self.validate.world.is_tofu()) else {
            return;
        };
        let expr = attribute.value();
        if let Some(why) = self.validate.not_known_early(expr) {
            return self.say_of(address, "for_each", expr, file, why);
        }
        let scene = scene(Repeated::No, address);
        let value = self.eval(&scene, "for_each", expr, file, &Open::new(block, file));
        if let Some(why) = secrets::of_repetition("for_each", &value) {
            return self.say_of(address, "for_each", expr, file, why);
        }
        if let Err(why) = repetition::repeats("for_each", &value, true) {
            self.say_of(address, "for_each", expr, file, &why);
        }
    }

    /// What a provider block cannot have: Terraform keeps these words for itself. OpenTofu has `for_each`.
    fn reserved(&mut self, block: Block<'a>, file: usize) {
        let is_tofu = self.validate.world.is_tofu();
        for attribute in block.body().attributes() {
            let name = attribute.name();
            let is_reserved =
                matches!(name, "count" | "depends_on" | "source") || name == "for_each" && !is_tofu;
            if is_reserved {
                let place = self.place_of(file, attribute.name_span());
                self.tell("provider", name, place, Wrong::Unknown, None);
            }
        }
        for inner in block.body().blocks() {
            if matches!(inner.kind(), "lifecycle" | "locals") {
                let place = self.place_of(file, inner.header_span());
                self.tell("provider", inner.kind(), place, Wrong::UnknownBlock, None);
            }
        }
    }

    /// `provider` of a resource.
    pub(super) fn provider(&mut self, scene: &Scene<'_>, decl: &Decl<'a>) {
        let Some(attr) = decl.attr("provider").copied() else {
            return;
        };
        if attr.expr.as_names().is_some_and(|names| names.len() > 2) {
            let why = "the name of a provider is required, and perhaps an alias behind it";
            self.say_of(scene.address, "provider", attr.expr, attr.file, why);
        }
    }

    /// `providers` of a call.
    pub(super) fn providers(&mut self, address: &str, decl: &Decl<'a>) {
        let Some(attr) = decl.attr("providers").copied() else {
            return;
        };
        let ExprKind::Object(object) = attr.expr.kind() else {
            return self.say_of(address, "providers", attr.expr, attr.file, "a map is required");
        };
        let is_tofu = self.validate.world.is_tofu();
        for item in object.items() {
            let mut named = item.value;
            if is_tofu {
                self.keyed(address, "providers", item.value, attr.file);
                named = before_key(named).unwrap_or(named);
            }
            let is_name = named.as_names().is_some_and(|names| names.len() <= 2);
            // JSON has texts.
            if !is_name && item.value.as_text().is_none() {
                let why = "the name of a provider is required, and perhaps an alias behind it";
                self.say_of(address, "providers", item.value, attr.file, why);
            }
        }
    }
}
