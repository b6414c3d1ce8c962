//! Edits of single stacks, which are handled without looking at the rest.

use std::fmt::Write;
use std::sync::Arc;

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::workspace::{Analysis, Workspace};
use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;

use super::{findings, picture, refresh_in_sight};

const STACKS: usize = 260;

fn path(stack: usize) -> Utf8PathBuf {
    let dir = match stack {
        // One below another.
        120 => "/w/s119/inner".to_owned(),
        _ => format!("/w/s{stack:03}"),
    };
    Utf8PathBuf::from(format!("{dir}/stack.tm"))
}

/// The lines of a stack: ten entries, of the first ones and the one before.
fn lines(stack: usize) -> Vec<String> {
    let mut tags = vec!["\"all\"".to_owned()];
    if stack == 2 || stack == 3 {
        tags.push("\"base\"".to_owned());
    }
    // Not two chains: more paths to a stack than can be walked would be a finding of its own.
    let first = (0..9).filter(|_| stack >= 20);
    let mut after: Vec<String> = first
        .chain(
            stack
                .checked_sub(1)
                .filter(|s| *s >= 20 && *s != 120 && stack != 120),
        )
        .map(|before| format!("    \"/s{before:03}\","))
        .collect();
    if stack % 40 == 30 {
        after.push("    \"tag:base\",".to_owned());
    }
    if stack % 50 == 45 {
        after.extend(["    \"tag:late\",".to_owned(), "    \"/gone\",".to_owned()]);
    }
    let mut lines = vec![
        "# a stack".to_owned(),
        "stack {".to_owned(),
        format!("  id   = \"id{stack}\""),
        format!("  name = \"stack {stack}\""),
        format!("  tags = [{}]", tags.join(", ")),
        "  after = [".to_owned(),
    ];
    lines.extend(after);
    lines.extend(["  ]".to_owned(), "}".to_owned()]);
    lines
}

/// The replacement of a line.
const LINES: &[&str] = &[
    "",
    "# other",
    "    \"/s000\",",
    "    \"/s259\",",
    "    \"/nowhere\",",
    "    \"tag:base\",",
    "    \"tag:~\",",
    "    \".\",",
    "    1,",
    "    \"/s001\", \"/s001\",",
    "  tags = [\"base\"]",
    "  tags = [\"late\", \"Bad\"]",
    "  tags = [tm_uuid()]",
    "  name = [",
    "  name = 1",
    "  id = \"other\"",
    "  id = \"id7\"",
    "  wants = [\"/s001\"]",
    "  before = [\"/s003\"]",
    "  before = [\"/s259\"]",
    "  watch = [\"/s001\"]",
    "  }",
    "stack {",
    "}",
    "globals {\n}",
    "globals {\n  name = terramate.stack.name\n  all  = tm_length(terramate.stacks.list)\n}",
    "globals {\n  id = terramate.stack.parent.id\n}",
    "globals {\n  text = tm_file(\"stack.tm\")\n  odd  = tm_regex(\"wants\", global.text)\n}",
    "globals {\n  a = global.b\n}",
    "globals {\n  b = 1\n}",
    "terramate {\n  config {\n    run {\n      env {\n        A = global.b\n      }\n    }\n  }\n}",
    "globals {\n  a = 1\n}\nglobals {\n  a = 2\n}",
    "import {\n  source = \"/s000/stack.tm\"\n}",
    "import {\n  source = \"/nowhere/x\"\n}",
    "generate_hcl \"x\" {\n}",
    "script \"x\" {\n}",
    "bundle \"x\" {\n}",
    "terramate {\n  config {\n    experiments = [\"scripts\"]\n  }\n}",
    "  wants = [\"/s259\", \"tag:base\"]",
    "  wanted_by = [\"/s003\"]",
    "  after = [\"/s003\", \"/s030\"]",
    "  \"",
];

/// Stacks that are edited: an early, a late one, some that are named by tags, one with another below it.
const EDITED: [usize; 6] = [3, 30, 95, 119, 150, 259];

fn files() -> MemoryFiles {
    let mut files = MemoryFiles::new();
    files.insert(
        "/w/terramate.tm",
        "terramate {\n  required_version = \">= 0.1\"\n}\n",
    );
    for stack in 0..STACKS {
        files.insert(path(stack), lines(stack).join("\n") + "\n");
    }
    files
}

fn workspace(files: &MemoryFiles) -> Workspace {
    let paths: Vec<Utf8PathBuf> = files.paths().map(Utf8Path::to_owned).collect();
    let mut workspace = Workspace::new(
        applyorder_engines::all(),
        Arc::new(files.clone()),
        RunOptions::default(),
    );
    workspace.offer(&paths, Offer::Found);
    workspace
}

fn whole(analysis: &Analysis) -> String {
    let mut out = picture(analysis);
    for (_, project) in analysis.projects() {
        for symbol in &project.resolution.symbols {
            writeln!(
                out,
                "{} {} {:?} {:?}",
                symbol.kind, symbol.name, symbol.units, symbol.renameable
            )
            .unwrap();
        }
        writeln!(out, "{:?}", project.resolution.unresolved).unwrap();
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 25, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_single_stacks_equal_from_scratch(
        edits in proptest::collection::vec((0..EDITED.len(), 0..17usize, 0..LINES.len(), any::<bool>()), 1..9)
    ) {
        let mut texts: Vec<Vec<String>> = EDITED.iter().map(|s| lines(*s)).collect();
        let files = files();
        let mut session = workspace(&files);
        session.refresh();
        let mut shown = findings(&session.analysis());
        for (which, line, new, restore) in edits {
            let stack = EDITED[which];
            if restore {
                texts[which] = lines(stack);
            } else {
                let count = texts[which].len();
                texts[which][line % count] = LINES[new].to_owned();
            }
            session.set_text(&path(stack), (texts[which].join("\n") + "\n").as_str().into());
            let changes = session.refresh();
            let analysis = session.analysis();
            let mut fresh = workspace(&files);
            for (stack, text) in EDITED.iter().zip(&texts) {
                fresh.set_text(&path(*stack), (text.join("\n") + "\n").as_str().into());
            }
            refresh_in_sight(&mut fresh)?;
            prop_assert_eq!(whole(&analysis), whole(&fresh.analysis()));
            let now = findings(&analysis);
            let named: Vec<&Utf8Path> = changes.files.iter().map(|f| analysis.path(*f)).collect();
            for path in shown.keys().chain(now.keys()) {
                if shown.get(path) != now.get(path) {
                    prop_assert!(named.contains(&path.as_path()), "{path} is not named");
                }
            }
            shown = now;
        }
    }
}
