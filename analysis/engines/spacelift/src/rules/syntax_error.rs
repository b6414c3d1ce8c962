//! `syntax-error`: invalid HCL, invalid JSON, or in a blueprint invalid YAML. If a text exceeds one of our limits,
//! `limit-reached`.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::limit_reached;
use applyorder_core::rules::syntax_error::RULE;

use super::InProject;
use super::files::rejected;
use crate::inputs::ValuesFaultKind;
use crate::model::Model;
use crate::read::{At, ProblemKind, TfFacts};

/// What is wrong with the text of a file; `place` returns the place of an entry of its table.
pub(super) fn check(model: &Model, facts: &TfFacts, place: impl Fn(At) -> Place) -> Vec<Finding> {
    let found = facts.problems.iter().map(|problem| {
        let at = place(problem.at);
        let d = match &problem.kind {
            ProblemKind::NotJson(why) => Diagnostic::new(&RULE, at, format!("invalid JSON: {why}")),
            ProblemKind::Syntax { message, first: None } => Diagnostic::new(&RULE, at, message.clone()),
            ProblemKind::Syntax {
                message,
                first: Some(first),
            } => Diagnostic::new(&RULE, at, message.clone())
                .related(place(*first), "first defined here")
                .fix("remove", Safety::Unsafe, vec![FixStep::RemoveKey(at)]),
            ProblemKind::Limit(limit) => {
                let message = format!("{limit}: the rest is not analyzed");
                return Finding::new(Diagnostic::new(&limit_reached::RULE, at, message));
            }
        };
        rejected(model, Finding::new(d))
    });
    found.collect()
}

/// Reports what is wrong with the texts of files of values, which Terraform reads when it plans.
pub(super) fn of_values(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for fault in &project.model.values_faults {
        if let ValuesFaultKind::Syntax(why) = &fault.what {
            let d = Diagnostic::new(&RULE, fault.place, why.clone());
            found.push(project.of_values(fault, d));
        }
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;
    use applyorder_core::rules::syntax_error::RULE;

    use crate::tests::{fixed, found, module, speaks, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = stacks(&["a"]);
        speaks(&RULE, &text, &[]);
        speaks(&RULE, &format!("{text}locals {{\n  a = 1\n  a = 2\n}}\n"), &["a"]);
        let header = "resource \"spacelift_stack\" \"b\" {";
        speaks(&RULE, &format!("{text}{header}\n"), &[header]);
        speaks(
            &RULE,
            &format!("{text}//- /w/more.tf.json\n{{\"locals\": }}\n"),
            &[""],
        );
    }

    #[test]
    fn no_verdict_rests_on_a_text_that_is_not_read_to_its_end() {
        let deep = format!("locals {{\n  a = {}1{}\n}}\n", "(".repeat(300), ")".repeat(300));
        let fixture = module(&(stacks(&["a"]) + &deep), RunOptions::default());
        let (_, project) = fixture.analysis.projects().next().expect("a project");
        let told: Vec<Option<bool>> = project.resolution.verdicts.iter().map(|v| v.ok).collect();
        assert!(!told.is_empty() && told.iter().all(Option::is_none), "{told:?}");
    }

    #[test]
    fn what_is_set_again_can_go() {
        let text = format!("{}locals {{\n  a = 1\n  a = 2\n}}\n", stacks(&["a"]));
        let fixture = module(&text, RunOptions::default());
        let [d] = found(&fixture, &RULE).try_into().expect("one finding");
        assert_eq!(d.related.len(), 1);
        assert!(fixed(&fixture, &d, 0).ends_with("locals {\n  a = 1\n}\n"));
    }
}
