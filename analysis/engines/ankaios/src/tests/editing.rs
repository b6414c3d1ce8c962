//! What the editor shows.

use std::sync::Arc;

use crate::config::{AnkaiosApply, AnkaiosConfig, SECTION};
use applyorder_analysis::fixture::Fixture;
use applyorder_analysis::ide::code_actions::code_actions;
use applyorder_analysis::ide::completion::completions;
use applyorder_analysis::ide::definition::{Destination, definition};
use applyorder_analysis::ide::hover::hover;
use applyorder_analysis::ide::references::references;
use applyorder_analysis::ide::rename::rename;
use applyorder_analysis::ide::symbols::{outline, workspace_symbols};
use applyorder_analysis::workspace::Workspace;
use applyorder_core::config::{Config, Configs};
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;
use camino::{Utf8Path, Utf8PathBuf};

use crate::ALONE;

const TREE: &str = "//- /m.yaml
apiVersion: v1
workloads:
  db:
    runtime: podman
    agent: agent_A
    runtimeConfig: 'image: x'
  app:
    runtime: podman
    agent: agent_A
    runtimeConfig: 'image: x'
    dependencies:
";

fn completed(rest: &str) -> Vec<String> {
    let fixture = Fixture::new(ALONE, &format!("{TREE}{rest}"));
    let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
    found.into_iter().map(|p| p.completion.label).collect()
}

#[test]
fn names_conditions_and_fields_are_completed() {
    assert_eq!(completed("      $0\n"), ["db"]);
    assert_eq!(completed("      d$0: ADD_COND_RUNNING\n"), ["db"]);
    let conditions = ["ADD_COND_RUNNING", "ADD_COND_SUCCEEDED", "ADD_COND_FAILED"];
    assert_eq!(completed("      db: $0\n"), conditions);
    assert_eq!(completed("      db: ADD$0\n"), conditions);
    let fields = completed("      db: ADD_COND_RUNNING\n    $0\n");
    assert!(
        fields.contains(&"restartPolicy".to_owned()) && !fields.contains(&"runtime".to_owned()),
        "{fields:?}"
    );
    assert_eq!(
        completed("      db: ADD_COND_RUNNING\n    restartPolicy: $0\n"),
        ["NEVER", "ON_FAILURE", "ALWAYS"]
    );
}

/// Two manifests of one declared apply, with the cursor at `$0`.
fn shop(back: &str, front: &str) -> Fixture {
    let apply = AnkaiosApply {
        name: "shop".to_owned(),
        files: vec!["back.yaml".to_owned(), "front.yaml".to_owned()],
        agent: None,
    };
    let section = AnkaiosConfig {
        apply: vec![apply],
        ..AnkaiosConfig::default()
    };
    let config = Config::default().at("/").with(&SECTION, section);
    let mut files = MemoryFiles::new();
    let mut cursor = None;
    for (path, text) in [("/back.yaml", back), ("/front.yaml", front)] {
        if let Some(at) = text.find("$0") {
            cursor = Some((path, u32::try_from(at).unwrap()));
        }
        files.insert(Utf8PathBuf::from(path), text.replacen("$0", "", 1));
    }
    let paths = ["/back.yaml", "/front.yaml"].map(Utf8PathBuf::from);
    let mut workspace = Workspace::new(ALONE, Arc::new(files), RunOptions::default());
    workspace.set_configs(Configs::fixed(config));
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    let analysis = workspace.analysis();
    let (path, offset) = cursor.unwrap();
    let file = analysis.file(Utf8Path::new(path)).unwrap();
    Fixture {
        analysis,
        file,
        offset,
    }
}

const BACK: &str = "apiVersion: v1
workloads:
  db:
    runtime: podman
    agent: agent_A
    runtimeConfig: 'image: {{i.db}}'
    configs:
      i: images
configs:
  images:
    db: db
";
const FRONT: &str = "apiVersion: v1
workloads:
  app:
    runtime: podman
    agent: agent_B
    runtimeConfig: 'image: x'
    dependencies:
      d$0b: ADD_COND_RUNNING
  'quoted':
    runtime: podman
    agent: agent_B
    runtimeConfig: 'image: x'
    dependencies: {\"db\": ADD_COND_FAILED}
";

#[test]
fn a_dependency_leads_to_its_workload_in_another_manifest() {
    let fixture = shop(BACK, FRONT);
    let found = definition(&fixture.analysis, fixture.file, fixture.offset).unwrap();
    let places: Vec<String> = found
        .destinations
        .iter()
        .filter_map(|d| match d {
            Destination::Place(at) => Some(fixture.show(*at)),
            Destination::File(_) => None,
        })
        .collect();
    assert_eq!(places, ["back.yaml:3 db"]);
}

#[test]
fn a_workload_is_referred_to_and_renamed_across_manifests() {
    for (back, front) in [
        (BACK.to_owned(), FRONT.to_owned()),
        (BACK.replace("  db:\n", "  d$0b:\n"), FRONT.replace("$0", "")),
    ] {
        let fixture = shop(&back, &front);
        let found = references(&fixture.analysis, fixture.file, fixture.offset, true);
        let shown: Vec<String> = found.iter().map(|r| fixture.show(r.at)).collect();
        assert_eq!(
            shown,
            ["back.yaml:3 db", "front.yaml:8 db", "front.yaml:13 \"db\""]
        );
        let edits = rename(&fixture.analysis, fixture.file, fixture.offset, "store").unwrap();
        let expected = format!(
            "//- /back.yaml\n{}//- /front.yaml\n{}",
            BACK.replacen("  db:\n", "  store:\n", 1),
            FRONT.replace("d$0b:", "store:").replace("\"db\"", "\"store\"")
        );
        assert_eq!(fixture.edited(&edits), expected);
        for (wrong, why) in [
            ("a.b", "use only letters"),
            ("", "must not be empty"),
            ("app", "app"),
        ] {
            let refused = rename(&fixture.analysis, fixture.file, fixture.offset, wrong).unwrap_err();
            assert!(refused.contains(why), "{wrong}: {refused}");
        }
    }
}

#[test]
fn a_config_is_renamed_with_its_uses() {
    let back = BACK.replace("i: images", "i: ima$0ges");
    let fixture = shop(&back, &FRONT.replace("$0", ""));
    let edits = rename(&fixture.analysis, fixture.file, fixture.offset, "pictures").unwrap();
    assert_eq!(
        fixture.edited(&edits),
        format!("//- /back.yaml\n{}", BACK.replace("images", "pictures"))
    );
}

#[test]
fn hovers_show_conditions_fields_and_what_delays_a_workload() {
    let shown = |back: &str, front: &str| {
        let fixture = shop(back, front);
        hover(&fixture.analysis, fixture.file, fixture.offset)
            .unwrap()
            .markdown
    };
    let front = FRONT.replace("$0", "");
    let on_dependency = shown(BACK, FRONT);
    assert!(
        on_dependency.contains("Waits until `db` is running"),
        "{on_dependency}"
    );
    let on_workload = shown(&BACK.replace("  db:\n", "  d$0b:\n"), &front);
    assert!(
        on_workload.contains("until these stopped: `app`"),
        "{on_workload}"
    );
    assert!(
        on_workload.contains("agent `agent_A`, runtime `podman`"),
        "{on_workload}"
    );
    let on_condition = shown(BACK, &front.replace("ADD_COND_RUN", "ADD_C$0OND_RUN"));
    assert!(
        on_condition.contains("Holds while the workload is running"),
        "{on_condition}"
    );
    let on_field = shown(BACK, &front.replacen("dependencies:", "depend$0encies:", 1));
    assert!(on_field.contains("Workloads it waits for"), "{on_field}");
}

#[test]
fn names_of_the_other_manifest_are_completed() {
    let fixture = shop(BACK, &FRONT.replace("d$0b: ADD", "$0: ADD"));
    let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let labels: Vec<&str> = found.iter().map(|p| p.completion.label.as_str()).collect();
    assert_eq!(labels, ["db", "quoted"]);
}

#[test]
fn the_outline_has_workloads_and_configs() {
    let fixture = shop(&BACK.replace("  db:\n", "  d$0b:\n"), &FRONT.replace("$0", ""));
    let outline = outline(&fixture.analysis, fixture.file);
    let shown: Vec<(&str, Option<&str>, bool)> = outline
        .iter()
        .map(|i| (i.name.as_str(), i.detail.as_deref(), i.unit))
        .collect();
    assert_eq!(
        shown,
        [("db", Some("agent_A"), true), ("images", Some("config"), false)]
    );
    let found = workspace_symbols(&fixture.analysis, "app", 10);
    let names: Vec<&str> = found.iter().map(|s| &*s.name).collect();
    assert_eq!(names, ["app"]);
}

/// The manifest after each fix at the cursor, by title.
fn fixed(text: &str) -> Vec<(String, String)> {
    let fixture = Fixture::new(ALONE, &format!("//- /m.yaml\n{text}"));
    let range = applyorder_syntax::text::Span::new(fixture.offset, fixture.offset);
    let actions = code_actions(&fixture.analysis, fixture.file, range);
    actions
        .iter()
        .map(|a| {
            (
                a.fix.title.clone(),
                fixture.edited(&a.edits).replace("//- /m.yaml\n", ""),
            )
        })
        .collect()
}

fn with_dependency(name: &str, condition: &str) -> String {
    format!(
        "apiVersion: v1
workloads:
  store:
    runtime: podman
    agent: a
    runtimeConfig: 'image: x'
  app:
    runtime: podman
    agent: a
    runtimeConfig: 'image: x'
    dependencies:
      {name}: {condition}
"
    )
}

#[test]
fn fixes_name_what_was_meant() {
    let (title, text) = fixed(&with_dependency("stor$0", "ADD_COND_RUNNING")).remove(0);
    assert_eq!(title, "replace with `store`");
    assert_eq!(text, with_dependency("store", "ADD_COND_RUNNING"));
    let (title, text) = fixed(&with_dependency("store", "run$0ning")).remove(0);
    assert_eq!(title, "replace with `ADD_COND_RUNNING`");
    assert_eq!(text, with_dependency("store", "ADD_COND_RUNNING"));
    let (_, text) = fixed(&with_dependency("store", "ADD_COND_SUCEE$0DED")).remove(0);
    assert_eq!(text, with_dependency("store", "ADD_COND_SUCCEEDED"));
}

#[test]
fn a_manifest_of_the_old_version_is_migrated_whole() {
    let old = "apiVersion: v0.$01
workloads:
  app:
    runtime: podman
    agent: a
    runtimeConfig: 'image: x'
    tags:
      - key: owner
        value: team
    controlInterfaceAccess:
      allowRules:
        - type: StateRule
          operation: Read
          filterMask: ['*']
";
    let new = "apiVersion: v1
workloads:
  app:
    runtime: podman
    agent: a
    runtimeConfig: 'image: x'
    tags:
      {owner: \"team\"}
    controlInterfaceAccess:
      allowRules:
        - type: StateRule
          operation: Read
          filterMasks: ['*']
";
    let all = fixed(old);
    let (_, text) = all.iter().find(|(title, _)| title == "migrate to `v1`").unwrap();
    assert_eq!(
        text.lines().map(str::trim_end).collect::<Vec<_>>(),
        new.lines().collect::<Vec<_>>()
    );
    let after = Fixture::new(ALONE, &format!("//- /m.yaml\n{text}"));
    let (_, project) = after.analysis.projects().next().unwrap();
    assert!(project.resolution.verdicts.iter().all(|v| v.ok == Some(true)));
}
