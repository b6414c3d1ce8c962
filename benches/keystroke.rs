//! From a keystroke to its diagnostics: the time from a `didChange` written to the standard input of the
//! real server to the `publishDiagnostics` of the same version read back, on 10,000 manifests in 1,000 files
//! that one root includes.
//!
//! `cargo bench --bench keystroke`. Edits are spread over names, dependencies, comments and broken text.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod support;

use std::path::Path;

use support::session::{Document, Session, print_head, print_row};

const FILES: usize = 1_000;
const PER_FILE: usize = 10;
/// How many documents are open.
const OPEN: usize = 40;
/// How many edits of each kind are measured.
const ROUNDS: usize = 200;

fn main() {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().canonicalize().expect("a path");
    write_workspace(&folder);
    let mut session = Session::start(&folder);
    let mut documents: Vec<Document> = (0..OPEN)
        .map(|i| FILES / 10 + i * (FILES - FILES / 10) / OPEN)
        .map(|file| session.open(&folder.join(format!("parts/part-{file:05}.yaml")), "yaml"))
        .collect();
    println!("{FILES} files of {PER_FILE} manifests, {OPEN} of them open; keystroke to diagnostics:");
    print_head();
    let mut all = Vec::new();
    for kind in [Kind::Comment, Kind::Name, Kind::Dependency, Kind::Broken] {
        let place = |text: &str, round| kind.edit(text, round);
        session.measure(&mut documents, 10, place);
        let times = session.measure(&mut documents, ROUNDS, place);
        print_row(kind.name(), times.clone());
        all.extend(times);
    }
    print_row("all", all);
}

/// A root that includes all files. A tenth of the manifests waits for nothing, every other one for three of the
/// tenth before its own: 27,000 dependencies, none of them redundant.
fn write_workspace(folder: &Path) {
    let mut root = String::from("kind: Tazuna\nspec:\n  manifests:\n    - includes:\n");
    std::fs::create_dir_all(folder.join("parts")).expect("a directory");
    std::fs::create_dir_all(folder.join("units")).expect("a directory");
    for file in 0..FILES {
        root.push_str(&format!("        - path: parts/part-{file:05}.yaml\n"));
        let mut text = String::from("kind: Tazuna\nspec:\n  manifests:\n");
        for unit in file * PER_FILE..(file + 1) * PER_FILE {
            text.push_str(&format!(
                "    - name: unit-{unit:06}\n      type: kustomize\n      path: ./units\n"
            ));
            let tenth = FILES * PER_FILE / 10;
            if let Some(before) = (unit / tenth).checked_sub(1) {
                text.push_str("      dependsOn:\n");
                for i in 0..3 {
                    let to = before * tenth + (unit * 7 + i * 331) % tenth;
                    text.push_str(&format!("        - unit-{to:06}\n"));
                }
            }
        }
        std::fs::write(folder.join(format!("parts/part-{file:05}.yaml")), text).expect("a file");
    }
    std::fs::write(folder.join("tazuna.yaml"), root).expect("a file");
}

#[derive(Clone, Copy)]
enum Kind {
    Comment,
    Name,
    Dependency,
    Broken,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Name => "name",
            Self::Dependency => "dependsOn",
            Self::Broken => "broken text",
        }
    }

    /// A place in a text and what is typed there.
    fn edit(self, text: &str, round: usize) -> (usize, &'static str) {
        let nth = |word: &str| {
            let places: Vec<usize> = text.match_indices(word).map(|(i, _)| i + word.len()).collect();
            // The manifests of the first tenth wait for nothing.
            places
                .get(round % places.len().max(1))
                .copied()
                .unwrap_or(text.len())
        };
        match self {
            Self::Comment => (text.len(), "# a"),
            // A letter behind `unit-`: the name, and with it what its dependents refer to, is another.
            Self::Name => (nth("- name: unit-"), "x"),
            Self::Dependency => (nth("        - unit-"), "7"),
            Self::Broken => (nth("      type: "), ["[", "\"", "{a: ", "- x: ]\n"][round % 4]),
        }
    }
}
