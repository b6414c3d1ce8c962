//! What templates come to with the configs of a project.
//!
//! Source: the helpers of handlebars-rust 6.4 in strict mode: a variable that is printed, gone through or entered has
//! to be there; conditions and values of other helpers may be missing.

mod value;

use std::sync::Arc;

use applyorder_core::layer::Budget;

use super::Model;
use crate::read::template::{Call, HELPERS, Operand, Part, Path, Template};
use crate::read::{Field, Manifest, Workload};
use value::{Scope, Value};

/// What a text comes to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rendered {
    /// This text.
    Text(Arc<str>),
    /// A text that is not followed.
    Unknown,
    /// It does not render.
    Failed,
}

/// Why a template does not render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RenderFault<'a> {
    pub(crate) kind: RenderFaultKind<'a>,
    pub(crate) place: u32,
    /// In the words of the library.
    pub(crate) said: String,
}

/// The kinds of [`RenderFault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RenderFaultKind<'a> {
    /// Unknown variable.
    Variable(&'a Path),
    /// Unknown helper.
    Helper(&'a str),
    /// Unknown partial.
    Partial(&'a str),
    /// Invalid template, or a helper without a value: in our words.
    Other(String),
}

/// What a template comes to.
pub(crate) struct Outcome<'a> {
    /// The text; `None` where it is not followed.
    pub(crate) text: Option<String>,
    pub(crate) fault: Option<RenderFault<'a>>,
    /// Whether something in it is not followed, so that there may be a fault.
    pub(crate) is_open: bool,
}

/// Looks up what variables stand for.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(super) configs: Configs<'a>,
}

/// The configs that there are.
#[derive(Clone, Copy)]
pub(crate) struct Configs<'a> {
    model: &'a Model,
    /// Whether those of the files count.
    of_files: bool,
}

impl<'a> Configs<'a> {
    /// Those that a cluster has before an apply.
    pub(crate) fn of_cluster(model: &'a Model) -> Self {
        Self {
            model,
            of_files: false,
        }
    }

    /// Those of the files, and what a cluster has besides.
    pub(crate) fn after(model: &'a Model) -> Self {
        Self {
            model,
            of_files: true,
        }
    }

    fn find(self, name: &str) -> Option<(&'a Manifest, u32)> {
        let of_files = || {
            let (source, config) = self.model.configs.get(name).filter(|_| self.of_files)?;
            let manifest = self.model.source(*source).map(super::Source::manifest)?;
            Some((manifest, manifest.configs.get(*config as usize)?.item))
        };
        let of_cluster = || self.model.snapshot.as_ref()?.config(name);
        of_files().or_else(of_cluster)
    }

    /// What a field comes to with these configs.
    pub(crate) fn render(
        self,
        workload: &'a Workload,
        field: Option<&'a Field>,
        is_trimmed: bool,
    ) -> Rendered {
        let Some(field) = field else {
            return Rendered::Text(Arc::from(""));
        };
        let text = if is_trimmed {
            field.text.value.trim()
        } else {
            &field.text.value
        };
        if workload.loses("configs") {
            return Rendered::Text(text.into());
        }
        Lookup { configs: self }.render(workload, text, &field.template)
    }
}

/// Parts that are gone through at most, and entries of configs: loops in loops can make a small text large. What is
/// behind is not followed.
const MAX_STEPS: u64 = 1_000_000;

/// A block that is being rendered.
enum Frame<'a> {
    /// A condition.
    Branch,
    /// It has entered a value.
    With,
    /// It goes through the parts of a value.
    Each {
        items: Vec<Scope<'a>>,
        next: usize,
        start: usize,
    },
}

impl<'a> Lookup<'a> {
    /// What a field comes to: its text, where the workload uses no configs.
    pub(crate) fn render(self, workload: &'a Workload, text: &str, template: &'a Template) -> Rendered {
        if workload.configs.is_empty() {
            return Rendered::Text(text.into());
        }
        let outcome = self.run(workload, template);
        match outcome.text {
            _ if outcome.fault.is_some() => Rendered::Failed,
            Some(text) if !outcome.is_open => Rendered::Text(text.into()),
            _ => Rendered::Unknown,
        }
    }

    /// Renders a template of a workload that uses configs.
    pub(crate) fn run(self, workload: &'a Workload, template: &'a Template) -> Outcome<'a> {
        if let Some(fault) = &template.fault {
            return Outcome {
                text: None,
                fault: Some(RenderFault {
                    kind: RenderFaultKind::Other(format!("not a template: {}", fault.words)),
                    place: fault.place,
                    said: format!("Failed to parse template Template error: {}", fault.said),
                }),
                is_open: false,
            };
        }
        let mut run = Run {
            scopes: vec![Scope::root(self.configs, workload)],
            frames: Vec::new(),
            out: (!template.trims).then(String::new),
            is_open: false,
            budget: Budget::new(MAX_STEPS),
        };
        let fault = run.parts(&template.parts).err();
        Outcome {
            text: run.out,
            fault,
            is_open: run.is_open,
        }
    }
}

struct Run<'a> {
    /// The innermost last.
    scopes: Vec<Scope<'a>>,
    frames: Vec<Frame<'a>>,
    /// What was printed; `None` once that is not followed.
    out: Option<String>,
    is_open: bool,
    budget: Budget,
}

/// Where to go on.
enum Next {
    Part(usize),
    /// What follows is not known.
    Stop,
}

type Rendering<'a, T> = Result<T, RenderFault<'a>>;

impl<'a> Run<'a> {
    fn parts(&mut self, parts: &'a [Part]) -> Rendering<'a, ()> {
        let mut at = 0;
        while let Some(part) = parts.get(at) {
            if !self.budget.spend(1) {
                self.is_open = true;
                return Ok(());
            }
            match part {
                Part::Text(text) => self.print(Some(text)),
                Part::Print(call) => {
                    let text = self.printed(call)?;
                    self.print(text.as_deref());
                }
                Part::Partial { call, content } => {
                    let text = self.partial(call, content.as_ref())?;
                    self.print(text.as_deref());
                }
                Part::Open {
                    call,
                    otherwise,
                    close,
                } => match self.open(call, at, *otherwise, *close)? {
                    Next::Part(next) => {
                        at = next;
                        continue;
                    }
                    Next::Stop => {
                        self.is_open = true;
                        return Ok(());
                    }
                },
                Part::Else { close } => {
                    if let Some(again) = self.leave() {
                        at = again;
                    } else {
                        at = close + 1;
                    }
                    continue;
                }
                Part::Close => {
                    if let Some(again) = self.leave() {
                        at = again;
                        continue;
                    }
                }
                Part::Opaque => {
                    self.is_open = true;
                    return Ok(());
                }
            }
            at += 1;
        }
        Ok(())
    }

    fn print(&mut self, text: Option<&str>) {
        match (&mut self.out, text) {
            (Some(out), Some(text)) => out.push_str(text),
            (out, None) => *out = None,
            _ => {}
        }
    }

    /// Ends a block, or gives where its next round starts.
    fn leave(&mut self) -> Option<usize> {
        match self.frames.pop()? {
            Frame::Branch => None,
            Frame::With => {
                self.scopes.pop();
                None
            }
            Frame::Each { items, next, start } => {
                self.scopes.pop();
                let scope = items.get(next)?.clone();
                self.scopes.push(scope);
                self.frames.push(Frame::Each {
                    items,
                    next: next + 1,
                    start,
                });
                Some(start)
            }
        }
    }

    fn fault(call: &'a Call, kind: RenderFaultKind<'a>, reason: &str) -> RenderFault<'a> {
        let (line, column) = call.at;
        RenderFault {
            kind,
            place: call.place,
            said: format!("Error rendering \"Unnamed template\" line {line}, col {column}: {reason}"),
        }
    }

    fn missing(call: &'a Call, path: &'a Path) -> RenderFault<'a> {
        let reason = format!("Failed to access variable in strict mode Some({:?})", path.raw);
        Self::at(path, Self::fault(call, RenderFaultKind::Variable(path), &reason))
    }

    fn at(path: &Path, fault: RenderFault<'a>) -> RenderFault<'a> {
        RenderFault {
            place: path.place,
            ..fault
        }
    }

    fn lacking(call: &'a Call, helper: &str, index: usize) -> RenderFault<'a> {
        let reason = format!("Helper/Decorator {helper} param at index {index} required but not found");
        Self::fault(
            call,
            RenderFaultKind::Other(format!("`{helper}` needs a value")),
            &reason,
        )
    }

    fn path(&mut self, call: &'a Call, path: &'a Path) -> Rendering<'a, Value<'a>> {
        value::of_path(&self.scopes, path, &mut self.budget).map_err(|index| {
            let reason = format!("Cannot access array/vector with string index, {index}");
            Self::at(path, Self::fault(call, RenderFaultKind::Variable(path), &reason))
        })
    }

    fn operand(&mut self, call: &'a Call, operand: &'a Operand) -> Rendering<'a, Value<'a>> {
        Ok(match operand {
            Operand::Path(path) => self.path(call, path)?,
            Operand::Text(text) => Value::Text(text),
            Operand::Number(number) => Value::Number(number),
            Operand::Bool(b) => Value::Bool(*b),
            Operand::Null => Value::Null,
            Operand::Unknown => Value::Unknown,
        })
    }

    fn operands(&mut self, call: &'a Call) -> Rendering<'a, Vec<Value<'a>>> {
        call.values.iter().map(|o| self.operand(call, o)).collect()
    }

    /// What a tag prints; `None` where that is not followed.
    fn printed(&mut self, call: &'a Call) -> Rendering<'a, Option<String>> {
        let name = &*call.path.raw;
        if call.values.is_empty() && !HELPERS.contains(&name) {
            return match self.path(call, &call.path)? {
                Value::Missing => Err(Self::missing(call, &call.path)),
                Value::Unknown => {
                    self.is_open = true;
                    Ok(None)
                }
                value => Ok(value.shown()),
            };
        }
        let values = self.operands(call)?;
        match name {
            "log" | "raw" => Ok(Some(String::new())),
            "lookup" => match (values.first(), values.get(1)) {
                (None, _) => Err(Self::lacking(call, name, 0)),
                (_, None) => Err(Self::lacking(call, name, 1)),
                (Some(of), Some(key)) => match of.entry(key) {
                    Value::Missing => {
                        let reason = "Failed to access variable in strict mode None";
                        let kind = RenderFaultKind::Other("`lookup` finds no value".to_owned());
                        Err(Self::fault(call, kind, reason))
                    }
                    Value::Unknown => {
                        self.is_open = true;
                        Ok(None)
                    }
                    found => Ok(found.shown()),
                },
            },
            "len" => match values.first() {
                None | Some(Value::Missing) => {
                    let reason = "Helper/Decorator len param with name x required but not found";
                    Err(Self::fault(
                        call,
                        RenderFaultKind::Other("`len` needs a value".to_owned()),
                        reason,
                    ))
                }
                Some(value) => Ok(value.len().map(|n| n.to_string())),
            },
            "if" | "unless" | "each" | "with" => match values.first() {
                None => Err(Self::lacking(call, if name == "unless" { "if" } else { name }, 0)),
                Some(_) => Ok(None),
            },
            _ => match self.holds(call, name, &values)? {
                Some(holds) => Ok(Some(holds.to_string())),
                None => Ok(None),
            },
        }
    }

    /// What a helper that compares says; `None` where that is not followed.
    fn holds(&mut self, call: &'a Call, name: &str, values: &[Value<'a>]) -> Rendering<'a, Option<bool>> {
        let needed = match name {
            "eq" | "ne" | "gt" | "gte" | "lt" | "lte" => 2,
            "not" => 1,
            "and" | "or" => 0,
            _ => {
                let reason = format!("Helper not found {}", call.path.raw);
                return Err(Self::fault(
                    call,
                    RenderFaultKind::Helper(&call.path.raw),
                    &reason,
                ));
            }
        };
        let helper = HELPERS.iter().find(|h| **h == name).copied().unwrap_or("");
        for index in 0..needed {
            match values.get(index) {
                None | Some(Value::Missing) => return Err(Self::lacking(call, helper, index)),
                // It may be missing.
                Some(Value::Unknown) => self.is_open = true,
                Some(_) => {}
            }
        }
        Ok(match (name, values) {
            ("eq", [a, b, ..]) => a.equals(b),
            ("ne", [a, b, ..]) => a.equals(b).map(|equal| !equal),
            ("not", [a, ..]) => a.is_truthy().map(|truthy| !truthy),
            _ => None,
        })
    }

    fn partial(&mut self, call: &'a Call, content: Option<&'a Operand>) -> Rendering<'a, Option<String>> {
        self.operands(call)?;
        let content = content.map(|c| self.operand(call, c)).transpose()?;
        let name = &*call.path.raw;
        if name != "indent" {
            let reason = format!("Partial not found {name}");
            return Err(Self::fault(call, RenderFaultKind::Partial(name), &reason));
        }
        match content {
            // The partial looks for a variable of that name.
            None => {
                let own = Path {
                    names: vec!["content".into()],
                    ..Path::default()
                };
                match value::of_path(&self.scopes, &own, &mut self.budget) {
                    Ok(Value::Missing) => {
                        let said = "Error rendering \"indent\" line 1, col 1: Failed to access variable in strict mode \
                                    Some(\"content\")";
                        Err(RenderFault {
                            kind: RenderFaultKind::Other("the partial `indent` needs `content`".to_owned()),
                            place: call.place,
                            said: said.to_owned(),
                        })
                    }
                    Ok(Value::Unknown) | Err(_) => {
                        self.is_open = true;
                        Ok(None)
                    }
                    Ok(value) => Ok(value.shown()),
                }
            }
            Some(Value::Missing | Value::Null) => Ok(Some(String::new())),
            Some(value) => Ok(value.shown().filter(|text| !text.contains('\n'))),
        }
    }

    /// Enters a block, and gives the part to go on with.
    fn open(
        &mut self,
        call: &'a Call,
        at: usize,
        otherwise: Option<usize>,
        close: usize,
    ) -> Rendering<'a, Next> {
        let values = self.operands(call)?;
        let name = &*call.path.raw;
        if values.iter().any(|v| matches!(v, Value::Unknown)) {
            return Ok(Next::Stop);
        }
        let other = |run: &mut Self| {
            Next::Part(match otherwise {
                Some(part) => {
                    run.frames.push(Frame::Branch);
                    part + 1
                }
                None => close + 1,
            })
        };
        match name {
            "if" | "unless" | "each" | "with" => {}
            "lookup" | "raw" | "log" | "len" => return Ok(Next::Stop),
            _ => {
                return Ok(match self.holds(call, name, &values)? {
                    Some(true) => {
                        self.frames.push(Frame::Branch);
                        Next::Part(at + 1)
                    }
                    Some(false) => other(self),
                    None => Next::Stop,
                });
            }
        }
        let Some(value) = values.first() else {
            return Err(Self::lacking(call, if name == "unless" { "if" } else { name }, 0));
        };
        let Some(is_truthy) = value.is_truthy() else {
            return Ok(Next::Stop);
        };
        let strict = || match call.values.first() {
            Some(Operand::Path(path)) => Self::missing(call, path),
            _ => Self::fault(
                call,
                RenderFaultKind::Other(format!("`{name}` has no value to iterate over")),
                "Failed to access variable in strict mode None",
            ),
        };
        match name {
            "if" | "unless" => {
                if is_truthy == (name == "if") {
                    self.frames.push(Frame::Branch);
                    return Ok(Next::Part(at + 1));
                }
                Ok(other(self))
            }
            "with" if is_truthy && call.has_names => Ok(Next::Stop),
            "each" if call.has_names && value.items().is_some_and(|i| !i.is_empty()) => Ok(Next::Stop),
            "with" if is_truthy => match value.scope() {
                Some(scope) => {
                    self.scopes.push(scope);
                    self.frames.push(Frame::With);
                    Ok(Next::Part(at + 1))
                }
                None => Ok(Next::Stop),
            },
            "each" if matches!(value, Value::Root) => Ok(Next::Stop),
            "each" => match value.items() {
                Some(items) if items.is_empty() && otherwise.is_none() => Ok(Next::Part(close + 1)),
                Some(items) if !items.is_empty() => {
                    if value.is_unordered() && items.len() > 1 {
                        // In which order they come is not known.
                        self.out = None;
                    }
                    self.scopes.extend(items.first().cloned());
                    self.frames.push(Frame::Each {
                        items,
                        next: 1,
                        start: at + 1,
                    });
                    Ok(Next::Part(at + 1))
                }
                _ if otherwise.is_some() => Ok(other(self)),
                _ => Err(strict()),
            },
            _ if otherwise.is_some() => Ok(other(self)),
            _ => Err(strict()),
        }
    }
}
