//! Tests of the engine as a whole.

mod agreement;
mod dialect;
mod editing;
mod growth;
mod handlebars;
mod pages;
mod projects;
mod restated;
mod seen;
mod serde;
mod verdicts;

use applyorder_analysis::fixture::Fixture;
use applyorder_core::diagnostic::Rule;

/// Asserts that a rule has findings at these sources, in the order of the text, and at no others.
pub(crate) fn speaks(rule: &Rule, text: &str, sources: &[&str]) {
    let fixture = Fixture::new(crate::ALONE, &format!("//- /manifest.ank.yaml\n{text}"));
    let file = fixture.path("/manifest.ank.yaml");
    let mut found: Vec<_> = fixture
        .analysis
        .findings_of(file)
        .into_iter()
        .filter(|f| f.diagnostic.rule == rule && f.diagnostic.part_of.is_none())
        .map(|f| fixture.analysis.span(f.diagnostic.place))
        .collect();
    found.sort();
    let found: Vec<&str> = found.iter().map(|s| s.slice(fixture.text(file))).collect();
    assert_eq!(found, sources, "{} in:\n{text}", rule.id);
}
