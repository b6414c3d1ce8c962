//! The paths and path patterns in a configuration, for links and for rewriting them on a move.

use camino::{Utf8Path, Utf8PathBuf};

use super::renamed::moved_units;
use super::{ConfigFile, configs};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Move, Moved, StartsFrom, WrittenPath, relative};
use applyorder_core::files::resolve;
use applyorder_syntax::text::TextEdit;

/// The paths of a configuration, each with its location, without its quotes.
#[must_use]
pub fn paths(config: &ConfigFile<'_>) -> Vec<WrittenPath> {
    let found = config.values(|said| said.is_path()).into_iter().map(|word| {
        let from = StartsFrom::Beside(config.path.to_owned());
        let target = resolve(from.dir(), &word.text);
        WrittenPath {
            span: word.inner(config.text),
            text: word.text.clone(),
            from,
            target,
            shows: &[],
            is_part: false,
        }
    });
    found.collect()
}

/// The paths in the configurations of a workspace, absolute.
#[must_use]
pub fn named(analysis: &Analysis) -> Vec<Utf8PathBuf> {
    configs(analysis)
        .flat_map(|config| paths(&config))
        .map(|path| path.target)
        .collect()
}

/// The edits of a move in the configurations of a workspace, and the changes that would be needed but are not
/// possible.
#[must_use]
pub fn moved(analysis: &Analysis, change: Move<'_>) -> Moved {
    let mut moved = Moved::default();
    for config in configs(analysis) {
        let file = config.file;
        let of_paths = paths(&config).into_iter().filter_map(|path| {
            let new = change.rewritten(&path)?;
            Some((path.span, path.text, Ok(new)))
        });
        let of_patterns = config
            .values(|said| said.is_pattern())
            .into_iter()
            .filter_map(|word| {
                let new = pattern(&word.text, config.path, change)?;
                Some((word.inner(config.text), word.text.clone(), new))
            });
        let mut edits: Vec<TextEdit> = Vec::new();
        for (span, text, new) in of_paths.chain(of_patterns) {
            match new {
                Ok(new) => match config.plain_edit(span, &text, &new) {
                    Some(edit) => edits.push(edit),
                    None => moved.left.push((
                        Some(Place::span(file, span)),
                        format!(
                            "`{text}` would have to become `{new}`, but is not written as a plain string"
                        ),
                    )),
                },
                Err(why) => moved
                    .left
                    .push((Some(Place::span(file, span)), format!("`{text}` {why}"))),
            }
        }
        edits.sort_by_key(|edit| edit.span);
        if !edits.is_empty() {
            moved.edits.push((file, edits));
        }
    }
    moved.edits.extend(moved_units(analysis, change));
    moved
}

/// A pattern as it has to be written after a move. `None`: it can stay unchanged, as one that matches a name at
/// any depth.
///
/// # Errors
/// Why it cannot be written, as the end of a sentence.
fn pattern(text: &str, config: &Utf8Path, change: Move<'_>) -> Option<Result<String, &'static str>> {
    let (not, body) = match text.strip_prefix('!') {
        Some(body) => ("!", body),
        None => ("", text),
    };
    let is_anchored = body.trim_end_matches('/').contains('/');
    if !is_anchored {
        return None;
    }
    // The names that the pattern begins with; after them anything may match.
    let parts: Vec<&str> = body.trim_start_matches('/').split('/').collect();
    let is_name = |part: &&&str| !part.is_empty() && !part.contains(['*', '?', '[', '\\']);
    let names = parts.iter().take_while(is_name).count();
    let (fixed, rest) = parts.split_at_checked(names)?;
    if fixed.is_empty() {
        return None;
    }
    let dir = config.parent()?;
    let target = dir.join(fixed.join("/"));
    let (new, own) = (change.of(&target), change.of(config));
    let new_dir = own.parent()?;
    if new == target && new_dir == dir {
        return None;
    }
    let path = relative(new_dir, &new);
    if path == fixed.join("/") {
        return None;
    }
    if path == "." || path.starts_with("..") {
        return Some(Err("would leave the directory of the configuration"));
    }
    let rest: String = rest.iter().map(|part| format!("/{part}")).collect();
    let written = format!("{path}{rest}");
    let is_still = written.trim_end_matches('/').contains('/');
    let slash = if body.starts_with('/') || !is_still {
        "/"
    } else {
        ""
    };
    Some(Ok(format!("{not}{slash}{written}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_follow_by_the_names_they_begin_with() {
        let change = |text: &str, from: &str, to: &str| {
            let (from, to) = (Utf8Path::new(from), Utf8Path::new(to));
            let new = pattern(text, Utf8Path::new("/w/applyorder.toml"), Move { from, to });
            new.map(|new| new.unwrap_or_else(|why| format!("! {why}")))
        };
        for (text, from, to, expected) in [
            ("vendor/**", "/w/vendor", "/w/lib", Some("lib/**")),
            ("vendor/**", "/w/vendor/a", "/w/vendor/b", None),
            ("/vendor", "/w/vendor", "/w/lib", Some("/lib")),
            ("/a/b", "/w/a", "/w/c", Some("/c/b")),
            ("!a/b/*.yaml", "/w/a/b", "/w/x/y", Some("!x/y/*.yaml")),
            ("a/b/", "/w/a/b", "/w/c", Some("/c/")),
            ("vendor", "/w/vendor", "/w/lib", None),
            ("**/gen/*.yaml", "/w/gen", "/w/lib", None),
            ("*.gen.yaml", "/w/a", "/w/b", None),
            (
                "a/b/**",
                "/w/a",
                "/v",
                Some("! would leave the directory of the configuration"),
            ),
            ("a/b/**", "/w", "/v", None),
            (
                "a/b/**",
                "/w/applyorder.toml",
                "/w/a/applyorder.toml",
                Some("b/**"),
            ),
        ] {
            assert_eq!(
                change(text, from, to).as_deref(),
                expected,
                "{text}: {from} to {to}"
            );
        }
    }
}
