//! `ankaios/impossible`: requirements that cannot hold in one rollout.

use applyorder_core::diagnostic::{Diagnostic, FileId, Place, Rule, Severity, Status};
use applyorder_core::engine::UnitIx;
use applyorder_core::graph::{Direction, NodeId};
use applyorder_core::layer::{Budget, Finding};
use applyorder_core::rules::limit_reached;

use super::InProject;
use crate::read::{Condition, Restart};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/impossible",
    severity: Severity::Warning,
    summary: "Requirements that no rollout can meet",
    docs: include_str!("../../../../../docs/rules/ankaios/impossible.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The steps that each half of the search may take in one project.
const BUDGET: u64 = 5_000_000;

/// A workload that can end in several ways, with the dependencies on it.
struct Contested {
    target: UnitIx,
    /// The dependencies on it, with their conditions.
    needs: Vec<(u32, Condition)>,
}

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    if !project.concludes() || !project.related.components.cyclic().is_empty() {
        return;
    }
    let is_done = match contradicted(project) {
        Some(targets) => describe(project, &targets, found),
        None => false,
    };
    if !is_done {
        let first = project.model.sources.first();
        let place = first.map_or(Place::file(FileId(0)), |s| Place::file(s.file));
        let text = "not all requirements were compared: too many workloads need others in several conditions";
        let d = Diagnostic::new(&limit_reached::RULE, place, text).severity(Severity::Warning);
        found.push(Finding::new(d));
    }
}

/// Reports contradictions; `false` if that takes too long.
fn describe(project: &InProject<'_>, targets: &[UnitIx], found: &mut Vec<Finding>) -> bool {
    let mut budget = Budget::new(BUDGET);
    let mut marks = Marks::new(project.model.units.len());
    for target in targets {
        let contested = Contested {
            target: *target,
            needs: needs(project, *target).collect(),
        };
        if !marks.fill(project, &contested, &mut budget) {
            return false;
        }
        let mut units: Vec<UnitIx> = marks.touched.iter().map(|u| UnitIx(*u)).collect();
        units.sort_unstable();
        for unit in units {
            if let Some((one, other)) = marks.contradiction(project, contested.target, unit) {
                found.extend(finding(project, contested.target, unit, one, other));
            }
        }
        marks.clear();
    }
    true
}

/// The dependencies on a workload, with their conditions.
fn needs(project: &InProject<'_>, target: UnitIx) -> impl Iterator<Item = (u32, Condition)> {
    let related = project.related;
    let links = related.graph.links(NodeId(target.0), Direction::Dependents);
    links.filter_map(|link| {
        let number = related.graph.edge(link.edge)?.kind.dependency()?;
        Some((number, related.condition(number)?))
    })
}

/// The workloads that are needed in more than one condition, and that are not restarted in any case.
fn contested(project: &InProject<'_>) -> Vec<UnitIx> {
    let related = project.related;
    let mut kinds = vec![0u8; project.model.units.len()];
    for wait in &related.waits {
        if let (Some(target), Some(condition)) = (wait.target, wait.condition)
            && let Some(kinds) = kinds.get_mut(target.0 as usize)
        {
            *kinds |= 1 << index(condition);
        }
    }
    let all = (0u32..).map(UnitIx).zip(kinds);
    let several = all
        .filter(|(_, kinds)| kinds.count_ones() > 1)
        .map(|(unit, _)| unit);
    several
        .filter(|unit| restart(project, *unit) != Restart::Always)
        .collect()
}

/// The number of contested workloads that are processed together, a bit each.
const TOGETHER: usize = 256;
/// The bits of that many workloads.
type Bits = [u64; TOGETHER / 64];

/// By workload: which of the processed ones had to have ended in which way before its dependents can start.
#[derive(Clone, Copy, Default)]
struct Ended {
    succeeded: Bits,
    failed: Bits,
}

/// The dependencies, in an order in which each workload comes after what it waits for: every number is a
/// position in it.
struct InOrder {
    /// By node of the graph: its position.
    places: Vec<u32>,
    /// By position: where its targets start; one more than positions.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl InOrder {
    fn new(project: &InProject<'_>) -> Self {
        let (graph, components) = (&project.related.graph, &project.related.components);
        let numbers = (0..components.len()).filter_map(|c| u32::try_from(c).ok());
        let nodes = || {
            numbers
                .clone()
                .flat_map(|c| components.members(c).iter().copied())
        };
        let mut places = vec![0u32; graph.node_count()];
        for (place, node) in (0u32..).zip(nodes()) {
            if let Some(slot) = places.get_mut(node.index()) {
                *slot = place;
            }
        }
        let mut starts = Vec::with_capacity(places.len() + 1);
        let mut targets = Vec::with_capacity(graph.edges().len());
        for node in nodes() {
            starts.push(u32::try_from(targets.len()).unwrap_or(u32::MAX));
            let awaited = graph.distinct(node, Direction::Dependencies);
            targets.extend(awaited.filter_map(|link| places.get(link.node.index()).copied()));
        }
        starts.push(u32::try_from(targets.len()).unwrap_or(u32::MAX));
        Self {
            places,
            starts,
            targets,
        }
    }

    fn place(&self, unit: UnitIx) -> Option<u32> {
        self.places.get(unit.0 as usize).copied()
    }

    /// The positions of the dependencies of the workload at a position.
    fn targets(&self, place: u32) -> &[u32] {
        let at = place as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(from), Some(to)) => self.targets.get(*from as usize..*to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Where two dependencies on a contested workload can meet: from the first position that needs it to have
    /// ended to the last that needs it; up to the end, if having ended in two ways is a contradiction. `None`:
    /// they cannot.
    fn range(&self, project: &InProject<'_>, target: UnitIx) -> Option<(u32, u32)> {
        let (mut from, mut to) = (u32::MAX, 0);
        let mut ends = [false; 2];
        for (number, condition) in needs(project, target) {
            let written = project.related.wait(number)?;
            let place = self.place(written.unit)?;
            to = to.max(place);
            match condition {
                Condition::Running => continue,
                Condition::Succeeded => ends[0] = true,
                Condition::Failed => ends[1] = true,
            }
            from = from.min(place);
        }
        if ends == [true; 2] && restart(project, target) == Restart::Never {
            to = u32::MAX;
        }
        (from < to).then_some((from, to))
    }
}

/// A contested workload, and where two dependencies on it can meet.
struct Looked {
    target: UnitIx,
    from: u32,
    to: u32,
}

impl Ended {
    /// Adds what had ended before another one.
    fn add(&mut self, before: &Self) {
        for (own, before) in [
            (&mut self.succeeded, &before.succeeded),
            (&mut self.failed, &before.failed),
        ] {
            own.iter_mut()
                .zip(before)
                .for_each(|(own, before)| *own |= before);
        }
    }
}

fn has(bits: &Bits, bit: usize) -> bool {
    bits.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
}

fn set(bits: &mut Bits, bit: usize) {
    if let Some(word) = bits.get_mut(bit / 64) {
        *word |= 1 << (bit % 64);
    }
}

/// The contested workloads with two contradicting dependencies; `None` if it takes too long.
fn contradicted(project: &InProject<'_>) -> Option<Vec<UnitIx>> {
    let contested = contested(project);
    if contested.is_empty() {
        return Some(contested);
    }
    let graph = &project.related.graph;
    let order = InOrder::new(project);
    // Those whose positions are close to each other are processed together.
    let looked = contested.into_iter().filter_map(|target| {
        let (from, to) = order.range(project, target)?;
        Some(Looked { target, from, to })
    });
    let mut looked: Vec<Looked> = looked.collect();
    looked.sort_unstable_by_key(|one| (one.to == u32::MAX, one.from, one.target));
    let steps = (graph.node_count() + graph.edges().len()) as u64;
    let mut budget = Budget::new(BUDGET);
    let mut found = Vec::new();
    let mut ended = vec![Ended::default(); graph.node_count()];
    // What needs one of the processed ones, by position: its bit, in which condition.
    let mut needed: Vec<(u32, usize, Condition)> = Vec::new();
    for together in looked.chunks(TOGETHER) {
        if !budget.spend(steps) {
            return None;
        }
        let mut never = Bits::default();
        needed.clear();
        let last = u32::try_from(graph.node_count()).unwrap_or(u32::MAX);
        let (mut from, mut to) = (last, 0);
        for (bit, one) in together.iter().enumerate() {
            (from, to) = (from.min(one.from), to.max(one.to));
            if restart(project, one.target) == Restart::Never {
                set(&mut never, bit);
            }
            needed.extend(needs(project, one.target).filter_map(|(number, condition)| {
                let written = project.related.wait(number)?;
                let place = order.place(written.unit)?;
                (place >= one.from).then_some((place, bit, condition))
            }));
        }
        needed.sort_unstable_by_key(|(place, bit, _)| (*place, *bit));
        let mut next = needed.iter().peekable();
        let mut contradicted = Bits::default();
        for place in (from..last).take_while(|place| *place <= to) {
            let mut own = Ended::default();
            for target in order.targets(place) {
                // Before the first nothing had to have ended.
                let Some(before) = ended.get(*target as usize).filter(|_| *target >= from) else {
                    continue;
                };
                own.add(before);
            }
            let both = own.succeeded.iter().zip(&own.failed).zip(&never);
            for (word, ((succeeded, failed), never)) in contradicted.iter_mut().zip(both) {
                *word |= succeeded & failed & never;
            }
            let before = own;
            while let Some((_, bit, condition)) = next.next_if(|(at, ..)| *at == place) {
                let (is_after_success, is_after_failure) =
                    (has(&before.succeeded, *bit), has(&before.failed, *bit));
                let is_contradicted = match condition {
                    Condition::Running => is_after_success || is_after_failure && has(&never, *bit),
                    Condition::Succeeded => is_after_failure && has(&never, *bit),
                    Condition::Failed => is_after_success,
                };
                if is_contradicted {
                    set(&mut contradicted, *bit);
                }
                match condition {
                    Condition::Running => {}
                    Condition::Succeeded => set(&mut own.succeeded, *bit),
                    Condition::Failed => set(&mut own.failed, *bit),
                }
            }
            if let Some(slot) = ended.get_mut(place as usize) {
                *slot = own;
            }
        }
        let numbered = together.iter().enumerate();
        found.extend(
            numbered
                .filter(|(bit, _)| has(&contradicted, *bit))
                .map(|(_, one)| one.target),
        );
    }
    found.sort_unstable();
    Some(found)
}

/// By workload: in which conditions it needs the contested one itself, and which had to hold before it could
/// start; each with the dependency that says so.
struct Marks {
    now: Vec<[Option<u32>; 3]>,
    past: Vec<[Option<u32>; 3]>,
    touched: Vec<u32>,
}

fn index(condition: Condition) -> usize {
    match condition {
        Condition::Running => 0,
        Condition::Succeeded => 1,
        Condition::Failed => 2,
    }
}

impl Marks {
    fn new(units: usize) -> Self {
        Self {
            now: vec![[None; 3]; units],
            past: vec![[None; 3]; units],
            touched: Vec::new(),
        }
    }

    fn clear(&mut self) {
        for unit in self.touched.drain(..) {
            for marks in [&mut self.now, &mut self.past] {
                if let Some(mark) = marks.get_mut(unit as usize) {
                    *mark = [None; 3];
                }
            }
        }
    }

    /// Marks what needs a workload, and what comes after those; `false` if that takes too long.
    fn fill(&mut self, project: &InProject<'_>, contested: &Contested, budget: &mut Budget) -> bool {
        let related = project.related;
        let mut open: Vec<(u32, usize, u32)> = Vec::new();
        for (number, condition) in &contested.needs {
            let Some(written) = related.wait(*number) else {
                continue;
            };
            let at = index(*condition);
            if let Some(slot @ None) = self
                .now
                .get_mut(written.unit.0 as usize)
                .and_then(|m| m.get_mut(at))
            {
                *slot = Some(*number);
                self.touched.push(written.unit.0);
                open.push((written.unit.0, at, *number));
            }
        }
        while let Some((unit, at, number)) = open.pop() {
            for link in related.graph.links(NodeId(unit), Direction::Dependents) {
                if !budget.spend(1) {
                    return false;
                }
                if let Some(slot @ None) = self.past.get_mut(link.node.index()).and_then(|m| m.get_mut(at)) {
                    *slot = Some(number);
                    self.touched.push(link.node.0);
                    open.push((link.node.0, at, number));
                }
            }
        }
        self.touched.sort_unstable();
        self.touched.dedup();
        true
    }

    /// Two dependencies of which one rollout allows only one: what a workload needs now and what had to be
    /// before, or two things that had to be before. A contradiction that already kept one of its dependencies
    /// from starting is reported there.
    fn contradiction(&self, project: &InProject<'_>, target: UnitIx, unit: UnitIx) -> Option<(u32, u32)> {
        let restart = restart(project, target);
        let [running, succeeded, failed] = *self.now.get(unit.0 as usize)?;
        let past = *self.past.get(unit.0 as usize)?;
        let [_, succeeded_before, failed_before] = past;
        let both = |now: Option<u32>, before: Option<u32>| Some((now?, before?));
        if restart != Restart::Always {
            let found = both(running, succeeded_before).or_else(|| both(failed, succeeded_before));
            if found.is_some() {
                return found;
            }
        }
        if restart != Restart::Never {
            return None;
        }
        let found = both(running, failed_before).or_else(|| both(succeeded, failed_before));
        found.or_else(|| {
            let found = both(succeeded_before, failed_before)?;
            let is_told = project.related.waits_of(unit).any(|(_, wait)| {
                let ended = wait.target.and_then(|t| self.past.get(t.0 as usize));
                ended.is_some_and(|[_, s, f]| s.is_some() && f.is_some())
            });
            (!is_told).then_some(found)
        })
    }
}

fn restart(project: &InProject<'_>, unit: UnitIx) -> Restart {
    project
        .model
        .stated(unit)
        .map_or(Restart::Never, |stated| stated.public.restart)
}

fn finding(project: &InProject<'_>, target: UnitIx, unit: UnitIx, one: u32, other: u32) -> Option<Finding> {
    let related = project.related;
    let written = |number: u32| related.wait(number);
    let (first, second) = (written(one)?, written(other)?);
    let word = |number: u32| related.condition(number).map_or("", Condition::word);
    let name = project.name(target);
    let own = project.name(unit);
    let text = format!(
        "`{own}` cannot start in one rollout: it needs `{name}` {} and {}",
        word(one),
        word(other)
    );
    // Its own dependency, if it needs the workload itself.
    let at = if first.unit == unit {
        first.place
    } else {
        related
            .waits_of(unit)
            .next()
            .map_or(first.place, |(_, wait)| wait.place)
    };
    let mut d = Diagnostic::new(&RULE, at, text).unit(own.into());
    for (number, written) in [(one, first), (other, second)] {
        d = d.related(written.place, format!("`{name}` {} is needed here", word(number)));
    }
    let (_, workload) = project.model.workload(target)?;
    let place = workload.restart_place.unwrap_or(workload.name.place);
    let text = format!("restart policy of `{name}`: `{}`", workload.restart.spelling());
    Some(Finding::new(d.related(project.place_of(target, place), text)))
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

    #[test]
    fn two_ends_of_one_workload_are_reported_once() {
        let with = |restart: &str| {
            let w = |name: &str, rest: &str| {
                format!("  {name}: {{agent: c, runtime: podman, runtimeConfig: 'image: x'{rest}}}\n")
            };
            format!(
                "apiVersion: v1\nworkloads:\n{}{}{}{}{}",
                w("w", &format!(", restartPolicy: {restart}")),
                w("good", ", dependencies: {w: ADD_COND_SUCCEEDED}"),
                w("bad", ", dependencies: {w: ADD_COND_FAILED}"),
                w(
                    "both",
                    ", dependencies: {good: ADD_COND_RUNNING, bad: ADD_COND_RUNNING}"
                ),
                w(
                    "after",
                    ", dependencies: {both: ADD_COND_RUNNING, good: ADD_COND_RUNNING}"
                ),
            )
        };
        speaks(&RULE, &with("NEVER"), &["good"]);
        speaks(&RULE, &with("ON_FAILURE"), &[]);
    }
}
