mod consequences;

use super::super::proposal_hover::{documentation, subjects};
use super::*;
use crate::fixture::Fixture;

#[test]
fn names_are_proposed_in_dependencies() {
    let fixture = Fixture::new(
        applyorder_engines::all(),
        "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: cni, type: kustomize, path: ./x}\n    - name: b\n      \
             type: kustomize\n      path: ./x\n      dependsOn: [c$0]\n",
    );
    let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let has = |label: &str| found.iter().any(|p| p.completion.label == label);
    assert!(has("cni"), "{found:?}");
    assert!(!has("b"), "not itself");
    let told = documentation(&fixture.analysis, fixture.file, &["cni"]).unwrap();
    assert!(told.starts_with("**manifest `cni`** · layer 1 of"), "{told}");
    assert_eq!(documentation(&fixture.analysis, fixture.file, &["c"]), None);
}

fn shown(text: &str) -> Vec<String> {
    let fixture = Fixture::new(applyorder_engines::all(), text);
    let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let one = |p: Proposal| {
        let mark = if p.closes_cycle { "x " } else { "" };
        format!(
            "{mark}{}: {}",
            p.completion.label,
            p.completion.detail.unwrap_or_default()
        )
    };
    found.into_iter().map(one).collect()
}

#[test]
fn next_to_a_name_is_what_differs_among_all() {
    let proposal = |kind, detail: &str| Proposal {
        completion: Completion {
            label: "a".to_owned(),
            span: Span::new(0, 0),
            insert: None,
            detail: Some(detail.to_owned()),
            kind,
            joins: None,
        },
        closes_cycle: false,
        word: "manifest",
    };
    for (detail, short) in [
        ("manifest, layer 3 · c stays in 5", Some("layer 3 · c stays in 5")),
        ("manifest · c stays in 5", Some("c stays in 5")),
        ("would close a cycle", Some("would close a cycle")),
        ("manifest", None),
        (
            "manifest of a file · c stays in 5",
            Some("manifest of a file · c stays in 5"),
        ),
    ] {
        assert_eq!(proposal(CompletionKind::Unit, detail).short(), short, "{detail}");
    }
    assert_eq!(proposal(CompletionKind::Field, "what it is for").short(), None);
}

#[test]
fn a_value_right_after_its_colon_gets_a_space() {
    let tazuna = "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - name: a\n      type:$0\n";
    let kapp = "//- /w/app.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
                    kapp.k14s.io/change-group: g\n    kapp.k14s.io/change-rule:$0\n";
    let ankaios = |rest: &str| {
        format!(
            "//- /w/state.yaml\napiVersion: v1\nworkloads:\n  b:\n    runtime: podman\n    agent: x\n    runtimeConfig: \
                 \"\"\n  a:\n    agent: x\n    runtimeConfig: \"\"\n{rest}"
        )
    };
    for text in [
        tazuna,
        kapp,
        &ankaios("    runtime:$0\n"),
        &ankaios("    dependencies:\n      b:$0\n"),
    ] {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
        let inserts: Vec<Option<String>> = found.into_iter().map(|p| p.completion.insert).collect();
        let has_space = |insert: &Option<String>| insert.as_ref().is_some_and(|i| i.starts_with(' '));
        assert!(
            !inserts.is_empty() && inserts.iter().all(has_space),
            "{inserts:?}"
        );
        let spaced = text.replace(":$0", ": $0");
        let fixture = Fixture::new(applyorder_engines::all(), &spaced);
        let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
        let is_plain = |p: &Proposal| p.completion.insert.as_ref().is_none_or(|i| !i.starts_with(' '));
        assert!(!found.is_empty() && found.iter().all(is_plain), "{spaced}");
    }
}

#[test]
fn values_are_not_proposed_before_a_value() {
    let text = |value: &str| {
        format!(
            "//- /w/app.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
                 kapp.k14s.io/change-group: {value}\n"
        )
    };
    assert!(!shown(&text("!!str g$0")).is_empty());
    assert_eq!(shown(&text("!!s$0tr g")), [""; 0]);
}

#[test]
fn if_there_are_very_many_only_those_that_match_are_proposed() {
    let mut text = "//- /w/tazuna.yaml\nspec:\n  manifests:\n".to_owned();
    for n in 0..1_200 {
        text.push_str(&format!(
            "    - {{name: unit-{n:04}, type: kustomize, path: ./x}}\n"
        ));
    }
    let proposals = |typed: &str| {
        let own = format!(
            "    - name: own\n      type: kustomize\n      path: ./x\n      dependsOn: [{typed}$0]\n"
        );
        let fixture = Fixture::new(applyorder_engines::all(), &format!("{text}{own}"));
        completions(&fixture.analysis, fixture.file, fixture.offset)
    };
    let all = proposals("");
    assert_eq!((all.list.len(), all.is_cut), (1_000, true));
    let some = proposals("UN119");
    let labels: Vec<&str> = some.list.iter().map(|p| p.completion.label.as_str()).collect();
    assert!(labels.len() < 100 && some.is_cut, "{labels:?}");
    assert!(labels.contains(&"unit-0119") && labels.contains(&"unit-1195"));
    assert!(!labels.contains(&"unit-0911"));
}

#[test]
fn an_instance_and_an_output_of_a_module_are_documented_by_their_stack() {
    let stack = |name: &str, each: &str| {
        format!(
            "resource \"spacelift_stack\" \"{name}\" {{\n  {each}\n  name = \"{name}\"\n  repository = \"r\"\n  \
                 branch = \"m\"\n}}\n"
        )
    };
    let each = "for_each = toset([\"x\"])";
    let fixture = Fixture::new(
        applyorder_engines::all(),
        &format!(
            "//- /w/main.tf\nmodule \"n\" {{\n  source = \"./m\"\n}}\n{}resource \"spacelift_stack_dependency\" \
                 \"d\" {{\n  {each}\n  stack_id = spacelift_stack.a[each.key].id\n  depends_on_stack_id = \
                 module$0\n}}\n//- /w/m/main.tf\n{}output \"id\" {{\n  value = spacelift_stack.s.id\n}}\n",
            stack("a", each),
            stack("s", ""),
        ),
    );
    let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
    for (label, unit) in [
        ("spacelift_stack.a[\"x\"].id", "spacelift_stack.a[\"x\"]"),
        ("module.n.id", "module.n.spacelift_stack.s"),
    ] {
        let one = found.iter().find(|p| p.completion.label == label);
        let subjects = subjects(&one.unwrap_or_else(|| panic!("{found:?}")).completion);
        let subjects: Vec<&str> = subjects.iter().map(|name| &**name).collect();
        let told = documentation(&fixture.analysis, fixture.file, &subjects);
        assert!(
            told.as_ref()
                .is_some_and(|t| t.starts_with(&format!("**stack `{unit}`**"))),
            "{label}: {told:?}"
        );
    }
}
