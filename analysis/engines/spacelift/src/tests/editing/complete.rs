//! What is proposed where something is typed.

use applyorder_analysis::ide::completion;
use applyorder_core::engine::RunOptions;

use super::super::{dependency, module, stacks};
use super::{fixture, tree};

#[test]
fn addresses_are_proposed_where_an_id_is_typed() {
    let main = format!(
        "{}resource \"spacelift_stack_dependency\" \"d\" {{\n  stack_id = spacelift_st$0\n}}\n",
        stacks(&["a", "b"])
    );
    let fixture = fixture(&main);
    let found = completion::completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let labels: Vec<&str> = found.iter().map(|p| p.completion.label.as_str()).collect();
    let expected = ["module.m.id", "spacelift_stack.a.id", "spacelift_stack.b.id"];
    assert_eq!(labels, expected);
}

#[test]
fn addresses_are_proposed_in_a_block_that_is_not_closed() {
    for (rest, expected) in [
        ("  stack_id = $0", &["spacelift_stack.a.id"][..]),
        (
            "  stack_id = spacelift_stack.a.id\n  depends_on_stack_id = $0\n",
            &["spacelift_stack.a.id"],
        ),
        ("\nstack_id = $0", &[]),
    ] {
        let main = format!(
            "{}resource \"spacelift_stack_dependency\" \"d\" {{\n{rest}",
            stacks(&["a"])
        );
        let fixture = module(&main, RunOptions::default());
        let found = completion::completions(&fixture.analysis, fixture.file, fixture.offset).list;
        let labels: Vec<&str> = found.iter().map(|p| p.completion.label.as_str()).collect();
        assert_eq!(labels, expected, "{rest}");
    }
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
    let found = completion::completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let labels: Vec<&str> = found.iter().map(|p| p.completion.label.as_str()).collect();
    assert_eq!(labels, ["cidr"]);
}

/// What is proposed at the cursor.
fn proposed(text: &str) -> Vec<String> {
    let fixture = module(text, RunOptions::default());
    let found = completion::completions(&fixture.analysis, fixture.file, fixture.offset).list;
    found.iter().map(|p| p.completion.label.clone()).collect()
}

#[test]
fn instances_and_outputs_of_modules_are_proposed_as_the_block_can_name_them() {
    let child = "//- /w/m/main.tf\nvariable \"n\" {\n}\nresource \"spacelift_stack\" \"this\" {\n  name       = var.n\n  repository = \
                 \"r\"\n  branch     = \"m\"\n}\noutput \"id\" {\n  value = spacelift_stack.this.id\n}\noutput \"name\" {\n  value = \
                 spacelift_stack.this.name\n}\n";
    let text = |block: &str| {
        format!(
            "locals {{\n  envs = toset([\"dev\", \"prod\"])\n}}\nresource \"spacelift_stack\" \"s\" {{\n  for_each   = \
             local.envs\n  name       = each.key\n  repository = \"r\"\n  branch     = \"m\"\n}}\nmodule \"m\" {{\n  source   = \
             \"./m\"\n  for_each = local.envs\n  n        = \"m-${{each.key}}\"\n}}\nresource \"spacelift_stack_dependency\" \
             \"d\" {{\n{block}}}\n{child}"
        )
    };
    let known = [
        "module.m[\"dev\"].id",
        "module.m[\"prod\"].id",
        "spacelift_stack.s[\"dev\"].id",
        "spacelift_stack.s[\"prod\"].id",
    ];
    assert_eq!(proposed(&text("  stack_id = $0\n")), known);
    assert_eq!(proposed(&text("  stack_id = spacelift_stack.s[\"$0\"]\n")), known);
    let each = proposed(&text("  for_each = local.envs\n  stack_id = $0\n"));
    for own in ["module.m[each.key].id", "spacelift_stack.s[each.key].id"] {
        assert!(each.iter().any(|label| label == own), "{each:?}");
    }
}

#[test]
fn a_stack_that_is_waited_for_already_is_left_out() {
    let each = "for_each = toset([\"x\", \"y\"])";
    let listed = dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id");
    let text = |written: &str, block: &str| {
        format!(
            "{}resource \"spacelift_stack\" \"s\" {{\n  {each}\n  name = each.key\n  repository = \"r\"\n  branch = \
             \"m\"\n}}\n{written}resource \"spacelift_stack_dependency\" \"new\" {{\n{block}}}\n",
            stacks(&["a", "b", "c"])
        )
    };
    let has = |written: &str, block: &str, stack: &str| {
        let found = proposed(&text(written, block));
        assert!(found.len() > 2, "{found:?}");
        found.contains(&format!("spacelift_stack.{stack}.id"))
    };
    let waits = |id: &str, behind: &str| {
        format!("  {behind}stack_id = spacelift_stack.{id}.id\n  depends_on_stack_id = $0\n")
    };
    assert!(!has(&listed, &waits("a", ""), "b"));
    assert!(has(&listed, &waits("a", ""), "c"));
    assert!(has(&listed, &waits("b", ""), "a"), "the other way round");
    let before = "  depends_on_stack_id = spacelift_stack.b.id\n  stack_id = $0\n";
    assert!(!has(&listed, before, "a"));
    assert!(has(&listed, before, "c"));
    // What the block itself says is what is replaced.
    let own = "  stack_id = spacelift_stack.a.id\n  depends_on_stack_id = spacelift_stack.b$0.id\n";
    assert!(has("", own, "b"));
    // A block of several dependencies is of use where one of them is new.
    let one = dependency("d", "spacelift_stack.s[\"x\"].id", "spacelift_stack.b.id");
    let both = format!(
        "{one}{}",
        dependency("e", "spacelift_stack.s[\"y\"].id", "spacelift_stack.b.id")
    );
    let each = format!("{each}\n  ");
    assert!(has(&one, &waits("s[each.key]", &each), "b"));
    assert!(!has(&both, &waits("s[each.key]", &each), "b"));
    assert!(!has(&one, &waits("s[\"x\"]", ""), "b"));
    assert!(has(&one, &waits("s[\"y\"]", ""), "b"));
    let back = dependency("d", "spacelift_stack.b.id", "spacelift_stack.s[\"x\"].id");
    assert!(!has(&back, &waits("b", ""), "s[\"x\"]"));
    assert!(has(&back, &waits("b", ""), "s[\"y\"]"));
    // Next to the block in a module that is called twice.
    let module = format!(
        "module \"m\" {{\n  source = \"./m\"\n}}\nmodule \"n\" {{\n  source = \"./m\"\n}}\n//- /w/m/main.tf\n{}",
        text(&listed, &waits("a", ""))
    );
    let found = proposed(&module);
    assert!(found.contains(&"spacelift_stack.c.id".to_owned()), "{found:?}");
    assert!(!found.contains(&"spacelift_stack.b.id".to_owned()), "{found:?}");
}

/// The proposals at the cursor, with a mark before those that would close a cycle.
fn marked(text: &str) -> Vec<String> {
    let fixture = module(text, RunOptions::default());
    let found = completion::completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let mark = |closes_cycle: bool| if closes_cycle { "@ " } else { "" };
    let shown = found.iter();
    shown
        .map(|p| format!("{}{}", mark(p.closes_cycle), p.completion.label))
        .collect()
}

#[test]
fn what_would_close_a_cycle_stands_last_where_nothing_is_typed_yet() {
    let text = |own: &str| {
        format!(
            "{}{}resource \"spacelift_stack_dependency\" \"y\" {{\n{own}}}\n",
            stacks(&["a", "b", "c"]),
            dependency("x", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        )
    };
    let (a, b, c) = (
        "spacelift_stack.a.id",
        "spacelift_stack.b.id",
        "spacelift_stack.c.id",
    );
    let found = marked(&text(
        "  stack_id = spacelift_stack.b.id\n  depends_on_stack_id = $0\n",
    ));
    assert_eq!(found, [c, &format!("@ {a}"), &format!("@ {b}")]);
    let found = marked(&text(
        "  stack_id = $0\n  depends_on_stack_id = spacelift_stack.a.id\n",
    ));
    assert_eq!(found, [c, &format!("@ {a}"), &format!("@ {b}")]);
}

#[test]
fn an_instance_that_would_wait_for_itself_is_marked() {
    let text = |own: &str| {
        let each = |name: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  for_each   = toset([\"e\", \"f\"])\n  name       = \
                 \"{name}-${{each.key}}\"\n  repository = \"r\"\n  branch     = \"m\"\n}}\n"
            )
        };
        let (s, t) = (each("s"), each("t"));
        format!("{s}{t}resource \"spacelift_stack_dependency\" \"y\" {{\n{own}}}\n")
    };
    let found = marked(&text(
        "  for_each = toset([\"e\", \"f\"])\n  stack_id = spacelift_stack.s[each.key].id\n  depends_on_stack_id = $0\n",
    ));
    let last = [
        "@ spacelift_stack.s[\"e\"].id",
        "@ spacelift_stack.s[\"f\"].id",
        "@ spacelift_stack.s[each.key].id",
    ];
    assert!(found.ends_with(&last.map(str::to_owned)), "{found:?}");
    assert!(
        found
            .iter()
            .any(|label| label == "spacelift_stack.t[each.key].id"),
        "{found:?}"
    );
    let found = marked(&text(
        "  stack_id = spacelift_stack.s[\"e\"].id\n  depends_on_stack_id = $0\n",
    ));
    assert_eq!(
        found.last().map(String::as_str),
        Some("@ spacelift_stack.s[\"e\"].id")
    );
    assert!(
        !found
            .iter()
            .any(|label| label.starts_with("@ spacelift_stack.s[\"f\"]")),
        "{found:?}"
    );
}

#[test]
fn entries_of_depends_on_are_addresses() {
    let destructors = |list: &str| {
        format!(
            "{}resource \"spacelift_stack_destructor\" \"a\" {{\n  stack_id   = spacelift_stack.a.id\n  depends_on = \
             {list}\n}}\nresource \"spacelift_stack_destructor\" \"b\" {{\n  stack_id = spacelift_stack.b.id\n}}\n",
            stacks(&["a", "b"])
        )
    };
    let expected = [
        "spacelift_stack.a",
        "spacelift_stack.b",
        "spacelift_stack_destructor.b",
    ];
    for list in [
        "[$0]",
        "[spacelift_stack.a, spacelift_$0]",
        "[\n    spacelift_stack.a,\n    sp$0\n  ]",
    ] {
        assert_eq!(proposed(&destructors(list)), expected, "{list}");
    }
}

#[test]
fn an_input_is_completed_with_the_variables_of_the_downstream_stack() {
    let text = format!(
        "resource \"spacelift_stack\" \"a\" {{\n  name = \"a\"\n  repository = \"r\"\n  branch = \"m\"\n  project_root = \
         \"app\"\n}}\n{}{}resource \"spacelift_stack_dependency_reference\" \"r\" {{\n  stack_dependency_id = \
         spacelift_stack_dependency.d.id\n  output_name = \"cidr\"\n  input_name = \"$0\"\n}}\n//- /w/app/in.tf\nvariable \
         \"cidr\" {{\n}}\n",
        stacks(&["b"]),
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id")
    );
    assert_eq!(proposed(&text), ["TF_VAR_cidr"]);
}

#[test]
fn an_index_is_put_in_only_where_it_means_something() {
    let stack = |keys: &str| {
        format!(
            "resource \"spacelift_stack\" \"s\" {{\n  for_each = toset([{keys}])\n  name = each.key\n  repository = \"r\"\n  \
             branch = \"m\"\n}}\n{}",
            stacks(&["b"])
        )
    };
    let plain = dependency("d", "spacelift_stack.s.id", "spacelift_stack.b.id");
    let each = plain.replace("  stack_id ", "  for_each = toset([\"x\"])\n  stack_id ");
    for (text, expected) in [
        (stack("\"x\", \"y\"") + &plain, None),
        (stack("\"x\"") + &plain, Some("spacelift_stack.s[\"x\"].id")),
        (
            stack("\"x\", \"y\"") + &each,
            Some("spacelift_stack.s[each.key].id"),
        ),
    ] {
        let fixture = module(&text, RunOptions::default());
        let found = crate::tests::found(&fixture, &crate::rules::missing_instance_key::RULE);
        let fixes: Vec<&str> = found[0].fixes.iter().map(|fix| fix.title.as_str()).collect();
        let expected: Vec<String> = expected.iter().map(|e| format!("replace with `{e}`")).collect();
        assert_eq!(fixes, expected, "{text}");
    }
}

#[test]
fn dependencies_are_proposed_where_a_reference_names_one() {
    let text = format!(
        "{}{}resource \"spacelift_stack_dependency_reference\" \"r\" {{\n  stack_dependency_id = $0\n  output_name = \
         \"o\"\n  input_name = \"TF_VAR_o\"\n}}\n",
        stacks(&["a", "b"]),
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id")
    );
    assert_eq!(proposed(&text), ["spacelift_stack_dependency.d.id"]);
}
