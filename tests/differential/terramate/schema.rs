//! The contents of blocks, one mistake per project: rejected exactly where Terramate rejects it.

use super::{Outcome, Question, oracle, ours};
use rayon::prelude::*;

/// The contents of `terramate.config`, and the text after the block.
const CONFIGS: &[(&str, &str)] = &[
    ("", ""),
    ("foo = 1", ""),
    ("foo {\n}", ""),
    ("git {\n branch = \"x\"\n}", ""),
    ("git {\n default_branch = 1\n}", ""),
    ("git {\n check_remote = \"x\"\n}", ""),
    ("git {\n x {\n}\n}", ""),
    ("generate {\n x = 1\n}", ""),
    ("run {\n parallel = 1\n}", ""),
    ("run {\n env {\n A = global.x\n}\n}", ""),
    ("run {\n env {\n x {\n}\n}\n}", ""),
    ("cloud {\n org = \"x\"\n}", ""),
    ("cloud {\n targets {\n x = 1\n}\n}", ""),
    ("targets {\n x = 1\n}", ""),
    ("change_detection {\n x = 1\n}", ""),
    ("change_detection {\n x {\n}\n}", ""),
    ("change_detection {\n terragrunt {\n x = 1\n}\n}", ""),
    (
        "change_detection {\n terragrunt {\n enabled = \"maybe\"\n}\n}",
        "",
    ),
    ("change_detection {\n git {\n x = 1\n}\n}", ""),
    ("change_detection {\n git {\n untracked = \"maybe\"\n}\n}", ""),
    ("change_detection {\n git {\n untracked = 1\n}\n}", ""),
    ("telemetry {\n x = 1\n}", ""),
    ("telemetry {\n x {\n}\n}", ""),
    ("experiments = \"scripts\"", ""),
    ("experiments = [1]", ""),
    ("experiments = [\"nope\"]", ""),
    ("disable_safeguards = [\"nope\"]", ""),
    ("disable_safeguards = [\"git\"]", ""),
    ("disable_safeguards = \"git\"", ""),
    (
        "disable_safeguards = [\"git\"]\n git {\n check_remote = true\n}",
        "",
    ),
    ("generate {\n hcl_magic_header_comment_style = \"--\"\n}", ""),
    ("generate {\n hcl_magic_header_comment_style = \"#\"\n}", ""),
    ("cloud {\n location = \"mars\"\n}", ""),
    ("cloud {\n location = \"eu\"\n}", ""),
    ("git {\n default_branch = global.x\n}", ""),
    ("git {\n default_branch = tm_upper(\"x\")\n}", ""),
    ("git {\n default_branch = null\n}", ""),
    ("", "vendor {\n x = 1\n}\n"),
    ("", "vendor {\n dir = 1\n}\n"),
    ("", "vendor {\n manifest {\n x = 1\n}\n}\n"),
    ("", "vendor {\n manifest {\n default {\n x = 1\n}\n}\n}\n"),
    ("", "vendor {\n manifest {\n default {\n files = \"x\"\n}\n}\n}\n"),
    (
        "",
        "vendor {\n dir = \"/v\"\n manifest {\n default {\n files = [\"x\"]\n}\n}\n}\n",
    ),
    ("", "vendor {\n manifest {\n}\n manifest {\n}\n}\n"),
    ("", "assert {\n assertion = true\n message = \"\"\n x = 1\n}\n"),
    ("", "assert {\n assertion = true\n message = \"\"\n x {\n}\n}\n"),
    ("", "generate_hcl \"a.tf\" {\n content {\n}\n x = 1\n}\n"),
    ("", "generate_hcl \"a.tf\" {\n content {\n}\n x {\n}\n}\n"),
    ("", "generate_hcl \"a.tf\" {\n content {\n}\n content {\n}\n}\n"),
    (
        "",
        "generate_hcl \"a.tf\" {\n content {\n}\n lets {\n a = 1\n map x {\n for_each = []\n key = 1\n value = 2\n}\n}\n}\n",
    ),
    (
        "",
        "generate_hcl \"a.tf\" {\n content {\n}\n lets {\n foo {\n}\n}\n}\n",
    ),
    (
        "",
        "generate_hcl \"a.tf\" {\n content {\n}\n stack_filter {\n x = 1\n}\n}\n",
    ),
    (
        "",
        "generate_hcl \"a.tf\" {\n content {\n}\n stack_filter {\n project_paths = []\n}\n}\n",
    ),
    ("", "generate_file \"a\" {\n content = \"\"\n context = foo\n}\n"),
    (
        "",
        "generate_file \"/a\" {\n content = \"\"\n context = root\n}\n",
    ),
    (
        "",
        "generate_file \"/a\" {\n content = \"\"\n context = root\n inherit = true\n}\n",
    ),
    ("", "generate_file \"a\" {\n content = \"\"\n x = 1\n}\n"),
    (
        "experiments = [\"scripts\"]",
        "script \"a\" {\n x = 1\n job {\n command = [\"a\"]\n}\n}\n",
    ),
    (
        "experiments = [\"scripts\"]",
        "script \"a\" {\n x {\n}\n job {\n command = [\"a\"]\n}\n}\n",
    ),
    (
        "experiments = [\"scripts\"]",
        "script \"a\" {\n job {\n command = [\"a\"]\n x = 1\n}\n}\n",
    ),
    (
        "experiments = [\"scripts\"]",
        "script \"a\" {\n job {\n command = [\"a\"]\n x {\n}\n}\n}\n",
    ),
    (
        "experiments = [\"outputs-sharing\"]",
        "input \"a\" {\n backend = \"x\"\n value = 1\n from_stack_id = \"y\"\n x = 1\n}\n",
    ),
    (
        "experiments = [\"outputs-sharing\"]",
        "input \"a\" {\n backend = \"x\"\n value = 1\n from_stack_id = \"y\"\n x {\n}\n}\n",
    ),
    (
        "experiments = [\"outputs-sharing\"]",
        "sharing_backend \"a\" {\n type = foo\n filename = \"x\"\n command = [\"x\"]\n}\n",
    ),
    (
        "experiments = [\"outputs-sharing\"]",
        "sharing_backend \"a\" {\n type = terraform\n filename = \"x\"\n command = [\"x\"]\n}\n",
    ),
    ("", "globals {\n foo {\n}\n}\n"),
    (
        "",
        "globals {\n map x {\n for_each = []\n key = 1\n value = 2\n}\n}\n",
    ),
    ("", "import {\n source = \"/x.tm\"\n x {\n}\n}\n"),
];

/// Blocks of bundles and components, and what is next to them.
const CATALOG: &[&str] = &[
    "define {\n}\n",
    "define {\n x = 1\n}\n",
    "define {\n x {\n}\n}\n",
    "define {\n component {\n}\n}\n",
    "define {\n component {\n x = 1\n}\n}\n",
    "define {\n component {\n x {\n}\n}\n}\n",
    "define {\n component \"x\" {\n}\n}\n",
    "define {\n component \"metadata\" {\n}\n}\n",
    "define {\n component \"input\" {\n}\n}\n",
    "define {\n component \"input\" \"a\" {\n}\n}\n",
    "define {\n bundle {\n x = 1\n}\n}\n",
    "define {\n bundle {\n alias = \"a\"\n}\n}\n",
    "define {\n bundle \"lets\" {\n a = 1\n}\n}\n",
    "define {\n bundle \"stack\" {\n}\n}\n",
    "define {\n bundle \"stack\" \"a\" {\n condition = true\n}\n}\n",
    "define {\n bundle \"stack\" \"a\" \"metadata\" {\n}\n}\n",
    "define {\n schema {\n}\n}\n",
    "define {\n schema \"a\" {\n type = string\n}\n}\n",
    "define {\n schema \"a\" \"b\" {\n}\n}\n",
    "define x {\n}\n",
    "define component {\n}\n",
    "define component {\n x = 1\n}\n",
    "define component metadata {\n}\n",
    "define component metadata {\n class = \"c\"\n name = \"n\"\n version = \"1.0.0\"\n}\n",
    "define component metadata {\n class = \"c\"\n name = \"n\"\n version = \"1.0.0\"\n x = 1\n}\n",
    "define component inputs {\n}\n",
    "define component input \"a\" {\n type = string\n}\n",
    "define component input \"a\" {\n allowed_values = []\n}\n",
    "define component input \"a\" {\n prompt = \"x\"\n}\n",
    "define component input \"a\" {\n prompt {\n text = \"x\"\n}\n}\n",
    "define component input \"a\" {\n prompt \"x\" {\n}\n}\n",
    "define component input \"a\" {\n prompt {\n x = 1\n}\n}\n",
    "define component input \"a\" {\n prompt {\n x {\n}\n}\n}\n",
    "define component input \"a\" {\n x {\n}\n}\n",
    "define component input \"a\" {\n attribute {\n}\n}\n",
    "define component input \"a\" {\n attribute \"b\" {\n required = true\n}\n}\n",
    "define component input \"a\" {\n attribute \"b\" {\n x = true\n}\n}\n",
    "define component input \"a\" {\n attribute \"b\" {\n x {\n}\n}\n}\n",
    "define component input \"a\" \"b\" {\n}\n",
    "define component {\n input {\n}\n}\n",
    "define component {\n input \"a\" \"b\" {\n}\n}\n",
    "define component {\n uses \"schemas\" \"a\" {\n source = \"x\"\n}\n}\n",
    "define component {\n uses \"schemas\" \"a\" {\n}\n}\n",
    "define component {\n uses \"x\" \"a\" {\n source = \"x\"\n}\n}\n",
    "define component {\n uses \"schemas\" {\n source = \"x\"\n}\n}\n",
    "define bundle {\n x = 1\n}\n",
    "define bundle {\n x {\n}\n}\n",
    "define bundle {\n metadata {\n class = \"c\"\n name = \"n\"\n version = \"1.0.0\"\n}\n}\n",
    "define bundle {\n metadata \"x\" {\n}\n}\n",
    "define bundle metadata {\n x {\n}\n}\n",
    "define bundle scaffolding {\n path = \"x\"\n}\n",
    "define bundle scaffolding {\n x = \"x\"\n}\n",
    "define bundle scaffolding {\n enabled {\n condition = true\n error_message = \"x\"\n}\n}\n",
    "define bundle scaffolding {\n enabled {\n condition = true\n}\n}\n",
    "define bundle scaffolding {\n enabled {\n condition = true\n error_message = \"x\"\n x {\n}\n}\n}\n",
    "define bundle scaffolding {\n x {\n}\n}\n",
    "define bundle environments {\n required = true\n}\n",
    "define bundle environments {\n x = true\n}\n",
    "define bundle environments {\n x {\n}\n}\n",
    "define bundle lets {\n a = 1\n}\n",
    "define bundle lets {\n x {\n}\n}\n",
    "define bundle export \"a\" {\n value = 1\n}\n",
    "define bundle export \"a\" {\n x = 1\n}\n",
    "define bundle export \"a\" {\n x {\n}\n}\n",
    "define bundle {\n export \"a\" {\n x {\n}\n}\n}\n",
    "define bundle {\n export {\n}\n}\n",
    "define bundle stack \"a\" {\n}\n",
    "define bundle stack \"a\" {\n x = 1\n}\n",
    "define bundle stack \"a\" {\n x {\n}\n}\n",
    "define bundle stack \"a\" {\n metadata {\n path = \"/x\"\n after = []\n}\n}\n",
    "define bundle stack \"a\" {\n metadata {\n x = 1\n}\n}\n",
    "define bundle stack \"a\" {\n metadata \"x\" {\n}\n}\n",
    "define bundle stack \"a\" {\n component \"c\" {\n source = \"x\"\n}\n}\n",
    "define bundle stack \"a\" {\n component \"c\" {\n}\n}\n",
    "define bundle stack \"a\" {\n component {\n source = \"x\"\n}\n}\n",
    "define bundle stack \"a\" {\n component \"c\" {\n source = \"x\"\n x = 1\n}\n}\n",
    "define bundle stack \"a\" {\n component \"c\" {\n source = \"x\"\n x {\n}\n}\n}\n",
    "define bundle stack \"a\" metadata {\n tags = []\n}\n",
    "define bundle stack \"a\" metadata {\n x = []\n}\n",
    "define bundle stack \"a\" x {\n}\n",
    "define bundle x {\n}\n",
    "define bundle input {\n}\n",
    "define bundle a b c d {\n}\n",
    "define a b c d e {\n}\n",
    "define schema \"a\" {\n description = \"x\"\n attribute \"b\" {\n}\n}\n",
    "define schema \"a\" {\n x = 1\n}\n",
    "define schema {\n}\n",
    "define schema \"a\" \"b\" {\n}\n",
    "component {\n}\n",
    "component \"a\" {\n}\n",
    "component \"a\" {\n source = \"/x\"\n x = 1\n}\n",
    "component \"a\" {\n source = \"/x\"\n x {\n}\n}\n",
    "component \"a\" {\n source = \"/x\"\n inputs \"x\" {\n}\n}\n",
    "component \"a\" \"x\" {\n}\n",
    "component \"a\" \"b\" \"c\" {\n}\n",
    "bundle {\n}\n",
    "bundle \"a\" {\n}\n",
    "bundle \"a\" {\n source = \"/x\"\n x = 1\n}\n",
    "bundle \"a\" {\n source = \"/x\"\n x {\n}\n}\n",
    "bundle \"a\" {\n source = \"/x\"\n inputs {\n x {\n}\n}\n}\n",
    "bundle \"a\" {\n source = \"/x\"\n environment {\n}\n}\n",
    "bundle \"a\" \"b\" \"c\" {\n}\n",
    "environment {\n}\n",
    "environment \"x\" {\n}\n",
    "environment {\n id = \"dev\"\n name = \"Dev\"\n}\n",
    "environment {\n id = \"dev\"\n x = \"Dev\"\n}\n",
    "environment {\n id = \"dev\"\n x {\n}\n}\n",
    "environment {\n id = 1\n}\n",
    "environment {\n id = \"dev\"\n promote_from = \"prod\"\n}\n",
    "environment {\n id = \"dev\"\n name = \"a\"\n}\nenvironment {\n id = \"dev\"\n name = \"b\"\n}\n",
    "scaffold {\n}\n",
    "scaffold {\n package_sources = []\n}\n",
    "scaffold {\n x = []\n}\n",
    "scaffold {\n x {\n}\n}\n",
    "scaffold \"x\" {\n}\n",
];

/// Whole root files.
const ROOTS: &[&str] = &[
    "terramate {\n required_version = \">= 0.1\"\n foo = 1\n}\n",
    "terramate {\n required_version = \">= 0.1\"\n foo {\n}\n}\n",
    "terramate {\n required_version = 1\n}\n",
    "terramate {\n required_version = global.x\n}\n",
    "terramate {\n required_version = \">= 0.1\"\n required_version_allow_prereleases = \"x\"\n}\n",
];

#[test]
fn block_contents_are_rejected_where_terramate_rejects_them() {
    let Some(oracle) = oracle::find() else { return };
    let config = |(inside, behind): &(&str, &str)| {
        format!("terramate {{\n  required_version = \">= 0.1\"\n  config {{\n{inside}\n  }}\n}}\n{behind}")
    };
    let texts: Vec<String> = CONFIGS
        .iter()
        .map(config)
        .chain(CATALOG.iter().map(|behind| config(&("", *behind))))
        .chain(ROOTS.iter().map(|text| (*text).to_owned()))
        .collect();
    let question = Question::whole();
    let differ: Vec<String> = texts
        .par_iter()
        .filter_map(|text| {
            let dir = crate::temp::temporary();
            let root = dir.path().canonicalize().unwrap();
            std::fs::create_dir(root.join("s")).unwrap();
            std::fs::write(root.join("terramate.tm"), text).unwrap();
            std::fs::write(root.join("s/s.tm"), "stack {\n}\n").unwrap();
            let (theirs, said) = oracle.ask(&root, &question);
            let ours = ours::answer(&root, &question);
            let refused = |o: &Outcome| matches!(o, Outcome::Refused(_));
            let known = ours.outcome != Outcome::Unknown;
            (known && refused(&ours.outcome) != refused(&theirs.outcome))
                .then(|| format!("{text}\ntheirs {theirs:?}\n{said}\nours {ours:?}"))
        })
        .collect();
    println!(
        "terramate: {} insides of blocks, {} differ",
        texts.len(),
        differ.len()
    );
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
