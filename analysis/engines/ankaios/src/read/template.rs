//! Handlebars templates, as far as it takes to tell whether one renders, and to what.
//!
//! Source: Ankaios renders with handlebars-rust 6 in strict mode, without escaping, with one partial, `indent`.

use std::ops::Range;

/// Helpers that are built in and print something themselves.
const INLINE: &[&str] = &[
    "lookup", "log", "eq", "ne", "gt", "gte", "lt", "lte", "and", "or", "not", "len",
];
/// Helpers that are built in and take a block.
const BLOCKS: &[&str] = &["if", "unless", "each", "with"];

/// A text read as a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Template {
    /// Its parts, in order.
    pub(crate) parts: Vec<Part>,
    /// What makes it no template.
    pub(crate) fault: Option<TemplateFault>,
    /// Whether there are braces that mean something.
    pub(crate) has_braces: bool,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Text that stays.
    Text(Box<str>),
    /// A variable.
    Variable(Variable),
    /// A variable that has to be there, and what is printed is not followed.
    Needed(Variable),
    /// A helper that there is none of: its name.
    UnknownHelper(Box<str>, u32, (usize, usize)),
    /// A partial that there is none of.
    UnknownPartial(Box<str>, u32, (usize, usize)),
    /// What is not followed.
    Opaque,
}

/// A variable of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Its path, dots included.
    pub(crate) path: Box<str>,
    /// The place of the path.
    pub(crate) place: u32,
    /// Line and column of its braces in the text, from 1.
    pub(crate) at: (usize, usize),
    /// How it is written, braces included: the schema allows one form only.
    pub(crate) is_plain: bool,
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateFault {
    /// In words.
    pub(crate) words: Box<str>,
    /// Where.
    pub(crate) place: u32,
}

impl Template {
    /// The variables, in order.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.parts.iter().filter_map(|p| match p {
            Part::Variable(v) | Part::Needed(v) => Some(v),
            _ => None,
        })
    }
}

/// Reads a text. `place` gives a number to a range of its bytes.
pub(crate) fn read(text: &str, mut place: impl FnMut(Range<usize>) -> u32) -> Template {
    let mut out = Template::default();
    let mut blocks: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("{{")) {
        let open = at + found;
        let before = text.get(at..open).unwrap_or("");
        if let Some(kept) = before.strip_suffix('\\')
            && !kept.ends_with('\\')
        {
            // An escaped mustache stays text up to its end.
            let end = text
                .get(open..)
                .and_then(|r| r.find("}}"))
                .map_or(text.len(), |e| open + e + 2);
            out.parts.push(Part::Text(kept.into()));
            out.parts
                .push(Part::Text(text.get(open..end).unwrap_or("").into()));
            at = end;
            continue;
        }
        if !before.is_empty() {
            out.parts.push(Part::Text(before.into()));
        }
        out.has_braces = true;
        let rest = text.get(open..).unwrap_or("");
        let (close, is_comment) = closing(rest);
        let Some(close) = close else {
            let words = "unclosed `{{`".into();
            out.fault.get_or_insert(TemplateFault {
                words,
                place: place(open..text.len()),
            });
            return out;
        };
        let end = open + close.len();
        if !is_comment {
            mustache(text, open..end, close, &mut blocks, &mut out, &mut place);
        }
        at = end;
    }
    if let Some(rest) = text.get(at..).filter(|r| !r.is_empty()) {
        out.parts.push(Part::Text(rest.into()));
    }
    if let Some(block) = blocks.last() {
        let words = format!("`{{{{#{block}}}}}` is never closed").into();
        let from = text.rfind("{{#").unwrap_or(0);
        out.fault.get_or_insert(TemplateFault {
            words,
            place: place(from..text.len()),
        });
    }
    out
}

/// What kind of braces a text begins with, and how they are closed.
fn closing(rest: &str) -> (Option<Braces<'_>>, bool) {
    if rest.starts_with("{{!--") {
        let close = rest
            .find("--}}")
            .map(|e| e + 4)
            .or_else(|| rest.find("--~}}").map(|e| e + 5));
        return (close.map(|len| Braces { inner: "", len }), true);
    }
    let comment = rest.starts_with("{{!");
    let triple = rest.starts_with("{{{");
    let (open, mark) = if triple { (3, "}}}") } else { (2, "}}") };
    let close = rest.get(open..).and_then(|r| r.find(mark));
    let braces = close.map(|e| Braces {
        inner: rest.get(open..open + e).unwrap_or(""),
        len: open + e + mark.len(),
    });
    (braces, comment)
}

struct Braces<'a> {
    inner: &'a str,
    len: usize,
}

impl Braces<'_> {
    const fn len(&self) -> usize {
        self.len
    }
}

fn mustache<'t>(
    text: &'t str,
    range: Range<usize>,
    braces: Braces<'t>,
    blocks: &mut Vec<&'t str>,
    out: &mut Template,
    place: &mut impl FnMut(Range<usize>) -> u32,
) {
    let position = position(text, range.start);
    let bare = braces.inner.trim_start_matches('~').trim_end_matches('~');
    let words: Vec<&str> = bare.split_whitespace().collect();
    let is_plain = braces.len == braces.inner.len() + 4 && bare == bare.trim() && bare == braces.inner;
    let mut spot = |word: &str| {
        let offset = (word.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        place(offset..offset + word.len())
    };
    let Some(first) = words.first().copied() else {
        let words = "empty braces".into();
        out.fault.get_or_insert(TemplateFault {
            words,
            place: place(range),
        });
        return;
    };
    let variable = |word: &'t str, place: u32| Variable {
        path: word.into(),
        place,
        at: position,
        is_plain,
    };
    if let Some(name) = first.strip_prefix('#') {
        let (name, param) = match (name, words.get(1..).unwrap_or(&[])) {
            ("", [name, rest @ ..]) => (*name, rest.first()),
            (name, rest) => (name, rest.first()),
        };
        let scoped = blocks.iter().any(|b| matches!(*b, "each" | "with"));
        blocks.push(name);
        match param {
            _ if !BLOCKS.contains(&name) => {
                out.parts
                    .push(Part::UnknownHelper(name.into(), spot(name), position));
            }
            Some(param) if matches!(name, "each" | "with") && is_path(param) && !scoped => {
                let place = spot(param);
                out.parts.push(Part::Needed(variable(param, place)));
                out.parts.push(Part::Opaque);
            }
            _ => out.parts.push(Part::Opaque),
        }
        return;
    }
    if let Some(name) = first.strip_prefix('/') {
        let name = if name.is_empty() {
            words.get(1).copied().unwrap_or("")
        } else {
            name
        };
        if blocks.pop() != Some(name) {
            let words = format!("`{{{{/{name}}}}}` closes nothing").into();
            out.fault.get_or_insert(TemplateFault {
                words,
                place: place(range),
            });
        }
        return;
    }
    if let Some(name) = first.strip_prefix('>') {
        let name = if name.is_empty() {
            words.get(1).copied().unwrap_or("")
        } else {
            name
        };
        if name != "indent" {
            out.parts
                .push(Part::UnknownPartial(name.into(), spot(name), position));
        } else if let Some(param) = words.iter().find_map(|w| w.strip_prefix("content="))
            && is_path(param)
        {
            let place = spot(param);
            out.parts.push(Part::Needed(variable(param, place)));
        }
        out.parts.push(Part::Opaque);
        return;
    }
    let first = first.strip_prefix('&').unwrap_or(first);
    let in_scope = blocks.iter().any(|b| matches!(*b, "each" | "with"));
    let in_condition = blocks.iter().any(|b| matches!(*b, "if" | "unless"));
    match words.len() {
        _ if matches!(first, "else" | "^") => {}
        1 if in_scope || in_condition || !is_path(first) => out.parts.push(Part::Opaque),
        1 => {
            let place = spot(first);
            out.parts.push(Part::Variable(variable(first, place)));
        }
        _ if INLINE.contains(&first) || in_scope || !is_path(first) => out.parts.push(Part::Opaque),
        _ => out
            .parts
            .push(Part::UnknownHelper(first.into(), spot(first), position)),
    }
}

/// Names with single dots between them, which lead to something in the configs.
fn is_path(word: &str) -> bool {
    let part = |p: &str| {
        !p.is_empty()
            && p.bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    };
    word != "this" && !word.starts_with("this.") && word.split('.').all(part)
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
        let mut out: Vec<String> = template
            .parts
            .iter()
            .map(|p| match p {
                Part::Text(t) => format!("text {t}"),
                Part::Variable(v) => format!("variable {} at {} {:?} {}", v.path, v.place, v.at, v.is_plain),
                Part::Needed(v) => format!("needed {}", v.path),
                Part::UnknownHelper(name, place, _) => format!("helper {name} at {place}"),
                Part::UnknownPartial(name, ..) => format!("partial {name}"),
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
            ["text a", "variable x.y at 3 (1, 2) true", "text b"]
        );
        assert_eq!(parts("\n {{ x }}"), ["text \n ", "variable x at 5 (2, 2) false"]);
        assert_eq!(parts("{{{x}}}"), ["variable x at 3 (1, 1) false"]);
        assert_eq!(parts("{{foo x}}"), ["helper foo at 2"]);
        assert_eq!(parts("{{> indent content=x}}"), ["needed x", "opaque"]);
        assert_eq!(parts("{{> other}}"), ["partial other", "opaque"]);
        assert_eq!(
            parts("{{#each x}}{{this}},{{/each}}"),
            ["needed x", "opaque", "opaque", "text ,"]
        );
        assert_eq!(parts("{{! no }}{{!-- {{x}} --}}"), [""; 0]);
        assert_eq!(parts("\\{{x}}"), ["text ", "text {{x}}"]);
    }

    #[test]
    fn what_is_not_closed_is_a_fault() {
        assert_eq!(parts("{{x"), ["fault unclosed `{{`"]);
        assert_eq!(parts("{{#if x}}"), ["opaque", "fault `{{#if}}` is never closed"]);
        assert_eq!(parts("{{/if}}"), ["fault `{{/if}}` closes nothing"]);
        assert_eq!(parts("a }} b"), ["text a }} b"]);
    }
}
