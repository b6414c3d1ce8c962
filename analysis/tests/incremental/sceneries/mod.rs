//! What is edited: the files of two small projects of each engine, and snippets to type there.

mod ankaios;
mod kapp;
mod spacelift;
mod tazuna;
mod terramate;

/// A workspace to edit.
pub(crate) struct Scenery {
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) snippets: &'static [&'static str],
}

/// For all engines.
pub(crate) const SCENERIES: [Scenery; 11] = [
    tazuna::PLAIN,
    terramate::PLAIN,
    kapp::PLAIN,
    ankaios::PLAIN,
    spacelift::PLAIN,
    tazuna::DEEP,
    terramate::DEEP,
    kapp::DEEP,
    ankaios::DEEP,
    spacelift::DEEP,
    spacelift::OPENTOFU,
];
