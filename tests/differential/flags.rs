//! The flags that `exec` knows, compared with the help of the real programs: a flag that we do not know, or for which
//! we expect a value when the program does not (or the reverse), would make us check another command than the one that
//! is run.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use applyorder_analysis::engine::invocation::{Flag, FlagTable};

use crate::exec::kapp;
use crate::skipped::skip;
use crate::terramate::oracle;

/// The flags in a command's help, each with whether it takes a value.
type Named = BTreeMap<String, bool>;

fn help(program: &Path, args: &[&str]) -> String {
    let mut command = Command::new(program);
    command
        .args(args)
        .env("CHECKPOINT_DISABLE", "1")
        .env("COLUMNS", "200");
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// The lines that start with a flag: its names, and the text after the last of them.
fn flag_lines(help: &str) -> impl Iterator<Item = (Vec<&str>, &str)> {
    help.lines().filter_map(|line| {
        let mut rest = line.trim_start();
        let mut names = Vec::new();
        while rest.starts_with('-') {
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
                .unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            names.push(name);
            rest = behind.strip_prefix(", ").unwrap_or(behind);
        }
        (line.starts_with("  ") && !names.is_empty()).then_some((names, rest))
    })
}

/// `-f, --file strings    Set file`: a word after one space is the type of the value.
fn of_cobra(help: &str) -> Named {
    let lines = flag_lines(help).flat_map(|(names, rest)| {
        let takes_value = rest
            .strip_prefix(' ')
            .is_some_and(|r| r.starts_with(|c: char| c != ' '));
        names.into_iter().map(move |n| (n.to_owned(), takes_value))
    });
    lines.collect()
}

/// `-C, --chdir=STRING`. A counter shows its number, and is a switch.
fn of_kong(help: &str) -> Named {
    let lines = flag_lines(help).flat_map(|(names, rest)| {
        // The long name of `-X` is a flag with its value.
        let names = if names.contains(&"-X") { vec!["-X"] } else { names };
        let takes_value = rest.starts_with('=') && !names.contains(&"-X") && !names.contains(&"--verbose");
        names.into_iter().map(move |n| (n.to_owned(), takes_value))
    });
    lines.collect()
}

/// `-out=path`, `-var 'foo=bar'`, `-lock=false`: a switch shows its non-default value.
fn of_terraform(help: &str) -> Named {
    let lines = flag_lines(help).flat_map(|(names, rest)| {
        let value = rest
            .strip_prefix('=')
            .map(|r| r.split([' ', '\t']).next().unwrap_or(r));
        let takes_value = rest.starts_with(" '") || value.is_some_and(|v| v != "true" && v != "false");
        names.into_iter().map(move |n| (n.to_owned(), takes_value))
    });
    lines.collect()
}

fn tables(program: &str) -> impl Iterator<Item = (&'static str, &'static FlagTable)> {
    let all = applyorder_engines::all()
        .iter()
        .flat_map(|(_, engine)| engine.flag_tables());
    let program = program.to_owned();
    all.flat_map(|table| table.commands.iter().map(move |c| (*c, table)))
        .filter(move |(command, _)| command.split(' ').next() == Some(&program))
}

/// The flags of the table that the help of a command does not list. Panics if the help lists an unknown flag.
fn compare(command: &str, table: &'static FlagTable, named: &Named) -> Vec<&'static Flag> {
    assert!(
        named.len() > 2,
        "{command}: its help is not understood: {named:?}"
    );
    for (name, takes_value) in named {
        let known = table.flags.iter().find(|f| f.names.contains(&&**name));
        let Some(known) = known else {
            panic!("{command} has `{name}`, which is not known");
        };
        assert_eq!(known.takes_value, *takes_value, "{command} {name}");
    }
    let is_missing = |flag: &&Flag| !flag.names.iter().any(|n| named.contains_key(*n));
    table.flags.iter().filter(is_missing).collect()
}

#[test]
fn kapp_has_the_flags_that_are_known() {
    let Some(program) = kapp() else { return };
    for (command, table) in tables("kapp") {
        let words: Vec<&str> = command.split(' ').skip(1).chain(["--help"]).collect();
        let missing = compare(command, table, &of_cobra(&help(&program, &words)));
        // `delete` has fewer.
        assert!(
            missing.is_empty() || command == "kapp delete",
            "{command}: {missing:?}"
        );
    }
}

#[test]
fn terramate_has_the_flags_that_are_known() {
    let Some(oracle) = oracle::find() else { return };
    let mut named_somewhere = Named::new();
    for (command, table) in tables("terramate") {
        let words: Vec<&str> = command.split(' ').skip(1).chain(["--help"]).collect();
        let named = of_kong(&help(oracle.program(), &words));
        compare(command, table, &named);
        named_somewhere.extend(named);
    }
    // A flag that no help lists is accepted anyway, or it is not one of the program's flags.
    let (_, table) = tables("terramate").next().unwrap();
    let hidden = table
        .flags
        .iter()
        .filter(|f| !f.names.iter().any(|n| named_somewhere.contains_key(*n)));
    let hidden: Vec<&Flag> = hidden.collect();
    assert!(!hidden.is_empty());
    for flag in hidden {
        let name = flag.names[0];
        let given = if flag.takes_value {
            format!("{name}=1")
        } else {
            name.to_owned()
        };
        let said = help(oracle.program(), &["run", &given, "--no-such-flag"]);
        assert!(said.contains("unknown flag --no-such-flag"), "{name}: {said}");
    }
}

#[test]
fn terraform_and_tofu_have_the_flags_that_are_known() {
    for program in ["terraform", "tofu"] {
        let version = Command::new(program).arg("version").output();
        if !version.is_ok_and(|o| o.status.success()) {
            skip(&format!("real {program}"), "it is not installed");
            continue;
        }
        for (command, table) in tables(program) {
            // Flags before the command are in the help of all commands.
            let words: Vec<&str> = command.split(' ').skip(1).chain(["-help"]).collect();
            let mut text = help(Path::new(program), &words);
            if command == program {
                let (_, global) = text.split_once("Global options").expect("global options");
                text = global.to_owned();
            }
            // The help of `destroy` refers to that of `apply`, and `apply` to that of `plan`.
            if !text.contains("\n  -") {
                continue;
            }
            compare(command, table, &of_terraform(&text));
        }
    }
}
