//! What is no longer done where there is too much of it.

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::engine::RunOptions;
use applyorder_core::rules::unknown_dependency;

use super::{dependency, module, stacks};

#[test]
fn so_many_unknown_names_are_compared_with_what_is_declared() {
    let unknown = |i| {
        dependency(
            &format!("d{i}"),
            "spacelift_stack.app.id",
            "spacelift_stack.apps.id",
        )
    };
    let of = |count: usize| {
        let text = stacks(&["app"]) + &(0..count).map(unknown).collect::<String>();
        let fixture = module(&text, RunOptions::default());
        let found = super::found(&fixture, &unknown_dependency::RULE);
        (found.len(), found.iter().filter(|d| has_cure(d)).count())
    };
    assert_eq!(of(3), (3, 3));
    let (all, cured) = of(700);
    assert_eq!(all, 700);
    assert!(0 < cured && cured < all, "{cured}");
}

fn has_cure(d: &Diagnostic) -> bool {
    d.fixes.iter().any(|fix| fix.title.starts_with("replace with"))
}
