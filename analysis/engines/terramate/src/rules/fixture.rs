//! Findings as text, for the tests of rules.

use applyorder_analysis::fixture::Fixture;
use applyorder_analysis::ide::FileSpan;
use applyorder_core::engine::RunOptions;
use applyorder_core::rules::Rule;

const ROOT: &str = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";

/// A project with its findings of one rule.
pub(crate) struct Checked {
    fixture: Fixture,
    rule: &'static Rule,
}

/// Analyses some files, in the form of [`Fixture`], with a root configuration.
pub(crate) fn check(rule: &'static Rule, files: &str) -> Checked {
    check_with(rule, files, RunOptions::default())
}

/// The same under options.
pub(crate) fn check_with(rule: &'static Rule, files: &str, options: RunOptions) -> Checked {
    let fixture = Fixture::with_options(crate::ALONE, &format!("{ROOT}{files}"), options);
    Checked { fixture, rule }
}

/// The same without a root configuration.
pub(crate) fn check_bare(rule: &'static Rule, files: &str) -> Checked {
    let fixture = Fixture::new(crate::ALONE, files);
    Checked { fixture, rule }
}

impl Checked {
    fn diagnostics(&self) -> Vec<&applyorder_core::diagnostic::Diagnostic> {
        let (_, project) = self.fixture.analysis.projects().next().unwrap();
        let all = project.findings().iter();
        all.filter(|d| d.rule == self.rule && d.part_of.is_none())
            .collect()
    }

    fn show(&self, place: applyorder_core::diagnostic::Place) -> String {
        let at = FileSpan::of(&self.fixture.analysis, place);
        let path = self.fixture.analysis.path(at.file);
        let path = path.as_str().strip_prefix("/w").unwrap_or(path.as_str());
        let Some(source) = self.fixture.analysis.source(at.file) else {
            return path.to_owned();
        };
        let line = source.lines().line(at.span.start) + 1;
        let text = at
            .span
            .slice(&source.text)
            .lines()
            .next()
            .unwrap_or("")
            .to_owned();
        format!("{path}:{line} {text}").trim_end().to_owned()
    }

    /// `path:line text: message`, one for each finding, sorted.
    pub(crate) fn found(&self) -> Vec<String> {
        let shown =
            |d: &applyorder_core::diagnostic::Diagnostic| format!("{}: {}", self.show(d.place), d.message);
        let mut found: Vec<String> = self.diagnostics().into_iter().map(shown).collect();
        found.sort();
        found
    }

    /// The related places of the first finding: `path:line text`.
    pub(crate) fn related(&self) -> Vec<String> {
        let first = self.diagnostics().into_iter().next();
        let related = first.into_iter().flat_map(|d| &d.related);
        related.map(|r| self.show(r.place)).collect()
    }

    /// What `run` would report.
    pub(crate) fn said(&self) -> Vec<&str> {
        let (_, project) = self.fixture.analysis.projects().next().unwrap();
        let run = project.resolution.verdicts.iter().find(|v| v.command == "run");
        run.unwrap().errors.iter().map(|e| e.message.as_str()).collect()
    }

    /// Whether `run` would accept it; `None`: that cannot be known.
    pub(crate) fn verdict(&self) -> Option<bool> {
        let (_, project) = self.fixture.analysis.projects().next().unwrap();
        project
            .resolution
            .verdicts
            .iter()
            .find(|v| v.command == "run")?
            .ok
    }

    /// The number of fixes of the first finding.
    pub(crate) fn fixes(&self) -> usize {
        self.diagnostics().first().map_or(0, |d| d.fixes.len())
    }

    /// The texts of the files that a fix of the first finding changes, in the form of [`Fixture`].
    pub(crate) fn fixed(&self, fix: usize) -> String {
        let first = self.diagnostics()[0];
        self.fixture
            .edited(&self.fixture.analysis.edits(&first.fixes[fix]))
    }
}
