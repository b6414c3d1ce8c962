//! Plans and states that are laid over a configuration.

use applyorder_analysis::fixture::Fixture;
use applyorder_core::engine::{Engine, RunOptions};

use super::{dependency, module, picture, stacks};

/// A resource of a plan.
fn planned(address: &str, values: &str) -> String {
    let (of_type, _) = address.split_once('.').unwrap();
    format!("{{\"address\":{address:?},\"mode\":\"managed\",\"type\":\"{of_type}\",\"values\":{{{values}}}}}")
}

fn state(more: &str, resources: &[String]) -> String {
    let resources = resources.join(",");
    format!(
        "//- /w/plan.json\n{{\"format_version\":\"1.2\",{more}\"planned_values\":{{\"root_module\":{{\"resources\":[{resources}]}}}}}}\n"
    )
}

fn read(text: &str) -> Fixture {
    let options = RunOptions {
        state: Some("/w/plan.json".into()),
        ..RunOptions::default()
    };
    module(text, options)
}

fn plan_of(fixture: &Fixture) -> Option<bool> {
    let (_, project) = fixture.analysis.projects().next().expect("a project");
    let mut verdicts = project.resolution.verdicts.iter();
    verdicts.find(|v| v.command == "plan").expect("a verdict").ok
}

/// A dependency whose upstream stack only a plan says.
fn configuration() -> String {
    let text = dependency("d", "spacelift_stack.a.id", "data.http.x.body");
    format!("data \"http\" \"x\" {{\n}}\n{}{text}", stacks(&["a", "b"]))
}

#[test]
fn a_plan_counts_for_the_root_module_that_it_is_of() {
    let upstream = planned(
        "spacelift_stack_dependency.d",
        "\"stack_id\":\"a\",\"depends_on_stack_id\":\"b-7\"",
    );
    let own = [upstream, planned("spacelift_stack.b", "\"id\":\"b-7\"")];
    let open = "open spacelift_stack_dependency.d.depends_on_stack_id";
    let known = "spacelift_stack.a -> spacelift_stack.b";
    let called = "\"configuration\":{\"root_module\":{\"module_calls\":{\"m\":{},\"n\":{}},\"resources\":[{\"address\":\"spacelift_stack.b\",\"mode\":\"managed\"}]}},";
    let other = planned("aws_vpc.main", "\"id\":\"b-7\"");
    for (more, resources, expected) in [
        ("", &own[..], known),
        ("", std::slice::from_ref(&other), open),
        // What has one name in common is another module all the same.
        (called, &own[..], open),
        // Of nothing that is applied nothing is known.
        ("", &[], open),
    ] {
        let fixture = read(&format!("{}{}", configuration(), state(more, resources)));
        assert_eq!(picture(&fixture), [expected], "{more} {resources:?}");
    }
    let fixture = read(&format!("{}{}", configuration(), state("", &[other])));
    let (_, project) = fixture.analysis.projects().next().unwrap();
    assert_eq!(
        crate::ENGINE.state_of_another(&project.resolution).as_deref(),
        Some("no root module declares what it has (`aws_vpc.main`)")
    );
    let fixture = read(&format!("{}{}", configuration(), state("", &own)));
    let (_, project) = fixture.analysis.projects().next().unwrap();
    assert_eq!(crate::ENGINE.state_of_another(&project.resolution), None);
}

#[test]
fn what_a_partial_plan_lacks_may_be_there() {
    let text = "data \"http\" \"x\" {\n}\nresource \"spacelift_stack\" \"s\" {\n  for_each   = toset(data.http.x.list)\n  name       \
                = each.key\n  repository = \"r\"\n  branch     = \"m\"\n}\n";
    let text = format!("{text}output \"o\" {{\n  value = spacelift_stack.s[\"b\"].id\n}}\n");
    let one = [planned("spacelift_stack.s[\"a\"]", "")];
    let rejects = |more: &str| plan_of(&read(&format!("{text}{}", state(more, &one))));
    assert_eq!(rejects(""), Some(false));
    assert_eq!(rejects("\"complete\":true,"), Some(false));
    assert_eq!(rejects("\"complete\":false,"), None);
    assert_eq!(rejects("\"errored\":true,"), None);
    // Older versions do not say it.
    let lacks = |address: &str| {
        format!(
            "\"configuration\":{{\"root_module\":{{\"resources\":[{{\"address\":\"spacelift_stack.s\",\"mode\":\"managed\",\"for_each_expression\":{{}}}},{{\"address\":\"{address}\",\"mode\":\"managed\"}}]}}}},"
        )
    };
    assert_eq!(rejects(&lacks("spacelift_stack.z")), None);
    assert_eq!(rejects(&lacks("spacelift_stack.s")), Some(false));
}
