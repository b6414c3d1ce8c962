//! `init`: writes what was inferred as a configuration with the same result.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

use crate::support::{Answer, Tree, examples, run_in};

const KAPP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NAME\n  namespace: ns\n  annotations:\n    \
    kapp.k14s.io/change-group: g/NAME\n    kapp.k14s.io/change-rule: upsert after upserting g/AFTER\n";

fn kapp(name: &str, after: &str) -> String {
    KAPP.replace("NAME", name).replace("AFTER", after)
}

fn tazuna(units: &[(&str, &str)]) -> String {
    units
        .iter()
        .fold("spec:\n  manifests:\n".to_owned(), |text, (name, on)| {
            format!("{text}    - {{name: {name}, type: kustomize, path: ., dependsOn: [{on}]}}\n")
        })
}

fn config(tree: &Tree) -> String {
    std::fs::read_to_string(tree.path("applyorder.toml")).unwrap()
}

/// The known verdicts of a project, and its layers if it has some.
type Outcome = (Vec<(String, bool)>, [Value; 2]);

/// The projects by engine and units.
fn outcomes(dir: &Path) -> BTreeMap<(String, Vec<String>), Vec<Outcome>> {
    let document = run_in(dir, &["lint", "--format", "json", "."], None, &[]).json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut outcomes: BTreeMap<_, Vec<Outcome>> = BTreeMap::new();
    for p in document["projects"].as_array().unwrap() {
        let units = p["units"].as_array().unwrap().iter();
        let units = units.map(|u| text(&u["name"])).collect();
        let verdicts = p["verdicts"].as_array().unwrap().iter();
        let known = verdicts.filter_map(|v| Some((text(&v["command"]), v["ok"].as_bool()?)));
        let layers = ["apply", "delete"].map(|operation| p["order"][operation]["layers"].clone());
        let key = (text(&p["engine"]), units);
        outcomes.entry(key).or_default().push((known.collect(), layers));
    }
    outcomes
}

/// Whether everything that was known is the same, for the same units. What could not be known before it was declared
/// which files are one app may be known now.
fn holds(dir: &Path, init: impl FnOnce() -> Answer) -> Result<Answer, String> {
    let before = outcomes(dir);
    let answer = init();
    let after = outcomes(dir);
    let keeps = |(verdicts, layers): &Outcome, (now, layers_now): &Outcome| {
        let mut both = layers.iter().zip(layers_now);
        verdicts.iter().all(|v| now.contains(v)) && both.all(|(a, b)| a.is_null() || a == b)
    };
    for (project, was) in &before {
        let is = after.get(project).map_or(&[][..], Vec::as_slice);
        if was.len() != is.len() || was.iter().any(|one| !is.iter().any(|other| keeps(one, other))) {
            return Err(format!("{project:?}: {was:?} {is:?}"));
        }
    }
    if before.len() == after.len() {
        Ok(answer)
    } else {
        Err(format!("{before:?} {after:?}"))
    }
}

#[test]
fn what_is_inferred_becomes_declared() {
    let tree = Tree::new(&[
        ("shop/a.yaml", &kapp("a", "b")),
        ("shop/more/b.yaml", &kapp("b", "none")),
        // With a file that is not a manifest, so it is not an app: kapp would reject it.
        ("mixed/a.yaml", &kapp("a", "none")),
        ("mixed/values.yaml", "x: 1\n"),
        ("infra/tazuna.yaml", &tazuna(&[("x", ""), ("y", "x")])),
        ("m/one.ank.yaml", "apiVersion: v1\nworkloads: {}\n"),
        ("m/two.ank.yaml", "apiVersion: v1\nworkloads: {}\n"),
    ]);
    let shown = tree.run(&["init", "--dry-run"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(!tree.path("applyorder.toml").exists());
    let answer = holds(&tree.root(), || tree.run(&["init"])).unwrap();
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(
        answer.stderr,
        "applyorder.toml: 3 declarations, to be corrected by hand\n"
    );
    let text = config(&tree);
    assert_eq!(text, shown.stdout);
    for said in [
        "[tazuna]\n# Files that Tazuna is started with. Add those with other names.\nroots = [\"infra/tazuna.yaml\"]\n",
        "[[kapp.app]]\nname = \"shop\"\nfiles = [\"shop\"]\n",
        "# Inferred: the topmost directory of manifests with kapp annotations.\n",
        "[[kapp.app]]\nname = \"mixed\"\nfiles = [\"mixed/a.yaml\"]\n",
        "# [[ankaios.apply]]\n# name = \"NAME\"\n# files = [\"m/one.ank.yaml\", \"m/two.ank.yaml\"]\n",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let lint = tree.run(&["lint", "--format", "json"]).json();
    for project in lint["projects"].as_array().unwrap() {
        assert_eq!(project["inferred"], false, "{project}");
    }
}

#[test]
fn a_configuration_is_not_overwritten_unless_asked_for() {
    let tree = Tree::new(&[
        ("tazuna.yaml", &tazuna(&[("a", "")])),
        ("applyorder.toml", "fail-on = \"warning\"\n"),
    ]);
    let answer = tree.run(&["init"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(
        answer.stderr.contains("already exists; use --force"),
        "{answer:?}"
    );
    assert_eq!(config(&tree), "fail-on = \"warning\"\n");
    assert!(
        tree.run(&["init", "--dry-run"])
            .stdout
            .contains("roots = [\"tazuna.yaml\"]")
    );
    assert_eq!(tree.run(&["init", "--force"]).code, 0);
    assert!(config(&tree).contains("roots = [\"tazuna.yaml\"]") && !config(&tree).contains("fail-on"));
    for args in [
        &["init", "--isolated"][..],
        &["init", "--config", "x.toml"],
        &["init", "gone"],
    ] {
        assert_eq!(tree.run(args).code, 2, "{args:?}");
    }
    // The hidden file name works, too.
    let hidden = Tree::new(&[("tazuna.yaml", &tazuna(&[("a", "")])), (".applyorder.toml", "")]);
    assert_eq!(hidden.run(&["init"]).code, 2);
    assert_eq!(hidden.run(&["init", "--force"]).code, 0);
    assert!(!hidden.path("applyorder.toml").exists());
}

#[test]
fn configurations_above_and_below_are_respected() {
    let tree = Tree::new(&[
        ("applyorder.toml", "fail-on = \"warning\"\n"),
        ("a/b/tazuna.yaml", &tazuna(&[("x", "")])),
        ("a/own/k.yaml", &kapp("k", "none")),
        ("a/own/applyorder.toml", ""),
    ]);
    let answer = tree.run(&["init", "a"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let text = std::fs::read_to_string(tree.path("a/applyorder.toml")).unwrap();
    assert!(text.contains("extend = \"../applyorder.toml\"\n"), "{text}");
    assert!(text.contains("roots = [\"b/tazuna.yaml\"]"), "{text}");
    assert!(
        text.contains("#   kapp:a/own\n") && !text.contains("[[kapp.app]]"),
        "{text}"
    );
    assert!(tree.run(&["config", "show", "a"]).stdout.contains("warning"));
}

#[test]
fn nothing_to_declare_writes_nothing() {
    let tree = Tree::new(&[("readme.md", "")]);
    let answer = tree.run(&["init"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("nothing to declare"), "{answer:?}");
    assert!(!tree.path("applyorder.toml").exists());
}

#[test]
fn names_of_files_act_on_nothing() {
    let tree = Tree::new(&[
        ("a\"\n[tazuna]\u{1b}[31m/k.yaml", &kapp("k", "none")),
        ("b\u{202e}/k.yaml", &kapp("k", "none")),
    ]);
    let answer = holds(&tree.root(), || tree.run(&["init"])).unwrap();
    assert_eq!(answer.code, 0, "{answer:?}");
    let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    let again = tree.run(&["init", "--dry-run", "--force"]);
    assert!(
        !again.stdout.contains('\u{1b}') && !answer.stderr.contains(acts),
        "{again:?}"
    );
}

#[test]
fn the_examples_read_the_same() {
    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            match path.is_dir() {
                true => copy(&path, &to.join(name)),
                false if name == "applyorder.toml" => {}
                false => drop(std::fs::copy(&path, to.join(name)).unwrap()),
            }
        }
    }
    for example in std::fs::read_dir(examples()).unwrap().flatten() {
        let tree = Tree::new(&[]);
        copy(&example.path(), &tree.path("x"));
        holds(&tree.root(), || tree.run(&["init"])).unwrap_or_else(|e| panic!("{:?}: {e}", example.path()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn random_trees_read_the_same(
        files in prop::collection::vec((0usize..4, 0usize..5, 0usize..6, 0usize..6), 1..10),
    ) {
        let tree = Tree::new(&[]);
        for (n, (dir, kind, a, b)) in files.iter().enumerate() {
            let dir = ["a", "a/b", "c", "."][*dir];
            let (name, after) = (format!("u{a}"), format!("u{b}"));
            let (file, text) = match kind {
                0 | 1 => (format!("k{n}.yaml"), kapp(&name, &after)),
                2 => (format!("plain{n}.yaml"), format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n")),
                3 => (format!("values{n}.yaml"), format!("{name}: 1\n")),
                _ => ("tazuna.yaml".to_owned(), tazuna(&[(name.as_str(), after.as_str()), ("z", name.as_str())])),
            };
            tree.write(&format!("{dir}/{file}"), text);
        }
        let held = holds(&tree.root(), || tree.run(&["init"]));
        prop_assert!(held.is_ok(), "{:?}\n{}", held, std::fs::read_to_string(tree.path("applyorder.toml")).unwrap_or_default());
        prop_assert_eq!(held.unwrap().code, 0);
    }
}
