//! Pictures that are too large.

use std::fmt::Write;

use super::pictures::many_to_many;
use super::{apply, manifests};
use crate::{FOLD_ABOVE, Format, MOST_CHARACTERS, MOST_EDGES, MOST_UNITS, NodeKind, Picture};

/// A number of manifests, each with its dependencies by index.
pub(super) fn numbered(count: usize, deps: impl Fn(usize) -> Vec<usize>) -> String {
    let mut out = String::from("//- /w/tazuna.yaml\nspec:\n  manifests:\n");
    for n in 0..count {
        let deps: Vec<String> = deps(n).iter().map(|d| format!("m{d}")).collect();
        let _ = writeln!(
            out,
            "    - {{name: m{n}, type: kustomize, path: ., dependsOn: [{}]}}",
            deps.join(", ")
        );
    }
    out
}

/// Resolves the text and returns the folded picture.
fn folded(text: &str, above: usize) -> Picture {
    apply(text).folded(above).pictures.remove(0)
}

fn boxes(picture: &Picture) -> usize {
    let joins = |kind: NodeKind| matches!(kind, NodeKind::Join { .. });
    picture.nodes.iter().filter(|n| !joins(n.kind)).count()
}

/// No unit is lost, and none is shown twice.
fn assert_whole(picture: &Picture, units: usize) {
    assert_eq!(picture.nodes.iter().map(crate::Node::units).sum::<usize>(), units);
    let mut names: Vec<&String> = Vec::new();
    for node in &picture.nodes {
        match node.kind {
            NodeKind::Unit => names.push(&node.name),
            NodeKind::Group => names.extend(&node.members),
            _ => {}
        }
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), units);
}

#[test]
fn twins_fold_first_and_lose_nothing() {
    let picture = folded(
        &numbered(300, |n| if n < 10 { vec![] } else { vec![n % 10] }),
        FOLD_ABOVE,
    );
    assert_whole(&picture, 300);
    let group = picture.nodes.iter().find(|n| n.kind == NodeKind::Group).unwrap();
    assert_eq!((&*group.name, group.members.len()), ("29 manifests", 29));
    let into = |edge: &&crate::Edge| picture.nodes[edge.after].kind == NodeKind::Group;
    assert!(
        picture
            .edges
            .iter()
            .filter(into)
            .all(|e| e.count >= 28 && e.label().starts_with('×'))
    );
    assert_eq!(
        picture.notes[0],
        "300 manifests folded to 21 boxes: those with the same before and after"
    );
}

#[test]
fn what_is_small_enough_is_not_folded() {
    let picture = folded(
        &numbered(200, |n| if n < 10 { vec![] } else { vec![n % 10] }),
        FOLD_ABOVE,
    );
    assert_eq!((boxes(&picture), picture.notes.len()), (200, 0));
}

#[test]
fn cycles_findings_and_the_chain_are_never_folded_where_they_fit() {
    // A chain of 30, a finding, and 500 other manifests with nothing in common.
    let text = numbered(530, |n| match n {
        0 => vec![],
        1..30 => vec![n - 1],
        _ => vec![n % 29, (n * 7) % 13],
    });
    let broken = format!("{text}    - {{name: lost, type: kustomize, path: ., dependsOn: [nobody]}}\n");
    let picture = folded(&text, 60);
    assert_whole(&picture, 530);
    assert!(boxes(&picture) <= 60, "{}", boxes(&picture));
    let chain = picture
        .nodes
        .iter()
        .filter(|n| n.chain && n.kind == NodeKind::Unit);
    assert_eq!(chain.count(), 30);
    let picture = folded(&broken, 60);
    assert!(
        picture
            .nodes
            .iter()
            .any(|n| n.name == "lost" && n.kind == NodeKind::Unit)
    );
    let cyclic = numbered(530, |n| match n {
        0..4 => vec![(n + 1) % 4],
        4..40 => vec![],
        _ => vec![4 + n % 29, 4 + (n * 7) % 13],
    });
    let picture = folded(&cyclic, 60);
    let ring = picture
        .nodes
        .iter()
        .filter(|n| n.cycle && n.kind == NodeKind::Unit);
    assert_eq!(ring.count(), 4);
}

#[test]
fn whatever_the_shape_there_is_a_picture_that_can_be_looked_at() {
    let shapes: [(&str, String); 5] = [
        (
            "chain",
            numbered(3_000, |n| n.checked_sub(1).into_iter().collect()),
        ),
        ("ring", numbered(3_000, |n| vec![(n + 1) % 3_000])),
        ("wide", numbered(3_000, |_| vec![])),
        (
            "random",
            numbered(3_000, |n| {
                if n < 2 {
                    vec![]
                } else {
                    vec![(n * 7919) % n, (n * 104_729) % n]
                }
            }),
        ),
        ("groups", many_to_many(1_500, 1_500)),
    ];
    for (name, text) in shapes {
        let drawing = apply(&text);
        let picture = &drawing.folded(FOLD_ABOVE).pictures[0];
        assert_whole(picture, 3_000);
        assert!(boxes(picture) <= FOLD_ABOVE, "{name}: {}", boxes(picture));
        assert!(picture.notes[0].contains("folded"), "{name}");
        let mermaid = drawing.write(Format::Mermaid);
        let arrows = mermaid
            .lines()
            .filter(|l| l.contains("->") || l.contains("==>"))
            .count();
        assert!(mermaid.len() <= MOST_CHARACTERS && arrows <= MOST_EDGES, "{name}");
        assert!(mermaid.contains("folded to"), "{name}");
        assert!(drawing.write(Format::Svg).len() < 2_000_000, "{name}");
    }
}

/// A drawing as Mermaid: its text, and its number of arrows.
fn as_mermaid(text: &str) -> (String, usize) {
    let mermaid = apply(text).write(Format::Mermaid);
    let arrows = mermaid.lines().filter(|l| l.contains("->") || l.contains("==>"));
    let arrows = arrows.count();
    (mermaid, arrows)
}

#[test]
fn mermaid_is_folded_above_a_number_of_units() {
    let tree = |count| numbered(count, |n| n.checked_sub(1).map(|n| n / 2).into_iter().collect());
    let (text, arrows) = as_mermaid(&tree(MOST_UNITS));
    assert_eq!((text.contains("folded to"), arrows), (false, MOST_UNITS - 1));
    let (text, _) = as_mermaid(&tree(MOST_UNITS + 1));
    assert!(text.contains("61 manifests folded to"), "{text}");
}

#[test]
fn mermaid_counts_the_units_of_all_pictures() {
    let project = |name: &str, count: usize| {
        numbered(count, |n| n.checked_sub(1).map(|n| n / 2).into_iter().collect())
            .replace("/w/", &format!("/w/{name}/"))
    };
    let of = |first, second| as_mermaid(&(project("a", first) + &project("b", second))).0;
    assert!(!of(MOST_UNITS - 2, 2).contains("folded to"));
    assert!(of(MOST_UNITS - 2, 3).contains("folded to"));
}

#[test]
fn mermaid_is_folded_above_a_number_of_edges() {
    // 25 wait for 25, each for as many as needed; no two for the same ones.
    let some = |edges: usize| {
        let mut left = edges;
        let of: Vec<Vec<usize>> = (0..25)
            .map(|n: usize| {
                let deps = (0..25).filter(|d| !(n * 11 + d * 7).is_multiple_of(13));
                let deps: Vec<usize> = deps.take(left).collect();
                left -= deps.len();
                deps
            })
            .collect();
        assert_eq!(left, 0);
        numbered(50, |n| n.checked_sub(25).map_or(vec![], |n| of[n].clone()))
    };
    let (text, arrows) = as_mermaid(&some(MOST_EDGES));
    assert_eq!((text.contains("folded to"), arrows), (false, MOST_EDGES));
    // Two that are very similar become one, and all others stay as they are.
    let (text, arrows) = as_mermaid(&some(MOST_EDGES + 1));
    assert!(arrows < MOST_EDGES && arrows > MOST_EDGES - 25, "{arrows}");
    assert!(
        text.contains(
            "50 manifests folded to 49 boxes: those that have most of their before and after in common"
        ),
        "{text}"
    );
}

#[test]
fn no_more_is_folded_than_has_to_be() {
    // Five layers of 30 with no two similar ones; one of each layer is on the longest chain.
    let text = numbered(150, |n| match n / 30 {
        0 => vec![],
        layer => (0..=n % 30).map(|d| (layer - 1) * 30 + d).collect(),
    });
    let at = |above| {
        let picture = folded(&text, above);
        assert_whole(&picture, 150);
        boxes(&picture)
    };
    assert_eq!((at(149), at(100), at(75)), (122, 94, 66));
    // If nearly all layers fold, all do.
    assert_eq!(at(20), 10);
}

#[test]
fn what_there_is_not_is_folded_too() {
    let names: Vec<String> = (0..400).map(|n| format!("lost-{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = manifests(&[("a", &names), ("b", &["nobody"])]);
    let picture = folded(&text, FOLD_ABOVE);
    let unknown = picture.nodes.iter().filter(|n| n.kind == NodeKind::Unknown);
    let unknown: Vec<(&str, &str)> = unknown.map(|n| (&*n.name, &*n.detail)).collect();
    assert_eq!(
        unknown,
        [("lost ×400", "does not exist"), ("nobody", "does not exist")]
    );
    assert!(picture.edges.iter().any(|e| e.label() == "×400"));
    let note = "2 manifests and 401 unknown names folded to 4 boxes: those with the same before and after";
    assert_eq!(picture.notes[0], note);
}

#[test]
fn small_groups_list_their_names() {
    let picture = folded(
        &manifests(&[("a", &[]), ("b", &[]), ("c", &[]), ("d", &["a", "b"])]),
        3,
    );
    let names: Vec<&str> = picture.nodes.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["a", "b, c", "d"]);
}

#[test]
fn mermaid_is_folded_above_a_number_of_characters() {
    let named = |length: usize| {
        let name = "n".repeat(length);
        let names: Vec<String> = (10..50).map(|n| format!("{name}{n}")).collect();
        let of: Vec<(&str, &[&str])> = names.iter().map(|n| (n.as_str(), &[] as &[&str])).collect();
        as_mermaid(&manifests(&of)).0
    };
    // The cost of one more character in each of the 40 names.
    let (short, longer) = (named(100), named(101));
    assert_eq!(longer.len() - short.len(), 40);
    let most = 100 + (MOST_CHARACTERS - short.len()) / 40;
    let text = named(most);
    assert!(!text.contains("folded to") && text.len() <= MOST_CHARACTERS);
    assert!(text.len() > MOST_CHARACTERS - 40);
    let text = named(most + 1);
    assert!(text.contains("folded to") && text.len() <= MOST_CHARACTERS);
}

#[test]
fn pictures_are_folded_above_a_number_of_units() {
    let of = |count| {
        let text = numbered(count, |n| n.checked_sub(1).map(|n| n / 3).into_iter().collect());
        apply(&text).write(Format::Svg).contains("folded to")
    };
    assert_eq!((of(FOLD_ABOVE), of(FOLD_ABOVE + 1)), (false, true));
}

#[test]
fn units_in_one_directory_fold_together() {
    let mut text = String::from("//- /w/terramate.tm.hcl\nterramate {\n  required_version = \">= 0.1\"\n}\n");
    // No two run after the same ones: they would fold as twins first.
    for n in 0..250 {
        let after = (0..8).filter(|bit| (n + 1) >> bit & 1 == 1);
        let after: Vec<String> = after.map(|bit| format!("\"/base{bit}\"")).collect();
        let _ = write!(
            text,
            "//- /w/team{}/s{n}/stack.tm.hcl\nstack {{\n  after = [{}]\n}}\n",
            n % 5,
            after.join(", ")
        );
    }
    for n in 0..11 {
        let _ = write!(text, "//- /w/base{n}/stack.tm.hcl\nstack {{}}\n");
    }
    let picture = folded(&text, 60);
    assert_whole(&picture, 261);
    assert!(boxes(&picture) <= 60);
    let team = picture
        .nodes
        .iter()
        .any(|n| n.name.starts_with("/team0") && n.kind == NodeKind::Group);
    assert!(
        team,
        "{:?}",
        picture.nodes.iter().map(|n| &n.name).collect::<Vec<_>>()
    );
}

#[test]
fn mermaid_says_where_even_the_folded_picture_is_too_large() {
    let name = "n".repeat(200);
    let many: Vec<String> = (0..20).map(|n| format!("{name}{n}")).collect();
    let of: Vec<(&str, &[&str])> = many.iter().map(|n| (n.as_str(), &[] as &[&str])).collect();
    let text = apply(&manifests(&of)).write(Format::Mermaid);
    assert!(text.len() <= MOST_CHARACTERS);
    let projects: String = (0..100)
        .map(|n| format!("//- /w/p{n}/tazuna.yaml\nspec:\n  manifests:\n    - {{name: a{name}, type: kustomize, path: .}}\n"))
        .collect();
    let text = apply(&projects).write(Format::Mermaid);
    assert!(text.len() <= MOST_CHARACTERS, "{}", text.len());
}
