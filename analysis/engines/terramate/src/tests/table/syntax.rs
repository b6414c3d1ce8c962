//! Text that is not HCL.

use super::*;

#[test]
fn syntax_errors() {
    finds(
        "stack {\n  name = \"a\"\n  name = \"b\"\n}\n",
        &["syntax-error s/stack.tm «name» error load: The argument \"name\" was already set"],
    );
    attribute(
        "after = [\"a\" \"b\"]",
        &["syntax-error s/stack.tm «\"» error load"],
    );
    attribute("after =", &["syntax-error s/stack.tm «» error load"]);
    finds("stack {\n", &["syntax-error s/stack.tm «stack {» error load"]);
    // The other contents of the directory are also checked.
    finds(
        "//- s/a.tm\nglobals {\n//- s/b.tm\nnothing {\n}\n",
        &[
            "syntax-error s/a.tm «globals {» error load",
            "unknown-field s/b.tm «nothing» error load: unrecognized block \"nothing\"",
        ],
    );
}
