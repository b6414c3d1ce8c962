//! Terramate's commands: what each checks, in which order, and where it stops.
//!
//! Source: Terramate 0.17.2, "Selection", "Hand-off commands" and "How errors look".

use std::sync::Arc;

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::engine::{RunOptions, Verdict};
use applyorder_core::layer::{Command, Finding, Reports, Stage};

pub(crate) const RUN: &str = "run";
pub(crate) const LIST_ORDER: &str = "list --run-order";
pub(crate) const LIST: &str = "list";
pub(crate) const GRAPH: &str = "experimental run-graph";

/// Looking for the root.
pub(crate) const ROOT: &str = "root";
/// Loading the configuration.
pub(crate) const LOAD: &str = "load";
/// The version that the root requires.
pub(crate) const VERSION: &str = "version";
/// The flags of the command.
pub(crate) const FLAGS: &str = "flags";
/// Checks of all stacks.
pub(crate) const STACKS: &str = "stacks";
/// Where unknown values would be needed. Nothing is rejected here.
pub(crate) const VALUES: &str = "values";
/// `wants` and `wanted_by`.
pub(crate) const WANTS: &str = "wants";
/// `after` and `before`, and cycles.
pub(crate) const ORDER: &str = "order";
/// `globals` and `terramate.config.run.env`, for every stack of the run.
pub(crate) const ENVIRONMENT: &str = "environment";

/// What all commands check first.
const fn stage(name: &'static str) -> Stage {
    Stage {
        name,
        reports: Reports::SameSubject,
    }
}

const fn command(name: &'static str, stages: &'static [Stage]) -> Command {
    Command {
        name,
        stages,
        warns_when_rejecting: true,
    }
}

/// `run` reads its flags first; the others read them after they have the stacks. Only `run` applies `wants`; a
/// plain `list` reads no order.
pub(crate) static COMMANDS: [Command; 4] = [
    command(
        RUN,
        &[
            stage(ROOT),
            stage(LOAD),
            stage(VERSION),
            stage(FLAGS),
            stage(STACKS),
            stage(VALUES),
            stage(WANTS),
            stage(ORDER),
            Stage {
                name: ENVIRONMENT,
                reports: Reports::All,
            },
        ],
    ),
    command(LIST_ORDER, &OF_LISTS),
    command(LIST, &OF_LISTS),
    command(GRAPH, &OF_LISTS),
];

const OF_LISTS: [Stage; 7] = [
    stage(ROOT),
    stage(LOAD),
    stage(VERSION),
    stage(STACKS),
    stage(FLAGS),
    stage(VALUES),
    stage(ORDER),
];

/// A finding that all commands reject at a stage, about a directory, a file or a flag.
pub(crate) fn rejected(stage: &'static str, d: Diagnostic, subject: &Arc<str>) -> Finding {
    // Terramate's message, or ours if it is unknown.
    let words: Arc<str> = d.engine_message.as_deref().unwrap_or(&d.message).into();
    let finding = Finding::new(d).about(subject.clone());
    COMMANDS.iter().fold(finding, |finding, command| {
        finding
            .rejected(command.name, stage)
            .message_of(command.name, words.clone())
    })
}

/// A finding that all commands reject at a stage, for which they report another finding.
pub(crate) fn foreseen(stage: &'static str, d: Diagnostic) -> Finding {
    let commands = COMMANDS.iter();
    Finding::new(commands.fold(d, |d, command| d.enforced(command.name, stage, false)))
}

/// Omits the verdicts that cannot be predicted under the options, and warnings that may not appear.
pub(crate) fn adjust(is_rootless: bool, options: &RunOptions, verdicts: &mut Vec<Verdict>) {
    let list = options.command.as_deref() == Some("list");
    // A cycle may contain stacks that `run` selects beyond `list`.
    let limited = !options.given().is_empty() && !is_rootless;
    verdicts.retain(|v| !limited || (v.command == RUN) != list);
    for verdict in verdicts.iter_mut().filter(|v| v.ok.is_none()) {
        verdict.warnings.clear();
    }
}

#[cfg(test)]
mod tests {
    use applyorder_analysis::fixture::Fixture;
    use applyorder_core::engine::RunOptions;

    /// The first errors that `run` reports, from a directory.
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
    fn errors_of_a_directory_come_in_the_order_of_what_terramate_does() {
        let files = "//- /w/s/x.tm\nstack {\n  wants = 1\n  foo = 1\n  bar {\n  }\n}\nbaz {\n}\n\
             import {\n  source = \"/nope/x.tm\"\n}\n";
        let rules: Vec<_> = errors(files, "/w").into_iter().map(|(rule, _)| rule).collect();
        assert_eq!(
            rules,
            [
                "terramate/import-invalid",
                "unknown-field",
                "terramate/stack-nested-block",
                "unknown-field",
                "wrong-type"
            ]
        );
    }

    #[test]
    fn on_the_way_paths_are_seen_from_the_directory() {
        let files = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n\
             //- /w/q/g.tm\nglobals {\n  a = 1\n}\nglobals {\n  a = 2\n}\n";
        let words = |cwd: &str| {
            let options = RunOptions {
                cwd: Some(cwd.into()),
                ..RunOptions::default()
            };
            let fixture = Fixture::with_options(crate::ALONE, files, options);
            let (_, project) = fixture.analysis.projects().next().unwrap();
            project.resolution.verdicts[0].errors[0].message.clone()
        };
        assert_eq!(
            words("/w/q"),
            "attribute \"a\" redeclared in file \"/g.tm\" (first defined in \"/g.tm\")"
        );
        assert_eq!(
            words("/w"),
            "attribute \"a\" redeclared in file \"/q/g.tm\" (first defined in \"/q/g.tm\")"
        );
    }

    #[test]
    fn the_way_to_the_root_is_read_even_where_it_is_left_out() {
        let files = "//- /w/a/.tmskip\n\n//- /w/a/x.tm\nfoo {\n}\n//- /w/a/b/x.tm\nbar {\n}\nstack {\n";
        assert_eq!(errors(files, "/w"), []);
        assert_eq!(errors(files, "/w/a"), [("unknown-field", "/a".to_owned())]);
        assert_eq!(errors(files, "/w/a/b"), [("syntax-error", "/a/b".to_owned())]);
    }

    /// The first error that a command reports for a stack with a wrong id, with a wrong filter.
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
