//! Broken text: drops as few lines as possible so that the rest can be read.

use std::ops::Range;

use super::Reading;
use super::build::{Strict, strict};
use super::node::Style;
use super::scan::Fault;
use super::tree::{SyntaxError, SyntaxErrorKind};
use crate::text::Span;

/// The maximum number of rounds; each tries a few candidates to drop.
const ROUNDS: usize = 6;
/// Texts longer than this get fewer rounds, so that the work is bounded.
const LONG: usize = 128 * 1024;

/// What could be read from a broken text.
pub(super) struct Recovered {
    pub(super) strict: Strict,
    pub(super) error: SyntaxError,
}

/// The lines of a text, as ranges without their line feeds.
struct Lines {
    starts: Vec<usize>,
    len: usize,
}

impl Lines {
    fn new(text: &str) -> Self {
        let starts = [0]
            .into_iter()
            .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i + 1))
            .collect();
        Self {
            starts,
            len: text.len(),
        }
    }

    fn of(&self, at: usize) -> usize {
        self.starts.partition_point(|s| *s <= at).saturating_sub(1)
    }

    fn range(&self, line: usize) -> Range<usize> {
        let start = self.starts.get(line).copied().unwrap_or(self.len);
        let end = self.starts.get(line + 1).map_or(self.len, |next| next - 1);
        start..end.max(start)
    }

    fn text<'t>(&self, text: &'t str, line: usize) -> &'t str {
        text.get(self.range(line)).unwrap_or("")
    }

    fn indent(&self, text: &str, line: usize) -> Option<usize> {
        let line = self.text(text, line);
        let content = line.trim_start_matches(' ');
        (!content.trim().is_empty()).then(|| line.len() - content.len())
    }

    /// The line and all deeper ones below it. For the line that `keep` ends in, indentation is counted from
    /// there.
    fn with_deeper(&self, text: &str, line: usize, keep: usize) -> Range<usize> {
        let mut indent = self.indent(text, line).unwrap_or(0);
        if keep > 0 && self.of(keep - 1) == line {
            let rest = text.get(keep..self.range(line).end).unwrap_or("");
            indent = keep - self.range(line).start + rest.len() - rest.trim_start().len();
        }
        let deeper = |l: &usize| self.indent(text, *l).is_none_or(|i| i > indent);
        let end = (line + 1..self.starts.len())
            .take_while(deeper)
            .last()
            .unwrap_or(line);
        line..end + 1
    }

    /// The last line before this one that is indented less.
    fn parent(&self, text: &str, line: usize) -> Option<usize> {
        let indent = self.indent(text, line)?;
        (0..line)
            .rev()
            .find(|l| self.indent(text, *l).is_some_and(|i| i < indent))
    }
}

/// Reads a text that is `broken`. The first `keep` bytes (the dash of an item) always stay, and so do `fixed`
/// lines (stand-ins for lists, ascending) unless nothing else helps; `accept` is called with each result
/// without a fault, and with the dropped lines.
pub(super) fn recover(
    text: &str,
    reading: Reading,
    broken: Strict,
    keep: usize,
    fixed: &[usize],
    accept: impl Fn(&Strict, &[bool]) -> bool,
) -> Recovered {
    let lines = Lines::new(text);
    let Some(original) = broken.fault.clone() else {
        // The caller did not accept a text without a fault: nothing of it is known.
        let fault = Fault {
            kind: SyntaxErrorKind::Parser,
            at: 0,
            context: None,
            at_end: false,
            message: "",
        };
        return given_up(text, &fault, &lines);
    };
    let mut place = place(&original, text);
    let mut left_out = vec![false; lines.starts.len()];
    let mut work = text.to_owned();
    let mut current = broken;
    let rounds = if text.len() > LONG { 2 } else { ROUNDS };
    let noise: Vec<usize> = (0..lines.starts.len())
        .filter(|l| is_noise(lines.text(text, *l)))
        .collect();
    if !noise.is_empty() {
        let mut quiet = work.into_bytes();
        for line in noise {
            blank(&mut quiet, lines.range(line), keep);
            if let Some(flag) = left_out.get_mut(line) {
                *flag = true;
            }
        }
        work = String::from_utf8(quiet).unwrap_or_default();
        current = strict(&work, reading);
        if current.fault.is_none() && accept(&current, &left_out) {
            let error = SyntaxError::new(&original, place, blanked(text, &lines, &left_out, keep));
            return done(current, error, &work, &lines, &left_out);
        }
    }
    let mut larger: Option<(Strict, String, Vec<bool>)> = None;
    for round in 0..rounds {
        let Some(fault) = current.fault.clone() else { break };
        let mut best: Option<(usize, Strict, String, Vec<bool>)> = None;
        // The fewest lines that resolve this fault and reach another one.
        let mut fewest = usize::MAX;
        for Candidate { out, opener, all } in candidates(&work, &lines, &fault, &current, keep) {
            let mut flags = left_out.clone();
            let mut tried = work.clone().into_bytes();
            let size = out.len();
            for line in out.filter(|l| all || fixed.binary_search(l).is_err()) {
                blank(&mut tried, lines.range(line), keep);
                if let Some(flag) = flags.get_mut(line) {
                    *flag = true;
                }
            }
            let Ok(tried) = String::from_utf8(tried) else {
                continue;
            };
            if tried == work {
                continue;
            }
            let strict = strict(&tried, reading);
            let reached = match &strict.fault {
                // It may also hide the other fault, and with it lines that can be read.
                None if fewest < size && accept(&strict, &flags) => {
                    larger.get_or_insert((strict, tried, flags));
                    continue;
                }
                None if accept(&strict, &flags) => {
                    if let Some(opener) = opener.filter(|_| round == 0) {
                        place = Span::from_usize(opener, opener + 1);
                    }
                    let blanked = blanked(text, &lines, &flags, keep);
                    let error = SyntaxError::new(&original, place, blanked);
                    return done(strict, error, &tried, &lines, &flags);
                }
                None => 0,
                Some(next) => cause(next),
            };
            if reached > cause(&fault) {
                fewest = fewest.min(size);
            }
            if best.as_ref().is_none_or(|(at, ..)| reached > *at) {
                best = Some((reached, strict, tried, flags));
            }
        }
        let Some((_, strict, tried, flags)) = best else {
            break;
        };
        (current, work, left_out) = (strict, tried, flags);
    }
    if let Some((strict, tried, flags)) = larger {
        let error = SyntaxError::new(&original, place, blanked(text, &lines, &flags, keep));
        return done(strict, error, &tried, &lines, &flags);
    }
    given_up(text, &original, &lines)
}

fn done(mut strict: Strict, error: SyntaxError, work: &str, lines: &Lines, left_out: &[bool]) -> Recovered {
    strict.piece.head.exists = true;
    keep_decoded(&mut strict, work, lines, left_out);
    Recovered { strict, error }
}

fn given_up(text: &str, fault: &Fault, lines: &Lines) -> Recovered {
    let left_out = vec![true; lines.starts.len()];
    let error = SyntaxError::new(fault, place(fault, text), blanked(text, lines, &left_out, 0));
    let mut strict = Strict {
        end: text.len(),
        ..Strict::default()
    };
    strict.piece.head.exists = true;
    Recovered { strict, error }
}

/// The place to report: something that was never closed, or a key without a colon, not the place lines later
/// where that was noticed.
pub(super) fn place(fault: &Fault, text: &str) -> Span {
    let at = cause(fault);
    let width = text
        .get(at..)
        .and_then(|t| t.chars().next())
        .map_or(0, char::len_utf8);
    Span::from_usize(at, at + width)
}

/// Where the broken part begins.
fn cause(fault: &Fault) -> usize {
    fault.context.filter(|_| points_back(fault)).unwrap_or(fault.at)
}

/// Whether the context of the fault is what is broken, and not only what contains it.
fn points_back(fault: &Fault) -> bool {
    matches!(
        fault.message,
        "did not find expected ',' or ']'"
            | "did not find expected ',' or '}'"
            | "found unexpected end of stream"
            | "found unexpected document indicator"
            | "could not find expected ':'"
    )
}

struct Candidate {
    /// The lines to drop.
    out: Range<usize>,
    /// The opening in them that swallowed what follows.
    opener: Option<usize>,
    /// Whether fixed lines are included.
    all: bool,
}

/// Whether a line is not YAML but added by tools: the markers of a merge conflict, or a template action alone
/// on its line.
fn is_noise(line: &str) -> bool {
    let line = line.trim();
    let action = line.starts_with("{{") && line.ends_with("}}");
    action || line == "=======" || line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ")
}

/// Whether the deeper lines below a line are part of it: an item, or a key whose value follows. Other lines
/// have nothing below them, so that deeper lines belong to something above.
fn is_parent(line: &str) -> bool {
    let line = line.trim();
    let inert = ["<<<<<<<", "=======", ">>>>>>>", "{{"]
        .iter()
        .any(|mark| line.starts_with(mark));
    !inert && (line.starts_with('-') || line.ends_with(':') || !line.contains(": "))
}

/// What may be dropped to resolve a fault, the likeliest first. A line is dropped with the deeper ones below
/// it: otherwise they would be read as part of what is above.
fn candidates(text: &str, lines: &Lines, fault: &Fault, broken: &Strict, keep: usize) -> Vec<Candidate> {
    let mut at = lines.of(fault.at);
    while at > 0 && lines.indent(text, at).is_none() {
        at -= 1;
    }
    let mut opener = broken
        .open_flow
        .or_else(|| fault.context.filter(|_| points_back(fault)));
    let mut likely = true;
    if opener.is_none_or(|o| lines.of(o) == at)
        && let Some(last) = broken.piece.recs.iter().rev().find(|r| r.start != r.end)
    {
        // A multi-line scalar directly before the fault: its quote was not closed where it should have been, or
        // a key lacks its colon. After a complete `key: value` the likelier error is that the next line is
        // indented too deep.
        let (start, end) = (last.start as usize, last.end as usize);
        let touches = lines.of(end) == at || end + 2 >= fault.at;
        let block = matches!(last.style(), Style::Literal | Style::Folded);
        if touches && !block && lines.of(start) < lines.of(end) {
            opener = Some(start);
            let pair = lines.text(text, lines.of(start)).contains(": ");
            likely = last.style() != Style::Plain || !pair;
        }
    }
    // The likelier extent of a line first, then the other.
    let extents = |line: usize| {
        let (alone, whole) = (line..line + 1, lines.with_deeper(text, line, keep));
        if is_parent(lines.text(text, line)) {
            (whole, alone)
        } else {
            (alone, whole)
        }
    };
    let (here, here_too) = extents(at);
    let mut out: Vec<(Range<usize>, Option<usize>)> = Vec::new();
    if let Some((opener, from)) = opener.map(|o| (o, lines.of(o))).filter(|(_, from)| *from < at) {
        let (opening, opening_too) = extents(from);
        out.push((opening, Some(opener)));
        out.insert(usize::from(likely), (here, None));
        out.push((from..at + 1, Some(opener)));
        out.push((opening_too, Some(opener)));
    } else {
        out.push((here, None));
    }
    out.push((here_too, None));
    if let Some(parent) = lines.parent(text, at) {
        out.push((parent + 1..at + 1, None));
        out.push((lines.with_deeper(text, parent, keep), None));
    }
    let here = at..at + 1;
    let mut candidates: Vec<_> = out
        .into_iter()
        .map(|(out, opener)| Candidate {
            out,
            opener,
            all: false,
        })
        .collect();
    candidates.push(Candidate {
        out: here,
        opener: None,
        all: true,
    });
    candidates
}

/// Overwrites a line with spaces, but not the first `keep` bytes of the text.
fn blank(bytes: &mut [u8], line: Range<usize>, keep: usize) {
    for byte in bytes.get_mut(line.start.max(keep)..line.end).unwrap_or_default() {
        if *byte != b'\r' {
            *byte = b' ';
        }
    }
}

/// The source of the dropped lines; adjacent ones become one span.
fn blanked(text: &str, lines: &Lines, left_out: &[bool], keep: usize) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut last = None;
    for (line, _) in left_out.iter().enumerate().filter(|(_, out)| **out) {
        let range = lines.range(line);
        let start = range.start.max(keep.min(range.end));
        let content = text.get(start..range.end).unwrap_or("");
        let from = start + content.len() - content.trim_start().len();
        let to = start + content.trim_end().len();
        if from >= to {
            continue;
        }
        match spans.last_mut() {
            Some(span) if last.is_some_and(|l| l + 1 == line) => span.end = Span::from_usize(from, to).end,
            _ => spans.push(Span::from_usize(from, to)),
        }
        last = Some(line);
    }
    spans
}

/// Scalars are decoded from the source on demand; if a line inside one was dropped, that would show it again.
fn keep_decoded(strict: &mut Strict, work: &str, lines: &Lines, left_out: &[bool]) {
    let mut decoded = Vec::new();
    for (idx, rec) in (0u32..).zip(&strict.piece.recs) {
        let (start, end) = (rec.start as usize, rec.end as usize);
        let inside = lines.of(start)..=lines.of(end);
        if rec.is_scalar()
            && inside.start() < inside.end()
            && left_out.get(inside).is_some_and(|flags| flags.contains(&true))
            && let (Some(source), Some(behind)) = (work.get(start..end), work.get(end..))
        {
            decoded.push((idx, rec.decode(source, behind).into_owned().into_boxed_str()));
        }
    }
    strict.piece.decoded = decoded;
}
