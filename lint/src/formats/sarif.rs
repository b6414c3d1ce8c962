//! SARIF 2.1.0: one run, with what code scanning shows: the page of each rule, related places, the path of a cycle,
//! fixes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use applyorder_analysis::diagnostic::{Diagnostic, Fix, Place, Related, Safety, Severity};
use applyorder_analysis::rules::{Rule, cycle};
use applyorder_analysis::syntax::text::Encoding;
use camino::Utf8Path;
use serde_sarif::sarif::{self, ResultLevel};

use super::{Report, docs_page, json, of_three};
use crate::fingerprint::Reported;
use crate::repository::uri;

/// The key of our fingerprints. GitHub computes its own key, `primaryLocationLineHash`, from the lines.
const FINGERPRINT: &str = "applyorder/v1";

/// The base of relative URIs: the root of the repository.
const TOP: &str = "%SRCROOT%";

/// Writes the findings.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: Report<'_>) -> io::Result<()> {
    let mut rules: Vec<&'static Rule> = report
        .findings
        .iter()
        .map(|r| r.finding.diagnostic.rule)
        .collect();
    rules.sort_by_key(|rule| rule.id);
    rules.dedup();
    let results: Vec<sarif::Result> = report
        .findings
        .iter()
        .map(|reported| result(report, reported, &rules))
        .collect();
    let driver = sarif::ToolComponent::builder()
        .name("applyorder")
        .information_uri(env!("CARGO_PKG_REPOSITORY"))
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(rules.iter().map(|r| rule(r)).collect::<Vec<_>>())
        .build();
    let top = sarif::ArtifactLocation::builder()
        .description(message("The top of the repository"))
        .build();
    let invocation = sarif::Invocation::builder()
        .execution_successful(!report.session.failed())
        .build();
    let run = sarif::Run::builder()
        .tool(driver)
        .column_kind("utf16CodeUnits")
        .original_uri_base_ids(BTreeMap::from([(TOP.to_owned(), top)]))
        .invocations(vec![invocation])
        .results(results)
        .build();
    let log = sarif::Sarif::builder()
        .schema(sarif::SCHEMA_URL)
        .version("2.1.0")
        .runs(vec![run])
        .build();
    json::write_value(out, &log)
}

fn rule(rule: &Rule) -> sarif::ReportingDescriptor {
    let level = match rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Hint => "note",
    };
    let text = |text: &str| sarif::MultiformatMessageString::builder().text(text).build();
    let help = sarif::MultiformatMessageString::builder()
        .text(rule.summary)
        .markdown(rule.docs)
        .build();
    let mut tags = vec!["order".to_owned()];
    tags.extend(rule.engine().map(str::to_owned));
    sarif::ReportingDescriptor::builder()
        .id(rule.id)
        .short_description(text(rule.summary))
        .full_description(text(rule.summary))
        .help(help)
        .help_uri(docs_page(rule.id))
        .default_configuration(sarif::ReportingConfiguration::builder().level(level).build())
        .properties(
            sarif::PropertyBag::builder()
                .tags(tags)
                .additional_properties(BTreeMap::from([(
                    "problem.severity".to_owned(),
                    of_three(rule.severity, ["error", "warning", "recommendation"]).into(),
                )]))
                .build(),
        )
        .build()
}

fn result(report: Report<'_>, reported: &Reported<'_>, rules: &[&'static Rule]) -> sarif::Result {
    let d = reported.finding.diagnostic;
    let level = match d.severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Info | Severity::Hint => ResultLevel::Note,
    };
    let mut own = location(report, d.place, d.label.as_deref());
    let units: Vec<sarif::LogicalLocation> = d
        .units
        .iter()
        .map(|unit| {
            sarif::LogicalLocation::builder()
                .fully_qualified_name(&**unit)
                .kind("resource")
                .build()
        })
        .collect();
    own.logical_locations = (!units.is_empty()).then_some(units);
    let fingerprints = BTreeMap::from([(FINGERPRINT.to_owned(), reported.fingerprint().to_owned())]);
    let mut result = sarif::Result::builder()
        .rule_id(d.rule.id)
        .level(level)
        .message(message(&sentences(d)))
        .locations(vec![own])
        .partial_fingerprints(fingerprints)
        .build();
    let index = rules.binary_search_by_key(&d.rule.id, |rule| rule.id);
    result.rule_index = index.ok().and_then(|i| i64::try_from(i).ok());
    if !d.related.is_empty() {
        result.related_locations = Some((1..).zip(&d.related).map(|(n, r)| other(report, r, n)).collect());
    }
    if d.rule == &cycle::RULE && d.part_of.is_none() {
        result.code_flows = Some(vec![round(report, d)]);
    }
    let fixes: Vec<sarif::Fix> = d.fixes.iter().filter_map(|f| fix(report, f)).collect();
    result.fixes = (!fixes.is_empty()).then_some(fixes);
    result
}

/// The message, followed by the notes.
fn sentences(d: &Diagnostic) -> String {
    let mut text = d.message.clone();
    for note in &d.notes {
        text.push('\n');
        text.push_str(note);
    }
    text
}

/// The path of a cycle: a step for each place, which are those of its edges, starting with the best one to cut.
fn round(report: Report<'_>, d: &Diagnostic) -> sarif::CodeFlow {
    let is_told = d.related.iter().any(|r| r.place == d.place);
    let own = (!is_told).then_some((d.place, d.message.as_str()));
    let others = d.related.iter().map(|r| (r.place, r.message.as_str()));
    let step = |(place, text): (Place, &str)| {
        sarif::ThreadFlowLocation::builder()
            .location(location(report, place, Some(text)))
            .build()
    };
    let steps: Vec<sarif::ThreadFlowLocation> = own.into_iter().chain(others).map(step).collect();
    sarif::CodeFlow::builder()
        .thread_flows(vec![sarif::ThreadFlow::builder().locations(steps).build()])
        .build()
}

fn fix(report: Report<'_>, fix: &Fix) -> Option<sarif::Fix> {
    let edits = report.session.analysis.edits(fix);
    if edits.is_empty() {
        return None;
    }
    let changes: Vec<sarif::ArtifactChange> = edits
        .into_iter()
        .map(|(file, edits)| {
            let replacements: Vec<sarif::Replacement> = edits
                .into_iter()
                .map(|edit| {
                    sarif::Replacement::builder()
                        .deleted_region(region(report, Place::span(file, edit.span)))
                        .inserted_content(sarif::ArtifactContent::builder().text(edit.text).build())
                        .build()
                })
                .collect();
            sarif::ArtifactChange::builder()
                .artifact_location(artifact(report, Place::file(file)))
                .replacements(replacements)
                .build()
        })
        .collect();
    let safety = match fix.safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
    };
    Some(
        sarif::Fix::builder()
            .description(message(&fix.title))
            .artifact_changes(changes)
            .properties(
                sarif::PropertyBag::builder()
                    .additional_properties(BTreeMap::from([("safety".to_owned(), safety.into())]))
                    .build(),
            )
            .build(),
    )
}

fn other(report: Report<'_>, related: &Related, n: i64) -> sarif::Location {
    let mut location = location(report, related.place, Some(&related.message));
    location.id = Some(n);
    location
}

fn location(report: Report<'_>, place: Place, text: Option<&str>) -> sarif::Location {
    let physical = sarif::PhysicalLocation::builder()
        .artifact_location(artifact(report, place))
        .region(region(report, place))
        .build();
    let mut location = sarif::Location::builder().physical_location(physical).build();
    location.message = text.map(message);
    location
}

fn artifact(report: Report<'_>, place: Place) -> sarif::ArtifactLocation {
    let path = report.path(place);
    let mut artifact = sarif::ArtifactLocation::builder().uri(uri(&path)).build();
    if !Utf8Path::new(&path).is_absolute() {
        artifact.uri_base_id = Some(TOP.to_owned());
    }
    artifact
}

fn region(report: Report<'_>, place: Place) -> sarif::Region {
    let (start, end) = report.range(place, Encoding::Utf16);
    sarif::Region::builder()
        .start_line(start.line)
        .start_column(start.col)
        .end_line(end.line)
        .end_column(end.col)
        .build()
}

/// A message in plain text. `[text](target)` in it would be a link (3.11.6).
fn message(text: &str) -> sarif::Message {
    if !text.contains("](") {
        return sarif::Message::builder().text(text).build();
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if matches!(c, '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    sarif::Message::builder().text(escaped).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_holds_no_link() {
        let text = |t| message(t).text.unwrap();
        assert_eq!(text("a list [b] of c"), "a list [b] of c");
        assert_eq!(text("[x](command:y) \\"), "\\[x\\](command:y) \\\\");
    }
}
