//! One page without network: the picture, what is in it as data, and the script that walks through it. The policy of
//! the page lets nothing else run or load.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::text::{script, xml};
use crate::{Drawing, json, svg};

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// What a panel of an editor is made of. Its page is [`Page::html`]; when the order changes, the new picture and data
/// are sent to the script that is there: `{type: "show", svg, data}`.
#[derive(Clone, Debug)]
pub struct Page {
    /// The picture.
    pub svg: String,
    /// What is in it, as JSON.
    pub data: String,
    /// What it is of.
    pub title: String,
}

/// The keys, and what they do.
const KEYS: [(&str, &str); 12] = [
    ("← →", "along the edges"),
    ("↑ ↓", "within a layer"),
    ("/", "find"),
    ("n N", "next, previous problem"),
    ("Enter", "open the source (or click again)"),
    ("l", "longest chain only"),
    ("i", "implied edges"),
    ("r", "edges that others imply"),
    ("t", "table"),
    ("+ - 0", "zoom, fit"),
    ("f", "follow the cursor (in an editor)"),
    ("Esc ?", "clear, help"),
];

impl Page {
    /// The page as one document.
    #[must_use]
    pub fn html(&self) -> String {
        self.html_under(&format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}' 'sha256-{}'; \
             base-uri 'none'; form-action 'none'",
            hash(SCRIPT),
            hash(STYLE),
            hash(svg::STYLE),
        ))
    }

    fn html_under(&self, policy: &str) -> String {
        let title = xml(&self.title);
        let mut keys = String::new();
        for (key, does) in KEYS {
            let _ = write!(keys, "<dt>{key}</dt><dd>{does}</dd>");
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <header><h1>{title}</h1>\
             <input id=\"find\" type=\"search\" placeholder=\"/ find\" aria-label=\"find a unit\">\
             <span id=\"found\" role=\"status\"></span>\
             <button type=\"button\" data-key=\"n\">next problem</button>\
             <button type=\"button\" data-key=\"t\">table</button>\
             <button type=\"button\" data-key=\"0\">fit</button>\
             <button type=\"button\" data-key=\"?\" aria-label=\"help\">?</button></header>\n\
             <main id=\"stage\">{}</main>\n<section id=\"table\" hidden></section>\n\
             <aside id=\"help\" hidden><dl>{keys}</dl></aside>\n\
             <footer><div id=\"bar\" aria-live=\"polite\"></div></footer>\n\
             <script type=\"application/json\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
            self.svg,
            script(&self.data)
        )
    }
}

fn hash(text: &str) -> String {
    data_encoding::BASE64.encode(&Sha256::digest(text.as_bytes()))
}

pub(crate) fn write(drawing: &Drawing) -> String {
    page(drawing).html()
}

pub(crate) fn page(drawing: &Drawing) -> Page {
    Page {
        svg: svg::write(drawing),
        data: json::compact(drawing),
        title: format!("Order: {}", drawing.title()),
    }
}
