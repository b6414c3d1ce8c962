//! `unresolved` ids: what is known only once Terraform runs, or depends on a value that was not given.

use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unresolved::RULE;

use super::{InProject, said};

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    for open in &project.model.unresolved {
        let message = format!("`{}` is unknown: {}", open.at, open.why);
        let mut d = Diagnostic::new(&RULE, open.place, message).severity(Severity::Info);
        if open.is_given {
            d = d.note("`--var`, `--var-file` or `--state` with what `terraform show -json` prints may tell");
        }
        found.push(said("unresolved-id", &open.at, d));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::{dependency, speaks, stacks};

    #[test]
    fn a_module_that_calls_itself_is_not_followed() {
        let call = "module \"m\" {\n  source = \"./m\"\n}\n";
        let own = "//- /w/m/main.tf\nmodule \"n\" {\n  source = \"../m\"\n}\n";
        let text = format!("{call}{}{own}", stacks(&["a"]));
        speaks(&RULE, &text, &["\"../m\""]);
    }

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let text = [
            stacks(&["a", "b"]),
            "variable \"x\" {\n}\n".to_owned(),
            dependency("d", "spacelift_stack.a.id", "var.x"),
            dependency("e", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        ];
        speaks(&RULE, &text.concat(), &["var.x"]);
    }
}
