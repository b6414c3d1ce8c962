//! Runs over what is already applied, in part, and beyond what is computed.

use super::{app, app_with};
use applyorder_core::engine::RunOptions;

fn update(text: &str) -> Vec<String> {
    let options = RunOptions {
        state: Some("/w/state.yaml".into()),
        ..RunOptions::default()
    };
    let analysis = app(text, options);
    let (_, project) = analysis.projects().next().unwrap();
    let variant = &project.resolution.variants[0];
    let one = |unit: &applyorder_core::engine::UnitIx| {
        let i = unit.0 as usize;
        let action = variant.actions.get(i).copied().unwrap_or("all");
        format!("{action} {}", variant.units[i].name)
    };
    let layers = variant.apply.layers.as_ref().unwrap();
    layers
        .iter()
        .map(|layer| layer.iter().map(one).collect::<Vec<_>>().join(", "))
        .collect()
}

fn map(name: &str, extra: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{extra}---\n")
}

#[test]
fn what_is_gone_is_deleted_and_what_is_the_same_is_left_alone() {
    let text = format!(
        "//- a.yaml\n{}{}//- state.yaml\n{}{}{}",
        map("same", ""),
        map("other", "data: {a: new}\n"),
        map("same", ""),
        map("other", "data: {a: old}\n"),
        map("gone", "")
    );
    assert_eq!(update(&text), ["upsert ConfigMap/other, delete ConfigMap/gone"]);
}

#[test]
fn of_two_entries_for_one_object_the_later_is_what_is_there() {
    let volume = |space: &str, extra: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: one\n  namespace: {space}\n{extra}---\n"
        )
    };
    let text = format!(
        "//- a.yaml\n{}//- state.yaml\n{}{}",
        volume("a", "spec: {x: 1}\n"),
        volume("a", "spec: {x: 1}\n"),
        volume("b", "spec: {x: 2}\n")
    );
    assert_eq!(update(&text), ["all PersistentVolume/one"]);
}

#[test]
fn a_new_version_changes_what_refers_to_it() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  volumes:\n  - {name: v, configMap: {name: cfg}}\n---\n";
    let versioned = |data: &str| {
        map(
            "cfg",
            &format!("  annotations: {{kapp.k14s.io/versioned: \"\"}}\ndata: {{a: {data}}}\n"),
        )
    };
    let text = format!(
        "//- a.yaml\n{}{pod}//- state.yaml\n{}{pod}",
        versioned("new"),
        versioned("old")
    );
    assert_eq!(update(&text), ["upsert ConfigMap/cfg-ver-2", "upsert Pod/p"]);
}

#[test]
fn only_what_changes_is_ordered() {
    let rule = "  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}\n";
    let group = "  annotations: {kapp.k14s.io/change-group: g}\n";
    let text = format!("{}{}{}", map("a", group), map("b", group), map("c", rule));
    let options = RunOptions {
        changed: Some(vec!["ConfigMap/b".to_owned(), "ConfigMap/c".to_owned()]),
        ..RunOptions::default()
    };
    let analysis = app(&text, options);
    let (_, project) = analysis.projects().next().unwrap();
    let variant = &project.resolution.variants[0];
    let layers: Vec<Vec<u32>> = variant
        .apply
        .layers
        .as_ref()
        .unwrap()
        .iter()
        .map(|l| l.iter().map(|u| u.0).collect())
        .collect();
    assert_eq!(layers, [[1], [2]]);
    assert_eq!(variant.selected.as_ref().map(Vec::len), Some(2));
}

#[test]
fn past_the_limit_optional_edges_are_not_resolved_and_layers_are_omitted() {
    let every = "resourceMatchers: [{allMatcher: {}}]";
    let mut text = format!(
        "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeGroupBindings: [{{name: g, {every}}}]\n\
         changeRuleBindings: [{{rules: [upsert after upserting g], ignoreIfCyclical: true, {every}}}]\n---\n"
    );
    for i in 0..20 {
        text += &map(&format!("m{i}"), "");
    }
    let order = |steps| {
        let analysis = app_with(&text, RunOptions::default(), steps);
        let (_, project) = analysis.projects().next().unwrap();
        let apply = &project.resolution.variants[0].apply;
        let said = project.resolution.unresolved.iter().map(|(_, s)| s.clone());
        (
            apply.layers.as_ref().map(|l| l.len()),
            apply.because.clone(),
            said.collect::<Vec<_>>(),
        )
    };
    assert_eq!(order(None), (Some(20), None, Vec::new()));
    let because = "limit reached: too many optional edges could close cycles".to_owned();
    assert_eq!(order(Some(100)), (None, Some(because.clone()), vec![because]));
}

#[test]
fn a_snapshot_that_cannot_be_read_is_not_an_empty_cluster() {
    let layers = |state: &str| {
        let options = RunOptions {
            state: Some("/w/state.yaml".into()),
            ..RunOptions::default()
        };
        let text = format!("//- a.yaml\n{}{state}", map("a", ""));
        let analysis = app(&text, options);
        let (_, project) = analysis.projects().next().unwrap();
        let apply = &project.resolution.variants[0].apply;
        let verdict = project.resolution.verdicts[0].ok;
        (apply.layers.as_ref().map(|l| l.len()), verdict)
    };
    assert_eq!(layers("//- state.yaml\n"), (Some(1), Some(true)));
    assert_eq!(layers(""), (None, None));
    assert_eq!(layers("//- state.yaml\na: ["), (None, None));
    assert_eq!(layers("//- state.yaml\n{\"Blocks\": []}"), (None, None));
}

#[test]
fn what_a_rebase_rule_keeps_is_not_a_change_and_orders() {
    let config = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nrebaseRules:\n- {path: [data], type: copy, sources: [existing], resourceMatchers: [{allMatcher: {}}]}\n- {path: [metadata, annotations, kapp.k14s.io/change-rule], type: copy, sources: [existing], resourceMatchers: [{allMatcher: {}}]}\n---\n";
    let rule = "  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}\n";
    let group = "  annotations: {kapp.k14s.io/change-group: g}\n";
    let text = |new: &str| {
        format!(
            "//- a.yaml\n{config}{}{}//- state.yaml\n{config}{}",
            map("kept", new),
            map("first", group),
            map("kept", &format!("{rule}data: {{a: old}}\n")),
        )
    };
    // The data stays as it is; another label is a change, and the existing rule is used.
    assert_eq!(
        update(&text(&format!("{rule}data: {{a: new}}\n"))),
        ["upsert ConfigMap/first"]
    );
    assert_eq!(
        update(&text("  labels: {x: z}\ndata: {a: new}\n")),
        ["all ConfigMap/first", "all ConfigMap/kept"]
    );
}

#[test]
fn a_rebase_rule_in_ytt_leaves_the_order_open() {
    let config = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nrebaseRules:\n- ytt: {overlayContractV1: {overlay.yml: \"\"}}\n  resourceMatchers: [{apiVersionKindMatcher: {apiVersion: v1, kind: ConfigMap}}]\n---\n";
    let options = RunOptions {
        state: Some("/w/state.yaml".into()),
        ..RunOptions::default()
    };
    let open = |kind: &str| {
        let object = format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\n");
        let text = format!("//- a.yaml\n{config}{object}//- state.yaml\n{object}x: 1\n");
        let analysis = app(&text, options.clone());
        let (_, project) = analysis.projects().next().unwrap();
        let resolution = &project.resolution;
        let layers = resolution.variants[0].apply.layers.is_none();
        (layers, resolution.verdicts[0].ok, resolution.unresolved.len())
    };
    assert_eq!(open("ConfigMap"), (true, None, 1));
    assert_eq!(open("Secret"), (false, Some(true), 0));
}

#[test]
fn what_a_controller_made_is_left_to_the_cluster() {
    let printed = |kind: &str, name: &str, label: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n  namespace: default\n  uid: u-{kind}-{name}\n  labels: {{kapp.k14s.io/app: \"7\", kapp.k14s.io/association: {label}}}\n{more}---\n"
        )
    };
    let label = format!("v1.{:x}", md5::compute("default//Service/web"));
    let owned = "  annotations: {kapp.k14s.io/owned-for-deletion: \"\"}\n";
    let state = [
        printed("Service", "web", &label, ""),
        printed("Endpoints", "web", &label, ""),
        printed("Pod", "web-1", &label, owned),
    ];
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";
    let options = RunOptions {
        state: Some("/w/state.yaml".into()),
        ..RunOptions::default()
    };
    let analysis = app(
        &format!("//- a.yaml\n{service}//- state.yaml\n{}", state.concat()),
        options,
    );
    let (_, project) = analysis.projects().next().unwrap();
    let variant = &project.resolution.variants[0];
    assert!(variant.apply.layers.as_ref().unwrap().is_empty());
    let deleted = variant.delete.layers.as_ref().unwrap().iter().flatten();
    let names: Vec<&str> = deleted.map(|u| &*variant.units[u.0 as usize].name).collect();
    assert_eq!(names, ["Service/web", "Pod/web-1"]);
}

#[test]
fn what_goes_is_seen_as_it_was_noted() {
    let rule = "  annotations: {kapp.k14s.io/change-rule: delete after deleting g}\n";
    let group = "  annotations: {kapp.k14s.io/change-group: g}\n";
    let gone = format!("{}{}{}", map("same", ""), map("a", rule), map("b", group));
    let over = |config: &str| {
        update(&format!(
            "//- a.yaml\n{}//- state.yaml\n{gone}{config}",
            map("same", "")
        ))
    };
    assert_eq!(over(""), ["delete ConfigMap/b", "delete ConfigMap/a"]);
    // Deployed under such a rule, kapp noted neither annotation.
    let config = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\ndiffAgainstExistingFieldExclusionRules:\n- path: [metadata, annotations]\n  resourceMatchers: [{allMatcher: {}}]\n";
    let layers = over(config);
    assert_eq!(layers.len(), 1, "{layers:?}");
    assert!(
        layers[0].ends_with("delete ConfigMap/a, delete ConfigMap/b"),
        "{layers:?}"
    );
}

#[test]
fn what_was_deployed_without_its_annotations_is_not_a_version_of_a_resource() {
    let versioned = map("m", "  annotations: {kapp.k14s.io/versioned: \"\"}\n");
    let over = |config: &str| {
        update(&format!(
            "//- a.yaml\n{versioned}//- state.yaml\n{versioned}{config}"
        ))
    };
    assert_eq!(over(""), [""; 0]);
    // The matchers of such a rule are ignored.
    let config = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\ndiffAgainstExistingFieldExclusionRules:\n- path: [metadata, annotations]\n  resourceMatchers: [{customResourceMatcher: {}}]\n";
    assert_eq!(
        over(config),
        ["upsert ConfigMap/m-ver-1#, delete ConfigMap/m-ver-1#"]
    );
}

#[test]
fn a_new_version_and_an_old_one_have_the_labels_of_kapp_as_everything_has() {
    let config = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeRuleBindings:\n- rules: [upsert after upserting g, \
                  delete after upserting g]\n  resourceMatchers: [{emptyFieldMatcher: {path: [metadata, labels]}}]\n---\n";
    let versioned = |data: &str| {
        let extra = format!(
            "  annotations: {{kapp.k14s.io/versioned: \"\", kapp.k14s.io/num-versions: \"1\"}}\ndata: {{a: {data}}}\n"
        );
        map("db", &extra)
    };
    let group = map("s", "  annotations: {kapp.k14s.io/change-group: g}\n");
    let text = format!(
        "//- a.yaml\n{config}{}{group}//- state.yaml\n{}{}",
        versioned("new"),
        versioned("old").replace("name: db", "name: db-ver-1"),
        versioned("older").replace("name: db", "name: db-ver-2"),
    );
    // A matcher for an empty field does not match them, so that nothing waits.
    assert_eq!(update(&text).len(), 1, "{:?}", update(&text));
}

#[test]
fn a_nonce_makes_every_run_another() {
    let nonce = map("a", "  annotations: {kapp.k14s.io/nonce: \"\"}\n");
    let text = format!(
        "//- a.yaml\n{nonce}{}//- state.yaml\n{nonce}{}",
        map("b", ""),
        map("b", "")
    );
    assert_eq!(update(&text), ["upsert ConfigMap/a"]);
}

#[test]
fn what_is_read_from_elsewhere_is_unknown_and_nothing_dangles_because_of_it() {
    let text = map(
        "a",
        "  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}\n",
    );
    let dangling = |given: &str| {
        let mut memory = applyorder_core::files::MemoryFiles::new();
        memory.insert("/w/a.yaml", &text);
        let app = crate::config::KappApp {
            name: "app".to_owned(),
            files: ["a.yaml", given]
                .iter()
                .filter(|f| !f.is_empty())
                .map(|f| (*f).to_owned())
                .collect(),
            ..crate::config::KappApp::default()
        };
        let section = crate::config::KappConfig {
            app: vec![app],
            ..crate::config::KappConfig::default()
        };
        let config = applyorder_core::config::Config::default()
            .at("/w")
            .with(&crate::config::SECTION, section);
        let mut workspace = applyorder_analysis::workspace::Workspace::new(
            crate::ALONE,
            std::sync::Arc::new(memory),
            RunOptions::default(),
        );
        workspace.set_configs(applyorder_core::config::Configs::fixed(config));
        workspace.refresh();
        let analysis = workspace.analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let said = project.resolution.unresolved.iter().map(|(_, text)| text.clone());
        let found = super::of_rule(&analysis, "unknown-dependency").len();
        (project.resolution.verdicts[0].ok, found, said.collect::<Vec<_>>())
    };
    assert_eq!(dangling(""), (Some(true), 1, Vec::new()));
    let url = "`https://e.com/x.yaml` is not downloaded: its resources are unknown".to_owned();
    assert_eq!(dangling("https://e.com/x.yaml"), (None, 0, vec![url]));
    let stdin = "resources from standard input are unknown".to_owned();
    assert_eq!(dangling("-"), (None, 0, vec![stdin]));
}

#[test]
fn what_was_to_exist_is_there_where_the_earlier_config_took_the_annotation_off() {
    let one = |data: &str| {
        map(
            "m",
            &format!("  annotations: {{kapp.k14s.io/exists: \"\"}}\ndata: {{a: {data}}}\n"),
        )
    };
    let config = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\ndiffAgainstExistingFieldExclusionRules:\n- path: [metadata, annotations]\n  resourceMatchers: [{allMatcher: {}}]\n---\n";
    let other = map("other", "");
    let with = |config: &str| {
        format!(
            "//- a.yaml\n{}{other}//- state.yaml\n{config}{}",
            one("new"),
            one("old")
        )
    };
    assert_eq!(update(&with(config)), ["upsert ConfigMap/other"]);
    assert_eq!(update(&with("")), ["all ConfigMap/m, all ConfigMap/other"]);
}
