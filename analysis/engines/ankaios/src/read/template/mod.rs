//! Handlebars templates, parsed like in the library that Ankaios renders with.
//!
//! Source: handlebars-rust 6.4.0, in strict mode, without escaping, with one partial, `indent`. The crate
//! itself is the oracle of the tests.

mod fault;
mod reader;
mod tag;

use std::ops::Range;

use serde_json::Value as Json;

pub(crate) use fault::TemplateFault;

/// Built-in helpers.
pub(crate) const HELPERS: &[&str] = &[
    "if", "unless", "each", "with", "lookup", "raw", "log", "eq", "ne", "gt", "gte", "lt", "lte", "and",
    "or", "not", "len",
];

/// A text parsed as a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Template {
    /// Runs of parts: the content of each block has an index, and the last one is the whole.
    pub(crate) bodies: Vec<Vec<Part>>,
    /// Why it is not a template.
    pub(crate) fault: Option<Box<TemplateFault>>,
    /// Whether it has braces with a meaning.
    pub(crate) has_braces: bool,
    /// Whether something in it is not evaluated: values or blocks nested too deep, and a form for which the
    /// library panics.
    pub(crate) is_open: bool,
}

/// The number of a run of parts.
pub(crate) type Body = usize;

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Literal text.
    Text(Box<str>),
    /// `{{! … }}`, after which white space is kept.
    Comment,
    /// `{{name}}`, or a helper with its values.
    Print(Box<Call>),
    /// `{{#helper}}`, one after the other if `{{else helper}}` follows.
    Block { arms: Vec<Arm>, otherwise: Option<Body> },
    /// `{{> name}}`, and its content if it is a block.
    Partial {
        call: Box<Call>,
        body: Option<Body>,
        /// The text before it on its line.
        indent: Option<Box<str>>,
        /// Whether it is on a line of its own.
        is_alone: bool,
    },
    /// `{{*name}}`, and its content if it is a block.
    Decorator { call: Box<Call>, body: Option<Body> },
}

/// A helper of a block with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arm {
    pub(crate) call: Box<Call>,
    /// The block parameters.
    pub(crate) names: Vec<Box<str>>,
    pub(crate) body: Body,
    /// Whether its tag is on a line of its own.
    pub(crate) is_alone: bool,
}

/// A name with values, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) inner: Inner,
    /// The place of the name.
    pub(crate) place: u32,
    /// Line and column of its braces in the text, from 1.
    pub(crate) at: (usize, usize),
}

/// A callee with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inner {
    pub(crate) name: Name,
    pub(crate) values: Values,
}

/// The callee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A variable or a helper; for a helper only the raw text is used.
    Path(Path),
    /// The value of a helper.
    Inner(Box<Inner>),
}

/// The values of a helper.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) listed: Vec<Operand>,
    /// `name=value`.
    pub(crate) named: Vec<(Box<str>, Operand)>,
}

impl Values {
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.named.is_empty()
    }
}

/// A value of a helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Path(Path),
    /// A literal.
    Json(Json),
    /// The value of a helper.
    Inner(Box<Inner>),
}

/// The path to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// Its raw text.
    pub(crate) raw: Box<str>,
    /// How many `../` it begins with.
    pub(crate) ups: usize,
    /// Whether it begins with `@root`.
    pub(crate) is_root: bool,
    /// Whether block parameters are ignored.
    pub(crate) hides_names: bool,
    /// A variable of a loop: `index` of `@index`.
    pub(crate) local: Option<Box<str>>,
    pub(crate) names: Vec<Box<str>>,
    /// Where it is written.
    pub(crate) place: u32,
    /// The range of the template that contains it.
    range: (usize, usize),
}

impl Template {
    /// The first tag with a value.
    pub(crate) fn first_call(&self) -> Option<&Call> {
        let calls = self.bodies.iter().flatten().filter_map(|part| match part {
            Part::Print(call) | Part::Partial { call, .. } => Some(&**call),
            Part::Block { arms, .. } => arms.first().map(|arm| &*arm.call),
            Part::Text(_) | Part::Comment | Part::Decorator { .. } => None,
        });
        calls.min_by_key(|call| call.at)
    }

    /// The parts of the whole.
    pub(crate) fn whole(&self) -> &[Part] {
        self.bodies.last().map_or(&[], Vec::as_slice)
    }

    /// Its result if it has no variables. `None` for long texts, which may reach a limit.
    pub(crate) fn fixed(&self) -> Option<String> {
        let mut out = String::new();
        for part in self.whole() {
            match part {
                Part::Text(text) if out.len() + text.len() <= MAX_FIXED => out.push_str(text),
                _ => return None,
            }
        }
        (self.fault.is_none() && !self.is_open).then_some(out)
    }
}

/// The maximum number of bytes of [`Template::fixed`].
const MAX_FIXED: usize = 1 << 16;

/// Parses a text. `place` assigns a number to a range of its bytes.
pub(crate) fn read(text: &str, place: impl FnMut(Range<usize>) -> u32) -> Template {
    reader::Reader::new(text, place).read()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tags of a text with the places of their names, and the error.
    fn tags(text: &str) -> Vec<String> {
        let template = read(text, |r| u32::try_from(r.start).unwrap());
        let shown = |word: &str, call: &Call| {
            let Name::Path(path) = &call.inner.name else {
                return format!("{word} at {} {:?}", call.place, call.at);
            };
            let values = call.inner.values.listed.len() + call.inner.values.named.len();
            format!("{word} {} {values} at {} {:?}", path.raw, call.place, call.at)
        };
        let parts = template.bodies.iter().flatten();
        let mut out: Vec<String> = parts
            .map(|part| match part {
                Part::Text(text) => format!("text {text}"),
                Part::Comment => "comment".to_owned(),
                Part::Print(call) => shown("print", call),
                Part::Block { arms, otherwise } => {
                    let all = arms.iter().map(|arm| shown("open", &arm.call));
                    format!("{} {otherwise:?}", all.collect::<Vec<_>>().join(" else "))
                }
                Part::Partial { call, .. } => shown("partial", call),
                Part::Decorator { call, .. } => shown("decorator", call),
            })
            .collect();
        out.extend(template.fault.map(|f| format!("fault {}", f.words)));
        out
    }

    #[test]
    fn variables_helpers_and_blocks_are_distinguished() {
        assert_eq!(tags("a{{x.y}}b"), ["text a", "print x.y 0 at 3 (1, 2)", "text b"]);
        assert_eq!(tags("\n {{ x }}"), ["text \n ", "print x 0 at 5 (2, 2)"]);
        assert_eq!(tags("{{{x}}}"), ["print x 0 at 3 (1, 1)"]);
        assert_eq!(tags("{{foo x}}"), ["print foo 1 at 2 (1, 1)"]);
        assert_eq!(tags("{{lookup x \"}}\"}}"), ["print lookup 2 at 2 (1, 1)"]);
        assert_eq!(tags("{{> indent content=x}}"), ["partial indent 1 at 4 (1, 1)"]);
        assert_eq!(
            tags("{{#each x}}{{this}},{{else}}-{{/each}}"),
            [
                "print this 0 at 13 (1, 12)",
                "text ,",
                "text -",
                "open each 1 at 3 (1, 1) Some(1)",
            ]
        );
        assert_eq!(
            tags("{{#if x}}{{else if y}}{{/if}}")[0],
            "open if 1 at 3 (1, 1) else open if 1 at 16 (1, 10) None"
        );
        assert_eq!(tags("{{! no }}{{!-- {{x}} --}}"), ["comment"; 2]);
        assert_eq!(tags("\\{{x}}"), ["text {{x}}"]);
        assert_eq!(tags("a\\\\{{x}}"), ["text a\\", "print x 0 at 5 (1, 4)"]);
    }

    #[test]
    fn what_is_not_closed_is_a_fault() {
        assert_eq!(tags("{{x"), ["fault `}}` is missing"]);
        assert_eq!(tags("{{#if x}}"), ["fault `{{#if}}` is never closed"]);
        assert_eq!(tags("{{/if}}"), ["fault a name is missing"]);
        assert_eq!(tags("{{x.}}"), ["fault a name is missing behind a dot"]);
        assert_eq!(
            tags("{{#if x}}{{/each}}")[1..],
            ["fault `{{#if}}` is closed by `{{/each}}`"]
        );
        assert_eq!(tags("{{else}}"), ["fault `{{else}}` outside of a block"]);
        assert_eq!(tags("{{len 01}}")[1..], ["fault `01` is no value"]);
        assert_eq!(tags("a }} b"), ["text a }} b"]);
    }

    #[test]
    fn what_is_deep_is_not_followed_and_takes_no_stack() {
        let deep = |n: usize, open: &str, close: &str| format!("{}{}", open.repeat(n), close.repeat(n));
        assert!(!read(&deep(60, "{{#if x}}", "{{/if}}"), |_| 0).is_open);
        assert!(read(&deep(20_000, "{{#if x}}", "{{/if}}"), |_| 0).is_open);
        let inner = |n: usize| format!("{{{{len {}}}}}", deep(n, "(len ", " x)"));
        assert!(!read(&inner(20), |_| 0).is_open);
        assert!(read(&inner(20_000), |_| 0).is_open || read(&inner(20_000), |_| 0).fault.is_some());
        let list = format!("{{{{len {}}}}}", deep(20_000, "[", "]"));
        let read = read(&list, |_| 0);
        assert!(read.is_open || read.fault.is_some());
    }
}
