//! Findings that the user accepts, with a comment next to them: `# applyorder: ignore[RULE, ...] REASON` at the
//! end of a line or on the line above, and `# applyorder: ignore-file[RULE, ...] REASON` for a whole file.

use std::sync::OnceLock;

use camino::Utf8PathBuf;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::parsed::Parsed;
use super::{Analysis, Finding, ProjectIx};
use applyorder_core::config::unused_ignore;
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place, Rule, Safety};
use applyorder_core::rules::{nearest, question};
use applyorder_syntax::Language;
use applyorder_syntax::text::{LineIndex, Span};

/// The prefix of such a comment.
const MARK: &str = "applyorder:";

/// What comments ignore, by the number of the file, read on demand; `None` in most of them. A request for one
/// file does not wait for another to be read.
pub(super) struct Ignores(Box<[OnceLock<Option<Box<OfFile>>>]>);

/// The comments of one file.
struct OfFile {
    comments: Vec<Comment>,
    unused: Vec<(Diagnostic, Vec<ProjectIx>)>,
}

/// A comment that ignores findings.
pub(super) struct Comment {
    span: Span,
    /// The line that it applies to; `None`: the whole file.
    line: Option<u32>,
    /// The rules with their places; `None`: every rule.
    rules: Option<Vec<(Span, String)>>,
    /// The message if it cannot be parsed.
    problem: Option<String>,
}

/// What was searched for, and where: unsearched findings may exist.
#[derive(Clone, Debug, Default)]
pub(super) struct LookedFor {
    /// Rules whose findings are not used.
    pub(super) unwanted: FxHashSet<&'static str>,
    /// Whether the run is limited: to an engine, or by options.
    pub(super) limited: bool,
    /// The directories in which all projects were searched for.
    pub(super) searched: Vec<Utf8PathBuf>,
}

impl Ignores {
    /// For an analysis with so many files.
    pub(super) fn new(files: usize) -> Self {
        Self((0..files).map(|_| OnceLock::new()).collect())
    }

    /// Those of a file: its comments, and which of them ignore nothing.
    fn of(&self, analysis: &Analysis, file: FileId) -> Option<&OfFile> {
        let read = || {
            let source = analysis.source(file).filter(|s| s.has(MARK))?;
            let comments = comments(analysis, file, &source.text);
            if comments.is_empty() {
                return None;
            }
            let findings = analysis.all_findings_of(file);
            let rules = analysis.engines().rules();
            let looked_for = analysis.looked_for();
            Some(Box::new(OfFile {
                unused: unused(analysis, file, &comments, &findings, &rules, looked_for),
                comments,
            }))
        };
        self.0.get(file.0 as usize)?.get_or_init(read).as_deref()
    }

    /// The files with comments that ignore nothing.
    pub(super) fn files(&self, analysis: &Analysis) -> Vec<FileId> {
        let has_unused = |file: &FileId| self.of(analysis, *file).is_some_and(|f| !f.unused.is_empty());
        let files: Vec<FileId> = analysis.read_files().map(|(file, _)| file).collect();
        files.into_par_iter().filter(has_unused).collect()
    }

    /// Whether a finding at a line of a file is ignored.
    pub(super) fn hides(&self, analysis: &Analysis, file: FileId, rule: &Rule, line: u32) -> bool {
        let comments = self.of(analysis, file).map_or(&[][..], |f| &f.comments);
        comments.iter().any(|c| c.covers(line) && c.names(rule))
    }

    /// The unused comments of a file.
    pub(super) fn unused<'a>(
        &'a self,
        analysis: &Analysis,
        file: FileId,
    ) -> impl Iterator<Item = Finding<'a>> + use<'a> {
        let unused = self.of(analysis, file).map_or(&[][..], |f| &f.unused);
        unused.iter().map(|(diagnostic, projects)| Finding {
            diagnostic,
            projects: projects.clone(),
        })
    }
}

impl Comment {
    /// Whether it applies to one line, and hides findings of a rule there.
    pub(super) fn hides(&self, rule: &Rule, line: u32) -> bool {
        self.line.is_some() && self.covers(line) && self.names(rule)
    }

    fn covers(&self, line: u32) -> bool {
        self.problem.is_none() && self.line.is_none_or(|own| own == line)
    }

    fn names(&self, rule: &Rule) -> bool {
        match &self.rules {
            None => true,
            Some(rules) => rules.iter().any(|(_, word)| names_rule(word, rule)),
        }
    }
}

/// Whether a word names a rule: its id, or `ENGINE/*`.
fn names_rule(word: &str, rule: &Rule) -> bool {
    word == rule.id || word.strip_suffix("/*").is_some_and(|e| rule.engine() == Some(e))
}

fn comments(analysis: &Analysis, file: FileId, text: &str) -> Vec<Comment> {
    let Some(language) = analysis.language_of(file) else {
        return Vec::new();
    };
    of_tree(&analysis.tree(file, language, text), text)
}

/// The comments of any text.
pub(super) fn comments_in(text: &str, language: Language) -> Vec<Comment> {
    of_tree(&Parsed::new(text, language), text)
}

fn of_tree(tree: &Parsed, text: &str) -> Vec<Comment> {
    let spans: Vec<Span> = match tree {
        Parsed::Yaml(tree, ..) => tree.comments().map(|c| c.span).collect(),
        Parsed::Hcl(tree) => tree.comments().iter().map(|c| c.span).collect(),
    };
    let lines = LineIndex::new(text);
    let stands_alone = |span: Span| {
        let start = lines.line_start(text, lines.line(span.start));
        Span::new(start, span.start).slice(text).trim().is_empty()
    };
    // Lines with only comments: one above another one applies to the line below both.
    let alone: FxHashSet<u32> = spans
        .iter()
        .filter(|s| stands_alone(**s))
        .map(|s| lines.line(s.start))
        .collect();
    let read = |span: &Span| {
        let mut comment = read(*span, span.slice(text))?;
        if comment.line.is_some() {
            let mut line = lines.line(span.end);
            if alone.contains(&line) {
                line += 1;
                while alone.contains(&line) {
                    line += 1;
                }
            }
            comment.line = Some(line);
        }
        Some(comment)
    };
    spans.iter().filter_map(read).collect()
}

/// Reads a comment; its line is set later. `None` if it is an ordinary comment.
fn read(span: Span, text: &str) -> Option<Comment> {
    let body = text
        .strip_prefix("/*")
        .map(|t| t.strip_suffix("*/").unwrap_or(t))
        .or_else(|| text.strip_prefix("//"))
        .unwrap_or_else(|| text.trim_start_matches('#'));
    let rest = body.trim_start().strip_prefix(MARK)?.trim_start();
    let (of_file, rest) = match rest.strip_prefix("ignore-file") {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix("ignore")?),
    };
    let mut comment = Comment {
        span,
        line: (!of_file).then_some(0),
        rules: None,
        problem: None,
    };
    let Some(list) = rest.strip_prefix('[') else {
        let ends = rest.chars().next().is_none_or(char::is_whitespace);
        if !ends {
            return None;
        }
        if !of_file {
            comment.problem = Some("expected `ignore[RULE]`".to_owned());
        }
        return Some(comment);
    };
    let Some((list, _)) = list.split_once(']') else {
        comment.problem = Some("expected `]` after the rules".to_owned());
        return Some(comment);
    };
    // Both are slices of the same text.
    let at = (list.as_ptr() as usize).saturating_sub(text.as_ptr() as usize) + span.start as usize;
    let mut words = Vec::new();
    let mut start = at;
    for word in list.split(',') {
        let own = word.trim();
        let from = start + (word.len() - word.trim_start().len());
        if !own.is_empty() {
            words.push((Span::from_usize(from, from + own.len()), own.to_owned()));
        }
        start += word.len() + 1;
    }
    if words.is_empty() {
        comment.problem = Some("expected `ignore[RULE]`".to_owned());
    }
    comment.rules = Some(words);
    Some(comment)
}

fn unused(
    analysis: &Analysis,
    file: FileId,
    comments: &[Comment],
    findings: &[Finding<'_>],
    rules: &[&'static Rule],
    looked_for: &LookedFor,
) -> Vec<(Diagnostic, Vec<ProjectIx>)> {
    let projects: Vec<ProjectIx> = analysis.projects_of(file).into_iter().map(|(ix, _)| ix).collect();
    let Some(source) = analysis.source(file).filter(|_| !projects.is_empty()) else {
        return Vec::new();
    };
    let at = |f: &Finding<'_>| source.lines().line(analysis.span(f.diagnostic.place).start);
    let places: Vec<(u32, &Rule)> = findings.iter().map(|f| (at(f), f.diagnostic.rule)).collect();
    let mut found = Vec::new();
    for comment in comments {
        let place = |span| Place::span(file, span);
        if let Some(problem) = &comment.problem {
            let message = format!("comment ignores nothing: {problem}");
            found.push(Diagnostic::new(
                &unused_ignore::RULE,
                place(comment.span),
                message,
            ));
            continue;
        }
        let Some(words) = &comment.rules else {
            if places.is_empty()
                && is_known_to_be_whole(analysis, &projects, looked_for)
                && looked_for.unwanted.is_empty()
            {
                let message = "comment ignores nothing: no finding in this file";
                let d = Diagnostic::new(&unused_ignore::RULE, place(comment.span), message);
                found.push(without(d, &source.text, comment, file));
            }
            continue;
        };
        let mut stale: Vec<&str> = Vec::new();
        for (span, word) in words {
            let meant: Vec<&&'static Rule> = rules.iter().filter(|r| names_rule(word, r)).collect();
            if meant.is_empty() {
                let near = nearest(word, rules.iter().map(|r| r.id));
                let message = format!("unknown rule `{word}`{}", question(near));
                let d = Diagnostic::new(&unused_ignore::RULE, place(*span), message);
                found.push(match near {
                    Some(near) => d.replace_with(near, FixStep::Replace(place(*span), near.to_owned())),
                    None => d,
                });
                continue;
            }
            let is_used = places
                .iter()
                .any(|(line, rule)| comment.covers(*line) && names_rule(word, rule));
            let looked = meant
                .iter()
                .all(|rule| is_looked_for(analysis, file, &projects, rule, looked_for));
            if !is_used && looked {
                stale.push(word);
            }
        }
        if stale.is_empty() {
            continue;
        }
        let names: Vec<String> = stale.iter().map(|word| format!("`{word}`")).collect();
        let whereabouts = if comment.line.is_some() {
            "here"
        } else {
            "in this file"
        };
        let message = format!("comment ignores nothing: no {} {whereabouts}", names.join(", "));
        let d = Diagnostic::new(&unused_ignore::RULE, place(comment.span), message);
        found.push(if stale.len() == words.len() {
            without(d, &source.text, comment, file)
        } else {
            let kept: Vec<&str> = words
                .iter()
                .map(|(_, word)| word.as_str())
                .filter(|word| !stale.contains(word))
                .collect();
            match (words.first(), words.last()) {
                (Some((first, _)), Some((last, _))) => d.fix(
                    format!("remove {}", names.join(", ")),
                    Safety::Safe,
                    vec![FixStep::Replace(place(first.cover(*last)), kept.join(", "))],
                ),
                _ => d,
            }
        });
    }
    let adjusted = |d| analysis.adjusted(d, &projects);
    let found = found.into_iter().filter_map(adjusted);
    found.map(|d| (d, projects.clone())).collect()
}

/// With the fix that removes a comment: its whole line if nothing else is on it.
fn without(d: Diagnostic, text: &str, comment: &Comment, file: FileId) -> Diagnostic {
    let Span { start, end } = comment.span;
    let before = text.get(..start as usize).unwrap_or("");
    let kept = before.trim_end_matches([' ', '\t']);
    let rest = text.get(end as usize..).unwrap_or("");
    let line_end = if rest.starts_with("\r\n") {
        2
    } else {
        usize::from(rest.starts_with('\n'))
    };
    let alone = kept.is_empty() || kept.ends_with('\n');
    let end = end as usize + if alone { line_end } else { 0 };
    let span = Span::from_usize(kept.len(), end);
    d.fix(
        "remove the comment",
        Safety::Safe,
        vec![FixStep::Replace(Place::span(file, span), String::new())],
    )
}

/// Whether everything that could be found in some projects was searched for.
fn is_known_to_be_whole(analysis: &Analysis, projects: &[ProjectIx], looked_for: &LookedFor) -> bool {
    let is_whole = |ix: &ProjectIx| {
        let project = analysis.project(*ix);
        project.is_some_and(|p| !p.is_unseen() && p.unresolved().next().is_none())
    };
    !looked_for.limited && projects.iter().all(is_whole)
}

fn is_looked_for(
    analysis: &Analysis,
    file: FileId,
    projects: &[ProjectIx],
    rule: &Rule,
    looked_for: &LookedFor,
) -> bool {
    let is_searched = |ix: &ProjectIx| {
        analysis.project(*ix).is_some_and(|p| {
            let is_hint = !p.hints.searched && p.resolution.has_hint_search();
            !is_hint && analysis.is_on(rule, p, file)
        })
    };
    !looked_for.unwanted.contains(rule.id)
        && is_known_to_be_whole(analysis, projects, looked_for)
        && projects.iter().all(is_searched)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Option<(bool, Option<Vec<String>>, bool)> {
        let comment = read(Span::from_usize(10, 10 + text.len()), text)?;
        let rules = comment.rules.map(|rules| {
            let check = |(span, word): (Span, String)| {
                let start = span.start as usize - 10;
                assert_eq!(&text[start..start + word.len()], word);
                word
            };
            rules.into_iter().map(check).collect()
        });
        Some((comment.line.is_none(), rules, comment.problem.is_some()))
    }

    #[test]
    fn comments_are_read() {
        let named = |of_file, names: &[&str]| {
            let names = names.iter().map(|n| (*n).to_owned()).collect();
            Some((of_file, Some(names), false))
        };
        assert_eq!(words("# applyorder: ignore[cycle]"), named(false, &["cycle"]));
        assert_eq!(
            words("#applyorder:ignore[ cycle , kapp/* ] because"),
            named(false, &["cycle", "kapp/*"])
        );
        assert_eq!(words("/* applyorder: ignore[cycle] */"), named(false, &["cycle"]));
        assert_eq!(
            words("// applyorder: ignore-file[cycle]"),
            named(true, &["cycle"])
        );
        assert_eq!(
            words("# applyorder: ignore-file all of it"),
            Some((true, None, false))
        );
        for wrong in [
            "# applyorder: ignore",
            "# applyorder: ignore[",
            "# applyorder: ignore[ ]",
        ] {
            assert!(words(wrong).unwrap().2, "{wrong}");
        }
        for people in [
            "# see applyorder: ignore[x]",
            "# applyorder: ignored",
            "# applyorder: why",
        ] {
            assert_eq!(words(people), None, "{people}");
        }
    }
}
