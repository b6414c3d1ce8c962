//! `graph`: each format of the examples of every engine, selections, links, files.

use crate::support::{Tree, examples, run_in};

const DAG: &str = "spec:\n  manifests:\n    - {name: cni, type: kustomize, path: ., tags: [base]}\n    \
    - {name: db, type: kustomize, path: ., dependsOn: [cni], tags: [base]}\n    \
    - {name: app, type: kustomize, path: ., dependsOn: [db]}\n    \
    - {name: logs, type: kustomize, path: .}\n";

const SMALL: [&str; 8] = [
    "ankaios/shop",
    "ankaios/broken",
    "kapp/shop",
    "kapp/broken",
    "spacelift/ordered",
    "tazuna/shop",
    "tazuna/broken",
    "terramate/broken",
];

#[test]
fn the_examples_in_mermaid() {
    for example in SMALL {
        let answer = run_in(&examples(), &["graph", example], None, &[]);
        assert_eq!(answer.code, 0, "{answer:?}");
        insta::assert_snapshot!(format!("mermaid_{}", example.replace('/', "_")), answer.shown());
    }
}

/// Links that do not depend on where the repository is.
const LINKS: &str = "https://forge.example/{path}#L{line}";

#[test]
fn one_example_in_each_format() {
    for format in ["dot", "svg", "json"] {
        let answer = run_in(
            &examples(),
            &["graph", "ankaios/shop", "--source-url", LINKS, "--format", format],
            None,
            &[],
        );
        insta::assert_snapshot!(format!("ankaios_{format}"), answer.shown());
        let answer = run_in(
            &examples(),
            &[
                "graph",
                "tazuna/broken",
                "--source-url",
                LINKS,
                "--format",
                format,
            ],
            None,
            &[],
        );
        insta::assert_snapshot!(format!("tazuna_{format}"), answer.shown());
    }
}

#[test]
fn a_cycle_is_drawn_and_a_missing_project_is_reported() {
    let tree = Tree::new(&[(
        "tazuna.yaml",
        "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [a]}\n",
    )]);
    let answer = tree.run(&["graph"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.contains("cut here"), "{answer:?}");
    let empty = Tree::new(&[("a.txt", "")]).run(&["graph"]);
    assert!(
        empty.stdout.is_empty() && empty.stderr.contains("no project"),
        "{empty:?}"
    );
}

#[test]
fn a_selection_is_what_is_drawn() {
    let tree = Tree::new(&[("tazuna.yaml", DAG)]);
    let names = |args: &[&str]| {
        let answer = tree.run(&[&["graph", "--format", "json"], args].concat());
        let nodes = answer.json()["pictures"][0]["nodes"].clone();
        let nodes = nodes
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n["name"].as_str().unwrap().to_owned());
        nodes.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&[]), "cni logs db app");
    assert_eq!(names(&["--tags", "base"]), "cni db");
    assert_eq!(names(&["--focus", "db"]), "cni db app");
    assert_eq!(names(&["--focus", "db", "--depth", "1"]), "cni db app");
    assert_eq!(names(&["--focus", "cni", "--depth", "1"]), "cni db");
    // `destroy` follows list order.
    assert_eq!(names(&["--for", "delete"]), "cni db app logs");
    assert_eq!(tree.run(&["graph", "--focus", "no"]).code, 2);
    assert_eq!(tree.run(&["graph", "--depth", "1"]).code, 2);
}

#[test]
fn a_file_has_the_format_of_its_name_or_the_one_that_is_given() {
    let tree = Tree::new(&[("tazuna.yaml", DAG)]);
    for (args, file, starts) in [
        (&["-o", "a.svg"][..], "a.svg", "<svg "),
        (&["-o", "a.html"], "a.html", "<!DOCTYPE html>"),
        (&["-o", "a.dot"], "a.dot", "digraph "),
        (&["-o", "a.json"], "a.json", "{"),
        (&["-o", "a.mmd"], "a.mmd", "flowchart LR"),
        (&["-o", "b.txt", "--format", "svg"], "b.txt", "<svg "),
        (
            &["--format", "dot=c.txt", "--format", "svg=d.txt"],
            "d.txt",
            "<svg ",
        ),
    ] {
        let answer = tree.run(&[&["graph"], args].concat());
        assert_eq!((answer.code, &*answer.stdout), (0, ""), "{answer:?}");
        #[allow(clippy::disallowed_methods)]
        let text = std::fs::read_to_string(tree.path(file)).unwrap();
        assert!(text.starts_with(starts), "{file}: {text}");
    }
}

#[test]
fn places_open_in_the_editor_on_the_forge_or_nowhere() {
    let tree = Tree::new(&[("tazuna.yaml", DAG)]);
    let links = |args: &[&str], env: &[(&str, &str)]| {
        let answer = tree.run_with(&[&["graph"], args].concat(), None, env);
        let hrefs = answer
            .stdout
            .split("<a href=\"")
            .skip(1)
            .filter_map(|h| h.split('"').next());
        hrefs.map(str::to_owned).collect::<Vec<_>>()
    };
    let html = links(&["--format", "html"], &[]);
    assert!(
        html[0].starts_with("vscode://file/") && html[0].ends_with("tazuna.yaml:3:8"),
        "{html:?}"
    );
    assert!(links(&["--format", "svg"], &[]).is_empty());
    assert!(links(&["--format", "html", "--source-url", "off"], &[]).is_empty());
    let given = links(
        &["--format", "svg", "--source-url", "https://x/{path}#L{line}"],
        &[],
    );
    assert_eq!(given[0], "https://x/tazuna.yaml#L3");
    let ci = [
        ("GITHUB_SERVER_URL", "https://github.com"),
        ("GITHUB_REPOSITORY", "o/r"),
        ("GITHUB_SHA", "abc"),
    ];
    assert_eq!(
        links(&["--format", "svg"], &ci)[0],
        "https://github.com/o/r/blob/abc/tazuna.yaml#L3"
    );
    assert_eq!(tree.run(&["graph", "--source-url", "javascript:{path}"]).code, 2);
}

/// The pictures in the documentation; `INSTA_UPDATE=always` draws them again.
#[test]
#[allow(clippy::disallowed_methods)]
fn the_pictures_of_the_docs_are_what_is_drawn() {
    for (example, picture) in [("shop", "graph-shop.svg"), ("broken", "graph-broken.svg")] {
        let args = ["graph", &format!("tazuna/{example}"), "--format", "svg"];
        let drawn = run_in(&examples(), &args, None, &[]).stdout;
        let path = examples().parent().unwrap().join("docs/images").join(picture);
        if std::env::var("INSTA_UPDATE").is_ok_and(|v| v == "always") {
            std::fs::write(&path, &drawn).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), drawn, "{picture}");
    }
}
