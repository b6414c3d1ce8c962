//! The commands for a project, and the inputs of a command line of Tazuna (Tazuna G5, CLI facts).

use applyorder_core::engine::invocation::{
    Action, CommandLine, Depends, Dialect, Flag, FlagTable, HELP, Invocation, Parser, Refusal, Word, is_on,
    list, operates, reads, selects, switch, value,
};
use applyorder_core::engine::options::{ENV, TAGS};
use applyorder_core::engine::{COMMAND_LINE, Cx, Handoff, Operation, ProjectSeed, RunOptions};
use applyorder_core::files::clean;
use camino::Utf8PathBuf;

use super::judge::Stage;

/// `tazuna apply` or `tazuna destroy` in the directory of the root file, with the options of the run.
pub(super) fn command(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
    let verb = match operation {
        Operation::Apply => "apply",
        Operation::Delete => "destroy",
    };
    let mut argv = vec!["tazuna".to_owned(), verb.to_owned()];
    let file = seed.root.file_name()?;
    if file != "tazuna.yaml" {
        argv.extend(["-f".to_owned(), file.to_owned()]);
    }
    if let [environment] = options.environments.as_slice()
        && !environment.is_empty()
    {
        argv.extend(["-e".to_owned(), environment.clone()]);
    }
    if !options.tags.is_empty() {
        argv.extend(["-t".to_owned(), options.tags.join(",")]);
    }
    Some(Handoff {
        argv,
        cwd: seed.root.parent()?.to_owned(),
    })
}

/// The flags of the supported commands.
pub(super) static TABLES: [FlagTable; 1] = [FlagTable {
    commands: &[
        "tazuna apply",
        "tazuna destroy",
        "tazuna check",
        "tazuna plan",
        "tazuna build",
    ],
    flags: &FLAGS,
    variables: &[],
}];

/// The flags of all commands.
static FLAGS: [Flag; 14] = [
    reads(value(&["--file-path", "-f"])),
    selects(value(&["--environment", "-e"])),
    selects(value(&["--tags", "-t"])),
    operates(switch(&["--sync"])),
    value(&["--log-level", "-l"]),
    value(&["--otlp-endpoint"]),
    switch(&["--otlp-insecure"]),
    switch(&["--fix"]),
    switch(&["--prune"]),
    switch(&["--atomic"]),
    switch(&["--no-cache"]),
    switch(&["--offline"]),
    switch(&["--force"]),
    HELP,
];

/// The verdict for `plan`, `build` and `destroy`: they check no references and no cycle.
const LIST_ONLY: &str = "destroy";

/// The stages of `check` that `apply --sync` enforces, and at which `apply` only warns.
const OF_SYNC: [&str; 1] = [Stage::Names.name()];

/// The invocation of a command of Tazuna.
pub(super) fn read(line: &CommandLine<'_>) -> Result<Invocation, Refusal> {
    let mut parser = Parser::new(line.args, Dialect::Gnu, "Tazuna");
    let mut words: Vec<&str> = Vec::new();
    let mut file = Utf8PathBuf::from("tazuna.yaml");
    let mut environment = String::new();
    let mut tags: Vec<String> = Vec::new();
    let mut syncs = false;
    while let Some(word) = parser.next(&FLAGS)? {
        match word {
            Word::Plain(word) => words.push(word),
            Word::Flag("--file-path", Some(given)) => file = given.into(),
            Word::Flag("--environment", Some(given)) => given.clone_into(&mut environment),
            Word::Flag(name @ "--tags", Some(given)) => tags.extend(list(name, given)?.map(str::to_owned)),
            Word::Flag(name @ "--sync", given) => syncs = is_on(name, given)?,
            Word::Flag(..) => {}
        }
    }
    let (action, verdict) = match words.as_slice() {
        ["apply"] => (Action::Apply, "apply"),
        ["check"] => (Action::Plan, "check"),
        ["plan" | "build"] => (Action::Plan, LIST_ONLY),
        ["destroy"] => (Action::Delete, LIST_ONLY),
        ["apply" | "check" | "plan" | "build" | "destroy", other, ..] => {
            return Err(Refusal::new(format!("Tazuna takes no argument `{other}` there")));
        }
        other => {
            return Err(Refusal::nothing_to_lint(
                format!("tazuna {}", other.join(" ")).trim_end(),
            ));
        }
    };
    let mut read = Invocation::new(action, verdict, line.cwd);
    if syncs && action == Action::Apply {
        // In that case it rejects the names that it otherwise warns about, as `check` does.
        read.depends.push(Depends::on_stages("check", &OF_SYNC));
    }
    if environment == "all" {
        return Err(Refusal::new(
            "the environment `all` is each one to applyorder, and one to Tazuna",
        ));
    }
    if file.as_str().is_empty() {
        return Err(Refusal::new("the value of `--file-path` is empty"));
    }
    line.path(line.cwd, file.as_str())?;
    // Standard input has no name here.
    read.inputs.push(if file == "-" { "./-".into() } else { file });
    read.options.set(&ENV, vec![environment]);
    read.options.set(&TAGS, tags);
    Ok(read)
}

/// The root file of a command line.
pub(super) fn seed(cx: &Cx<'_>, invocation: &Invocation) -> ProjectSeed {
    let given = invocation.inputs.iter().map(|file| invocation.cwd.join(file));
    let root = given.map(|file| clean(file.as_str())).next().unwrap_or_default();
    ProjectSeed {
        engine: cx.engine_index(),
        inputs: vec![root.clone()],
        root,
        name: None,
        why: COMMAND_LINE.to_owned(),
        inferred: false,
        excluded: Vec::new(),
        is_part: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::read_command;

    #[test]
    fn options_are_handed_on() {
        let seed = ProjectSeed {
            engine: applyorder_core::engine::EngineIx(0),
            root: "/w/prod.yaml".into(),
            name: None,
            why: String::new(),
            inferred: false,
            inputs: Vec::new(),
            excluded: Vec::new(),
            is_part: false,
        };
        let options = RunOptions {
            environments: vec!["prod".into()],
            tags: vec!["a".into(), "b,c".into()],
            ..RunOptions::default()
        };
        let handoff = command(&seed, Operation::Apply, &options).unwrap();
        assert_eq!(
            handoff.argv,
            ["tazuna", "apply", "-f", "prod.yaml", "-e", "prod", "-t", "a,b,c"]
        );
        assert_eq!(handoff.cwd, "/w");
    }

    fn of(args: &[&str]) -> Result<Invocation, String> {
        read_command(read, ("tazuna", args), &[])
    }

    #[test]
    fn file_environment_and_tags_are_read() {
        let plain = of(&["apply"]).unwrap();
        assert_eq!(plain.inputs, ["tazuna.yaml"]);
        assert_eq!(plain.options.environments, [""], "none, and not each");
        for args in [
            &["apply", "-f", "a.yaml", "-e", "prod", "-t", "x,y", "-t", "z"][..],
            &["-fa.yaml", "--environment=prod", "apply", "--tags", "x,y", "-t=z"],
            &[
                "--file-path=a.yaml",
                "apply",
                "-eprod",
                "--tags=x,y",
                "--tags=z",
                "--offline",
            ],
        ] {
            let read = of(args).unwrap();
            assert_eq!(read.inputs, ["a.yaml"], "{args:?}");
            assert_eq!(read.options.environments, ["prod"]);
            assert_eq!(read.options.tags, ["x", "y", "z"]);
        }
        // `all` is an ordinary name to Tazuna.
        assert!(of(&["apply", "-e", "all"]).unwrap_err().contains("`all`"));
    }

    #[test]
    fn each_command_depends_on_what_it_looks_at() {
        let verdict = |args: &[&str]| {
            let read = of(args).unwrap();
            (
                read.action,
                read.depends.iter().map(|d| d.command).collect::<Vec<_>>(),
            )
        };
        assert_eq!(verdict(&["apply"]), (Action::Apply, vec!["apply"]));
        assert_eq!(
            verdict(&["apply", "--sync", "--prune"]),
            (Action::Apply, vec!["apply", "check"])
        );
        assert_eq!(
            verdict(&["apply", "--sync=false"]),
            (Action::Apply, vec!["apply"])
        );
        assert_eq!(verdict(&["check", "--fix"]), (Action::Plan, vec!["check"]));
        assert_eq!(verdict(&["plan"]), (Action::Plan, vec!["destroy"]));
        assert_eq!(verdict(&["build"]), (Action::Plan, vec!["destroy"]));
        assert_eq!(
            verdict(&["destroy", "--force"]),
            (Action::Delete, vec!["destroy"])
        );
    }

    #[test]
    fn what_cannot_be_derived_is_refused() {
        assert!(
            of(&["apply", "--newer"])
                .unwrap_err()
                .contains("not a known flag")
        );
        assert!(of(&["apply", "x"]).unwrap_err().contains("no argument `x`"));
        assert!(of(&["version"]).unwrap_err().contains("run it without"));
        assert!(of(&["apply", "-f", ""]).unwrap_err().contains("is empty"));
        assert!(of(&["apply", "--help"]).unwrap_err().contains("run it without"));
    }
}
