//! Renaming a unit, or a symbol that can be renamed, with all references in all projects that know it.

mod target;
mod tried;

use rustc_hash::FxHashSet;

use self::target::{Target, target};
use self::tried::tried;
use super::references::projects_declaring;
use super::written_name::{is_quoted, name_in, not_literal};
use super::{FileSpan, declared_at, subject, word};
use crate::config_file::{self, Mention};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::{FileId, Fix, FixStep, Place, Safety};
use applyorder_syntax::text::{Span, TextEdit};

/// What can be renamed at an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// The location of the name here.
    pub span: Span,
    /// The name.
    pub name: String,
}

/// Whether the subject at an offset can be renamed.
///
/// # Errors
/// A sentence that says why it cannot.
pub fn prepare(analysis: &Analysis, file: FileId, offset: u32) -> Result<Renaming, String> {
    if let Some(mention) = config_file::mention_at(analysis, file, offset) {
        declared_by(analysis, &mention)?;
        return Ok(Renaming {
            span: mention.span,
            name: mention.text,
        });
    }
    let target = target(analysis, file, offset)?;
    let here = name_in(analysis, target.here, &target.name)
        .ok_or_else(|| not_literal(analysis, target.here, &target.name))?;
    // Editors request the range at the cursor: at a quote that is the name with its quotes, at another part of
    // an address the range from there to the name.
    let source = analysis.source(file);
    let is_quote = |at: u32| {
        let byte = source.and_then(|source| source.text.as_bytes().get(at as usize));
        matches!(byte, Some(b'"' | b'\''))
    };
    let quoted = here
        .start
        .checked_sub(1)
        .filter(|at| is_quote(*at) && is_quote(here.end));
    let quoted = quoted.map(|at| Span::new(at, here.end + 1));
    let mut spans = [Some(here), quoted].into_iter().flatten();
    let span = spans.find(|span| span.touches(offset));
    Ok(Renaming {
        span: span.unwrap_or_else(|| here.cover(Span::at(offset))),
        name: target.name,
    })
}

/// The edits of a rename, by file.
///
/// # Errors
/// A sentence that says why it is rejected: the name is taken, the engine would not accept it, or a place does
/// not contain the name as text.
pub fn rename(
    analysis: &Analysis,
    file: FileId,
    offset: u32,
    new_name: &str,
) -> Result<Vec<(FileId, Vec<TextEdit>)>, String> {
    let (file, offset) = match config_file::mention_at(analysis, file, offset) {
        Some(mention) => declared_by(analysis, &mention)?,
        None => (file, offset),
    };
    let target = target(analysis, file, offset)?;
    if target.name == new_name {
        return Ok(Vec::new());
    }
    check_new_name(analysis, file, offset, &target, new_name)?;
    let mut steps = Vec::new();
    let mut seen: FxHashSet<FileSpan> = FxHashSet::default();
    for place in target.places {
        let at = FileSpan::of(analysis, place);
        if !seen.insert(at) {
            continue;
        }
        let inner =
            name_in(analysis, at, &target.name).ok_or_else(|| not_literal(analysis, at, &target.name))?;
        steps.push(if inner == at.span || is_quoted(analysis, at, inner) {
            FixStep::SetValue(place, new_name.to_owned())
        } else {
            FixStep::Replace(Place::span(at.file, inner), new_name.to_owned())
        });
    }
    let fix = Fix {
        title: String::new(),
        safety: Safety::Safe,
        steps,
    };
    let mut edits = analysis.edits(&fix);
    let after = tried(analysis, &edits)?;
    edits.extend(config_file::renamed(analysis, &after));
    Ok(edits)
}

/// Where the only unit is declared that a configuration names, by exactly the name that is written there.
fn declared_by(analysis: &Analysis, mention: &Mention<'_>) -> Result<(FileId, u32), String> {
    let elsewhere = |why: &str| format!("{why}; rename it where it is declared");
    if mention.is_pattern() {
        return Err(elsewhere("a pattern can match any units"));
    }
    let all = analysis
        .projects()
        .flat_map(|(_, p)| p.resolution.variants.iter().flat_map(|v| &v.units));
    let mut declared: Vec<FileSpan> = all
        .filter(|unit| *unit.name == mention.text)
        .map(|unit| declared_at(analysis, unit))
        .collect();
    declared.sort_unstable();
    declared.dedup();
    match declared.as_slice() {
        [] => Err(format!("no project has a unit `{}`", mention.text)),
        [at] => {
            let offset = at.span.start;
            let target = target(analysis, at.file, offset)?;
            if target.name == mention.text {
                Ok((at.file, offset))
            } else {
                Err(elsewhere(&format!(
                    "only `{}` of it is written in its file",
                    target.name
                )))
            }
        }
        _ => Err(elsewhere(&format!("several units are called `{}`", mention.text))),
    }
}

fn check_new_name(
    analysis: &Analysis,
    file: FileId,
    offset: u32,
    target: &Target,
    new_name: &str,
) -> Result<(), String> {
    let subjects = subject::at(analysis, file, offset);
    for subject in &subjects {
        if let Some(symbol) = subject.symbols().next() {
            let taken = subject
                .of
                .resolution
                .symbols
                .iter()
                .any(|s| s.kind == symbol.kind && *s.name == *new_name);
            if taken {
                return Err(format!("a {} {new_name} already exists", symbol.kind));
            }
            return subject.of.engine().check_symbol(symbol.kind, new_name);
        }
        for place in subject.unit_places(analysis) {
            for project in projects_declaring(analysis, place) {
                project.engine().check_name(new_name)?;
                for variant in &project.resolution.variants {
                    let Some(unit) = variant.units.iter().find(|u| declared_at(analysis, u) == place) else {
                        continue;
                    };
                    let renamed = unit.name.replacen(target.name.as_str(), new_name, 1);
                    if variant.units.iter().any(|u| *u.name == *renamed) {
                        return Err(format!(
                            "{renamed} is already a {} of {}",
                            word(project, false),
                            project.seed.root
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn check(text: &str, new_name: &str, expected: Result<&str, &str>) {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = rename(&fixture.analysis, fixture.file, fixture.offset, new_name);
        let found = found.map(|edits| fixture.edited(&edits));
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
            (found, _) => panic!("{found:?}"),
        }
    }

    const TREE: &str = "\
//- /w/b.yaml
spec:
  manifests:
    - {name: b, type: kustomize, path: ./x, dependsOn: ['a']}
//- /w/tazuna.yaml
spec:
  manifests:
    - name: \"a\" # ä
      type: kustomize
      path: ./x
    - includes: [{path: b.yaml}]
    - name: c
      type: kustomize
      path: ./x
      dependsOn:
        - a
        - b
";

    #[test]
    fn a_unit_is_renamed_with_all_its_references() {
        let renamed = TREE
            .replace("'a'", "'new'")
            .replace("\"a\"", "\"new\"")
            .replace("- a\n", "- new\n");
        check(&TREE.replace("\"a\"", "\"$0a\""), "new", Ok(&renamed));
        check(&TREE.replace("- a\n", "- a$0\n"), "new", Ok(&renamed));
        check(&TREE.replace("\"a\"", "\"$0a\""), "a", Ok(""));
    }

    #[test]
    fn a_name_that_is_taken_or_bad_is_refused() {
        check(
            &TREE.replace("\"a\"", "\"$0a\""),
            "b",
            Err("b is already a manifest of /w/tazuna.yaml"),
        );
        check(&TREE.replace("\"a\"", "\"$0a\""), "No good", Err(""));
        check(&TREE.replace("\"a\"", "\"$0a\""), "", Err(""));
    }

    #[test]
    fn a_name_that_two_units_have_is_refused() {
        check(
            &TREE.replace("name: c", "name: a").replace("\"a\"", "\"$0a\""),
            "new",
            Err("a is the name of 2 manifests"),
        );
    }

    #[test]
    fn a_value_that_comes_through_an_alias_is_renamed_at_its_source_or_refused() {
        // The alias refers to the name itself.
        let text = TREE
            .replace("\"a\"", "&x $0a")
            .replace("        - a\n", "        - *x\n");
        let renamed = text.replace("'a'", "'new'").replace("&x $0a", "&x new");
        check(&text, "new", Ok(&renamed));
        // So does a text elsewhere, unless an alias uses it for something else.
        let text = TREE
            .replace("\"a\"", "*x")
            .replace("        - a\n", "        - *x$0\n")
            .replace("'a'", "a$0")
            .replace("*x$0", "*x")
            .replace("//- /w/tazuna.yaml\n", "//- /w/tazuna.yaml\nx-names: &x a\n");
        let renamed = text.replace("[a$0]", "[new]").replace("&x a", "&x new");
        check(&text, "new", Ok(&renamed));
        let text = text.replace("path: ./x\n", "path: *x\n");
        check(&text, "new", Err("aliases also use the text at tazuna.yaml:1"));
    }

    const ENVIRONMENTS: &str = "\
//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - {name: $0a, type: kustomize, path: ./x}
    - name: b{{ with .Environment }}-{{ . }}{{ end }}
      type: kustomize
      path: ./x
      dependsOn: [a]
";

    #[test]
    fn environments_that_differ_share_their_names() {
        let renamed = ENVIRONMENTS.replace("$0a", "new").replace("[a]", "[new]");
        check(ENVIRONMENTS, "new", Ok(&renamed));
        let at_reference = ENVIRONMENTS.replace("$0", "").replace("[a]", "[a$0]");
        check(&at_reference, "new", Ok(&renamed));
        check(ENVIRONMENTS, "b", Err("b is already a manifest"));
    }

    #[test]
    fn a_name_that_a_template_goes_on_with_is_refused() {
        let text = ENVIRONMENTS.replace("$0", "").replace("name: b{{", "name: $0b{{");
        check(&text, "new", Err("comes from an alias or a template"));
    }

    #[test]
    fn a_name_that_is_read_as_another_text_is_refused_with_what_it_is_read_as() {
        let named = |name: &str| TREE.replace("\"a\"", &format!("$0{name}"));
        check(
            &named("1.10").replace("'a'", "1.1").replace("- a\n", "- 1.1\n"),
            "new",
            Err("1.10 at tazuna.yaml:3 is read as 1.1: quote the intended name first"),
        );
        check(&named("on"), "new", Err("on at tazuna.yaml:3 is read as true"));
        check(
            &named("\"x\\x61\""),
            "new",
            Err("xa is written with escapes at tazuna.yaml:3"),
        );
    }

    #[test]
    fn a_header_is_more_than_the_name() {
        let on_key = TREE.replace("name: \"a\"", "na$0me: \"a\"");
        check(&on_key, "new", Err("nothing to rename here"));
        let kapp = "//- /w/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  annotations:\n    \
                    kapp.k14s.io/change-group: g\n";
        check(
            &kapp.replace("apiV", "api$0V"),
            "new",
            Err("nothing to rename here"),
        );
    }

    #[test]
    fn what_is_renamed_is_what_the_cursor_is_in() {
        let spacelift = |id: &str| {
            format!(
                "//- /w/main.tf\nresource \"spacelift_stack\" \"a\" {{\n  name = \"a\"\n  repository = \"r\"\n  branch = \"m\"\n}}\nresource \"spacelift_stack\" \"b\" {{\n  name = \"b\"\n  repository = \"r\"\n  branch = \"m\"\n}}\nresource \"spacelift_stack_dependency\" \"d\" {{\n  \
                 stack_id = spacelift_stack.b.id\n  depends_on_stack_id = {id}\n}}\n"
            )
        };
        for (text, expected) in [
            (TREE.replace("\"a\"", "\"$0a\""), "a"),
            (TREE.replace("\"a\"", "$0\"a\""), "\"a\""),
            (spacelift("spacelift_stack.a$0.id"), "a"),
            (spacelift("spacelift_st$0ack.a.id"), "ack.a"),
            (spacelift("spacelift_stack.a.i$0d"), "a.i"),
        ] {
            let fixture = Fixture::new(applyorder_engines::all(), &text);
            let found = prepare(&fixture.analysis, fixture.file, fixture.offset);
            let found = found.unwrap_or_else(|why| panic!("{text}: {why}"));
            assert!(found.span.touches(fixture.offset), "{text}");
            let shown = found.span.slice(fixture.text(fixture.file));
            assert_eq!((shown, &*found.name), (expected, "a"));
        }
    }

    #[test]
    fn elsewhere_is_nothing_to_rename() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            &TREE.replace("path: ./x\n", "path: ./$0x\n"),
        );
        assert!(prepare(&fixture.analysis, fixture.file, fixture.offset).is_err());
        let fixture = Fixture::new(applyorder_engines::all(), &TREE.replace("\"a\"", "\"$0a\""));
        let found = prepare(&fixture.analysis, fixture.file, fixture.offset).unwrap();
        assert_eq!(found.name, "a");
        assert_eq!(found.span.slice(fixture.text(fixture.file)), "a");
    }
}
