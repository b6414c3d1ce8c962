//! A second project of each engine, of what stands deeper in its files: what is seldom written, and looked at all the
//! same.

use super::sceneries::Scenery;

pub(crate) const TAZUNA: Scenery = Scenery {
    files: &[
        (
            "/w/tazuna.yaml",
            r#"kind: Tazuna
spec:
  context_matches: ["dev-.*"]
  environments:
    dev: {context_matches: [dev]}
    prod:
      context_match_mode: all
      context_matches: ["prod-.*", "[a"]
  manifests:
    - name: base
      type: kustomize
      path: ./x
      tags: [net]
{{ if eq .Environment "prod" }}
    - name: only
      type: helmfile
      path: ./{{ .Environment }}
      dependsOn: [base]
{{ end }}
    - name: group
      includes:
        - path: {{ .Environment }}.yaml
        - path: shared.yaml
    - name: {{ with .Environment }}{{ . }}{{ else }}none{{ end }}
      type: kubectl
      path: x
      dependsOn: [group, one]
    - name: s
      type: genesissecret
      path: secret.yaml
"#,
        ),
        (
            "/w/dev.yaml",
            "spec:\n  manifests:\n    - name: one\n      type: kustomize\n      path: ./x\n",
        ),
        (
            "/w/prod.yaml",
            "spec:\n  manifests:\n    - name: two\n      type: kustomize\n      path: ./x\n      dependsOn: [base, only]\n",
        ),
        (
            "/w/shared.yaml",
            "spec:\n  manifests:\n    - name: shared\n      type: kustomize\n      path: ./x\n      dependsOn: [{{ if eq \
             .Environment \"dev\" }}one{{ else }}two{{ end }}]\n",
        ),
        (
            "/w/secret.yaml",
            "spec:\n  provider: default-op\n  secrets:\n    - uri: op://host/vault/item\n",
        ),
        ("/w/x/kustomization.yaml", "resources: []\n"),
        ("/w/prod/helmfile.yaml", "releases: []\n"),
    ],
    snippets: &[
        "\n    - name: new\n      type: kustomize\n      path: ./x\n",
        "\n    qa: {}\n",
        "\n{{ if .Environment }}",
        "\n{{ end }}",
        "{{ else }}",
        "{{- $x := \"dev\" -}}",
        "{{ .Environment }}",
        "\n      dependsOn: [base]",
        "\n      context_matches: [x]",
        "# note",
        "\n",
        "\"",
    ],
};

pub(crate) const TERRAMATE: Scenery = Scenery {
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

pub(crate) const KAPP: Scenery = Scenery {
    files: &[
        (
            "/w/applyorder.toml",
            "[[kapp.app]]\nname = \"shop\"\nfiles = [\"app\"]\n",
        ),
        (
            "/w/app/config.yml",
            r#"apiVersion: kapp.k14s.io/v1alpha1
kind: Config
minimumRequiredVersion: 0.60.0
changeGroupBindings:
- name: shop/job-{name}
  resourceMatchers:
  - apiVersionKindMatcher: {apiVersion: batch/v1, kind: Job}
- name: shop/all
  resourceMatchers:
  - andMatcher:
      matchers:
      - anyMatcher: {matchers: [{hasNamespaceMatcher: {names: [shop]}}, {allMatcher: {}}]}
      - notMatcher: {matcher: {customResourceMatcher: {}}}
changeRuleBindings:
- rules: [upsert after upserting shop/job-seed]
  ignoreIfCyclical: true
  resourceMatchers:
  - kindNamespaceNameMatcher: {kind: Deployment, namespace: shop, name: web}
  - hasAnnotationMatcher: {keys: [example.com/late]}
templateRules:
- resourceMatchers: [{allMatcher: {}}]
  affectedResources:
    objectReferences:
    - path: [spec, configMap]
      resourceMatchers: [{apiVersionKindMatcher: {apiVersion: apps/v1, kind: Deployment}}]
"#,
        ),
        (
            "/w/app/web.yml",
            r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  annotations:
    example.com/late: ""
    kapp.k14s.io/change-rule.a: upsert after upserting shop/job-{name}
    kapp.k14s.io/change-rule.b: upsert after upserting shop/{namespace}-{kind}
spec: {configMap: {name: cfg}}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg, namespace: shop, annotations: {kapp.k14s.io/versioned: ""}}}
- apiVersion: v1
  kind: Secret
  metadata:
    name: cfg
    labels: {kapp.k14s.io/app: "1"}
    annotations: {kapp.k14s.io/change-group: "shop/{name}", kapp.k14s.io/versioned-keep-original: ""}
"#,
        ),
        (
            "/w/app/job.yml",
            r#"apiVersion: batch/v1
kind: Job
metadata:
  name: seed
  namespace: shop
  annotations:
    kapp.k14s.io/change-group: shop/job-web
    kapp.k14s.io/change-rule: upsert after upserting shop/crd-{crd-kind}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: backups.example.com
  annotations:
    kapp.k14s.io/change-group: shop/crd-{crd-kind}
spec:
  group: example.com
  names: {kind: Backup, plural: backups}
  scope: Namespaced
---
apiVersion: example.com/v1
kind: Backup
metadata: {name: b, namespace: shop}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
"#,
        ),
        (
            "/w/other.yml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n  annotations:\n    kapp.k14s.io/change-rule: \
             upsert after upserting shop/all\n    kapp.k14s.io/exists: \"\"\ndata:\n  config.yml: |\n    apiVersion: \
             kapp.k14s.io/v1alpha1\n    kind: Config\n",
        ),
    ],
    snippets: &[
        "\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: cfg, namespace: shop}\n",
        "\n---\napiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n",
        "\n    kapp.k14s.io/versioned: \"\"",
        "\n    kapp.k14s.io/change-group.x: shop/all",
        "\n    kapp.k14s.io/change-rule.x: delete before deleting shop/all",
        "\n    kapp.k14s.io/noop: \"\"",
        "\n  labels: {kapp.k14s.io/config: \"\"}",
        "\n  - hasNamespaceMatcher: {}",
        "\n  resourceMatchers: []",
        "\n  scope: Cluster",
        "{name}",
        "# note",
        "\n",
        "\"",
        "3",
    ],
};

pub(crate) const ANKAIOS: Scenery = Scenery {
    files: &[
        (
            "/w/applyorder.toml",
            "[[ankaios.apply]]\nname = \"a\"\nfiles = [\"one.yaml\", \"two.yaml\"]\nagent = \"agent_B\"\n",
        ),
        (
            "/w/one.yaml",
            r#"apiVersion: v0.1
workloads:
  db:
    runtime: podman
    agent: "{{p.agent}}"
    restartPolicy: ALWAYS
    tags: [{key: owner, value: ops}]
    configs: {p: place, ports: ports}
    files:
    - {mountPoint: /a, data: "{{#each ports.list}}{{this}}{{/each}}"}
    - {mountPoint: /b, binaryData: YQ==}
    runtimeConfig: |
      image: x
      commandOptions: ["-p", "{{ports.list.0}}", "{{#if p.on}}a{{else}}b{{/if}}"]
configs:
  place: {agent: agent_A, on: "x"}
  ports:
    list: ["80", "81"]
"#,
        ),
        (
            "/w/two.yaml",
            r#"apiVersion: v1
workloads:
  web:
    runtime: podman-kube
    agent: agent_A
    dependencies:
      db: ADD_COND_RUNNING
      job: ADD_COND_SUCCEEDED
    controlInterfaceAccess:
      allowRules:
      - {type: StateRule, operation: ReadWrite, filterMasks: [desiredState.workloads.db, desiredState.workloads.*.tags]}
      denyRules:
      - {type: LogRule, workloadNames: [job]}
    runtimeConfig: |
      manifest: |
        kind: Pod
  job:
    runtime: podman
    agent: agent_A
    tags: {owner: ops}
    runtimeConfig: 'image: x'
"#,
        ),
        (
            "/w/state.yaml",
            r#"desiredState:
  apiVersion: v1
  workloads:
    old:
      runtime: podman
      agent: agent_A
      dependencies: {web: ADD_COND_RUNNING}
      runtimeConfig: 'image: x'
workloadStates:
  agent_A: {old: {x: {state: Running}}}
agents:
  agent_A: {}
"#,
        ),
        (
            "/w/fragment.yaml",
            "configs:\n  place: &p {agent: agent_C}\n  other: *p\napiVersion: v1\n",
        ),
    ],
    snippets: &[
        "\n    configs: {p: place}",
        "\n    dependencies: {db: ADD_COND_FAILED}",
        "\n    tags: {a: b}",
        "\n  more: {a: 1}\n",
        "{{p}}",
        "{{#with p}}{{agent}}{{/with}}",
        "{{{p.agent}}}",
        "{{",
        "\n      - {type: StateRule, operation: Nothing, filterMasks: ['*']}",
        "\n  db:\n    runtime: podman\n    agent: agent_A\n    runtimeConfig: ''\n",
        "# note",
        "\n",
        "\"",
        "3",
    ],
};

pub(crate) const SPACELIFT: Scenery = Scenery {
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

/// Of OpenTofu, and of modules that are installed.
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
