//! What the editor shows.

use applyorder_analysis::fixture::Fixture;
use applyorder_analysis::ide;

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
    let found = ide::completion::completions(&fixture.analysis, fixture.file, fixture.offset);
    found.into_iter().map(|c| c.label).collect()
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
