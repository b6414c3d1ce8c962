//! Hovers without an order: cycles, and projects that the engine rejects.

use super::*;

/// A unit that waits for itself, one that waits for none, and one after a cycle.
const NO_ORDER: &str = "\
//- /w/tazuna.yaml
spec:
  manifests:
    - {name: free, type: kustomize, path: ./x, dependsOn: []}
    - {name: own, type: kustomize, path: ./x, dependsOn: [free, own]}
    - {name: second, type: kustomize, path: ./x, dependsOn: [free]}
    - {name: behind, type: kustomize, path: ./x, dependsOn: [own]}
";

#[test]
fn without_an_order_each_unit_is_described_as_in_a_table_of_the_order() {
    for (name, said) in [
        ("name: free", "layer 1, but no order\n"),
        ("name: second", "layer 2, but no order\n"),
        ("name: own", "in a cycle, no layer\n"),
        ("name: behind", "stuck behind a cycle, no layer\n"),
        ("name: lost", "waits for what does not exist, no layer\n"),
    ] {
        let (key, unit) = name.split_once(' ').unwrap();
        let lost = "    - {name: lost, type: kustomize, path: ./x, dependsOn: [nobody]}\n";
        let text = format!("{NO_ORDER}{lost}").replace(name, &format!("{key} $0{unit}"));
        holds(&text, &[&format!("**manifest `{unit}`** · {said}")]);
    }
}

#[test]
fn an_entry_that_matches_its_own_unit_is_a_cycle() {
    holds(
        &NO_ORDER.replace("[free, own]", "[free, $0own]"),
        &[
            "**In a cycle**: **`own`** waits for itself",
            "**Without this entry** `own` is in layer 2, beside `second`",
        ],
    );
    holds(
        &NO_ORDER.replace("dependsOn: [free]", "dependsOn: [f$0ree]"),
        &["**Without this entry** there is still no order\n"],
    );
}

#[test]
fn a_cycle_of_a_directory_and_its_contents_is_reported_where_it_is_written() {
    let tree = "\
//- /w/terramate.tm
terramate {
  required_version = \">= 0.1\"
}
//- /w/net/stack.tm
stack {
  after = [\"/db\"]
}
//- /w/net/dns/stack.tm
stack {
  before = [\"/net\"]
}
//- /w/db/stack.tm
stack {
  after = [\"/net\"]
}
";
    holds(
        &tree.replace("before = [\"/net\"]", "before = [\"/n$0et\"]"),
        &["**In a cycle**: `/net` includes `/net/dns` itself"],
    );
    holds(
        &tree.replace("after = [\"/db\"]", "after = [\"/d$0b\"]"),
        &["**Without this entry** 2 stacks are still in cycles"],
    );
}

#[test]
fn a_rejected_project_is_mentioned_once_for_several_edges() {
    let each = "for_each = toset([\"x\", \"y\"])";
    let stack = |name: &str| {
        format!(
            "resource \"spacelift_stack\" \"{name}\" {{\n  {each}\n  name = \"{name}${{each.key}}\"\n  repository = \
             \"r\"\n  branch = \"m\"\n}}\n"
        )
    };
    let after = |name: &str, first: &str, then: &str| {
        format!(
            "resource \"spacelift_stack_dependency\" \"{name}\" {{\n  {each}\n  stack_id = \
             spacelift_stack.{then}[each.key].id\n  depends_on_stack_id = spacelift_stack.{first}[each.key].id\n}}\n"
        )
    };
    let text = format!(
        "//- /w/main.tf\n{}{}{}{}",
        stack("a"),
        stack("b"),
        after("ab", "$0b", "a"),
        after("ba", "a", "b")
    );
    let fixture = Fixture::new(applyorder_engines::all(), &text);
    let found = hover(&fixture.analysis, fixture.file, fixture.offset)
        .unwrap()
        .markdown;
    for unit in ["b[\"x\"]", "b[\"y\"]"] {
        assert!(
            found.contains(&format!("**stack `spacelift_stack.{unit}`**")),
            "{found}"
        );
    }
    assert_eq!(found.matches("rejects this project").count(), 1, "{found}");
    let notes: Vec<&str> = found.lines().filter(|line| line.starts_with("- `")).collect();
    let mut once = notes.clone();
    once.dedup();
    assert_eq!(notes, once, "{found}");
}
