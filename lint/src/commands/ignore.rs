//! `lint --add-ignores`: adds a comment next to each finding that is shown, where a comment is possible.

use std::collections::{BTreeMap, BTreeSet};

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::workspace::Analysis;
use camino::Utf8PathBuf;

use super::fix::{Fixed, Texts};
use crate::fingerprint::Reported;
use crate::session::Session;

/// A position to try for a comment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// At the end of the finding's line.
    Behind,
    /// On the line above.
    Above,
    /// No position hides the finding without other effects.
    Nowhere,
}

/// Why a finding got no comment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Left {
    /// It is about a configuration or a directory.
    NoProject,
    /// JSON has no comments.
    Json,
    /// The text is not that of a file on disk.
    NotOnDisk,
    /// A comment does not hide it, or changes what is read.
    Changes,
}

impl Left {
    /// What prevents a comment.
    pub(super) const fn because(self) -> &'static str {
        match self {
            Self::NoProject => "outside the files of a project",
            Self::Json => "in JSON, which has no comments",
            Self::NotOnDisk => "in generated text",
            Self::Changes => "where a comment would have no effect or would change the meaning of the file",
        }
    }
}

/// The result.
#[derive(Default)]
pub(super) struct Added {
    /// The texts with the comments.
    pub(super) fixed: Fixed,
    /// How many findings got none, by reason.
    pub(super) left: BTreeMap<Left, usize>,
}

/// A line with findings.
struct Line {
    count: usize,
    rules: BTreeSet<&'static str>,
    fingerprints: BTreeSet<String>,
    at: Where,
}

/// Adds comments to the texts that a run sees; nothing is written to disk. `find` returns the findings that are shown.
/// A comment stays if it removes the finding and no new finding appears.
pub(super) fn add(
    session: &mut Session,
    reason: &str,
    find: impl for<'a> Fn(&Session, &'a Analysis) -> Vec<Reported<'a>>,
) -> Added {
    let analysis = session.analysis.clone();
    let shown = find(session, &analysis);
    let before: BTreeSet<String> = shown.iter().flat_map(|r| r.fingerprints.clone()).collect();
    let mut files: BTreeMap<FileId, BTreeMap<u32, Line>> = BTreeMap::new();
    let mut left: BTreeMap<Left, usize> = BTreeMap::new();
    for reported in &shown {
        let d = reported.finding.diagnostic;
        let file = d.place.file;
        let (path, source) = (analysis.path(file), analysis.source(file));
        let source = if reported.finding.projects.is_empty() {
            Err(Left::NoProject)
        } else if path.extension() == Some("json") {
            Err(Left::Json)
        } else {
            let source = source.filter(|s| session.is_on_disk(path, &s.text));
            source.ok_or(Left::NotOnDisk)
        };
        let source = match source {
            Ok(source) => source,
            Err(why) => {
                *left.entry(why).or_default() += 1;
                continue;
            }
        };
        let line = source.lines().line(analysis.span(d.place).start);
        let entry = files
            .entry(file)
            .or_default()
            .entry(line)
            .or_insert_with(|| Line {
                count: 0,
                rules: BTreeSet::new(),
                fingerprints: BTreeSet::new(),
                at: Where::Behind,
            });
        entry.count += 1;
        entry.rules.insert(d.rule.id);
        entry.fingerprints.extend(reported.fingerprints.iter().cloned());
    }
    // Each line changes position at most twice, and every round but the last changes one.
    for _ in 0..3 {
        session.set_texts(&texts(&analysis, &files, reason));
        let now = session.analysis.clone();
        let mut left: BTreeMap<Utf8PathBuf, BTreeSet<String>> = BTreeMap::new();
        for reported in find(session, &now) {
            let path = now.path(reported.finding.diagnostic.place.file).to_owned();
            left.entry(path).or_default().extend(reported.fingerprints);
        }
        let mut moved = false;
        for (file, lines) in &mut files {
            let left = left.get(analysis.path(*file));
            let is_broken = left.is_some_and(|left| left.iter().any(|print| !before.contains(print)));
            for line in lines.values_mut().filter(|line| line.at != Where::Nowhere) {
                let stays = left.is_some_and(|left| line.fingerprints.iter().any(|p| left.contains(p)));
                if stays || is_broken {
                    moved = true;
                    line.at = if line.at == Where::Behind {
                        Where::Above
                    } else {
                        Where::Nowhere
                    };
                }
            }
        }
        if !moved {
            break;
        }
    }
    let texts = texts(&analysis, &files, reason);
    session.set_texts(&texts);
    let mut fixed = Fixed::default();
    for (path, after) in texts {
        let source = analysis.file(&path).and_then(|file| analysis.source(file));
        let before = source.map_or_else(String::new, |s| s.text.to_string());
        if before != after {
            fixed.files.insert(path, Texts { before, after });
        }
    }
    let lines = || files.values().flat_map(BTreeMap::values);
    fixed.applied = lines().filter(|line| line.at != Where::Nowhere).count();
    let nowhere = lines().filter(|line| line.at == Where::Nowhere);
    let nowhere: usize = nowhere.map(|line| line.count).sum();
    if nowhere > 0 {
        left.insert(Left::Changes, nowhere);
    }
    Added { fixed, left }
}

fn texts(
    analysis: &Analysis,
    files: &BTreeMap<FileId, BTreeMap<u32, Line>>,
    reason: &str,
) -> Vec<(Utf8PathBuf, String)> {
    let text = |(file, lines): (&FileId, &BTreeMap<u32, Line>)| {
        let text = &*analysis.source(*file)?.text;
        Some((analysis.path(*file).to_owned(), commented(text, lines, reason)))
    };
    files.iter().filter_map(text).collect()
}

fn commented(text: &str, lines: &BTreeMap<u32, Line>, reason: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64 * lines.len());
    for (n, whole) in (0u32..).zip(text.split_inclusive('\n')) {
        let line = lines.get(&n).filter(|line| line.at != Where::Nowhere);
        let Some(line) = line else {
            out.push_str(whole);
            continue;
        };
        let content = whole.trim_end_matches(['\r', '\n']);
        let end = whole.get(content.len()..).unwrap_or("");
        let rules: Vec<&str> = line.rules.iter().copied().collect();
        let comment = format!("# applyorder: ignore[{}]{reason}", rules.join(", "));
        if line.at == Where::Behind {
            out.push_str(&format!("{content} {comment}{end}"));
        } else {
            let indent = content.len() - content.trim_start().len();
            let indent = content.get(..indent).unwrap_or("");
            let end = if end.is_empty() { "\n" } else { end };
            out.push_str(&format!("{indent}{comment}{end}{whole}"));
        }
    }
    out
}
