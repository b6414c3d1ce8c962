mod no_order;
mod or_later;
mod without_entry;

use super::*;
use crate::fixture::Fixture;

fn check(text: &str, expected: &str) {
    let fixture = Fixture::new(applyorder_engines::all(), text);
    let found = hover(&fixture.analysis, fixture.file, fixture.offset);
    assert_eq!(found.map(|h| h.markdown).unwrap_or_default(), expected);
}

fn holds(text: &str, parts: &[&str]) {
    let fixture = Fixture::new(applyorder_engines::all(), text);
    let found = hover(&fixture.analysis, fixture.file, fixture.offset)
        .unwrap()
        .markdown;
    for part in parts {
        assert!(found.contains(part), "{part} is not in:\n{found}");
    }
}

const DIAMOND: &str = "\
//- /w/tazuna.yaml
spec:
  manifests:
    - name: cni
      type: kustomize
      path: ./x
    - name: cert-manager
      type: helmfile
      path: ./x
      dependsOn: [cni]
    - name: ingress
      type: helmfile
      path: ./x
      dependsOn: [cni]
    - name: app
      type: kustomize
      path: ./x
      dependsOn: [cert-manager, ingress]
";

#[test]
fn a_name_shows_its_place_in_the_order() {
    holds(
        &DIAMOND.replace("name: ingress", "name: ing$0ress"),
        &[
            "**manifest `ingress`** · layer 2 of 3",
            "**after** `cni` · **beside** `cert-manager` · **before** `app`",
            "on delete: 3 of 4",
        ],
    );
}

#[test]
fn a_reference_shows_what_it_refers_to() {
    holds(
        &DIAMOND.replace("[cert-manager, ingress]", "[cert-manager, ingr$0ess]"),
        &["**manifest `ingress`** · layer 2 of 3"],
    );
    check(
        &DIAMOND.replace("[cert-manager, ingress]", "[cert-manager, ingres$0]"),
        "`ingres` matches no manifest.\n\n---\n\n- `unknown-dependency`: rejected by `tazuna check`, `tazuna apply` \
             (stage `dependsOn`): manifest \"app\" dependsOn references unknown manifest \
             \"ingres\"",
    );
}

#[test]
fn an_include_says_once_what_it_brings() {
    check(
        "//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - {includes: [{path: sub/$0a.yaml}]}
    - {name: b{{ .Environment }}, type: kustomize, path: ./x}
//- /w/sub/a.yaml
spec:
  manifests:
    - {name: a, type: kustomize, path: ./x}
",
        "`sub/a.yaml`: 1 manifest",
    );
}

#[test]
fn a_key_says_what_the_field_is_for() {
    check(
        &DIAMOND.replacen("dependsOn: [cni]", "depends$0On: [cni]", 1),
        "`dependsOn` of a manifest: names of manifests that are applied before\n\n---\n\n- `tazuna/destroy-order`: \
             `destroy` follows list order and ignores `dependsOn`",
    );
    check(
        &DIAMOND.replacen("type: kustomize", "$0type: kustomize", 1),
        "`type` of a manifest: what applies it\n\nOne of `kustomize`, `helmfile`, `genesissecret`, `oras`.",
    );
    check(
        &DIAMOND.replacen("path: ./x", "pa$0rts: ./x", 1),
        "- `unknown-field`: Tazuna ignores it",
    );
}

#[test]
fn nothing_to_say_is_nothing() {
    check(&DIAMOND.replace("helmfile", "helm$0file"), "");
}

#[test]
fn each_root_of_a_shared_file_has_its_part() {
    holds(
        "//- /w/one/tazuna.yaml
spec:
  manifests:
    - {includes: [{path: ../shared.yaml}]}
//- /w/shared.yaml
spec:
  manifests:
    - {name: com$0mon, type: kustomize, path: ./x}
//- /w/two/tazuna.yaml
spec:
  manifests:
    - {name: first, type: kustomize, path: ./x}
    - {includes: [{path: ../shared.yaml}]}
",
        &[
            "In `/w/one/tazuna.yaml`:\n\n**manifest `common`** · layer 1 of 1",
            "In `/w/two/tazuna.yaml`:\n\n**manifest `common`** · layer 2 of 2",
            "`/w/shared.yaml:3`, included at",
        ],
    );
}

#[test]
fn environments_that_differ_are_distinguished() {
    holds(
        "//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - {name: first, type: kustomize, path: ./x}
    - {name: sec$0ond, type: kustomize, path: ./x}
{{ if eq .Environment \"prod\" }}
    - {name: third, type: kustomize, path: ./x, dependsOn: [first]}
{{ end }}
",
        &[
            "_without environment_\n\n**manifest `second`** · layer 2 of 2",
            "_with environment `prod`_\n\n**manifest `second`** · layer 1 of 2",
        ],
    );
}

#[test]
fn long_lists_are_bounded() {
    let mut text = String::from("//- /w/tazuna.yaml\nspec:\n  manifests:\n");
    text.push_str("    - {name: $0root, type: kustomize, path: ./x}\n");
    for i in 0..1000 {
        text.push_str(&format!(
            "    - {{name: n{i}, type: kustomize, path: ./x, dependsOn: [root]}}\n"
        ));
    }
    let fixture = Fixture::new(applyorder_engines::all(), &text);
    let found = hover(&fixture.analysis, fixture.file, fixture.offset)
        .unwrap()
        .markdown;
    assert!(found.contains("995 more"), "{found}");
    assert!(found.len() < 2000);
}

#[test]
fn the_hover_of_an_include_group_lists_its_includes() {
    let part = |file: &str, names: &[&str]| {
        let manifests = names
            .iter()
            .map(|name| format!("    - {{name: {name}, type: kustomize, path: ./x}}\n"));
        format!(
            "//- /w/{file}\nspec:\n  manifests:\n{}",
            manifests.collect::<String>()
        )
    };
    let root = "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - name: pl$0atform\n      includes: [{path: a.yaml}, {path: \
                b.yaml}]\n";
    holds(
        &format!(
            "{root}{}{}",
            part("a.yaml", &["one", "two"]),
            part("b.yaml", &["three"])
        ),
        &["`a.yaml`: 2 manifests\n\n`b.yaml`: 1 manifest"],
    );
}

#[test]
fn a_name_of_several_units_describes_each() {
    let stack = |path: &str, body: &str| format!("//- /w/{path}/stack.tm\nstack {{\n  {body}\n}}\n");
    let tree = |list: &str| {
        let root = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";
        let (a, b) = (
            stack("a", "tags = [\"x\"]"),
            stack("b", "tags = [\"x\"]\n  after = [\"/a\"]"),
        );
        format!("{root}{a}{b}{}", stack("c", list))
    };
    holds(
        &tree("after = [\"tag:$0x\"]"),
        &[
            "**`/c`** waits for **2 stacks** · layers 1–2, then 3",
            "**2 stacks** · layers 1–2 of 3\n\n- `/a` · layer 1 of 3 · **after** nothing · **beside** nothing · \
                 **before** `/b`, `/c`\n- `/b` · layer 2 of 3 · **after** `/a` · **beside** nothing · **before** `/c`",
        ],
    );
    holds(
        &tree("before = [\"tag:$0x\"]"),
        &["**2 stacks** wait for **`/c`** · layer 1, then 2–3"],
    );
    let instances = "//- /w/main.tf\nresource \"spacelift_stack\" \"$0a\" {\n  for_each = toset([\"x\", \"y\"])\n  name \
                         = each.key\n  repository = \"r\"\n  branch = \"m\"\n}\n";
    holds(
        instances,
        &["**2 stacks** · layer 1 of 1\n\n- `spacelift_stack.a[\"x\"]` · layer 1 of 1 · **after** nothing"],
    );
}

#[test]
fn a_reason_that_is_a_sentence_has_a_line_of_its_own() {
    holds(
        "//- /w/app.yaml\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n---\napiVersion: v1\nkind: \
             ConfigMap\nmetadata:\n  name: $0a\n  namespace: shop\n  annotations: {kapp.k14s.io/change-group: g}\n",
        &[
            "**after** `Namespace/shop` · **beside**",
            "\n\nafter `Namespace/shop`: kapp's default rule `upsert after upserting \
                 change-groups.kapp.k14s.io/namespaces-{namespace}`: resources wait for their own namespace",
        ],
    );
    holds(
        "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- /w/a/stack.tm\nstack {\n}\n//- \
             /w/a/b/stack.tm\n$0stack {\n}\n",
        &["**after** `/a` (nesting) · "],
    );
}

#[test]
fn names_are_links_where_they_can_be_followed() {
    let fixture = Fixture::new(
        applyorder_engines::all(),
        &DIAMOND.replace("name: ingress", "name: ing$0ress"),
    );
    let target = |at: crate::ide::FileSpan| Some(format!("x:{}", at.span.start));
    let links = Links {
        target: Some(&target),
        graph: Some("x:graph"),
    };
    let found = hover_with(&fixture.analysis, fixture.file, fixture.offset, links).unwrap();
    assert!(
        found.markdown.ends_with("\n\n[Show graph](x:graph)"),
        "{}",
        found.markdown
    );
    let at = fixture.text(fixture.file).find("cni").unwrap();
    assert!(
        found.markdown.contains(&format!("**after** [`cni`](x:{at})")),
        "{}",
        found.markdown
    );
}
