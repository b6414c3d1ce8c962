//! The states of a file while it is being typed: every other stack of the project, and every other block of the
//! file, is read as before, and no findings appear for them that did not exist before.

use super::{Project, project, shown};
use crate::read::FileFacts;
use applyorder_analysis::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::FactsInput;

/// A file with blocks around a stack; the broken text replaces `@`.
const FILE: &str = r#"globals {
  region = "eu"
}

import {
  source = "/lib/globals.tm"
}

stack {
  name = "app"
@
  tags = ["x"]
}

script "deploy" {
  job {
    command = ["x"]
  }
}

input "vpc" {
  backend       = "b"
  from_stack_id = "net"
  value         = outputs.id.value
}

vendor {
}
"#;

/// Other stacks, in all relations to it.
const OTHERS: &str = r#"//- terramate.tm
terramate {
  required_version = ">= 0.1"
  config {
    experiments = ["scripts", "outputs-sharing"]
  }
}
//- lib/globals.tm
globals {
}
//- net/stack.tm
stack {
  id     = "net"
  tags   = ["base"]
  before = ["/app"]
}
//- app/child/stack.tm
stack {
  after = ["tag:base"]
}
//- db/stack.tm
stack {
  after = ["/app", "../net"]
  wants = ["tag:x"]
}
"#;

fn within(line: &str) -> String {
    FILE.replace("@\n", &format!("{line}\n"))
}

fn between(text: &str) -> String {
    FILE.replace("@\n", "")
        .replace("\n\nscript", &format!("\n\n{text}\n\nscript"))
}

/// The 34 states, with whether the stack's header is still the only one.
fn states() -> Vec<(String, String)> {
    let lines = [
        "  after = [\"../a\",",
        "  after = [",
        "  after = [\"../vpc\"",
        "  after = [\"../v",
        "  after = [\"../v]",
        "  after =",
        "  after",
        "  aft",
        "  after [",
        "  after == [\"../a\"]",
        "  after = [\"../a\"]]",
        "  after = [\"../a\", , \"../b\"]",
        "  after = [\"a\" \"b\"]",
        "  after = {",
        "  after = tm_concat(",
        "  after = tm_concat([\"a\"],",
        "  after = \"${global.",
        "  after = global.",
        "  after = global.a +",
        "  after = var.x ?",
        "  after = <<EOT",
        "  after = [\"a\"] before = [\"b\"]",
        "  }",
        "  depends_on = [aws_instance.z, module.",
        "  after = merge(local.t, {",
        "  after = [\n    \"../a\",\n    \"../b\",",
        "  /* not closed",
        "<<<<<<< HEAD\n  after = [\"a\"]\n=======\n>>>>>>> theirs",
        "  @",
    ];
    let mut states: Vec<(String, String)> = lines.iter().map(|l| ((*l).to_owned(), within(l))).collect();
    let frame = FILE.replace("@\n", "").replace("[\"x\"]\n}\n", "[\"x\"]\n");
    states.push(("missing } of stack".to_owned(), frame));
    for text in ["res", "resource \"aws", "resource \"x\" \"y\"", "stack {"] {
        states.push((text.to_owned(), between(text)));
    }
    states
}

fn with(app: &str) -> Project {
    project(&format!("{OTHERS}//- app/stack.tm\n{app}"))
}

/// The stacks but the one in the file, with their tags and what each waits for.
fn others(analysis: &Analysis) -> Vec<String> {
    let (_, project) = analysis.projects().next().unwrap();
    let variant = &project.resolution.variants[0];
    let mut out = Vec::new();
    for (ix, unit) in variant
        .units
        .iter()
        .enumerate()
        .filter(|(_, u)| &*u.name != "/app")
    {
        let own = variant.dependencies.iter().filter(|d| d.unit.0 as usize == ix);
        let entries: Vec<String> = own.map(|d| format!("{} {}", d.attribute, d.text)).collect();
        out.push(format!("{} {:?} {entries:?}", unit.name, unit.tags));
    }
    out
}

/// What the file's other blocks declare.
fn blocks(text: &str) -> Vec<String> {
    let facts = FileFacts::read(&FactsInput {
        file: FileId(0),
        path: "/w/app/stack.tm".into(),
        text: &text.into(),
        previous: None,
        engine: applyorder_core::engine::EngineIx(0),
    });
    let shape = &facts.shape;
    let mut out = Vec::new();
    out.extend(
        shape
            .imports
            .iter()
            .map(|i| format!("import {:?}", i.source.known().map(|t| &t.value))),
    );
    out.extend(
        shape
            .scripts
            .iter()
            .map(|(labels, _)| format!("script {labels:?}")),
    );
    out.extend(
        shape
            .inputs
            .iter()
            .map(|i| format!("input {}", i.from_stack_id.value)),
    );
    out.extend(shape.vendors.iter().map(|_| "vendor".to_owned()));
    out
}

#[test]
fn there_are_34() {
    assert_eq!(states().len(), 34);
}

#[test]
fn every_other_stack_and_block_is_kept() {
    let sound = FILE.replace("@\n", "");
    let good = with(&sound).analysis();
    assert_eq!(shown(&good), [""; 0]);
    for (name, text) in states() {
        let analysis = with(&text).analysis();
        assert_eq!(others(&analysis), others(&good), "{name}");
        assert_eq!(blocks(&text), blocks(&sound), "{name}");
    }
}

#[test]
fn the_file_is_at_fault_and_no_other() {
    for (name, text) in states() {
        let found = with(&text).findings();
        let (own, other): (Vec<&String>, Vec<&String>) =
            found.iter().partition(|f| f.contains(" app/stack.tm "));
        assert!(
            own.iter().any(|f| f.starts_with("syntax-error")),
            "{name}: {found:?}"
        );
        assert_eq!(other, [""; 0], "{name}");
    }
}

#[test]
fn the_stack_itself_stays() {
    for (name, text) in states() {
        let analysis = with(&text).analysis();
        assert!(super::stacks(&analysis).contains(&"/app".to_owned()), "{name}");
    }
}
