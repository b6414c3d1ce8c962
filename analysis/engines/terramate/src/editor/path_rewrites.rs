//! What has to be rewritten when a directory or file of a project moves: entries of the lists of stacks, and
//! sources of imports.

use camino::{Utf8Path, Utf8PathBuf};

use crate::State;
use crate::load::relative::relative_path;
use crate::load::tree::Tree;
use crate::read::{At, Attribute, FileFacts, Text, Value};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Facts, Moved};
use applyorder_core::engine::{ProjectView, View};
use applyorder_core::files::{clean, join_clean};
use applyorder_syntax::hcl::edit::quote;
use applyorder_syntax::text::TextEdit;

/// The edits that keep the meaning of every known path, by file. `None`: the path is outside the project, or is
/// its root.
pub(crate) fn moved(
    analysis: &dyn View,
    project: ProjectView<'_>,
    from: &Utf8Path,
    to: &Utf8Path,
) -> Option<Moved> {
    let memo = project.resolution.state.clone()?.downcast::<State>().ok()?;
    let tree = &memo.model.loaded.tree;
    let root = &tree.root;
    if !from.starts_with(root) || from == root {
        return None;
    }
    let mut moved = Moved::default();
    if let Some(why) = not_loaded(tree, to) {
        moved.left.push((None, why));
        return Some(moved);
    }
    let change = Change { root, from, to };
    for loaded in tree.files().map(|(_, loaded)| loaded) {
        // The current text and its facts belong together; what was loaded may be older.
        let facts = analysis.facts_as::<FileFacts>(loaded.file, project.seed.engine);
        let (Some(facts), Some(source)) = (facts, analysis.source(loaded.file)) else {
            moved.left.push((
                Some(Place::file(loaded.file)),
                "it cannot be read, and may name the path".to_owned(),
            ));
            continue;
        };
        let at = |text: &Text| Some(place(project, loaded.file, text.at));
        if &*loaded.path == from
            && to.parent() != from.parent()
            && let Some(stack) = facts.shape.stacks.first()
        {
            moved.left.push((
                Some(place(project, loaded.file, stack.header)),
                "a stack is its directory: move the directory, not the file that declares it".to_owned(),
            ));
        }
        if let Some((header, why)) = change.unreadable(&loaded.path, facts, &source.text) {
            let header = header.map(|h| place(project, loaded.file, h));
            moved
                .left
                .push((header.or(Some(Place::file(loaded.file))), why.to_owned()));
        }
        let mut edits: Vec<TextEdit> = Vec::new();
        for text in paths(facts) {
            let Some(new) = change.rewritten(&loaded.path, &text.value) else {
                continue;
            };
            let span = facts.span(text.at).unwrap_or_default();
            let is_plain = span.slice(&source.text) == quote(&text.value);
            match new {
                Ok(new) if is_plain => edits.push(TextEdit {
                    span,
                    text: quote(&new),
                }),
                Ok(new) => moved.left.push((
                    at(text),
                    format!(
                        "`{}` would have to become `{new}`, but is not written as a plain string",
                        text.value
                    ),
                )),
                Err(why) => moved.left.push((at(text), format!("`{}` {why}", text.value))),
            }
        }
        edits.sort_by_key(|e| e.span);
        edits.dedup();
        if !edits.is_empty() {
            moved.edits.push((loaded.file, edits));
        }
    }
    Some(moved)
}

/// Why something moved to a path would not belong to the project there.
fn not_loaded(tree: &Tree, to: &Utf8Path) -> Option<String> {
    let Ok(below) = to.strip_prefix(&tree.root) else {
        return Some(format!("`{to}` is outside the project root `{}`", tree.root));
    };
    if let Some(hidden) = below.components().find(|c| c.as_str().starts_with('.')) {
        return Some(format!(
            "Terramate would not load it: the name `{hidden}` begins with a dot"
        ));
    }
    let skipped = to
        .ancestors()
        .skip(1)
        .filter_map(|dir| tree.at(&tree.project_path(dir)?))
        .find(|(_, dir)| dir.skip.is_some());
    skipped.map(|(_, dir)| format!("Terramate would not load it: `{}` holds a `.tmskip`", dir.path))
}

fn place(project: ProjectView<'_>, file: FileId, at: At) -> Place {
    Place::anchor(file, project.seed.engine, at)
}

/// All project paths in a file.
pub(super) fn paths(facts: &FileFacts) -> impl Iterator<Item = &Text> {
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
    /// A path of the file system after the move.
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

    /// How a path in a file has to be written after the move. `None`: it can stay.
    ///
    /// # Errors
    /// Why it cannot be rewritten, as the end of a sentence.
    fn rewritten(&self, file: &Utf8Path, written: &str) -> Option<Result<String, &'static str>> {
        let dir = file.parent()?;
        let absolute = written.starts_with('/');
        let old = join_clean(if absolute { self.root } else { dir }, written);
        let (new, file) = (self.of(&old), self.of(file));
        let new_dir = file.parent()?;
        if self.project_path(&old).is_none() {
            // A path that goes above the root is cut there: it names another directory than it seems to.
            let own = self.project_path(dir)?;
            let cut = self.root.join(
                clean(&format!("{own}/{written}"))
                    .as_str()
                    .trim_start_matches('/'),
            );
            return (file.parent() != Some(dir) || self.of(&cut) != cut)
                .then_some(Err("climbs above the root of the project"));
        }
        let stays = if absolute {
            new == old
        } else {
            join_clean(new_dir, written) == new
        };
        if stays {
            return None;
        }
        let (Some(new), Some(new_dir)) = (self.project_path(&new), self.project_path(new_dir)) else {
            return Some(Err("would lead out of the project"));
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
        Some(Ok(text))
    }

    /// Whether something in a file that could not be read or evaluated may be a path that has to change: the
    /// block, and why. Outside the moved directory, such a path contains the name of what is moved.
    fn unreadable(
        &self,
        file: &Utf8Path,
        facts: &FileFacts,
        text: &str,
    ) -> Option<(Option<At>, &'static str)> {
        let inside = file.starts_with(self.from);
        let name = self.from.file_name()?;
        if !inside && !text.contains(name) {
            return None;
        }
        if facts.shape.gap {
            return Some((None, "some lines cannot be read, and may name the path"));
        }
        facts.shape.stacks.iter().find_map(|stack| {
            let unknown = Attribute::ALL
                .map(|a| a.of(stack))
                .into_iter()
                .find(|l| l.unknown);
            match unknown {
                Some(list) => Some((
                    Some(list.at),
                    "the value of this list is not known, and may name the path",
                )),
                None if stack.gap => Some((
                    Some(stack.header),
                    "some lines of this stack cannot be read, and may name the path",
                )),
                None => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::Fixture;

    const ROOT: &str = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";

    fn after(files: &str, from: &str, to: &str) -> (String, Vec<String>) {
        let fixture = Fixture::new(crate::ALONE, &format!("{ROOT}{files}"));
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let moved = moved(
            &*fixture.analysis,
            project.view(),
            Utf8Path::new(from),
            Utf8Path::new(to),
        )
        .unwrap();
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
    fn a_path_inside_that_leads_out() {
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
    }

    #[test]
    fn where_terramate_would_not_load_it() {
        let files = "//- /w/old/stack.tm\nstack {\n}\n//- /w/skip/.tmskip\n//- /w/a/stack.tm\nstack {\n  after = [\"/old\"]\n}\n";
        for (to, why) in [
            ("/elsewhere", "outside the project root"),
            ("/w/.old", "begins with a dot"),
            ("/w/skip/old", "holds a `.tmskip`"),
        ] {
            let (text, left) = after(files, "/w/old", to);
            assert_eq!(text, "");
            assert!(left.len() == 1 && left[0].contains(why), "{left:?}");
        }
    }

    #[test]
    fn the_root_and_what_is_outside_are_not_its_own() {
        let fixture = Fixture::new(crate::ALONE, &format!("{ROOT}//- /w/a/stack.tm\nstack {{\n}}\n"));
        let (_, project) = fixture.analysis.projects().next().unwrap();
        for from in ["/w", "/x/a"] {
            let found = moved(
                &*fixture.analysis,
                project.view(),
                Utf8Path::new(from),
                Utf8Path::new("/w/new"),
            );
            assert_eq!(found, None);
        }
    }

    #[test]
    fn what_is_broken_may_name_the_path() {
        let broken = |body: &str| {
            after(
                &format!("//- /w/old/stack.tm\nstack {{\n}}\n//- /w/b/stack.tm\n{body}"),
                "/w/old",
                "/w/new",
            )
            .1
        };
        assert_eq!(broken("stack {\n  after = [\"/old\"\n}\n").len(), 1);
        assert_eq!(broken("stack {\n  after = [\"/other\"\n}\n").len(), 0);
        assert_eq!(
            broken("stack {\n  after = tm_concat(tm_foo(\"/old\"), [])\n}\n").len(),
            0,
            "rejected, not unknown"
        );
        let inside = after(
            "//- /w/old/stack.tm\nstack {\n  after = [\"../x\n}\n",
            "/w/old",
            "/w/new",
        );
        assert_eq!(inside.1.len(), 1);
    }

    #[test]
    fn a_stack_moves_with_its_directory_only() {
        let files = "//- /w/old/stack.tm\nstack {\n}\n";
        let (_, left) = after(files, "/w/old/stack.tm", "/w/new/stack.tm");
        assert_eq!(left.len(), 1, "{left:?}");
        let (_, left) = after(files, "/w/old/stack.tm", "/w/old/other.tm");
        assert!(left.is_empty(), "{left:?}");
    }
}
