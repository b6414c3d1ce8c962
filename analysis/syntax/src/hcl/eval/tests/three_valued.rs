//! Unknown and likely values, places, and limits.

use super::*;
use crate::text::Span;

/// `var.x` is unknown, `local.l` a list of another file, `guess` likely, `res.a` has an identity.
struct Vars;

impl Scope for Vars {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        let elsewhere = |at: u32| Place {
            file: 3,
            span: Span::new(at, at + 1),
        };
        let value = match traversal.root {
            "var" => Value::unknown("variables are set from outside"),
            "local" => Value::tuple(vec![
                Value::string("a").at(elsewhere(10)),
                Value::string("b").at(elsewhere(20)),
            ]),
            "guess" => Value::string("g").likely(true),
            "res" => {
                let length = match traversal.steps.get(1).map(|s| &s.kind) {
                    Some(StepKind::Index(key)) => key.as_str().map_or(1, |k| k.len() as u32),
                    _ => 1,
                };
                let instance = std::num::NonZeroU32::new(length).unwrap();
                let symbol = Value::symbol(instance, Type::String, "ids are given by the server");
                return Lookup::Value {
                    value: symbol,
                    steps: traversal.steps.len(),
                };
            }
            other => return Lookup::Missing(no_such_variable(other)),
        };
        Lookup::Value {
            value,
            steps: traversal.steps.len().min(1),
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        functions::lookup(name)
    }

    /// The ones with a short key.
    fn is_word(&self, symbol: std::num::NonZeroU32) -> bool {
        symbol.get() == 1
    }

    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        match request {
            FileRequest::Read("a.json", _) => FileAnswer::Text("[\"x\"]".to_owned()),
            FileRequest::Read(..) => FileAnswer::Fails("there is no such file".to_owned()),
            _ => FileAnswer::Unknown("not looked at".to_owned()),
        }
    }
}

fn outcome(expr: &str) -> Outcome {
    run_in(expr, &Vars)
}

#[test]
fn what_depends_on_an_unknown_is_unknown_and_no_error() {
    for expr in [
        "var.x",
        "var.x.y[0]",
        "\"a${var.x}\"",
        "var.x + 1",
        "!var.x",
        "var.x == 1",
        "upper(var.x)",
        "[for v in var.x : v]",
        "{ (var.x) = 1 }",
        "var.x ? 1 : 2",
        "join(\",\", [var.x])",
        "length(var.x)",
        "var.x[*].a",
        "concat([1], var.x)",
        "contains([1, var.x], 2)",
        "[for v in [1] : v if var.x]",
        "{ for v in [1] : var.x => v }",
        "[1, 2][var.x]",
        "timestamp()",
        "uuid()",
        "1 / 0",
        "99999999999999999999999999999999999999999 + 1",
        "\"x${1 / 3}\"",
        "0.1 + 0.2 == 0.3",
        "fileexists(\"b\")",
        "can(var.x)",
        "format(\"%s\", var.x)",
        "max(1, var.x)",
        "merge({ a = 1 }, var.x)",
        "tolist(var.x)",
        "coalesce(var.x, 1)",
        "flatten([var.x])",
        "length(toset([var.x, \"a\"]))",
        "jsonencode([var.x])",
        "range(var.x)",
    ] {
        let outcome = outcome(expr);
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        assert!(
            outcome.value.as_unknown().is_some(),
            "{expr}: {}",
            show(&outcome.value)
        );
    }
    assert_eq!(
        outcome("var.x").value.as_unknown().unwrap().why.as_ref(),
        "variables are set from outside"
    );
}

#[test]
fn what_does_not_depend_on_the_unknown_is_known() {
    for (expr, wanted) in [
        ("[var.x, 1][1]", "1"),
        ("length([var.x, 1])", "2"),
        ("false && var.x", "false"),
        ("var.x || true", "true"),
        ("contains([1, var.x], 1)", "true"),
        ("{ a = var.x, b = 2 }.b", "2"),
        ("keys({ a = var.x })", "tuple[\"a\"]"),
        ("var.x ? \"same\" : \"same\"", "\"same\""),
        ("concat([1], [var.x])", "tuple[1,unknown]"),
        ("element([1, var.x], 0)", "1"),
        ("[for v in [var.x, 1] : 5]", "tuple[5,5]"),
        ("jsondecode(file(\"a.json\"))", "tuple[\"x\"]"),
        ("floor(10 / 3)", "3"),
        ("lookup({ a = var.x, b = 1 }, \"b\")", "1"),
    ] {
        let outcome = outcome(expr);
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        assert_eq!(show(&outcome.value), wanted, "{expr}");
    }
}

#[test]
fn an_unknown_of_a_wrong_type_is_still_an_error() {
    assert_eq!(outcome("[upper(var.x)[0]]").errors[0].kind, EvalErrorKind::Access);
    assert_eq!(
        outcome("[for v in upper(var.x) : v]").errors[0].kind,
        EvalErrorKind::Type
    );
    assert_eq!(outcome("file(\"none\")").errors[0].kind, EvalErrorKind::Call);
}

#[test]
fn elements_keep_the_place_they_were_written_at() {
    let expr = "concat([\"x\"], [for v in flatten([\"y\", [\"z\"]]) : v], tolist(toset([\"q\"])))";
    let text = format!("x = {expr}\n");
    let outcome = outcome(expr);
    let places: Vec<_> = outcome
        .value
        .elements()
        .unwrap()
        .iter()
        .map(|v| v.place.unwrap().span.slice(&text))
        .collect();
    assert_eq!(places, ["\"x\"", "\"y\"", "\"z\"", "\"q\""]);
    let from_elsewhere = self::outcome("distinct(concat(local.l, [\"c\"]))");
    let places: Vec<_> = from_elsewhere
        .value
        .elements()
        .unwrap()
        .iter()
        .map(|v| v.place.map(|p| (p.file, p.span.start)).unwrap())
        .collect();
    assert_eq!(
        places,
        [
            (3, 10),
            (3, 20),
            (7, 4 + "distinct(concat(local.l, [".len() as u32)
        ]
    );
}

#[test]
fn computed_elements_have_the_place_of_what_computed_them() {
    let expr = "[\"a${1}\", upper(\"b\"), [for v in [\"c\"] : \"${v}/d\"][0]]";
    let text = format!("x = {expr}\n");
    let outcome = outcome(expr);
    let places: Vec<_> = outcome
        .value
        .elements()
        .unwrap()
        .iter()
        .map(|v| v.place.unwrap().span.slice(&text))
        .collect();
    assert_eq!(places, ["\"a${1}\"", "upper(\"b\")", "\"${v}/d\""]);
}

#[test]
fn what_depends_on_a_guess_is_a_guess() {
    for expr in [
        "guess",
        "\"x${guess}\"",
        "upper(guess)",
        "guess == \"g\"",
        "[guess][0]",
        "guess == \"g\" ? 1 : 2",
        "join(\",\", [guess])",
        "[for v in [1] : v if guess == \"g\"]",
        "{ (guess) = 1 }.g == 1 && guess == \"g\"",
        "length(toset([guess, \"g\"])) == 1 && guess == \"g\"",
        "contains([guess], \"g\")",
        "[for v in [guess] : upper(v)][0]",
    ] {
        let outcome = outcome(expr);
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        assert!(outcome.value.heuristic, "{expr}");
    }
    let mixed = outcome("concat([\"sure\"], [guess])").value;
    let flags: Vec<_> = mixed.elements().unwrap().iter().map(|v| v.heuristic).collect();
    assert_eq!(flags, [false, true]);
    assert!(!mixed.heuristic);
}

#[test]
fn an_identity_survives_being_passed_on_and_nothing_else() {
    for expr in [
        "res.a.id",
        "\"${res.a.id}\"",
        "(res.a.id)",
        "[res.a.id][0]",
        "tostring(res.a.id)",
        "{ k = res.a.id }.k",
        "[for v in [res.a.id] : v][0]",
        "true ? res.a.id : \"b\"",
        "tolist([res.a.id])[0]",
        "concat([res.a.id], [])[0]",
        "var.x ? res.a.id : res.a.id",
        "try(res.a.id, \"b\")",
        "element([res.a.id], 0)",
        "[res.a.id].*[0]",
        "one([res.a.id])",
        "values({ a = res.a.id })[0]",
        "merge({ a = res.a.id }, {}).a",
        "tomap({ a = res.a.id })[\"a\"]",
        "\"${res.a.id}${\"\"}\"",
        "\"%{ if true }${res.a.id}%{ endif }\"",
        "\"%{ for v in [res.a.id] }${v}%{ endfor }\"",
        "<<-EOT\n  ${res.a.id~}\nEOT\n",
        "format(\"%s\", res.a.id)",
        "format(\"%v\", res.a.id)",
        "formatlist(\"%s\", [res.a.id])[0]",
        "join(\"\", [res.a.id, \"\"])",
        "join(\"-\", [res.a.id])",
        "join(\"-\", compact([\"\", res.a.id, null]))",
        "join(\"\", [for v in [null, res.a.id] : v if v != null])",
        "trimspace(res.a.id)",
        "chomp(res.a.id)",
        "distinct([res.a.id, res.a.id])[0]",
        "sort([res.a.id])[0]",
        "reverse([res.a.id])[0]",
        "slice([\"b\", res.a.id], 1, 2)[0]",
        "flatten([[res.a.id]])[0]",
        "one(toset([res.a.id]))",
        "tolist(toset([res.a.id]))[0]",
        "lookup({ a = res.a.id }, \"a\", \"b\")",
        "lookup({ a = \"b\" }, \"c\", res.a.id)",
        "zipmap([\"a\"], [res.a.id]).a",
        "setproduct([\"b\"], [res.a.id])[0][1]",
        "chunklist([res.a.id], 1)[0][0]",
        "tolist(setunion([res.a.id]))[0]",
        "coalesce(null, \"\", res.a.id)",
        "coalescelist([], [res.a.id])[0]",
        "element(concat([res.a.id], [\"\"]), 0)",
        "can(res.a.id) ? res.a.id : \"b\"",
        "res.a.id == null ? \"b\" : res.a.id",
        "res.a.id != \"\" ? res.a.id : \"b\"",
        "[for v in [\"\", null, res.a.id] : v if v != null && v != \"\"][0]",
        "nonsensitive(sensitive(res.a.id))",
    ] {
        let outcome = outcome(expr);
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        assert_eq!(
            outcome
                .value
                .as_unknown()
                .unwrap_or_else(|| panic!("{expr}"))
                .symbol
                .map(|symbol| symbol.get()),
            Some(1),
            "{expr}"
        );
    }
    for expr in [
        "\"x${res.a.id}\"",
        "upper(res.a.id)",
        "var.x ? res.a.id : res.x[\"two\"].id",
        "\"${res.a.id}${res.a.id}\"",
        "\"${res.a.id}${var.x}\"",
        "<<EOT\n${res.a.id}\nEOT\n",
        "format(\"%s-\", res.a.id)",
        "format(\"%s%s\", res.a.id, res.a.id)",
        "format(\"%q\", res.a.id)",
        "format(\"%.3s\", res.a.id)",
        "format(\"%9s\", res.a.id)",
        "join(\"\", [res.a.id, res.a.id])",
        "join(\"-\", [res.a.id, \"\"])",
        "join(\"\", [res.a.id, var.x])",
        "lower(res.a.id)",
        "replace(res.a.id, \"_\", \"-\")",
        "trimprefix(res.a.id, \"a\")",
        "substr(res.a.id, 0, 63)",
        "trimspace(res.x[\"two\"].id)",
        "distinct([res.a.id, res.x[\"two\"].id])",
        "distinct([res.a.id, \"b\"])",
        "compact([res.a.id, var.x])",
        "sort([res.a.id, \"b\"])[0]",
        "res.a.id == \"b\" ? \"c\" : res.a.id",
        "jsondecode(jsonencode(res.a.id))",
        "split(\",\", res.a.id)[0]",
    ] {
        assert_eq!(outcome(expr).value.as_unknown().unwrap().symbol, None, "{expr}");
    }
}

#[test]
fn keys_of_steps_are_evaluated_for_the_scope() {
    let value = outcome("[for k in [\"ab\"] : res.x[\"${k}c\"].id][0]").value;
    assert_eq!(value.as_unknown().unwrap().symbol.map(|s| s.get()), Some(3));
}

#[test]
fn variables_can_be_given_for_one_evaluation() {
    let tree = tree("each.key");
    let each = Value::object([("key".into(), Value::string("k"))].into());
    let expr = tree.body().attribute("x").unwrap().value();
    let outcome = evaluate_with(
        expr,
        0,
        &NoVariables::default(),
        &Budget::default(),
        &[("each", each)],
    );
    assert_eq!(show(&outcome.value), "\"k\"");
}

#[test]
fn too_many_steps_reach_a_limit() {
    let blow_up = "[for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a]]]";
    let product = "setproduct(range(1000), range(1000), range(1000))";
    let text =
        "join(\"\", [for a in range(1000) : join(\"\", [for b in range(1000) : format(\"%4000d\", b)])])";
    for expr in [blow_up, product, text] {
        let outcome = outcome(expr);
        let kinds: Vec<_> = outcome.errors.iter().map(|e| e.kind).collect();
        assert_eq!(kinds, [EvalErrorKind::Limit], "{expr}");
        assert!(outcome.value.as_unknown().is_some());
    }
    assert!(
        outcome("try([for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a]]], 1)")
            .errors
            .iter()
            .all(|e| e.kind == EvalErrorKind::Limit)
    );
}

#[test]
fn deep_and_long_expressions_do_not_overflow() {
    let deep = format!("{}1{}", "[".repeat(190), "]".repeat(190));
    assert!(outcome(&deep).errors.is_empty());
    let calls = format!("{}1{}", "abs(".repeat(150), ")".repeat(150));
    assert_eq!(show(&outcome(&calls).value), "1");
    let long = format!("1{}", " + 1".repeat(20_000));
    assert_eq!(show(&outcome(&long).value), "20001");
    let steps = format!("var{}", ".a".repeat(20_000));
    assert!(outcome(&steps).value.as_unknown().is_some());
    let shared = format!("{}[1, 1]{}", "[for x in [1, 1] : ".repeat(30), "]".repeat(30));
    assert!(
        outcome(&shared)
            .errors
            .iter()
            .all(|e| e.kind == EvalErrorKind::Limit)
    );
}

#[test]
fn texts_that_double_meet_the_budget_before_they_are_made() {
    let long = format!("\"{}\"", "x".repeat(1 << 16));
    for expr in [
        format!("join(\"\", [for i in range(1000) : join(\"\", [for j in range(1000) : {long}])])"),
        format!("jsonencode([for i in range(1000) : [for j in range(1000) : {long}]])"),
        format!("formatlist(\"%s%s\", range(1000), join(\"\", [for i in range(900) : {long}]))"),
        format!("split(\"x\", join(\"\", [for i in range(900) : {long}]))"),
    ] {
        let outcome = outcome(&expr);
        assert!(outcome.value.as_unknown().is_some(), "{}", &expr[..20]);
        let kinds: Vec<EvalErrorKind> = outcome.errors.iter().map(|e| e.kind).collect();
        assert_eq!(kinds, [EvalErrorKind::Limit], "{}", &expr[..20]);
    }
}

#[test]
fn what_is_known_of_elements_is_known_though_others_are_not() {
    for (expr, expected) in [
        ("alltrue([false, var.x])", Some("false")),
        ("alltrue([var.x, false])", None),
        ("anytrue([var.x, true])", Some("true")),
        ("length(setproduct([var.x], [1, 2]))", Some("2")),
        ("length(sort([var.x, 1]))", Some("2")),
        ("length(setunion([var.x], [\"a\"]))", None),
        ("index([\"a\", var.x], \"a\")", Some("0")),
        ("one(toset([var.x, \"a\"]))", None),
        ("coalescelist([1], var.x)[0]", Some("1")),
        ("length([for x in formatlist(\"%s\", [1, var.x]) : x])", Some("2")),
    ] {
        let outcome = outcome(&format!("tostring({expr})"));
        assert!(outcome.errors.is_empty(), "{expr}: {:?}", outcome.errors);
        assert_eq!(outcome.value.as_str(), expected, "{expr}");
    }
}

/// A list may have a million elements.
#[test]
fn a_value_is_small() {
    assert!(size_of::<Value>() <= 64, "{}", size_of::<Value>());
}
