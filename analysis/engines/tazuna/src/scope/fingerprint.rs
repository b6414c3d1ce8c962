//! Everything that the checks of a source see of it.

use super::CheckContext;
use super::source::{Slot, slot};
use crate::model::{IncludeOutcome, Part, UnitSummary};
use applyorder_core::layer::{Fingerprint, Mix};

/// Everything that checks see of a slot. `None`: they see too much.
pub(crate) fn fingerprint(context: &CheckContext<'_>, number: usize) -> Option<Fingerprint> {
    let Slot { include, part } = slot(context, number);
    let mut mix = Mix::default();
    match include {
        None => {
            // Missing files are reported in the root.
            let all = context.expansion.includes.all.iter().zip(&*context.expansion.got);
            for (include, got) in all {
                if let IncludeOutcome::Missing(near) = got {
                    mix.add(&(include.place, near));
                }
            }
        }
        Some((_, IncludeOutcome::Unreadable(_))) => return None,
        Some((_, IncludeOutcome::Read)) => mix.add(&context.related.root_is_certain),
        Some(_) => return Some(Fingerprint::default()),
    }
    let Some((part_number, part)) = part else {
        return Some(mix.finish());
    };
    let brief = part.brief;
    mix.add(&(number == 0, brief.id(), part.again));
    if brief.is_noisy {
        if (number > 0 && brief.has_groups) || brief.has_ignored {
            return None;
        }
        mix.add(&(part.via, context.templates));
        for (position, unit) in context.expansion.placed(part_number) {
            mix.add(&(position, context.expansion.bad_secret(part_number, unit.item)));
        }
    }
    if brief.is_entangled {
        for places in context.occurrences.told(&part.piece) {
            mix.add(places);
        }
    }
    if context.tells_of(part) {
        mix.add(&(true, context.expansion.paths_of(part_number)));
    }
    for position in context.expansion.positions(part_number) {
        let unit = context.expansion.summaries.get(position as usize);
        if let Some(unit) = unit.filter(|unit| !unit.broken) {
            mix_unit(context, part, position, unit, &mut mix);
        }
    }
    Some(mix.finish())
}

fn mix_unit(context: &CheckContext<'_>, part: &Part, position: u32, unit: &UnitSummary, mix: &mut Mix) {
    let related = context.related;
    let tells = context.tells_of(part) && related.dag;
    for target in related.targets(position) {
        let Some(target) = target else {
            // Whether it may be declared, the most similar name, and whether it is a group.
            let shared = (related.share(), context.too_much_to_search());
            mix.add(&(
                0u8,
                context.doubts,
                related.publics,
                context.root,
                context.templates,
                shared,
            ));
            continue;
        };
        if target == position || !tells {
            mix.add(&(1u8, target == position));
            continue;
        }
        let Some(to) = context.expansion.summaries.get(target as usize) else {
            continue;
        };
        if target > position || unit.tag_list != to.tag_list {
            mix.add(&(2u8, target > position, to.public, to.templated));
        } else {
            mix.add(&3u8);
        }
    }
    if !tells {
        return;
    }
    if let Some(above) = related.lost(position)
        && let Some(above) = context.expansion.summaries.get(above as usize)
    {
        mix.add(&(4u8, above.public, above.whole, related.switch));
    }
}
