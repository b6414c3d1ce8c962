//! Provisioners, and the connections that they use.
//!
//! Source: Terraform 1.11.

use std::sync::Arc;

use applyorder_syntax::hcl::eval::Type;
use applyorder_syntax::hcl::{Block, ExprKind};

use super::super::Wrong;
use super::super::module::{Decl, Inner};
use super::references::named;
use super::walk::{Scene, Walk};
use super::{Around, Repeated};

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

/// Terraform's built-in provisioners, with the arguments of each and those of which one is required.
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

/// Whether a provisioner runs when its resource is destroyed.
pub(super) fn is_at_destruction(block: Block<'_>) -> bool {
    let when = block.body().attribute("when").map(|a| a.value());
    when.is_some_and(|when| {
        when.as_text() == Some("destroy") || when.as_names().is_some_and(|names| names == ["destroy"])
    })
}

impl<'a> Walk<'_, '_, 'a> {
    pub(super) fn provisioner(&mut self, scene: &Scene<'_>, decl: &Decl<'a>, inner: &Inner<'a>) {
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
    pub(super) fn connection(&mut self, scene: &Scene<'_>, block: Block<'a>, file: usize) {
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
}
