//! What Terramate reports for blocks with several mistakes, or mistakes in combination, as observed with
//! Terramate 0.17.2.

use crate::rules::fixture::check;
use applyorder_core::rules::invalid_value::RULE;

/// The message of each error that `run` reports, sorted.
fn said(files: &str) -> Vec<String> {
    let checked = check(&RULE, files);
    let mut said: Vec<String> = checked.said().into_iter().map(str::to_owned).collect();
    said.sort();
    said
}

const DISABLES: &str = "//- /w/a.tm\nterramate {\n  config {\n    disable_safeguards = [\"all\"]\n  }\n}\n";

#[test]
fn safeguards_that_are_disabled_in_another_block_are_not_to_be_set() {
    let sets =
        |block: &str| format!("{DISABLES}//- /w/b.tm\nterramate {{\n  config {{\n    {block}\n  }}\n}}\n");
    let words =
        |name: &str| format!("terramate.config.{name} conflicts with terramate.config.disable_safeguards");
    assert_eq!(
        said(&sets("run {\n      check_gen_code = true\n    }")),
        [words("run.check_gen_code")]
    );
    assert_eq!(
        said(&sets("git {\n      check_remote = true\n    }")),
        [words("git.check_remote")]
    );
    assert_eq!(said(&sets("git {\n      default_remote = \"x\"\n    }")), [""; 0]);
    let none = sets("run {\n      check_gen_code = true\n    }").replace("[\"all\"]", "[]");
    assert_eq!(said(&none), [""; 0]);
    // Also by what is imported, unless the directory sets it.
    let imports = "//- /w/c.tm\nimport {\n  source = \"/i/a.tm\"\n}\n";
    let imported = sets("run {\n      check_gen_code = true\n    }").replace("/w/a.tm", "/w/i/a.tm");
    let imported = format!("{imported}{imports}");
    assert_eq!(said(&imported), [words("run.check_gen_code")]);
    let own = DISABLES.replace("/w/a.tm", "/w/d.tm").replace("[\"all\"]", "[]");
    assert_eq!(said(&format!("{imported}{own}")), [""; 0]);
    // A value that Terramate does not take disables nothing, and one that it cannot evaluate conflicts with nothing.
    for (list, said_of) in [
        ("[\"x\"]", "invalid keyword \"x\""),
        (
            "[\"git\", \"git\"]",
            "duplicated entry \"git\" in the index 1 of field \"disable_safeguards\" of type set(string)",
        ),
    ] {
        let files = sets("git {\n      check_remote = true\n    }").replace("[\"all\"]", list);
        assert_eq!(said(&files), [said_of]);
    }
    assert_eq!(
        said(&sets("git {\n      check_remote = global.a\n    }")),
        ["failed to evaluate terramate.config.check_remote attribute: Variables may not be used here."]
    );
    // Each directory by itself.
    let elsewhere = sets("run {\n      check_gen_code = true\n    }").replace("/w/b.tm", "/w/x/b.tm");
    assert_eq!(said(&elsewhere), [""; 0]);
}

#[test]
fn what_an_input_asks_with_is_said_once() {
    let input = |inside: &str| {
        said(&format!(
            "//- /w/a.tm\ndefine bundle {{\n  input \"z\" {{\n{inside}  }}\n  metadata {{\n    class = \"c\"\n    name = \"n\"\n    version = \"1\"\n  }}\n}}\n"
        ))
    };
    for (attribute, field) in [
        ("prompt", "text"),
        ("options", "options"),
        ("multiline", "multiline"),
        ("multiselect", "multiselect"),
    ] {
        let words = format!("cannot use both \"{attribute}\" attribute and prompt.{field} in input \"z\"");
        let both = format!("    {attribute} = true\n    prompt {{\n      {field} = true\n    }}\n");
        assert_eq!(input(&both), [words], "{both}");
    }
    assert_eq!(
        input("    prompt = \"x\"\n    prompt {\n      options = []\n    }\n"),
        [""; 0]
    );
}

#[test]
fn a_block_that_cannot_be_merged_is_not_there_for_those_that_follow() {
    let redeclared = |name: &str| {
        format!("attribute \"{name}\" redeclared in file \"/a.tm\" (first defined in \"/a.tm\")")
    };
    let files = |first: &str| {
        format!(
            "//- /w/a.tm\nterramate {{\n  config {{\n    experiments = []\n{first}  }}\n  config {{\n    experiments = []\n  }}\n}}\n"
        )
    };
    assert_eq!(said(&files("")), [redeclared("experiments")]);
    let git = "    git {\n      default_remote = \"x\"\n    }\n";
    assert_eq!(said(&files(&git.repeat(2))), [redeclared("default_remote")]);
    // One with an equal one before it keeps what was merged from it.
    let third = files("").replace(
        "  }\n}\n",
        "    disable_safeguards = []\n  }\n  config {\n    disable_safeguards = []\n  }\n}\n",
    );
    assert_eq!(
        said(&third),
        [redeclared("disable_safeguards"), redeclared("experiments")]
    );
}

#[test]
fn labels_of_blocks_that_there_are_not_end_the_merging_too() {
    let text = "//- /w/a.tm\nterramate {\n  dynamic \"x\" {\n  }\n  config {\n    nope = 1\n  }\n}\n";
    assert_eq!(said(text), ["block type \"dynamic\" does not support labels"]);
}

#[test]
fn a_generating_block_is_looked_into_only_where_it_has_the_right_parts() {
    let file = |lines: &str| {
        said(&format!(
            "//- /w/a.tm\ngenerate_hcl \"x\" {{\n  content {{\n  }}\n  lets {{\n    map \"m\" {{\n    }}\n  }}\n{lines}}}\n"
        ))
    };
    assert_eq!(file(""), ["map.for_each attribute is required"]);
    assert_eq!(
        file("  nope = 1\n"),
        ["An argument named \"nope\" is not expected here"]
    );
}

#[test]
fn of_what_a_block_lacks_the_first_is_reported() {
    assert_eq!(
        said("//- /w/a.tm\ndefine bundle metadata {\n  class = \"c\"\n}\n"),
        ["\"metadata\" block requires a \"name\" attribute"]
    );
    assert_eq!(
        said(
            "//- /w/a.tm\ndefine bundle metadata {\n  class = \"c\"\n}\n//- /w/b.tm\ndefine bundle metadata {\n  name = \"n\"\n}\n"
        ),
        ["\"metadata\" block requires a \"version\" attribute"]
    );
}

#[test]
fn forms_of_metadata_are_parsed_in_an_order_that_changes() {
    let run = |forms: &[&str]| {
        let checked = check(
            &RULE,
            &format!("//- /w/a.tm\n{}//- /w/s/s.tm\nstack {{\n}}\n", forms.concat()),
        );
        checked.verdict()
    };
    let labels = "define bundle metadata {\n  class = \"c\"\n  name = \"n\"\n  version = \"1\"\n}\n";
    let label = "define bundle {\n  metadata {\n    description = \"x\"\n  }\n}\n";
    let blocks = "define {\n  bundle {\n    metadata {\n      version = \"1\"\n    }\n  }\n}\n";
    assert_eq!(run(&[labels]), Some(true));
    assert_eq!(run(&[label]), Some(false));
    assert_eq!(run(&[labels, label]), None);
    // None is complete, or one sets the same again.
    assert_eq!(run(&[label, blocks]), Some(false));
    assert_eq!(run(&[labels, label, blocks]), Some(false));
    // A component is something else.
    assert_eq!(run(&[labels, &label.replace("bundle", "component")]), Some(false));
}

#[test]
fn what_labels_and_blocks_say_is_one_block() {
    let nested = "define {\n  bundle {\n    lets {\n      a = 1\n    }\n    input \"z\" {\n      type = string\n    }\n  }\n}\n";
    let both = |labels: &str| said(&format!("//- /w/a.tm\n{labels}//- /w/b.tm\n{nested}"));
    assert_eq!(both(""), [""; 0]);
    assert_eq!(
        both("define bundle lets {\n  a = 1\n}\n"),
        ["duplicate lets attribute \"a\""]
    );
    assert_eq!(both("define bundle lets {\n  b = 1\n}\n"), [""; 0]);
    assert_eq!(
        both("define bundle input \"z\" {\n  type = string\n}\n"),
        ["duplicate attribute \"type\" in input block"]
    );
    assert_eq!(both("define bundle input \"y\" {\n  type = string\n}\n"), [""; 0]);
}

#[test]
fn what_is_generated_has_a_name() {
    assert_eq!(
        said("//- /w/a.tm\ngenerate_hcl \"\" {\n  content {\n  }\n}\n"),
        ["generate_hcl label can't be empty"]
    );
    assert_eq!(
        said("//- /w/a.tm\ngenerate_hcl \"x\" {\n  lets {\n  }\n}\n"),
        ["\"generate_hcl\" block requires a content block"]
    );
}
