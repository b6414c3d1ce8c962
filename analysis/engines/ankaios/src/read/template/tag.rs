//! The content of braces: names, paths, values, and values of helpers.

use std::ops::Range;

use serde_json::Value as Json;

use super::fault::SyntaxFault;
use super::{Inner, Name, Operand, Path, Values};

/// Parses a tag, from its opening braces on.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    pub(super) at: usize,
    /// The first value that looks like one and is not valid.
    pub(super) wrong: Option<Range<usize>>,
    /// The furthest place in a path or value where something is missing, and what is expected there.
    step: Option<(usize, &'static str)>,
    /// Whether values are nested too deep.
    pub(super) is_deep: bool,
    depth: usize,
}

/// Nesting depth of values; deeper ones are not evaluated.
const MAX_DEPTH: usize = 32;

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self {
            text,
            at,
            wrong: None,
            step: None,
            is_deep: false,
            depth: 0,
        }
    }

    /// The furthest place in the text at which it is not a tag: this one, or one where a name is missing.
    pub(super) fn furthest(&self, fault: SyntaxFault, at: usize) -> (SyntaxFault, usize) {
        match self.step {
            Some((step, expected)) if step > at => (SyntaxFault::Step(expected), step),
            _ => (fault, at),
        }
    }

    fn miss(&mut self, expected: &'static str) {
        if self.step.is_none_or(|(step, _)| step < self.at) {
            self.step = Some((self.at, expected));
        }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn space(&mut self) {
        let rest = self.rest();
        let kept = rest.trim_start_matches(is_space);
        self.at += rest.len() - kept.len();
    }

    pub(super) fn eat(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        if is_there {
            self.at += word.len();
        }
        is_there
    }

    /// `~`, with white space around it.
    pub(super) fn tilde(&mut self) -> bool {
        self.space();
        let is_there = self.eat("~");
        if is_there {
            self.space();
        }
        is_there
    }

    /// The longest run of characters of a kind.
    fn run(&mut self, is_part: impl Fn(char) -> bool) -> Option<Range<usize>> {
        let rest = self.rest();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let from = self.at;
        self.at += end;
        (end > 0).then_some(from..self.at)
    }

    pub(super) fn slice(&self, range: &Range<usize>) -> &'t str {
        self.text.get(range.clone()).unwrap_or("")
    }

    /// A name of letters, digits, and some other characters.
    pub(super) fn name(&mut self) -> Option<Range<usize>> {
        self.run(is_symbol)
    }

    /// The name of a partial, if it is neither a value in parentheses nor begins with `@`.
    pub(super) fn partial_name(&mut self) -> Option<Range<usize>> {
        if !self.rest().starts_with('\'') {
            return self.run(|c| is_symbol(c) && !matches!(c, '$' | ':') || matches!(c, '/' | '.'));
        }
        let from = self.at;
        let end = self.rest().get(1..)?.find('\'').filter(|length| *length > 0)?;
        self.at += end + 2;
        Some(from..self.at)
    }

    /// `a.b`, `this`, `../a`, `@root.a`, `@index`, `[a b]`. Does not move if there is none.
    pub(super) fn path(&mut self) -> Option<Path> {
        let from = self.at;
        let mut path = Path::default();
        let is_own = self.eat("this.") || self.eat("this/") || self.eat("./");
        path.is_root = self.eat("@root.") || self.eat("@root/");
        let is_local = self.eat("@");
        while self.eat("../") || self.eat("...") {
            path.ups += 1;
        }
        let Some(first) = self.item() else {
            if is_local || path.ups > 0 {
                self.miss("path_id or path_up");
            } else if path.is_root {
                self.miss("path_id, path_up, or path_local");
            } else if is_own {
                self.miss("path_id, path_up, path_root, or path_local");
            }
            self.at = from;
            return None;
        };
        let mut names = vec![first];
        while matches!(self.peek(), Some('.' | '/')) {
            self.at += 1;
            let Some(name) = self.item() else {
                // It may be the beginning of the next path.
                self.miss("path_id");
                self.at -= 1;
                break;
            };
            names.push(name);
        }
        names.retain(|name| &**name != "this");
        if is_local && !path.is_root {
            // Without a name it is the current value, whatever precedes it.
            match names.is_empty() {
                true => path.ups = 0,
                false => path.local = Some(names.remove(0)),
            }
        }
        if path.is_root || is_local && path.local.is_none() {
            path.ups = 0;
            path.hides_names = true;
        }
        path.names = names;
        path.raw = self.slice(&(from..self.at)).into();
        path.range = (from, self.at);
        Some(path)
    }

    fn item(&mut self) -> Option<Box<str>> {
        if self.rest().starts_with('[') {
            let inner = self.rest().get(1..)?;
            let end = inner.find(']')?;
            self.at += end + 2;
            return Some(inner.get(..end)?.into());
        }
        let range = self.name()?;
        Some(self.slice(&range).into())
    }

    /// The values of a helper, and those with names; stops before anything else.
    pub(super) fn values(&mut self) -> Values {
        let mut values = Values::default();
        loop {
            let before = self.at;
            self.space();
            let from = self.at;
            if let Some(name) = self.name() {
                let name = self.slice(&name);
                self.space();
                if self.eat("=") {
                    self.space();
                    if let Some(value) = self.operand() {
                        values.named.retain(|(known, _)| **known != *name);
                        values.named.push((name.into(), value));
                        continue;
                    }
                    self.miss("helper_parameter");
                }
                self.at = from;
            }
            match self.operand() {
                Some(value) => values.listed.push(value),
                None => {
                    self.at = before;
                    return values;
                }
            }
        }
    }

    /// The block parameters: `as |a b|`. An unclosed list is ignored.
    pub(super) fn block_names(&mut self) -> Vec<Box<str>> {
        let from = self.at;
        self.space();
        if self.eat("as") {
            self.space();
            if self.eat("|") {
                self.space();
                let mut names: Vec<Box<str>> = Vec::new();
                while names.len() < 2
                    && let Some(name) = self.name()
                {
                    names.push(self.slice(&name).into());
                    self.space();
                }
                if !names.is_empty() && self.eat("|") {
                    return names;
                }
                if names.is_empty() {
                    self.miss("identifier");
                }
            }
        }
        self.at = from;
        Vec::new()
    }

    /// A value of a helper: a literal, a path, or the value of another helper. `None` if none begins.
    pub(super) fn operand(&mut self) -> Option<Operand> {
        let from = self.at;
        // `as` and `else` begin what follows values, unless a name follows.
        for word in ["as", "else"] {
            if self.eat(word) {
                self.space();
                let is_name = self.peek().is_some_and(is_symbol);
                self.at = from;
                if !is_name {
                    return None;
                }
            }
        }
        if self.literal() {
            let text = self.slice(&(from..self.at));
            let json = match text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
                Some(inner) => {
                    let inner = inner.replace("\\'", "'").replace('"', "\\\"");
                    serde_json::from_str(&format!("\"{inner}\""))
                }
                None => serde_json::from_str(text),
            };
            return Some(Operand::Json(json.unwrap_or_else(|_| {
                self.wrong.get_or_insert(from..self.at);
                Json::Null
            })));
        }
        if self.peek() == Some('(') {
            return self.inner().map(|inner| Operand::Inner(Box::new(inner)));
        }
        self.path().map(Operand::Path)
    }

    /// `(helper value …)`, or `(name)`. Does not move if there is none.
    pub(super) fn inner(&mut self) -> Option<Inner> {
        let from = self.at;
        if self.depth >= MAX_DEPTH {
            self.is_deep = true;
            return None;
        }
        self.depth += 1;
        let inner = self.parenthesized();
        self.depth -= 1;
        if inner.is_none() {
            self.at = from;
        }
        inner
    }

    fn parenthesized(&mut self) -> Option<Inner> {
        if !self.eat("(") {
            return None;
        }
        self.space();
        let from = self.at;
        if let Some(name) = self.name() {
            let values = self.values();
            self.space();
            if !values.is_empty() && self.eat(")") {
                let path = Path {
                    raw: self.slice(&name).into(),
                    range: (name.start, name.end),
                    ..Path::default()
                };
                return Some(Inner {
                    name: Name::Path(path),
                    values,
                });
            }
            self.at = from;
        }
        let Some(path) = self.path() else {
            self.miss("identifier or path_inline");
            return None;
        };
        self.space();
        self.eat(")").then_some(Inner {
            name: Name::Path(path),
            values: Values::default(),
        })
    }

    /// A string, a number, a list, an object, `null`, `true` or `false`, as defined in the grammar, which
    /// accepts some invalid ones. Does not move if there is none.
    fn literal(&mut self) -> bool {
        let from = self.at;
        let found = match self.peek() {
            Some('"') => self.string('"'),
            Some('\'') => self.string('\''),
            Some('[') => self.enclosed(']', false),
            Some('{') => self.enclosed('}', true),
            Some(c) if c == '-' || c.is_ascii_digit() => self.number(),
            _ => ["null", "true", "false"].iter().any(|word| self.word(word)),
        };
        if !found {
            self.at = from;
        }
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let from = self.at;
        let found = self.eat(word) && !self.peek().is_some_and(is_symbol);
        if !found {
            self.at = from;
        }
        found
    }

    fn number(&mut self) -> bool {
        self.eat("-");
        if self.run(|c| c.is_ascii_digit()).is_none() {
            return false;
        }
        if self.eat(".") {
            self.run(|c| c.is_ascii_digit());
        }
        let before = self.at;
        if self.eat("E") {
            self.eat("-");
            if self.run(|c| c.is_ascii_digit()).is_none() {
                self.at = before;
            }
        }
        !self.peek().is_some_and(is_symbol)
    }

    fn string(&mut self, quote: char) -> bool {
        self.at += 1;
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            if c == quote {
                return true;
            }
            if c != '\\' {
                continue;
            }
            let escaped = self.peek();
            self.at += escaped.map_or(0, char::len_utf8);
            let is_known = match escaped {
                Some('\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => true,
                Some(c) if c == quote => true,
                Some('u') => {
                    let digits = self.rest().get(..4).unwrap_or("");
                    self.at += digits.len();
                    digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit())
                }
                _ => false,
            };
            if !is_known {
                return false;
            }
        }
        false
    }

    /// The entries of a list or object: `[a, b]`, `{"a": b}`.
    fn enclosed(&mut self, end: char, has_keys: bool) -> bool {
        if self.depth >= MAX_DEPTH {
            self.is_deep = true;
            return false;
        }
        self.depth += 1;
        self.at += 1;
        self.space();
        self.entry(has_keys);
        self.space();
        while self.peek() == Some(',') {
            let before = self.at;
            self.at += 1;
            self.space();
            if !self.entry(has_keys) {
                self.at = before;
                break;
            }
            self.space();
        }
        self.depth -= 1;
        let is_closed = self.peek() == Some(end);
        self.at += usize::from(is_closed);
        is_closed
    }

    fn entry(&mut self, has_key: bool) -> bool {
        let from = self.at;
        let is_keyed = !has_key || {
            let is_text = match self.peek() {
                Some(quote @ ('"' | '\'')) => self.string(quote),
                _ => {
                    self.miss("string_literal");
                    false
                }
            };
            self.space();
            let has_colon = is_text && self.eat(":");
            self.space();
            has_colon
        };
        let found = is_keyed && self.literal();
        if !found {
            if is_keyed {
                self.miss("literal");
            }
            self.at = from;
        }
        found
    }
}

/// What is allowed between the parts of a tag.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

pub(super) fn is_symbol(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '$' | ':') || c as u32 >= 0x80
}
