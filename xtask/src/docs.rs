//! The pages that are generated from the code: rules, commands, schemas.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use applyorder_analysis::engine::invocation::{Effect, FlagTable};
use applyorder_lint::args;
use applyorder_lint::commands::{config, rules};
use applyorder_lint::formats::json::model;

/// Folders in which every file is generated: leftover files there are removed.
const OWN_FOLDERS: [&str; 1] = ["docs/schema"];

/// Every generated file: its path relative to the root, and its text.
fn pages() -> BTreeMap<PathBuf, String> {
    let mut pages = BTreeMap::new();
    pages.insert("docs/rules.md".to_owned(), rules_page());
    pages.insert("docs/cli.md".to_owned(), commands_page());
    pages.insert("docs/SUMMARY.md".to_owned(), contents_page());
    pages.insert("docs/exec-flags.md".to_owned(), flags_page());
    pages.insert("docs/schema/applyorder-1.json".to_owned(), model::schema());
    pages.insert(
        "docs/schema/applyorder.toml.json".to_owned(),
        config::schema(applyorder_engines::all()),
    );
    pages
        .into_iter()
        .map(|(path, text)| (PathBuf::from(path), text))
        .collect()
}

/// Writes every page, and removes leftover ones.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn write(root: &Path) -> Result<(), String> {
    let pages = pages();
    for (path, text) in &pages {
        let full = root.join(path);
        let made = full.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&full, text))
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    for path in existing(root)
        .into_iter()
        .filter(|path| !pages.contains_key(path))
    {
        fs::remove_file(root.join(&path)).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

fn existing(root: &Path) -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = OWN_FOLDERS.iter().map(|f| root.join(f)).collect();
    let mut files = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(below) = path.strip_prefix(root) {
                files.push(below.to_owned());
            }
        }
    }
    files
}

fn rules_page() -> String {
    let mut page = "# Rules\n\nEach page is also what `applyorder explain RULE` prints.\n\n\
        | rule | severity | status | engines | what it finds |\n|---|---|---|---|---|\n"
        .to_owned();
    let engines = applyorder_engines::all();
    for rule in engines.rules() {
        let _ = writeln!(
            page,
            "| [`{id}`](rules/{id}.md) | {} | {} | {} | {} |",
            rule.severity.as_str(),
            rules::status_word(rule.status),
            rules::reported_by(engines, rule).join(", "),
            rule.summary.replace('|', "\\|"),
            id = rule.id
        );
    }
    page
}

/// The table of contents of the book: every hand-written page, every engine, every rule.
fn contents_page() -> String {
    let mut page = "# Summary\n\n\
        [applyorder](index.md)\n\n\
        # Using it\n\n\
        - [A tour](tour.md)\n\
        - [Commands](cli.md)\n\
        - [In a repository with old findings](adopting.md)\n\
        - [The order in review](contract.md)\n\
        - [Check, then hand over: `exec` and `apply`](exec.md)\n\
        \x20 - [What each flag of an engine changes](exec-flags.md)\n\
        - [For coding agents: `applyorder mcp`](mcp.md)\n\
        - [The graph](graph.md)\n\
        - [JSON](json.md)\n\
        - [How the verdicts are verified](verification.md)\n\
        - [Performance](performance.md)\n\n\
        # How it works\n\n\
        - [The project layer](internals/project-layer.md)\n\
        - [The server](internals/server.md)\n\
        - [Libraries, and why](internals/libraries.md)\n\n\
        # Engines\n\n"
        .to_owned();
    let engines = applyorder_engines::all();
    for (_, engine) in engines.iter() {
        let meta = engine.meta();
        let _ = writeln!(page, "- [{}](engines/{}.md)", meta.title, meta.id);
    }
    page.push_str("\n# Rules\n\n- [All rules](rules.md)\n");
    for rule in engines.rules() {
        let _ = writeln!(page, "  - [`{id}`](rules/{id}.md)", id = rule.id);
    }
    page
}

/// How `exec` handles each flag of each engine.
fn flags_page() -> String {
    let mut page = "# What each flag of an engine changes\n\n\
        [`exec`](exec.md) derives from an engine's command which files are read, which units take part, and the operation. \
        These are the known flags; `tests/differential` compares them with the help of the programs. \
        Any other flag is refused, because it may change which files are read.\n"
        .to_owned();
    for (_, engine) in applyorder_engines::all().iter() {
        let _ = write!(page, "\n## {}\n", engine.meta().title);
        for table in engine.flag_tables() {
            flag_table(&mut page, table);
        }
    }
    page
}

fn flag_table(page: &mut String, table: &FlagTable) {
    let quoted = |words: &[&str]| {
        words
            .iter()
            .map(|w| format!("`{w}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let _ = write!(page, "\n{}:\n\n| flag | |\n|---|---|\n", quoted(table.commands));
    for flag in table.flags {
        let changes = match flag.effect {
            Effect::Inputs => "selects the files to read".to_owned(),
            Effect::Selection => "selects the units that take part, or changes them".to_owned(),
            Effect::Operation => "selects the operation".to_owned(),
            Effect::Refused(because) => format!("**refused**: {because}"),
            Effect::Nothing => continue,
        };
        let _ = writeln!(page, "| {} | {changes} |", quoted(flag.names));
    }
    for (variable, flag) in table.variables {
        let _ = writeln!(
            page,
            "| variable `{variable}` | as `{flag}`, if that is not given |"
        );
    }
    let others = table.flags.iter().filter(|f| f.effect == Effect::Nothing);
    let others: Vec<String> = others.map(|f| quoted(f.names)).collect();
    if !others.is_empty() {
        let _ = write!(page, "\nWithout effect on the check: {}.\n", others.join("; "));
    }
}

const PATHS: &str = "
## Paths and units

A directory selects the projects below it. For a project outside the directory that uses files in it, and for a
path that is a file, only findings that touch these files are shown; `--whole` shows all. To find the projects
of a file, its whole repository is searched. The default path is the current directory. `-` is standard input;
it needs `--engine`.

`.gitignore` and hidden names only affect the search for projects. A path on the command line is always read,
and the engine's own rules decide which files belong to a project; `lint --show-files` lists them.

A unit is written with the engine's own name for it, with `ENGINE:PROJECT#` before it if several projects have a
unit of that name. Every command accepts the names that commands print. Control characters in a name are written
as `\\u{1b}`.
";

fn commands_page() -> String {
    let mut page = "# Commands\n\n\
        Every flag can be set by an environment variable: `--min-severity` by `APPLYORDER_MIN_SEVERITY`. \
        A flag on the command line takes precedence.\n\n\
        Exit codes: 0, the answer is yes or nothing was found; 1, the answer is no, or a finding reaches \
        `--fail-on`; 2, the run itself failed or an input could not be read, and partial results are \
        still printed.\n"
        .to_owned();
    page.push_str(PATHS);
    let mut command = args::command(applyorder_engines::all()).term_width(100);
    command.build();
    page.push_str("\n## Global options\n\n");
    flags(&mut page, &command, |arg| arg.is_global_set());
    let mut open: Vec<(String, clap::Command)> = command
        .get_subcommands()
        .map(|c| (String::new(), c.clone()))
        .collect();
    open.reverse();
    while let Some((before, command)) = open.pop() {
        let name = format!("{before}{}", command.get_name());
        if command.get_name() == "help" {
            continue;
        }
        let _ = write!(page, "\n## `applyorder {name}`\n\n");
        if let Some(about) = command.get_about() {
            let _ = write!(page, "{about}.\n\n");
        }
        let usage = command.clone().render_usage().to_string();
        let _ = write!(
            page,
            "```\n{}\n```\n\n",
            usage.trim_start_matches("Usage: ").trim()
        );
        flags(&mut page, &command, |arg| !arg.is_global_set());
        let below: Vec<_> = command
            .get_subcommands()
            .map(|c| (format!("{name} "), c.clone()))
            .collect();
        open.extend(below.into_iter().rev());
    }
    page
}

fn flags(page: &mut String, command: &clap::Command, wanted: impl Fn(&clap::Arg) -> bool) {
    let shown = |a: &&clap::Arg| wanted(a) && !matches!(a.get_id().as_str(), "help" | "version");
    let args: Vec<&clap::Arg> = command.get_arguments().filter(shown).collect();
    if args.is_empty() {
        return;
    }
    page.push_str("| argument | meaning |\n|---|---|\n");
    for arg in args {
        let mut meaning = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let words: Vec<String> = arg
            .get_possible_values()
            .iter()
            .filter(|v| !v.is_hide_set() && arg.get_action().takes_values())
            .map(|v| format!("`{}`", v.get_name()))
            .collect();
        if !words.is_empty() {
            let _ = write!(meaning, ": {}", words.join(", "));
        }
        let default: Vec<String> = arg
            .get_default_values()
            .iter()
            .map(|v| format!("`{}`", v.to_string_lossy()))
            .collect();
        if !default.is_empty() && arg.get_action().takes_values() {
            let _ = write!(meaning, " (default: {})", default.join(", "));
        }
        let _ = writeln!(
            page,
            "| `{}` | {} |",
            arg_name(arg).replace('|', "\\|"),
            meaning.replace('|', "\\|")
        );
    }
}

fn arg_name(arg: &clap::Arg) -> String {
    match arg.get_short().filter(|_| arg.get_long().is_some()) {
        Some(short) => format!("-{short}, {arg}"),
        None => arg.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generated_pages_are_current() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let pages = pages();
        let stale: Vec<String> = pages
            .iter()
            .filter(|(path, text)| fs::read_to_string(root.join(path)).ok().as_ref() != Some(text))
            .map(|(path, _)| path.display().to_string())
            .collect();
        // mdbook would create missing pages as empty ones.
        let named = contents_page();
        let named = named
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        for page in named {
            assert!(root.join("docs").join(page).is_file(), "docs/{page} is not there");
        }
        let over: Vec<PathBuf> = existing(root)
            .into_iter()
            .filter(|p| !pages.contains_key(p))
            .collect();
        assert!(
            stale.is_empty() && over.is_empty(),
            "run `cargo run -p xtask -- docs`; stale: {stale:?}, left over: {over:?}"
        );
    }
}
