//! What an editor asks.

use applyorder_analysis::fixture::Fixture;
use applyorder_analysis::ide::{completion, definition, hover, references, rename};
use applyorder_core::engine::RunOptions;

use super::{dependency, module, stacks};

/// Two modules with a stack of one name each, the first in two files.
fn tree(main: &str) -> String {
    format!(
        "{main}//- /w/more.tf\nmodule \"m\" {{\n  source = \"./m\"\n}}\n{}//- /w/m/main.tf\n{}{}",
        dependency("far", "module.m.id", "spacelift_stack.a.id"),
        stacks(&["a"]),
        "output \"id\" {\n  value = spacelift_stack.a.id\n}\n"
    )
}

fn fixture(main: &str) -> Fixture {
    module(&tree(main), RunOptions::default())
}

#[test]
fn a_stack_is_renamed_in_its_module_and_nowhere_else() {
    let main = format!(
        "{}{}",
        stacks(&["a", "b"]).replacen("\"a\"", "\"$0a\"", 1),
        dependency("d", "\"${spacelift_stack.a.id}\"", "spacelift_stack.b.id")
    );
    let fixture = fixture(&main);
    let edits = rename::rename(&fixture.analysis, fixture.file, fixture.offset, "core").unwrap();
    let after = fixture.edited(&edits);
    assert!(after.contains("resource \"spacelift_stack\" \"core\""), "{after}");
    assert!(after.contains("\"${spacelift_stack.core.id}\""), "{after}");
    assert!(
        after.contains("depends_on_stack_id = spacelift_stack.core.id"),
        "{after}"
    );
    assert!(!after.contains("/w/m/main.tf"), "{after}");
    assert!(rename::rename(&fixture.analysis, fixture.file, fixture.offset, "0 no").is_err());
}

#[test]
fn one_goes_from_an_id_to_its_stack_and_back() {
    let main = format!(
        "{}{}",
        stacks(&["a", "b"]),
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.$0b.id")
    );
    let fixture = fixture(&main);
    let found = definition::definition(&fixture.analysis, fixture.file, fixture.offset).unwrap();
    let shown = found.destinations.iter().map(|d| match d {
        definition::Destination::Place(at) => fixture.show(*at),
        definition::Destination::File(path) => path.to_string(),
    });
    assert_eq!(shown.collect::<Vec<_>>(), ["main.tf:6 \"b\""]);
    let found = references::references(&fixture.analysis, fixture.file, fixture.offset, true);
    let shown: Vec<String> = found.iter().map(|r| fixture.show(r.at)).collect();
    assert_eq!(shown, ["main.tf:6 \"b\"", "main.tf:13 b"]);
}

#[test]
fn hover_says_when_a_stack_runs() {
    let main = format!(
        "{}{}{}",
        stacks(&["a", "b"]).replacen("\"a\"", "\"$0a\"", 1),
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        super::reference("r", "spacelift_stack_dependency.d.id", "out", "TF_VAR_in")
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
fn addresses_are_proposed_where_an_id_is_typed() {
    let main = format!(
        "{}resource \"spacelift_stack_dependency\" \"d\" {{\n  stack_id = spacelift_st$0\n}}\n",
        stacks(&["a", "b"])
    );
    let fixture = fixture(&main);
    let found = completion::completions(&fixture.analysis, fixture.file, fixture.offset);
    let labels: Vec<&str> = found.iter().map(|p| p.completion.label.as_str()).collect();
    assert_eq!(labels, ["spacelift_stack.a.id", "spacelift_stack.b.id"]);
}

#[test]
fn a_reference_is_completed_with_the_outputs_of_the_upstream_stack() {
    let upstream = "resource \"spacelift_stack\" \"b\" {\n  name = \"b\"\n  repository = \"r\"\n  branch = \"m\"\n  \
                    project_root = \"net\"\n}\n";
    let main = format!(
        "{}{upstream}{}resource \"spacelift_stack_dependency_reference\" \"r\" {{\n  stack_dependency_id = \
         spacelift_stack_dependency.d.id\n  output_name = \"$0\"\n  input_name = \"TF_VAR_x\"\n}}\n",
        stacks(&["a"]),
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id")
    );
    let text = format!(
        "{}//- /w/net/out.tf\noutput \"cidr\" {{\n  value = 1\n}}\n",
        tree(&main)
    );
    let fixture = module(&text, RunOptions::default());
    let found = completion::completions(&fixture.analysis, fixture.file, fixture.offset);
    let labels: Vec<&str> = found.iter().map(|p| p.completion.label.as_str()).collect();
    assert_eq!(labels, ["cidr"]);
}
