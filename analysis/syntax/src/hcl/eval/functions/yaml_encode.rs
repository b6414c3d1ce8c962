//! `yamlencode`.
//!
//! Source: Terraform 1.11: blocks, all strings in double quotes and broken after column 80, multi-line strings
//! as literal blocks. If a literal block cannot represent a string, and after a key that is too long for its
//! line, the result is unknown.

use std::sync::Arc;

use super::super::value::{Data, Value};
use super::{Args, Fault, Given};

/// Longer keys, in bytes, are written after a `?`.
const LONGEST_KEY: usize = 128;
/// After this column a string is broken at the next space.
const WIDTH: usize = 80;
const STEP: usize = 2;

pub(super) fn yamlencode(args: &Args<'_>) -> Given {
    let value = args.get(0)?;
    let mut out = Out::default();
    out.node(value, Within::Document).map_err(Fault::open)?;
    out.text.push('\n');
    // A scalar without quotes that is the whole document.
    if matches!(value.data, Data::Null(_) | Data::Bool(_) | Data::Number(_)) {
        out.text.push_str("...\n");
    }
    Ok(Value::string(&out.text))
}

/// The context of a value, and how far its entries are indented.
#[derive(Clone, Copy)]
enum Within {
    Document,
    Sequence(usize),
    Mapping(usize),
}

impl Within {
    const fn deeper(self) -> usize {
        match self {
            Self::Document => STEP,
            Self::Sequence(indent) | Self::Mapping(indent) => indent + STEP,
        }
    }

    /// How far entries in it are indented, and whether the first starts a line of its own.
    const fn entries(self, are_dashes: bool) -> (usize, bool) {
        match self {
            Self::Document => (0, false),
            Self::Sequence(indent) => (indent + STEP, false),
            // Dashes are aligned with the key.
            Self::Mapping(indent) if are_dashes => (indent, true),
            Self::Mapping(indent) => (indent + STEP, true),
        }
    }
}

#[derive(Default)]
struct Out {
    text: String,
    /// Characters since the last break.
    column: usize,
}

type Written = Result<(), &'static str>;

impl Out {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.chars().count();
    }

    fn line(&mut self, indent: usize) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    fn node(&mut self, value: &Value, within: Within) -> Written {
        match &value.data {
            Data::Null(_) => self.plain("null", within),
            Data::Bool(b) => self.plain(if *b { "true" } else { "false" }, within),
            Data::Number(n) => self.plain(&n.text().ok_or("the exact number is unknown")?, within),
            Data::String(text) => return self.string(text, within),
            Data::Tuple(items) | Data::List(items, _) | Data::Set(items, _) => {
                return self.sequence(items.values(), within);
            }
            Data::Object(fields) | Data::Map(fields, _) => {
                return self.mapping(fields.values().iter(), within);
            }
            Data::Unknown(_) => return Err("a part of the value cannot be known"),
        }
        Ok(())
    }

    /// Writes what separates a value on the line of its key from the key.
    fn separate(&mut self, within: Within) {
        if let Within::Mapping(_) = within {
            self.push(" ");
        }
    }

    fn plain(&mut self, text: &str, within: Within) {
        self.separate(within);
        self.push(text);
    }

    fn sequence(&mut self, items: &[Value], within: Within) -> Written {
        let (indent, on_own_line) = within.entries(true);
        for (index, item) in items.iter().enumerate() {
            if index > 0 || on_own_line {
                self.line(indent);
            }
            self.push("- ");
            self.node(item, Within::Sequence(indent))?;
        }
        if items.is_empty() {
            self.separate(within);
            self.push("[]");
        }
        Ok(())
    }

    fn mapping<'v>(
        &mut self,
        fields: impl ExactSizeIterator<Item = (&'v Arc<str>, &'v Value)>,
        within: Within,
    ) -> Written {
        let (indent, on_own_line) = within.entries(false);
        if fields.len() == 0 {
            self.separate(within);
            self.push("{}");
        }
        for (index, (key, value)) in fields.enumerate() {
            if index > 0 || on_own_line {
                self.line(indent);
            }
            if key.len() > LONGEST_KEY || key.contains('\n') {
                return Err("a key is too long for its line");
            }
            self.quoted(key, None);
            self.push(":");
            self.node(value, Within::Mapping(indent))?;
        }
        Ok(())
    }

    fn string(&mut self, text: &str, within: Within) -> Written {
        if text.contains('\n') {
            return self.literal(text, within);
        }
        self.separate(within);
        self.quoted(text, Some(within.deeper()));
        Ok(())
    }

    /// A string in double quotes; `breaks`: it may be broken, and its continuation has this indentation.
    fn quoted(&mut self, text: &str, breaks: Option<usize>) {
        self.push("\"");
        let mut after_space = false;
        let mut chars = text.chars().enumerate().peekable();
        while let Some((index, c)) = chars.next() {
            let next = chars.peek().map(|(_, c)| *c);
            match breaks {
                Some(indent)
                    if c == ' ' && !after_space && self.column > WIDTH && index > 0 && next.is_some() =>
                {
                    self.line(indent);
                    if next == Some(' ') {
                        self.push("\\");
                    }
                }
                _ => match escape(c) {
                    Some(escaped) => self.push(&escaped),
                    None => self.push(c.encode_utf8(&mut [0; 4])),
                },
            }
            after_space = c == ' ';
        }
        self.push("\"");
    }

    fn literal(&mut self, text: &str, within: Within) -> Written {
        let is_simple = !text.starts_with([' ', '\n'])
            && !text.ends_with([' '])
            && !text.ends_with("\n\n")
            && !text.contains(" \n")
            && text
                .chars()
                .all(|c| c == '\n' || (escape(c).is_none() || matches!(c, '"' | '\\')));
        if !is_simple || matches!(within, Within::Document) {
            return Err("a text of several lines is not written here");
        }
        self.separate(within);
        self.push(if text.ends_with('\n') { "|" } else { "|-" });
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.line(if line.is_empty() { 0 } else { within.deeper() });
            self.push(line);
        }
        Ok(())
    }
}

/// The escape in double quotes of a character that cannot be written literally.
fn escape(c: char) -> Option<String> {
    let letter = match c {
        '"' => '"',
        '\\' => '\\',
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '\u{85}' => 'N',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        ' '..='~' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' => return None,
        _ => {
            let code = u32::from(c);
            return Some(match code {
                0..=0xff => format!("\\x{code:02X}"),
                0x100..=0xffff => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            });
        }
    };
    Some(format!("\\{letter}"))
}

#[cfg(test)]
mod tests {
    use crate::hcl::eval::tests::value;

    /// The output of Terraform 1.11.4.
    #[test]
    fn it_writes_what_terraform_writes() {
        for (argument, expected) in [
            (
                "{a = 1, b = \"x\", c = [1, \"two\", true, null], d = {}, e = [], f = {g = {h = [{i = 1, j = 2}, {k = [1, [2, 3]]}]}}}",
                "\"a\": 1\n\"b\": \"x\"\n\"c\":\n- 1\n- \"two\"\n- true\n- null\n\"d\": {}\n\"e\": []\n\"f\":\n  \"g\":\n    \"h\":\n    - \"i\": 1\n      \"j\": 2\n    - \"k\":\n      - 1\n      - - 2\n        - 3\n",
            ),
            ("\"hello\"", "\"hello\"\n"),
            ("1", "1\n...\n"),
            ("[]", "[]\n"),
            ("[[], {}, [[1], 2]]", "- []\n- {}\n- - - 1\n  - 2\n"),
            (
                "{a = \"a long string with many words a long string with many words a long string with many words a long string with many words end\"}",
                "\"a\": \"a long string with many words a long string with many words a long string with\n  many words a long string with many words end\"\n",
            ),
            (
                "{\"k: v\" = \"tab\\there \\\"quoted\\\"\"}",
                "\"k: v\": \"tab\\there \\\"quoted\\\"\"\n",
            ),
            (
                "{a = \"l1\\nl2\\n\", b = [\"x\\ny\"]}",
                "\"a\": |\n  l1\n  l2\n\"b\":\n- |-\n  x\n  y\n",
            ),
            (
                "{a = \"\\u2028x\\u0001 \\U0001F600\"}",
                "\"a\": \"\\Lx\\x01 \\U0001F600\"\n",
            ),
        ] {
            assert_eq!(
                value(&format!("yamlencode({argument})")),
                format!("{expected:?}"),
                "{argument}"
            );
        }
    }
}
