//! What `terraform validate` 1.11.4 knows of values that it does not know.

use super::*;

/// Variables of which only the type is known.
struct Exact {
    is_open: Cell<bool>,
}

impl Scope for Exact {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        Lookup::Value {
            value: of_known_type(traversal),
            steps: 1,
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        functions::lookup(name)
    }

    fn not_computed(&self, _: Place, _: &str) {
        self.is_open.set(true);
    }

    fn is_exact(&self) -> bool {
        true
    }
}

fn told(expr: &str) -> (Outcome, bool) {
    let scope = Exact {
        is_open: Cell::new(false),
    };
    let outcome = run_in(expr, &scope);
    (outcome, scope.is_open.get())
}

#[test]
fn what_is_known_of_an_unknown_decides_where_it_can() {
    for (expr, wanted) in [
        ("\"${var.s}x\" == null", "false"),
        ("upper(var.s) == null", "false"),
        ("nonsensitive(upper(var.s)) == null", "false"),
        ("length(var.s) == -1", "false"),
        ("var.l[*] == null", "false"),
        ("\"x-${var.s}\" != null", "true"),
        ("(var.b ? 1 : 2) > 5", "false"),
        ("(var.b ? 1 : 2) <= 5", "true"),
        ("3 > (var.b ? 1 : 2)", "true"),
        ("(var.b ? 1 : 2) == 3", "false"),
        ("(var.b ? 1 : 1) == 2", "false"),
        ("(var.n + 1) == null", "false"),
        ("-var.n == null", "false"),
        ("!var.b == null", "false"),
        ("(var.n > 1) == null", "false"),
        ("(var.b && false) == null", "false"),
        ("(var.b ? \"x\" : \"y\") == null", "false"),
        ("[1, (var.b ? 1 : 2)] == [1, 5]", "false"),
        ("\"a%{ if var.b }x%{ endif }\" == null", "false"),
        ("\"x-${var.s}\" == \"y\"", "false"),
        ("\"x-${var.s}\" != \"x\"", "true"),
        ("\"xy${var.s}\" == \"y\"", "false"),
        ("[\"x-${var.s}\"] == [\"y\"]", "false"),
        ("startswith(\"x-${var.s}\", \"y\")", "false"),
        ("startswith(\"x-${var.s}\", \"x-\")", "true"),
        ("startswith(var.s, \"\")", "true"),
        ("startswith(format(\"x-%s\", var.s), \"y\")", "false"),
        ("jsondecode(\"-${var.s}\") == \"1\"", "false"),
        ("jsondecode(jsonencode(\"a${var.n}\")) == 1", "false"),
        ("jsonencode({ a = var.s }) == \"[]\"", "false"),
        ("jsonencode([var.any]) == \"{}\"", "false"),
        ("length(\"x-${var.s}\") > 1", "true"),
        ("length(\"x-${var.s}\") == 1", "false"),
        ("length(var.s) < -1", "false"),
        ("timestamp() == null", "false"),
        ("pathexpand(\"/x\")", "\"/x\""),
    ] {
        let (outcome, is_open) = told(expr);
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        assert_eq!(show(&outcome.value), wanted, "{expr}");
        assert!(!is_open, "{expr}");
    }
}

#[test]
fn what_the_engine_does_not_know_either_stays_unknown() {
    for expr in [
        "\"${var.s}x\" == \"y\"",
        "(var.b ? 1 : 2) >= 2",
        "(var.b ? var.n : 2) > 5",
        "(var.b ? 1 : 2) + (var.b ? 1 : 2) == 5",
        "(var.b ? 1 : 2) * 3 > 7",
        "(var.b ? \"a\" : \"a\") == \"b\"",
        "(var.b ? null : \"a\") == null",
        "var.s == null",
        "length(var.l) > 0",
        "length(var.l) >= 0",
        "length(var.s) >= 0",
        "tostring(upper(var.s)) == null",
        "(var.b == null ? 1 : 0) + (var.s == null ? 1 : 0) == 3",
        "tostring(var.b ? 1 : 2) == \"5\"",
        "var.s == \"x-${var.s}\"",
        "var.b && false",
        "true || var.b",
        "\"x-${var.s}\" == \"x-y\"",
        "\"x${var.s}\" == \"y\"",
        "\"x=${var.s}\" == \"x-\"",
        "startswith(\"x-${var.s}\", \"x-y\")",
        "startswith(\"xy${var.s}\", \"xz\")",
        "tostring(\"x-${var.s}\") == \"y\"",
        "(var.b ? \"x-${var.s}\" : \"x-\") == \"y\"",
        "\"%{ for x in [var.s] }a-${x}%{ endfor }\" == \"b\"",
        "length(\"x-${var.s}\") > 2",
        "timestamp() == \"x\"",
    ] {
        let (outcome, is_open) = told(expr);
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        let unknown = outcome.value.as_unknown();
        assert!(
            unknown.is_some_and(|u| u.known.is_followed()),
            "{expr}: {:?}",
            outcome.value
        );
        assert!(!is_open, "{expr}");
    }
}

/// Terraform decides these: it knows how the string begins, how long the list may be, or what an infinity is.
#[test]
fn what_the_engine_may_know_is_left_open() {
    for expr in [
        "\"é-x-${var.s}\" == \"y\"",
        "jsondecode(\"é-${var.s}\") == 1",
        "base64gzip(\"x\") == \"H4sIAAAAAAAA/x\"",
        "pathexpand(\"~/x\") == \"x\"",
        "length(var.b ? toset([\"a\"]) : toset([\"b\"])) > 5",
        "(var.b ? 1 / 0 : 3) < 2",
        "log(0, 2)",
        "(\"é${var.s}\" == \"y\" ? upper(null) : \"a\") == \"a\"",
        "setproduct([[var.any], [[]]], [1])",
        "indent(1000000000000, \"a\")",
    ] {
        let (outcome, is_open) = told(expr);
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        let unknown = outcome.value.as_unknown();
        assert!(
            is_open || unknown.is_some_and(|u| !u.known.is_followed()),
            "{expr}: {:?}",
            outcome.value
        );
    }
}

#[test]
fn what_fails_whatever_the_values_are_is_an_error() {
    for expr in [
        "tolist([[var.any], [[]]])",
        "jsondecode(\"x-${var.s}\") == 1",
        "\"x-${var.s}\" == \"y\" ? \"a\" : upper(null)",
        "pathexpand(\"~x\")",
        "(var.b ? null : null) ? 1 : 2",
        "((var.b ? 1 : 2) > 5 ? \"a\" : upper(null)) == \"a\"",
        "format(\"%d\", 1.5)",
        "format(\"%x\", \"1.5\")",
        "format(\"%c\", 65)",
        "format(\"%e%d\", 1, 1.5)",
        "signum(1 / 3)",
    ] {
        let (outcome, _) = told(expr);
        assert!(!outcome.errors.is_empty(), "{expr}: {:?}", outcome.value);
    }
}

/// A number that is not computed decides whether these fail.
#[test]
fn what_depends_on_a_value_that_the_engine_has_is_left_open() {
    for expr in [
        "signum(pow(3.5, 2))",
        "signum(1 / 3 * 3)",
        "[1, 2][pow(3.5, 2)]",
        "[1, 2][1 / 3 * 3]",
        "[1, 2][1e40]",
        "slice([1, 2], 0, pow(1.5, 2))",
        "format(\"%d\", pow(1.5, 2))",
        "format(\"%d\", 1 / 3 * 3)",
        "cidrhost(\"10.0.0.0/8\", pow(1.5, 2))",
        "(pow(3.5, 2) > 12 ? [1] : [])[1]",
        "(pow(3.5, 2) > 12 ? { a = 1 } : { b = 1 }).b",
        "(pow(3.5, 2) > 12 ? \"a\" : \"1\") + 1",
        "pow(3.5, 2) > 12 ? null : 1",
        "tonumber(pow(3.5, 2) > 12 ? \"a\" : \"1\")",
        "regex(\"^12$\", pow(3.5, 2))",
        "jsondecode(\"[${pow(3.5, 2)}\")",
        "[for x in [1] : x if 1 / 3 * 3 == 1][0]",
        "{ for x in [1 / 3 * 3, 1] : x => 1 }",
        "range(0, 1 / 3 * 3, 1)",
        "range(0, 5, 1 / 3 - 1 / 3)",
        "distinct([1 / 3 * 3, 1])",
        "index([1 / 3 * 3], 1)",
        "(1 / 3 - 1 / 3) / (1 / 3 - 1 / 3)",
        "1 / 0 - 1 / 0",
        "0 * (1 / 0)",
        "pow(1 / 3 - 1 / 3, -0.5)",
    ] {
        let (outcome, is_open) = told(expr);
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        assert!(is_open, "{expr}: {:?}", outcome.value);
    }
    for expr in [
        "ceil(pow(3.5, 2)) + 1",
        "signum(1 + -1)",
        "[1][-1 * 0]",
        "flatten([var.l]).foo",
        "[for x in (var.b ? [1] : upper(null)) : x]",
        "max(1, log(3, 2))",
        "\"${pow(3.5, 2)}\"",
        "jsonencode([pow(3.5, 2)])",
        "pow(3.5, 2) > 12 ? 1 : 2",
        "length([pow(3.5, 2)])",
        "1 / 0",
        "base64gunzip(var.s) == \"\"",
        "format(\"%.2f %e %.3d\", 1 / 3, 2, 5)",
        "format(\"%.2f\", 2.345)",
    ] {
        let (outcome, is_open) = told(expr);
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        assert!(!is_open, "{expr}");
    }
}
