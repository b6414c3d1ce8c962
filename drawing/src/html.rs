//! A self-contained page that needs no network: the picture, its contents as data, and the script for navigation. The
//! page's policy forbids everything else from running or loading.

use sha2::{Digest, Sha256};

use crate::text::{script, xml};
use crate::{Drawing, json, svg};

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// The content of a page. An editor's panel uses the same script, and sends it picture and data whenever the order
/// changes: `{type: "show", svg, data, ...}`.
#[derive(Clone, Debug)]
pub struct Page {
    /// The picture.
    pub svg: String,
    /// Its contents as JSON.
    pub data: String,
    /// Its title.
    pub title: String,
}

impl Page {
    /// The page as one document.
    #[must_use]
    pub fn html(&self) -> String {
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}' 'sha256-{}'; \
             base-uri 'none'; form-action 'none'",
            hash(SCRIPT),
            hash(STYLE),
            hash(svg::STYLE),
        );
        let title = xml(&self.title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <main id=\"stage\">{}</main>\n\
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
