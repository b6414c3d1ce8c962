//! The commands of Terramate that a project is handed to, and what its command lines read.
//!
//! Source: Terramate 0.17.2, "Hand-off commands" and the help of its commands.

use applyorder_core::engine::invocation::{
    Action, CommandLine, Depends, Dialect, Flag, FlagTable, HELP, Invocation, Parser, Refusal, Since, Word,
    is_on_in_kong, operates, reads, reads_nothing, refused, selects, switch, value,
};
use applyorder_core::engine::options::{CWD, NO_TAGS, TAGS};
use applyorder_core::engine::{Cx, Handoff, Operation, ProjectSeed, RunOptions};
use applyorder_core::files::FileKind;
use camino::Utf8Path;

use super::discover;
use super::judge::{LIST, LIST_ORDER, RUN};

/// `terramate run` with the selection of the options; `--reverse` for deleting. The user has to say what it
/// runs in each stack.
pub(super) fn usual(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Handoff {
    let mut argv = vec!["terramate".to_owned(), "run".to_owned()];
    if operation == Operation::Delete {
        argv.push("--reverse".to_owned());
    }
    for tag in &options.tags {
        argv.extend(["--tags".to_owned(), tag.clone()]);
    }
    for tag in &options.no_tags {
        argv.extend(["--no-tags".to_owned(), tag.clone()]);
    }
    let tool = match operation {
        Operation::Apply => "apply",
        Operation::Delete => "destroy",
    };
    argv.extend(["--".to_owned(), "terraform".to_owned(), tool.to_owned()]);
    Handoff {
        argv,
        cwd: options.cwd.clone().unwrap_or_else(|| seed.root.clone()),
    }
}

const BY_CLOUD: &str = "selects by what only Terramate Cloud knows";
const BY_OUTPUTS: &str = "selects by shared outputs, which are not followed";
const CHANGES: &str = "changes what counts as changed";

/// The flags of the commands that are handed over.
pub(super) static TABLES: [FlagTable; 1] = [FlagTable {
    commands: &["terramate run", "terramate script run", "terramate list"],
    flags: &FLAGS,
    variables: &VARIABLES,
}];

/// The flags of `run`, `script run` and `list`, and those of every command, hidden ones too.
static FLAGS: [Flag; 66] = [
    reads(value(&["--chdir", "-C"])),
    selects(value(&["--tags"])),
    selects(value(&["--no-tags"])),
    selects(switch(&["--changed", "-c"])),
    selects(value(&["--git-change-base", "-B"])),
    operates(switch(&["--reverse"])),
    operates(switch(&["--run-order"])),
    selects(switch(&["--no-recursive"])),
    // Flags that select by something that is not in the files.
    refused(value(&["--status"]), BY_CLOUD),
    refused(value(&["--cloud-status"]), BY_CLOUD),
    refused(value(&["--experimental-status"]), BY_CLOUD),
    refused(value(&["--deployment-status"]), BY_CLOUD),
    refused(value(&["--drift-status"]), BY_CLOUD),
    refused(switch(&["--include-output-dependencies"]), BY_OUTPUTS),
    refused(switch(&["--only-output-dependencies"]), BY_OUTPUTS),
    refused(switch(&["--include-all-dependencies"]), BY_OUTPUTS),
    refused(switch(&["--include-direct-dependencies"]), BY_OUTPUTS),
    refused(switch(&["--only-all-dependencies"]), BY_OUTPUTS),
    refused(switch(&["--only-direct-dependencies"]), BY_OUTPUTS),
    refused(switch(&["--exclude-all-dependencies"]), BY_OUTPUTS),
    refused(switch(&["--include-all-dependents"]), BY_OUTPUTS),
    refused(switch(&["--include-direct-dependents"]), BY_OUTPUTS),
    refused(switch(&["--only-all-dependents"]), BY_OUTPUTS),
    refused(switch(&["--only-direct-dependents"]), BY_OUTPUTS),
    refused(switch(&["--exclude-all-dependents"]), BY_OUTPUTS),
    refused(value(&["--enable-change-detection"]), CHANGES),
    refused(value(&["--disable-change-detection"]), CHANGES),
    HELP,
    reads_nothing(&["--version"]),
    // Flags that do not change what is read or ordered.
    value(&["--log-level"]),
    value(&["--log-fmt"]),
    value(&["--log-destination"]),
    switch(&["--quiet"]),
    switch(&["--verbose", "-v"]),
    value(&["--target"]),
    value(&["--from-target"]),
    switch(&["--enable-sharing"]),
    switch(&["--mock-on-fail"]),
    switch(&["--sync-deployment"]),
    switch(&["--cloud-sync-deployment"]),
    switch(&["--sync-drift-status"]),
    switch(&["--cloud-sync-drift-status"]),
    switch(&["--sync-preview"]),
    switch(&["--cloud-sync-preview"]),
    value(&["--layer"]),
    value(&["--cloud-sync-layer"]),
    value(&["--plan-render-timeout"]),
    value(&["--terraform-plan-file"]),
    value(&["--cloud-sync-terraform-plan-file"]),
    value(&["--tofu-plan-file"]),
    value(&["--debug-preview-url"]),
    switch(&["--continue-on-error"]),
    switch(&["--dry-run"]),
    value(&["--parallel", "-j"]),
    switch(&["--eval"]),
    switch(&["--terragrunt"]),
    switch(&["-X"]),
    switch(&["--why"]),
    value(&["--disable-safeguards"]),
    switch(&["--disable-check-gen-code"]),
    switch(&["--disable-check-git-remote"]),
    switch(&["--disable-check-git-untracked"]),
    switch(&["--disable-check-git-uncommitted"]),
    switch(&["--disable-checkpoint"]),
    switch(&["--disable-checkpoint-signature"]),
    switch(&["--cpu-profiling"]),
];

/// The variables that Terramate reads instead of flags that are not given.
const VARIABLES: [(&str, &str); 7] = [
    ("TM_ARG_CHDIR", "--chdir"),
    ("TM_ARG_TAGS", "--tags"),
    ("TM_ARG_NO_TAGS", "--no-tags"),
    ("TM_ARG_CHANGED", "--changed"),
    ("TM_ARG_GIT_CHANGE_BASE", "--git-change-base"),
    ("TM_ARG_RUN_REVERSE", "--reverse"),
    ("TM_ARG_RUN_NO_RECURSIVE", "--no-recursive"),
];

/// The base of the changes if neither flags nor `terramate.config.git` set it.
const DEFAULT_BASE: Since = Since::Branch {
    remote: "origin",
    branch: "main",
};

/// The settings of `terramate.config.git` that change it.
const BASE_SETTINGS: [&[u8]; 2] = [b"default_remote", b"default_branch"];

/// The block that defines what counts as changed.
const CHANGE_SETTINGS: [&[u8]; 1] = [b"change_detection"];

/// The configuration of modules that Terramate follows when it detects changes.
const TERRAGRUNT: &str = "terragrunt.hcl";

/// The flags that choose something, each with its values.
#[derive(Default)]
struct Given(Vec<(&'static str, Option<String>)>);

impl Given {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(given, _)| *given == name)
    }

    fn values<'a>(&'a self, name: &'a str) -> impl DoubleEndedIterator<Item = &'a str> + 'a {
        let own = self.0.iter().filter(move |(given, _)| *given == name);
        own.filter_map(|(_, value)| value.as_deref())
    }

    fn is_on(&self, name: &'static str) -> Result<bool, Refusal> {
        match self.0.iter().rfind(|(given, _)| *given == name) {
            None => Ok(false),
            Some((_, value)) => is_on_in_kong(name, value.as_deref()),
        }
    }
}

/// What `terramate run`, `script run` or `list` reads and does. Flags end where the command for the stacks, or the
/// name of the script, begins.
pub(super) fn read(line: &CommandLine<'_>) -> Result<Invocation, Refusal> {
    let mut words: Vec<&str> = Vec::new();
    let mut given = Given::default();
    let mut parser = Parser::new(line.args, Dialect::Kong, "Terramate");
    while !matches!(words.as_slice(), ["run", _] | ["script", "run", _]) {
        match parser.next(&FLAGS)? {
            None => break,
            Some(Word::Plain(word)) => words.push(word),
            Some(Word::Flag(name, value)) => given.0.push((name, value.map(str::to_owned))),
        }
    }
    let reads_run_flags = !matches!(words.as_slice(), ["list"]);
    for (variable, flag) in VARIABLES {
        let of_run = variable.starts_with("TM_ARG_RUN_");
        // An empty variable counts as unset.
        let counts = |value: &String| !value.is_empty() && !given.has(flag) && (!of_run || reads_run_flags);
        if let Some(value) = (line.env)(variable).filter(counts) {
            given.0.push((flag, Some(value)));
        }
    }
    let (action, verdict) = match words.as_slice() {
        ["run", _] | ["script", "run", _] if given.is_on("--reverse")? => (Action::Delete, RUN),
        ["run", _] | ["script", "run", _] => (Action::Apply, RUN),
        ["run"] | ["script", "run"] => return Err(Refusal::new("nothing is named that is to run")),
        ["list"] if given.is_on("--run-order")? => (Action::List, LIST_ORDER),
        ["list"] => (Action::List, LIST),
        other => {
            return Err(Refusal::nothing_to_lint(
                format!("terramate {}", other.join(" ")).trim_end(),
            ));
        }
    };
    if given.is_on("--no-recursive")? {
        return Err(Refusal::new(
            "`--no-recursive` runs one stack alone: there is no order",
        ));
    }
    let mut read = Invocation::new(action, verdict, line.cwd);
    read.depends = vec![Depends::on(verdict)];
    if let Some(dir) = given.values("--chdir").next_back() {
        let dir = line.path(line.cwd, dir)?;
        // Terramate goes upwards from the target of a link.
        read.cwd = (line.canonical)(&dir).unwrap_or(dir);
    }
    read.options.set(&CWD, vec![read.cwd.to_string()]);
    read.options
        .set(&TAGS, given.values("--tags").map(str::to_owned).collect());
    read.options
        .set(&NO_TAGS, given.values("--no-tags").map(str::to_owned).collect());
    if verdict != RUN {
        read.options.command = Some("list".to_owned());
    }
    if given.is_on("--changed")? {
        read.since = Some(match given.values("--git-change-base").next_back() {
            Some(revision) => Since::Revision(revision.to_owned()),
            None => DEFAULT_BASE,
        });
    }
    Ok(read)
}

/// The project that a command is about.
pub(super) fn seed(cx: &Cx<'_>, invocation: &Invocation) -> Result<ProjectSeed, Refusal> {
    let Some(seed) = discover::of_command(cx, &invocation.cwd) else {
        return Err(Refusal::new("Terramate finds no project root from there"));
    };
    let names = |dir: &Utf8Path, words: &[&[u8]]| {
        let entries = cx.list(dir).unwrap_or_default();
        let files = entries.iter().filter(|e| discover::is_config(&e.name));
        let mut texts = files.filter_map(|e| cx.bytes(&dir.join(&e.name)).ok());
        let has = |text: &[u8], word: &[u8]| text.windows(word.len()).any(|part| part == word);
        texts.any(|text| words.iter().any(|word| has(&text, word)))
    };
    if invocation.since.is_some() && names(&seed.root, &CHANGE_SETTINGS) {
        return Err(Refusal::new(
            "the project says itself what counts as changed (`change_detection`): `--changed` cannot be followed",
        ));
    }
    if invocation.since.is_some() && has_terragrunt(cx, &seed.root) {
        return Err(Refusal::new(
            "the project has modules of Terragrunt, whose changes are not followed: `--changed` cannot be",
        ));
    }
    if invocation.since == Some(DEFAULT_BASE) && names(&seed.root, &BASE_SETTINGS) {
        return Err(Refusal::new(
            "the project sets what changes are counted from: name it with `--git-change-base`",
        ));
    }
    Ok(seed)
}

/// Whether there is a module of Terragrunt anywhere in a project.
fn has_terragrunt(cx: &Cx<'_>, root: &Utf8Path) -> bool {
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in cx.list(&dir).unwrap_or_default().iter() {
            if entry.name.starts_with('.') {
                continue;
            }
            if entry.kind == FileKind::Directory {
                open.push(dir.join(&entry.name));
            } else if entry.name.starts_with(TERRAGRUNT) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::read_command;
    use applyorder_core::engine::invocation::Effect;

    fn with_env(args: &[&str], env: &[(&str, &str)]) -> Result<Invocation, String> {
        read_command(read, ("terramate", args), env)
    }

    fn of(args: &[&str]) -> Invocation {
        with_env(args, &[]).unwrap()
    }

    #[test]
    fn directory_and_tags_are_read() {
        for args in [
            &[
                "run",
                "-C",
                "a/../b",
                "--tags",
                "x,y",
                "--tags=z",
                "--no-tags=n,m",
                "-X",
                "--",
                "terraform",
                "apply",
            ][..],
            &[
                "-Cb",
                "--tags=x,y",
                "run",
                "--tags",
                "z",
                "--no-tags",
                "n,m",
                "-j4",
                "terraform",
                "apply",
                "--tags",
                "own",
            ],
            &[
                "--chdir=b",
                "script",
                "run",
                "--tags",
                "x,y",
                "--tags",
                "z",
                "--no-tags=n,m",
                "deploy",
                "--tags=own",
            ],
        ] {
            let read = of(args);
            assert_eq!(read.cwd, "/w/b", "{args:?}");
            assert_eq!(read.options.cwd.as_deref(), Some("/w/b".into()));
            assert_eq!(read.options.tags, ["x,y", "z"]);
            assert_eq!(read.options.no_tags, ["n,m"]);
            assert_eq!((read.action, read.operation), (Action::Apply, Operation::Apply));
            assert_eq!((read.depends[0].command, read.since), (RUN, None));
        }
    }

    #[test]
    fn the_direction_and_the_verdict_are_those_of_the_command() {
        let read = of(&["run", "--reverse", "terraform", "destroy"]);
        assert_eq!((read.action, read.operation), (Action::Delete, Operation::Delete));
        assert_eq!(
            of(&["script", "run", "--reverse", "down"]).operation,
            Operation::Delete
        );
        assert_eq!(of(&["run", "--reverse=false", "x"]).operation, Operation::Apply);
        let list = of(&["list"]);
        assert_eq!((list.action, list.depends[0].command), (Action::List, LIST));
        assert_eq!(list.options.command.as_deref(), Some("list"));
        assert_eq!(
            of(&["list", "--run-order", "--why"]).depends[0].command,
            LIST_ORDER
        );
    }

    #[test]
    fn changed_stacks_are_those_since_a_revision() {
        assert_eq!(of(&["run", "--changed", "x"]).since, Some(DEFAULT_BASE));
        assert_eq!(
            of(&["run", "-c", "-Bmain", "x"]).since,
            Some(Since::Revision("main".to_owned()))
        );
        assert_eq!(of(&["run", "-B", "main", "x"]).since, None);
        assert_eq!(of(&["run", "--changed=false", "x"]).since, None);
    }

    #[test]
    fn variables_hold_where_flags_are_not_given() {
        let env = [
            ("TM_ARG_CHDIR", "d"),
            ("TM_ARG_TAGS", "t"),
            ("TM_ARG_NO_TAGS", "n"),
            ("TM_ARG_CHANGED", "true"),
            ("TM_ARG_GIT_CHANGE_BASE", "v1"),
            ("TM_ARG_RUN_REVERSE", "1"),
        ];
        let read = with_env(&["run", "x"], &env).unwrap();
        assert_eq!(
            (read.cwd.as_str(), &*read.options.tags, &*read.options.no_tags),
            ("/w/d", &["t".to_owned()][..], &["n".to_owned()][..])
        );
        assert_eq!(read.since, Some(Since::Revision("v1".to_owned())));
        assert_eq!(read.operation, Operation::Delete);
        let read = with_env(&["run", "-C", "e", "--tags=u", "--reverse=false", "x"], &env).unwrap();
        assert_eq!(
            (read.cwd.as_str(), &*read.options.tags),
            ("/w/e", &["u".to_owned()][..])
        );
        assert_eq!(read.operation, Operation::Apply);
        // `list` has no such flag.
        assert_eq!(with_env(&["list"], &env).unwrap().operation, Operation::Apply);
        assert!(with_env(&["run", "x"], &[("TM_ARG_RUN_NO_RECURSIVE", "true")]).is_err());
    }

    #[test]
    fn what_cannot_be_derived_is_refused() {
        let because = |args: &[&str]| with_env(args, &[]).unwrap_err();
        for flag in FLAGS.iter().filter(|f| matches!(f.effect, Effect::Refused(_))) {
            let said = because(&["run", flag.names[0], "x", "true"]);
            assert!(said.starts_with(&format!("`{}` ", flag.names[0])), "{said}");
        }
        assert!(because(&["run", "--no-recursive", "x"]).contains("one stack alone"));
        assert!(because(&["run"]).contains("nothing is named"));
        assert!(because(&["generate"]).contains("run it without"));
        assert!(because(&["run", "--newer", "x"]).contains("not a known flag"));
    }
}
