//! An order as columns: one box per layer, the longest chain as the first row.

use std::io::{self, Write};

use applyorder_drawing::{Column, Node, NodeKind, Picture};

use crate::look::{Look, Style};
use crate::table::width;

/// Orders with more layers are shown as a table.
const MOST_LAYERS: usize = 12;
/// Orders with a larger layer are shown as a table.
const MOST_ROWS: usize = 8;
/// The space between two boxes.
const GAP: usize = 2;

/// Orders with more cells (rows times layers) are shown as a table, even if columns are requested.
const MOST_CELLS: usize = 1_000_000;

/// A layer and its box.
pub(super) struct Layer<'a> {
    column: Column,
    /// Units on the longest chain come first.
    units: Vec<&'a Node>,
    /// How wide its box is.
    width: usize,
}

/// The layers of a picture, in its order.
pub(super) fn layers(picture: &Picture) -> Vec<Layer<'_>> {
    let layer = |column: &Column| Layer {
        column: *column,
        units: Vec::new(),
        width: 0,
    };
    let mut layers: Vec<Layer<'_>> = picture.columns.iter().map(layer).collect();
    for node in picture.nodes.iter().filter(|n| n.kind == NodeKind::Unit) {
        if let Some(layer) = layers.get_mut(node.column) {
            layer.units.push(node);
            layer.width = layer.width.max(width(&node.name) + 4);
        }
    }
    layers.retain(|layer| matches!(layer.column, Column::Layer(_)));
    for layer in &mut layers {
        layer.units.sort_by_key(|node| !node.chain);
    }
    layers
}

/// The number of units in the largest layer.
pub(super) fn rows(layers: &[Layer<'_>]) -> usize {
    layers.iter().map(|layer| layer.units.len()).max().unwrap_or(0)
}

/// Whether there are few enough boxes, small enough for a terminal.
pub(super) fn fit(layers: &[Layer<'_>], look: Look) -> bool {
    let wide: usize = layers.iter().map(|layer| layer.width + GAP).sum();
    !layers.is_empty()
        && layers.len() <= MOST_LAYERS
        && rows(layers) <= MOST_ROWS
        && wide <= look.width.saturating_add(GAP)
}

/// Whether they can be drawn at all: the output has rows times layers cells.
pub(super) fn can_be_drawn(layers: &[Layer<'_>]) -> bool {
    rows(layers).saturating_mul(layers.len()) <= MOST_CELLS
}

/// Draws the boxes and explains their first row.
pub(super) fn write(
    w: &mut dyn Write,
    picture: &Picture,
    layers: &[Layer<'_>],
    several: bool,
    look: Look,
) -> io::Result<()> {
    let g = |glyph| look.glyph(glyph);
    let (flat, side) = if picture.barrier {
        ("─", "│")
    } else {
        ("╌", "╎")
    };
    let (flat, side) = (g(flat), g(side));
    let chain = |n: usize| {
        let first = layers.get(n).and_then(|layer| layer.units.first());
        first.is_some_and(|node| node.chain)
    };
    let linked = |n: usize| chain(n) && chain(n + 1);
    let mut line = String::new();
    for layer in layers {
        let title = layer.column.title();
        let pad = (layer.width + GAP).saturating_sub(width(&title) + 1);
        line.push_str(&format!(" {title}{}", " ".repeat(pad)));
    }
    writeln!(w, "{}", line.trim_end())?;
    let most = rows(layers);
    for row in 0..most + 2 {
        let mut line = String::new();
        for (n, layer) in layers.iter().enumerate() {
            let (of, inner) = (&layer.units, layer.width.saturating_sub(2));
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
