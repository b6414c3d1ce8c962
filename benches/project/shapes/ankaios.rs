//! Ankaios: manifests of one declared apply, or all workloads in one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{
    Aim, Effect, Kind, Project, Shape, Start, at_end, behind, kind, one_file, shape, spread, waits_for, write,
};

pub(super) fn shapes() -> Vec<Shape> {
    vec![
        shape("ankaios/plain", |folder, units| {
            apply(folder, units, &Form::default())
        }),
        shape("ankaios/templates", |folder, units| {
            let form = Form {
                templates: true,
                ..Form::default()
            };
            apply(folder, units, &form)
        }),
        shape("ankaios/cycle", |folder, units| {
            let form = Form {
                cycle: true,
                ..Form::default()
            };
            apply(folder, units, &form)
        }),
        one_file("ankaios/one file", in_one_file),
    ]
}

/// Workloads in a manifest.
const PER_FILE: usize = 10;

/// Conditions, which alternate.
const CONDITIONS: [&str; 2] = ["ADD_COND_RUNNING", "ADD_COND_SUCCEEDED"];

#[derive(Default)]
struct Form {
    /// Every workload uses a config.
    templates: bool,
    /// A cycle through all layers, and one of three workloads.
    cycle: bool,
}

impl Form {
    fn waits_for(&self, unit: usize, units: usize) -> Vec<usize> {
        let mut waits: Vec<usize> = waits_for(unit, units).into_iter().flatten().collect();
        if self.cycle {
            match unit {
                0 => waits.push(units - 1),
                1..=3 => waits.push(unit % 3 + 1),
                _ => {}
            }
        }
        waits
    }

    fn unit(&self, out: &mut String, unit: usize, units: usize) {
        let image = if self.templates {
            "{{i.name}}:{{i.tag}}"
        } else {
            "x"
        };
        let result = write!(
            out,
            "  unit-{unit:06}:\n    runtime: podman\n    agent: agent_A\n    runtimeConfig: |\n      image: {image}\n"
        );
        result.expect("a string");
        if self.templates {
            out.push_str("    configs:\n      i: image\n");
        }
        let waits = self.waits_for(unit, units);
        if !waits.is_empty() {
            out.push_str("    dependencies:\n");
        }
        for (nth, to) in waits.iter().enumerate() {
            let condition = CONDITIONS[nth % CONDITIONS.len()];
            writeln!(out, "      unit-{to:06}: {condition}").expect("a string");
        }
    }
}

const HEAD: &str = "apiVersion: v1\nworkloads:\n";

fn apply(folder: &Path, units: usize, form: &Form) -> Project {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for file in 0..units / PER_FILE {
        let name = format!("part-{file:05}.yaml");
        let mut text = HEAD.to_owned();
        for unit in file * PER_FILE..(file + 1) * PER_FILE {
            form.unit(&mut text, unit, units);
        }
        write(&folder.join(&name), &text);
        files.push(folder.join(&name));
        names.push(name);
    }
    if form.templates {
        let text = "apiVersion: v1\nconfigs:\n  image:\n    name: x\n    tag: \"1\"\n";
        write(&folder.join("configs.yaml"), text);
        names.push("configs.yaml".to_owned());
    }
    let config = format!("[[ankaios.apply]]\nname = \"all\"\nfiles = {names:?}\n");
    write(&folder.join("applyorder.toml"), &config);
    // A single manifest does not start up without the configs of another one.
    let start = if form.cycle || form.templates {
        Start::Findings
    } else {
        Start::Clean
    };
    Project {
        language: "yaml",
        kinds: kinds(&spread(&files), Aim::Edit),
        files,
        start,
    }
}

fn in_one_file(folder: &Path, units: usize) -> Project {
    let form = Form::default();
    let mut text = HEAD.to_owned();
    for unit in 0..units {
        form.unit(&mut text, unit, units);
    }
    let file = folder.join("manifest.yaml");
    write(&file, &text);
    Project {
        language: "yaml",
        kinds: kinds(std::slice::from_ref(&file), Aim::OneFile),
        files: vec![file],
        start: Start::Clean,
    }
}

fn kinds(edited: &[PathBuf], aim: Aim) -> Vec<Kind> {
    let mut kinds = vec![
        kind("name", edited, Effect::Elsewhere, behind("\n  unit-", &["x"])),
        kind("dependency", edited, Effect::Other, behind("      unit-", &["7"])),
        kind("condition", edited, Effect::Other, behind(": ADD_COND_", &["X"])),
        kind(
            "workload",
            edited,
            Effect::None,
            behind(
                HEAD,
                &["  more: {runtime: podman, agent: a, runtimeConfig: 'image: x'}\n"],
            ),
        ),
        kind("comment", edited, Effect::None, at_end("# a")),
        kind(
            "broken text",
            edited,
            Effect::Other,
            behind("    runtime: ", &["[", "\"", "{a: ", "- x: ]\n"]),
        ),
    ];
    for kind in &mut kinds {
        kind.aim = aim;
    }
    kinds
}
