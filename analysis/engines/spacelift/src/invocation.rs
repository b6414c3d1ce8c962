//! What a run is told: the flavor of files and the values of variables. The command that a project is handed to, and
//! what command lines of Terraform and OpenTofu read.
//!
//! Source: Terraform 1.11.4 and OpenTofu 1.9, the flags of `validate`, `plan`, `apply` and `destroy`.

use applyorder_core::engine::invocation::{
    Action, CommandLine, Depends, Dialect, Flag, Invocation, Parser, Refusal, Word, refused, switch, value,
};
use applyorder_core::engine::{Handoff, Operation, ProjectSeed, RunOptions};
use applyorder_core::files::{clean, join_clean};
use applyorder_core::layer::Pass;
use camino::Utf8PathBuf;

use crate::config::{Flavor, SpaceliftConfig, VAR, VAR_FILE};
use crate::judge::{APPLY, PLAN, VALIDATE};

/// The flavor that the configuration names.
pub(crate) fn flavor(pass: &Pass<'_>) -> Flavor {
    let config = pass.cx.config(&pass.seed.root.join("main.tf"));
    config.section::<SpaceliftConfig>().flavor
}

/// The files of values that the user names, those whose values win last, absolute.
pub(crate) fn var_files(pass: &Pass<'_>) -> Vec<Utf8PathBuf> {
    let config = pass.cx.config(&pass.seed.root.join("main.tf"));
    let own = config.section::<SpaceliftConfig>();
    let mut files: Vec<Utf8PathBuf> = own.var_files.iter().map(|f| join_clean(&config.dir, f)).collect();
    files.extend(pass.options.all(&VAR_FILE).iter().map(Utf8PathBuf::from));
    files
}

/// The values on the command line, by name.
pub(crate) fn vars(options: &RunOptions) -> impl Iterator<Item = (&str, &str)> {
    options.all(&VAR).iter().filter_map(|pair| pair.split_once('='))
}

/// `terraform apply` or `terraform destroy` with the values that the user gave.
pub(crate) fn usual(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Handoff {
    let mut argv = vec!["terraform".to_owned()];
    argv.push(match operation {
        Operation::Apply => "apply".to_owned(),
        Operation::Delete => "destroy".to_owned(),
    });
    argv.extend(
        options
            .all(&VAR_FILE)
            .iter()
            .map(|file| format!("-var-file={file}")),
    );
    argv.extend(vars(options).map(|(name, value)| format!("-var={name}={value}")));
    Handoff {
        argv,
        cwd: seed.root.clone(),
    }
}

const OF_STATE: &str = "applies to a part of the configuration, or to other files";

/// The flags before the command.
static GLOBAL: [Flag; 3] = [
    value(&["-chdir"]),
    refused(switch(&["-help"]), "reads nothing: run it without applyorder"),
    refused(switch(&["-version"]), "reads nothing: run it without applyorder"),
];

/// The flags of the commands.
static FLAGS: [Flag; 22] = [
    value(&["-var"]),
    value(&["-var-file"]),
    switch(&["-destroy"]),
    switch(&["-auto-approve"]),
    switch(&["-compact-warnings"]),
    switch(&["-detailed-exitcode"]),
    value(&["-input"]),
    switch(&["-json"]),
    value(&["-lock"]),
    value(&["-lock-timeout"]),
    switch(&["-no-color"]),
    value(&["-no-tests"]),
    value(&["-out"]),
    value(&["-parallelism"]),
    value(&["-refresh"]),
    value(&["-test-directory"]),
    value(&["-backup"]),
    refused(value(&["-target"]), OF_STATE),
    refused(value(&["-exclude"]), OF_STATE),
    refused(switch(&["-refresh-only"]), OF_STATE),
    refused(value(&["-state"]), OF_STATE),
    refused(value(&["-state-out"]), OF_STATE),
];

/// What a command line of Terraform or OpenTofu reads.
pub(crate) fn read(line: &CommandLine<'_>) -> Result<Invocation, Refusal> {
    let title = if line.program == "tofu" {
        "OpenTofu"
    } else {
        "Terraform"
    };
    let mut parser = Parser::new(line.args, Dialect::Go, title);
    let mut cwd = line.cwd.to_owned();
    let mut command = None;
    while let Some(word) = parser.next(&GLOBAL)? {
        match word {
            Word::Flag("-chdir", Some(dir)) => cwd = clean(cwd.join(dir).as_str()),
            Word::Flag(..) => {}
            Word::Plain(word) => {
                command = Some(word);
                break;
            }
        }
    }
    let command = command.unwrap_or("");
    let (action, verdict) = match command {
        "validate" => (Action::Plan, VALIDATE),
        "plan" => (Action::Plan, PLAN),
        "apply" => (Action::Apply, APPLY),
        "destroy" => (Action::Delete, PLAN),
        other => {
            let shown = format!("{} {other}", line.program);
            return Err(Refusal::nothing_to_lint(shown.trim_end()));
        }
    };
    let mut read = Invocation::new(action, verdict, &cwd);
    let (mut vars, mut files) = (Vec::new(), Vec::new());
    let mut parser = Parser::new(parser.rest(), Dialect::Go, title);
    while let Some(word) = parser.next(&FLAGS)? {
        match word {
            Word::Flag("-var", Some(pair)) if pair.contains('=') => vars.push(pair.to_owned()),
            Word::Flag("-var", _) => return Err(Refusal::new("`-var` needs NAME=VALUE")),
            Word::Flag("-var-file", Some(file)) => files.push(clean(cwd.join(file).as_str()).to_string()),
            Word::Flag("-destroy", _) => {
                read.action = Action::Delete;
                read.operation = Operation::Delete;
                read.depends = vec![Depends::on(PLAN)];
            }
            Word::Flag(..) => {}
            Word::Plain(_) => {
                return Err(Refusal::new(
                    "a stored plan is applied as it is: lint it with `--state` when it is made",
                ));
            }
        }
    }
    read.options.set(&VAR, vars);
    read.options.set(&VAR_FILE, files);
    Ok(read)
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;

    fn of(args: &[&str]) -> Result<Invocation, String> {
        let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
        let line = CommandLine {
            program: "terraform",
            args: &args,
            cwd: Utf8Path::new("/w"),
            env: &|_| None,
        };
        read(&line).map_err(|refusal| refusal.0)
    }

    #[test]
    fn command_lines_say_what_is_read() {
        let read = of(&[
            "-chdir=a/b",
            "apply",
            "-auto-approve",
            "-var=z=2",
            "-var-file",
            "c.tfvars",
        ])
        .unwrap();
        assert_eq!((read.action, read.cwd.as_str()), (Action::Apply, "/w/a/b"));
        assert_eq!(read.options.all(&VAR), ["z=2"]);
        assert_eq!(read.options.all(&VAR_FILE), ["/w/a/b/c.tfvars"]);
        assert_eq!(of(&["plan", "-destroy"]).unwrap().operation, Operation::Delete);
        for args in [
            &["apply", "plan.out"][..],
            &["apply", "-target=a.b"],
            &["fmt"],
            &["apply", "-nonsense"],
        ] {
            assert!(of(args).is_err(), "{args:?}");
        }
    }
}
