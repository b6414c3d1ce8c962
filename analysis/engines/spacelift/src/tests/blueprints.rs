//! Stacks in blueprints.

use applyorder_analysis::fixture::Fixture;
use applyorder_core::engine::RunOptions;

use super::picture;

fn blueprint(stacks: &[(&str, &str)]) -> Fixture {
    let mut text = String::from("//- /w/blueprint.yaml\ninputs: []\nstacks:\n");
    for (key, more) in stacks {
        text.push_str(&format!(
            "  - key: {key}\n    name: n-${{{{ inputs.x }}}}\n    vcs:\n      branch: main\n{more}"
        ));
    }
    Fixture::with_options(crate::ALONE, &text, RunOptions::default())
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
    let fixture = Fixture::with_options(crate::ALONE, text, RunOptions::default());
    assert_eq!(fixture.analysis.projects().count(), 0);
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
