//! What Terraform has in resources of every type: `lifecycle`, and what `self` has there.
//!
//! Source: Terraform 1.11.

use applyorder_syntax::hcl::eval::{self, Type};
use applyorder_syntax::hcl::{Attribute, Block, Expr, ExprKind};

use super::super::Wrong;
use super::super::fault::{FaultKind, FaultText};
use super::super::module::{Decl, Inner};
use super::super::written_address::first_name;
use super::own;
use super::references::{Step, named};
use super::walk::{Scene, Walk};
use super::{Around, Repeated, traversal};
use crate::schema::{DATA, META_BLOCKS, OF_DATA, schema};

/// Whether an expression is one name with attributes and constant keys.
pub(super) fn is_static(expr: Expr<'_>) -> bool {
    static_root(expr).is_some()
}

/// The first name of an expression that is one name with attributes and constant keys.
fn static_root(expr: Expr<'_>) -> Option<&str> {
    let is_constant = |key: Expr<'_>| matches!(key.kind(), ExprKind::Number(_)) || key.as_text().is_some();
    first_name(expr, is_constant)
}

/// Whether a declaration has an attribute or a block of a name; `None` where its schema is not known.
fn has_part(decl: &Decl<'_>, name: &str) -> Option<bool> {
    if decl.ty() == DATA {
        return Some(OF_DATA.contains(&name));
    }
    let schema = schema(decl.is_data(), decl.ty())?;
    Some(schema.attributes.contains_key(name) || schema.blocks.contains_key(name))
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
                // What overrides it is in another file.
                if first.is_some_and(|first| first.header.file == inner.header.file) {
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
                "create_before_destroy" | "prevent_destroy" => {
                    self.leave_reference_open(attribute.value(), file);
                    self.switch(attribute.value())
                }
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

    /// Reports why an expression is not allowed where it is.
    pub(super) fn say(
        &mut self,
        scene: &Scene<'_>,
        name: &str,
        expr: Expr<'a>,
        file: usize,
        why: impl Into<String>,
    ) {
        let place = self.place_of(file, expr.span());
        self.tell(scene.address, name, place, Wrong::Type(why.into()), None);
    }

    /// Leaves open what refers to something where only later versions of OpenTofu let it, as `prevent_destroy` from 1.12 on.
    pub(super) fn leave_reference_open(&self, expr: Expr<'a>, file: usize) {
        if self.validate.world.is_tofu() && !named(expr, 0).is_empty() {
            let spot = self.spot(file, expr.span());
            let why = "whether something may be referred to here depends on the version of OpenTofu";
            self.validate.leave_open(spot, why);
        }
    }

    /// Why an expression is not a constant truth value. Of what refers to something OpenTofu may know more.
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
                // A string is read as a name; any other string is not checked.
                Some(text) if applyorder_syntax::hcl::is_identifier(text) => (text, false),
                Some(_) => continue,
                None => match static_root(entry) {
                    Some(root) => (root, entry.as_names().is_none_or(|n| n.len() > 1)),
                    None => {
                        let why = "only an attribute with constant keys is allowed here";
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
                    ("each", _) => wrong = Some("only the key of `each` is allowed here"),
                    (
                        "var" | "local" | "module" | "path" | "terraform" | "self" | "count" | "ephemeral"
                        | "tofu",
                        _,
                    ) => wrong = Some("only resources, `count.index` and `each.key` are allowed here"),
                    // Whether it is declared Terraform asks only when it plans.
                    _ => resources += 1,
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
