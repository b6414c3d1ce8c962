//! Mermaid, as forges show it in Markdown. Its viewers stop at 500 edges and 50,000 characters, so it is folded earlier
//! than other formats. The edge to cut is declared last in its cycle, so it is drawn as the one that runs backward.

use std::cmp::Reverse;
use std::fmt::Write;

use crate::fold::{Folding, Needs};
use crate::model::{Column, Edge, Node, NodeKind, Picture};
use crate::text::mermaid;
use crate::{Drawing, svg};

/// Pictures with more units are folded.
pub const MOST_UNITS: usize = 60;
/// Pictures with more edges are folded further.
pub const MOST_EDGES: usize = 400;
/// Texts with more characters are folded further.
pub const MOST_CHARACTERS: usize = 45_000;

/// Folds until the text is within the viewers' limits; they apply to all pictures together.
pub(crate) fn write(drawing: &Drawing) -> String {
    let nodes = drawing.pictures.iter().flat_map(|picture| &picture.nodes);
    let all = nodes.filter(|n| !matches!(n.kind, NodeKind::Join { .. })).count();
    let mut units = if all <= MOST_UNITS {
        MOST_UNITS
    } else {
        MOST_UNITS / drawing.pictures.len().max(1)
    };
    let fold = |units| -> Vec<Folding> {
        let pictures = drawing.pictures.iter();
        pictures.map(|picture| Folding::new(picture, units)).collect()
    };
    let shown_now = |folding: &[Folding]| Drawing {
        pictures: folding.iter().map(Folding::picture).collect(),
        links: drawing.links.clone(),
    };
    let mut folding = fold(units);
    let mut now = shown_now(&folding);
    // Each round removes a box, or a fifth of them. More boxes than rounds remain only if there are too many projects.
    for _ in 0..=2 * MOST_UNITS {
        let text = one(&now);
        let edges: usize = now.pictures.iter().map(|p| shown(p).count()).sum::<usize>() + now.links.len();
        let needs = match (edges > MOST_EDGES, text.len() > MOST_CHARACTERS) {
            (false, false) => return text,
            (true, _) => Needs::FewerEdges,
            (false, true) => Needs::FewerCharacters,
        };
        // Where the gain is largest comes first.
        let mut largest: Vec<(usize, usize)> = now
            .pictures
            .iter()
            .map(|p| shown(p).count() + p.nodes.len())
            .enumerate()
            .map(|(at, size)| (size, at))
            .collect();
        largest.sort_unstable_by_key(|(size, at)| (Reverse(*size), *at));
        let folded = largest
            .iter()
            .map(|(_, at)| *at)
            .find(|at| folding.get_mut(*at).is_some_and(|f| f.fold_two(needs)));
        match folded {
            Some(at) => {
                if let (Some(picture), Some(folding)) = (now.pictures.get_mut(at), folding.get(at)) {
                    *picture = folding.picture();
                }
            }
            None if units <= 2 => break,
            // No layer has two boxes that can be merged: merge layers.
            None => {
                units = units * 4 / 5;
                folding = fold(units);
                now = shown_now(&folding);
            }
        }
    }
    too_large(drawing)
}

/// The note if even the folded picture exceeds the viewers' limits.
fn too_large(drawing: &Drawing) -> String {
    let mut out = String::from("flowchart LR\n");
    for (number, picture) in drawing.pictures.iter().enumerate().take(MOST_UNITS) {
        let _ = writeln!(
            out,
            "  p{number}[\"{}: {}; too large for Mermaid, see --format html\"]",
            mermaid(&svg::title(picture)),
            mermaid(&picture.summary)
        );
    }
    if drawing.pictures.len() > MOST_UNITS {
        let _ = writeln!(
            out,
            "  more[\"{} more projects\"]",
            drawing.pictures.len() - MOST_UNITS
        );
    }
    out
}

fn shown(picture: &Picture) -> impl Iterator<Item = &Edge> {
    let plain = picture.edges.iter().filter(|e| !e.needless && e.ring.is_none());
    let mut ring: Vec<&Edge> = picture.edges.iter().filter(|e| e.ring.is_some()).collect();
    ring.sort_by_key(|e| e.ring.map(|r| (r.cut, r.number)));
    plain.chain(ring)
}

fn one(drawing: &Drawing) -> String {
    let mut out = String::from("flowchart LR\n");
    let mut edges = Marked::default();
    let mut nodes = Marked::default();
    let mut columns: Vec<String> = Vec::new();
    let mut number = 0;
    let several = drawing.pictures.len() > 1;
    for (at, picture) in drawing.pictures.iter().enumerate() {
        let prefix = if several { format!("p{at}") } else { String::new() };
        for note in &picture.notes {
            let _ = writeln!(out, "  %% {}", mermaid(note));
        }
        if several {
            let _ = writeln!(out, "  subgraph {prefix}[\"{}\"]", mermaid(&svg::title(picture)));
        }
        for (column, of) in picture.columns.iter().enumerate() {
            let id = format!("{prefix}L{column}");
            let _ = writeln!(out, "  subgraph {id}[\"{}\"]", heading(*of));
            for (n, node) in picture.nodes.iter().enumerate() {
                if node.column == column && !matches!(node.kind, NodeKind::Join { .. }) {
                    self::node(&mut out, &format!("{prefix}u{n}"), node);
                    nodes.mark(
                        node.cycle,
                        node.chain,
                        node.kind == NodeKind::Unknown,
                        format!("{prefix}u{n}"),
                    );
                }
            }
            let _ = writeln!(out, "  end");
            columns.push(id);
        }
        for (n, node) in picture.nodes.iter().enumerate() {
            if matches!(node.kind, NodeKind::Join { .. }) {
                let _ = writeln!(out, "  {prefix}u{n}((\"{}\"))", mermaid(&node.name));
            }
        }
        for edge in shown(picture) {
            let unknown = picture
                .nodes
                .get(edge.before)
                .is_some_and(|n| n.kind == NodeKind::Unknown);
            self::edge(&mut out, &prefix, edge, unknown);
            edges.mark(edge.cycle, edge.chain, unknown, number.to_string());
            number += 1;
        }
        if several {
            let _ = writeln!(out, "  end");
        }
    }
    for at in 0..drawing.pictures.len() {
        for (node, to) in drawing.links_of(at) {
            let _ = writeln!(out, "  p{at}u{node} ==>|runs| p{to}");
        }
    }
    for (marked, style) in [
        (&edges.cycle, "stroke:#d1242f,stroke-width:3px"),
        (&edges.chain, "stroke:#8250df,stroke-width:3px"),
        (&edges.unknown, "stroke:#9a6700"),
    ] {
        if !marked.is_empty() {
            let _ = writeln!(out, "  linkStyle {} {style}", marked.join(","));
        }
    }
    for (class, marked, style) in [
        ("cycle", &nodes.cycle, "stroke:#d1242f,stroke-width:3px"),
        ("chain", &nodes.chain, "stroke:#8250df,stroke-width:3px"),
        ("unknown", &nodes.unknown, "stroke:#9a6700,stroke-dasharray:4 3"),
        ("layer", &columns, "fill:none,stroke:#8b949e,stroke-dasharray:2 4"),
    ] {
        if !marked.is_empty() {
            let _ = writeln!(out, "  classDef {class} {style}");
            let _ = writeln!(out, "  class {} {class}", marked.join(","));
        }
    }
    out
}

/// The elements with a style of their own.
#[derive(Default)]
struct Marked {
    cycle: Vec<String>,
    chain: Vec<String>,
    unknown: Vec<String>,
}

impl Marked {
    fn mark(&mut self, cycle: bool, chain: bool, unknown: bool, id: String) {
        if cycle {
            self.cycle.push(id);
        } else if unknown {
            self.unknown.push(id);
        } else if chain {
            self.chain.push(id);
        }
    }
}

fn heading(column: Column) -> String {
    match column {
        Column::Cycle => "↻ cycle: no layer".to_owned(),
        Column::Stuck => "stuck behind ↻: no layer".to_owned(),
        Column::Unknown => "#63; not known".to_owned(),
        Column::Layer(_) | Column::Layers(..) => mermaid(&column.words()),
    }
}

fn node(out: &mut String, id: &str, node: &Node) {
    let mark = match node {
        n if n.kind == NodeKind::Unknown => "#63; ",
        n if n.cycle => "↻ ",
        _ => "",
    };
    let (open, close) = match node.kind {
        NodeKind::Group => ("[[", "]]"),
        _ => ("[", "]"),
    };
    let _ = writeln!(out, "    {id}{open}\"{mark}{}\"{close}", mermaid(&node.name));
}

fn edge(out: &mut String, prefix: &str, edge: &Edge, unknown: bool) {
    let arrow = match edge {
        e if e.chain || e.ring.is_some() => "==>",
        e if !e.explicit || e.dropped || unknown => "-.->",
        _ => "-->",
    };
    let label = edge.label();
    let label = if label.is_empty() {
        String::new()
    } else {
        format!("|\"{}\"|", mermaid(&label))
    };
    let _ = writeln!(
        out,
        "  {prefix}u{} {arrow}{label} {prefix}u{}",
        edge.before, edge.after
    );
}
