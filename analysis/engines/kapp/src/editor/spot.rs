//! The context of a cursor: a key of annotations, a rule and its words, the name of a group.

use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::Node;

/// The context of the cursor.
pub(super) enum Spot<'t> {
    /// A key under `metadata.annotations`.
    Key(Node<'t>),
    /// The text of a rule.
    Rule(Node<'t>, Of),
    /// The name of a group.
    Group(Node<'t>),
}

/// The keys on the path to the innermost node, and that node.
pub(super) fn spot<'t>(path: &[Node<'t>]) -> Option<Spot<'t>> {
    let node = *path.last()?;
    if !node.is_scalar() {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    let mut is_key = false;
    for pair in path.windows(2) {
        let [outer, inner] = pair else { continue };
        for entry in outer.entries() {
            if entry.value == *inner {
                names.push(entry.key.value().into_owned());
            } else if entry.key == *inner {
                is_key = true;
            }
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if is_key {
        return matches!(names.as_slice(), [.., "metadata", "annotations"]).then_some(Spot::Key(node));
    }
    Some(match slot(&names)? {
        Slot::Rule(of) => Spot::Rule(node, of),
        Slot::Group => Spot::Group(node),
    })
}

/// The kind of the value under some keys.
pub(super) enum Slot {
    Rule(Of),
    Group,
}

/// The owner of a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// The resource that contains it.
    Resource,
    /// Every resource that its binding matches.
    Binding,
}

pub(super) fn slot(keys: &[&str]) -> Option<Slot> {
    match keys {
        [.., "metadata", "annotations", key] if key.starts_with("kapp.k14s.io/change-rule") => {
            Some(Slot::Rule(Of::Resource))
        }
        [.., "metadata", "annotations", key] if key.starts_with("kapp.k14s.io/change-group") => {
            Some(Slot::Group)
        }
        [.., "changeRuleBindings", "rules"] => Some(Slot::Rule(Of::Binding)),
        [.., "changeGroupBindings", "name"] => Some(Slot::Group),
        _ => None,
    }
}

/// The typed part of a value on the line of a place without a tree, before the place.
pub(super) fn value_before(text: &str, place: u32) -> Option<&str> {
    let line = text.get(..place as usize)?.rsplit('\n').next()?;
    let mut value = line.trim_start();
    while let Some(entry) = value.strip_prefix("- ") {
        value = entry.trim_start();
    }
    let mut value = value.split_once(": ").map_or(value, |(_, value)| value);
    if let Some((_, entry)) = value.rsplit_once(['[', ',', '{']) {
        value = entry;
    }
    let value = value.trim_start().trim_start_matches(['"', '\'']);
    // A key or a dash without its space, and nothing after it.
    Some(value.strip_suffix([':', '-']).map_or(value, |_| ""))
}

/// The word around a cursor inside a scalar, without quotes.
fn word_at(text: &str, scalar: Span, offset: u32) -> Span {
    let source = scalar.slice(text);
    let at = (offset.saturating_sub(scalar.start) as usize).min(source.len());
    let ends = |c: char| c == ' ' || c == '"' || c == '\'' || c == '\n';
    let before = source.get(..at).unwrap_or("");
    let start = before.rfind(ends).map_or(0, |i| i + 1);
    let after = source.get(at..).unwrap_or("");
    let end = at + after.find(ends).unwrap_or(after.len());
    Span::from_usize(start, end).shifted(scalar.start)
}

/// The word of a text that a cursor is in, counted from 0, however the text is written.
pub(super) fn word_of(text: &str, node: Node<'_>, offset: u32) -> (usize, Span) {
    let (value, map) = (node.value(), node.source_map());
    let mut at = 0;
    for (number, word) in value.split(' ').enumerate() {
        let span = map.span_of(at..at + word.trim_end().len());
        at += word.len() + 1;
        if span.start <= offset && offset <= span.end {
            return (number, span);
        }
    }
    // After the last word the value has not begun.
    let word = word_at(text, node.span(), offset);
    let before = Span::new(node.span().start, word.start).slice(text);
    (before.trim_start_matches(['"', '\'']).matches(' ').count(), word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_syntax::yaml;

    fn spot_of(marked: &str) -> (String, Span) {
        let at = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let tree = yaml::parse(text.as_str());
        let offset = u32::try_from(at).unwrap();
        let path = tree.node_at(offset);
        let (name, node) = match spot(&path).unwrap() {
            Spot::Key(n) => ("key", n),
            Spot::Rule(n, _) => ("rule", n),
            Spot::Group(n) => ("group", n),
        };
        let word = word_at(&text, node.span(), offset);
        (format!("{name} {}", word.slice(&text)), word)
    }

    #[test]
    fn the_word_under_the_cursor_is_found() {
        let rule =
            |value: &str| format!("metadata:\n  annotations:\n    kapp.k14s.io/change-rule: {value}\n");
        assert_eq!(spot_of(&rule("upsert aft|er upserting g")).0, "rule after");
        assert_eq!(spot_of(&rule("\"ups|\"")).0, "rule ups");
        assert_eq!(spot_of("metadata:\n  annotations:\n    kapp|: x\n").0, "key kapp");
        assert_eq!(
            spot_of("changeRuleBindings:\n- rules: [upsert|]\n").0,
            "rule upsert"
        );
        assert_eq!(
            spot_of("changeGroupBindings:\n- name: big.co/|x\n").0,
            "group big.co/x"
        );
    }

    #[test]
    fn what_is_typed_of_a_rule_is_found_without_a_tree() {
        let typed = |line: &str| {
            value_before(line, u32::try_from(line.len()).unwrap())
                .unwrap()
                .to_owned()
        };
        let key = "    kapp.k14s.io/change-rule";
        assert_eq!(typed(&format!("{key}: upsert after ")), "upsert after ");
        assert_eq!(
            typed(&format!("{key}: \"upsert after upserting my-group ")),
            "upsert after upserting my-group "
        );
        assert_eq!(typed(&format!("{key}:")), "");
        assert_eq!(typed("  - upsert "), "upsert ");
        assert_eq!(typed("  -"), "");
        assert_eq!(
            typed("- rules: [\"upsert before deleting a\", \"delete "),
            "delete "
        );
    }
}
