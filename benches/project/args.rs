//! The command line of the bench.

use std::path::{Path, PathBuf};
use std::time::Duration;

const HELP: &str = "\
From a keystroke to its diagnostics, for every shape of every engine.

  --only FILTER   shapes whose name has this in it: kapp, tazuna/cycle, cold; several times: any of them
  --edit FILTER   edits whose name has this in it: name, root; several times: any of them
  --units N       projects of so many units; several times: of each of these sizes
  --budget MS     how long each edit of each shape is measured, 500 unless told; for a profiler beside it
  --quick         200 and 2,000 units only, and no cold lint
  --server PATH   the program to measure, instead of this build
  --write [FILE]  write the table as Markdown, to docs/performance.md unless a file is given
  --list          say which shapes there are";

/// The size above which nothing is measured with `--quick`.
const QUICK: usize = 2_000;
/// The maximum number of edits of a kind, and the maximum time: slow ones are measured less often.
const EDITS: usize = 50;
const BUDGET: Duration = Duration::from_millis(500);

/// The command line of the bench.
pub(crate) struct Args {
    only: Vec<String>,
    edits: Vec<String>,
    units: Vec<usize>,
    /// How long edits of a kind are measured at most: slow ones are measured less often.
    pub(crate) budget: Duration,
    /// The maximum number of edits of a kind.
    pub(crate) most: usize,
    pub(crate) quick: bool,
    pub(crate) server: PathBuf,
    pub(crate) is_own: bool,
    pub(crate) write: Option<PathBuf>,
}

impl Args {
    /// Reads the command line; `None` if it only asked for help.
    pub(crate) fn read() -> Result<Option<Self>, String> {
        let mut args = Self {
            only: Vec::new(),
            edits: Vec::new(),
            units: Vec::new(),
            budget: BUDGET,
            most: EDITS,
            quick: false,
            server: env!("CARGO_BIN_EXE_applyorder").into(),
            is_own: true,
            write: None,
        };
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/performance.md");
        let mut given = std::env::args().skip(1).peekable();
        while let Some(arg) = given.next() {
            let mut value = || given.next_if(|v| !v.starts_with("--"));
            match arg.as_str() {
                "--only" => args.only.push(value().ok_or("--only needs a filter")?),
                "--edit" => args.edits.push(value().ok_or("--edit needs a filter")?),
                "--units" => {
                    let given = value().and_then(|v| v.parse().ok());
                    args.units.push(given.ok_or("--units needs a number")?);
                }
                "--budget" => {
                    let given = value().and_then(|v| v.parse().ok());
                    args.budget = Duration::from_millis(given.ok_or("--budget needs milliseconds")?);
                    args.most = usize::MAX;
                }
                "--quick" => args.quick = true,
                "--server" => {
                    let server = PathBuf::from(value().ok_or("--server needs a path")?);
                    args.server = server
                        .canonicalize()
                        .map_err(|e| format!("{}: {e}", server.display()))?;
                    args.is_own = false;
                }
                "--write" => args.write = Some(value().map_or_else(|| page.clone(), PathBuf::from)),
                "--list" => {
                    for shape in crate::shapes::all() {
                        println!("{} {:?}", shape.name, shape.sizes);
                    }
                    for project in crate::cold::all() {
                        println!("{} [{}]", project.name, crate::cold::UNITS);
                    }
                    return Ok(None);
                }
                // Passed by Cargo itself.
                "--bench" => {}
                "--help" | "-h" => {
                    println!("{HELP}");
                    return Ok(None);
                }
                other => return Err(format!("unknown argument {other:?}\n\n{HELP}")),
            }
        }
        if args.write.as_ref() == Some(&page) && (!args.is_whole() || !args.is_own) {
            return Err(
                "docs/performance.md has the whole table, of this build; name another file".to_owned(),
            );
        }
        Ok(Some(args))
    }

    /// Whether everything is measured, which is the default.
    fn is_whole(&self) -> bool {
        !self.quick
            && self.only.is_empty()
            && self.edits.is_empty()
            && self.units.is_empty()
            && self.most == EDITS
    }

    pub(crate) fn wants_edit(&self, name: &str) -> bool {
        self.edits.is_empty() || self.edits.iter().any(|filter| name.contains(filter.as_str()))
    }

    pub(crate) fn wants(&self, shape: &str, units: usize) -> bool {
        let is_named = self.only.is_empty() || self.only.iter().any(|filter| shape.contains(filter.as_str()));
        let is_size = self.units.is_empty() || self.units.contains(&units);
        is_named && is_size && !(self.quick && units > QUICK)
    }
}
