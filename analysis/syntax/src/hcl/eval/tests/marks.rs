//! The marks that `terraform validate` 1.11.4 sets on values.

use super::*;

/// Variables of which only the type is known, and that they are sensitive.
struct Secret;

impl Scope for Secret {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        Lookup::Value {
            value: of_known_type(traversal).marked(Marks::SENSITIVE),
            steps: 1,
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        functions::lookup(name)
    }

    fn is_exact(&self) -> bool {
        true
    }
}

/// `self` if the value itself is sensitive, `inside` if only something in it is.
fn noted(expr: &str) -> &'static str {
    let outcome = run_in(expr, &Secret);
    assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
    let value = outcome.value;
    match (value.marks.is_empty(), value.all_marks().is_empty()) {
        (false, _) => "self",
        (true, false) => "inside",
        (true, true) => "nothing",
    }
}

#[test]
fn what_is_noted_about_a_value_goes_where_terraform_lets_it_go() {
    for (expr, wanted) in [
        ("[sensitive(1)]", "inside"),
        ("[sensitive(1)][0]", "self"),
        ("{ a = sensitive(1), b = 2 }.b", "nothing"),
        ("{ (sensitive(\"a\")) = 1 }", "self"),
        ("{ a = 1 }[sensitive(\"a\")]", "nothing"),
        ("tomap({ a = 1 })[sensitive(\"a\")]", "self"),
        ("tolist([1])[var.n]", "nothing"),
        ("[for x in sensitive([1]) : x]", "self"),
        ("[for x in [sensitive(1)] : x]", "inside"),
        ("[for x in var.l : x]", "self"),
        ("[for x in var.any : x]", "nothing"),
        ("[for x in [1, 2] : x if sensitive(true)]", "self"),
        ("{ for x in [\"a\"] : sensitive(x) => 1 }", "self"),
        ("true ? 1 : sensitive(2)", "self"),
        ("\"a${sensitive(1)}\"", "self"),
        ("\"%{ for x in var.l }${x}%{ endfor }\"", "nothing"),
        ("\"%{ for x in sensitive([1]) }${x}%{ endfor }\"", "self"),
        ("[sensitive(1)] == [1]", "self"),
        ("var.n < 1", "self"),
        ("-var.n", "nothing"),
        ("!var.b", "nothing"),
        ("var.b && true", "nothing"),
        ("sensitive(true) && true", "self"),
        ("sensitive([1])[*]", "self"),
        ("var.s[*]", "self"),
    ] {
        assert_eq!(noted(expr), wanted, "{expr}");
    }
}

#[test]
fn functions_note_what_terraforms_note() {
    for (expr, wanted) in [
        ("toset([sensitive(\"a\"), \"b\"])", "self"),
        ("tolist([sensitive(\"a\"), \"b\"])", "inside"),
        ("join(\",\", [sensitive(\"a\")])", "self"),
        ("jsondecode(jsonencode([sensitive(1)]))", "self"),
        ("length([sensitive(1)])", "nothing"),
        ("length(var.l)", "self"),
        ("keys({ a = sensitive(1) })", "nothing"),
        ("keys(var.m)", "self"),
        ("values(var.m)", "nothing"),
        ("values({ a = sensitive(1) })", "inside"),
        ("merge(var.m, {})", "nothing"),
        ("merge(sensitive({ a = 1 }), {})", "self"),
        ("lookup({ a = 1 }, sensitive(\"a\"), 2)", "self"),
        ("lookup({ a = sensitive(1), b = 2 }, \"b\", 3)", "nothing"),
        ("lookup({ a = sensitive(1) }, \"a\", var.any)", "self"),
        ("lookup({ a = 1 }, \"a\", var.any)", "nothing"),
        ("lookup({ a = 1 }, \"b\", var.any)", "self"),
        ("parseint(nonsensitive(var.any), sensitive(10))", "self"),
        ("parseint(var.any, 10)", "nothing"),
        ("parseint(sensitive(\"12\"), nonsensitive(var.any))", "self"),
        ("element([1, 2], sensitive(0))", "self"),
        ("element(sensitive([1, 2]), 0)", "self"),
        ("flatten([[1], sensitive([2])])", "self"),
        ("flatten([[1], [sensitive(2)]])", "inside"),
        ("zipmap([sensitive(\"a\")], [1])", "self"),
        ("abs(var.n)", "nothing"),
        ("abs(sensitive(1))", "self"),
        ("max(sensitive([1, 2])...)", "self"),
        ("concat(var.any...)", "nothing"),
        ("try(sensitive(1), 2)", "self"),
        ("try(var.s, 2)", "nothing"),
        ("can(sensitive(1))", "nothing"),
        ("nonsensitive([sensitive(1)])", "inside"),
        ("nonsensitive(sensitive([1]))", "nothing"),
        ("issensitive(var.s)", "nothing"),
    ] {
        assert_eq!(noted(expr), wanted, "{expr}");
    }
    for (expr, wanted) in [
        ("issensitive(sensitive(1))", "true"),
        ("issensitive([sensitive(1)])", "false"),
        ("issensitive(var.s)", "true"),
        ("issensitive(nonsensitive(var.s))", "unknown"),
    ] {
        assert_eq!(show(&run_in(expr, &Secret).value), wanted, "{expr}");
    }
    // If the engine may know more, it may also know more marks.
    assert_eq!(show(&run("issensitive(1)").value), "unknown");
}

#[test]
fn an_ephemeral_value_becomes_null() {
    let list = vec![
        Value::number(Number::count(1)),
        Value::number(Number::count(2)).marked(Marks::EPHEMERAL | Marks::SENSITIVE),
    ];
    let value = Value::tuple(list).without_ephemeral();
    assert_eq!(show(&value), "tuple[1,null of number]");
    assert_eq!(value.all_marks(), Marks::SENSITIVE);
    assert!(value.without_marks().all_marks().is_empty());
}
