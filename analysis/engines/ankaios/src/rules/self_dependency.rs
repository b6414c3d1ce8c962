//! `self-dependency` in manifests: a workload that waits for itself.

use applyorder_core::layer::Finding;

use super::InProject;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    // A workload that waits for itself is on a cycle.
    if project.related.components.cyclic().is_empty() {
        return;
    }
    for (unit, own) in project.units() {
        for (number, wait) in project.related.waits_of(unit) {
            let itself = (wait.target == Some(unit)).then(|| project.related.dependency(number));
            let Some(written) = itself.flatten() else {
                continue;
            };
            let d = applyorder_core::rules::self_dependency::diagnostic("workload", own, &written);
            let d = project.in_mapping(d, &written);
            found.push(super::cycle::verdict(project, d, &[unit]));
        }
    }
}
