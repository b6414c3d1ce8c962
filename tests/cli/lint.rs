//! `lint`: human-readable output, selection, exit codes.

use crate::support::{Tree, examples, run_in};

fn manifest(name: &str, depends_on: &[&str]) -> String {
    let depends_on = if depends_on.is_empty() {
        String::new()
    } else {
        format!(
            "      dependsOn:\n{}",
            depends_on
                .iter()
                .map(|d| format!("        - {d}\n"))
                .collect::<String>()
        )
    };
    format!("    - name: {name}\n      type: kustomize\n      path: .\n{depends_on}")
}

fn root(manifests: &[String]) -> String {
    format!("spec:\n  manifests:\n{}", manifests.concat())
}

/// A root with an included file; a mistake in each.
fn two_files() -> Tree {
    let main = format!(
        "{}    - name: inc\n      includes:\n        - path: apps.yaml\n",
        root(&[manifest("cni", &["cni"])])
    );
    Tree::new(&[
        ("tazuna.yaml", main.as_str()),
        ("apps.yaml", root(&[manifest("app", &["gone"])]).as_str()),
    ])
}

#[test]
fn the_broken_example_is_explained() {
    insta::assert_snapshot!(run_in(&examples().join("tazuna"), &["lint", "broken"], None, &[]).shown());
}

#[test]
fn the_broken_example_in_one_line_each() {
    let args = ["lint", "broken", "--format", "concise", "--min-severity", "hint"];
    insta::assert_snapshot!(run_in(&examples().join("tazuna"), &args, None, &[]).shown());
}

#[test]
fn nothing_is_wrong_with_the_other_example() {
    let answer = run_in(&examples().join("tazuna"), &["lint", "shop"], None, &[]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{answer:?}");
}

#[test]
fn severities_and_rules_select() {
    let tree = two_files();
    let concise = |args: &[&str]| tree.run(&[&["lint", "--format", "concise", "--quiet"], args].concat());
    let rules = |args: &[&str]| {
        let out = concise(args).stdout;
        let mut ids: Vec<String> = out
            .lines()
            .map(|l| l.split(['[', ']']).nth(1).unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(rules(&[]), ["self-dependency", "unknown-dependency"]);
    assert_eq!(rules(&["--select", "unknown-dependency"]), ["unknown-dependency"]);
    assert_eq!(rules(&["--ignore", "unknown-dependency"]), ["self-dependency"]);
    assert_eq!(rules(&["--ignore", "tazuna"]), [""; 0]);
    assert_eq!(rules(&["--ignore", "error"]), [""; 0]);
    assert!(
        rules(&["--select", "tazuna/*"])
            .iter()
            .all(|id| id.starts_with("tazuna/"))
    );
    assert!(
        rules(&["--select", "hint,info"])
            .iter()
            .all(|id| !id.contains("-dependency"))
    );
    assert_eq!(concise(&["--ignore", "error"]).code, 0);
    assert_eq!(concise(&[]).code, 1);
    assert_eq!(concise(&["--exit-zero"]).code, 0);
}

#[test]
fn what_makes_the_run_fail_is_shown() {
    let tree = Tree::new(&[(
        "tazuna.yaml",
        &root(&[manifest("a", &[]), manifest("b", &["a", "a"])]),
    )]);
    let run = |args: &[&str]| tree.run(&[&["lint", "--format", "concise", "--quiet"], args].concat());
    let all = run(&["--min-severity", "hint"]);
    assert!(all.stdout.contains("[duplicate-dependency]"), "{all:?}");
    let severity = all
        .stdout
        .split(' ')
        .nth(1)
        .unwrap()
        .split('[')
        .next()
        .unwrap()
        .to_owned();
    assert_eq!(all.code, i32::from(severity == "error"));
    let failing = run(&["--fail-on", &severity]);
    assert_eq!(failing.code, 1);
    assert!(!failing.stdout.is_empty());
}

#[test]
fn a_file_selects_its_project_and_what_touches_it() {
    let tree = two_files();
    let run = |args: &[&str]| tree.run(&[&["lint", "--format", "concise"], args].concat());
    let apps = run(&["apps.yaml"]);
    assert!(
        apps.stdout.contains("unknown-dependency") && !apps.stdout.contains("self-"),
        "{apps:?}"
    );
    // Its root is elsewhere: without it, what the root declares would seem to be missing.
    assert!(apps.stderr.contains(" in 1 project "), "{apps:?}");
    let whole = run(&["apps.yaml", "--whole"]);
    assert!(
        whole.stdout.contains("unknown-dependency") && whole.stdout.contains("self-"),
        "{whole:?}"
    );
}

#[test]
fn an_ignored_or_hidden_file_that_is_named_is_read() {
    let text = root(&[manifest("a", &["a"])]);
    let tree = Tree::new(&[
        (".hidden/tazuna.yaml", &text),
        ("out/tazuna.yaml", &text),
        (".ignore", "out/\n"),
    ]);
    assert_eq!(tree.run(&["lint"]).stdout, "");
    assert_eq!(tree.run(&["lint", ".hidden"]).code, 1);
    assert_eq!(tree.run(&["lint", ".hidden/tazuna.yaml"]).code, 1);
    assert_eq!(tree.run(&["lint", "out/tazuna.yaml"]).code, 1);
    assert_eq!(tree.run(&["lint", "out"]).code, 1);
}

#[test]
fn standard_input_is_read_with_its_engine() {
    let tree = Tree::new(&[]);
    let text = root(&[manifest("a", &["a"])]);
    let args = ["lint", "--engine", "tazuna", "-", "--format", "concise"];
    let answer = tree.run_with(&args, Some(text.as_bytes()), &[]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(
        answer.stdout.starts_with("<stdin>:7:11: error[self-dependency]"),
        "{answer:?}"
    );
    let named = [&args[..], &["--stdin-filename", "deploy/tazuna.yaml"]].concat();
    let answer = tree.run_with(&named, Some(text.as_bytes()), &[]);
    assert!(
        answer.stdout.contains("deploy/tazuna.yaml:7:11: error"),
        "{answer:?}"
    );
    assert_eq!(tree.run_with(&args, Some(b"\xff"), &[]).code, 2);
}

#[test]
fn the_files_are_listed_with_their_reasons() {
    insta::assert_snapshot!(two_files().run(&["lint", "--show-files"]).shown());
}

#[test]
fn several_formats_go_to_several_places() {
    let tree = two_files();
    let answer = tree.run(&["lint", "--format", "concise", "--format", "json=out.json"]);
    assert_eq!(answer.stdout.lines().count(), 2);
    let file = std::fs::read_to_string(tree.path("out.json")).unwrap();
    assert!(file.starts_with("{\"version\":1,"));
    assert_eq!(tree.run(&["lint", "--format", "json=no/such/dir.json"]).code, 2);
}

#[test]
fn colour_comes_when_it_is_asked_for() {
    let tree = two_files();
    let colored = |args: &[&str], env: &[(&str, &str)]| {
        tree.run_with(&[&["lint"], args].concat(), None, env)
            .stdout
            .contains("\u{1b}[")
    };
    assert!(!colored(&[], &[]));
    assert!(colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(colored(&[], &[("FORCE_COLOR", "1")]));
    assert!(!colored(&[], &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]));
    assert!(!colored(&["--color", "never"], &[("FORCE_COLOR", "1")]));
    let to_file = ["lint", "--color", "always", "--format", "human=report.txt"];
    tree.run(&to_file);
    assert!(
        !std::fs::read_to_string(tree.path("report.txt"))
            .unwrap()
            .contains('\u{1b}')
    );
}

#[test]
fn columns_are_right_after_tabs_and_wide_characters() {
    let text = "spec:\n  manifests:\n    - {name: 日本🙂,\ttype: kustomize, path: ., dependsOn: [gone]}\n";
    let tree = Tree::new(&[("tazuna.yaml", text)]);
    let line = text.lines().nth(2).unwrap();
    let column = line[..line.find("gone").unwrap()].chars().count() + 1;
    let concise = tree.run(&["lint", "--format", "concise"]).stdout;
    assert!(
        concise.contains(&format!("tazuna.yaml:3:{column}: ")),
        "{concise}"
    );
    let human = tree.run(&["lint"]).stdout;
    assert!(human.contains(&format!("tazuna.yaml:3:{column}\n")), "{human}");
}

#[test]
fn a_long_line_is_shown_in_part() {
    let many: String = (0..3000).map(|i| format!("m{i}, ")).collect();
    let text =
        format!("spec:\n  manifests:\n    - {{name: a, type: kustomize, path: ., dependsOn: [{many}]}}\n");
    let tree = Tree::new(&[("tazuna.yaml", text.as_str())]);
    let human = tree.run(&["lint", "--max-findings", "0"]).stdout;
    let longest = human.lines().map(str::len).max().unwrap();
    assert!(longest < 1000, "{longest}");
    let column = text.lines().nth(2).unwrap().find("m2999").unwrap() + 1;
    assert!(human.contains(&format!("tazuna.yaml:3:{column}\n")));
}

#[test]
fn the_answer_does_not_depend_on_the_order_of_files_or_threads() {
    let write = |names: &[usize]| {
        let tree = Tree::new(&[]);
        for i in names {
            let text = root(&[
                manifest("a", &["gone"]),
                manifest("b", &["b"]),
                manifest("c", &["a"]),
            ]);
            tree.write(&format!("d{i}/tazuna.yaml"), text);
        }
        tree
    };
    let forwards = write(&(0..30).collect::<Vec<_>>());
    let backwards = write(&(0..30).rev().collect::<Vec<_>>());
    for format in ["human", "concise", "json"] {
        let args = ["lint", "--format", format, "--min-severity", "hint"];
        let once = forwards.run(&args);
        assert!(!once.stdout.is_empty());
        for threads in ["1", "2", "7"] {
            let env = [("RAYON_NUM_THREADS", threads)];
            assert_eq!(
                backwards.run_with(&args, None, &env),
                once,
                "{format}, {threads} threads"
            );
        }
    }
}

/// A manifest with annotations at the top makes everything below it an app, which contains files of other engines.
#[test]
fn an_inferred_app_excludes_the_files_of_other_engines() {
    let group = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
                 kapp.k14s.io/change-group: \"g\"\n";
    let part = format!(
        "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\n{}",
        root(&[manifest("app", &[])])
    );
    let tree = Tree::new(&[
        ("a.yaml", group),
        (
            "tazuna/tazuna.yaml",
            "spec:\n  manifests:\n    - includes: [{path: part.yaml}]\n",
        ),
        ("tazuna/part.yaml", &part),
        ("values.yaml", "replicas: 3\n"),
    ]);
    let answer = tree.run(&["lint", "--quiet"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{answer:?}");
}

#[test]
fn rules_are_counted_with_what_can_be_fixed() {
    let list = "dependsOn: [a, a, a, gone]";
    let text = format!(
        "spec:\n  manifests:\n    - {{name: a, type: kustomize, path: .}}\n    \
         - {{name: b, type: kustomize, path: ., {list}}}\n"
    );
    let tree = Tree::new(&[("tazuna.yaml", &text)]);
    let args = ["lint", "--statistics", "--min-severity", "hint"];
    let answer = tree.run(&args);
    assert_eq!(answer.code, 1, "{answer:?}");
    insta::assert_snapshot!(answer.stdout);
    let json = tree.run(&[&args[..], &["--format", "json"]].concat()).json();
    let of = |rule: &str| {
        let counts = json["statistics"].as_array().unwrap();
        counts.iter().find(|count| count["rule"] == rule).unwrap().clone()
    };
    assert_eq!(of("duplicate-dependency")["findings"], 2);
    assert_eq!(of("duplicate-dependency")["safe_fixes"], 2);
    assert_eq!(of("unknown-dependency")["safe_fixes"], 0);
    let wrong = tree.run(&[&args[..], &["--format", "sarif"]].concat());
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.stderr.contains("--format human or --format json"),
        "{wrong:?}"
    );
    tree.write("tazuna.yaml", "spec: {}\n");
    assert_eq!(tree.run(&["lint", "--statistics"]).stdout, "");
}

#[test]
fn if_nothing_is_found_the_searched_names_are_listed() {
    let tree = Tree::new(&[
        ("a/x.tf", "module \"m\" {\n  source = \"./m\"\n}\n"),
        ("b/readme", ""),
    ]);
    let answer = tree.run(&["lint"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""));
    insta::assert_snapshot!(answer.stderr);
    let one = tree.run(&["lint", "--engine", "tazuna", "a", "b"]).stderr;
    assert!(one.starts_with("nothing to check: no project in a, b ("), "{one}");
    assert!(one.contains("Tazuna") && !one.contains("Spacelift"), "{one}");
    assert_eq!(tree.run(&["lint", "--quiet"]).stderr, "");
}

#[test]
fn if_only_templates_are_found_it_is_said_how_to_check_what_they_are_rendered_to() {
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
                    kapp.k14s.io/change-group: g\n";
    let ytt = format!("#@ load(\"@ytt:data\", \"data\")\n---\n{manifest}");
    let helm = manifest.replace("name: a", "name: {{ .Values.name }}");
    let tree = Tree::new(&[("a/x.yaml", &ytt), ("a/y.yaml", &ytt), ("b/x.yaml", &helm)]);
    let said = tree.run(&["lint", "--engine", "kapp"]).stderr;
    assert!(
        said.contains(": 3 files, none of a project: 1 Helm template, 2 ytt templates\n"),
        "{said}"
    );
    assert!(
        said.contains("ytt -f PATH | applyorder lint --engine kapp -\n"),
        "{said}"
    );
    let one = tree.run(&["lint", "a/x.yaml"]).stderr;
    assert!(
        one.contains(": 1 file, none of a project: 1 ytt template\n"),
        "{one}"
    );
    assert!(!one.contains("helm"), "{one}");
}

#[test]
fn places_and_rules_are_links_where_they_are_enabled() {
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [a]}\n";
    let tree = Tree::new(&[("d e/tazuna.yaml", text)]);
    let lint = |args: &[&str]| tree.run(&[&["lint", "--color", "always"], args].concat()).stdout;
    let linked = lint(&["--config", "hyperlinks=file"]);
    let file = format!(
        "\u{1b}]8;;file://{}/d%20e/tazuna.yaml\u{1b}\\d e/tazuna.yaml:3:55\u{1b}]8;;\u{1b}\\",
        tree.root().display()
    );
    assert!(linked.contains(&file), "{linked:?}");
    let rule = "/docs/rules/self-dependency.md\u{1b}\\self-dependency\u{1b}]8;;\u{1b}\\";
    assert!(linked.contains(rule), "{linked:?}");
    // A pipe does not support hyperlinks, and without color there are none.
    for args in [
        &["--config", "hyperlinks=off"][..],
        &[],
        &["--config", "hyperlinks=file", "--color", "never"],
    ] {
        let plain = tree.run(&[&["lint"], args].concat()).stdout;
        assert!(!plain.contains("\u{1b}]8;"), "{args:?}: {plain:?}");
    }
    assert!(!lint(&["--config", "hyperlinks=off"]).contains("\u{1b}]8;"));
    // The program that opens a place is named, or given as a URL template with the line.
    let at = format!("file{}/d%20e/tazuna.yaml:3:55\u{1b}\\d e/", tree.root().display());
    let editor = lint(&["--config", "hyperlinks=vscode"]);
    assert!(editor.contains(&format!("\u{1b}]8;;vscode://{at}")), "{editor:?}");
    let own = lint(&["--config", "hyperlinks=ed:{column}/{line}{path}"]);
    let at = format!(
        "\u{1b}]8;;ed:55/3{}/d%20e/tazuna.yaml\u{1b}\\",
        tree.root().display()
    );
    assert!(own.contains(&at), "{own:?}");
    for (wrong, hint) in [
        ("vscoed", "did you mean `vscode`?"),
        ("x://{line}", "a URL with {path}"),
    ] {
        let answer = tree.run(&["lint", "--config", &format!("hyperlinks={wrong}")]);
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains(hint), "{answer:?}");
    }
    // What a repository contains is not printed verbatim.
    tree.write(
        "applyorder.toml",
        "hyperlinks = \"x://{path}\\u001b]0;title\\u0007\"\n",
    );
    let answer = tree.run(&["lint", "--color", "always"]);
    assert!(
        answer.code == 2 && answer.stdout.contains("cannot contain"),
        "{answer:?}"
    );
    assert!(!answer.stdout.contains("\u{1b}]0"), "{answer:?}");
}

#[test]
fn a_cycle_is_a_ring_and_the_engine_reaction_is_shown_once() {
    let entry =
        |n: usize, on: String| format!("    - {{name: m{n}, type: kustomize, path: ., dependsOn: [{on}]}}\n");
    let list: String = (0..12).map(|n| entry(n, format!("m{}", (n + 1) % 12))).collect();
    let text = format!(
        "spec:\n  manifests:\n{list}{}{}",
        entry(20, "m3".to_owned()),
        entry(21, "gone".to_owned())
    );
    let tree = Tree::new(&[
        ("a/tazuna.yaml", &text),
        ("b/tazuna.yaml", "spec:\n  manifests: []\n"),
    ]);
    let answer = tree.run(&["lint", "a"]);
    let rows: Vec<&str> = answer
        .stdout
        .lines()
        .filter(|line| line.contains("waits for  "))
        .collect();
    assert_eq!(rows.len(), 7, "{answer:?}");
    assert!(
        rows[0].contains("╭─ m") && rows[0].ends_with("cut here") && rows[6].contains("╰─ m"),
        "{answer:?}"
    );
    assert!(answer.stdout.contains("│  … 5 more (--verbose)\n"), "{answer:?}");
    assert!(answer.stdout.contains("= stuck behind it: m20\n"), "{answer:?}");
    // Cycles come first; the engine's messages come last, once for each command.
    assert!(answer.stdout.starts_with("error[cycle]"), "{answer:?}");
    assert!(!answer.stdout.contains("reject this"), "{answer:?}");
    let said: Vec<&str> = answer.stderr.lines().collect();
    assert!(said[0].starts_with("✗ a/tazuna.yaml: 2 errors · "), "{answer:?}");
    assert!(said[1].starts_with("    tazuna check    stops: "), "{answer:?}");
    assert!(said[2].starts_with("    tazuna apply    stops: "), "{answer:?}");
    assert!(said[3].starts_with("    tazuna destroy  "), "{answer:?}");
    let whole = tree.run(&["lint", "a", "--verbose"]).stdout;
    let rows = whole.lines().filter(|line| line.contains("waits for  ")).count();
    assert!(rows == 12 && whole.contains("reject this"), "{whole}");
    let linked = tree
        .run(&["lint", "a", "--color", "always", "--config", "hyperlinks=vscode"])
        .stdout;
    let row = linked
        .lines()
        .find(|line| line.contains("cut here") && line.contains("waits for  "))
        .unwrap();
    let place = format!("\u{1b}]8;;vscode://file{}:", tree.path("a/tazuna.yaml").display());
    assert!(row.contains(&place), "{row:?}");
    // No color that is invisible in some theme: blue, black, white.
    for color in ["\u{1b}[34m", "\u{1b}[30m", "\u{1b}[37m", "\u{1b}[38;5;12m"] {
        assert!(!linked.contains(color), "{color:?}: {linked:?}");
    }
    // Without UTF-8.
    let ascii = tree.run_with(&["lint", "a"], None, &[("LC_ALL", "C")]);
    assert!(ascii.stdout.is_ascii() && ascii.stderr.is_ascii(), "{ascii:?}");
    assert!(
        ascii.stdout.contains("|   /- m") && ascii.stderr.starts_with("x a/tazuna.yaml"),
        "{ascii:?}"
    );
    let all = tree.run(&["lint"]).stderr;
    assert!(
        all.lines()
            .any(|l| l.starts_with("✗ 2 errors in 1 of 2 projects (2 files) · ")),
        "{all}"
    );
    // One line if there are no problems.
    tree.write(
        "a/tazuna.yaml",
        "spec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n",
    );
    let well = tree.run(&["lint", "a"]);
    assert_eq!(
        well.stderr, "✓ a/tazuna.yaml: 1 manifest in 1 layer, no problems\n",
        "{well:?}"
    );
    assert_eq!(well.stdout, "");
}
