//! Spacelift: many stacks of one resource, and many modules.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{Aim, Effect, Kind, Project, Shape, Start, at_end, behind, kind, spread, waits_for, write};

pub(super) fn shapes() -> Vec<Shape> {
    vec![
        // A module with as many files as others have units is linted once, but not edited.
        Shape {
            name: "spacelift/plain",
            sizes: &[],
            write: a_file_each,
            outside: false,
        },
        Shape {
            name: "spacelift/for_each",
            sizes: &[1_000],
            write: one_resource,
            outside: false,
        },
        Shape {
            name: "spacelift/modules",
            sizes: &[200],
            write: modules,
            outside: false,
        },
    ]
}

/// All stacks from one `for_each`, each but the first waiting for the one in the middle of those before.
fn one_resource(folder: &Path, units: usize) -> Project {
    let text = format!(
        "# stacks\nresource \"spacelift_stack\" \"s\" {{\n  for_each = toset([for i in range({units}) : \
         \"s${{i}}\"])\n\n  name       = \"n-${{each.key}}\"\n  repository = \"platform\"\n  branch     = \
         \"main\"\n  autodeploy = true\n}}\n\nresource \"spacelift_stack_dependency\" \"d\" {{\n  for_each = {{ for i \
         in range(1, {units}) : \"s${{i}}\" => \"s${{floor(i / 2)}}\" }}\n\n  stack_id            = \
         spacelift_stack.s[each.key].id\n  depends_on_stack_id = spacelift_stack.s[each.value].id\n}}\n"
    );
    let file = folder.join("main.tf");
    write(&file, &text);
    Project {
        language: "terraform",
        kinds: kinds(std::slice::from_ref(&file), Aim::OneFile),
        files: vec![file],
        start: Start::Clean,
    }
}

/// One module, with one file per stack and its dependencies.
fn a_file_each(folder: &Path, units: usize) -> Project {
    let mut files = Vec::with_capacity(units);
    for unit in 0..units {
        let mut text = format!(
            "resource \"spacelift_stack\" \"s{unit}\" {{\n  name       = \"n-{unit}\"\n  repository = \
             \"platform\"\n  branch     = \"main\"\n  autodeploy = true\n}}\n"
        );
        for (nth, to) in waits_for(unit, units).into_iter().flatten().enumerate() {
            let _ = write!(
                text,
                "\nresource \"spacelift_stack_dependency\" \"d{unit}-{nth}\" {{\n  stack_id            = \
                 spacelift_stack.s{unit}.id\n  depends_on_stack_id = spacelift_stack.s{to}.id\n}}\n"
            );
        }
        let file = folder.join(format!("stack-{unit:05}.tf"));
        write(&file, &text);
        files.push(file);
    }
    Project {
        language: "terraform",
        kinds: kinds(&spread(&files), Aim::Edit),
        files,
        start: Start::Clean,
    }
}

/// One module per stack, each called once, with the IDs of others as an argument.
fn modules(folder: &Path, units: usize) -> Project {
    let mut root = String::new();
    let mut files = Vec::with_capacity(units);
    for unit in 0..units {
        let upstream = if unit == 0 {
            String::new()
        } else {
            format!("up = module.m{}.id ", unit / 2)
        };
        let _ = write!(
            root,
            "module \"m{unit}\" {{\n  source = \"./modules/m{unit}\"\n\n  upstreams = {{ {upstream}}}\n}}\n\n"
        );
        let text = format!(
            "variable \"upstreams\" {{\n  type = map(string)\n}}\n\nresource \"spacelift_stack\" \"s\" {{\n  name       = \
             \"n-{unit}\"\n  repository = \"platform\"\n  branch     = \"main\"\n  autodeploy = true\n}}\n\nresource \
             \"spacelift_stack_dependency\" \"d\" {{\n  for_each = var.upstreams\n\n  stack_id            = \
             spacelift_stack.s.id\n  depends_on_stack_id = each.value\n}}\n\noutput \"id\" {{\n  value = \
             spacelift_stack.s.id\n}}\n"
        );
        let file = folder.join(format!("modules/m{unit}/main.tf"));
        write(&file, &text);
        files.push(file);
    }
    write(&folder.join("main.tf"), &root);
    Project {
        language: "terraform",
        kinds: kinds(&spread(&files), Aim::Edit),
        files,
        start: Start::Clean,
    }
}

fn kinds(edited: &[PathBuf], aim: Aim) -> Vec<Kind> {
    let mut kinds = vec![
        kind("name", edited, Effect::None, behind("\"n-", &["x"])),
        kind(
            "dependency",
            edited,
            Effect::Other,
            behind("stack_id            = spacelift_stack.s", &["x"]),
        ),
        kind("comment", edited, Effect::None, at_end("# a")),
        kind(
            "broken text",
            edited,
            Effect::Other,
            behind("stack_id            = ", &["[", "\"", "{"]),
        ),
    ];
    for kind in &mut kinds {
        kind.aim = aim;
    }
    kinds
}
