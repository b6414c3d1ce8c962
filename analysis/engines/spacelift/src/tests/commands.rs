//! Verdicts of Terraform 1.11.4 with a provider of the same schemas on `validate`, `plan` and `apply`, compared with ours.

use applyorder_core::engine::RunOptions;

use super::{module, stacks, verdict};

/// `=== VERDICTS`, and the module after it, which also has the stacks `a` and `b`: for each command whether it is
/// accepted (`1`), rejected (`0`), or open here (`?`).
const RECORDED: &str = include_str!("commands.txt");

#[test]
fn verdicts_are_those_of_terraform() {
    let own = format!("//- /w/zz.tf\n{}", stacks(&["a", "b"]));
    let mut wrong = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for case in RECORDED.split("=== ").skip(1) {
        let (verdicts, text) = case.split_once('\n').unwrap();
        let fixture = module(&format!("{text}{own}"), RunOptions::default());
        let of = |command: &str| match verdict(&fixture, command) {
            Some(true) => '1',
            Some(false) => '0',
            None => '?',
        };
        let ours: String = ["validate", "plan", "apply"].map(of).into_iter().collect();
        if ours != verdicts {
            wrong.push(format!("--- {verdicts}, ours {ours}\n{text}"));
        }
        seen.insert(verdicts);
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.concat());
    assert!(
        ["000", "100", "111"]
            .iter()
            .all(|verdicts| seen.contains(verdicts)),
        "{seen:?}"
    );
}
