//! `terramate/run-environment`: a value that `run` cannot evaluate.

use super::noting_crash;
use crate::judge::{ENVIRONMENT, RUN};
use crate::scope::Whole;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/run-environment",
    severity: Severity::Error,
    summary: "Global or environment variable that `run` cannot evaluate",
    docs: include_str!("../../../../../docs/rules/terramate/run-environment.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    for (at, failure) in (0u32..).zip(&whole.run.failures) {
        let message = format!("`run` cannot evaluate this value: {}", failure.message);
        let d = Diagnostic::new(&RULE, failure.place, message)
            .unit(failure.stack.clone())
            .engine_message(failure.words.clone());
        let d = noting_crash(d);
        let finding = Finding::new(d).about(failure.stack.clone());
        found.push(finding.at(at).rejected(RUN, ENVIRONMENT));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;
    use applyorder_core::rules::limit_reached;

    /// What `run` reports for the stacks `/s` and `/s/t` with lines in `globals` of the root, and additional
    /// blocks.
    fn said(globals: &str, more: &str) -> Vec<String> {
        let files = format!(
            "//- /w/g.tm\nglobals {{\n{globals}\n}}\n{more}//- /w/s/s.tm\nstack {{\n  id = \"s\"\n}}\n//- /w/s/t/s.tm\nstack {{\n}}\n"
        );
        let checked = check(&RULE, &files);
        let said: Vec<String> = checked.said().iter().map(|s| (*s).to_owned()).collect();
        assert_eq!(said.len(), checked.found().len(), "{:?}", checked.found());
        let within = |s: String| {
            s.rsplit_once("eval expression: ")
                .map_or(s.clone(), |(_, s)| s.to_owned())
        };
        said.into_iter().map(within).collect()
    }

    fn env(lines: &str) -> String {
        format!("terramate {{\n  config {{\n    run {{\n      env {{\n{lines}\n      }}\n    }}\n  }}\n}}\n")
    }

    #[test]
    fn globals_are_evaluated_as_soon_as_those_they_name() {
        for globals in [
            "c = global.b\nb = global.a\na = 1",
            "a = { b = { c = 1 } }\nd = global.a.b.c",
            "a = tm_upper(terramate.stack.name)\nb = terramate.stack.path.to_root\nc = terramate.root.path.fs.basename",
            "a = tm_try(terramate.stack.id, \"none\")",
            "a = [for s in terramate.stacks.list : s]",
            "a = unset",
            "a = { for k, v in { x = 1 } : k => v }",
            "a = tm_try(global.nope, 1)",
            "map \"m\" {\n for_each = [\"a\", \"b\"]\n key = element.new\n value = element.new\n}\nx = global.m.a",
            "map \"m\" {\n for_each = [1, 2]\n key = \"k\"\n value = tm_try(element.old, 0) + element.new\n}",
        ] {
            assert_eq!(said(globals, ""), [""; 0], "{globals}");
        }
        assert_eq!(
            said("a = 1", "globals \"a\" \"b\" {\n}\n").len(),
            1,
            "not an object"
        );
        assert_eq!(
            said("a = { x = 1 }", "globals \"a\" {\n  y = global.a.x\n}\n"),
            [""; 0]
        );
        assert_eq!(
            said("a = global.b", "//- /w/s/g.tm\nglobals {\n  b = 1\n}\n"),
            [""; 0],
            "a stack's own"
        );
    }

    #[test]
    fn what_run_fails_at_is_reported() {
        let no_attribute = "This object does not have an attribute named \"nope\".";
        assert_eq!(said("a = global.nope", ""), [no_attribute]);
        assert_eq!(said("a = { x = 1 }\nb = global.a.nope", ""), [no_attribute]);
        assert_eq!(said("a = terramate.nope", ""), [no_attribute]);
        assert_eq!(
            said("a = env.HOME", ""),
            [
                "loading globals to evaluate terramate.config.run.env configuration: global eval: unknown variable namespace: env"
            ]
        );
        assert_eq!(said("a = global.b\nb = global.a", "").len(), 2);
        assert_eq!(said("a = tm_file(\"nope\")", "").len(), 1);
        assert_eq!(
            said(
                "map \"m\" {\n for_each = [1]\n key = element.new\n value = 1\n}",
                ""
            )
            .len(),
            1
        );
        assert_eq!(
            said("a = 1\nmap \"a\" {\n for_each = []\n key = 1\n value = 1\n}", "").len(),
            1
        );
        // For a directory without a stack below it, nothing is evaluated.
        assert_eq!(
            said("", "//- /w/none/g.tm\nglobals {\n  a = global.nope\n}\n"),
            [""; 0]
        );
    }

    #[test]
    fn a_map_says_which_part_of_it_fails() {
        let map = |lines: &str| {
            let files = format!(
                "//- /w/g.tm\nglobals {{\n  map \"m\" {{\n    {lines}\n  }}\n}}\n//- /w/s/s.tm\nstack {{\n}}\n"
            );
            let checked = check(&RULE, &files);
            let said = checked.said()[0];
            said.rsplit_once("global.m (true): ").unwrap().1.to_owned()
        };
        let no_attribute = "This object does not have an attribute named \"q\".";
        for (lines, words) in [
            ("for_each = global.q\nkey = 1\nvalue = 1", ""),
            (
                "for_each = [1]\nkey = element.q\nvalue = 1",
                "eval expression: failed to evaluate the map.key: ",
            ),
            (
                "for_each = [1]\nkey = \"k\"\nvalue = element.q",
                "eval expression: failed to evaluate map.value: ",
            ),
            (
                "for_each = [1]\nkey = \"k\"\nvalue {\n a = element.q\n}",
                "eval expression: ",
            ),
            (
                "for_each = [1]\nkey = \"k\"\nvalue {\n map \"n\" {\n for_each = element.q\n key = 1\n value = 1\n}\n}",
                "evaluating nested \"n\" map block: ",
            ),
        ] {
            assert_eq!(
                map(lines),
                format!("eval expression: {words}{no_attribute}"),
                "{lines}"
            );
        }
    }

    #[test]
    fn terramate_crashes_at_a_null_of_some_types() {
        let elements = "panic: can't use ElementIterator on null value";
        for globals in [
            "a = true ? null : { x = 1 }",
            "a = { b = true ? null : { x = 1 } }",
            "map \"m\" {\n for_each = true ? null : [1]\n key = \"k\"\n value = 1\n}",
        ] {
            assert_eq!(said(globals, ""), [elements], "{globals}");
        }
        let key = "map \"m\" {\n for_each = [1]\n key = true ? null : \"\"\n value = 1\n}";
        assert_eq!(said(key, ""), ["panic: value is null"]);
        for globals in [
            "a = null",
            "a = true ? null : {}",
            "a = true ? null : [1]",
            "a = [true ? null : { x = 1 }]",
        ] {
            assert_eq!(said(globals, ""), [""; 0], "{globals}");
        }
    }

    #[test]
    fn the_environment_of_a_run_is_made_of_strings() {
        let wrong = |lines: &str| said("x = \"y\"\nn = 1", &env(lines));
        assert_eq!(
            wrong("A = global.x\nB = \"n${global.n}\"\nC = null\nD = unset"),
            [""; 0]
        );
        assert_eq!(
            wrong("A = global.n"),
            ["invalid environment variable type: attr has type number but must be string"]
        );
        assert_eq!(wrong("A = global.nope").len(), 1);
        // The nearest one is used; those above are also evaluated, except what is unset.
        let unset = format!("{}//- /w/s/e.tm\n{}", env("A = 1"), env("A = unset"));
        assert_eq!(said("", &unset), [""; 0]);
        let other = format!("{}//- /w/s/e.tm\n{}", env("A = 1"), env("A = \"x\""));
        assert_eq!(said("", &other).len(), 1);
    }

    #[test]
    fn texts_of_files_are_values() {
        let with = |text: &str| {
            let file = format!("//- /w/s/v.json\n{text}\n//- /w/s/t/v.json\n{{\"x\":1}}\n");
            said("a = tm_jsondecode(tm_file(\"v.json\")).x", &file)
        };
        assert_eq!(with("{\"x\":1}"), [""; 0]);
        assert_eq!(with("{\"y\":1}").len(), 1);
    }

    #[test]
    fn what_takes_too_long_meets_a_limit() {
        // Each is known only after the next one: the longer the chain, the more rounds.
        let chain = |count: usize| {
            let lines = (0..count).map(|n| format!("  a{n:04} = global.a{:04}", n + 1));
            let lines: Vec<String> = lines.chain([format!("  a{count:04} = 1")]).collect();
            let files = format!(
                "//- /w/g.tm\nglobals {{\n{}\n}}\n//- /w/s/s.tm\nstack {{\n}}\n",
                lines.join("\n")
            );
            (
                check(&RULE, &files).said().len(),
                check(&limit_reached::RULE, &files).found().len(),
            )
        };
        assert_eq!(chain(100), (0, 0));
        assert_eq!(chain(3_000), (0, 1));
    }
}
