//! What a picture shows.

use applyorder_analysis::engine::Operation;

use super::{apply, columns, drawing, manifests};
use crate::{Format, NodeKind, Picture, Wanted};

fn edges(picture: &Picture, is: impl Fn(&crate::Edge) -> bool) -> Vec<String> {
    let name = |n: usize| picture.nodes[n].name.clone();
    let shown = picture.edges.iter().filter(|e| is(e));
    shown
        .map(|e| format!("{} then {}", name(e.before), name(e.after)))
        .collect()
}

#[test]
fn columns_are_layers_and_the_longest_chain_is_the_first_row() {
    let drawing = apply(&manifests(&[
        ("a", &[]),
        ("b", &["a"]),
        ("c", &["b"]),
        ("d", &["a", "c"]),
        ("e", &["a"]),
    ]));
    let picture = &drawing.folded(200).pictures[0];
    assert_eq!(columns(picture), ["1: a", "2: b e", "3: c", "4: d"]);
    assert_eq!(edges(picture, |e| e.chain), ["a then b", "b then c", "c then d"]);
    assert_eq!(edges(picture, |e| e.needless), ["a then d"]);
    assert!(picture.barrier && picture.ordered);
    assert_eq!(picture.summary, "5 manifests in 4 layers");
    let layout = crate::layout::layout(picture);
    let middle = |name: &str| {
        let at = picture.nodes.iter().position(|n| n.name == name).unwrap();
        layout.nodes[at].y
    };
    assert!(["b", "c", "d"].iter().all(|n| middle(n) == middle("a")));
    assert!(middle("e") > middle("b"));
}

#[test]
fn boxes_do_not_cover_each_other() {
    let units: Vec<(String, Vec<String>)> = (0..120usize)
        .map(|n| {
            let deps = [n / 2, n / 3, n.saturating_sub(7)];
            let deps = deps.iter().filter(|d| **d < n).map(|d| format!("m{d}"));
            let mut deps: Vec<String> = deps.collect();
            deps.sort();
            deps.dedup();
            (format!("m{n}"), deps)
        })
        .collect();
    let deps: Vec<Vec<&str>> = units
        .iter()
        .map(|(_, d)| d.iter().map(String::as_str).collect())
        .collect();
    let of: Vec<(&str, &[&str])> = units
        .iter()
        .zip(&deps)
        .map(|((n, _), d)| (n.as_str(), d.as_slice()))
        .collect();
    let drawing = apply(&manifests(&of));
    let picture = &drawing.folded(200).pictures[0];
    let layout = crate::layout::layout(picture);
    let mut crossed = 0;
    for (n, a) in layout.nodes.iter().enumerate() {
        for b in &layout.nodes[..n] {
            let apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
            crossed += usize::from(!apart);
        }
    }
    assert_eq!(crossed, 0);
    assert!(
        layout
            .nodes
            .iter()
            .all(|r| r.x >= 0.0 && r.x + r.w <= layout.width && r.y + r.h <= layout.height)
    );
}

#[test]
fn a_cycle_is_a_separate_column_and_its_dependents_come_after_it() {
    let drawing = apply(&manifests(&[
        ("free", &[]),
        ("vault", &["postgres", "free"]),
        ("postgres", &["secrets"]),
        ("secrets", &["vault"]),
        ("shop", &["vault"]),
        ("own", &["own"]),
        ("typo", &["fre"]),
    ]));
    let picture = &drawing.folded(200).pictures[0];
    assert_eq!(
        columns(picture),
        [
            "?: fre",
            "1: free typo",
            "↻: vault secrets postgres own",
            "…: shop"
        ]
    );
    assert!(!picture.ordered, "{}", picture.summary);
    let ring = |n: usize| edges(picture, |e| e.ring.is_some_and(|r| r.number == n));
    assert_eq!(ring(1), ["vault then secrets", "own then own"]);
    assert_eq!(ring(3), ["postgres then vault"]);
    assert_eq!(
        edges(picture, |e| e.ring.is_some_and(|r| r.cut)),
        ["postgres then vault", "own then own"]
    );
    let unknown = picture
        .nodes
        .iter()
        .find(|n| n.kind == NodeKind::Unknown)
        .unwrap();
    assert_eq!((&*unknown.name, &*unknown.detail), ("fre", "does not exist"));
}

#[test]
fn text_above_and_below_a_picture_is_plain_and_complete() {
    let ring = apply(&manifests(&[("a", &["b"]), ("b", &["a"])])).write(Format::Svg);
    let said = ring
        .split_once("✗ no order: ")
        .and_then(|(_, rest)| rest.split_once('<'));
    let (said, _) = said.unwrap_or_else(|| panic!("{ring}"));
    assert!(
        said.starts_with("a dependency cycle: apply does not start"),
        "{said}"
    );
    // The edges of a cycle are explicit as well.
    assert!(ring.contains(">── written · ↻ cycle</text>"), "{ring}");
    // Only list order applies, and all of them form the longest chain.
    let listed = apply(
        "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    - {name: b, type: kustomize, \
         path: .}\n",
    );
    assert!(
        listed.write(Format::Svg).contains("━ longest chain · ╌╌ implied"),
        "{}",
        listed.write(Format::Svg)
    );
}

#[test]
fn a_ring_is_shown_though_one_in_it_waits_for_itself_too() {
    let drawing = apply(&manifests(&[("a", &["b"]), ("b", &["a", "b"]), ("c", &["a"])]));
    let picture = &drawing.folded(200).pictures[0];
    let mut ring = edges(picture, |e| e.ring.is_some());
    ring.sort();
    assert_eq!(ring, ["a then b", "b then a", "b then b"]);
    let cut = edges(picture, |e| e.ring.is_some_and(|r| r.cut));
    assert_eq!(cut.len(), 2, "{cut:?}");
    assert!(cut.contains(&"b then b".to_owned()), "{cut:?}");
    assert_eq!(columns(picture), ["↻: a b", "…: c"]);
}

/// Points of a path, close to each other.
pub(super) fn points(path: &str) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    let mut words = path.to_owned();
    for command in ["M", "C", "H", "L"] {
        words = words.replace(command, &format!(" {command} "));
    }
    let mut words = words.split_whitespace();
    let (mut x, mut y) = (0.0, 0.0);
    while let Some(command) = words.next() {
        let mut next = || words.next().unwrap().parse::<f64>().unwrap();
        let ends = match command {
            "M" => {
                (x, y) = (next(), next());
                [(x, y); 3]
            }
            "H" => [(next(), y); 3],
            "L" => [(next(), next()); 3],
            "C" => [(next(), next()), (next(), next()), (next(), next())],
            _ => panic!("{command} in {path}"),
        };
        for step in 0..=100 {
            let t = f64::from(step) / 100.0;
            let weights = [
                (1.0 - t).powi(3),
                3.0 * t * (1.0 - t).powi(2),
                3.0 * t * t * (1.0 - t),
                t.powi(3),
            ];
            let at = |from: f64, ends: [f64; 3]| {
                weights[0] * from + weights[1] * ends[0] + weights[2] * ends[1] + weights[3] * ends[2]
            };
            out.push((at(x, ends.map(|e| e.0)), at(y, ends.map(|e| e.1))));
        }
        (x, y) = ends[2];
    }
    out
}

#[test]
fn no_line_crosses_the_label_of_a_backward_edge() {
    // Its dependents are below it, above it, and next to it.
    let cases: [&[(&str, &str)]; 4] = [
        &[("x", "own")],
        &[("x", "ring"), ("y", "own")],
        &[("x", "own"), ("y", "ring")],
        &[("x", "ring"), ("y", "ring"), ("z", "own")],
    ];
    // And edges that go around boxes pass it.
    let own = [vec!["own"], vec!["own", "ring"]];
    for (others, own) in cases
        .iter()
        .flat_map(|others| own.iter().map(move |own| (others, own)))
    {
        let mut of: Vec<(&str, Vec<&str>)> = vec![
            ("ring", vec!["back", "own"]),
            ("back", vec!["ring"]),
            ("own", own.clone()),
        ];
        of.extend(others.iter().map(|(name, on)| (*name, vec![*on])));
        let of: Vec<(&str, &[&str])> = of.iter().map(|(name, on)| (*name, on.as_slice())).collect();
        let drawing = apply(&manifests(&of));
        let picture = &drawing.folded(200).pictures[0];
        let layout = crate::layout::layout(picture);
        let own = picture.edges.iter().position(|e| e.before == e.after).unwrap();
        let (x, y) = layout.edges[own].label.unwrap();
        let width = crate::text::width(&picture.edges[own].label()) * crate::text::DETAIL_CHAR;
        for (n, edge) in picture.edges.iter().enumerate() {
            let crosses = points(&layout.edges[n].path)
                .into_iter()
                .any(|(px, py)| x < px && px < x + width && y - 5.0 < py && py < y + 5.0);
            assert!(
                !crosses,
                "{others:?}: {} in {:?}",
                layout.edges[n].path,
                (x, y, edge.label())
            );
        }
        let columns = layout.columns.last().unwrap();
        assert!(x + width <= columns.0, "{x} {width} {columns:?}");
    }
}

#[test]
fn what_leads_around_on_the_left_goes_through_no_label() {
    let drawing = apply(&manifests(&[
        ("a", &["b", "d"]),
        ("b", &["c", "a"]),
        ("c", &["a", "d"]),
        ("d", &["a", "b"]),
    ]));
    let picture = &drawing.folded(200).pictures[0];
    let layout = crate::layout::layout(picture);
    let mut seen = 0;
    for (edge, way) in picture.edges.iter().zip(&layout.edges) {
        let ends = [edge.before, edge.after].map(|n| layout.nodes[n].x);
        let (x, y) = way.label.unwrap();
        if edge.label().is_empty() || x > ends[0].min(ends[1]) {
            continue;
        }
        seen += 1;
        let width = crate::text::width(&edge.label()) * crate::text::DETAIL_CHAR;
        for other in &layout.edges {
            let crosses = points(&other.path)
                .into_iter()
                .any(|(px, py)| x - width < px && px < x && y - 5.0 < py && py < y + 5.0);
            assert!(!crosses, "{} through {}", other.path, edge.label());
        }
    }
    assert!(seen > 0);
}

#[test]
fn the_line_between_columns_goes_through_no_label() {
    let drawing = apply(&manifests(&[
        ("a", &[]),
        ("vault", &["postgres", "a"]),
        ("postgres", &["secrets"]),
        ("secrets", &["vault"]),
        ("own", &["own"]),
        ("shop", &["vault", "own"]),
    ]));
    let picture = &drawing.folded(200).pictures[0];
    let layout = crate::layout::layout(picture);
    let mut seen = 0;
    for (edge, way) in picture.edges.iter().zip(&layout.edges) {
        let width = crate::text::width(&edge.label()) * crate::text::DETAIL_CHAR;
        let start = if edge.ring.is_some_and(|r| r.cut) && edge.before != edge.after {
            way.label.unwrap().0 - width
        } else {
            way.label.unwrap().0
        };
        seen += usize::from(width > 0.0);
        for line in layout.lines.iter().filter(|_| width > 0.0) {
            assert!(
                *line < start || start + width < *line,
                "{line} in {}",
                edge.label()
            );
        }
    }
    assert_eq!((seen, layout.lines.len()), (4, 2));
}

#[test]
fn deleting_is_drawn_in_its_own_direction() {
    let text = manifests(&[("a", &[]), ("b", &["a"])]);
    let picture = &drawing(&text, Operation::Delete, &Wanted::default()).pictures[0];
    let node = |name: &str| picture.nodes.iter().find(|n| n.name == name).unwrap().column;
    assert_eq!(picture.operation, Operation::Delete);
    assert_eq!(picture.meaning, "one after the other, as listed");
    assert!(node("a") != node("b"));
}

#[test]
fn a_focus_keeps_what_runs_before_and_after_within_a_distance() {
    let text = manifests(&[
        ("a", &[]),
        ("b", &["a"]),
        ("c", &["b"]),
        ("d", &["c"]),
        ("e", &["d"]),
        ("other", &["a"]),
    ]);
    let of = |depth| {
        let wanted = Wanted {
            focus: Some("c".to_owned()),
            depth,
        };
        let drawing = drawing(&text, Operation::Apply, &wanted);
        columns(&drawing.pictures[0]).join(" ")
    };
    assert_eq!(of(Some(1)), "2: b 3: c 4: d");
    assert_eq!(of(None), "1: a 2: b 3: c 4: d 5: e");
    let unknown = Wanted {
        focus: Some("x".to_owned()),
        depth: None,
    };
    assert!(drawing(&text, Operation::Apply, &unknown).pictures.is_empty());
}

#[test]
fn conditions_are_shown_on_their_edges() {
    let text = "//- /w/state.yaml\napiVersion: v1\nworkloads:\n  \
        db: {runtime: podman, agent: a, runtimeConfig: \"image: x\"}\n  \
        app: {runtime: podman, agent: a, runtimeConfig: \"image: x\", dependencies: {db: ADD_COND_RUNNING}}\n";
    let drawing = apply(text);
    let picture = &drawing.pictures[0];
    assert_eq!(picture.edges[0].condition.as_deref(), Some("running"));
    assert!(!picture.barrier);
    assert!(drawing.write(crate::Format::Svg).contains(">running</text>"));
}

/// A kapp app: Jobs in a group, Deployments that wait for the whole group.
pub(super) fn many_to_many(jobs: usize, deployments: usize) -> String {
    let mut out = String::from("//- /w/app.yaml\n");
    let meta = |kind: &str, n: usize, key: &str, value: &str| {
        format!(
            "---\napiVersion: v1\nkind: {kind}\nmetadata:\n  name: x{n}\n  annotations:\n    \
             kapp.k14s.io/{key}: \"{value}\"\n"
        )
    };
    for n in 0..jobs {
        out.push_str(&meta("Job", n, "change-group", "g"));
    }
    for n in 0..deployments {
        out.push_str(&meta("Deployment", n, "change-rule", "upsert after upserting g"));
    }
    out
}

#[test]
fn many_that_wait_for_many_meet_in_one_dot() {
    let drawing = apply(&many_to_many(12, 3));
    let picture = &drawing.folded(200).pictures[0];
    let joins: Vec<&str> = picture
        .nodes
        .iter()
        .filter(|n| matches!(n.kind, NodeKind::Join { .. }))
        .map(|n| n.name.as_str())
        .collect();
    assert_eq!(joins, ["3 × 12"]);
    assert_eq!(picture.edges.len(), 15);
    // A unit that waits for many needs no dot.
    let few = apply(&many_to_many(5, 1));
    assert!(few.pictures[0].nodes.iter().all(|n| n.kind == NodeKind::Unit));
    assert_eq!(few.pictures[0].edges.len(), 5);
}

#[test]
fn each_box_has_a_sentence_for_screen_readers() {
    let drawing = apply(&manifests(&[("a", &[]), ("b", &["a"]), ("c", &["a"])]));
    let picture = &drawing.folded(200).pictures[0];
    let sentences: Vec<&str> = picture.nodes.iter().map(|n| n.sentence.as_str()).collect();
    assert_eq!(
        sentences,
        [
            "a, layer 1, on the longest chain",
            "b, layer 2, after a, on the longest chain",
            "c, layer 2, after a"
        ]
    );
}

#[test]
fn units_that_may_run_later_are_marked() {
    let text = manifests(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    let text = text.replace("[\"a\"]", "[a, {x: y}]");
    let picture = &apply(&text).folded(200).pictures[0];
    assert_eq!(picture.summary, "3 manifests in 3 layers or more");
    let said: Vec<&str> = picture.nodes.iter().map(|node| node.sentence.as_str()).collect();
    assert_eq!(
        said,
        [
            "a, layer 1, on the longest chain",
            "b, layer 2 or later, after a, on the longest chain",
            "c, layer 3 or later, after b, on the longest chain",
        ]
    );
    let details = picture.nodes.iter().map(|node| node.detail.as_str());
    let later: Vec<bool> = details.map(|detail| detail.ends_with(" · or later")).collect();
    assert_eq!(later, [false, true, true]);
    let data = apply(&text).data();
    let nodes = data["pictures"][0]["nodes"].as_array().unwrap();
    let later: Vec<bool> = nodes.iter().map(|n| n["later"].as_bool().unwrap()).collect();
    assert_eq!(later, [false, true, true]);
}

#[test]
fn a_unit_that_may_be_deleted_later_says_so() {
    let text = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- /w/a/s.tm\nstack {\n}\n//- \
                /w/b/s.tm\nstack {\n  after = [\"/a\", x.y]\n}\n";
    let picture = &drawing(text, Operation::Delete, &Wanted::default())
        .folded(200)
        .pictures[0];
    let said: Vec<&str> = picture.nodes.iter().map(|node| node.sentence.as_str()).collect();
    // It is not known what `/b` runs before: it may be `/a`.
    assert_eq!(
        said,
        ["/b, layer 1", "/a, layer 1 or later, on the longest chain"]
    );
}
