//! Results of the programs of Ankaios for single manifests that the random ones of `verdicts` do not include.

use applyorder_analysis::fixture::Fixture;
use applyorder_core::engine::RunOptions;

/// The steps at which both entry points reject a manifest; `-` if one accepts it, `?` if that is random.
fn steps(text: &str) -> String {
    let tree = format!("//- /m.ank.yaml\n{text}");
    let fixture = Fixture::new(crate::ALONE, &tree);
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let found = applyorder_core::layer::contradictions(
        &crate::ENGINE,
        &RunOptions::default(),
        false,
        &project.resolution,
    );
    assert_eq!(found, [""; 0], "{text}");
    let step = |command: &str| {
        let mut verdicts = project.resolution.verdicts.iter();
        let verdict = verdicts.find(|v| v.command == command).unwrap();
        match verdict.ok {
            Some(true) => "-",
            Some(false) => verdict.stage.unwrap_or(""),
            None => "?",
        }
    };
    format!("{} {}", step("startup"), step("apply"))
}

/// A workload of some version with more fields.
fn workload(version: &str, more: &str) -> String {
    format!(
        "apiVersion: {version}\nworkloads:\n  a: {{runtime: podman, agent: A, runtimeConfig: x, {more}}}\n"
    )
}

#[test]
fn of_both_contents_of_a_file_an_apply_takes_the_first() {
    for (entry, wanted) in [
        ("binaryData: x, data: 5", "- -"),
        ("binaryData: x, data: ~", "- -"),
        ("binaryData: 5, data: x", "- state"),
        ("binaryData: {}, data: x", "- state"),
        ("data: x, binaryData: 5", "- -"),
        ("data: 5, binaryData: x", "- state"),
        ("binaryData: y, data: x", "- -"),
    ] {
        let text = workload("v1", &format!("files: [{{mountPoint: /a, {entry}}}]"));
        assert_eq!(steps(&text), wanted, "{entry}");
    }
}

#[test]
fn a_byte_order_mark_may_start_a_line() {
    for (text, wanted) in [
        ("apiVersion: v1\n\u{feff}# c\nworkloads: {}\n", "- -"),
        ("apiVersion: v1\n\u{feff}\nworkloads: {}\n", "- -"),
        (
            "apiVersion: v1\nworkloads:\n\u{feff}  a: {runtime: podman, agent: A, runtimeConfig: x}\n",
            "- -",
        ),
        (
            "apiVersion: v1\nworkloads:\n  a: {runtime: podman, agent: A,\n\u{feff}runtimeConfig: x}\n",
            "- -",
        ),
        ("apiVersion: v1\n\u{feff}workloads: {}\n", "yaml yaml"),
    ] {
        assert_eq!(steps(text), wanted, "{text}");
    }
}

#[test]
fn an_empty_pair_of_brackets_may_be_a_key() {
    for (more, wanted) in [
        ("more: {{}: x, []: y}", "- json"),
        ("{}: x", "parse json"),
        ("dependencies: {{}: ADD_COND_RUNNING}", "parse json"),
        ("tags: {[]: x}", "parse json"),
    ] {
        assert_eq!(steps(&workload("v1", more)), wanted, "{more}");
    }
    assert_eq!(steps("apiVersion: v1\nconfigs:\nmore:\n  {}: x\n"), "- json");
}

#[test]
fn workloads_in_a_list_are_named_by_their_numbers() {
    let of = |item: &str| steps(&format!("apiVersion: v0.1\nworkloads:\n  - {item}\n"));
    assert_eq!(of("{runtime: podman, agent: A, runtimeConfig: x}"), "parse -");
    assert_eq!(of("{runtime: podman, runtimeConfig: x}"), "parse agent");
    assert_eq!(of("x"), "parse agent");
}

#[test]
fn the_form_of_tags_is_random_where_the_version_is() {
    let nested = "configs: {c: {apiVersion: v1}}\n";
    assert_eq!(steps(&(workload("v0.1", "tags: {a: b}") + nested)), "tags ?");
    assert_eq!(steps(&workload("v0.1", "tags: {a: b}")), "tags tags");
}

#[test]
fn a_tag_may_be_a_list_of_two() {
    for (tags, wanted) in [
        ("[[a, b]]", "- -"),
        ("[{key: a, value: b}, [c, d]]", "- -"),
        ("[[a]]", "parse -"),
        ("[[a, b, c]]", "parse -"),
        ("[[a, 5]]", "parse -"),
    ] {
        assert_eq!(
            steps(&workload("v0.1", &format!("tags: {tags}"))),
            wanted,
            "{tags}"
        );
    }
}

#[test]
fn a_core_tag_without_a_value_is_an_empty_mapping_to_the_server() {
    for tag in ["!!str", "!!map"] {
        let text = format!("apiVersion: v0.1\nworkloads: {{}}\nconfigs: {tag}\n");
        assert_eq!(steps(&text), "- -", "{tag}");
        let text = format!("apiVersion: v1\nworkloads: {{}}\nconfigs: {tag}\n");
        assert!(steps(&text).starts_with("- "), "{tag}");
    }
}

#[test]
fn a_key_that_is_not_finite_does_not_become_json() {
    for key in [".nan", ".inf", "-.inf"] {
        let text = format!("apiVersion: v1\nworkloads: {{}}\nconfigs: {{c: {{{key}: x}}}}\n");
        assert!(steps(&text).ends_with(" json"), "{key}");
        let text = format!("apiVersion: v1\nworkloads: {{}}\nextra: {{{key}: x}}\n");
        assert!(steps(&text).ends_with(" json"), "{key}");
    }
}

#[test]
fn numbers_as_keys_are_numbers() {
    let rule = |key: &str| {
        let rule = format!("{{type: LogRule, workloadNames: [a], {key}: z}}");
        workload("v1", &format!("controlInterfaceAccess: {{allowRules: [{rule}]}}"))
    };
    for (text, wanted) in [
        (workload("v1", "-1: x"), "- convert"),
        (workload("v1", "7: x"), "- -"),
        (rule("-1"), "- convert"),
        (rule("0"), "- state"),
        (rule("1"), "- -"),
        (
            workload("v1", "files: [{mountPoint: /a, data: x, -1: y}]"),
            "parse -",
        ),
        (workload("v0.1", "tags: [{key: a, value: b, -1: z}]"), "parse -"),
        (workload("v0.1", "tags: [{key: a, value: b, 1: z}]"), "parse -"),
        (workload("v0.1", "tags: [{0: a, 1: b}]"), "- -"),
        (
            "apiVersion: v1\nworkloads:\n  +1: {runtime: podman, agent: A, runtimeConfig: x}\n".to_owned(),
            "names merge",
        ),
    ] {
        assert_eq!(steps(&text), wanted, "{text}");
    }
}

#[test]
fn an_apply_may_be_too_large() {
    let of = |bytes: usize| {
        let content = "QUJD".repeat(bytes / 4);
        steps(&workload(
            "v1",
            &format!("files: [{{mountPoint: /a, binaryData: '{content}'}}]"),
        ))
    };
    assert_eq!(of(3 << 20), "- -");
    assert_eq!(of(5 << 20), "- ?");
}

#[test]
fn configs_may_be_nested_too_deep_for_a_message() {
    let of = |open: &str, close: &str, depth: usize| {
        let item = format!("{}x{}", open.repeat(depth), close.repeat(depth));
        steps(&format!(
            "apiVersion: v1\nworkloads: {{}}\nconfigs: {{c: {item}}}\n"
        ))
    };
    // It rejects these, with the message that it has for every lost connection.
    assert_eq!(
        (of("[", "]", 46), of("[", "]", 47)),
        ("- -".to_owned(), "- ?".to_owned())
    );
    let maps = |depth| of("{k: ", "}", depth);
    assert_eq!((maps(31), maps(32)), ("- -".to_owned(), "- ?".to_owned()));
}

#[test]
fn floats_are_written_out() {
    for (number, wanted) in [
        ("1e16", "10000000000000000.0"),
        ("1e-7", "0.0000001"),
        ("1.5", "1.5"),
        (".inf", "inf"),
        (
            "340282366920938463463374607431768211456",
            "340282366920938500000000000000000000000.0",
        ),
    ] {
        let text = workload("v1", "x: y").replace("x: y", &format!("dependencies: {number}"));
        let fixture = Fixture::new(crate::ALONE, &format!("//- /m.ank.yaml\n{text}"));
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let mut verdicts = project.resolution.verdicts.iter();
        let startup = verdicts.find(|v| v.command == "startup").unwrap();
        let words = format!("invalid type: floating point `{wanted}`, expected a map");
        assert!(startup.errors[0].message.contains(&words), "{:?}", startup.errors);
    }
}

#[test]
fn a_workload_with_a_local_tag_has_no_agent() {
    let text = "apiVersion: v0.1\nworkloads:\n  b: !t {runtime: podman, agent: A, runtimeConfig: x}\n";
    assert_eq!(steps(text), "- agent");
    let options = RunOptions::default().with(&crate::config::AGENT, ["X"]);
    let fixture = Fixture::with_options(crate::ALONE, &format!("//- /m.ank.yaml\n{text}"), options);
    let (_, project) = fixture.analysis.projects().next().unwrap();
    let mut verdicts = project.resolution.verdicts.iter();
    let apply = verdicts.find(|v| v.command == "apply").unwrap();
    assert_eq!(apply.stage, Some("convert"));
}
