//! The example on each page of a rule: the rule reports it, and not the recommended alternative.

#[path = "../../../../../tests/support/page.rs"]
mod page;

use applyorder_analysis::fixture::{Fixture, printed};
use applyorder_core::diagnostic::Rule;

use self::page::page_shows;
use crate::rules::OWN;

/// The first YAML block of a section.
fn block<'p>(rule: &'p Rule, section: &str) -> Option<&'p str> {
    let (_, rest) = rule.docs.split_once(&format!("## {section}\n"))?;
    let rest = rest.split("\n## ").next()?;
    let (_, rest) = rest.split_once("```yaml\n")?;
    rest.split("```").next()
}

fn tree(text: &str) -> Fixture {
    let head = if text.contains("apiVersion") {
        ""
    } else {
        "apiVersion: v1\n"
    };
    Fixture::new(crate::ALONE, &format!("//- /m.ank.yaml\n{head}{text}"))
}

fn is_reported(rule: &Rule, text: &str) -> bool {
    let fixture = tree(text);
    let found = fixture.analysis.findings_of(fixture.file);
    found.iter().any(|f| f.diagnostic.rule == rule)
}

#[test]
fn an_example_is_reported_and_its_replacement_is_not() {
    let mut wrong = Vec::new();
    for rule in OWN {
        match block(rule, "Example") {
            Some(text) if is_reported(rule, text) => {
                wrong.extend(page_shows(rule, &printed(&tree(text).analysis, rule)));
            }
            Some(_) => wrong.push(format!("{}: its example is not reported", rule.id)),
            None => wrong.push(format!("{}: no example", rule.id)),
        }
        if block(rule, "Use instead").is_some_and(|text| is_reported(rule, text)) {
            wrong.push(format!("{}: its replacement is reported", rule.id));
        }
    }
    assert_eq!(wrong, [""; 0]);
}
