//! What Terramate itself would say to its commands.
//!
//! Source: Terramate 0.17.2, "Selection", "Hand-off commands" and "How errors look".

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::resolve::refs::{Entry, Meaning};
use super::resolve::stacks::{StackIx, Stacks};
use super::resolve::{Problem, Resolved};
use applyorder_core::engine::{EngineError, RunOptions, Verdict};
use applyorder_core::rules::{Rule, cycle, invalid_value, unknown_dependency};

/// The commands that are foreseen, and what each looks at.
struct Command {
    name: &'static str,
    /// Applies `wants` and `wanted_by`.
    wants: bool,
    /// Reads `after` and `before`.
    orders: bool,
    /// Refuses cycles.
    cycles: bool,
}

const COMMANDS: [Command; 4] = [
    Command {
        name: "run",
        wants: true,
        orders: true,
        cycles: true,
    },
    Command {
        name: "list --run-order",
        wants: false,
        orders: true,
        cycles: true,
    },
    Command {
        name: "list",
        wants: false,
        orders: false,
        cycles: false,
    },
    Command {
        name: "experimental run-graph",
        wants: false,
        orders: true,
        cycles: false,
    },
];

/// The verdicts of all commands that the options allow to be foreseen.
pub(super) fn verdicts(resolved: &Resolved<'_>, options: &RunOptions) -> Vec<Verdict> {
    let list = options.command.as_deref() == Some("list");
    // What `run` selects beyond `list`, a cycle may lie in.
    let limited = !options.given().is_empty();
    COMMANDS
        .iter()
        .filter(|c| !limited || c.wants != list)
        .map(|command| verdict(command, resolved))
        .collect()
}

/// The verdicts of a project that no command gets to see.
pub(super) fn refused(stage: &'static str, rule: &'static Rule, words: &str) -> Vec<Verdict> {
    COMMANDS
        .iter()
        .map(|command| Verdict {
            command: command.name,
            environment: None,
            ok: Some(false),
            stage: Some(stage),
            errors: vec![error(rule, "/", words, [])],
            warnings: Vec::new(),
            because: None,
        })
        .collect()
}

fn error<const N: usize>(
    rule: &'static Rule,
    subject: &str,
    message: &str,
    details: [(&'static str, Json); N],
) -> EngineError {
    EngineError {
        rule: rule.id,
        subject: subject.to_owned(),
        message: message.to_owned(),
        details: BTreeMap::from(details),
    }
}

fn verdict(command: &Command, resolved: &Resolved<'_>) -> Verdict {
    let mut verdict = Verdict {
        command: command.name,
        environment: None,
        ok: Some(true),
        stage: None,
        errors: Vec::new(),
        warnings: Vec::new(),
        because: None,
    };
    let certain = certain(command, resolved);
    if let Some((stage, errors)) = certain {
        return Verdict {
            ok: Some(false),
            stage: Some(stage),
            errors,
            ..verdict
        };
    }
    if let Some(why) = resolved.unknown {
        return Verdict {
            ok: None,
            because: Some(why.to_owned()),
            ..verdict
        };
    }
    if command.wants {
        let errors = entries(resolved, false, &mut verdict.warnings);
        if !errors.is_empty() {
            return Verdict {
                ok: Some(false),
                stage: Some("wants"),
                errors,
                ..verdict
            };
        }
        if let Some(path) = resolved.wants_cycle {
            verdict.warnings.push(cycle_error(
                super::rules::wants_cycle::RULE.id,
                resolved.stacks,
                path,
                "Stack selection clauses (wants/wanted_by) have cycles: ",
            ));
        }
    }
    if command.orders {
        let errors = entries(resolved, true, &mut verdict.warnings);
        if !errors.is_empty() {
            return Verdict {
                ok: Some(false),
                stage: Some("order"),
                errors,
                ..verdict
            };
        }
        if let Some(path) = resolved.cycle.filter(|_| command.cycles) {
            let errors = vec![cycle_error(cycle::RULE.id, resolved.stacks, path, "")];
            return Verdict {
                ok: Some(false),
                stage: Some("order"),
                errors,
                ..verdict
            };
        }
    }
    verdict
}

/// The errors that no unknown value can change: of the version, of loading, of the stacks, of the flags.
fn certain(command: &Command, resolved: &Resolved<'_>) -> Option<(&'static str, Vec<EngineError>)> {
    if !resolved.way_up.is_empty() {
        return Some(("load", resolved.way_up.iter().map(of_problem).collect()));
    }
    let first = |stage, problems: &[Problem]| {
        let fatal = |p: &&Problem| p.fatal && !p.unseen;
        let first = problems.iter().find(fatal)?;
        let same = problems.iter().filter(fatal).filter(|p| p.dir == first.dir);
        Some((stage, same.map(of_problem).collect()))
    };
    if let Some(refused) = first("load", resolved.load) {
        return Some(refused);
    }
    if let Some(found) = resolved.version {
        return Some(("version", vec![of_problem(found)]));
    }
    let flags = || {
        let (flag, words) = resolved.refused?;
        Some(("flags", vec![error(&invalid_value::RULE, flag, words, [])]))
    };
    let stacks = || first("stacks", resolved.checks);
    // `run` reads its flags first, `list` comes to them when it has the stacks.
    if command.wants {
        flags().or_else(stacks)
    } else {
        stacks().or_else(flags)
    }
}

fn of_problem(problem: &Problem) -> EngineError {
    let d = &problem.diagnostic;
    let message = d.engine_message.as_deref().unwrap_or(&d.message);
    let mut error = error(d.rule, &problem.dir, message, []);
    error.details = problem
        .details
        .iter()
        .map(|(k, v)| (*k, Json::from(v.clone())))
        .collect();
    error
}

/// Warns of the entries of stacks that lead nowhere; the errors of the first stack with a bad tag filter, at
/// which Terramate stops.
fn entries(resolved: &Resolved<'_>, orders: bool, warnings: &mut Vec<EngineError>) -> Vec<EngineError> {
    let counts = |e: &&Entry| e.attribute.orders() == orders;
    // Of one stack alone the way to it does not matter.
    let visits = match resolved.faulty {
        [] => return Vec::new(),
        [one] if resolved.selection.is_whole() => vec![*one],
        _ => (resolved.visits)(orders),
    };
    for stack in visits {
        let path = resolved.stacks.path(stack);
        let mut errors = Vec::new();
        let mut ended = None;
        for entry in resolved
            .entries
            .get(stack as usize)
            .into_iter()
            .flat_map(|e| e.iter())
            .filter(counts)
        {
            // A bad filter ends its own list.
            if ended == Some(entry.attribute) {
                continue;
            }
            let attribute = entry.attribute.name();
            let details = |reason: &str| {
                [
                    ("attribute", Json::from(attribute)),
                    ("value", Json::from(&*entry.text)),
                    ("reason", Json::from(reason)),
                ]
            };
            match &entry.meaning {
                Meaning::BadFilter(words) => {
                    ended = Some(entry.attribute);
                    let text = format!("invalid order entry \"{}\": {words}", entry.text);
                    errors.push(error(
                        &invalid_value::RULE,
                        &path,
                        &text,
                        details("invalid-tag-filter"),
                    ));
                }
                Meaning::Missing => {
                    let text = format!(
                        "Stack {path} references an invalid path ({}) in the '{attribute}' attribute",
                        entry.text
                    );
                    warnings.push(error(&unknown_dependency::RULE, &path, &text, details("missing")));
                }
                Meaning::NotDirectory => {
                    let text = format!(
                        "Stack {path} references a path ({}) that is not a directory in the '{attribute}' attribute",
                        entry.text
                    );
                    warnings.push(error(
                        &unknown_dependency::RULE,
                        &path,
                        &text,
                        details("not-a-directory"),
                    ));
                }
                _ => {}
            }
        }
        if !errors.is_empty() {
            return errors;
        }
    }
    Vec::new()
}

/// The text that Terramate prints of a cycle.
pub(super) fn cycle_text(stacks: &Stacks, path: &[StackIx]) -> String {
    let names: Vec<Arc<str>> = path.iter().map(|s| stacks.path(*s)).collect();
    let start = names.first().cloned().unwrap_or_default();
    format!(
        "cycle detected: {}: checking node id \"{start}\"",
        names.join(" -> ")
    )
}

fn cycle_error(rule: &'static str, stacks: &Stacks, path: &[StackIx], prefix: &str) -> EngineError {
    let names: Vec<Json> = path.iter().map(|s| Json::from(&*stacks.path(*s))).collect();
    EngineError {
        rule,
        subject: path
            .first()
            .map(|s| stacks.path(*s).to_string())
            .unwrap_or_default(),
        message: format!("{prefix}{}", cycle_text(stacks, path)),
        details: BTreeMap::from([("path", Json::from(names))]),
    }
}

#[cfg(test)]
mod tests {
    use applyorder_analysis::fixture::Fixture;
    use applyorder_core::engine::RunOptions;

    /// What `run` says first, from a directory.
    fn errors(files: &str, cwd: &str) -> Vec<(&'static str, String)> {
        let options = RunOptions {
            cwd: Some(cwd.into()),
            ..RunOptions::default()
        };
        let root = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";
        let fixture = Fixture::with_options(crate::ALONE, &format!("{root}{files}"), options);
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let run = project
            .resolution
            .verdicts
            .iter()
            .find(|v| v.command == "run")
            .unwrap();
        assert!(run.errors.is_empty() || run.stage == Some("load"));
        run.errors.iter().map(|e| (e.rule, e.subject.clone())).collect()
    }

    #[test]
    fn what_is_broken_on_the_way_to_the_root_comes_first() {
        let files = "//- /w/a/x.tm\nstack {\n  nonsense = 1\n}\n//- /w/q/bad.tm\nfoo {\n}\nstack {\n  nonsense = 1\n}\n\
             //- /w/q/s/stack.tm\nstack {\n}\n//- /w/q/s/z/stack.tm\nstack {\n";
        let unknown = |dir: &str| vec![("unknown-field", dir.to_owned())];
        assert_eq!(errors(files, "/w"), unknown("/a"), "in the order of loading");
        assert_eq!(
            errors(files, "/w/q/s"),
            unknown("/q"),
            "the block alone, not what the stack has"
        );
        assert_eq!(errors(files, "/w/q/s/z"), [("syntax-error", "/q/s/z".to_owned())]);
    }

    #[test]
    fn globals_and_settings_are_merged_on_the_way() {
        let files = "//- /w/a/x.tm\nstack {\n  nonsense = 1\n}\n\
             //- /w/q/g.tm\nglobals {\n  a = 1\n}\nglobals \"x\" {\n  a = 1\n}\nglobals {\n  a = 2\n}\n";
        assert_eq!(errors(files, "/w/q"), [("duplicate-key", "/q".to_owned())]);
        assert_eq!(errors(files, "/w"), [("unknown-field", "/a".to_owned())]);
    }

    #[test]
    fn the_way_to_the_root_is_read_even_where_it_is_left_out() {
        let files = "//- /w/a/.tmskip\n\n//- /w/a/x.tm\nfoo {\n}\n//- /w/a/b/x.tm\nbar {\n}\nstack {\n";
        assert_eq!(errors(files, "/w"), []);
        assert_eq!(errors(files, "/w/a"), [("unknown-field", "/a".to_owned())]);
        assert_eq!(errors(files, "/w/a/b"), [("syntax-error", "/a/b".to_owned())]);
    }

    /// What a command says first of a stack with a wrong id, with a wrong filter.
    fn first(command: &str, name: &str) -> Option<&'static str> {
        let options = RunOptions {
            tags: vec!["~a".to_owned()],
            command: (command == "list").then(|| "list".to_owned()),
            ..RunOptions::default()
        };
        let files = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- /w/s/s.tm\nstack {\n  id = \"no id\"\n}\n";
        let fixture = Fixture::with_options(crate::ALONE, files, options);
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let verdicts = &project.resolution.verdicts;
        verdicts.iter().find(|v| v.command == name).unwrap().stage
    }

    #[test]
    fn run_reads_its_flags_before_the_stacks_and_list_after_them() {
        assert_eq!(first("run", "run"), Some("flags"));
        assert_eq!(first("list", "list"), Some("stacks"));
    }

    #[test]
    fn what_does_not_load_comes_before_the_version() {
        let files = "//- /w/terramate.tm\nterramate {\n  required_version = \"> 9\"\n}\n";
        let stage = |files: &str| {
            let fixture = Fixture::new(crate::ALONE, files);
            let (_, project) = fixture.analysis.projects().next().unwrap();
            project.resolution.verdicts[0].stage
        };
        assert_eq!(stage(files), Some("version"));
        assert_eq!(
            stage(&format!("{files}//- /w/s/s.tm\nfoo {{\n}}\n")),
            Some("load")
        );
    }
}
