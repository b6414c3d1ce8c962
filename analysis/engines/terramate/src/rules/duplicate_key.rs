//! `duplicate-key` in Terramate's files: settings, globals and blocks of a directory, keys of instances of bundles.

use crate::read::instance::InstanceFaultKind;
use crate::schema;
use crate::scope::loading::LoadFault;
use crate::scope::{Directory, Whole};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_key::RULE;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell(found, |problem| {
        let file = problem.place.file;
        let (message, earlier, words) = match problem.fault {
            LoadFault::SetTwice(path, earlier) => (
                format!("duplicate `terramate.{path}` in this directory"),
                earlier,
                dir.redeclared(path.rsplit('.').next().unwrap_or(path), file, earlier.file),
            ),
            LoadFault::GlobalTwice(name, earlier) => (
                format!("duplicate global `{name}` in this directory"),
                earlier,
                dir.redeclared(name, file, earlier.file),
            ),
            LoadFault::MergedTwice(name, earlier) => (
                format!("duplicate `{name}` in equal blocks of this directory"),
                earlier,
                dir.redeclared(name, file, earlier.file),
            ),
            LoadFault::DefinedTwice(block, name, earlier) => (
                format!("duplicate `{name}`: the same block is written in another way too"),
                earlier,
                match schema::defined_kind(block) {
                    "component" => format!("input \"{name}\" already declared"),
                    "lets" => format!("duplicate lets attribute \"{name}\""),
                    kind => format!("duplicate attribute \"{name}\" in {kind} block"),
                },
            ),
            LoadFault::VendorTwice(earlier) => (
                "duplicate `vendor` block in this directory".to_owned(),
                earlier,
                "block \"vendor\" can only appear once".to_owned(),
            ),
            _ => return None,
        };
        let d = Diagnostic::new(&RULE, problem.place, message).severity(Severity::Error);
        Some(d.related(earlier, "first defined here").engine_message(words))
    });
}

/// In instances of bundles.
pub(super) fn check_instances(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_instances(&RULE, found, |kind| match kind {
        InstanceFaultKind::DuplicateKey(key) => Some(format!("duplicate key `{key}`")),
        _ => None,
    });
}
