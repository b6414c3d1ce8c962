//! Files and snippets of kapp.

use super::Scenery;

pub(crate) const PLAIN: Scenery = Scenery {
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

/// Rare constructs that are still checked.
pub(crate) const DEEP: Scenery = Scenery {
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
