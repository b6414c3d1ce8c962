//! The texts of snippets, in the form that the reporting library needs.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use applyorder_analysis::diagnostic::{FileId, Place};
use applyorder_analysis::syntax::text::{Encoding, LineIndex};
use camino::Utf8Path;
use codespan_reporting::files::{Error, Files};

use crate::escape::{self, Snippet};
use crate::place::Position;
use crate::session::Session;

/// If a file has a longer line than this, in bytes, only the text around a place is shown.
const LONGEST_LINE: u32 = 500;

/// How many bytes before and after a place are shown of a long line.
const AROUND: usize = 120;

/// Shown instead of lines outside the trees that were asked about.
const NOT_SHOWN: &str = "(outside this tree: not shown)";

/// A text as displayed, and its position in its file.
pub(super) struct Shown<'a> {
    name: String,
    snippet: Snippet<'a>,
    lines: LineIndex,
    /// Lines of the file before it.
    lines_before: usize,
    /// Characters of the file's line before it.
    columns_before: usize,
    longest: u32,
}

impl<'a> Shown<'a> {
    fn new(name: String, snippet: Snippet<'a>, lines_before: usize, columns_before: usize) -> Self {
        let lines = LineIndex::new(&snippet.text);
        let starts = (0..=lines.lines()).map(|l| lines.line_start(&snippet.text, count(l)));
        let ends = starts.clone().skip(1);
        let longest = starts
            .zip(ends)
            .map(|(a, b)| b.saturating_sub(a))
            .max()
            .unwrap_or(0);
        Self {
            name,
            snippet,
            lines,
            lines_before,
            columns_before,
            longest,
        }
    }
}

/// The name of a file in snippets.
pub(super) fn name(session: &Session, path: &Utf8Path) -> String {
    escape::line_start(&session.paths.show(path)).into_owned()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The texts of all files with findings, each prepared once.
pub(super) struct Snippets<'a> {
    session: &'a Session,
    known: HashMap<FileId, Rc<Shown<'a>>>,
}

impl<'a> Snippets<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self {
            session,
            known: HashMap::new(),
        }
    }

    /// The view for a place, and its range there: at most up to the end of its first line.
    pub(super) fn view(&mut self, place: Place, views: &mut Views<'a>) -> (usize, Range<usize>) {
        let session = self.session;
        let position = Position::of(&session.analysis, place);
        if !session.may_quote(position.path) {
            return self.outside(&position, views);
        }
        let text: &'a str = session.analysis.source(place.file).map_or("", |s| &s.text);
        let name = || name(session, position.path);
        let shown = self
            .known
            .entry(place.file)
            .or_insert_with(|| Rc::new(Shown::new(name(), Snippet::new(text), 0, 0)))
            .clone();
        let range = position.span.range();
        let line_end = text
            .get(range.start..)
            .and_then(|rest| rest.find('\n'))
            .map_or(text.len(), |i| range.start + i);
        let end = range.end.min(line_end).max(range.start);
        if shown.longest <= LONGEST_LINE {
            let range = shown.snippet.offset(range.start)..shown.snippet.offset(end);
            return (views.add(shown), range);
        }
        let line_start = text
            .get(..range.start)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |i| i + 1);
        let from = boundary(text, range.start.saturating_sub(AROUND).max(line_start));
        let to = boundary(text, (range.start + 2 * AROUND).min(line_end));
        let part = Snippet::new(text.get(from..to).unwrap_or(""));
        let range = part.offset(range.start - from)..part.offset(end.min(to) - from);
        let start = position.start(Encoding::Utf32);
        let before = text.get(line_start..from).map_or(0, |t| t.chars().count());
        let part = Shown::new(shown.name.clone(), part, start.line as usize, before);
        (views.add(Rc::new(part)), range)
    }

    /// The view for a place in a file whose text is not shown.
    fn outside(&self, position: &Position<'_>, views: &mut Views<'a>) -> (usize, Range<usize>) {
        let name = escape::line_start(&self.session.paths.show(position.path)).into_owned();
        let start = position.start(Encoding::Utf32);
        let snippet = Snippet::new(NOT_SHOWN);
        let shown = Shown::new(name, snippet, start.line as usize, start.col as usize);
        (views.add(Rc::new(shown)), 0..NOT_SHOWN.len())
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The texts that one report shows, by index.
#[derive(Default)]
pub(super) struct Views<'a>(Vec<Rc<Shown<'a>>>);

impl<'a> Views<'a> {
    fn add(&mut self, shown: Rc<Shown<'a>>) -> usize {
        if let Some(i) = self.0.iter().position(|known| Rc::ptr_eq(known, &shown)) {
            return i;
        }
        self.0.push(shown);
        self.0.len() - 1
    }

    fn get(&self, id: usize) -> Result<&Shown<'a>, Error> {
        self.0.get(id).map(Rc::as_ref).ok_or(Error::FileMissing)
    }
}

impl<'v, 'a: 'v> Files<'v> for Views<'a> {
    type FileId = usize;
    type Name = &'v str;
    type Source = &'v str;

    fn name(&'v self, id: usize) -> Result<&'v str, Error> {
        Ok(&self.get(id)?.name)
    }

    fn source(&'v self, id: usize) -> Result<&'v str, Error> {
        Ok(&self.get(id)?.snippet.text)
    }

    fn line_index(&'v self, id: usize, byte: usize) -> Result<usize, Error> {
        Ok(self.get(id)?.lines.line(count(byte)) as usize)
    }

    fn line_number(&'v self, id: usize, line: usize) -> Result<usize, Error> {
        Ok(self.get(id)?.lines_before + line + 1)
    }

    fn column_number(&'v self, id: usize, line: usize, byte: usize) -> Result<usize, Error> {
        let shown = self.get(id)?;
        let start = shown.lines.line_start(&shown.snippet.text, count(line)) as usize;
        Ok(shown.columns_before + shown.snippet.characters(start..byte) + 1)
    }

    fn line_range(&'v self, id: usize, line: usize) -> Result<Range<usize>, Error> {
        let shown = self.get(id)?;
        let text = &*shown.snippet.text;
        let start = shown.lines.line_start(text, count(line)) as usize;
        let end = shown.lines.line_start(text, count(line.saturating_add(1))) as usize;
        Ok(start..end)
    }
}
