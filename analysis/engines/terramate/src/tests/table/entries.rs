//! Entries of `after`, `before`, `wants` and `wanted_by`.

use super::*;

#[test]
fn paths_that_lead_nowhere() {
    for name in ["after", "before", "wants", "wanted_by"] {
        finds(
            &format!("//- s/stack.tm\nstack {{\n  {name} = [\"gone\", \"/f\"]\n}}\n//- f\n"),
            &[
                &format!(
                    "unknown-dependency s/stack.tm «\"gone\"» warning: Stack /s references an invalid path (gone) in the '{name}' attribute"
                ),
                "unknown-dependency s/stack.tm «\"/f\"» warning",
            ],
        );
    }
}

#[test]
fn an_entry_is_in_normal_form_c_and_the_name_of_a_directory_is_as_it_is() {
    finds(
        "//- s/stack.tm\nstack {\n  after = [\"/e\u{301}\"]\n}\n//- e\u{301}/stack.tm\nstack {\n}\n",
        &[
            "unknown-dependency s/stack.tm «\"/e\u{301}\"» warning: Stack /s references an invalid path (/\u{e9}) in the 'after' attribute",
        ],
    );
}

#[test]
fn directories_that_are_not_loaded_or_hold_nothing() {
    finds(
        "//- s/stack.tm\nstack {\n  after = [\"/.dot\", \"/skipped/x\", \"/empty\"]\n}\n//- .dot/x\n//- skipped/.tmskip\n//- skipped/x/stack.tm\nstack {\n}\n//- empty/x.txt\n",
        &[
            "unknown-dependency s/stack.tm «\"/.dot\"» warning",
            "unknown-dependency s/stack.tm «\"/skipped/x\"» warning",
            "unknown-dependency s/stack.tm «\"/empty\"» warning",
            "terramate/stack-unreachable skipped/x/stack.tm «stack» warning",
        ],
    );
}

#[test]
fn tag_filters() {
    let rejected = |entry: &str, words: &str| {
        format!(
            "invalid-value s/stack.tm «\"{entry}\"» error order: invalid order entry \"{entry}\": {words}"
        )
    };
    for (entry, words) in [
        (
            "tag:_x",
            "\"_x\": tags must start with lowercase alphanumeric ([0-9a-z])",
        ),
        (
            "tag:~x",
            "\"~x\": tags must start with lowercase alphanumeric ([0-9a-z])",
        ),
        (
            "tag:x,y-",
            "\"y-\": tags must end with lowercase alphanumeric ([0-9a-z])",
        ),
        (
            "tag:x y",
            "\"x y\": [a-z._-/] are the only permitted characters in tags",
        ),
    ] {
        attribute(&format!("after = [\"{entry}\"]"), &[&rejected(entry, words)]);
    }
    attribute(
        "wants = [\"tag:_x\"]",
        &[&rejected(
            "tag:_x",
            "\"_x\": tags must start with lowercase alphanumeric ([0-9a-z])",
        )
        .replace("order: ", "wants: ")],
    );
    attribute(
        "after = [\"tag:nobody\"]",
        &["unknown-dependency s/stack.tm «\"tag:nobody\"» warning"],
    );
}
