//! What a proposal says of the order with it.

use super::shown;

#[test]
fn a_manifest_says_what_would_move() {
    let manifest = |name: &str, needs: &str| {
        format!("    - {{name: {name}, type: kustomize, path: ./x, dependsOn: [{needs}]}}\n")
    };
    let text = format!(
        "//- /w/tazuna.yaml\nspec:\n  manifests:\n{}{}{}{}{}{}{}",
        manifest("cilium", ""),
        manifest("secrets", "cilium"),
        manifest("orders-db", "secrets"),
        manifest("cache", "cilium"),
        manifest("checkout", "orders-db"),
        manifest("storefront", "catalog"),
        manifest("catalog", "secrets, $0"),
    );
    assert_eq!(
        shown(&text),
        [
            "orders-db: manifest, layer 3 · catalog moves to 4, storefront to 5",
            "cache: manifest, layer 2 · catalog stays in 3",
            "checkout: manifest, layer 4 · catalog moves to 5, storefront to 6",
            "cilium: manifest, layer 1 · already before it",
            "x storefront: would close a cycle",
        ]
    );
    // A proposal that replaces an entry is compared with the order without that entry.
    let replacing = text.replace("[secrets, $0]", "[secrets, orders-db$0]");
    assert_eq!(
        shown(&replacing),
        [
            "orders-db: manifest, layer 3 · catalog stays in 4",
            "cache: manifest, layer 2 · catalog moves to 3, storefront to 4",
            "checkout: manifest, layer 4 · catalog moves to 5, storefront to 6",
            "cilium: manifest, layer 1 · already before it",
            "x storefront: would close a cycle",
        ]
    );
    // With the first `dependsOn` the order is no longer that of the list, so what moves is not predicted.
    let listed = "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ./x}\n    - \
                      {name: b, type: kustomize, path: ./x}\n    - name: c\n      type: kustomize\n      path: ./x\n      \
                      dependsOn: [$0";
    assert_eq!(shown(listed), ["a: manifest, layer 1", "b: manifest, layer 2"]);
}

#[test]
fn a_stack_says_it_for_both_directions() {
    let text = |list: &str| {
        format!(
            "//- /w/terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\n//- \
                 /w/a/stack.tm\nstack {{\n}}\n//- /w/b/stack.tm\nstack {{\n  after = [\"/a\"]\n}}\n//- \
                 /w/c/stack.tm\nstack {{\n  after = [\"/b\"]\n  {list}\n}}\n//- /w/d/stack.tm\nstack {{\n  after = \
                 [\"/c\"]\n  tags = [\"late\"]\n}}\n"
        )
    };
    let before = shown(&text("before = [\"/zz$0\"]"));
    assert_eq!(
        before,
        [
            "/d: stack, layer 4 · already after it",
            "x /a: would close a cycle",
            "x /b: would close a cycle",
        ][..]
    );
    assert_eq!(
        shown(&text("wants = [\"/zz$0\"]")),
        ["/a: stack, layer 1", "/b: stack, layer 2", "/d: stack, layer 4"]
    );
    // Quotes that the editor closed are the path of the stack's own directory, which closes a cycle.
    let stacks = text("").replace("after = [\"/c\"]", "after = [\"$0\"]");
    let unquoted = stacks.replace("\"$0\"", "$0");
    let expected = [
        "/a: stack, layer 1 · /d moves to 2",
        "/b: stack, layer 2 · /d moves to 3",
        "/c: stack, layer 3 · /d moves to 4",
        "tag:late: tag of 1 stack",
    ];
    assert_eq!(shown(&unquoted)[..3], expected[..3]);
    assert_eq!(shown(&stacks)[..3], expected[..3]);
    let tag = text("").replace("after = [\"/b\"]", "after = [\"tag:$0\"]");
    assert_eq!(shown(&tag), ["x late: would close a cycle"]);
    let tagged = text("wants = [\"$0\"]");
    assert_eq!(
        shown(&tagged),
        [
            "/a: stack, layer 1",
            "/b: stack, layer 2",
            "/d: stack, layer 4",
            "tag:late: tag of 1 stack"
        ]
    );
}

#[test]
fn a_workload_a_rule_and_a_stack_of_spacelift_say_it() {
    let workloads = "//- /w/state.yaml\napiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    \
                         runtimeConfig: \"\"\n    dependencies:\n      $0\n  b:\n    runtime: podman\n    agent: x\n    \
                         runtimeConfig: \"\"\n    dependencies:\n      a: ADD_COND_RUNNING\n  c:\n    runtime: podman\n    \
                         agent: x\n    runtimeConfig: \"\"\n";
    assert_eq!(
        shown(workloads),
        [
            "c: workload, layer 1 · a moves to 2, b to 3",
            "x b: would close a cycle"
        ]
    );
    let resource = |name: &str, annotations: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n{annotations}"
        )
    };
    let rules = format!(
        "//- /w/app.yaml\n{}{}{}",
        resource(
            "a",
            "    kapp.k14s.io/change-group: a\n    kapp.k14s.io/change-rule: upsert after upserting x$0\n"
        ),
        resource(
            "b",
            "    kapp.k14s.io/change-group: b\n    kapp.k14s.io/change-rule: upsert after upserting a\n"
        ),
        resource("c", "    kapp.k14s.io/change-group: c\n"),
    );
    let found = shown(&rules);
    assert!(
        found.contains(&"c: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"x b: would close a cycle".to_owned()),
        "{found:?}"
    );
    let stacks = "//- /w/main.tf\nresource \"spacelift_stack\" \"a\" {\n  name = \"a\"\n  repository = \
                      \"r\"\n  branch = \"m\"\n}\nresource \"spacelift_stack\" \"b\" {\n  name = \"b\"\n  repository = \
                      \"r\"\n  branch = \"m\"\n}\nresource \"spacelift_stack_dependency\" \"ab\" {\n  stack_id = \
                      spacelift_stack.a.id\n  depends_on_stack_id = spacelift_stack.b.id\n}\nresource \
                      \"spacelift_stack_dependency\" \"ba\" {\n  stack_id = spacelift_stack.b.id\n  \
                      depends_on_stack_id = spacelift_$0\n}\n";
    let found = shown(stacks);
    assert!(
        found.contains(&"x spacelift_stack.a.id: would close a cycle".to_owned()),
        "{found:?}"
    );
}

/// ConfigMaps that are each in a group with their own name, with a rule each.
fn ruled(rules: &[(&str, &str)]) -> String {
    let one = |(name, rule): &(&str, &str)| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n    \
                 kapp.k14s.io/change-group: {name}\n    kapp.k14s.io/change-rule: {rule}\n"
        )
    };
    format!("//- /w/app.yaml\n{}", rules.iter().map(one).collect::<String>())
}

#[test]
fn a_rule_for_deletion_shows_its_effect_on_the_delete_order() {
    let after = |own: &str| {
        ruled(&[
            ("a", own),
            ("b", "delete after deleting a"),
            ("c", "delete before deleting b"),
            ("d", "upsert after upserting a"),
        ])
    };
    let of = |own: &str| -> Vec<String> {
        let found = shown(&after(own));
        let own = |one: &String| one.trim_start_matches("x ").find(": ") == Some(1);
        found.into_iter().filter(own).collect()
    };
    // Members that are only applied are not in the delete order.
    assert_eq!(
        of("delete after deleting z$0"),
        [
            "c: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3 on delete",
            "d: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3 on delete",
            "x a: would close a cycle on delete",
            "x b: would close a cycle on delete",
        ]
    );
    assert_eq!(
        of("delete before deleting z$0"),
        [
            "c: 1 member · ConfigMap/c moves to 2, ConfigMap/b to 3 on delete",
            "d: 1 member · ConfigMap/d moves to 2 on delete",
            "b: 1 member · already after it on delete",
            "x a: would close a cycle on delete",
        ]
    );
    // It replaces one that closes a cycle.
    assert_eq!(
        of("delete after deleting b$0"),
        [
            "c: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3 on delete",
            "d: 1 member · ConfigMap/a moves to 2, ConfigMap/b to 3 on delete",
            "x a: would close a cycle on delete",
            "x b: would close a cycle on delete"
        ]
    );
    // It applies only in runs that both apply and delete.
    let mixed = of("upsert after deleting z$0");
    assert!(mixed.iter().all(|one| one.ends_with(": 1 member")), "{mixed:?}");
}

#[test]
fn what_is_in_a_group_only_by_a_config_is_not_ordered_by_kapp_delete() {
    let config = "---\napiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeGroupBindings:\n- name: g\n  \
                      resourceMatchers:\n  - allMatcher: {}\n";
    let text = ruled(&[
        ("a", "delete after deleting z$0"),
        ("b", "delete after deleting a"),
    ]);
    let found = shown(&format!("{text}{config}"));
    let of = |name: &str| found.iter().find(|one| one.contains(name)).unwrap().clone();
    assert_eq!(of("b: "), "x b: would close a cycle on delete");
    assert_eq!(of("g: "), "g: 2 members · ConfigMap/a stays in 1 on delete");
}
