//! The formats for programs, checked against their schemas, and the contents of a report on a finding.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::{Answer, Tree, examples, run_in};

/// Formats with one JSON document per file, with the schema.
const JSON: [(&str, &str); 4] = [
    ("json", "docs/schema/applyorder-1.json"),
    ("sarif", "tests/schemas/sarif-2.1.0.json"),
    ("rdjson", "tests/schemas/rdjson.json"),
    ("gitlab", "tests/schemas/gitlab-codequality.json"),
];

/// Formats with an XML file, with the schema.
const XML: [(&str, &str); 2] = [
    ("junit", "tests/schemas/junit-10.xsd"),
    ("checkstyle", "tests/schemas/checkstyle.xsd"),
];

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn errors(schema: &str, document: &Value) -> Vec<String> {
    // A stray bracket in a pattern of SARIF's schema, which not every library accepts.
    let schema = read(schema).replace("{2}]?$\"", "{2}$\"");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors = validator.iter_errors(document);
    errors.map(|e| format!("{}: {e}", e.instance_path())).collect()
}

/// What an XML document contains that its schema does not allow, or lacks: only elements, attributes and their names
/// are checked.
fn xml_errors(schema: &str, document: &str) -> Vec<String> {
    let schema = read(schema);
    let schema = roxmltree::Document::parse(&schema).unwrap();
    let document = match roxmltree::Document::parse(document) {
        Ok(document) => document,
        Err(e) => return vec![e.to_string()],
    };
    let declared = |name: &str| {
        let mut all = schema.root_element().children();
        all.find(|n| n.tag_name().name() == "element" && n.attribute("name") == Some(name))
    };
    let mut errors = Vec::new();
    for element in document.descendants().filter(roxmltree::Node::is_element) {
        let name = element.tag_name().name();
        let Some(declared) = declared(name) else {
            errors.push(format!("unknown element {name}"));
            continue;
        };
        let named = |kind: &str, key: &str| -> BTreeSet<String> {
            let all = declared.descendants().filter(|n| n.tag_name().name() == kind);
            all.filter_map(|n| n.attribute(key).map(str::to_owned)).collect()
        };
        let attributes = named("attribute", "name");
        for attribute in element.attributes() {
            if !attributes.contains(attribute.name()) {
                errors.push(format!("{name} has {}", attribute.name()));
            }
        }
        for required in declared
            .descendants()
            .filter(|n| n.attribute("use") == Some("required"))
        {
            let required = required.attribute("name").unwrap();
            if element.attribute(required).is_none() {
                errors.push(format!("{name} lacks {required}"));
            }
        }
        let children = named("element", "ref");
        for child in element.children().filter(roxmltree::Node::is_element) {
            if !children.contains(child.tag_name().name()) {
                errors.push(format!("{name} holds {}", child.tag_name().name()));
            }
        }
        let has_text = |n: roxmltree::Node<'_, '_>| n.is_text() && !n.text().unwrap_or("").trim().is_empty();
        if element.children().any(has_text) && !declared.descendants().any(|n| n.attribute("mixed").is_some())
        {
            errors.push(format!("{name} holds text"));
        }
    }
    errors
}

/// Lints a directory in every format at once and validates each file against its schema.
fn check_all(dir: &Path, args: &[&str]) -> Value {
    let out = Tree::new(&[]);
    let file = |format: &str| out.path(format).to_str().unwrap().to_owned();
    let mut flags: Vec<String> = vec!["lint".to_owned(), "--min-severity".to_owned(), "hint".to_owned()];
    flags.extend(args.iter().map(|a| (*a).to_owned()));
    let formats = JSON.iter().chain(&XML).map(|(format, _)| *format);
    for format in formats.chain(["github", "json-lines"]) {
        flags.push(format!("--format={format}={}", file(format)));
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let answer = run_in(dir, &flags, None, &[]);
    assert_eq!(answer.stdout, "", "{answer:?}");
    let text = |format: &str| std::fs::read_to_string(out.path(format)).unwrap();
    for (format, schema) in JSON {
        let document: Value = serde_json::from_str(&text(format)).unwrap();
        assert_eq!(errors(schema, &document), Vec::<String>::new(), "{format}");
    }
    for (format, schema) in XML {
        assert_eq!(
            xml_errors(schema, &text(format)),
            Vec::<String>::new(),
            "{format}: {}",
            text(format)
        );
    }
    let lines: Vec<Value> = text("github").lines().map(Into::into).collect();
    let json_lines: Vec<Value> = text("json-lines")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), json_lines.len());
    assert_eq!(
        errors("tests/schemas/github-annotations.json", &lines.into()),
        Vec::<String>::new()
    );
    for line in &json_lines {
        assert_eq!(
            errors("docs/schema/applyorder-1.json", line),
            Vec::<String>::new()
        );
    }
    // Every format contains every finding.
    let count = |format: &str, at: fn(&Value) -> usize| at(&serde_json::from_str(&text(format)).unwrap());
    let n = json_lines.len();
    assert!(n > 0);
    assert_eq!(
        count("sarif", |v| v["runs"][0]["results"].as_array().unwrap().len()),
        n
    );
    assert_eq!(count("rdjson", |v| v["diagnostics"].as_array().unwrap().len()), n);
    assert_eq!(count("gitlab", |v| v.as_array().unwrap().len()), n);
    assert_eq!(text("junit").matches("<failure ").count(), n);
    assert_eq!(text("checkstyle").matches("<error ").count(), n);
    serde_json::from_str(&text("sarif")).unwrap()
}

#[test]
fn every_format_of_the_examples_is_valid() {
    let sarif = check_all(&examples(), &[]);
    let run = &sarif["runs"][0];
    let rules: Vec<&str> = run["tool"]["driver"]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["id"].as_str().unwrap())
        .collect();
    let mut flows = 0;
    for result in run["results"].as_array().unwrap() {
        let rule = result["ruleId"].as_str().unwrap();
        assert_eq!(
            rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()],
            rule
        );
        let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            .as_str()
            .unwrap();
        assert!(uri.starts_with("examples/"), "{uri}");
        let keys: Vec<&String> = result["partialFingerprints"]
            .as_object()
            .unwrap()
            .keys()
            .collect();
        assert_eq!(keys, ["applyorder/v1"]);
        // The hints on a cycle's other edges refer to it and have no code flow.
        let is_finding = rule == "cycle" && result["level"] == "error";
        assert_eq!(result.get("codeFlows").is_some(), is_finding);
        if let Some(flow) = result.get("codeFlows") {
            flows += 1;
            let steps = flow[0]["threadFlows"][0]["locations"].as_array().unwrap();
            assert!(steps.len() > 1, "{flow}");
            let place = |location: &Value| location["physicalLocation"].clone();
            let own = place(&result["locations"][0]);
            assert!(steps.iter().any(|step| place(&step["location"]) == own), "{flow}");
        }
    }
    assert!(flows > 1);
}

fn texts_of_messages(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if key == "message" {
                    out.extend(value["text"].as_str().map(str::to_owned));
                }
                texts_of_messages(value, out);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts_of_messages(item, out)),
        _ => {}
    }
}

#[test]
fn every_format_is_valid_whatever_the_files_say() {
    let tree = crate::escaping::tree();
    let sarif = check_all(&tree.root(), &[]);
    let mut messages = Vec::new();
    texts_of_messages(&sarif, &mut messages);
    let linked = |text: &&String| text.replace("\\](", "").contains("](");
    assert!(
        messages.iter().any(|text| text.contains("\\](command:")),
        "{messages:?}"
    );
    assert_eq!(messages.iter().find(linked), None);
    check_all(&tree.root(), &["--isolated"]);
}

const PAIR: &str = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [gone]}\n    \
    - {name: b, type: kustomize, path: ., dependsOn: [gone, lost]}\n";

fn fingerprints(answer: &Answer) -> Vec<String> {
    let lines = answer
        .stdout
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap());
    lines
        .map(|l| l["fingerprint"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_fingerprint_stays_when_lines_move_and_wherever_the_run_is_started() {
    let tree = Tree::new(&[("d/tazuna.yaml", PAIR)]);
    let lines = ["lint", "--format", "json-lines"];
    let before = fingerprints(&tree.run(&lines));
    assert_eq!(before.len(), 3);
    assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), 3);
    tree.write("d/tazuna.yaml", format!("# moved\n\n{PAIR}"));
    assert_eq!(fingerprints(&tree.run(&lines)), before);
    let select = [&lines[..], &["--select", "unknown-dependency", "--whole"]].concat();
    assert_eq!(fingerprints(&tree.run(&select)), before);
    tree.write("d/tazuna.yaml", PAIR.replace("lost", "away"));
    let after = fingerprints(&tree.run(&lines));
    assert_eq!(after[..2], before[..2]);
    assert_ne!(after[2], before[2]);
    let gitlab = [&lines[..1], &["--format", "gitlab=out.json"]].concat();
    tree.run(&gitlab);
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(tree.path("out.json")).unwrap()).unwrap();
    let of_gitlab: Vec<&str> = report
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["fingerprint"].as_str().unwrap())
        .collect();
    assert_eq!(of_gitlab, after);
    // In a repository, paths are relative to its root.
    let made = std::process::Command::new("git")
        .args(["init", "-q"])
        .current_dir(tree.root())
        .status();
    if !made.is_ok_and(|s| s.success()) {
        return crate::skipped::skip("git", "it cannot be run");
    }
    assert_eq!(fingerprints(&run_in(&tree.path("d"), &lines, None, &[])), after);
}

#[test]
fn human_output_is_limited_and_files_contain_everything() {
    let manifest = |n: usize| format!("    - {{name: m{n}, type: kustomize, path: ., dependsOn: [x{n}]}}\n");
    let text: String = (0..1100).map(manifest).collect();
    let tree = Tree::new(&[("tazuna.yaml", &format!("spec:\n  manifests:\n{text}"))]);
    let shown = |args: &[&str]| {
        let answer = tree.run(&[&["lint"], args].concat());
        (answer.stdout.lines().count(), answer.stderr)
    };
    let (lines, stderr) = shown(&["--format", "concise", "--format", "json-lines=all"]);
    assert_eq!(lines, 1000);
    assert!(stderr.contains("1100 errors"), "{stderr}");
    assert!(
        stderr.contains("100 not shown (use --max-findings 0)"),
        "{stderr}"
    );
    let all = std::fs::read_to_string(tree.path("all")).unwrap();
    assert_eq!(all.lines().count(), 1100);
    assert_eq!(shown(&["--format", "json-lines"]).0, 1100);
    assert_eq!(shown(&["--format", "concise", "--max-findings", "0"]).0, 1100);
    assert_eq!(shown(&["--format", "concise", "--max-findings", "3"]).0, 3);
    assert_eq!(shown(&["--format", "grouped", "--max-findings", "3"]).0, 4);
}

#[test]
fn outputs_that_cannot_be_are_refused() {
    let tree = Tree::new(&[("tazuna.yaml", PAIR)]);
    for (args, said) in [
        (&["--format", "gitlab"][..], "write --format gitlab=FILE"),
        (&["--format", "sarif=x", "--format", "json=x"], "conflict in x"),
        (&["--format", "sarif=no/x"], "no/x: "),
        (&["--format", "sarf"], "known formats: human, concise, grouped"),
    ] {
        let answer = tree.run(&[&["lint"], args].concat());
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.stderr.contains(said), "{answer:?}");
    }
}

#[test]
fn findings_are_grouped_by_file() {
    insta::assert_snapshot!(
        run_in(
            &examples().join("tazuna"),
            &["lint", "broken", "--format", "grouped", "--min-severity", "hint"],
            None,
            &[]
        )
        .shown()
    );
}

#[test]
fn under_github_actions_annotations_accompany_the_report() {
    let manifest = |n: usize| format!("    - {{name: m{n}, type: kustomize, path: ., dependsOn: [x{n}]}}\n");
    let text: String = (0..13).map(manifest).collect();
    let tree = Tree::new(&[("tazuna.yaml", &format!("spec:\n  manifests:\n{text}"))]);
    let github = [("GITHUB_ACTIONS", "true")];
    let run = |args: &[&str]| tree.run_with(&[&["lint"], args].concat(), None, &github);
    let plain = tree.run(&["lint"]);
    let answer = run(&[]);
    assert_eq!(answer.stdout, plain.stdout);
    let lines: Vec<Value> = answer
        .stderr
        .lines()
        .filter(|line| line.starts_with("::"))
        .map(Into::into)
        .collect();
    assert_eq!(lines.len(), 10);
    assert_eq!(
        errors("tests/schemas/github-annotations.json", &lines.into()),
        Vec::<String>::new()
    );
    assert!(
        answer.stderr.contains("3 findings have no annotation"),
        "{answer:?}"
    );
    let off = tree.run_with(&["lint", "--config", "ci=off"], None, &github);
    for answer in [run(&["--format", "human"]), off, plain] {
        assert!(!answer.stderr.contains("::"), "{answer:?}");
    }
}

#[test]
fn the_steps_of_a_job_share_its_annotations() {
    let manifest = |n: usize| format!("    - {{name: m{n}, type: kustomize, path: ., dependsOn: [x{n}]}}\n");
    let text: String = (0..13).map(manifest).collect();
    let tree = Tree::new(&[("tazuna.yaml", &format!("spec:\n  manifests:\n{text}"))]);
    let temp = crate::temp::temporary();
    let annotations = |step: &str| {
        let env = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_RUN_ID", "7"),
            ("GITHUB_JOB", "lint"),
            ("GITHUB_ACTION", step),
            ("RUNNER_TEMP", temp.path().to_str().unwrap()),
        ];
        let answer = tree.run_with(&["lint"], None, &env);
        let cut: Vec<&str> = answer
            .stderr
            .lines()
            .filter(|l| l.contains("no annotation"))
            .collect();
        assert_eq!(cut.len(), 1, "{answer:?}");
        answer
            .stderr
            .lines()
            .filter(|line| line.starts_with("::"))
            .count()
    };
    assert_eq!(annotations("a"), 10);
    assert_eq!(annotations("a"), 0);
    let others: Vec<usize> = ["b", "c", "d", "e", "f"].map(annotations).to_vec();
    assert_eq!(others, [10, 10, 10, 10, 0]);
}
