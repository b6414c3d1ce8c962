//! `init`: writes what was found and inferred as a configuration to be corrected by hand. The written configuration
//! gives the same result as inference: each declaration is tried before it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use applyorder_analysis::config::FILE_NAMES;
use applyorder_analysis::engine::{Declaration, Engines, Variant};
use applyorder_analysis::workspace::Project;
use camino::{Utf8Path, Utf8PathBuf};

use super::lint::plural;
use crate::args::{Global, InitArgs, RunArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::session::Session;
use crate::start::{absolute, current_dir};
use crate::write;

const HEAD: &str = "\
# Written by `applyorder init` from the projects found here. Correct it by hand: `applyorder lint -v` shows each project
# and why it is one, `applyorder config show` shows the settings in effect.
";

/// Runs the command.
///
/// # Errors
/// When a configuration already exists, or the new one cannot be written.
pub fn run(engines: Engines, global: &Global, args: &InitArgs, out: &mut Output) -> Result<Exit, Failure> {
    if global.isolated || global.config.iter().any(|c| !c.contains('=')) {
        return Err(Failure::new(
            "init writes the configuration of a directory, and cannot be used with --isolated or --config FILE",
        ));
    }
    let cwd = current_dir()?;
    let dir = absolute(&cwd, &args.dir);
    if !dir.is_dir() {
        return Err(Failure::new(format!(
            "{}: not a directory",
            escape::line(args.dir.as_str())
        )));
    }
    let file_in = |dir: &Utf8Path| FILE_NAMES.iter().map(|name| dir.join(name)).find(|p| p.exists());
    let existing = file_in(&dir);
    if let Some(path) = existing.as_ref().filter(|_| !args.force && !args.dry_run) {
        let name = path.file_name().unwrap_or_default();
        return Err(Failure::new(format!(
            "{name} already exists; use --force to replace it, or --dry-run to print the new file"
        )));
    }
    let path = existing.clone().unwrap_or_else(|| dir.join("applyorder.toml"));
    let mut head = HEAD.to_owned();
    if let Some(above) = dir.parent().and_then(|up| up.ancestors().find_map(file_in)) {
        let _ = writeln!(head, "extend = {}", quoted(&relative(&dir, &above)));
    }
    let run = RunArgs {
        paths: vec![dir.clone()],
        ..RunArgs::default()
    };
    let before = Session::open_with_text(engines, global, &run, (&path, &head), out)?;
    let mut plan = Plan::of(&before, &dir, &path);
    // Each round tries the next way for declarations that change the result; one with no way left is written as a
    // comment.
    let text = loop {
        let text = plan.text(&head);
        let after = Session::open_with_text(engines, global, &run, (&path, &text), &mut Output::silent())?;
        if !plan.give_up_what_differs(&before, &after) {
            break text;
        }
    };
    if plan.is_empty() {
        out.warning("nothing to declare: every project here is fully declared");
        return Ok(if before.failed() { Exit::Failed } else { Exit::Yes });
    }
    if args.dry_run {
        out.print(&text)?;
    } else {
        let shown = escape::line(&before.paths.show(&path)).into_owned();
        let put = write::put(&write::Machine, &path, text.as_bytes());
        put.map_err(|e| Failure::new(format!("{shown}: {e}")))?;
        let written = plan.declared.iter().filter(|d| d.way.is_some()).count();
        out.summary(&format!(
            "{shown}: {}, to be corrected by hand",
            plural(written, ["declaration", "declarations"])
        ));
    }
    Ok(if before.failed() { Exit::Failed } else { Exit::Yes })
}

/// The path of a file above a directory, relative to that directory.
fn relative(dir: &Utf8Path, above: &Utf8Path) -> String {
    let top = above.parent().unwrap_or(Utf8Path::new("/"));
    let up = dir
        .strip_prefix(top)
        .map_or(0, |below| below.components().count());
    format!("{}{}", "../".repeat(up), above.file_name().unwrap_or_default())
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// What identifies a project.
type Key = (&'static str, Utf8PathBuf, Option<String>);

fn key(project: &Project) -> Key {
    let seed = &project.seed;
    (project.engine().meta().id, seed.root.clone(), seed.name.clone())
}

/// A project and how it is declared.
struct Declared {
    key: Key,
    /// Its key once it is declared.
    becomes: Key,
    why: String,
    how: Declaration,
    /// Which way is being tried; `None` if none gives the same result.
    way: Option<usize>,
}

#[derive(Default)]
struct Plan {
    declared: Vec<Declared>,
    /// Possible declarations, with the values that they are about: by engine and lines.
    perhaps: BTreeMap<(&'static str, String), (&'static str, Vec<String>)>,
    /// Projects that belong to a configuration in a subdirectory.
    elsewhere: BTreeSet<String>,
}

impl Plan {
    fn of(session: &Session, dir: &Utf8Path, path: &Utf8Path) -> Self {
        let mut plan = Self::default();
        let mut names: BTreeSet<(&'static str, String)> = BTreeSet::new();
        for (ix, project) in session.projects() {
            let analysis = &*session.analysis;
            let Some(mut how) = project.engine().declare(analysis, project.view(), dir) else {
                continue;
            };
            let own = session.configs.of(&project.seed.root);
            if own.file.as_deref() != Some(path) {
                plan.elsewhere.insert(session.key(ix));
                continue;
            }
            let id = project.engine().meta().id;
            let mut becomes = key(project);
            match &mut how {
                Declaration::Perhaps { when, lines, item } => {
                    let entry = plan.perhaps.entry((id, lines.clone()));
                    entry
                        .or_insert_with(|| (*when, Vec::new()))
                        .1
                        .extend(item.clone());
                    continue;
                }
                Declaration::Entry { name, .. } => {
                    let stem = name.clone();
                    for n in 2.. {
                        if names.insert((id, name.clone())) {
                            break;
                        }
                        *name = format!("{stem}-{n}");
                    }
                    becomes.1 = dir.to_owned();
                    becomes.2 = Some(name.clone());
                }
                Declaration::Item { .. } => {}
            }
            plan.declared.push(Declared {
                key: key(project),
                becomes,
                why: project.seed.why.clone(),
                how,
                way: Some(0),
            });
        }
        // A single manifest cannot be combined with another.
        plan.perhaps
            .retain(|(_, lines), (_, items)| !lines.contains("{}") || items.len() > 1);
        plan
    }

    fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.perhaps.is_empty()
    }

    fn text(&self, head: &str) -> String {
        let mut out = head.to_owned();
        let engines: BTreeSet<&str> = self
            .declared
            .iter()
            .map(|d| d.key.0)
            .chain(self.perhaps.keys().map(|(engine, _)| *engine))
            .collect();
        for engine in engines {
            let own = || self.declared.iter().filter(|d| d.key.0 == engine);
            // Values of lists belong to the engine's table, which must precede its arrays of tables.
            let mut lists: BTreeMap<&str, (&str, Vec<&str>)> = BTreeMap::new();
            for declared in own() {
                if let (Declaration::Item { list, value, see_to }, Some(_)) = (&declared.how, declared.way) {
                    lists.entry(*list).or_insert((*see_to, Vec::new())).1.push(value);
                }
            }
            if !lists.is_empty() {
                let _ = writeln!(out, "\n[{engine}]");
            }
            for (list, (see_to, values)) in lists {
                let _ = writeln!(out, "# {see_to}.\n{list} = {}", array(&values));
            }
            for declared in own() {
                entry(&mut out, engine, declared);
            }
            for ((_, lines), (when, items)) in self.perhaps.iter().filter(|((e, _), _)| *e == engine) {
                let items: Vec<&str> = items.iter().map(String::as_str).collect();
                let lines = lines.replace("{}", array(&items).trim_matches(['[', ']']));
                let _ = writeln!(out, "\n# {when}:");
                for line in lines.lines() {
                    let _ = writeln!(out, "# {line}");
                }
            }
        }
        if !self.elsewhere.is_empty() {
            let _ = writeln!(out, "\n# Configured by a file further below:");
            for key in &self.elsewhere {
                let _ = writeln!(out, "#   {key}");
            }
        }
        out
    }

    /// Moves each declaration that changes the result to its next way. Returns whether there was one.
    fn give_up_what_differs(&mut self, before: &Session, after: &Session) -> bool {
        let old: BTreeMap<Key, &Project> = before.projects().map(|(_, p)| (key(p), &**p)).collect();
        let new: BTreeMap<Key, &Project> = after.projects().map(|(_, p)| (key(p), &**p)).collect();
        let mut gave_up = false;
        for declared in &mut self.declared {
            let Some(way) = declared.way else { continue };
            let (Some(was), is) = (old.get(&declared.key), new.get(&declared.becomes)) else {
                continue;
            };
            if is.is_some_and(|is| reads_the_same(was, is)) {
                continue;
            }
            let ways = match &declared.how {
                Declaration::Entry { ways, .. } => ways.len(),
                Declaration::Item { .. } | Declaration::Perhaps { .. } => 1,
            };
            declared.way = (way + 1 < ways).then_some(way + 1);
            gave_up = true;
        }
        gave_up
    }
}

/// A list in TOML, on several lines if it is long.
fn array(values: &[&str]) -> String {
    let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    if values.iter().map(String::len).sum::<usize>() < 90 {
        format!("[{}]", values.join(", "))
    } else {
        format!("[\n    {},\n]", values.join(",\n    "))
    }
}

fn entry(out: &mut String, engine: &str, declared: &Declared) {
    let Declaration::Entry {
        list,
        name,
        key,
        ways,
        see_to,
    } = &declared.how
    else {
        return;
    };
    let files = declared.way.map_or_else(|| ways.last(), |way| ways.get(way));
    let files: Vec<&str> = files.into_iter().flatten().map(String::as_str).collect();
    let _ = writeln!(out, "\n# {see_to}.\n# Inferred: {}.", escape::line(&declared.why));
    let lines = format!(
        "[[{engine}.{list}]]\nname = {}\n{key} = {}\n",
        quoted(name),
        array(&files)
    );
    if declared.way.is_some() {
        out.push_str(&lines);
        return;
    }
    out.push_str("# Would change if declared, so not written:\n");
    for line in lines.lines() {
        let _ = writeln!(out, "# {line}");
    }
}

/// Whether a declared project is equivalent to the inferred one: the same units in the same orders, and every verdict
/// that was known before.
fn reads_the_same(was: &Project, is: &Project) -> bool {
    let (was, is) = (&was.resolution, &is.resolution);
    let same_variant = |a: &Variant, b: &Variant| {
        let names = |v: &Variant| v.units.iter().map(|u| u.name.clone()).collect::<Vec<_>>();
        a.environments == b.environments
            && names(a) == names(b)
            && a.apply.layers == b.apply.layers
            && a.delete.layers == b.delete.layers
            && a.apply.graph.edges().len() == b.apply.graph.edges().len()
    };
    let verdicts_hold = was.verdicts.iter().all(|v| {
        let same = |w: &&applyorder_analysis::engine::Verdict| {
            w.command == v.command && w.environment == v.environment
        };
        v.ok.is_none() || is.verdicts.iter().find(same).is_some_and(|w| w.ok == v.ok)
    });
    verdicts_hold
        && was.variants.len() == is.variants.len()
        && was
            .variants
            .iter()
            .zip(is.variants.iter())
            .all(|(a, b)| same_variant(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_above_is_named_from_below() {
        for (dir, above, path) in [
            ("/r/a", "/r/applyorder.toml", "../applyorder.toml"),
            ("/r/a/b", "/r/.applyorder.toml", "../../.applyorder.toml"),
        ] {
            assert_eq!(relative(dir.into(), above.into()), path);
        }
    }

    #[test]
    fn values_are_text_of_toml_whatever_they_hold() {
        let odd = "a\"b\n#\u{7f}";
        let text = format!("x = {}", array(&[odd, "b"]));
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table["x"][0].as_str(), Some(odd));
    }
}
