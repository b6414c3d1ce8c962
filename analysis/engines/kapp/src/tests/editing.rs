//! Editor features on the parts of a text, however the text is written.

use applyorder_analysis::fixture::Fixture;
use applyorder_analysis::ide::completion::{Proposal, completions};
use applyorder_analysis::ide::definition::{Destination, definition};
use applyorder_analysis::ide::hover::hover;
use applyorder_analysis::ide::references::references;
use applyorder_analysis::ide::rename::rename;
use applyorder_analysis::ide::symbols::outline;

/// Ways to write a rule as the value of an annotation: words between `{0}` and `{3}`.
const FORMS: [&str; 6] = [
    "{0} {1} {2} {3}",
    "'{0} {1} {2} {3}'",
    "\"{0} {1} {2} {3}\"",
    "|-\n      {0} {1} {2} {3}",
    ">-\n      {0} {1}\n      {2} {3}",
    "\"{0}\\x20{1} {2} {3}\"",
];

const GOOD: [&str; 4] = ["upsert", "after", "upserting", "shop/db"];

fn written(form: &str, words: [&str; 4]) -> String {
    let mut out = form.to_owned();
    for (n, word) in words.iter().enumerate() {
        out = out.replace(&format!("{{{n}}}"), word);
    }
    out
}

fn map(name: &str, key: &str, value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n    kapp.k14s.io/{key}: {value}\n---\n"
    )
}

fn tree(rule: &str) -> String {
    format!(
        "//- /w/app.yaml\n{}{}apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeGroupBindings:\n- name: shop/db\n  resourceMatchers: [{{apiVersionKindMatcher: {{apiVersion: v1, kind: Secret}}}}]\nchangeRuleBindings:\n- rules: ['delete before deleting shop/db']\n  resourceMatchers: [{{apiVersionKindMatcher: {{apiVersion: v1, kind: Secret}}}}]\n",
        map("member", "change-group", "shop/db"),
        map("owner", "change-rule", rule),
    )
}

/// The words with the cursor in the middle of one of them.
fn cursor_in(form: &str, word: usize) -> String {
    let mut words = GOOD.map(str::to_owned);
    words[word].insert_str(2, "$0");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    tree(&written(form, words.try_into().unwrap()))
}

#[test]
fn a_wrong_word_is_reported_at_that_word() {
    for form in FORMS {
        for (n, bad) in ["upserted", "afterwards", "upsert", "-x"].into_iter().enumerate() {
            let mut words = GOOD;
            words[n] = bad;
            let fixture = Fixture::new(crate::ALONE, &tree(&written(form, words)));
            let found = fixture.analysis.findings_of(fixture.file);
            let under: Vec<&str> = found
                .iter()
                .filter(|f| f.diagnostic.rule.id.starts_with("invalid"))
                .map(|f| {
                    fixture
                        .analysis
                        .span(f.diagnostic.place)
                        .slice(fixture.text(fixture.file))
                })
                .collect();
            assert_eq!(under, [bad], "{form}");
        }
    }
}

#[test]
fn each_word_is_completed() {
    for form in FORMS {
        for (n, expected) in [
            &["upsert", "delete"][..],
            &["before", "after"],
            &["upserting", "deleting"],
            &["shop/db"],
        ]
        .into_iter()
        .enumerate()
        {
            let fixture = Fixture::new(crate::ALONE, &cursor_in(form, n));
            let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
            let labels: Vec<&str> = found.iter().map(|p| p.completion.label.as_str()).collect();
            assert_eq!(labels.get(..expected.len()), Some(expected), "word {n} of {form}");
            let replaced = found[0].completion.span.slice(fixture.text(fixture.file));
            assert_eq!(replaced, GOOD[n], "word {n} of {form}");
        }
    }
}

#[test]
fn each_word_says_what_the_rule_does_and_which_resources_it_matches() {
    for form in FORMS {
        for n in 0..4 {
            let fixture = Fixture::new(crate::ALONE, &cursor_in(form, n));
            let shown = hover(&fixture.analysis, fixture.file, fixture.offset).unwrap();
            for part in [
                "`ConfigMap/owner`",
                "it waits for the members of `shop/db`",
                "`ConfigMap/member`",
            ] {
                assert!(
                    shown.markdown.contains(part),
                    "word {n} of {form}: {}",
                    shown.markdown
                );
            }
        }
    }
}

#[test]
fn a_group_leads_to_its_members_and_is_referred_to() {
    for form in FORMS {
        let fixture = Fixture::new(crate::ALONE, &cursor_in(form, 3));
        let found = definition(&fixture.analysis, fixture.file, fixture.offset).unwrap();
        let places = found.destinations.iter().filter_map(|d| match d {
            Destination::Place(at) => Some(fixture.show(*at)),
            Destination::File(_) => None,
        });
        let shown: Vec<String> = places.collect();
        assert!(
            shown.contains(&"app.yaml:6 shop/db".to_owned()),
            "{form}: {shown:?}"
        );
        let found = references(&fixture.analysis, fixture.file, fixture.offset, true);
        let shown: Vec<String> = found.iter().map(|r| fixture.show(r.at)).collect();
        assert_eq!(shown.len(), 4, "{form}: {shown:?}");
        assert!(shown.iter().all(|s| s.ends_with("shop/db")), "{form}: {shown:?}");
    }
}

#[test]
fn a_group_is_renamed_everywhere() {
    for form in FORMS {
        let fixture = Fixture::new(crate::ALONE, &cursor_in(form, 3));
        let edits = rename(&fixture.analysis, fixture.file, fixture.offset, "shop/data").unwrap();
        let expected = tree(&written(form, GOOD)).replace("shop/db", "shop/data");
        assert_eq!(fixture.edited(&edits), expected, "{form}");
    }
}

#[test]
fn what_is_escaped_is_still_found() {
    let text = tree("\"upsert after upserting sho\\u0070/d$0b\"");
    let fixture = Fixture::new(crate::ALONE, &text);
    let found = references(&fixture.analysis, fixture.file, fixture.offset, true);
    let shown: Vec<String> = found.iter().map(|r| fixture.show(r.at)).collect();
    assert!(
        shown.contains(&"app.yaml:13 sho\\u0070/db".to_owned()),
        "{shown:?}"
    );
}

#[test]
fn bindings_in_a_list_are_completed() {
    let fixture = Fixture::new(
        crate::ALONE,
        "//- /w/a.yaml\napiVersion: v1\nkind: List\nitems:\n- apiVersion: kapp.k14s.io/v1alpha1\n  kind: Config\n  changeRuleBindings:\n  - rules: [upsert af$0 upserting g]\n",
    );
    let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let labels: Vec<&str> = found.iter().map(|p| p.completion.label.as_str()).collect();
    assert_eq!(labels, ["before", "after"]);
}

/// The proposals at `$0` in a file of a declared app, as they would be inserted.
fn offered(text: &str) -> Vec<String> {
    let tree = format!(
        "//- /w/applyorder.toml\n[[kapp.app]]\nname = \"a\"\nfiles = [\"a.yaml\"]\n//- /w/a.yaml\n{text}"
    );
    let fixture = Fixture::new(crate::ALONE, &tree);
    let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let inserted = |p: &Proposal| {
        p.completion
            .insert
            .clone()
            .unwrap_or_else(|| p.completion.label.clone())
    };
    found.iter().map(inserted).collect()
}

#[test]
fn what_is_half_typed_is_completed() {
    // The typed text makes the annotations of its own resource invalid for a moment.
    let member = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  annotations:\n    kapp.k14s.io/change-group: a/b\n";
    let annotations = format!("{member}---\n{}", member.replace("name: m", "name: a"));
    let in_annotations = |line: &str| offered(&format!("{annotations}    {line}\n"));
    for line in ["kapp$0", "$0", "kapp.k14s.io/change-r$0"] {
        let found = in_annotations(line);
        assert!(
            found.contains(&"kapp.k14s.io/change-rule: ".to_owned()),
            "{line}: {found:?}"
        );
        assert!(
            !found.contains(&"kapp.k14s.io/change-group: ".to_owned())
                && found.contains(&"kapp.k14s.io/change-group.".to_owned()),
            "the same key cannot be repeated without a suffix, {line}: {found:?}"
        );
    }
    for key in ["kapp.k14s.io/change-rule:", "kapp.k14s.io/change-rule.b:"] {
        assert_eq!(in_annotations(&format!("{key} $0")), ["upsert", "delete"]);
        assert_eq!(in_annotations(&format!("{key}$0")), [" upsert", " delete"]);
        assert_eq!(in_annotations(&format!("{key} upsert $0")), ["before", "after"]);
        assert_eq!(
            in_annotations(&format!("{key} upsert after $0")),
            ["upserting", "deleting"]
        );
        let groups = in_annotations(&format!("{key} upsert after upserting $0"));
        assert!(groups.contains(&"a/b".to_owned()), "{groups:?}");
    }
    let groups = in_annotations("kapp.k14s.io/change-group.c: $0");
    assert!(groups.contains(&"a/b".to_owned()), "{groups:?}");
    let config = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeRuleBindings:\n- rules: []\n";
    assert_eq!(
        offered(&format!("{config}min$0\n")),
        ["minimumRequiredVersion: ", "changeGroupBindings: "]
    );
    assert_eq!(
        offered(&format!("{config}  ign$0\n")),
        ["ignoreIfCyclical: ", "resourceMatchers: "]
    );
    let bindings = config.trim_end_matches("- rules: []\n");
    for (rest, first) in [
        ("  $0\n", "- rules: "),
        ("- $0\n", "rules: "),
        ("- ignoreIfCyclical: true\n  $0\n", "rules: "),
        ("- resourceMatchers:\n    $0\n", "- allMatcher: "),
    ] {
        let found = offered(&format!("{bindings}{rest}"));
        assert_eq!(found.first().map(String::as_str), Some(first), "{rest}");
    }
    let matchers = offered(&format!("{config}  resourceMatchers:\n  - all$0\n"));
    assert!(matchers.contains(&"allMatcher: ".to_owned()), "{matchers:?}");
    assert_eq!(
        offered("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  $0\n"),
        [""; 0]
    );
    assert_eq!(
        offered(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    metadata:\n      annotations:\n        kapp$0\n"
        ),
        [""; 0]
    );
}

#[test]
fn a_new_rule_of_a_binding_is_an_entry_of_its_list() {
    let head = format!(
        "{}apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeRuleBindings:\n",
        map("m", "change-group", "a/b")
    );
    let rule = "upsert after upserting a/b";
    let behind = "  resourceMatchers:\n  - allMatcher: {}\n";
    for behind in ["", behind] {
        let at = |lines: &str| offered(&format!("{head}{lines}\n{behind}"));
        let first = ["upsert", "delete"];
        assert_eq!(at("- rules:\n  - $0"), first);
        assert_eq!(at(&format!("- rules:\n  - {rule}\n  - $0")), first);
        assert_eq!(at(&format!("- rules:\n  - {rule}\n  - ups$0")), first);
        assert_eq!(
            at(&format!("- rules:\n  - {rule}\n  - upsert $0")),
            ["before", "after"]
        );
        assert_eq!(
            at(&format!("- ignoreIfCyclical: true\n  rules:\n  - {rule}\n  - $0")),
            first
        );
        let groups = at(&format!("- rules:\n  - {rule}\n  - upsert after upserting $0"));
        assert!(groups.contains(&"a/b".to_owned()), "{groups:?}");
        assert_eq!(at("- rules:\n    $0"), ["- upsert", "- delete"]);
        assert_eq!(
            at(&format!("- rules:\n  - {rule}\n  -$0")),
            [" upsert", " delete"]
        );
        assert_eq!(at("- rules:$0"), ["\n  - upsert", "\n  - delete"]);
        assert_eq!(at("- rules: $0"), ["\n  - upsert", "\n  - delete"]);
        assert_eq!(at("- rules: [$0"), first);
        // The entry above continues.
        assert_eq!(at(&format!("- rules:\n  - {rule}\n    $0")), [""; 0]);
    }
    assert_eq!(
        offered(&format!("{head}- {{rules: $0}}\n")),
        ["[upsert]", "[delete]"]
    );
}

/// Which of the groups proposed at `$0`, except kapp's own, would close a cycle.
fn closing(text: &str) -> Vec<String> {
    let fixture = Fixture::new(crate::ALONE, &format!("//- /w/a.yaml\n{text}"));
    let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
    let closing = found.into_iter().filter(|p| p.closes_cycle);
    let labels = closing.map(|p| p.completion.label);
    labels.filter(|label| !label.contains("kapp.k14s.io")).collect()
}

#[test]
fn a_rule_of_a_binding_says_which_group_would_close_a_cycle() {
    let resource = |name: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n    kapp.k14s.io/change-group: g/{name}\n{more}---\n"
        )
    };
    let config = |bound: &str, more: &str, rule: &str| {
        format!(
            "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeRuleBindings:\n- {more}resourceMatchers:\n  - kindNamespaceNameMatcher: {{kind: ConfigMap, namespace: default, name: {bound}}}\n  rules:\n  - {rule}\n"
        )
    };
    let waits = "    kapp.k14s.io/change-rule: upsert after upserting g/a\n";
    let all = format!(
        "{}{}{}",
        resource("a", ""),
        resource("b", waits),
        resource("c", "")
    );
    let of = |bound: &str, rule: &str| closing(&format!("{all}{}", config(bound, "", rule)));
    assert_eq!(of("a", "upsert after upserting $0"), ["g/a", "g/b"]);
    assert_eq!(of("a", "upsert after upserting g/$0"), ["g/a", "g/b"]);
    assert_eq!(of("b", "upsert before upserting $0"), ["g/a", "g/b"]);
    assert_eq!(of("c", "upsert after upserting $0"), ["g/c"]);
    assert_eq!(of("other", "upsert after upserting $0"), [""; 0]);
    // The binding is optional where it would close a cycle.
    let gives_way = config("a", "ignoreIfCyclical: true\n  ", "upsert after upserting $0");
    assert_eq!(closing(&format!("{all}{gives_way}")), [""; 0]);
    // In a list, the resource before a Config is not the one that its rule belongs to.
    let item = |text: String| text.trim_end_matches("---\n").replace('\n', "\n  ");
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}\n- {}\n- {}\n",
        item(resource("a", "")).trim_end(),
        item(resource("b", waits)).trim_end(),
        item(config("a", "", "upsert after upserting $0")).trim_end(),
    );
    assert_eq!(closing(&list), ["g/a", "g/b"]);
}

#[test]
fn a_group_with_a_placeholder_says_whether_it_would_close_a_cycle() {
    let resource = |name: &str, rule: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n    kapp.k14s.io/change-group: g/{{name}}\n    kapp.k14s.io/change-rule: {rule}\n---\n"
        )
    };
    let rule = "upsert after upserting g/{$0";
    assert_eq!(closing(&resource("a", rule)), ["g/a", "{name}"]);
    assert_eq!(closing(&resource("a", "upsert after upserting h/{$0")), ["g/a"]);
}

#[test]
fn the_outline_names_a_config_without_a_name_by_its_kind() {
    let text = format!(
        "//- /w/app.yaml\n$0{}apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n",
        map("member", "change-group", "shop/db")
    );
    let fixture = Fixture::new(crate::ALONE, &text);
    let outline = outline(&fixture.analysis, fixture.file);
    let shown: Vec<(&str, bool)> = outline.iter().map(|i| (i.name.as_str(), i.unit)).collect();
    assert_eq!(shown, [("ConfigMap/member", true), ("Config", false)]);
}
