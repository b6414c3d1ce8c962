//! Links between pages: their targets exist, including headings, and the book contains every page.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::root;

/// Every page for readers: in the root, in the book, next to editors and packages.
fn pages() -> Vec<PathBuf> {
    let mut open = ["docs", "editors", "packaging", "tests"]
        .map(|dir| root().join(dir))
        .to_vec();
    let mut found = Vec::new();
    let top = fs::read_dir(root()).unwrap().map(|e| e.unwrap().path());
    found.extend(top.filter(|p| p.is_file()));
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                found.push(path);
            } else if path.is_dir() && !path.ends_with("node_modules") && !path.ends_with("cases") {
                open.push(path);
            }
        }
    }
    found.retain(|path| path.extension().is_some_and(|e| e == "md"));
    found.sort();
    found
}

/// A page without its blocks of code.
fn prose(text: &str) -> String {
    let mut in_code = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

/// The link targets of a page that are files.
fn targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in prose(text).split("](").skip(1) {
        let Some((target, _)) = rest.split_once(')') else {
            continue;
        };
        let is_file = !target.contains("://")
            && !target.starts_with("mailto:")
            && !target.contains(char::is_whitespace);
        if is_file {
            found.push(target.to_owned());
        }
    }
    found
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let text = prose(text);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[test]
fn links_lead_to_pages_and_headings_that_are_there() {
    let mut lost = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for target in targets(&text) {
            count += 1;
            let (path, heading) = target
                .split_once('#')
                .map_or((&*target, None), |(p, h)| (p, Some(h)));
            let file = if path.is_empty() {
                page.clone()
            } else {
                clean(&page.parent().unwrap().join(path))
            };
            let is_there = match heading {
                _ if !file.exists() => false,
                Some(heading) if file.extension().is_some_and(|e| e == "md") => {
                    anchors(&fs::read_to_string(&file).unwrap()).contains(heading)
                }
                _ => true,
            };
            if !is_there {
                lost.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(count > 300, "only {count} links were found");
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn the_book_has_every_page() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let named: BTreeSet<PathBuf> = targets(&summary).iter().map(|target| docs.join(target)).collect();
    let missing: Vec<PathBuf> = pages()
        .into_iter()
        .filter(|page| page.starts_with(&docs) && page.file_name().is_some_and(|n| n != "SUMMARY.md"))
        .filter(|page| !named.contains(page))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn anchors_are_those_of_the_book() {
    assert_eq!(
        anchor(" Check, then hand over: `exec` and `apply`"),
        "check-then-hand-over-exec-and-apply"
    );
    assert_eq!(
        targets("[a](b.md#c) [d](https://e)\n```\n[f](g)\n```\n[h](../i.md)"),
        ["b.md#c", "../i.md"]
    );
}
