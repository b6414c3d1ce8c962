//! Files and snippets of Terramate.

use super::Scenery;

pub(crate) const PLAIN: Scenery = Scenery {
    files: &[
        ("/w/terramate.tm", "terramate {\n  config {\n  }\n}\n"),
        (
            "/w/a/stack.tm",
            "stack {\n  name = \"a\"\n  id = \"one\"\n  tags = [\"net\", \"prod\"]\n  after = [\"/b\", \"tag:db\"]\n}\n",
        ),
        (
            "/w/b/stack.tm.hcl",
            "stack {\n  tags = [\"db\"]\n  before = [\"../c\"]\n  wants = [\"/c\"]\n}\n",
        ),
        (
            "/w/b/sub/stack.tm",
            "import {\n  source = \"/mod/shared.tm\"\n}\nstack {\n  after = [\"/a\", \"/nowhere\"]\n}\n",
        ),
        (
            "/w/c/stack.tm",
            "stack {\n  id = \"two\"\n  after = [\"tag:net:prod\", \"/b/sub\"]\n  wanted_by = [\"tag:db\"]\n}\n",
        ),
        ("/w/mod/shared.tm", "globals {\n  region = \"eu\"\n}\n"),
        ("/w/c/.tmskip", ""),
    ],
    snippets: &[
        "x",
        "\n",
        " ",
        "#",
        "=",
        "[",
        "]",
        "{",
        "}",
        "\"",
        ",",
        "\"/c\", ",
        "\"tag:db\", ",
        "\"tag:~net\", ",
        "\"../b\", ",
        "\n  tags = [\"db\", \"net\"]\n",
        "\n  after = [\"/a\"]\n",
        "\n  id = \"one\"\n",
        "\nstack {\n}\n",
        "\nglobals {\n  a = 1\n}\n",
        "${",
        "ä",
        "\nimport {\n  source = \"/mod/shared.tm\"\n}\n",
    ],
};

/// Rare constructs that are still checked.
pub(crate) const DEEP: Scenery = Scenery {
    files: &[
        (
            "/w/terramate.tm",
            r#"terramate {
  required_version = ">= 0.11.0"
  config {
    experiments = ["scripts", "tmgen", "outputs-sharing"]
    run {
      env {
        REGION = global.region
      }
    }
  }
}
globals {
  region = "eu"
}
globals "labels" {
  team = "a"
}
sharing_backend "default" {
  type     = terraform
  filename = "shared.tf"
  command  = ["terraform", "output", "-json"]
}
"#,
        ),
        (
            "/w/a/stack.tm",
            r#"stack {
  id    = "one"
  tags  = ["net"]
  watch = ["/w.txt"]
}
globals {
  region = tm_upper(global.labels.team)
}
output "id" {
  backend = "default"
  value   = module.a.id
}
generate_file "x.txt" {
  condition = true
  content   = global.region
}
"#,
        ),
        (
            "/w/b/stack.tm",
            r#"import {
  source = "/mod/shared.tm"
}
stack {
  id     = "two"
  after  = ["tag:net"]
  before = ["/c"]
}
input "id" {
  backend       = "default"
  from_stack_id = "one"
  value         = outputs.id.value
}
"#,
        ),
        (
            "/w/c/stack.tm",
            "stack {\n  id = \"three\"\n}\nassert {\n  assertion = true\n  message   = \"no\"\n}\n",
        ),
        (
            "/w/c/more.tm",
            r#"stack_filter {
  project_paths = ["/a"]
}
script "deploy" {
  lets {
    x = global.region
  }
  job {
    command = ["echo", let.x]
  }
}
"#,
        ),
        (
            "/w/mod/shared.tm",
            "globals {\n  size = 1\n}\ngenerate_hcl \"g.tf\" {\n  lets {\n    a = 1\n  }\n  stack_filter {\n    \
             project_paths = [\"/b\"]\n  }\n  content {\n    a = let.a\n  }\n}\n",
        ),
        ("/w/c/main.tf.tmgen", "locals {\n  a = global.region\n}\n"),
        ("/w/w.txt", "x\n"),
    ],
    snippets: &[
        "\nglobals {\n  region = global.size\n}\n",
        "\n  map {\n  }\n",
        "\nassert {\n  assertion = false\n}\n",
        "\nscript \"deploy\" {\n  job {\n    commands = [[\"ls\"]]\n  }\n}\n",
        "\nimport {\n  source = \"/mod/shared.tm\"\n}\n",
        "\n  stack_filter {\n    tags = [\"net\"]\n  }\n",
        "\n  tags = [\"db\"]",
        "\n  after = [\"/a\"]",
        "\n  unset = unset",
        "\"",
        "\n",
        "/c",
    ],
};
