//! Where a cursor is in a text that need not be valid: under which keys, and whether a key or a value is being
//! typed there. Based on indentation and brackets, as half-typed text has no tree.

use crate::text::Span;

/// Where a cursor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The keys that contain it, from the root on. List items have none.
    pub path: Vec<String>,
    /// Whether a value of the last key is being typed, and not a key or a list's entry below it.
    pub value: bool,
    /// The word at the cursor, without quotes.
    pub word: Span,
    /// Whether a colon or a dash is directly before the word, so that a space must come first.
    pub joined: bool,
    /// Whether the value is on the line of its key, outside brackets and quotes.
    pub bare: bool,
    /// What an entry of a block list must be preceded by.
    pub dash: Dash,
    /// The other keys of the mapping that the cursor is in.
    pub siblings: Vec<String>,
}

/// What an entry of a block list must be preceded by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dash {
    /// Nothing: it does not start the line.
    Written,
    /// A dash.
    Missing,
    /// The entry above continues here.
    NoRoom,
}

/// How many lines are looked at above the cursor.
const LINES: usize = 20_000;

/// Finds out where a cursor is; `None` in a comment. Reads at most 20,000 lines above it.
#[must_use]
pub fn at(text: &str, offset: u32) -> Option<Context> {
    let before = text.get(..offset as usize)?;
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let line = before.get(line_start..)?;
    let behind = text.get(offset as usize..)?;
    if line.trim_start().starts_with('#') || line.contains(" #") {
        return None;
    }
    let is_word = |c: char| !c.is_whitespace() && !"[]{},:\"'#".contains(c);
    let start = line
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_word(*c))
        .last()
        .map_or(line.len(), |(i, _)| i);
    let end: usize = behind
        .chars()
        .take_while(|c| is_word(*c))
        .map(char::len_utf8)
        .sum();
    // A dash is not a word, though one may begin with it.
    let is_dash = line.get(start..) == Some("-") && end == 0 && line.trim_start() == "-";
    let start = if is_dash { line.len() } else { start };
    let word = Span::from_usize(line_start + start, offset as usize + end);
    let typed = line.get(..start).unwrap_or("");
    let joined = is_dash || typed.ends_with(':');
    let bare = typed.trim_end().ends_with(':');
    let entry = if typed.trim().is_empty() {
        dash_at(before.get(..line_start).unwrap_or(""), start)
    } else {
        Dash::Written
    };
    let (mut column, mut dash) = content(line);
    let (own, value) = keys_on(line.get(column..).unwrap_or(""));
    let mut path: Vec<String> = own.into_iter().rev().collect();
    let mut above = before.get(..line_start).unwrap_or("").lines().rev();
    for line in above.by_ref().take(LINES) {
        let (start, first_dash) = content(line);
        let rest = line.get(start..).unwrap_or("");
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        if line.starts_with("---") {
            break;
        }
        // A key may be at the column of the dashes below it, and may follow a dash itself.
        let outer = dash.unwrap_or(column);
        let is_parent = start < outer || (start == outer && dash.is_some());
        if let Some(first) = first_dash
            && first < outer
            && start >= column
        {
            // The item's first line, with a sibling key.
            (column, dash) = (start.min(column), Some(first));
            continue;
        }
        if is_parent {
            if let Some(key) = open_key(rest) {
                path.push(key);
            }
            (column, dash) = (start, first_dash);
        } else if start == column && first_dash.is_some() && dash.is_none() {
            dash = first_dash;
        }
    }
    path.reverse();
    Some(Context {
        path,
        value,
        word,
        joined,
        bare,
        dash: entry,
        siblings: siblings(text, line_start, offset as usize),
    })
}

/// What an entry that begins at a column must be preceded by, according to the line above.
fn dash_at(above: &str, column: usize) -> Dash {
    let lines = above.lines().rev().take(LINES);
    let mut lines = lines.map(|line| (content(line), line.trim()));
    match lines.find(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
        // A key without a value is followed by one.
        Some(((start, Some(_)), text)) if start <= column && is_open(text) => Dash::Missing,
        Some(((_, Some(dash)), _)) if dash < column => Dash::NoRoom,
        _ => Dash::Missing,
    }
}

/// The keys next to the cursor: those of the innermost braces on its line, else of the lines at its column.
fn siblings(text: &str, line_start: usize, offset: usize) -> Vec<String> {
    let key = |entry: &str| {
        let (key, _) = entry.split_once(':')?;
        Some(unquoted(key)).filter(|k| !k.is_empty())
    };
    let (before, behind) = (
        text.get(line_start..offset).unwrap_or(""),
        text.get(offset..).unwrap_or(""),
    );
    let opened = before
        .rfind('{')
        .filter(|at| before.get(*at..).is_some_and(|b| !b.contains('}')));
    if let Some(opened) = opened {
        let rest = behind.lines().next().unwrap_or("");
        let rest = rest.split('}').next().unwrap_or("");
        let typed = before.get(opened + 1..).unwrap_or("");
        let done = typed.rsplit_once(',').map_or("", |(done, _)| done);
        let later = rest.split_once(',').map_or("", |(_, later)| later);
        return done.split(',').chain(later.split(',')).filter_map(key).collect();
    }
    let (column, dash) = content(before);
    let mut found = Vec::new();
    let mut add = |line: &str| {
        let (start, dash) = content(line);
        let rest = line.get(start..).unwrap_or("");
        if rest.is_empty() || rest.starts_with('#') {
            return true;
        }
        if start == column {
            found.extend(key(rest));
        }
        start > column || (start == column && dash.is_none())
    };
    // No key precedes the first line of an item.
    if dash.is_none() {
        for line in text.get(..line_start).unwrap_or("").lines().rev().take(LINES) {
            if !add(line) {
                break;
            }
        }
    }
    for line in behind.lines().skip(1).take(LINES) {
        if content(line).1.is_some_and(|dash| dash < column) || !add(line) {
            break;
        }
    }
    found
}

/// The column where a line's content starts after its dashes, and that of its first dash.
fn content(line: &str) -> (usize, Option<usize>) {
    let bytes = line.as_bytes();
    let mut at = bytes.iter().take_while(|b| **b == b' ').count();
    let mut dash = None;
    while bytes.get(at) == Some(&b'-') && matches!(bytes.get(at + 1), None | Some(b' ')) {
        dash = dash.or(Some(at));
        at += 1;
        at += bytes
            .get(at..)
            .unwrap_or_default()
            .iter()
            .take_while(|b| **b == b' ')
            .count();
    }
    (at, dash)
}

/// The key of a line with nothing after it: what is below belongs to it.
fn open_key(content: &str) -> Option<String> {
    let (key, rest) = content.split_once(':')?;
    let rest = rest.trim_start();
    // Anchors and tags are allowed there.
    let nothing = rest.is_empty() || rest.starts_with(['#', '&', '!']);
    nothing.then(|| unquoted(key))
}

/// Whether a line without its indentation ends in a key with nothing after it.
fn is_open(line: &str) -> bool {
    let (start, _) = content(line);
    line.get(start..).and_then(open_key).is_some()
}

fn unquoted(key: &str) -> String {
    key.trim().trim_matches(['"', '\'']).to_owned()
}

/// The keys that are open at the end of a line's content, and whether a value is being typed.
fn keys_on(content: &str) -> (Vec<String>, bool) {
    let mut open: Vec<String> = Vec::new();
    // Per bracket: how many keys were open before it, and whether it belongs to a mapping.
    let mut brackets: Vec<(usize, bool)> = Vec::new();
    let mut from = 0;
    let mut quote: Option<char> = None;
    let mut value = false;
    for (at, c) in content.char_indices() {
        if let Some(q) = quote {
            if c == q {
                quote = None;
            }
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            ':' => {
                let behind = content.get(at + 1..).unwrap_or("");
                if !value && (behind.is_empty() || behind.starts_with(' ')) {
                    open.push(unquoted(content.get(from..at).unwrap_or("")));
                    value = true;
                }
            }
            '[' | '{' => {
                brackets.push((open.len(), c == '{'));
                value = c == '[' && !open.is_empty();
                from = at + 1;
            }
            ']' | '}' => {
                if let Some((keys, _)) = brackets.pop() {
                    open.truncate(keys);
                }
                from = at + 1;
            }
            ',' => {
                if let Some((keys, mapping)) = brackets.last() {
                    open.truncate(*keys);
                    value = !mapping && !open.is_empty();
                }
                from = at + 1;
            }
            _ => {}
        }
    }
    (open, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(marked: &str) -> String {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let found = at(&text, offset as u32).unwrap();
        let kind = if found.value { "=" } else { "" };
        format!("{}{kind} {:?}", found.path.join("."), found.word.slice(&text))
    }

    #[test]
    fn the_path_follows_indentation_and_brackets() {
        let head = "spec:\n  manifests:\n    - name: a\n      type: oras\n";
        for (tail, expected) in [
            ("      dependsOn: [cni, in|", "spec.manifests.dependsOn= \"in\""),
            ("      dependsOn: [|]", "spec.manifests.dependsOn= \"\""),
            ("      dependsOn:\n        - c|", "spec.manifests.dependsOn \"c\""),
            (
                "      dependsOn:\n      - x\n      - c|",
                "spec.manifests.dependsOn \"c\"",
            ),
            (
                "    - dependsOn:\n      - x\n      - c|",
                "spec.manifests.dependsOn \"c\"",
            ),
            ("    - dependsOn:\n      - |", "spec.manifests.dependsOn \"\""),
            (
                "    - tags: [x]\n      dependsOn:\n      - |",
                "spec.manifests.dependsOn \"\"",
            ),
            ("      dep|", "spec.manifests \"dep\""),
            ("    - na|", "spec.manifests \"na\""),
            (
                "    - includes:\n        - path: apps/x|",
                "spec.manifests.includes.path= \"apps/x\"",
            ),
            ("    - {name: x, type: |", "spec.manifests.type= \"\""),
            ("    - {name: x, ty|", "spec.manifests \"ty\""),
            (
                "      helmfile:\n        vars:\n          x:\n            fr|",
                "spec.manifests.helmfile.vars.x \"fr\"",
            ),
            ("  prov|", "spec \"prov\""),
            ("ki|", " \"ki\""),
            ("      type: \"ku|\"", "spec.manifests.type= \"ku\""),
        ] {
            assert_eq!(shown(&format!("{head}{tail}")), expected, "{tail}");
        }
    }

    #[test]
    fn the_other_keys_of_the_mapping() {
        let of = |marked: &str| {
            let offset = marked.find('|').unwrap();
            at(&marked.replacen('|', "", 1), offset as u32).unwrap().siblings
        };
        let item =
            "    - name: a\n      helmfile:\n        wait: yes\n      |\n      type: x\n    - path: b\n";
        assert_eq!(of(item), ["helmfile", "name", "type"]);
        assert_eq!(
            of("    - |\n      type: x\n\n      # y\n      tags: []\n    - path: b\n"),
            ["type", "tags"]
        );
        assert_eq!(of("    - path: b\n    - |\n"), [""; 0]);
        assert_eq!(of("    - {name: a, |, type: b}\n"), ["name", "type"]);
        assert_eq!(of("spec: {}\n|\nkind: x\n"), ["spec", "kind"]);
    }

    #[test]
    fn an_entry_needs_a_dash_and_room_for_it() {
        let of = |marked: &str| {
            let offset = marked.find('|').unwrap();
            at(&marked.replacen('|', "", 1), offset as u32).unwrap().dash
        };
        assert_eq!(of("a:\n  - b\n  |\n"), Dash::Missing);
        assert_eq!(of("a:\n  - b\n\n  c|\n"), Dash::Missing);
        assert_eq!(of("a:\n  |\n"), Dash::Missing);
        assert_eq!(of("a:\n  - b\n    |\n"), Dash::NoRoom);
        assert_eq!(of("a:\n  - b:\n      |\n"), Dash::Missing);
        assert_eq!(of("a:\n  - b: c\n      |\n"), Dash::NoRoom);
        assert_eq!(of("a:\n  - |\n"), Dash::Written);
        assert_eq!(of("a: [|]\n"), Dash::Written);
    }

    #[test]
    fn comments_are_unchanged() {
        assert_eq!(at("a: b # x", 8), None);
    }
}
