//! SVG: for pages, panels and documents, in light and dark.

use std::fmt::Write;

use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::{Operation, Shape};

use crate::Drawing;
use crate::layout::{self, Layout, Rect, Side};
use crate::model::{Column, Edge, Node, NodeKind, Picture};
use crate::text::{self, xml};

/// The style of a picture: the style sheet defines the look of each class. Plain colors come first, then variables for
/// renderers that support them: a renderer without variables treats a declaration that it cannot parse as black.
pub(crate) const STYLE: &str = include_str!("style.css");

const MARGIN: f64 = 16.0;
const TITLE: f64 = 46.0;
const LINE: f64 = 18.0;

/// All pictures, one below the other.
pub(crate) fn write(drawing: &Drawing) -> String {
    let mut body = String::new();
    let mut y = MARGIN;
    let mut width = 0.0f64;
    let mut first_edge = 0;
    let mut first_node = 0;
    let mut places = Vec::new();
    for picture in &drawing.pictures {
        let layout = layout::layout(picture);
        let top = y;
        let mixed = drawing.is_mixed();
        let (w, h) = Pen {
            out: &mut body,
            picture,
            layout: &layout,
            mixed,
            first_node,
            first_edge,
            runs_others: drawing.links.iter().any(|link| link.from == places.len()),
        }
        .picture(y);
        y += h + MARGIN;
        width = width.max(w + 2.0 * MARGIN);
        first_node += picture.nodes.len();
        first_edge += picture.edges.len();
        places.push((top, layout));
    }
    let links = links(drawing, &places);
    if drawing.pictures.is_empty() {
        let _ = write!(body, "<text class=\"title\" x=\"16\" y=\"34\">no project</text>");
        (width, y) = (160.0, 50.0);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"applyorder\" width=\"{width:.0}\" height=\"{y:.0}\" \
         viewBox=\"0 0 {width:.0} {y:.0}\" role=\"group\" aria-label=\"{}\">\n<style>{STYLE}</style>\n<defs>{}</defs>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{links}{body}</svg>\n",
        xml(&drawing.title()),
        markers()
    )
}

/// Double lines from units to the projects that they run, beneath everything else.
fn links(drawing: &Drawing, places: &[(f64, Layout)]) -> String {
    let mut out = String::new();
    for (at, (top, layout)) in places.iter().enumerate() {
        for (node, to) in drawing.links_of(at) {
            let ends = layout.nodes.get(node).zip(places.get(to));
            let Some((rect, (there, _))) = ends else { continue };
            let of = drawing.pictures.get(at).and_then(|p| p.nodes.get(node));
            let Some((of, picture)) = of.zip(drawing.pictures.get(to)) else {
                continue;
            };
            // Down to below the layers, to the left, and along the margin to the title of the other picture.
            let (x, y) = (MARGIN + rect.x + 14.0, top + TITLE + rect.y + rect.h / 2.0);
            let below = top + TITLE + layout.height + 3.0;
            let (lane, end) = (
                3.0 + 4.0 * f64::from(u8::try_from(at % 3).unwrap_or(0)),
                there + 10.0,
            );
            let turn = if end > below { 6.0 } else { -6.0 };
            let path = format!(
                "M{x:.1} {y:.1}V{:.1}Q{x:.1} {below:.1} {:.1} {below:.1}H{:.1}Q{lane:.1} {below:.1} {lane:.1} {:.1}\
                 V{:.1}Q{lane:.1} {end:.1} {:.1} {end:.1}",
                below - 6.0,
                x - 6.0,
                lane + 6.0,
                below + turn,
                end - turn,
                MARGIN - 2.0
            );
            let _ = writeln!(
                out,
                "<g class=\"link\"><title>{}</title><path class=\"outer\" d=\"{path}\"/><path class=\"inner\" d=\"{path}\"/></g>",
                xml(&link_words(of, picture))
            );
        }
    }
    out
}

/// A link as text.
pub(crate) fn link_words(node: &Node, there: &Picture) -> String {
    format!("{} runs {}", node.name, title(there))
}

fn markers() -> String {
    let mut out = String::new();
    for (id, class) in [("a", "tip"), ("ac", "tip chain"), ("ar", "tip cycle")] {
        let _ = write!(
            out,
            "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"{class}\" d=\"M0 0.5L8 4L0 7.5Z\"/></marker>"
        );
    }
    out
}

struct Pen<'a> {
    out: &'a mut String,
    picture: &'a Picture,
    layout: &'a Layout,
    mixed: bool,
    first_node: usize,
    first_edge: usize,
    runs_others: bool,
}

impl Pen<'_> {
    /// Draws the picture at a vertical offset; returns its width and height.
    fn picture(mut self, y: f64) -> (f64, f64) {
        let picture = self.picture;
        let title = title(picture);
        let _ = writeln!(
            self.out,
            "<g class=\"picture {}\" transform=\"translate({MARGIN:.0} {y:.0})\" aria-label=\"{}\" role=\"group\">",
            picture.engine,
            xml(&title)
        );
        let _ = writeln!(self.out, "<text class=\"title\" y=\"14\">{}</text>", xml(&title));
        let state = if picture.ordered { "" } else { "✗ " };
        let second = format!("{state}{} · {}", picture.summary, picture.meaning);
        let class = if picture.ordered { "lead" } else { "lead trouble" };
        let _ = writeln!(
            self.out,
            "<text class=\"{class}\" y=\"33\">{}</text>",
            xml(&second)
        );
        let _ = writeln!(self.out, "<g transform=\"translate(0 {TITLE:.0})\">");
        self.columns();
        // Labels are drawn on top of the lines that they cross.
        for labeled in [false, true] {
            for (n, edge) in picture.edges.iter().enumerate() {
                if edge.label().is_empty() != labeled {
                    self.edge(n, edge);
                }
            }
        }
        for (n, node) in picture.nodes.iter().enumerate() {
            self.node(n, node);
        }
        let _ = writeln!(self.out, "</g>");
        let mut below = TITLE + self.layout.height + LINE;
        let legend = legend(picture, self.runs_others);
        let mut widest = text::width(&title) * text::NAME_CHAR;
        widest = widest.max(text::width(&second) * text::DETAIL_CHAR);
        for line in std::iter::once(&legend)
            .filter(|l| !l.is_empty())
            .chain(&picture.notes)
        {
            let _ = writeln!(
                self.out,
                "<text class=\"note\" y=\"{below:.0}\">{}</text>",
                xml(line)
            );
            widest = widest.max(text::width(line) * text::DETAIL_CHAR);
            below += LINE;
        }
        let _ = writeln!(self.out, "</g>");
        (self.layout.width.max(widest), below)
    }

    fn columns(&mut self) {
        let height = self.layout.height;
        let class = if self.picture.barrier { "barrier" } else { "round" };
        for x in &self.layout.lines {
            let _ = writeln!(self.out, "<path class=\"{class}\" d=\"M{x:.1} 0V{height:.1}\"/>");
        }
        for (column, (x, width)) in self.picture.columns.iter().zip(&self.layout.columns) {
            let class = if layout::is_trouble(*column) {
                "heading trouble"
            } else {
                "heading"
            };
            let _ = writeln!(
                self.out,
                "<text class=\"{class}\" x=\"{:.1}\" y=\"14\"><title>{}</title>{}</text>",
                x + width / 2.0,
                xml(&column.words()),
                xml(&column.title())
            );
        }
    }

    fn edge(&mut self, n: usize, edge: &Edge) {
        let Some(way) = self.layout.edges.get(n) else {
            return;
        };
        let mut class = String::from("edge");
        class.push_str(if edge.explicit { " written" } else { " implied" });
        for (is, name) in [
            (edge.dropped, " dropped"),
            (edge.chain, " chain"),
            (edge.cycle, " cycle"),
            (edge.ring.is_some(), " ring"),
            (edge.ring.is_some_and(|r| r.cut), " cut"),
            (edge.needless, " needless"),
            (self.is_unknown(edge.before), " unknown"),
        ] {
            if is {
                class.push_str(name);
            }
        }
        let tip = match (edge.cycle, edge.chain) {
            (true, _) => "ar",
            (false, true) => "ac",
            (false, false) => "a",
        };
        let joins = self.is_join(edge.after);
        let tip = if joins {
            String::new()
        } else {
            format!(" marker-end=\"url(#{tip})\"")
        };
        // Edges of a cycle are reachable by keyboard: each is a place to cut it.
        let words = xml(&edge_words(self.picture, edge));
        let reached = if edge.ring.is_some() {
            format!(" tabindex=\"0\" role=\"img\" aria-label=\"{words}\"")
        } else {
            String::new()
        };
        let _ = writeln!(
            self.out,
            "<g class=\"{class}\" data-edge=\"{}\" data-before=\"{}\" data-after=\"{}\"{reached}><title>{words}</title>\
             <path d=\"{}\"{tip}/>",
            self.first_edge + n,
            self.first_node + edge.before,
            self.first_node + edge.after,
            way.path
        );
        let label = edge.label();
        if let (false, Some((x, y))) = (label.is_empty(), way.label) {
            let node = |n: usize| self.layout.nodes.get(n);
            let side = layout::side(node(edge.before), node(edge.after), x);
            let anchor = match side {
                Side::Left => "end",
                Side::Above => "middle",
                Side::Right => "start",
            };
            let _ = writeln!(
                self.out,
                "<text class=\"label\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                y + side.foot(),
                xml(&label)
            );
        }
        let _ = writeln!(self.out, "</g>");
    }

    fn is_unknown(&self, node: usize) -> bool {
        let node = self.picture.nodes.get(node);
        node.is_some_and(|n| n.kind == NodeKind::Unknown)
    }

    fn is_join(&self, node: usize) -> bool {
        let node = self.picture.nodes.get(node);
        node.is_some_and(|n| matches!(n.kind, NodeKind::Join { .. }))
    }

    fn node(&mut self, n: usize, node: &Node) {
        let Some(rect) = self.layout.nodes.get(n) else {
            return;
        };
        let mut class = String::from(match node.kind {
            NodeKind::Unit => "node unit",
            NodeKind::Group => "node group",
            NodeKind::Join { .. } => "node join",
            NodeKind::Unknown => "node unknown",
        });
        for (is, name) in [
            (node.chain, " chain"),
            (node.cycle, " cycle"),
            (node.focus, " focus"),
            (node.finding == Some(Severity::Error), " error"),
            (node.finding == Some(Severity::Warning), " warning"),
            (
                self.picture.columns.get(node.column) == Some(&Column::Stuck),
                " stuck",
            ),
        ] {
            if is {
                class.push_str(name);
            }
        }
        let link = node.spot.as_ref().and_then(|s| s.link.as_deref());
        if let Some(link) = link {
            let _ = write!(self.out, "<a href=\"{}\" target=\"_top\">", xml(link));
        }
        let _ = write!(
            self.out,
            "<g class=\"{class}\" data-node=\"{}\" tabindex=\"0\" role=\"img\" aria-label=\"{}\"><title>{}</title>",
            self.first_node + n,
            xml(&node.sentence),
            xml(&node_words(node))
        );
        match node.kind {
            NodeKind::Join { .. } => self.join(rect, node),
            _ => self.plate(rect, node),
        }
        let _ = write!(self.out, "</g>");
        if link.is_some() {
            let _ = write!(self.out, "</a>");
        }
        self.out.push('\n');
    }

    fn join(&mut self, rect: &Rect, node: &Node) {
        let (x, y) = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
        let _ = write!(
            self.out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/><text class=\"label\" x=\"{x:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{}</text>",
            y - layout::ABOVE_DOT,
            xml(&node.name)
        );
    }

    fn plate(&mut self, rect: &Rect, node: &Node) {
        let Rect { x, y, w, h } = *rect;
        let shape = if self.mixed {
            self.picture.shape
        } else {
            Shape::default()
        };
        let _ = write!(self.out, "{}", outline(shape, rect));
        if node.focus {
            let _ = write!(
                self.out,
                "<rect class=\"halo\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                x - 4.0,
                y - 4.0,
                w + 8.0,
                h + 8.0
            );
        }
        if node.kind == NodeKind::Group {
            let _ = write!(
                self.out,
                "<path class=\"stack\" d=\"M{:.1} {:.1}v-4H{:.1}V{:.1}h-4\"/>",
                x + 4.0,
                y,
                x + w + 4.0,
                y + h - 4.0
            );
        }
        let _ = write!(
            self.out,
            "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 12.0,
            y + 19.0,
            xml(&text::shorten(&node.name))
        );
        let mark = mark(node);
        if !mark.is_empty() {
            let _ = write!(
                self.out,
                "<text class=\"mark\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{mark}</text>",
                x + w - 8.0,
                y + 19.0
            );
        }
        let _ = write!(
            self.out,
            "<text class=\"detail\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 12.0,
            y + 35.0,
            xml(&text::shorten_path(&node.detail))
        );
    }
}

/// The glyph of a node, so that no meaning depends on color alone.
fn mark(node: &Node) -> &'static str {
    match node {
        n if n.kind == NodeKind::Unknown => "?",
        n if n.cycle => "↻",
        n if n.finding == Some(Severity::Error) => "✗",
        n if n.finding == Some(Severity::Warning) => "!",
        n if n.chain => "●",
        _ => "",
    }
}

/// If a drawing has several engines, each has a shape; otherwise all nodes are rectangles.
fn outline(shape: Shape, rect: &Rect) -> String {
    let Rect { x, y, w, h } = *rect;
    let (right, bottom) = (x + w, y + h);
    match shape {
        Shape::Rectangle => {
            format!("<rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"/>")
        }
        Shape::Rounded => format!(
            "<rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"14\"/>"
        ),
        Shape::Folder => format!(
            "<path class=\"box\" d=\"M{x:.1} {:.1}V{y:.1}h28l6 6H{right:.1}V{bottom:.1}H{x:.1}Z\"/>",
            y + 6.0
        ),
        Shape::Hexagon => format!(
            "<path class=\"box\" d=\"M{:.1} {y:.1}H{:.1}L{right:.1} {:.1}L{:.1} {bottom:.1}H{:.1}L{x:.1} {:.1}Z\"/>",
            x + 8.0,
            right - 8.0,
            y + h / 2.0,
            right - 8.0,
            x + 8.0,
            y + h / 2.0
        ),
        Shape::Doubled => format!(
            "<rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"/>\
             <rect class=\"box inner\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            x + 3.0,
            y + 3.0,
            w - 6.0,
            h - 6.0
        ),
    }
}

/// The title of a picture.
pub(crate) fn title(picture: &Picture) -> String {
    let operation = match picture.operation {
        Operation::Apply => "apply",
        Operation::Delete => "delete",
    };
    let mut title = format!("{} · {} · {operation}", picture.engine, picture.root);
    if let Some(environments) = &picture.environments {
        let _ = write!(title, " · {environments}");
    }
    title
}

fn legend(picture: &Picture, runs_others: bool) -> String {
    let edge = |is: fn(&Edge) -> bool| picture.edges.iter().any(is);
    let mut out = Vec::new();
    for (is, words) in [
        (edge(|e| e.chain), "━ longest chain"),
        (edge(|e| e.explicit && !e.chain && !e.needless), "── written"),
        // Dashed in addition to the color.
        (edge(|e| !e.explicit && !e.dropped && !e.needless), "╌╌ implied"),
        (picture.nodes.iter().any(|n| n.cycle), "↻ cycle"),
        (
            picture.nodes.iter().any(|n| n.kind == NodeKind::Unknown),
            "? unknown",
        ),
        (edge(|e| e.dropped), "┈×┈ dropped"),
        (runs_others, "══ runs another project"),
    ] {
        if is {
            out.push(words);
        }
    }
    out.join(" · ")
}

/// An edge as text.
pub(crate) fn edge_words(picture: &Picture, edge: &Edge) -> String {
    let name = |n: usize| picture.nodes.get(n).map_or("?", |node| node.name.as_str());
    let mut words = format!("{} waits for {}", name(edge.after), name(edge.before));
    if let Some(condition) = &edge.condition {
        let _ = write!(words, " until {condition}");
    }
    match (&edge.reason, edge.explicit) {
        (Some(reason), true) => {
            let _ = write!(words, " ({reason})");
        }
        (Some(reason), false) => {
            let _ = write!(words, ": {reason}");
        }
        (None, _) => {}
    }
    if let Some(spot) = &edge.spot {
        let _ = write!(words, " at {}", spot.show());
    }
    if edge.ring.is_some_and(|r| r.cut) {
        words.push_str("; cutting it breaks the cycle");
    }
    words
}

fn node_words(node: &Node) -> String {
    let mut words = node.name.clone();
    if !node.detail.is_empty() {
        let _ = write!(words, "\n{}", node.detail);
    }
    for member in node.members.iter().take(20) {
        let _ = write!(words, "\n{member}");
    }
    if node.members.len() > 20 {
        let _ = write!(words, "\n{} more", node.members.len() - 20);
    }
    words
}
