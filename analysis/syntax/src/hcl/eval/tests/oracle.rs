//! `hcl-rs` as the oracle for expressions without functions: if it gives a value, ours is the same.

use super::*;
use hcl::eval::{Context, Evaluate};
use proptest::prelude::*;

fn number() -> BoxedStrategy<String> {
    let leaf = (0i32..50).prop_map(|n| n.to_string());
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(vec!["+", "-", "*"]),
                inner.clone()
            )
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            inner.clone().prop_map(|a| format!("(-{a})")),
            (truth_of(inner.clone()), inner.clone(), inner)
                .prop_map(|(c, a, b)| format!("({c} ? {a} : {b})")),
        ]
    })
    .boxed()
}

fn truth_of(number: impl Strategy<Value = String> + Clone + 'static) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|b| b.to_string()),
        (
            number.clone(),
            prop::sample::select(vec!["<", ">", "<=", ">=", "==", "!="]),
            number
        )
            .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(vec!["&&", "||", "==", "!="]),
                inner.clone()
            )
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            inner.prop_map(|a| format!("!{a}")),
        ]
    })
    .boxed()
}

fn text() -> BoxedStrategy<String> {
    let leaf = prop::sample::select(vec![
        "\"a\"",
        "\"b c\"",
        "\"\"",
        "\"é\\n\"",
        "\"$${x}\"",
        "\"q\\\"\"",
    ])
    .prop_map(str::to_owned);
    let part = prop_oneof![
        prop::sample::select(vec!["x", " ", "\\t", "%%{"]).prop_map(str::to_owned),
        number().prop_map(|n| format!("${{{n}}}")),
        truth_of(number()).prop_map(|b| format!("${{{b}}}")),
        leaf.clone().prop_map(|t| format!("${{{t}}}")),
        (truth_of(number()), number())
            .prop_map(|(c, n)| format!("%{{ if {c} }}y${{{n}}}%{{ else }}n%{{ endif }}")),
        prop::collection::vec(number(), 0..3)
            .prop_map(|v| format!("%{{ for i, v in [{}] }}${{i}}:${{v}};%{{ endfor }}", v.join(", "))),
    ];
    // Leading text keeps a single interpolation from being used as it is.
    prop_oneof![
        leaf,
        prop::collection::vec(part, 0..4).prop_map(|parts| format!("\"-{}\"", parts.concat()))
    ]
    .boxed()
}

fn any_value() -> BoxedStrategy<String> {
    let leaf = prop_oneof![number(), truth_of(number()), text(), Just("null".to_owned())];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4).prop_map(|v| format!("[{}]", v.join(", ")));
        let object = prop::collection::vec(
            (
                prop::sample::select(vec!["a", "b", "\"c d\"", "(\"e\")"]),
                inner.clone(),
            ),
            0..3,
        )
        .prop_map(|items| {
            // In the order of the keys, since the oracle iterates in source order.
            let plain = |k: &str| k.trim_matches(['"', '(', ')']).to_owned();
            let sorted: std::collections::BTreeMap<String, (&str, String)> =
                items.into_iter().map(|(k, v)| (plain(k), (k, v))).collect();
            let items: Vec<String> = sorted.into_values().map(|(k, v)| format!("{k} = {v}")).collect();
            format!("{{ {} }}", items.join(", "))
        });
        prop_oneof![
            list.clone(),
            object.clone(),
            (list.clone(), 0usize..4).prop_map(|(l, i)| format!("{l}[{i}]")),
            object.clone().prop_map(|o| format!("{o}.a")),
            list.clone().prop_map(|l| format!("[for i, v in {l} : [i, v]]")),
            (list.clone(), truth_of(number())).prop_map(|(l, c)| format!("[for v in {l} : v if {c}]")),
            (prop::collection::vec(text(), 0..3))
                .prop_map(|l| format!("{{ for i, v in [{}] : \"k${{i}}\" => v }}", l.join(", "))),
            object.prop_map(|o| format!("[for k, v in {o} : k]")),
            inner.prop_map(|v| format!("[{{ a = {v} }}, {{ a = 1 }}][*].a")),
        ]
    })
    .boxed()
}

fn shown(value: &hcl::Value) -> String {
    match value {
        hcl::Value::Null => "null".to_owned(),
        hcl::Value::Bool(b) => b.to_string(),
        hcl::Value::Number(n) => n.to_string(),
        hcl::Value::String(text) => format!("{text:?}"),
        hcl::Value::Array(all) => format!("[{}]", all.iter().map(shown).collect::<Vec<_>>().join(",")),
        hcl::Value::Object(all) => {
            let sorted: std::collections::BTreeMap<_, _> = all.iter().collect();
            let members: Vec<String> = sorted.iter().map(|(k, v)| format!("{k}={}", shown(v))).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

fn ours(value: &Value) -> String {
    match (&value.data, value.elements(), value.members()) {
        (Data::Null(_), ..) => "null".to_owned(),
        (_, Some(elements), _) => format!("[{}]", elements.iter().map(ours).collect::<Vec<_>>().join(",")),
        (_, _, Some(members)) => {
            format!(
                "{{{}}}",
                members
                    .iter()
                    .map(|(k, v)| format!("{k}={}", ours(v)))
                    .collect::<Vec<_>>()
                    .join(",")
            )
        }
        _ => show(value),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn known_expressions_give_what_the_oracle_gives(expr in any_value()) {
        let parsed: hcl::Expression = expr.parse().unwrap();
        if let Ok(wanted) = parsed.evaluate(&Context::new()) {
            let outcome = run(&expr);
            prop_assert!(outcome.errors.is_empty(), "{} {:?}", expr, outcome.errors);
            let found = ours(&outcome.value);
            // A negative zero is left open here; the oracle has none.
            if !found.contains("rounded") && outcome.value.first_unknown().is_none() {
                prop_assert_eq!(found, shown(&wanted), "{}", expr);
            }
        }
    }
}
