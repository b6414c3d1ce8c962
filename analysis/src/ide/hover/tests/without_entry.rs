//! What would be without an entry.

use super::*;

#[test]
fn a_reference_says_what_would_be_without_it() {
    let at = |entry: &str| DIAMOND.replace("[cert-manager, ingress]", entry);
    holds(
        &at("[cert-manager, ingr$0ess, cni]"),
        &[
            "**`app`** waits for **`ingress`** · layer 2, then 3",
            "**Without this entry** `app` stays in layer 3, alone",
        ],
    );
    holds(
        &at("[cert-manager, ingress, cn$0i]"),
        &["**Without this entry** nothing moves: it is implied, through `cert-manager`"],
    );
    holds(
        &DIAMOND.replacen("dependsOn: [cni]", "dependsOn: [cn$0i]", 1),
        &[
            "on a longest chain",
            "**Without this entry** `cert-manager` is in layer 1, beside `cni`",
        ],
    );
}

#[test]
fn a_rule_of_deletions_says_what_deleting_would_be_without_it() {
    let map = |name: &str, annotation: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: shop\n  annotations:\n    \
                 kapp.k14s.io/{annotation}\n"
        )
    };
    let data = map("data", "change-rule: delete after deleting ex$0ample.com/users");
    let user = map("user", "change-group: example.com/users");
    holds(
        &format!("//- /w/app.yaml\n{data}{user}"),
        &[
            "**`ConfigMap/data@shop`** waits for **`ConfigMap/user@shop`** on delete · layer 1, then 2",
            "**Without this entry** on delete `ConfigMap/data@shop` is in layer 1, beside `ConfigMap/user@shop`",
        ],
    );
    // A rule of a Config is another dependency of the same resource, and unknown to `kapp delete`.
    let config = "---\napiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeRuleBindings:\n- rules: [upsert after upserting \
                  example.com/other]\n  resourceMatchers:\n  - allMatcher: {}\n";
    let first = map("a", "change-group: example.com/first");
    holds(
        &format!("//- /w/app.yaml\n{first}{data}{user}{config}"),
        &["**`ConfigMap/data@shop`** waits for **`ConfigMap/user@shop`** on delete"],
    );
}

#[test]
fn an_edge_of_a_cycle_says_how_it_would_be_broken() {
    let text = "\
//- /w/tazuna.yaml
spec:
  manifests:
    - {name: vault, type: kustomize, path: ./x, dependsOn: [postgres]}
    - {name: postgres, type: kustomize, path: ./x, dependsOn: [$0secrets]}
    - {name: secrets, type: kustomize, path: ./x, dependsOn: [vault]}
";
    holds(
        text,
        &[
            "**In a cycle**: `vault` waits for itself, through `postgres` and `secrets`",
            "**Without this entry** this cycle is broken: `postgres` 1, `vault` 2, `secrets` 3",
            "1. `vault` waits for `postgres` (`dependsOn`): `tazuna.yaml:3`",
            "2. `postgres` waits for `secrets` (`dependsOn`): here",
            "**`tazuna apply` rejects this project** (stage `cycle`)",
        ],
    );
}

#[test]
fn every_engine_says_what_would_be_without_an_entry() {
    holds(
        "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- /w/a/stack.tm\nstack {\n}\n//- \
             /w/b/stack.tm\nstack {\n  after = [\"/$0a\"]\n}\n",
        &["**Without this entry** `/b` is in layer 1, beside `/a`"],
    );
    holds(
        "//- /w/state.yaml\napiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    \
             runtimeConfig: \"\"\n  b:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"\"\n    \
             dependencies:\n      $0a: ADD_COND_RUNNING\n",
        &["**Without this entry** `b` is in layer 1, beside `a`"],
    );
    let resource = |name: &str, annotation: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations: {{{annotation}}}\n"
        )
    };
    holds(
        &format!(
            "//- /w/app.yaml\n{}{}",
            resource("a", "kapp.k14s.io/change-group: g"),
            resource("b", "kapp.k14s.io/change-rule: upsert after upserting $0g"),
        ),
        &["**Without this entry** `ConfigMap/b` is in layer 1, beside `ConfigMap/a`"],
    );
    let stack = |name: &str| {
        format!(
            "resource \"spacelift_stack\" \"{name}\" {{\n  name = \"{name}\"\n  repository = \"r\"\n  branch = \"m\"\n}}\n"
        )
    };
    holds(
        &format!(
            "//- /w/main.tf\n{}{}resource \"spacelift_stack_dependency\" \"ab\" {{\n  stack_id = \
                 spacelift_stack.a.id\n  depends_on_stack_id = spacelift_stack.$0b.id\n}}\n",
            stack("a"),
            stack("b")
        ),
        &["**Without this entry** `spacelift_stack.a` is in layer 1, beside `spacelift_stack.b`"],
    );
}
