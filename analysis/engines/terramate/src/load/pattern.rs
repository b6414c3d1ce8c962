//! Patterns of file names in the syntax of Go's `filepath.Match` and `filepath.Glob`.

use camino::{Utf8Path, Utf8PathBuf};

use applyorder_core::engine::Cx;
use applyorder_core::files::{FileKind, join_clean};

enum Part {
    /// Any number of characters.
    Any,
    /// One character.
    One,
    Char(char),
    /// One character inside, or outside, these ranges.
    Class(bool, Vec<(char, char)>),
}

/// A pattern.
pub(super) struct Pattern {
    parts: Vec<Part>,
}

impl Pattern {
    /// Reads a pattern. `None`: it is invalid.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            parts.push(match c {
                '*' => Part::Any,
                '?' => Part::One,
                '\\' => Part::Char(chars.next()?),
                '[' => {
                    // `!` has no special meaning.
                    let negated = chars.next_if_eq(&'^').is_some();
                    let mut ranges = Vec::new();
                    while ranges.is_empty() || chars.next_if_eq(&']').is_none() {
                        let low = bound(&mut chars)?;
                        let high = match chars.next_if_eq(&'-') {
                            Some(_) => bound(&mut chars)?,
                            None => low,
                        };
                        ranges.push((low, high));
                    }
                    Part::Class(!negated, ranges)
                }
                c => Part::Char(c),
            });
        }
        Some(Self { parts })
    }

    /// Whether a name matches as a whole.
    pub(super) fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut at, mut part) = (0, 0);
        // Where to continue when what follows the last `*` does not match: it takes one more character.
        let mut again: Option<(usize, usize)> = None;
        while at < name.len() {
            let fits = match (self.parts.get(part), name.get(at)) {
                (Some(Part::Any), _) => {
                    part += 1;
                    again = Some((part, at));
                    continue;
                }
                (Some(Part::One), _) => true,
                (Some(Part::Char(c)), Some(found)) => c == found,
                (Some(Part::Class(inside, ranges)), Some(found)) => {
                    ranges.iter().any(|(low, high)| (low..=high).contains(&found)) == *inside
                }
                _ => false,
            };
            if fits {
                (at, part) = (at + 1, part + 1);
            } else if let Some((behind, taken)) = again {
                again = Some((behind, taken + 1));
                (at, part) = (taken + 1, behind);
            } else {
                return false;
            }
        }
        let rest = self.parts.get(part..).unwrap_or(&[]);
        rest.iter().all(|p| matches!(p, Part::Any))
    }
}

fn bound(chars: &mut impl Iterator<Item = char>) -> Option<char> {
    match chars.next()? {
        '-' | ']' => None,
        '\\' => chars.next(),
        c => Some(c),
    }
}

/// The paths that match an absolute pattern, in byte order. `None`: an invalid pattern. If a pattern leads out
/// of the root, the directories in it that are not patterns are assumed to exist.
pub(crate) fn matching(cx: &Cx<'_>, root: &Utf8Path, pattern: &Utf8Path) -> Option<Vec<Utf8PathBuf>> {
    let wild = |part: &str| part.contains(['*', '?', '[', '\\']);
    let mut outside = pattern.ancestors().skip(1);
    let root = match pattern.starts_with(root) {
        true => root,
        false => outside.find(|above| !wild(above.as_str()))?,
    };
    let below = pattern.strip_prefix(root).ok()?.as_str();
    if below.is_empty() {
        return Some(vec![root.to_owned()]);
    }
    let mut dirs = vec![root.to_owned()];
    let mut parts = below.split('/').peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        let mut next = Vec::new();
        let matcher = if wild(part) {
            Some(Pattern::parse(part)?)
        } else {
            None
        };
        for dir in &dirs {
            match &matcher {
                None => {
                    let path = join_clean(dir, part);
                    if cx
                        .kind(&path, true)
                        .is_some_and(|k| last || k == FileKind::Directory)
                    {
                        next.push(path);
                    }
                }
                Some(matcher) => {
                    for entry in cx.list(dir).unwrap_or_default().iter() {
                        let path = dir.join(&entry.name);
                        if matcher.matches(&entry.name)
                            && (last || cx.kind(&path, true) == Some(FileKind::Directory))
                        {
                            next.push(path);
                        }
                    }
                }
            }
        }
        dirs = next;
    }
    dirs.sort();
    Some(dirs)
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    fn matches(pattern: &str, name: &str) -> Option<bool> {
        Some(Pattern::parse(pattern)?.matches(name))
    }

    #[test]
    fn stars_take_what_they_need() {
        assert_eq!(
            matches("*.tm", ".a.tm"),
            Some(true),
            "a leading dot is nothing special"
        );
        assert_eq!(matches("a*b*c", "aXbXbXc"), Some(true));
        assert_eq!(matches("a*b*c", "aXbXcX"), Some(false));
        assert_eq!(matches("**", "anything"), Some(true));
        assert_eq!(matches("?", "\u{e4}"), Some(true));
        assert_eq!(matches("?", ""), Some(false));
    }

    #[test]
    fn classes_are_those_of_go() {
        assert_eq!(matches("[a-c]", "b"), Some(true));
        assert_eq!(matches("[^a-c]", "b"), Some(false));
        assert_eq!(matches("[!a-c]", "b"), Some(true), "no negation");
        assert_eq!(matches("[!a-c]", "!"), Some(true));
        assert_eq!(matches("\\*", "*"), Some(true));
        assert_eq!(matches("{a,b}", "a"), Some(false));
    }

    #[test]
    fn invalid_patterns_are_recognized() {
        for text in ["[", "[]", "[]a]", "[a-]", "[-a]", "a\\", "[a", "[^]"] {
            assert_eq!(matches(text, "a"), None, "{text}");
        }
    }
}
