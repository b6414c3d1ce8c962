//! What fails or not by a value that the engine reads from elsewhere.

use super::*;

/// `read` is such a value, `var` one that nobody says anything of, `l` a list.
struct Vars;

impl Scope for Vars {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        let value = match traversal.root {
            "read" => Value::unknown("it is read").read(),
            "var" => Value::unknown("it is not known"),
            "l" => Value::list(vec![Value::string("a")], Type::String),
            other => return Lookup::Missing(no_such_variable(other)),
        };
        Lookup::Value { value, steps: 0 }
    }

    fn function(&self, name: &str) -> FunctionRef {
        functions::lookup(name)
    }
}

/// The text that fails or not.
fn may_fail(expr: &str) -> Option<String> {
    let outcome = run_in(expr, &Vars);
    assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
    let (place, why) = outcome.may_fail?;
    assert_eq!(&*why, "it is read");
    Some(place.span.slice(&format!("x = {expr}\n")).to_owned())
}

#[test]
fn possible_failures_are_reported_with_their_place() {
    for (expr, at) in [
        ("read[0]", "0"),
        ("read.a.b", "a"),
        ("l[read]", "read"),
        ("l[\"${read}\"]", "\"${read}\""),
        ("one(read)", "read"),
        ("1 / read", "1 / read"),
        ("{ for k in read : k => 1 }", "read"),
        ("read ? l[1] : 2", "l[1] : 2"),
        ("read ? read[0] : 2", "0"),
        ("try(var.a, read[0])[read]", "read"),
        ("try(read[0], read[1])", "0"),
        ("coalescelist(read, [])", "read"),
        ("lookup(read, \"a\")", "read"),
    ] {
        assert_eq!(may_fail(expr).as_deref(), Some(at), "{expr}");
    }
}

#[test]
fn what_cannot_fail_or_is_caught_is_not_reported() {
    for expr in [
        "read",
        "upper(read)",
        "[for k in read : k]",
        "{ for k in read : k => 1... }",
        "read[*]",
        "read ? 1 : 2",
        "true ? 1 : read[0]",
        "var[0]",
        "var ? read[0] : 2",
        "one([read])",
        "try(read[0], 1)",
        "can(read[0])",
        "coalescelist(read, l)",
        "lookup(read, \"a\", 1)",
    ] {
        assert_eq!(may_fail(expr), None, "{expr}");
    }
}
