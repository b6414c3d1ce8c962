//! The evaluation of a template by the library.
//!
//! Source: handlebars-rust 6.4.0 in strict mode: a variable that is printed, iterated or entered must exist;
//! conditions and values of some helpers may be missing. The output of a partial alone on its line is indented
//! like the partial.

mod halt;
mod partial;

use applyorder_core::layer::Budget;
use rustc_hash::FxHashMap;

pub(super) use halt::{Halt, Rendering};

use halt::Fault;

use super::value::{NoIndex, Value};
use super::{Outcome, RenderFault, RenderFaultKind};
use crate::read::template::{self, Arm, Body, Call, Inner, Name, Operand, Part, Path, Template};

/// The maximum number of parts that are evaluated, and of entries of configs: nested loops can make a small
/// text large. What follows is not evaluated.
const MAX_STEPS: u64 = 1_000_000;
/// The maximum number of bytes that are printed.
const MAX_TEXT: usize = 4 << 20;
/// Nested blocks and partials; deeper ones are not evaluated.
const MAX_DEPTH: usize = 100;

/// The library's name of an unnamed template.
const UNNAMED: &str = "Unnamed template";

pub(super) fn run<'a>(root: Value<'a>, template: &'a Template) -> Outcome<'a> {
    let mut run = Run {
        template,
        scopes: vec![Scope::new(root.clone())],
        root,
        partials: FxHashMap::default(),
        partial_blocks: Vec::new(),
        current: None,
        out: vec![Out::default()],
        ends_line: false,
        has_printed: false,
        indents_next: false,
        indent: None,
        is_open: false,
        depth: 0,
        budget: Budget::new(MAX_STEPS),
    };
    let fault = match run.parts(template.whole(), UNNAMED) {
        Ok(()) => None,
        Err(Halt::Open) => {
            run.is_open = true;
            None
        }
        Err(Halt::Fault(fault)) => {
            let ((line, column), name) = fault.at.unwrap_or(((1, 1), UNNAMED));
            Some(RenderFault {
                said: format!(
                    "Error rendering \"{name}\" line {line}, col {column}: {}",
                    fault.reason
                ),
                place: fault.place.unwrap_or(0),
                kind: fault.kind,
            })
        }
    };
    let is_open = run.is_open;
    let text = run
        .out
        .pop()
        .filter(|out| out.is_known && !is_open && fault.is_none());
    Outcome {
        text: text.map(|out| out.text),
        fault,
        is_open,
    }
}

/// The scope in which names are looked up.
pub(super) struct Scope<'a> {
    pub(super) value: Value<'a>,
    /// The names that a block gives.
    pub(super) names: Vec<(&'a str, Value<'a>)>,
    /// The variables of a loop, by their names without `@`.
    pub(super) locals: Vec<(&'static str, Value<'a>)>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(value: Value<'a>) -> Self {
        Self {
            value,
            names: Vec::new(),
            locals: Vec::new(),
        }
    }
}

/// The output.
#[derive(Clone)]
struct Out {
    text: String,
    /// Whether all of it is known.
    is_known: bool,
}

impl Default for Out {
    fn default() -> Self {
        Self {
            text: String::new(),
            is_known: true,
        }
    }
}

pub(super) struct Run<'a> {
    template: &'a Template,
    root: Value<'a>,
    /// The innermost last.
    pub(super) scopes: Vec<Scope<'a>>,
    /// Partials that are defined in the template itself.
    partials: FxHashMap<String, Body>,
    /// The values of `@partial-block`, innermost last.
    partial_blocks: Vec<Option<Out>>,
    /// The name of the current template, if it has one.
    current: Option<&'static str>,
    out: Vec<Out>,
    /// Whether the output ends with a line break.
    ends_line: bool,
    /// Whether something was printed.
    has_printed: bool,
    /// Whether the next text indents itself.
    indents_next: bool,
    indent: Option<String>,
    is_open: bool,
    depth: usize,
    pub(super) budget: Budget,
}

/// The values of a call.
pub(super) struct Given<'a> {
    pub(super) listed: Vec<(Value<'a>, Option<&'a Path>)>,
    pub(super) named: Vec<(&'a str, Value<'a>)>,
}

/// Where a block continues.
pub(super) enum Flow {
    Done,
    Otherwise,
}

impl<'a> Run<'a> {
    pub(super) fn body(&mut self, body: Body) -> Rendering<'a, ()> {
        let template = self.template;
        self.parts(template.bodies.get(body).map_or(&[], Vec::as_slice), UNNAMED)
    }

    fn parts(&mut self, parts: &'a [Part], name: &'static str) -> Rendering<'a, ()> {
        self.current = (name != UNNAMED).then_some(name);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Halt::Open);
        }
        for part in parts {
            if !self.budget.spend(1) {
                return Err(Halt::Open);
            }
            let done = self.part(part);
            done.map_err(|halt| halt.at(part, name))?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn part(&mut self, part: &'a Part) -> Rendering<'a, ()> {
        match part {
            Part::Text(text) => self.print(Some(text)),
            Part::Comment => {}
            Part::Print(call) => self.printed(call)?,
            Part::Block { arms, otherwise } => self.block(arms, *otherwise)?,
            Part::Partial {
                call,
                body,
                indent,
                is_alone,
            } => {
                let (indents_next, has_printed) = (self.indents_next, self.has_printed);
                let name = self.name(&call.inner)?;
                let given = self.given(&call.inner)?;
                let outer = self.indent.clone();
                let own = match (&outer, indent) {
                    (None, None) => None,
                    (a, b) => Some(format!(
                        "{}{}",
                        a.as_deref().unwrap_or(""),
                        b.as_deref().unwrap_or("")
                    )),
                };
                self.indents_next = *is_alone && (self.ends_line || indent.is_some());
                self.has_printed = false;
                self.partial(call, &name, given, *body, own)?;
                self.indent = outer;
                self.after(indents_next, has_printed);
            }
            Part::Decorator { call, body } => self.decorator(call, *body)?,
        }
        Ok(())
    }

    /// What is known of indents after a helper or partial.
    fn after(&mut self, indents_next: bool, has_printed: bool) {
        if self.has_printed {
            self.indents_next = self.ends_line;
        } else {
            (self.indents_next, self.has_printed) = (indents_next, has_printed);
        }
    }

    fn write(&mut self, text: &str) {
        if let Some(out) = self.out.last_mut() {
            out.text.push_str(text);
            if out.text.len() > MAX_TEXT {
                out.text.clear();
                out.is_known = false;
            }
        }
    }

    /// Prints a text without indentation.
    pub(super) fn write_raw(&mut self, text: &str) {
        self.write(text);
    }

    /// Prints a text, indented if required; `None`: an unknown one.
    pub(super) fn print(&mut self, text: Option<&str>) {
        let Some(text) = text else {
            if let Some(out) = self.out.last_mut() {
                out.is_known = false;
            }
            return;
        };
        if text.is_empty() {
            return;
        }
        let is_break = |c| c == '\n' || c == '\r';
        self.has_printed = true;
        if let Some(indent) = self.indent.clone() {
            if !text.starts_with(is_break) && self.indents_next {
                self.write(&indent);
            }
            let mut lines = text.split_inclusive('\n').peekable();
            while let Some(line) = lines.next() {
                self.write(line);
                if lines.peek().is_some() {
                    self.write(&indent);
                }
            }
        } else {
            self.write(text);
        }
        self.ends_line = text.ends_with(is_break);
        self.indents_next = self.ends_line;
    }

    /// The value of a path.
    pub(super) fn path(&mut self, path: &'a Path) -> Rendering<'a, Value<'a>> {
        let up = |run: &Self| run.scopes.len().checked_sub(path.ups + 1);
        if let Some(local) = &path.local {
            let scope = up(self).and_then(|at| self.scopes.get(at));
            let found = scope.and_then(|s| s.locals.iter().find(|(name, _)| **name == **local));
            return Ok(found.map_or(Value::Missing, |(_, value)| value.clone()));
        }
        let given = path
            .names
            .first()
            .filter(|_| !path.hides_names)
            .and_then(|first| {
                let scopes = self.scopes.iter().rev();
                let mut named = scopes.flat_map(|s| s.names.iter());
                named
                    .find(|(name, _)| **name == **first)
                    .map(|(_, value)| value.clone())
            });
        let skipped = usize::from(given.is_some());
        let mut value = match given {
            Some(value) => value,
            None if path.is_root => self.root.clone(),
            None => {
                let scope = up(self).and_then(|at| self.scopes.get(at)).or(self.scopes.last());
                scope.map_or(Value::Missing, |s| s.value.clone())
            }
        };
        for name in path.names.iter().skip(skipped) {
            value = match value.get(name, &mut self.budget) {
                Ok(value) => value,
                Err(NoIndex) => {
                    return Err(Halt::Fault(Fault {
                        kind: RenderFaultKind::Variable(path),
                        place: Some(path.place),
                        reason: format!("Cannot access array/vector with string index, {name}"),
                        at: None,
                    }));
                }
            };
        }
        Ok(value)
    }

    fn operand(&mut self, operand: &'a Operand) -> Rendering<'a, (Value<'a>, Option<&'a Path>)> {
        Ok(match operand {
            Operand::Path(path) => match self.path(path)? {
                // It may be missing, which is an error in most helpers.
                Value::Unknown => return Err(Halt::Open),
                value => (value, Some(path)),
            },
            Operand::Json(json) => (Value::Json(json.clone().into()), None),
            Operand::Inner(inner) => (self.made(inner)?, None),
        })
    }

    pub(super) fn given(&mut self, inner: &'a Inner) -> Rendering<'a, Given<'a>> {
        let values = &inner.values;
        let listed = values.listed.iter().map(|o| self.operand(o));
        let listed = listed.collect::<Rendering<'a, Vec<_>>>()?;
        let named = values.named.iter();
        let named = named.map(|(name, o)| Ok((&**name, self.operand(o)?.0)));
        Ok(Given {
            listed,
            named: named.collect::<Rendering<'a, Vec<_>>>()?,
        })
    }

    /// The name of the callee.
    fn name(&mut self, inner: &'a Inner) -> Rendering<'a, String> {
        match &inner.name {
            Name::Path(path) => Ok(path.raw.to_string()),
            Name::Inner(inner) => {
                let value = self.made(inner)?;
                value.shown(&mut self.budget).ok_or(Halt::Open)
            }
        }
    }

    /// The value of a helper in parentheses.
    fn made(&mut self, inner: &'a Inner) -> Rendering<'a, Value<'a>> {
        let name = self.name(inner)?;
        let given = self.given(inner)?;
        if let Some(value) = self.value_of(inner, &name, &given)? {
            return Ok(value);
        }
        self.check_statement(inner, &name, &given)?;
        Ok(Value::text(""))
    }

    fn printed(&mut self, call: &'a Call) -> Rendering<'a, ()> {
        let inner = &call.inner;
        let name = self.name(inner)?;
        if inner.values.is_empty() && !template::HELPERS.contains(&&*name) {
            let text = match &inner.name {
                // The text of its value.
                Name::Inner(_) => Some(name),
                Name::Path(path) => match self.path(path)? {
                    Value::Missing => return Err(Halt::missing(Some(path), "")),
                    value => {
                        self.is_open |= matches!(value, Value::Unknown);
                        value.shown(&mut self.budget)
                    }
                },
            };
            self.print(text.as_deref());
            return Ok(());
        }
        let (indents_next, has_printed) = (self.indents_next, self.has_printed);
        let given = self.given(inner)?;
        self.has_printed = false;
        match self.value_of(inner, &name, &given)? {
            Some(value) => self.print_made(&name, &value),
            None => self.check_statement(inner, &name, &given)?,
        }
        self.after(indents_next, has_printed);
        Ok(())
    }

    /// Prints the value of a helper.
    pub(super) fn print_made(&mut self, name: &str, value: &Value<'a>) {
        let text = value.shown(&mut self.budget);
        match (name, text) {
            ("lookup" | "len", text) => self.print(text.as_deref()),
            (_, Some(text)) => self.write_raw(&text),
            (_, None) => self.print(None),
        }
    }

    fn block(&mut self, arms: &'a [Arm], otherwise: Option<Body>) -> Rendering<'a, ()> {
        let (indents_next, has_printed) = (self.indents_next, self.has_printed);
        let mut is_last = true;
        for (number, arm) in arms.iter().enumerate() {
            let name = self.name(&arm.call.inner)?;
            let given = self.given(&arm.call.inner)?;
            self.has_printed = false;
            self.indents_next |= arm.is_alone && self.ends_line;
            let has_more = number + 1 < arms.len() || otherwise.is_some();
            if let Flow::Done = self.enter(arm, &name, given, has_more)? {
                is_last = false;
                break;
            }
        }
        if is_last && let Some(body) = otherwise {
            self.body(body)?;
        }
        self.after(indents_next, has_printed);
        Ok(())
    }
}
