//! kapp's usual commands for an app, and the inputs of a command line of kapp.
//!
//! Source: the flags of kapp 0.60.1 and the variables that it reads.

use crate::config::{INTO_NS, KappConfig, MAP_NS, NAMESPACE};
use crate::judge::{DELETE, DEPLOY};
use applyorder_core::config::Configs;
use applyorder_core::engine::invocation::{
    Action, CommandLine, Dialect, Flag, FlagTable, HELP, Invocation, Parser, Refusal, Word, is_on, list,
    operates, reads, refused, selects, switch, value,
};
use applyorder_core::engine::{COMMAND_LINE, Cx, Handoff, Operation, ProjectSeed, RunOptions};
use camino::Utf8PathBuf;

/// The options of a run, with those of a declared app where they do not say otherwise.
pub(crate) fn options_of(configs: &Configs, seed: &ProjectSeed, options: &RunOptions) -> RunOptions {
    let mut options = options.clone();
    let config = configs.of(&seed.root);
    let apps = &config.section::<KappConfig>().app;
    let Some(app) = apps.iter().find(|app| Some(&app.name) == seed.name.as_ref()) else {
        return options;
    };
    for (option, own) in [(&NAMESPACE, &app.namespace), (&INTO_NS, &app.into_ns)] {
        if options.one(option).is_none() {
            options.set(option, own.iter().cloned().collect());
        }
    }
    if options.all(&MAP_NS).is_empty() {
        options.set(&MAP_NS, app.map_ns.clone());
    }
    options
}

/// `kapp deploy -a APP -f ...`, or `kapp delete -a APP`.
pub(crate) fn command(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
    let app = seed
        .name
        .clone()
        .or_else(|| seed.root.file_name().map(str::to_owned))?;
    let mut argv = vec!["kapp".to_owned()];
    match operation {
        Operation::Apply => {
            argv.extend(["deploy".to_owned(), "-a".to_owned(), app]);
            for input in &seed.inputs {
                // kapp splits the value at commas, so that such a path cannot be passed to it.
                if input.as_str().contains(',') {
                    return None;
                }
                argv.extend(["-f".to_owned(), input.to_string()]);
            }
            if let Some(namespace) = options.one(&INTO_NS) {
                argv.extend(["--into-ns".to_owned(), namespace.to_owned()]);
            }
            for mapped in options.all(&MAP_NS) {
                argv.extend(["--map-ns".to_owned(), mapped.clone()]);
            }
        }
        Operation::Delete => argv.extend(["delete".to_owned(), "-a".to_owned(), app]),
    }
    if let Some(namespace) = options.one(&NAMESPACE) {
        argv.extend(["-n".to_owned(), namespace.to_owned()]);
    }
    Some(Handoff {
        argv,
        cwd: seed.root.clone(),
    })
}

const FILTERS: &str = "leaves resources out by what only kapp can tell";

/// The flags of the supported commands.
pub(crate) static TABLES: [FlagTable; 1] = [FlagTable {
    commands: &["kapp deploy", "kapp delete"],
    flags: &FLAGS,
    variables: &[("KAPP_NAMESPACE", "--namespace")],
}];

/// The flags of `kapp deploy` and `kapp delete`.
static FLAGS: [Flag; 76] = [
    reads(value(&["--file", "-f"])),
    selects(value(&["--namespace", "-n"])),
    selects(value(&["--into-ns"])),
    selects(value(&["--map-ns"])),
    reads(value(&["--app", "-a"])),
    operates(switch(&["--diff-run"])),
    // Flags that choose resources by their contents, or by what is in the cluster.
    refused(value(&["--filter"]), FILTERS),
    refused(value(&["--filter-age"]), FILTERS),
    refused(value(&["--filter-kind"]), FILTERS),
    refused(value(&["--filter-ns"]), FILTERS),
    refused(value(&["--filter-name"]), FILTERS),
    refused(value(&["--filter-kind-name"]), FILTERS),
    refused(value(&["--filter-kind-ns"]), FILTERS),
    refused(value(&["--filter-kind-ns-name"]), FILTERS),
    refused(value(&["--filter-labels"]), FILTERS),
    refused(
        value(&["--diff-filter"]),
        "leaves changes out before they are ordered",
    ),
    refused(
        switch(&["--dangerous-allow-empty-list-of-resources"]),
        "lets an empty list remove everything, which is not checked",
    ),
    HELP,
    // Flags that do not affect what is read or ordered.
    value(&["--app-namespace"]),
    value(&["--prev-app"]),
    value(&["--labels"]),
    switch(&["--patch", "-p"]),
    switch(&["--yes", "-y"]),
    switch(&["--diff-exit-status"]),
    switch(&["--diff-ui-alpha"]),
    switch(&["--diff-summary"]),
    switch(&["--diff-changes", "-c"]),
    value(&["--diff-context"]),
    switch(&["--diff-line-numbers"]),
    switch(&["--diff-mask"]),
    switch(&["--diff-against-last-applied"]),
    switch(&["--diff-changes-yaml"]),
    switch(&["--diff-anchored"]),
    switch(&["--apply-ignored"]),
    value(&["--apply-timeout"]),
    value(&["--apply-check-interval"]),
    value(&["--apply-concurrency"]),
    value(&["--apply-default-update-strategy"]),
    switch(&["--apply-exit-status"]),
    switch(&["--exit-early-on-apply-error"]),
    switch(&["--exit-early-on-wait-error"]),
    switch(&["--wait"]),
    switch(&["--wait-ignored"]),
    value(&["--wait-timeout"]),
    value(&["--wait-resource-timeout"]),
    value(&["--wait-check-interval"]),
    value(&["--wait-concurrency"]),
    switch(&["--allow-check"]),
    value(&["--allow-ns"]),
    switch(&["--allow-all-ns"]),
    switch(&["--allow-cluster"]),
    switch(&["--existing-non-labeled-resources-check"]),
    value(&["--existing-non-labeled-resources-check-concurrency"]),
    switch(&["--dangerous-override-ownership-of-existing-resources"]),
    switch(&["--dangerous-disable-gk-scoping"]),
    switch(&["--dangerous-ignore-failing-api-services"]),
    switch(&["--dangerous-scope-to-fallback-allowed-namespaces"]),
    switch(&["--default-label-scoping-rules"]),
    value(&["--app-changes-max-to-keep"]),
    switch(&["--logs"]),
    switch(&["--logs-all"]),
    value(&["--app-metadata-file-output"]),
    value(&["--kubeconfig"]),
    value(&["--kubeconfig-context"]),
    value(&["--kubeconfig-yaml"]),
    value(&["--kube-api-qps"]),
    value(&["--kube-api-burst"]),
    switch(&["--color"]),
    switch(&["--json"]),
    value(&["--column"]),
    switch(&["--tty"]),
    switch(&["--debug"]),
    value(&["--profile"]),
    value(&["--profile-output"]),
    switch(&["--warnings"]),
    switch(&["--sort"]),
];

/// The invocation of `kapp deploy` or `kapp delete`.
pub(crate) fn read(line: &CommandLine<'_>) -> Result<Invocation, Refusal> {
    let mut parser = Parser::new(line.args, Dialect::Gnu, "kapp");
    let mut words: Vec<&str> = Vec::new();
    let mut read = Invocation::new(Action::Apply, DEPLOY, line.cwd);
    let env_namespace = (line.env)("KAPP_NAMESPACE").filter(|n| !n.is_empty());
    let mut namespace = env_namespace.clone();
    let mut into = None;
    let mut maps: Vec<String> = Vec::new();
    let mut only_shows = false;
    while let Some(word) = parser.next(&FLAGS)? {
        match word {
            Word::Plain(word) => words.push(word),
            Word::Flag("--app", given) => read.name = given.map(str::to_owned),
            // An empty one counts as not given.
            Word::Flag("--namespace", Some("")) => namespace = env_namespace.clone(),
            Word::Flag("--namespace", given) => namespace = given.map(str::to_owned),
            Word::Flag("--into-ns", Some(given)) => into = Some(given).filter(|given| !given.is_empty()),
            Word::Flag(name @ "--map-ns", Some(given)) => maps.extend(list(name, given)?.map(str::to_owned)),
            Word::Flag(name @ "--file", Some(given)) => {
                read.inputs.extend(list(name, given)?.map(Utf8PathBuf::from));
            }
            Word::Flag(name @ "--diff-run", given) => only_shows = is_on(name, given)?,
            Word::Flag(..) => {}
        }
    }
    if let Some(namespace) = namespace {
        read.options.set(&NAMESPACE, one(&namespace));
    }
    if let Some(into) = into {
        read.options.set(&INTO_NS, one(into));
    }
    read.options.set(&MAP_NS, maps);
    match words.as_slice() {
        ["deploy" | "d" | "dep"] => inputs(line, &read.inputs)?,
        ["delete"] => {
            let deletes = Invocation::new(Action::Delete, DELETE, line.cwd);
            (read.action, read.operation, read.depends) =
                (deletes.action, deletes.operation, deletes.depends);
            if !read.inputs.is_empty() {
                return Err(Refusal::new("`kapp delete` has no flag `--file`"));
            }
        }
        ["deploy" | "d" | "dep" | "delete", other, ..] => {
            return Err(Refusal::new(format!("kapp takes no argument `{other}` there")));
        }
        ["app-group" | "ag" | "appgroup", ..] => {
            return Err(Refusal::new(
                "`kapp app-group` deploys several apps: hand over one `kapp deploy` for each",
            ));
        }
        other => {
            return Err(Refusal::nothing_to_lint(
                format!("kapp {}", other.join(" ")).trim_end(),
            ));
        }
    }
    if only_shows {
        read.action = Action::Plan;
    }
    Ok(read)
}

fn one(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

/// The valid values of `--file`.
fn inputs(line: &CommandLine<'_>, given: &[Utf8PathBuf]) -> Result<(), Refusal> {
    if given.is_empty() {
        return Err(Refusal::new("no `--file` is given"));
    }
    for input in given {
        let text = input.as_str();
        if text.starts_with("http://") || text.starts_with("https://") {
            return Err(Refusal::new(format!(
                "`{text}` is downloaded by kapp: what it brings cannot be checked before; download it to a file"
            )));
        }
        if text.is_empty() {
            return Err(Refusal::new("a value of `--file` is empty"));
        }
        line.path(line.cwd, text)?;
    }
    if given.iter().filter(|input| *input == "-").count() > 1 {
        return Err(Refusal::new(
            "standard input is given twice: the second time it is empty",
        ));
    }
    Ok(())
}

/// The app of a command line: the inputs of `kapp deploy`, or the app declared under the name given to `kapp
/// delete`, which itself reads the cluster only.
pub(crate) fn seed(cx: &Cx<'_>, invocation: &Invocation) -> Result<ProjectSeed, Refusal> {
    if invocation.operation == Operation::Apply {
        return Ok(ProjectSeed {
            engine: cx.engine_index(),
            root: invocation.cwd.clone(),
            name: None,
            why: COMMAND_LINE.to_owned(),
            inferred: false,
            inputs: invocation.inputs.clone(),
            excluded: Vec::new(),
            is_part: false,
        });
    }
    let Some(name) = invocation.name.as_deref() else {
        return Err(Refusal::new("no `--app` is given"));
    };
    for config in cx.configs() {
        let section = config.section::<KappConfig>();
        let Some(app) = section.app.iter().find(|app| app.name == name) else {
            continue;
        };
        if !app.render.is_empty() {
            return Err(Refusal::new(format!(
                "app `{name}` is rendered by `{}`: what was deployed is not in its files",
                app.render.join(" ")
            )));
        }
        return Ok(ProjectSeed {
            engine: cx.engine_index(),
            root: config.dir.clone(),
            name: Some(name.to_owned()),
            why: format!("declared as app `{name}` in the configuration"),
            inferred: false,
            inputs: app.files.iter().map(Utf8PathBuf::from).collect(),
            excluded: Vec::new(),
            is_part: false,
        });
    }
    Err(Refusal::new(format!(
        "`kapp delete` reads app `{name}` from the cluster: to have its order checked, declare its files \
         (`[[kapp.app]]` with `name = \"{name}\"` and `files`)"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_analysis::fixture::read_command;
    use applyorder_core::engine::invocation::Effect;

    fn with_env(args: &[&str], env: &[(&str, &str)]) -> Result<Invocation, String> {
        read_command(read, ("kapp", args), env)
    }

    fn of(args: &[&str]) -> Invocation {
        with_env(args, &[]).unwrap()
    }

    #[test]
    fn files_are_given_in_their_order() {
        for args in [
            &["deploy", "-a", "app", "-f", "b,a", "--file=-"][..],
            &["deploy", "-yfb", "-f=a", "-a=app", "-f", "-"],
            &["-f", "b", "d", "-a", "app", "-f", "a", "-f-"],
        ] {
            let read = of(args);
            assert_eq!(read.inputs, ["b", "a", "-"], "{args:?}");
            assert_eq!((read.action, read.operation), (Action::Apply, Operation::Apply));
            assert_eq!(read.options, RunOptions::default());
        }
    }

    #[test]
    fn namespaces_are_those_of_flags_then_of_the_variable() {
        let read = of(&[
            "deploy",
            "-f",
            "a",
            "-n",
            "x",
            "--into-ns",
            "y",
            "--map-ns",
            "a=b,c=d",
            "--map-ns=e=f",
        ]);
        assert_eq!(read.options.one(&NAMESPACE), Some("x"));
        assert_eq!(read.options.one(&INTO_NS), Some("y"));
        assert_eq!(read.options.all(&MAP_NS), ["a=b", "c=d", "e=f"]);
        let env = [("KAPP_NAMESPACE", "env")];
        let read = with_env(&["deploy", "-f", "a"], &env).unwrap();
        assert_eq!(read.options.one(&NAMESPACE), Some("env"));
        let read = with_env(&["deploy", "-f", "a", "-nx"], &env).unwrap();
        assert_eq!(read.options.one(&NAMESPACE), Some("x"));
    }

    #[test]
    fn the_operation_is_that_of_the_command() {
        let read = of(&["delete", "-a", "shop", "-y"]);
        assert_eq!((read.action, read.operation), (Action::Delete, Operation::Delete));
        assert_eq!(
            (read.depends[0].command, read.name.as_deref()),
            (DELETE, Some("shop"))
        );
        assert_eq!(of(&["deploy", "-f", "a", "--diff-run"]).action, Action::Plan);
        assert_eq!(
            of(&["deploy", "-f", "a", "--diff-run=false"]).action,
            Action::Apply
        );
    }

    #[test]
    fn what_cannot_be_derived_is_refused() {
        let because = |args: &[&str]| with_env(args, &[]).unwrap_err();
        for filter in FLAGS.iter().filter(|f| matches!(f.effect, Effect::Refused(_))) {
            let said = because(&["deploy", "-f", "a", filter.names[0], "x"]);
            assert!(said.starts_with(&format!("`{}` ", filter.names[0])), "{said}");
        }
        assert!(because(&["deploy", "-f", "https://host/a.yaml"]).contains("is downloaded"));
        assert!(because(&["deploy", "-f", "-", "-f", "-"]).contains("twice"));
        assert!(because(&["deploy", "-f", "a", "--new-flag"]).contains("not a known flag"));
        assert!(because(&["deploy"]).contains("no `--file`"));
        assert!(because(&["deploy", "-f", "a", "b"]).contains("no argument `b`"));
        assert!(because(&["inspect", "-a", "x"]).contains("run it without applyorder"));
        assert!(because(&["app-group", "deploy"]).contains("several apps"));
    }
}
