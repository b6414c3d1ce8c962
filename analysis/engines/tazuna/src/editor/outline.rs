//! The outline of a file, and additions to hovers.

use camino::Utf8PathBuf;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::outcome::State;
use crate::read::{Item, Manifest, TazunaFacts, View};
use applyorder_core::diagnostic::{At, Place};
use applyorder_core::engine::{Facts, OutlineItem, ProjectSeed, Resolution, UnitIx, Variant};
use applyorder_core::files::{clean, join_clean};
use applyorder_core::markdown;
use applyorder_syntax::text::Span;

/// The manifests of a file, whatever environment has them; below a group its includes.
pub(crate) fn outline(facts: &dyn Facts) -> Vec<OutlineItem> {
    let Some(facts) = facts.as_any().downcast_ref::<TazunaFacts>() else {
        return Vec::new();
    };
    let mut out: Vec<OutlineItem> = Vec::new();
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    for view in facts.all_views() {
        of_view(&view, &mut seen, &mut out);
    }
    out.sort_by_key(|item| item.selection.start);
    out
}

/// Adds the entries of a view that begin where no known entry does.
fn of_view(view: &View, seen: &mut FxHashSet<u32>, out: &mut Vec<OutlineItem>) {
    for (index, item) in view.items() {
        let Some(extent) = view.extent(index) else {
            continue;
        };
        let manifest = &item.manifest;
        let span_of = |place| view.span_of(index, place).filter(|s| extent.contains(*s));
        let name = manifest.name.as_ref();
        let selection = name
            .and_then(|n| span_of(n.place))
            .or_else(|| span_of(manifest.header))
            .unwrap_or(Span::at(extent.start));
        if !seen.insert(selection.start) {
            continue;
        }
        let children = manifest.includes.iter().filter_map(|include| {
            let span = span_of(include.place)?;
            Some(OutlineItem {
                name: shown(&include.text, "(no path)"),
                detail: Some("include".to_owned()),
                span,
                selection: span,
                unit: false,
                children: Vec::new(),
            })
        });
        let group = manifest.is_group();
        let unnamed = if group { "includes" } else { "(no name)" };
        out.push(OutlineItem {
            name: shown(manifest.name(), unnamed),
            detail: if group {
                Some("include group".to_owned())
            } else {
                manifest.kind.as_ref().map(|k| k.text.to_string())
            },
            span: extent,
            selection,
            unit: !group,
            children: children.collect(),
        });
    }
}

fn shown(text: &str, empty: &str) -> String {
    if text.is_empty() { empty } else { text }.to_owned()
}

/// The directories of the manifests that are applied from one.
pub(crate) fn runs_in(
    seed: &ProjectSeed,
    resolution: &Resolution,
    variant: &Variant,
) -> Vec<(UnitIx, Utf8PathBuf)> {
    let state = resolution.state.as_ref().and_then(|m| m.downcast_ref::<State>());
    let items: FxHashMap<Place, &Item> = state.into_iter().flat_map(State::items).collect();
    let base = seed.root.parent().unwrap_or(&seed.root);
    let units = (0..).map(UnitIx).zip(&variant.units);
    units
        .filter_map(|(ix, unit)| {
            let manifest = &items.get(&unit.header)?.manifest;
            let path = manifest.path.as_ref().filter(|path| !path.text.is_empty())?;
            // The content of a registry is not in a local directory.
            let is_here = Manifest::text(manifest.kind.as_ref()) != "oras";
            is_here.then(|| (ix, clean(join_clean(base, &path.text).as_str())))
        })
        .collect()
}

/// The name of an include group has no hover of its own: it has those of its includes.
pub(crate) fn stands_for(facts: &dyn Facts, offset: u32) -> Option<(Span, Vec<u32>)> {
    let facts = facts.as_any().downcast_ref::<TazunaFacts>()?;
    facts.all_views().iter().find_map(|view| {
        view.items().find_map(|(index, item)| {
            let manifest = &item.manifest;
            let name = manifest.name.as_ref().filter(|_| manifest.is_group())?;
            let span = view.span_of(index, name.place).filter(|s| s.touches(offset))?;
            let entry = |place: Place| match place.at {
                At::Anchor(anchor) => view.base(index).checked_add(anchor.index),
                At::File | At::Span(_) => None,
            };
            let includes = manifest.includes.iter();
            Some((
                span,
                includes.filter_map(|include| entry(include.place)).collect(),
            ))
        })
    })
}

/// The part of a manifest's hover that is specific to Tazuna: its own description, and when it runs.
pub(crate) fn hover(resolution: &Resolution, variant: &Variant, unit: UnitIx) -> Vec<String> {
    let mut out = Vec::new();
    let state = resolution.state.as_ref().and_then(|m| m.downcast_ref::<State>());
    let header = variant.units.get(unit.0 as usize).map(|u| u.header);
    if let Some(item) = header.and_then(|place| state?.item(place)) {
        let manifest = &item.manifest;
        out.extend(manifest.description.as_ref().map(|d| markdown::escape(d)));
        let (kind, path) = (
            Manifest::text(manifest.kind.as_ref()),
            Manifest::text(manifest.path.as_ref()),
        );
        if !kind.is_empty() && !path.is_empty() {
            out.push(format!("{} at {}", markdown::code(kind), markdown::code(path)));
        }
    }
    let dag = variant.properties.contains(&("mode", "dag".to_owned()));
    out.push(if dag {
        "All manifests of a layer start together once the previous layer is done.".to_owned()
    } else {
        "Manifests run one by one in list order; a single `dependsOn` anywhere disables that.".to_owned()
    });
    out
}
