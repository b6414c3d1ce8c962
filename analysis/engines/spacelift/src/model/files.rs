//! What functions read: files inside of the repository, at literal paths.

use applyorder_core::files::{FileKind, ReadError, join_clean};
use applyorder_syntax::hcl::eval::{FileAnswer, FileRequest, Reads};
use camino::{Utf8Path, Utf8PathBuf};

use super::world::World;
use crate::read::TfFacts;

/// The maximum number of directory entries visited for one pattern.
const MAX_WALKED: usize = 20_000;

/// Answers a question about files that a function in a module asks.
///
/// Terraform reads them when it plans, in the directory that it runs in. A file that is not in the repository may exist
/// by then, created by what runs before or mounted by Spacelift. So it is only likely that `fileexists` of it is false,
/// that a `fileset` without files is empty, and that a function that reads it fails. If some files of a set exist, the
/// repository contains all of them. What Terraform itself creates exists too late. Just before Terraform runs, all of
/// this is certain.
pub(crate) fn answer(world: &World<'_>, number: usize, request: FileRequest<'_>) -> FileAnswer {
    let (FileRequest::Read(path, _)
    | FileRequest::Exists(path)
    | FileRequest::Set(path, _)
    | FileRequest::Absolute(path)) = request;
    let at = join_clean(world.root, path);
    if path.starts_with('~') || !at.starts_with(&world.repository) {
        return FileAnswer::Unknown(format!("`{path}` is outside the repository"));
    }
    match request {
        FileRequest::Read(_, reads) => {
            world.read.borrow_mut().insert(at.clone());
            match world.cx.facts::<TfFacts>(&at) {
                Ok(read) => match &read.facts.text {
                    Some(text) => FileAnswer::Text(text.to_string()),
                    None => FileAnswer::Unknown(format!("`{path}` is read as configuration")),
                },
                Err(ReadError::NotFound) => {
                    let message = format!("the file `{path}` does not exist");
                    match world.inputs.is_certain {
                        true => FileAnswer::Fails(message),
                        false => FileAnswer::Missing {
                            message,
                            // What is hashed or encoded is often built.
                            is_forgotten: reads == Reads::Text && is_forgotten(world, number, &at),
                        },
                    }
                }
                Err(_) => FileAnswer::Unknown(format!("`{path}` cannot be read")),
            }
        }
        FileRequest::Exists(_) => match world.cx.kind(&at, true) {
            Some(FileKind::File) => FileAnswer::Bool(true),
            Some(FileKind::Directory) => FileAnswer::Fails(format!("`{path}` is a directory")),
            Some(_) => FileAnswer::Unknown(format!("`{path}` is not a file")),
            None if world.inputs.is_certain => FileAnswer::Bool(false),
            None => FileAnswer::NotYet,
        },
        FileRequest::Set(_, pattern) => match set(world, &at, pattern) {
            FileAnswer::Names(names) if names.is_empty() && !world.inputs.is_certain => FileAnswer::NotYet,
            answer => answer,
        },
        FileRequest::Absolute(_) => FileAnswer::Unknown("where Terraform runs is unknown".to_owned()),
    }
}

/// Whether a file that is not there seems to be forgotten: its directory is there, and nothing makes the module.
fn is_forgotten(world: &World<'_>, number: usize, at: &Utf8Path) -> bool {
    let is_generated = world
        .loaded
        .modules
        .get(number)
        .is_none_or(|own| own.is_generated);
    let is_directory = |at: &Utf8Path| world.cx.kind(at, true) == Some(FileKind::Directory);
    !is_generated && at.parent().is_some_and(is_directory)
}

fn set(world: &World<'_>, dir: &Utf8Path, pattern: &str) -> FileAnswer {
    let Some(parts) = parts(pattern) else {
        return FileAnswer::Unknown(format!("the pattern `{pattern}` is not understood"));
    };
    let mut found = Vec::new();
    let mut walked = 0usize;
    let mut open = vec![(dir.to_owned(), Utf8PathBuf::new(), 0usize)];
    while let Some((at, below, depth)) = open.pop() {
        for entry in world.cx.list(&at).unwrap_or_default().iter() {
            walked += 1;
            if walked > MAX_WALKED || !world.budget.spend(1) {
                return FileAnswer::Unknown("there are too many files to look through".to_owned());
            }
            let shown = below.join(&entry.name);
            let kind = match entry.kind {
                FileKind::File | FileKind::Directory => Some(entry.kind),
                _ => world.cx.kind(&at.join(&entry.name), true),
            };
            match kind {
                Some(FileKind::Directory) if depth < 64 && entry.kind == FileKind::Directory => {
                    open.push((at.join(&entry.name), shown, depth + 1));
                }
                Some(FileKind::File) => {
                    let path: Vec<&str> = shown.components().map(|c| c.as_str()).collect();
                    if matches(&parts, &path) {
                        found.push(shown.to_string());
                    }
                }
                _ => {}
            }
        }
    }
    FileAnswer::Names(found)
}

/// One part of a pattern, between slashes.
enum Part {
    /// `**`.
    Any,
    /// Alternatives, each a text with `*` and `?`.
    Names(Vec<String>),
}

/// The parts of a pattern; `None` if it contains something that is not supported.
fn parts(pattern: &str) -> Option<Vec<Part>> {
    if pattern.contains(['[', '\\']) {
        return None;
    }
    let mut parts = Vec::new();
    for part in pattern.split('/').filter(|p| !p.is_empty() && *p != ".") {
        if part == ".." {
            return None;
        }
        parts.push(if part == "**" {
            Part::Any
        } else {
            Part::Names(alternatives(part)?)
        });
    }
    Some(parts)
}

/// `{a,b}` taken apart, once and not nested.
fn alternatives(part: &str) -> Option<Vec<String>> {
    let Some((head, rest)) = part.split_once('{') else {
        return (!part.contains('}')).then(|| vec![part.to_owned()]);
    };
    let (inner, tail) = rest.split_once('}')?;
    if inner.contains('{') || tail.contains(['{', '}']) {
        return None;
    }
    Some(inner.split(',').map(|one| format!("{head}{one}{tail}")).collect())
}

/// Whether a path fits. Goes forward with all positions of the pattern that fit so far.
fn matches(parts: &[Part], path: &[&str]) -> bool {
    let mut at = vec![false; parts.len() + 1];
    if let Some(first) = at.first_mut() {
        *first = true;
    }
    settle(parts, &mut at);
    for name in path {
        let mut next = vec![false; parts.len() + 1];
        for (number, part) in parts
            .iter()
            .enumerate()
            .filter(|(n, _)| at.get(*n) == Some(&true))
        {
            let to = match part {
                Part::Any => number,
                Part::Names(names) if names.iter().any(|n| fits(n, name)) => number + 1,
                Part::Names(_) => continue,
            };
            if let Some(slot) = next.get_mut(to) {
                *slot = true;
            }
        }
        at = next;
        settle(parts, &mut at);
    }
    at.last() == Some(&true)
}

/// `**` also matches no directory at all.
fn settle(parts: &[Part], at: &mut [bool]) {
    for (number, part) in parts.iter().enumerate() {
        if matches!(part, Part::Any)
            && at.get(number) == Some(&true)
            && let Some(slot) = at.get_mut(number + 1)
        {
            *slot = true;
        }
    }
}

/// Whether a name fits text with `*` and `?`.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                back = Some((p + 1, n));
                p += 1;
            }
            Some(c) if *c == '?' || name.get(n) == Some(c) => {
                p += 1;
                n += 1;
            }
            _ => match back {
                Some((after, from)) => {
                    p = after;
                    n = from + 1;
                    back = Some((after, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).is_none_or(|rest| rest.iter().all(|c| *c == '*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_terraform_has_them() {
        let fits = |pattern: &str, path: &str| {
            let path: Vec<&str> = path.split('/').collect();
            matches(&parts(pattern).unwrap(), &path)
        };
        assert!(fits("*.yaml", "a.yaml"));
        assert!(!fits("*.yaml", "d/a.yaml"));
        assert!(fits("**/*.yaml", "a.yaml"));
        assert!(fits("**/*.yaml", "d/e/a.yaml"));
        assert!(fits("d/**", "d/e/a.yaml"));
        assert!(fits("stacks/*.{yml,yaml}", "stacks/x.yml"));
        assert!(!fits("stacks/?.yml", "stacks/xy.yml"));
        assert!(parts("[a]").is_none());
    }
}
