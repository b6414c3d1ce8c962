//! Blocks that are merged with equal ones.

use super::*;

#[test]
fn equal_blocks_of_bundles_and_components_are_one() {
    finds(
        "//- c/a.tm\ncomponent \"c\" {\n  source = \"/x\"\n}\n//- c/b.tm\ncomponent \"c\" {\n  inputs {\n    a = 1\n  }\n}\ndefine bundle metadata {\n  class = \"a\"\n  name = \"b\"\n}\ndefine bundle metadata {\n  version = \"1\"\n}\n",
        &[],
    );
    finds(
        "//- c/a.tm\ncomponent \"c\" {\n  source = \"/x\"\n  inputs {\n    a = 1\n  }\n}\n//- c/b.tm\ncomponent \"c\" {\n  inputs {\n    a = 2\n  }\n}\n",
        &[
            "duplicate-key c/b.tm «a» error load: attribute \"a\" redeclared in file \"/c/b.tm\" (first defined in \"/c/a.tm\")",
        ],
    );
    finds(
        "//- c/a.tm\ngenerate_hcl \"x\" {\n  content {\n  }\n  lets {\n    a = 1\n  }\n  lets {\n    a = 2\n  }\n}\n",
        &[
            "invalid-value c/a.tm «a» error load: attribute \"a\" redeclared in file \"/c/a.tm\" (first defined in \"/c/a.tm\")",
        ],
    );
    // So are blocks in them.
    let map = |rest: &str| {
        format!(
            "globals \"g\" {{\n  map \"m\" {{\n    for_each = []\n    key = \"k\"\n    {rest}\n  }}\n}}\n"
        )
    };
    let said = |name: &str| {
        format!(
            "duplicate-key c/b.tm «{name}» error load: attribute \"{name}\" redeclared in file \"/c/b.tm\" (first defined in \"/c/a.tm\")"
        )
    };
    let tree = format!("//- c/a.tm\n{}//- c/b.tm\n{}", map("value = 1"), map("value = 2"));
    let all = ["for_each", "key", "value"].map(said);
    finds(&tree, &all.each_ref().map(String::as_str));
    // What all of them lack is reported once.
    finds(
        "//- c/a.tm\ncomponent \"c\" {\n}\ncomponent \"c\" {\n}\n",
        &[
            "missing-field c/a.tm «component \"c\"» error load: \"component\" block requires a \"source\" attribute",
        ],
    );
}

#[test]
fn of_a_block_that_cannot_be_merged_nothing_else_is_said() {
    let said = |files: &str| {
        let analysis = project(files).analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let errors = project.resolution.verdicts[0].errors.iter();
        errors.map(|e| e.rule).collect::<Vec<_>>()
    };
    let inputs = "  inputs {\n    a = 1\n  }\n";
    assert_eq!(
        said(&format!("//- c/a.tm\ncomponent \"c\" {{\n{inputs}{inputs}}}\n")),
        ["duplicate-key"]
    );
    assert_eq!(
        said(&format!("//- c/a.tm\ncomponent \"c\" {{\n{inputs}}}\n")),
        ["missing-field"]
    );
}

#[test]
fn what_is_set_twice_in_blocks_inside_is_shown_at_the_second() {
    let git = |branch: &str| format!("    git {{\n      default_branch = {branch}\n    }}\n");
    let found = project(&format!(
        "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  config {{\n{}{}  }}\n}}\n//- a/x.tm\ncomponent \"c\" {{\n  source = \"x\"\n  inputs {{\n    a = 1\n  }}\n  inputs {{\n    a = 2\n  }}\n}}\n",
        git("\"one\""),
        git("\"two\"")
    ));
    let analysis = found.analysis();
    let files = analysis.files_with_findings().into_iter();
    let mut lines: Vec<usize> = files
        .flat_map(|file| analysis.findings_of(file))
        .filter_map(|f| {
            let file = f.diagnostic.place.file;
            let text = &analysis.source(file)?.text;
            let before = &text[..analysis.span(f.diagnostic.place).start as usize];
            (f.diagnostic.rule.id == "duplicate-key").then(|| before.lines().count())
        })
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [7, 8]);
}
