//! `self-dependency`: a manifest that depends on itself (Tazuna G5, dependsOn).

use super::{dependency, through};
use crate::judge::{Stage, rejected};
use crate::scope::{Source, of_item, subject};
use applyorder_core::layer::Finding;
use applyorder_core::rules::self_dependency;
use applyorder_syntax::template::quote;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for entry in super::written(source).filter(|e| e.target == Some(e.position)) {
        let unit = &entry.unit.unit;
        let written = dependency(entry.position, entry.unit, entry.need);
        let text = format!("manifest {} depends on itself", quote(&unit.name));
        let d = self_dependency::diagnostic("manifest", unit, &written);
        let apply = format!("failed to resolve manifest dependency order: {text}");
        let d = through(d, &written, entry.need.via).engine_message(text);
        let subject = subject(&unit.name, entry.position as usize);
        let told = rejected(Stage::References, d, &subject).message_of("apply", apply);
        let told = told.detail("dependency", &*written.text);
        found.push(told.at(of_item(entry.number, entry.k)));
    }
}
