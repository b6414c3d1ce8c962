//! Imports: which files a directory imports, and what Terramate does not accept.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks" (import blocks).

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobMatcher};

use super::tree::{Dir, Tree};
use super::validate::{Found, files, refuse};
use crate::diagnostic::{Diagnostic, FileId, FixStep, Place, Safety};
use crate::engines::Cx;
use crate::engines::terramate::facts::{FileFacts, Import, Value};
use crate::engines::terramate::rules::{import_invalid, stack_in_import};
use crate::files::{FileKind, clean, join_clean};
use crate::rules::syntax_error;

/// Follows all imports of a directory.
pub(super) fn check(cx: &Cx<'_>, tree: &Tree, dir: &Dir, found: &mut Vec<Found>) {
    let mut parsed: BTreeSet<Utf8PathBuf> = files(dir).map(|(l, _)| l.path.clone()).collect();
    let mut open: Vec<(Utf8PathBuf, FileId, Import)> = files(dir)
        .flat_map(|(l, facts)| {
            facts
                .shape
                .imports
                .iter()
                .map(|i| (dir.host.clone(), l.file, i.clone()))
        })
        .collect();
    open.reverse();
    while let Some((from, file, import)) = open.pop() {
        let Value::Known(source) = &import.source else {
            continue;
        };
        let place = cx.place(file, source.at);
        let problem = |found: &mut Vec<Found>, message: String, words: String| {
            refuse(
                found,
                Diagnostic::new(&import_invalid::RULE, place, message).engine_message(words),
            );
        };
        let (written, _) = source.value.rsplit_once('/').unwrap_or((".", &source.value));
        let base = if source.value.starts_with('/') {
            join_clean(&tree.root, written)
        } else {
            join_clean(&from, written)
        };
        if base == from {
            problem(
                found,
                "a file of the own directory cannot be imported".to_owned(),
                "importing files in the same directory is not permitted".to_owned(),
            );
            continue;
        }
        let Some(shown) = tree.project_path(&base) else {
            problem(
                found,
                "the path leads out of the project".to_owned(),
                "import path is outside the project".to_owned(),
            );
            continue;
        };
        let own = tree.project_path(&from).unwrap_or_default();
        if own.starts_with(&shown) {
            let ancestor = shown == "/" || Utf8Path::new(&own).starts_with(&shown);
            let message = if ancestor {
                "a file of a directory above cannot be imported".to_owned()
            } else {
                format!(
                    "Terramate compares directories as text: as `{own}` begins with `{shown}`, nothing of `{shown}` can be imported"
                )
            };
            problem(
                found,
                message,
                "importing files in the same tree is not permitted".to_owned(),
            );
            continue;
        }
        let Some(matches) = matching(cx, tree, &from, &source.value) else {
            problem(
                found,
                "this is no valid pattern".to_owned(),
                "syntax error in pattern".to_owned(),
            );
            continue;
        };
        if matches.is_empty() {
            problem(
                found,
                format!("`{}` leads to no file", source.value),
                format!("import path \"{}\" returned no matches", source.value),
            );
        }
        for path in matches {
            if cx.kind(&path, true) == Some(FileKind::Directory) {
                problem(
                    found,
                    format!("`{}` is a directory", source.value),
                    format!("import directory is not allowed: {}", source.value),
                );
                continue;
            }
            if !parsed.insert(path.clone()) {
                problem(
                    found,
                    format!("`{}` is imported already", source.value),
                    format!("file \"{path}\" already parsed"),
                );
                continue;
            }
            let Ok((imported, facts)) = cx.facts::<FileFacts>(&path) else {
                problem(
                    found,
                    format!("`{}` cannot be read", source.value),
                    "failed to read the imported file".to_owned(),
                );
                continue;
            };
            imported_file(cx, found, (place, cx.place(file, import.block)), imported, &facts);
            let next = path
                .parent()
                .map_or_else(|| tree.root.clone(), Utf8Path::to_owned);
            for import in facts.shape.imports.iter().rev() {
                open.push((next.clone(), imported, import.clone()));
            }
        }
    }
}

fn imported_file(
    cx: &Cx<'_>,
    found: &mut Vec<Found>,
    (place, block): (Place, Place),
    file: FileId,
    facts: &FileFacts,
) {
    if let Some(stack) = facts.shape.stacks.first() {
        refuse(
            found,
            Diagnostic::new(
                &stack_in_import::RULE,
                place,
                "the imported file declares a stack",
            )
            .related(cx.place(file, stack.header), "the stack")
            .engine_message("import of stack block is not permitted")
            .fix(
                "remove the import",
                Safety::Unsafe,
                vec![FixStep::Replace(block, String::new())],
            ),
        );
    }
    if let Some(problem) = facts.shape.problems.iter().find(|p| p.fatal) {
        let syntax = problem.diagnostic.rule == &syntax_error::RULE;
        let message = if syntax {
            "the imported file has a syntax error"
        } else {
            "the imported file is rejected"
        };
        refuse(
            found,
            Diagnostic::new(&import_invalid::RULE, place, message)
                .related(problem.diagnostic.place, problem.diagnostic.message.clone()),
        );
    }
}

/// The files of the project that a source means, in byte order. `None`: no valid pattern.
fn matching(cx: &Cx<'_>, tree: &Tree, from: &Utf8Path, source: &str) -> Option<Vec<Utf8PathBuf>> {
    let wild = |part: &str| part.contains(['*', '?', '[', '\\']);
    let base = if source.starts_with('/') {
        tree.root.clone()
    } else {
        from.to_owned()
    };
    if !wild(source) {
        let path = join_clean(&base, source);
        return Some(if cx.kind(&path, true).is_some() {
            vec![path]
        } else {
            Vec::new()
        });
    }
    let cleaned = clean(source.trim_start_matches('/'));
    let mut dirs = vec![base];
    let mut parts = cleaned.as_str().split('/').peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        let mut next = Vec::new();
        let matcher = if wild(part) { Some(pattern(part)?) } else { None };
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
                        if matcher.is_match(&entry.name)
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

/// A pattern of one path element, where `**` is `*` and a leading dot is nothing special.
fn pattern(part: &str) -> Option<GlobMatcher> {
    let mut single = part.to_owned();
    while single.contains("**") {
        single = single.replace("**", "*");
    }
    // Braces mean themselves.
    let single = single.replace('{', "[{]").replace('}', "[}]");
    let glob = GlobBuilder::new(&single)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .ok()?;
    Some(glob.compile_matcher())
}
