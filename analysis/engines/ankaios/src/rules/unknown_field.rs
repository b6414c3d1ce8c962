//! `unknown-field` in manifests: keys that Ankaios does not know.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::nearest::nearest;
use applyorder_core::rules::unknown_field::RULE;

use super::InSource;
use crate::read::{FaultKind, fields};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let (key, known, severity) = match &fault.kind {
            FaultKind::UnknownTopLevel { key, holds } => {
                let severity = if *holds && source.role.applies() {
                    Severity::Error
                } else {
                    Severity::Warning
                };
                (key, &fields::TOP, severity)
            }
            FaultKind::UnknownField { key, of } => (key, *of, Severity::Warning),
            _ => continue,
        };
        let text = format!("unknown field `{key}` in {} {}", article(known.of), known.of);
        let mut d = Diagnostic::new(&RULE, place, text).severity(severity);
        let names = known.fields.iter().map(|(name, _)| *name);
        if let Some(near) = nearest(key, names).or_else(|| synonym(key)) {
            d = d.did_you_mean(near, FixStep::Replace(place, near.to_owned()));
        }
        found.push(source.finding((at, fault), d));
    }
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}

/// The field that a key of other systems, and of earlier versions of Ankaios, corresponds to.
fn synonym(key: &str) -> Option<&'static str> {
    match key {
        "dependsOn" | "depends_on" | "dependson" | "after" | "needs" => Some("dependencies"),
        "restart" | "restart_policy" => Some("restartPolicy"),
        "accessRights" => Some("controlInterfaceAccess"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::unknown_field::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |key: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: podman, runtimeConfig: x, {key}: ALWAYS}}\n"
            )
        };
        speaks(&RULE, &with("restartpolicy"), &["restartpolicy"]);
        speaks(&RULE, &with("restartPolicy"), &[]);
        speaks(&RULE, "apiVersion: v1\nworkload: {a: {}}\n", &["workload"]);
    }
}
