//! In which list of a `stack` block a cursor is. Reads the text instead of the tree, because a text that is
//! being edited is rarely complete.

use applyorder_syntax::text::Span;

/// A cursor in one of the lists of a `stack` block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListAt<'t> {
    /// The attribute: `after`.
    pub(super) attribute: &'t str,
    /// What is being typed, without quotes.
    pub(super) word: Span,
    /// Whether it is quoted.
    pub(super) quoted: bool,
    /// Whether there is only the attribute so far, without brackets.
    pub(super) bare: bool,
    /// The other entries.
    pub(super) others: Vec<&'t str>,
}

enum Open<'t> {
    Block(&'t str),
    List {
        attribute: &'t str,
        entries: Vec<&'t str>,
    },
    Call,
}

/// The list around an offset.
pub(super) fn list_at(text: &str, offset: u32) -> Option<ListAt<'_>> {
    let mut scan = Scan {
        text,
        cursor: offset as usize,
        open: Vec::new(),
        word: "",
        attribute: "",
        is_behind_entry: false,
        found: None,
    };
    let mut at = 0;
    while at < text.len() && !scan.is_done(at) {
        at = scan.step(at);
    }
    if scan.found.is_none() {
        scan.note(Span::at(offset), false);
    }
    scan.finish()
}

struct Found<'t> {
    attribute: &'t str,
    word: Span,
    quoted: bool,
    bare: bool,
    /// How many brackets are open around the entries.
    depth: usize,
    others: Vec<&'t str>,
}

struct Scan<'t> {
    text: &'t str,
    cursor: usize,
    open: Vec<Open<'t>>,
    /// The last name.
    word: &'t str,
    /// The last name before a `=`.
    attribute: &'t str,
    /// Whether an entry ended without a comma after it yet.
    is_behind_entry: bool,
    found: Option<Option<Found<'t>>>,
}

impl<'t> Scan<'t> {
    /// Whether the rest of the text cannot change the answer.
    fn is_done(&self, at: usize) -> bool {
        match &self.found {
            None => false,
            Some(None) => true,
            Some(Some(found)) => at > self.cursor && self.open.len() < found.depth,
        }
    }

    /// Notes where the cursor is, by the currently open brackets.
    fn note(&mut self, word: Span, quoted: bool) {
        let block = self.open.iter().rev().find_map(|o| match o {
            Open::Block(name) => Some(*name),
            _ => None,
        });
        let bare = !quoted && self.is_behind_assignment();
        let list = match self.open.last() {
            Some(Open::List { attribute, entries }) => Some((*attribute, entries.clone())),
            Some(Open::Block(_)) if bare => Some((self.attribute, Vec::new())),
            _ => None,
        };
        let depth = self.open.len();
        // Another entry requires a comma first.
        let has_room = quoted || bare || !self.is_behind_entry;
        self.found = Some(
            list.filter(|_| has_room && block == Some("stack"))
                .map(|(attribute, others)| Found {
                    attribute,
                    word,
                    quoted,
                    bare,
                    depth,
                    others,
                }),
        );
    }

    /// Whether the cursor is where the value of an attribute begins, and nothing is there yet.
    fn is_behind_assignment(&self) -> bool {
        let before = self.text.get(..self.cursor).unwrap_or("");
        let line = self.text.get(self.cursor..self.line_end(self.cursor));
        let behind = line.unwrap_or("").trim_start();
        before.trim_end_matches([' ', '\t']).ends_with('=')
            && (behind.is_empty() || behind.starts_with(['#', '}']) || behind.starts_with("//"))
    }

    fn finish(self) -> Option<ListAt<'t>> {
        let found = self.found??;
        Some(ListAt {
            attribute: found.attribute,
            word: found.word,
            quoted: found.quoted,
            bare: found.bare,
            others: found.others,
        })
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or("")
    }

    /// Where the line ends.
    fn line_end(&self, at: usize) -> usize {
        let rest = self.rest(at);
        at + rest.find(['\n', '\r']).unwrap_or(rest.len())
    }

    /// Skips what is at `at`.
    fn step(&mut self, at: usize) -> usize {
        let rest = self.rest(at);
        let Some(first) = rest.chars().next() else {
            return at + 1;
        };
        if self.found.is_none() && at >= self.cursor {
            self.note(Span::from_usize(self.cursor, self.cursor), false);
        }
        if first == '#' || rest.starts_with("//") {
            return self.comment(at, self.line_end(at));
        }
        if rest.starts_with("/*") {
            return self.comment(at, rest.find("*/").map_or(self.text.len(), |end| at + end + 2));
        }
        if let Some(end) = self.heredoc_end(at) {
            return self.comment(at, end);
        }
        if matches!(first, ',' | '[' | '(') {
            self.is_behind_entry = false;
        }
        match first {
            '"' => return self.string(at),
            '{' => self.open.push(Open::Block(self.word)),
            '[' => self.open.push(Open::List {
                attribute: self.attribute,
                entries: Vec::new(),
            }),
            '(' => self.open.push(Open::Call),
            '}' => self.close(|o| matches!(o, Open::Block(_))),
            ']' => self.close(|o| matches!(o, Open::List { .. })),
            ')' => self.close(|o| matches!(o, Open::Call)),
            '=' => self.attribute = self.word,
            c if is_name(c) => return self.name(at),
            _ => {}
        }
        at + first.len_utf8()
    }

    fn comment(&mut self, start: usize, end: usize) -> usize {
        if self.found.is_none() && (start + 1..=end).contains(&self.cursor) {
            self.found = Some(None);
        }
        end
    }

    /// The end of a heredoc that begins here: before its marker.
    fn heredoc_end(&self, at: usize) -> Option<usize> {
        let rest = self.rest(at).strip_prefix("<<")?;
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        let len = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let marker = rest.get(..len).filter(|marker| !marker.is_empty())?;
        let mut line = self.line_end(at);
        while line < self.text.len() {
            let next = line + 1;
            let end = self.line_end(next);
            if self.text.get(next..end)?.trim() == marker {
                return Some(end);
            }
            line = end;
        }
        Some(self.text.len())
    }

    /// Closes the innermost bracket of a kind, and unclosed ones in it.
    fn close(&mut self, kind: impl Fn(&Open<'t>) -> bool) {
        if let Some(at) = self.open.iter().rposition(kind) {
            self.open.truncate(at);
        }
    }

    fn name(&mut self, at: usize) -> usize {
        let rest = self.rest(at);
        let len = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let word = rest.get(..len).unwrap_or("");
        let starts_line = at == 0 || self.text.as_bytes().get(at - 1) == Some(&b'\n');
        let line = self.text.get(at..self.line_end(at)).unwrap_or("");
        if starts_line && line.trim_end().ends_with('{') {
            // A block at the start of a line is a top-level one, even if earlier brackets were left open.
            self.open.clear();
        }
        self.word = word;
        at + len
    }

    fn string(&mut self, at: usize) -> usize {
        let start = at + 1;
        let line_end = self.line_end(start);
        let mut end = start;
        let mut escaped = false;
        let mut closed = false;
        // The number of open braces of interpolations: here, and at the cursor.
        let (mut depth, mut depth_at_cursor) = (0_usize, 0_usize);
        let mut before = [' '; 2];
        for (i, c) in self.text.get(start..line_end).unwrap_or("").char_indices() {
            end = start + i;
            if end <= self.cursor {
                depth_at_cursor = depth;
            }
            match c {
                '"' if !escaped && depth == 0 => {
                    closed = true;
                    break;
                }
                '{' if depth > 0 || is_opened_by(before) => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            escaped = c == '\\' && !escaped;
            before = [before[1], c];
            end += c.len_utf8();
        }
        if end <= self.cursor && !closed {
            depth_at_cursor = depth;
        }
        let content = self.text.get(start..end).unwrap_or("");
        if self.found.is_none() && depth_at_cursor > 0 && (start..=end).contains(&self.cursor) {
            self.found = Some(None);
        } else if self.found.is_none() && (start..=end).contains(&self.cursor) {
            // What follows an unclosed quote is not part of the entry.
            let behind = self.text.get(self.cursor..end).unwrap_or("");
            let stop = behind
                .find(|c: char| !closed && (c.is_whitespace() || matches!(c, ',' | ']')))
                .map_or(end, |i| self.cursor + i);
            self.note(Span::from_usize(start, stop), true);
        } else if let Some(Open::List { entries, .. }) = self.open.last_mut() {
            entries.push(content);
            if let Some(Some(found)) = &mut self.found
                && found.depth == self.open.len()
            {
                found.others.push(content);
            }
        }
        self.is_behind_entry = closed && matches!(self.open.last(), Some(Open::List { .. }));
        if closed { end + 1 } else { end }
    }
}

/// Whether a brace after two characters begins an interpolation or a directive.
fn is_opened_by([second, last]: [char; 2]) -> bool {
    matches!(last, '$' | '%') && second != last
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(marked: &str) -> Option<(String, String, bool, Vec<String>)> {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let found = list_at(&text, offset as u32)?;
        Some((
            found.attribute.to_owned(),
            found.word.slice(&text).to_owned(),
            found.quoted,
            found.others.iter().map(|o| (*o).to_owned()).collect(),
        ))
    }

    fn found(
        attribute: &str,
        word: &str,
        quoted: bool,
        others: &[&str],
    ) -> Option<(String, String, bool, Vec<String>)> {
        Some((
            attribute.to_owned(),
            word.to_owned(),
            quoted,
            others.iter().map(|o| (*o).to_owned()).collect(),
        ))
    }

    #[test]
    fn whole_lists() {
        assert_eq!(
            at("stack {\n  after = [\"/a|b\", \"/c\"]\n}\n"),
            found("after", "/ab", true, &["/c"])
        );
        assert_eq!(
            at("stack {\n  before = [\"/c\", |]\n}\n"),
            found("before", "", false, &["/c"])
        );
        assert_eq!(
            at("stack {\n  wants = tm_concat([\"/x\"], [\"|\"])\n}\n"),
            found("wants", "", true, &[])
        );
    }

    #[test]
    fn an_attribute_without_its_list() {
        for text in [
            "stack {\n  after = |\n}\n",
            "stack {\n  after =|",
            "stack { after = | }\n",
            "stack {\n  wants = [\"/a\"]\n  after = | # why\n  name = \"b\"\n}\n",
        ] {
            assert_eq!(at(text), found("after", "", false, &[]), "{text}");
            let offset = text.find('|').unwrap();
            assert!(list_at(&text.replacen('|', "", 1), offset as u32).unwrap().bare);
        }
        for text in [
            "stack {\n  after = \n|}\n",
            "stack {\n  after = | [\"/a\"]\n}\n",
            "stack {\n  after = tm_concat(|)\n}\n",
            "globals {\n  after = |\n}\n",
            "stack {\n  description = <<EOT\n  after = |\nEOT\n}\n",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn half_typed_lists() {
        assert_eq!(
            at("stack {\n  after = [\"/a|\n}\n"),
            found("after", "/a", true, &[])
        );
        assert_eq!(
            at("stack {\n  after = [\"/a|]\n}\n"),
            found("after", "/a", true, &[])
        );
        assert_eq!(
            at("stack {\n  after = [\"/c\", \"|"),
            found("after", "", true, &["/c"])
        );
        assert_eq!(at("stack {\n  after = [|"), found("after", "", false, &[]));
        assert_eq!(
            at("globals {\n  a = {\n\nstack {\n  after = [\"|\"]\n}\n"),
            found("after", "", true, &[])
        );
    }

    #[test]
    fn not_in_a_list_of_a_stack() {
        assert_eq!(at("stack {\n  name = \"|\"\n}\n"), None);
        assert_eq!(at("globals {\n  after = [\"|\"]\n}\n"), None);
        assert_eq!(at("stack {\n  after = [ # |\n  ]\n}\n"), None);
        assert_eq!(at("stack {\n  after = []|\n}\n"), None);
        assert_eq!(at("|"), None);
        assert_eq!(at("stack {\n  after = [\"/a\"|]\n}\n"), None);
        assert_eq!(at("stack {\n  after = [\"/a\" |\n]\n}\n"), None);
        assert_eq!(at("stack {\n  after = [\"/a\"]\n}\n// stack { after = [|"), None);
    }

    #[test]
    fn not_in_an_expression_or_a_heredoc() {
        assert_eq!(at("stack {\n  after = [\"/a/${global.|x}\"]\n}\n"), None);
        assert_eq!(at("stack {\n  after = [\"/a/${|\"]\n}\n"), None);
        assert_eq!(
            at("stack {\n  after = [\"/a/${tm_lower(\"B\")}|\", \"/c\"]\n}\n"),
            found("after", "/a/${tm_lower(\"B\")}", true, &["/c"])
        );
        assert_eq!(
            at("stack {\n  after = [\"$${|\"]\n}\n"),
            found("after", "$${", true, &[])
        );
        assert_eq!(
            at("stack {\n  description = <<-EOT\n    after = [\"|\"]\n  EOT\n}\n"),
            None
        );
        assert_eq!(
            at("stack {\n  description = <<EOT\n  \" { [\nEOT\n  after = [\"|\"]\n}\n"),
            found("after", "", true, &[])
        );
    }

    #[test]
    fn text_beyond_ascii() {
        assert_eq!(
            at("stack {\n  name = \"größe\"\n  after = [\"/ö|\", \"/ü\"]\n}\n"),
            found("after", "/ö", true, &["/ü"])
        );
    }
}
