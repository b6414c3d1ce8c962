//! `duplicate-name`: two manifests with one name (Tazuna G5, names).

use std::cell::LazyCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::count;
use crate::names::{self, Fresh};
use crate::scope::{CheckContext, Whole, is_taken, of_names};
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place, Safety};
use applyorder_core::engine::Unit;
use applyorder_core::layer::{Finding, Sym};
use applyorder_core::rules::duplicate_name;
use applyorder_syntax::template::quote;

/// A manifest whose name an earlier one has.
struct Repeated {
    name: Sym,
    position: u32,
    first: u32,
}

/// The manifests whose name an earlier one has, in the order of the list.
fn repeated<'a>(context: &'a CheckContext<'_>) -> impl Iterator<Item = Repeated> + 'a {
    let mut firsts: FxHashMap<Sym, u32> = FxHashMap::default();
    let positions = if context.related.index.has_repeated {
        0..count(context.expansion.list.len())
    } else {
        0..0
    };
    positions.filter_map(move |position| {
        let (unit, _) = context.expansion.at(position as usize)?;
        let name = unit.name;
        if context.related.index.times(name) < 2 || unit.broken || unit.problem.is_some() {
            return None;
        }
        let first = *firsts.entry(name).or_insert(position);
        (first != position).then_some(Repeated {
            name,
            position,
            first,
        })
    })
}

/// The place of the finding.
pub(super) fn places<'a>(context: &'a CheckContext<'_>) -> impl Iterator<Item = Place> + 'a {
    let units = repeated(context).filter_map(|r| context.related.unit(r.position));
    units.map(|unit| unit.place())
}

pub(crate) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let context = whole.context;
    let mut fresh = Fresh::default();
    let mut groups: Vec<(Arc<str>, Vec<Finding>)> = Vec::new();
    let mut group_of: FxHashMap<Sym, usize> = FxHashMap::default();
    let twice = LazyCell::new(|| included_twice(context));
    for repeated in repeated(context) {
        let unit = |position| context.related.unit(position);
        let (Some(later), Some(first)) = (unit(repeated.position), unit(repeated.first)) else {
            continue;
        };
        let times = context.related.index.times(repeated.name);
        let d = duplicate(
            context,
            (&mut fresh, &twice),
            (repeated.position, later),
            (repeated.first, first),
        );
        let d = d.engine_message(format!(
            "manifest name {} is duplicated ({times} times)",
            quote(&later.name)
        ));
        let at = *group_of.entry(repeated.name).or_insert_with(|| {
            groups.push((later.name.clone(), Vec::new()));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(at) {
            // Tazuna has one line for a name, however often it occurs.
            let told = of_names(context, d, &later.name).detail("count", times);
            group.push(if group.is_empty() { told } else { told.repeats() });
        }
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    // Tazuna reports them after all bad names.
    let from = count(context.expansion.list.len());
    let all = groups.into_iter().flat_map(|(_, group)| group);
    found.extend((from..).zip(all).map(|(at, told)| told.at(at)));
}

/// The files that are included more than once.
fn included_twice(context: &CheckContext<'_>) -> FxHashSet<FileId> {
    let mut seen = FxHashSet::default();
    let files = context.expansion.parts.iter().map(|part| part.brief.file);
    files.filter(|file| !seen.insert(*file)).collect()
}

fn duplicate(
    context: &CheckContext<'_>,
    (fresh, twice): (&mut Fresh, &FxHashSet<FileId>),
    (position, later): (u32, &Unit),
    (before, first): (u32, &Unit),
) -> Diagnostic {
    let mut d = duplicate_name::diagnostic("manifest", later, first);
    let expansion = context.expansion;
    let parts = [before, position].map(|p| expansion.part_at(p as usize));
    let part = |part: Option<u32>| expansion.parts.get(part? as usize);
    let via = |number: Option<u32>| part(number).and_then(|p| p.via);
    let file = |number: Option<u32>| part(number).map(|p| p.brief.file);
    let (first_via, later_via) = (via(parts[0]), via(parts[1]));
    if parts[0] != parts[1] && file(parts[0]) == file(parts[1]) {
        // A file included twice repeats all its manifests.
        let Some(later_via) = later_via else { return d };
        d.related.clear();
        d.message = format!(
            "duplicate manifest name `{}`: the file is included twice",
            later.name
        );
        if let Some(first_via) = first_via {
            d = d.related(first_via, "first included here");
        }
        let second = parts[1].and_then(|part| expansion.include_of(part));
        let removal = second.map_or(FixStep::RemoveEntry(later_via), |i| {
            expansion.removal(i.item, i.place)
        });
        return d.related(later_via, "included again here").fix(
            "remove the second include",
            Safety::Unsafe,
            vec![removal],
        );
    }
    for (via, which) in [(first_via, "the first"), (later_via, "this manifest")] {
        if let Some(via) = via {
            d = d.related(via, format!("file of {which} included here"));
        }
    }
    let Some(place) = later.name_place else { return d };
    let number = expansion.at(position as usize).map(|(u, _)| u.name);
    let referred = number.is_some_and(|n| !context.related.referring(n).is_empty());
    // Under another name it would still be a duplicate.
    let is_repeated = file(parts[1]).is_some_and(|file| twice.contains(&file));
    if !referred && !is_repeated {
        let better = fresh.free(&later.name, |n| is_taken(context, n));
        if names::problem(&better, context.setting.generation).is_none() {
            d = d.fix(
                format!("rename it to `{better}`"),
                Safety::Unsafe,
                vec![FixStep::SetValue(place, better)],
            );
        }
    }
    d
}
