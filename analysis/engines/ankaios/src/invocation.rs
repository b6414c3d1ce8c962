//! The commands of Ankaios for a project, and the inputs of its command lines.
//!
//! Source: `ank` and `ank-server` 1.0.1. Without `--no-wait`, `ank` waits for workloads that may never start.

use applyorder_core::config::Configs;
use applyorder_core::engine::invocation::{
    Action, CommandLine, Depends, Dialect, Flag, FlagTable, HELP, Invocation, Parser, Refusal, Word,
    operates, reads, reads_nothing, selects, switch, value,
};
use applyorder_core::engine::{COMMAND_LINE, Cx, Handoff, Operation, ProjectSeed, RunOptions};
use applyorder_core::files::clean;

use crate::config::{AGENT, AnkaiosConfig};
use crate::discover;
use crate::judge::{self, APPLY, STARTUP};

/// The options of a run, with the agent of a declared apply if they name none.
pub(crate) fn options_of(configs: &Configs, seed: &ProjectSeed, options: &RunOptions) -> RunOptions {
    let mut options = options.clone();
    let config = configs
        .of(&seed.root.join("applyorder.toml"))
        .section::<AnkaiosConfig>();
    let own = config
        .apply
        .iter()
        .find(|apply| Some(&apply.name) == seed.name.as_ref());
    if options.one(&AGENT).is_none() {
        options.set(
            &AGENT,
            own.and_then(|apply| apply.agent.clone()).into_iter().collect(),
        );
    }
    options
}

/// `ank apply --no-wait FILES`, or `ank apply -d FILES`.
pub(crate) fn usual(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Handoff {
    let is_file = seed.inputs.first() == Some(&seed.root);
    let cwd = match seed.root.parent() {
        Some(parent) if is_file => parent.to_owned(),
        _ => seed.root.clone(),
    };
    let file = |path: &camino::Utf8PathBuf| path.strip_prefix(&cwd).unwrap_or(path).to_string();
    let mut argv: Vec<String>;
    if discover::only_starts_up(seed) {
        argv = vec!["ank-server".to_owned(), "-m".to_owned()];
    } else {
        argv = ["ank", "--no-wait", "apply"].map(str::to_owned).to_vec();
        if operation == Operation::Delete {
            argv.push("-d".to_owned());
        }
        if let Some(agent) = options.one(&AGENT) {
            argv.extend(["--agent".to_owned(), agent.to_owned()]);
        }
    }
    argv.extend(seed.inputs.iter().map(file));
    Handoff { argv, cwd }
}

/// The flags of the supported commands.
pub(crate) static TABLES: [FlagTable; 2] = [
    FlagTable {
        commands: &["ank apply"],
        flags: &FLAGS,
        variables: &[],
    },
    FlagTable {
        commands: &["ank-server"],
        flags: &SERVER_FLAGS,
        variables: &[],
    },
];

/// The flags of `ank` and of `ank apply`.
static FLAGS: [Flag; 14] = [
    selects(value(&["--agent"])),
    operates(switch(&["-d"])),
    value(&["--server-url", "-s"]),
    switch(&["--insecure", "-k"]),
    switch(&["--no-wait"]),
    switch(&["--quiet", "-q"]),
    switch(&["--verbose", "-v"]),
    value(&["--response-timeout"]),
    value(&["--ca_pem"]),
    value(&["--crt_pem"]),
    value(&["--key_pem"]),
    value(&["--ank-config", "-x"]),
    HELP,
    reads_nothing(&["--version", "-V"]),
];

/// The flags of `ank-server`.
static SERVER_FLAGS: [Flag; 9] = [
    reads(value(&["--startup-manifest", "-m", "--startup-config", "-c"])),
    value(&["--address", "-a"]),
    switch(&["--insecure", "-k"]),
    value(&["--ca_pem"]),
    value(&["--crt_pem"]),
    value(&["--key_pem"]),
    value(&["--server-config", "-x"]),
    HELP,
    reads_nothing(&["--version", "-V"]),
];

/// The invocation of `ank apply` or `ank-server`.
pub(crate) fn read(line: &CommandLine<'_>) -> Result<Invocation, Refusal> {
    if line.program.starts_with("ank-server") {
        return read_server(line);
    }
    let mut parser = Parser::new(line.args, Dialect::Gnu, "Ankaios");
    let mut read = Invocation::new(Action::Apply, APPLY, line.cwd);
    let mut words: Vec<&str> = Vec::new();
    let mut deletes = false;
    while let Some(word) = parser.next(&FLAGS)? {
        match word {
            Word::Plain(word) => words.push(word),
            Word::Flag("--agent", Some(given)) => read.options.set(&AGENT, vec![given.to_owned()]),
            Word::Flag("-d", None) => deletes = true,
            Word::Flag(name, Some(given))
                if !FLAGS.iter().any(|f| f.takes_value && f.names.contains(&name)) =>
            {
                return Err(Refusal::new(format!(
                    "`{name}` takes no value, and `{given}` is given"
                )));
            }
            Word::Flag(..) => {}
        }
    }
    let files = match words.as_slice() {
        ["apply"] => return Err(Refusal::new("no manifest is given")),
        // In that case nothing else is read, whatever else is named.
        ["apply", "-", ..] => &["-"][..],
        ["apply", files @ ..] => files,
        other => {
            return Err(Refusal::nothing_to_lint(
                format!("ank {}", other.join(" ")).trim_end(),
            ));
        }
    };
    for file in files {
        line.path(line.cwd, file)?;
        // A later `-` is a file with that name.
        let is_file = *file == "-" && files.len() > 1;
        read.inputs
            .push(if is_file { "./-".into() } else { (*file).into() });
    }
    if deletes {
        (read.action, read.operation) = (Action::Delete, Operation::Delete);
        read.depends = vec![Depends::on_stages(APPLY, &judge::OF_DELETION)];
    }
    Ok(read)
}

fn read_server(line: &CommandLine<'_>) -> Result<Invocation, Refusal> {
    let mut parser = Parser::new(line.args, Dialect::Gnu, "Ankaios");
    let mut read = Invocation::new(Action::Apply, STARTUP, line.cwd);
    while let Some(word) = parser.next(&SERVER_FLAGS)? {
        match word {
            Word::Plain(word) => {
                return Err(Refusal::new(format!("`ank-server` takes no argument `{word}`")));
            }
            Word::Flag("--startup-manifest", Some(given)) => {
                line.path(line.cwd, given)?;
                // Standard input has no name here.
                read.inputs = vec![if given == "-" { "./-".into() } else { given.into() }];
            }
            Word::Flag(..) => {}
        }
    }
    if read.inputs.is_empty() {
        return Err(Refusal::new(
            "no `--startup-manifest` is given: `ank-server` may find one in its own configuration",
        ));
    }
    Ok(read)
}

/// The manifests of a command line.
pub(crate) fn seed(cx: &Cx<'_>, invocation: &Invocation) -> ProjectSeed {
    let starts_up = invocation.depends.iter().any(|d| d.command == STARTUP);
    let file = invocation.inputs.first().filter(|_| starts_up);
    let root = file.map_or_else(
        || invocation.cwd.clone(),
        |file| clean(invocation.cwd.join(file).as_str()),
    );
    ProjectSeed {
        engine: cx.engine_index(),
        inputs: match file {
            Some(_) => vec![root.clone()],
            None => invocation.inputs.clone(),
        },
        // A file that the server starts with is not passed to an `ank apply`.
        is_part: file.is_some(),
        root,
        name: None,
        why: COMMAND_LINE.to_owned(),
        inferred: false,
        excluded: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::read_command;

    fn of(program: &str, args: &[&str]) -> Result<Invocation, String> {
        read_command(read, (program, args), &[])
    }

    #[test]
    fn files_agent_and_operation_are_read() {
        let read = of(
            "ank",
            &["-k", "--no-wait", "apply", "b.yaml", "--agent", "a1", "a.yaml"],
        )
        .unwrap();
        assert_eq!(read.inputs, ["b.yaml", "a.yaml"]);
        assert_eq!(read.options.one(&AGENT), Some("a1"));
        assert_eq!(
            (read.action, read.depends),
            (Action::Apply, vec![Depends::on(APPLY)])
        );
        let read = of("ank", &["apply", "--agent=", "a.yaml"]).unwrap();
        assert_eq!(read.options.one(&AGENT), Some(""), "nobody is to run them");
        let read = of("ank", &["apply", "-d", "a.yaml"]).unwrap();
        assert_eq!((read.action, read.operation), (Action::Delete, Operation::Delete));
        assert!(
            read.depends[0]
                .stages
                .is_some_and(|s| !s.contains(&judge::stage::CYCLE) && s.contains(&judge::stage::MASKS))
        );
    }

    #[test]
    fn a_first_dash_is_standard_input_and_a_later_one_a_file() {
        assert_eq!(of("ank", &["apply", "-"]).unwrap().inputs, ["-"]);
        assert_eq!(of("ank", &["apply", "-", "a.yaml"]).unwrap().inputs, ["-"]);
        assert_eq!(
            of("ank", &["apply", "a.yaml", "-"]).unwrap().inputs,
            ["a.yaml", "./-"]
        );
    }

    #[test]
    fn the_server_starts_from_its_manifest() {
        for flag in ["-m", "--startup-manifest", "-c", "--startup-config"] {
            let read = of("ank-server", &["-k", flag, "s.yaml"]).unwrap();
            assert_eq!(
                (read.inputs, read.depends),
                (vec!["s.yaml".into()], vec![Depends::on(STARTUP)])
            );
        }
    }

    #[test]
    fn what_cannot_be_derived_is_refused() {
        assert!(
            of("ank-server", &["-k"])
                .unwrap_err()
                .contains("no `--startup-manifest`")
        );
        assert!(
            of("ank-server", &["-m", "a", "b"])
                .unwrap_err()
                .contains("no argument")
        );
        assert!(of("ank", &["apply"]).unwrap_err().contains("no manifest"));
        assert!(
            of("ank", &["apply", "-d=x", "a"])
                .unwrap_err()
                .contains("takes no value")
        );
        assert!(
            of("ank", &["get", "state"])
                .unwrap_err()
                .contains("run it without")
        );
        assert!(
            of("ank", &["apply", "--filter", "a"])
                .unwrap_err()
                .contains("not a known flag")
        );
    }
}
