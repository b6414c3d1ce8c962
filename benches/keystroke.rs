//! From a keystroke to its diagnostics: the time from a `didChange` written to the standard input of the
//! real server to the `publishDiagnostics` of the same version read back, on 10,000 manifests in 1,000 files
//! that one root includes: with 27,000 dependencies of which none is redundant; with 17,000 of which half are; and
//! with environments that read some of the files differently.
//!
//! `cargo bench --bench keystroke`. Edits are spread over names, dependencies, comments and broken text, manifests that
//! come and go, templates, and the includes of the root.
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
    let head = "kind: Tazuna\nspec:\n  manifests:\n";
    measure("27,000 dependencies, none redundant", Kind::PLAIN, |folder| {
        write_workspace(folder, "", head);
    });
    measure("17,000 dependencies, 8,000 redundant", Kind::PLAIN, |folder| {
        support::write_tazuna(folder, FILES, PER_FILE);
    });
    measure(
        "templates, three environments in two variants",
        Kind::TEMPLATES,
        |folder| {
            write_workspace(folder, "  environments:\n    p: {}\n    q: {}\n", head);
            for file in 0..FILES {
                let path = folder.join(format!("parts/part-{file:05}.yaml"));
                let text = std::fs::read_to_string(&path).expect("the file");
                if let Some((at, line)) = text.match_indices("        - unit-").nth(1) {
                    let end = at + line.len() + "000000\n".len();
                    let inner = &text[at..end];
                    let with = format!("{{{{ if eq .Environment \"p\" }}}}\n{inner}{{{{ end }}}}\n");
                    let templated = format!("{}{with}{}", &text[..at], &text[end..]);
                    std::fs::write(path, templated).expect("a file");
                }
            }
        },
    );
}

/// Starts the server on a workspace, and measures edits of the files that are included, then of the root.
fn measure(what: &str, kinds: &[Kind], write: impl Fn(&Path)) {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().canonicalize().expect("a path");
    write(&folder);
    std::fs::write(folder.join("parts/more.yaml"), MORE).expect("a file");
    let mut session = Session::start(&folder);
    let mut documents: Vec<Document> = (0..OPEN)
        .map(|i| FILES / 10 + i * (FILES - FILES / 10) / OPEN)
        .map(|file| session.open(&folder.join(format!("parts/part-{file:05}.yaml")), "yaml"))
        .collect();
    let mut root = vec![session.open(&folder.join("tazuna.yaml"), "yaml")];
    println!("{FILES} files of {PER_FILE} manifests, {OPEN} of them open, {what}; keystroke to diagnostics:");
    print_head();
    let mut all = Vec::new();
    for (kinds, documents) in [(kinds, &mut documents), (Kind::ROOT, &mut root)] {
        for kind in kinds {
            let place = |text: &str, round| kind.edit(text, round);
            session.measure(documents, 10, place);
            let times = session.measure(documents, ROUNDS, place);
            print_row(kind.name(), times.clone());
            all.extend(times);
        }
    }
    print_row("all", all);
    println!();
}

/// A file that is not included, until somebody does.
const MORE: &str = "kind: Tazuna\nspec:\n  manifests:\n    - name: more\n      type: kustomize\n      path: ./units\n      \
                    dependsOn: [unit-000000]\n";

/// A manifest as it is pasted.
const PASTED: &str =
    "    - name: pasted\n      type: kustomize\n      path: ./units\n      dependsOn: [unit-000000]\n";

/// One that waits for nothing, and says so.
const LISTED: &str = "    - name: listed\n      type: kustomize\n      path: ./units\n      dependsOn: []\n";

/// A root that includes all files. A tenth of the manifests waits for nothing, every other one for three of the
/// tenth before its own: 27,000 dependencies, none of them redundant.
fn write_workspace(folder: &Path, environments: &str, head: &str) {
    let mut root = format!("kind: Tazuna\nspec:\n{environments}  manifests:\n    - includes:\n");
    std::fs::create_dir_all(folder.join("parts")).expect("a directory");
    std::fs::create_dir_all(folder.join("units")).expect("a directory");
    for file in 0..FILES {
        root.push_str(&format!("        - path: parts/part-{file:05}.yaml\n"));
        let mut text = head.to_owned();
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
    Manifest,
    Broken,
    Templated,
    Condition,
    OpenAction,
    IncludeMore,
    IncludeLess,
    IncludePath,
    RootManifest,
}

impl Kind {
    const PLAIN: &[Self] = &[
        Self::Comment,
        Self::Name,
        Self::Dependency,
        Self::Manifest,
        Self::Broken,
    ];
    const TEMPLATES: &[Self] = &[
        Self::Comment,
        Self::Name,
        Self::Dependency,
        Self::Manifest,
        Self::Templated,
        Self::Condition,
        Self::OpenAction,
    ];
    const ROOT: &[Self] = &[
        Self::IncludeMore,
        Self::IncludeLess,
        Self::IncludePath,
        Self::RootManifest,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Name => "name",
            Self::Dependency => "dependsOn",
            Self::Manifest => "manifest pasted",
            Self::Broken => "broken text",
            Self::Templated => "inside an `if`",
            Self::Condition => "condition",
            Self::OpenAction => "`{{` opened",
            Self::IncludeMore => "root: include",
            Self::IncludeLess => "root: taken out",
            Self::IncludePath => "root: path",
            Self::RootManifest => "root: manifest",
        }
    }

    /// A place in a text and what is typed there.
    fn edit(self, text: &str, round: usize) -> (usize, &'static str) {
        let nth = |word: &str| {
            let places: Vec<usize> = text.match_indices(word).map(|(i, _)| i + word.len()).collect();
            // The manifests of the first tenth wait for nothing. Far apart, where there are many.
            places
                .get(round * 37 % places.len().max(1))
                .copied()
                .unwrap_or(text.len())
        };
        match self {
            Self::Comment => (text.len(), "# a"),
            // A letter behind `unit-`: the name, and with it what its dependents refer to, is another.
            Self::Name => (nth("- name: unit-"), "x"),
            Self::Dependency => (nth("        - unit-"), "7"),
            Self::Manifest => (nth("    - name: unit-") - "    - name: unit-".len(), PASTED),
            Self::Broken => (nth("      type: "), ["[", "\"", "{a: ", "- x: ]\n"][round % 4]),
            Self::Templated => (nth("\"p\" }}\n        - unit-"), "7"),
            Self::Condition => (nth("eq .Environment \"p"), "x"),
            Self::OpenAction => (nth("        - unit-"), "{{"),
            Self::IncludeMore => (nth("00.yaml\n"), "        - path: parts/more.yaml\n"),
            Self::IncludeLess => (nth("1.yaml\n        "), "# "),
            Self::IncludePath => (nth("- path: parts/part-"), "x"),
            Self::RootManifest => (nth("  manifests:\n"), LISTED),
        }
    }
}
