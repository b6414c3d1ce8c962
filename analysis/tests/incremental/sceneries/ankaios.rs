//! Files and snippets of Ankaios.

use super::Scenery;

pub(crate) const PLAIN: Scenery = Scenery {
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

/// Rare constructs that are still checked.
pub(crate) const DEEP: Scenery = Scenery {
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
