//! What ids mean.

use applyorder_core::engine::RunOptions;

use super::{dependency, module, picture, stacks};

fn edges(text: &str) -> Vec<String> {
    picture(&module(text, RunOptions::default()))
}

#[test]
fn a_default_is_only_likely_and_a_value_that_is_given_is_certain() {
    let text = format!(
        "variable \"up\" {{\n  default = \"b\"\n}}\n{}{}",
        stacks(&["a", "b"])
            .replace("branch ", "slug = \"b\"\n  branch ")
            .replacen("slug = \"b\"", "slug = \"a\"", 1),
        dependency("d", "spacelift_stack.a.id", "var.up")
    );
    assert_eq!(edges(&text), ["spacelift_stack.a -> spacelift_stack.b ?"]);
    let given = RunOptions::default().with(&crate::config::VAR, ["up=b"]);
    let fixture = module(&text, given);
    assert_eq!(picture(&fixture), ["spacelift_stack.a -> spacelift_stack.b"]);
}

#[test]
fn a_key_that_does_not_exist_is_as_certain_as_what_decides_it() {
    let severity = |head: &str, each: &str, of: &str| {
        let text = format!(
            "variable \"repo\" {{\n  default = \"r\"\n}}\n{head}\nresource \"spacelift_stack\" \"a\" {{\n  for_each   = {each}\n  \
             name       = each.key\n  repository = var.repo\n  branch     = \"m\"\n}}\n{}",
            dependency("d", "spacelift_stack.a[\"x\"].id", of)
        );
        let fixture = module(&text, RunOptions::default());
        let found = super::found(&fixture, &applyorder_core::rules::unknown_dependency::RULE);
        found.iter().map(|d| d.severity.as_str()).collect::<Vec<_>>()
    };
    let gone = "spacelift_stack.a[\"z\"].id";
    let of_files = "locals {\n  all = { for f in [\"x\"] : f => { repo = var.repo } }\n}";
    assert_eq!(severity("", "toset([\"x\"])", gone), ["error"]);
    assert_eq!(severity(of_files, "local.all", gone), ["error"]);
    // The keys, the way to them or the place itself depend on a default.
    let keys = "variable \"keys\" {\n  default = [\"x\"]\n}\nvariable \"other\" {\n  default = {}\n}";
    assert_eq!(severity(keys, "toset(var.keys)", gone), ["warning"]);
    assert_eq!(
        severity(keys, "toset(try(var.other.keys, [\"x\"]))", gone),
        ["warning"]
    );
    let chosen = format!("var.repo == \"r\" ? {gone} : spacelift_stack.a[\"x\"].id");
    assert_eq!(severity("", "toset([\"x\"])", &chosen), ["warning"]);
    let repeated = format!("{gone}\n  count = length(var.keys)");
    assert_eq!(severity(keys, "toset([\"x\"])", &repeated), ["warning"]);
}

#[test]
fn the_workspace_is_the_one_that_is_chosen_and_only_likely() {
    let text = |stored: &str, head: &str| {
        let upstream = "terraform.workspace == \"prod\" ? spacelift_stack.b.id : spacelift_stack.c.id";
        let own = dependency("d", "spacelift_stack.a.id", upstream);
        format!("{head}{}{own}{stored}", stacks(&["a", "b", "c"]))
    };
    let stored = "//- /w/.terraform/environment\nprod\n";
    assert_eq!(edges(&text("", "")), ["spacelift_stack.a -> spacelift_stack.c ?"]);
    assert_eq!(
        edges(&text(stored, "")),
        ["spacelift_stack.a -> spacelift_stack.b ?"]
    );
    let remote = "terraform {\n  backend \"remote\" {\n  }\n}\n";
    let open = ["open spacelift_stack_dependency.d.depends_on_stack_id"];
    assert_eq!(edges(&text(stored, remote)), open);
    // What it rejects is only likely to be rejected.
    let each = "resource \"spacelift_stack\" \"e\" {\n  for_each = toset([\"prod\"])\n  name = each.key\n  repository = \
                \"r\"\n  branch = \"m\"\n}\n";
    let keyed = dependency(
        "k",
        "spacelift_stack.a.id",
        "spacelift_stack.e[terraform.workspace].id",
    );
    let said = |stored: &str| {
        let fixture = module(&text(stored, &format!("{each}{keyed}")), RunOptions::default());
        let found = super::found(&fixture, &applyorder_core::rules::unknown_dependency::RULE);
        found.iter().map(|d| d.severity.as_str()).collect::<Vec<_>>()
    };
    assert_eq!((said(""), said(stored)), (vec!["warning"], vec![]));
}

#[test]
fn files_of_values_beside_the_module_are_read() {
    let text = format!(
        "variable \"names\" {{\n  type = set(string)\n}}\n{}resource \"spacelift_stack\" \"e\" {{\n  for_each = \
         var.names\n  name = each.key\n  repository = \"r\"\n  branch = \"m\"\n}}\n{}//- /w/terraform.tfvars\nnames = \
         [\"x\", \"y\"]\n",
        stacks(&["a"]),
        dependency("d", "spacelift_stack.e[\"x\"].id", "spacelift_stack.a.id")
    );
    assert_eq!(edges(&text), ["spacelift_stack.e[\"x\"] -> spacelift_stack.a ?"]);
}

#[test]
fn what_nobody_knows_stays_open_and_a_named_instance_is_a_stack_all_the_same() {
    let text = format!(
        "variable \"names\" {{\n}}\n{}resource \"spacelift_stack\" \"e\" {{\n  for_each = var.names\n  name = \
         each.key\n  repository = \"r\"\n  branch = \"m\"\n}}\n{}{}",
        stacks(&["a"]),
        dependency("d", "spacelift_stack.e[\"x\"].id", "spacelift_stack.a.id"),
        dependency("e", "spacelift_stack.e[var.names].id", "spacelift_stack.a.id")
    );
    assert_eq!(
        edges(&text),
        [
            "spacelift_stack.e[\"x\"] -> spacelift_stack.a",
            "open spacelift_stack_dependency.e.stack_id"
        ]
    );
}

#[test]
fn stacks_from_a_file_beside_the_module_are_known() {
    let text = String::from(
        "locals {\n  all = yamldecode(file(\"${path.module}/stacks.yaml\"))\n}\nresource \"spacelift_stack\" \"e\" \
         {\n  for_each = local.all\n  name = each.key\n  repository = \"r\"\n  branch = \"m\"\n}\nresource \
         \"spacelift_stack_dependency\" \"d\" {\n  for_each = { for k, v in local.all : k => v.after if can(v.after) \
         }\n  stack_id = spacelift_stack.e[each.key].id\n  depends_on_stack_id = \
         spacelift_stack.e[each.value].id\n}\n//- /w/stacks.yaml\nnet: {}\napp:\n  after: net\n",
    );
    assert_eq!(
        edges(&text),
        ["spacelift_stack.e[\"app\"] -> spacelift_stack.e[\"net\"]"]
    );
}

#[test]
fn a_file_that_stands_in_for_one_that_is_not_there_is_likely() {
    let text = |files: &str| {
        let read = "yamldecode(fileexists(\"x.yaml\") ? file(\"x.yaml\") : file(\"y.yaml\"))";
        let of = format!("{read}.of == \"b\" ? spacelift_stack.b.id : spacelift_stack.c.id");
        let own = dependency("d", "spacelift_stack.a.id", &of);
        format!("{}{own}//- /w/y.yaml\nof: b\n{files}", stacks(&["a", "b", "c"]))
    };
    assert_eq!(edges(&text("")), ["spacelift_stack.a -> spacelift_stack.b ?"]);
    let there = text("//- /w/x.yaml\nof: c\n");
    assert_eq!(edges(&there), ["spacelift_stack.a -> spacelift_stack.c"]);
}

#[test]
fn a_plan_tells_what_the_configuration_does_not() {
    let plan = r#"{"format_version":"1.2","planned_values":{"root_module":{"resources":[
        {"address":"spacelift_stack.a","mode":"managed","type":"spacelift_stack","values":{"id":"a"}},
        {"address":"spacelift_stack_dependency.d","mode":"managed","type":"spacelift_stack_dependency",
         "values":{"stack_id":"a","depends_on_stack_id":"b-7"}},
        {"address":"spacelift_stack.b","mode":"managed","type":"spacelift_stack","values":{"id":"b-7"}}]}}}"#;
    let text = format!(
        "{}data \"http\" \"x\" {{\n}}\n{}//- /w/plan.json\n{plan}",
        stacks(&["a", "b"]),
        dependency("d", "spacelift_stack.a.id", "data.http.x.body")
    );
    assert_eq!(
        edges(&text),
        ["open spacelift_stack_dependency.d.depends_on_stack_id"]
    );
    let options = RunOptions {
        state: Some("/w/plan.json".into()),
        ..RunOptions::default()
    };
    assert_eq!(
        picture(&module(&text, options)),
        ["spacelift_stack.a -> spacelift_stack.b"]
    );
}

#[test]
fn a_child_module_by_itself_has_no_finding_and_terraform_without_stacks_no_project() {
    let text = format!(
        "variable \"ids\" {{\n}}\n{}resource \"spacelift_stack_dependency\" \"d\" {{\n  for_each = var.ids\n  stack_id = \
         spacelift_stack.a.id\n  depends_on_stack_id = each.value\n}}\n",
        stacks(&["a"])
    );
    assert_eq!(edges(&text), ["open spacelift_stack_dependency.d.for_each"]);
    let fixture = module(
        "module \"m\" {\n  source = \"./m\"\n}\nresource \"aws_x\" \"y\" {\n  oops\n}\n",
        RunOptions::default(),
    );
    assert_eq!(fixture.analysis.projects().count(), 0);
}

#[test]
fn modules_that_call_themselves_and_endless_values_end() {
    let text = format!(
        "module \"m\" {{\n  source = \"./\"\n}}\nlocals {{\n  many = range(1000)\n  more = setproduct(local.many, \
         local.many, local.many)\n}}\n{}resource \"spacelift_stack_dependency\" \"d\" {{\n  for_each = toset([for x in \
         local.more : join(\"-\", x)])\n  stack_id = spacelift_stack.a.id\n  depends_on_stack_id = each.value\n}}\n",
        stacks(&["a"])
    );
    assert_eq!(
        edges(&text),
        [
            "open spacelift_stack_dependency.d.for_each",
            "open module.m.source"
        ]
    );
}

#[test]
fn a_deep_chain_of_locals_is_left_unknown() {
    let mut text = String::from("locals {\n  x0 = spacelift_stack.a.id\n");
    for i in 1..3000 {
        text.push_str(&format!("  x{i} = local.x{}\n", i - 1));
    }
    text.push_str("}\n");
    text.push_str(&stacks(&["a", "b"]));
    text.push_str(&dependency("d", "local.x2999", "spacelift_stack.b.id"));
    assert_eq!(edges(&text), ["open spacelift_stack_dependency.d.stack_id"]);
}

#[test]
fn an_index_is_computed() {
    let text = "resource \"spacelift_stack\" \"r\" {\n  count = 3\n  name = \"r${count.index}\"\n  repository = \
                \"r\"\n  branch = \"m\"\n}\nresource \"spacelift_stack_dependency\" \"d\" {\n  count = 3\n  \
                stack_id = spacelift_stack.r[count.index].id\n  depends_on_stack_id = spacelift_stack.r[(count.index + \
                1) % 3].id\n}\n";
    assert_eq!(
        edges(text),
        [
            "spacelift_stack.r[0] -> spacelift_stack.r[1]",
            "spacelift_stack.r[1] -> spacelift_stack.r[2]",
            "spacelift_stack.r[2] -> spacelift_stack.r[0]",
            "cycle spacelift_stack.r[0]"
        ]
    );
}

#[test]
fn data_sources_stand_for_what_they_look_up() {
    let text = format!(
        "{}data \"spacelift_current_stack\" \"me\" {{\n}}\ndata \"spacelift_stack\" \"own\" {{\n  stack_id = \
         spacelift_stack.a.id\n}}\ndata \"spacelift_stack\" \"far\" {{\n  stack_id = \"far\"\n}}\n{}{}{}",
        stacks(&["a", "b"]),
        dependency("x", "spacelift_stack.a.id", "data.spacelift_current_stack.me.id"),
        dependency("y", "spacelift_stack.b.id", "data.spacelift_stack.own.id"),
        dependency("z", "spacelift_stack.b.id", "data.spacelift_stack.far.id")
    );
    assert_eq!(
        edges(&text),
        [
            "spacelift_stack.a -> data.spacelift_current_stack.me",
            "spacelift_stack.b -> data.spacelift_stack.far",
            "spacelift_stack.b -> spacelift_stack.a"
        ]
    );
}

#[test]
fn what_is_named_in_no_edge_is_no_stack() {
    let text = format!(
        "variable \"x\" {{\n}}\n{}{}",
        stacks(&["a"]),
        dependency("d", "\"elsewhere\"", "var.x")
    );
    let fixture = module(&text, RunOptions::default());
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let names: Vec<&str> = project.resolution.variants[0]
        .units
        .iter()
        .map(|u| &*u.name)
        .collect();
    assert_eq!(names, ["spacelift_stack.a"]);
}

#[test]
fn opentofu_hides_what_terraform_reads() {
    let text = format!(
        "{}{}//- /w/d.tf\n{}//- /w/d.tofu\n",
        stacks(&["a", "b"]),
        dependency("x", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        dependency("y", "spacelift_stack.b.id", "spacelift_stack.a.id"),
    );
    assert_eq!(edges(&text), ["spacelift_stack.a -> spacelift_stack.b"]);
}

#[test]
fn other_instances_of_a_conditional_hang_on_what_nobody_knows() {
    let text = format!(
        "variable \"on\" {{\n}}\n{}resource \"spacelift_stack_dependency\" \"d\" {{\n  count = var.on ? 1 : 0\n  stack_id \
         = spacelift_stack.a.id\n  depends_on_stack_id = spacelift_stack.b.id\n}}\nresource \
         \"spacelift_stack_dependency\" \"e\" {{\n  stack_id = var.on ? spacelift_stack.a.id : \
         spacelift_stack.a.slug\n  depends_on_stack_id = coalesce(spacelift_stack.b.id, var.on)\n}}\n",
        stacks(&["a", "b"])
    );
    assert_eq!(
        edges(&text),
        [
            "spacelift_stack.a -> spacelift_stack.b",
            "open spacelift_stack_dependency.d.count"
        ]
    );
}

#[test]
fn an_id_that_is_passed_on_is_the_same_stack() {
    let head = "variable \"x\" {\n}\nlocals {\n  ids = spacelift_stack.e[*].id\n  m   = { for s in spacelift_stack.e : \
                \"k\" => s.id... }\n}\nresource \"spacelift_stack\" \"e\" {\n  count = 1\n  name = \"e\"\n  \
                repository = \"r\"\n  branch = \"m\"\n}\ndata \"spacelift_stack\" \"far\" {\n  stack_id = \"far\"\n}\n";
    let upstream = |id: &str| {
        let own = dependency("d", "spacelift_stack.a.id", id);
        edges(&format!("{head}{}{own}", stacks(&["a", "b"]))).remove(0)
    };
    for id in [
        "trimspace(spacelift_stack.b.id)",
        "format(\"%s\", spacelift_stack.b.slug)",
        "nonsensitive(sensitive(\"${spacelift_stack.b.id}\"))",
        "join(\"\", compact([\"\", spacelift_stack.b.id]))",
        "spacelift_stack.b.id != \"\" ? spacelift_stack.b.id : var.x",
        "lookup({ b = spacelift_stack.b.id }, \"b\", null)",
    ] {
        assert_eq!(upstream(id), "spacelift_stack.a -> spacelift_stack.b", "{id}");
    }
    for id in [
        "join(\"\", spacelift_stack.e.*.id)",
        "one(spacelift_stack.e[*].id)",
        "try(spacelift_stack.e[0].id, null)",
        "element(concat(spacelift_stack.e.*.id, [\"\"]), 0)",
        "formatlist(\"%s\", local.ids)[0]",
        "values(local.m)[0][0]",
        "can(spacelift_stack.e[0].id) ? spacelift_stack.e[0].id : var.x",
    ] {
        assert_eq!(upstream(id), "spacelift_stack.a -> spacelift_stack.e[0]", "{id}");
    }
    let far = "spacelift_stack.a -> data.spacelift_stack.far";
    assert_eq!(upstream("trimspace(data.spacelift_stack.far.id)"), far);
    for id in [
        "upper(spacelift_stack.b.id)",
        "lower(spacelift_stack.b.id)",
        "\"x-${spacelift_stack.b.id}\"",
        "\"${spacelift_stack.b.id}${var.x}\"",
        "join(\"-\", [spacelift_stack.a.id, spacelift_stack.b.id])",
        "replace(spacelift_stack.b.id, \"_\", \"-\")",
        "distinct([spacelift_stack.a.id, spacelift_stack.b.id])[1]",
        // An empty text is the slug of no stack.
        "join(\"\", slice(spacelift_stack.e.*.id, 1, 1))",
    ] {
        assert_eq!(
            upstream(id),
            "open spacelift_stack_dependency.d.depends_on_stack_id",
            "{id}"
        );
    }
}

#[test]
fn json_says_what_native_syntax_says() {
    let text = format!(
        "{}//- /w/d.tf.json\n{{\"resource\": {{\"spacelift_stack_dependency\": {{\"d\": [{{\"stack_id\": \
         \"${{spacelift_stack.a.id}}\", \"depends_on_stack_id\": \"${{spacelift_stack.e[\\\"x\\\"].idd}}\"}}]}}, \
         \"spacelift_stack\": {{\"e\": {{\"for_each\": \"${{toset([\\\"x\\\"])}}\", \"name\": \"${{each.key}}\", \
         \"repository\": \"r\", \"branch\": \"m\"}}}}}}}}\n",
        stacks(&["a"])
    );
    let rule = &applyorder_core::rules::unknown_field::RULE;
    super::speaks(rule, &text, &["spacelift_stack.e[\\\"x\\\"].idd"]);
    let fixed = text.replace(".idd", ".id");
    assert_eq!(edges(&fixed), ["spacelift_stack.a -> spacelift_stack.e[\"x\"]"]);
}

#[test]
fn installed_modules_are_read_where_the_list_has_them() {
    let text = |source: &str, listed: &str| {
        format!(
            "{}module \"net\" {{\n  source  = \"{source}\"\n  version = \"1.0.0\"\n}}\n{}\
             //- /w/.terraform/modules/modules.json\n{{\"Modules\":[{{\"Key\":\"\",\"Source\":\"\",\"Dir\":\".\"}},\
             {listed}]}}\n//- /w/.terraform/modules/net/main.tf\n{}output \"id\" {{\n  value = \
             spacelift_stack.inner.id\n}}\nresource \"spacelift_stack_dependency_reference\" \"r\" {{\n  \
             stack_dependency_id = \"a/b\"\n  output_name = \"o\"\n  input_name = \"o\"\n}}\n",
            stacks(&["a"]),
            dependency("d", "spacelift_stack.a.id", "module.net.id"),
            stacks(&["inner"]),
        )
    };
    let entry = |key: &str, source: &str, version: &str| {
        format!(
            "{{\"Key\":\"{key}\",\"Source\":\"{source}\",\"Version\":\"{version}\",\"Dir\":\".terraform/modules/net\"}}"
        )
    };
    let registry = entry("net", "registry.terraform.io/acme/net/spacelift", "1.0.0");
    let resolved = "spacelift_stack.a -> module.net.spacelift_stack.inner".to_owned();
    let own = text("acme/net/spacelift", &registry);
    assert!(edges(&own).contains(&resolved));
    // Installed modules get no advice.
    let rule = &crate::rules::OWN
        .iter()
        .find(|r| r.id == "spacelift/input-without-tf-var")
        .unwrap();
    super::speaks(rule, &own, &[]);
    let git = entry("net", "git::https://example.com/net.git?ref=v1", "");
    assert!(edges(&text("git::https://example.com/net.git?ref=v1", &git)).contains(&resolved));
    let open = ["open spacelift_stack_dependency.d.depends_on_stack_id"];
    for (source, listed) in [
        // Another source than was installed, another call, a path with only the same end, and two versions of
        // one source.
        ("acme/net/other", registry.clone()),
        ("acme/net/spacelift", entry("web", "acme/net/spacelift", "1.0.0")),
        ("e/net/spacelift", registry.clone()),
        (
            "acme/net/spacelift",
            format!(
                "{registry},{}",
                entry("web", "registry.terraform.io/acme/net/spacelift", "2.0.0")
            ),
        ),
        ("acme/net/spacelift", "oops".to_owned()),
    ] {
        assert_eq!(edges(&text(source, &listed)), open, "{source} {listed}");
    }
}

#[test]
fn which_dependencies_there_are_may_be_unknown_as_a_whole() {
    let text = format!(
        "variable \"names\" {{\n}}\n{}resource \"spacelift_stack_dependency\" \"d\" {{\n  for_each = var.names\n  stack_id = \
         spacelift_stack.a.id\n  depends_on_stack_id = each.value\n}}\n",
        stacks(&["a"])
    );
    let fixture = module(&text, RunOptions::default());
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let order = &project.resolution.variants[0].apply;
    let because = "what is unknown orders nothing here: `spacelift_stack_dependency.d.for_each`";
    assert_eq!(
        (order.guaranteed, order.because.as_deref()),
        (false, Some(because))
    );
    let apply = project.resolution.verdicts.iter().find(|v| v.command == "apply");
    assert_eq!(apply.unwrap().ok, None);
}

/// What each command would say, in the order of the commands.
fn verdicts(text: &str) -> Vec<Option<bool>> {
    let fixture = module(text, RunOptions::default());
    let (_, project) = fixture.analysis.projects().next().unwrap();
    project.resolution.verdicts.iter().map(|v| v.ok).collect()
}

/// Source: Terraform 1.11, "Invalid count argument", "Invalid for_each argument" and "Duplicate object key", of which
/// the last is the same whatever ids there are.
#[test]
fn what_depends_on_an_id_before_there_is_one_leaves_the_plan_open() {
    let edge = |meta: &str| {
        let own = dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id");
        stacks(&["a", "b"]) + &own.replace("  stack_id ", &format!("  {meta}\n  stack_id "))
    };
    let plain = edge("count = 1");
    assert_eq!(verdicts(&plain), [Some(true), Some(true), Some(true)]);
    for meta in [
        "count = spacelift_stack.b.id == null ? 0 : 1",
        "count = spacelift_stack.b.id != \"\" ? 1 : 0",
        "count = can(spacelift_stack.b.id) ? 1 : 0",
        "count = length(compact([spacelift_stack.b.id]))",
        "count = length(distinct([spacelift_stack.b.id]))",
        "for_each = { for k, v in { x = spacelift_stack.b.id } : k => v if v != null }",
        "for_each = toset([spacelift_stack.b.id])",
    ] {
        assert_eq!(verdicts(&edge(meta)), [Some(true), None, None], "{meta}");
    }
    let twice = "for_each = { for k in [\"x\", \"y\"] : \"z\" => k }";
    assert_eq!(verdicts(&edge(twice)), [Some(false), Some(false), Some(false)]);
    let tried = "for_each = try({ for k in [\"x\", \"y\"] : \"z\" => k }, {})";
    assert_eq!(verdicts(&edge(tried)), [Some(true), Some(true), Some(true)]);
}

#[test]
fn what_rests_on_likely_values_leaves_the_verdict_open() {
    let cycle = |variable: &str| {
        let stack = |name: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  name = \"{name}\"\n  slug = \"{name}\"\n  repository = \"r\"\n  \
                 branch = \"m\"\n}}\n"
            )
        };
        format!(
            "{variable}{}{}{}{}",
            stack("a"),
            stack("b"),
            dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
            dependency("e", "spacelift_stack.b.id", "var.up")
        )
    };
    let likely = cycle("variable \"up\" {\n  default = \"a\"\n}\n");
    assert_eq!(verdicts(&likely), [Some(true), Some(true), None]);
    let outside = cycle("variable \"up\" {\n  default = \"c\"\n}\n");
    assert_eq!(verdicts(&outside), [Some(true), Some(true), Some(true)]);
}

#[test]
fn a_module_that_calls_itself_and_a_value_past_a_limit_leave_all_verdicts_open() {
    let itself =
        "module \"m\" {\n  source = \"./m\"\n}\n//- /w/m/main.tf\nmodule \"m\" {\n  source = \"./\"\n}\n";
    assert_eq!(verdicts(&(stacks(&["a"]) + itself)), [None, None, None]);
    let many = "locals {\n  many = [for i in range(1000) : [for j in range(1000) : \"${i}-${j}\"]]\n}\nresource \
                \"spacelift_stack_dependency\" \"d\" {\n  for_each = toset(flatten(local.many))\n  stack_id = \
                spacelift_stack.a.id\n  depends_on_stack_id = each.key\n}\n";
    assert_eq!(verdicts(&(stacks(&["a"]) + many)), [None, None, None]);
}

/// A text that is too large is read no further; that it names stacks is seen all the same.
#[test]
fn a_file_that_is_too_large_to_be_read_makes_a_project_and_is_said() {
    let mut text = stacks(&["a"]);
    text.push_str(&"# filler\n".repeat(2 * 1024 * 1024));
    let fixture = module(&text, RunOptions::default());
    let found = super::found(&fixture, &applyorder_core::rules::limit_reached::RULE);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_written_slug_is_a_key_and_an_id() {
    let own = stacks(&["a", "s"]).replace(
        "name       = \"s\"",
        "name       = \"s\"\n  slug       = \"the-slug\"",
    );
    for (for_each, id) in [
        ("toset([spacelift_stack.s.slug])", "each.key"),
        ("{ (spacelift_stack.s.slug) = 1 }", "each.key"),
        ("{ for s in [spacelift_stack.s] : s.slug => s }", "each.value.id"),
        ("toset(local.all)", "each.value"),
    ] {
        let text = format!(
            "{own}locals {{\n  all = [spacelift_stack.s.slug]\n}}\nresource \"spacelift_stack_dependency\" \"d\" {{\n  for_each = \
             {for_each}\n  stack_id = spacelift_stack.a.id\n  depends_on_stack_id = {id}\n}}\n"
        );
        let fixture = module(&text, RunOptions::default());
        let edge = "spacelift_stack.a -> spacelift_stack.s";
        assert!(picture(&fixture).iter().any(|line| line == edge), "{for_each}");
        // Terraform sees that the stack comes first.
        let said = fixture.analysis.findings();
        let of_literals = said
            .iter()
            .any(|f| f.diagnostic.rule.id == "spacelift/literal-id-of-managed-stack");
        assert!(!of_literals, "{for_each}");
    }
}
