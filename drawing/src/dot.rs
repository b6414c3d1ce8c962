//! The Graphviz language: a cluster per project, a rank per layer.

use std::fmt::Write;

use applyorder_analysis::diagnostic::Severity;

use crate::Drawing;
use crate::model::{Edge, Node, NodeKind, Picture};
use crate::svg;
use crate::text::dot;

const RED: &str = "#b3261e";
const YELLOW: &str = "#8a5a00";
const CHAIN: &str = "#6f3fc1";
const GRAY: &str = "#57606a";

pub(crate) fn write(drawing: &Drawing) -> String {
    let mut out = String::from("digraph applyorder {\n");
    out.push_str("  rankdir=LR; newrank=true; fontname=\"monospace\";\n");
    out.push_str("  node [shape=box, fontname=\"monospace\", fontsize=12];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=11];\n");
    for (number, picture) in drawing.pictures.iter().enumerate() {
        self::picture(&mut out, number, picture);
    }
    if !drawing.links.is_empty() {
        out.push_str("  compound=true;\n");
    }
    for (number, picture) in drawing.pictures.iter().enumerate() {
        for (node, to) in drawing.links_of(number) {
            let there = drawing.pictures.get(to).filter(|p| !p.nodes.is_empty());
            let runs = picture.nodes.get(node).zip(there);
            let Some((of, there)) = runs else { continue };
            let _ = writeln!(
                out,
                "  p{number}n{node} -> p{to}n0 [lhead=cluster_{to}, constraint=false, color=\"{GRAY}:invis:{GRAY}\", tooltip={}];",
                dot(&svg::link_words(of, there))
            );
        }
    }
    out.push_str("}\n");
    out
}

fn picture(out: &mut String, number: usize, picture: &Picture) {
    let id = |node: usize| format!("p{number}n{node}");
    let title = format!("{}\n{}", svg::title(picture), picture.summary);
    let _ = writeln!(out, "  subgraph cluster_{number} {{");
    let _ = writeln!(
        out,
        "    label={}; labelloc=t; labeljust=l; color=\"{GRAY}\";",
        dot(&title)
    );
    for note in &picture.notes {
        let _ = writeln!(out, "    // {}", note.replace(['\n', '\r'], " "));
    }
    for (column, of) in picture.columns.iter().enumerate() {
        let _ = writeln!(
            out,
            "    subgraph p{number}l{column} {{ rank=same; // {}",
            of.words()
        );
        let nodes = picture.nodes.iter().enumerate();
        for (n, node) in nodes.filter(|(_, n)| n.column == column && !is_join(n)) {
            let _ = writeln!(out, "      {} [{}];", id(n), attributes(node));
        }
        let _ = writeln!(out, "    }}");
    }
    for (n, node) in picture.nodes.iter().enumerate().filter(|(_, n)| is_join(n)) {
        let _ = writeln!(
            out,
            "    {} [shape=point, width=0.1, xlabel={}];",
            id(n),
            dot(&node.name)
        );
    }
    // Columns are in order even where no edge says so.
    let first = |column: usize| {
        picture
            .nodes
            .iter()
            .position(|n| n.column == column && !is_join(n))
    };
    let firsts: Vec<usize> = (0..picture.columns.len()).filter_map(first).collect();
    for pair in firsts.windows(2) {
        if let [a, b] = pair {
            let _ = writeln!(out, "    {} -> {} [style=invis];", id(*a), id(*b));
        }
    }
    for edge in picture.edges.iter().filter(|e| !e.needless) {
        let _ = writeln!(
            out,
            "    {} -> {} [{}];",
            id(edge.before),
            id(edge.after),
            edge_attributes(picture, edge)
        );
    }
    let _ = writeln!(out, "  }}");
}

fn is_join(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Join { .. })
}

fn attributes(node: &Node) -> String {
    let mark = match node {
        n if n.kind == NodeKind::Unknown => "? ",
        n if n.cycle => "↻ ",
        n if n.finding == Some(Severity::Error) => "✗ ",
        n if n.finding == Some(Severity::Warning) => "! ",
        n if n.chain => "● ",
        _ => "",
    };
    let mut out = vec![
        format!("label={}", dot(&format!("{mark}{}\n{}", node.name, node.detail))),
        format!("tooltip={}", dot(&node.sentence)),
    ];
    if let Some(link) = node.spot.as_ref().and_then(|s| s.link.as_deref()) {
        out.push(format!("URL={}", dot(link)));
    }
    match node {
        n if n.kind == NodeKind::Unknown => out.push(format!("style=dashed, color=\"{YELLOW}\"")),
        n if n.cycle => out.push(format!("color=\"{RED}\", penwidth=3")),
        n if n.chain => out.push(format!("color=\"{CHAIN}\", penwidth=3")),
        _ => {}
    }
    if node.focus {
        out.push("peripheries=2".to_owned());
    }
    out.join(", ")
}

fn edge_attributes(picture: &Picture, edge: &Edge) -> String {
    let mut out = vec![format!("tooltip={}", dot(&svg::edge_words(picture, edge)))];
    let label = edge.label();
    if !label.is_empty() {
        out.push(format!("label={}", dot(&label)));
    }
    if edge.dropped {
        out.push("style=dotted".to_owned());
    } else if !edge.explicit {
        out.push("style=dashed".to_owned());
    }
    if edge.cycle {
        out.push(format!("color=\"{RED}\", fontcolor=\"{RED}\""));
    } else if edge.chain {
        out.push(format!("color=\"{CHAIN}\""));
    }
    if edge.chain || edge.ring.is_some() {
        out.push("penwidth=3".to_owned());
    }
    if edge.cycle || edge.dropped {
        // This edge runs against time, so it must not affect the ranks.
        out.push("constraint=false".to_owned());
    }
    out.join(", ")
}
