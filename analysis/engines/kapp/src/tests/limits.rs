//! Input that a small text makes large: work grows with the text, or a limit of ours is reported.

use std::time::{Duration, Instant};

use super::{app, config, map, object, of_rule, under};
use applyorder_core::engine::RunOptions;

/// The shortest time for an app in several attempts.
fn time(text: &str) -> Duration {
    let once = |_| {
        let start = Instant::now();
        drop(app(text, RunOptions::default()));
        start.elapsed()
    };
    (0..5).map(once).min().unwrap()
}

/// Eight times the text may take this many times as long; quadratic growth would take 64 times.
fn hold_growth(text: impl Fn(usize) -> String, size: usize) {
    let (small, large) = (time(&text(size)), time(&text(8 * size)));
    assert!(
        large < small * 24 + Duration::from_millis(20),
        "{small:?} for {size}, {large:?} for eight times as much"
    );
}

fn verdicts(text: &str) -> (Option<bool>, usize) {
    let analysis = app(text, RunOptions::default());
    let (_, project) = analysis.projects().next().unwrap();
    (
        project.resolution.verdicts[0].ok,
        of_rule(&analysis, "limit-reached").len(),
    )
}

/// Matchers with the same meaning, repeated by aliases: each level ten times the one below.
fn aliases(levels: usize) -> String {
    let mut text = "x0: &x0 {emptyFieldMatcher: {path: [a]}}\n".to_owned();
    for level in 1..=levels {
        let below = vec![format!("*x{}", level - 1); 10].join(", ");
        text += &format!("x{level}: &x{level} {{andMatcher: {{matchers: [{below}]}}}}\n");
    }
    config(&format!(
        "{text}changeRuleBindings:\n- {{rules: [upsert after upserting g], resourceMatchers: [*x{levels}]}}\n"
    ))
}

#[test]
fn aliases_that_multiply_matchers_meet_a_limit() {
    let one = object("v1", "ConfigMap", "m", "");
    assert_eq!(verdicts(&(aliases(2) + &one)), (Some(true), 0));
    for levels in [4, 5, 6, 9, 60] {
        let start = Instant::now();
        // go-yaml rejects such a text.
        assert_eq!(verdicts(&(aliases(levels) + &one)), (Some(false), 0), "{levels}");
        assert!(start.elapsed() < Duration::from_secs(10), "{levels}");
    }
}

#[test]
fn many_matchers_and_many_resources_meet_a_limit() {
    let one = |i: usize| object("v1", "ConfigMap", &format!("m{i}"), "");
    let resources = |n: usize| (0..n).map(one).collect::<String>();
    let fields = vec!["{emptyFieldMatcher: {path: [a]}}"; 50].join(", ");
    let again = vec!["*m"; 50].join(", ");
    let config = config(&format!(
        "x: &m {{andMatcher: {{matchers: [{fields}]}}}}\nchangeRuleBindings:\n- {{rules: [upsert after upserting g], resourceMatchers: [{again}]}}\n"
    ));
    assert_eq!(verdicts(&(config.clone() + &resources(1))), (Some(true), 0));
    let text = config + &resources(400);
    assert_eq!(verdicts(&text), (None, 1));
    let analysis = app(&text, RunOptions::default());
    let found = of_rule(&analysis, "limit-reached");
    assert_eq!(under(&analysis, &found[0]), "apiVersion");
}

#[test]
fn placeholders_in_one_rule_take_linear_time() {
    let text = |n: usize| {
        let rule = format!("\"upsert after upserting {}\"", "{name}".repeat(n));
        map("owner", &format!("kapp.k14s.io/change-rule: {rule}"))
    };
    hold_growth(text, 500);
    let unknown = |n: usize| {
        let rule = format!("\"upsert after upserting {}\"", "{nme}".repeat(n));
        map("owner", &format!("kapp.k14s.io/change-rule: {rule}"))
    };
    hold_growth(unknown, 500);
}

#[test]
fn items_that_share_what_is_in_them_meet_a_limit() {
    let text = |n: usize| {
        let annotations: String = (0..n)
            .map(|i| format!("kapp.k14s.io/change-group.{i}: g{i}, "))
            .collect();
        let items: String = (0..n)
            .map(|i| {
                format!("- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: m{i}, annotations: *a}}}}\n")
            })
            .collect();
        format!("apiVersion: v1\nkind: List\nx: &a {{{annotations}}}\nitems:\n{items}")
    };
    assert_eq!(verdicts(&text(40)).1, 0);
    let start = Instant::now();
    let (ok, limits) = verdicts(&text(2_000));
    assert!(ok == Some(false) || (ok, limits) == (None, 1));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn empty_groups_are_not_compared_with_all_others_without_limit() {
    let text = |n: usize| -> String {
        let one = |i: usize| {
            let member = map(
                &format!("m{i}"),
                &format!("kapp.k14s.io/change-group: group-{i}-a"),
            );
            let rule = format!("kapp.k14s.io/change-rule: upsert after upserting group-{i}-bc");
            member + &map(&format!("o{i}"), &rule)
        };
        (0..n).map(one).collect()
    };
    hold_growth(text, 500);
}

#[test]
fn wrong_groups_and_rules_of_one_resource_take_linear_time() {
    let text = |n: usize| {
        let group = |i: usize| format!("kapp.k14s.io/change-group.{i}: bad group {i}");
        let rule = |i: usize| format!("kapp.k14s.io/change-rule.{i}: upsert aftr upserting g");
        let both = (0..n).flat_map(|i| [group(i), rule(i)]);
        map("owner", &both.collect::<Vec<_>>().join(", "))
    };
    assert_eq!(verdicts(&text(2)), (Some(false), 0));
    hold_growth(text, 1_000);
}

#[test]
fn items_of_a_list_are_found_in_linear_time() {
    let text = |n: usize| {
        let item = |i: usize| format!("- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a{i}}}}}\n");
        let items: String = (0..n).map(item).collect();
        format!("apiVersion: v1\nkind: List\nitems:\n{items}")
    };
    hold_growth(text, 300);
}

#[test]
fn placeholders_that_blow_up_a_text_meet_a_limit() {
    let text = |name: usize, times: usize| {
        let group = format!("kapp.k14s.io/change-group: \"{}\"", "{name}".repeat(times));
        map(&"b".repeat(name), &group)
    };
    assert_eq!(verdicts(&text(253, 60)).1, 0);
    let start = Instant::now();
    assert_eq!(verdicts(&text(60_000, 10_000)), (None, 1));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn placeholders_of_bindings_meet_the_same_limit() {
    let bound = config(&format!(
        "changeGroupBindings:\n- {{name: \"{}\", resourceMatchers: [{{allMatcher: {{}}}}]}}\n",
        "{name}".repeat(20_000)
    ));
    assert_eq!(verdicts(&(bound.clone() + &map("a", ""))).1, 0);
    assert_eq!(verdicts(&(bound + &map(&"b".repeat(60_000), ""))), (None, 1));
}
