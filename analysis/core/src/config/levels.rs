//! `[rules]` and `preview`: which findings are reported, and at which severity.

use std::collections::BTreeMap;

use camino::Utf8Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistakes::{Mistake, span_of};
use super::{Config, Known, RuleLevel};
use crate::diagnostic::{Certainty, Diagnostic, Rule, Severity, Status};
use applyorder_syntax::text::Span;

impl Config {
    /// The level that `[rules]` sets for a rule in the projects of an engine: its id first, then `ENGINE/*` (the
    /// rules that only this engine has), then `ENGINE` (all that is found in its projects).
    #[must_use]
    pub fn level(&self, rule: &Rule, engine: &str) -> Option<RuleLevel> {
        level(&self.rules, rule, engine)
    }

    /// The same in a file: the last of `[[overrides]]` that matches both, else [`Self::level`].
    #[must_use]
    pub fn level_in(&self, rule: &Rule, engine: &str, path: &Utf8Path) -> Option<RuleLevel> {
        let mut overrides = self.overrides_of(path);
        overrides
            .find_map(|own| level(&own.rules, rule, engine))
            .or_else(|| self.level(rule, engine))
    }

    /// Every level that a rule has in some file.
    pub fn levels<'a>(
        &'a self,
        rule: &'a Rule,
        engine: &'a str,
    ) -> impl Iterator<Item = Option<RuleLevel>> + 'a {
        let overrides = self.overrides.iter();
        let overrides = overrides.filter_map(move |own| level(&own.rules, rule, engine).map(Some));
        std::iter::once(self.level(rule, engine)).chain(overrides)
    }

    /// A finding in a file of a project of an engine, adjusted as the configuration says; `None` if it is not
    /// reported. Without a file, overrides are ignored. A heuristic finding is never an error, whatever level
    /// is set.
    #[must_use]
    pub fn adjusted(
        &self,
        mut finding: Diagnostic,
        engine: &str,
        path: Option<&Utf8Path>,
    ) -> Option<Diagnostic> {
        finding.severity = self.severity_of(&finding, engine, path)?;
        Some(finding)
    }

    /// The severity that [`Self::adjusted`] gives a finding.
    #[must_use]
    pub fn severity_of(
        &self,
        finding: &Diagnostic,
        engine: &str,
        path: Option<&Utf8Path>,
    ) -> Option<Severity> {
        let level = match path {
            Some(path) => self.level_in(finding.rule, engine, path),
            None => self.level(finding.rule, engine),
        };
        let severity = match level {
            None if finding.rule.status == Status::Preview && !self.preview => return None,
            None => return Some(finding.severity),
            Some(level) => level.severity()?,
        };
        Some(match finding.certainty {
            Certainty::Heuristic => severity.min(Severity::Warning),
            _ => severity,
        })
    }
}

fn level(rules: &BTreeMap<String, RuleLevel>, rule: &Rule, engine: &str) -> Option<RuleLevel> {
    if rules.is_empty() {
        return None;
    }
    let of_rule = || rules.get(&format!("{}/*", rule.engine()?));
    let found = rules.get(rule.id).or_else(of_rule);
    found.or_else(|| rules.get(engine)).copied()
}

impl RuleLevel {
    /// The severity of the level; `None` for `off`.
    #[must_use]
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Hint => Some(Severity::Hint),
            Self::Info => Some(Severity::Info),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}

/// The keys of `[rules]`, and of the `rules` of `[[overrides]]`, in a configuration file that name neither a
/// rule nor an engine, each with a message.
pub(super) fn unknown_rules(root: &DeTable<'_>, known: &Known) -> Vec<Mistake> {
    let Known { rules, engines, .. } = known;
    let is_known =
        |key: &str| rules.contains(&key) || engines.contains(&key.strip_suffix("/*").unwrap_or(key));
    let rules_in = |table: &DeTable<'_>| match table.get("rules").map(Spanned::get_ref) {
        Some(DeValue::Table(levels)) => {
            let keys = levels.keys();
            keys.map(|key| (span_of(key), key.get_ref().to_string()))
                .collect()
        }
        _ => Vec::new(),
    };
    let mut keys: Vec<(Span, String)> = rules_in(root);
    if let Some(DeValue::Array(overrides)) = root.get("overrides").map(Spanned::get_ref) {
        let tables = overrides.iter().filter_map(|own| own.get_ref().as_table());
        keys.extend(tables.flat_map(rules_in));
    }
    keys.retain(|(_, key)| !is_known(key));
    keys.into_iter()
        .map(|(span, key)| {
            let names = rules.iter().chain(engines).copied();
            Mistake::unknown(span, "rule", &key, names)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{FileId, Place};

    static PREVIEW: Rule = Rule {
        id: "engine/idea",
        severity: Severity::Warning,
        summary: "",
        docs: "",
        since: "0.1.0",
        status: Status::Preview,
        replaces: &[],
    };

    fn config(text: &str) -> Config {
        Config::read(text.parse().unwrap(), &Known::default())
            .unwrap()
            .at("/w")
    }

    fn severity(config: &Config, certainty: Certainty) -> Option<Severity> {
        let mut finding = Diagnostic::new(&PREVIEW, Place::file(FileId(0)), "");
        finding.certainty = certainty;
        config
            .adjusted(finding, "engine", Some("/w/a/b.yaml".into()))
            .map(|d| d.severity)
    }

    #[test]
    fn the_id_wins_over_the_engine() {
        let c = config("[rules]\n\"engine/*\" = \"off\"\n\"engine/idea\" = \"error\"");
        assert_eq!(severity(&c, Certainty::Certain), Some(Severity::Error));
        assert_eq!(severity(&c, Certainty::Heuristic), Some(Severity::Warning));
        assert_eq!(
            severity(&config("rules.engine = \"off\""), Certainty::Certain),
            None
        );
    }

    #[test]
    fn the_last_matching_override_takes_precedence() {
        let base = "rules.engine = \"info\"\n[[overrides]]\nfiles = [\"a/**\"]\nrules = { \"engine/*\" = \"hint\" }\n";
        let of = |more: &str| severity(&config(&format!("{base}{more}")), Certainty::Certain);
        assert_eq!(of(""), Some(Severity::Hint));
        let more = |files: &str, rules: &str| {
            of(&format!(
                "[[overrides]]\nfiles = [{files}]\nrules = {{ {rules} }}\n"
            ))
        };
        assert_eq!(more("\"*.yaml\"", "\"engine/idea\" = \"off\""), None);
        assert_eq!(more("\"*.yaml\"", "other = \"off\""), Some(Severity::Hint));
        assert_eq!(more("\"c/**\"", "engine = \"off\""), Some(Severity::Hint));
        let all: Vec<_> = config(base).levels(&PREVIEW, "engine").flatten().collect();
        assert_eq!(all, [RuleLevel::Info, RuleLevel::Hint]);
    }

    #[test]
    fn an_unknown_rule_is_named_with_its_place() {
        let text = "[rules]\n\"invalid-config\" = \"off\"\n\"invalid-confg\" = \"off\"\n\
            [[overrides]]\nfiles = []\n[overrides.rules]\nenigne = \"off\"\n";
        let found = unknown_rules(
            DeTable::parse(text).unwrap().get_ref(),
            &Known {
                rules: vec!["invalid-config"],
                engines: vec!["engine"],
                sections: Vec::new(),
            },
        );
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].span.slice(text), "enigne");
        assert_eq!(found[1].message, "unknown rule `enigne`; did you mean `engine`?");
        assert!(found[0].span.slice(text).contains("invalid-confg"));
        assert_eq!(
            found[0].message,
            "unknown rule `invalid-confg`; did you mean `invalid-config`?"
        );
    }

    #[test]
    fn preview_rules_report_when_enabled() {
        assert_eq!(severity(&config(""), Certainty::Certain), None);
        assert_eq!(
            severity(&config("preview = true"), Certainty::Certain),
            Some(Severity::Warning)
        );
    }
}
