//! `unsupported-version` in manifests: `apiVersion`.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unsupported_version::RULE;

use super::InSource;
use crate::judge::{APPLY, stage};
use crate::read::FaultKind;

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let to_v1 = |place| vec![FixStep::SetValue(place, "v1".to_owned())];
        let d = match &fault.kind {
            FaultKind::VersionMissing => {
                let step = FixStep::Replace(place, "apiVersion: v1\n".to_owned());
                let d = Diagnostic::new(&RULE, place, "missing field `apiVersion`");
                d.fix("insert `apiVersion: v1`", Safety::Unsafe, vec![step])
            }
            FaultKind::VersionInvalid(text) => {
                let text = format!("unknown version `{text}`: expected `v1` or `v0.1`");
                Diagnostic::new(&RULE, place, text).fix("replace with `v1`", Safety::Unsafe, to_v1(place))
            }
            FaultKind::VersionDeprecated => {
                let text = "version `v0.1` is deprecated: `ank apply` does not validate it";
                let mut d = Diagnostic::new(&RULE, place, text).severity(Severity::Warning);
                if let Some(fix) = migrate(source) {
                    d = d.fix("migrate to `v1`", Safety::Unsafe, fix);
                }
                let role = source.role;
                let mut finding = Finding::new(d).at(at);
                if role.applies() {
                    finding = finding.warned(APPLY, stage::VERSION);
                    finding.diagnostic_mut().engine_message = Some(WARNING.to_owned());
                }
                found.push(finding);
                continue;
            }
            _ => continue,
        };
        found.push(source.finding((at, fault), d));
    }
}

/// The warning of `ank apply`.
const WARNING: &str = "Deprecated API version 'v0.1'";

/// The steps to `v1`: the version, tags as mappings, and `filterMasks`.
fn migrate(source: &InSource<'_>) -> Option<Vec<FixStep>> {
    let manifest = source.manifest;
    let mut steps = vec![FixStep::SetValue(
        source.place(manifest.version_place?),
        "v1".to_owned(),
    )];
    for workload in &manifest.workloads {
        if let Some(place) = workload.tags_place {
            let tags = super::tags_lost::mapping_of(workload)?;
            steps.push(FixStep::Replace(source.place(place), tags));
        }
    }
    let masks = manifest.old_masks.iter();
    steps.extend(masks.map(|mask| FixStep::Replace(source.place(*mask), "filterMasks".to_owned())));
    Some(steps)
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::unsupported_version::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(&RULE, "apiVersion: v2\nworkloads: {}\n", &["v2"]);
        speaks(&RULE, "apiVersion: v0.1\nworkloads: {}\n", &["v0.1"]);
        speaks(
            &RULE,
            "workloads:\n  a: {agent: b, runtime: podman, runtimeConfig: x}\n",
            &[""],
        );
        speaks(&RULE, "apiVersion: v1\nworkloads: {}\n", &[]);
    }

    #[test]
    fn list_tags_migrate_with_the_version() {
        let text = "//- /m.yaml
apiVersion: v0.1
workloads:
  a:
    runtime: podman
    agent: b
    runtimeConfig: 'image: x'
    tags:
      - key: owner
        value: team
";
        let told = applyorder_analysis::fixture::told(crate::ALONE, &RULE, text);
        assert!(told.contains("unsafe fix: migrate to `v1`"), "{told}");
        assert!(
            told.contains("+apiVersion: v1") && told.contains("{owner: \"team\"}"),
            "{told}"
        );
    }
}
