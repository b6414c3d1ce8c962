//! How OpenTofu 1.10.10 treats failing operands of `&&` and `||`, and what is left open if either engine may
//! run.

use super::*;

/// Variables of which only the type is known.
struct Short(Logic);

impl Scope for Short {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        Lookup::Value {
            value: of_known_type(traversal),
            steps: 1,
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        functions::lookup(name)
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn logic(&self) -> Logic {
        self.0
    }
}

/// The value of an expression, and whether it fails.
const SEEN: &[(&str, &str, bool)] = &[
    ("false && null.a", "false", false),
    ("null.a && false", "false", false),
    ("true && null.a", "unknown", true),
    ("null.a || true", "true", false),
    ("null.a || false", "unknown", true),
    ("null.a && null.b", "unknown", true),
    ("var.b && null.a", "unknown", false),
    ("null.a && var.b", "unknown", true),
    ("var.b || null.a", "unknown", false),
    ("null.a || var.b", "unknown", true),
    ("false && \"x\"", "unknown", true),
    ("false && tonumber(\"x\") == 1 && true", "false", false),
    ("false && null.a || true", "true", false),
    ("true || null.a || null.b", "true", false),
    ("null.a || true || null.b", "true", false),
    ("try(null.a && false, \"t\")", "false", false),
    ("length([for x in [1] : x if false && null.a])", "0", false),
    ("[][0] && true && (var.b || null.a)", "unknown", true),
    ("null.a && (var.b || null.b) || var.b", "unknown", true),
    ("false && var.b", "false", false),
    ("null && true", "false", false),
    ("true && null", "false", false),
    ("var.b && null", "false", false),
    ("null || true", "true", false),
    ("null || false", "unknown", true),
    ("null || null", "unknown", true),
    ("null || var.b", "unknown", false),
];

#[test]
fn what_the_deciding_operand_does_not_need_may_fail() {
    for (expr, value, fails) in SEEN {
        let outcome = run_in(expr, &Short(Logic::OneSide));
        let found = (show(&outcome.value), !outcome.errors.is_empty());
        assert_eq!(
            found,
            ((*value).to_owned(), *fails),
            "{expr}: {:?}",
            outcome.errors
        );
        assert!(outcome.unreached.is_empty(), "{expr}: {:?}", outcome.unreached);
    }
}

#[test]
fn what_one_of_two_engines_rejects_is_open() {
    for (expr, _, fails) in SEEN {
        let both = run_in(expr, &Short(Logic::Both));
        let either = run_in(expr, &Short(Logic::Either));
        assert_eq!(!either.errors.is_empty(), *fails, "{expr}: {:?}", either.errors);
        if !fails {
            let unreached = &either.unreached;
            assert_eq!(
                !unreached.is_empty(),
                !both.errors.is_empty(),
                "{expr}: {unreached:?}"
            );
        }
    }
    // Which of its arguments it returns depends on the engine.
    let outcome = run_in("try(false && null.a, \"t\")", &Short(Logic::Either));
    assert_eq!(
        (show(&outcome.value), outcome.unreached.len()),
        ("unknown".to_owned(), 0)
    );
}
