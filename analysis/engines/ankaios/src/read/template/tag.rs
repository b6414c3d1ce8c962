//! What is between braces: names, paths, values.

use std::ops::Range;

use super::{Operand, Path, SyntaxFault};

/// Reads a tag, from its opening braces on.
pub(super) struct Cursor<'t> {
    text: &'t str,
    pub(super) at: usize,
}

type Read<T> = Result<T, (SyntaxFault, usize)>;

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn space(&mut self) {
        let rest = self.rest();
        let kept = rest.trim_start_matches([' ', '\t', '\n', '\r']);
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

    /// The name of a partial, where it is no value in parentheses.
    pub(super) fn partial_name(&mut self) -> Option<Range<usize>> {
        self.run(|c| is_symbol(c) && !matches!(c, '$' | ':') || matches!(c, '/' | '.'))
    }

    /// `a.b`, `this`, `../a`, `@root.a`, `@index`, `[a b]`. Stays where it is if there is none.
    pub(super) fn path(&mut self) -> Read<Option<Path>> {
        let from = self.at;
        let mut path = Path::default();
        if !(self.eat("this.") || self.eat("this/")) {
            self.eat("./");
        }
        if self.eat("@root.") || self.eat("@root/") {
            path.is_root = true;
        }
        let is_local = self.eat("@");
        while self.eat("../") || self.eat("...") {
            path.ups += 1;
        }
        let Some(first) = self.item() else {
            self.at = from;
            return Ok(None);
        };
        let mut names = vec![first];
        while matches!(self.peek(), Some('.' | '/')) {
            self.at += 1;
            match self.item() {
                Some(name) => names.push(name),
                None => return Err((SyntaxFault::Step, self.at)),
            }
        }
        names.retain(|name| &**name != "this");
        if is_local && !names.is_empty() {
            path.local = Some(names.remove(0));
        }
        path.names = names;
        path.raw = self.slice(&(from..self.at)).into();
        Ok(Some(path))
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

    /// A value of a helper: a path, or a value written out. `None` where none begins; what is in parentheses or
    /// brackets is not followed.
    pub(super) fn operand(&mut self) -> Read<Option<Operand>> {
        match self.peek() {
            Some(quote @ ('"' | '\'')) => Ok(self.string(quote).map(Operand::Text)),
            Some('(') => Ok(self.enclosed('(', ')').then_some(Operand::Unknown)),
            Some('{') => Ok(self.enclosed('{', '}').then_some(Operand::Unknown)),
            _ => {
                let from = self.at;
                let Some(path) = self.path()? else { return Ok(None) };
                Ok(Some(match &*path.raw {
                    // Only the block's names and what comes after them begin like this.
                    "as" | "else" => {
                        self.at = from;
                        return Ok(None);
                    }
                    "true" => Operand::Bool(true),
                    "false" => Operand::Bool(false),
                    "null" => Operand::Null,
                    raw if is_number(raw) => Operand::Number(raw.into()),
                    _ => Operand::Path(path),
                }))
            }
        }
    }

    fn string(&mut self, quote: char) -> Option<Box<str>> {
        let from = self.at;
        self.at += 1;
        let mut out = String::new();
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            if c == quote {
                return Some(out.into());
            }
            if c == '\\' {
                let escaped = self.peek()?;
                self.at += escaped.len_utf8();
                out.push(escaped);
            } else {
                out.push(c);
            }
        }
        self.at = from;
        None
    }

    fn enclosed(&mut self, open: char, close: char) -> bool {
        let mut depth = 0usize;
        let from = self.at;
        for (at, c) in self.rest().char_indices() {
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    self.at = from + at + 1;
                    return true;
                }
            }
        }
        false
    }
}

fn is_symbol(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '$' | ':') || c as u32 >= 0x80
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
