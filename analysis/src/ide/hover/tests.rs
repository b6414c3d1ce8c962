use super::*;
use crate::fixture::Fixture;

fn check(text: &str, expected: &str) {
    let fixture = Fixture::new(applyorder_engines::all(), text);
    let found = hover(&fixture.analysis, fixture.file, fixture.offset);
    assert_eq!(found.map(|h| h.markdown).unwrap_or_default(), expected);
}

fn holds(text: &str, parts: &[&str]) {
    let fixture = Fixture::new(applyorder_engines::all(), text);
    let found = hover(&fixture.analysis, fixture.file, fixture.offset)
        .unwrap()
        .markdown;
    for part in parts {
        assert!(found.contains(part), "{part} is not in:\n{found}");
    }
}

const DIAMOND: &str = "\
//- /w/tazuna.yaml
spec:
  manifests:
    - name: cni
      type: kustomize
      path: ./x
    - name: cert-manager
      type: helmfile
      path: ./x
      dependsOn: [cni]
    - name: ingress
      type: helmfile
      path: ./x
      dependsOn: [cni]
    - name: app
      type: kustomize
      path: ./x
      dependsOn: [cert-manager, ingress]
";

#[test]
fn a_name_shows_its_place_in_the_order() {
    holds(
        &DIAMOND.replace("name: ingress", "name: ing$0ress"),
        &[
            "**manifest `ingress`** · layer 2 of 3",
            "**after** `cni` · **beside** `cert-manager` · **before** `app`",
            "on delete: 3 of 4",
        ],
    );
}

#[test]
fn a_reference_shows_what_it_refers_to() {
    holds(
        &DIAMOND.replace("[cert-manager, ingress]", "[cert-manager, ingr$0ess]"),
        &["**manifest `ingress`** · layer 2 of 3"],
    );
    check(
        &DIAMOND.replace("[cert-manager, ingress]", "[cert-manager, ingres$0]"),
        "`ingres` matches no manifest.\n\n---\n\n- `unknown-dependency`: rejected by `tazuna check`, `tazuna apply` \
             (stage `dependsOn`): manifest \"app\" dependsOn references unknown manifest \
             \"ingres\"",
    );
}

#[test]
fn an_include_says_once_what_it_brings() {
    check(
        "//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - {includes: [{path: sub/$0a.yaml}]}
    - {name: b{{ .Environment }}, type: kustomize, path: ./x}
//- /w/sub/a.yaml
spec:
  manifests:
    - {name: a, type: kustomize, path: ./x}
",
        "`sub/a.yaml`: 1 manifest",
    );
}

#[test]
fn a_key_says_what_the_field_is_for() {
    check(
        &DIAMOND.replacen("dependsOn: [cni]", "depends$0On: [cni]", 1),
        "`dependsOn` of a manifest: names of manifests that are applied before\n\n---\n\n- `tazuna/destroy-order`: \
             `destroy` follows list order and ignores `dependsOn`",
    );
    check(
        &DIAMOND.replacen("type: kustomize", "$0type: kustomize", 1),
        "`type` of a manifest: what applies it\n\nOne of `kustomize`, `helmfile`, `genesissecret`, `oras`.",
    );
    check(
        &DIAMOND.replacen("path: ./x", "pa$0rts: ./x", 1),
        "- `unknown-field`: Tazuna ignores it",
    );
}

#[test]
fn nothing_to_say_is_nothing() {
    check(&DIAMOND.replace("helmfile", "helm$0file"), "");
}

#[test]
fn each_root_of_a_shared_file_has_its_part() {
    holds(
        "//- /w/one/tazuna.yaml
spec:
  manifests:
    - {includes: [{path: ../shared.yaml}]}
//- /w/shared.yaml
spec:
  manifests:
    - {name: com$0mon, type: kustomize, path: ./x}
//- /w/two/tazuna.yaml
spec:
  manifests:
    - {name: first, type: kustomize, path: ./x}
    - {includes: [{path: ../shared.yaml}]}
",
        &[
            "In `/w/one/tazuna.yaml`:\n\n**manifest `common`** · layer 1 of 1",
            "In `/w/two/tazuna.yaml`:\n\n**manifest `common`** · layer 2 of 2",
            "`/w/shared.yaml:3`, included at",
        ],
    );
}

#[test]
fn environments_that_differ_are_distinguished() {
    holds(
        "//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - {name: first, type: kustomize, path: ./x}
    - {name: sec$0ond, type: kustomize, path: ./x}
{{ if eq .Environment \"prod\" }}
    - {name: third, type: kustomize, path: ./x, dependsOn: [first]}
{{ end }}
",
        &[
            "_without environment_\n\n**manifest `second`** · layer 2 of 2",
            "_with environment `prod`_\n\n**manifest `second`** · layer 1 of 2",
        ],
    );
}

#[test]
fn long_lists_are_bounded() {
    let mut text = String::from("//- /w/tazuna.yaml\nspec:\n  manifests:\n");
    text.push_str("    - {name: $0root, type: kustomize, path: ./x}\n");
    for i in 0..1000 {
        text.push_str(&format!(
            "    - {{name: n{i}, type: kustomize, path: ./x, dependsOn: [root]}}\n"
        ));
    }
    let fixture = Fixture::new(applyorder_engines::all(), &text);
    let found = hover(&fixture.analysis, fixture.file, fixture.offset)
        .unwrap()
        .markdown;
    assert!(found.contains("995 more"), "{found}");
    assert!(found.len() < 2000);
}

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
fn the_hover_of_an_include_group_lists_its_includes() {
    let part = |file: &str, names: &[&str]| {
        let manifests = names
            .iter()
            .map(|name| format!("    - {{name: {name}, type: kustomize, path: ./x}}\n"));
        format!(
            "//- /w/{file}\nspec:\n  manifests:\n{}",
            manifests.collect::<String>()
        )
    };
    let root = "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - name: pl$0atform\n      includes: [{path: a.yaml}, {path: \
                b.yaml}]\n";
    holds(
        &format!(
            "{root}{}{}",
            part("a.yaml", &["one", "two"]),
            part("b.yaml", &["three"])
        ),
        &["`a.yaml`: 2 manifests\n\n`b.yaml`: 1 manifest"],
    );
}

#[test]
fn a_name_of_several_units_describes_each() {
    let stack = |path: &str, body: &str| format!("//- /w/{path}/stack.tm\nstack {{\n  {body}\n}}\n");
    let tree = |list: &str| {
        let root = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";
        let (a, b) = (
            stack("a", "tags = [\"x\"]"),
            stack("b", "tags = [\"x\"]\n  after = [\"/a\"]"),
        );
        format!("{root}{a}{b}{}", stack("c", list))
    };
    holds(
        &tree("after = [\"tag:$0x\"]"),
        &[
            "**`/c`** waits for **2 stacks** · layers 1–2, then 3",
            "**2 stacks** · layers 1–2 of 3\n\n- `/a` · layer 1 of 3 · **after** nothing · **beside** nothing · \
                 **before** `/b`, `/c`\n- `/b` · layer 2 of 3 · **after** `/a` · **beside** nothing · **before** `/c`",
        ],
    );
    holds(
        &tree("before = [\"tag:$0x\"]"),
        &["**2 stacks** wait for **`/c`** · layer 1, then 2–3"],
    );
    let instances = "//- /w/main.tf\nresource \"spacelift_stack\" \"$0a\" {\n  for_each = toset([\"x\", \"y\"])\n  name \
                         = each.key\n  repository = \"r\"\n  branch = \"m\"\n}\n";
    holds(
        instances,
        &["**2 stacks** · layer 1 of 1\n\n- `spacelift_stack.a[\"x\"]` · layer 1 of 1 · **after** nothing"],
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

#[test]
fn a_reason_that_is_a_sentence_has_a_line_of_its_own() {
    holds(
        "//- /w/app.yaml\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n---\napiVersion: v1\nkind: \
             ConfigMap\nmetadata:\n  name: $0a\n  namespace: shop\n  annotations: {kapp.k14s.io/change-group: g}\n",
        &[
            "**after** `Namespace/shop` · **beside**",
            "\n\nafter `Namespace/shop`: kapp's default rule `upsert after upserting \
                 change-groups.kapp.k14s.io/namespaces-{namespace}`: resources wait for their own namespace",
        ],
    );
    holds(
        "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- /w/a/stack.tm\nstack {\n}\n//- \
             /w/a/b/stack.tm\n$0stack {\n}\n",
        &["**after** `/a` (nesting) · "],
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

#[test]
fn names_are_links_where_they_can_be_followed() {
    let fixture = Fixture::new(
        applyorder_engines::all(),
        &DIAMOND.replace("name: ingress", "name: ing$0ress"),
    );
    let target = |at: crate::ide::FileSpan| Some(format!("x:{}", at.span.start));
    let links = Links {
        target: Some(&target),
        graph: Some("x:graph"),
    };
    let found = hover_with(&fixture.analysis, fixture.file, fixture.offset, links).unwrap();
    assert!(
        found.markdown.ends_with("\n\n[Show graph](x:graph)"),
        "{}",
        found.markdown
    );
    let at = fixture.text(fixture.file).find("cni").unwrap();
    assert!(
        found.markdown.contains(&format!("**after** [`cni`](x:{at})")),
        "{}",
        found.markdown
    );
}

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
