//! Fixes that would close a cycle: whether more units wait for each other with them than without.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::code_actions::Edits;
use crate::workspace::{Analysis, ProjectIx};
use applyorder_core::diagnostic::{Fix, FixStep, Safety};
use applyorder_core::engine::Resolution;
use applyorder_core::memo::Budget;
use applyorder_core::rules::{cycle, self_dependency};

/// Whether a fix may add a wait of a unit for another.
#[must_use]
pub fn may_close(fix: &Fix) -> bool {
    let takes_away = |step: &FixStep| {
        matches!(
            step,
            FixStep::RemoveEntry(_) | FixStep::RemoveKey(_) | FixStep::RemoveBlock(_)
        )
    };
    fix.safety == Safety::Unsafe && !fix.steps.iter().all(takes_away)
}

/// How many units wait for each other, according to the findings.
pub(super) fn waiting(resolution: &Resolution) -> usize {
    let rules = [&cycle::RULE, &self_dependency::RULE];
    let found = rules.map(|rule| resolution.diagnostics.of_rule(rule));
    found.into_iter().flatten().map(|d| d.units.len()).sum()
}

/// Whether more units wait for each other after some edits. For a large project this is not computed, and not
/// reported.
pub(super) fn closes_cycle(analysis: &Analysis, edits: &Edits) -> bool {
    projects_of(analysis, edits).into_iter().any(|ix| {
        let project = analysis.project(ix);
        let after = project.and_then(|project| analysis.what_if(project, edits));
        project
            .zip(after)
            .is_some_and(|(project, after)| waiting(&after.resolution) > waiting(&project.resolution))
    })
}

/// The projects that read an edited file.
fn projects_of(analysis: &Analysis, edits: &Edits) -> BTreeSet<ProjectIx> {
    let files = edits.iter().map(|(file, _)| *file);
    files
        .flat_map(|file| analysis.projects_of(file))
        .map(|(project, _)| project)
        .collect()
}

/// Whether a fix can be applied together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It can be applied.
    Open,
    /// It would close a cycle, together with those before it.
    Closes,
    /// Not checked: too many of them close cycles.
    Unknown,
}

/// The number of times each unit may be resolved if some fixes close cycles: each of those is found by
/// bisection.
const PASSES: u64 = 40;

/// The minimum number of steps, for small projects.
const LEAST: u64 = 100_000;

/// Which of some fixes, which do not overlap, can be applied together: all that cannot close a cycle
/// (`may_close` false), then each of the others that closes none with those accepted before it.
#[must_use]
pub fn outcomes(analysis: &Analysis, fixes: &[(&Edits, bool)]) -> Vec<Outcome> {
    let mut out = vec![Outcome::Open; fixes.len()];
    let numbered = || fixes.iter().enumerate();
    let others: Vec<usize> = numbered()
        .filter_map(|(at, (_, may_close))| may_close.then_some(at))
        .collect();
    if others.is_empty() {
        return out;
    }
    let mut search = Search::new(analysis, fixes);
    for (at, (_, may_close)) in numbered() {
        if !may_close {
            search.take(at);
        }
    }
    let mut open = vec![&*others];
    while let Some(some) = open.pop() {
        match search.closes(some) {
            Some(false) => some.iter().for_each(|at| search.take(*at)),
            Some(true) if some.len() > 1 => {
                let (first, second) = some.split_at(some.len() / 2);
                open.extend([second, first]);
            }
            closes => {
                let outcome = closes.map_or(Outcome::Unknown, |_| Outcome::Closes);
                for at in some {
                    if let Some(slot) = out.get_mut(*at) {
                        *slot = outcome;
                    }
                }
            }
        }
    }
    out
}

struct Search<'a> {
    analysis: &'a Analysis,
    fixes: &'a [(&'a Edits, bool)],
    projects: Vec<BTreeSet<ProjectIx>>,
    /// The accepted fixes, by the projects that read what they edit.
    taken: FxHashMap<ProjectIx, Vec<usize>>,
    /// How many units of a project wait for each other with the fixes that cannot close a cycle.
    before: FxHashMap<ProjectIx, usize>,
    budget: Budget,
}

impl<'a> Search<'a> {
    fn new(analysis: &'a Analysis, fixes: &'a [(&'a Edits, bool)]) -> Self {
        let all: u64 = analysis.projects().map(|(ix, _)| size(analysis, ix)).sum();
        let projects = fixes.iter().map(|(edits, _)| projects_of(analysis, edits));
        Self {
            analysis,
            fixes,
            projects: projects.collect(),
            taken: FxHashMap::default(),
            before: FxHashMap::default(),
            budget: Budget::new(all.saturating_mul(PASSES).max(LEAST)),
        }
    }

    fn take(&mut self, fix: usize) {
        for project in self.projects.get(fix).into_iter().flatten() {
            self.taken.entry(*project).or_default().push(fix);
        }
    }

    /// Whether some fixes, with all accepted ones, close a cycle; `None` if the budget is exhausted.
    fn closes(&mut self, some: &[usize]) -> Option<bool> {
        let mut of_projects: FxHashMap<ProjectIx, Vec<usize>> = FxHashMap::default();
        for at in some {
            for project in self.projects.get(*at).into_iter().flatten() {
                of_projects.entry(*project).or_default().push(*at);
            }
        }
        let mut of_projects: Vec<_> = of_projects.into_iter().collect();
        of_projects.sort_unstable();
        for (project, some) in of_projects {
            if !self.budget.spend(size(self.analysis, project)) {
                return None;
            }
            let before = match self.before.get(&project) {
                Some(before) => *before,
                None => {
                    let before = self.waiting_with(project, &[])?;
                    self.before.insert(project, before);
                    before
                }
            };
            if self.waiting_with(project, &some)? > before {
                return Some(true);
            }
        }
        Some(false)
    }

    fn waiting_with(&self, project: ProjectIx, some: &[usize]) -> Option<usize> {
        let mut edits: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for at in self.taken.get(&project).into_iter().flatten().chain(some) {
            for (file, new) in self
                .fixes
                .get(*at)
                .into_iter()
                .flat_map(|(edits, _)| edits.iter())
            {
                edits.entry(*file).or_default().extend(new.iter().cloned());
            }
        }
        let mut edits: Edits = edits.into_iter().collect();
        edits.sort_unstable_by_key(|(file, _)| *file);
        for (_, edits) in &mut edits {
            edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        }
        let after = self
            .analysis
            .resolved_with(self.analysis.project(project)?, &edits)?;
        Some(waiting(&after.resolution))
    }
}

/// The cost of a project, in steps.
pub(super) fn size(analysis: &Analysis, project: ProjectIx) -> u64 {
    let variants = analysis
        .project(project)
        .map(|project| &project.resolution.variants);
    let sizes = variants
        .into_iter()
        .flat_map(|variants| variants.iter())
        .map(|variant| variant.units.len() + variant.dependencies.len());
    (sizes.sum::<usize>() as u64).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    /// The outcome for the first fix of each unknown dependency of some manifests (name and dependencies).
    fn outcomes_of(manifests: &[(&str, &str)]) -> Vec<Outcome> {
        let entries = manifests.iter().map(|(name, on)| {
            format!("    - {{name: {name}, type: kustomize, path: ./x, dependsOn: [{on}]}}\n")
        });
        let entries: String = entries.collect();
        let tree = format!("//- /w/tazuna.yaml\nspec:\n  manifests:\n{entries}$0");
        let fixture = Fixture::new(applyorder_engines::all(), &tree);
        let analysis = &fixture.analysis;
        let found = analysis.findings_of(fixture.file);
        let unknown = found
            .iter()
            .filter(|f| f.diagnostic.rule.id == "unknown-dependency");
        let fixes: Vec<(Edits, bool)> = unknown
            .map(|f| {
                let fix = &f.diagnostic.fixes[0];
                (analysis.edits(fix), may_close(fix))
            })
            .collect();
        let fixes: Vec<_> = fixes.iter().map(|(edits, closes)| (edits, *closes)).collect();
        outcomes(analysis, &fixes)
    }

    #[test]
    fn what_closes_a_cycle_is_found_among_what_closes_none() {
        use Outcome::{Closes, Open};
        let harmless = [("database", ""), ("cache", "databasa"), ("queue", "databsae")];
        assert_eq!(outcomes_of(&harmless), [Open, Open]);
        let one = [
            ("database", "storefront"),
            ("cache", "databasa"),
            ("storefront", "databsae"),
            ("queue", "databsae"),
            ("metrics", "queeu"),
        ];
        assert_eq!(outcomes_of(&one), [Open, Closes, Open, Open]);
    }

    #[test]
    fn of_fixes_that_close_a_cycle_together_the_first_are_taken() {
        use Outcome::{Closes, Open};
        let ring = [
            ("database", "storefornt"),
            ("storefront", "quee"),
            ("queue", "databsae"),
        ];
        assert_eq!(outcomes_of(&ring), [Open, Open, Closes]);
    }

    #[test]
    fn many_that_close_cycles_are_not_all_looked_at() {
        // Each of them closes its own cycle.
        let pairs: Vec<[String; 2]> = (0..200)
            .map(|i| [format!("component-number-{i:05}"), format!("other-part-{i:05}")])
            .collect();
        let wrong: Vec<String> = pairs.iter().map(|[one, _]| format!("{one}x")).collect();
        let manifests: Vec<(&str, &str)> = pairs
            .iter()
            .zip(&wrong)
            .flat_map(|([one, other], wrong)| [(&**one, &**other), (&**other, &**wrong)])
            .collect();
        let found = outcomes_of(&manifests);
        let count = |outcome| found.iter().filter(|o| **o == outcome).count();
        assert_eq!((found.len(), count(Outcome::Open)), (200, 0));
        assert!(
            count(Outcome::Closes) > 0 && count(Outcome::Unknown) > 0,
            "{found:?}"
        );
    }
}
