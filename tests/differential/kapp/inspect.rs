//! Deploys over the output of `kapp inspect --raw`: kapp's own command prints what it applied to a fake cluster, with
//! what a cluster and its controllers add; the run over it is compared with kapp's.

use super::*;

/// Kinds that a cluster has in addition to those of the inputs.
const MADE: [(&str, &str, bool); 3] = [
    ("apps/v1", "ReplicaSet", true),
    ("v1", "Endpoints", true),
    ("discovery.k8s.io/v1", "EndpointSlice", true),
];

const APP: &str = include_str!("inspect/app.yaml");

/// A question: what was deployed, and what is deployed over it.
struct Question {
    before: String,
    after: String,
}

fn questions() -> Vec<(&'static str, Question)> {
    let change = |from: &str, to: &str| {
        assert!(APP.contains(from), "{from}");
        Question {
            before: APP.to_owned(),
            after: APP.replace(from, to),
        }
    };
    vec![
        ("nothing", change("", "")),
        ("a field", change("replicas: 2", "replicas: 3")),
        (
            "a field that is new",
            change("replicas: 2", "replicas: 2\n  paused: true"),
        ),
        ("a new version", change("colour: red", "colour: blue")),
        ("an annotation", change("change-group: web", "change-group: site")),
        (
            "the text of a secret",
            change("password: hello", "password: other"),
        ),
        ("one that is gone", change("name: job", "name: job-2")),
        ("two at once", {
            let one = change("colour: red", "colour: blue");
            Question {
                after: one.after.replace("port: 80", "port: 81"),
                ..one
            }
        }),
    ]
}

/// The answers to the questions, with the output of `kapp inspect` in each.
fn printed(oracle: &Path, questions: &[&Question]) -> Vec<Value> {
    let kinds: serde_json::Map<String, Value> = KINDS
        .iter()
        .chain(&MADE)
        .map(|(version, kind, namespaced)| (format!("{version} {kind}"), json!(namespaced)))
        .collect();
    let lines = questions.iter().map(|q| {
        let file = |text: &str| json!([{ "path": "a.yaml", "text": text }]);
        let (files, existing) = (file(&q.after), file(&q.before));
        json!({ "files": files, "existing": existing, "kinds": kinds, "runs": 1, "print": true }).to_string()
    });
    said(oracle, lines.collect())
}

fn over(printed: &str, after: &str) -> (Said, Value) {
    let mut files = MemoryFiles::new();
    files.insert("/app/a.yaml", after);
    files.insert("/app/state.yaml", printed);
    let given = vec!["a.yaml".to_owned()];
    let analysis = shared::analysed(Arc::new(files), "/app", given, Some("state.yaml"));
    shared::resolved(&analysis, |resolution, plan| {
        let verdict = resolution.verdicts.iter().find(|v| v.command == "deploy");
        let verdict = verdict.expect("a verdict");
        let text = verdict.errors.first().map(|e| e.message.clone());
        let found = outcome(
            resolution,
            &plan.deploy,
            (verdict.ok, verdict.stage, text),
            RunKind::Update,
        );
        // An unchanged resource is not in a layer of kapp's.
        let acts = |name: &Value| name.as_str().is_some_and(|n| !n.starts_with("noop:"));
        let layers: Vec<Vec<Value>> = found
            .layers
            .as_array()
            .into_iter()
            .flatten()
            .map(|layer| {
                layer
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter(|n| acts(n))
                    .cloned()
                    .collect()
            })
            .filter(|layer: &Vec<Value>| !layer.is_empty())
            .collect();
        (found.said, json!(layers))
    })
}

#[test]
fn what_kapp_prints_of_an_app_is_what_is_there() {
    let Some(oracle) = shared::oracle() else {
        return skip(
            "kapp's packages",
            "tests/differential/kapp/oracle cannot be built (is Go installed?)",
        );
    };
    let questions = questions();
    let asked: Vec<&Question> = questions.iter().map(|(_, q)| q).collect();
    let mut wrong = Vec::new();
    for ((what, question), answer) in questions.iter().zip(printed(&oracle, &asked)) {
        let text = answer["printed"].as_str().unwrap_or("");
        assert!(text.contains("kind: ReplicaSet"), "{what}: {answer}");
        let (said, layers) = over(text, &question.after);
        let nothing = *what == "nothing";
        if nothing != (layers == json!([])) || said.0 != Some(true) || layers != answer["update"]["layers"] {
            wrong.push(format!(
                "{what}: {said:?}\n  kapp {}\n  us   {layers}",
                answer["update"]["layers"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn random_apps_are_found_unchanged_in_what_kapp_prints_of_them() {
    let Some(oracle) = shared::oracle() else {
        return skip(
            "kapp's packages",
            "tests/differential/kapp/oracle cannot be built (is Go installed?)",
        );
    };
    let seed: u64 = setting("APPLYORDER_SEED").unwrap_or_else(now);
    println!("seed {seed}");
    let questions: Vec<Question> = (0..120)
        .map(|n| {
            let input = generate::input(seed.wrapping_add(n));
            let texts: Vec<&str> = input.files.iter().map(|(_, text)| text.as_str()).collect();
            let text = texts.join("\n---\n");
            Question {
                before: text.clone(),
                after: text,
            }
        })
        .collect();
    let asked: Vec<&Question> = questions.iter().collect();
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (question, answer) in questions.iter().zip(printed(&oracle, &asked)) {
        let update = &answer["update"];
        // A cluster rejects annotations that are not strings.
        let refused = ["example.com/odd", "Rules: [{path: [metadata, annotations"];
        if update["ok"] != true || refused.iter().any(|r| question.after.contains(r)) {
            continue;
        }
        compared += 1;
        let (said, layers) = over(answer["printed"].as_str().unwrap_or(""), &question.after);
        if said.0 != Some(true) || layers != update["layers"] {
            wrong.push(format!(
                "{said:?}\n  kapp {}\n  us   {layers}\n{}\n=== printed\n{}",
                update["layers"],
                question.after,
                answer["printed"].as_str().unwrap_or("")
            ));
        }
    }
    println!("{compared} compared");
    assert!(compared > 20, "only {compared} could be deployed");
    assert!(
        wrong.is_empty(),
        "{} of {compared}\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}
