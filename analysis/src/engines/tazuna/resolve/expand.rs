//! From the root and its includes to one list of manifests, and what is rejected on the way.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::Run;
use super::cache::{FileUnits, Include, Includes, count};
use crate::config::TazunaGeneration;
use crate::diagnostic::{Diagnostic, FileId, FixStep, Place, Safety, Severity};
use crate::engines::tazuna::facts::{
    Certainty, Draft, Item, Manifest, Reading, TazunaFacts, Text, View, placed, rebased,
};
use crate::engines::tazuna::rules;
use crate::engines::tazuna::verdict::{Found, Rejected, Stage, Unknown};
use crate::engines::{Link, Member};
use crate::files::{FileKind, ReadError, clean, join_clean};
use crate::rules::{limit_reached, missing_file, nearest, unreadable_file};

/// A file of the project, as one environment reads it.
pub(super) struct Part {
    pub(super) file: FileId,
    /// Its path from the root's directory.
    pub(super) path: Arc<str>,
    pub(super) facts: Arc<TazunaFacts>,
    pub(super) view: Arc<View>,
    pub(super) units: Arc<FileUnits>,
    /// The include that brings it in first; `None` for the root.
    pub(super) via: Option<Place>,
}

/// The expanded list: parts, and which of their units stand there in order.
#[derive(Default)]
pub(super) struct Expansion {
    pub(super) parts: Vec<Part>,
    /// Part and number of the unit in [`FileUnits::units`].
    pub(super) list: Vec<(u32, u32)>,
    pub(super) members: Vec<Member>,
    pub(super) links: Vec<Link>,
    pub(super) found: Vec<Found>,
    pub(super) unknown: Vec<Unknown>,
    /// Whether there may be manifests that are not in the list.
    pub(super) incomplete: bool,
}

/// What came of one include.
enum Outcome {
    Read(u32),
    Missing,
    Unreadable(ReadError),
    /// Its path is empty.
    Nowhere,
}

/// Expands a root.
pub(super) fn expand(
    run: &Run<'_, '_>,
    root: FileId,
    facts: &Arc<TazunaFacts>,
    reading: &Reading,
) -> Expansion {
    let mut out = Expansion::default();
    let view = facts.view(reading);
    let included = Reading {
        environment: reading.environment.clone(),
        strict: false,
    };
    out.add_part(run, root, facts, view.clone(), None);
    let includes = run.cache.includes(&view, || find_includes(run, &view));
    let mut outcomes = Vec::with_capacity(includes.all.len());
    for include in &includes.all {
        outcomes.push(read_include(run, &mut out, include, &included));
    }
    let uncertain = root_findings(run, &mut out, &view, &includes, &outcomes);
    out.incomplete |= uncertain;
    if !uncertain {
        // In the order of the includes: Tazuna stops at the first that it cannot take in.
        for (include, outcome) in includes.all.iter().zip(&outcomes) {
            match outcome {
                Outcome::Read(part) => {
                    included_findings(&mut out, *part as usize);
                    nesting(run, &mut out, include, *part);
                }
                Outcome::Unreadable(error) => unreadable(run, &mut out, include, error),
                Outcome::Missing | Outcome::Nowhere => {}
            }
        }
    }
    out.list = list(&out, &view, &includes, &outcomes);
    out
}

impl Expansion {
    fn add_part(
        &mut self,
        run: &Run<'_, '_>,
        file: FileId,
        facts: &Arc<TazunaFacts>,
        view: Arc<View>,
        include: Option<&Include>,
    ) -> u32 {
        let number = count(self.parts.len());
        let path = match include {
            Some(include) => include.shown.clone(),
            None => run.root.file_name().unwrap_or("").into(),
        };
        self.members.push(Member {
            file,
            why: match include {
                Some(_) => run.included.clone(),
                None => "the root".to_owned(),
            },
            via: include.map(|i| i.place),
        });
        let units = run.cache.units(file, &view, run.generation);
        self.parts.push(Part {
            file,
            path,
            facts: facts.clone(),
            view,
            units,
            via: include.map(|i| i.place),
        });
        number
    }
}

/// A path as Tazuna prints it when it is started beside the root.
pub(super) fn shown(text: &str) -> String {
    clean(text.trim_start_matches('/')).into_string()
}

fn find_includes(run: &Run<'_, '_>, view: &Arc<View>) -> Includes {
    let cx = run.cx;
    let mut all = Vec::new();
    let mut paths = Vec::new();
    for (item, entry) in view.items() {
        let base = view.base(item);
        for (index, text) in entry.manifest.includes.iter().enumerate() {
            let path = join_clean(run.dir, &text.text);
            let file = cx.file(&path);
            if !text.text.is_empty() {
                paths.push(path.clone());
            }
            all.push(Include {
                item: count(item),
                index: count(index),
                place: rebased(text.place, base),
                text: text.text.clone(),
                shown: shown(&text.text).into(),
                path,
                file,
            });
        }
    }
    cx.prefetch(&paths);
    for path in &paths {
        // Whether it could be read is seen when its facts are wanted.
        drop(cx.source(path));
    }
    Includes {
        view: view.clone(),
        all,
    }
}

fn read_include(run: &Run<'_, '_>, out: &mut Expansion, include: &Include, reading: &Reading) -> Outcome {
    if include.text.is_empty() {
        return Outcome::Nowhere;
    }
    out.links.push(Link {
        place: include.place,
        target: include.path.clone(),
    });
    match run.cx.facts_again::<TazunaFacts>(include.file) {
        Ok(facts) => {
            let view = facts.view(reading);
            let part = out.add_part(run, include.file, &facts, view, Some(include));
            Outcome::Read(part)
        }
        Err(ReadError::NotFound) if run.cx.kind(&include.path, true).is_none() => {
            out.incomplete = true;
            Outcome::Missing
        }
        Err(error) => {
            out.incomplete = true;
            Outcome::Unreadable(error)
        }
    }
}

fn unreadable(run: &Run<'_, '_>, out: &mut Expansion, include: &Include, error: &ReadError) {
    let path = shown(&include.text);
    if let ReadError::NotUtf8(at) = error
        && run.reads_otherwise(&include.path, *at)
    {
        out.unknown.push(Unknown {
            stage: Stage::Includes,
            because: format!("`{path}` is not UTF-8, and Tazuna may stop before it comes to that"),
        });
    }
    if let ReadError::TooLarge(size) = error {
        let because = format!("`{path}` is larger than applyorder's limit ({size} bytes)");
        out.found.push(Found::lint(Diagnostic::new(
            &limit_reached::RULE,
            include.place,
            because.clone(),
        )));
        out.unknown.push(Unknown {
            stage: Stage::Includes,
            because,
        });
        return;
    }
    let d = Diagnostic::new(&unreadable_file::RULE, include.place, format!("`{path}` cannot be read: {error}"))
        .engine_message(match error {
            ReadError::NotUtf8(_) => format!(
                "failed to parse include file: {path}: error converting YAML to JSON: yaml: invalid leading UTF-8 \
                 octet"
            ),
            _ => format!("failed to open include file: {path}: {error}"),
        });
    out.found
        .push(Found::rejected(Rejected::both(Stage::Includes), d, path).detail(
            "reason",
            match error {
                ReadError::NotUtf8(_) => "not-utf8",
                _ => "unreadable",
            },
        ));
}

/// The findings of the root file, in the order in which Tazuna comes to them. True where the file could
/// not be rendered, so that nothing else can be told.
fn root_findings(
    run: &Run<'_, '_>,
    out: &mut Expansion,
    view: &Arc<View>,
    includes: &Includes,
    outcomes: &[Outcome],
) -> bool {
    let base = view.head_base();
    let subject = run.root.file_name().unwrap_or("").to_owned();
    let keep =
        |out: &mut Expansion, draft: &Draft, base: u32, subject: &str, wrap: &dyn Fn(&str) -> String| {
            out.found.push(found_at_root(draft, base, subject, wrap));
        };
    let plain = |text: &str| text.to_owned();
    match &view.certainty {
        Certainty::Certain => {}
        Certainty::Rejected(draft) => {
            keep(out, draft, base, &subject, &plain);
            return true;
        }
        Certainty::Open(draft, because) => {
            keep(out, draft, base, &subject, &plain);
            out.unknown.push(Unknown {
                stage: Stage::Template,
                because: because.clone(),
            });
            return true;
        }
    }
    let head = &view.head;
    if let Some(because) = &head.open {
        out.unknown.push(Unknown {
            stage: Stage::Decode,
            because: because.clone(),
        });
    }
    let at_head = head.syntax.iter().chain(&head.errors[0]);
    at_head.for_each(|d| keep(out, d, base, &subject, &plain));
    let units = out.parts.first().map(|p| p.units.clone());
    let noisy = |f: &mut dyn FnMut(usize, &Arc<Item>)| {
        for index in units.iter().flat_map(|u| &u.noisy) {
            if let Some(item) = view.item(*index as usize) {
                f(*index as usize, item);
            }
        }
    };
    noisy(&mut |index, item| {
        for draft in item.manifest.errors.iter().filter(|_| !item.manifest.broken) {
            keep(out, draft, view.base(index), &subject, &plain);
        }
        if item.manifest.exhausted {
            out.unknown.push(Unknown {
                stage: Stage::Decode,
                because: "more is reached through aliases than applyorder reads".to_owned(),
            });
        }
    });
    let behind = head.errors[1].iter().chain(&head.header);
    behind.for_each(|d| keep(out, d, base, &subject, &plain));
    version_unmet(run, out, view);
    head.spec[0]
        .iter()
        .for_each(|d| keep(out, d, base, &subject, &plain));
    spec_of_items(run, out, view, includes, outcomes);
    head.spec[1]
        .iter()
        .for_each(|d| keep(out, d, base, &subject, &plain));
    head.lints
        .iter()
        .for_each(|d| keep(out, d, base, &subject, &plain));
    noisy(&mut |index, item| lints_of_item(out, view, index, item));
    out.incomplete |= head.broken;
    false
}

fn found_at_root(draft: &Draft, base: u32, subject: &str, wrap: &dyn Fn(&str) -> String) -> Found {
    let mut d = placed(&draft.diagnostic, base);
    d.engine_message = d.engine_message.as_deref().map(wrap);
    let rejected = draft.stage.map_or(Rejected::default(), Rejected::both);
    with_details(Found::rejected(rejected, d, subject), draft)
}

fn with_details(mut found: Found, draft: &Draft) -> Found {
    for (key, value) in &draft.details {
        found = found.detail(key, value.clone());
    }
    found
}

fn lints_of_item(out: &mut Expansion, view: &View, index: usize, item: &Item) {
    let (manifest, base) = (&item.manifest, view.base(index));
    if manifest.broken {
        return;
    }
    for draft in &manifest.lints {
        out.found.push(Found::lint(placed(&draft.diagnostic, base)));
    }
    for (field, place) in &manifest.ignored {
        let d = rules::include_group_field_ignored::diagnostic(rebased(*place, base), field);
        out.found.push(Found::lint(d));
    }
}

/// What is said of a manifest: its name, or its number where it has none.
pub(super) fn subject(name: &str, index: usize) -> String {
    if name.is_empty() {
        format!("manifest[{index}]")
    } else {
        name.to_owned()
    }
}

/// Stage 6 over the list of the root: values, includes, secrets, manifest by manifest.
fn spec_of_items(
    run: &Run<'_, '_>,
    out: &mut Expansion,
    view: &Arc<View>,
    includes: &Includes,
    outcomes: &[Outcome],
) {
    let Some(units) = out.parts.first().map(|p| p.units.clone()) else {
        return;
    };
    let mut todo: Vec<u32> = [&units.noisy, &units.groups, &units.secrets]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    todo.sort_unstable();
    todo.dedup();
    for index in todo {
        let Some(item) = view.item(index as usize).filter(|i| !i.manifest.broken) else {
            continue;
        };
        let (manifest, base) = (&item.manifest, view.base(index as usize));
        let subject = subject(manifest.name(), index as usize);
        let wrap = |text: &str| format!("validation failed for manifest[{index}]: {text}");
        if manifest.is_group() {
            let of_group = includes.all.iter().zip(outcomes).filter(|(i, _)| i.item == index);
            for (include, outcome) in of_group {
                missing(run, out, include, outcome, &wrap);
            }
            continue;
        }
        let g1_box = |d: &Draft| {
            run.generation == TazunaGeneration::G1 && d.diagnostic.rule == &rules::removed_parallel::RULE
        };
        for draft in manifest.invalid.iter().filter(|d| !g1_box(d)) {
            out.found.push(found_at_root(draft, base, &subject, &wrap));
        }
        if let Some(found) = super::secrets::check(run, manifest, base, &subject, &wrap) {
            out.found.push(Found {
                rejected: Rejected::both(Stage::Spec),
                ..found
            });
        }
    }
}

fn missing(
    run: &Run<'_, '_>,
    out: &mut Expansion,
    include: &Include,
    outcome: &Outcome,
    wrap: &dyn Fn(&str) -> String,
) {
    if include.text.is_empty() {
        let message = wrap(&format!("include[{}].path is required", include.index));
        let d = rules::include_path_empty::diagnostic(include.place).engine_message(message);
        let subject = include.text.to_string();
        out.found
            .push(Found::rejected(Rejected::both(Stage::Spec), d, subject).detail("field", "includes"));
        return;
    }
    if !matches!(outcome, Outcome::Missing) {
        return;
    }
    let path = shown(&include.text);
    let mut d = Diagnostic::new(
        &missing_file::RULE,
        include.place,
        format!("the included file `{}` does not exist", include.text),
    )
    .engine_message(wrap(&format!("include file not found: {path}")));
    if let Some(near) = near_file(run, &include.path, &include.text) {
        d = d.label(format!("did you mean `{near}`?")).fix(
            format!("replace by `{near}`"),
            Safety::Unsafe,
            vec![FixStep::SetValue(include.place, near)],
        );
    }
    d = d.fix(
        "remove the include",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(include.place)],
    );
    let found = Found::rejected(Rejected::both(Stage::Spec), d, include.text.to_string());
    out.found.push(found.detail("path", path));
}

/// The path with the nearest name of an existing file in its directory.
fn near_file(run: &Run<'_, '_>, path: &Utf8Path, text: &str) -> Option<String> {
    let entries = run.cx.list(path.parent()?).ok()?;
    let files = entries
        .iter()
        .filter(|e| e.kind != FileKind::Directory && e.name.ends_with(".yaml") || e.name.ends_with(".yml"));
    let near = nearest(path.file_name()?, files.map(|e| &*e.name))?;
    let dir = text.rfind('/').map_or("", |i| text.get(..=i).unwrap_or(""));
    Some(format!("{dir}{near}"))
}

fn version_unmet(run: &Run<'_, '_>, out: &mut Expansion, view: &View) {
    let (Some(minimum), Some(running)) = (&view.head.minimum, &run.version) else {
        return;
    };
    if run.generation < TazunaGeneration::G3 {
        return;
    }
    let parse = super::super::facts::loose_version;
    let (Some(wanted), Some(has)) = (parse(&minimum.text), parse(running)) else {
        return;
    };
    if has >= wanted {
        return;
    }
    let text = format!(
        "this tazuna.yaml requires tazuna >= {}, but the running tazuna is {running}; please upgrade tazuna",
        minimum.text
    );
    let d = Diagnostic::new(
        &crate::rules::unsupported_version::RULE,
        rebased(minimum.place, view.head_base()),
        format!(
            "this file wants Tazuna {} or newer, and {running} is configured",
            minimum.text
        ),
    )
    .severity(Severity::Warning)
    .engine_message(text);
    let found = Found::rejected(Rejected::both(Stage::Version), d, "minimumSupportedTazunaVersion");
    out.found.push(found);
}

/// Findings in an included file: shown there, related to the include.
fn included_findings(out: &mut Expansion, part: usize) {
    let Some((view, file, via, path, units)) = out
        .parts
        .get(part)
        .map(|p| (p.view.clone(), p.file, p.via, p.path.clone(), p.units.clone()))
    else {
        return;
    };
    let again = out.parts.iter().take(part).any(|p| p.file == file);
    let Some(via) = via.filter(|_| !again) else {
        return;
    };
    let base = view.head_base();
    let rejected = |draft: &Draft, base: u32| {
        let mut d = placed(&draft.diagnostic, base).related(via, "the file is included here");
        let own = d.engine_message.unwrap_or_default();
        d.engine_message = Some(match draft.stage {
            Some(Stage::Template) => own,
            _ => format!("failed to parse include file: {path}: {own}"),
        });
        with_details(Found::rejected(Rejected::both(Stage::Includes), d, &*path), draft)
    };
    match &view.certainty {
        Certainty::Certain => {}
        Certainty::Rejected(draft) => {
            out.incomplete = true;
            out.found.push(rejected(draft, base));
            return;
        }
        Certainty::Open(draft, because) => {
            out.incomplete = true;
            let d = placed(&draft.diagnostic, base).related(via, "the file is included here");
            out.found.push(Found::lint(d));
            out.unknown.push(Unknown {
                stage: Stage::Includes,
                because: format!("{path}: {because}"),
            });
            return;
        }
    }
    let head = &view.head;
    if let Some(because) = &head.open {
        out.unknown.push(Unknown {
            stage: Stage::Includes,
            because: format!("{path}: {because}"),
        });
    }
    out.incomplete |= head.broken;
    let mut drafts: Vec<(&Draft, u32)> = head
        .syntax
        .iter()
        .chain(&head.errors[0])
        .map(|d| (d, base))
        .collect();
    let noisy: Vec<(usize, &Arc<Item>)> = units
        .noisy
        .iter()
        .filter_map(|i| Some((*i as usize, view.item(*i as usize)?)))
        .collect();
    for (index, item) in noisy.iter().filter(|(_, i)| !i.manifest.broken) {
        drafts.extend(item.manifest.errors.iter().map(|d| (d, view.base(*index))));
    }
    drafts.extend(head.errors[1].iter().map(|d| (d, base)));
    for (draft, base) in drafts {
        out.found.push(rejected(draft, base));
    }
    for draft in &head.lints {
        out.found.push(Found::lint(placed(&draft.diagnostic, base)));
    }
    for (key, place) in &head.own {
        let d = rules::included_header_ignored::diagnostic(rebased(*place, base), key, via);
        out.found.push(Found::lint(d));
    }
    for (index, item) in noisy {
        lints_of_item(out, &view, index, item);
    }
}

/// An included file that has includes itself.
fn nesting(run: &Run<'_, '_>, out: &mut Expansion, include: &Include, part: u32) {
    let Some(part) = out.parts.get(part as usize) else {
        return;
    };
    let view = &part.view;
    let decodes = view.head.syntax.is_empty() && view.head.errors.iter().all(Vec::is_empty);
    if part.units.groups.is_empty() || view.certainty != Certainty::Certain || !decodes {
        return;
    }
    let mut inner = Vec::new();
    for index in &part.units.groups {
        if let Some(item) = view.item(*index as usize) {
            let base = view.base(*index as usize);
            let path = |text: &Text| {
                let place = rebased(text.place, base);
                (place, text.text.to_string(), inlined(run, include, &text.text))
            };
            inner.push(rules::nested_include::Inner {
                header: rebased(item.manifest.header, base),
                paths: item.manifest.includes.iter().map(path).collect(),
            });
        }
    }
    let hops = way_back(run, include, &part.facts);
    let (d, rule_is_cycle) = match hops {
        Some(hops) => (
            rules::include_cycle::diagnostic(include.place, &include.text, &hops),
            true,
        ),
        None => (
            rules::nested_include::diagnostic(include.place, &include.text, &inner),
            false,
        ),
    };
    let d = d.engine_message(format!(
        "nested includes are not allowed in include file: {}",
        shown(&include.text)
    ));
    let found = Found::rejected(Rejected::both(Stage::Includes), d, include.text.to_string());
    out.found.push(if rule_is_cycle {
        found.detail("reason", "cycle")
    } else {
        found
    });
}

/// The path of an inner include as the root has to write it. Nobody follows these includes, so it is open
/// whether they count from the root's directory or from their own file's: where the file exists decides.
fn inlined(run: &Run<'_, '_>, include: &Include, path: &str) -> String {
    let exists = |path: &Utf8Path| run.cx.kind(path, true).is_some();
    if !exists(&join_clean(run.dir, path))
        && let Some(beside) = include.path.parent().map(|dir| join_clean(dir, path))
        && exists(&beside)
        && let Some(better) = super::lints::from_dir(run.dir, &beside)
    {
        return better;
    }
    path.to_owned()
}

/// The files looked at in the search for a way back.
const HOPS: usize = 64;

/// The includes by which an included file leads back to a file on the way to it, in order.
fn way_back(run: &Run<'_, '_>, include: &Include, facts: &Arc<TazunaFacts>) -> Option<Vec<(Place, String)>> {
    if include.path == *run.root {
        return Some(vec![(include.place, "the file includes itself".to_owned())]);
    }
    // Each step: a file, and the includes that lead to it from the root's include on.
    type Way = Vec<(Utf8PathBuf, Place, String)>;
    let mut open: Vec<(Utf8PathBuf, Arc<TazunaFacts>, Way)> =
        vec![(include.path.clone(), facts.clone(), Vec::new())];
    let mut looked = 0;
    while let Some((path, facts, way)) = open.pop() {
        looked += 1;
        if looked > HOPS {
            return None;
        }
        let view = facts.view(&run.included_reading());
        for (index, item) in view.items() {
            for text in &item.manifest.includes {
                let place = rebased(text.place, view.base(index));
                // Nobody follows these includes, so it is open from where their paths would count.
                let from = [Some(run.dir), path.parent()];
                let mut targets: Vec<Utf8PathBuf> = from
                    .into_iter()
                    .flatten()
                    .map(|d| join_clean(d, &text.text))
                    .collect();
                targets.dedup();
                for target in targets {
                    let mut way = way.clone();
                    way.push((target.clone(), place, format!("includes `{}`", text.text)));
                    let start = |p: &Utf8Path| *p == *run.root || *p == *include.path;
                    let met = start(&target) || way.iter().rev().skip(1).any(|(p, ..)| *p == target);
                    if met {
                        let mut hops = vec![(include.place, format!("includes `{}`", include.text))];
                        hops.extend(way.into_iter().map(|(_, place, text)| (place, text)));
                        return Some(hops);
                    }
                    if let Ok((_, next)) = run.cx.facts::<TazunaFacts>(&target) {
                        open.push((target, next, way));
                    }
                }
            }
        }
    }
    None
}

/// The units of all parts in the order of the expanded list.
fn list(out: &Expansion, view: &View, includes: &Includes, outcomes: &[Outcome]) -> Vec<(u32, u32)> {
    let Some(root) = out.parts.first() else {
        return Vec::new();
    };
    let total: usize = out.parts.iter().map(|p| p.units.units.len()).sum();
    let mut list = Vec::with_capacity(total);
    let mut own = (0u32..).zip(&root.units.units).peekable();
    let mut next = includes.all.iter().zip(outcomes).peekable();
    for group in root
        .units
        .groups
        .iter()
        .copied()
        .chain([count(view.items().len())])
    {
        while let Some((unit, _)) = own.next_if(|(_, u)| u.item < group) {
            list.push((0, unit));
        }
        while let Some((_, outcome)) = next.next_if(|(i, _)| i.item == group) {
            if let Outcome::Read(part) = outcome
                && let Some(read) = out.parts.get(*part as usize)
            {
                list.extend((0..count(read.units.units.len())).map(|unit| (*part, unit)));
            }
        }
    }
    list
}

/// Whether an item's manifest lacks something that has to be known.
pub(super) fn is_sound(manifest: &Manifest) -> bool {
    !manifest.broken && !manifest.exhausted
}
