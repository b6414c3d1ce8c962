//! Text edits on a tree: minimal ones that leave everything else as it is written.
//!
//! All functions give edits in offsets of the tree's text, and `None` where a change can't be
//! expressed as a small edit (a node without a written place, a mapping inside brackets that spans
//! comments).

use super::dialect::goyaml::{Scalar, resolve_plain};
use super::index::Parts;
use super::{Kind, Node, Style};
use crate::text::{Span, TextEdit, line_break};

/// Removes an item from a sequence: a block item with its lines, an item in brackets with its comma; removing
/// the only item leaves `[]`. Or an entry from a mapping: a block entry with its lines, an entry in braces with
/// its comma; removing the only entry leaves `{}`.
#[must_use]
pub fn remove(parent: Node<'_>, parts: &Parts, index: usize) -> Option<TextEdit> {
    let empty = if parent.is_mapping() { "{}" } else { "[]" };
    remove_part(parent, parts.spans(), index, empty)
}

fn remove_part(parent: Node<'_>, parts: &[Span], index: usize, empty: &str) -> Option<TextEdit> {
    let text = parent.tree().text();
    let part = *parts.get(index)?;
    let delete = |start: usize, end: usize| {
        Some(TextEdit {
            span: Span::from_usize(start, end),
            text: String::new(),
        })
    };
    let (start, end) = (part.start as usize, part.end as usize);
    let next = parts.get(index + 1).map(|s| s.start as usize);
    if parent.style() == Style::Flow {
        if let Some(next) = next {
            return delete(start, next);
        }
        let from = index
            .checked_sub(1)
            .and_then(|i| parts.get(i))
            .map_or(start, |s| s.end as usize);
        // A comma after the last item is removed with it unless the previous one keeps its own.
        let rest = text.get(end..)?;
        let comma = rest
            .trim_start()
            .strip_prefix(',')
            .map_or(end, |r| text.len() - r.len());
        return delete(from, if from == start { comma } else { end });
    }
    if parts.len() == 1 {
        let span = parent.span();
        let before = text.get(..span.start as usize)?;
        let from = if before.trim_end().ends_with([':', '-', '?']) {
            before.trim_end().len()
        } else {
            before.len()
        };
        let gap = if from > 0 && from < before.len() || before.ends_with([':', '-']) {
            " "
        } else {
            ""
        };
        return Some(TextEdit {
            span: Span::from_usize(from, span.end as usize),
            text: format!("{gap}{empty}"),
        });
    }
    let line_start = line_start(text, start);
    if text.get(line_start..start)?.trim_matches(' ').is_empty() {
        return delete(line_start, line_end(text, end));
    }
    // It shares its line with a dash or key before it: what follows moves up.
    match next {
        Some(next) => delete(start, next),
        None => delete(text.get(..start)?.trim_end().len(), end),
    }
}

/// Moves an item of a sequence after another one of it, a block item with its lines and the comment lines
/// directly above it. `None` if it would leave an alias without its anchor, or shares a line with something
/// that stays.
#[must_use]
pub fn move_item_after(
    sequence: Node<'_>,
    parts: &Parts,
    from: usize,
    after: usize,
) -> Option<Vec<TextEdit>> {
    if from == after || from == after + 1 {
        return None;
    }
    let text = sequence.tree().text();
    let moved = parts.node(sequence.tree(), from)?;
    if moved.any(|n| n.anchor().is_some()) && from < after
        || moved.any(|n| n.kind() == Kind::Alias) && from > after
    {
        return None;
    }
    if sequence.style() == Style::Flow {
        let source = text.get(moved.full_span().range())?;
        return Some(vec![
            remove(sequence, parts, from)?,
            insert_item(sequence, parts, after + 1, source)?,
        ]);
    }
    let lines = |index: usize| {
        let span = *parts.spans().get(index)?;
        let start = line_start(text, span.start as usize);
        let own = text.get(start..span.start as usize)?.trim_matches(' ').is_empty();
        own.then(|| (start, line_end(text, span.end as usize)))
    };
    let (mut start, end) = lines(from)?;
    let (_, target) = lines(after)?;
    let dash = text.get(start..)?.find('-')?;
    loop {
        let above = line_start(text, start.saturating_sub(1));
        let line = text.get(above..start)?;
        let is_comment = line.find(|c| c != ' ') == Some(dash) && line.get(dash..)?.starts_with('#');
        if above == start || !is_comment {
            break;
        }
        start = above;
    }
    let newline = line_break(text, start);
    let mut source = text.get(start..end)?.to_owned();
    if !source.ends_with('\n') {
        source.push_str(newline);
    }
    if !text.get(..target)?.ends_with('\n') {
        source.insert_str(0, newline);
        source.truncate(source.trim_end_matches(['\r', '\n']).len());
    }
    Some(vec![
        TextEdit {
            span: Span::from_usize(start, end),
            text: String::new(),
        },
        TextEdit {
            span: Span::from_usize(target, target),
            text: source,
        },
    ])
}

/// Moves an entry of a mapping before all its others. `None` if it would leave an alias without its anchor.
#[must_use]
pub fn move_entry_first(mapping: Node<'_>, parts: &Parts, index: usize) -> Option<Vec<TextEdit>> {
    let entry = mapping.entries().nth(index)?;
    let first = parts.spans().first()?.start;
    let dangles =
        |n: Node<'_>| n.kind() == Kind::Alias && n.resolve().is_none_or(|t| t.span().start >= first);
    if index == 0 || entry.value.any(|n| n.anchor().is_some() || dangles(n)) {
        return None;
    }
    let source = mapping.tree().text().get(entry.value.full_span().range())?;
    if source.contains('\n') {
        return None;
    }
    Some(vec![
        insert_entry(
            mapping,
            parts,
            0,
            mapping.tree().text().get(entry.key.full_span().range())?,
            source,
        )?,
        remove(mapping, parts, index)?,
    ])
}

/// Replaces the text of a scalar, in the quotes it has; a scalar without quotes gets some if the
/// new text needs them.
#[must_use]
pub fn replace_scalar(node: Node<'_>, text: &str) -> Option<TextEdit> {
    if node.kind() != Kind::Scalar {
        return None;
    }
    let source = match node.style() {
        Style::SingleQuoted if !text.contains(|c: char| c.is_control()) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        Style::SingleQuoted | Style::DoubleQuoted => double_quoted(text),
        _ => quoted_if_needed(text),
    };
    let gap = if node.is_absent() && needs_gap(node) {
        " "
    } else {
        ""
    };
    Some(TextEdit {
        span: node.span(),
        text: format!("{gap}{source}"),
    })
}

/// Puts a scalar in double quotes with its text as written: `yes` becomes `"yes"`.
#[must_use]
pub fn quote_as_written(node: Node<'_>) -> Option<TextEdit> {
    if node.kind() != Kind::Scalar || node.style() != Style::Plain || node.is_absent() {
        return None;
    }
    Some(TextEdit {
        span: node.span(),
        text: double_quoted(&node.value()),
    })
}

/// Makes a value the only item of a list: `a` becomes `[a]`.
#[must_use]
pub fn wrap_in_list(node: Node<'_>) -> Option<TextEdit> {
    let inside = match (node.kind(), node.style()) {
        (Kind::Scalar, _) if node.is_absent() => String::new(),
        (Kind::Scalar, Style::Plain) if plain_in_brackets(&node.value()) => node.source().to_owned(),
        (Kind::Scalar, Style::SingleQuoted | Style::DoubleQuoted) | (_, Style::Flow) => {
            node.source().to_owned()
        }
        (Kind::Scalar, _) => double_quoted(&node.value()),
        (Kind::Alias, _) => format!("{} ", node.source()),
        (Kind::Mapping | Kind::Sequence, _) => return None,
    };
    let gap = if node.is_absent() && needs_gap(node) {
        " "
    } else {
        ""
    };
    Some(TextEdit {
        span: node.span(),
        text: format!("{gap}[{inside}]"),
    })
}

/// Inserts `source` as an item before the item at `index`, or after the last one. The source is inserted
/// verbatim, see [`quoted_if_needed`].
#[must_use]
pub fn insert_item(sequence: Node<'_>, parts: &Parts, index: usize, source: &str) -> Option<TextEdit> {
    insert(sequence, parts.spans(), index, &format!("- {source}"), source)
}

/// Inserts `key: source` before the entry at `index`, or after the last one, at the indentation of the mapping.
/// Key and source are inserted verbatim, see [`quoted_if_needed`].
#[must_use]
pub fn insert_entry(
    mapping: Node<'_>,
    parts: &Parts,
    index: usize,
    key: &str,
    source: &str,
) -> Option<TextEdit> {
    let line = format!("{key}: {source}");
    insert(mapping, parts.spans(), index, &line, &line)
}

fn insert(parent: Node<'_>, parts: &[Span], index: usize, block: &str, flow: &str) -> Option<TextEdit> {
    let text = parent.tree().text();
    let at = |at: usize, text: String| {
        Some(TextEdit {
            span: Span::from_usize(at, at),
            text,
        })
    };
    if parent.style() == Style::Flow {
        return match (parts.get(index), parts.last()) {
            (Some(next), _) => at(next.start as usize, format!("{flow}, ")),
            (None, Some(last)) => at(last.end as usize, format!(", {flow}")),
            (None, None) => at(parent.span().start as usize + 1, flow.to_owned()),
        };
    }
    let first = parts.first()?.start as usize;
    let indent = " ".repeat(text.get(line_start(text, first)..first)?.chars().count());
    let newline = line_break(text, first);
    if let Some(next) = parts.get(index) {
        return at(next.start as usize, format!("{block}{newline}{indent}"));
    }
    let end = parts.last()?.end as usize;
    let after = line_end(text, end);
    if text.get(end..after)?.ends_with('\n') {
        at(after, format!("{indent}{block}{newline}"))
    } else {
        at(after, format!("{newline}{indent}{block}"))
    }
}

/// A text as YAML source: verbatim if every dialect reads that back as this text, inside brackets too, else in
/// double quotes.
#[must_use]
pub fn quoted_if_needed(text: &str) -> String {
    if plain_in_brackets(text) {
        text.to_owned()
    } else {
        double_quoted(text)
    }
}

/// Whether a text without quotes is read back as itself.
fn plain_in_brackets(text: &str) -> bool {
    let resolved = matches!(resolve_plain(text), Scalar::Str(_));
    let start = text.chars().next().is_some_and(|c| {
        !"-?:,[]{}#&*!|>'\"%@`=<~.".contains(c) || text.starts_with("./") || text.starts_with("../")
    });
    let inner = !text.contains(['\n', '\r', '\t', ',', '[', ']', '{', '}', '?', '"', '\''])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !text
            .chars()
            .any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'));
    resolved && start && inner && text.trim() == text
}

/// A text in double quotes, escaped.
#[must_use]
pub fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}') => {
                out.push_str(&format!("\\u{:04X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a value put at the place of a missing one needs a space before it.
fn needs_gap(node: Node<'_>) -> bool {
    let before = node.tree().text().get(..node.span().start as usize).unwrap_or("");
    before.ends_with([':', '-', '?', ','])
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |i| i + 1)
}

/// After the line feed of the line that contains `at`, or the text's end.
fn line_end(text: &str, at: usize) -> usize {
    text.get(at..)
        .and_then(|t| t.find('\n'))
        .map_or(text.len(), |i| at + i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::apply_edits;
    use crate::yaml::{Tree, parse};

    /// Applies an edit to the value of the key `k` at the root; the result must parse.
    fn change(text: &str, edit: impl Fn(Node<'_>) -> Option<TextEdit>) -> String {
        let tree: Tree = parse(text);
        let node = tree.first_document().unwrap().root().unwrap().get("k").unwrap();
        let changed = apply_edits(text, &[edit(node).unwrap()]);
        assert_eq!(parse(&*changed).errors(), []);
        changed
    }

    #[test]
    fn items_go_with_their_lines_or_commas() {
        let drop = |text: &str, i: usize| change(text, |n| remove(n, &Parts::of(n), i));
        assert_eq!(drop("k:\n  - a # c\n  - b\nx: 1\n", 0), "k:\n  - b\nx: 1\n");
        assert_eq!(drop("k:\n- a\n- b:\n    c\nx: 1\n", 1), "k:\n- a\nx: 1\n");
        assert_eq!(drop("k:\n  - a\nx: 1\n", 0), "k: []\nx: 1\n");
        assert_eq!(drop("k: [a, b, c]\n", 0), "k: [b, c]\n");
        assert_eq!(drop("k: [a, b, c]\n", 1), "k: [a, c]\n");
        assert_eq!(drop("k: [a, b, c]\n", 2), "k: [a, b]\n");
        assert_eq!(drop("k: [a, b,]\n", 1), "k: [a,]\n");
        assert_eq!(drop("k: [a,]\n", 0), "k: []\n");
        assert_eq!(drop("k:\n  - - a\n    - b\n", 0), "k: []\n");
    }

    #[test]
    fn entries_go_with_their_lines_or_commas() {
        let drop = |text: &str, i: usize| change(text, |n| remove(n, &Parts::of(n), i));
        assert_eq!(drop("k:\n  a: 1\n  b: 2 # c\n", 1), "k:\n  a: 1\n");
        assert_eq!(drop("k: {a: 1, b: 2}\n", 0), "k: {b: 2}\n");
        assert_eq!(drop("k: {a: 1, b: 2}\n", 1), "k: {a: 1}\n");
        assert_eq!(drop("k:\n  a: 1\nx: 2\n", 0), "k: {}\nx: 2\n");
        let first = |n: Node<'_>| {
            let item = n.items().next().unwrap();
            remove(item, &Parts::of(item), 0)
        };
        assert_eq!(change("k:\n- a: 1\n  b: 2\n", first), "k:\n- b: 2\n");
    }

    #[test]
    fn items_move_with_their_lines() {
        let after = |text: &str, from: usize, to: usize| {
            let tree: Tree = parse(text);
            let list = tree.first_document().unwrap().root().unwrap().get("k").unwrap();
            let edits = move_item_after(list, &Parts::of(list), from, to)?;
            let changed = apply_edits(text, &edits);
            assert_eq!(parse(&*changed).errors(), []);
            Some(changed)
        };
        for (text, from, to, expected) in [
            ("k: [a, b, c]\n", 0, 1, Some("k: [b, a, c]\n")),
            ("k: [a, b, c]\n", 0, 2, Some("k: [b, c, a]\n")),
            ("k: [a, b, c]\n", 2, 0, Some("k: [a, c, b]\n")),
            (
                "k:\n  # of a\n  - x: a\n    y: 1 # too\n  - b\n  - c\nz: 1\n",
                0,
                1,
                Some("k:\n  - b\n  # of a\n  - x: a\n    y: 1 # too\n  - c\nz: 1\n"),
            ),
            ("k:\n- a\n- b", 0, 1, Some("k:\n- b\n- a")),
            ("k:\r\n- a\r\n- b\r\n", 0, 1, Some("k:\r\n- b\r\n- a\r\n")),
            ("k: [a, b]\n", 1, 0, None),
            ("k: [&a a, *a]\n", 0, 1, None),
        ] {
            assert_eq!(after(text, from, to).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn an_entry_moves_to_the_front() {
        let first = |text: &str, index: usize| {
            let tree: Tree = parse(text);
            let node = tree.first_document().unwrap().root().unwrap().get("k").unwrap();
            let mapping = if node.is_mapping() {
                node
            } else {
                node.items().next().unwrap()
            };
            let edits = move_entry_first(mapping, &Parts::of(mapping), index)?;
            let changed = apply_edits(text, &edits);
            assert_eq!(parse(&*changed).errors(), []);
            Some(changed)
        };
        for (text, index, expected) in [
            (
                "b: &b {}\nk:\n  - a: 1\n    <<: *b # base\n    c: 2\n",
                1,
                Some("b: &b {}\nk:\n  - <<: *b\n    a: 1\n    c: 2\n"),
            ),
            (
                "b: &b {}\nk: {a: 1, <<: *b}\n",
                1,
                Some("b: &b {}\nk: {<<: *b, a: 1}\n"),
            ),
            ("k: {a: &a {}, <<: *a}\n", 1, None),
            ("k: {a: 1}\n", 0, None),
        ] {
            assert_eq!(first(text, index).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn scalars_keep_their_quotes() {
        let set = |text: &str, new: &str| change(text, |n| replace_scalar(n, new));
        assert_eq!(set("k: a # c\n", "b"), "k: b # c\n");
        assert_eq!(set("k: a\n", "yes"), "k: \"yes\"\n");
        assert_eq!(set("k: 'a'\n", "it's"), "k: 'it''s'\n");
        assert_eq!(set("k: \"a\"\n", "x\ty"), "k: \"x\\ty\"\n");
        assert_eq!(set("k:\n", "b"), "k: b\n");
        assert_eq!(change("k: on\n", quote_as_written), "k: \"on\"\n");
    }

    #[test]
    fn a_value_becomes_a_list() {
        assert_eq!(change("k: a\n", wrap_in_list), "k: [a]\n");
        assert_eq!(change("k: a, b\n", wrap_in_list), "k: [\"a, b\"]\n");
        assert_eq!(change("k: 'a'\n", wrap_in_list), "k: ['a']\n");
    }

    #[test]
    fn new_parts_take_the_indentation_of_the_others() {
        let entry = |text: &str, i: usize| change(text, |n| insert_entry(n, &Parts::of(n), i, "x", "1"));
        assert_eq!(entry("k:\n  a: 1\n  b: 2", 0), "k:\n  x: 1\n  a: 1\n  b: 2");
        assert_eq!(
            entry("k:\n  a: 1\n  b: 2 # c\n", 2),
            "k:\n  a: 1\n  b: 2 # c\n  x: 1\n"
        );
        assert_eq!(entry("k:\n  a: 1", 1), "k:\n  a: 1\n  x: 1");
        assert_eq!(entry("k: {a: 1}\n", 1), "k: {a: 1, x: 1}\n");
        assert_eq!(entry("k: {}\n", 0), "k: {x: 1}\n");
        let item = |text: &str, i: usize| change(text, |n| insert_item(n, &Parts::of(n), i, "x"));
        assert_eq!(item("k:\r\n- a\r\n", 1), "k:\r\n- a\r\n- x\r\n");
        assert_eq!(item("k: [a]\n", 0), "k: [x, a]\n");
        let inner = |n: Node<'_>| {
            let item = n.items().next().unwrap();
            insert_entry(item, &Parts::of(item), 1, "x", "1")
        };
        assert_eq!(change("k:\n- a: 1\n- b\n", inner), "k:\n- a: 1\n  x: 1\n- b\n");
    }

    #[test]
    fn plain_text_is_only_kept_where_it_stays_itself() {
        for text in ["cni", "a b", "./x/y", "a:b", "x#y", "v1.2.3", "http://a/b"] {
            assert_eq!(quoted_if_needed(text), text);
        }
        for text in [
            "", "yes", "1e3", "~", " a", "a: b", "a #b", "- a", "[a", "a,b", "@x", "%x", "a:", "0o7", "a\nb",
        ] {
            let quoted = quoted_if_needed(text);
            assert!(quoted.starts_with('"'), "{text}");
            let tree = parse(format!("[{quoted}]"));
            let item = tree
                .first_document()
                .unwrap()
                .root()
                .unwrap()
                .items()
                .next()
                .unwrap();
            assert_eq!(item.value(), text);
        }
    }
}
