//! The pages of the rules: each is there, begins as its rule does, and no page is of no rule.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn a_page_begins_with_the_id_and_the_summary_of_its_rule() {
    for rule in applyorder_engines::all().rules() {
        let head = format!("# {}\n\n{}.", rule.id, rule.summary.trim_end_matches('.'));
        assert_eq!(rule.page_parts().0, head, "docs/rules/{}.md", rule.id);
        assert!(
            rule.page_parts().1.starts_with("## "),
            "docs/rules/{}.md",
            rule.id
        );
    }
}

#[test]
fn every_page_is_of_a_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules");
    let known: BTreeSet<PathBuf> = applyorder_engines::all()
        .rules()
        .iter()
        .map(|rule| root.join(format!("{}.md", rule.id)))
        .collect();
    let mut open = vec![root.clone()];
    let mut found = BTreeSet::new();
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path);
            }
        }
    }
    assert_eq!(found, known);
}
