//! What Terraform has in resources of every type: `lifecycle`, provisioners and connections.
//!
//! Source: Terraform 1.11.

use std::sync::Arc;

use applyorder_syntax::hcl::eval::{self, Type};
use applyorder_syntax::hcl::{Attribute, Block, Expr, ExprKind};

use super::super::Wrong;
use super::super::fault::{FaultKind, FaultText};
use super::super::module::{Decl, Inner, written};
use super::own;
use super::references::{Step, named};
use super::walk::{Scene, Walk};
use super::{Around, Repeated, traversal};
use crate::schema::{DATA, META_BLOCKS, OF_DATA, schema};

/// What an argument takes.
#[derive(Clone, Copy)]
enum Plain {
    String,
    Number,
    Bool,
    Strings,
    Texts,
}

impl Plain {
    fn ty(self) -> Type {
        match self {
            Self::String => Type::String,
            Self::Number => Type::Number,
            Self::Bool => Type::Bool,
            Self::Strings => Type::List(Arc::new(Type::String)),
            Self::Texts => Type::Map(Arc::new(Type::String)),
        }
    }
}

/// The arguments of a connection.
static CONNECTION: &[(&str, Plain)] = &[
    ("type", Plain::String),
    ("user", Plain::String),
    ("password", Plain::String),
    ("host", Plain::String),
    ("port", Plain::Number),
    ("timeout", Plain::String),
    ("script_path", Plain::String),
    ("target_platform", Plain::String),
    ("private_key", Plain::String),
    ("certificate", Plain::String),
    ("host_key", Plain::String),
    ("agent", Plain::Bool),
    ("agent_identity", Plain::String),
    ("proxy_scheme", Plain::String),
    ("proxy_host", Plain::String),
    ("proxy_port", Plain::Number),
    ("proxy_user_name", Plain::String),
    ("proxy_user_password", Plain::String),
    ("bastion_host", Plain::String),
    ("bastion_host_key", Plain::String),
    ("bastion_port", Plain::Number),
    ("bastion_user", Plain::String),
    ("bastion_password", Plain::String),
    ("bastion_private_key", Plain::String),
    ("bastion_certificate", Plain::String),
    ("https", Plain::Bool),
    ("insecure", Plain::Bool),
    ("use_ntlm", Plain::Bool),
    ("cacert", Plain::String),
];

/// The provisioners that Terraform has itself, with the arguments of each and the ones of which one has to be there.
static PROVISIONERS: &[Provisioner] = &[
    (
        "local-exec",
        &[
            ("command", Plain::String),
            ("interpreter", Plain::Strings),
            ("working_dir", Plain::String),
            ("environment", Plain::Texts),
            ("quiet", Plain::Bool),
        ],
        Choice {
            needed: Some("command"),
            one_of: &[],
        },
    ),
    (
        "file",
        &[
            ("source", Plain::String),
            ("content", Plain::String),
            ("destination", Plain::String),
        ],
        Choice {
            needed: Some("destination"),
            one_of: &["content", "source"],
        },
    ),
    (
        "remote-exec",
        &[
            ("inline", Plain::Strings),
            ("script", Plain::String),
            ("scripts", Plain::Strings),
        ],
        Choice {
            needed: None,
            one_of: &["inline", "script", "scripts"],
        },
    ),
];

/// Its name, its arguments, and which of them have to be there.
type Provisioner = (&'static str, &'static [(&'static str, Plain)], Choice);

struct Choice {
    needed: Option<&'static str>,
    one_of: &'static [&'static str],
}

/// Provisioners that Terraform no longer has.
const REMOVED: &[&str] = &["chef", "habitat", "puppet", "salt-masterless"];

/// The type that an argument of a provisioner or a connection takes, as far as it is known.
pub(super) fn wanted(block: Block<'_>, name: &str) -> Option<Type> {
    let arguments = match block.kind() {
        "connection" => CONNECTION,
        "provisioner" => {
            let label = block.labels().next()?;
            PROVISIONERS.iter().find(|(ty, ..)| *ty == label.text)?.1
        }
        _ => return None,
    };
    let found = arguments.iter().find(|(known, _)| *known == name)?;
    Some(found.1.ty())
}

/// Whether an expression is one name with attributes and constant keys.
pub(super) fn is_static(expr: Expr<'_>) -> bool {
    static_root(expr).is_some()
}

/// The first name of an expression that is one name with attributes and constant keys.
fn static_root(expr: Expr<'_>) -> Option<&str> {
    let mut at = expr;
    loop {
        at = match at.kind() {
            ExprKind::Variable(name) => return Some(name),
            ExprKind::GetAttr { source, .. } | ExprKind::LegacyIndex { source, .. } => source,
            ExprKind::Index { source, key } => {
                let is_constant = matches!(key.kind(), ExprKind::Number(_)) || key.as_text().is_some();
                if !is_constant {
                    return None;
                }
                source
            }
            _ => return None,
        };
    }
}

/// Whether a declaration has an attribute or a block of a name; `None` where its schema is not known.
fn has_part(decl: &Decl<'_>, name: &str) -> Option<bool> {
    if decl.ty() == DATA {
        return Some(OF_DATA.contains(&name));
    }
    let schema = schema(decl.is_data(), decl.ty())?;
    Some(schema.attributes.contains_key(name) || schema.blocks.contains_key(name))
}

/// Whether a provisioner runs when its resource is destroyed.
pub(super) fn is_at_destruction(block: Block<'_>) -> bool {
    let when = block.body().attribute("when").map(|a| a.value());
    when.is_some_and(|when| {
        when.as_text() == Some("destroy") || when.as_names().is_some_and(|names| names == ["destroy"])
    })
}

impl<'a> Walk<'_, '_, 'a> {
    /// What is wrong with the blocks that Terraform has in a resource.
    pub(super) fn meta(&mut self, scene: &Scene<'_>, decl: &Decl<'a>) {
        let mut first: [Option<&Inner<'a>>; 2] = [None, None];
        let has_provisioner = decl.blocks.iter().any(|inner| inner.word == "provisioner");
        for inner in decl
            .blocks
            .iter()
            .filter(|inner| META_BLOCKS.contains(&inner.word))
        {
            let header = (self.place)(inner.header);
            let is_of_resources = matches!(inner.word, "provisioner" | "connection");
            if inner.is_dynamic() || (decl.is_data() && is_of_resources) {
                self.tell(scene.address, inner.word, header, Wrong::UnknownBlock, None);
                continue;
            }
            let once = match inner.word {
                "lifecycle" => first.first_mut(),
                "connection" => first.last_mut(),
                _ => None,
            };
            if let Some(first) = once {
                if first.is_some() {
                    self.tell(scene.address, inner.word, header, Wrong::TooMany(1), None);
                }
                *first = first.or(Some(inner));
            }
            if matches!(inner.word, "lifecycle" | "connection") && inner.block.labels().next().is_some() {
                self.tell(
                    scene.address,
                    inner.word,
                    (self.place)(inner.header),
                    Wrong::Labels(0),
                    None,
                );
            }
            match inner.word {
                "lifecycle" => self.lifecycle(scene, decl, inner),
                "connection" if has_provisioner => self.connection(scene, inner.block, inner.header.file),
                "provisioner" => self.provisioner(scene, decl, inner),
                _ => {}
            }
        }
        self.of_self(scene, decl);
    }

    fn lifecycle(&mut self, scene: &Scene<'_>, decl: &Decl<'a>, inner: &Inner<'a>) {
        let takes = if decl.is_data() {
            &own::DATA_LIFECYCLE
        } else {
            &own::LIFECYCLE
        };
        let (header, file) = ((self.place)(inner.header), inner.header.file);
        let subject = (scene.address, format!("{}.", inner.word));
        self.block_takes(takes, subject, inner.block, file, header);
        for attribute in inner.block.body().attributes() {
            let name = attribute.name();
            let wrong = match name {
                "create_before_destroy" | "prevent_destroy" => self.switch(attribute.value()),
                "ignore_changes" => {
                    self.ignored(scene, decl, attribute, file);
                    None
                }
                "replace_triggered_by" => {
                    self.triggers(scene, attribute, file);
                    None
                }
                _ => None,
            };
            if let Some(why) = wrong {
                self.say(scene, &format!("lifecycle.{name}"), attribute.value(), file, why);
            }
        }
    }

    /// Says why an expression cannot stand where it does.
    fn say(&mut self, scene: &Scene<'_>, name: &str, expr: Expr<'a>, file: usize, why: impl Into<String>) {
        let place = self.place_of(file, expr.span());
        self.tell(scene.address, name, place, Wrong::Type(why.into()), None);
    }

    /// Why an expression is not a constant truth value; of what OpenTofu may know more is left open.
    pub(super) fn switch(&self, expr: Expr<'a>) -> Option<String> {
        if !named(expr, 0).is_empty() {
            return (!self.validate.world.is_tofu()).then(|| "nothing may be referred to here".to_owned());
        }
        match self.constant(expr) {
            Err(why) => Some(why),
            Ok(value) if value.is_null() => Some("it must not be null".to_owned()),
            Ok(value) => eval::convert(&value, &Type::Bool).err(),
        }
    }

    /// `ignore_changes`.
    fn ignored(&mut self, scene: &Scene<'_>, decl: &Decl<'a>, attribute: Attribute<'a>, file: usize) {
        const NAME: &str = "lifecycle.ignore_changes";
        let value = attribute.value();
        if value.as_names().is_some_and(|names| names == ["all"]) {
            return;
        }
        let Some(entries) = value.entries() else {
            return self.say(scene, NAME, value, file, "a list or `all` is required");
        };
        for entry in entries.iter() {
            let (name, is_deeper) = match entry.as_text() {
                Some("*") => {
                    self.say(scene, NAME, entry, file, "`all` takes the place of `[\"*\"]`");
                    continue;
                }
                // A text is read as a name; with more in it, it is not looked at.
                Some(text) if applyorder_syntax::hcl::is_identifier(text) => (text, false),
                Some(_) => continue,
                None => match static_root(entry) {
                    Some(root) => (root, entry.as_names().is_none_or(|n| n.len() > 1)),
                    None => {
                        let why = "only an attribute may stand here, with constant keys";
                        self.say(scene, NAME, entry, file, why);
                        continue;
                    }
                },
            };
            let is_told = decl.ty() == DATA || self.validate.world.knows_provider();
            if is_told && has_part(decl, name) == Some(false) {
                let why = format!("unknown attribute `{name}`");
                self.say(scene, NAME, entry, file, why);
            } else if decl.ty() == DATA && name == "id" && is_deeper {
                self.say(scene, NAME, entry, file, "a text has no attributes");
            } else if let Some(schema) = schema(decl.is_data(), decl.ty()).filter(|_| is_told && is_deeper) {
                let whole = named(entry, 0).into_iter().next();
                let steps = whole.map(|whole| [vec![Step::Attr(whole.root)], whole.steps].concat());
                if let Some(mut why) = traversal::refused(schema, &steps.unwrap_or_default()) {
                    if let Some(first) = why.get_mut(..1) {
                        first.make_ascii_lowercase();
                    }
                    self.say(scene, NAME, entry, file, why.trim_end_matches('.'));
                }
            }
        }
    }

    /// `replace_triggered_by`.
    fn triggers(&mut self, scene: &Scene<'_>, attribute: Attribute<'a>, file: usize) {
        const NAME: &str = "lifecycle.replace_triggered_by";
        let value = attribute.value();
        let Some(entries) = value.entries() else {
            return self.say(scene, NAME, value, file, "a list is required");
        };
        for entry in entries.iter() {
            let mut resources = 0;
            let mut wrong = None;
            for name in named(entry, 0) {
                match (name.root, name.first()) {
                    ("count", Some("index")) | ("each", Some("key")) => {}
                    ("each", _) => wrong = Some("of `each` only the key may stand here"),
                    (
                        "var" | "local" | "module" | "path" | "terraform" | "self" | "count" | "ephemeral"
                        | "tofu",
                        _,
                    ) => wrong = Some("only resources, `count.index` and `each.key` may stand here"),
                    (root, first) => {
                        resources += 1;
                        self.triggered(root, first, entry, file);
                    }
                }
            }
            let wrong = wrong.or(match resources {
                0 => Some("a resource is required"),
                1 => None,
                _ => Some("only one resource may stand in an entry"),
            });
            if let Some(why) = wrong {
                self.say(scene, NAME, entry, file, why);
            }
        }
    }

    /// Of what triggers a replacement Terraform asks only when it plans whether it is declared.
    fn triggered(&self, ty: &str, name: Option<&str>, entry: Expr<'a>, file: usize) {
        let world = self.validate.world;
        let (Some(module), Some(name)) = (world.modules.get(self.validate.number), name) else {
            return;
        };
        if ty != "data" && !module.has_gap && module.resource(false, ty, name).is_none() {
            let why = format!("`{ty}.{name}` is not declared");
            world.leave_values_open(written(entry.span(), file), &why);
        }
    }

    fn provisioner(&mut self, scene: &Scene<'_>, decl: &Decl<'a>, inner: &Inner<'a>) {
        let (block, file) = (inner.block, inner.header.file);
        let header = (self.place)(inner.header);
        let labels: Vec<&str> = block.labels().map(|l| l.text).collect();
        let [ty] = labels.as_slice() else {
            return self.tell(scene.address, "provisioner", header, Wrong::Labels(1), None);
        };
        if REMOVED.contains(ty) {
            let wrong = Wrong::Type(format!("Terraform has no provisioner `{ty}` any more"));
            return self.tell(scene.address, "provisioner", header, wrong, None);
        }
        let Some((_, arguments, choice)) = PROVISIONERS.iter().find(|(known, ..)| known == ty) else {
            let why = format!("what the provisioner `{ty}` takes is not known");
            return self.validate.leave_open(inner.header, &why);
        };
        let mut given = Vec::new();
        for attribute in block.body().attributes() {
            let name = attribute.name();
            let words: &[&str] = match name {
                "when" => &["create", "destroy"],
                "on_failure" => &["continue", "fail"],
                _ => &[],
            };
            if let [one, other] = words {
                let value = attribute.value();
                let names = value.as_names().unwrap_or_default();
                let word = value
                    .as_text()
                    .or_else(|| names.first().copied().filter(|_| names.len() == 1));
                if !word.is_some_and(|word| words.contains(&word)) {
                    let why = format!("`{one}` or `{other}` is required");
                    self.say(scene, &format!("provisioner.{name}"), value, file, why);
                }
            } else if arguments.iter().any(|(known, _)| *known == name) {
                if !matches!(attribute.value().kind(), ExprKind::Null) {
                    given.push(name);
                }
            } else {
                let place = self.place_of(file, attribute.name_span());
                let path = format!("provisioner.{name}");
                self.tell(scene.address, &path, place, Wrong::Unknown, None);
            }
        }
        if let Some(needed) = choice.needed
            && block.body().attribute(needed).is_none()
        {
            let path = format!("provisioner.{needed}");
            self.tell(scene.address, &path, header, Wrong::Missing, None);
        }
        let chosen = choice.one_of.iter().filter(|name| given.contains(name)).count();
        let names = || choice.one_of.iter().map(|name| (*name).to_owned()).collect();
        match chosen {
            _ if choice.one_of.is_empty() => {}
            0 => self.tell(scene.address, "provisioner", header, Wrong::OneOf(names()), None),
            1 => {}
            _ => self.tell(
                scene.address,
                "provisioner",
                header,
                Wrong::Conflict(names()),
                None,
            ),
        }
        let mut is_there = false;
        for own in block.body().blocks() {
            let place = self.place_of(file, own.header_span());
            if own.kind() != "connection" {
                let path = format!("provisioner.{}", own.kind());
                self.tell(scene.address, &path, place, Wrong::UnknownBlock, None);
                continue;
            }
            if std::mem::replace(&mut is_there, true) {
                let wrong = Wrong::TooMany(1);
                self.tell(scene.address, "provisioner.connection", place, wrong, None);
            }
            self.connection(scene, own, file);
        }
        self.host(scene, decl, block, file);
        if is_at_destruction(block) {
            let of_resource = decl.blocks.iter().filter(|inner| inner.word == "connection");
            let connections = of_resource.map(|inner| (inner.block, inner.header.file));
            self.at_destruction(scene, connections.collect(), block, file);
        }
    }

    /// The arguments of a connection.
    fn connection(&mut self, scene: &Scene<'_>, block: Block<'a>, file: usize) {
        for attribute in block.body().attributes() {
            if !CONNECTION.iter().any(|(known, _)| *known == attribute.name()) {
                let place = self.place_of(file, attribute.name_span());
                let path = format!("connection.{}", attribute.name());
                self.tell(scene.address, &path, place, Wrong::Unknown, None);
            }
        }
        for inner in block.body().blocks() {
            let place = self.place_of(file, inner.header_span());
            let path = format!("connection.{}", inner.kind());
            self.tell(scene.address, &path, place, Wrong::UnknownBlock, None);
        }
    }

    /// A connection needs a host; that of the resource counts for its provisioners.
    fn host(&mut self, scene: &Scene<'_>, decl: &Decl<'a>, block: Block<'a>, file: usize) {
        let own = block.body().blocks().find(|b| b.kind() == "connection");
        let of_resource = decl.blocks.iter().find(|inner| inner.word == "connection");
        let has_host = |block: Block<'_>| block.body().attribute("host").is_some();
        let place = match (own, of_resource) {
            (Some(own), _) => self.place_of(file, own.header_span()),
            (None, Some(of_resource)) => (self.place)(of_resource.header),
            (None, None) => return,
        };
        if !own.is_some_and(has_host) && !of_resource.is_some_and(|inner| has_host(inner.block)) {
            self.tell(scene.address, "connection.host", place, Wrong::Missing, None);
        }
    }

    /// When a resource is destroyed, only itself is there to refer to, in a provisioner and in the connections that it may
    /// use.
    pub(super) fn at_destruction(
        &mut self,
        scene: &Scene<'_>,
        connections: Vec<(Block<'a>, usize)>,
        block: Block<'a>,
        file: usize,
    ) {
        let mut open: Vec<(Block<'a>, usize)> = vec![(block, file)];
        open.extend(connections);
        let at = || scene.address.to_owned();
        let around = Around::new(Repeated::No, &at);
        while let Some((block, file)) = open.pop() {
            let number = u32::try_from(file).unwrap_or(u32::MAX);
            let values = block
                .body()
                .attributes()
                .filter(|a| a.name() != "when" && a.name() != "on_failure");
            for name in values.flat_map(|a| named(a.value(), number)) {
                let is_own = matches!(
                    (name.root, name.first()),
                    ("self" | "path" | "terraform", _) | ("count", Some("index")) | ("each", Some("key"))
                );
                if !is_own {
                    let message = "When a resource is destroyed, only \"self\", \"count.index\" and \"each.key\" may \
                                   be referred to.";
                    self.validate.reject(name.place, message, &around);
                }
            }
            open.extend(block.body().blocks().map(|inner| (inner, file)));
        }
    }

    /// What `self` has not.
    fn of_self(&mut self, scene: &Scene<'_>, decl: &Decl<'a>) {
        let metas = decl
            .blocks
            .iter()
            .filter(|inner| META_BLOCKS.contains(&inner.word));
        let mut open: Vec<(Block<'a>, usize)> = metas.map(|inner| (inner.block, inner.header.file)).collect();
        while let Some((block, file)) = open.pop() {
            let number = u32::try_from(file).unwrap_or(u32::MAX);
            open.extend(block.body().blocks().map(|inner| (inner, file)));
            if !matches!(block.kind(), "postcondition" | "provisioner" | "connection") {
                continue;
            }
            for name in block.body().attributes().flat_map(|a| named(a.value(), number)) {
                let Some(attribute) = name.first().filter(|_| name.root == "self") else {
                    continue;
                };
                let is_likely = decl.ty() != DATA && !self.validate.world.knows_provider();
                let at = || scene.address.to_owned();
                let around = Around::new(Repeated::No, &at);
                let schema = schema(decl.is_data(), decl.ty());
                let text = match has_part(decl, attribute) {
                    Some(false) => {
                        FaultText::new(FaultKind::UnsupportedAttribute, format!("self.{attribute}"))
                    }
                    _ => match schema.and_then(|schema| traversal::refused(schema, &name.steps)) {
                        Some(why) => FaultText::new(FaultKind::InvalidExpression, why),
                        None => continue,
                    },
                };
                self.validate.fault(name.place, &text.likely(is_likely), &around);
            }
        }
    }
}
