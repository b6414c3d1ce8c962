//! The findings about a project's order and selection.
//!
//! Source: Terramate 0.17.2, "Diagnostics a linter should give".

use std::sync::Arc;

use camino::Utf8Path;

use super::Resolved;
use super::order::Ordering;
use super::refs::{Attribute, Entry, Meaning};
use super::select::Wants;
use super::stacks::{Node, StackIx};
use super::validate::{files, nearest_path};
use crate::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use crate::engines::terramate::facts::Value;
use crate::engines::terramate::{META, rules, verdict};
use crate::engines::{Cx, RunOptions, UnitIx, Variant};
use crate::graph::{Direction, NodeId, OrderGraph};
use crate::rules::{cycle, invalid_value, keep_most_specific, nearest, self_dependency, unknown_dependency};

/// More paths than this between the stacks of a project make a subset run take minutes.
const MANY_PATHS: u64 = 10_000_000;

/// Everything there is to say of a project.
pub(super) fn all(
    cx: &Cx<'_>,
    resolved: &Resolved<'_>,
    ordering: &Ordering<'_>,
    variant: &Variant,
    wants: &Wants,
    options: &RunOptions,
) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    found.extend(resolved.version.map(|f| f.diagnostic.clone()));
    found.extend(
        resolved
            .load
            .iter()
            .chain(resolved.checks)
            .map(|f| f.diagnostic.clone()),
    );
    let context = Context {
        cx,
        resolved,
        ordering,
    };
    for ((stack, node), entries) in resolved.stacks.iter().zip(resolved.entries) {
        for entry in entries.iter() {
            context.entry(stack, node, entry, &mut found);
        }
    }
    context.cycles(variant, &mut found);
    context.wants_cycle(wants, &mut found);
    context.outputs(variant, &mut found);
    context.roots_and_ids(&mut found);
    context.path_counts(variant, &mut found);
    keep_most_specific(&mut found);
    mark_first(resolved, options, &mut found);
    found
}

struct Context<'a, 'b> {
    cx: &'a Cx<'b>,
    resolved: &'a Resolved<'a>,
    ordering: &'a Ordering<'a>,
}

impl Context<'_, '_> {
    fn place(&self, node: &Node, entry: &Entry) -> Place {
        self.cx.place(node.file, entry.at)
    }

    fn header(&self, stack: StackIx) -> Option<Place> {
        let node = self.resolved.stacks.get(stack)?;
        Some(self.cx.place(node.file, node.stack()?.header))
    }

    fn entry(&self, stack: StackIx, node: &Node, entry: &Entry, found: &mut Vec<Diagnostic>) {
        let place = self.place(node, entry);
        let name = entry.attribute.name();
        let remove = vec![FixStep::RemoveEntry(place)];
        let new = |rule, message: String| Diagnostic::new(rule, place, message).unit(node.path.clone());
        let dangling = |message: String| {
            new(&unknown_dependency::RULE, message)
                .severity(Severity::Warning)
                .unit(entry.text.clone())
                .fix("remove the entry", Safety::Unsafe, remove.clone())
        };
        match &entry.meaning {
            Meaning::BadFilter(words) => {
                let stage = if entry.attribute.orders() {
                    "order"
                } else {
                    "wants"
                };
                found.push(
                    new(
                        &invalid_value::RULE,
                        format!("`{}` is no tag filter: {words}", entry.text),
                    )
                    .enforced("run", stage, false)
                    .engine_message(format!("invalid order entry \"{}\": {words}", entry.text)),
                );
            }
            Meaning::Missing => found.push(self.missing(node, entry, &dangling)),
            Meaning::NotDirectory => {
                let mut d = dangling(format!(
                    "`{}` is a file; entries of `{name}` are directories",
                    entry.text
                ))
                .note("Terramate warns, and goes on without the entry");
                if let Some((dir, _)) = entry.text.rsplit_once('/').filter(|(dir, _)| !dir.is_empty()) {
                    d.fixes.insert(0, replace(place, dir));
                }
                found.push(d);
            }
            Meaning::NotLoaded { path, why, .. } => {
                found.push(
                    dangling(format!("`{path}` is not loaded by Terramate: {why}"))
                        .note("Terramate goes on without the entry, with a line in its log at most"),
                );
            }
            Meaning::Directory { path, climbs } => {
                if *climbs {
                    found.push(
                        new(
                            &rules::ref_above_root::RULE,
                            format!(
                                "`{}` climbs above the root of the project, and is read as `{path}`",
                                entry.text
                            ),
                        )
                        .note("Terramate says nothing")
                        .fix(
                            format!("write `{path}`"),
                            Safety::Unsafe,
                            vec![FixStep::SetValue(place, path.to_string())],
                        ),
                    );
                }
                if entry.targets.is_empty() {
                    if self.resolved.may_hold_more() {
                        return;
                    }
                    found.push(
                        dangling(format!("there is no stack in `{path}` or below"))
                            .note("Terramate says nothing"),
                    );
                } else if entry.targets.contains(&UnitIx(stack)) && entry.attribute.orders() {
                    found.push(self.self_entry(stack, node, entry, path, remove));
                }
            }
            Meaning::Tags(filter) => {
                if entry.targets.is_empty() {
                    if self.resolved.may_hold_more() {
                        return;
                    }
                    let mut d =
                        dangling(format!("no stack matches `{}`", entry.text)).note("Terramate says nothing");
                    let tags: Vec<Arc<str>> = self
                        .resolved
                        .stacks
                        .iter()
                        .flat_map(|(_, s)| s.tags.iter().cloned())
                        .collect();
                    if let Some(tag) = filter.tags().next()
                        && let Some(near) = nearest(tag, tags.iter().map(|t| &**t))
                    {
                        d.label = Some(format!("did you mean `tag:{near}`?"));
                        d.fixes.insert(0, replace(place, &format!("tag:{near}")));
                    }
                    found.push(d);
                } else if entry.targets.contains(&UnitIx(stack)) && entry.attribute.orders() {
                    found.push(self.self_tag(stack, node, entry, remove));
                } else {
                    let extra: Vec<Arc<str>> = entry
                        .targets
                        .iter()
                        .filter_map(|t| self.resolved.stacks.get(t.0))
                        .filter(|s| !filter.matches(&s.tags))
                        .map(|s| s.path.clone())
                        .collect();
                    if !extra.is_empty() {
                        let shown: Vec<String> = extra.iter().take(5).map(|p| format!("`{p}`")).collect();
                        found.push(new(
                            &rules::ref_broad::RULE,
                            format!(
                                "`{}` also means {} that do not carry the tag, because they lie below one that does: {}{}",
                                entry.text,
                                if extra.len() == 1 { "a stack".to_owned() } else { format!("{} stacks", extra.len()) },
                                shown.join(", "),
                                if extra.len() > 5 { ", …" } else { "" },
                            ),
                        ));
                    }
                }
            }
        }
    }

    fn missing(&self, node: &Node, entry: &Entry, dangling: &impl Fn(String) -> Diagnostic) -> Diagnostic {
        let place = self.place(node, entry);
        let text = &*entry.text;
        let mut d = dangling(format!("`{text}` does not exist"))
            .note("Terramate warns, and goes on without the entry")
            .engine_message(format!(
                "Stack {} references an invalid path ({text}) in the '{}' attribute",
                node.path,
                entry.attribute.name()
            ));
        let bare = text.trim().trim_start_matches(':');
        let tag = bare
            .get(..4)
            .filter(|p| p.eq_ignore_ascii_case("tag:"))
            .and_then(|_| bare.get(4..));
        let known = |tag: &str| {
            self.resolved
                .stacks
                .iter()
                .any(|(_, s)| s.tags.iter().any(|t| **t == *tag))
        };
        if let Some(tag) = tag.or_else(|| known(text).then_some(text)) {
            d.rule = &rules::ref_tag_prefix::RULE;
            d.message = format!("`{text}` is read as a path; a tag filter begins with `tag:`");
            d.fixes.insert(0, replace(place, &format!("tag:{tag}")));
        } else if text.contains(['*', '?', '[']) {
            d.rule = &rules::ref_glob::RULE;
            d.message = format!("`{text}` is read letter by letter; patterns are not understood here");
            if let Some((dir, _)) = text.split_once(['*', '?', '[']) {
                let dir = dir.rsplit_once('/').map_or("", |(dir, _)| dir);
                if !dir.is_empty() {
                    d.fixes.insert(0, replace(place, dir));
                }
            }
        } else {
            let wanted = if text.starts_with('/') {
                text.to_owned()
            } else {
                format!("{}/{text}", node.path)
            };
            let wanted = crate::files::clean(&wanted);
            if let Some(near) = nearest_path(wanted.as_str(), self.resolved.stacks) {
                let written = if text.starts_with('/') {
                    near.to_owned()
                } else {
                    relative(&node.path, near)
                };
                d.label = Some(format!("did you mean `{written}`?"));
                d.fixes.insert(0, replace(place, &written));
            }
        }
        d
    }

    /// An entry of `after` or `before` whose directory is the own one or one above it.
    fn self_entry(
        &self,
        stack: StackIx,
        node: &Node,
        entry: &Entry,
        path: &str,
        remove: Vec<FixStep>,
    ) -> Diagnostic {
        let place = self.place(node, entry);
        let d = if path == &*node.path {
            Diagnostic::new(
                &self_dependency::RULE,
                place,
                format!("stack `{}` runs {} itself", node.path, word(entry)),
            )
        } else {
            let mut d = Diagnostic::new(
                &cycle::RULE,
                place,
                format!(
                    "`{}` stands for every stack in it, `{}` included, which would run {} itself",
                    entry.text,
                    node.path,
                    word(entry)
                ),
            );
            if entry.attribute == Attribute::After && self.resolved.stacks.at(path).is_some() {
                d = d.note("a stack runs after the stacks above it anyway");
            }
            d
        };
        let d = d
            .unit(node.path.clone())
            .fix("remove the entry", Safety::Unsafe, remove);
        self.refused(stack, d)
    }

    fn self_tag(&self, stack: StackIx, node: &Node, entry: &Entry, remove: Vec<FixStep>) -> Diagnostic {
        let mut d = Diagnostic::new(
            &self_dependency::RULE,
            self.place(node, entry),
            format!(
                "`{}` matches stack `{}` itself, or a stack above it",
                entry.text, node.path
            ),
        )
        .unit(node.path.clone())
        .fix("remove the entry", Safety::Unsafe, remove);
        if let Some(stack) = node.stack().filter(|s| s.tags.name.is_some()) {
            d = d.related(self.cx.place(node.file, stack.tags.at), "its tags");
        }
        self.refused(stack, d)
    }

    /// Says that Terramate refuses because of a cycle through a stack, with its own words when it is this one.
    fn refused(&self, stack: StackIx, d: Diagnostic) -> Diagnostic {
        let d = d
            .enforced("run", "order", false)
            .enforced("list --run-order", "order", false);
        match self.resolved.cycle {
            Some(path) if path.contains(&stack) => {
                d.engine_message(verdict::cycle_text(self.resolved.stacks, path))
            }
            _ => d,
        }
    }

    fn cycles(&self, variant: &Variant, found: &mut Vec<Diagnostic>) {
        // Entries that mean their own stack have been spoken of; what else they bring about is one cause
        // with that.
        let sound = |stack: StackIx, e: &Entry| !e.targets.contains(&UnitIx(stack));
        let whole = (0u32..)
            .zip(self.resolved.entries)
            .all(|(s, es)| es.iter().all(|e| !e.attribute.orders() || sound(s, e)));
        let built: OrderGraph;
        let graph = if whole && variant.selected.is_none() {
            &*variant.apply.graph
        } else {
            let owners: rustc_hash::FxHashSet<*const Entry> = (0u32..)
                .zip(self.resolved.entries)
                .flat_map(|(s, es)| es.iter().filter(move |e| sound(s, e)))
                .map(std::ptr::from_ref)
                .collect();
            built = self.ordering.graph(&self.ordering.closure(), false, |e| {
                owners.contains(&std::ptr::from_ref(e))
            });
            &built
        };
        for finding in cycle::check(&META, variant, graph, |d| Some(FixStep::RemoveEntry(d.place))) {
            let mut d = finding.diagnostic.enforced("run", "order", false).enforced(
                "list --run-order",
                "order",
                false,
            );
            if let Some(path) = self.resolved.cycle
                && path.iter().any(|s| finding.members.contains(&UnitIx(*s)))
            {
                d = d.engine_message(verdict::cycle_text(self.resolved.stacks, path));
            }
            let implicit = finding.path.steps().any(|s| {
                s.edges
                    .iter()
                    .filter_map(|e| graph.edge(*e))
                    .any(|e| !e.kind.is_explicit())
            });
            if implicit {
                d = d.note("it needs an implicit edge: a run that selects only one of the two ends succeeds");
            }
            found.push(d);
        }
    }

    fn wants_cycle(&self, wants: &Wants, found: &mut Vec<Diagnostic>) {
        let Some(path) = wants.cycle() else { return };
        let names: Vec<String> = path
            .iter()
            .map(|s| format!("`{}`", self.resolved.stacks.path(*s)))
            .collect();
        let steps: Vec<(Place, String)> = path
            .windows(2)
            .filter_map(|pair| {
                let (from, to) = (*pair.first()?, *pair.last()?);
                let place = self.want(from, to)?;
                let text = format!(
                    "`{}` wants `{}`",
                    self.resolved.stacks.path(from),
                    self.resolved.stacks.path(to)
                );
                Some((place, text))
            })
            .collect();
        let Some((place, _)) = steps.first().cloned() else {
            return;
        };
        let mut d = Diagnostic::new(
            &rules::wants_cycle::RULE,
            place,
            format!("these stacks want each other: {}", names.join(" → ")),
        )
        .engine_message(verdict::cycle_text(self.resolved.stacks, &path))
        .note("Terramate warns on every run; selecting one of them selects all")
        .fix(
            "remove the entry",
            Safety::Unsafe,
            vec![FixStep::RemoveEntry(place)],
        );
        for (place, text) in steps {
            d = d.related(place, text);
        }
        found.push(d);
    }

    /// The entry by which one stack wants another.
    fn want(&self, from: StackIx, to: StackIx) -> Option<Place> {
        let entry = |stack: StackIx, attribute: Attribute, target: StackIx| {
            let node = self.resolved.stacks.get(stack)?;
            let entries = self.resolved.entries.get(stack as usize)?;
            let entry = entries
                .iter()
                .find(|e| e.attribute == attribute && e.targets.contains(&UnitIx(target)))?;
            Some(self.place(node, entry))
        };
        entry(from, Attribute::Wants, to).or_else(|| entry(to, Attribute::WantedBy, from))
    }

    fn outputs(&self, variant: &Variant, found: &mut Vec<Diagnostic>) {
        let mut ids: Option<rustc_hash::FxHashMap<String, StackIx>> = None;
        for dir in &self.resolved.tree.dirs {
            for (loaded, facts) in files(dir) {
                for input in &facts.shape.inputs {
                    let ids = ids.get_or_insert_with(|| {
                        self.resolved
                            .stacks
                            .iter()
                            .filter_map(|(i, s)| match &s.stack()?.id {
                                Value::Known(id) => Some((id.value.to_ascii_lowercase(), i)),
                                _ => None,
                            })
                            .collect()
                    });
                    let (Some(consumer), Some(producer)) = (
                        self.resolved.stacks.at(&dir.path),
                        ids.get(&input.from_stack_id.value.to_ascii_lowercase()).copied(),
                    ) else {
                        continue;
                    };
                    let graph = &variant.apply.graph;
                    if self.resolved.unknown.is_some() || runs_after(graph, consumer, producer) {
                        continue;
                    }
                    let place = self.cx.place(loaded.file, input.from_stack_id.at);
                    let producer_path = self.resolved.stacks.path(producer);
                    let mut d = Diagnostic::new(
                        &rules::output_without_order::RULE,
                        place,
                        format!(
                            "stack `{}` uses an output of `{producer_path}`, and does not run after it",
                            dir.path
                        ),
                    )
                    .unit(dir.path.clone())
                    .unit(producer_path.clone())
                    .note("Terramate says nothing: sharing outputs adds no order");
                    if let Some(header) = self.header(producer) {
                        d = d.related(header, "the stack whose output is used");
                    }
                    if let Some(step) = self.add_after(consumer, &producer_path) {
                        d = d.fix(format!("run after `{producer_path}`"), Safety::Unsafe, vec![step]);
                    }
                    found.push(d);
                }
            }
        }
    }

    fn add_after(&self, stack: StackIx, path: &str) -> Option<FixStep> {
        let node = self.resolved.stacks.get(stack)?;
        let block = node.stack()?;
        if block.after.name.is_some() {
            return Some(FixStep::AppendEntry(
                self.cx.place(node.file, block.after.at),
                path.to_owned(),
            ));
        }
        let first = [
            &block.before,
            &block.tags,
            &block.wants,
            &block.wanted_by,
            &block.watch,
        ];
        let key = first.into_iter().find_map(|l| l.name)?;
        Some(FixStep::InsertKeyBefore(
            self.cx.place(node.file, key),
            "after".to_owned(),
            format!("[\"{path}\"]"),
        ))
    }

    fn roots_and_ids(&self, found: &mut Vec<Diagnostic>) {
        for (index, node) in self.resolved.stacks.iter() {
            let Some((stack, header)) = node.stack().zip(self.header(index)) else {
                continue;
            };
            if &*node.path == "/" && self.resolved.stacks.len() > 1 {
                found.push(
                    Diagnostic::new(
                        &rules::root_stack_order::RULE,
                        header,
                        "the stack at the root has no implicit order: it runs beside the stacks below it",
                    )
                    .note("Terramate says nothing"),
                );
            }
            if stack.id == Value::Absent && !stack.gap {
                found.push(
                    Diagnostic::new(
                        &rules::id_missing::RULE,
                        header,
                        format!("stack `{}` has no id", node.path),
                    )
                    .unit(node.path.clone()),
                );
            }
        }
    }

    /// Counts the paths through the graph: what Terramate walks when it reduces the graph to a selection.
    fn path_counts(&self, variant: &Variant, found: &mut Vec<Diagnostic>) {
        let graph = &variant.apply.graph;
        let order = graph.fifo_order(|n| n);
        if !order.stuck.is_empty() {
            return;
        }
        let mut paths = vec![1u64; graph.node_count()];
        for node in &order.sequence {
            let own = graph
                .distinct(*node, Direction::Dependencies)
                .filter_map(|l| paths.get(l.node.index()))
                .fold(1u64, |sum, n| sum.saturating_add(*n));
            if let Some(slot) = paths.get_mut(node.index()) {
                *slot = own;
            }
        }
        let Some((most, node)) = paths.iter().copied().zip(graph.nodes()).max_by_key(|(n, _)| *n) else {
            return;
        };
        if most < MANY_PATHS {
            return;
        }
        if let Some(header) = self.header(node.0) {
            let path = self.resolved.stacks.path(node.0);
            let count = if most > 1_000_000_000_000 {
                "over a billion".to_owned()
            } else {
                format!("{most}")
            };
            found.push(
                Diagnostic::new(
                    &rules::exponential_run::RULE,
                    header,
                    format!("{count} paths of `after` and `before` lead to `{path}`: a run of a subset may take very long"),
                )
                .unit(path),
            );
        }
    }
}

fn word(entry: &Entry) -> &'static str {
    entry.attribute.name()
}

fn replace(place: Place, value: &str) -> crate::diagnostic::Fix {
    crate::diagnostic::Fix {
        title: format!("replace by `{value}`"),
        safety: Safety::Unsafe,
        steps: vec![FixStep::SetValue(place, value.to_owned())],
    }
}

fn runs_after(graph: &OrderGraph, later: StackIx, earlier: StackIx) -> bool {
    later != earlier && graph.shortest_path(NodeId(later), NodeId(earlier)).is_some()
}

/// The path from a stack's directory to another, as it would be written.
fn relative(from: &str, to: &str) -> String {
    let (from, to) = (Utf8Path::new(from), Utf8Path::new(to));
    let shared = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().count().saturating_sub(shared);
    let down: Vec<&str> = to.components().skip(shared).map(|c| c.as_str()).collect();
    let parts: Vec<&str> = std::iter::repeat_n("..", up).chain(down).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}

/// Marks what each command would report first.
fn mark_first(resolved: &Resolved<'_>, options: &RunOptions, found: &mut [Diagnostic]) {
    let verdicts = verdict::verdicts(resolved, options);
    for d in found {
        for enforced in &mut d.enforced {
            let Some(verdict) = verdicts.iter().find(|v| v.command == enforced.command) else {
                continue;
            };
            enforced.first = verdict.stage == Some(enforced.stage)
                && verdict.errors.iter().any(|e| {
                    e.rule == d.rule.id
                        && (d.units.iter().any(|u| **u == *e.subject)
                            || d.engine_message.as_deref() == Some(&*e.message))
                });
        }
    }
}
