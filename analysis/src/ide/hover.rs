//! What is to be known of the thing at an offset: of a unit its layer, what runs in parallel with it, what it waits
//! for and what waits for it, when it is deleted, and how its file came into the project.

use super::edge_hover::edge_hover;
use super::finding_notes::notes;
use super::name_hover::{members, of_link, of_symbol};
use super::page::{Page, Target};
use super::unit_hover::{unit_hover, units_hover};
use super::{subject, word};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::markdown::{MOST_NAMES, code, names};
use applyorder_syntax::text::Span;

/// A text on a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The text it is about.
    pub span: Span,
    /// Markdown.
    pub markdown: String,
}

/// Where the links of a hover lead.
#[derive(Clone, Copy, Default)]
pub struct Links<'a> {
    /// To the places of units; `None`: there are no links.
    pub target: Option<Target<'a>>,
    /// To the picture of the order, where there is one to be shown.
    pub graph: Option<&'a str>,
}

/// The text on what stands at an offset, without links. See [`hover_with`].
#[must_use]
pub fn hover(analysis: &Analysis, file: FileId, offset: u32) -> Option<Hover> {
    hover_with(analysis, file, offset, Links::default())
}

/// The text on what stands at an offset, with links where they lead somewhere, and with what findings there have to
/// say besides their message. Several projects each have their part, the nearest root first; environments in which a
/// part reads otherwise are told apart.
#[must_use]
pub fn hover_with(analysis: &Analysis, file: FileId, offset: u32, links: Links<'_>) -> Option<Hover> {
    let page = Page {
        analysis,
        target: links.target,
    };
    let mut of_order = at(page, file, offset).or_else(|| stand_in(page, file, offset));
    if let (Some(hover), Some(graph)) = (&mut of_order, links.graph) {
        hover.markdown.push_str(&format!("\n\n[Show graph]({graph})"));
    }
    let found = of_order.or_else(|| field(analysis, file, offset));
    let (span, notes) = notes(page, file, offset).unzip();
    let span = found.as_ref().map(|hover| hover.span).or(span)?;
    let parts: Vec<String> = found
        .map(|hover| hover.markdown)
        .into_iter()
        .chain(notes)
        .collect();
    Some(Hover {
        span,
        markdown: parts.join("\n\n---\n\n"),
    })
}

/// What the field is for whose key stands at an offset.
fn field(analysis: &Analysis, file: FileId, offset: u32) -> Option<Hover> {
    analysis.projects_of(file).into_iter().find_map(|(_, project)| {
        let (span, markdown) = project
            .engine()
            .field(analysis, project.seed.engine, file, offset)?;
        Some(Hover { span, markdown })
    })
}

/// The text on what an offset stands for that is nothing by itself.
fn stand_in(page: Page<'_>, file: FileId, offset: u32) -> Option<Hover> {
    let analysis = page.analysis;
    analysis.projects_of(file).into_iter().find_map(|(_, project)| {
        let engine = project.engine();
        let facts = analysis.facts(file, project.seed.engine)?;
        let (span, index) = engine.stands_for(&**facts, offset)?;
        let meant = facts.span(index)?;
        let hover = at(page, file, meant.start)?;
        Some(Hover { span, ..hover })
    })
}

fn at(page: Page<'_>, file: FileId, offset: u32) -> Option<Hover> {
    let mut subjects = subject::at(page.analysis, file, offset);
    let span = subjects.iter().map(|s| s.span).min_by_key(|s| s.len())?;
    subjects.retain(|s| s.span == span);
    let mut parts: Vec<(Vec<&Project>, String)> = Vec::new();
    for subject in &subjects {
        let text = of_subject(page, subject);
        if text.is_empty() {
            continue;
        }
        match parts.iter_mut().find(|(_, known)| *known == text) {
            Some((projects, _)) => projects.push(subject.of),
            None => parts.push((vec![subject.of], text)),
        }
    }
    let several = parts.len() > 1;
    let texts: Vec<String> = parts
        .into_iter()
        .map(|(projects, text)| {
            if !several {
                return text;
            }
            let roots = projects.iter().map(|p| p.seed.root.as_str());
            format!("In {}:\n\n{text}", names(roots, MOST_NAMES))
        })
        .collect();
    (!texts.is_empty()).then(|| Hover {
        span,
        markdown: texts.join("\n\n---\n\n"),
    })
}

fn of_subject(page: Page<'_>, subject: &subject::Subject<'_>) -> String {
    let analysis = page.analysis;
    let project: &Project = subject.of;
    let mut paragraphs: Vec<String> = Vec::new();
    // One text per variant; variants that read alike are one.
    let mut by_variant: Vec<(Vec<usize>, String)> = Vec::new();
    let mut add = |variant: usize, text: String| match by_variant.iter_mut().find(|(_, t)| *t == text) {
        Some((variants, _)) => {
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
        None => by_variant.push((vec![variant], text)),
    };
    for (v, variant) in subject.variants().iter().enumerate() {
        let here: Vec<UnitIx> = subject
            .units()
            .filter(|(of, _, _, _)| *of == v)
            .map(|(_, _, ix, _)| ix)
            .collect();
        if !here.is_empty() {
            add(v, units(page, project, variant, &here, true));
        }
        for (_, ix, dependency) in subject.numbered().filter(|(of, _, _)| *of == v) {
            let said = project.engine().explain(&project.resolution, variant, ix);
            for said in edge_hover(page, project, variant, ix).into_iter().chain(said) {
                add(v, said);
            }
            let text = if dependency.unknown {
                format!("What {} refers to can't be known.", code(&dependency.text))
            } else if dependency.targets.is_empty() {
                format!("{} matches no {}.", code(&dependency.text), word(project, false))
            } else {
                units(page, project, variant, &dependency.targets, false)
            };
            add(v, text);
        }
    }
    let named = subject
        .variants()
        .iter()
        .any(|v| v.environments.iter().any(Option::is_some));
    for (variants, text) in by_variant {
        // Where there are no environments, variants are parts of one run.
        if variants.len() < subject.variants().len() && named {
            paragraphs.push(format!("_{}_", environments(subject.variants(), &variants)));
        }
        paragraphs.push(text);
    }
    for symbol in subject.symbols() {
        // The name of units is said with them.
        if symbol.kind != word(project, false) {
            paragraphs.push(of_symbol(page, project, subject.variants().first(), symbol));
        } else if paragraphs.is_empty() {
            let first = subject.variants().first();
            let named = members(page, first, symbol);
            paragraphs.push(match first {
                Some(variant) if !named.is_empty() => units(page, project, variant, &named, true),
                _ => of_symbol(page, project, first, symbol),
            });
        }
    }
    for link in subject.links() {
        let text = of_link(analysis, project, &link.target);
        // Each environment has its own links.
        if !paragraphs.contains(&text) {
            paragraphs.push(text);
        }
    }
    paragraphs.join("\n\n")
}

/// The environments of some variants, as a sentence's beginning.
fn environments(all: &[Variant], which: &[usize]) -> String {
    let mut words: Vec<String> = Vec::new();
    for environment in which
        .iter()
        .filter_map(|v| all.get(*v))
        .flat_map(|v| &v.environments)
    {
        words.push(match environment {
            Some(name) => format!("with environment {}", code(name)),
            None => "without environment".to_owned(),
        });
    }
    words.join(", ")
}

/// One unit, or several; of those that are declared here what the engine says of each, too.
fn units(page: Page<'_>, project: &Project, variant: &Variant, which: &[UnitIx], here: bool) -> String {
    match which {
        [one] => unit_hover(page, project, variant, *one),
        many => units_hover(page, project, variant, many, here),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn check(text: &str, expected: &str) {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = hover(&fixture.analysis, fixture.file, fixture.offset);
        assert_eq!(found.map(|h| h.markdown).unwrap_or_default(), expected);
    }

    fn holds(text: &str, parts: &[&str]) {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = hover(&fixture.analysis, fixture.file, fixture.offset)
            .unwrap()
            .markdown;
        for part in parts {
            assert!(found.contains(part), "{part} is not in:\n{found}");
        }
    }

    const DIAMOND: &str = "\
//- /w/tazuna.yaml
spec:
  manifests:
    - name: cni
      type: kustomize
      path: ./x
    - name: cert-manager
      type: helmfile
      path: ./x
      dependsOn: [cni]
    - name: ingress
      type: helmfile
      path: ./x
      dependsOn: [cni]
    - name: app
      type: kustomize
      path: ./x
      dependsOn: [cert-manager, ingress]
";

    #[test]
    fn a_name_shows_its_place_in_the_order() {
        holds(
            &DIAMOND.replace("name: ingress", "name: ing$0ress"),
            &[
                "**manifest `ingress`** · layer 2 of 3",
                "**after** `cni` · **beside** `cert-manager` · **before** `app`",
                "on delete: 3 of 4",
            ],
        );
    }

    #[test]
    fn a_reference_shows_what_it_refers_to() {
        holds(
            &DIAMOND.replace("[cert-manager, ingress]", "[cert-manager, ingr$0ess]"),
            &["**manifest `ingress`** · layer 2 of 3"],
        );
        check(
            &DIAMOND.replace("[cert-manager, ingress]", "[cert-manager, ingres$0]"),
            "`ingres` matches no manifest.\n\n---\n\n- `unknown-dependency`: rejected by `tazuna check` (stage \
             `dependsOn`), `tazuna apply` (stage `dependsOn`): manifest \"app\" dependsOn references unknown manifest \
             \"ingres\"",
        );
    }

    #[test]
    fn an_include_says_once_what_it_brings() {
        check(
            "//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - {includes: [{path: sub/$0a.yaml}]}
    - {name: b{{ .Environment }}, type: kustomize, path: ./x}
//- /w/sub/a.yaml
spec:
  manifests:
    - {name: a, type: kustomize, path: ./x}
",
            "`sub/a.yaml`: 1 manifest",
        );
    }

    #[test]
    fn a_key_says_what_the_field_is_for() {
        check(
            &DIAMOND.replacen("dependsOn: [cni]", "depends$0On: [cni]", 1),
            "`dependsOn` of a manifest: names of manifests that are applied before\n\n---\n\n- `tazuna/destroy-order`: \
             `destroy` follows list order and ignores `dependsOn`",
        );
        check(
            &DIAMOND.replacen("type: kustomize", "$0type: kustomize", 1),
            "`type` of a manifest: what applies it\n\nOne of `kustomize`, `helmfile`, `genesissecret`, `oras`.",
        );
        check(
            &DIAMOND.replacen("path: ./x", "pa$0rts: ./x", 1),
            "- `unknown-field`: Tazuna ignores it",
        );
    }

    #[test]
    fn nothing_to_say_is_nothing() {
        check(&DIAMOND.replace("helmfile", "helm$0file"), "");
    }

    #[test]
    fn each_root_of_a_shared_file_has_its_part() {
        holds(
            "//- /w/one/tazuna.yaml
spec:
  manifests:
    - {includes: [{path: ../shared.yaml}]}
//- /w/shared.yaml
spec:
  manifests:
    - {name: com$0mon, type: kustomize, path: ./x}
//- /w/two/tazuna.yaml
spec:
  manifests:
    - {name: first, type: kustomize, path: ./x}
    - {includes: [{path: ../shared.yaml}]}
",
            &[
                "In `/w/one/tazuna.yaml`:\n\n**manifest `common`** · layer 1 of 1",
                "In `/w/two/tazuna.yaml`:\n\n**manifest `common`** · layer 2 of 2",
                "`/w/shared.yaml:3`, included at",
            ],
        );
    }

    #[test]
    fn environments_that_differ_are_told_apart() {
        holds(
            "//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - {name: first, type: kustomize, path: ./x}
    - {name: sec$0ond, type: kustomize, path: ./x}
{{ if eq .Environment \"prod\" }}
    - {name: third, type: kustomize, path: ./x, dependsOn: [first]}
{{ end }}
",
            &[
                "_without environment_\n\n**manifest `second`** · layer 2 of 2",
                "_with environment `prod`_\n\n**manifest `second`** · layer 1 of 2",
            ],
        );
    }

    #[test]
    fn long_lists_are_bounded() {
        let mut text = String::from("//- /w/tazuna.yaml\nspec:\n  manifests:\n");
        text.push_str("    - {name: $0root, type: kustomize, path: ./x}\n");
        for i in 0..1000 {
            text.push_str(&format!(
                "    - {{name: n{i}, type: kustomize, path: ./x, dependsOn: [root]}}\n"
            ));
        }
        let fixture = Fixture::new(applyorder_engines::all(), &text);
        let found = hover(&fixture.analysis, fixture.file, fixture.offset)
            .unwrap()
            .markdown;
        assert!(found.contains("995 more"), "{found}");
        assert!(found.len() < 2000);
    }

    #[test]
    fn a_reference_says_what_would_be_without_it() {
        let at = |entry: &str| DIAMOND.replace("[cert-manager, ingress]", entry);
        holds(
            &at("[cert-manager, ingr$0ess, cni]"),
            &[
                "**`app`** waits for **`ingress`** · layer 2, then 3",
                "**Without this entry** `app` stays in layer 3, alone",
            ],
        );
        holds(
            &at("[cert-manager, ingress, cn$0i]"),
            &["**Without this entry** nothing moves: it is implied, through `cert-manager`"],
        );
        holds(
            &DIAMOND.replacen("dependsOn: [cni]", "dependsOn: [cn$0i]", 1),
            &[
                "on a longest chain",
                "**Without this entry** `cert-manager` is in layer 1, beside `cni`",
            ],
        );
    }

    #[test]
    fn a_rule_of_deletions_says_what_deleting_would_be_without_it() {
        let map = |name: &str, annotation: &str| {
            format!(
                "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: shop\n  annotations:\n    \
                 kapp.k14s.io/{annotation}\n"
            )
        };
        let data = map("data", "change-rule: delete after deleting ex$0ample.com/users");
        let user = map("user", "change-group: example.com/users");
        holds(
            &format!("//- /w/app.yaml\n{data}{user}"),
            &[
                "**Without this entry** on delete `ConfigMap/data@shop` is in layer 1, beside `ConfigMap/user@shop`",
            ],
        );
    }

    #[test]
    fn an_edge_of_a_cycle_says_how_it_would_be_broken() {
        let text = "\
//- /w/tazuna.yaml
spec:
  manifests:
    - {name: vault, type: kustomize, path: ./x, dependsOn: [postgres]}
    - {name: postgres, type: kustomize, path: ./x, dependsOn: [$0secrets]}
    - {name: secrets, type: kustomize, path: ./x, dependsOn: [vault]}
";
        holds(
            text,
            &[
                "**In a cycle**: `vault` waits for itself, through `postgres` and `secrets`",
                "**Without this entry** this cycle is broken: `postgres` 1, `vault` 2, `secrets` 3",
                "1. `vault` waits for `postgres` (`dependsOn`): `tazuna.yaml:3`",
                "2. `postgres` waits for `secrets` (`dependsOn`): here",
                "**`tazuna apply` rejects this project** (stage `cycle`)",
            ],
        );
    }

    #[test]
    fn what_stands_for_several_units_says_it_of_each() {
        let stack = |path: &str, body: &str| format!("//- /w/{path}/stack.tm\nstack {{\n  {body}\n}}\n");
        let tree = |list: &str| {
            let root = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";
            let (a, b) = (
                stack("a", "tags = [\"x\"]"),
                stack("b", "tags = [\"x\"]\n  after = [\"/a\"]"),
            );
            format!("{root}{a}{b}{}", stack("c", list))
        };
        holds(
            &tree("after = [\"tag:$0x\"]"),
            &[
                "**`/c`** waits for **2 stacks** · layers 1–2, then 3",
                "**2 stacks** · layers 1–2 of 3\n\n- `/a` · layer 1 of 3 · **after** nothing · **beside** nothing · \
                 **before** `/b`, `/c`\n- `/b` · layer 2 of 3 · **after** `/a` · **beside** nothing · **before** `/c`",
            ],
        );
        holds(
            &tree("before = [\"tag:$0x\"]"),
            &["**2 stacks** wait for **`/c`** · layer 1, then 2–3"],
        );
        let instances = "//- /w/main.tf\nresource \"spacelift_stack\" \"$0a\" {\n  for_each = toset([\"x\", \"y\"])\n  name \
                         = each.key\n  repository = \"r\"\n  branch = \"m\"\n}\n";
        holds(
            instances,
            &[
                "**2 stacks** · layer 1 of 1\n\n- `spacelift_stack.a[\"x\"]` · layer 1 of 1 · **after** nothing",
            ],
        );
    }

    #[test]
    fn a_reason_that_is_a_sentence_has_a_line_of_its_own() {
        holds(
            "//- /w/app.yaml\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n---\napiVersion: v1\nkind: \
             ConfigMap\nmetadata:\n  name: $0a\n  namespace: shop\n  annotations: {kapp.k14s.io/change-group: g}\n",
            &[
                "**after** `Namespace/shop` · **beside**",
                "\n\nafter `Namespace/shop`: kapp's default rule `upsert after upserting \
                 change-groups.kapp.k14s.io/namespaces-{namespace}`: resources wait for their own namespace",
            ],
        );
        holds(
            "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- /w/a/stack.tm\nstack {\n}\n//- \
             /w/a/b/stack.tm\n$0stack {\n}\n",
            &["**after** `/a` (nested in it) · "],
        );
    }

    #[test]
    fn every_engine_says_what_would_be_without_an_entry() {
        holds(
            "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- /w/a/stack.tm\nstack {\n}\n//- \
             /w/b/stack.tm\nstack {\n  after = [\"/$0a\"]\n}\n",
            &["**Without this entry** `/b` is in layer 1, beside `/a`"],
        );
        holds(
            "//- /w/state.yaml\napiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    \
             runtimeConfig: \"\"\n  b:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"\"\n    \
             dependencies:\n      $0a: ADD_COND_RUNNING\n",
            &["**Without this entry** `b` is in layer 1, beside `a`"],
        );
        let resource = |name: &str, annotation: &str| {
            format!(
                "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations: {{{annotation}}}\n"
            )
        };
        holds(
            &format!(
                "//- /w/app.yaml\n{}{}",
                resource("a", "kapp.k14s.io/change-group: g"),
                resource("b", "kapp.k14s.io/change-rule: upsert after upserting $0g"),
            ),
            &["**Without this entry** `ConfigMap/b` is in layer 1, beside `ConfigMap/a`"],
        );
        let stack = |name: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  name = \"{name}\"\n  repository = \"r\"\n  branch = \"m\"\n}}\n"
            )
        };
        holds(
            &format!(
                "//- /w/main.tf\n{}{}resource \"spacelift_stack_dependency\" \"ab\" {{\n  stack_id = \
                 spacelift_stack.a.id\n  depends_on_stack_id = spacelift_stack.$0b.id\n}}\n",
                stack("a"),
                stack("b")
            ),
            &["**Without this entry** `spacelift_stack.a` is in layer 1, beside `spacelift_stack.b`"],
        );
    }

    #[test]
    fn names_are_links_where_they_can_be_followed() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            &DIAMOND.replace("name: ingress", "name: ing$0ress"),
        );
        let target = |at: crate::ide::FileSpan| Some(format!("x:{}", at.span.start));
        let links = Links {
            target: Some(&target),
            graph: Some("x:graph"),
        };
        let found = hover_with(&fixture.analysis, fixture.file, fixture.offset, links).unwrap();
        assert!(
            found.markdown.ends_with("\n\n[Show graph](x:graph)"),
            "{}",
            found.markdown
        );
        let at = fixture.text(fixture.file).find("cni").unwrap();
        assert!(
            found.markdown.contains(&format!("**after** [`cni`](x:{at})")),
            "{}",
            found.markdown
        );
    }
}
