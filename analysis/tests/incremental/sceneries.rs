//! What is edited: the files of a small project of each engine, and what somebody could type there.

use super::deep;

/// A workspace to edit.
pub(crate) struct Scenery {
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) snippets: &'static [&'static str],
}

/// Of all engines.
pub(crate) const SCENERIES: [Scenery; 11] = [
    TAZUNA,
    TERRAMATE,
    KAPP,
    ANKAIOS,
    SPACELIFT,
    deep::TAZUNA,
    deep::TERRAMATE,
    deep::KAPP,
    deep::ANKAIOS,
    deep::SPACELIFT,
    deep::OPENTOFU,
];

const TAZUNA: Scenery = Scenery {
    files: &[
        (
            "/w/tazuna.yaml",
            "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  environments:\n    p: {}\n  manifests:\n    \
         - name: a\n      type: kustomize\n      path: ./x\n    - includes:\n        - path: b.yaml\n        - \
         path: sub/c.yaml\n    - name: z\n      type: kustomize\n      path: ./x\n      dependsOn: [a, b]\n    \
         - name: s\n      type: genesissecret\n      path: secret.yaml\n",
        ),
        // No engine has facts of it.
        (
            "/w/secret.yaml",
            "spec:\n  secrets:\n    - uri: op://my.1password.com/vault/item\n    - uri: op://vault/item\n",
        ),
        (
            "/w/b.yaml",
            "spec:\n  manifests:\n    - name: b\n      type: kustomize\n      path: ./x\n      dependsOn:\n        - \
         a\n    - name: c\n      type: helmfile\n      path: ./x\n      dependsOn: [b, d]\n",
        ),
        (
            "/w/sub/c.yaml",
            "spec:\n  manifests:\n    - name: d\n      type: kustomize\n      path: ./x # ä\n      dependsOn: \
         [\"a\"]\n",
        ),
        (
            "/w/sub/tazuna.yaml",
            "kind: Tazuna\nspec:\n  manifests:\n    - includes: [{path: c.yaml}]\n    - name: a\n      type: \
         kustomize\n      path: ./x\n",
        ),
        ("/w/x/kustomization.yaml", "resources: []\n"),
    ],
    snippets: &[
        "x",
        "\n",
        " ",
        "  ",
        "#",
        ":",
        "- ",
        "[",
        "]",
        "{",
        "\"",
        "'",
        "&a ",
        "*a",
        "<<: *a",
        "{{",
        "}}",
        "\t",
        "---\n",
        "name: b\n",
        "a",
        "dependsOn: [a, b]",
        "\n      dependsOn: [c]",
        "\n    - name: new\n",
        "ä",
        "🙂",
        "\n    - includes:\n        - path: b.yaml\n",
        "{{ if eq .Environment \"p\" }}",
        "{{ end }}",
    ],
};

const TERRAMATE: Scenery = Scenery {
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

const KAPP: Scenery = Scenery {
    files: &[
        (
            "/w/web.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\n  annotations:\n    \
             kapp.k14s.io/change-group: shop/web\n    kapp.k14s.io/change-rule.db: upsert after upserting shop/db\nspec: \
             {}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  annotations:\n    \
             kapp.k14s.io/versioned: \"\"\n",
        ),
        (
            "/w/db.yaml",
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: db\n  annotations:\n    \
             kapp.k14s.io/change-group: shop/db\n    kapp.k14s.io/change-group.all: shop/{namespace}\n    \
             kapp.k14s.io/change-rule: delete before deleting shop/web\nspec: {}\n",
        ),
        (
            "/w/config.yaml",
            "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeGroupBindings:\n- name: shop/stateful\n  \
             resourceMatchers: &stateful\n  - apiVersionKindMatcher: {apiVersion: apps/v1, kind: StatefulSet}\n\
             changeRuleBindings:\n- rules: [upsert after upserting shop/config]\n  resourceMatchers: *stateful\n",
        ),
        (
            "/w/sub/job.yaml",
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations:\n    \
             kapp.k14s.io/change-group: shop/migrate\n    kapp.k14s.io/change-rule: upsert after upserting \
             shop/stateful\n    kapp.k14s.io/change-rule.api: upsert after upserting other/api\n",
        ),
        (
            "/w/other/config.yaml",
            "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeGroupBindings:\n- name: other/stateful\n  \
             resourceMatchers: []\n",
        ),
        (
            "/w/other/api.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: api\n  annotations:\n    \
             kapp.k14s.io/change-group: other/api\n    kapp.k14s.io/change-rule.web: upsert after upserting \
             shop/web\n    kapp.k14s.io/change-rule.db: upsert after upserting shop/db-default\nspec: {}\n",
        ),
        ("/w/values.yaml", "image: web:1\nname: web\n"),
    ],
    snippets: &[
        "x",
        "\n",
        " ",
        "  ",
        "#",
        ":",
        "- ",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "&a ",
        "*a",
        "---\n",
        "\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n",
        "\n    kapp.k14s.io/change-rule.more: upsert after upserting shop/web\n",
        "\n    kapp.k14s.io/change-rule.more: delete after deleting shop/db\n",
        "\n    kapp.k14s.io/change-group.more: shop/db\n",
        "\n    kapp.k14s.io/change-group.more: shop/config\n",
        "\n  namespace: other\n",
        "\n    kapp.k14s.io/change-group.more: 'shop/{name}'\n",
        "\n    kapp.k14s.io/change-group.more: other/api\n",
        "\n- {name: shop/web, resourceMatchers: []}\n",
        "shop/web",
        "shop/db",
        "other/api",
        "ä",
        "\n- name: shop/config\n  resourceMatchers:\n  - allMatcher: {}\n",
    ],
};

const ANKAIOS: Scenery = Scenery {
    files: &[
        (
            "/w/applyorder.toml",
            "[[ankaios.apply]]\nname = \"shop\"\nfiles = [\"base.yaml\", \"shop.yaml\"]\n",
        ),
        (
            "/w/base.yaml",
            "apiVersion: v1\nworkloads:\n  db:\n    runtime: podman\n    agent: agent_A\n    runtimeConfig: 'image: x'\n  \
             init:\n    runtime: podman\n    agent: agent_A\n    runtimeConfig: 'image: x'\n    dependencies:\n      db: \
             ADD_COND_RUNNING\n",
        ),
        (
            "/w/shop.yaml",
            "apiVersion: v1\nworkloads:\n  web:\n    runtime: podman\n    agent: \"{{place.agent}}\"\n    configs:\n      \
             place: place\n    dependencies:\n      db: ADD_COND_RUNNING\n      init: ADD_COND_SUCCEEDED\n    \
             runtimeConfig: 'image: x'\nconfigs:\n  place: {agent: agent_B}\n",
        ),
        (
            "/w/alone.yaml",
            "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: agent_A\n    runtimeConfig: 'image: x'\n    \
             dependencies: {b: ADD_COND_FAILED}\n  b:\n    runtime: podman\n    agent: agent_A\n    runtimeConfig: 'image: \
             x'\n    dependencies: {a: ADD_COND_RUNNING}\n",
        ),
        ("/w/values.yaml", "workloads: 3\nname: web\n"),
    ],
    snippets: &[
        "x",
        "\n",
        " ",
        "  ",
        "#",
        ":",
        "- ",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "&a ",
        "*a",
        "---\n",
        "{{",
        "{{#if place}}",
        "\nworkloads:\n",
        "\nconfigs:\n  more: 1\n",
        "\n  db:\n    runtime: podman\n    agent: agent_A\n    runtimeConfig: 'image: x'\n",
        "\n    dependencies:\n      web: ADD_COND_RUNNING\n",
        "\n      web: ADD_COND_FAILED\n",
        "\nkind: Deployment\n",
        "ä",
    ],
};

const SPACELIFT: Scenery = Scenery {
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
