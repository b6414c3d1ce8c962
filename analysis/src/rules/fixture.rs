//! What a rule says of a small tree, in full, for the tests beneath the rules.
//!
//! ```text
//! error tazuna.yaml:4 «gone»: manifest `web` depends on `gone`, which does not exist
//!   label: did you mean `gate`?
//!   check dependsOn first, apply dependsOn first: what the engine says
//!   tazuna.yaml:2 «gate»: a related place
//!   note: a further sentence
//!   unsafe fix: replace by `gate`
//!     tazuna.yaml:4 -the line before
//!     tazuna.yaml:4 +the line behind
//! ```

use std::fmt::Write;

use super::Rule;
use crate::diagnostic::{Diagnostic, Fix, Place, Safety};
use crate::engines::RunOptions;
use crate::ide::fixture::Fixture;
use crate::syntax::text::apply_edits;

/// The findings of a rule in a tree of files: `//- /path`, then the text.
pub(crate) fn told(rule: &Rule, tree: &str) -> String {
    told_with(rule, tree, RunOptions::default())
}

/// The same under options.
pub(crate) fn told_with(rule: &Rule, tree: &str, options: RunOptions) -> String {
    let fixture = Fixture::with_options(tree, options);
    let mut out = String::new();
    for file in fixture.analysis.files_with_findings() {
        for finding in fixture.analysis.findings_of(file) {
            if finding.diagnostic.rule == rule {
                tell(&fixture, finding.diagnostic, &mut out);
            }
        }
    }
    out
}

fn place(fixture: &Fixture, place: Place) -> String {
    let name = fixture.analysis.path(place.file).file_name().unwrap();
    let Some(source) = fixture.analysis.source(place.file) else {
        return format!("{name} (not text)");
    };
    let span = fixture.analysis.span(place);
    let line = source.lines().line(span.start) + 1;
    let under = span.slice(&source.text);
    let mut lines = under.lines();
    let first = lines.next().unwrap_or("");
    let more = if lines.next().is_some() { " …" } else { "" };
    format!("{name}:{line} «{first}{more}»")
}

fn tell(fixture: &Fixture, d: &Diagnostic, out: &mut String) {
    writeln!(
        out,
        "{} {}: {}",
        d.severity.as_str(),
        place(fixture, d.place),
        d.message
    )
    .unwrap();
    if let Some(label) = &d.label {
        writeln!(out, "  label: {label}").unwrap();
    }
    if !d.enforced.is_empty() || d.engine_message.is_some() {
        let one = |e: &crate::diagnostic::Enforced| {
            format!("{} {}{}", e.command, e.stage, if e.first { " first" } else { "" })
        };
        let by: Vec<String> = d.enforced.iter().map(one).collect();
        let text = d.engine_message.as_deref().unwrap_or("(no text)");
        writeln!(out, "  {}: {}", by.join(", "), text.replace('\n', "\\n")).unwrap();
    }
    if !d.environments.is_empty() {
        writeln!(out, "  in {:?}", d.environments).unwrap();
    }
    for related in &d.related {
        writeln!(out, "  {}: {}", place(fixture, related.place), related.message).unwrap();
    }
    for note in &d.notes {
        writeln!(out, "  note: {note}").unwrap();
    }
    for fix in &d.fixes {
        change(fixture, fix, out);
    }
}

/// A fix as the lines that it takes away and those that it brings.
fn change(fixture: &Fixture, fix: &Fix, out: &mut String) {
    let safety = match fix.safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
    };
    writeln!(out, "  {safety} fix: {}", fix.title).unwrap();
    for (file, edits) in fixture.analysis.edits(fix) {
        let name = fixture.analysis.path(file).file_name().unwrap();
        let before = fixture.text(file);
        let after = apply_edits(before, &edits);
        let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
        let same = |(a, b): &(&&str, &&str)| a == b;
        let head = old.iter().zip(&new).take_while(same).count();
        let (rest_old, rest_new) = (&old[head..], &new[head..]);
        let tail = rest_old
            .iter()
            .rev()
            .zip(rest_new.iter().rev())
            .take_while(same)
            .count();
        for (sign, lines) in [('-', rest_old), ('+', rest_new)] {
            for (i, line) in lines[..lines.len() - tail].iter().enumerate() {
                writeln!(out, "    {name}:{} {sign}{line}", head + i + 1).unwrap();
            }
        }
    }
}
