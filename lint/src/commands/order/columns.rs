//! An order as columns: one box per layer, the longest chain as the first row.

use std::io::{self, Write};

use applyorder_drawing::{Column, Node, NodeKind, Picture};

use crate::look::{Look, Style};
use crate::table::width;

/// More layers are a table.
const MOST_LAYERS: usize = 12;
/// A layer with more units makes a table of the order.
const MOST_ROWS: usize = 8;
/// Between two boxes.
const GAP: usize = 2;

/// The units of each layer, those on the longest chain first.
pub(super) fn layers(picture: &Picture) -> Vec<(Column, Vec<&Node>)> {
    let mut layers: Vec<(Column, Vec<&Node>)> = picture.columns.iter().map(|c| (*c, Vec::new())).collect();
    for node in picture.nodes.iter().filter(|n| n.kind == NodeKind::Unit) {
        if let Some((_, of)) = layers.get_mut(node.column) {
            of.push(node);
        }
    }
    for (_, of) in &mut layers {
        of.sort_by_key(|node| !node.chain);
    }
    layers.retain(|(column, _)| matches!(column, Column::Layer(_)));
    layers
}

/// Whether the boxes are few and small enough for a terminal.
pub(super) fn fit(picture: &Picture, look: Look) -> bool {
    let layers = layers(picture);
    let wide: usize = layers.iter().map(|(_, of)| box_width(of) + GAP).sum();
    !layers.is_empty()
        && layers.len() <= MOST_LAYERS
        && layers.iter().all(|(_, of)| of.len() <= MOST_ROWS)
        && wide <= look.width.saturating_add(GAP)
}

fn box_width(of: &[&Node]) -> usize {
    of.iter().map(|n| width(&n.name)).max().unwrap_or(0) + 4
}

/// Draws the boxes and says what their first row is.
pub(super) fn write(w: &mut dyn Write, picture: &Picture, several: bool, look: Look) -> io::Result<()> {
    let layers = layers(picture);
    let g = |glyph| look.glyph(glyph);
    let (flat, side) = if picture.barrier {
        ("─", "│")
    } else {
        ("╌", "╎")
    };
    let (flat, side) = (g(flat), g(side));
    let chain = |n: usize| {
        let first = layers.get(n).and_then(|(_, of)| of.first());
        first.is_some_and(|node| node.chain)
    };
    let linked = |n: usize| chain(n) && chain(n + 1);
    let mut line = String::new();
    for (column, of) in &layers {
        let title = column.title();
        let pad = (box_width(of) + GAP).saturating_sub(width(&title) + 1);
        line.push_str(&format!(" {title}{}", " ".repeat(pad)));
    }
    writeln!(w, "{}", line.trim_end())?;
    let most = layers.iter().map(|(_, of)| of.len()).max().unwrap_or(0);
    for row in 0..most + 2 {
        let mut line = String::new();
        for (n, (_, of)) in layers.iter().enumerate() {
            let inner = box_width(of) - 2;
            let edge = |left, right| format!("{}{}{}", g(left), flat.repeat(inner), g(right));
            let first = row == 1;
            let text = match row {
                0 => edge("┌", "┐"),
                _ if row <= of.len() => {
                    let node = of.get(row - 1).copied();
                    let name = node.map_or("", |n| n.name.as_str());
                    let pad = " ".repeat(inner.saturating_sub(width(name) + 2));
                    let left = if first && n > 0 && linked(n - 1) {
                        g("┥")
                    } else {
                        side
                    };
                    let right = if first && linked(n) { g("┝") } else { side };
                    format!("{left} {}{pad} {right}", look.paint(Style::Bold, name))
                }
                _ if row == of.len() + 1 => edge("└", "┘"),
                _ => " ".repeat(inner + 2),
            };
            line.push_str(&text);
            line.push_str(&if first && linked(n) {
                look.paint(Style::Chain, g("━━"))
            } else {
                " ".repeat(GAP)
            });
        }
        writeln!(w, "{}", line.trim_end())?;
    }
    let steps = picture
        .nodes
        .iter()
        .filter(|n| n.chain && n.kind == NodeKind::Unit)
        .count();
    let mut legend = Vec::new();
    if steps > 1 {
        let mark = look.paint(Style::Chain, g("━"));
        let several = if several { ", one of several" } else { "" };
        legend.push(format!("{mark} longest chain: {steps} steps{several}"));
    }
    if most > 1 {
        legend.push("in one box: may run at once".to_owned());
    }
    if !legend.is_empty() {
        writeln!(w, "{}", legend.join("     "))?;
    }
    Ok(())
}
