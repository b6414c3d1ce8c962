//! Handlebars templates, as far as it takes to tell whether one renders, and to what.
//!
//! Source: Ankaios renders with handlebars-rust 6.4 in strict mode, without escaping, with one partial, `indent`.

mod tag;

use std::ops::Range;

use tag::Cursor;

/// Helpers that are built in.
pub(crate) const HELPERS: &[&str] = &[
    "if", "unless", "each", "with", "lookup", "raw", "log", "eq", "ne", "gt", "gte", "lt", "lte", "and",
    "or", "not", "len",
];

/// A text read as a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Template {
    /// Its parts, in order.
    pub(crate) parts: Vec<Part>,
    /// What makes it no template.
    pub(crate) fault: Option<TemplateFault>,
    /// Whether there are braces that mean something.
    pub(crate) has_braces: bool,
    /// Whether there are blocks on lines of their own, whose line breaks are taken away: the text is not followed.
    pub(crate) trims: bool,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Text that stays.
    Text(Box<str>),
    /// `{{name}}`, or a helper with its values.
    Print(Call),
    /// The start of a block.
    Open {
        call: Call,
        /// The part `{{else}}` that belongs to it.
        otherwise: Option<usize>,
        /// The part that closes it.
        close: usize,
    },
    /// `{{else}}`: the block it belongs to ends at this part.
    Else { close: usize },
    /// The end of a block.
    Close,
    /// `{{> name}}`, and what its `content` is.
    Partial { call: Call, content: Option<Operand> },
    /// What is not followed: nothing behind it is, either.
    Opaque,
}

/// A name with values, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The name as a path.
    pub(crate) path: Path,
    pub(crate) values: Vec<Operand>,
    /// The place of the name.
    pub(crate) place: u32,
    /// Line and column of its braces in the text, from 1.
    pub(crate) at: (usize, usize),
    /// Whether it gives names to what it goes through, which are not followed.
    pub(crate) has_names: bool,
    /// Whether it is `{{name}}` without anything else between the braces: the schema allows no other form.
    pub(crate) is_plain: bool,
}

/// A value of a helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Path(Path),
    Text(Box<str>),
    Number(Box<str>),
    Bool(bool),
    Null,
    /// What is not followed.
    Unknown,
}

/// The way to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// As it is written.
    pub(crate) raw: Box<str>,
    /// How many `../` it begins with.
    pub(crate) ups: usize,
    /// Whether it begins with `@root`.
    pub(crate) is_root: bool,
    /// A variable of a loop: `index` of `@index`.
    pub(crate) local: Option<Box<str>>,
    pub(crate) names: Vec<Box<str>>,
    /// Where it is written.
    pub(crate) place: u32,
}

impl Template {
    /// What is printed, and which blocks are entered, in order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|part| match part {
            Part::Print(call) | Part::Open { call, .. } | Part::Partial { call, .. } => Some(call),
            _ => None,
        })
    }
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateFault {
    /// In our words.
    pub(crate) words: Box<str>,
    /// In those of the library.
    pub(crate) said: Box<str>,
    /// Where.
    pub(crate) place: u32,
}

/// What the library expected where a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SyntaxFault {
    /// A name.
    Name,
    /// The end of a tag, or more values.
    End,
    /// The end of a tag in three braces.
    TripleEnd,
    /// A name behind a dot.
    Step,
    /// The end of a block.
    Open(Box<str>),
    /// `{{else}}` outside of a block.
    Else,
    /// The end of a block of another name.
    Mismatch(Box<str>, Box<str>),
    /// The end of a raw block.
    Raw,
}

impl SyntaxFault {
    /// In our words, and in those of the library.
    fn words(&self) -> (String, String) {
        let syntax = |words: &str| format!("invalid handlebars syntax: {words}");
        match self {
            Self::Name => (
                "a name is missing".to_owned(),
                syntax(
                    "expected identifier, subexpression, leading_tilde_to_omit_whitespace, or path_inline",
                ),
            ),
            Self::End => (
                "`}}` is missing".to_owned(),
                syntax("expected identifier, helper_parameter, or trailing_tilde_to_omit_whitespace"),
            ),
            Self::TripleEnd => (
                "`}}}` is missing".to_owned(),
                syntax("expected trailing_tilde_to_omit_whitespace"),
            ),
            Self::Step => (
                "a name is missing behind a dot".to_owned(),
                syntax("expected path_id"),
            ),
            Self::Open(name) => (
                format!("`{{{{#{name}}}}}` is never closed"),
                syntax(
                    "expected escape, expression, html_expression, decorator_expression, partial_expression, \
                     invert_tag, invert_chain_tag, helper_block_start, helper_block_end, decorator_block_start, \
                     partial_block_start, raw_block_start, hbs_comment, or hbs_comment_compact",
                ),
            ),
            Self::Else => (
                "`{{else}}` outside of a block".to_owned(),
                syntax("unexpected invert_tag_item; expected leading_tilde_to_omit_whitespace"),
            ),
            Self::Mismatch(open, close) => (
                format!("`{{{{#{open}}}}}` is closed by `{{{{/{close}}}}}`"),
                format!("helper {open:?} was opened, but {close:?} is closing"),
            ),
            Self::Raw => (
                "`{{{{` is never closed".to_owned(),
                syntax("expected escape or raw_block_end"),
            ),
        }
    }

    /// With the place in the text, as the library shows it.
    fn fault(&self, text: &str, at: usize, place: u32) -> TemplateFault {
        let (words, reason) = self.words();
        let (line, column) = position(text, at);
        let mut shown = String::new();
        for (number, content) in text.lines().enumerate() {
            if number + 3 < line || number > line + 3 {
                continue;
            }
            shown.push_str(&format!("{number:4} | {content}\n"));
            if number + 1 == line {
                let marks = (0..content.len()).map(|c| if c == column { '^' } else { '-' });
                shown.push_str(&format!("     |{}\n", marks.collect::<String>()));
            }
        }
        let said = format!(
            "{reason}\n    --> Template error in \"Unnamed\":{line}:{column}\n     |\n{shown}     |\n     = reason: {reason}\n"
        );
        TemplateFault {
            words: words.into(),
            said: said.into(),
            place,
        }
    }
}

/// Blocks within each other; deeper ones are not followed.
const MAX_DEPTH: usize = 64;

/// Reads a text. `place` gives a number to a range of its bytes.
pub(crate) fn read(text: &str, place: impl FnMut(Range<usize>) -> u32) -> Template {
    let mut reader = Reader {
        text,
        place,
        out: Template::default(),
        open: Vec::new(),
        trims_next: false,
        has_lines: text.contains('\n'),
        no_long_comment: false,
        known: (0, (1, 1)),
    };
    if let Err((fault, at)) = reader.parts() {
        let end = (at..text.len()).find(|i| text.is_char_boundary(*i) && *i > at);
        let from = if at < text.len() {
            at
        } else {
            text.rfind("{{").unwrap_or(at)
        };
        let place = (reader.place)(from..end.unwrap_or(text.len()).max(from));
        reader.out.fault = Some(fault.fault(text, at, place));
    }
    reader.out
}

struct Reader<'t, P> {
    text: &'t str,
    place: P,
    out: Template,
    /// The blocks that are open: their part and their name.
    open: Vec<(usize, &'t str)>,
    /// Whether the white space behind the tag just read is taken away.
    trims_next: bool,
    /// Whether the text has several lines.
    has_lines: bool,
    /// No comment is closed by `--}}` any more.
    no_long_comment: bool,
    /// The last offset whose line and column were asked for, with them.
    known: (usize, (usize, usize)),
}

type Read<T> = Result<T, (SyntaxFault, usize)>;

impl<'t, P: FnMut(Range<usize>) -> u32> Reader<'t, P> {
    fn parts(&mut self) -> Read<()> {
        let mut at = 0;
        // Where the text starts that was not taken yet.
        let mut from = 0;
        while let Some(found) = self.text.get(at..).and_then(|rest| rest.find("{{")) {
            let open = at + found;
            let before = self.text.get(from..open).unwrap_or("");
            let slashes = before.len() - before.trim_end_matches('\\').len();
            if slashes == 1 {
                // An escaped tag stays text, without the backslash.
                self.push_text(before.get(..before.len() - 1).unwrap_or(""));
                from = open;
                at = open
                    + self
                        .text
                        .get(open..)
                        .map_or(2, |r| if r.starts_with("{{{{") { 4 } else { 2 });
                continue;
            }
            // Of several backslashes one is taken away.
            self.push_text(
                before
                    .get(..before.len() - usize::from(slashes > 1))
                    .unwrap_or(""),
            );
            self.trims_next = false;
            self.out.has_braces = true;
            at = self.tag(open)?;
            from = at;
        }
        self.push_text(self.text.get(from..).unwrap_or(""));
        match self.open.first() {
            Some((_, name)) => Err((SyntaxFault::Open((*name).into()), self.text.len())),
            None => Ok(()),
        }
    }

    fn push_text(&mut self, text: &str) {
        let text = if self.trims_next { text.trim_start() } else { text };
        if !text.is_empty() {
            self.out.parts.push(Part::Text(text.into()));
        }
    }

    /// Takes away the white space before a tag that begins with `~`.
    fn trim_before(&mut self) {
        if let Some(Part::Text(text)) = self.out.parts.last_mut() {
            *text = text.trim_end().into();
        }
    }

    fn call(&mut self, mut path: Path, name: Range<usize>, values: Vec<Operand>, open: usize) -> Call {
        path.place = (self.place)(name);
        Call {
            place: path.place,
            path,
            values,
            at: self.position(open),
            has_names: false,
            is_plain: false,
        }
    }

    /// Reads the tag at an offset, and gives where it ends.
    fn tag(&mut self, open: usize) -> Read<usize> {
        let rest = self.text.get(open..).unwrap_or("");
        if rest.starts_with("{{{{") {
            return self.raw(rest).map(|len| open + len);
        }
        if rest.starts_with("{{!") {
            let long = rest.strip_prefix("{{!--").filter(|_| !self.no_long_comment);
            let found = long.and_then(|r| r.find("--}}")).map(|e| e + 9);
            self.no_long_comment |= long.is_some() && found.is_none();
            let long = found;
            let end = long.or_else(|| rest.find("}}").map(|e| e + 2));
            return end.map(|e| open + e).ok_or((SyntaxFault::Name, open + 2));
        }
        let mut cursor = Cursor::new(self.text, open + 2);
        let mut is_triple = cursor.eat("{");
        if cursor.tilde() {
            self.trim_before();
        }
        is_triple |= !is_triple && cursor.eat("{");
        cursor.space();
        if is_triple {
            let call = self.value(&mut cursor, open)?;
            self.out.parts.push(Part::Print(call));
            self.trims_next = cursor.tilde();
            let is_closed = cursor.eat("}}}") || {
                let one = cursor.eat("}");
                self.trims_next |= cursor.tilde();
                one && cursor.eat("}}")
            };
            return if is_closed {
                Ok(cursor.at)
            } else {
                Err((SyntaxFault::TripleEnd, cursor.at))
            };
        }
        let start = cursor.at;
        let part = if cursor.eat("#") {
            return self.block(cursor, open);
        } else if cursor.eat("/") {
            return self.close(cursor, open);
        } else if cursor.rest().starts_with("else") || cursor.rest().starts_with('^') {
            return self.otherwise(cursor, start);
        } else if cursor.eat(">") {
            cursor.space();
            self.partial(&mut cursor, open)?
        } else if cursor.eat("*") {
            cursor.space();
            self.value(&mut cursor, open)?;
            Part::Opaque
        } else if cursor.eat("&") {
            cursor.space();
            let mut call = self.value(&mut cursor, open)?;
            call.is_plain = false;
            Part::Print(call)
        } else {
            Part::Print(self.value(&mut cursor, open)?)
        };
        self.out.parts.push(part);
        self.end(&mut cursor)
    }

    /// A block of four braces, from there on: its text stays as it is.
    fn raw(&mut self, rest: &'t str) -> Read<usize> {
        let missing = (SyntaxFault::Raw, self.text.len());
        let (Some(start), Some(end)) = (rest.find("}}}}"), rest.find("{{{{/")) else {
            return Err(missing);
        };
        let Some(close) = rest.get(end..).and_then(|r| r.find("}}}}")) else {
            return Err(missing);
        };
        let name = rest.get(4..start).unwrap_or("").trim();
        let closed = rest.get(end + 5..end + close).unwrap_or("").trim();
        match rest.get(start + 4..end) {
            Some(text) if name == "raw" && closed == name && !text.contains('\n') => {
                self.push_text(text.trim_start());
            }
            _ => self.out.parts.push(Part::Opaque),
        }
        Ok(end + close + 4)
    }

    /// The end of a tag in two braces.
    fn end(&mut self, cursor: &mut Cursor<'t>) -> Read<usize> {
        let at = cursor.at;
        self.trims_next = cursor.tilde();
        if cursor.eat("}}") {
            Ok(cursor.at)
        } else {
            Err((SyntaxFault::End, at.max(cursor.at)))
        }
    }

    /// A name alone, or a helper with its values.
    fn value(&mut self, cursor: &mut Cursor<'t>, open: usize) -> Read<Call> {
        let from = cursor.at;
        if cursor.rest().starts_with('(') {
            let operand = cursor.operand()?;
            self.out.parts.push(Part::Opaque);
            return match operand {
                Some(_) => Ok(self.call(Path::default(), from..cursor.at, Vec::new(), open)),
                None => Err((SyntaxFault::Name, from)),
            };
        }
        let Some(path) = cursor.path()? else {
            return Err((SyntaxFault::Name, from));
        };
        let name = from..cursor.at;
        let is_name = path.local.is_none() && *path.raw == *cursor.slice(&name) && is_plain_name(&path);
        let values = if is_name {
            self.values(cursor)?.0
        } else {
            Vec::new()
        };
        let mut call = self.call(path, name.clone(), values, open);
        call.is_plain =
            open + 2 == name.start && self.text.get(name.end..).is_some_and(|r| r.starts_with("}}"));
        Ok(call)
    }

    /// The values of a helper, and what is written as `content=`.
    fn values(&mut self, cursor: &mut Cursor<'t>) -> Read<(Vec<Operand>, Option<Operand>)> {
        let mut values = Vec::new();
        let mut content = None;
        loop {
            let before = cursor.at;
            cursor.space();
            let from = cursor.at;
            if let Some(name) = cursor.name() {
                cursor.space();
                if cursor.eat("=") {
                    cursor.space();
                    let from = cursor.at;
                    let Some(mut value) = cursor.operand()? else {
                        return Err((SyntaxFault::Name, cursor.at));
                    };
                    self.placed(&mut value, from..cursor.at);
                    if cursor.slice(&name) == "content" {
                        content = Some(value);
                    } else {
                        values.push(Operand::Unknown);
                    }
                    continue;
                }
                cursor.at = from;
            }
            match cursor.operand()? {
                Some(mut value) => {
                    self.placed(&mut value, from..cursor.at);
                    values.push(value);
                }
                None => {
                    cursor.at = before;
                    return Ok((values, content));
                }
            }
        }
    }

    /// Line and column of an offset behind the one asked for before.
    fn position(&mut self, offset: usize) -> (usize, usize) {
        let (from, (line, column)) = self.known;
        let between = self.text.get(from..offset).unwrap_or("");
        let lines = between.matches('\n').count();
        let at = match between.rsplit_once('\n') {
            Some((_, last)) => (line + lines, last.chars().count() + 1),
            None => (line, column + between.chars().count()),
        };
        self.known = (offset, at);
        at
    }

    fn placed(&mut self, value: &mut Operand, range: Range<usize>) {
        if let Operand::Path(path) = value {
            path.place = (self.place)(range);
        }
    }

    fn partial(&mut self, cursor: &mut Cursor<'t>, open: usize) -> Read<Part> {
        let from = cursor.at;
        if cursor.rest().starts_with(['(', '[', '\'']) {
            return match cursor.rest().find("}}") {
                Some(end) => {
                    cursor.at += end;
                    Ok(Part::Opaque)
                }
                None => Err((SyntaxFault::Name, from)),
            };
        }
        let Some(name) = cursor.partial_name() else {
            return Err((SyntaxFault::Name, from));
        };
        let (values, content) = self.values(cursor)?;
        let path = Path {
            raw: cursor.slice(&name).into(),
            ..Path::default()
        };
        Ok(Part::Partial {
            call: self.call(path, name, values, open),
            content,
        })
    }

    fn block(&mut self, mut cursor: Cursor<'t>, open: usize) -> Read<usize> {
        cursor.space();
        let is_followed = !(cursor.eat("*") || cursor.eat(">")) && self.open.len() < MAX_DEPTH;
        cursor.space();
        let from = cursor.at;
        let Some(name) = (if is_followed {
            cursor.name()
        } else {
            cursor.partial_name()
        }) else {
            return Err((SyntaxFault::Name, from));
        };
        let (values, _) = self.values(&mut cursor)?;
        cursor.space();
        let mut has_names = false;
        if cursor.eat("as") {
            cursor.space();
            if cursor.eat("|") {
                has_names = true;
                while !cursor.eat("|") {
                    cursor.space();
                    if cursor.name().is_none() && !cursor.rest().starts_with('|') {
                        return Err((SyntaxFault::End, cursor.at));
                    }
                }
            } else {
                return Err((SyntaxFault::End, cursor.at));
            }
        }
        let word = cursor.slice(&name);
        let path = Path {
            raw: word.into(),
            ..Path::default()
        };
        if !is_followed {
            self.out.parts.push(Part::Opaque);
        }
        let mut call = self.call(path, name, values, open);
        call.has_names = has_names;
        self.open.push((self.out.parts.len(), word));
        self.out.parts.push(Part::Open {
            call,
            otherwise: None,
            close: 0,
        });
        self.end(&mut cursor)
    }

    fn otherwise(&mut self, mut cursor: Cursor<'t>, from: usize) -> Read<usize> {
        let Some((block, _)) = self.open.last().copied() else {
            return Err((SyntaxFault::Else, from));
        };
        if !cursor.eat("else") {
            cursor.eat("^");
        }
        let trims = cursor.tilde();
        let number = self.out.parts.len();
        if cursor.rest().starts_with("}}") {
            if let Some(Part::Open { otherwise, .. }) = self.out.parts.get_mut(block)
                && otherwise.replace(number).is_some()
            {
                return Err((SyntaxFault::Else, from));
            }
            self.out.parts.push(Part::Else { close: 0 });
        } else {
            // `{{else if x}}` opens a block of its own.
            if let Some(Part::Open { call, .. }) = self.out.parts.get_mut(block) {
                call.values = vec![Operand::Unknown];
            }
            if cursor.name().is_none() {
                return Err((SyntaxFault::Name, cursor.at));
            }
            self.values(&mut cursor)?;
            self.out.parts.push(Part::Opaque);
        }
        let end = self.end(&mut cursor);
        self.trims_next |= trims;
        end
    }

    fn close(&mut self, mut cursor: Cursor<'t>, open: usize) -> Read<usize> {
        cursor.space();
        let name = cursor.partial_name().map_or("", |range| cursor.slice(&range));
        let Some((block, opened)) = self.open.pop() else {
            return Err((SyntaxFault::Name, open + 2));
        };
        let end = self.end(&mut cursor)?;
        if name != opened {
            return Err((SyntaxFault::Mismatch(opened.into(), name.into()), open));
        }
        let number = self.out.parts.len();
        let mut inner = None;
        if let Some(Part::Open { close, otherwise, .. }) = self.out.parts.get_mut(block) {
            *close = number;
            inner = *otherwise;
        }
        if let Some(Part::Else { close }) = inner.and_then(|i| self.out.parts.get_mut(i)) {
            *close = number;
        }
        self.out.parts.push(Part::Close);
        // A block on lines of its own leaves none behind.
        self.out.trims |= self.has_lines;
        Ok(end)
    }
}

/// Whether a path is one name: what a helper can have.
fn is_plain_name(path: &Path) -> bool {
    path.names.len() <= 1 && path.ups == 0 && !path.is_root && !path.raw.contains(['.', '/', '[', '@'])
}

/// Line and column of an offset, from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        let template = read(text, |r| u32::try_from(r.start).unwrap());
        let shown = |call: &Call| {
            format!(
                "{} {:?} at {} {:?} {}",
                call.path.raw,
                call.values.len(),
                call.place,
                call.at,
                call.is_plain
            )
        };
        let mut out: Vec<String> = template
            .parts
            .iter()
            .map(|p| match p {
                Part::Text(t) => format!("text {t}"),
                Part::Print(call) => format!("print {}", shown(call)),
                Part::Open {
                    call,
                    otherwise,
                    close,
                } => {
                    format!(
                        "open {} {} {otherwise:?} {close}",
                        call.path.raw,
                        call.values.len()
                    )
                }
                Part::Else { close } => format!("else {close}"),
                Part::Close => "close".to_owned(),
                Part::Partial { call, content } => format!("partial {} {}", call.path.raw, content.is_some()),
                Part::Opaque => "opaque".to_owned(),
            })
            .collect();
        out.extend(template.fault.map(|f| format!("fault {}", f.words)));
        out
    }

    #[test]
    fn variables_helpers_and_blocks_are_told_apart() {
        assert_eq!(
            parts("a{{x.y}}b"),
            ["text a", "print x.y 0 at 3 (1, 2) true", "text b"]
        );
        assert_eq!(parts("\n {{ x }}"), ["text \n ", "print x 0 at 5 (2, 2) false"]);
        assert_eq!(parts("{{{x}}}"), ["print x 0 at 3 (1, 1) false"]);
        assert_eq!(parts("{{foo x}}"), ["print foo 1 at 2 (1, 1) false"]);
        assert_eq!(parts("{{lookup x \"}}\"}}"), ["print lookup 2 at 2 (1, 1) false"]);
        assert_eq!(parts("{{> indent content=x}}"), ["partial indent true"]);
        assert_eq!(
            parts("{{#each x}}{{this}},{{else}}-{{/each}}"),
            [
                "open each 1 Some(3) 5",
                "print this 0 at 13 (1, 12) true",
                "text ,",
                "else 5",
                "text -",
                "close"
            ]
        );
        assert_eq!(parts("{{! no }}{{!-- {{x}} --}}"), [""; 0]);
        assert_eq!(parts("\\{{x}}"), ["text {{x}}"]);
        assert_eq!(parts("a\\\\{{x}}"), ["text a\\", "print x 0 at 5 (1, 4) true"]);
    }

    #[test]
    fn what_is_not_closed_is_a_fault() {
        assert_eq!(
            parts("{{x"),
            ["print x 0 at 2 (1, 1) false", "fault `}}` is missing"]
        );
        assert_eq!(
            parts("{{#if x}}"),
            ["open if 1 None 0", "fault `{{#if}}` is never closed"]
        );
        assert_eq!(parts("{{/if}}"), ["fault a name is missing"]);
        assert_eq!(
            parts("{{#if x}}{{/each}}")[1..],
            ["fault `{{#if}}` is closed by `{{/each}}`"]
        );
        assert_eq!(parts("{{else}}"), ["fault `{{else}}` outside of a block"]);
        assert_eq!(parts("a }} b"), ["text a }} b"]);
    }
}
