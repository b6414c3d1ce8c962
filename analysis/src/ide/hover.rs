//! What is to be known of the thing at an offset: of a unit its layer, what runs in parallel with it, what it waits
//! for and what waits for it, when it is deleted, and how its file came into the project.

use camino::Utf8Path;
use rustc_hash::FxHashSet;

use super::edge_hover::edge_hover;
use super::layers::LayerTable;
use super::page::{Page, Target};
use super::unit_hover::{short_path, unit_hover};
use super::{FileSpan, declared_at, subject, word};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Symbol, UnitIx, Variant};
use applyorder_core::markdown::{MOST_NAMES, code, escape, names, sentence};
use applyorder_syntax::text::Span;

/// A text on a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The text it is about.
    pub span: Span,
    /// Markdown.
    pub markdown: String,
}

/// The text on what stands at an offset, without links. See [`hover_with`].
#[must_use]
pub fn hover(analysis: &Analysis, file: FileId, offset: u32) -> Option<Hover> {
    hover_with(analysis, file, offset, None)
}

/// The text on what stands at an offset, with links to the places of units where a target is given, and with what
/// findings there have to say besides their message. Several projects each have their part, the nearest root first;
/// environments in which a part reads otherwise are told apart.
#[must_use]
pub fn hover_with(
    analysis: &Analysis,
    file: FileId,
    offset: u32,
    target: Option<Target<'_>>,
) -> Option<Hover> {
    let page = Page { analysis, target };
    let found = at(page, file, offset)
        .or_else(|| stand_in(page, file, offset))
        .or_else(|| field(analysis, file, offset));
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

/// What findings at an offset say besides their message, which editors show by themselves.
fn notes(page: Page<'_>, file: FileId, offset: u32) -> Option<(Span, String)> {
    let analysis = page.analysis;
    let mut lines: Vec<String> = Vec::new();
    let mut at = None;
    for finding in analysis.findings_of(file) {
        let d = finding.diagnostic;
        let span = analysis.span(d.place);
        if !span.touches(offset) {
            continue;
        }
        let rejected = d.enforced.iter().map(|e| (e.command, e.stage));
        let meta = finding
            .projects
            .first()
            .and_then(|p| analysis.project(*p))
            .map(|p| p.engine().meta());
        let rejected: Vec<String> = rejected
            .filter_map(|(command, stage)| {
                Some(format!(
                    "{} (stage {})",
                    code(&meta?.command_line(command)),
                    code(stage)
                ))
            })
            .collect();
        let mut said: Vec<String> = d.notes.iter().map(|note| sentence(note)).collect();
        if !rejected.is_empty() {
            let words = d.engine_message.as_deref().and_then(|m| m.lines().next());
            let words = words
                .filter(|w| !w.is_empty())
                .map(|w| format!(": {}", escape(w)));
            said.push(format!(
                "rejected by {}{}",
                rejected.join(", "),
                words.unwrap_or_default()
            ));
        }
        if finding.projects.len() > 1 {
            let roots = finding
                .projects
                .iter()
                .filter_map(|p| Some(analysis.project(*p)?.seed.root.as_str()));
            said.push(format!("in the projects of {}", names(roots, MOST_NAMES)));
        }
        if !said.is_empty() {
            at = at.or(Some(span));
            lines.extend(
                said.into_iter()
                    .map(|line| format!("- {}: {line}", code(d.rule.id))),
            );
        }
    }
    Some((at?, lines.join("\n")))
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
            add(v, declared(page, project, variant, &here));
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
                units(page, project, variant, &dependency.targets)
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
        if symbol.kind != word(project, false) || paragraphs.is_empty() {
            paragraphs.push(of_symbol(page, project, subject.variants().first(), symbol));
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

fn of_link(analysis: &Analysis, project: &Project, target: &Utf8Path) -> String {
    let Some(file) = analysis.file(target).filter(|f| analysis.source(*f).is_some()) else {
        let dir = project.seed.root.parent().unwrap_or(&project.seed.root);
        let path = target.strip_prefix(dir).unwrap_or(target);
        return format!("{}: can't be read", code(path.as_str()));
    };
    let mut seen = FxHashSet::default();
    let units = project
        .resolution
        .variants
        .iter()
        .flat_map(|v| &v.units)
        .filter(|u| u.header.file == file && seen.insert(analysis.span(u.header)))
        .count();
    let path = short_path(analysis, project, file);
    format!("{}: {units} {}", code(&path), word(project, units != 1))
}

/// A name that is no unit: who has it, and who names it.
pub(super) fn of_symbol(
    page: Page<'_>,
    project: &Project,
    variant: Option<&Variant>,
    symbol: &Symbol,
) -> String {
    let members = members(page, variant, symbol);
    let count = members.len();
    let mut text = format!(
        "**{} {}** · {count} {}",
        escape(symbol.kind),
        code(&symbol.name),
        word(project, count != 1)
    );
    let Some(variant) = variant else { return text };
    let mut lines: Vec<String> = Vec::new();
    if count > 0 {
        lines.push(format!("**members** {}", page.units(variant, &members)));
    }
    let written = variant.dependencies.iter();
    let mut by: Vec<UnitIx> = written
        .filter(|d| symbol.references.contains(&d.place))
        .map(|d| d.unit)
        .collect();
    by.dedup();
    if !by.is_empty() {
        lines.push(format!("**named by** {}", page.units(variant, &by)));
    }
    if !lines.is_empty() {
        text.push_str("\n\n");
        text.push_str(&lines.join(" · "));
    }
    text
}

/// The units of a symbol; of one that names units itself, those that are declared there.
fn members(page: Page<'_>, variant: Option<&Variant>, symbol: &Symbol) -> Vec<UnitIx> {
    let Some(variant) = variant.filter(|_| symbol.units.is_empty()) else {
        return symbol.units.clone();
    };
    let at = |place| FileSpan::of(page.analysis, place);
    let declared: FxHashSet<FileSpan> = symbol.definitions.iter().map(|place| at(*place)).collect();
    let units = (0..).map(UnitIx).zip(&variant.units);
    units
        .filter(|(_, unit)| declared.contains(&declared_at(page.analysis, unit)))
        .map(|(ix, _)| ix)
        .collect()
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

/// The units that are declared at one place: of several the layer of each, and what its engine says of it.
fn declared(page: Page<'_>, project: &Project, variant: &Variant, which: &[UnitIx]) -> String {
    if let [one] = which {
        return unit_hover(page, project, variant, *one);
    }
    let layers = LayerTable::new(variant);
    let mut lines = vec![format!("{} {}\n", which.len(), word(project, true))];
    for ix in which.iter().take(MOST_NAMES) {
        let place = layers.of(*ix).unwrap_or_else(|| "no layer".to_owned());
        let said = project.engine().hover(&project.resolution, variant, *ix);
        let said: String = said.iter().map(|said| format!(" {said}")).collect();
        lines.push(format!("- {} · {place}.{said}", page.units(variant, &[*ix])));
    }
    let more = which.len().saturating_sub(MOST_NAMES);
    if more > 0 {
        lines.push(format!("- {more} more"));
    }
    lines.join("\n")
}

fn units(page: Page<'_>, project: &Project, variant: &Variant, which: &[UnitIx]) -> String {
    match which {
        [one] => unit_hover(page, project, variant, *one),
        many => format!(
            "{} {}: {}",
            many.len(),
            word(project, true),
            page.units(variant, many)
        ),
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
        let found = hover_with(&fixture.analysis, fixture.file, fixture.offset, Some(&target)).unwrap();
        let at = fixture.text(fixture.file).find("cni").unwrap();
        assert!(
            found.markdown.contains(&format!("**after** [`cni`](x:{at})")),
            "{}",
            found.markdown
        );
    }
}
