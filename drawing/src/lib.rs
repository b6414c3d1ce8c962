//! Pictures of an order: what `applyorder graph` prints and what editors show beside a file.
//!
//! [`Drawing::new`] makes pictures out of resolved projects, [`Drawing::write`] gives them a format. Columns are layers, time
//! runs to the right, and the longest chain is the first row. Knows no terminal, no protocol and no file system.

mod build;
mod dot;
mod fold;
mod html;
mod json;
mod layout;
mod links;
mod mermaid;
mod model;
mod reduce;
mod svg;
#[cfg(test)]
mod tests;
mod text;

pub use build::Source;
pub use mermaid::{MOST_CHARACTERS, MOST_EDGES, MOST_UNITS};
pub use model::{Column, Edge, Link, Node, NodeKind, Picture, Ring, Spot};

/// Above so many units a picture is folded.
pub const FOLD_ABOVE: usize = 200;

/// How a drawing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The language of Graphviz.
    Dot,
    /// A flowchart of Mermaid, as Markdown on forges shows it.
    Mermaid,
    /// A picture for pages and documents.
    Svg,
    /// One page with search, zoom and keys, without network.
    Html,
}

/// What of the pictures is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only this unit and what runs before and after it, by the name that is shown.
    pub focus: Option<String>,
    /// Over at most so many steps.
    pub depth: Option<u32>,
}

/// The pictures of one run of the program: one per project and way to run it.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// As the projects came.
    pub pictures: Vec<Picture>,
    /// Units that run another project of the drawing.
    pub links: Vec<Link>,
}

impl Drawing {
    /// Pictures of some runs, every unit of its own.
    #[must_use]
    pub fn new<'a>(sources: impl IntoIterator<Item = Source<'a>>, wanted: &Wanted) -> Self {
        let mut pictures = Vec::new();
        let mut shown = Vec::new();
        for source in sources {
            let mut picture = build::build(source);
            let focus = wanted.focus.as_ref();
            if focus.is_none_or(|unit| reduce::focus(&mut picture, unit, wanted.depth.unwrap_or(u32::MAX))) {
                pictures.push(picture);
                shown.push(source);
            }
        }
        Self {
            pictures,
            links: links::links(&shown),
        }
    }

    /// The drawing in a format, folded as far as the format and the eye need it. Ends with a line feed.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Dot => dot::write(&self.folded(FOLD_ABOVE)),
            Format::Mermaid => mermaid::write(self),
            Format::Svg => svg::write(&self.folded(FOLD_ABOVE)),
            Format::Html => html::write(&self.folded(FOLD_ABOVE)),
        }
    }

    /// The inside of a page for a panel of an editor: the picture, its data and the script, with the hashes that a
    /// content security policy has to allow.
    #[must_use]
    pub fn page(&self) -> Page {
        html::page(&self.folded(FOLD_ABOVE))
    }

    /// What is in the pictures, for programs. Never folded.
    #[must_use]
    pub fn data(&self) -> serde_json::Value {
        json::value(&self.folded(usize::MAX))
    }

    /// The same with what others imply marked, and not folded.
    #[must_use]
    pub fn whole(&self) -> Self {
        self.folded(usize::MAX)
    }

    fn folded(&self, above: usize) -> Self {
        let fold = |picture: &Picture| fold::Folding::new(picture, above).picture();
        Self {
            pictures: self.pictures.iter().map(fold).collect(),
            links: self.links.clone(),
        }
    }

    /// The links of a picture: the node, and the picture of the project that it runs. One of each, however folded.
    fn links_of(&self, picture: usize) -> Vec<(usize, usize)> {
        let mut own = self.links.iter().filter(|link| link.from == picture).peekable();
        let (Some(_), Some(of)) = (own.peek(), self.pictures.get(picture)) else {
            return Vec::new();
        };
        let shown = links::shown_as(of);
        let mut out: Vec<(usize, usize)> = own
            .filter_map(|link| Some((*shown.get(link.unit.as_str())?, link.to)))
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    fn is_mixed(&self) -> bool {
        let mut engines = self.pictures.iter().map(|p| p.engine);
        let first = engines.next();
        engines.any(|engine| Some(engine) != first)
    }

    fn title(&self) -> String {
        match self.pictures.as_slice() {
            [] => "no project".to_owned(),
            [only] => svg::title(only),
            several => format!("{} projects", several.len()),
        }
    }
}

pub use html::Page;
