//! The findings of a project, file by file, shared between one state of it and the next.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Diagnostic, FileId, Rule};

/// The findings whose place is in one file.
#[derive(Debug, Default)]
pub struct FileFindings {
    diagnostics: Box<[Arc<Diagnostic>]>,
    /// The other files they refer to.
    refers_to: Box<[FileId]>,
}

impl FileFindings {
    /// The findings of one file, in the engine's order.
    #[must_use]
    pub fn new(diagnostics: Vec<Arc<Diagnostic>>) -> Self {
        let mut refers_to: Vec<FileId> = diagnostics
            .iter()
            .flat_map(|d| {
                let others = d.related.iter().map(|r| r.place.file);
                others.filter(|file| *file != d.place.file)
            })
            .collect();
        refers_to.sort_unstable();
        refers_to.dedup();
        Self {
            diagnostics: diagnostics.into(),
            refers_to: refers_to.into(),
        }
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }
}

/// Ascending, each file once.
type ByFile = Vec<(FileId, Arc<FileFindings>)>;

/// What was found in a file.
fn of_file(part: &ByFile, file: FileId) -> Option<&Arc<FileFindings>> {
    let at = part.binary_search_by_key(&file, |(file, _)| *file).ok()?;
    part.get(at).map(|(_, found)| found)
}

/// The findings of a project, and its hints, which are computed later and separately. Files whose findings did
/// not change share them with the previous state.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// No entry is empty.
    found: Arc<ByFile>,
    hints: Arc<ByFile>,
}

impl Findings {
    /// The findings of some files, ascending, each file once. Files without findings are omitted.
    #[must_use]
    pub fn new(found: Vec<(FileId, Arc<FileFindings>)>) -> Self {
        debug_assert!(found.is_sorted_by(|(a, _), (b, _)| a < b));
        Self {
            found: Arc::new(found),
            hints: Arc::default(),
        }
    }

    /// The same with other hints.
    #[must_use]
    pub fn with_hints(&self, hints: Vec<Diagnostic>) -> Self {
        Self {
            found: self.found.clone(),
            hints: Arc::new(by_file(hints)),
        }
    }

    /// The same, with the findings of one file taken from `from`.
    #[must_use]
    pub fn with_file(&self, file: FileId, from: &Self) -> Self {
        let own = self.found.iter().filter(|(of, _)| *of != file);
        let mut found: ByFile = own.cloned().collect();
        found.extend(of_file(&from.found, file).map(|block| (file, block.clone())));
        found.sort_unstable_by_key(|(file, _)| *file);
        Self {
            found: Arc::new(found),
            hints: self.hints.clone(),
        }
    }

    fn parts(&self) -> [&ByFile; 2] {
        [&self.found, &self.hints]
    }

    /// The findings whose place is in a file, in the engine's order, hints last.
    pub fn of(&self, file: FileId) -> impl Iterator<Item = &Diagnostic> {
        let blocks = self.parts().map(|part| of_file(part, file));
        let blocks = blocks.into_iter().flatten();
        blocks.flat_map(|b| &b.diagnostics).map(|d| &**d)
    }

    /// The findings of a rule, hints aside, in no order.
    pub fn of_rule<'a>(&'a self, rule: &'a Rule) -> impl Iterator<Item = &'a Diagnostic> {
        let all = self.found.iter().flat_map(|(_, block)| &block.diagnostics);
        all.map(|d| &**d).filter(move |d| d.rule == rule)
    }

    /// The files that have findings, in no order.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let hinted = self
            .hints
            .iter()
            .filter(|(file, _)| of_file(&self.found, *file).is_none());
        self.found.iter().chain(hinted).map(|(file, _)| *file)
    }

    /// Every finding, those of one file together.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        let mut files: Vec<FileId> = self.files().collect();
        files.sort_unstable();
        files.into_iter().flat_map(|file| self.of(file))
    }

    /// Whether nothing was found in a file.
    #[must_use]
    pub fn has_none_in(&self, file: FileId) -> bool {
        self.of(file).next().is_none()
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.hints.is_empty()
    }

    /// The files whose findings refer to places in some other files.
    pub fn referring_to(&self, files: &FxHashSet<FileId>) -> impl Iterator<Item = FileId> {
        let speaks = |block: &FileFindings| {
            if files.len() < block.refers_to.len() {
                files
                    .iter()
                    .any(|file| block.refers_to.binary_search(file).is_ok())
            } else {
                block.refers_to.iter().any(|file| files.contains(file))
            }
        };
        let all = self.parts().into_iter().flatten();
        all.filter(move |(_, block)| speaks(block)).map(|(file, _)| *file)
    }

    /// The files whose findings differ; some may be listed twice.
    pub fn differences(&self, old: &Self) -> Vec<FileId> {
        let pairs = self.parts().into_iter().zip(old.parts());
        let mut files = Vec::new();
        for (new, old) in pairs.filter(|(new, old)| !std::ptr::eq(*new, *old)) {
            let (mut new, mut old) = (new.iter().peekable(), old.iter().peekable());
            loop {
                let next = |(file, _): &&(FileId, _)| *file;
                match (new.peek().map(next), old.peek().map(next)) {
                    (None, None) => break,
                    (Some(a), Some(b)) if a == b => {
                        let pair = new.next().zip(old.next());
                        let differs = |((_, new), (_, old)): (&(_, Arc<FileFindings>), &(_, _))| {
                            !Arc::ptr_eq(new, old) && new.diagnostics != old.diagnostics
                        };
                        files.extend(pair.is_some_and(differs).then_some(a));
                    }
                    (Some(a), b) if b.is_none_or(|b| a < b) => {
                        files.push(a);
                        new.next();
                    }
                    (_, b) => {
                        files.extend(b);
                        old.next();
                    }
                }
            }
        }
        files
    }
}

fn by_file(diagnostics: Vec<Diagnostic>) -> ByFile {
    let mut by_file: FxHashMap<FileId, Vec<Arc<Diagnostic>>> = FxHashMap::default();
    for d in diagnostics {
        by_file.entry(d.place.file).or_default().push(Arc::new(d));
    }
    let block = |(file, found)| (file, Arc::new(FileFindings::new(found)));
    let mut by_file: ByFile = by_file.into_iter().map(block).collect();
    by_file.sort_unstable_by_key(|(file, _)| *file);
    by_file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Place;
    use crate::rules::cycle;

    fn finding(file: u32, about: Option<u32>, text: &str) -> Diagnostic {
        let d = Diagnostic::new(&cycle::RULE, Place::file(FileId(file)), text);
        match about {
            Some(other) => d.related(Place::file(FileId(other)), "there"),
            None => d,
        }
    }

    fn findings(found: Vec<Diagnostic>) -> Findings {
        Findings::new(by_file(found))
    }

    #[test]
    fn hints_come_after_findings_and_differ_by_themselves() {
        let old = findings(vec![finding(0, None, "a"), finding(1, Some(2), "b")]);
        let new = old.with_hints(vec![finding(1, None, "hint"), finding(3, None, "hint")]);
        let texts: Vec<&str> = new.of(FileId(1)).map(|d| &*d.message).collect();
        assert_eq!(texts, ["b", "hint"]);
        let mut differing = new.differences(&old);
        differing.sort_unstable();
        assert_eq!(differing, [FileId(1), FileId(3)]);
        let others = FxHashSet::from_iter([FileId(2), FileId(9)]);
        assert_eq!(new.referring_to(&others).collect::<Vec<_>>(), [FileId(1)]);
        assert!(new.has_none_in(FileId(2)));
    }

    #[test]
    fn equal_findings_in_other_blocks_do_not_differ() {
        let made = || findings(vec![finding(0, None, "a"), finding(1, None, "b")]);
        assert!(made().differences(&made()).is_empty());
        let other = findings(vec![finding(1, None, "c")]);
        let mut differing = other.differences(&made());
        differing.sort_unstable();
        assert_eq!(differing, [FileId(0), FileId(1)]);
    }
}
