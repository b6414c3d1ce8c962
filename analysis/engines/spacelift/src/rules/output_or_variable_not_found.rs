//! `spacelift/output-or-variable-not-found`: an output that the upstream stack does not declare.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::{InProject, said};
use applyorder_core::diagnostic::{FixStep, Safety};
use applyorder_core::rules::nearest;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/output-or-variable-not-found",
    severity: Severity::Hint,
    summary: "An output that the upstream stack does not declare",
    docs: include_str!("../../../../../docs/rules/spacelift/output-or-variable-not-found.md"),
    since: "0.1.0",
    status: Status::Preview,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for (reference, dependency) in project.references() {
        let upstream = dependency.upstream.stack();
        let (Some(stack), Some(output)) = (upstream, &reference.output) else {
            continue;
        };
        let Some(known) = project.model.outputs.get(&stack) else {
            continue;
        };
        if known.iter().any(|o| o.value == output.value) {
            continue;
        }
        let message = format!(
            "what `{}` runs declares no output `{}`",
            project.name(stack),
            output.value
        );
        let mut d = Diagnostic::new(&RULE, output.place, message).unit(reference.address.clone());
        if let Some(near) = nearest(&output.value, known.iter().map(|o| &*o.value)) {
            let steps = vec![FixStep::SetValue(output.place, near.to_owned())];
            d = d.fix(format!("replace by `{near}`"), Safety::Unsafe, steps);
        }
        let d = project.likely(d, true);
        found.push(
            said("output-or-variable-not-found", &reference.address, d)
                .detail("at", format!("{}.output_name", reference.address)),
        );
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use crate::tests::{dependency, module, reference, stacks};

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let net = stacks(&["b"]).replace("branch ", "project_root = \"net\"\n  branch ");
        let text = [
            stacks(&["a"]),
            net,
            dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
            reference("x", "spacelift_stack_dependency.d.id", "cidr", "TF_VAR_cidr"),
            reference("y", "spacelift_stack_dependency.d.id", "cdir", "TF_VAR_cdir"),
            "//- /w/net/out.tf\noutput \"cidr\" {\n  value = 1\n}\n".to_owned(),
        ];
        let fixture = module(&text.concat(), RunOptions::default());
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let plan = crate::plan(&project.resolution).unwrap();
        let own = plan
            .reports
            .iter()
            .filter(|r| r.kind == "output-or-variable-not-found");
        let subjects: Vec<&str> = own.map(|r| &*r.subject).collect();
        assert_eq!(subjects, ["spacelift_stack_dependency_reference.y"]);
    }
}
