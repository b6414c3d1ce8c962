//! The way through a template: text and tags, blocks in each other, and the white space around tags that goes.

use std::ops::Range;

use super::fault::SyntaxFault;
use super::tag::{Cursor, is_space};
use super::{Arm, Body, Call, Inner, Name, Operand, Part, Path, Template, Values};

/// Blocks within each other; deeper ones are not followed.
const MAX_DEPTH: usize = 64;

type Read<T> = Result<T, (SyntaxFault, usize)>;

pub(super) struct Reader<'t, P> {
    text: &'t str,
    place: P,
    out: Template,
    /// The parts of the innermost block.
    parts: Vec<Part>,
    open: Vec<Open<'t>>,
    /// Where what was taken ends.
    end: usize,
    /// Whether the tag before takes away all white space behind it.
    trims_next: bool,
    /// Whether the tag before stands alone, and so takes the rest of its line with it.
    trims_line: bool,
    /// What the library finds when it goes through what its grammar accepted.
    later: Option<(SyntaxFault, usize)>,
    /// No comment is closed by `--}}` any more.
    no_long_comment: bool,
    /// The last offset whose line and column were asked for, with them.
    known: (usize, (usize, usize)),
}

/// A block that is open.
struct Open<'t> {
    name: &'t str,
    /// What is around it.
    outer: Vec<Part>,
    kind: Kind,
}

enum Kind {
    Helper {
        arms: Vec<Arm>,
        /// The helper that the parts at hand belong to; none behind `{{else}}`.
        next: Option<NextArm>,
    },
    Partial {
        call: Call,
        is_alone: bool,
    },
    Decorator {
        call: Call,
    },
}

struct NextArm {
    call: Call,
    names: Vec<Box<str>>,
    is_alone: bool,
}

impl<'t, P: FnMut(Range<usize>) -> u32> Reader<'t, P> {
    pub(super) fn new(text: &'t str, place: P) -> Self {
        Self {
            text,
            place,
            out: Template::default(),
            parts: Vec::new(),
            open: Vec::new(),
            end: 0,
            trims_next: false,
            trims_line: false,
            later: None,
            no_long_comment: false,
            known: (0, (1, 1)),
        }
    }

    pub(super) fn read(mut self) -> Template {
        let fault = self.all().err().or(self.later.take());
        if let Some((fault, at)) = fault {
            let end = (at..self.text.len()).find(|i| self.text.is_char_boundary(*i) && *i > at);
            let from = if at < self.text.len() {
                at
            } else {
                self.text.rfind("{{").unwrap_or(at)
            };
            let place = (self.place)(from..end.unwrap_or(self.text.len()).max(from));
            self.out.fault = Some(fault.fault(self.text, at, place));
        }
        self.out.bodies.push(std::mem::take(&mut self.parts));
        self.out
    }

    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or("")
    }

    fn all(&mut self) -> Read<()> {
        let mut at = 0;
        // Backslashes that escape what is behind them, and so go.
        let mut escapes: Vec<usize> = Vec::new();
        while let Some(found) = self.slice(at..self.text.len()).find("{{") {
            let open = at + found;
            let before = self.slice(self.end.max(at)..open);
            let slashes = before.len() - before.trim_end_matches('\\').len();
            if slashes > 0 {
                escapes.push(open - slashes);
            }
            if slashes == 1 {
                // An escaped tag stays text.
                let is_long = self.slice(open..self.text.len()).starts_with("{{{{");
                at = open + if is_long { 4 } else { 2 };
                continue;
            }
            self.push_text(self.end..open, &escapes);
            escapes.clear();
            self.out.has_braces = true;
            self.end = self.tag(open)?;
            at = self.end;
        }
        self.push_text(self.end..self.text.len(), &escapes);
        match self.open.first() {
            Some(open) => Err((SyntaxFault::Open(open.name.into()), self.text.len())),
            None => Ok(()),
        }
    }

    fn push_text(&mut self, range: Range<usize>, escapes: &[usize]) {
        let text = self.slice(range.clone());
        if text.is_empty() || self.trims_next && range.start > 0 && text.chars().all(is_space) {
            return;
        }
        let mut kept = String::with_capacity(text.len());
        let mut from = range.start;
        for slash in escapes {
            kept.push_str(self.slice(from..*slash));
            from = slash + 1;
        }
        kept.push_str(self.slice(from..range.end));
        let kept = if self.trims_next {
            kept.trim_start()
        } else if self.trims_line {
            let kept = kept.trim_start_matches(is_blank);
            kept.strip_prefix("\r\n")
                .or_else(|| kept.strip_prefix('\n'))
                .unwrap_or(kept)
        } else {
            &kept
        };
        self.trims_line = false;
        self.parts.push(Part::Text(kept.into()));
    }

    /// Takes away what the last text ends with.
    fn trim_before(&mut self, trims: impl Fn(&str) -> &str) {
        if let Some(Part::Text(text)) = self.parts.last_mut() {
            *text = trims(text).into();
        }
    }

    /// Whether a tag stands on a line of its own. Then the white space before it goes, and later the line break behind.
    fn alone(&mut self, tag: &Range<usize>) -> bool {
        let behind = self.slice(tag.end..self.text.len());
        let ends_line = behind.is_empty() || behind.trim_start_matches(is_blank).starts_with(is_break);
        let before = self.slice(0..tag.start).trim_end_matches(is_blank);
        let starts_line = before.is_empty() || before.ends_with(is_break);
        if ends_line && starts_line {
            self.trim_before(|text| text.trim_end_matches(is_blank));
        }
        ends_line && starts_line
    }

    /// What comes before a tag counts: `~` takes away white space before it, and at its end that behind it.
    fn tildes(&mut self, (before, behind): (bool, bool)) {
        if before {
            self.trim_before(str::trim_end);
        }
        self.trims_next = behind;
    }

    /// Line and column of an offset behind the one asked for before.
    fn position(&mut self, offset: usize) -> (usize, usize) {
        let (from, (line, column)) = self.known;
        let between = self.slice(from..offset);
        let lines = between.matches('\n').count();
        let at = match between.rsplit_once('\n') {
            Some((_, last)) => (line + lines, last.chars().count() + 1),
            None => (line, column + between.chars().count()),
        };
        self.known = (offset, at);
        at
    }

    fn call(&mut self, cursor: &Cursor<'t>, mut inner: Inner, open: usize) -> Call {
        if let Some(wrong) = &cursor.wrong {
            let text = self.slice(wrong.clone()).into();
            self.later.get_or_insert((SyntaxFault::Value(text), wrong.start));
        }
        self.out.is_open |= cursor.is_deep;
        self.place_inner(&mut inner);
        let mut name = &inner.name;
        while let Name::Inner(inner) = name {
            name = &inner.name;
        }
        let place = match name {
            Name::Path(path) => path.place,
            Name::Inner(_) => 0,
        };
        Call {
            inner,
            place,
            at: self.position(open),
        }
    }

    /// Numbers the places of all paths. As deep as values are read at most.
    fn place_inner(&mut self, inner: &mut Inner) {
        match &mut inner.name {
            Name::Path(path) => self.place_path(path),
            Name::Inner(inner) => self.place_inner(inner),
        }
        let values = &mut inner.values;
        let named = values.named.iter_mut().map(|(_, value)| value);
        for value in values.listed.iter_mut().chain(named) {
            match value {
                Operand::Path(path) => self.place_path(path),
                Operand::Inner(inner) => self.place_inner(inner),
                Operand::Json(_) => {}
            }
        }
    }

    fn place_path(&mut self, path: &mut Path) {
        path.place = (self.place)(path.range.0..path.range.1);
    }

    /// Reads the tag at an offset, and gives where it ends.
    fn tag(&mut self, open: usize) -> Read<usize> {
        let rest = self.slice(open..self.text.len());
        if rest.starts_with("{{{{") {
            return self.raw(open);
        }
        if rest.starts_with("{{!") {
            return self.comment(open, rest);
        }
        let mut cursor = Cursor::new(self.text, open + 2);
        let mut is_triple = cursor.eat("{");
        let before = cursor.tilde();
        is_triple |= !is_triple && cursor.eat("{");
        cursor.space();
        if is_triple {
            return self.triple(cursor, open, before);
        }
        let start = cursor.at;
        if let Some(end) = self.otherwise(cursor.clone(), open, before)? {
            return Ok(end);
        }
        if cursor.eat("#") {
            return self.block(cursor, open, before);
        }
        if cursor.eat("/") {
            return self.close(cursor, open, before);
        }
        if cursor.rest().starts_with('^') {
            return Err((SyntaxFault::Else, start));
        }
        if cursor.eat(">") {
            cursor.space();
            let inner = Self::partial(&mut cursor)?;
            return self.partial_tag(cursor, inner, open, before);
        }
        if cursor.eat("*") {
            cursor.space();
            let (inner, _) = Self::helper(&mut cursor)?;
            let call = self.call(&cursor, inner, open);
            let end = self.end(&mut cursor, before)?;
            self.trims_line = self.alone(&(open..end));
            self.parts.push(Part::Decorator { call, body: None });
            return Ok(end);
        }
        let is_amp = cursor.eat("&");
        cursor.space();
        let inner = Self::expression(&mut cursor, !is_amp)?;
        let call = self.call(&cursor, inner, open);
        let end = self.end(&mut cursor, before)?;
        self.parts.push(Part::Print(call));
        Ok(end)
    }

    /// `{{{name}}}`, `{{~{name}~}}`.
    fn triple(&mut self, mut cursor: Cursor<'t>, open: usize, before: bool) -> Read<usize> {
        let inner = Self::expression(&mut cursor, true)?;
        cursor.space();
        let is_three = self.slice(open..self.text.len()).starts_with("{{{");
        let at = cursor.at;
        let mut behind = cursor.tilde();
        let mut is_closed = is_three && cursor.eat("}}}");
        if !(is_closed || is_three && before) {
            cursor.at = at;
            let one = cursor.eat("}");
            behind = cursor.tilde();
            is_closed = one && cursor.eat("}}");
        }
        if !is_closed {
            return Err((SyntaxFault::TripleEnd, cursor.at));
        }
        let call = self.call(&cursor, inner, open);
        self.tildes((before, behind));
        self.parts.push(Part::Print(call));
        Ok(cursor.at)
    }

    fn comment(&mut self, open: usize, rest: &str) -> Read<usize> {
        let inner = rest.get(3..).unwrap_or("");
        let long = inner
            .trim_start_matches(is_space)
            .strip_prefix("--")
            .filter(|_| !self.no_long_comment);
        let found = long.and_then(|r| Some(rest.len() - r.len() + r.find("--}}")? + 4));
        self.no_long_comment |= long.is_some() && found.is_none();
        let end = found.or_else(|| inner.find("}}").map(|e| e + 5));
        let end = open + end.ok_or((SyntaxFault::Name, open + 2))?;
        self.trims_line = self.alone(&(open..end));
        self.parts.push(Part::Comment);
        Ok(end)
    }

    /// A block of four braces: its text stays as it is.
    fn raw(&mut self, open: usize) -> Read<usize> {
        let missing = (SyntaxFault::Raw, self.text.len());
        let mut cursor = Cursor::new(self.text, open + 4);
        let before = cursor.tilde();
        cursor.space();
        let (inner, names) = Self::helper(&mut cursor)?;
        let behind = cursor.tilde();
        cursor.space();
        if !cursor.eat("}}}}") {
            return Err((SyntaxFault::End, cursor.at));
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
        let behind = cursor.tilde();
        cursor.space();
        if !cursor.eat("}}}}") {
            return Err(missing);
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

    /// Ends a run of parts, and goes on with those around it.
    fn keep(&mut self, outer: Vec<Part>) -> Body {
        let own = std::mem::replace(&mut self.parts, outer);
        self.out.bodies.push(own);
        self.out.bodies.len() - 1
    }

    /// The end of a tag in two braces.
    fn end(&mut self, cursor: &mut Cursor<'t>, before: bool) -> Read<usize> {
        let at = cursor.at;
        let behind = cursor.tilde();
        cursor.space();
        if cursor.eat("}}") {
            self.tildes((before, behind));
            Ok(cursor.at)
        } else {
            let at = at.max(cursor.at);
            Err(match cursor.step {
                Some(step) if step > at => (SyntaxFault::Step, step),
                _ => (SyntaxFault::End, at),
            })
        }
    }

    /// A helper with its values, or a name alone.
    fn expression(cursor: &mut Cursor<'t>, takes_values: bool) -> Read<Inner> {
        let from = cursor.at;
        if takes_values && let Some(name) = cursor.name() {
            let values = cursor.values();
            if !values.is_empty() {
                return Ok(Inner {
                    name: Name::Path(named(cursor, &name)),
                    values,
                });
            }
            cursor.at = from;
        }
        let name = if let Some(inner) = cursor.inner() {
            Name::Inner(Box::new(inner))
        } else {
            Name::Path(cursor.path().ok_or((SyntaxFault::Name, from))?)
        };
        Ok(Inner {
            name,
            values: Values::default(),
        })
    }

    /// A helper with its values and the names it gives.
    fn helper(cursor: &mut Cursor<'t>) -> Read<(Inner, Vec<Box<str>>)> {
        let name = cursor.name().ok_or((SyntaxFault::Name, cursor.at))?;
        let inner = Inner {
            name: Name::Path(named(cursor, &name)),
            values: cursor.values(),
        };
        Ok((inner, cursor.block_names()))
    }

    /// A partial with its values.
    fn partial(cursor: &mut Cursor<'t>) -> Read<Inner> {
        let from = cursor.at;
        let name = if let Some(name) = cursor.partial_name() {
            Name::Path(named(cursor, &name))
        } else if let Some(inner) = cursor.inner() {
            Name::Inner(Box::new(inner))
        } else {
            Name::Path(cursor.path().ok_or((SyntaxFault::Name, from))?)
        };
        Ok(Inner {
            name,
            values: cursor.values(),
        })
    }

    fn partial_tag(
        &mut self,
        mut cursor: Cursor<'t>,
        inner: Inner,
        open: usize,
        before: bool,
    ) -> Read<usize> {
        let call = self.call(&cursor, inner, open);
        let end = self.end(&mut cursor, before)?;
        let is_alone = self.alone(&(open..end));
        self.trims_line = is_alone;
        let line = self.slice(0..open);
        let indent = line.get(line.trim_end_matches(is_blank).len()..);
        self.parts.push(Part::Partial {
            call,
            body: None,
            indent: indent.filter(|i| !before && !i.is_empty()).map(Into::into),
            is_alone: is_alone && !before,
        });
        Ok(end)
    }

    fn block(&mut self, mut cursor: Cursor<'t>, open: usize, before: bool) -> Read<usize> {
        cursor.space();
        let (is_decorator, is_partial) = (cursor.eat("*"), cursor.eat(">"));
        cursor.space();
        let from = cursor.at;
        let (inner, names) = if is_partial {
            (Self::partial(&mut cursor)?, Vec::new())
        } else {
            Self::helper(&mut cursor)?
        };
        let name = match &inner.name {
            Name::Path(path) => self.slice(path.range.0..path.range.1),
            Name::Inner(_) => self.slice(from..cursor.at),
        };
        let call = self.call(&cursor, inner, open);
        let end = self.end(&mut cursor, before)?;
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

    /// `{{else}}`, `{{^}}`, and those with a helper behind; `None` where the tag is another one.
    fn otherwise(&mut self, mut cursor: Cursor<'t>, open: usize, before: bool) -> Read<Option<usize>> {
        let start = cursor.at;
        if !(cursor.eat("else") || cursor.eat("^")) {
            return Ok(None);
        }
        cursor.space();
        let mut ahead = cursor.clone();
        let helper = if ahead.name().is_some() {
            Some(Self::helper(&mut cursor)?)
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
        let end = self.end(&mut cursor, before)?;
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
            return Err((SyntaxFault::Else, start));
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

    fn close(&mut self, mut cursor: Cursor<'t>, open: usize, before: bool) -> Read<usize> {
        cursor.space();
        let Some(block) = self.open.pop() else {
            return Err((SyntaxFault::Name, open + 2));
        };
        let closed = match block.kind {
            Kind::Partial { .. } => cursor.partial_name(),
            _ => cursor.name(),
        };
        let closed = closed.map_or("", |range| cursor.slice(&range));
        let end = self.end(&mut cursor, before)?;
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
    /// What is called, as it is written.
    fn name(&self) -> &str {
        match &self.inner.name {
            Name::Path(path) => &path.raw,
            Name::Inner(_) => "",
        }
    }
}

fn named(cursor: &Cursor<'_>, name: &Range<usize>) -> Path {
    Path {
        raw: cursor.slice(name).into(),
        range: (name.start, name.end),
        ..Path::default()
    }
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

fn is_break(c: char) -> bool {
    c == '\n' || c == '\r'
}
