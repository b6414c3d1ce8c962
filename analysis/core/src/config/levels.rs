//! `[rules]` and `preview`: which findings are reported, and at which severity.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{Config, Known, RuleLevel};
use crate::diagnostic::{Certainty, Diagnostic, Rule, Severity, Status};
use crate::nearest::nearest;
use applyorder_syntax::text::Span;

impl Config {
    /// The level that `[rules]` sets for a rule in the projects of an engine: its id first, then `ENGINE/*` (the
    /// rules that only this engine has), then `ENGINE` (all that is found in its projects).
    #[must_use]
    pub fn level(&self, rule: &Rule, engine: &str) -> Option<RuleLevel> {
        let own = self.rules.get(rule.id);
        let of_rule = || self.rules.get(&format!("{}/*", rule.engine()?));
        own.or_else(of_rule).or_else(|| self.rules.get(engine)).copied()
    }

    /// A finding in a project of an engine as the configuration wants it; `None` where it is not to be reported. A heuristic finding
    /// is never an error, whatever level is set.
    #[must_use]
    pub fn adjusted(&self, mut finding: Diagnostic, engine: &str) -> Option<Diagnostic> {
        match self.level(finding.rule, engine) {
            None if finding.rule.status == Status::Preview && !self.preview => return None,
            None => return Some(finding),
            Some(level) => finding.severity = level.severity()?,
        }
        if finding.certainty == Certainty::Heuristic {
            finding.severity = finding.severity.min(Severity::Warning);
        }
        Some(finding)
    }
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

/// The keys of `[rules]` in a configuration file that name no rule and no engine, with what to say.
pub(super) fn unknown_rules(text: &str, known: &Known) -> Vec<(Span, String)> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Keys {
        rules: BTreeMap<Spanned<String>, serde::de::IgnoredAny>,
    }
    let Known { rules, engines, .. } = known;
    let is_known =
        |key: &str| rules.contains(&key) || engines.contains(&key.strip_suffix("/*").unwrap_or(key));
    let keys = toml::from_str::<Keys>(text).unwrap_or_default().rules;
    keys.into_keys()
        .filter(|key| !is_known(key.get_ref()))
        .map(|key| {
            let names = rules.iter().chain(engines).copied();
            let near = nearest(key.get_ref(), names)
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let span = key.span();
            let message = format!("unknown rule `{}`{near}", key.get_ref());
            (Span::from_usize(span.start, span.end), message)
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
        Config::read(text.parse().unwrap(), &Known::default()).unwrap()
    }

    fn severity(config: &Config, certainty: Certainty) -> Option<Severity> {
        let mut finding = Diagnostic::new(&PREVIEW, Place::file(FileId(0)), "");
        finding.certainty = certainty;
        config.adjusted(finding, "engine").map(|d| d.severity)
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
    fn an_unknown_rule_is_named_with_its_place() {
        let text = "[rules]\n\"invalid-config\" = \"off\"\n\"invalid-confg\" = \"off\"\n";
        let found = unknown_rules(
            text,
            &Known {
                rules: vec!["invalid-config"],
                engines: vec!["engine"],
                sections: Vec::new(),
            },
        );
        assert_eq!(found.len(), 1);
        assert!(found[0].0.slice(text).contains("invalid-confg"));
        assert_eq!(
            found[0].1,
            "unknown rule `invalid-confg`; did you mean `invalid-config`?"
        );
    }

    #[test]
    fn preview_rules_speak_when_asked() {
        assert_eq!(severity(&config(""), Certainty::Certain), None);
        assert_eq!(
            severity(&config("preview = true"), Certainty::Certain),
            Some(Severity::Warning)
        );
    }
}
