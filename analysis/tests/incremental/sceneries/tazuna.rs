//! Files and snippets of Tazuna.

use super::Scenery;

pub(crate) const PLAIN: Scenery = Scenery {
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

/// Rare constructs that are still checked.
pub(crate) const DEEP: Scenery = Scenery {
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
