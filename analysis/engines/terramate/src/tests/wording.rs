//! Each problem in a file belongs to one rule.

use std::collections::BTreeSet;

use crate::problems::{Fault, Problem};
use crate::read::FileFacts;
use crate::rules::claimed_by;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{EngineIx, FactsInput};

/// The names of all faults: a new one has to be added here, and to the texts.
const fn name(fault: &Fault) -> &'static str {
    match fault {
        Fault::Syntax { .. } => "syntax",
        Fault::Truncated(_) => "truncated",
        Fault::TooLong(_) => "too long",
        Fault::Unresolved => "unresolved",
        Fault::StackLabel => "stack label",
        Fault::StackBlock(_) => "stack block",
        Fault::Evaluation { .. } => "evaluation",
        Fault::NoText { .. } => "no text",
        Fault::NoList { .. } => "no list",
        Fault::NoTextInList { .. } => "no text in list",
        Fault::DuplicateEntry { .. } => "duplicate entry",
        Fault::Unknown { .. } => "unknown",
        Fault::Missing { .. } => "missing",
        Fault::LabelCount { .. } => "label count",
        Fault::Labels { .. } => "labels",
        Fault::DuplicateBlock { .. } => "duplicate block",
        Fault::Conflict { .. } => "conflict",
        Fault::Redeclared { .. } => "redeclared",
        Fault::Value { .. } => "value",
    }
}

const TEXTS: [&str; 19] = [
    "stack {\n  a = = 1\n}\n",
    "a = 1\na = 2\n",
    "stack \"x\" {\n  foo {\n  }\n}\n",
    "stack {\n  name = 1\n  tags = \"x\"\n  after = [1]\n  wants = [\"/a\", \"/a\"]\n  nope = 1\n}\n",
    "stack {\n  tags = [tm_uuid()]\n}\n",
    "stack {\n  name = global.x\n}\n",
    "stack {\n  name = nope(1)\n}\n",
    "stack {\n  name = tm_file(\"/nowhere\").x\n}\n",
    "import {\n}\n",
    "input \"x\" {\n}\n",
    "script \"x\" {\n}\n",
    "generate_hcl {\n}\n",
    "globals \"a\" {\n  map {\n  }\n}\n",
    "globals {\n  map \"m\" {\n    for_each = []\n    key = \"k\"\n    value {\n    }\n    value {\n    }\n  }\n}\n",
    "define \"nowhere\" {\n}\n",
    "terramate {\n  required_version = 1\n  config {\n    git {\n      default_branch = [1]\n    }\n    cloud {\n      location = \"nowhere\"\n    }\n    disable_safeguards = [\"nope\"]\n  }\n}\n",
    "generate_file \"x\" {\n  content = \"\"\n  context = root\n  inherit = true\n  lets {\n  }\n}\n",
    "generate_hcl \"x\" {\n  content {\n  }\n  lets {\n    a = 1\n  }\n  lets {\n    a = 2\n  }\n}\n",
    "script \"x\" {\n  job {\n    command = [\"a\"]\n    commands = [[\"a\"]]\n  }\n  lets \"x\" {\n  }\n}\n",
];

fn problems(text: &str) -> Vec<Problem> {
    let text = text.into();
    let facts = FileFacts::read(&FactsInput {
        file: FileId(0),
        path: "/w/a/stack.tm".into(),
        text: &text,
        previous: None,
        engine: EngineIx(0),
    });
    facts.shape.problems
}

#[test]
fn each_fault_is_one_rules() {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for text in TEXTS {
        for problem in problems(text) {
            let rules = claimed_by(&problem);
            assert_eq!(rules.len(), 1, "{problem:?}: {rules:?}");
            seen.insert(name(&problem.fault));
        }
    }
    // Faults that would require a large text.
    let any = problems(TEXTS[0]).remove(0);
    for fault in [Fault::Truncated(String::new()), Fault::TooLong(String::new())] {
        let problem = Problem { fault, ..any.clone() };
        assert_eq!(claimed_by(&problem), ["limit-reached"]);
        seen.insert(name(&problem.fault));
    }
    assert_eq!(seen.len(), 19, "{seen:?}");
}
