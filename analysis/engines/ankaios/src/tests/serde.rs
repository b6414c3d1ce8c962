//! Results of `serde_yaml` 0.9.34 itself for randomly damaged manifests, read into types like the server's.

use applyorder_analysis::fixture::Fixture;
use serde_json::Value;

#[test]
fn the_startup_verdict_is_that_of_the_library() {
    let mut failures = String::new();
    for line in include_str!("serde.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        let fixture = Fixture::new(crate::ALONE, &format!("//- /m.ank.yaml\n{text}"));
        let Some((_, project)) = fixture.analysis.projects().next() else {
            // A text that is a manifest only by its name is not one without a top level.
            continue;
        };
        let found = project
            .resolution
            .verdicts
            .iter()
            .find(|v| v.command == "startup")
            .unwrap();
        let said = found.errors.first().map_or("", |e| &*e.message);
        let (stage, wanted) = match (case["yaml"].as_str(), case["parse"].as_str()) {
            (Some(words), _) => (
                "yaml",
                format!("Invalid tags format in startup manifest: 'Failed to parse YAML: {words}'"),
            ),
            (None, Some(words)) => (
                "parse",
                format!("Parsing start config failed with error: '{words}'"),
            ),
            (None, None) => ("", String::new()),
        };
        let is_same = match stage {
            "" => !matches!(found.stage, Some("yaml" | "parse")),
            // For invalid YAML only the step is predicted.
            "yaml" if !wanted.contains("duplicate") => found.stage == Some("yaml"),
            _ => found.stage == Some(stage) && said == wanted,
        };
        if !is_same {
            failures.push_str(&format!("{text:?}\n  {:?} {said}\n  {wanted}\n", found.stage));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
