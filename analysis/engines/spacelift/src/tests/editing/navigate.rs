//! Definitions, references and renames.

use applyorder_analysis::ide::{definition, hover, references, rename};
use applyorder_core::engine::RunOptions;

use super::super::{dependency, module, stacks};
use super::{carrying, fixture};

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
fn an_output_that_a_reference_names_leads_to_what_declares_it() {
    let at_output = carrying("ci$0dr", "TF_VAR_cidr");
    let at_input = carrying("cidr", "TF_VAR_ci$0dr");
    let (to, _) = led(&at_output);
    assert_eq!(to, ["out.tf:1 \"cidr\""]);
    let (to, _) = led(&at_input);
    assert_eq!(to, ["in.tf:1 \"cidr\""]);
    // A variable that is not declared in any directory has no target, nor has one that the tool does not read.
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

/// The texts after a rename of what is at the cursor.
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
    // If the variable represents a stack that another waits for, the stack is what is meant.
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
        "`local.other` refers to b by another name: rename it at main.tf:6"
    );
    assert_eq!(refused("resource \"", "reso$0urce \""), "nothing to rename here");
}

#[test]
fn the_value_of_a_chained_instance_leads_to_its_resource() {
    let text = |cursor: &str| {
        let stacks = "resource \"spacelift_stack\" \"x\" {\n  for_each = toset([\"k\"])\n  name = \"n\"\n  repository = \
                      \"r\"\n  branch = \"b\"\n}\n";
        format!(
            "{stacks}resource \"spacelift_stack_destructor\" \"d\" {{\n  for_each = spacelift_stack.x\n  stack_id = \
             {cursor}.id\n}}\nresource \"spacelift_stack_destructor\" \"e\" {{\n  for_each = toset([\"k\"])\n  stack_id = \
             each.value\n}}\n"
        )
    };
    let (to, from) = led(&text("each.$0value"));
    assert_eq!(to, ["main.tf:1 \"x\""]);
    assert!(from.contains(&"main.tf:9 each.value".to_owned()), "{from:?}");
    let fixture = module(&text("each.$0value"), RunOptions::default());
    let card = hover::hover(&fixture.analysis, fixture.file, fixture.offset).expect("a card");
    assert!(
        card.markdown.contains("spacelift_stack.x[\"k\"]"),
        "{}",
        card.markdown
    );
    assert!(rename::rename(&fixture.analysis, fixture.file, fixture.offset, "y").is_err());
    // From the resource back, and its own name is renamed without what represents its instances.
    let named = text("each.value").replacen("\"x\"", "\"$0x\"", 1);
    let (_, from) = led(&named);
    assert!(from.contains(&"main.tf:9 each.value".to_owned()), "{from:?}");
    let after = renamed(&named, "core");
    assert!(after.contains("for_each = spacelift_stack.core\n"), "{after}");
    assert!(after.contains("stack_id = each.value.id"), "{after}");
    // A value of something else has no target.
    let other = text("each.value").replace("stack_id = each.value\n", "stack_id = each.$0value\n");
    assert!(led(&other).0.is_empty());
}
