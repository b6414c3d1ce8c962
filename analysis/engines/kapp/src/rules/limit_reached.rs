//! `limit-reached`: what exceeds a limit of ours.

use super::scope::Project;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::limit_reached;

/// Configs that would take too long to match against all resources.
pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let error = project.model.app.configs.error.as_ref();
    let place = error
        .filter(|error| error.is_ours())
        .and_then(|error| error.place);
    found.extend(place.map(|place| {
        let text = "limit reached: the bindings of Configs are not evaluated";
        Finding::new(Diagnostic::new(&limit_reached::RULE, place, text))
    }));
}
