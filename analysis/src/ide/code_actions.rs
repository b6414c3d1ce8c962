//! The fixes of findings, as edits.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::closing::{closes_cycle, may_close};
use crate::workspace::{Analysis, Finding};
use applyorder_core::diagnostic::{FileId, Fix, Safety};
use applyorder_core::rules::cycle;
use applyorder_syntax::text::{Span, TextEdit};

/// Edits of several files.
pub type Edits = Vec<(FileId, Vec<TextEdit>)>;

/// A fix that can be applied.
pub struct Action<'a> {
    /// The finding it fixes.
    pub finding: Finding<'a>,
    /// The fix.
    pub fix: &'a Fix,
    /// What it changes.
    pub edits: Edits,
    /// Whether it is the finding's best and may be applied without review.
    pub preferred: bool,
    /// Whether more units would wait for each other with it.
    pub closes_cycle: bool,
}

/// The maximum number of fixes whose effect on the order is computed per request.
const MOST_LOOKED_AT: usize = 8;

/// The fixes of the findings that touch a range of a file.
#[must_use]
pub fn code_actions(analysis: &Analysis, file: FileId, range: Span) -> Vec<Action<'_>> {
    let mut actions = Vec::new();
    let mut looks = MOST_LOOKED_AT;
    for finding in analysis.findings_of(file) {
        let span = analysis.span(finding.diagnostic.place);
        let is_met = span.start <= range.end && range.start <= span.end;
        if !is_met || finding.diagnostic.fixes.is_empty() || !analysis.confirms(&finding) {
            continue;
        }
        // To remove a cycle, the best cut is the one that leaves the fewest units in cycles.
        let d = finding.diagnostic;
        let is_cut = d.rule == &cycle::RULE && d.part_of.is_none();
        for (rank, fix) in d.fixes.iter().enumerate() {
            let edits = analysis.edits(fix);
            if edits.is_empty() {
                continue;
            }
            let is_looked_at = looks > 0 && may_close(fix);
            looks -= usize::from(is_looked_at);
            actions.push(Action {
                closes_cycle: is_looked_at && closes_cycle(analysis, &edits),
                finding: finding.clone(),
                fix,
                edits,
                preferred: rank == 0 && (fix.safety == Safety::Safe || is_cut),
            });
        }
    }
    actions
}

/// The maximum number of findings per request that are offered to be ignored: for each, the file is read with its
/// comment.
const MOST_IGNORED: usize = 8;

/// The findings that touch a range of a file, each with the comment that would ignore it there; of several of
/// one rule on one line the first. Of a range with many findings the first ones.
#[must_use]
pub fn ignores(analysis: &Analysis, file: FileId, range: Span) -> Vec<(Finding<'_>, TextEdit)> {
    let Some(source) = analysis.source(file) else {
        return Vec::new();
    };
    let findings = analysis.findings_of(file);
    let mut places = FxHashSet::default();
    let met = findings.into_iter().filter(|finding| {
        let d = finding.diagnostic;
        let span = analysis.span(d.place);
        let is_met = span.start <= range.end && range.start <= span.end;
        // A mark is ignored together with its finding.
        is_met && d.part_of.is_none() && places.insert((d.rule.id, source.lines().line(span.start)))
    });
    let offered = met.take(MOST_IGNORED);
    offered
        .filter_map(|finding| Some((finding.clone(), analysis.ignore_here(&finding)?)))
        .collect()
}

/// All safe fixes of a file's findings together: for each finding the first safe one that does not overlap
/// another's changes.
#[must_use]
pub fn fix_all(analysis: &Analysis, file: FileId) -> Edits {
    let mut all: FxHashMap<FileId, Taken> = FxHashMap::default();
    for finding in analysis.findings_of(file) {
        let safe = finding
            .diagnostic
            .fixes
            .iter()
            .filter(|f| f.safety == Safety::Safe)
            .map(|f| analysis.edits(f))
            .find(|edits| !edits.is_empty() && !touches(&all, edits));
        for (file, edits) in safe.into_iter().flatten() {
            let taken = all.entry(file).or_default();
            taken
                .spans
                .extend(edits.iter().map(|e| (e.span.start, e.span.end)));
            taken.edits.extend(edits);
        }
    }
    let mut all: Edits = all.into_iter().map(|(file, taken)| (file, taken.edits)).collect();
    all.sort_by_key(|(file, _)| *file);
    for (_, edits) in &mut all {
        edits.sort_by_key(|e| (e.span.start, e.span.end));
    }
    all
}

/// What fixes change in a file.
#[derive(Default)]
struct Taken {
    edits: Vec<TextEdit>,
    /// Without overlaps: what starts later also ends later.
    spans: BTreeSet<(u32, u32)>,
}

fn touches(all: &FxHashMap<FileId, Taken>, edits: &Edits) -> bool {
    edits.iter().any(|(file, edits)| {
        all.get(file).is_some_and(|taken| {
            edits.iter().any(|edit| {
                let before = taken.spans.range(..=(edit.span.end, u32::MAX)).next_back();
                before.is_some_and(|(_, end)| *end >= edit.span.start)
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn a_fix_at_the_cursor_is_offered_as_edits() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: cni, type: kustomize, path: ./x}\n    - \
             {name: b, type: kustomize, path: ./x, dependsOn: [$0cnj]}\n",
        );
        let actions = code_actions(&fixture.analysis, fixture.file, Span::at(fixture.offset));
        let results: Vec<String> = actions.iter().map(|a| fixture.edited(&a.edits)).collect();
        assert!(
            results.iter().any(|text| text.contains("dependsOn: [cni]")),
            "{results:?}"
        );
        assert!(code_actions(&fixture.analysis, fixture.file, Span::at(0)).is_empty());
    }

    #[test]
    fn a_name_that_would_close_a_cycle_is_marked() {
        let marked = |tree: &str| -> Vec<(String, bool)> {
            let fixture = Fixture::new(applyorder_engines::all(), tree);
            let found = code_actions(&fixture.analysis, fixture.file, Span::at(fixture.offset));
            found
                .iter()
                .map(|a| (a.fix.title.clone(), a.closes_cycle))
                .collect()
        };
        let manifests = |of_first: &str| {
            format!(
                "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {{name: database, type: kustomize, path: ./x, dependsOn: \
                 [{of_first}]}}\n    - {{name: b, type: kustomize, path: ./x, dependsOn: [$0databasa]}}\n"
            )
        };
        let offered = |closes| {
            [
                ("replace with `database`".to_owned(), closes),
                ("remove the dependency".to_owned(), false),
            ]
        };
        assert_eq!(marked(&manifests("")), offered(false));
        assert_eq!(marked(&manifests("b")), offered(true));
        let stacks = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- \
                      /w/one/stack.tm\nstack {\n  after = [\"/twa$0\"]\n}\n//- /w/two/stack.tm\nstack {\n  after = \
                      [\"/one\"]\n}\n";
        let closes = |tree: &str, name: &str| {
            let found = marked(tree);
            let is_it = |(title, closes): &(String, bool)| *closes && title.contains(name);
            assert!(found.iter().any(is_it), "{found:?}");
        };
        closes(stacks, "/two");
        let workloads = "//- /w/state.yaml\napiVersion: v1\nworkloads:\n  front:\n    runtime: podman\n    agent: x\n    \
                         runtimeConfig: \"\"\n    dependencies:\n      bakc$0: ADD_COND_RUNNING\n  back:\n    runtime: \
                         podman\n    agent: x\n    runtimeConfig: \"\"\n    dependencies:\n      front: \
                         ADD_COND_RUNNING\n";
        closes(workloads, "back");
    }

    #[test]
    fn a_finding_is_ignored_by_a_comment_where_one_can_be() {
        let ignored = |tree: &str| -> Vec<String> {
            let fixture = Fixture::new(applyorder_engines::all(), tree);
            let found = ignores(&fixture.analysis, fixture.file, Span::at(fixture.offset));
            let edited = found
                .into_iter()
                .map(|(_, edit)| fixture.edited(&[(fixture.file, vec![edit])]));
            edited.collect()
        };
        let manifest = |entry: &str| {
            format!(
                "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - name: b\n      type: kustomize\n      path: .\n      \
                 dependsOn: {entry}\n"
            )
        };
        let after = ignored(&manifest("[$0gone]"));
        assert_eq!(after.len(), 1);
        assert!(
            after[0].contains("      dependsOn: [gone] # applyorder: ignore[unknown-dependency]\n"),
            "{after:?}"
        );
        // After a line inside a multi-line quoted text it would be part of that.
        let broken_in = manifest("[\"$0go\n        ne\"]");
        let broken = ignored(&broken_in);
        assert!(
            broken[0].contains("      # applyorder: ignore[unknown-dependency]\n      dependsOn: [\"go\n"),
            "{broken:?}"
        );
        let (header, text) = broken_in.split_once('\n').unwrap();
        let broken = ignored(&format!("{header}\n{}", text.replace('\n', "\r\n")));
        assert!(
            broken[0].contains("# applyorder: ignore[unknown-dependency]\r\n"),
            "{broken:?}"
        );
        let again = Fixture::new(applyorder_engines::all(), &after[0]);
        let left = again.analysis.findings_of(again.path("/w/tazuna.yaml"));
        assert!(left.iter().all(|f| f.diagnostic.rule.id != "unknown-dependency"));
    }

    #[test]
    fn a_finding_in_a_template_is_ignored_where_all_environments_read_the_same() {
        let ignored = |lines: &str| -> Vec<String> {
            let tree = format!(
                "//- /w/tazuna.yaml\nspec:\n  environments: {{dev: {{}}, prod: {{}}}}\n  manifests:\n{{{{ if eq .Environment \"dev\" }}}}\n    - \
                 name: b\n      type: kustomize\n      path: .\n{lines}{{{{ end }}}}\n"
            );
            let fixture = Fixture::new(applyorder_engines::all(), &tree);
            let found = ignores(&fixture.analysis, fixture.file, Span::at(fixture.offset));
            let edited = found
                .into_iter()
                .map(|(_, edit)| fixture.edited(&[(fixture.file, vec![edit])]));
            edited.collect()
        };
        let comment = "# applyorder: ignore[unknown-dependency]";
        for (lines, expected) in [
            ("dependsOn: [$0gone]\n", "dependsOn: [gone] COMMENT\n"),
            (
                "dependsOn: [\"$0{{ \"gone\" }}\"]\n",
                "COMMENT\n      dependsOn: [\"{{ \"gone\" }}\"]\n",
            ),
            // A comment within an action would be part of that.
            (
                "dependsOn: [$0gone, {{\n\"gone\" }}]\n",
                "COMMENT\n      dependsOn: [gone, {{\n",
            ),
        ] {
            let after = ignored(&format!("      {lines}"));
            assert_eq!(after.len(), 1, "{lines}");
            assert!(
                after[0].contains(&expected.replace("COMMENT", comment)),
                "{after:?}"
            );
        }
    }

    #[test]
    fn all_safe_fixes_together_leave_no_safe_fix() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ./x}\n    - {name: b, \
             type: kustomize, path: ./x, dependsOn: [a, a, a]}\n    - {name: c, type: kustomize, path: ./x, \
             DependsOn: [b, b]}\n",
        );
        let mut text = fixture.edited(&fix_all(&fixture.analysis, fixture.file));
        for _ in 0..4 {
            let again = Fixture::new(applyorder_engines::all(), &text);
            let edits = fix_all(&again.analysis, again.file);
            if edits.is_empty() {
                break;
            }
            text = again.edited(&edits);
        }
        assert!(text.contains("dependsOn: [a]}"), "{text}");
        assert!(text.contains("dependsOn: [b]}"), "{text}");
    }
}
