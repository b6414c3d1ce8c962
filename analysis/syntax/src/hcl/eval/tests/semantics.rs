//! Known values: the value of an expression, and the error if the engine would reject it.

use super::*;

fn all(cases: &[(&str, &str)]) {
    for (expr, wanted) in cases {
        assert_eq!(value(expr), *wanted, "{expr}");
    }
}

#[test]
fn literals_templates_and_heredocs() {
    all(&[
        ("\"a${1 + 1}b${true}\"", "\"a2btrue\""),
        ("\"${[1]}\"", "tuple[1]"),
        ("\"%{ if 1 == 1 }yes%{ else }no%{ endif }\"", "\"yes\""),
        (
            "\"%{ for i, v in [\"a\", \"b\"] }${i}${v};%{ endfor }\"",
            "\"0a;1b;\"",
        ),
        ("<<-EOT\n    a\n      ${\"b\"}\n  EOT", "\"a\\n  b\\n\""),
        ("\"x${1.50}\"", "\"x1.5\""),
        ("\"${1.50}\"", "1.5"),
        ("1e3", "1000"),
        ("null", "null of dynamic"),
        // Strings are in normal form C, concatenations too.
        ("\"e\u{301}\" == \"\u{e9}\"", "true"),
        ("\"e${\"\u{301}\"}\" == \"\u{e9}\"", "true"),
    ]);
}

#[test]
fn digests_are_those_of_the_engines() {
    all(&[
        ("sha1(\"\")", "\"da39a3ee5e6b4b0d3255bfef95601890afd80709\""),
        ("sha1(\"abc\")", "\"a9993e364706816aba3e25717850c26c9cd0d89d\""),
        // More than one block.
        (
            "sha1(\"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq\")",
            "\"84983e441c3bd26ebaae4aa1f95129e5e54670f1\"",
        ),
        (
            "uuidv5(\"dns\", \"www.example.com\")",
            "\"2ed6657d-e927-568b-95e1-2665a8aea6a2\"",
        ),
        (
            "uuidv5(\"6ba7b810-9dad-11d1-80b4-00c04fd430c8\", \"www.example.com\")",
            "\"2ed6657d-e927-568b-95e1-2665a8aea6a2\"",
        ),
    ]);
}

#[test]
fn operators_convert_their_operands() {
    all(&[
        ("1 + \"2\"", "3"),
        ("7 % 3", "1"),
        ("-7 % 3", "-1"),
        ("[10, 20][1 % 3]", "20"),
        ("[10, 20][6 % 3]", "10"),
        ("[10, 20][1 - 0]", "20"),
        ("[10, 20][1 - 1]", "10"),
        ("10 / 4", "2.5"),
        ("!\"true\"", "false"),
        ("\"1\" == 1", "false"),
        ("[1, 2] == [1, 2]", "true"),
        ("null == null", "true"),
        ("tolist([1]) == [1]", "false"),
        ("1 < 2 && \"3\" >= 3 || false", "true"),
        ("9007199254740993 - 9007199254740992", "1"),
        (
            "170141183460469231731687303715884105727 - 1",
            "170141183460469231731687303715884105726",
        ),
    ]);
}

#[test]
fn the_arms_of_a_conditional_become_one_type() {
    all(&[
        ("true ? 1 : \"a\"", "\"1\""),
        ("true ? [\"a\"] : []", "list of string[\"a\"]"),
        ("true ? [\"a\"] : [\"b\"]", "tuple[\"a\"]"),
        ("false ? null : [1]", "tuple[1]"),
        ("true ? { a = 1 } : { b = \"x\" }", "map of string{a=\"1\"}"),
        ("true ? tolist([\"a\"]) : [1]", "list of string[\"a\"]"),
        ("true ? toset([\"b\", \"a\"]) : []", "set of string[\"a\",\"b\"]"),
    ]);
    assert_eq!(
        only_error("true ? 1 : [2]"),
        (EvalErrorKind::Type, "1 : [2]".to_owned())
    );
    // An arm with an error has no type; it is compatible with the other one.
    assert_eq!(
        value("true ? tolist([1]) : (false ? \"x\" : nosuch)"),
        "list of number[1]"
    );
    assert_eq!(only_error("true ? true : 1").0, EvalErrorKind::Type);
}

#[test]
fn only_the_chosen_arm_may_fail() {
    assert_eq!(value("true ? \"a\" : nosuch"), "\"a\"");
    assert_eq!(
        only_error("false ? \"a\" : nosuch"),
        (EvalErrorKind::Variable, "nosuch".to_owned())
    );
}

#[test]
fn for_goes_through_every_collection() {
    all(&[
        ("[for v in [1, 2] : v * 2]", "tuple[2,4]"),
        (
            "[for i, v in [\"a\", \"b\"] : \"${i}${v}\" if v != \"a\"]",
            "tuple[\"1b\"]",
        ),
        ("[for k, v in { b = 1, a = 2 } : k]", "tuple[\"a\",\"b\"]"),
        ("[for k, v in toset([\"b\", \"a\"]) : k == v]", "tuple[true,true]"),
        (
            "{ for v in [\"a\", \"b\"] : v => upper(v) }",
            "object{a=\"A\",b=\"B\"}",
        ),
        (
            "{ for v in [\"ab\", \"ac\", \"b\"] : substr(v, 0, 1) => v... }",
            "object{a=tuple[\"ab\",\"ac\"],b=tuple[\"b\"]}",
        ),
        (
            "[for x in [[1, 2], [3]] : [for y in x : y]]",
            "tuple[tuple[1,2],tuple[3]]",
        ),
    ]);
    assert_eq!(
        only_error("[for v in null : v]"),
        (EvalErrorKind::Type, "null".to_owned())
    );
    assert_eq!(
        only_error("[for v in 1 : v]"),
        (EvalErrorKind::Type, "1".to_owned())
    );
    // The first of two is kept.
    let doubled = run("{ for v in [1, 2] : \"k\" => v }");
    assert_eq!(show(&doubled.value), "object{k=1}");
    let kinds: Vec<EvalErrorKind> = doubled.errors.iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [EvalErrorKind::Duplicate]);
    assert_eq!(
        only_error("[for v in [] : v if \"x\"]"),
        (EvalErrorKind::Type, "\"x\"".to_owned())
    );
}

#[test]
fn splats_and_steps() {
    all(&[
        ("[{ a = 1 }, { a = 2 }][*].a", "tuple[1,2]"),
        ("[{ a = [1] }, { a = [2] }][*].a[0]", "tuple[1,2]"),
        ("[{ a = [1] }, { a = [2] }].*.a[0]", "tuple[1]"),
        ("null[*]", "tuple[]"),
        ("\"a\"[*]", "tuple[\"a\"]"),
        ("tolist([\"a\"])[*]", "list of string[\"a\"]"),
        ("{ a = { b = [5] } }.a.b.0", "5"),
        ("{ a = 1 }[\"a\"]", "1"),
        ("[1, 2][\"1\"]", "2"),
    ]);
    assert_eq!(only_error("[1][1]"), (EvalErrorKind::Access, "1".to_owned()));
    assert_eq!(only_error("{ a = 1 }.b"), (EvalErrorKind::Access, "b".to_owned()));
    assert_eq!(
        only_error("toset([1])[0]"),
        (EvalErrorKind::Access, "0".to_owned())
    );
    assert_eq!(only_error("null.a"), (EvalErrorKind::Access, "a".to_owned()));
}

#[test]
fn object_keys_are_words_texts_or_expressions() {
    all(&[
        (
            "{ a = 1, \"b c\" = 2, (upper(\"d\")) = 3, true = 4 }",
            "object{D=3,a=1,b c=2,true=4}",
        ),
        ("{ 1 = 2 }", "object{1=2}"),
        ("{ a = 1, a = 2 }", "object{a=2}"),
    ]);
    assert_eq!(only_error("{ a.b = 1 }"), (EvalErrorKind::Type, "a.b".to_owned()));
    assert_eq!(
        only_error("{ (null) = 1 }"),
        (EvalErrorKind::Type, "(null)".to_owned())
    );
}

#[test]
fn type_names_are_those_of_the_engine() {
    for (expr, name) in [
        ("toset([\"a\"])", "set of string"),
        ("tolist([[1]])", "list of tuple"),
        ("tolist([tolist([1])])", "list of list of number"),
        ("tomap({ a = true })", "map of bool"),
        ("[1]", "tuple"),
        ("{}", "object"),
        ("null", "dynamic"),
        ("1", "number"),
        ("tolist([])", "list of dynamic"),
    ] {
        assert_eq!(run(expr).value.type_name(), name, "{expr}");
    }
}

#[test]
fn functions_of_lists() {
    all(&[
        ("concat([\"a\"], tolist([\"b\"]))", "tuple[\"a\",\"b\"]"),
        (
            "concat(tolist([\"a\"]), tolist([1]))",
            "list of string[\"a\",\"1\"]",
        ),
        ("compact([\"a\", \"\", null])", "list of string[\"a\"]"),
        ("distinct([\"b\", \"a\", \"b\"])", "list of string[\"b\",\"a\"]"),
        (
            "flatten([[\"a\"], [\"b\", [\"c\"]], toset([\"d\"])])",
            "tuple[\"a\",\"b\",\"c\",\"d\"]",
        ),
        ("reverse([1, 2])", "tuple[2,1]"),
        ("sort([\"b\", \"a\"])", "list of string[\"a\",\"b\"]"),
        ("slice([1, 2, 3], 1, 3)", "tuple[2,3]"),
        (
            "chunklist([\"a\", \"b\", \"c\"], 2)",
            "list of list of string[list of string[\"a\",\"b\"],list of string[\"c\"]]",
        ),
        ("element([\"a\", \"b\"], 3)", "\"b\""),
        ("index([\"a\", \"b\"], \"b\")", "1"),
        ("contains([\"a\"], \"a\")", "true"),
        ("length({ a = 1 }) + length([1]) + length(\"abc\")", "5"),
        ("range(3)", "list of number[0,1,2]"),
        ("range(3, 0)", "list of number[3,2,1]"),
        ("one([])", "null of dynamic"),
        ("coalesce(null, \"\", \"a\")", "\"a\""),
        ("coalescelist([], [1])", "tuple[1]"),
        ("max(1, 3, 2) - min([4, 5]...)", "-1"),
        ("setunion([\"b\"], [\"a\"])", "set of string[\"a\",\"b\"]"),
        ("setintersection([\"b\", \"a\"], [\"a\"])", "set of string[\"a\"]"),
        ("setsubtract([\"b\", \"a\"], [\"a\"])", "set of string[\"b\"]"),
        ("setunion([1], [])", "set of number[1]"),
        // An empty one keeps its type.
        ("setunion([1], regexall(\"z\", \"a\"))", "set of string[\"1\"]"),
        (
            "setunion([1], setintersection([3], [\"b\"]))",
            "set of string[\"1\"]",
        ),
        ("[try([\"a\"]...), can([1]...)]", "tuple[\"a\",true]"),
        (
            "setproduct([\"a\"], [1, 2])",
            "list of tuple[tuple[\"a\",1],tuple[\"a\",2]]",
        ),
    ]);
}

#[test]
fn numbers_are_written_as_go_writes_them_with_v_and_g() {
    all(&[
        ("format(\"%v\", 123456789012)", "\"1.23456789012e+11\""),
        ("format(\"%v-%v\", 1000000, 999999)", "\"1e+06-999999\""),
        ("format(\"%g\", -1234567.5)", "\"-1.2345675e+06\""),
        ("format(\"%v\", 0.00001234)", "\"1.234e-05\""),
        ("format(\"%v\", 0.0001)", "\"0.0001\""),
        ("format(\"%v %v\", 0, 10)", "\"0 10\""),
        ("format(\"%+v\", 3)", "\"+3\""),
        ("format(\"%s\", 1000000)", "\"1000000\""),
        ("format(\"%#v\", 1000000)", "\"1000000\""),
        ("formatlist(\"%v\", [1000000])", "list of string[\"1e+06\"]"),
        (
            "cidrhost(\"fd00::/8\", 9223372036854775808)",
            "\"fd00::8000:0:0:0\"",
        ),
    ]);
}

#[test]
fn functions_of_maps() {
    all(&[
        ("keys({ b = 1, a = 2 })", "tuple[\"a\",\"b\"]"),
        ("values(tomap({ b = 1, a = 2 }))", "list of number[2,1]"),
        ("merge({ a = 1 }, null, { a = 2, b = 3 })", "object{a=2,b=3}"),
        ("zipmap([\"a\", \"b\"], [1, 2])", "object{a=1,b=2}"),
        ("lookup({ a = 1 }, \"b\", 5)", "5"),
        (
            "transpose({ a = [\"x\"], b = [\"x\"] })",
            "map of list of string{x=list of string[\"a\",\"b\"]}",
        ),
    ]);
}

#[test]
fn functions_of_texts() {
    all(&[
        (
            "format(\"%s-%03d|%-4s|%v|%q|%5.1f\", \"a\", 7, \"b\", [1], \"c\", 1.5)",
            "\"a-007|b   |[1]|\\\"c\\\"|  1.5\"",
        ),
        (
            "formatlist(\"%s/%s\", \"p\", [\"a\", \"b\"])",
            "list of string[\"p/a\",\"p/b\"]",
        ),
        ("join(\"-\", [\"a\", \"b\"], [\"c\"])", "\"a-b-c\""),
        ("split(\",\", \"a,b\")", "list of string[\"a\",\"b\"]"),
        ("replace(\"a-b\", \"-\", \"_\")", "\"a_b\""),
        ("replace(\"a1b22\", \"/([0-9]+)/\", \"<$1>\")", "\"a<1>b<22>\""),
        ("regex(\"([a-z]+)-([0-9]+)\", \"x-12\")", "tuple[\"x\",\"12\"]"),
        ("regexall(\"[0-9]\", \"a1b2\")", "list of string[\"1\",\"2\"]"),
        ("title(\"ab cd\")", "\"Ab Cd\""),
        (
            "trimsuffix(trimprefix(trim(\"xxabxx\", \"x\"), \"a\"), \"b\")",
            "\"\"",
        ),
        ("substr(\"hello\", 1, 3)", "\"ell\""),
        ("strrev(\"abc\")", "\"cba\""),
        ("parseint(\"ff\", 16)", "255"),
        (
            "jsonencode({ b = [1, null], a = \"<\" })",
            "\"{\\\"a\\\":\\\"\\\\u003c\\\",\\\"b\\\":[1,null]}\"",
        ),
        ("jsondecode(\"[1, {\\\"a\\\": 2.5}]\")", "tuple[1,object{a=2.5}]"),
        ("base64decode(base64encode(\"héllo\"))", "\"héllo\""),
        ("dirname(\"a/b/../c/d\")", "\"a/c\""),
        ("basename(\"a/b/\")", "\"b\""),
    ]);
}

#[test]
fn try_can_and_ternary_hide_errors() {
    all(&[
        ("try(nosuch.a, [])", "tuple[]"),
        ("can(nosuch)", "false"),
        ("can(1)", "true"),
    ]);
    let extra = Extra;
    let outcome = run_in("ternary(true, 1, nosuch)", &extra);
    assert!(outcome.errors.is_empty());
    assert_eq!(show(&outcome.value), "1");
    assert_eq!(
        show(&run_in("slug([\"A b/C\"])", &extra).value),
        "list of string[\"a-b-c\"]"
    );
    assert_eq!(
        show(&run_in("unslug(\"a-b\", [\"A b\"])", &extra).value),
        "\"A b\""
    );
    assert_eq!(
        show(&run_in("joinlist(\"/\", [[\"a\", \"b\"], []])", &extra).value),
        "list of string[\"a/b\",\"\"]"
    );
    assert_eq!(run_in("format(\"0x1F\", null)", &extra).errors.len(), 1);
    assert_eq!(show(&run_in("templatestring(\"a\", {})", &extra).value), "\"a\"");
}

struct Extra;

impl Scope for Extra {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        Lookup::Missing(no_such_variable(traversal.root))
    }

    fn function(&self, name: &str) -> FunctionRef {
        match functions::lookup_extra(name) {
            FunctionRef::Missing => functions::lookup(name),
            found => found,
        }
    }
}

#[test]
fn errors_are_where_they_belong() {
    let cases = [
        ("nosuch.a[0].b", EvalErrorKind::Variable, "nosuch.a[0].b"),
        ("nosuch(1)", EvalErrorKind::Function, "nosuch"),
        ("upper()", EvalErrorKind::Call, "upper()"),
        ("upper(\"a\", \"b\")", EvalErrorKind::Call, "upper(\"a\", \"b\")"),
        ("upper([])", EvalErrorKind::Call, "[]"),
        ("upper(null)", EvalErrorKind::Call, "null"),
        ("element([], 0)", EvalErrorKind::Call, "element([], 0)"),
        ("tonumber(\"x\")", EvalErrorKind::Call, "tonumber(\"x\")"),
        ("1 + \"x\"", EvalErrorKind::Type, "\"x\""),
        ("0 / 0", EvalErrorKind::Type, "0 / 0"),
        ("\"a${null}\"", EvalErrorKind::Type, "${null}"),
        ("\"a${[]}\"", EvalErrorKind::Type, "${[]}"),
        ("try(nosuch, [][0])", EvalErrorKind::Call, "try(nosuch, [][0])"),
        ("try([]...)", EvalErrorKind::Call, "try([]...)"),
        ("can([1, 2]...)", EvalErrorKind::Call, "can([1, 2]...)"),
        // For any string; its characters beyond ASCII are not modeled.
        (
            "regex(\"(?P<a>.)(b)\", \"日本\")",
            EvalErrorKind::Call,
            "regex(\"(?P<a>.)(b)\", \"日本\")",
        ),
        (
            "cidrsubnets(\"0.0.0.0/8\", 3)",
            EvalErrorKind::Call,
            "cidrsubnets(\"0.0.0.0/8\", 3)",
        ),
    ];
    for (expr, kind, place) in cases {
        assert_eq!(only_error(expr), (kind, place.to_owned()), "{expr}");
    }
    assert_eq!(
        run("global.x").errors[0].message,
        "There is no variable named \"global\""
    );
    assert_eq!(run("[nosuch, upper([])]").errors.len(), 2, "errors are collected");
}

#[test]
fn a_prefix_precedes_every_function() {
    let scope = NoVariables { prefix: "tm_" };
    assert_eq!(show(&run_in("tm_upper(\"a\")", &scope).value), "\"A\"");
    assert_eq!(
        run_in("upper(\"a\")", &scope).errors[0].kind,
        EvalErrorKind::Function
    );
}

#[test]
fn every_function_has_one_entry_and_every_known_name_an_answer() {
    let mut names: Vec<_> = functions::names().chain(functions::extra_names()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for name in functions::names() {
        assert!(!matches!(functions::lookup(name), FunctionRef::Missing), "{name}");
    }
}

/// The results of Terramate 0.17.2 for the same expressions.
#[test]
fn texts_are_those_of_go() {
    all(&[
        ("lower(\"\u{130}\u{391}\u{3a3}\")", "\"iασ\""),
        ("upper(\"ßŉǆ\")", "\"ßŉǄ\""),
        ("title(\"ßŉǆ ab ﬁ ǆ\")", "\"ßŉǆ Ab ﬁ ǅ\""),
        ("3 > \"Inf\"", "unknown"),
        ("tonumber(\"1p3\")", "unknown"),
        ("jsondecode(\"1e400\")", "unknown"),
        ("jsondecode(\"-0\")", "rounded"),
        ("jsondecode(\"\\\"\\\\ud800\\\"\")", "unknown"),
        ("indent(9007199254740993, \"a\")", "unknown"),
        ("log(5, 5)", "1"),
        (
            "contains([-0.5, 3.999999999999999999999], 3.999999999999999999999)",
            "true",
        ),
    ]);
    for expr in [
        "yamldecode(\"\")",
        "yamldecode(\"# nothing\")",
        "yamldecode(\"a: [\")",
        "yamldecode(\"a: b: c\")",
        "yamldecode(\"a\\u0007\")",
        "format(\"%[1]s\", \"a\", 1)",
        "formatlist(\"%[1]s\", \"a\", [1])",
        "regexall(\"(?P<n>a)(b)\", \"c\")",
    ] {
        assert_eq!(only_error(expr), (EvalErrorKind::Call, expr.to_owned()), "{expr}");
    }
    let limit = run("indent(9007199254740993, \"a\\nb\")").errors;
    assert_eq!(limit.first().map(|e| e.kind), Some(EvalErrorKind::Limit));
}

#[test]
fn elements_of_any_type_are_of_one_all_the_same() {
    let kinds = |expr: &str| run(expr).errors.iter().map(|e| e.kind).collect::<Vec<_>>();
    for expr in [
        "tomap({ a = 1, b = { c = 1 }, d = \"x\", e = null })",
        "tolist([[], {}, null])",
        "true ? [] : [255, { a = 1 }, null, \"x\"]",
        "false ? {} : { a = {}, b = \"10\", c = null }",
    ] {
        assert!(!kinds(expr).is_empty(), "{expr}");
    }
    all(&[
        (
            "tomap({ a = \"x\", b = null })",
            "map of string{a=\"x\",b=null of string}",
        ),
        ("true ? { a = 1 } : { a = null }", "object{a=1}"),
    ]);
    // A value with an open type may be of the right one.
    assert!(kinds("tolist([{}, yamldecode(timestamp())])").is_empty());
}

/// `ternary` evaluates its results in parts, and both results of a conditional in them.
#[test]
fn results_of_ternary_are_evaluated_in_parts() {
    let run = |expr: &str| run_in(expr, &Extra);
    for (expr, wanted) in [
        ("ternary(true, \"a\", nope())", "\"a\""),
        ("ternary(true, \"%{ if true }a%{ else }b%{ endif }\", 1)", "\"a\""),
        ("ternary(true, [for x in [1, 2] : x if x > 1], 1)", "tuple[2]"),
        (
            "ternary(true, { for x in [1, 2] : \"k\" => x }, 1)",
            "object{k=2}",
        ),
        (
            "ternary(true, upper(\"%{ for x in [\"a\"] }${x}%{ endfor }\"), 1)",
            "\"A\"",
        ),
    ] {
        let outcome = run(expr);
        assert_eq!(
            (show(&outcome.value).as_str(), outcome.errors.len()),
            (wanted, 0),
            "{expr}"
        );
    }
    for (expr, is_known) in [
        ("ternary(true, [{ a = 1 }][*].a, 1)", false),
        ("ternary(true, [{ a = 1 }].*.a, 1)", false),
        ("ternary(true, [][*].a, 1)", true),
        ("ternary(true, [1][*], 1)", true),
        ("ternary(true, length([{ a = 1 }][*].a), 1)", true),
    ] {
        let outcome = run(expr);
        assert_eq!(outcome.value.as_unknown().is_none(), is_known, "{expr}");
        assert!(outcome.errors.is_empty(), "{expr}");
    }
    for expr in [
        "ternary(true, \"%{ for x in [] }${x}%{ endfor }\", 1)",
        "ternary(true, true ? 1 : element([], 0), 1)",
        "ternary(true, [for x in [1] : x if \"true\"], 1)",
        "ternary(true, { for x in [1] : x => x }, 1)",
    ] {
        assert!(!run(expr).errors.is_empty(), "{expr}");
    }
}
