//! Partials: those of Ankaios, and those that a template defines.

use std::sync::LazyLock;

use super::super::RenderFaultKind;
use super::super::value::Value;
use super::halt::{Fault, Halt, Rendering};
use super::{Given, Out, Run, Scope, UNNAMED};
use crate::read::template::{self, Body, Call, Name, Part, Template};

/// The partial that Ankaios defines.
static INDENT: LazyLock<Template> = LazyLock::new(|| template::read("{{content}}", |_| 0));
const INDENT_NAME: &str = "indent";

impl<'a> Run<'a> {
    pub(super) fn partial(
        &mut self,
        call: &'a Call,
        name: &str,
        given: Given<'a>,
        body: Option<Body>,
        indent: Option<String>,
    ) -> Rendering<'a, ()> {
        if let Some(body) = body {
            self.declare(body)?;
        }
        let (current, template) = (self.current, self.template);
        if current == Some(name) {
            return Err(Halt::words(
                call.place,
                "a partial includes itself",
                "Can not include current template in partial",
            ));
        }
        if name == "@partial-block" {
            let Some(Some(content)) = self.partial_blocks.last().cloned() else {
                return Err(Halt::words(
                    call.place,
                    "there is no `@partial-block` here",
                    "Partial block cound not be found",
                ));
            };
            match content.is_known {
                true => self.write_raw(&content.text),
                false => self.print(None),
            }
            return Ok(());
        }
        let (parts, of) = match (self.partials.get(name).copied(), body) {
            (Some(own), _) => (template.bodies.get(own).map_or(&[][..], Vec::as_slice), UNNAMED),
            (None, _) if name == INDENT_NAME => (INDENT.whole(), INDENT_NAME),
            (None, Some(body)) => (template.bodies.get(body).map_or(&[][..], Vec::as_slice), UNNAMED),
            (None, None) => {
                let kind = match &call.inner.name {
                    Name::Path(path) => RenderFaultKind::Partial(&path.raw),
                    Name::Inner(_) => RenderFaultKind::Other(format!("unknown partial `{name}`")),
                };
                return Err(Halt::Fault(Fault {
                    kind,
                    place: Some(call.place),
                    reason: format!("Partial not found {name}"),
                    at: None,
                }));
            }
        };
        let content = match body {
            Some(body) => {
                self.out.push(Out::default());
                self.body(body)?;
                self.out.pop()
            }
            None => None,
        };
        self.partial_blocks.push(content);
        let base = match given.listed.into_iter().next() {
            Some((value, _)) => value,
            None => self
                .scopes
                .last()
                .map_or(Value::Missing, |scope| scope.value.clone()),
        };
        let scope = Scope::new(base.with(given.named));
        let around = std::mem::replace(&mut self.scopes, vec![scope]);
        self.indent = indent;
        let done = self.parts(parts, of);
        if of == INDENT_NAME {
            done.map_err(|halt| halt.in_indent(call.place))?;
        } else {
            done?;
        }
        self.partial_blocks.pop();
        self.scopes = around;
        self.current = current;
        Ok(())
    }

    /// Registers the partials that a block defines, before it is evaluated.
    fn declare(&mut self, body: Body) -> Rendering<'a, ()> {
        let template = self.template;
        for part in template.bodies.get(body).into_iter().flatten() {
            if let Part::Decorator { call, body } = part {
                let done = self.decorator(call, *body);
                done.map_err(|halt| halt.at(part, UNNAMED))?;
            }
        }
        Ok(())
    }

    pub(super) fn decorator(&mut self, call: &'a Call, body: Option<Body>) -> Rendering<'a, ()> {
        let given = self.given(&call.inner)?;
        let name = self.name(&call.inner)?;
        if name != "inline" {
            return Err(Halt::words(
                call.place,
                &format!("unknown decorator `{name}`"),
                &format!("Decorator not found {name}"),
            ));
        }
        let Some((value, _)) = given.listed.first() else {
            return Err(Halt::lacking(call.place, "inline", 0));
        };
        if !value.is_known() {
            return Err(Halt::Open);
        }
        let Some(partial) = value.as_text() else {
            return Err(Halt::words(
                call.place,
                "the name of a partial is a text",
                "Invalid param type, String expected",
            ));
        };
        let Some(body) = body else {
            return Err(Halt::words(
                call.place,
                "`inline` is a block",
                "Block content required",
            ));
        };
        self.partials.insert(partial.to_owned(), body);
        Ok(())
    }
}
