//! What has to be rewritten when a directory or file of a project moves: entries of the lists of stacks, and
//! sources of imports.

use camino::{Utf8Path, Utf8PathBuf};

use super::complete::relative_path;
use crate::diagnostic::{FileId, Place};
use crate::engines::terramate::facts::{FileFacts, Text, Value};
use crate::engines::terramate::resolve::Memo;
use crate::engines::{Facts, Moved};
use crate::files::{clean, join_clean};
use crate::syntax::hcl::edit::quote;
use crate::syntax::text::TextEdit;
use crate::workspace::{Analysis, Project};

/// The edits that keep every known path meaning what it means, by file.
pub(in crate::engines::terramate) fn moved(
    analysis: &Analysis,
    project: &Project,
    from: &Utf8Path,
    to: &Utf8Path,
) -> Moved {
    let mut moved = Moved::default();
    let memo = project.resolution.memo.clone();
    let Some(memo) = memo.and_then(|m| m.downcast::<Memo>().ok()) else {
        return moved;
    };
    let root = &memo.tree.root;
    if !from.starts_with(root) || from == root {
        return moved;
    }
    let change = Change { root, from, to };
    for loaded in memo.tree.dirs.iter().flat_map(|d| &d.files) {
        // The current text and its facts belong together; what was loaded may be older.
        let facts = analysis.facts_as::<FileFacts>(loaded.file, project.seed.engine);
        let (Some(facts), Some(source)) = (facts, analysis.source(loaded.file)) else {
            continue;
        };
        let mut edits: Vec<TextEdit> = Vec::new();
        for text in paths(facts) {
            let Some(new) = change.rewritten(&loaded.path, &text.value) else {
                continue;
            };
            let span = facts.span(text.at).unwrap_or_default();
            let is_plain = span.slice(&source.text) == quote(&text.value);
            match new {
                Some(new) if is_plain => edits.push(TextEdit {
                    span,
                    text: quote(&new),
                }),
                Some(new) => moved.left.push((
                    place(project, loaded.file, text),
                    format!(
                        "`{}` would have to become `{new}`, but is not written as a plain string",
                        text.value
                    ),
                )),
                None => moved.left.push((
                    place(project, loaded.file, text),
                    format!("`{}` would lead out of the project", text.value),
                )),
            }
        }
        edits.sort_by_key(|e| e.span);
        edits.dedup();
        if !edits.is_empty() {
            moved.edits.push((loaded.file, edits));
        }
    }
    moved
}

fn place(project: &Project, file: FileId, text: &Text) -> Place {
    Place::anchor(file, project.seed.engine, text.at)
}

/// Everything in a file that is a path of the project.
fn paths(facts: &FileFacts) -> impl Iterator<Item = &Text> {
    let lists = facts
        .shape
        .stacks
        .iter()
        .flat_map(|s| [&s.after, &s.before, &s.wants, &s.wanted_by])
        .flat_map(|l| &l.entries)
        .filter(|t| !t.value.starts_with("tag:"));
    let watched = facts.shape.stacks.iter().flat_map(|s| &s.watch.entries);
    let imported = facts.shape.imports.iter().filter_map(|i| Value::known(&i.source));
    lists.chain(watched).chain(imported)
}

struct Change<'a> {
    root: &'a Utf8Path,
    from: &'a Utf8Path,
    to: &'a Utf8Path,
}

impl Change<'_> {
    /// Where a path of the file system is afterwards.
    fn of(&self, path: &Utf8Path) -> Utf8PathBuf {
        match path.strip_prefix(self.from) {
            Ok(below) if below.as_str().is_empty() => self.to.to_owned(),
            Ok(below) => self.to.join(below),
            Err(_) => path.to_owned(),
        }
    }

    fn project_path(&self, path: &Utf8Path) -> Option<String> {
        let below = path.strip_prefix(self.root).ok()?;
        Some(format!("/{below}"))
    }

    /// A path that is written in a file, as it has to be written afterwards. `None`: it can stay.
    /// `Some(None)`: what it names is no longer in the project.
    fn rewritten(&self, file: &Utf8Path, written: &str) -> Option<Option<String>> {
        let dir = file.parent()?;
        let absolute = written.starts_with('/');
        let old = join_clean(if absolute { self.root } else { dir }, written);
        let (new, file) = (self.of(&old), self.of(file));
        let new_dir = file.parent()?;
        // A path that climbs above the root is cut there: it names another directory than it seems to.
        self.project_path(&old)?;
        let stays = if absolute {
            new == old
        } else {
            join_clean(new_dir, written) == new
        };
        if stays {
            return None;
        }
        let (Some(new), Some(new_dir)) = (self.project_path(&new), self.project_path(new_dir)) else {
            return Some(None);
        };
        let mut text = if absolute {
            new
        } else {
            let path = relative_path(clean(&new_dir).as_str(), clean(&new).as_str());
            match path.strip_prefix("./") {
                Some(plain) if !written.starts_with('.') => plain.to_owned(),
                _ => path,
            }
        };
        if written.ends_with('/') && !text.ends_with('/') {
            text.push('/');
        }
        Some(Some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;

    const ROOT: &str = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";

    fn after(files: &str, from: &str, to: &str) -> (String, Vec<String>) {
        let fixture = Fixture::new(&format!("{ROOT}{files}"));
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let moved = moved(&fixture.analysis, project, Utf8Path::new(from), Utf8Path::new(to));
        let left = moved.left.into_iter().map(|(_, why)| why).collect();
        (fixture.edited(&moved.edits), left)
    }

    #[test]
    fn every_list_and_both_ways_of_writing() {
        let (text, left) = after(
            "//- /w/a/stack.tm\nstack {\n  after = [\"/old\", \"../old/x\", \"/older\", \"tag:old\"]\n  wants = [\"/old/\"]\n  \
             watch = [\"/old/f.txt\"]\n}\n//- /w/old/x/stack.tm\nstack {\n}\n//- /w/older/stack.tm\nstack {\n}\n",
            "/w/old",
            "/w/deep/new",
        );
        assert_eq!(
            text,
            "//- /w/a/stack.tm\nstack {\n  after = [\"/deep/new\", \"../deep/new/x\", \"/older\", \"tag:old\"]\n  \
             wants = [\"/deep/new/\"]\n  watch = [\"/deep/new/f.txt\"]\n}\n"
        );
        assert!(left.is_empty());
    }

    #[test]
    fn what_lies_inside_and_leads_out() {
        let (text, _) = after(
            "//- /w/a/stack.tm\nstack {\n}\n//- /w/old/y/stack.tm\nstack {\n}\n\
             //- /w/old/x/stack.tm\nstack {\n  before = [\"../../a\", \"../y\", \"/old/y\", \"/a\"]\n}\n",
            "/w/old",
            "/w/deep/new",
        );
        assert_eq!(
            text,
            "//- /w/old/x/stack.tm\nstack {\n  before = [\"../../../a\", \"../y\", \"/deep/new/y\", \"/a\"]\n}\n"
        );
    }

    #[test]
    fn imports_follow() {
        let (text, _) = after(
            "//- /w/old/lib.tm\nglobals {\n}\n//- /w/a/stack.tm\nimport {\n  source = \"/old/lib.tm\"\n}\n",
            "/w/old",
            "/w/new",
        );
        assert_eq!(
            text,
            "//- /w/a/stack.tm\nimport {\n  source = \"/new/lib.tm\"\n}\n"
        );
    }

    #[test]
    fn what_cannot_be_rewritten_is_said() {
        let (text, left) = after(
            "//- /w/old/stack.tm\nstack {\n}\n//- /w/a/stack.tm\nstack {\n  after = [tm_join(\"/\", [\"\", \"old\"])]\n}\n",
            "/w/old",
            "/w/new",
        );
        assert_eq!(text, "");
        assert_eq!(left.len(), 1, "{left:?}");
        let (_, left) = after(
            "//- /w/old/stack.tm\nstack {\n}\n//- /w/a/stack.tm\nstack {\n  after = [\"/old\"]\n}\n",
            "/w/old",
            "/elsewhere",
        );
        assert_eq!(left, ["`/old` would lead out of the project"]);
    }
}
