//! Where a configuration file says something, for findings on what it names.

use applyorder_syntax::text::Span;
use toml::de::{DeArray, DeTable, DeValue};

/// Where the text of a configuration file names `file` in the list `files` of the table `[[section.list]]` that is
/// called `name`.
#[must_use]
pub fn named_file(text: &str, [section, list]: [&str; 2], name: &str, file: &str) -> Option<Span> {
    let root = DeTable::parse(text).ok()?;
    let tables = array(root.get_ref(), section, list)?;
    let called = |table: &&DeTable<'_>| table.get("name").is_some_and(|n| is(n.get_ref(), name));
    let mut tables = tables.iter().filter_map(|value| match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    });
    let DeValue::Array(files) = tables.find(called)?.get("files")?.get_ref() else {
        return None;
    };
    let span = files.iter().find(|value| is(value.get_ref(), file))?.span();
    Some(Span::from_usize(span.start, span.end))
}

/// Where the text of a configuration file names `entry` in the list `[section] list`.
#[must_use]
pub fn listed(text: &str, [section, list]: [&str; 2], entry: &str) -> Option<Span> {
    let root = DeTable::parse(text).ok()?;
    let mut entries = array(root.get_ref(), section, list)?.iter();
    let span = entries.find(|value| is(value.get_ref(), entry))?.span();
    Some(Span::from_usize(span.start, span.end))
}

fn array<'a, 'i>(root: &'a DeTable<'i>, section: &str, list: &str) -> Option<&'a DeArray<'i>> {
    let DeValue::Table(section) = root.get(section)?.get_ref() else {
        return None;
    };
    match section.get(list)?.get_ref() {
        DeValue::Array(array) => Some(array),
        _ => None,
    }
}

fn is(value: &DeValue<'_>, text: &str) -> bool {
    matches!(value, DeValue::String(s) if *s == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_in_the_table_of_its_name() {
        let text =
            "[[kapp.app]]\nname = \"a\"\nfiles = [\"x\"]\n[[kapp.app]]\nname = \"b\"\nfiles = [\"y\", 'x']\n";
        let found = |name, file| {
            let span = named_file(text, ["kapp", "app"], name, file)?;
            Some((span.start, span.slice(text)))
        };
        assert_eq!(found("a", "x"), Some((33, "\"x\"")));
        assert_eq!(found("b", "x"), Some((76, "'x'")));
        assert_eq!(found("a", "y"), None);
        assert_eq!(found("c", "x"), None);
        assert_eq!(named_file("kapp = 1", ["kapp", "app"], "a", "x"), None);
        assert_eq!(named_file("kapp = [", ["kapp", "app"], "a", "x"), None);
    }

    #[test]
    fn an_entry_is_found_in_its_list() {
        let text = "[a]\nroots = [\"y\"]\n[tazuna]\nroots = [\n  'x', # y\n  \"y\",\n]\n";
        let found = |entry| listed(text, ["tazuna", "roots"], entry).map(|span| span.slice(text));
        assert_eq!((found("y"), found("z")), (Some("\"y\""), None));
        assert_eq!(listed(text, ["tazuna", "root"], "y"), None);
        let span = listed(text, ["tazuna", "roots"], "y").unwrap();
        assert!(span.start > 40);
    }
}
