//! The built-in helpers of the library.

use std::cmp::Ordering;

use super::RenderFaultKind;
use super::run::{Flow, Given, Halt, Rendering, Run, Scope};
use super::value::Value;
use crate::read::template::{Arm, HELPERS, Inner, Name, Path};

/// Where a helper is written, if it has a name.
fn place(inner: &Inner) -> u32 {
    match &inner.name {
        Name::Path(path) => path.place,
        // It has the place of its tag.
        Name::Inner(_) => 0,
    }
}

impl<'a> Run<'a> {
    /// The value of a helper; `None` for those without one.
    pub(super) fn value_of(
        &mut self,
        inner: &'a Inner,
        name: &str,
        given: &Given<'a>,
    ) -> Rendering<'a, Option<Value<'a>>> {
        let place = place(inner);
        let needed = |index: usize| match given.listed.get(index) {
            Some((Value::Missing, _)) | None => Err(Halt::lacking(place, name, index)),
            Some((value, _)) => Ok(value),
        };
        let truthy = |value: &Value<'a>| value.is_truthy(false).ok_or(Halt::Open);
        let made = match name {
            "eq" | "ne" => {
                let (a, b) = (needed(0)?, needed(1)?);
                let is_same = a.equals(b, &mut self.budget).ok_or(Halt::Open)?;
                Value::bool(is_same == (name == "eq"))
            }
            "gt" | "gte" | "lt" | "lte" => {
                let order = needed(0)?.compare(needed(1)?).ok_or(Halt::Open)?;
                Value::bool(match name {
                    "gt" => order == Some(Ordering::Greater),
                    "gte" => order.is_some_and(Ordering::is_ge),
                    "lt" => order == Some(Ordering::Less),
                    _ => order.is_some_and(Ordering::is_le),
                })
            }
            "not" => Value::bool(!truthy(needed(0)?)?),
            "and" | "or" => {
                let mut all = given.listed.iter().map(|(value, _)| truthy(value));
                let is_and = name == "and";
                let decides = all.find(|holds| holds.as_ref().map_or(true, |holds| *holds != is_and));
                match decides {
                    Some(holds) => Value::bool(holds?),
                    None => Value::bool(is_and),
                }
            }
            "len" => match given.listed.first() {
                None | Some((Value::Missing, _)) => {
                    let reason = "Helper/Decorator len param with name x required but not found";
                    return Err(Halt::words(place, "`len` needs a value", reason));
                }
                Some((value, _)) => Value::number(value.len().ok_or(Halt::Open)?),
            },
            "lookup" => {
                let value = |index: usize| given.listed.get(index).map(|(value, _)| value);
                let of = value(0).ok_or_else(|| Halt::lacking(place, name, 0))?;
                let key = value(1).ok_or_else(|| Halt::lacking(place, name, 1))?;
                match of.entry(key, &mut self.budget) {
                    Value::Missing => return Err(Halt::missing(None, "`lookup` finds no value")),
                    Value::Unknown => return Err(Halt::Open),
                    found => found,
                }
            }
            _ if HELPERS.contains(&name) => return Ok(None),
            _ => {
                let kind = match &inner.name {
                    Name::Path(path) => RenderFaultKind::Helper(&path.raw),
                    Name::Inner(_) => RenderFaultKind::Other(format!("unknown helper `{name}`")),
                };
                return Err(Halt::fault(kind, place, format!("Helper not found {name}")));
            }
        };
        Ok(Some(made))
    }

    /// Checks the values of a block helper that is not written as a block.
    pub(super) fn check_statement(
        &mut self,
        inner: &'a Inner,
        name: &str,
        given: &Given<'a>,
    ) -> Rendering<'a, ()> {
        let place = place(inner);
        match (name, given.listed.first()) {
            ("if" | "unless", None) => Err(Halt::lacking(place, "if", 0)),
            ("each" | "with", None) => Err(Halt::lacking(place, name, 0)),
            ("with", Some((value, path))) => match value.is_truthy(false) {
                Some(true) => Ok(()),
                Some(false) => Err(missing(*path, name)),
                None => Err(Halt::Open),
            },
            ("log", _) => self.log(place, given),
            _ => Ok(()),
        }
    }

    fn log(&mut self, place: u32, given: &Given<'a>) -> Rendering<'a, ()> {
        let level = given.named.iter().find(|(name, _)| *name == "level");
        let level = level.and_then(|(_, value)| value.as_text()).unwrap_or("info");
        let levels = ["error", "warn", "info", "debug", "trace"];
        if levels.iter().any(|known| known.eq_ignore_ascii_case(level)) {
            return Ok(());
        }
        Err(Halt::words(
            place,
            &format!("unknown level `{level}` of `log`"),
            &format!("Invalid logging level: {level}"),
        ))
    }

    /// Enters the body of a block helper, or returns that what follows `{{else}}` is next.
    pub(super) fn enter(
        &mut self,
        arm: &'a Arm,
        name: &str,
        given: Given<'a>,
        has_otherwise: bool,
    ) -> Rendering<'a, Flow> {
        let inner = &arm.call.inner;
        if let Some(value) = self.value_of(inner, name, &given)? {
            if matches!(name, "lookup" | "len") {
                self.print_made(name, &value);
                return Ok(Flow::Done);
            }
            return self.branch(arm, value.is_truthy(false) == Some(true));
        }
        match name {
            "raw" => {
                self.body(arm.body)?;
                return Ok(Flow::Done);
            }
            "log" => {
                self.check_statement(inner, name, &given)?;
                return Ok(Flow::Done);
            }
            _ => {}
        }
        let Some((value, path)) = given.listed.first() else {
            let helper = if name == "unless" { "if" } else { name };
            return Err(Halt::lacking(place(inner), helper, 0));
        };
        match name {
            "if" | "unless" => {
                let zero = given.named.iter().find(|(name, _)| *name == "includeZero");
                let includes_zero = zero.is_some_and(|(_, value)| value.as_bool());
                let holds = value.is_truthy(includes_zero).ok_or(Halt::Open)?;
                self.branch(arm, holds == (name == "if"))
            }
            "with" => {
                if value.is_truthy(false).ok_or(Halt::Open)? {
                    let mut scope = Scope::new(value.clone());
                    if let [own] = &*arm.names {
                        scope.names.push((own, value.clone()));
                    }
                    self.scopes.push(scope);
                    self.body(arm.body)?;
                    self.scopes.pop();
                    return Ok(Flow::Done);
                }
                if has_otherwise {
                    return Ok(Flow::Otherwise);
                }
                Err(missing(*path, name))
            }
            _ => self.each(arm, (value, *path), has_otherwise),
        }
    }

    fn branch(&mut self, arm: &'a Arm, holds: bool) -> Rendering<'a, Flow> {
        if !holds {
            return Ok(Flow::Otherwise);
        }
        self.body(arm.body)?;
        Ok(Flow::Done)
    }

    fn each(
        &mut self,
        arm: &'a Arm,
        (value, path): (&Value<'a>, Option<&'a Path>),
        has_otherwise: bool,
    ) -> Rendering<'a, Flow> {
        if !value.is_known() {
            return Err(Halt::Open);
        }
        let items = match value.items(&mut self.budget) {
            Some(items) if !items.is_empty() || !has_otherwise => items,
            _ if has_otherwise => return Ok(Flow::Otherwise),
            _ => return Err(missing(path, "each")),
        };
        let count = items.len();
        let depth = self.scopes.len();
        for (number, (key, item)) in items.into_iter().enumerate() {
            let index = Value::number(number);
            let key = key.map(|key| Value::text(key.into_string()));
            let mut scope = Scope::new(item.clone());
            if let [own, rest @ ..] = &*arm.names {
                scope.names.push((own, item));
                let second = rest
                    .first()
                    .map(|name| (&**name, key.clone().unwrap_or(index.clone())));
                scope.names.extend(second);
            }
            scope.locals = vec![
                ("first", Value::bool(number == 0)),
                ("last", Value::bool(number + 1 == count)),
                ("index", index),
            ];
            scope.locals.extend(key.map(|key| ("key", key)));
            self.scopes.push(scope);
            self.body(arm.body)?;
            self.scopes.truncate(depth);
        }
        Ok(Flow::Done)
    }
}

/// What is iterated or entered must exist.
fn missing<'a>(path: Option<&'a Path>, name: &str) -> Halt<'a> {
    Halt::missing(path, &format!("`{name}` has no value to go through"))
}
