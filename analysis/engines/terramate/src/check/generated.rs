//! Files of the experiment `tmgen`: HCL, of which Terramate reads the syntax while it loads their directory.
//!
//! Source: Terramate 0.17.2, "What is read".

use std::sync::Arc;

use crate::found::{Found, reject};
use crate::load::tree::Dir;
use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::engine::Cx;
use applyorder_core::rules::{limit_reached, syntax_error};
use applyorder_syntax::hcl::{self, SyntaxErrorKind};

/// Whether the experiment is switched on.
pub(super) fn are_read(experiments: Option<&[Arc<str>]>) -> bool {
    experiments.is_some_and(|on| on.iter().any(|o| **o == *"tmgen"))
}

/// The text of one, where it can be read.
pub(super) fn text(cx: &Cx<'_>, dir: &Dir, name: &str) -> Option<Arc<str>> {
    let (_, source) = cx.source(&dir.host.join(name)).ok()?;
    Some(source.text.clone())
}

/// Pushes what Terramate rejects in them, where the experiment is switched on and it comes to them.
pub(super) fn check(cx: &Cx<'_>, dir: &Dir, experiments: Option<&[Arc<str>]>, found: &mut Vec<Found>) {
    if !are_read(experiments) {
        return;
    }
    let mut is_reached = !found.iter().any(|f| f.fatal && !f.unseen);
    for name in &dir.generated {
        let Some(text) = text(cx, dir, name) else { continue };
        let file = cx.file(&dir.host.join(name));
        let tree = hcl::parse(&text);
        let before = found.len();
        for error in tree.errors() {
            let place = Place::span(file, error.span);
            if error.kind == SyntaxErrorKind::Limit {
                let d = Diagnostic::new(&limit_reached::RULE, place, error.message);
                crate::found::push(found, d, false);
                continue;
            }
            let words = format!("failed to parse .tmgen file: {}", error.message);
            let d = Diagnostic::new(&syntax_error::RULE, place, error.message);
            reject(found, d.engine_message(words)).unseen = !is_reached;
        }
        is_reached &= found.len() == before;
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::check;
    use applyorder_core::rules::syntax_error::RULE;

    #[test]
    fn their_syntax_is_read_where_the_experiment_is_on() {
        let files = "//- /w/s/s.tm\nstack {\n}\n//- /w/a/x.tmgen\n{\n//- /w/a/y.tmgen\na = 1\n";
        assert_eq!(check(&RULE, files).found(), [""; 0]);
        let on = "//- /w/e.tm\nterramate {\n  config {\n    experiments = [\"tmgen\"]\n  }\n}\n";
        let checked = check(&RULE, &format!("{on}{files}"));
        assert_eq!(checked.found().len(), 1);
        assert!(
            checked.found()[0].starts_with("/a/x.tmgen:1 {"),
            "{:?}",
            checked.found()
        );
        assert_eq!(checked.said().len(), 1);
    }
}
