//! `--select` and `--ignore`: rule IDs, `ENGINE/*`, `ENGINE`, severities.

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::Engines;
use applyorder_analysis::rules::{self, Rule};

use crate::exit::Failure;

/// One word of a selector list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Selector {
    Id(&'static Rule),
    /// Everything in the projects of an engine, or, with `/*`, the rules that only this engine has.
    Engine {
        id: &'static str,
        own_rules: bool,
    },
    Severity(Severity),
}

/// A list of selectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selectors(Vec<Selector>);

impl Selectors {
    /// Parses the words of a flag.
    ///
    /// # Errors
    /// When a word is not a rule, engine or severity; suggests the nearest.
    pub fn parse(engines: Engines, flag: &str, words: &[String]) -> Result<Self, Failure> {
        let words = words.iter().map(|w| w.trim()).filter(|w| !w.is_empty());
        words
            .map(|word| selector(engines, flag, word))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The rules that are named by ID.
    pub fn named(&self) -> impl Iterator<Item = &'static Rule> {
        self.0.iter().filter_map(|s| match s {
            Selector::Id(rule) => Some(*rule),
            _ => None,
        })
    }

    /// Whether nothing is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a finding of a rule at a severity, in a project of an engine, is selected.
    #[must_use]
    pub fn matches(&self, rule: &Rule, severity: Severity, engine: Option<&str>) -> bool {
        self.0.iter().any(|s| match s {
            Selector::Id(named) => named.id == rule.id,
            Selector::Engine { id, own_rules: true } => rule.engine() == Some(id),
            Selector::Engine { id, own_rules: false } => rule.engine() == Some(id) || engine == Some(id),
            Selector::Severity(s) => *s == severity,
        })
    }
}

fn selector(engines: Engines, flag: &str, word: &str) -> Result<Selector, Failure> {
    let engine = |id: &str| engines.ids().find(|known| *known == id);
    if let Some(severity) = Severity::from_word(word) {
        return Ok(Selector::Severity(severity));
    }
    if let Some(id) = engine(word.strip_suffix("/*").unwrap_or(word)) {
        return Ok(Selector::Engine {
            id,
            own_rules: word.ends_with("/*"),
        });
    }
    let known = engines.rules();
    if let Some(rule) = known.iter().find(|r| r.id == word) {
        return Ok(Selector::Id(rule));
    }
    let names = known
        .iter()
        .map(|r| r.id)
        .chain(engines.ids())
        .chain(["hint", "info", "warning", "error"]);
    Err(Failure::new(format!(
        "{flag}: unknown rule, engine or severity `{}`{}",
        crate::escape::line(word),
        did_you_mean(word, names)
    )))
}

/// ``; did you mean `X`?``, or an empty string.
#[must_use]
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    rules::nearest(word, known).map_or_else(String::new, |near| {
        format!("; did you mean `{}`?", crate::escape::line(near))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::config::invalid_config;

    #[test]
    fn ids_and_severities_select() {
        let words = |w: &[&str]| w.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let select =
            Selectors::parse(Engines::new(&[]), "--select", &words(&["invalid-config", "hint"])).unwrap();
        assert!(select.matches(&invalid_config::RULE, Severity::Error, None));
        let hints = Selectors::parse(Engines::new(&[]), "--select", &words(&["hint"])).unwrap();
        assert!(!hints.matches(&invalid_config::RULE, Severity::Error, None));
        let Err(Failure::Message(message)) =
            Selectors::parse(Engines::new(&[]), "--select", &words(&["invalid-confg"]))
        else {
            panic!("accepted");
        };
        assert!(message.ends_with("did you mean `invalid-config`?"), "{message}");
    }
}
