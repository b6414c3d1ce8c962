//! The results of templates, compared with the library that Ankaios renders with: handwritten templates, and
//! random ones with fixed seeds.

use std::panic::catch_unwind;
use std::sync::Once;

use applyorder_analysis::fixture::Fixture;
use handlebars::Handlebars;
use serde_json::{Value, json};

use crate::State;
use crate::read::template;

const MANIFEST: &str = r#"//- /m.ank.yaml
apiVersion: v1
workloads:
  w:
    runtime: podman
    agent: a
    runtimeConfig: 'image: x'
    configs: {t: text, e: empty, l: list, n: none, m: map, d: deep, 0: text}
configs:
  text: "some"
  empty: ""
  list: ["one", "two", ["x", {k: "v"}]]
  none: []
  map: {b: "2", a: "1", "10": "ten", this: "that"}
  deep: {first: {k: "v", l: ["p", "q\n", "r"]}, lines: "a\nb\n", last: {}}
"#;

/// The same data for the library. Its maps are sorted.
fn data() -> Value {
    json!({
        "0": "some",
        "d": {"first": {"k": "v", "l": ["p", "q\n", "r"]}, "last": {}, "lines": "a\nb\n"},
        "e": "",
        "l": ["one", "two", ["x", {"k": "v"}]],
        "m": {"10": "ten", "a": "1", "b": "2", "this": "that"},
        "n": [],
        "t": "some",
    })
}

fn library() -> Handlebars<'static> {
    let mut library = Handlebars::new();
    library.set_strict_mode(true);
    library.register_escape_fn(handlebars::no_escape);
    library.register_partial("indent", "{{content}}").unwrap();
    library
}

/// The library's result for a template; `None` if it panics.
fn theirs(library: &Handlebars<'_>, text: &str) -> Option<Result<String, String>> {
    static QUIET: Once = Once::new();
    // Only its own panics are silenced.
    QUIET.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.location().is_some_and(|l| l.file().contains("handlebars-")) {
                before(info);
            }
        }));
    });
    let rendered = catch_unwind(std::panic::AssertUnwindSafe(|| {
        library.render_template(text, &data())
    }));
    rendered.ok().map(|r| r.map_err(|e| e.to_string()))
}

/// The number of templates that were evaluated completely. `is_exact`: the reason why a text is not a template
/// must be the same too.
fn compare<'t>(texts: impl IntoIterator<Item = &'t str>, must_follow: bool, is_exact: bool) -> usize {
    let fixture = Fixture::new(crate::ALONE, MANIFEST);
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let state = project.resolution.state.as_ref().unwrap();
    let state = state.downcast_ref::<State>().unwrap();
    let workload = &state.model.sources[0].manifest().workloads[0];
    let library = library();
    let (mut followed, mut failures) = (0, String::new());
    for text in texts {
        let template = template::read(text, |_| 1);
        let ours = state.model.lookup().run(workload, &template);
        let said = ours.fault.as_ref().map(|f| f.said.as_str());
        let is_same = match (theirs(&library, text), said) {
            // What makes it panic is unknown.
            (None, None) => ours.is_open,
            (None, Some(_)) => false,
            (Some(_), None) if ours.is_open => !must_follow,
            (Some(Ok(wanted)), None) => ours.text.as_ref() == Some(&wanted),
            (Some(Err(wanted)), Some(said)) => {
                let not_a_template = "Failed to parse template Template error: invalid handlebars syntax";
                said == wanted || !is_exact && [said, &*wanted].iter().all(|t| t.starts_with(not_a_template))
            }
            _ => false,
        };
        followed += usize::from(!ours.is_open);
        if !is_same {
            failures.push_str(&format!(
                "{text:?}\n  ours   {:?} {said:?} {}\n  theirs {:?}\n",
                ours.text,
                ours.is_open,
                theirs(&library, text)
            ));
        }
    }
    assert!(failures.is_empty(), "{failures}");
    followed
}

#[test]
fn templates_come_to_what_the_library_makes_of_them() {
    let cases = include_str!("handlebars.txt");
    // One per line; line breaks are written as `⏎`.
    let cases: Vec<String> = cases.lines().map(|line| line.replace('⏎', "\n")).collect();
    assert!(cases.len() > 150);
    compare(cases.iter().map(String::as_str), true, false);
}

#[test]
fn an_else_outside_of_a_block_is_reported_like_the_library_does() {
    let names = [
        "{{^t}}",
        "{{^ t}}",
        "{{~^t}}",
        "a{{^t}}b{{/t}}",
        "{{^t m}}",
        "{{^ m . a}}",
        "{{^m.a k=1}}",
    ];
    let words = [
        "{{else t}}",
        "{{elset}}",
        "{{else if t}}",
        "{{else}}",
        "{{ else }}",
        "{{else~}}",
    ];
    let none = [
        "{{^}}a",
        "{{^(t)}}",
        "{{^\"a\"}}",
        "{{^../t}}",
        "{{^@root}}",
        "{{^&t}}",
        "{{^ }}",
        "{{^~}}",
        "{{^t~}}",
    ];
    let all = names.iter().chain(&words).chain(&none);
    compare(all.copied(), true, true);
}

#[test]
fn what_is_missing_in_a_value_is_reported_like_the_library_does() {
    let objects = [
        "{{t{{m}}",
        "a{{t {{m}}",
        "{{#if t{{m}}",
        "{{t {a}}}",
        "{{t { \"a\" : 1 , b}}}",
        "{{t k={b}}}",
        "{{t{{",
    ];
    let others = [
        "{{t [1,}}",
        "{{t [}}",
        "{{t {\"a\":}}}",
        "{{t ({)}}",
        "{{t (}}",
        "{{t [a]",
        "{{t {}",
    ];
    compare(objects.into_iter().chain(others), true, true);
}

/// A generator of our own, so that a seed gives the same results everywhere.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }

    pub(super) fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn path(&mut self) -> String {
        self.one(&[
            "t",
            "e",
            "l",
            "n",
            "m",
            "d",
            "this",
            "d.first.k",
            "d.first.l",
            "l.0",
            "l.[2].1.k",
            "m.a",
            "m.[10]",
            "nope",
            "m.nope",
            "l.x",
            "../t",
            "../../m",
            "@root.m.b",
            "@index",
            "@key",
            "@first",
            "@last",
            "@../index",
            "x",
            "y",
            "x.k",
            "this.k",
            "./k",
            "d/first",
            "l.9",
            "@root",
            "d.lines",
            "m.this",
            "[t]",
            "k",
            "../this",
            "@this",
            "0",
        ])
        .to_owned()
    }

    fn value(&mut self, depth: usize) -> String {
        match self.below(10) {
            0..5 => self.path(),
            5 => self
                .one(&["1", "0", "-1", "1.5", "2E1", "01", "1a", "10"])
                .to_owned(),
            6 => self
                .one(&["\"a\"", "'1'", "\"\"", "'k'", "\"\\n\"", "\"b\""])
                .to_owned(),
            7 => self
                .one(&["true", "false", "null", "[1, \"a\"]", "[]", "{\"k\": 1}", "{}"])
                .to_owned(),
            _ if depth > 0 => format!("({})", self.call(depth - 1)),
            _ => self.path(),
        }
    }

    fn call(&mut self, depth: usize) -> String {
        let name = self.one(&[
            "eq", "ne", "gt", "gte", "lt", "lte", "and", "or", "not", "len", "lookup", "lookup", "if", "log",
            "each", "with", "raw", "nope",
        ]);
        let mut out = name.to_owned();
        for _ in 0..self.below(3) + usize::from(self.below(4) > 0) {
            out.push(' ');
            out.push_str(&self.value(depth));
        }
        if self.below(10) == 0 {
            out.push_str(self.one(&[" includeZero=true", " level=\"warn\"", " level=\"loud\"", " a=t"]));
        }
        out
    }

    fn space(&mut self) -> &'static str {
        self.one(&[
            "", "", "", " ", "\n", "  ", "\n  ", " \n", "text", "a\n", "\t", "\\", " b ",
        ])
    }

    fn tag(&mut self, inner: &str) -> String {
        let (a, b) = (self.one(&["", "", "", "~"]), self.one(&["", "", "", "~"]));
        format!("{{{{{a}{inner}{b}}}}}")
    }

    fn block(&mut self, depth: usize, may_include: bool) -> String {
        let name = self.one(&[
            "if", "unless", "each", "each", "with", "with", "eq", "and", "not", "lookup",
        ]);
        let values: Vec<String> = (0..1 + usize::from(matches!(name, "eq" | "and" | "lookup")))
            .map(|_| self.value(1))
            .collect();
        let zero = self.one(&["", "", "", " includeZero=true"]);
        let names = self.one(&["", "", " as |x|", " as |x y|"]);
        let mut out = self.tag(&format!("#{name} {}{zero}{names}", values.join(" ")));
        out.push_str(&self.body(depth, may_include));
        while self.below(4) == 0 {
            // With a tilde before it the library panics.
            let value = self.value(1);
            let name = self.one(&["if", "with", "each", "unless"]);
            out.push_str(&format!("{{{{else {name} {value}}}}}"));
            out.push_str(&self.body(depth, may_include));
        }
        if self.below(3) == 0 {
            let otherwise = self.one(&["else", "^"]);
            out.push_str(&self.tag(otherwise));
            out.push_str(&self.body(depth, may_include));
        }
        out.push_str(&self.tag(&format!("/{name}")));
        out
    }

    fn partial(&mut self, depth: usize) -> String {
        let name = self.one(&[
            "indent",
            "indent",
            "p",
            "q",
            "nope",
            "(lookup m 'a')",
            "@partial-block",
        ]);
        let mut inner = name.to_owned();
        if self.below(3) == 0 {
            inner.push(' ');
            inner.push_str(&self.value(1));
        }
        if self.below(2) == 0 {
            inner.push_str(" content=");
            inner.push_str(&self.value(1));
        }
        if self.below(3) == 0 {
            inner.push_str(self.one(&[" t=l", " k='z'"]));
        }
        if self.below(3) > 0 || name.starts_with(['(', '@']) {
            return self.tag(&format!("> {inner}"));
        }
        let body = self.body(depth, false);
        let close = self.one(&["", name]);
        format!("{{{{#> {inner}}}}}{body}{{{{/{close}}}}}")
    }

    fn inline(&mut self, depth: usize) -> String {
        let name = self.one(&["p", "q", "indent"]);
        // What includes itself would never end.
        let body = match self.below(4) {
            0 => "{{> @partial-block}}".to_owned(),
            _ => self.body(depth, false),
        };
        let (open, close) = (self.tag(&format!("#*inline \"{name}\"")), self.tag("/inline"));
        format!("{open}{body}{close}")
    }

    fn body(&mut self, depth: usize, may_include: bool) -> String {
        let mut out = self.space().to_owned();
        for _ in 0..self.below(4) {
            let part = match self.below(12) {
                0..3 => {
                    let path = self.path();
                    self.tag(&path)
                }
                3 => {
                    let call = self.call(2);
                    self.tag(&call)
                }
                4 => format!("{{{{{{{}}}}}}}", self.path()),
                5 => self
                    .one(&[
                        "{{! c }}",
                        "{{!-- }} --}}",
                        "\\{{t}}",
                        "\\\\{{t}}",
                        "{{& t}}",
                        "{{(len l)}}",
                    ])
                    .to_owned(),
                6..9 if depth > 0 => self.block(depth - 1, may_include),
                9 if depth > 0 && may_include => self.partial(depth - 1),
                10 if depth > 0 && may_include => self.inline(depth - 1),
                11 if self.below(6) == 0 => "{{{{raw}}}} a {{t}}\n{{{{/raw}}}}".to_owned(),
                _ => {
                    let path = self.path();
                    format!("{{{{{path}}}}}")
                }
            };
            out.push_str(&part);
            out.push_str(self.space());
        }
        out
    }
}

#[test]
fn random_templates_come_to_what_the_library_makes_of_them() {
    let mut random = Random(0x5eed_0003);
    let texts: Vec<String> = (0..5000).map(|_| random.body(3, true)).collect();
    let followed = compare(texts.iter().map(String::as_str), false, false);
    assert!(followed > 4900, "{followed} of 5000 were followed");
}

#[test]
fn damaged_templates_are_refused_where_the_library_refuses_them() {
    let mut random = Random(0x5eed_0002);
    let texts: Vec<String> = (0..5000)
        .map(|_| {
            let mut text: Vec<char> = random.body(2, false).chars().collect();
            for _ in 0..1 + random.below(2) {
                let at = random.below(text.len() + 1);
                match random.below(3) {
                    0 if at < text.len() => {
                        text.remove(at);
                    }
                    _ => text.insert(
                        at,
                        [
                            '{', '}', '#', '/', '~', '(', ')', '"', '.', ' ', '|', '=', '[', '!',
                        ][random.below(14)],
                    ),
                }
            }
            text.into_iter().collect()
        })
        .collect();
    compare(texts.iter().map(String::as_str), false, false);
}
