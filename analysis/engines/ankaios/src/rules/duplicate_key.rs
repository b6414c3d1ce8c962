//! `duplicate-key` in manifests: two equal keys.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_key::RULE;

use super::InSource;
use crate::read::FaultKind;
use applyorder_syntax::yaml::dialect::serdeyaml::RefusalKind;

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    for (at, fault) in source.faults() {
        let place = source.place(fault.place);
        let FaultKind::Yaml(RefusalKind::DuplicateKey, _) = &fault.kind else {
            continue;
        };
        let mut d = Diagnostic::new(&RULE, place, "duplicate key");
        if let Some(first) = fault.related {
            d = d.related(source.place(first), "first defined here");
        }
        let d = d.fix(
            "remove this entry",
            Safety::Unsafe,
            vec![FixStep::RemoveKey(place)],
        );
        found.push(source.finding((at, fault), d));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::duplicate_key::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            "apiVersion: v1\nworkloads: {}\nworkloads: {}\n",
            &["workloads"],
        );
        speaks(&RULE, "apiVersion: v1\nworkloads: {}\n", &[]);
    }
}
