//! A small correct file changed into each state that occurs while typing: the facts of every other item or
//! document must stay the same, and errors are exactly where the text is broken.

use super::*;

const TAZUNA: &str = "\
kind: Tazuna
spec:
  manifests:
    - name: cni
      path: ./cni
      type: kustomize
    - name: ingress
      path: \"./ingress\"
      type: helmfile
      dependsOn: [cni]
    - name: mon
      path: './mon'
      type: kustomize
      tags: {a: b}
      dependsOn: [cni, ingress]
    - name: app
      path: ./app
      type: kustomize
      dependsOn: [\"mon\", 'cni']
    - name: last
      path: ./last
      type: kustomize
";

/// The facts of each manifest: its scalars and lists by path, by the manifest's name.
fn manifests(tree: &Tree) -> Vec<(String, String)> {
    let root = tree.first_document().and_then(|d| d.root());
    let list = root.and_then(|r| r.get("spec")).and_then(|s| s.get("manifests"));
    let items = list.into_iter().flat_map(|l| l.items());
    items
        .map(|item| {
            (
                item.get("name").map_or(String::new(), |n| n.value().into_owned()),
                facts(item),
            )
        })
        .collect()
}

fn facts(node: Node<'_>) -> String {
    let mut out = String::new();
    let mut stack = vec![(String::new(), node)];
    while let Some((path, node)) = stack.pop() {
        match node.kind() {
            Kind::Scalar | Kind::Alias => out.push_str(&format!("{path}={}\n", node.value())),
            Kind::Sequence => {
                stack.extend(node.items().enumerate().map(|(i, n)| (format!("{path}[{i}]"), n)));
            }
            Kind::Mapping => {
                stack.extend(
                    node.entries()
                        .map(|e| (format!("{path}/{}", e.key.value()), e.value)),
                );
            }
        }
    }
    out
}

struct State {
    name: &'static str,
    /// The replaced part of the correct text, and its replacement.
    from: &'static str,
    to: &'static str,
    valid: bool,
}

const fn broken(name: &'static str, from: &'static str, to: &'static str) -> State {
    State {
        name,
        from,
        to,
        valid: false,
    }
}

const fn valid(name: &'static str, from: &'static str, to: &'static str) -> State {
    State {
        name,
        from,
        to,
        valid: true,
    }
}

const DEPENDS: &str = "      dependsOn: [cni, ingress]\n";
const NEW: &str = "    - name: app\n";

/// The states of the manifest `mon`.
const TAZUNA_STATES: [State; 32] = [
    broken("flow '[cni, ' unclosed", "[cni, ingress]", "[cni, "),
    broken("flow '[' only", "[cni, ingress]", "["),
    broken("flow '[cni, ingress' no close", "[cni, ingress]", "[cni, ingress"),
    broken("flow open quote", "[cni, ingress]", "[cni, \"ing"),
    valid("dangling dash", DEPENDS, "      dependsOn:\n        - \n"),
    valid(
        "dash no space",
        DEPENDS,
        "      dependsOn:\n        - cni\n        -\n",
    ),
    valid("item no space", DEPENDS, "      dependsOn:\n        -cni\n"),
    valid("dependsOn empty", DEPENDS, "      dependsOn:\n"),
    broken("dependsOn no colon", DEPENDS, "      dependsOn\n"),
    broken("half key mid-item", "      tags: {a: b}\n", "      depe\n"),
    valid("'- name:' nothing", NEW, "    - name:\n    - name: app\n"),
    valid("'- na' half key", NEW, "    - na\n    - name: app\n"),
    valid("'-' alone", NEW, "    -\n    - name: app\n"),
    broken(
        "'-name: x' no space after dash",
        NEW,
        "    -name: x\n      path: y\n    - name: app\n",
    ),
    broken("unclosed \" in name", "- name: mon", "- name: \"mon"),
    broken("unclosed ' in path", "'./mon'", "'./mon"),
    broken("nested colon", "- name: mon", "- name: mon: x"),
    broken("tab-indented line", "      tags:", "\ttags:"),
    broken("tab-indented new item", NEW, "\t- name: new\n    - name: app\n"),
    broken(
        "key indent 5 instead of 6",
        "      path: './mon'",
        "     path: './mon'",
    ),
    broken(
        "key indent 8 instead of 6",
        "      path: './mon'",
        "        path: './mon'",
    ),
    broken(
        "key indent 2 (dedented)",
        "      path: './mon'",
        "  path: './mon'",
    ),
    broken("item dash at col 5", "    - name: mon", "     - name: mon"),
    broken("item dash at col 3", "    - name: mon", "   - name: mon"),
    broken("value starts with @", "'./mon'", "@mon"),
    broken("value starts with %", "'./mon'", "%mon"),
    broken("'tags: {a: b' unclosed brace", "{a: b}", "{a: b"),
    valid("'cni, ingress]' stray close", "[cni, ingress]", "cni, ingress]"),
    broken("extra close", "[cni, ingress]", "[cni, ingress]]"),
    broken("bare alias", "'./mon'", "*"),
    broken("bare anchor", "'./mon'", "&"),
    broken(
        "two keys joined on a line",
        "path: './mon'\n      type",
        "path: ./mon type",
    ),
];

#[test]
fn other_manifests_keep_their_facts() {
    let good = manifests(&parse(TAZUNA));
    assert_eq!(good.len(), 5);
    let mut failures = String::new();
    for state in &TAZUNA_STATES {
        let text = TAZUNA.replacen(state.from, state.to, 1);
        assert_ne!(text, TAZUNA, "{}", state.name);
        let tree = parse(&*text);
        let now = manifests(&tree);
        for fact in good.iter().filter(|(name, _)| name != "mon") {
            if !now.contains(fact) {
                failures.push_str(&format!(
                    "{}: {} lost: {now:?} {:?}\n",
                    state.name,
                    fact.0,
                    tree.errors()
                ));
            }
        }
        if tree.errors().is_empty() != state.valid {
            failures.push_str(&format!("{}: errors {:?}\n", state.name, tree.errors()));
        }
        // Errors are at the line that was edited, not at a later one.
        let edited = text
            .bytes()
            .zip(TAZUNA.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        let line = |at: usize| text[..at].matches('\n').count();
        if let Some(error) = tree.errors().first() {
            let found = line(error.span.start as usize);
            if found < line(edited) || found > line(edited) + 1 {
                failures.push_str(&format!(
                    "{}: edited line {}, error at line {found}: {error:?}\n",
                    state.name,
                    line(edited)
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

const KUBERNETES: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: one
data:
  k: v
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
  annotations:
    kapp.k14s.io/change-group: \"group\"
    other: x
spec:
  replicas: 2
  template:
    spec:
      containers:
        - name: web
          image: 'nginx'
          args: [\"--a\", \"--b\"]
          env:
            - name: A
              value: b
        - name: side
          image: busybox
  text: |
    one
    two
---
apiVersion: v1
kind: Service
metadata:
  name: three
";

const KUBERNETES_STATES: [State; 32] = [
    broken("args unclosed", "[\"--a\", \"--b\"]", "[\"--a\", "),
    broken("args [ only", "[\"--a\", \"--b\"]", "["),
    broken(
        "args open quote in flow",
        "[\"--a\", \"--b\"]",
        "[\"--a\", \"--b]",
    ),
    broken("labels unclosed", "{app: web}", "{app: "),
    broken("unclosed \" value", "replicas: 2", "replicas: \"2"),
    broken("unclosed ' image", "'nginx'", "'nginx"),
    broken("unclosed \" annotation", "\"group\"", "\"group"),
    broken("half key 'anno'", "  annotations:\n", "  anno\n"),
    broken(
        "half key top-level 'sp'",
        "spec:\n  replicas: 2\n",
        "sp\n  replicas: 2\n",
    ),
    broken(
        "'metadata' no colon",
        "metadata:\n  name: web",
        "metadata\n  name: web",
    ),
    broken("'replicas' no colon", "replicas: 2", "replicas"),
    valid("'name:' empty", "  name: web\n  labels", "  name:\n  labels"),
    valid(
        "'- ' dangling env",
        "              value: b\n",
        "              value: b\n            - \n",
    ),
    valid(
        "'- name:' dangling env",
        "              value: b\n",
        "              value: b\n            - name:\n",
    ),
    broken(
        "'-name:' no space",
        "            - name: A\n",
        "            -name: A\n",
    ),
    broken("tab indent", "  replicas: 2", "\treplicas: 2"),
    broken("tab indent deep", "              value: b", "\t\t\tvalue: b"),
    broken(
        "indent 1 instead of 2 (name)",
        "  name: web\n  labels",
        " name: web\n  labels",
    ),
    broken(
        "indent 3 instead of 2 (annotations)",
        "  annotations:\n",
        "   annotations:\n",
    ),
    broken(
        "containers dash dedented",
        "        - name: side",
        "     - name: side",
    ),
    broken("value has ': '", "replicas: 2", "replicas: a: b"),
    valid("helm '{{ .Values.x }}'", "'nginx'", "'{{ .Values.x }}'"),
    broken(
        "helm block line '{{- if }}'",
        "  replicas: 2\n",
        "  {{- if .Values.x }}\n  replicas: 2\n",
    ),
    broken("value '@x'", "replicas: 2", "replicas: @x"),
    broken("value '%x'", "replicas: 2", "replicas: %x"),
    broken("bare alias '*'", "replicas: 2", "replicas: *"),
    valid("unknown alias *base", "replicas: 2", "replicas: *base"),
    valid("'<<: *def' unknown merge", "replicas: 2", "<<: *def"),
    broken(
        "block scalar under-indented",
        "    one\n    two\n",
        "    one\n   two: x: y\n",
    ),
    broken(
        "merge-conflict marker",
        "  replicas: 2\n",
        "<<<<<<< HEAD\n  replicas: 2\n=======\n  replicas: 3\n>>>>>>> other\n",
    ),
    broken(
        "separator half typed '--'",
        "---\napiVersion: apps/v1",
        "--\napiVersion: apps/v1",
    ),
    valid(
        "duplicate key",
        "  replicas: 2\n",
        "  replicas: 2\n  replicas: 3\n",
    ),
];

#[test]
fn other_documents_keep_their_facts() {
    let documents = |tree: &Tree| {
        tree.documents()
            .filter_map(|d| d.root().map(facts))
            .collect::<Vec<_>>()
    };
    let good = documents(&parse(KUBERNETES));
    assert_eq!(good.len(), 3);
    let mut failures = String::new();
    for state in &KUBERNETES_STATES {
        let text = KUBERNETES.replacen(state.from, state.to, 1);
        assert_ne!(text, KUBERNETES, "{}", state.name);
        let tree = parse(&*text);
        let now = documents(&tree);
        if !now.contains(&good[0]) || !now.contains(&good[2]) {
            failures.push_str(&format!("{}: {now:?} {:?}\n", state.name, tree.errors()));
        }
        let whole = now
            .iter()
            .find(|d| d.contains("/kind=Deployment"))
            .map_or("", |d| d);
        let kept = good[1].lines().filter(|l| whole.lines().any(|n| n == *l)).count();
        println!(
            "{}: {kept} of {} in the same document",
            state.name,
            good[1].lines().count()
        );
        if tree.errors().is_empty() != state.valid {
            failures.push_str(&format!("{}: errors {:?}\n", state.name, tree.errors()));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
