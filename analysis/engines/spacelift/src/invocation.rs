//! The options of a run: the flavor of files and the values of variables. Also the command that a project is
//! handed to, and how command lines of Terraform and OpenTofu are read.
//!
//! Source: the help of Terraform 1.11 and OpenTofu 1.10.

use applyorder_core::config::Configs;
use applyorder_core::engine::invocation::{
    Action, CommandLine, Depends, Dialect, Flag, FlagTable, Invocation, Parser, Refusal, VersionFit, Word,
    fit, is_on, operates, reads, reads_nothing, refused, selects, switch, value,
};
use applyorder_core::engine::{
    COMMAND_LINE, Cx, EngineIx, Handoff, Operation, ProjectSeed, ProjectView, RunOptions, View,
};
use applyorder_core::files::{clean, join_clean};
use applyorder_core::layer::Pass;
use camino::{Utf8Path, Utf8PathBuf};

use crate::config::{DATA_DIR, ENVIRONMENT, FLAVOR, Flavor, SpaceliftConfig, VAR, VAR_FILE, WORKSPACE};
use crate::judge::{APPLY, PLAN, VALIDATE};
use crate::read::{BlockKind, TfFacts};

/// The flavor that the program of a command line has, else that which the configuration names.
pub(crate) fn flavor(pass: &Pass<'_>) -> Flavor {
    match pass.options.one(&FLAVOR) {
        Some("terraform") => return Flavor::Terraform,
        Some(_) => return Flavor::OpenTofu,
        None => {}
    }
    let config = pass.cx.config(&pass.seed.root.join("main.tf"));
    config.section::<SpaceliftConfig>().flavor
}

/// The files of values that the user names, those whose values win last, absolute.
pub(crate) fn var_files(pass: &Pass<'_>) -> Vec<Utf8PathBuf> {
    let configured = configured_var_files(pass).into_iter();
    let mut files: Vec<Utf8PathBuf> = configured.map(|(_, path)| path).collect();
    files.extend(pass.options.all(&VAR_FILE).iter().map(Utf8PathBuf::from));
    files
}

/// The files of values that the configuration names, as it writes them and absolute.
pub(crate) fn configured_var_files(pass: &Pass<'_>) -> Vec<(String, Utf8PathBuf)> {
    let config = pass.cx.config(&pass.seed.root.join("main.tf"));
    let own = config.section::<SpaceliftConfig>();
    // What a command line does not name its program does not read.
    let configured = own.var_files.iter().filter(|_| !is_handed_over(pass));
    configured
        .map(|f| (f.clone(), join_clean(&config.dir, f)))
        .collect()
}

/// The values on the command line, by name.
pub(crate) fn vars(options: &RunOptions) -> impl Iterator<Item = (&str, &str)> {
    options.all(&VAR).iter().filter_map(|pair| pair.split_once('='))
}

/// What the environment gives variables, by name.
pub(crate) fn environment(options: &RunOptions) -> impl Iterator<Item = (&str, &str)> {
    let all = options.all(&ENVIRONMENT).iter();
    all.filter_map(|pair| pair.split_once('='))
}

/// Where modules that were installed are listed.
pub(crate) fn data_dir(pass: &Pass<'_>) -> Utf8PathBuf {
    let given = pass.options.one(&DATA_DIR).unwrap_or(".terraform");
    clean(pass.seed.root.join(given).as_str())
}

/// Whether the program is about to read all of this, so that what it reads by itself is known for sure.
pub(crate) fn is_handed_over(pass: &Pass<'_>) -> bool {
    pass.seed.why == COMMAND_LINE
}

/// The options of a run with the program and the files of values that a module is configured to be applied with. Files
/// that the user names come last, and win.
pub(crate) fn options_of(
    analysis: &dyn View,
    configs: &Configs,
    project: ProjectView<'_>,
    options: &RunOptions,
) -> RunOptions {
    let root = &project.seed.root;
    let config = configs.of(&root.join("main.tf"));
    let own = config.section::<SpaceliftConfig>();
    let is_tofu = |path: &Utf8Path| {
        let name = path.file_name().unwrap_or_default();
        path.parent() == Some(root) && (name.ends_with(".tofu") || name.ends_with(".tofu.json"))
    };
    let mut members = project.resolution.members.iter();
    let program = match own.flavor {
        Flavor::Auto if members.any(|member| is_tofu(analysis.path(member.file))) => "tofu",
        Flavor::OpenTofu => "tofu",
        Flavor::Auto | Flavor::Terraform => "terraform",
    };
    let configured = own
        .var_files
        .iter()
        .map(|file| join_clean(&config.dir, file).into_string());
    let files = configured.chain(options.all(&VAR_FILE).iter().cloned()).collect();
    let mut options = options.clone();
    options.set(&FLAVOR, vec![program.to_owned()]);
    options.set(&VAR_FILE, files);
    options
}

/// `terraform apply`, `tofu destroy` and so on, with the values that the user gave.
pub(crate) fn usual(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Handoff {
    let mut argv = vec![options.one(&FLAVOR).unwrap_or("terraform").to_owned()];
    argv.push(match operation {
        Operation::Apply => "apply".to_owned(),
        Operation::Delete => "destroy".to_owned(),
    });
    argv.extend(options.all(&VAR_FILE).iter().map(|file| {
        let file = Utf8Path::new(file);
        format!("-var-file={}", file.strip_prefix(&seed.root).unwrap_or(file))
    }));
    argv.extend(vars(options).map(|(name, value)| format!("-var={name}={value}")));
    Handoff {
        argv,
        cwd: seed.root.clone(),
    }
}

const PARTS: &str = "leaves out what only the state can tell";

/// What flags the commands have that are handed over. `TF_CLI_ARGS` adds any, and is refused.
pub(crate) static TABLES: [FlagTable; 2] = [
    FlagTable {
        commands: &["terraform", "tofu"],
        flags: &GLOBAL,
        variables: &[],
    },
    FlagTable {
        commands: &[
            "terraform apply",
            "terraform destroy",
            "terraform plan",
            "terraform validate",
            "tofu apply",
            "tofu destroy",
            "tofu plan",
            "tofu validate",
        ],
        flags: &FLAGS,
        variables: &[("TF_VAR_NAME", "-var")],
    },
];

/// The newest version of a program whose language is known here.
pub(crate) fn newest(program: &str) -> &'static str {
    if program.starts_with("tofu") {
        "1.10"
    } else {
        "1.11"
    }
}

/// Whether the language of a program's version is known here. It does not change between the patches of a minor
/// version.
pub(crate) fn version_fit(program: &str, version: &str) -> VersionFit {
    let differs = [("0.12", "configurations were written in another language")];
    let minor = version
        .match_indices('.')
        .nth(1)
        .and_then(|(at, _)| version.get(..at));
    fit(minor.unwrap_or(version), newest(program), &differs)
}

/// What precedes the command.
static GLOBAL: [Flag; 3] = [
    reads(value(&["-chdir"])),
    reads_nothing(&["-help", "-h"]),
    reads_nothing(&["-version", "-v"]),
];

/// The flags of `apply`, `destroy`, `plan` and `validate`.
static FLAGS: [Flag; 36] = [
    selects(value(&["-var"])),
    reads(value(&["-var-file"])),
    operates(switch(&["-destroy"])),
    refused(value(&["-target"]), PARTS),
    refused(value(&["-target-file"]), PARTS),
    refused(value(&["-exclude"]), PARTS),
    refused(value(&["-exclude-file"]), PARTS),
    reads_nothing(&["-help", "-h"]),
    // What does not change what is read or ordered.
    switch(&["-auto-approve"]),
    switch(&["-refresh"]),
    switch(&["-refresh-only"]),
    value(&["-replace"]),
    switch(&["-input"]),
    switch(&["-lock"]),
    value(&["-lock-timeout"]),
    value(&["-parallelism"]),
    switch(&["-no-color"]),
    switch(&["-compact-warnings"]),
    switch(&["-consolidate-warnings"]),
    switch(&["-consolidate-errors"]),
    switch(&["-concise"]),
    switch(&["-show-sensitive"]),
    value(&["-deprecation"]),
    switch(&["-json"]),
    value(&["-json-into"]),
    switch(&["-detailed-exitcode"]),
    value(&["-generate-config-out"]),
    value(&["-out"]),
    value(&["-state"]),
    value(&["-state-out"]),
    value(&["-backup"]),
    switch(&["-allow-missing-config"]),
    switch(&["-allow-missing"]),
    switch(&["-no-tests"]),
    value(&["-test-directory"]),
    switch(&["-suppress-forget-errors"]),
];

/// What `terraform` or `tofu` reads and does.
pub(crate) fn read(line: &CommandLine<'_>) -> Result<Invocation, Refusal> {
    let program = if line.program.starts_with("tofu") {
        "tofu"
    } else {
        "terraform"
    };
    let mut parser = Parser::new(line.args, Dialect::Go, "Terraform");
    let mut cwd = line.cwd.to_owned();
    let command = loop {
        match parser.next(&GLOBAL)? {
            Some(Word::Plain(command)) => break command,
            Some(Word::Flag(_, dir)) => {
                let dir = line.path(line.cwd, dir.unwrap_or_default())?;
                // Modules are found from where a link leads to.
                cwd = (line.canonical)(&dir).unwrap_or(dir);
            }
            None => return Err(Refusal::nothing_to_lint(program)),
        }
    };
    let (mut action, mut verdict) = match command {
        "apply" => (Action::Apply, APPLY),
        "destroy" => (Action::Delete, PLAN),
        "plan" => (Action::Plan, PLAN),
        "validate" => (Action::Plan, VALIDATE),
        other => return Err(Refusal::nothing_to_lint(&format!("{program} {other}"))),
    };
    for variable in ["TF_CLI_ARGS".to_owned(), format!("TF_CLI_ARGS_{command}")] {
        if (line.env)(&variable).is_some_and(|value| !value.trim().is_empty()) {
            return Err(Refusal::new(format!(
                "`{variable}` adds arguments that are not on the command line"
            )));
        }
    }
    let mut parser = Parser::new(parser.rest(), Dialect::Go, "Terraform");
    let mut vars: Vec<String> = Vec::new();
    let mut files: Vec<String> = Vec::new();
    let mut removes = false;
    while let Some(word) = parser.next(&FLAGS)? {
        match word {
            Word::Plain(word) if action == Action::Apply => {
                return Err(Refusal::new(format!(
                    "`{word}` is a saved plan: what it does was decided when it was made"
                )));
            }
            Word::Plain(word) => {
                return Err(Refusal::new(format!(
                    "`{program} {command}` takes no argument `{word}`"
                )));
            }
            Word::Flag("-var", Some(pair)) if pair.contains('=') => vars.push(pair.to_owned()),
            Word::Flag("-var", _) => return Err(Refusal::new("a value of `-var` has no `=`")),
            Word::Flag("-var-file", Some(_)) if !vars.is_empty() => {
                return Err(Refusal::new(
                    "a `-var-file` after a `-var` may override it: put it before",
                ));
            }
            Word::Flag("-var-file", Some(file)) => files.push(line.path(&cwd, file)?.into_string()),
            Word::Flag(name @ "-destroy", given) => removes = is_on(name, given)?,
            Word::Flag(..) => {}
        }
    }
    let deletes = removes || command == "destroy";
    if removes && command == "apply" {
        (action, verdict) = (Action::Delete, PLAN);
    }
    let mut read = Invocation::new(action, verdict, &cwd);
    read.depends = vec![Depends::on(verdict)];
    if deletes {
        read.operation = Operation::Delete;
    }
    let start = "TF_VAR_";
    let given = (line.env_from)(start).into_iter();
    let given = given.map(|(name, value)| format!("{}={value}", name.get(start.len()..).unwrap_or("")));
    read.options.set(&ENVIRONMENT, given.collect());
    for (variable, option) in [("TF_DATA_DIR", &DATA_DIR), ("TF_WORKSPACE", &WORKSPACE)] {
        let given = (line.env)(variable).filter(|value| !value.is_empty());
        read.options.set(option, given.into_iter().collect());
    }
    read.options.set(&VAR, vars);
    read.options.set(&VAR_FILE, files);
    read.options.set(&FLAVOR, vec![program.to_owned()]);
    Ok(read)
}

/// The module of a command line: the directory it is started in.
pub(crate) fn seed(cx: &Cx<'_>, invocation: &Invocation) -> ProjectSeed {
    ProjectSeed {
        engine: cx.engine_index(),
        root: invocation.cwd.clone(),
        name: None,
        why: COMMAND_LINE.to_owned(),
        inferred: false,
        inputs: vec![invocation.cwd.clone()],
        excluded: Vec::new(),
        is_part: false,
    }
}

/// Where a module asks which stack it runs in, Spacelift runs it.
pub(crate) fn runs_elsewhere(analysis: &dyn View, project: ProjectView<'_>) -> Option<String> {
    let engine: EngineIx = project.seed.engine;
    let asks = |path: &Utf8Path, facts: &TfFacts| {
        let mut blocks = facts.blocks.iter();
        path.parent() == Some(&project.seed.root)
            && blocks.any(|b| b.kind == BlockKind::Data && b.label(0) == "spacelift_current_stack")
    };
    let member = project.resolution.members.iter().find(|member| {
        let facts = analysis.facts_as::<TfFacts>(member.file, engine);
        facts.is_some_and(|facts| asks(analysis.path(member.file), facts))
    })?;
    Some(format!(
        "{} asks for the stack that it runs in (`spacelift_current_stack`): Spacelift itself runs this module",
        analysis.path(member.file).file_name().unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::read_command;
    use applyorder_core::engine::invocation::Effect;

    fn with(program: &str, args: &[&str], env: &[(&str, &str)]) -> Result<Invocation, String> {
        read_command(read, (program, args), env)
    }

    fn of(args: &[&str]) -> Invocation {
        with("terraform", args, &[]).unwrap()
    }

    #[test]
    fn directory_values_and_flavor_are_read() {
        for args in [
            &[
                "-chdir=m/../n",
                "apply",
                "-var-file=a.tfvars",
                "-var-file",
                "/b",
                "-var",
                "x=1=2",
                "-var=y=",
                "-auto-approve",
            ][..],
            &[
                "-chdir",
                "n",
                "apply",
                "--var-file=a.tfvars",
                "-var-file=/b",
                "--var=x=1=2",
                "-var",
                "y=",
                "-lock=false",
            ],
        ] {
            let read = of(args);
            assert_eq!(read.cwd, "/w/n", "{args:?}");
            assert_eq!(read.options.all(&VAR_FILE), ["/w/n/a.tfvars", "/b"]);
            assert_eq!(read.options.all(&VAR), ["x=1=2", "y="]);
            assert_eq!(read.options.one(&FLAVOR), Some("terraform"));
        }
        let read = with("tofu", &["plan"], &[]).unwrap();
        assert_eq!(read.options.one(&FLAVOR), Some("tofu"));
    }

    #[test]
    fn the_operation_is_that_of_the_command() {
        let of = |args: &[&str]| {
            let read = of(args);
            (read.action, read.operation, read.depends[0].command)
        };
        assert_eq!(of(&["apply"]), (Action::Apply, Operation::Apply, APPLY));
        assert_eq!(
            of(&["apply", "-destroy"]),
            (Action::Delete, Operation::Delete, PLAN)
        );
        assert_eq!(
            of(&["apply", "-destroy=false"]),
            (Action::Apply, Operation::Apply, APPLY)
        );
        assert_eq!(of(&["destroy"]), (Action::Delete, Operation::Delete, PLAN));
        assert_eq!(of(&["plan", "-out=p"]), (Action::Plan, Operation::Apply, PLAN));
        assert_eq!(of(&["plan", "-destroy"]), (Action::Plan, Operation::Delete, PLAN));
        assert_eq!(of(&["validate"]), (Action::Plan, Operation::Apply, VALIDATE));
    }

    #[test]
    fn the_environment_gives_variables_and_the_place_of_modules() {
        let env = [
            ("TF_VAR_a", "1=2"),
            ("TF_DATA_DIR", "d"),
            ("TF_WORKSPACE", "w"),
            ("OTHER", "x"),
        ];
        let read = with("terraform", &["plan"], &env).unwrap();
        assert_eq!(read.options.all(&ENVIRONMENT), ["a=1=2"]);
        assert_eq!(read.options.one(&DATA_DIR), Some("d"));
        assert_eq!(read.options.one(&WORKSPACE), Some("w"));
        assert_eq!(of(&["plan"]).options.one(&DATA_DIR), None);
    }

    #[test]
    fn the_language_of_a_minor_version_is_known_or_not() {
        for version in ["1.11.4", "1.11.99", "1.0.0", "0.12.31"] {
            assert_eq!(version_fit("terraform", version), VersionFit::Known, "{version}");
        }
        assert_eq!(version_fit("terraform", "1.12.0-rc1"), VersionFit::Newer);
        assert_eq!(version_fit("tofu", "1.10.6"), VersionFit::Known);
        assert_eq!(version_fit("tofu", "1.11.0"), VersionFit::Newer);
        assert!(matches!(
            version_fit("terraform", "0.11.15"),
            VersionFit::Other(_)
        ));
    }

    #[test]
    fn what_cannot_be_derived_is_refused() {
        let because = |args: &[&str]| with("terraform", args, &[]).unwrap_err();
        for flag in FLAGS.iter().filter(|f| matches!(f.effect, Effect::Refused(_))) {
            let said = because(&["apply", flag.names[0], "x"]);
            assert!(said.starts_with(&format!("`{}` ", flag.names[0])), "{said}");
        }
        assert!(because(&["apply", "plan.out"]).contains("saved plan"));
        assert!(because(&["apply", "-var", "a=1", "-var-file=b"]).contains("put it before"));
        assert!(because(&["apply", "-var", "a"]).contains("has no `=`"));
        assert!(because(&["plan", "x"]).contains("takes no argument `x`"));
        assert!(because(&["init"]).contains("run it without"));
        assert!(because(&[]).contains("run it without"));
        assert!(because(&["-newer", "apply"]).contains("not a known flag"));
        for variable in ["TF_CLI_ARGS", "TF_CLI_ARGS_apply"] {
            let env = [(variable, "-target=a")];
            assert!(
                with("terraform", &["apply"], &env)
                    .unwrap_err()
                    .contains(variable)
            );
        }
        assert!(with("terraform", &["apply"], &[("TF_CLI_ARGS_plan", "-x")]).is_ok());
    }
}
