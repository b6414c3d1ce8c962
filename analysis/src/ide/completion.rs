//! What can be inserted at an offset. Each engine that read the file is asked.

use std::sync::Arc;

use super::consequence::Consequence;
use super::edge_hover::without_entry;
use super::edited::Edited;
use super::known_order::Known;
use super::unit as unit_of;
use crate::workspace::{Analysis, WhatIf};
use applyorder_core::diagnostic::{EngineIx, FileId};
use applyorder_core::engine::{Completion, CompletionKind, DependencyIx, Joins, Operation, Variant};
use applyorder_core::rules::syntax_error;
use applyorder_syntax::text::Span;
use rustc_hash::FxHashMap;

/// A proposal, and its effect on the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// What is inserted.
    pub completion: Completion,
    /// Whether it would close a cycle.
    pub closes_cycle: bool,
    /// The engine's term for a unit.
    word: &'static str,
}

impl Proposal {
    /// The short detail next to its name, in a long list: everything except that it is a unit.
    #[must_use]
    pub fn short(&self) -> Option<&str> {
        let detail = self.completion.detail.as_deref()?;
        if self.completion.joins.is_none() && self.completion.kind != CompletionKind::Unit {
            return None;
        }
        // A detail that says more than that, such as `stack of a module`, stays whole.
        let rest = match detail.strip_prefix(self.word) {
            Some("") => return None,
            Some(rest) => rest.strip_prefix(", ").or_else(|| rest.strip_prefix(" · ")),
            None => None,
        };
        Some(rest.unwrap_or(detail)).filter(|rest| !rest.is_empty())
    }
}

/// What can be inserted at an offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposals {
    /// Each once: in the engines' own order, those without effect after them, and last those that would close a
    /// cycle.
    pub list: Vec<Proposal>,
    /// Whether the list is incomplete, or would be with less typed.
    pub is_cut: bool,
}

/// The maximum number of proposals of an engine: if there are more, those that match what is typed are given.
/// Computing the effect of each takes about ten microseconds.
const MOST_PROPOSALS: usize = 1_000;

/// What can be inserted at an offset of a file.
#[must_use]
pub fn completions(analysis: &Analysis, file: FileId, offset: u32) -> Proposals {
    let mut found: Vec<(u8, Proposal)> = Vec::new();
    let mut is_cut = false;
    let mut seen = rustc_hash::FxHashSet::default();
    for (index, engine) in analysis.engines().iter() {
        if analysis.facts(file, index).is_none() {
            continue;
        }
        let mut proposed = engine.complete(analysis, index, file, offset);
        // The text is inserted at the cursor.
        proposed.retain(|completion| completion.span.touches(offset));
        if proposed.len() > MOST_PROPOSALS {
            is_cut = true;
            proposed.retain(|completion| fits_typed(analysis, file, offset, completion));
            proposed.truncate(MOST_PROPOSALS);
        }
        proposed.retain(|completion| seen.insert((completion.label.clone(), completion.span)));
        found.extend(with_consequences(analysis, index, (file, offset), proposed));
    }
    found.sort_by_key(|(rank, _)| *rank);
    Proposals {
        list: found.into_iter().map(|(_, proposal)| proposal).collect(),
        is_cut,
    }
}

/// Whether a proposal matches what is typed before an offset: its characters occur in the label, in their
/// order.
fn fits_typed(analysis: &Analysis, file: FileId, offset: u32, completion: &Completion) -> bool {
    let source = analysis.source(file);
    let typed = source.map_or("", |source| {
        Span::new(completion.span.start.min(offset), offset).slice(&source.text)
    });
    let mut label = completion.label.chars().flat_map(char::to_lowercase);
    let mut typed = typed.chars().flat_map(char::to_lowercase);
    typed.all(|wanted| label.any(|c| c == wanted))
}

/// Computes the effect of each proposal on the order, with its rank among the others.
fn with_consequences(
    analysis: &Analysis,
    engine: EngineIx,
    (file, offset): (FileId, u32),
    proposed: Vec<Completion>,
) -> Vec<(u8, Proposal)> {
    let projects = analysis.projects_of(file);
    let variants: Vec<&Variant> = projects
        .iter()
        .filter(|(_, project)| project.seed.engine == engine)
        .flat_map(|(_, project)| project.resolution.variants.iter())
        .collect();
    // The entry that is being typed may already be a dependency.
    let replaced = |variant: &Variant, joins: &Joins| -> Vec<DependencyIx> {
        let at = joins.place.map_or(offset, |place| place.start);
        let written = (0..).map(DependencyIx).zip(&variant.dependencies);
        let written = written.filter(|(_, d)| !d.targets.is_empty());
        let here = written.filter(|(_, d)| d.place.file == file && analysis.span(d.place).touches(at));
        here.map(|(ix, _)| ix).collect()
    };
    let joins = proposed.iter().find_map(|completion| completion.joins.as_ref());
    let without = joins
        .and_then(|joins| without_cycle(analysis, engine, file, |v| replaced(v, joins), joins.operation));
    let layers = without.as_ref().map(layers_by_name).unwrap_or_default();
    let mut known: Vec<Known<'_>> = Vec::new();
    let word = analysis
        .engines()
        .get(engine)
        .map_or("", |engine| engine.meta().unit);
    let alone = |completion: Completion| Proposal {
        completion,
        closes_cycle: false,
        word,
    };
    // If the text is broken, not everything written is known, and the inserted text may complete it.
    let is_broken = projects.iter().any(|(_, project)| {
        let mut found = project.findings().of(file);
        found.any(|d| d.rule == &syntax_error::RULE)
    });
    let mut edited = Edited::new(analysis, engine, file);
    let one = |mut completion: Completion| {
        let mut worst = None;
        let means = completion.joins.as_ref().and_then(|joins| joins.others.first());
        if let Some(layer) = means.and_then(|name| layers.get(&**name))
            && completion.detail.as_deref() == Some(word)
        {
            completion.detail = Some(format!("{word}, {layer}"));
        }
        if let Some(joins) = &completion.joins
            && !is_alone(&variants, joins, &replaced)
        {
            worst = edited.with(&completion, joins);
        } else if let Some(joins) = &completion.joins {
            if known.first().is_none_or(|known| !known.is_for(joins)) {
                known = match &without {
                    Some(without) => {
                        let variants = without.resolution.variants.iter();
                        variants.filter_map(|v| Known::new(v, joins, &[])).collect()
                    }
                    None => {
                        let variants = variants.iter().copied();
                        variants
                            .filter_map(|v| Known::new(v, joins, &replaced(v, joins)))
                            .collect()
                    }
                };
            }
            let found = known.iter_mut().filter_map(|known| known.of(joins));
            // The first environment represents all, except for a cycle, which any of them may close.
            let found: Vec<(Consequence, String)> = found.collect();
            let cycle = found.iter().find(|(c, _)| *c == Consequence::Cycle);
            worst = cycle.or(found.first()).cloned();
        }
        // Unknown dependencies could only add to these.
        let is_certain = |c: &Consequence| matches!(c, Consequence::Cycle | Consequence::Already);
        let worst = worst.filter(|(consequence, _)| !is_broken || is_certain(consequence));
        let Some((consequence, said)) = worst else {
            return (0, alone(completion));
        };
        let closes_cycle = consequence == Consequence::Cycle;
        if !said.is_empty() {
            let before = completion.detail.take().filter(|_| !closes_cycle);
            let parts: Vec<String> = before.into_iter().chain([said]).collect();
            completion.detail = Some(parts.join(" · "));
        }
        let rank = match consequence {
            Consequence::Cycle => 2,
            Consequence::Already => 1,
            Consequence::Stays | Consequence::Moves(_) | Consequence::Unknown => 0,
        };
        (
            rank,
            Proposal {
                completion,
                closes_cycle,
                word,
            },
        )
    };
    proposed.into_iter().map(one).collect()
}

/// The project without the entry that is being typed, if there is no order with it: an empty string can be a path, that
/// of its own directory.
fn without_cycle(
    analysis: &Analysis,
    engine: EngineIx,
    file: FileId,
    replaced: impl Fn(&Variant) -> Vec<DependencyIx>,
    operation: Operation,
) -> Option<WhatIf> {
    let mut projects = analysis.projects_of(file);
    projects.retain(|(_, project)| project.seed.engine == engine);
    let [(_, project)] = projects.as_slice() else {
        return None;
    };
    let mut variants = project.resolution.variants.iter();
    let variant = variants.find(|v| v.order_of(operation).layers.is_none())?;
    let [entry] = replaced(variant)[..] else {
        return None;
    };
    without_entry(analysis, project, variant, entry)
}

/// The layers of the units, as text.
fn layers_by_name(without: &WhatIf) -> FxHashMap<Arc<str>, String> {
    let variant = without.resolution.variants.first();
    let units = variant.into_iter().flat_map(|variant| {
        let names = variant.units.iter().map(|unit| unit.name.clone());
        names.zip(variant.layers_in_words())
    });
    units.filter_map(|(name, layer)| Some((name, layer?))).collect()
}

/// Whether the text at an offset is in one unit, so that the effect of a proposal follows from its edges.
fn is_alone(
    variants: &[&Variant],
    joins: &Joins,
    replaced: &impl Fn(&Variant, &Joins) -> Vec<DependencyIx>,
) -> bool {
    let Some(unit) = &joins.unit else {
        return false;
    };
    variants.iter().all(|variant| {
        let here = replaced(variant, joins);
        let of = |ix: &DependencyIx| unit_of(variant, variant.dependencies.get(ix.0 as usize)?.unit);
        here.iter().all(|ix| of(ix).is_some_and(|own| own.name == *unit))
    })
}

#[cfg(test)]
mod tests {
    use super::super::proposal_hover::{documentation, subjects};
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn names_are_proposed_in_dependencies() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: cni, type: kustomize, path: ./x}\n    - name: b\n      \
             type: kustomize\n      path: ./x\n      dependsOn: [c$0]\n",
        );
        let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
        let has = |label: &str| found.iter().any(|p| p.completion.label == label);
        assert!(has("cni"), "{found:?}");
        assert!(!has("b"), "not itself");
        let told = documentation(&fixture.analysis, fixture.file, &["cni"]).unwrap();
        assert!(told.starts_with("**manifest `cni`** · layer 1 of"), "{told}");
        assert_eq!(documentation(&fixture.analysis, fixture.file, &["c"]), None);
    }

    fn shown(text: &str) -> Vec<String> {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
        let one = |p: Proposal| {
            let mark = if p.closes_cycle { "x " } else { "" };
            format!(
                "{mark}{}: {}",
                p.completion.label,
                p.completion.detail.unwrap_or_default()
            )
        };
        found.into_iter().map(one).collect()
    }

    #[test]
    fn next_to_a_name_is_what_differs_among_all() {
        let proposal = |kind, detail: &str| Proposal {
            completion: Completion {
                label: "a".to_owned(),
                span: Span::new(0, 0),
                insert: None,
                detail: Some(detail.to_owned()),
                kind,
                joins: None,
            },
            closes_cycle: false,
            word: "manifest",
        };
        for (detail, short) in [
            ("manifest, layer 3 · c stays in 5", Some("layer 3 · c stays in 5")),
            ("manifest · c stays in 5", Some("c stays in 5")),
            ("would close a cycle", Some("would close a cycle")),
            ("manifest", None),
            (
                "manifest of a file · c stays in 5",
                Some("manifest of a file · c stays in 5"),
            ),
        ] {
            assert_eq!(proposal(CompletionKind::Unit, detail).short(), short, "{detail}");
        }
        assert_eq!(proposal(CompletionKind::Field, "what it is for").short(), None);
    }

    #[test]
    fn a_value_right_after_its_colon_gets_a_space() {
        let tazuna = "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - name: a\n      type:$0\n";
        let kapp = "//- /w/app.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
                    kapp.k14s.io/change-group: g\n    kapp.k14s.io/change-rule:$0\n";
        let ankaios = |rest: &str| {
            format!(
                "//- /w/state.yaml\napiVersion: v1\nworkloads:\n  b:\n    runtime: podman\n    agent: x\n    runtimeConfig: \
                 \"\"\n  a:\n    agent: x\n    runtimeConfig: \"\"\n{rest}"
            )
        };
        for text in [
            tazuna,
            kapp,
            &ankaios("    runtime:$0\n"),
            &ankaios("    dependencies:\n      b:$0\n"),
        ] {
            let fixture = Fixture::new(applyorder_engines::all(), text);
            let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
            let inserts: Vec<Option<String>> = found.into_iter().map(|p| p.completion.insert).collect();
            let has_space = |insert: &Option<String>| insert.as_ref().is_some_and(|i| i.starts_with(' '));
            assert!(
                !inserts.is_empty() && inserts.iter().all(has_space),
                "{inserts:?}"
            );
            let spaced = text.replace(":$0", ": $0");
            let fixture = Fixture::new(applyorder_engines::all(), &spaced);
            let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
            let is_plain = |p: &Proposal| p.completion.insert.as_ref().is_none_or(|i| !i.starts_with(' '));
            assert!(!found.is_empty() && found.iter().all(is_plain), "{spaced}");
        }
    }

    #[test]
    fn values_are_not_proposed_before_a_value() {
        let text = |value: &str| {
            format!(
                "//- /w/app.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
                 kapp.k14s.io/change-group: {value}\n"
            )
        };
        assert!(!shown(&text("!!str g$0")).is_empty());
        assert_eq!(shown(&text("!!s$0tr g")), [""; 0]);
    }

    #[test]
    fn if_there_are_very_many_only_those_that_match_are_proposed() {
        let mut text = "//- /w/tazuna.yaml\nspec:\n  manifests:\n".to_owned();
        for n in 0..1_200 {
            text.push_str(&format!(
                "    - {{name: unit-{n:04}, type: kustomize, path: ./x}}\n"
            ));
        }
        let proposals = |typed: &str| {
            let own = format!(
                "    - name: own\n      type: kustomize\n      path: ./x\n      dependsOn: [{typed}$0]\n"
            );
            let fixture = Fixture::new(applyorder_engines::all(), &format!("{text}{own}"));
            completions(&fixture.analysis, fixture.file, fixture.offset)
        };
        let all = proposals("");
        assert_eq!((all.list.len(), all.is_cut), (1_000, true));
        let some = proposals("UN119");
        let labels: Vec<&str> = some.list.iter().map(|p| p.completion.label.as_str()).collect();
        assert!(labels.len() < 100 && some.is_cut, "{labels:?}");
        assert!(labels.contains(&"unit-0119") && labels.contains(&"unit-1195"));
        assert!(!labels.contains(&"unit-0911"));
    }

    #[test]
    fn a_manifest_says_what_would_move() {
        let manifest = |name: &str, needs: &str| {
            format!("    - {{name: {name}, type: kustomize, path: ./x, dependsOn: [{needs}]}}\n")
        };
        let text = format!(
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n{}{}{}{}{}{}{}",
            manifest("cilium", ""),
            manifest("secrets", "cilium"),
            manifest("orders-db", "secrets"),
            manifest("cache", "cilium"),
            manifest("checkout", "orders-db"),
            manifest("storefront", "catalog"),
            manifest("catalog", "secrets, $0"),
        );
        assert_eq!(
            shown(&text),
            [
                "orders-db: manifest, layer 3 · catalog moves to 4, storefront to 5",
                "cache: manifest, layer 2 · catalog stays in 3",
                "checkout: manifest, layer 4 · catalog moves to 5, storefront to 6",
                "cilium: manifest, layer 1 · already before it",
                "x storefront: would close a cycle",
            ]
        );
        // A proposal that replaces an entry is compared with the order without that entry.
        let replacing = text.replace("[secrets, $0]", "[secrets, orders-db$0]");
        assert_eq!(
            shown(&replacing),
            [
                "orders-db: manifest, layer 3 · catalog stays in 4",
                "cache: manifest, layer 2 · catalog moves to 3, storefront to 4",
                "checkout: manifest, layer 4 · catalog moves to 5, storefront to 6",
                "cilium: manifest, layer 1 · already before it",
                "x storefront: would close a cycle",
            ]
        );
        // Once any manifest waits, the list is no longer the order, so it is not predicted what moves.
        let listed = "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ./x}\n    - \
                      {name: b, type: kustomize, path: ./x}\n    - name: c\n      type: kustomize\n      path: ./x\n      \
                      dependsOn: [$0";
        assert_eq!(shown(listed), ["a: manifest, layer 1", "b: manifest, layer 2"]);
    }

    #[test]
    fn a_stack_says_it_for_both_directions() {
        let text = |list: &str| {
            format!(
                "//- /w/terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\n//- \
                 /w/a/stack.tm\nstack {{\n}}\n//- /w/b/stack.tm\nstack {{\n  after = [\"/a\"]\n}}\n//- \
                 /w/c/stack.tm\nstack {{\n  after = [\"/b\"]\n  {list}\n}}\n//- /w/d/stack.tm\nstack {{\n  after = \
                 [\"/c\"]\n  tags = [\"late\"]\n}}\n"
            )
        };
        let before = shown(&text("before = [\"/zz$0\"]"));
        assert_eq!(
            before,
            [
                "/d: stack, layer 4 · already after it",
                "x /a: would close a cycle",
                "x /b: would close a cycle",
            ][..]
        );
        assert_eq!(
            shown(&text("wants = [\"/zz$0\"]")),
            ["/a: stack, layer 1", "/b: stack, layer 2", "/d: stack, layer 4"]
        );
        // Quotes that the editor closed are the path of the stack's own directory, with which there is no order.
        let stacks = text("").replace("after = [\"/c\"]", "after = [\"$0\"]");
        let unquoted = stacks.replace("\"$0\"", "$0");
        let expected = [
            "/a: stack, layer 1 · /d moves to 2",
            "/b: stack, layer 2 · /d moves to 3",
            "/c: stack, layer 3 · /d moves to 4",
            "tag:late: tag of 1 stack",
        ];
        assert_eq!(shown(&unquoted)[..3], expected[..3]);
        assert_eq!(shown(&stacks)[..3], expected[..3]);
        let tag = text("").replace("after = [\"/b\"]", "after = [\"tag:$0\"]");
        assert_eq!(shown(&tag), ["x late: would close a cycle"]);
        let tagged = text("wants = [\"$0\"]");
        assert_eq!(
            shown(&tagged),
            [
                "/a: stack, layer 1",
                "/b: stack, layer 2",
                "/d: stack, layer 4",
                "tag:late: tag of 1 stack"
            ]
        );
    }

    #[test]
    fn a_workload_a_rule_and_a_stack_of_spacelift_say_it() {
        let workloads = "//- /w/state.yaml\napiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    \
                         runtimeConfig: \"\"\n    dependencies:\n      $0\n  b:\n    runtime: podman\n    agent: x\n    \
                         runtimeConfig: \"\"\n    dependencies:\n      a: ADD_COND_RUNNING\n  c:\n    runtime: podman\n    \
                         agent: x\n    runtimeConfig: \"\"\n";
        assert_eq!(
            shown(workloads),
            [
                "c: workload, layer 1 · a moves to 2, b to 3",
                "x b: would close a cycle"
            ]
        );
        let resource = |name: &str, annotations: &str| {
            format!(
                "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n{annotations}"
            )
        };
        let rules = format!(
            "//- /w/app.yaml\n{}{}{}",
            resource(
                "a",
                "    kapp.k14s.io/change-group: a\n    kapp.k14s.io/change-rule: upsert after upserting x$0\n"
            ),
            resource(
                "b",
                "    kapp.k14s.io/change-group: b\n    kapp.k14s.io/change-rule: upsert after upserting a\n"
            ),
            resource("c", "    kapp.k14s.io/change-group: c\n"),
        );
        let found = shown(&rules);
        assert!(
            found.contains(&"c: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3".to_owned()),
            "{found:?}"
        );
        assert!(
            found.contains(&"x b: would close a cycle".to_owned()),
            "{found:?}"
        );
        let stacks = "//- /w/main.tf\nresource \"spacelift_stack\" \"a\" {\n  name = \"a\"\n  repository = \
                      \"r\"\n  branch = \"m\"\n}\nresource \"spacelift_stack\" \"b\" {\n  name = \"b\"\n  repository = \
                      \"r\"\n  branch = \"m\"\n}\nresource \"spacelift_stack_dependency\" \"ab\" {\n  stack_id = \
                      spacelift_stack.a.id\n  depends_on_stack_id = spacelift_stack.b.id\n}\nresource \
                      \"spacelift_stack_dependency\" \"ba\" {\n  stack_id = spacelift_stack.b.id\n  \
                      depends_on_stack_id = spacelift_$0\n}\n";
        let found = shown(stacks);
        assert!(
            found.contains(&"x spacelift_stack.a.id: would close a cycle".to_owned()),
            "{found:?}"
        );
    }

    /// ConfigMaps that are each in a group with their own name, with a rule each.
    fn ruled(rules: &[(&str, &str)]) -> String {
        let one = |(name, rule): &(&str, &str)| {
            format!(
                "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n    \
                 kapp.k14s.io/change-group: {name}\n    kapp.k14s.io/change-rule: {rule}\n"
            )
        };
        format!("//- /w/app.yaml\n{}", rules.iter().map(one).collect::<String>())
    }

    #[test]
    fn a_rule_for_deletion_shows_its_effect_on_the_delete_order() {
        let after = |own: &str| {
            ruled(&[
                ("a", own),
                ("b", "delete after deleting a"),
                ("c", "delete before deleting b"),
                ("d", "upsert after upserting a"),
            ])
        };
        let of = |own: &str| -> Vec<String> {
            let found = shown(&after(own));
            let own = |one: &String| one.trim_start_matches("x ").find(": ") == Some(1);
            found.into_iter().filter(own).collect()
        };
        // Members that are only applied are not in the delete order.
        assert_eq!(
            of("delete after deleting z$0"),
            [
                "c: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3 on delete",
                "d: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3 on delete",
                "x a: would close a cycle on delete",
                "x b: would close a cycle on delete",
            ]
        );
        assert_eq!(
            of("delete before deleting z$0"),
            [
                "c: 1 member · ConfigMap/c moves to 2, ConfigMap/b to 3 on delete",
                "d: 1 member · ConfigMap/d moves to 2 on delete",
                "b: 1 member · already after it on delete",
                "x a: would close a cycle on delete",
            ]
        );
        // It replaces one that closes a cycle.
        assert_eq!(
            of("delete after deleting b$0"),
            [
                "c: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3 on delete",
                "d: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3 on delete",
                "x a: would close a cycle on delete",
                "x b: would close a cycle on delete"
            ]
        );
        // It applies only in runs that both apply and delete.
        let mixed = of("upsert after deleting z$0");
        assert!(mixed.iter().all(|one| one.ends_with(": 1 member")), "{mixed:?}");
    }

    #[test]
    fn what_is_in_a_group_only_by_a_config_is_not_ordered_by_kapp_delete() {
        let config = "---\napiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeGroupBindings:\n- name: g\n  \
                      resourceMatchers:\n  - allMatcher: {}\n";
        let text = ruled(&[
            ("a", "delete after deleting z$0"),
            ("b", "delete after deleting a"),
        ]);
        let found = shown(&format!("{text}{config}"));
        let of = |name: &str| found.iter().find(|one| one.contains(name)).unwrap().clone();
        assert_eq!(of("b: "), "x b: would close a cycle on delete");
        assert_eq!(of("g: "), "g: 2 members · ConfigMap/a stays in 1 on delete");
    }

    #[test]
    fn an_instance_and_an_output_of_a_module_are_documented_by_their_stack() {
        let stack = |name: &str, each: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  {each}\n  name = \"{name}\"\n  repository = \"r\"\n  \
                 branch = \"m\"\n}}\n"
            )
        };
        let each = "for_each = toset([\"x\"])";
        let fixture = Fixture::new(
            applyorder_engines::all(),
            &format!(
                "//- /w/main.tf\nmodule \"n\" {{\n  source = \"./m\"\n}}\n{}resource \"spacelift_stack_dependency\" \
                 \"d\" {{\n  {each}\n  stack_id = spacelift_stack.a[each.key].id\n  depends_on_stack_id = \
                 module$0\n}}\n//- /w/m/main.tf\n{}output \"id\" {{\n  value = spacelift_stack.s.id\n}}\n",
                stack("a", each),
                stack("s", ""),
            ),
        );
        let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
        for (label, unit) in [
            ("spacelift_stack.a[\"x\"].id", "spacelift_stack.a[\"x\"]"),
            ("module.n.id", "module.n.spacelift_stack.s"),
        ] {
            let one = found.iter().find(|p| p.completion.label == label);
            let subjects = subjects(&one.unwrap_or_else(|| panic!("{found:?}")).completion);
            let subjects: Vec<&str> = subjects.iter().map(|name| &**name).collect();
            let told = documentation(&fixture.analysis, fixture.file, &subjects);
            assert!(
                told.as_ref()
                    .is_some_and(|t| t.starts_with(&format!("**stack `{unit}`**"))),
                "{label}: {told:?}"
            );
        }
    }
}
