//! Blocks: where one begins, continues with `{{else}}`, and ends.

use std::ops::Range;

use super::super::fault::SyntaxFault;
use super::super::tag::Cursor;
use super::super::{Arm, Body, Call, Name, Part};
use super::{Read, Reader, call};

/// Nesting depth of blocks; deeper ones are not evaluated.
const MAX_DEPTH: usize = 64;

/// A block that is open.
pub(super) struct Open<'t> {
    pub(super) name: &'t str,
    /// The parts around it.
    outer: Vec<Part>,
    kind: Kind,
}

enum Kind {
    Helper {
        arms: Vec<Arm>,
        /// The helper that the current parts belong to; `None` after `{{else}}`.
        next: Option<NextArm>,
    },
    Partial {
        call: Box<Call>,
        is_alone: bool,
    },
    Decorator {
        call: Box<Call>,
    },
}

struct NextArm {
    call: Box<Call>,
    names: Vec<Box<str>>,
    is_alone: bool,
}

impl<'t, P: FnMut(Range<usize>) -> u32> Reader<'t, P> {
    pub(super) fn block(&mut self, mut cursor: Cursor<'t>, open: usize, before: bool) -> Read<usize> {
        cursor.space();
        let (is_decorator, is_partial) = (cursor.eat("*"), cursor.eat(">"));
        cursor.space();
        let from = cursor.at;
        let (inner, names) = if is_partial {
            (call::partial(&mut cursor)?, Vec::new())
        } else {
            call::helper(&mut cursor)?
        };
        let name = match &inner.name {
            Name::Path(path) => self.slice(path.range.0..path.range.1),
            Name::Inner(_) => self.slice(from..cursor.at),
        };
        let call = self.call(&cursor, inner, open);
        let missing = match &names[..] {
            _ if is_partial => SyntaxFault::End,
            [] => SyntaxFault::BlockEnd,
            _ => SyntaxFault::Close,
        };
        let end = self.end(&mut cursor, before, missing)?;
        let is_alone = self.alone(&(open..end));
        self.trims_line = is_alone;
        let is_alone = is_alone && !before;
        self.out.is_open |= self.open.len() >= MAX_DEPTH;
        let kind = if is_decorator {
            Kind::Decorator { call }
        } else if is_partial {
            Kind::Partial { call, is_alone }
        } else {
            Kind::Helper {
                arms: Vec::new(),
                next: Some(NextArm {
                    call,
                    names,
                    is_alone,
                }),
            }
        };
        let outer = std::mem::take(&mut self.parts);
        self.open.push(Open { name, outer, kind });
        Ok(end)
    }

    /// `{{else}}`, `{{^}}`, and those followed by a helper; `None` if the tag is another one.
    pub(super) fn otherwise(
        &mut self,
        mut cursor: Cursor<'t>,
        open: usize,
        before: bool,
    ) -> Read<Option<usize>> {
        let start = cursor.at;
        if !(cursor.eat("else") || cursor.eat("^")) {
            return Ok(None);
        }
        cursor.space();
        let mut ahead = cursor.clone();
        let helper = if ahead.name().is_some() {
            Some(call::helper(&mut cursor)?)
        } else {
            None
        };
        let mut ahead = cursor.clone();
        ahead.tilde();
        if !ahead.eat("}}") {
            return Ok(None);
        }
        let is_followed = helper.is_some();
        let next = helper.map(|(inner, names)| (self.call(&cursor, inner, open), names));
        let end = self.end(&mut cursor, before, SyntaxFault::End)?;
        let is_alone = self.alone(&(open..end));
        self.trims_line = is_alone;
        let own = std::mem::take(&mut self.parts);
        let body = self.out.bodies.len();
        let Some(Open {
            kind: Kind::Helper {
                arms,
                next: slot @ Some(_),
            },
            ..
        }) = self.open.last_mut()
        else {
            return Err(stray_else(Cursor::new(self.text, start)));
        };
        self.out.bodies.push(own);
        // The library panics at `{{~else if x}}`.
        self.out.is_open |= is_followed && before;
        if let Some(arm) = slot.take() {
            arms.push(arm.with(body));
        }
        *slot = next.map(|(call, names)| NextArm {
            call,
            names,
            is_alone: is_alone && !before,
        });
        Ok(Some(end))
    }

    pub(super) fn close(&mut self, mut cursor: Cursor<'t>, open: usize, before: bool) -> Read<usize> {
        cursor.space();
        let Some(block) = self.open.pop() else {
            return Err((SyntaxFault::Name, open + 2));
        };
        let closed = match block.kind {
            Kind::Partial { .. } => cursor.partial_name(),
            _ => cursor.name(),
        };
        let closed = closed.map_or("", |range| cursor.slice(&range));
        let end = self.end(&mut cursor, before, SyntaxFault::End)?;
        self.trims_line = self.alone(&(open..end));
        let is_other = closed != block.name;
        let body = self.keep(block.outer);
        let (open_name, close_name): (Box<str>, Box<str>) = (block.name.into(), closed.into());
        let is_named_otherwise = is_other && !closed.is_empty();
        let (part, fault) = match block.kind {
            Kind::Helper { mut arms, next } => {
                let otherwise = next.is_none().then_some(body);
                arms.extend(next.map(|arm| arm.with(body)));
                let fault = is_other.then_some(SyntaxFault::Mismatch(open_name, close_name));
                (Part::Block { arms, otherwise }, fault)
            }
            Kind::Partial { call, is_alone } => {
                let part = Part::Partial {
                    call,
                    body: Some(body),
                    indent: None,
                    is_alone,
                };
                let fault =
                    is_named_otherwise.then_some(SyntaxFault::DecoratorMismatch(open_name, close_name));
                (part, fault)
            }
            Kind::Decorator { call } => {
                let body = Some(body);
                let fault =
                    is_named_otherwise.then_some(SyntaxFault::DecoratorMismatch(open_name, close_name));
                (Part::Decorator { call, body }, fault)
            }
        };
        self.parts.push(part);
        if let Some(fault) = fault {
            self.later.get_or_insert((fault, open));
        }
        Ok(end)
    }

    /// A block of four braces: its text is kept verbatim.
    pub(super) fn raw(&mut self, open: usize) -> Read<usize> {
        let missing = (SyntaxFault::Raw, self.text.len());
        let mut cursor = Cursor::new(self.text, open + 4);
        let before = cursor.tilde();
        cursor.space();
        let (inner, names) = call::helper(&mut cursor)?;
        let behind = cursor.tilde();
        cursor.space();
        if !cursor.eat("}}}}") {
            return Err(cursor.furthest(SyntaxFault::BlockEnd, cursor.at));
        }
        let call = self.call(&cursor, inner, open);
        self.tildes((before, behind));
        let is_alone = self.alone(&(open..cursor.at));
        self.trims_line = is_alone;
        cursor.space();
        let from = cursor.at;
        let (mut at, mut escapes) = (from, Vec::new());
        let end = loop {
            let found = self
                .slice(at..self.text.len())
                .find("{{")
                .ok_or(missing.clone())?;
            let here = at + found;
            let text = self.slice(at..here);
            let slashes = text.len() - text.trim_end_matches('\\').len();
            let is_long = self.slice(here..self.text.len()).starts_with("{{{{");
            if slashes > 0 {
                escapes.push(here - slashes);
            }
            match (slashes, is_long) {
                (1, true) => at = here + 4,
                (_, true) => break here,
                _ => at = here + 2,
            }
        };
        let outer = std::mem::take(&mut self.parts);
        self.end = from;
        self.push_text(from..end, &escapes);
        let mut cursor = Cursor::new(self.text, end + 4);
        let before = cursor.tilde();
        cursor.space();
        if !cursor.eat("/") {
            return Err(missing);
        }
        cursor.space();
        let closed = cursor.name().map_or("", |range| cursor.slice(&range));
        let named = cursor.at;
        let behind = cursor.tilde();
        cursor.space();
        if !cursor.eat("}}}}") {
            return Err((SyntaxFault::Close, named));
        }
        self.tildes((before, behind));
        self.trims_line = self.alone(&(end..cursor.at));
        let name = call.name();
        if *name != *closed {
            let fault = SyntaxFault::Mismatch(name.into(), closed.into());
            self.later.get_or_insert((fault, end));
        }
        let body = self.keep(outer);
        let arm = Arm {
            call,
            names,
            body,
            is_alone: is_alone && !before,
        };
        self.parts.push(Part::Block {
            arms: vec![arm],
            otherwise: None,
        });
        Ok(cursor.at)
    }

    /// Ends a run of parts, and continues with those around it.
    fn keep(&mut self, outer: Vec<Part>) -> Body {
        let own = std::mem::replace(&mut self.parts, outer);
        self.out.bodies.push(own);
        self.out.bodies.len() - 1
    }
}

impl NextArm {
    fn with(self, body: Body) -> Arm {
        Arm {
            call: self.call,
            names: self.names,
            body,
            is_alone: self.is_alone,
        }
    }
}

impl Call {
    /// The callee, as it is written.
    fn name(&self) -> &str {
        match &self.inner.name {
            Name::Path(path) => &path.raw,
            Name::Inner(_) => "",
        }
    }
}

/// `{{else}}` or `{{^}}` outside a block: the library continues as far as there are names.
pub(super) fn stray_else(mut cursor: Cursor<'_>) -> (SyntaxFault, usize) {
    let start = cursor.at;
    let is_sign = cursor.eat("^");
    if !is_sign {
        cursor.eat("else");
    }
    cursor.space();
    let first = cursor.at;
    while cursor.name().is_some() {
        cursor.space();
    }
    let is_trimmed = cursor.rest().starts_with('~');
    let ends = cursor.rest().starts_with("}}");
    let (expected, at) = match (cursor.at > first, is_trimmed) {
        (true, false) => ("expected keywords", cursor.at),
        (true, true) => (
            "unexpected trailing_tilde_to_omit_whitespace; expected keywords",
            cursor.at,
        ),
        (false, true) => ("unexpected trailing_tilde_to_omit_whitespace", cursor.at),
        (false, false) if is_sign && !ends => (
            "unexpected invert_tag_item; expected identifier, subexpression, leading_tilde_to_omit_whitespace, or \
             path_inline",
            start,
        ),
        (false, false) => (
            "unexpected invert_tag_item; expected leading_tilde_to_omit_whitespace",
            start,
        ),
    };
    (SyntaxFault::Else(expected), at)
}
