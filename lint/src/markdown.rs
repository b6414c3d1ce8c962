//! Renders Markdown for a terminal: pages of rules. Headings start at the margin, and what follows them is indented;
//! lines are as wide as the output. Without color, the words are the same, without escapes.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::look::{Look, Style};
use crate::table::width;

/// Longer lines are hard to read on any terminal.
const WIDEST: usize = 100;
/// Narrower text is not readable either: then lines are longer than the output.
const NARROWEST: usize = 20;
/// The indentation of text.
const INDENT: usize = 2;

/// Renders a Markdown text for an output. `link` maps a link's target to a URL that is valid outside the page; `None`
/// if there is none.
#[must_use]
pub fn render(text: &str, look: Look, link: impl Fn(&str) -> Option<String>) -> String {
    let options = Options::ENABLE_STRIKETHROUGH;
    let mut page = Page::new(look);
    for event in Parser::new_ext(text, options) {
        page.take(event, &link);
    }
    page.flush();
    page.out
}

/// Text without a breakable space, in styled parts.
type Word = Vec<(String, Vec<Style>)>;

struct Page {
    look: Look,
    out: String,
    /// The current block so far.
    words: Vec<Word>,
    /// Whether the next text continues the last word.
    joined: bool,
    styles: Vec<Style>,
    heading: bool,
    code: bool,
    /// The open lists: the number of the next item if they are numbered.
    lists: Vec<Option<u64>>,
    quotes: usize,
    /// The text before the first line of the next block.
    bullet: Option<String>,
    /// The targets of open links, with their text so far.
    links: Vec<(Option<String>, String)>,
}

impl Page {
    const fn new(look: Look) -> Self {
        Self {
            look,
            out: String::new(),
            words: Vec::new(),
            joined: false,
            styles: Vec::new(),
            heading: false,
            code: false,
            lists: Vec::new(),
            quotes: 0,
            bullet: None,
            links: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>, link: &impl Fn(&str) -> Option<String>) {
        match event {
            Event::Start(tag) => self.start(tag, link),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code => self.code_lines(&text),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                let emphasized = |style| self.styles.contains(&style) && !self.look.color;
                let text = if emphasized(Style::Emphasis) {
                    format!("*{text}*")
                } else {
                    text.into_string()
                };
                self.text(&text);
            }
            Event::Code(code) => {
                let code = if self.look.color || self.heading {
                    code.into_string()
                } else {
                    format!("`{code}`")
                };
                self.styles.push(Style::Bold);
                self.unbroken(&code);
                self.styles.pop();
            }
            Event::SoftBreak => self.joined = false,
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.flush();
                let line = self.look.glyph("─").repeat(self.room());
                self.line(&self.look.paint(Style::Dim, &line));
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, link: &impl Fn(&str) -> Option<String>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                self.gap();
                self.heading = true;
                self.styles.push(match level {
                    HeadingLevel::H1 => Style::Title,
                    _ => Style::Bold,
                });
            }
            Tag::Paragraph if self.bullet.is_none() => {
                self.flush();
                self.gap();
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.gap();
                self.code = true;
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                self.bullet = self.lists.last_mut().map(|next| match next {
                    Some(n) => {
                        *n += 1;
                        format!("{}. ", *n - 1)
                    }
                    None => "- ".to_owned(),
                });
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.quotes += 1;
            }
            Tag::Emphasis => self.styles.push(Style::Emphasis),
            Tag::Strong => self.styles.push(Style::Bold),
            Tag::Link { dest_url, .. } => {
                self.styles.push(Style::Place);
                self.links.push((link(&dest_url), String::new()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.clear();
                self.heading = false;
            }
            TagEnd::CodeBlock => self.code = false,
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::Emphasis | TagEnd::Strong => drop(self.styles.pop()),
            TagEnd::Link => {
                self.styles.pop();
                if let Some((Some(target), text)) = self.links.pop()
                    && target != text
                {
                    self.joined = false;
                    self.unbroken(&format!("({target})"));
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        for (n, part) in text.split([' ', '\n']).enumerate() {
            if n > 0 {
                self.joined = false;
            }
            if !part.is_empty() {
                self.unbroken(part);
            }
        }
    }

    /// Adds text that must not be broken.
    fn unbroken(&mut self, text: &str) {
        for (_, written) in &mut self.links {
            written.push_str(text);
        }
        let piece = (text.to_owned(), self.styles.clone());
        match self.words.last_mut().filter(|_| self.joined) {
            Some(word) => word.push(piece),
            None => self.words.push(vec![piece]),
        }
        self.joined = true;
    }

    fn code_lines(&mut self, text: &str) {
        let indent = " ".repeat(self.indent() + INDENT);
        for line in text.lines() {
            let line = format!("{indent}{line}");
            self.line(line.trim_end());
        }
    }

    fn indent(&self) -> usize {
        let lists = self.lists.len().saturating_sub(1) * INDENT;
        if self.heading { 0 } else { INDENT + lists }
    }

    /// How many columns a line has after its indentation.
    fn room(&self) -> usize {
        let all = self.look.width.min(WIDEST);
        all.saturating_sub(self.indent()).max(NARROWEST)
    }

    /// An empty line between blocks, but not after a heading.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") && !self.after_heading() {
            self.out.push('\n');
        }
    }

    /// Whether the last line is at the margin.
    fn after_heading(&self) -> bool {
        let last = self.out.trim_end_matches('\n').rsplit('\n').next();
        !self.heading && last.is_some_and(|line| !line.is_empty() && !line.starts_with(' '))
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// Writes the current block.
    fn flush(&mut self) {
        let words = std::mem::take(&mut self.words);
        self.joined = false;
        if words.is_empty() {
            return;
        }
        let bullet = self.bullet.take().unwrap_or_default();
        let quote = format!("{} ", self.look.glyph("│")).repeat(self.quotes);
        let in_list = if self.lists.is_empty() {
            0
        } else {
            width(&bullet).max(INDENT)
        };
        let margin = " ".repeat(self.indent());
        let room = self.room().saturating_sub(in_list + width(&quote)).max(NARROWEST);
        let mut lead = format!(
            "{margin}{quote}{bullet}{}",
            " ".repeat(in_list - width(&bullet).min(in_list))
        );
        let mut line = String::new();
        let mut used = 0;
        for word in &words {
            let wide: usize = word.iter().map(|(text, _)| width(text)).sum();
            if used > 0 && used + 1 + wide > room {
                self.line(&format!("{lead}{line}"));
                lead = format!("{margin}{quote}{}", " ".repeat(in_list));
                line.clear();
                used = 0;
            }
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            for (text, styles) in word {
                let painted = styles
                    .iter()
                    .fold(text.clone(), |text, style| self.look.paint(*style, &text));
                line.push_str(&painted);
            }
            used += wide;
        }
        self.line(&format!("{lead}{line}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a\n\nOne `two three`, *four* [five](six.md) and <https://x.y>.\n\n## B `c`\n\
                        - first item that is long\n- second\n  1. inner\n\n```yaml\n- a: 1\n\n  b: 2\n```\nEnd.\n";

    fn shown(look: Look) -> String {
        render(TEXT, look, |to| {
            Some(if to.contains(':') {
                to.to_owned()
            } else {
                format!("https://d/{to}")
            })
        })
    }

    #[test]
    fn without_color_there_are_the_same_words_and_no_escapes() {
        let look = Look {
            width: 30,
            ..Look::PLAIN
        };
        assert_eq!(
            shown(look),
            "a\n  One `two three`, *four* five\n  (https://d/six.md) and\n  https://x.y.\n\nB c\n  - first item that is long\n  \
             - second\n    1. inner\n\n    - a: 1\n\n      b: 2\n\n  End.\n"
        );
    }

    #[test]
    fn with_color_marks_are_styles() {
        let look = Look {
            color: true,
            ..Look::PLAIN
        };
        let text = shown(look);
        assert!(
            text.contains("\x1b[1mtwo three\x1b[0m,") && text.contains("\x1b[3mfour\x1b[0m"),
            "{text:?}"
        );
        assert!(
            text.contains("\x1b[36mfive\x1b[0m (https://d/six.md)"),
            "{text:?}"
        );
        assert!(!text.contains('`') && !text.contains('#'), "{text:?}");
        assert!(
            text.lines()
                .all(|line| line.matches("\x1b[0m").count() == line.matches('\x1b').count() / 2)
        );
    }

    #[test]
    fn no_line_is_wider_than_the_output() {
        let long = "word ".repeat(200);
        let look = Look {
            width: 40,
            ..Look::PLAIN
        };
        let text = render(&format!("- {long}\n\n{long}\n"), look, |_| None);
        assert!(text.lines().all(|line| width(line) <= 40), "{text}");
        assert!(text.lines().any(|line| width(line) > 30), "{text}");
    }
}
