//! Each rule has the findings that the example on its page shows.

#[path = "../../../../../tests/support/page.rs"]
mod page;

use applyorder_analysis::fixture::printed;

use self::page::page_shows;

use super::{of_rule, tree};

/// The YAML blocks below the heading "Example".
fn examples(page: &str) -> Vec<&str> {
    let (_, rest) = page.split_once("\n## Example\n").unwrap();
    let (section, _) = rest.split_once("\n## ").unwrap();
    let blocks = section.split("```yaml\n").skip(1);
    blocks.map(|block| block.split_once("```").unwrap().0).collect()
}

fn indented(text: &str, by: usize) -> String {
    let lines = text.lines().map(|line| format!("{}{line}\n", " ".repeat(by)));
    lines.collect()
}

/// A file with an example at its intended position: entries of the list, fields of an entry, or all of it.
fn file(example: &str) -> String {
    let code = example.lines().find(|line| !line.starts_with('#')).unwrap();
    if code.starts_with("- ") {
        format!("spec:\n  manifests:\n{}", indented(example, 4))
    } else if code.starts_with("spec:") {
        example.to_owned()
    } else {
        let entry = "    - name: a\n      type: kustomize\n      path: .\n";
        format!("spec:\n  manifests:\n{entry}{}", indented(example, 6))
    }
}

/// What the pages say about the files and options around their examples.
fn around(rule: &str, blocks: &[&str]) -> String {
    let root = |path: &str| {
        format!("//- tazuna.yaml\nspec:\n  manifests:\n    - includes:\n        - path: {path}\n")
    };
    let [first, rest @ ..] = blocks else {
        panic!("{rule} has no example")
    };
    let (root, path) = match rule {
        "tazuna/included-header-ignored" => (root("infra.yaml"), "infra.yaml"),
        "tazuna/included-path-base" => (root("apps/apps.yaml"), "apps/apps.yaml"),
        "tazuna/merge-overrides" => {
            let base = "x-base: &base {name: other, type: kustomize, path: .}\n";
            return format!("//- tazuna.yaml\n{base}{}", file(first));
        }
        _ => (String::new(), "tazuna.yaml"),
    };
    let mut files = format!("{root}//- {path}\n{}", file(first));
    for block in rest {
        assert_eq!(rule, "tazuna/nested-include", "what its second example is");
        files.push_str(&format!("//- platform.yaml\n{}", file(block)));
    }
    files
}

#[test]
fn examples_are_found_by_their_rules() {
    let mut wrong = Vec::new();
    for rule in crate::rules::OWN {
        let mut tree = tree(&around(rule.id, &examples(rule.docs)));
        match rule.id {
            "tazuna/undeclared-environment" => tree = tree.environment("stage"),
            "tazuna/included-path-base" => tree.files.insert_dir("/w/apps/web"),
            _ => {}
        }
        let analysis = tree.analysis();
        let found = of_rule(&analysis, rule.id);
        assert!(!found.is_empty(), "{}: {:#?}", rule.id, super::shown(&analysis));
        wrong.extend(page_shows(rule, &printed(&analysis, rule)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
