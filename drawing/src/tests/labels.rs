//! Labels of edges between columns do not overlap.

use super::pictures::points;
use super::{apply, manifests};
use crate::layout::{Rect, Side, covered, layout};
use crate::text;

#[test]
fn counts_of_a_large_folded_picture_overlap_nothing() {
    // A fixed example: a thousand manifests in a dozen layers, each after some of the layer before.
    let mut drawn = 7u64;
    let mut next = |below: u64| {
        drawn = drawn
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (drawn >> 33) % below
    };
    let name = |n: u64| format!("team{}-part{n}", n % 9);
    let units: Vec<(String, Vec<String>)> = (0..1_000u64)
        .map(|n| {
            let layer = n / 80;
            let mut on: Vec<u64> = (0..3).map(|_| next(80) + layer.saturating_sub(1) * 80).collect();
            on.sort_unstable();
            on.dedup();
            on.retain(|_| layer > 0);
            (name(n), on.into_iter().map(name).collect())
        })
        .collect();
    let on: Vec<Vec<&str>> = units
        .iter()
        .map(|(_, on)| on.iter().map(String::as_str).collect())
        .collect();
    let of: Vec<(&str, &[&str])> = units
        .iter()
        .zip(&on)
        .map(|((n, _), on)| (n.as_str(), on.as_slice()))
        .collect();
    let drawing = apply(&manifests(&of));
    for folded in [60, 200, 400] {
        let picture = &drawing.folded(folded).pictures[0];
        let layout = layout(picture);
        let shown: Vec<Rect> = picture
            .edges
            .iter()
            .zip(&layout.edges)
            .filter(|(edge, _)| !edge.label().is_empty())
            .filter_map(|(edge, way)| {
                Some(covered(
                    text::width(&edge.label()) * text::DETAIL_CHAR,
                    way.label?,
                    Side::Above,
                ))
            })
            .collect();
        assert!(shown.len() > 20, "{} of {}", shown.len(), picture.edges.len());
        for (n, one) in shown.iter().enumerate() {
            assert!(!shown[..n].iter().any(|other| one.meets(other)), "{one:?}");
            assert!(
                !layout.nodes.iter().any(|node| one.meets(node)),
                "{one:?} on a box"
            );
            assert!(one.x >= 0.0 && one.x + one.w <= layout.width);
        }
    }
}

#[test]
fn where_lines_cross_there_are_no_labels() {
    let workload = |name: &str, on: &str| {
        format!(
            "  {name}:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"\"\n    dependencies: {{{on}}}\n"
        )
    };
    let drawing = apply(&format!(
        "//- /w/state.yaml\napiVersion: v1\nworkloads:\n{}{}{}{}",
        workload("database", ""),
        workload("migrate", "database: ADD_COND_RUNNING"),
        workload("alarm", "migrate: ADD_COND_FAILED"),
        workload(
            "backend",
            "database: ADD_COND_RUNNING, migrate: ADD_COND_SUCCEEDED"
        ),
    ));
    let picture = &drawing.folded(200).pictures[0];
    let layout = layout(picture);
    assert_eq!(picture.edges.len(), 4);
    for (own, (edge, way)) in picture.edges.iter().zip(&layout.edges).enumerate() {
        let words = covered(
            text::width(&edge.label()) * text::DETAIL_CHAR,
            way.label.unwrap(),
            Side::Above,
        );
        for (other, line) in layout.edges.iter().enumerate().filter(|(other, _)| *other != own) {
            let is_in = |(x, y): (f64, f64)| {
                words.x < x && x < words.x + words.w && words.y < y && y < words.y + words.h
            };
            let crossed = points(&line.path).into_iter().any(is_in);
            assert!(!crossed, "{other} through `{}`: {}", edge.label(), line.path);
        }
    }
}
