//! `unknown-field` in Terramate's files: unknown attributes and blocks, keys of instances of bundles.

use crate::problems::{Among, Fault, Problem};
use crate::read::instance::InstanceFaultKind;
use crate::scope::{Directory, InFile, Whole};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::nearest;
use applyorder_core::rules::unknown_field::RULE;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let Fault::Unknown {
        what,
        name,
        among,
        known,
        words,
    } = &problem.fault
    else {
        return None;
    };
    let message = match among {
        Among::File if *what == "block" => format!("unknown block `{name}`"),
        Among::File => format!("unknown {what} `{name}` outside a block"),
        Among::Block(block) => format!("unknown {what} `{name}` in `{block}`"),
        Among::Here => format!("unknown {what} `{name}` here"),
    };
    let d = Diagnostic::new(&RULE, file.place(problem.at), message);
    let d = match near(name, known) {
        Some(near) => {
            let step = FixStep::Replace(d.place, near.to_owned());
            d.did_you_mean(near, step)
        }
        None => d,
    };
    Some(if problem.fatal {
        d.severity(Severity::Error).engine_message(words.clone())
    } else {
        d.severity(Severity::Warning)
    })
}

/// The name that was probably meant.
fn near<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    match name {
        // The name in other tools.
        "depends_on" | "dependsOn" if known.contains(&"after") => Some("after"),
        _ => nearest(name, known.iter().copied()),
    }
}

/// In instances of bundles.
pub(super) fn check_instances(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_instances(&RULE, found, |kind| match kind {
        InstanceFaultKind::UnknownKey(name, of) => Some(format!("unknown field `{name}` in `{of}`")),
        _ => None,
    });
}
