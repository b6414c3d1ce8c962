//! `diff --format markdown`: the comment of a pull request.

use crate::selection::{commit, git};
use crate::skipped::skip;
use crate::support::Tree;

fn tree(text: &str) -> Option<Tree> {
    let tree = Tree::new(&[("tazuna.yaml", text)]);
    if git(&tree, &["init", "-q", "-b", "main"]) && commit(&tree, "one") {
        return Some(tree);
    }
    skip("git", "it cannot be run");
    None
}

fn comment(tree: &Tree, args: &[&str]) -> String {
    let answer = tree.run(&[&["diff", "main", "--format", "markdown"], args].concat());
    assert_eq!(answer.code, 0, "{answer:?}");
    answer.stdout
}

fn units(units: &[(&str, &str)]) -> String {
    units
        .iter()
        .fold("spec:\n  manifests:\n".to_owned(), |text, (name, on)| {
            format!(
                "{text}    - name: {name}\n      type: kustomize\n      path: .\n      dependsOn: [{on}]\n"
            )
        })
}

#[test]
fn a_reviewer_reads_what_is_lost_first() {
    let Some(tree) = tree(&units(&[("a", ""), ("b", "a"), ("c", "b")])) else {
        return;
    };
    tree.write("tazuna.yaml", units(&[("a", ""), ("b", ""), ("c", "b")]));
    let text = comment(&tree, &[]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("<!-- applyorder diff ") && lines[0].ends_with(" -->"),
        "{text}"
    );
    let hash = lines[0].split(' ').nth(3).unwrap();
    assert!(
        hash.len() == 32 && hash.bytes().all(|b| b.is_ascii_hexdigit()),
        "{text}"
    );
    assert_eq!(lines[1], "### Order: 1 dependency lost, 2 of 3 manifests move");
    let row = "| − | `b` | no longer waits for `a` | `tazuna.yaml:10` · now beside it |";
    assert!(lines.contains(&row), "{text}");
    assert!(
        text.contains("<details><summary>Moved: <code>b</code> 2 → 1, 1 more</summary>"),
        "{text}"
    );
    // The links lead to the state that has the line.
    let url = [
        "--source-url",
        "https://forge.example/o/r/blob/{commit}/{path}#L{line}",
    ];
    let linked = comment(&tree, &url);
    assert!(linked.contains("(https://forge.example/o/r/blob/"), "{linked}");
    assert!(linked.contains("/tazuna.yaml#L10)"), "{linked}");
    // The same question gives the same comment; another question, another one.
    assert_eq!(linked.lines().next(), text.lines().next());
    assert_ne!(
        comment(&tree, &["--for", "delete"]).lines().next(),
        text.lines().next()
    );
    assert!(git(&tree, &["checkout", "-q", "tazuna.yaml"]));
    let same = comment(&tree, &[]);
    assert_eq!(same, format!("{}\n✓ same order as `main`\n", lines[0]));
}

#[test]
fn names_contain_no_mentions_and_no_markup() {
    let evil = "'@team/x#1 | `*_[a](http://b)<img src=x>--> ::error::x \u{202e}'";
    let Some(tree) = tree(&units(&[(evil, ""), ("b", evil)])) else {
        return;
    };
    tree.write(
        "tazuna.yaml",
        units(&[(evil, ""), ("b", ""), ("'</details></code>@all'", "b")]),
    );
    let text = comment(&tree, &[]);
    let body: String = text.lines().skip(1).collect::<Vec<_>>().join("\n");
    for forbidden in ["@", "<img", "](http", "::", "\u{202e}", "*_", "-->"] {
        assert!(!body.contains(forbidden), "{forbidden}: {text}");
    }
    assert!(body.contains("&#64;team/x&#35;1 &#124; &#96;"), "{text}");
    // Each row has its five bars, whatever it contains.
    let rows = body.lines().filter(|l| l.starts_with("| "));
    assert!(rows.clone().count() >= 3, "{text}");
    for row in rows.filter(|row| !row.contains("layer |")) {
        assert!(matches!(row.matches('|').count(), 4 | 5), "{row}");
    }
    assert_eq!(
        text.matches("<details>").count(),
        text.matches("</details>").count()
    );
}

#[test]
fn a_comment_is_never_too_long_and_lists_what_it_omits() {
    let long = "n".repeat(150);
    let names: Vec<String> = (0..2_000).map(|n| format!("{long}{n}")).collect();
    let all = |on: &str| {
        let rows: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), on)).collect();
        units(&[&[("zero", ""), ("base", "zero")][..], &rows].concat())
    };
    let Some(tree) = tree(&all("base")) else { return };
    tree.write("tazuna.yaml", all(""));
    let text = comment(&tree, &[]);
    assert!(text.len() <= 65_536, "{}", text.len());
    assert!(text.starts_with("<!-- applyorder diff "));
    assert!(text.contains("2000 dependencies lost"));
    assert!(
        text.contains(
            "rows: cut, as a comment has at most 65,536 characters; `applyorder diff main` shows all"
        )
    );
    assert_eq!(
        text.matches("<details>").count(),
        text.matches("</details>").count()
    );
    // Many projects.
    for n in 0..700 {
        tree.write(
            &format!("{}/{n}/tazuna.yaml", "d".repeat(90)),
            units(&[("a", "a")]),
        );
    }
    let text = comment(&tree, &[]);
    assert!(text.len() <= 65_536, "{}", text.len());
    assert!(
        text.contains("more projects differ: cut"),
        "{}",
        &text[text.len() - 400..]
    );
}

#[test]
fn every_format_is_harmless() {
    let tree = crate::escaping::tree();
    if !(git(&tree, &["init", "-q", "-b", "main"]) && commit(&tree, "one")) {
        return skip("git", "it cannot be run");
    }
    let evil = crate::escaping::EVIL;
    tree.write(
        "tazuna.yaml",
        units(&[("zero", ""), ("one", "zero"), (evil, "b"), ("b", evil), ("c", "")]),
    );
    tree.write(
        "m/tazuna.yaml",
        units(&[("'[x](command:y)</script>&\"|`%0A::error::'", "")]),
    );
    let file = std::fs::read_dir(tree.root())
        .unwrap()
        .flatten()
        .map(|e| e.path());
    let evil_dir = file
        .into_iter()
        .find(|p| p.to_string_lossy().contains("::error::"))
        .unwrap();
    std::fs::remove_dir_all(evil_dir).unwrap();
    for format in ["human", "json", "markdown"] {
        let answer = tree.run(&["diff", "main", "--isolated", "--verbose", "--format", format]);
        assert_eq!(answer.code, 0, "{answer:?}");
        assert!(
            crate::escaping::is_harmless(&answer.stdout),
            "{format}: {}",
            answer.stdout
        );
        assert!(
            crate::escaping::is_harmless(&answer.stderr),
            "{format}: {}",
            answer.stderr
        );
        assert!(answer.stdout.contains("error"), "{format}: {}", answer.stdout);
    }
}
