//! The parser of a template: text and tags, and the white space around tags that is removed.

mod block;
mod call;

use std::ops::Range;

use super::fault::SyntaxFault;
use super::tag::{Cursor, is_space};
use super::{Call, Inner, Name, Operand, Part, Path, Template};
use block::Open;

type Read<T> = Result<T, (SyntaxFault, usize)>;

pub(super) struct Reader<'t, P> {
    text: &'t str,
    place: P,
    out: Template,
    /// The parts of the innermost block.
    parts: Vec<Part>,
    open: Vec<Open<'t>>,
    /// The end of what was consumed.
    end: usize,
    /// Whether the previous tag removes all white space after it.
    trims_next: bool,
    /// Whether the previous tag is alone on its line, and so removes the rest of its line.
    trims_line: bool,
    /// The error that the library finds when it processes what its grammar accepted.
    later: Option<(SyntaxFault, usize)>,
    /// No further comment is closed by `--}}`.
    no_long_comment: bool,
    /// The last offset whose line and column were requested, with them.
    known: (usize, (usize, usize)),
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
            self.out.fault = Some(Box::new(fault.fault(self.text, at, place)));
        }
        // Most texts are one part.
        self.parts.shrink_to_fit();
        self.out.bodies.reserve_exact(1);
        self.out.bodies.push(std::mem::take(&mut self.parts));
        self.out
    }

    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or("")
    }

    fn all(&mut self) -> Read<()> {
        let mut at = 0;
        // Backslashes that escape what follows them, and so are removed.
        let mut escapes: Vec<usize> = Vec::new();
        while let Some(found) = self.slice(at..self.text.len()).find("{{") {
            let open = at + found;
            let before = self.slice(self.end.max(at)..open);
            let slashes = before.len() - before.trim_end_matches('\\').len();
            if slashes > 0 {
                escapes.push(open - slashes);
            }
            if slashes == 1 {
                // An escaped tag is text.
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

    /// Removes the end of the last text.
    fn trim_before(&mut self, trims: impl Fn(&str) -> &str) {
        if let Some(Part::Text(text)) = self.parts.last_mut() {
            *text = trims(text).into();
        }
    }

    /// Whether a tag is on a line of its own. Then the white space before it is removed, and later the line
    /// break after it.
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

    /// The effects of `~` at both ends of a tag: it removes white space before the tag, and after it.
    fn tildes(&mut self, (before, behind): (bool, bool)) {
        if before {
            self.trim_before(str::trim_end);
        }
        self.trims_next = behind;
    }

    /// Line and column of an offset after the one requested before.
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

    fn call(&mut self, cursor: &Cursor<'t>, mut inner: Inner, open: usize) -> Box<Call> {
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
        Box::new(Call {
            inner,
            place,
            at: self.position(open),
        })
    }

    /// Numbers the places of all paths. At most as deep as values are parsed.
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

    /// Parses the tag at an offset, and returns where it ends.
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
            return Err(block::stray_else(cursor));
        }
        if cursor.eat(">") {
            cursor.space();
            let inner = call::partial(&mut cursor)?;
            return self.partial_tag(cursor, inner, open, before);
        }
        if cursor.eat("*") {
            cursor.space();
            let (inner, _) = call::helper(&mut cursor)?;
            let call = self.call(&cursor, inner, open);
            let end = self.end(&mut cursor, before, SyntaxFault::BlockEnd)?;
            self.trims_line = self.alone(&(open..end));
            self.parts.push(Part::Decorator { call, body: None });
            return Ok(end);
        }
        let is_amp = cursor.eat("&");
        cursor.space();
        let inner = call::expression(&mut cursor, !is_amp)?;
        let takes_values = !is_amp && inner.name.takes_values();
        let call = self.call(&cursor, inner, open);
        let missing = if takes_values {
            SyntaxFault::End
        } else {
            SyntaxFault::Close
        };
        let end = self.end(&mut cursor, before, missing)?;
        self.parts.push(Part::Print(call));
        Ok(end)
    }

    /// `{{{name}}}`, `{{~{name}~}}`.
    fn triple(&mut self, mut cursor: Cursor<'t>, open: usize, before: bool) -> Read<usize> {
        let inner = call::expression(&mut cursor, true)?;
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
            return Err(cursor.furthest(SyntaxFault::TripleEnd, cursor.at));
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

    /// The end of a tag in two braces; `missing` is the error if it does not follow.
    fn end(&mut self, cursor: &mut Cursor<'t>, before: bool, missing: SyntaxFault) -> Read<usize> {
        let at = cursor.at;
        let behind = cursor.tilde();
        cursor.space();
        if cursor.eat("}}") {
            self.tildes((before, behind));
            Ok(cursor.at)
        } else {
            Err(cursor.furthest(missing, at.max(cursor.at)))
        }
    }

    fn partial_tag(
        &mut self,
        mut cursor: Cursor<'t>,
        inner: Inner,
        open: usize,
        before: bool,
    ) -> Read<usize> {
        let call = self.call(&cursor, inner, open);
        let end = self.end(&mut cursor, before, SyntaxFault::End)?;
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
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

fn is_break(c: char) -> bool {
    c == '\n' || c == '\r'
}
