//! Which files are one app, and what is reported if that was not declared.

use std::sync::Arc;

use applyorder_analysis::workspace::{Analysis, Workspace};
use applyorder_core::engine::{EngineIx, Offer, RunOptions};
use applyorder_core::files::MemoryFiles;
use camino::Utf8PathBuf;

use super::{agreement, files, map};

/// A workspace of some files, of which some are named on a command line, perhaps together with kapp.
fn workspace(text: &str, named: &[&str], chosen: bool) -> Arc<Analysis> {
    let mut memory = MemoryFiles::new();
    memory.set_vcs_root("/w");
    let mut paths: Vec<Utf8PathBuf> = Vec::new();
    for (path, body) in files(text) {
        memory.insert(format!("/w/{path}"), body.as_str());
        // Projects are not searched for in hidden directories.
        if !path.split('/').any(|name| name.starts_with('.')) {
            paths.push(format!("/w/{path}").into());
        }
    }
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(memory), RunOptions::default());
    if chosen {
        workspace.only_engine(EngineIx(0));
    }
    paths.sort();
    workspace.offer(&paths, Offer::Found);
    let named: Vec<Utf8PathBuf> = named.iter().map(|path| format!("/w/{path}").into()).collect();
    workspace.offer(&named, Offer::Explicit);
    workspace.refresh();
    let analysis = workspace.analysis();
    let contradictions = agreement::contradictions(&analysis);
    assert!(contradictions.is_empty(), "{contradictions:#?}");
    analysis
}

/// The root of each project with its members and verdicts, then the findings.
fn shown(analysis: &Analysis) -> Vec<String> {
    let mut out = Vec::new();
    for (_, project) in analysis.projects() {
        let members = project.resolution.members.iter();
        let mut names: Vec<String> = members
            .map(|m| analysis.path(m.file).strip_prefix("/w/").unwrap().to_string())
            .collect();
        names.sort();
        let ok: Vec<&str> = project
            .resolution
            .verdicts
            .iter()
            .map(|v| v.ok.map_or("?", |ok| if ok { "ok" } else { "no" }))
            .collect();
        out.push(format!(
            "{}: {} {}",
            project.seed.root,
            names.join(" "),
            ok.join(" ")
        ));
    }
    for finding in analysis.findings() {
        let d = &finding.diagnostic;
        if d.part_of.is_some() {
            continue;
        }
        let path = analysis.path(finding.diagnostic.place.file);
        let name = path.strip_prefix("/w/").unwrap();
        out.push(format!("{name} {} {}", d.severity.as_str(), d.rule.id));
    }
    out
}

fn member(name: &str) -> String {
    map(name, "kapp.k14s.io/change-group: g")
}

fn rule(name: &str, group: &str) -> String {
    map(
        name,
        &format!("kapp.k14s.io/change-rule: upsert after upserting {group}"),
    )
}

#[test]
fn files_that_are_named_select_projects_and_make_none() {
    let text = format!(
        "//- app1/web.yaml\n{}data: {{a: b}}\n//- app1/more.yaml\n{}//- app2/web.yaml\n{}",
        rule("web", "g").trim_end_matches("---\n"),
        member("more"),
        rule("web", "g") + &member("more")
    );
    let both = [
        "/w/app1: app1/more.yaml app1/web.yaml ok ok",
        "/w/app2: app2/web.yaml ok ok",
    ];
    for named in [&[][..], &["app1/web.yaml"], &["app1/web.yaml", "app2/web.yaml"]] {
        assert_eq!(shown(&workspace(&text, named, false)), both, "{named:?}");
    }
    let together = workspace(&text, &["app1/web.yaml", "app2/web.yaml"], true);
    let (_, app) = together.projects().find(|(_, p)| !p.seed.inferred).unwrap();
    assert_eq!(app.seed.root, "/w");
    assert_eq!(app.resolution.verdicts[0].ok, Some(false));
}

#[test]
fn a_file_without_a_mark_has_no_findings() {
    let marked = rule("m", "g") + &member("k");
    let cases = [
        // Unreadable documents, those without a name, or of an unknown kind.
        ("apiVersion: v1\nkind: X\nmetadata: {}\n", "? ?"),
        ("apiVersion: v1\nkind: X\nmetadata: {name: x}\n---\na: [\n", "? ?"),
        ("apiVersion: v1\nkind: X\nmetadata: {name: x}\n--- x\n", "? ?"),
        ("apiVersion: e.com/v1\nkind: X\nmetadata: {name: x}\n", "ok ok"),
    ];
    for (other, verdicts) in cases {
        let analysis = workspace(&format!("//- a.yaml\n{marked}//- b.yaml\n{other}"), &[], false);
        assert_eq!(
            shown(&analysis),
            [format!("/w: a.yaml b.yaml {verdicts}")],
            "{other}"
        );
    }
    // If both have annotations, a duplicate object is reported.
    let twice = format!(
        "//- a.yaml\n{marked}//- b.yaml\n{}data: {{a: b}}\n",
        member("m").trim_end_matches("---\n")
    );
    let told = ["/w: a.yaml b.yaml no ?", "b.yaml warning duplicate-name"];
    assert_eq!(shown(&workspace(&twice, &[], false)), told);
}

#[test]
fn several_objects_in_several_files_are_not_one_app() {
    let rendered = |more: &str| {
        let one = member("a").replace("---\n", more) + "---\n";
        one + &rule("b", "nowhere").replace("---\n", more)
    };
    let text = format!(
        "//- prod.yaml\n{}//- test.yaml\n{}",
        rendered("data: {a: prod}\n"),
        rendered("data: {a: test}\n")
    );
    assert_eq!(
        shown(&workspace(&text, &[], false)),
        ["/w: prod.yaml test.yaml ? ?", "test.yaml info duplicate-name"]
    );
}

#[test]
fn an_object_without_a_name_is_not_an_error_if_the_files_are_not_one_app() {
    let nameless = "apiVersion: v1\nkind: ConfigMap\nmetadata: {annotations: {kapp.k14s.io/nonce: ''}}\n";
    let text = |other: &str| {
        let one = member("a").replace("---\n", "data: {a: prod}\n") + "---\n" + &member("b");
        format!("//- assert.yaml\n{nameless}//- one.yaml\n{one}//- two.yaml\n{other}")
    };
    let several = member("a") + &member("b").replace("---\n", "data: {b: test}\n");
    for (other, severity) in [(&several, "warning"), (&member("c"), "error")] {
        let told = shown(&workspace(&text(other), &[], false));
        let expected = format!("assert.yaml {severity} missing-field");
        assert!(told.contains(&expected), "{other}: {told:#?}");
    }
}

#[test]
fn an_object_without_kind_is_one_where_its_annotations_are_kapps() {
    let annotated = "apiVersion: v1\nmetadata:\n  name: a\n  annotations: {kapp.k14s.io/change-group: x}\n";
    let text = format!("//- a.yml\n{annotated}");
    let found = shown(&workspace(&text, &[], false));
    assert_eq!(found, ["/w: a.yml no ?", "a.yml error missing-field"]);
    // Values of something else may have annotations.
    let text = format!("//- a.yml\n{}", annotated.replace("apiVersion: v1\n", ""));
    assert_eq!(shown(&workspace(&text, &[], false)), ["/w:  ? ?"]);
}

#[test]
fn manifests_in_a_text_of_another_language_are_not_an_app() {
    let inside = format!("{}{}", member("a"), member("b"));
    let snapshot = format!("// Snapshot v1\n\nexports[`it 1`] = `\n\"{inside}{inside}\"\n`;\n");
    assert_eq!(
        shown(&workspace(&format!("//- a.yaml\n{snapshot}"), &[], false)),
        [] as [&str; 0]
    );
    let beside = format!("//- a.yaml\n{snapshot}//- b.yaml\n{inside}");
    let told = shown(&workspace(&beside, &[], false));
    let of_snapshot = told.iter().filter(|line| line.contains("a.yaml"));
    assert_eq!(
        (told.first().map(String::as_str), of_snapshot.count()),
        (Some("/w: b.yaml ok ok"), 0)
    );
    // A mistake in the first line of a manifest is reported.
    let mistaken = format!("//- a.yaml\napiVersion v1\nkind: ConfigMap\n---\n{inside}");
    let told = shown(&workspace(&mistaken, &[], false));
    assert!(
        told.contains(&"a.yaml error syntax-error".to_owned()),
        "{told:#?}"
    );
}

#[test]
fn a_group_that_another_app_declares_is_not_unknown() {
    let app = |other: &str| {
        format!(
            "//- one/a.yaml\n{}//- two/b.yaml\n{other}",
            rule("a", "big.co/db-default")
        )
    };
    let hidden = |dir: &str| {
        let declared = map("b", "kapp.k14s.io/change-group: big.co/db-default");
        let text = format!(
            "//- one/a.yaml\n{}//- {dir}/b.yaml\n{declared}",
            rule("a", "big.co/db-default")
        );
        let told = shown(&workspace(&text, &[], false));
        told.iter().any(|line| line.contains("unknown-dependency"))
    };
    assert_eq!([".catalog/x", ".git/x"].map(hidden), [false, true]);
    let unknown = "one/a.yaml warning unknown-dependency";
    for (other, expected) in [
        (map("b", "kapp.k14s.io/change-group: big.co/db-default"), None),
        (
            map("b", "kapp.k14s.io/change-group: 'big.co/db-{namespace}'"),
            None,
        ),
        (
            super::config("changeGroupBindings:\n- {name: big.co/db-default, resourceMatchers: []}\n"),
            None,
        ),
        (map("b", "kapp.k14s.io/change-group: big.co/other"), Some(unknown)),
    ] {
        let told = shown(&workspace(&app(&other), &[], false));
        let found = told.iter().find(|line| line.contains("unknown-dependency"));
        assert_eq!(found.map(String::as_str), expected, "{other}");
    }
}

#[test]
fn what_is_rendered_elsewhere_is_unknown_and_never_refused() {
    let config = super::config("changeGroupBindings: []\n");
    assert_eq!(shown(&workspace(&config, &[], false)), ["/w: a.yaml ? ?"]);
    // A single template does not form an app.
    let overlay = "#@overlay/match by=1\n---\nmetadata:\n  annotations:\n    kapp.k14s.io/change-group: g\n";
    assert!(shown(&workspace(overlay, &[], false)).is_empty());
    let sops = "apiVersion: ENC[AES256_GCM,data:x]\nkind: ENC[AES256_GCM,data:x]\nmetadata: {name: 'kapp.k14s.io'}\nsops: {version: 3.7.1}\n";
    let dropped = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, annotations: {kapp.k14s.io/noop: ''}}\n--- {}\na: b\n";
    for source in [sops, dropped] {
        let text = format!(
            "//- a.yaml\n{}//- b.yaml\n{source}",
            member("a") + &rule("b", "other")
        );
        let told = ["/w: a.yaml b.yaml ? ?", "b.yaml info unresolved"];
        assert_eq!(shown(&workspace(&text, &[], false)), told, "{source}");
    }
}

#[test]
fn an_annotation_in_the_wrong_place_is_found_by_itself() {
    let example = include_str!("../../../../../docs/rules/kapp/misplaced.md");
    let example = example.split("```").nth(1).unwrap().trim_start_matches("yaml");
    let analysis = workspace(example, &[], false);
    let told = shown(&analysis);
    assert!(
        told.iter().any(|line| line.ends_with("warning kapp/misplaced")),
        "{told:?}"
    );
}

#[test]
fn of_several_apps_whose_files_are_probably_not_one_the_first_says_so() {
    let both = format!("{}{}", member("a"), member("b"));
    let alternatives = |dir: &str| {
        format!(
            "//- {dir}/one.yaml\n{both}//- {dir}/two.yaml\n{}",
            both.replace("name: a", "name: a\n  labels: {x: y}")
                .replace("name: b", "name: b\n  labels: {x: y}")
        )
    };
    let told = |text: &str| {
        let analysis = workspace(text, &[], false);
        let found = analysis.findings().into_iter().map(|finding| {
            let d = finding.diagnostic;
            format!("{} {}", analysis.path(d.place.file), d.message)
        });
        found
            .filter(|f| f.contains("probably not one app"))
            .collect::<Vec<_>>()
    };
    let alone = told(&alternatives("p"));
    assert_eq!(
        alone,
        ["/w/p/two.yaml these files are probably not one app: 2 duplicate resources"]
    );
    assert_eq!(
        told(&format!("{}{}", alternatives("p"), alternatives("q"))),
        alone
    );
}

/// As `kapp deploy -f A -f A` reads them, each time under the name by which it is given.
#[test]
fn what_is_named_again_is_read_again() {
    let text = "//- d/a.yml\nkind: X\n//- b.yml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n";
    let origins = |named: &[&str]| {
        let analysis = workspace(text, named, true);
        let mut projects = analysis.projects();
        let (_, project) = projects.next().unwrap();
        let message = project.resolution.verdicts[0].errors[0].message.clone();
        let lines = message.lines().filter(|line| line.contains("'apiVersion'"));
        let origins: Vec<String> = lines
            .map(|line| {
                line.rsplit_once("(file '")
                    .unwrap()
                    .1
                    .split_once('\'')
                    .unwrap()
                    .0
                    .to_owned()
            })
            .collect();
        (project.seed.root.to_string(), origins.join(" "))
    };
    for (named, root, told) in [
        (&["d/a.yml", "b.yml"][..], "/w", "d/a.yml"),
        (&["d/a.yml", "d/a.yml"], "/w/d", "a.yml a.yml"),
        (&["d/a.yml", "b.yml", "d/a.yml"], "/w", "d/a.yml d/a.yml"),
        (&["d", "d"], "/w", "a.yml a.yml"),
        (&["d", "d/a.yml"], "/w", "a.yml d/a.yml"),
        (&["d/a.yml", "d"], "/w", "d/a.yml a.yml"),
        (&["d", "b.yml", "d/a.yml"], "/w", "a.yml d/a.yml"),
    ] {
        assert_eq!(origins(named), (root.to_owned(), told.to_owned()), "{named:?}");
    }
}
