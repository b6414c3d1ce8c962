//! Terramate: one stack per directory.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{
    Aim, Effect, Kind, Project, Shape, Start, at_end, behind, kind, one_file, shape, spread, waits_for, write,
};

pub(super) fn shapes() -> Vec<Shape> {
    vec![
        shape("terramate/plain", |folder, units| {
            project(folder, units, Form::Plain)
        }),
        shape("terramate/tags", |folder, units| {
            project(folder, units, Form::Tags)
        }),
        shape("terramate/nesting", |folder, units| {
            project(folder, units, Form::Nesting)
        }),
        shape("terramate/wants", |folder, units| {
            project(folder, units, Form::Wants)
        }),
        shape("terramate/imports", |folder, units| {
            project(folder, units, Form::Imports)
        }),
        shape("terramate/cycle", |folder, units| {
            project(folder, units, Form::Cycle)
        }),
        // A stack is a directory, so one file cannot have many: instead, it names many.
        one_file("terramate/one file", one_stack_after_all),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    /// A twentieth of the stacks waits for a quarter of them through a tag filter.
    Tags,
    /// Ten stacks below each.
    Nesting,
    /// A fifth of the stacks has `wants` or `wanted_by`.
    Wants,
    /// Each stack imports one of ten files.
    Imports,
    /// A cycle through all layers, and one of three stacks.
    Cycle,
}

const ROOT: &str = "terramate {\n  required_version = \">= 0.1.0\"\n}\n";
const MODULES: usize = 10;

fn path_of(unit: usize, form: Form) -> String {
    if form != Form::Nesting {
        return format!("/group-{:03}/stack-{unit:05}", unit / 50);
    }
    let (mut names, mut at) = (vec![unit], unit);
    while at >= 10 {
        at = at / 10 - 1;
        names.push(at);
    }
    names
        .iter()
        .rev()
        .map(|unit| format!("/stack-{unit:05}"))
        .collect()
}

fn after(unit: usize, units: usize, form: Form) -> Vec<String> {
    let path = |unit: usize| path_of(unit, form);
    let is_after_tag = form == Form::Tags && unit % 20 == 19;
    if is_after_tag {
        return vec!["tag:base".to_owned()];
    }
    if form == Form::Nesting {
        // Leaf stacks: most wait for a distant one that waits for nothing, half for a sibling. More edges would make
        // too many paths through the project for Terramate.
        let first = units / 40 * 4 + 4;
        if unit < first || unit.is_multiple_of(4) {
            return Vec::new();
        }
        let far = path(first + unit * 7 % ((units - first) / 4) * 4);
        return match unit % 4 {
            1 => vec![far, format!("../stack-{:05}", unit - 1)],
            3 => vec![far, path(unit - 1)],
            _ => vec![far],
        };
    }
    let mut waits: Vec<usize> = waits_for(unit, units).into_iter().flatten().collect();
    if form == Form::Tags {
        waits.retain(|to| to % 20 != 19);
    }
    if form == Form::Cycle {
        match unit {
            0 => waits.push(units - 1),
            1..=3 => waits.push(unit % 3 + 1),
            _ => {}
        }
    }
    waits.into_iter().map(path).collect()
}

fn list(out: &mut String, name: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    writeln!(out, "  {name} = [").expect("a string");
    for entry in entries {
        writeln!(out, "    \"{entry}\",").expect("a string");
    }
    out.push_str("  ]\n");
}

fn stack(unit: usize, units: usize, form: Form) -> String {
    let tag = if form == Form::Tags && unit % 20 < 5 {
        "base"
    } else {
        "other"
    };
    let mut text = format!(
        "# stack {unit}\nstack {{\n  name        = \"stack {unit}\"\n  id          = \"id-{unit:05}\"\n  tags        = [\"{tag}\", \"tag-{:02}\"]\n",
        unit % 50
    );
    list(&mut text, "after", &after(unit, units, form));
    if form == Form::Wants {
        let other = [path_of((unit + units / 2 + 3) % units, form)];
        match unit % 10 {
            0 => list(&mut text, "wants", &other),
            5 => list(&mut text, "wanted_by", &other),
            _ => {}
        }
    }
    text.push_str("}\n");
    if form == Form::Imports {
        let result = write!(
            text,
            "import {{\n  source = \"/modules/common-{}/common.tm.hcl\"\n}}\n",
            unit % MODULES
        );
        result.expect("a string");
    }
    text
}

fn project(folder: &Path, units: usize, form: Form) -> Project {
    write(&folder.join("terramate.tm.hcl"), ROOT);
    let mut files: Vec<PathBuf> = Vec::new();
    for unit in 0..units {
        let file = folder.join(&path_of(unit, form)[1..]).join("stack.tm.hcl");
        write(&file, &stack(unit, units, form));
        files.push(file);
    }
    let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<PathBuf> {
        (0..units)
            .filter(|unit| wanted(*unit))
            .map(|unit| files[unit].clone())
            .collect()
    };
    let waiting: Vec<PathBuf> = of(&|unit| after(unit, units, form).iter().any(|a| !a.starts_with("tag:")));
    let mut kinds = kinds(&spread(&waiting), Aim::Edit);
    match form {
        Form::Tags => {
            let tagged = spread(&of(&|unit| unit % 20 < 5));
            let filtered = spread(&of(&|unit| unit % 20 == 19));
            kinds.push(kind(
                "tag of the filter",
                &tagged,
                Effect::Elsewhere,
                behind("[\"base", &["x"]),
            ));
            kinds.push(kind(
                "filter",
                &filtered,
                Effect::Elsewhere,
                behind("\"tag:base", &["x", ":other", ",other"]),
            ));
        }
        Form::Wants => {
            let wanting = spread(&of(&|unit| unit % 10 == 0));
            kinds.push(kind(
                "wish",
                &wanting,
                Effect::Other,
                behind("wants = [\n    \"", &["x"]),
            ));
        }
        Form::Imports => {
            let modules: Vec<PathBuf> = (0..MODULES)
                .map(|i| folder.join(format!("modules/common-{i}/common.tm.hcl")))
                .collect();
            for module in &modules {
                write(module, "# common\nglobals {\n  region = \"eu\"\n}\n");
            }
            kinds.push(kind(
                "source of an import",
                &spread(&waiting),
                Effect::Other,
                behind("/modules/common-", &["9"]),
            ));
            kinds.push(kind(
                "imported: comment",
                &modules,
                Effect::None,
                behind("# comm", &["x"]),
            ));
            // A tenth of the stacks then gets another text.
            let global = ("imported: global", Effect::None, behind("  region", &["x"]));
            let broken = (
                "imported: broken text",
                Effect::Elsewhere,
                behind("region = ", &["[", "}\n"]),
            );
            for (name, effect, place) in [global, broken] {
                let mut edit = kind(name, &modules, effect, place);
                edit.aim = Aim::Switch;
                kinds.push(edit);
            }
        }
        Form::Plain | Form::Nesting | Form::Cycle => {}
    }
    Project {
        language: "terramate",
        files,
        kinds,
        start: if form == Form::Cycle {
            Start::Findings
        } else {
            Start::Clean
        },
    }
}

fn one_stack_after_all(folder: &Path, units: usize) -> Project {
    write(&folder.join("terramate.tm.hcl"), ROOT);
    for unit in 0..units {
        let text = format!("stack {{\n  id = \"id-{unit:05}\"\n}}\n");
        write(
            &folder.join(&path_of(unit, Form::Plain)[1..]).join("stack.tm.hcl"),
            &text,
        );
    }
    let all: Vec<String> = (0..units).map(|unit| path_of(unit, Form::Plain)).collect();
    let mut text = "# last\nstack {\n  name        = \"last\"\n  id          = \"id-last\"\n  tags        = [\"other\", \"tag-00\"]\n".to_owned();
    list(&mut text, "after", &all);
    text.push_str("}\n");
    let last = folder.join("last/stack.tm.hcl");
    write(&last, &text);
    Project {
        language: "terramate",
        kinds: kinds(std::slice::from_ref(&last), Aim::OneFile),
        files: vec![last],
        start: Start::Clean,
    }
}

fn kinds(edited: &[PathBuf], aim: Aim) -> Vec<Kind> {
    let mut kinds = vec![
        kind("name", edited, Effect::None, behind("\"id-", &["x"])),
        kind("dependency", edited, Effect::Other, behind("    \"", &["/x"])),
        kind("tag", edited, Effect::None, behind("\"tag-", &["7"])),
        kind("comment", edited, Effect::None, at_end("# a")),
        kind(
            "broken text",
            edited,
            Effect::Other,
            behind("name        = ", &["[", "\"", "{", "}\n"]),
        ),
    ];
    for kind in &mut kinds {
        kind.aim = aim;
    }
    kinds
}
