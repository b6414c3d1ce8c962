//! `spacelift/output-or-variable-not-found`: an output that the upstream stack does not declare, or a variable that the
//! downstream one does not.

use applyorder_core::diagnostic::{Certainty, Diagnostic, FixStep, Place, Rule, Severity, Status};
use applyorder_core::layer::Finding;
use applyorder_core::rules::nearest;

use super::{InProject, said};
use crate::model::{Reference, TF_VAR};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "spacelift/output-or-variable-not-found",
    severity: Severity::Hint,
    summary: "An output that the upstream stack does not declare, or a variable that the downstream stack does not",
    docs: include_str!("../../../../../docs/rules/spacelift/output-or-variable-not-found.md"),
    since: "0.1.0",
    status: Status::Preview,
    replaces: &[],
};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for (reference, dependency) in project.references() {
        if let (Some(stack), Some(output)) = (dependency.upstream.stack(), &reference.output)
            && let Some(known) = project.model.outputs.get(&stack)
            && known.iter().all(|o| o.name.value != output.value)
        {
            let message = format!(
                "what `{}` runs declares no output `{}`",
                project.name(stack),
                output.value
            );
            let near = nearest(&output.value, known.iter().map(|o| &*o.name.value)).map(str::to_owned);
            found.push(finding(
                project,
                reference,
                "output_name",
                output.place,
                message,
                near,
            ));
        }
        let downstream = dependency.stack.stack();
        let downstream = downstream.filter(|stack| project.model.reads_tf_vars(*stack));
        if let (Some(stack), Some(input)) = (downstream, &reference.input)
            && let Some(name) = input.value.strip_prefix(TF_VAR)
            && let Some(known) = project.model.inputs.get(&stack)
            && known.iter().all(|v| &*v.name.value != name)
        {
            let message = format!(
                "what `{}` runs declares no variable `{name}`",
                project.name(stack)
            );
            let near =
                nearest(name, known.iter().map(|v| &*v.name.value)).map(|near| format!("{TF_VAR}{near}"));
            found.push(finding(
                project,
                reference,
                "input_name",
                input.place,
                message,
                near,
            ));
        }
    }
}

fn finding(
    project: &InProject<'_>,
    reference: &Reference,
    argument: &str,
    place: Place,
    message: String,
    near: Option<String>,
) -> Finding {
    let mut d = Diagnostic::new(&RULE, place, message).unit(reference.address.clone());
    if let Some(near) = near {
        d = d.did_you_mean(&near, FixStep::SetValue(place, near.clone()));
    }
    // The directory may be another one by the time the stack runs.
    d.certainty = Certainty::Heuristic;
    let d = project.likely(d, reference.heuristic);
    said("output-or-variable-not-found", &reference.address, d)
        .detail("at", format!("{}.{argument}", reference.address))
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

    #[test]
    fn variables_of_the_stack_below() {
        let app = |vendor: &str| {
            let line = format!("project_root = \"app\"\n{vendor}  branch ");
            stacks(&["a"]).replace("branch ", &line)
        };
        let text = |vendor: &str, files: &str| {
            [
                app(vendor),
                stacks(&["b"]),
                dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
                reference("x", "spacelift_stack_dependency.d.id", "cidr", "TF_VAR_cidr"),
                reference("y", "spacelift_stack_dependency.d.id", "cdir", "TF_VAR_cdir"),
                reference("z", "spacelift_stack_dependency.d.id", "plain", "plain"),
                format!("//- /w/app/in.tf\nvariable \"cidr\" {{\n}}\n{files}"),
            ]
            .concat()
        };
        for (vendor, files, subjects) in [
            ("", "", &["spacelift_stack_dependency_reference.y"][..]),
            ("  ansible {\n    playbook = \"p\"\n  }\n", "", &[]),
            ("", "//- /w/app/terragrunt.hcl\n", &[]),
            ("", "//- /w/app/half.tf\nvariable \"\n", &[]),
        ] {
            let fixture = module(&text(vendor, files), RunOptions::default());
            let (_, project) = fixture.analysis.projects().next().unwrap();
            let plan = crate::plan(&project.resolution).unwrap();
            let own = plan
                .reports
                .iter()
                .filter(|r| r.kind == "output-or-variable-not-found");
            let found: Vec<&str> = own.map(|r| &*r.subject).collect();
            assert_eq!(found, subjects, "{vendor}{files}");
        }
    }
}
