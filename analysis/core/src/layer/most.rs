//! The maximum number of findings of one kind that are listed.

use rustc_hash::FxHashMap;

use super::finding::Finding;
use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::rules::limit_reached;

/// The maximum number of findings of one rule that are listed in a file, and of errors in a verdict. Further
/// ones still affect verdicts, and their number is reported (`limit-reached`): a longer list is not useful, and
/// a small file can cause millions.
pub const MOST: usize = 10_000;

/// The findings of a file that are listed. Whether some command reports a finding first is checked only if
/// there are too many.
pub(super) struct Room(FxHashMap<&'static str, OfRule>);

/// The state of a rule with too many findings.
#[derive(Default)]
struct OfRule {
    /// How many more may be listed: of those that commands report first, and of the others.
    first: usize,
    others: usize,
    /// The first one that is not listed, the worst severity of those, and their number.
    left_out: Option<(Place, Severity, usize)>,
}

impl Room {
    /// For the findings of a file, each with whether some command reports it first.
    pub(super) fn for_all<'a, F: Fn() -> bool>(
        findings: impl Iterator<Item = (&'a Finding, F)> + Clone,
    ) -> Self {
        let mut rules: FxHashMap<&'static str, OfRule> = FxHashMap::default();
        if findings.clone().nth(MOST).is_none() {
            return Self(rules);
        }
        for (finding, _) in findings.clone() {
            rules.entry(finding.diagnostic.rule.id).or_default().others += 1;
        }
        rules.retain(|_, counted| counted.others > MOST);
        for (finding, is_first) in findings {
            if let Some(of_rule) = rules.get_mut(finding.diagnostic.rule.id)
                && of_rule.first < MOST
                && is_first()
            {
                of_rule.first += 1;
            }
        }
        for of_rule in rules.values_mut() {
            of_rule.others = MOST - of_rule.first;
        }
        Self(rules)
    }

    /// Whether the next finding is listed.
    pub(super) fn takes(&mut self, finding: &Finding, is_first: impl Fn() -> bool) -> bool {
        let d = &finding.diagnostic;
        let Some(of_rule) = self.0.get_mut(d.rule.id) else {
            return true;
        };
        let left = match is_first() {
            true => &mut of_rule.first,
            false => &mut of_rule.others,
        };
        if let Some(less) = left.checked_sub(1) {
            *left = less;
            return true;
        }
        let (_, worst, count) = of_rule.left_out.get_or_insert((d.place, d.severity, 0));
        *worst = d.severity.max(*worst);
        *count += 1;
        false
    }

    /// The findings about those that are not listed.
    pub(super) fn said(self) -> impl Iterator<Item = Diagnostic> {
        let mut all: Vec<_> = self.0.into_iter().collect();
        all.sort_by_key(|(rule, _)| *rule);
        all.into_iter().filter_map(|(rule, of_rule)| {
            let (place, worst, count) = of_rule.left_out?;
            let text = format!(
                "{count} more findings of `{rule}` in this file are not listed: the maximum is {MOST}"
            );
            let severity = worst.min(limit_reached::RULE.severity);
            Some(Diagnostic::new(&limit_reached::RULE, place, text).severity(severity))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::FileId;
    use crate::rules::{cycle, invalid_value};

    fn listed(findings: &[(Finding, bool)]) -> (Vec<String>, Vec<Diagnostic>) {
        let mut room = Room::for_all(findings.iter().map(|(f, first)| (f, || *first)));
        let taken = findings.iter().filter(|(f, first)| room.takes(f, || *first));
        let taken = taken.map(|(f, _)| f.diagnostic.message.clone()).collect();
        (taken, room.said().collect())
    }

    #[test]
    fn what_the_engine_reports_first_is_listed_before_all_else() {
        let finding = |number: usize, rule| {
            let d = Diagnostic::new(rule, Place::file(FileId(0)), number.to_string());
            (Finding::new(d), false)
        };
        let mut many: Vec<_> = (0..MOST + 2).map(|n| finding(n, &invalid_value::RULE)).collect();
        many.last_mut().unwrap().1 = true;
        many.insert(0, finding(0, &cycle::RULE));
        let (taken, said) = listed(&many);
        assert_eq!(taken.len(), MOST + 1);
        assert_eq!(taken.last(), Some(&(MOST + 1).to_string()));
        assert_eq!(taken.get(MOST - 1), Some(&(MOST - 2).to_string()));
        let [said] = &said[..] else { panic!("{said:?}") };
        assert_eq!(
            (said.rule.id, said.severity, &*said.message),
            (
                "limit-reached",
                Severity::Warning,
                "2 more findings of `invalid-value` in this file are not listed: the maximum is 10000"
            )
        );
        many.truncate(MOST + 1);
        let (taken, said) = listed(&many);
        assert_eq!((taken.len(), said.len()), (MOST + 1, 0));
    }
}
