//! `explain`: the page of a rule, offline.

use applyorder_analysis::engine::Engines;
use applyorder_analysis::rules::Rule;

use super::rules::{described, reported_by, status_word};
use crate::args::{AnswerFormat, ExplainArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::docs_page;
use crate::formats::json::{self, model};
use crate::markdown;
use crate::output::Output;
use crate::selectors::did_you_mean;

/// Runs the command.
///
/// # Errors
/// When the rule is unknown; suggests the nearest one.
pub fn run(engines: Engines, args: &ExplainArgs, out: &mut Output) -> Result<Exit, Failure> {
    let rules = engines.rules();
    let id = args.rule.trim();
    let Some(rule) = rules.iter().find(|r| r.id == id) else {
        // Users often remember only the last part of an ID.
        let ending: Vec<&str> = rules
            .iter()
            .map(|r| r.id)
            .filter(|known| known.rsplit('/').next() == Some(id))
            .collect();
        let hint = match ending.as_slice() {
            [] => did_you_mean(id, rules.iter().map(|r| r.id)),
            ids => format!("; did you mean `{}`?", ids.join("` or `")),
        };
        return Err(Failure::new(format!("unknown rule `{}`{hint}", escape::line(id))));
    };
    for to in &args.format {
        out.answer_looking(to, |w, look| match to.format {
            AnswerFormat::Human => {
                let page = markdown::render(&page(engines, rule), look, |target| Some(outside(rule, target)));
                w.write_all(page.as_bytes())
            }
            AnswerFormat::Json => json::write_value(
                w,
                &model::Explanation {
                    version: model::VERSION,
                    rule: described(engines, rule),
                    url: docs_page(rule.id),
                    page: rule.docs,
                },
            ),
        })?;
    }
    Ok(Exit::Yes)
}

/// The URL of a link in a rule's page.
fn outside(rule: &Rule, target: &str) -> String {
    if target.contains("://") {
        return target.to_owned();
    }
    let page = docs_page(rule.id);
    let mut dir: Vec<&str> = page.split('/').collect();
    dir.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(dir.pop()),
            "." => {}
            part => dir.push(part),
        }
    }
    dir.join("/")
}

/// A rule's page in Markdown, with its reporting details after the first sentence.
#[must_use]
pub fn page(engines: Engines, rule: &Rule) -> String {
    let reporting = match reported_by(engines, rule).as_slice() {
        [] => "the configuration and limits of applyorder".to_owned(),
        ids => ids.join(", "),
    };
    let (head, body) = rule.page_parts();
    let mut page = format!(
        "{head}\n\nSeverity: {}, status: {}, since {}, reported for: {reporting}.\n",
        rule.severity.as_str(),
        status_word(rule.status),
        rule.since
    );
    if !rule.replaces.is_empty() {
        page.push_str(&format!("\nSuppresses: {}.\n", rule.replaces.join(", ")));
    }
    page.push('\n');
    page.push_str(body);
    page
}
