//! What an editor asks.

mod complete;
mod hover;
mod navigate;

use applyorder_analysis::fixture::Fixture;
use applyorder_core::engine::RunOptions;

use super::{dependency, module, reference, stacks};

/// Two modules with a stack of one name each, the first in two files.
fn tree(main: &str) -> String {
    format!(
        "{main}//- /w/more.tf\nmodule \"m\" {{\n  source = \"./m\"\n}}\n{}//- /w/m/main.tf\n{}{}",
        dependency("far", "module.m.id", "spacelift_stack.a.id"),
        stacks(&["a"]),
        "output \"id\" {\n  value = spacelift_stack.a.id\n}\n"
    )
}

fn fixture(main: &str) -> Fixture {
    module(&tree(main), RunOptions::default())
}

/// Two stacks that run directories of the repository, and a reference that carries an output of the one to the other.
fn carrying(output: &str, input: &str) -> String {
    let root = |dir: &str| format!("project_root = \"{dir}\"\n  branch ");
    let net = stacks(&["b"]).replace("branch ", &root("net"));
    let app = stacks(&["a"]).replace("branch ", &root("app"));
    let declared = "//- /w/net/out.tf\noutput \"cidr\" {\n  value       = 1\n  description = \"The *range*.\"\n  sensitive   = \
                    true\n}\noutput \"other\" {\n  value = 1\n}\n//- /w/app/in.tf\nvariable \"cidr\" {\n}\n";
    format!(
        "{app}{net}{}{}{declared}",
        dependency("d", "spacelift_stack.a.id", "spacelift_stack.b.id"),
        reference("r", "spacelift_stack_dependency.d.id", output, input)
    )
}
