//! Where not all dependencies are known.

use super::*;

#[test]
fn the_contents_of_an_unreadable_list_are_unknown() {
    let tazuna = |list: &str, a: &str, b: &str| {
        format!(
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {{name: {a}, type: kustomize, path: .}}\n    - name: {b}\n      type: \
             kustomize\n      path: .\n      dependsOn: {list}\n    - {{name: c, type: kustomize, path: ., dependsOn: [b]}}\n"
        )
    };
    // A unit that may wait for something unknown may run later than in the first layer.
    let open = "or later\n\n**after** what can't be known · **beside** what can't be known";
    for list in ["a", "{a: b}", "[{a: b}]", "[a"] {
        holds(&tazuna(list, "a", "$0b"), &[open, "**before** `c`"]);
    }
    holds(
        &tazuna("[a, {a: b}]", "a", "$0b"),
        &["**after** `a`, others can't be known"],
    );
    holds(
        &tazuna("a", "$0a", "b"),
        &["**after** nothing", "**before** what can't be known"],
    );
    holds(
        &tazuna("[]", "a", "$0b"),
        &["**after** nothing", "**before** `c`"],
    );
    let terramate = |list: &str| {
        format!(
            "//- /w/terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\n//- /w/a/stack.tm\nstack {{\n}}\n//- \
             /w/b/stack.tm\nsta$0ck {{\n  {list}\n}}\n"
        )
    };
    for list in [
        "after = \"/a\"",
        "after = [1]",
        "after = [global.x]",
        "after = [\"/a\"",
    ] {
        holds(&terramate(list), &[open]);
    }
    holds(
        &terramate("before = 5"),
        &["**after** nothing", "**before** what can't be known"],
    );
    let ankaios = |dependencies: &str| {
        format!(
            "//- /w/state.yaml\napiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    runtimeConfig: \
             \"\"\n  $0b:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"\"\n    dependencies: {dependencies}\n"
        )
    };
    for dependencies in ["[a]", "a", "{a: ADD_COND_RUNNING"] {
        holds(&ankaios(dependencies), &[open]);
    }
    holds(&ankaios("{}"), &["**after** nothing"]);
    let kapp = |rule: &str| {
        format!(
            "//- /w/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
             kapp.k14s.io/change-group: g\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: $0b\n  annotations:\n    \
             kapp.k14s.io/change-rule: {rule}\n"
        )
    };
    // kapp orders nothing if a rule does not parse.
    let open = "no layer\n\n**after** what can't be known";
    for (rule, after, before) in [
        ("upsert after upserting", open, "**before** nothing"),
        ("upsert aft upserting g", open, "**before** what can't be known"),
        (
            "upsert before upserting {x}",
            "**after** nothing",
            "**before** what can't be known",
        ),
        ("delete aft deleting g", "**after** nothing", "**before** nothing"),
    ] {
        holds(&kapp(rule), &[after, before]);
    }
    holds(&kapp("upsert after upserting g"), &["**after** `ConfigMap/a`"]);
    let spacelift = |own: &str, on: &str| {
        let stack = |name: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  name = \"x\"\n  repository = \"r\"\n  branch = \"m\"\n}}\n"
            )
        };
        format!(
            "//- /w/main.tf\nvariable \"x\" {{\n}}\n{}{}resource \"spacelift_stack_dependency\" \"d\" {{\n  stack_id = \
             {own}\n  depends_on_stack_id = {on}\n}}\n",
            stack("a"),
            stack("$0b"),
        )
    };
    let open = "or later\n\n**after** what can't be known";
    let [a, b] = ["spacelift_stack.a.id", "spacelift_stack.b.id"];
    holds(&spacelift(b, "var.x"), &[open, "**before** nothing"]);
    holds(
        &spacelift("var.x", b),
        &["**after** nothing", "**before** what can't be known"],
    );
    holds(&spacelift("var.x", a), &[open, "**before** nothing"]);
    holds(
        &spacelift(b, a),
        &["**after** `spacelift_stack.a`", "**before** nothing"],
    );
}

#[test]
fn a_unit_that_may_be_deleted_later_says_so() {
    let ankaios = |dependencies: &str| {
        let workload = |name: &str, dependencies: &str| {
            format!(
                "  {name}: {{runtime: podman, agent: x, runtimeConfig: \"\", dependencies: {dependencies}}}\n"
            )
        };
        format!(
            "//- /w/state.yaml\napiVersion: v1\nworkloads:\n{}{}{}",
            workload("a", "{b: ADD_COND_RUNNING}"),
            workload("b", dependencies),
            workload("$0c", "{}"),
        )
    };
    holds(&ankaios("{}"), &["on delete: in layer 1 of 2, which"]);
    holds(&ankaios("[c]"), &["on delete: in layer 1 or later, which"]);
    let spacelift = |deactivated: &str| {
        let stack = |name: &str, more: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  name = \"x\"\n  repository = \"r\"\n  branch = \"m\"\n}}\n\
                 resource \"spacelift_stack_destructor\" \"{}\" {{\n  stack_id = spacelift_stack.{}.id\n{more}}}\n",
                name.trim_start_matches("$0"),
                name.trim_start_matches("$0"),
            )
        };
        let after = |name: &str| format!("  depends_on = [spacelift_stack_destructor.{name}]\n");
        format!(
            "//- /w/main.tf\nvariable \"x\" {{\n}}\n{}{}{}",
            stack("$0a", ""),
            stack("b", &format!("  deactivated = {deactivated}\n{}", after("a"))),
            stack("c", &after("b")),
        )
    };
    holds(&spacelift("true"), &["on delete: in layer 2 of 2"]);
    holds(&spacelift("false"), &["on delete: in layer 3 of 3"]);
    holds(&spacelift("var.x"), &["on delete: in layer 2 or later"]);
}
