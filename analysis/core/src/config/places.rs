//! Where a configuration file names things, for findings about them.

use std::sync::{Arc, Mutex, PoisonError};

use applyorder_syntax::text::Span;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use toml::de::{DeArray, DeTable, DeValue};

use crate::files::resolve;

/// A table and a list in it, the name of the list's table if there are several (`[[kapp.app]]`), and the path.
type Key = (String, String, Option<String>, Utf8PathBuf);

/// A name as it is to be written instead of another in a configuration file: with the same quotes, else with quotes
/// where a key requires them.
#[must_use]
pub fn in_place_of(written: &str, name: &str) -> String {
    let is_bare = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    match written.chars().next() {
        Some(quote @ ('"' | '\'')) => format!("{quote}{name}{quote}"),
        _ if is_bare => name.to_owned(),
        _ => format!("\"{name}\""),
    }
}

/// Where the text of a configuration file names paths.
#[derive(Debug)]
struct Places {
    text: Arc<str>,
    spans: FxHashMap<Key, Span>,
}

/// Where the last text that was queried names paths: thousands of projects may ask, each for its own.
#[derive(Clone, Debug, Default)]
pub(super) struct LastPlaces(Arc<Mutex<Option<Arc<Places>>>>);

impl LastPlaces {
    /// Where the text of a configuration file in `dir` names a path in the list `[section] list`, or with a
    /// name in `files` of the table `[[section.list]]` with that name.
    pub(super) fn find(
        &self,
        (dir, text): (&Utf8Path, &Arc<str>),
        [section, list]: [&str; 2],
        name: Option<&str>,
        path: &str,
    ) -> Option<Span> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.take().filter(|places| Arc::ptr_eq(&places.text, text));
        let places = known.unwrap_or_else(|| Arc::new(Places::new(dir, text)));
        *last = Some(places.clone());
        drop(last);
        let key = (
            section.to_owned(),
            list.to_owned(),
            name.map(str::to_owned),
            resolve(dir, path),
        );
        places.spans.get(&key).copied()
    }
}

impl Places {
    fn new(dir: &Utf8Path, text: &Arc<str>) -> Self {
        let mut places = Self {
            text: text.clone(),
            spans: FxHashMap::default(),
        };
        if let Ok(root) = DeTable::parse(text) {
            for (section, value) in root.get_ref() {
                let DeValue::Table(table) = value.get_ref() else {
                    continue;
                };
                for (list, value) in table {
                    if let DeValue::Array(entries) = value.get_ref() {
                        places.add(dir, [section.get_ref(), list.get_ref()], entries);
                    }
                }
            }
        }
        places
    }

    fn add(&mut self, dir: &Utf8Path, list: [&str; 2], entries: &DeArray<'_>) {
        self.add_paths(dir, list, None, entries);
        for entry in entries.iter() {
            if let DeValue::Table(table) = entry.get_ref()
                && let Some(DeValue::String(name)) = table.get("name").map(|name| name.get_ref())
                && let Some(DeValue::Array(files)) = table.get("files").map(|files| files.get_ref())
            {
                self.add_paths(dir, list, Some(name), files);
            }
        }
    }

    fn add_paths(
        &mut self,
        dir: &Utf8Path,
        [section, list]: [&str; 2],
        name: Option<&str>,
        paths: &DeArray<'_>,
    ) {
        for path in paths.iter() {
            if let DeValue::String(text) = path.get_ref() {
                let name = name.map(str::to_owned);
                let key = (section.to_owned(), list.to_owned(), name, resolve(dir, text));
                let span = path.span();
                let span = Span::from_usize(span.start, span.end);
                self.spans.entry(key).or_insert(span);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, list: [&str; 2], name: Option<&str>, path: &str) -> Option<(u32, String)> {
        let text: Arc<str> = text.into();
        let span = LastPlaces::default().find((Utf8Path::new("/w"), &text), list, name, path)?;
        Some((span.start, span.slice(&text).to_owned()))
    }

    #[test]
    fn a_file_is_found_in_the_table_of_its_name() {
        let text =
            "[[kapp.app]]\nname = \"a\"\nfiles = [\"x\"]\n[[kapp.app]]\nname = \"b\"\nfiles = [\"y\", 'x']\n";
        let app = |name, file: &str| found(text, ["kapp", "app"], Some(name), file);
        assert_eq!(app("a", "/w/x"), Some((33, "\"x\"".to_owned())));
        assert_eq!(app("b", "x"), Some((76, "'x'".to_owned())));
        assert_eq!(app("a", "/w/y"), None);
        assert_eq!(app("c", "/w/x"), None);
        assert_eq!(found("kapp = 1", ["kapp", "app"], Some("a"), "/w/x"), None);
        assert_eq!(found("kapp = [", ["kapp", "app"], Some("a"), "/w/x"), None);
    }

    #[test]
    fn a_path_is_found_in_its_list_however_it_is_written() {
        let text =
            "[a]\nroots = [\"y\"]\n[tazuna]\nroots = [\n  'x', # y\n  \"./z/../y\",\n \"/v\", \"x\"]\n";
        let root = |path| found(text, ["tazuna", "roots"], None, path);
        let written = |path| root(path).map(|(_, text)| text);
        assert_eq!(written("/w/x").as_deref(), Some("'x'"));
        assert_eq!(written("/w/y").as_deref(), Some("\"./z/../y\""));
        assert_eq!(written("/v").as_deref(), Some("\"/v\""));
        assert_eq!(written("/w/z"), None);
        assert_eq!(found(text, ["tazuna", "root"], None, "/w/y"), None);
    }

    #[test]
    fn another_text_is_looked_through_again() {
        let places = LastPlaces::default();
        let dir = Utf8Path::new("/w");
        let at = |text: &str| {
            let text: Arc<str> = text.into();
            let span = places.find((dir, &text), ["t", "l"], None, "/w/x");
            span.map(|span| span.start)
        };
        assert_eq!(at("t.l = ['x']"), Some(7));
        assert_eq!(at("t.l = ['y', 'x']"), Some(12));
        assert_eq!(at("t.l = ['y']"), None);
    }
}
