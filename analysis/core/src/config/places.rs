//! Where a configuration file says something, for findings on what it names.

use applyorder_syntax::text::Span;
use toml::de::{DeTable, DeValue};

/// Where the text of a configuration file names `file` in the list `files` of the table `[[section.list]]` that is
/// called `name`.
#[must_use]
pub fn named_file(text: &str, [section, list]: [&str; 2], name: &str, file: &str) -> Option<Span> {
    let root = DeTable::parse(text).ok()?;
    let DeValue::Table(section) = root.get_ref().get(section)?.get_ref() else {
        return None;
    };
    let DeValue::Array(tables) = section.get(list)?.get_ref() else {
        return None;
    };
    let is = |value: &DeValue<'_>, text: &str| matches!(value, DeValue::String(s) if *s == text);
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
}
