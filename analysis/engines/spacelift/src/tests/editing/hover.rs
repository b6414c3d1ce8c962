//! What hovers and the outline say.

use applyorder_analysis::ide::{definition, hover, symbols};
use applyorder_core::engine::RunOptions;

use super::super::{dependency, module, reference, stacks};
use super::fixture;

#[test]
fn hover_says_when_a_stack_runs() {
    let main = format!(
        "{}{}{}",
        stacks(&["a", "b"]).replacen("\"a\"", "\"$0a\"", 1),
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        reference("r", "spacelift_stack_dependency.d.id", "out", "TF_VAR_in")
    );
    let fixture = fixture(&main);
    let card = hover::hover(&fixture.analysis, fixture.file, fixture.offset).unwrap();
    let text = card.markdown;
    assert!(
        text.contains("when a run of `spacelift_stack.b` changed `out` as `TF_VAR_in`"),
        "{text}"
    );
    assert!(text.contains("id probably `a`"), "{text}");
}

#[test]
fn hover_on_several_instances_says_the_layer_of_each_and_when_it_runs() {
    let main = format!(
        "locals {{\n  envs = toset([\"dev\", \"prod\"])\n}}\nresource \"spacelift_stack\" \"$0a\" {{\n  for_each   = \
         local.envs\n  name       = each.key\n  repository = \"r\"\n  branch     = \"m\"\n}}\n{}{}",
        stacks(&["b"]),
        dependency("d", "spacelift_stack.a[\"dev\"].id", "spacelift_stack.b.id")
    );
    let fixture = module(&main, RunOptions::default());
    let card = hover::hover(&fixture.analysis, fixture.file, fixture.offset).unwrap();
    let lines: Vec<&str> = card.markdown.lines().collect();
    assert_eq!(
        lines,
        [
            "**2 stacks** · layers 1–2 of 2",
            "",
            "- `spacelift_stack.a[\"dev\"]` · layer 2 of 2 · **after** `spacelift_stack.b` · **beside** nothing · **before** \
             nothing. Run by Terraform, id probably `dev`, changes wait to be confirmed. Runs when it is pushed, whenever a \
             tracked run of `spacelift_stack.b` has finished",
            "- `spacelift_stack.a[\"prod\"]` · layer 1 of 2 · **after** nothing · **beside** `spacelift_stack.b` · **before** \
             nothing. Run by Terraform, id probably `prod`, changes wait to be confirmed",
        ]
    );
}

/// A reference to a stack says what its label says.
#[test]
fn hovers_on_names() {
    let text = |at: &str| {
        let edge = dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id");
        let of = reference("r", "spacelift_stack_dependency.d.id", "o", "TF_VAR_o");
        (stacks(&["a", "b"]) + &edge + &of).replacen(at, &format!("$0{at}"), 1)
    };
    let said = |at: &str| {
        let fixture = module(&text(at), RunOptions::default());
        let found = hover::hover(&fixture.analysis, fixture.file, fixture.offset);
        found.map(|h| h.markdown).unwrap_or_default()
    };
    let of_stack = said("a.id\n");
    assert!(
        of_stack.contains("layer 2 of 2") && of_stack.contains("Runs when"),
        "{of_stack}"
    );
    // A name of a dependency says what the dependency does, wherever it is written.
    let waits = "`spacelift_stack.a`** waits for **`spacelift_stack.b`** · layer 1, then 2\n\n`spacelift_stack.a` runs when \
                 a run of `spacelift_stack.b` changed `o` as `TF_VAR_o`.";
    assert_eq!(said("d.id\n"), format!("**stack dependency `d`**\n\n**{waits}"));
    assert_eq!(said("\"d\""), said("d.id\n"));
    assert_eq!(
        said("\"r\" {"),
        format!("**stack dependency reference `r`**\n\n**{waits}")
    );
}

/// One name may represent many dependencies.
#[test]
fn hovers_on_the_name_of_several_dependencies() {
    let names: Vec<String> = (0..7).map(|n| format!("s{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let entries: Vec<String> = names
        .iter()
        .map(|name| format!("spacelift_stack.{name}.id"))
        .collect();
    let text = format!(
        "{}resource \"spacelift_stack_dependency\" \"$0d\" {{\n  for_each = {{ for n, id in [{}] : n => id }}\n  stack_id = \
         spacelift_stack.top.id\n  depends_on_stack_id = each.value\n}}\n",
        stacks(&[&["top"], &names[..]].concat()),
        entries.join(", ")
    );
    let fixture = module(&text, RunOptions::default());
    let found = hover::hover(&fixture.analysis, fixture.file, fixture.offset).unwrap();
    let lines: Vec<&str> = found.markdown.lines().collect();
    assert_eq!(lines.len(), 8, "{lines:?}");
    assert_eq!(
        lines[2],
        "- **`spacelift_stack.top`** waits for **`spacelift_stack.s0`** · layer 1, then 2"
    );
    assert_eq!(lines[7], "- 2 more");
}

#[test]
fn the_source_of_a_call_says_how_many_stacks_its_file_makes() {
    let text = format!(
        "module \"m\" {{\n  source   = \"./$0m\"\n  for_each = toset([\"x\", \"y\"])\n}}\n//- /w/m/main.tf\n{}",
        stacks(&["a"])
    );
    let fixture = module(&text, RunOptions::default());
    let found = hover::hover(&fixture.analysis, fixture.file, fixture.offset).unwrap();
    assert_eq!(found.markdown, "`m/main.tf`: 2 stacks");
}

#[test]
fn the_name_of_a_call_says_which_stacks_it_makes() {
    let text = format!(
        "module \"$0m\" {{\n  source   = \"./m\"\n  for_each = toset([\"x\", \"y\"])\n}}\n//- /w/m/main.tf\nmodule \"n\" {{\n  source = \
         \"./n\"\n}}\n//- /w/m/n/main.tf\n{}",
        stacks(&["a"])
    );
    let said = |text: &str| {
        let fixture = module(text, RunOptions::default());
        let found = hover::hover(&fixture.analysis, fixture.file, fixture.offset);
        let to = definition::definition(&fixture.analysis, fixture.file, fixture.offset);
        let places = to.into_iter().flat_map(|found| found.destinations);
        let places: Vec<String> = places
            .map(|place| match place {
                definition::Destination::Place(at) => fixture.show(at),
                definition::Destination::File(path) => path.to_string(),
            })
            .collect();
        (found.map(|found| found.markdown), places)
    };
    let members = "2 stacks\n\n**members** `module.m[\"x\"].module.n.spacelift_stack.a`, \
                   `module.m[\"y\"].module.n.spacelift_stack.a`";
    let wanted = Some(format!("**module `m`** · {members}"));
    assert_eq!(said(&text), (wanted, vec!["main.tf:1 \"a\"".to_owned()]));
    let inner = text.replace("$0", "").replace("module \"n\"", "module \"$0n\"");
    let wanted = Some(format!("**module `n`** · {members}"));
    assert_eq!(said(&inner).0, wanted);
    // One without stacks is left to the servers for Terraform.
    let none = "module \"$0m\" {\n  source = \"./m\"\n}\n//- /w/m/main.tf\nlocals {\n  a = 1\n}\n";
    assert_eq!(
        said(&format!("{none}//- /w/a.tf\n{}", stacks(&["a"]))),
        (None, Vec::new())
    );
}

#[test]
fn the_outline_has_the_blocks_of_the_file() {
    let text = stacks(&["a", "b"]) + &dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id");
    let fixture = module(&text, RunOptions::default());
    let items = symbols::outline(&fixture.analysis, fixture.file);
    let shown: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(
        shown,
        [
            "spacelift_stack.a",
            "spacelift_stack.b",
            "spacelift_stack_dependency.d"
        ]
    );
}
