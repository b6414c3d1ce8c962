//! What an editor asks.

use applyorder_analysis::fixture::Fixture;
use applyorder_analysis::ide::{completion, definition, hover, references, rename, symbols};
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
    let found = completion::completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let labels: Vec<&str> = found.iter().map(|p| p.completion.label.as_str()).collect();
    let expected = ["module.m.id", "spacelift_stack.a.id", "spacelift_stack.b.id"];
    assert_eq!(labels, expected);
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

/// Two stacks that run directories of the repository, and a reference that carries an output of the one to the other.
fn carrying(output: &str, input: &str) -> String {
    let root = |dir: &str| format!("project_root = \"{dir}\"\n  branch ");
    let net = stacks(&["b"]).replace("branch ", &root("net"));
    let app = stacks(&["a"]).replace("branch ", &root("app"));
    let declared = "//- /w/net/out.tf\noutput \"cidr\" {\n  value       = 1\n  description = \"The *range*.\"\n  sensitive   = \
                    true\n}\noutput \"other\" {\n  value = 1\n}\n//- /w/app/in.tf\nvariable \"cidr\" {\n}\n";
    format!(
        "{app}{net}{}{}{declared}",
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        super::reference("r", "spacelift_stack_dependency.d.id", output, input)
    )
}

#[test]
fn an_output_that_a_reference_names_leads_to_what_declares_it() {
    let at_output = carrying("ci$0dr", "TF_VAR_cidr");
    let at_input = carrying("cidr", "TF_VAR_ci$0dr");
    let (to, _) = led(&at_output);
    assert_eq!(to, ["out.tf:1 \"cidr\""]);
    let (to, _) = led(&at_input);
    assert_eq!(to, ["in.tf:1 \"cidr\""]);
    // What no directory declares, and what the tool takes no variables from, leads nowhere.
    assert!(led(&carrying("ci$0dx", "TF_VAR_cidr")).0.is_empty());
    assert!(led(&carrying("cidr", "ci$0dr")).0.is_empty());
    let said = |text: &str| {
        let fixture = module(text, RunOptions::default());
        let found = hover::hover(&fixture.analysis, fixture.file, fixture.offset);
        found.map(|card| card.markdown).unwrap_or_default()
    };
    assert_eq!(
        said(&at_output),
        "**output `cidr`**\n\ndeclared at `net/out.tf:1`\n\nThe \\*range\\*.\n\n_sensitive_"
    );
    assert_eq!(
        said(&at_input),
        "**variable `cidr`**\n\ndeclared at `app/in.tf:1`\n\n_no description_\n\n_required_"
    );
    assert_eq!(
        said(&carrying("oth$0er", "TF_VAR_cidr")),
        "**output `other`**\n\ndeclared at `net/out.tf:6`\n\n_no description_"
    );
}

/// The texts behind a rename of what stands at the cursor.
fn renamed(text: &str, new: &str) -> String {
    let fixture = module(text, RunOptions::default());
    let edits = rename::rename(&fixture.analysis, fixture.file, fixture.offset, new).unwrap();
    fixture.edited(&edits)
}

#[test]
fn a_name_is_renamed_wherever_a_file_of_its_module_has_it() {
    let base = stacks(&["a", "b"]).replacen("\"a\"", "\"$0a\"", 1);
    let others = "//- /w/moved.tf\nmoved {\n  from = spacelift_stack.old\n  to   = spacelift_stack.a\n}\n\
                  //- /w/x_override.tf\nresource \"spacelift_stack\" \"a\" {\n  autodeploy = true\n}\n";
    let after = renamed(&format!("{base}{others}"), "core");
    assert!(after.contains("to   = spacelift_stack.core\n"), "{after}");
    assert!(
        after.contains("//- /w/x_override.tf\nresource \"spacelift_stack\" \"core\" {"),
        "{after}"
    );
    // From the block that overrides it, too.
    let override_first = format!(
        "{}{}",
        stacks(&["a"]),
        others.replace("\"spacelift_stack\" \"a\"", "\"spacelift_stack\" \"$0a\"")
    );
    assert_eq!(renamed(&override_first, "core").matches("core").count(), 3);
}

/// Where one goes from the cursor, and what refers to the same.
fn led(text: &str) -> (Vec<String>, Vec<String>) {
    let fixture = module(text, RunOptions::default());
    let found = definition::definition(&fixture.analysis, fixture.file, fixture.offset);
    let there = found.into_iter().flat_map(|d| d.destinations).map(|d| match d {
        definition::Destination::Place(at) => fixture.show(at),
        definition::Destination::File(path) => path.to_string(),
    });
    let there = there.collect();
    let from = references::references(&fixture.analysis, fixture.file, fixture.offset, true);
    (there, from.iter().map(|r| fixture.show(r.at)).collect())
}

#[test]
fn variables_locals_and_outputs_are_left_to_the_servers_for_terraform() {
    let text = format!(
        "variable \"up\" {{\n}}\nlocals {{\n  envs = toset([\"x\"])\n  up = spacelift_stack.a.id\n}}\nmodule \"m\" {{\n  source = \
         \"./m\"\n  up = local.up\n}}\noutput \"of\" {{\n  value = var.up\n}}\nresource \"spacelift_context\" \"c\" {{\n  name = \
         var.up\n}}\n{}//- /w/m/main.tf\nvariable \"up\" {{\n}}\n{}{}",
        stacks(&["a"]),
        stacks(&["b"]),
        dependency("d", "spacelift_stack.b.id", "var.up")
    );
    let at = |part: &str, name: &str| {
        assert!(text.contains(part), "{part}");
        text.replacen(part, &part.replacen(name, &format!("$0{name}"), 1), 1)
    };
    for (part, name) in [
        ("variable \"up\"", "up"),
        ("  envs =", "envs"),
        ("  up = spacelift", "up"),
        ("local.up", "up"),
        ("output \"of\"", "of"),
        ("value = var.up", "up"),
        ("\"c\" {", "c"),
        ("  up = local", "up"),
    ] {
        let text = at(part, name);
        assert_eq!(led(&text), (vec![], vec![]), "{part}");
        let fixture = module(&text, RunOptions::default());
        assert!(
            rename::prepare(&fixture.analysis, fixture.file, fixture.offset).is_err(),
            "{part}"
        );
    }
    // Where the variable stands for a stack that another waits for, the stack is what is meant.
    let (there, from) = led(&at("depends_on_stack_id = var.up", "up"));
    assert_eq!(there, ["main.tf:17 \"a\""]);
    assert_eq!(from, ["main.tf:10 var.up", "main.tf:5 a", "main.tf:17 \"a\""]);
}

#[test]
fn the_references_to_a_stack_are_its_name_and_what_waits_for_it_by_whatever_word() {
    let child = format!(
        "//- /w/m/main.tf\n{}output \"id\" {{\n  value = spacelift_stack.n.id\n}}\n",
        stacks(&["n"])
    );
    let text = format!(
        "module \"m\" {{\n  source = \"./m\"\n}}\n{}{}{child}",
        stacks(&["a"]),
        dependency("d", "spacelift_stack.a.id", "module.m.id")
    );
    let expected = ["main.tf:1 \"n\"", "main.tf:7 n", "main.tf:11 module.m.id"];
    for (from, to) in [
        ("\"n\"", "\"$0n\""),
        ("= spacelift_stack.n.id", "= spacelift_stack.$0n.id"),
        ("= module.m.id", "= mod$0ule.m.id"),
        (
            "resource \"spacelift_stack\" \"n\"",
            "reso$0urce \"spacelift_stack\" \"n\"",
        ),
    ] {
        let (_, found) = led(&text.replacen(from, to, 1));
        assert_eq!(found, expected, "{to}");
    }
}

#[test]
fn a_stack_is_renamed_where_its_name_is_written_or_not_at_all() {
    let text = format!(
        "{}output \"id\" {{\n  value = spacelift_stack.b.id\n}}\nlocals {{\n  other = spacelift_stack.b.id\n}}\n{}{}",
        stacks(&["a", "b"]),
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        dependency("e", "spacelift_stack.a.id", "local.other")
    );
    // Wherever in the reference the cursor is.
    for at in [
        "depends_on_stack_id = spacelift_st$0ack.b.id",
        "depends_on_stack_id = spacelift_stack.$0b.id",
    ] {
        let after = renamed(&text.replacen(&at.replace("$0", ""), at, 1), "core");
        assert_eq!(after.matches("spacelift_stack.core.id").count(), 3, "{after}");
        assert!(after.contains("resource \"spacelift_stack\" \"core\""), "{after}");
    }
    let refused = |from: &str, to: &str| {
        let fixture = module(&text.replacen(from, to, 1), RunOptions::default());
        rename::prepare(&fixture.analysis, fixture.file, fixture.offset).unwrap_err()
    };
    assert_eq!(
        refused("= local.other", "= local.$0other"),
        "local.other means b otherwise than by its name: rename it where it is declared, at /w/main.tf:6"
    );
    assert_eq!(refused("resource \"", "reso$0urce \""), "nothing to rename here");
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
        let found = super::found(&fixture, &crate::rules::missing_instance_key::RULE);
        let fixes: Vec<&str> = found[0].fixes.iter().map(|fix| fix.title.as_str()).collect();
        let expected: Vec<String> = expected.iter().map(|e| format!("replace with `{e}`")).collect();
        assert_eq!(fixes, expected, "{text}");
    }
}

/// A reference to a stack says what its label says.
#[test]
fn hovers_on_names() {
    let text = |at: &str| {
        let edge = dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id");
        let of = super::reference("r", "spacelift_stack_dependency.d.id", "o", "TF_VAR_o");
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

/// One name may stand for many dependencies.
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
fn dependencies_are_proposed_where_a_reference_names_one() {
    let text = format!(
        "{}{}resource \"spacelift_stack_dependency_reference\" \"r\" {{\n  stack_dependency_id = $0\n  output_name = \
         \"o\"\n  input_name = \"TF_VAR_o\"\n}}\n",
        stacks(&["a", "b"]),
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id")
    );
    assert_eq!(proposed(&text), ["spacelift_stack_dependency.d.id"]);
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
