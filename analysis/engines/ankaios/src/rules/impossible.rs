//! `ankaios/impossible`: requirements that cannot hold in one rollout.

use applyorder_core::diagnostic::{Diagnostic, Place, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InProject;
use crate::read::{Condition, Restart};
use applyorder_core::engine::UnitIx;
use rustc_hash::{FxHashMap, FxHashSet};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/impossible",
    severity: Severity::Warning,
    summary: "Requirements that cannot hold in one rollout",
    docs: include_str!("../../../../../docs/rules/ankaios/impossible.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Facts of the past that are looked at for one workload.
const MOST_FACTS: usize = 4096;

/// What some workload had to be in, and where that is written.
#[derive(Clone, Copy)]
struct Fact {
    target: UnitIx,
    condition: Condition,
    place: Place,
}

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    if !project.concludes() || !project.related.components.cyclic().is_empty() {
        return;
    }
    let mut past_of: Vec<Option<Vec<Fact>>> = vec![None; project.related.variant.units.len()];
    for (unit, own) in project.units() {
        let now: Vec<Fact> = facts(project, unit).collect();
        if now.len() < 2 {
            continue;
        }
        let mut past: Vec<(usize, Fact)> = Vec::new();
        for (through, fact) in now.iter().enumerate() {
            past.extend(
                before(project, fact.target, &mut past_of)
                    .into_iter()
                    .map(|f| (through, f)),
            );
        }
        if let Some((one, other)) = contradiction(project, &now, &past) {
            let name = |f: Fact| project.name(f.target).to_owned();
            let restart = restart(project, one.target);
            let text = format!(
                "`{}` cannot start in one rollout: it needs `{}` {} and {}",
                own.name,
                name(one),
                one.condition.word(),
                other.condition.word()
            );
            let at = now
                .iter()
                .find(|n| n.target == one.target && n.condition == one.condition);
            let at = at.or_else(|| now.first()).map_or(one.place, |f| f.place);
            let mut d = Diagnostic::new(&RULE, at, text).unit(own.name.clone());
            d = d.related(
                one.place,
                format!("`{}` {} is needed here", name(one), one.condition.word()),
            );
            d = d.related(
                other.place,
                format!("`{}` {} is needed here", name(other), other.condition.word()),
            );
            if let Some((_, workload)) = project.model.workload(one.target) {
                let place = workload.restart_place.unwrap_or(workload.name.place);
                let text = format!("`{}` is restarted: `{}`", name(one), restart.spelling());
                d = d.related(project.place_of(one.target, place), text);
            }
            found.push(Finding::new(d));
        }
    }
}

fn facts<'p>(project: &'p InProject<'_>, unit: UnitIx) -> impl Iterator<Item = Fact> + 'p {
    project
        .related
        .dependencies(unit)
        .filter_map(|(number, written)| {
            Some(Fact {
                target: *written.targets.first()?,
                condition: project.related.condition(number)?,
                place: written.place,
            })
        })
}

fn restart(project: &InProject<'_>, unit: UnitIx) -> Restart {
    project
        .model
        .workload(unit)
        .map_or(Restart::Never, |(_, w)| w.restart)
}

/// What had to hold before a workload could start, by itself or through what it needs.
fn before(project: &InProject<'_>, unit: UnitIx, known: &mut [Option<Vec<Fact>>]) -> Vec<Fact> {
    if let Some(Some(facts)) = known.get(unit.0 as usize) {
        return facts.clone();
    }
    let mut all: Vec<Fact> = Vec::new();
    let mut seen: FxHashSet<(u32, Condition)> = FxHashSet::default();
    let mut open = vec![unit];
    let mut visited: FxHashSet<u32> = FxHashSet::default();
    while let Some(next) = open.pop() {
        if !visited.insert(next.0) {
            continue;
        }
        for fact in facts(project, next) {
            if all.len() >= MOST_FACTS {
                return all;
            }
            if seen.insert((fact.target.0, fact.condition)) {
                all.push(fact);
            }
            open.push(fact.target);
        }
    }
    if let Some(slot) = known.get_mut(unit.0 as usize) {
        *slot = Some(all.clone());
    }
    all
}

/// Two facts of which one rollout allows only one.
fn contradiction(project: &InProject<'_>, now: &[Fact], past: &[(usize, Fact)]) -> Option<(Fact, Fact)> {
    use Condition::{Failed, Running, Succeeded};
    for one in now {
        for (_, other) in past.iter().filter(|(_, p)| p.target == one.target) {
            let restart = restart(project, one.target);
            let excluded = match (one.condition, other.condition) {
                (Running, Succeeded) | (Failed, Succeeded) => restart != Restart::Always,
                (Running, Failed) | (Succeeded, Failed) => restart == Restart::Never,
                _ => false,
            };
            if excluded {
                return Some((*one, *other));
            }
        }
    }
    let mut ended: FxHashMap<u32, Vec<(usize, Fact)>> = FxHashMap::default();
    for (through, fact) in past.iter().filter(|(_, f)| f.condition != Running) {
        ended.entry(fact.target.0).or_default().push((*through, *fact));
    }
    let mut targets: Vec<_> = ended.into_iter().collect();
    targets.sort_by_key(|(target, _)| *target);
    for (target, facts) in targets {
        if restart(project, UnitIx(target)) != Restart::Never {
            continue;
        }
        let succeeded = facts.iter().find(|(_, f)| f.condition == Succeeded);
        let failed = facts.iter().find(|(_, f)| f.condition == Failed);
        if let (Some((_, one)), Some((_, other))) = (succeeded, failed) {
            return Some((*one, *other));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |restart: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  w: {{agent: b, runtime: docker, runtimeConfig: x, restartPolicy: {restart}}}\n  n: {{agent: c, runtime: docker, runtimeConfig: x, dependencies: {{w: ADD_COND_SUCCEEDED}}}}\n  l: {{agent: c, runtime: docker, runtimeConfig: x, dependencies: {{w: ADD_COND_RUNNING, n: ADD_COND_SUCCEEDED}}}}\n"
            )
        };
        speaks(&RULE, &with("NEVER"), &["w"]);
        speaks(&RULE, &with("ON_FAILURE"), &["w"]);
        speaks(&RULE, &with("ALWAYS"), &[]);
    }
}
