//! What each engine's command lines make it read and do: a table to be compared with the engines' own help,
//! which contains every flag that affects what is checked. That the flags are those of the engines is checked
//! by `tests/differential/flags.rs`.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use applyorder_core::engine::invocation::{CommandLine, Effect, Flag, FlagTable, Invocation, Since, switch};
use applyorder_core::engine::{Engine, Operation};

/// A command line, with variables before it, and the result.
#[rustfmt::skip]
const TABLE: &[(&str, &str)] = &[
    // kapp
    ("kapp deploy -a x -f a", "apply deploy: a; app x"),
    ("kapp d -a x --file=b,a -f- -fc", "apply deploy: b a - c; app x"),
    ("kapp deploy -f a -n n", "apply deploy: a; namespace=n"),
    ("kapp deploy -f a --namespace=n", "apply deploy: a; namespace=n"),
    ("KAPP_NAMESPACE=e kapp deploy -f a", "apply deploy: a; namespace=e"),
    ("KAPP_NAMESPACE=e kapp deploy -f a -n n", "apply deploy: a; namespace=n"),
    ("KAPP_NAMESPACE=e kapp deploy -f a -n=", "apply deploy: a; namespace=e"),
    ("KAPP_NAMESPACE= kapp deploy -f a", "apply deploy: a"),
    ("kapp deploy -f a --into-ns n", "apply deploy: a; into-ns=n"),
    ("kapp deploy -f a --into-ns=", "apply deploy: a"),
    ("kapp deploy -f a --map-ns a=b,c=d --map-ns e=f", "apply deploy: a; map-ns=a=b,c=d,e=f"),
    ("kapp deploy -f a --map-ns=", "apply deploy: a"),
    ("kapp deploy -f a --diff-run", "plan deploy: a"),
    ("kapp deploy -f a --diff-run=false", "apply deploy: a"),
    ("kapp delete -a x", "delete delete: ; app x"),
    ("kapp delete -a x --diff-run -n n", "plan delete: ; app x; namespace=n; order delete"),
    ("kapp delete -a x -f a", "refused: `kapp delete` has no flag `--file`"),
    ("kapp deploy", "refused: no `--file` is given"),
    ("kapp deploy -f=", "refused: no `--file` is given"),
    ("kapp deploy -f a b", "refused: kapp takes no argument `b` there"),
    ("kapp deploy -f \"a,b\"", "refused: `--file` has a quoted list as its value"),
    ("kapp deploy -f - -f -", "refused: standard input is given twice: the second time it is empty"),
    ("kapp deploy -f https://h/a", "refused: `https://h/a` is downloaded by kapp: what it brings cannot be checked before; download it to a file"),
    ("kapp deploy -f link/../a", "refused: `link/../a` follows a link and then `..`: write the path without `..`"),
    ("kapp deploy -f dir/../a", "apply deploy: dir/../a"),
    ("kapp app-group deploy", "refused: `kapp app-group` deploys several apps: hand over one `kapp deploy` for each"),
    ("kapp inspect -a x", "refused: `kapp inspect` reads nothing that applyorder checks: run it without applyorder"),
    // Ankaios
    ("ank apply b a", "apply apply: b a"),
    ("ank -k apply --agent g a", "apply apply: a; agent=g"),
    ("ank apply --agent= a", "apply apply: a; agent="),
    ("ank apply -d a", "delete apply at its files: a"),
    ("ank apply -", "apply apply: -"),
    ("ank apply - a", "apply apply: -"),
    ("ank apply a -", "apply apply: a ./-"),
    ("ank apply link/../a", "refused: `link/../a` follows a link and then `..`: write the path without `..`"),
    ("ank apply", "refused: no manifest is given"),
    ("ank apply -d=x a", "refused: `-d` takes no value, and `x` is given"),
    ("ank delete workload a", "refused: `ank delete workload a` reads nothing that applyorder checks: run it without applyorder"),
    ("ank-server -m a", "apply startup: a"),
    ("ank-server --startup-manifest=a -k", "apply startup: a"),
    ("ank-server --startup-config a", "apply startup: a"),
    ("ank-server -c -", "apply startup: ./-"),
    ("ank-server -m link/../a", "refused: `link/../a` follows a link and then `..`: write the path without `..`"),
    ("ank-server -k", "refused: no `--startup-manifest` is given: `ank-server` may find one in its own configuration"),
    // Tazuna
    ("tazuna apply", "apply apply: tazuna.yaml; env="),
    ("tazuna -fa apply", "apply apply: a; env="),
    ("tazuna apply --file-path=a", "apply apply: a; env="),
    ("tazuna apply -f -", "apply apply: ./-; env="),
    ("tazuna apply -f link/../a", "refused: `link/../a` follows a link and then `..`: write the path without `..`"),
    ("tazuna apply -e p", "apply apply: tazuna.yaml; env=p"),
    ("tazuna apply --environment all", "refused: the environment `all` is each one to applyorder, and one to Tazuna"),
    ("tazuna apply -t a,b --tags c", "apply apply: tazuna.yaml; env= tags=a,b,c"),
    ("tazuna apply -t=", "apply apply: tazuna.yaml; env="),
    ("tazuna apply -t \"a,b\"", "refused: `--tags` has a quoted list as its value"),
    ("tazuna apply --sync", "apply apply, check at its names: tazuna.yaml; env="),
    ("tazuna apply --sync=f", "apply apply: tazuna.yaml; env="),
    ("tazuna check", "plan check: tazuna.yaml; env="),
    ("tazuna plan", "plan destroy: tazuna.yaml; env="),
    ("tazuna build", "plan destroy: tazuna.yaml; env="),
    ("tazuna destroy", "delete destroy: tazuna.yaml; env="),
    ("tazuna state sync", "refused: `tazuna state sync` reads nothing that applyorder checks: run it without applyorder"),
    // Terramate
    ("terramate run x", "apply run: ; cwd=/w"),
    ("terramate run -- x --tags own", "apply run: ; cwd=/w"),
    ("terramate script run x y", "apply run: ; cwd=/w"),
    ("terramate list", "list list: ; cwd=/w as=list"),
    ("terramate list --run-order", "list list --run-order: ; cwd=/w as=list"),
    ("terramate run --run-order x", "apply run: ; cwd=/w"),
    ("terramate run --reverse x", "delete run: ; cwd=/w"),
    ("terramate script run --reverse=no x", "apply run: ; cwd=/w"),
    ("TM_ARG_RUN_REVERSE=1 terramate run x", "delete run: ; cwd=/w"),
    ("TM_ARG_RUN_REVERSE=1 terramate script run x", "delete run: ; cwd=/w"),
    ("TM_ARG_RUN_REVERSE=1 terramate list", "list list: ; cwd=/w as=list"),
    ("terramate -C d run x", "apply run: ; in /w/d; cwd=/w/d"),
    ("terramate run --chdir=dir/../d x", "apply run: ; in /w/d; cwd=/w/d"),
    ("terramate run -C link x", "apply run: ; in /elsewhere/inside; cwd=/elsewhere/inside"),
    ("terramate run -C link/../d x", "refused: `link/../d` follows a link and then `..`: write the path without `..`"),
    ("TM_ARG_CHDIR=d terramate script run x", "apply run: ; in /w/d; cwd=/w/d"),
    ("TM_ARG_CHDIR=d terramate -C e run x", "apply run: ; in /w/e; cwd=/w/e"),
    ("terramate run --tags a,b --tags=c:d x", "apply run: ; tags=a,b,c:d cwd=/w"),
    ("TM_ARG_TAGS=a terramate run x", "apply run: ; tags=a cwd=/w"),
    ("TM_ARG_TAGS=a terramate run --tags b x", "apply run: ; tags=b cwd=/w"),
    ("TM_ARG_TAGS= terramate run x", "apply run: ; cwd=/w"),
    ("terramate run --no-tags a x", "apply run: ; no-tags=a cwd=/w"),
    ("TM_ARG_NO_TAGS=a,b terramate list", "list list: ; no-tags=a,b cwd=/w as=list"),
    ("terramate run --changed x", "apply run: ; cwd=/w; since origin/main"),
    ("terramate run -c -B v1 x", "apply run: ; cwd=/w; since v1"),
    ("terramate run -B v1 x", "apply run: ; cwd=/w"),
    ("TM_ARG_CHANGED=true TM_ARG_GIT_CHANGE_BASE=v1 terramate run x", "apply run: ; cwd=/w; since v1"),
    ("TM_ARG_CHANGED=true terramate run --changed=false x", "apply run: ; cwd=/w"),
    ("terramate run --no-recursive x", "refused: `--no-recursive` runs one stack alone: there is no order"),
    ("TM_ARG_RUN_NO_RECURSIVE=yes terramate run x", "refused: `--no-recursive` runs one stack alone: there is no order"),
    ("terramate run", "refused: nothing is named that is to run"),
    ("terramate script run", "refused: nothing is named that is to run"),
    ("terramate generate", "refused: `terramate generate` reads nothing that applyorder checks: run it without applyorder"),
    ("terramate script info x", "refused: `terramate script info x` reads nothing that applyorder checks: run it without applyorder"),
    // Terraform and OpenTofu, which read the module that they are started in
    ("terraform apply", "apply apply: ; flavor=terraform"),
    ("tofu apply", "apply apply: ; flavor=tofu"),
    ("terraform plan", "plan plan: ; flavor=terraform"),
    ("tofu validate", "plan validate: ; flavor=tofu"),
    ("terraform destroy", "delete plan: ; flavor=terraform"),
    ("terraform apply -destroy", "delete plan: ; flavor=terraform"),
    ("terraform apply -destroy=false", "apply apply: ; flavor=terraform"),
    ("tofu plan -destroy", "plan plan: ; flavor=tofu; order delete"),
    ("terraform -chdir=d plan", "plan plan: ; in /w/d; flavor=terraform"),
    ("tofu -chdir=link plan -var-file=../b", "plan plan: ; in /elsewhere/inside; flavor=tofu var-file=/elsewhere/b"),
    ("tofu -chdir=link/../d plan", "refused: `link/../d` follows a link and then `..`: write the path without `..`"),
    ("terraform plan -var a=1 --var=b=", "plan plan: ; flavor=terraform var=a=1,b="),
    ("terraform -chdir=d plan -var-file=a -var-file ../b -var c=1", "plan plan: ; in /w/d; flavor=terraform var=c=1 var-file=/w/d/a,/w/b"),
    ("terraform plan -var-file=link/../a", "refused: `link/../a` follows a link and then `..`: write the path without `..`"),
    ("terraform plan -var a=1 -var-file=b", "refused: a `-var-file` after a `-var` may override it: put it before"),
    ("terraform plan -var a", "refused: a value of `-var` has no `=`"),
    ("TF_VAR_a=1 TF_DATA_DIR=t terraform plan", "plan plan: ; data-dir=t environment=a=1 flavor=terraform"),
    ("TF_WORKSPACE=w terraform plan", "plan plan: ; flavor=terraform workspace=w"),
    ("TF_CLI_ARGS=-x terraform plan", "refused: `TF_CLI_ARGS` adds arguments that are not on the command line"),
    ("TF_CLI_ARGS_plan=-x tofu plan", "refused: `TF_CLI_ARGS_plan` adds arguments that are not on the command line"),
    ("TF_CLI_ARGS_plan=-x tofu apply", "apply apply: ; flavor=tofu"),
    ("terraform apply p", "refused: `p` is a saved plan: what it does was decided when it was made"),
    ("terraform plan d", "refused: `terraform plan` takes no argument `d`"),
    ("terraform init", "refused: `terraform init` reads nothing that applyorder checks: run it without applyorder"),
];

fn engine_of(program: &str) -> &'static dyn Engine {
    let mut all = applyorder_engines::all().iter();
    all.find(|(_, e)| e.programs().contains(&program)).unwrap().1
}

fn read(words: &str) -> Result<Invocation, String> {
    let is_set = |word: &&str| {
        word.split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && !name.contains('-'))
    };
    let mut words = words.split(' ').peekable();
    let mut env: Vec<(String, String)> = Vec::new();
    while let Some(word) = words.next_if(is_set) {
        let (name, value) = word.split_once('=').unwrap();
        env.push((name.to_owned(), value.to_owned()));
    }
    let program = words.next().unwrap();
    let args: Vec<String> = words.map(str::to_owned).collect();
    let line = CommandLine {
        program,
        args: &args,
        cwd: "/w".into(),
        env: &|name| env.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone()),
        env_from: &|start| {
            env.iter()
                .filter(|(n, _)| n.starts_with(start))
                .cloned()
                .collect()
        },
        // `/w/link` leads to `/elsewhere/inside`.
        canonical: &|path| {
            let text = path
                .as_str()
                .replace("/w/link/..", "/elsewhere")
                .replace("/w/link", "/elsewhere/inside")
                .replace("/w/dir/..", "/w");
            Some(applyorder_core::files::clean(&text))
        },
    };
    engine_of(program).read_command(&line).map_err(|e| e.to_string())
}

/// An invocation as one line.
fn shown(read: &Invocation) -> String {
    let depends = read.depends.iter().map(|d| match d.stages {
        None => d.command.to_owned(),
        Some(_) if d.command == "check" => "check at its names".to_owned(),
        Some(_) => format!("{} at its files", d.command),
    });
    let depends: Vec<String> = depends.collect();
    let inputs: Vec<&str> = read.inputs.iter().map(|i| i.as_str()).collect();
    let mut line = format!(
        "{} {}: {}",
        read.action.as_str(),
        depends.join(", "),
        inputs.join(" ")
    );
    if let Some(name) = &read.name {
        line += &format!("; app {name}");
    }
    if read.cwd != "/w" {
        line += &format!("; in {}", read.cwd);
    }
    let options = read.options.given().into_iter();
    let options: Vec<String> = options
        .map(|o| {
            format!(
                "{}={}",
                o.name,
                read.options.values(o).unwrap_or_default().join(",")
            )
        })
        .collect();
    if !options.is_empty() {
        line += &format!("; {}", options.join(" "));
    }
    match &read.since {
        None => {}
        Some(Since::Revision(revision)) => line += &format!("; since {revision}"),
        Some(Since::Branch { remote, branch }) => line += &format!("; since {remote}/{branch}"),
    }
    if read.operation == Operation::Delete && read.action.as_str() == "plan" {
        line += "; order delete";
    }
    line
}

#[test]
fn every_command_line_comes_to_what_the_table_says() {
    let differ = TABLE.iter().filter_map(|(words, wanted)| {
        let is = read(words).map_or_else(|because| format!("refused: {because}"), |read| shown(&read));
        (is != *wanted).then(|| format!("{words}\n  is     {is}\n  wanted {wanted}"))
    });
    let differ: Vec<String> = differ.collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Each table of flags with the programs that have it.
fn tables() -> impl Iterator<Item = &'static FlagTable> {
    applyorder_engines::all()
        .iter()
        .flat_map(|(_, engine)| engine.flag_tables())
}

/// A command with one of its flags, as it can be parsed.
fn with_flag(command: &str, name: &str, flag: &Flag) -> String {
    let (program, words) = command.split_once(' ').unwrap_or((command, ""));
    let value = if flag.takes_value { " 1" } else { "" };
    let rest = match program {
        "kapp" if words == "delete" => " -a x",
        "kapp" => " -f a",
        "ank" => " a",
        "ank-server" => " -m a",
        "terramate" if words != "list" => " x",
        _ => "",
    };
    match (program, words) {
        ("terraform" | "tofu", "") => format!("{program} {name}{value} plan"),
        (_, "") => format!("{program} {name}{value}{rest}"),
        _ => format!("{command} {name}{value}{rest}"),
    }
}

#[test]
fn every_flag_that_changes_what_is_checked_is_in_the_table() {
    for table in tables() {
        for flag in table.flags {
            let changes = matches!(
                flag.effect,
                Effect::Inputs | Effect::Selection | Effect::Operation
            );
            let is_shown = |word: &str| {
                let gnu = |n: &str| !n.starts_with("--") && n.len() == 2 && word.starts_with(n);
                let name = word.split('=').next().unwrap_or(word);
                flag.names.iter().any(|n| name == *n || gnu(n))
            };
            let in_table = TABLE.iter().any(|(words, _)| {
                let words = words
                    .split(' ')
                    .skip_while(|w| w.contains('=') && !w.starts_with('-'));
                let words: Vec<&str> = words.collect();
                table
                    .commands
                    .iter()
                    .any(|c| c.split(' ').next() == words.first().copied())
                    && words.iter().any(|w| is_shown(w))
            });
            assert!(!changes || in_table, "{:?} {:?}", table.commands, flag.names);
        }
        for (variable, _) in table.variables {
            let start = variable.trim_end_matches("NAME");
            assert!(TABLE.iter().any(|(words, _)| words.contains(start)), "{variable}");
        }
    }
}

#[test]
fn every_other_flag_changes_nothing_or_is_refused() {
    for table in tables() {
        for command in table.commands {
            let nothing = switch(&[""]);
            let words = with_flag(command, "", &nothing);
            let words: Vec<&str> = words.split_whitespace().collect();
            let base = shown(&read(&words.join(" ")).unwrap());
            for flag in table.flags {
                for name in flag.names {
                    let words = with_flag(command, name, flag);
                    match flag.effect {
                        Effect::Refused(because) => {
                            assert_eq!(
                                read(&words).unwrap_err(),
                                format!("`{name}` {because}"),
                                "{words}"
                            );
                        }
                        Effect::Nothing => assert_eq!(shown(&read(&words).unwrap()), base, "{words}"),
                        _ => {}
                    }
                }
            }
            let words = with_flag(command, "--flag-of-tomorrow", &nothing);
            let because = read(&words).unwrap_err();
            assert!(because.contains("is not a known flag"), "{words}: {because}");
        }
    }
}
