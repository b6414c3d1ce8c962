//! Which findings are shown, and which make the run fail.

use std::collections::BTreeSet;

use applyorder_analysis::config::{Config, Configs, RuleLevel};
use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::Engines;
use applyorder_analysis::rules::Rule;
use applyorder_analysis::workspace::Finding;

use crate::args::LintArgs;
use crate::baseline::{Baseline, Baselines};
use crate::commands::since::Earlier;
use crate::exit::Failure;
use crate::fingerprint::Reported;
use crate::selectors::Selectors;
use crate::session::Session;

/// Which findings are shown, and which make the run fail.
pub(super) struct FindingFilter {
    pub(super) engines: Engines,
    pub(super) select: Selectors,
    pub(super) ignore: Selectors,
    pub(super) min_severity: Option<Severity>,
    pub(super) fail_on: Option<Severity>,
    pub(super) whole: bool,
    pub(super) baselines: Baselines,
    /// What was found in an earlier revision.
    pub(super) earlier: Earlier,
}

/// Counts of findings that are not shown, for the closing line.
#[derive(Default)]
pub(super) struct Hidden {
    pub(super) below_severity: usize,
    pub(super) elsewhere: usize,
    pub(super) in_baseline: usize,
    pub(super) before: usize,
    /// Beyond the limit of what is shown.
    pub(super) cut: usize,
}

impl FindingFilter {
    /// The filter that the flags describe, without the baselines of configurations and the findings of an earlier revision.
    ///
    /// # Errors
    /// If a selector is invalid or a baseline cannot be read.
    pub(super) fn of(engines: Engines, args: &LintArgs, is_compared: bool) -> Result<Self, Failure> {
        Ok(Self {
            engines,
            select: Selectors::parse(engines, "--select", &args.select)?,
            ignore: Selectors::parse(engines, "--ignore", &args.ignore)?,
            min_severity: args.min_severity,
            fail_on: args.fail_on,
            // A new finding in another file is caused by a change in the given files.
            whole: args.whole || is_compared,
            baselines: match &args.baseline {
                Some(path) => Baselines::Given(Baseline::read(path)?),
                None => Baselines::None,
            },
            earlier: Earlier::default(),
        })
    }

    pub(super) fn shows(&self, session: &Session, reported: &Reported<'_>, hidden: &mut Hidden) -> bool {
        let finding = &reported.finding;
        let d = finding.diagnostic;
        let engine = finding
            .projects
            .first()
            .and_then(|p| Some(session.analysis.project(*p)?.engine().meta().id));
        let selected = self.select.matches(d.rule, d.severity, engine);
        if (!self.select.is_empty() && !selected) || self.ignore.matches(d.rule, d.severity, engine) {
            return false;
        }
        let meant =
            |keys: &BTreeSet<String>| finding.projects.iter().any(|p| keys.contains(&session.key(*p)));
        if !session.is_asked_about(finding, true) || !self.earlier.projects.as_ref().is_none_or(meant) {
            return false;
        }
        // Rules selected by name are shown at any severity, and so is what makes the run fail.
        let least = match self.min_severity {
            Some(least) => least,
            None if selected => Severity::Hint,
            None => Severity::Warning.min(self.fails_from(session, finding)),
        };
        if d.severity < least {
            hidden.below_severity += 1;
            return false;
        }
        if !session.is_asked_about(finding, self.whole) {
            hidden.elsewhere += 1;
            return false;
        }
        if reported
            .fingerprints
            .iter()
            .any(|print| self.earlier.fingerprints.contains(print))
        {
            hidden.before += 1;
            return false;
        }
        if self.baselines.have(session, reported) {
            hidden.in_baseline += 1;
            return false;
        }
        true
    }

    /// Whether findings of a rule could be shown in any file.
    pub(super) fn looks_at(&self, rule: &Rule, configs: &Configs) -> bool {
        let looks = |config: &Config, engine: &str, level: Option<RuleLevel>| {
            let Some(severity) = level.map_or(Some(rule.severity), RuleLevel::severity) else {
                return false;
            };
            let fails_from = self.fail_on.or(config.fail_on).unwrap_or(Severity::Error);
            let least = self.min_severity.unwrap_or(Severity::Warning.min(fails_from));
            let is_selected = self.select.matches(rule, severity, Some(engine));
            let is_ignored = self.ignore.matches(rule, severity, Some(engine));
            !is_ignored && (is_selected || (self.select.is_empty() && severity >= least))
        };
        configs.all().any(|config| {
            let mut ids = self.engines.ids();
            ids.any(|id| config.levels(rule, id).any(|level| looks(config, id, level)))
        })
    }

    pub(super) fn fails(&self, session: &Session, finding: &Finding<'_>) -> bool {
        finding.diagnostic.severity >= self.fails_from(session, finding)
    }

    /// The flag, else the configuration of the file, else `error`.
    fn fails_from(&self, session: &Session, finding: &Finding<'_>) -> Severity {
        let configured = || {
            let path = session.analysis.path(finding.diagnostic.place.file);
            session.configs.of(path).fail_on
        };
        self.fail_on.or_else(configured).unwrap_or(Severity::Error)
    }
}
