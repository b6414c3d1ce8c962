//! A difference as a comment of a pull request or merge request. Names from files are formatted as code, and contain no
//! Markdown, HTML, mention or reference; the comment is never longer than forges accept.

use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};

use applyorder_analysis::engine::Takes;
use camino::{Utf8Path, Utf8PathBuf};
use siphasher::sip128::{Hasher128 as _, SipHasher13};

use super::sections::{self, Piece, Row, Section};
use super::words;
use crate::args::DiffArgs;
use crate::commands::lint::plural;
use crate::commands::marks::Mark;
use crate::escape;
use crate::formats::json::diff::{Diff, Moved, ProjectDiff, Revision, RunDiff};
use crate::formats::json::model::Place;
use crate::place::slashes;
use crate::repository::uri;
use crate::start::absolute;

/// The longest comment that GitHub accepts, in characters; here in bytes, which are never fewer.
const MOST: usize = 65_536;
/// How many rows are shown unfolded.
const OPEN_ROWS: usize = 20;
/// How many characters of a name are shown.
const MOST_OF_A_NAME: usize = 200;

/// A hash of the question, by which the comment that answers it is found again.
pub(super) struct Question(String);

impl Question {
    /// Equal for the same paths, options and operation, whatever the revisions are.
    pub(super) fn of(args: &DiffArgs, root: &Utf8Path) -> Self {
        let mut hasher = SipHasher13::new();
        let cwd = crate::start::current_dir().unwrap_or_else(|_| root.to_owned());
        let mut paths: Vec<Utf8PathBuf> = args.run.paths.iter().map(|p| absolute(&cwd, p)).collect();
        if paths.is_empty() {
            paths.push(cwd);
        }
        paths.sort();
        let inside = |path: &Utf8PathBuf| path.strip_prefix(root).map_or_else(|_| slashes(path), slashes);
        let selection = &args.run.selection;
        let options: Vec<_> = selection
            .options
            .iter()
            // A variable's value may be a secret, and a hash of a short one can be reversed.
            .map(|(option, values)| (option.name, (option.takes != Takes::Pairs).then_some(values)))
            .collect();
        paths.iter().map(inside).collect::<Vec<_>>().hash(&mut hasher);
        (
            &selection.engine,
            options,
            args.operation == crate::args::OperationArg::Delete,
        )
            .hash(&mut hasher);
        hasher.write_u8(1);
        Self(format!("{:032x}", hasher.finish128().as_u128()))
    }

    fn marker(&self) -> String {
        format!("<!-- applyorder diff {} -->", self.0)
    }
}

/// Where places link to.
pub(super) struct Links<'a> {
    template: Option<&'a str>,
    root: &'a Utf8Path,
    cwd: Utf8PathBuf,
}

impl<'a> Links<'a> {
    pub(super) fn new(template: Option<&'a str>, root: &'a Utf8Path) -> Self {
        let cwd = crate::start::current_dir().unwrap_or_else(|_| root.to_owned());
        Self { template, root, cwd }
    }

    /// The URL of a place in one of the states.
    fn of(&self, place: &Place, revision: &Revision) -> Option<String> {
        let full = absolute(&self.cwd, Utf8Path::new(&place.path));
        let path = uri(&slashes(full.strip_prefix(self.root).ok()?));
        let path = path.replace('(', "%28").replace(')', "%29");
        let template = self.template?;
        let commit = revision
            .commit
            .as_deref()
            .filter(|_| template.contains("{commit}"));
        if template.contains("{commit}") && commit.is_none() {
            return None;
        }
        let address = template
            .replace("{commit}", commit.unwrap_or_default())
            .replace("{line}", &place.start.line.to_string())
            .replace("{path}", &path);
        let acts = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '(' | ')' | '|');
        (!address.contains(acts)).then_some(address)
    }
}

/// The comment. Its first line is the same for every answer to the same question.
pub(super) fn comment(diff: &Diff, question: &Question, links: &Links<'_>) -> String {
    let all = diff.projects.len();
    let mut projects = all;
    for rows in [usize::MAX, 1000, 200, 50, OPEN_ROWS, 5, 1] {
        let text = Comment {
            diff,
            links,
            rows,
            projects,
        }
        .write(question);
        if text.len() <= MOST {
            return text;
        }
    }
    while projects > 0 {
        projects /= 2;
        let text = Comment {
            diff,
            links,
            rows: 1,
            projects,
        }
        .write(question);
        if text.len() <= MOST {
            return text;
        }
    }
    format!(
        "{}\n### Order: too much changed for a comment\n",
        question.marker()
    )
}

struct Comment<'a> {
    diff: &'a Diff,
    links: &'a Links<'a>,
    /// How many rows of each kind are written.
    rows: usize,
    /// How many projects are written.
    projects: usize,
}

impl Comment<'_> {
    fn write(&self, question: &Question) -> String {
        let mut out = question.marker();
        out.push('\n');
        let changed: Vec<_> = self
            .diff
            .projects
            .iter()
            .zip(words::labels(&self.diff.projects))
            .collect();
        let changed: Vec<_> = changed
            .into_iter()
            .filter(|(project, _)| project.changed)
            .collect();
        let before = code(&words::revision(&self.diff.before));
        let same = self.diff.projects.iter().filter(|p| !p.changed);
        let unknown: usize = same.map(|p| p.unknown_after.len()).sum();
        let known = if unknown > 0 { ", as far as known" } else { "" };
        let delete = if self.diff.operation == "delete" {
            "Delete order"
        } else {
            "Order"
        };
        match changed.as_slice() {
            [] if self.diff.projects.is_empty() => {
                out.push_str("no project found\n");
                return out;
            }
            [] => {
                let _ = writeln!(out, "✓ same order as {before}{known}");
                return out;
            }
            [(project, label)] => {
                let _ = writeln!(out, "### {delete}: {}\n\n{}\n", summary(project), code(label));
            }
            several => {
                let _ = writeln!(
                    out,
                    "### {delete}: {} projects differ from {before}\n",
                    several.len()
                );
            }
        }
        for (project, label) in changed.iter().take(self.projects) {
            if changed.len() > 1 {
                let _ = writeln!(out, "#### {}: {}\n", code(label), summary(project));
            }
            self.project(&mut out, project);
        }
        if let Some(more) = changed.len().checked_sub(self.projects).filter(|n| *n > 0) {
            let more = plural(more, ["more project differs", "more projects differ"]);
            let _ = writeln!(out, "{more}: {}\n", self.too_long());
        }
        match self.diff.projects.len() - changed.len() {
            0 => {}
            n => {
                let others = plural(n, ["other project", "other projects"]);
                let _ = writeln!(out, "✓ same order in {others}{known}");
            }
        }
        out
    }

    fn too_long(&self) -> String {
        let revision = match (&self.diff.before.revision, &self.diff.after.revision) {
            (Some(before), Some(after)) => format!("{before}..{after}"),
            (Some(before), None) => before.clone(),
            _ => "REV".to_owned(),
        };
        let command = code(&format!("applyorder diff {revision}"));
        format!("cut, as a comment has at most 65,536 characters; {command} shows all")
    }

    fn project(&self, out: &mut String, project: &ProjectDiff) {
        let mut of_project = Some(sections::of_project(project));
        let changed: Vec<&RunDiff> = project.runs.iter().filter(|run| !run.is_empty()).collect();
        for run in &changed {
            let layers = words::layers(run, "→");
            if project.runs.len() > 1 {
                let environments = code(&words::environments(&run.environments));
                let _ = writeln!(out, "in {environments}: {layers}\n");
            } else if run.before.as_ref().map(|e| e.layers) != run.after.as_ref().map(|e| e.layers) {
                let _ = writeln!(out, "{layers}\n");
            }
            let mut all = sections::of_run(run);
            let behind = all.iter().take_while(|s| s.mark == Mark::Cycle).count();
            all.splice(behind..behind, of_project.take().unwrap_or_default());
            self.sections(out, project, &all);
            self.moved(out, project, &run.moved);
        }
        self.sections(out, project, &of_project.unwrap_or_default());
    }

    /// The most important sections in one table, the others folded.
    fn sections(&self, out: &mut String, project: &ProjectDiff, all: &[Section]) {
        let is_open = |s: &&Section| s.mark != Mark::Plain;
        let rows = |s: &Section| s.rows.len().min(self.rows);
        let open: Vec<String> = all
            .iter()
            .filter(is_open)
            .flat_map(|s| s.rows.iter().take(self.rows).map(|row| self.row(s.mark, row)))
            .collect();
        let [one, _] = project.words;
        let head = format!("| | {} | | |\n|---|---|---|---|\n", text(one));
        if let Some((shown, folded)) = open.split_at_checked(OPEN_ROWS.min(open.len()))
            && !shown.is_empty()
        {
            let _ = writeln!(out, "{head}{}", shown.concat());
            if !folded.is_empty() {
                let _ = writeln!(
                    out,
                    "<details><summary>{} more</summary>\n\n{head}{}\n</details>\n",
                    folded.len(),
                    folded.concat()
                );
            }
        }
        for section in all.iter().filter(|s| s.mark == Mark::Plain) {
            let shown = section
                .rows
                .iter()
                .take(self.rows)
                .map(|row| self.row(section.mark, row));
            let _ = writeln!(
                out,
                "<details><summary>{} {}</summary>\n\n{head}{}\n</details>\n",
                section.rows.len(),
                section.title,
                shown.collect::<String>()
            );
        }
        let cut: usize = all.iter().map(|s| s.rows.len() - rows(s)).sum();
        if cut > 0 {
            let _ = writeln!(out, "{}: {}\n", plural(cut, ["row", "rows"]), self.too_long());
        }
    }

    fn row(&self, mark: Mark, row: &Row) -> String {
        let glyph = match mark {
            Mark::Error => "✗",
            Mark::Cycle => "↻",
            Mark::Lost => "−",
            Mark::Changed => "!",
            Mark::Gained => "+",
            Mark::Ok => "✓",
            Mark::Unknown => "?",
            Mark::Plain => "",
        };
        let pieces: Vec<String> = row
            .text
            .iter()
            .map(|piece| match piece {
                Piece::Word(word) => text(word),
                Piece::Name(name) => code(name),
            })
            .collect();
        let revision = if row.was {
            &self.diff.before
        } else {
            &self.diff.after
        };
        let place = row.place.as_ref().map(|place| {
            let shown = code(&format!("{}:{}", place.path, place.start.line));
            match self.links.of(place, revision) {
                Some(address) => format!("[{shown}]({address})"),
                None => shown,
            }
        });
        let remark = (!row.remark.is_empty()).then(|| text(&row.remark));
        let last: Vec<String> = place.into_iter().chain(remark).collect();
        format!(
            "| {glyph} | {} | {} | {} |\n",
            code(&row.subject),
            pieces.join(" "),
            last.join(" · ")
        )
    }

    fn moved(&self, out: &mut String, project: &ProjectDiff, moved: &[Moved]) {
        let Some(first) = moved.first() else { return };
        let more = match moved.len() - 1 {
            0 => String::new(),
            n => format!(", {n} more"),
        };
        let [one, _] = project.words;
        let _ = writeln!(
            out,
            "<details><summary>Moved: {} {} → {}{more}</summary>\n\n| | {} | layer |\n|---|---|---|",
            html(&first.unit),
            first.before,
            first.after,
            text(one)
        );
        for m in moved.iter().take(self.rows) {
            let glyph = if m.after < m.before { "◂" } else { "▸" };
            let _ = writeln!(
                out,
                "| {glyph} | {} | {} → {} |",
                code(&m.unit),
                m.before,
                m.after
            );
        }
        out.push_str("\n</details>\n\n");
        if moved.len() > self.rows {
            let cut = plural(moved.len() - self.rows, ["row", "rows"]);
            let _ = writeln!(out, "{cut}: {}\n", self.too_long());
        }
    }
}

/// The two most important counts.
fn summary(project: &ProjectDiff) -> String {
    let mut parts: Vec<String> = words::there(project).map(str::to_owned).into_iter().collect();
    parts.extend(words::counts(project));
    parts.truncate(3);
    if parts.is_empty() {
        parts.push("changed".to_owned());
    }
    parts.join(", ")
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(MOST_OF_A_NAME) {
        Some((at, _)) => format!("{}…", name.get(..at).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// A name as code: between backticks if nothing in it is special to Markdown, HTML or a forge.
fn code(name: &str) -> String {
    let shown = shortened(&escape::line(name));
    let is_plain = |c: char| c.is_alphanumeric() || "._/-:=[]\", +".contains(c);
    if !shown.trim().is_empty() && shown.trim() == shown && shown.chars().all(is_plain) {
        format!("`{shown}`")
    } else {
        html(&shown)
    }
}

/// A name as code in HTML, with each special character as a numeric reference.
fn html(name: &str) -> String {
    let mut out = String::from("<code>");
    for c in shortened(&escape::line(name)).chars() {
        if c.is_alphanumeric() || matches!(c, ' ' | '-' | '/' | '…') {
            out.push(c);
        } else {
            let _ = write!(out, "&#{};", u32::from(c));
        }
    }
    out.push_str("</code>");
    out
}

/// A sentence that may quote files: it contains no Markdown or HTML, and every possible start of a mention or a
/// reference is followed by a zero-width space.
fn text(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    for c in shortened(&escape::line(sentence)).chars() {
        match c {
            '@' | '#' | '!' | '~' | '%' | '$' | '&' => {
                let _ = write!(out, "&#{};&#8203;", u32::from(c));
            }
            c if c.is_alphanumeric() || matches!(c, ' ' | ',' | ';' | ':' | '(' | ')' | '-' | '…' | '→') => {
                out.push(c)
            }
            c => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_code_and_mean_nothing_else() {
        assert_eq!(code("orders-db"), "`orders-db`");
        assert_eq!(
            code("Deployment/web@prod"),
            "<code>Deployment/web&#64;prod</code>"
        );
        assert_eq!(code("a`b|c#1"), "<code>a&#96;b&#124;c&#35;1</code>");
        assert_eq!(code("--><script>"), "<code>--&#62;&#60;script&#62;</code>");
        assert_eq!(code("a\n@b"), "<code>a&#92;n&#64;b</code>");
        assert_eq!(code(""), "<code></code>");
        assert_eq!(
            code(&"x".repeat(500)).chars().count(),
            200 + 3 + "<code></code>".len() - 2
        );
    }

    #[test]
    fn sentences_contain_no_mentions() {
        assert_eq!(
            text("see @you, #1 and *x*"),
            "see &#64;&#8203;you, &#35;&#8203;1 and &#42;x&#42;"
        );
        assert_eq!(text("www.example.com"), "www&#46;example&#46;com");
    }
}
