//! The files that a pattern of `fileset` matches.
//!
//! Source: Terraform 1.11, `fileset`, with doublestar 1.1.5: a pattern is read only as far as names are compared with it,
//! so that one which is invalid fails only where there are such names. OpenTofu 1.10 rejects it at once.

use applyorder_core::engine::relative;
use applyorder_core::files::{FileKind, join_clean};
use applyorder_syntax::hcl::eval::FileAnswer;
use camino::{Utf8Path, Utf8PathBuf};

use super::world::World;

/// The maximum number of directory entries visited for one pattern.
const MAX_WALKED: usize = 20_000;

/// Deeper directories are not searched: links may form a loop.
const MAX_DEPTH: usize = 64;

/// Longer patterns for one name are not read, in characters.
const MAX_PATTERN: usize = 512;

/// The maximum number of steps in which a name is compared with a pattern.
const MAX_STEPS: usize = 10_000;

/// The characters of which any in the pattern for a name makes it more than that name.
const META: [char; 5] = ['*', '?', '[', '{', '\\'];

/// The regular files below a directory, as it is written and where it is, that a pattern matches. Their paths are
/// relative to that directory.
pub(super) fn files(world: &World<'_>, (written, dir): (&str, &Utf8Path), pattern: &str) -> FileAnswer {
    if written.contains(META) {
        return FileAnswer::Unknown(format!("`{written}` is part of the pattern"));
    }
    let whole = join_clean(dir, pattern);
    let above = dir.ancestors().find(|above| whole.starts_with(above));
    let (Some(above), true) = (above, whole.starts_with(&world.repository)) else {
        return FileAnswer::Unknown(format!("`{pattern}` is outside the repository"));
    };
    let rest = whole.strip_prefix(above).map_or("", Utf8Path::as_str);
    let parts = split(rest, '/');
    // OpenTofu reads the whole pattern first.
    if world.is_tofu() && !is_valid(rest) {
        return FileAnswer::Fails(format!("the pattern `{pattern}` is invalid"));
    }
    let mut search = Search {
        world,
        found: Vec::new(),
        walked: 0,
    };
    match search.glob(above, &parts, 0) {
        Err(Open(why)) => FileAnswer::Unknown(why),
        Ok(Outcome::BadPattern | Outcome::Varies) if world.is_tofu() => {
            FileAnswer::Unknown(format!("how the pattern `{pattern}` is read is not followed"))
        }
        Ok(Outcome::BadPattern) => FileAnswer::Fails(format!("the pattern `{pattern}` is invalid")),
        Ok(Outcome::Varies) => FileAnswer::Unknown(format!(
            "the pattern `{pattern}` is invalid for some of the files"
        )),
        Ok(Outcome::Fits) => FileAnswer::Names(search.found.iter().map(|path| relative(dir, path)).collect()),
    }
}

/// Whether classes and alternatives of a pattern end, no class is empty, and something follows each backslash.
///
/// Source: OpenTofu 1.10, with doublestar 4.6.0, `ValidatePattern`.
fn is_valid(pattern: &str) -> bool {
    let mut chars = pattern.chars().peekable();
    let mut alternatives = 0_usize;
    while let Some(c) = chars.next() {
        let is_right = match c {
            '\\' => chars.next().is_some(),
            '[' => {
                chars.next_if(|c| matches!(c, '^' | '!'));
                chars.peek() != Some(&']') && ends_class(&mut chars)
            }
            '{' => {
                alternatives += 1;
                true
            }
            '}' => {
                let outer = alternatives.checked_sub(1);
                alternatives = outer.unwrap_or_default();
                outer.is_some()
            }
            _ => true,
        };
        if !is_right {
            return false;
        }
    }
    alternatives == 0
}

/// Reads the rest of a class, and whether it ends.
fn ends_class(chars: &mut impl Iterator<Item = char>) -> bool {
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            ']' => return true,
            _ => {}
        }
    }
    false
}

/// A limit was reached, or something is not known: why.
struct Open(String);

/// What becomes of a directory and what is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The pattern is valid for all that counts.
    Fits,
    BadPattern,
    /// That depends on the order in which the system lists files: the last one counts.
    Varies,
}

impl Outcome {
    fn or_other(one: Option<Self>, other: Self) -> Option<Self> {
        Some(match one {
            Some(one) if one != other => Self::Varies,
            _ => other,
        })
    }
}

struct Search<'w, 'a> {
    world: &'w World<'a>,
    found: Vec<Utf8PathBuf>,
    walked: usize,
}

impl Search<'_, '_> {
    fn glob(&mut self, dir: &Utf8Path, parts: &[&str], depth: usize) -> Result<Outcome, Open> {
        let names = parts.iter().take_while(|part| !part.contains(META)).count();
        let (names, parts) = parts.split_at(names);
        let dir = names.iter().fold(dir.to_owned(), |dir, name| dir.join(name));
        let Some((first, rest)) = parts.split_first() else {
            if let Some(kind) = self.world.cx.kind(&dir, false) {
                self.add(dir, kind)?;
            }
            return Ok(Outcome::Fits);
        };
        if self.world.cx.kind(&dir, true) != Some(FileKind::Directory) {
            return Ok(Outcome::Fits);
        }
        if depth > MAX_DEPTH {
            return Err(Open("directories are nested too deeply".to_owned()));
        }
        let entries = self.world.cx.list(&dir).unwrap_or_default();
        self.walked += entries.len();
        if self.walked > MAX_WALKED || !self.world.budget.spend(entries.len() as u64) {
            return Err(Open("there are too many files to look through".to_owned()));
        }
        let (mut first, mut rest) = (*first, rest);
        if first == "**" {
            for entry in entries.iter() {
                let path = dir.join(&entry.name);
                if self.kind(&path, entry.kind) == Some(FileKind::Directory) {
                    // What is wrong there does not count.
                    self.glob(&path, parts, depth + 1)?;
                } else if rest.is_empty() {
                    self.add(path, entry.kind)?;
                }
            }
            match rest.split_first() {
                Some((next, others)) => (first, rest) = (next, others),
                None => return Ok(Outcome::Fits),
            }
        }
        let pattern: Vec<char> = first.chars().collect();
        if pattern.len() > MAX_PATTERN {
            return Err(Open("the pattern is too long".to_owned()));
        }
        let mut outcome = None;
        for entry in entries.iter() {
            let name: Vec<char> = entry.name.chars().collect();
            let mut steps = MAX_STEPS;
            let of_entry = match fits(&pattern, &name, &mut steps) {
                Fit::Yes if rest.is_empty() => {
                    self.add(dir.join(&entry.name), entry.kind)?;
                    Outcome::Fits
                }
                Fit::Yes => self.glob(&dir.join(&entry.name), rest, depth + 1)?,
                Fit::No => Outcome::Fits,
                Fit::Bad => return Ok(Outcome::BadPattern),
                Fit::Open => return Err(Open("the pattern has too many alternatives".to_owned())),
            };
            outcome = Outcome::or_other(outcome, of_entry);
        }
        Ok(outcome.unwrap_or(Outcome::Fits))
    }

    /// What is at a path, links followed.
    fn kind(&self, path: &Utf8Path, listed: FileKind) -> Option<FileKind> {
        match listed {
            FileKind::File | FileKind::Directory => Some(listed),
            FileKind::Symlink | FileKind::Other => self.world.cx.kind(path, true),
        }
    }

    /// Adds a path that the pattern matches, if it is a regular file.
    fn add(&mut self, path: Utf8PathBuf, listed: FileKind) -> Result<(), Open> {
        match self.kind(&path, listed) {
            Some(FileKind::File) => self.found.push(path),
            Some(_) => {}
            None => return Err(Open(format!("`{path}` is a broken link"))),
        }
        Ok(())
    }
}

/// Whether a name fits a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Yes,
    No,
    /// The pattern is invalid.
    Bad,
    /// That takes too many steps.
    Open,
}

/// Compares a name that is not empty with a pattern, one character after the other. `steps`: the number of steps left.
fn fits(pattern: &[char], name: &[char], steps: &mut usize) -> Fit {
    let (mut pattern, mut name) = (pattern, name);
    while let (Some((wanted, after)), Some((given, left))) = (pattern.split_first(), name.split_first()) {
        if *steps == 0 {
            return Fit::Open;
        }
        *steps -= 1;
        match wanted {
            '\\' => match after.split_first() {
                Some((wanted, after)) if wanted == given => (pattern, name) = (after, left),
                Some(_) => return Fit::No,
                None => return Fit::Bad,
            },
            '*' if after.is_empty() => return Fit::Yes,
            '*' => return any_end(name, steps, |end, steps| fits(after, end, steps)),
            '[' => {
                let Some((class, after)) = enclosed(after, ']') else {
                    return Fit::Bad;
                };
                match in_class(class, *given) {
                    Fit::Yes => (pattern, name) = (after, left),
                    other => return other,
                }
            }
            '{' => {
                let Some((inside, after)) = enclosed(after, '}') else {
                    return Fit::Bad;
                };
                return any_option(inside, after, name, steps);
            }
            _ if *wanted == '?' || wanted == given => (pattern, name) = (after, left),
            _ => return Fit::No,
        }
    }
    match (pattern, name) {
        ([] | ['*'] | ['*', '*'], []) => Fit::Yes,
        _ => Fit::No,
    }
}

/// Whether an end of a name fits, where an error is ignored.
fn any_end(name: &[char], steps: &mut usize, fits: impl Fn(&[char], &mut usize) -> Fit) -> Fit {
    for at in 0..name.len() {
        match fits(name.get(at..).unwrap_or_default(), steps) {
            found @ (Fit::Yes | Fit::Open) => return found,
            Fit::No | Fit::Bad => {}
        }
    }
    Fit::No
}

/// Whether a name fits one of the alternatives, followed by the rest of the pattern.
fn any_option(inside: &[char], after: &[char], name: &[char], steps: &mut usize) -> Fit {
    let inside: String = inside.iter().collect();
    for option in split(&inside, ',') {
        let pattern: Vec<char> = option.chars().chain(after.iter().copied()).collect();
        *steps = steps.saturating_sub(pattern.len());
        match fits(&pattern, name, steps) {
            Fit::No => {}
            found => return found,
        }
    }
    Fit::No
}

/// Whether a character is in a class, without its brackets.
fn in_class(class: &[char], given: char) -> Fit {
    let (is_negated, mut rest) = match class {
        [] => return Fit::Bad,
        ['^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut is_in = false;
    while !rest.is_empty() {
        let Some((low, after)) = class_char(rest) else {
            return Fit::Bad;
        };
        let mut high = low;
        rest = after;
        if let ['-', after @ ..] = rest {
            let Some((end, after)) = class_char(after) else {
                return Fit::Bad;
            };
            (high, rest) = (end, after);
        }
        is_in |= (low..=high).contains(&given);
    }
    match is_in == is_negated {
        true => Fit::No,
        false => Fit::Yes,
    }
}

/// The first character of a part of a class, which is not a `-`, and what follows it.
fn class_char(class: &[char]) -> Option<(char, &[char])> {
    match class {
        [] | ['-', ..] | ['\\'] => None,
        ['\\', escaped, rest @ ..] => Some((*escaped, rest)),
        [plain, rest @ ..] => Some((*plain, rest)),
    }
}

/// What precedes the first closing character that has no backslash before it, and what follows that.
fn enclosed(pattern: &[char], end: char) -> Option<(&[char], &[char])> {
    let is_end = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| pattern.get(before));
        pattern.get(*at) == Some(&end) && before != Some(&'\\')
    };
    let at = (0..pattern.len()).find(is_end)?;
    Some((pattern.get(..at)?, pattern.get(at + 1..)?))
}

/// The parts of a text between separators that have no backslash before them.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(separator) {
        let part = text.get(start..at).unwrap_or_default();
        if !part.ends_with('\\') {
            parts.push(part);
            start = at + separator.len_utf8();
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(pattern: &str, name: &str) -> Fit {
        let [pattern, name] = [pattern, name].map(|text| text.chars().collect::<Vec<_>>());
        let mut steps = MAX_STEPS;
        fits(&pattern, &name, &mut steps)
    }

    /// The results of doublestar 1.1.5.
    #[test]
    fn names_fit_as_in_terraform() {
        for (pattern, name, expected) in [
            ("*.yaml", "a.yaml", Fit::Yes),
            ("*.yaml", "a.yml", Fit::No),
            ("?.yml", "xy.yml", Fit::No),
            ("*.{yml,yaml}", "x.yml", Fit::Yes),
            ("{a,b{c}}", "a}", Fit::Yes),
            ("a{,b}", "a", Fit::No),
            ("a{,b}c", "ac", Fit::Yes),
            ("a**", "a", Fit::Yes),
            ("[a-c]x", "bx", Fit::Yes),
            ("[^a-c]x", "bx", Fit::No),
            ("[!a]", "!", Fit::Yes),
            ("[]a]", "a", Fit::Bad),
            ("[", "a", Fit::Bad),
            ("a[", "b", Fit::No),
            ("[a-]", "a", Fit::Bad),
            ("[-a]", "a", Fit::Bad),
            ("[\\-a]", "-", Fit::Yes),
            ("{a", "a", Fit::Bad),
            ("*[", "a", Fit::No),
            ("\\*", "*", Fit::Yes),
            ("\\", "a", Fit::Bad),
            ("{a,[}", "b", Fit::Bad),
            ("{b,[}", "b", Fit::Yes),
            ("ü*", "üx", Fit::Yes),
        ] {
            assert_eq!(fit(pattern, name), expected, "{pattern} {name}");
        }
        let stars = "*a".repeat(40);
        assert_eq!(fit(&stars, &"a".repeat(80).replace('a', "ab")), Fit::Open);
    }

    #[test]
    fn separators_with_a_backslash_before_them_do_not_separate() {
        assert_eq!(split("a/b\\/c/", '/'), ["a", "b\\/c", ""]);
        assert_eq!(split("", ','), [""]);
    }

    #[test]
    fn paths_are_relative_to_the_directory() {
        let of = |path: &str| relative(Utf8Path::new("/w/m"), Utf8Path::new(path));
        assert_eq!(of("/w/m/a/b"), "a/b");
        assert_eq!(of("/w/c"), "../c");
    }
}
