//! `unknown-dependency`: an entry of `dependsOn` without a target (Tazuna G5, dependsOn).

use super::{dependency, through};
use crate::judge::{Stage, rejected};
use crate::model::{DependsOnEntry, Expansion};
use crate::read::rebased;
use crate::scope::{CheckContext, Group, MOST_MEMBERS, Source, of_item, subject};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety};
use applyorder_core::engine::{Dependency, Unit};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unknown_dependency;
use applyorder_syntax::template::quote;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let context = source.context;
    let dangling = super::written(source).filter(|e| e.target.is_none());
    for entry in dangling.filter(|e| !maybe_declared(context, e.need)) {
        let unit = &entry.unit.unit;
        let text = &entry.need.text;
        let written = dependency(entry.position, entry.unit, entry.need);
        let d = diagnostic(context, unit, &written);
        let d = through(d, &written, entry.need.via).engine_message(format!(
            "manifest {} dependsOn references unknown manifest {}",
            quote(&unit.name),
            quote(text)
        ));
        let apply = format!(
            "failed to resolve manifest dependency order: dependsOn references unknown manifest {}",
            quote(text)
        );
        let subject = subject(&unit.name, entry.position as usize);
        let told = rejected(Stage::References, d, &subject).message_of("apply", apply);
        let told = told.detail("dependency", &**text);
        found.push(told.at(of_item(entry.number, entry.k)));
    }
}

/// The entries whose target is unknown: the number of the unit, and why.
pub(crate) fn open(source: &Source<'_>) -> Vec<(u32, String)> {
    if !source.context.related.incomplete {
        return Vec::new();
    }
    let dangling = super::written(source).filter(|e| e.target.is_none());
    let open = dangling.filter(|e| maybe_declared(source.context, e.need));
    open.map(|e| {
        (
            e.number,
            format!("whether manifest `{}` exists is unknown", e.need.text),
        )
    })
    .collect()
}

/// Whether a name may be declared in text that could not be read.
fn maybe_declared(context: &CheckContext<'_>, need: &DependsOnEntry) -> bool {
    if !context.related.incomplete || need.text.is_empty() {
        return false;
    }
    if !context.related.all_seen || context.too_much_to_search() {
        return true;
    }
    // The name occurs in a broken file in addition to the known references.
    context.broken().iter().any(|(text, known)| {
        let known = known.get(&need.name).copied().unwrap_or(0);
        memchr::memmem::find_iter(text.as_bytes(), need.text.as_bytes()).count() > known
    })
}

fn diagnostic(context: &CheckContext<'_>, unit: &Unit, written: &Dependency) -> Diagnostic {
    let Some(Group { name, members }) = context.groups().get(&written.text) else {
        let near = Some(&written.text)
            .filter(|text| !text.is_empty())
            .and_then(|text| context.related.nearest(text));
        let near = near.filter(|near| *near != &*unit.name && !depends_on(context, written, near));
        return unknown_dependency::diagnostic("manifest", unit, written, near);
    };
    let mut d = Diagnostic::new(
        &unknown_dependency::RULE,
        written.place,
        format!(
            "manifest `{}` depends on `{}`, an include group, not a manifest",
            unit.name, written.text
        ),
    )
    .related(*name, "include group here; its files' manifests replace it")
    .unit(unit.name.clone())
    .unit(written.text.clone());
    for (member, place) in members.iter().take(10) {
        d = d.related(*place, format!("contains `{member}`"));
    }
    let whole = Some(members).filter(|members| members.len() <= MOST_MEMBERS);
    let head = whole.and_then(|members| members.split_first());
    if let (Some((head, rest)), Some(list)) = (head, list_of(context.expansion, written)) {
        let mut steps = vec![FixStep::SetValue(written.place, head.0.to_string())];
        steps.extend(
            rest.iter()
                .map(|(m, _)| FixStep::AppendEntry(list, m.to_string())),
        );
        d = d.fix("replace with the manifests of the group", Safety::Unsafe, steps);
    }
    d.fix(
        "remove the entry",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(written.place)],
    )
}

/// Whether the manifest of an entry already depends on a name.
fn depends_on(context: &CheckContext<'_>, written: &Dependency, name: &str) -> bool {
    let unit = context.expansion.at(written.unit.0 as usize);
    unit.is_some_and(|(unit, part)| part.piece.needs_of(unit).iter().any(|need| &*need.text == name))
}

/// The list of an entry.
fn list_of(expansion: &Expansion, written: &Dependency) -> Option<Place> {
    let (unit, part) = expansion.at(written.unit.0 as usize)?;
    let (item, base) = part.piece.item(unit)?;
    Some(rebased(item.manifest.needs_list?, base))
}
