//! What Tazuna rejects of the expanded list: values under `apply`, names, references, cycles.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::Run;
use super::build::{Built, NOBODY, unit_at};
use super::expand::{Expansion, is_sound, subject};
use crate::config::TazunaGeneration;
use crate::diagnostic::{Diagnostic, FixStep, Place, Related, Safety};
use crate::engines::tazuna::facts::{Manifest, Text, placed, rebased};
use crate::engines::tazuna::names::{self, Problem, Words};
use crate::engines::tazuna::verdict::{Found, Rejected, Stage, Unknown};
use crate::engines::{Dependency, Unit, UnitIx};
use crate::rules::{
    cycle, duplicate_name, invalid_name, missing_field, nearest, self_dependency, unknown_dependency,
};
use crate::syntax::template::quote;

/// Adds the findings of every stage behind the expansion, in the order of the stages.
pub(super) fn check(
    run: &Run<'_, '_>,
    expansion: &Expansion,
    built: &Built,
    found: &mut Vec<Found>,
    unknown: &mut Vec<Unknown>,
) {
    expanded_values(run, expansion, found);
    all_names(run, expansion, built, found);
    references(run, expansion, built, found, unknown);
    cycles(built, found);
}

/// `apply` validates the values of included manifests too, once the list is expanded.
fn expanded_values(run: &Run<'_, '_>, expansion: &Expansion, found: &mut Vec<Found>) {
    let included = |p: &&super::expand::Part| p.via.is_some();
    let quiet = |p: &super::expand::Part| p.units.noisy.is_empty() && p.units.secrets.is_empty();
    if expansion.parts.iter().filter(included).all(quiet) {
        return;
    }
    let mut seen = rustc_hash::FxHashSet::default();
    for position in 0..expansion.list.len() {
        let Some((unit, part)) = unit_at(expansion, position) else {
            continue;
        };
        let Some(part) = expansion.parts.get(part) else {
            continue;
        };
        let Some(via) = part.via.filter(|_| !quiet(part)) else {
            continue;
        };
        let Some(item) = part.view.item(unit.item as usize) else {
            continue;
        };
        if unit.broken || !is_sound(&item.manifest) || !seen.insert((part.file, unit.item)) {
            continue;
        }
        let base = part.view.base(unit.item as usize);
        let subject = subject(item.manifest.name(), position);
        let wrap = |text: &str| {
            format!(
                "validation failed after include expansion: validation failed for manifest[{position}]: {text}"
            )
        };
        let strict = run.generation == TazunaGeneration::G5;
        let rejected = Rejected {
            check: None,
            apply: strict.then_some(Stage::Expanded),
        };
        let mut add = |mut f: Found| {
            f.rejected = rejected;
            let d = f.diagnostic.related(via, "the file is included here");
            f.diagnostic = if strict {
                d.note("`check` does not look at the values of included manifests; `apply` does")
            } else {
                d.severity(crate::diagnostic::Severity::Warning)
                    .note("Tazuna says nothing before the manifest's turn has come")
            };
            f.diagnostic.units.push(unit.unit.name.clone());
            found.push(f);
        };
        for draft in &item.manifest.invalid {
            let mut d = placed(&draft.diagnostic, base);
            d.engine_message = d.engine_message.as_deref().map(wrap);
            let mut f = Found::rejected(rejected, d, &*subject);
            for (key, value) in &draft.details {
                f = f.detail(key, value.clone());
            }
            add(f);
        }
        if let Some(f) = super::secrets::check(run, &item.manifest, base, &subject, &wrap) {
            add(f);
        }
    }
}

fn unit(built: &Built, ix: u32) -> Option<&Unit> {
    built.variant.units.get(ix as usize)
}

/// Whether nothing may rest on a unit of the expanded list.
fn is_broken(expansion: &Expansion, position: usize) -> bool {
    unit_at(expansion, position).is_none_or(|(u, _)| u.broken)
}

fn all_names(run: &Run<'_, '_>, expansion: &Expansion, built: &Built, found: &mut Vec<Found>) {
    let mut count_of: Vec<u32> = vec![0; built.owner.len()];
    let mut repeated = false;
    let mut bad: Vec<(usize, Problem)> = Vec::new();
    for position in 0..expansion.list.len() {
        let Some((unit, _)) = unit_at(expansion, position) else {
            continue;
        };
        if unit.broken {
            continue;
        }
        match unit.problem {
            Some(problem) => bad.push((position, problem)),
            None => {
                if let Some(count) = count_of.get_mut(unit.name as usize) {
                    *count += 1;
                    repeated |= *count > 1;
                }
            }
        }
    }
    let taken = |name: &str| {
        let same = |u: &Unit| *u.name == *name;
        built.variant.units.iter().any(same)
    };
    let mut given: Vec<String> = Vec::new();
    for (position, problem) in bad {
        let f = bad_name(run, expansion, built, position, problem, &taken, &mut given);
        found.extend(f);
    }
    if repeated {
        duplicates(run, expansion, built, &count_of, found);
    }
}

/// Who rejects a problem with a name.
fn of_names(run: &Run<'_, '_>, built: &Built, f: Found) -> Found {
    let strict = built.dag && run.generation == TazunaGeneration::G5;
    let prefix = "manifest name validation failed (run 'tazuna check' to see details, or 'tazuna check --fix' to \
                  auto-fix)";
    let own = f.diagnostic.engine_message.clone().unwrap_or_default();
    let mut f = Found {
        rejected: Rejected {
            check: Some(Stage::Names),
            apply: strict.then_some(Stage::Names),
        },
        apply_message: Some(format!("{prefix}: {own}")),
        apply_warns: !strict,
        ..f
    };
    if !strict {
        let text = if built.dag {
            "`apply` only warns"
        } else {
            "`apply` only warns, as long as no manifest has `dependsOn` and `--sync` is not given"
        };
        f.diagnostic.notes.push(text.to_owned());
    }
    f
}

fn related_include(expansion: &Expansion, part: usize, d: Diagnostic) -> Diagnostic {
    match expansion.parts.get(part).and_then(|p| p.via) {
        Some(via) => d.related(via, "the file is included here"),
        None => d,
    }
}

fn bad_name(
    run: &Run<'_, '_>,
    expansion: &Expansion,
    built: &Built,
    position: usize,
    problem: Problem,
    taken: &dyn Fn(&str) -> bool,
    given: &mut Vec<String>,
) -> Option<Found> {
    let (file_unit, part) = unit_at(expansion, position)?;
    let unit = built.variant.units.get(position)?;
    let view = &expansion.parts.get(part)?.view;
    let manifest = &view.item(file_unit.item as usize)?.manifest;
    let name = &*unit.name;
    let message = format!("manifest[{position}]: {}", Words(problem, name, run.generation));
    let used = |n: &str, given: &[String]| taken(n) || given.iter().any(|g| g == n);
    let (d, details) = if problem == Problem::Missing {
        let kind = Manifest::text(manifest.kind.as_ref());
        let path = Manifest::text(manifest.path.as_ref());
        let better = names::given(kind, path, |n| used(n, given));
        let mut d = Diagnostic::new(&missing_field::RULE, unit.header, "this manifest has no `name`");
        if !better.is_empty() {
            let step = match unit
                .name_place
                .or(written_name(manifest, view.base(file_unit.item as usize)))
            {
                Some(place) => FixStep::SetValue(place, better.clone()),
                None => FixStep::InsertKeyBefore(unit.header, "name".to_owned(), better.clone()),
            };
            d = d.fix(
                format!("name it `{better}`, as `tazuna check --fix` does"),
                Safety::Unsafe,
                vec![step],
            );
            given.push(better);
        }
        (d, ("field", "name"))
    } else {
        let written = manifest.name.as_ref();
        let written = written.map(|n| n.rebased(view.base(file_unit.item as usize)));
        let place = written.as_ref().map_or(unit.header, Text::shown);
        let text = match problem {
            Problem::Reserved => format!("`{name}` is reserved"),
            Problem::TooLong => format!("this name has {} bytes, and 240 are allowed", name.len()),
            _ if run.generation == TazunaGeneration::G5 => format!(
                "`{}` is no name for a manifest: lower-case letters, digits and `-` inside",
                name.escape_debug()
            ),
            _ => format!(
                "`{}` is no name for a manifest: letters, digits, `-` and `_`",
                name.escape_debug()
            ),
        };
        let mut d = Diagnostic::new(&invalid_name::RULE, place, text);
        let references = references_to(built, file_unit.name);
        d.related.extend(references.iter().take(20).map(|d| Related {
            place: d.place,
            message: "it is referred to here".to_owned(),
        }));
        if let Some(better) = names::mended(name, |n| used(n, given)) {
            let mut steps = vec![FixStep::SetValue(place, better.clone())];
            let others = references.iter().map(|d| d.place).filter(|p| *p != place);
            for other in others {
                let step = FixStep::SetValue(other, better.clone());
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
            d = d.fix(format!("rename it to `{better}`"), Safety::Unsafe, steps);
            given.push(better);
        }
        if let Some(written) = &written {
            d = written.traced(d);
        }
        (d, ("reason", problem.reason()))
    };
    let d = related_include(expansion, part, d)
        .engine_message(message)
        .unit(unit.name.clone());
    let f = Found::rejected(Rejected::default(), d, subject(name, position)).detail(details.0, details.1);
    Some(of_names(run, built, f))
}

/// Where a name stands that is null or empty.
fn written_name(manifest: &Manifest, base: u32) -> Option<Place> {
    manifest.name.as_ref().map(|n| rebased(n.place, base))
}

fn references_to(built: &Built, name: u32) -> Vec<&Dependency> {
    let owner = built.owner.get(name as usize).copied().unwrap_or(NOBODY);
    built
        .variant
        .dependencies
        .iter()
        .filter(|d| d.targets.first() == Some(&UnitIx(owner)))
        .collect()
}

fn duplicates(
    run: &Run<'_, '_>,
    expansion: &Expansion,
    built: &Built,
    count_of: &[u32],
    found: &mut Vec<Found>,
) {
    let mut first: rustc_hash::FxHashMap<u32, usize> = rustc_hash::FxHashMap::default();
    let mut groups: Vec<(Arc<str>, Vec<Found>)> = Vec::new();
    let mut group_of: rustc_hash::FxHashMap<u32, usize> = rustc_hash::FxHashMap::default();
    for (position, name) in built.names.iter().enumerate() {
        let times = count_of.get(*name as usize).copied().unwrap_or(0);
        if times < 2 || is_broken(expansion, position) {
            continue;
        }
        if unit_at(expansion, position).is_none_or(|(u, _)| u.problem.is_some()) {
            continue;
        }
        let first = match first.entry(*name) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                new.insert(position);
                continue;
            }
        };
        let (Some(later_unit), Some(first_unit)) =
            (built.variant.units.get(position), built.variant.units.get(first))
        else {
            continue;
        };
        let d = duplicate(run, expansion, built, (position, later_unit), (first, first_unit));
        let d = d.engine_message(format!(
            "manifest name {} is duplicated ({times} times)",
            quote(&later_unit.name)
        ));
        let at = *group_of.entry(*name).or_insert_with(|| {
            groups.push((later_unit.name.clone(), Vec::new()));
            groups.len() - 1
        });
        let f = Found::rejected(Rejected::default(), d, &*later_unit.name).detail("count", times);
        if let Some((_, group)) = groups.get_mut(at) {
            // Tazuna has one line for a name, however often it is there.
            let f = of_names(run, built, f);
            group.push(if group.is_empty() { f } else { f.repeats() });
        }
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    found.extend(groups.into_iter().flat_map(|(_, group)| group));
}

fn duplicate(
    run: &Run<'_, '_>,
    expansion: &Expansion,
    built: &Built,
    (position, later): (usize, &Unit),
    (before, first): (usize, &Unit),
) -> Diagnostic {
    let mut d = duplicate_name::diagnostic("manifest", later, first);
    let parts = [before, position].map(|p| unit_at(expansion, p).map(|(_, part)| part));
    let via = |part: Option<usize>| expansion.parts.get(part?).and_then(|p| p.via);
    let file = |part: Option<usize>| expansion.parts.get(part?).map(|p| p.file);
    let (first_via, later_via) = (via(parts[0]), via(parts[1]));
    if parts[0] != parts[1] && file(parts[0]) == file(parts[1]) {
        // One file included twice repeats all its manifests.
        let Some(later_via) = later_via else { return d };
        d.related.clear();
        d.message = format!(
            "manifest name `{}` is taken already: the file is included twice",
            later.name
        );
        if let Some(first_via) = first_via {
            d = d.related(first_via, "included here");
        }
        return d.related(later_via, "and included here again").fix(
            "remove the second include",
            Safety::Unsafe,
            vec![FixStep::RemoveEntry(later_via)],
        );
    }
    for (via, which) in [(first_via, "the first"), (later_via, "this one")] {
        if let Some(via) = via {
            d = d.related(via, format!("{which} comes from the file included here"));
        }
    }
    let Some(place) = later.name_place else { return d };
    let referred =
        unit_at(expansion, position).is_some_and(|(u, _)| !references_to(built, u.name).is_empty());
    if !referred {
        let taken = |n: &str| built.variant.units.iter().any(|u| *u.name == *n);
        let better = names::unique(&later.name, taken);
        if names::problem(&better, run.generation).is_none() {
            d = d.fix(
                format!("rename it to `{better}`"),
                Safety::Unsafe,
                vec![FixStep::SetValue(place, better)],
            );
        }
    }
    d
}

fn references(
    run: &Run<'_, '_>,
    expansion: &Expansion,
    built: &Built,
    found: &mut Vec<Found>,
    unknown: &mut Vec<Unknown>,
) {
    for (number, written) in (0u32..).zip(&built.variant.dependencies) {
        let own = written.targets.first() == Some(&written.unit);
        if written.unknown || (!own && !written.targets.is_empty()) {
            continue;
        }
        let Some(unit) = unit(built, written.unit.0) else {
            continue;
        };
        let subject = subject(&unit.name, written.unit.0 as usize);
        let via = built.vias.get(&number).copied();
        if own {
            let text = format!("manifest {} depends on itself", quote(&unit.name));
            let d = self_dependency::diagnostic("manifest", unit, written);
            let apply = format!("failed to resolve manifest dependency order: {text}");
            let d = through(d, written, via).engine_message(text);
            let mut f = Found::rejected(Rejected::both(Stage::References), d, subject);
            f.apply_message = Some(apply);
            found.push(f.detail("dependency", &*written.text));
            continue;
        }
        if maybe_declared(expansion, written) {
            unknown.push(Unknown {
                stage: Stage::References,
                because: format!("whether there is a manifest `{}` cannot be told", written.text),
            });
            continue;
        }
        let d = dangling(run, expansion, built, unit, written);
        let d = through(d, written, via).engine_message(format!(
            "manifest {} dependsOn references unknown manifest {}",
            quote(&unit.name),
            quote(&written.text)
        ));
        let mut f = Found::rejected(Rejected::both(Stage::References), d, subject);
        f.apply_message = Some(format!(
            "failed to resolve manifest dependency order: dependsOn references unknown manifest {}",
            quote(&written.text)
        ));
        found.push(f.detail("dependency", &*written.text));
    }
}

/// What came through an alias is shown at the alias.
fn through(mut d: Diagnostic, written: &Dependency, via: Option<Place>) -> Diagnostic {
    if let Some(via) = via {
        d.place = via;
        d.related.insert(
            0,
            Related {
                place: written.place,
                message: "the entry stands here".to_owned(),
            },
        );
    }
    d
}

/// Whether a name may be declared where nothing could be read.
fn maybe_declared(expansion: &Expansion, written: &Dependency) -> bool {
    if !expansion.incomplete || written.text.is_empty() {
        return false;
    }
    let whole = expansion
        .parts
        .iter()
        .all(|p| !p.facts.is_templated() || p.view.is_certain());
    let all_read = expansion.links.len() + 1 == expansion.parts.len();
    if !whole || !all_read {
        return true;
    }
    // The name stands somewhere in a broken file besides the references that are known.
    let broken = expansion.parts.iter().filter(|p| p.view.head.broken);
    broken.into_iter().any(|part| {
        let text = part.facts.text();
        let name = &*written.text;
        let known = part.units.needs.iter().filter(|n| *n.text == *name).count();
        memchr::memmem::find_iter(text.as_bytes(), name.as_bytes()).count() > known
    })
}

fn dangling(
    run: &Run<'_, '_>,
    expansion: &Expansion,
    built: &Built,
    unit: &Unit,
    written: &Dependency,
) -> Diagnostic {
    if let Some((name, first, members)) = group_named(expansion, built, &written.text) {
        let mut d = Diagnostic::new(
            &unknown_dependency::RULE,
            written.place,
            format!(
                "manifest `{}` depends on `{}`, which is a group of includes and no manifest",
                unit.name, written.text
            ),
        )
        .related(name, "the group: it is replaced by the manifests of its files")
        .unit(unit.name.clone())
        .unit(written.text.clone());
        for (member, place) in members.iter().take(10) {
            d = d.related(*place, format!("`{member}` is one of its manifests"));
        }
        let _ = first;
        if let (Some((head, rest)), Some(list)) = (members.split_first(), list_of(expansion, written)) {
            let mut steps = vec![FixStep::SetValue(written.place, head.0.to_string())];
            steps.extend(
                rest.iter()
                    .map(|(m, _)| FixStep::AppendEntry(list, m.to_string())),
            );
            d = d.fix("depend on the group's manifests", Safety::Unsafe, steps);
        }
        return d.fix(
            "remove the entry",
            Safety::Unsafe,
            vec![FixStep::RemoveEntry(written.place)],
        );
    }
    let known = || {
        built
            .variant
            .units
            .iter()
            .map(|u| &*u.name)
            .filter(|n| !n.is_empty())
    };
    let mut d = unknown_dependency::diagnostic("manifest", unit, written, known());
    if nearest(&written.text, known()).is_none()
        && let Some(same) = known().find(|n| n.eq_ignore_ascii_case(&written.text))
    {
        d = d.label(format!("did you mean `{same}`?"));
    }
    let _ = run;
    d
}

type Members = Vec<(Arc<str>, Place)>;

/// A group of includes of that name: where its name stands, and its manifests.
fn group_named(expansion: &Expansion, built: &Built, text: &str) -> Option<(Place, usize, Members)> {
    if text.is_empty() {
        return None;
    }
    let root = expansion.parts.first()?;
    for index in &root.units.groups {
        let index = *index as usize;
        let item = root.view.item(index)?;
        let base = root.view.base(index);
        let Some(name) = item.manifest.name.as_ref().filter(|n| *n.text == *text) else {
            continue;
        };
        let paths: Vec<Place> = item
            .manifest
            .includes
            .iter()
            .map(|t| rebased(t.place, base))
            .collect();
        let mut members = Members::new();
        for (position, unit) in built.variant.units.iter().enumerate() {
            let Some((_, part)) = unit_at(expansion, position) else {
                continue;
            };
            let via = expansion.parts.get(part).and_then(|p| p.via);
            if via.is_some_and(|v| paths.contains(&v)) && !unit.name.is_empty() {
                members.push((unit.name.clone(), unit.name_place.unwrap_or(unit.header)));
            }
        }
        return Some((rebased(name.place, base), index, members));
    }
    None
}

/// The list that an entry stands in.
fn list_of(expansion: &Expansion, written: &Dependency) -> Option<Place> {
    let (unit, part) = unit_at(expansion, written.unit.0 as usize)?;
    let view = &expansion.parts.get(part)?.view;
    let item = view.item(unit.item as usize)?;
    Some(rebased(item.manifest.needs_list?, view.base(unit.item as usize)))
}

fn cycles(built: &Built, found: &mut Vec<Found>) {
    if !built.dag || built.variant.apply.layers.is_some() {
        return;
    }
    let remove = |d: &Dependency| Some(FixStep::RemoveEntry(d.place));
    let graph = &built.variant.apply.graph;
    for finding in cycle::check(super::super::meta(), &built.variant, graph, remove) {
        let members: Vec<String> = finding
            .members
            .iter()
            .filter_map(|m| unit(built, m.0))
            .map(|u| u.name.to_string())
            .collect();
        let d = finding
            .diagnostic
            .engine_message("circular dependency detected in manifest dependsOn graph")
            .note("Tazuna says that there is a cycle and names no manifest");
        let subject = members.first().cloned().unwrap_or_default();
        let mut f = Found::rejected(Rejected::both(Stage::Cycle), d, subject).detail("members", members);
        f.apply_message =
            Some("failed to resolve manifest dependency order: circular dependency detected".to_owned());
        found.push(f);
    }
}
