//! After any sequence of edits, the state of the workspace equals that of a new one with the same texts.
#![allow(missing_docs, clippy::indexing_slicing, clippy::unwrap_used)]

#[path = "incremental/cases.rs"]
mod cases;
#[path = "incremental/picture.rs"]
mod picture;
#[path = "incremental/sceneries/mod.rs"]
mod sceneries;
#[path = "incremental/terramate.rs"]
mod terramate;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use applyorder_analysis::diagnostic::FileId;
use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::fixture::ChangingFiles;
use applyorder_analysis::workspace::{Analysis, Work, Workspace};
use applyorder_core::config::ConfigSource;
use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use rustc_hash::FxHashSet;

use picture::{findings, picture};
use sceneries::{SCENERIES, Scenery};

/// One step of a user's work.
#[derive(Clone, Debug)]
enum Step {
    /// Types a snippet at a place of a file, a fraction of its length, as unsaved text.
    Type(usize, f64, usize),
    /// Removes some bytes from a file.
    Cut(usize, f64, usize),
    /// Removes a line from a file.
    CutLine(usize, f64),
    /// Replaces a word of a file with one of another.
    Swap(usize, f64, usize, f64),
    /// Undoes all edits of a file, including those on the disk.
    Undo(usize),
    /// Closes a file, which loses unsaved changes.
    Close(usize),
    /// The same for all open files.
    CloseAll,
    /// Changes a file on the disk.
    Write(usize, f64, usize),
    /// Deletes a file on the disk.
    Delete(usize),
    /// Restores the initial content of a file on the disk.
    Restore(usize),
    /// Deletes a file on the disk, types into another, and restores the first before the change was noticed.
    Flicker(usize, usize, f64, usize),
    /// Edits nothing for a while, so that hints are searched.
    Quiet,
}

fn step() -> impl Strategy<Value = Step> {
    let file = 0..100usize;
    let snippet = 0..100usize;
    prop_oneof![
        8 => (file.clone(), 0.0..1.0, snippet.clone()).prop_map(|(f, at, s)| Step::Type(f, at, s)),
        3 => (file.clone(), 0.0..1.0, 1usize..12).prop_map(|(f, at, n)| Step::Cut(f, at, n)),
        2 => (file.clone(), 0.0..1.0).prop_map(|(f, at)| Step::CutLine(f, at)),
        5 => (file.clone(), 0.0..1.0, file.clone(), 0.0..1.0)
            .prop_map(|(f, at, from, of)| Step::Swap(f, at, from, of)),
        2 => file.clone().prop_map(Step::Undo),
        1 => file.clone().prop_map(Step::Close),
        1 => Just(Step::CloseAll),
        2 => (file.clone(), 0.0..1.0, snippet.clone()).prop_map(|(f, at, s)| Step::Write(f, at, s)),
        1 => (file.clone(), file.clone(), 0.0..1.0, snippet)
            .prop_map(|(f, other, at, s)| Step::Flicker(f, other, at, s)),
        1 => file.clone().prop_map(Step::Delete),
        2 => file.prop_map(Step::Restore),
        1 => Just(Step::Quiet),
    ]
}

/// Loads the current configuration; one that cannot be read changes nothing.
fn load_config(workspace: &mut Workspace) {
    drop(workspace.load_configs(&ConfigSource::default(), &["/w".into()]));
}

fn char_at(text: &str, fraction: f64) -> usize {
    let mut at = (text.len() as f64 * fraction) as usize;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Inserts a snippet into a text; one that begins a line is inserted between two lines.
fn insert(text: &mut String, fraction: f64, snippet: &str) {
    let at = char_at(text, fraction);
    let end = text[at..].find('\n').map_or(at, |n| at + n);
    text.insert_str(if snippet.starts_with('\n') { end } else { at }, snippet);
}

/// The first word after a position, or the last one.
fn word_at(text: &str, fraction: f64) -> Range<usize> {
    let is_in = |c: char| c.is_alphanumeric() || "_-/.".contains(c);
    let at = char_at(text, fraction);
    let start = text[at..].find(is_in).map_or(text.len(), |n| at + n);
    let start = text[..start]
        .rfind(|c| !is_in(c))
        .map_or(0, |n| n + text[n..].chars().next().map_or(0, char::len_utf8));
    let end = text[start..]
        .find(|c| !is_in(c))
        .map_or(text.len(), |n| start + n);
    start..end
}

struct Session {
    scenery: &'static Scenery,
    disk: ChangingFiles,
    workspace: Workspace,
    unsaved: BTreeMap<Utf8PathBuf, String>,
}

impl Session {
    fn new(scenery: &'static Scenery) -> Self {
        let disk = ChangingFiles::default();
        for (path, text) in scenery.files {
            disk.insert(*path, text);
        }
        let mut workspace = Workspace::new(
            applyorder_engines::all(),
            Arc::new(disk.clone()),
            RunOptions::default(),
        );
        load_config(&mut workspace);
        workspace.offer(&disk.paths(), Offer::Found);
        workspace.refresh();
        Self {
            scenery,
            disk,
            workspace,
            unsaved: BTreeMap::new(),
        }
    }

    fn text(&self, path: &Utf8Path) -> String {
        self.unsaved
            .get(path)
            .cloned()
            .or_else(|| self.disk.text(path))
            .unwrap_or_default()
    }

    fn set(&mut self, path: &Utf8Path, text: String) {
        self.workspace.set_text(path, text.as_str().into());
        self.unsaved.insert(path.to_owned(), text);
    }

    fn write(&mut self, path: &Utf8Path, text: &str) {
        self.disk.insert(path, text);
        let seen = self.workspace.look_at(vec![path.to_owned()]).run();
        let is_new = !seen.came().is_empty();
        self.workspace.take_seen(seen);
        if is_new {
            self.workspace.offer(&[path.to_owned()], Offer::Found);
        }
    }

    /// Performs a step, and returns the files it already reported.
    fn step(&mut self, step: &Step) -> FxHashSet<FileId> {
        let Scenery { files, snippets } = self.scenery;
        let file = |f: usize| files[f % files.len()];
        let path = |f: usize| Utf8PathBuf::from(file(f).0);
        let snippet = |s: usize| snippets[s % snippets.len()];
        match *step {
            Step::Type(f, at, s) => {
                let mut text = self.text(&path(f));
                insert(&mut text, at, snippet(s));
                self.set(&path(f), text);
            }
            Step::Cut(f, at, count) => {
                let mut text = self.text(&path(f));
                let start = char_at(&text, at);
                let mut end = (start + count).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                text.replace_range(start..end, "");
                self.set(&path(f), text);
            }
            Step::CutLine(f, at) => {
                let mut text = self.text(&path(f));
                let at = char_at(&text, at);
                let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
                let end = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
                text.replace_range(start..end, "");
                self.set(&path(f), text);
            }
            Step::Swap(f, at, from, of) => {
                let mut text = self.text(&path(f));
                let source = file(from).1;
                let word = &source[word_at(source, of)];
                text.replace_range(word_at(&text, at), word);
                self.set(&path(f), text);
            }
            Step::Undo(f) => self.set(&path(f), file(f).1.to_owned()),
            Step::Close(f) => {
                self.unsaved.remove(&path(f));
                self.workspace.close(&path(f));
            }
            Step::CloseAll => {
                let closed = std::mem::take(&mut self.unsaved);
                self.workspace.close_all(closed.keys().map(|path| &**path));
            }
            Step::Write(f, at, s) => {
                let Some(mut text) = self.disk.text(&path(f)) else {
                    return FxHashSet::default();
                };
                insert(&mut text, at, snippet(s));
                self.write(&path(f), &text);
            }
            Step::Delete(f) => {
                self.disk.remove(&path(f));
                self.workspace.changed_on_disk(&[path(f)]);
            }
            Step::Restore(f) => self.write(&path(f), file(f).1),
            Step::Flicker(f, other, at, s) => {
                let Some(text) = self.disk.text(&path(f)) else {
                    return FxHashSet::default();
                };
                self.disk.remove(&path(f));
                let told = self.step(&Step::Type(other, at, s));
                let mut files = self.workspace.refresh().files;
                self.write(&path(f), &text);
                load_config(&mut self.workspace);
                files.extend(told);
                return files;
            }
            Step::Quiet => {
                let mut files = self.workspace.refresh().files;
                files.extend(self.workspace.search_hints().files);
                return files;
            }
        }
        load_config(&mut self.workspace);
        FxHashSet::default()
    }

    fn picture_from_scratch(&self) -> String {
        let mut workspace = Workspace::new(
            applyorder_engines::all(),
            Arc::new(self.disk.clone()),
            RunOptions::default(),
        );
        workspace.offer(&self.disk.paths(), Offer::Found);
        for (path, text) in &self.unsaved {
            workspace.set_text(path, text.as_str().into());
        }
        load_config(&mut workspace);
        workspace.refresh();
        workspace.search_hints();
        picture(&workspace.analysis())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn incremental_equals_from_scratch(
        scenery in 0..SCENERIES.len(),
        steps in proptest::collection::vec((step(), any::<bool>()), 1..25)
    ) {
        let mut session = Session::new(&SCENERIES[scenery]);
        for (step, look) in &steps {
            session.step(step);
            if *look {
                session.workspace.refresh();
                session.workspace.search_hints();
                let incremental = picture(&session.workspace.analysis());
                prop_assert_eq!(incremental, session.picture_from_scratch());
            }
        }
        session.workspace.refresh();
        session.workspace.search_hints();
        let incremental = picture(&session.workspace.analysis());
        prop_assert_eq!(incremental, session.picture_from_scratch());
    }

    /// Changes while work is done elsewhere are noticed when the work is applied, and stop what they make
    /// stale.
    #[test]
    fn work_that_edits_overtake_comes_to_the_same(
        scenery in 0..SCENERIES.len(),
        steps in proptest::collection::vec((step(), 0..4u8), 1..25)
    ) {
        let mut session = Session::new(&SCENERIES[scenery]);
        let mut out: Vec<Work> = Vec::new();
        for (step, then) in &steps {
            session.step(step);
            match then {
                0 => {}
                1 => {
                    let (_, work) = session.workspace.begin(Duration::ZERO);
                    out.extend(work);
                }
                // Half done when the next edit arrives.
                _ => {
                    if let Some(work) = out.pop() {
                        work.run(&|| {});
                        session.workspace.take_over();
                    }
                }
            }
        }
        for work in out {
            work.run(&|| {});
            session.workspace.take_over();
        }
        session.workspace.refresh();
        session.workspace.search_hints();
        prop_assert!(session.workspace.is_settled());
        let incremental = picture(&session.workspace.analysis());
        prop_assert_eq!(incremental, session.picture_from_scratch());
    }

    /// No finding that is reported of open files before their projects are read is withdrawn.
    #[test]
    fn what_is_known_at_sight_stays(
        scenery in 0..SCENERIES.len(),
        steps in proptest::collection::vec(step(), 1..25)
    ) {
        let mut session = Session::new(&SCENERIES[scenery]);
        for step in &steps {
            session.step(step);
        }
        let mut workspace = Workspace::new(
            applyorder_engines::all(),
            Arc::new(session.disk.clone()),
            RunOptions::default(),
        );
        workspace.offer(&session.disk.paths(), Offer::Found);
        for path in session.disk.paths() {
            workspace.set_text(&path, session.text(&path).as_str().into());
        }
        load_config(&mut workspace);
        refresh_in_sight(&mut workspace)?;
    }

    /// A client that publishes only the files returned by `refresh` publishes everything that changed.
    #[test]
    fn changes_name_every_file_whose_findings_read_otherwise(
        scenery in 0..SCENERIES.len(),
        steps in proptest::collection::vec(step(), 1..25)
    ) {
        let mut session = Session::new(&SCENERIES[scenery]);
        let mut shown = findings(&session.workspace.analysis());
        for step in &steps {
            let mut files = session.step(step);
            files.extend(session.workspace.refresh().files);
            let analysis = session.workspace.analysis();
            let now = findings(&analysis);
            let named: Vec<&Utf8Path> = files.iter().map(|f| analysis.path(*f)).collect();
            for path in shown.keys().chain(now.keys()) {
                if shown.get(path) != now.get(path) {
                    prop_assert!(named.contains(&path.as_path()), "{path} is not named");
                }
            }
            shown = now;
        }
    }
}

/// The findings in some files: where, of which rule, with which text.
fn told(analysis: &Analysis, files: impl IntoIterator<Item = FileId>) -> BTreeSet<String> {
    let mut told = BTreeSet::new();
    for file in files {
        told.extend(analysis.findings_of(file).iter().map(|found| {
            let d = found.diagnostic;
            let (path, span) = (analysis.path(file), analysis.span(d.place));
            format!("{path} {span:?} {}: {}", d.rule.id, d.message)
        }));
    }
    told
}

/// Brings a workspace up to date piece by piece, and checks that every finding that was reported of open files
/// in between is still in the final result.
fn refresh_in_sight(workspace: &mut Workspace) -> Result<(), TestCaseError> {
    let mut early = BTreeSet::new();
    while let (_, Some(work)) = workspace.begin(Duration::ZERO) {
        work.run(&|| {});
        workspace.take_over();
        let files = workspace.files_at_sight();
        early.extend(told(&workspace.analysis(), files));
    }
    prop_assert!(workspace.is_settled() && workspace.files_at_sight().is_empty());
    let analysis = workspace.analysis();
    let told = told(&analysis, analysis.read_files().map(|(file, _)| file));
    let false_ones: Vec<&String> = early.difference(&told).collect();
    prop_assert!(false_ones.is_empty(), "{false_ones:?} of {told:?}");
    Ok(())
}

/// A word in one of the files, and its replacement: edits of a user who knows the format.
fn word() -> impl Strategy<Value = (usize, usize, usize)> {
    (0..4usize, 0..40usize, 0..WORDS.len())
}

const WORDS: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "aa",
    "bb",
    "e1",
    "Bad_",
    "x",
    "[x]",
    "[]",
    "ops",
    "[ops, net]",
    "# note",
    "first",
    "last",
    "[mid]",
    "[aa, first]",
    "[last, c]",
    "7",
    "~",
    "",
    "[a",
    "{",
    "\"b\"",
    "n\n    - name: more\n      type: kustomize\n      path: ./x\n      dependsOn: [a]\n      tags: [net]",
];

/// A root that includes three files, whose manifests wait for each other across them.
fn spread() -> Session {
    let disk = ChangingFiles::default();
    let file = |names: &[(&str, &str, &str)]| {
        let mut text = "spec:\n  manifests:\n".to_owned();
        for (name, tags, needs) in names {
            writeln!(
                text,
                "    - name: {name}\n      type: kustomize\n      path: ./x\n      tags: {tags}"
            )
            .unwrap();
            if !needs.is_empty() {
                writeln!(text, "      dependsOn:").unwrap();
            }
            for need in needs.split_whitespace() {
                writeln!(text, "        - {need}").unwrap();
            }
        }
        text
    };
    let root = "kind: Tazuna\nspec:\n  manifests:\n    - name: first\n      type: kustomize\n      path: ./x\n    - \
                includes: [{path: 1.yaml}, {path: 2.yaml}]\n    - name: mid\n      type: kustomize\n      path: ./x\n      \
                dependsOn: [first, a]\n    - name: group\n      includes: [{path: 3.yaml}]\n    - name: last\n      type: \
                kustomize\n      path: ./x\n      dependsOn: [group]\n";
    let texts = [
        ("/w/tazuna.yaml", root.to_owned()),
        (
            "/w/1.yaml",
            file(&[("a", "[ops]", "first"), ("b", "[]", "a c"), ("bb", "[net]", "")]),
        ),
        ("/w/2.yaml", file(&[("c", "[ops, net]", "d"), ("e1", "[]", "")])),
        (
            "/w/3.yaml",
            file(&[
                ("d", "[net]", ""),
                ("aa", "[ops]", "mid a"),
                ("x", "[]", "nowhere"),
            ]),
        ),
    ];
    for (path, text) in texts {
        disk.insert(path, &text);
    }
    disk.insert("/w/x/kustomization.yaml", "");
    let mut workspace = Workspace::new(
        applyorder_engines::all(),
        Arc::new(disk.clone()),
        RunOptions::default(),
    );
    workspace.offer(&[Utf8PathBuf::from("/w/tazuna.yaml")], Offer::Found);
    workspace.refresh();
    Session {
        scenery: &SCENERIES[0],
        disk,
        workspace,
        unsaved: BTreeMap::new(),
    }
}

impl Session {
    /// Replaces the value of a line by a word.
    fn replace(&mut self, (file, line, word): (usize, usize, usize)) {
        let path = Utf8PathBuf::from(match file {
            0 => "/w/tazuna.yaml".to_owned(),
            n => format!("/w/{n}.yaml"),
        });
        let text = self.text(&path);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let count = lines.len() - 2;
        let line = &mut lines[2 + line % count];
        let value = line.rfind(": ").map(|i| i + 2).or(line.find("- ").map(|i| i + 2));
        let at = value.unwrap_or(line.len());
        line.replace_range(at.., WORDS[word]);
        self.set(&path, lines.join("\n") + "\n");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Edits of single files affect few others; only those are resolved again.
    #[test]
    fn edits_of_single_values_equal_from_scratch(words in proptest::collection::vec(word(), 1..12)) {
        let mut session = spread();
        let mut shown = findings(&session.workspace.analysis());
        for word in words {
            session.replace(word);
            let changes = session.workspace.refresh();
            let analysis = session.workspace.analysis();
            let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(session.disk.clone()), RunOptions::default());
            workspace.offer(&[Utf8PathBuf::from("/w/tazuna.yaml")], Offer::Found);
            for (path, text) in &session.unsaved {
                workspace.set_text(path, text.as_str().into());
            }
            workspace.refresh();
            prop_assert_eq!(picture(&analysis), picture(&workspace.analysis()));
            let now = findings(&analysis);
            let named: Vec<&Utf8Path> = changes.files.iter().map(|f| analysis.path(*f)).collect();
            for path in shown.keys().chain(now.keys()) {
                if shown.get(path) != now.get(path) {
                    prop_assert!(named.contains(&path.as_path()), "{path} is not named");
                }
            }
            shown = now;
        }
    }
}
