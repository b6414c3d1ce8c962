//! The contents of blocks, and the blocks that a module does not merge.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::eval::{self, Marks, Type, Value};
use applyorder_syntax::hcl::{Block, Expr};

use super::super::Wrong;
use super::super::module::{Decl, Spot};
use super::own::{self, REMOTE};
use super::provisioners;
use super::references::named;
use super::walk::{NO_VALUES, Scene, Walk, scene};
use super::{Around, Repeated, unknown};
use crate::read::BlockKind;

/// A block that is still to be checked, with the names that dynamic blocks around it define.
pub(super) struct Open<'a> {
    block: Block<'a>,
    file: usize,
    pub(super) names: Vec<(&'a str, Value)>,
    pub(super) has_self: bool,
}

impl<'a> Open<'a> {
    pub(super) fn new(block: Block<'a>, file: usize) -> Self {
        Self {
            block,
            file,
            names: Vec::new(),
            has_self: false,
        }
    }
}

impl<'a> Walk<'_, '_, 'a> {
    /// Evaluates the contents of the blocks in a block.
    pub(super) fn inside(&mut self, scene: &Scene<'_>, decl: &Decl<'a>, is_looked_at: impl Fn(&str) -> bool) {
        if decl.has_gap {
            return;
        }
        let inner = decl.blocks.iter().filter(|inner| is_looked_at(inner.word));
        let open = inner.map(|inner| Open::new(inner.block, inner.header.file));
        self.blocks(scene, open.collect());
    }

    fn blocks(&mut self, scene: &Scene<'_>, mut open: Vec<Open<'a>>) {
        open.reverse();
        while let Some(mut here) = open.pop() {
            let block = here.block;
            let word = block.kind();
            here.has_self |= matches!(word, "postcondition" | "provisioner" | "connection");
            let is_dynamic = word == "dynamic";
            let mut is_empty = false;
            let is_condition = matches!(word, "precondition" | "postcondition" | "validation" | "assert");
            for attribute in block.body().attributes() {
                let (name, expr) = (attribute.name(), attribute.value());
                let is_word = match word {
                    "lifecycle" => true,
                    "provisioner" => matches!(name, "when" | "on_failure"),
                    "dynamic" => matches!(name, "iterator" | "labels"),
                    _ => false,
                };
                if is_word {
                    continue;
                }
                if word == "data" && name == "provider" {
                    self.there(scene.address, name, expr, here.file);
                    continue;
                }
                let path = format!("{word}.{name}");
                if word == "assert" && name == "condition" {
                    // It is evaluated when planning, and does not fail the plan.
                    self.names_only(scene, &path, expr, &here);
                    if named(expr, 0).is_empty() {
                        let place = self.place_of(here.file, expr.span());
                        let wrong = Wrong::Condition("the condition refers to nothing".to_owned());
                        self.tell(scene.address, &path, place, wrong, None);
                    }
                    continue;
                }
                let value = self.eval(scene, &path, expr, here.file, &here);
                let is_meta = matches!(word, "provisioner" | "connection") || is_condition;
                if scene.is_stored && !is_meta && value.all_marks().has(Marks::EPHEMERAL) {
                    let spot = self.spot(here.file, expr.span());
                    let why = format!("whether `{name}` is stored is not known");
                    self.validate.leave_open(spot, &why);
                }
                is_empty |= is_dynamic && name == "for_each" && !has_entries(&value);
                // What decides must be known as far as Terraform knows it.
                let is_decided = match name {
                    "condition" => word == "validation" || (word == "precondition" && scene.is_output),
                    "for_each" => is_dynamic && value.ty() == Type::Dynamic,
                    _ => false,
                };
                if is_decided {
                    self.validate
                        .leave_open_unfollowed(&value, self.spot(here.file, expr.span()));
                }
                let wrong = match name {
                    "condition" if is_condition && named(expr, 0).is_empty() => {
                        Some(Wrong::Condition("the condition refers to nothing".to_owned()))
                    }
                    "condition" if word == "precondition" && scene.is_output => {
                        not_met(&value).map(Wrong::Condition)
                    }
                    // The type of a variable is known, which may be enough to decide.
                    "condition" if word == "validation" => {
                        let message =
                            |message| self.eval(scene, "validation.error_message", message, here.file, &here);
                        not_valid(block, &value, message).map(Wrong::Condition)
                    }
                    "for_each" if is_dynamic => not_iterable(&value).map(Wrong::Type),
                    // Others are evaluated only if a condition does not hold.
                    "error_message" if word == "assert" || (word == "precondition" && scene.is_output) => {
                        message(&value).map(Wrong::Type)
                    }
                    _ => {
                        let wanted = provisioners::wanted(block, name);
                        wanted
                            .and_then(|ty| eval::convert(&value, &ty).err())
                            .map(Wrong::Type)
                    }
                };
                if let Some(wrong) = wrong {
                    let place = self.place_of(here.file, expr.span());
                    self.tell(scene.address, &path, place, wrong, None);
                }
            }
            let mut names = here.names.clone();
            if is_dynamic {
                let iterator = block.body().attribute("iterator");
                let iterator = iterator.and_then(|i| i.value().as_names()?.first().copied());
                let label = block.labels().next().map_or("", |l| l.text);
                names.push((iterator.unwrap_or(label), entry()));
            }
            let inner: Vec<Open<'a>> = block
                .body()
                .blocks()
                .filter(|_| !is_empty)
                .map(|block| Open {
                    block,
                    file: here.file,
                    names: names.clone(),
                    has_self: here.has_self,
                })
                .collect();
            open.extend(inner.into_iter().rev());
        }
    }

    /// Checks the names in an expression, not its value.
    fn names_only(&self, scene: &Scene<'_>, name: &str, expr: Expr<'a>, open: &Open<'a>) {
        let at = || format!("{}.{name}", scene.address);
        let around = Around {
            has_self: open.has_self,
            names: &open.names,
            data: scene.data,
            is_named_only: true,
            ..Around::new(scene.repeated, &at)
        };
        let file = u32::try_from(open.file).unwrap_or(u32::MAX);
        self.validate.references_alone(expr, file, &around);
    }

    /// Checks the blocks of a file that a module does not merge.
    pub(super) fn others(&mut self, file: usize) {
        let Some(source) = self.validate.world.sources.get(file) else {
            return;
        };
        let facts = &source.facts;
        for attribute in facts.tree.body().attributes() {
            let place = self.place_of(file, attribute.name_span());
            self.tell("a file", attribute.name(), place, Wrong::Unknown, None);
        }
        for (known, block) in facts.blocks.iter().zip(facts.tree.body().blocks()) {
            let place = (self.place)(Spot {
                file,
                at: known.header,
            });
            if known.has_gap {
                continue;
            }
            let labels = known.labels.len();
            if known.kind != BlockKind::Other && labels != known.kind.labels() {
                let word = block.kind();
                let wrong = Wrong::Labels(known.kind.labels());
                self.tell(word, word, place, wrong, None);
                continue;
            }
            match known.kind {
                BlockKind::Locals => {
                    for inner in block.body().blocks() {
                        let place = self.place_of(file, inner.header_span());
                        self.tell("locals", inner.kind(), place, Wrong::UnknownBlock, None);
                    }
                }
                BlockKind::Provider if !self.is_used(known.label(0), block) => {}
                BlockKind::Provider => {
                    let address = format!("provider.{}", known.label(0));
                    self.free(&address, block, file, &["alias", "version"]);
                }
                BlockKind::Terraform => {
                    self.block_takes(&own::TERRAFORM, ("terraform", String::new()), block, file, place)
                }
                BlockKind::Other => self.other(block, file, place),
                BlockKind::Variable => self.overridden_default(known.label(0), block, file),
                _ => {}
            }
        }
    }

    /// The default of a variable must be a constant even if another file overrides it.
    fn overridden_default(&mut self, name: &str, block: Block<'a>, file: usize) {
        let Some(default) = block
            .body()
            .attribute("default")
            .map(|attribute| attribute.value())
        else {
            return;
        };
        let merged = self
            .validate
            .own()
            .and_then(|own| own.variables.get(name)?.attr("default"));
        if merged.is_some_and(|merged| merged.file != file)
            && let Err(why) = self.constant(default)
        {
            let address = format!("{}var.{name}", self.validate.path);
            self.say_of(&address, "default", default, file, &why);
        }
    }

    /// Reports an ephemeral resource of Spacelift's provider or the built-in one, which have none.
    fn ephemeral_type(&mut self, address: &str, block: Block<'a>, place: Place) {
        let ty = block.labels().next().map_or("", |label| label.text);
        if block.body().attribute("provider").is_some() {
            return;
        }
        let is_ours = || ty.starts_with("spacelift_") && self.validate.world.knows_provider();
        if self.validate.is_builtin(ty) || is_ours() {
            self.tell(address, ty, place, Wrong::UnknownType, None);
        }
    }

    fn other(&mut self, block: Block<'a>, file: usize, place: Place) {
        let word = block.kind();
        let labels: Vec<&str> = block.labels().map(|l| l.text).collect();
        let address = format!("{word}.{}", labels.join("."));
        match word {
            "check" => {
                self.block_takes(&own::CHECK, (&address, String::new()), block, file, place);
                if !block.body().blocks().any(|b| b.kind() == "assert") {
                    self.tell(&address, "assert", place, Wrong::Missing, None);
                }
                self.nested_data(&address, block, file);
                self.free(&address, block, file, &[]);
            }
            "import" if self.validate.number != 0 => {
                self.tell("a module that is called", word, place, Wrong::UnknownBlock, None);
            }
            "moved" => self.block_takes(&own::MOVED, (word, String::new()), block, file, place),
            "removed" => self.block_takes(&own::REMOVED, (word, String::new()), block, file, place),
            // Terraform ignores it.
            "ephemeral" if self.overrides(file) && !self.validate.world.is_tofu() => {}
            "ephemeral" => {
                self.ephemeral_type(&address, block, place);
                self.free(&address, block, file, NO_VALUES);
            }
            _ if own::is_top(word) => {
                let spot = self.spot(file, block.header_span());
                self.later(own::is_later_top(word), word, spot);
            }
            _ => self.tell("a file", word, place, Wrong::UnknownBlock, own::near_top(word)),
        }
    }

    /// Evaluates all of a block that is not a declaration of the module.
    fn free(&mut self, address: &str, block: Block<'a>, file: usize, but: &[&str]) {
        let has = |name: &str| block.body().attribute(name).is_some();
        let repeated = match (has("for_each"), has("count")) {
            (true, _) => Repeated::Each,
            (_, true) => Repeated::Count,
            _ => Repeated::No,
        };
        // A data source of a check is known only in it.
        let nested = block.body().blocks().filter(|b| b.kind() == "data");
        let nested = nested.filter_map(|b| {
            let mut labels = b.labels();
            Some((labels.next()?.text, labels.next()?.text))
        });
        let data: Vec<(&str, &str)> = nested.collect();
        let scene = Scene {
            data: &data,
            ..scene(repeated, address)
        };
        let here = Open::new(block, file);
        for attribute in block.body().attributes().filter(|a| !but.contains(&a.name())) {
            self.eval(&scene, attribute.name(), attribute.value(), file, &here);
        }
        let inner = block.body().blocks().map(|block| Open::new(block, file));
        // The data source itself does not know it.
        let (of_data, others) = inner.partition(|inner| inner.block.kind() == "data");
        self.blocks(&Scene { data: &[], ..scene }, of_data);
        self.blocks(&scene, others);
    }

    /// Checks the data source of a check.
    ///
    /// Source: Terraform 1.11.
    fn nested_data(&mut self, address: &str, block: Block<'a>, file: usize) {
        let nested = block.body().blocks().filter(|b| b.kind() == "data");
        for (number, data) in nested.enumerate() {
            let place = self.place_of(file, data.header_span());
            if number > 0 {
                self.tell(address, "data", place, Wrong::TooMany(1), None);
            }
            if data.labels().count() != 2 {
                self.tell(address, "data", place, Wrong::Labels(2), None);
            }
            for attribute in data.body().attributes() {
                if matches!(attribute.name(), "count" | "for_each") {
                    let place = self.place_of(file, attribute.name_span());
                    self.tell(address, attribute.name(), place, Wrong::Unknown, None);
                }
            }
            for inner in data.body().blocks().filter(|b| b.kind() == "lifecycle") {
                let place = self.place_of(file, inner.header_span());
                self.tell(address, "lifecycle", place, Wrong::UnknownBlock, None);
            }
            if data.labels().next().is_some_and(|ty| ty.text == REMOTE) {
                self.nested_state(address, data, file, place);
            }
        }
    }
}

/// Why a condition does not hold, if that is known.
pub(in super::super) fn not_met(value: &Value) -> Option<String> {
    if value.as_unknown().is_some() {
        return None;
    }
    if value.is_null() {
        return Some("the condition is null".to_owned());
    }
    match eval::convert(value, &Type::Bool) {
        Err(why) => Some(why),
        Ok(value) => (value.as_bool() == Some(false)).then(|| "the condition is false".to_owned()),
    }
}

/// Whether a dynamic block is known to generate blocks. The contents of one that iterates over an unknown value are not
/// checked: its blocks have unknown values whatever is written.
fn has_entries(value: &Value) -> bool {
    value.elements().is_some_and(|all| !all.is_empty()) || value.members().is_some_and(|all| !all.is_empty())
}

/// Why a condition rejects a value of a variable, if that is known: without a message Terraform 1.11 does not report
/// it.
pub(super) fn not_valid<'a>(
    block: Block<'a>,
    condition: &Value,
    message: impl FnOnce(Expr<'a>) -> Value,
) -> Option<String> {
    let why = not_met(condition)?;
    let is_said = || {
        let text = block.body().attribute("error_message");
        text.is_none_or(|text| message(text.value()).as_unknown().is_none())
    };
    (condition.as_bool() != Some(false) || is_said()).then_some(why)
}

/// Why a value cannot be an `error_message`.
pub(in super::super) fn message(value: &Value) -> Option<String> {
    match value.is_null() {
        true => Some("it is null".to_owned()),
        false => eval::convert(value, &Type::String).err(),
    }
}

/// The value of the iterator of a dynamic block.
fn entry() -> Value {
    let fields = [Arc::from("key"), Arc::from("value")];
    Value::object(
        fields
            .into_iter()
            .map(|name| (name, unknown(Type::Dynamic)))
            .collect(),
    )
}

/// Why a dynamic block cannot iterate over a value.
pub(in super::super) fn not_iterable(value: &Value) -> Option<String> {
    let why = "it cannot be gone through";
    if value.is_null() {
        return Some("it is null".to_owned());
    }
    matches!(value.ty(), Type::String | Type::Number | Type::Bool).then(|| why.to_owned())
}
