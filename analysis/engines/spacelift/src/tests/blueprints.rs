//! Stacks in blueprints.

use applyorder_analysis::fixture::Fixture;
use applyorder_core::diagnostic::{Diagnostic, Rule};
use applyorder_core::engine::RunOptions;

use super::{found, picture};

/// A blueprint of stacks by their keys, with more lines in each.
fn text(stacks: &[(&str, &str)]) -> String {
    let mut text = String::from("//- /w/blueprint.yaml\ninputs: []\nstacks:\n");
    for (key, more) in stacks {
        text.push_str(&format!(
            "  - key: {key}\n    name: n-${{{{ inputs.x }}}}\n    space: root\n    vcs:\n      branch: main\n    vendor:\n      \
             terraform: {{}}\n{more}"
        ));
    }
    text
}

fn read(text: &str) -> Fixture {
    Fixture::with_options(crate::ALONE, text, RunOptions::default())
}

fn blueprint(stacks: &[(&str, &str)]) -> Fixture {
    read(&text(stacks))
}

/// Asserts that a rule reports exactly these texts of a blueprint.
pub(crate) fn blueprint_speaks(rule: &Rule, stacks: &[(&str, &str)], sources: &[&str]) {
    let fixture = blueprint(stacks);
    let found = found(&fixture, rule);
    let place = |d: &Diagnostic| {
        fixture
            .analysis
            .span(d.place)
            .slice(fixture.text(d.place.file))
            .to_owned()
    };
    assert_eq!(found.iter().map(place).collect::<Vec<_>>(), sources, "{stacks:?}");
}

/// What is found, one a line: severity and rule, and whether publishing is rejected by it.
fn findings(fixture: &Fixture) -> Vec<String> {
    let analysis = &fixture.analysis;
    let all = analysis.findings().into_iter();
    let all = all.filter(|f| f.diagnostic.part_of.is_none()).map(|f| {
        let d = f.diagnostic;
        let rejects = if d.enforced.is_empty() { "" } else { " rejected" };
        format!("{:?} {}{rejects}: {}", d.severity, d.rule.id, d.message)
    });
    all.collect()
}

/// What is found in a blueprint with a stack `net` and these lines in a stack `app`.
fn of_app(lines: &str) -> Vec<String> {
    findings(&blueprint(&[("net", ""), ("app", lines)]))
}

const ON_NET: &str = "    depends_on: [net]\n";

#[test]
fn keys_order_stacks_and_a_reference_makes_a_dependency() {
    let reference = "    environment:\n      stack_dependency_references:\n        - name: TF_VAR_id\n          from_stack: \
                     net\n          output: id\n    depends_on:\n      - net\n      - ${{ inputs.other }}\n";
    let fixture = blueprint(&[("net", ""), ("app", reference)]);
    assert_eq!(picture(&fixture), ["app -> net", "open app.depends_on"]);
}

#[test]
fn cycles_are_rejected_when_it_is_published() {
    let fixture = blueprint(&[
        ("net", "    depends_on: [app]\n"),
        ("app", ON_NET),
        ("self", "    depends_on: [self]\n"),
    ]);
    let found = picture(&fixture);
    assert!(
        found.contains(&"cycle app".to_owned()) && found.contains(&"self-dependency self".to_owned()),
        "{found:?}"
    );
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let verdicts: Vec<_> = project
        .resolution
        .verdicts
        .iter()
        .map(|v| (v.command, v.ok))
        .collect();
    assert_eq!(verdicts, [("publish", Some(false))]);
}

#[test]
fn other_texts_with_such_words_are_no_blueprints() {
    let text = "//- /w/x.yaml\nstacks:\n  - key: a\n    depends_on: [b]\n";
    assert_eq!(read(text).analysis.projects().count(), 0);
}

#[test]
fn what_is_unknown_is_listed_and_leaves_the_verdict_open() {
    let unknown = "    depends_on:\n      - ${{ inputs.other }}\n      - net\n";
    let fixture = blueprint(&[("net", ""), ("app", unknown)]);
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let order = &project.resolution.variants[0].apply;
    let because = "1 of 2 ids are known; what is unknown orders nothing here: `app.depends_on`";
    assert_eq!(
        (order.guaranteed, order.because.as_deref()),
        (false, Some(because))
    );
    assert_eq!(project.resolution.verdicts[0].ok, None);
}

#[test]
fn what_the_schema_rejects_publishing_rejects() {
    let references =
        |entries: &str| format!("    environment:\n      stack_dependency_references:\n{entries}");
    let whole = "        - name: A\n          from_stack: net\n          output: a\n";
    for (lines, expected) in [
        (ON_NET.to_owned(), ""),
        (
            "    depends_on: net\n".to_owned(),
            "Error wrong-type rejected: `depends_on` of `app`: expected a list, found a string",
        ),
        (
            "    depends_on:\n".to_owned(),
            "Error wrong-type rejected: `depends_on` of `app`: expected a list, found null",
        ),
        (
            "    depends_on: [1]\n".to_owned(),
            "Error wrong-type rejected: `depends_on` of `app`: expected a string, found a number",
        ),
        (
            "    depends_on: [\"\"]\n".to_owned(),
            "Error invalid-value rejected: `depends_on` of `app` is empty",
        ),
        (
            format!("{ON_NET}    environment: []\n"),
            "Error wrong-type rejected: `environment` of `app`: expected a mapping, found a list",
        ),
        (references(whole), ""),
        (
            references("        - name: A\n          from_stack: net\n"),
            "Error missing-field rejected: `app` needs `output`",
        ),
        (
            references(&format!("{whole}          foo: 1\n")),
            "Error unknown-field rejected: `app` takes no `foo`",
        ),
        (
            references(&format!("{whole}          trigger_always: \"true\"\n")),
            "Error wrong-type rejected: `trigger_always` of `app`: expected a boolean, found a string",
        ),
        (
            references(&format!("{whole}          trigger_always: ${{{{ inputs.t }}}}\n")),
            "",
        ),
        // What a later schema may know.
        (
            format!("{ON_NET}    is_new: true\n"),
            "Warning unknown-field: `app` takes no `is_new`",
        ),
        (
            format!("{ON_NET}    autodeploy: true\n"),
            "Warning unknown-field: `app` takes no `autodeploy`",
        ),
        // What no page says.
        (
            "    depends_on: [ne]\n".to_owned(),
            "Warning unknown-dependency: `ne` is not declared",
        ),
        (
            format!("{ON_NET}{ON_NET}"),
            "Warning duplicate-key: duplicate key `depends_on` in `app`; Info unresolved: `app.depends_on` is unknown: which of the two Spacelift reads is not documented",
        ),
        (
            references(&format!("{whole}{whole}")),
            "Warning spacelift/duplicate-reference-input: `A` is given by two references of one dependency",
        ),
    ] {
        let hints = |line: &String| !line.starts_with("Hint");
        let found: Vec<String> = of_app(&lines).into_iter().filter(hints).collect();
        assert_eq!(found.join("; "), expected, "{lines}");
    }
}

#[test]
fn a_blueprint_has_five_stacks_at_most_and_a_template_may_have_more() {
    let keys = ["a", "b", "c", "d", "e", "f"].map(|key| (key, ""));
    let expected = "Error wrong-type rejected: more than 5 stacks in a blueprint";
    let more = [("f", "    depends_on: [a]\n")];
    let six = [&keys[..5], &more[..]].concat();
    assert_eq!(findings(&blueprint(&six)), [expected]);
    let template = text(&six)
        .replace("branch: main", "reference: {value: main, type: branch}")
        .replace("    space: root\n", "");
    assert_eq!(findings(&read(&template)), Vec::<String>::new());
}

#[test]
fn a_key_twice_is_wrong_in_templates_only_and_a_dependency_on_it_is_unknown() {
    let stacks = [("net", ""), ("net", ""), ("app", ON_NET)];
    let unknown = "Info unresolved: `app.depends_on` is unknown: several stacks have this key";
    assert_eq!(
        findings(&blueprint(&stacks)),
        ["Warning duplicate-name: duplicate stack `net`", unknown]
    );
    let template = text(&stacks).replace("branch: main", "reference: {value: main, type: branch}");
    let space = "Error unknown-field rejected: `net` takes no `space`";
    let other = "Error unknown-field rejected: `app` takes no `space`";
    let twice = "Error duplicate-name rejected: duplicate stack `net`";
    assert_eq!(findings(&read(&template)), [space, twice, space, other, unknown]);
    let template = template
        .replace("    space: root\n", "")
        .replace("key: app", "key: ${{ inputs.x }}");
    let computed =
        "Error invalid-value rejected: `key` of `stacks[2]` is computed: a template takes plain texts here";
    assert_eq!(findings(&read(&template))[1], computed);
}

#[test]
fn where_a_key_is_computed_no_other_is_known_to_be_missing() {
    let fixture = blueprint(&[("${{ inputs.x }}", ""), ("app", ON_NET)]);
    let unknown = "Info unresolved: `app.depends_on` is unknown: a stack whose key is unknown may have it";
    assert_eq!(findings(&fixture), [unknown]);
}

#[test]
fn a_text_that_is_no_yaml_is_rejected_unless_something_is_computed_there() {
    let broken = text(&[("net", ""), ("app", &format!("{ON_NET}    labels: [a\n"))]);
    let found = findings(&read(&broken));
    assert!(
        found.iter().any(|f| f.starts_with("Error syntax-error rejected")),
        "{found:?}"
    );
    let computed = text(&[
        ("net", ""),
        (
            "app",
            &format!("{ON_NET}    description: ${{{{ a ? \"b: c\" : d }}}}\n"),
        ),
    ]);
    let found = findings(&read(&computed));
    assert!(
        !found.is_empty() && found.iter().all(|f| f.starts_with("Info unresolved")),
        "{found:?}"
    );
}

#[test]
fn a_stack_of_ansible_has_no_outputs_in_a_blueprint_either() {
    let reference = "    environment:\n      stack_dependency_references:\n        - name: TF_VAR_a\n          from_stack: net\n          output: a\n";
    let text =
        text(&[("net", ""), ("app", reference)]).replacen("terraform: {}", "ansible: {playbook: p}", 1);
    let found = findings(&read(&text));
    assert_eq!(
        found[0],
        "Error spacelift/upstream-has-no-outputs: `net` is a stack of Ansible, which has no outputs"
    );
}

#[test]
fn a_cycle_says_how_it_is_written_in_yaml() {
    let fixture = blueprint(&[("net", "    depends_on: [app]\n"), ("app", ON_NET)]);
    let [cycle, _] = found(&fixture, &applyorder_core::rules::cycle::RULE)
        .try_into()
        .expect("two findings");
    assert_eq!(cycle.notes, Vec::<String>::new());
    assert!(
        cycle
            .related
            .iter()
            .all(|r| r.message.ends_with("(`depends_on`)")),
        "{cycle:#?}"
    );
}

/// What is found in the file of a module, with the text that it is found at.
fn found_inside(template: &str) -> Vec<(String, String)> {
    let fixture = read(&format!("//- /w/main.tf\n{template}"));
    let (_, project) = fixture.analysis.projects().next().expect("a project");
    let found = project.resolution.diagnostics.iter();
    let found = found.filter(|d| d.enforced.iter().any(|e| e.command == "publish"));
    found
        .map(|d| {
            let span = fixture.analysis.span(d.place);
            assert!(d.fixes.is_empty());
            (
                d.rule.id.to_owned(),
                span.slice(fixture.text(d.place.file)).to_owned(),
            )
        })
        .collect()
}

#[test]
fn a_blueprint_in_configuration_is_read_where_it_stands() {
    let stack = |key: &str, on: &str| {
        format!(
            "      - key: {key}\n        name: n-$${{{{ inputs.x }}}}\n        space: root\n        vcs:\n          branch: \
             main\n        vendor:\n          terraform: {{}}\n        depends_on: [{on}]\n"
        )
    };
    let resource = |stacks: &str| {
        format!(
            "resource \"spacelift_blueprint\" \"b\" {{\n  name     = \"b\"\n  space    = \"root\"\n  state    = \
             \"PUBLISHED\"\n  template = <<-EOT\n    inputs: []\n    stacks:\n{stacks}  EOT\n}}\n"
        )
    };
    let ring = resource(&(stack("net", "app") + &stack("app", "net")));
    let found = found_inside(&ring);
    assert!(
        found
            .iter()
            .any(|(rule, at)| rule == "cycle" && (at == "net" || at == "app")),
        "{found:?}"
    );
    let own = resource(&stack("net", "net"));
    assert_eq!(
        found_inside(&own),
        [("self-dependency".to_owned(), "net".to_owned())]
    );
    let right = resource(&(stack("net", "") + &stack("app", "net")));
    assert_eq!(found_inside(&right), []);
    // What is computed is not known.
    assert_eq!(found_inside(&resource(&stack("net", "$${{ inputs.x }}"))), []);
    assert_eq!(found_inside(&right.replace("name: n-", "name: ${var.x}")), []);
    let quoted = "resource \"spacelift_template_version\" \"b\" {\n  template = \"inputs: []\\nstacks:\\n  - key: \
                  \\\"a\\\"\\n    name: \\u0061\\n    vcs:\\n      reference: {}\\n    vendor:\\n      terraform: {}\\n    \
                  depends_on: [\\\"a\\\"]\\n\"\n}\n";
    let found = found_inside(quoted);
    assert!(
        found.contains(&("self-dependency".to_owned(), "\\\"a\\\"".to_owned())),
        "{found:?}"
    );
}

#[test]
fn a_blueprint_in_configuration_is_mended_where_it_stands_and_read_in_json_too() {
    let blueprint = "stacks:\n- key: net\n  name: n\n  space: root\n  vcs: {branch: b}\n  vendor: {terraform: {}}\n- key: \
                     app\n  name: a\n  space: root\n  vcs: {branch: b}\n  vendor: {terraform: {}}\n  depends_on: [ney]\n";
    let native = |text: &str| {
        format!(
            "//- /w/main.tf\nresource \"spacelift_blueprint\" \"b\" {{\n  template = <<-EOT\n{text}EOT\n}}\n"
        )
    };
    let json = |text: &str| {
        let text = text.replace('\n', "\\n");
        format!(
            "//- /w/main.tf.json\n{{\"resource\": {{\"spacelift_blueprint\": {{\"b\": {{\"template\": \"{text}\"}}}}}}}}\n"
        )
    };
    let rule = &applyorder_core::rules::unknown_dependency::RULE;
    for (before, after) in [
        (native(blueprint), native(&blueprint.replace("ney", "net"))),
        (json(blueprint), json(&blueprint.replace("ney", "net"))),
    ] {
        let fixture = read(&before);
        let finding = found(&fixture, rule).into_iter().next().expect("a finding");
        let (_, after) = after.split_once('\n').unwrap();
        assert!(
            super::fixed(&fixture, &finding, 0).contains(after),
            "{}",
            super::fixed(&fixture, &finding, 0)
        );
    }
}

/// A stack in a template that waits for itself.
fn waits_for_itself(ty: &str, more: &str) -> String {
    format!(
        "//- /w/main.tf\nresource \"{ty}\" \"b\" {{\n  {more}\n  template = <<-EOT\n    stacks:\n      - key: net\n        \
         name: n\n        space: root\n        vcs: {{branch: b}}\n        vendor: {{terraform: {{}}}}\n        depends_on: \
         [net]\n  EOT\n}}\n"
    )
}

/// What is said of a blueprint in configuration: the verdicts, and the severity of each finding of `self-dependency`.
fn judged(text: &str) -> (Vec<(&'static str, Option<bool>)>, Vec<String>) {
    let fixture = read(text);
    let (_, project) = fixture.analysis.projects().next().expect("a project");
    let verdicts = project.resolution.verdicts.iter();
    let asked = verdicts.filter(|v| matches!(v.command, "publish" | "apply"));
    let own = found(&fixture, &applyorder_core::rules::self_dependency::RULE);
    (
        asked.map(|v| (v.command, v.ok)).collect(),
        own.iter().map(|d| format!("{:?}", d.severity)).collect(),
    )
}

#[test]
fn what_is_wrong_in_configuration_publishing_rejects_too() {
    let blueprint = |state: &str| {
        let more = format!("name = \"b\"\n  space = \"root\"\n  state = {state}");
        judged(&waits_for_itself("spacelift_blueprint", &more))
    };
    let error = vec!["Error".to_owned()];
    assert_eq!(
        blueprint("\"PUBLISHED\""),
        (vec![("publish", Some(false)), ("apply", None)], error.clone())
    );
    // A draft is not checked.
    assert_eq!(blueprint("\"DRAFT\""), (vec![("apply", Some(true))], vec![]));
    assert_eq!(
        blueprint("true ? \"DRAFT\" : \"PUBLISHED\""),
        (vec![("apply", Some(true))], vec![])
    );
    let (verdicts, severities) = blueprint("terraform_data.x.output");
    assert_eq!(verdicts[0], ("publish", None));
    assert_eq!(severities, ["Warning"]);
    let template = "template_id = \"t\"\n  version_number = \"1\"\n  state = \"PUBLISHED\"";
    let (verdicts, severities) = judged(&waits_for_itself("spacelift_template_version", template));
    assert_eq!((verdicts[0], severities), (("publish", Some(false)), error));
}

#[test]
fn without_what_is_wrong_a_blueprint_in_configuration_is_published() {
    let more = "name = \"b\"\n  space = \"root\"\n  state = \"PUBLISHED\"";
    let text = waits_for_itself("spacelift_blueprint", more);
    let (verdicts, _) = judged(&text.replace("depends_on: [net]", "depends_on: []"));
    assert_eq!(verdicts, [("publish", Some(true)), ("apply", Some(true))]);
    // What is computed is not known.
    let (verdicts, _) = judged(&text.replace("[net]", "[\"$${{ inputs.x }}\"]"));
    assert_eq!(verdicts[0], ("publish", None));
    let none = judged(&format!("//- /w/main.tf\n{}", super::stacks(&["a"])));
    assert_eq!(none, (vec![("apply", Some(true))], vec![]));
}

#[test]
fn too_many_stacks_are_seen_where_none_waits_for_another() {
    let keys = ["a", "b", "c", "d", "e", "f"].map(|key| (key, ""));
    let expected = "Error wrong-type rejected: more than 5 stacks in a blueprint";
    assert_eq!(findings(&blueprint(&keys)), [expected]);
    assert_eq!(findings(&blueprint(&keys[..5])), Vec::<String>::new());
}
