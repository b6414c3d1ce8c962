//! Files and snippets of Spacelift.

use super::Scenery;

pub(crate) const PLAIN: Scenery = Scenery {
    files: &[
        (
            "/w/main.tf",
            "resource \"spacelift_stack\" \"network\" {\n  name       = \"Network\"\n  repository = \"r\"\n  branch     = \
             \"main\"\n}\nresource \"spacelift_stack_dependency\" \"app\" {\n  stack_id            = \
             module.app[\"dev\"].id\n  depends_on_stack_id = spacelift_stack.network.id\n}\n",
        ),
        (
            "/w/more.tf",
            "variable \"names\" {\n  default = [\"dev\", \"prod\"]\n}\nmodule \"app\" {\n  source   = \"./app\"\n  for_each = \
             toset(var.names)\n  name     = each.key\n}\nresource \"spacelift_stack_dependency\" \"back\" {\n  stack_id            \
             = spacelift_stack.network.id\n  depends_on_stack_id = module.app[\"prod\"].id\n}\n",
        ),
        (
            "/w/versions.tf",
            "terraform {\n  required_providers {\n    spacelift = {\n      source = \"spacelift-io/spacelift\"\n    }\n  \
             }\n}\n",
        ),
        ("/w/a.auto.tfvars", "names = [\"dev\", \"prod\", \"x\"]\n"),
        (
            "/w/app/main.tf",
            "variable \"name\" {}\nresource \"spacelift_stack\" \"this\" {\n  name       = var.name\n  repository = \
             \"r\"\n  branch     = \"main\"\n}\noutput \"id\" {\n  value = spacelift_stack.this.id\n}\n",
        ),
        ("/w/other/main.tf", "variable \"x\" {\n}\n"),
        (
            "/w/blueprint.yaml",
            "stacks:\n  - key: a\n    name: a\n    vcs: &v {id: x, repository: r, branch: main, provider: GITHUB}\n    vendor: \
             {terraform: {manage_state: true}}\n  - key: b\n    name: b\n    vcs: *v\n    vendor: {terraform: {manage_state: \
             true}}\n    depends_on: [a]\n",
        ),
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
        "${",
        "/*",
        "ä",
        "\n  count = 2\n",
        "\n  for_each = toset([\"a\"])\n",
        "\nresource \"spacelift_stack\" \"more\" {\n  name = \"more\"\n}\n",
        "\nresource \"spacelift_stack_dependency\" \"more\" {\n  stack_id            = spacelift_stack.network.id\n  \
         depends_on_stack_id = spacelift_stack.more.id\n}\n",
        "\nmodule \"again\" {\n  source = \"./app\"\n  name   = \"again\"\n}\n",
        "\nlocals {\n  a = 1\n}\n",
        "\n    depends_on: [b]\n",
        "terraform {\n  backend \"s3\" {}\n}\n",
        "\n  providers = {\n    spacelift = spacelift\n  }\n",
        "\nprovider \"spacelift\" {\n}\n",
    ],
};

/// Rare constructs that are still checked.
pub(crate) const DEEP: Scenery = Scenery {
    files: &[
        (
            "/w/main.tf",
            r#"resource "spacelift_stack" "a" {
  name       = templatefile("${path.module}/t.tftpl", { x = "a" })
  repository = "r"
  branch     = "main"
  github_enterprise {
    namespace = local.data.team
  }
  lifecycle {
    ignore_changes = [name]
    precondition {
      condition     = length(var.list) > 0
      error_message = "none"
    }
  }
  provisioner "local-exec" {
    command = "echo ${self.name}"
  }
}
resource "aws_vpc" "v" {
  cidr = spacelift_stack.a.id
  dynamic "tag" {
    for_each = var.list
    content {
      key = tag.value.name
    }
  }
}
import {
  to = module.m.spacelift_stack.this
  id = "x"
}
moved {
  from = spacelift_stack.old
  to   = spacelift_stack.a
}
removed {
  from = aws_vpc.gone
  lifecycle {
    destroy = false
  }
}
check "c" {
  data "spacelift_stack" "d" {
    stack_id = "a"
  }
  assert {
    condition     = data.spacelift_stack.d.name == "a"
    error_message = "bad"
  }
}
"#,
        ),
        (
            "/w/more.tf",
            r#"terraform {
  required_version = ">= 1.5"
  required_providers {
    spacelift = {
      source  = "spacelift-io/spacelift"
      version = ">= 1.0"
    }
  }
  cloud {
    organization = "o"
    workspaces {
      name = "w"
    }
  }
}
provider "spacelift" {
  alias = "eu"
}
variable "list" {
  type    = list(object({ name = string }))
  default = [{ name = "a" }]
  validation {
    condition     = length(var.list) < 3
    error_message = "Too many."
  }
}
locals {
  data = yamldecode(file("${path.module}/data.yaml"))
}
module "m" {
  source = "./m"
  name   = "m"
  providers = {
    spacelift = spacelift.eu
  }
}
resource "spacelift_stack_dependency" "d" {
  stack_id            = module.m.id
  depends_on_stack_id = spacelift_stack.a.id
  depends_on          = [module.m]
}
"#,
        ),
        (
            "/w/more_override.tf",
            "module \"m\" {\n  name = \"over\"\n}\nlocals {\n  more = 1\n}\n",
        ),
        (
            "/w/j.tf.json",
            r#"{"resource": {"spacelift_stack": {"j": {"name": "${local.data.team}", "branch": "b", "repository": "r"}}},
 "output": {"o": {"value": "${spacelift_stack.j.id}"}}}
"#,
        ),
        (
            "/w/m/main.tf",
            r#"variable "name" {
  type = string
  validation {
    condition     = var.name != ""
    error_message = "Empty."
  }
}
resource "spacelift_stack" "this" {
  name       = var.name
  repository = "r"
  branch     = "main"
}
output "id" {
  value = spacelift_stack.this.id
  precondition {
    condition     = var.name != "x"
    error_message = "x"
  }
}
"#,
        ),
        (
            "/w/.terraform.lock.hcl",
            "provider \"registry.terraform.io/spacelift-io/spacelift\" {\n  version = \"1.0.0\"\n}\n",
        ),
        ("/w/t.tftpl", "stack-${x}\n%{ if x == \"a\" }y%{ endif }"),
        ("/w/data.yaml", "team: a\n"),
    ],
    snippets: &[
        "\n  count = 2",
        "\n  for_each = toset([\"a\"])",
        "\n  lifecycle {\n    prevent_destroy = true\n  }",
        "\n  provisioner \"file\" {\n  }",
        "\n  connection {\n    host = self.id\n  }",
        "\n  dynamic \"github_enterprise\" {\n    for_each = []\n    content {\n    }\n  }",
        "\nmoved {\n  from = spacelift_stack.a\n  to   = spacelift_stack.b\n}\n",
        "\nimport {\n  to = module.m.spacelift_stack.this[0]\n  id = \"y\"\n}\n",
        "\n  sensitive = true",
        "\n  ephemeral = true",
        "\n  alias = \"us\"",
        "\nprovider \"spacelift\" {\n  alias = \"us\"\n}\n",
        "\nterraform {\n  backend \"remote\" {\n  }\n}\n",
        "${",
        "\"",
        "# note\n",
        "\n",
    ],
};

pub(crate) const OPENTOFU: Scenery = Scenery {
    files: &[
        (
            "/w/main.tofu",
            r#"locals {
  dir  = "./a"
  more = local.dir
}
module "one" {
  source = local.more
  name   = "n"
}
module "two" {
  source = "reg/two/x"
  name   = "two"
}
module "three" {
  source = "reg/three/x"
  name   = "three"
}
import {
  to = module.one.module.inner.spacelift_stack.this
  id = "x"
}
"#,
        ),
        (
            "/w/more.tf",
            r#"provider "spacelift" {
  for_each = toset(["x"])
  alias    = "each"
}
resource "spacelift_stack" "root" {
  provider     = spacelift.each["x"]
  name         = "root"
  repository   = "r"
  branch       = "main"
  project_root = "run"
}
resource "spacelift_stack_dependency" "d" {
  stack_id            = spacelift_stack.root.id
  depends_on_stack_id = module.two.id
}
resource "spacelift_stack_dependency_reference" "r" {
  stack_dependency_id = spacelift_stack_dependency.d.id
  output_name         = "o"
  input_name          = "TF_VAR_v"
}
"#,
        ),
        (
            "/w/a/main.tf",
            "variable \"name\" {}\nmodule \"inner\" {\n  source = \"../b\"\n  name   = var.name\n}\noutput \"id\" {\n  value = \
             module.inner.id\n}\n",
        ),
        (
            "/w/b/main.tf",
            "variable \"name\" {\n  default = \"b\"\n}\nresource \"spacelift_stack\" \"this\" {\n  name = var.name\n  repository = \
             \"r\"\n  branch = \"main\"\n  project_root = \"run\"\n}\noutput \"id\" {\n  value = spacelift_stack.this.id\n}\n",
        ),
        (
            "/w/.terraform/modules/modules.json",
            r#"{"Modules":[{"Key":"two","Source":"reg/two/x","Dir":"b"},
{"Key":"three","Source":"reg/three/x","Dir":"a"},
{"Key":"one","Source":"reg/x","Dir":"b"}]}
"#,
        ),
        (
            "/w/run/main.tf",
            "variable \"v\" {\n  sensitive = true\n}\noutput \"o\" {\n  value = var.v\n}\n",
        ),
        ("/w/applyorder.toml", "[spacelift]\nflavor = \"auto\"\n"),
        ("/w/terraform.tfvars", "x = 1\n"),
    ],
    snippets: &[
        "\nlocals {\n  dir = \"./b\"\n}\n",
        "\nmodule \"four\" {\n  source = local.dir\n}\n",
        "\nvariable \"x\" {\n}\n",
        "\n  for_each = toset([\"a\"])",
        "\n  enabled = false",
        "./b",
        "opentofu",
        "\n  default = \"v\"",
        "\n  providers = {\n    spacelift = spacelift.each[\"x\"]\n  }",
        "${",
        "\"",
        "\n",
    ],
};
