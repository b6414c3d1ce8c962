//! Pictures of an order: what `applyorder graph` prints and what editors show next to a file.
//!
//! [`Drawing::new`] makes pictures from resolved projects, [`Drawing::write`] renders them in a format. Columns are
//! layers, time runs to the right, and the longest chain is the first row. Independent of terminals, protocols and the
//! file system.

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

/// Pictures with more units are folded.
pub const FOLD_ABOVE: usize = 200;

/// The format of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The Graphviz language.
    Dot,
    /// A Mermaid flowchart, as forges show it in Markdown.
    Mermaid,
    /// A picture for pages and documents.
    Svg,
    /// One page with search, zoom and keyboard navigation that needs no network.
    Html,
}

/// Which part of the pictures to show.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only this unit and what runs before and after it, by its displayed name.
    pub focus: Option<String>,
    /// The maximum distance in steps.
    pub depth: Option<u32>,
}

/// The pictures of one invocation: one per project and way to run it.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// In the order in which the projects were given.
    pub pictures: Vec<Picture>,
    /// Units that run another project of the drawing.
    pub links: Vec<Link>,
}

impl Drawing {
    /// The pictures of some runs, with a separate node for each unit.
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

    /// Renders the drawing in a format, folded as much as the format and readability require. Ends with a line feed.
    #[must_use]
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Dot => dot::write(&self.folded(FOLD_ABOVE)),
            Format::Mermaid => mermaid::write(self),
            Format::Svg => svg::write(&self.folded(FOLD_ABOVE)),
            Format::Html => html::write(&self.folded(FOLD_ABOVE)),
        }
    }

    /// The content of an editor's panel: the picture, its data and the script, with the hashes that a content security
    /// policy has to allow.
    #[must_use]
    pub fn page(&self) -> Page {
        html::page(&self.folded(FOLD_ABOVE))
    }

    /// The contents of the pictures, for programs. Never folded.
    #[must_use]
    pub fn data(&self) -> serde_json::Value {
        json::value(&self.folded(usize::MAX))
    }

    /// The same with implied edges marked, and not folded.
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

    /// The links of a picture, each as the node and the picture of the project that it runs. Each pair occurs once,
    /// even after folding.
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
