//! `--log`: steps of the work, on standard error.

use crate::support::{Tree, examples, run_in};

const FILTER: &str = "applyorder=debug";

/// The lines that say that a span has ended.
fn ended<'a>(log: &'a str, name: &str) -> Vec<&'a str> {
    let open = format!("{name}{{");
    let is_it = |line: &&str| {
        // The spans, the outermost first: `command{name="lint"}:resolve{...}`.
        let spans = line.split(": applyorder_").next().unwrap_or("");
        let spans = spans.split_once("DEBUG ").or_else(|| spans.split_once("TRACE "));
        let last = spans
            .and_then(|(_, spans)| spans.rsplit("}:").next())
            .unwrap_or("");
        last.starts_with(&open) && line.contains(": close time.busy=")
    };
    log.lines().filter(is_it).collect()
}

#[test]
fn each_step_prints_its_time_and_the_answer_stays() {
    let dir = examples();
    for format in ["human", "json"] {
        let args = ["lint", "tazuna/broken", "--format", format];
        let plain = run_in(&dir, &args, None, &[]);
        let logged = run_in(&dir, &[&args[..], &["--log", FILTER]].concat(), None, &[]);
        assert_eq!((plain.code, &plain.stdout), (logged.code, &logged.stdout));
        assert!(!plain.stderr.contains("time.busy"), "{plain:?}");
        let command = ended(&logged.stderr, "command");
        assert_eq!(command.len(), 1, "{}", logged.stderr);
        assert!(command[0].contains("name=\"lint\""), "{command:?}");
        let resolved = ended(&logged.stderr, "resolve");
        assert!(!resolved.is_empty(), "{}", logged.stderr);
        let is_ours =
            |line: &&str| line.contains("engine=\"tazuna\"") && line.contains("broken/tazuna.yaml\"");
        assert!(resolved.iter().any(is_ours), "{resolved:?}");
        // Steps are logged within their parent step, even if they ran on another thread.
        assert!(
            resolved.iter().all(|line| line.contains("command{")),
            "{resolved:?}"
        );
        assert!(!ended(&logged.stderr, "projects").is_empty(), "{}", logged.stderr);
        assert!(ended(&logged.stderr, "facts").is_empty(), "{}", logged.stderr);
    }
}

#[test]
fn files_are_logged_at_the_level_trace() {
    let tree = Tree::new(&[("tazuna.yaml", "manifests:\n  - type: manifest\n    name: a\n")]);
    let answer = tree.run(&["order", "--log", "applyorder=trace"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(!ended(&answer.stderr, "facts").is_empty(), "{answer:?}");
}

#[test]
fn a_variable_does_the_same_and_an_empty_one_nothing() {
    let tree = Tree::new(&[]);
    let logged = tree.run_with(&["rules"], None, &[("APPLYORDER_LOG", FILTER)]);
    assert_eq!(ended(&logged.stderr, "command").len(), 1, "{}", logged.stderr);
    let plain = tree.run_with(&["rules"], None, &[("APPLYORDER_LOG", "")]);
    assert_eq!((plain.code, &*plain.stderr), (0, ""));
    assert_eq!(plain.stdout, logged.stdout);
}

#[test]
fn an_invalid_filter_is_reported() {
    let tree = Tree::new(&[]);
    for command in ["rules", "server"] {
        let answer = tree.run(&[command, "--log", "applyorder=loud"]);
        assert_eq!((answer.code, &*answer.stdout), (2, ""), "{answer:?}");
        assert!(answer.stderr.contains("--log applyorder=loud: "), "{answer:?}");
    }
}
