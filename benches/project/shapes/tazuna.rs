//! Tazuna: a root that includes all files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{
    Aim, Effect, Kind, Project, Shape, Start, at_end, before, behind, kind, one_file, shape, spread,
    waits_for, write,
};

pub(super) fn shapes() -> Vec<Shape> {
    let ten = Shape {
        sizes: &[10_000],
        ..shape("tazuna/ten a file", |folder, units| {
            includes(
                folder,
                &Form {
                    per_file: 10,
                    ..Form::new(units)
                },
            )
        })
    };
    vec![
        shape("tazuna/plain", |folder, units| {
            includes(folder, &Form::new(units))
        }),
        ten,
        shape("tazuna/environments", |folder, units| {
            includes(
                folder,
                &Form {
                    environments: true,
                    ..Form::new(units)
                },
            )
        }),
        shape("tazuna/redundant", |folder, units| {
            includes(
                folder,
                &Form {
                    redundant: true,
                    ..Form::new(units)
                },
            )
        }),
        shape("tazuna/missing include", |folder, units| {
            includes(
                folder,
                &Form {
                    missing: true,
                    ..Form::new(units)
                },
            )
        }),
        shape("tazuna/cycle", |folder, units| {
            includes(
                folder,
                &Form {
                    cycle: true,
                    ..Form::new(units)
                },
            )
        }),
        one_file("tazuna/one file", in_one_file),
    ]
}

const HEAD: &str = "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n";

/// A manifest with an explicit empty list of dependencies.
const LISTED: &str = "    - name: listed\n      type: kustomize\n      path: ./units\n      dependsOn: []\n";

#[derive(Default)]
struct Form {
    units: usize,
    per_file: usize,
    /// Three variants: two environments with different values in some files, and no environment.
    environments: bool,
    /// Every unit waits for the previous one and the one before that, in groups of ten.
    redundant: bool,
    /// An included file that does not exist.
    missing: bool,
    /// A cycle through all layers, and one of three units.
    cycle: bool,
}

impl Form {
    fn new(units: usize) -> Self {
        Self {
            units,
            per_file: 1,
            ..Self::default()
        }
    }

    fn waits_for(&self, unit: usize) -> Vec<usize> {
        if self.redundant {
            return match unit % 10 {
                0 => unit.checked_sub(10).map(|u| u / 20 * 10).into_iter().collect(),
                1 => vec![unit - 1],
                _ => vec![unit - 1, unit - 2],
            };
        }
        let mut waits: Vec<usize> = waits_for(unit, self.units).into_iter().flatten().collect();
        if self.cycle {
            match unit {
                0 => waits.push(self.units - 1),
                1..=3 => waits.push(unit % 3 + 1),
                _ => {}
            }
        }
        waits
    }

    fn unit(&self, out: &mut String, unit: usize) {
        let result = write!(
            out,
            "    - name: unit-{unit:06}\n      type: kustomize\n      path: ./units\n"
        );
        result.expect("a string");
        let waits = self.waits_for(unit);
        // A unit without dependencies has an explicit empty list: otherwise a finding says that it does not wait for
        // the one before it.
        out.push_str(if waits.is_empty() {
            "      dependsOn: []\n"
        } else {
            "      dependsOn:\n"
        });
        for (nth, to) in waits.iter().enumerate() {
            let entry = format!("        - unit-{to:06}\n");
            let environment = ["p", "q"].get(unit / self.per_file % 5);
            match environment.filter(|_| self.environments && nth == 1) {
                Some(name) => {
                    write!(
                        out,
                        "{{{{ if eq .Environment \"{name}\" }}}}\n{entry}{{{{ end }}}}\n"
                    )
                    .expect("a string");
                }
                None => out.push_str(&entry),
            }
        }
    }
}

fn includes(folder: &Path, form: &Form) -> Project {
    std::fs::create_dir_all(folder.join("units")).expect("a directory");
    let mut root = HEAD.to_owned();
    if form.environments {
        root.push_str("  environments:\n    p: {}\n    q: {}\n    r: {}\n");
    }
    root.push_str("  manifests:\n    - includes:\n");
    let mut files: Vec<PathBuf> = Vec::new();
    for file in 0..form.units / form.per_file {
        let name = format!("parts/part-{file:05}.yaml");
        writeln!(root, "        - path: {name}").expect("a string");
        let mut text = format!("{HEAD}  manifests:\n");
        for unit in file * form.per_file..(file + 1) * form.per_file {
            form.unit(&mut text, unit);
        }
        write(&folder.join(&name), &text);
        files.push(folder.join(name));
    }
    if form.missing {
        root.push_str("        - path: parts/missing.yaml\n");
    }
    let more = format!("{HEAD}  manifests:\n{LISTED}");
    write(&folder.join("parts/more.yaml"), &more);
    write(&folder.join("tazuna.yaml"), &root);
    // Two of five files differ in some environment: these two, and one that does not.
    let edited: Vec<PathBuf> = if form.environments {
        let base = files.len() / 2;
        (0..10)
            .map(|i| files[base + i / 3 * 10 + i % 3].clone())
            .collect()
    } else {
        spread(&files)
    };
    let mut kinds = kinds(&edited, Aim::Edit);
    if form.missing {
        // Any unknown name may be in the missing file.
        for kind in kinds.iter_mut().filter(|kind| kind.name == "dependency") {
            kind.effect = Effect::None;
        }
    }
    if form.environments {
        let templated: Vec<PathBuf> = edited
            .iter()
            .enumerate()
            .filter(|(i, _)| i % 3 < 2)
            .map(|(_, f)| f.clone())
            .collect();
        kinds.push(kind(
            "dependency in an `if`",
            &templated,
            Effect::Other,
            behind("}}\n        - unit-", &["7"]),
        ));
        kinds.push(kind(
            "condition",
            &templated,
            Effect::Elsewhere,
            behind("eq .Environment \"", &["x"]),
        ));
        kinds.push(kind(
            "template opened",
            &edited,
            Effect::Other,
            behind("  path: ./", &["{{"]),
        ));
    }
    let root = [folder.join("tazuna.yaml")];
    kinds.push(kind("root: comment", &root, Effect::None, at_end("# a")));
    kinds.push(kind(
        "root: include added",
        &root,
        Effect::Elsewhere,
        before("        - path: ", "        - path: parts/more.yaml\n"),
    ));
    kinds.push(kind(
        "root: include taken out",
        &root,
        Effect::Elsewhere,
        before("        - path: ", "# "),
    ));
    kinds.push(kind(
        "root: path",
        &root,
        Effect::Other,
        behind("        - path: parts/", &["x"]),
    ));
    Project {
        language: "yaml",
        files,
        kinds,
        start: if form.missing || form.cycle {
            Start::Findings
        } else {
            Start::Clean
        },
    }
}

fn in_one_file(folder: &Path, units: usize) -> Project {
    std::fs::create_dir_all(folder.join("units")).expect("a directory");
    let form = Form::new(units);
    let mut text = format!("{HEAD}  manifests:\n");
    for unit in 0..units {
        form.unit(&mut text, unit);
    }
    let root = folder.join("tazuna.yaml");
    write(&root, &text);
    Project {
        language: "yaml",
        kinds: kinds(std::slice::from_ref(&root), Aim::OneFile),
        files: vec![root],
        start: Start::Clean,
    }
}

fn kinds(edited: &[PathBuf], aim: Aim) -> Vec<Kind> {
    let mut kinds = vec![
        kind("name", edited, Effect::Elsewhere, behind("- name: unit-", &["x"])),
        kind(
            "dependency",
            edited,
            Effect::Other,
            behind("        - unit-", &["7"]),
        ),
        kind(
            "manifest",
            edited,
            Effect::None,
            behind("  manifests:\n", &[LISTED]),
        ),
        kind("comment", edited, Effect::None, at_end("# a")),
        kind(
            "broken text",
            edited,
            Effect::Other,
            behind("      type: ", &["[", "\"", "{a: ", "- x: ]\n"]),
        ),
    ];
    for kind in &mut kinds {
        kind.aim = aim;
    }
    kinds
}
