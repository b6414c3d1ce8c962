//! The findings after edits of single places.

use std::fmt::Write;

use camino::Utf8Path;

use super::{of_rule, tree};
use applyorder_analysis::workspace::Workspace;

/// A project under edits.
struct Edited {
    workspace: Workspace,
    files: Vec<(String, String)>,
}

impl Edited {
    fn new(files: &str) -> Self {
        let parts = files.split("//- ").skip(1);
        let named = parts.filter_map(|part| part.split_once('\n'));
        Self {
            workspace: tree(files).workspace(),
            files: named.map(|(p, t)| (format!("/w/{p}"), t.to_owned())).collect(),
        }
    }

    /// Replaces a text in a file; returns the number of findings of a rule.
    fn edit(&mut self, path: &str, from: &str, to: &str, rule: &str) -> usize {
        let (_, text) = self.files.iter_mut().find(|(p, _)| p == path).unwrap();
        assert!(text.contains(from), "{from}");
        *text = text.replacen(from, to, 1);
        self.workspace.set_text(Utf8Path::new(path), text.as_str().into());
        self.workspace.refresh();
        self.workspace.search_hints();
        of_rule(&self.workspace.analysis(), rule).len()
    }
}

const UNKNOWN: &str = "unknown-dependency";
const REDUNDANT: &str = "redundant-dependency";

#[test]
fn includes_come_and_go() {
    let manifest = |name: &str, needs: &str| {
        format!(
            "spec:\n  manifests:\n    - {{name: {name}, type: kustomize, path: ., dependsOn: [{needs}]}}\n"
        )
    };
    let (b, c, d) = (manifest("b", "a"), manifest("c", "b, a"), manifest("d", "c"));
    let mut project = Edited::new(&format!(
        "//- tazuna.yaml\nspec:\n  manifests:\n    - {{name: a, type: kustomize, path: .}}\n    - includes:\n        - path: \
         b.yaml\n        - path: c.yaml\n//- b.yaml\n{b}//- c.yaml\n{c}//- d.yaml\n{d}"
    ));
    let root = "/w/tazuna.yaml";
    let line = "        - path: b.yaml\n";
    assert_eq!(project.edit(root, line, "", UNKNOWN), 1, "`c` waits for `b`");
    assert_eq!(
        project.edit(
            root,
            "    - includes:\n",
            &format!("    - includes:\n{line}"),
            REDUNDANT
        ),
        1
    );
    assert_eq!(
        project.edit(root, "path: c.yaml", "path: d.yaml", UNKNOWN),
        1,
        "`d` waits for `c`"
    );
    assert_eq!(
        project.edit(root, "path: d.yaml", "path: e.yaml", "missing-file"),
        1
    );
    let own = "    - {name: c, type: kustomize, path: .}\n    - includes:\n";
    assert_eq!(project.edit(root, "    - includes:\n", own, "missing-file"), 1);
    assert_eq!(
        project.edit(root, "path: e.yaml", "path: d.yaml", UNKNOWN),
        0,
        "`c` is the root's own"
    );
}

#[test]
fn templates_change_in_each_environment() {
    let part = "spec:\n  manifests:\n    - name: b\n      type: kustomize\n      path: .\n      dependsOn:\n        - a\n\
                {{ if eq .Environment \"p\" }}\n        - x\n{{ end }}\n";
    let mut project = Edited::new(&format!(
        "//- tazuna.yaml\nspec:\n  environments: {{p: {{}}, q: {{}}}}\n  manifests:\n    - {{name: a, type: kustomize, path: \
         .}}\n    - includes: [{{path: b.yaml}}]\n//- b.yaml\n{part}"
    ));
    let part = "/w/b.yaml";
    assert_eq!(project.edit(part, "- x", "- y", UNKNOWN), 1);
    let environments = |project: &mut Edited| {
        let found = of_rule(&project.workspace.analysis(), UNKNOWN);
        found[0]
            .environments
            .iter()
            .map(|e| e.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(environments(&mut project), ["p"]);
    assert_eq!(
        project.edit(part, "\"p\"", "\"q\"", UNKNOWN),
        1,
        "others read alike now"
    );
    assert_eq!(environments(&mut project), ["q"]);
    assert_eq!(project.edit(part, "- a\n", "- z\n", UNKNOWN), 2, "in all of them");
    assert_eq!(project.edit(part, "- y\n", "- a\n", UNKNOWN), 1);
    assert_eq!(environments(&mut project), [""; 0]);
    assert_eq!(
        project.edit(part, "{{ if", "{{ iff", "syntax-error"),
        1,
        "it does not render"
    );
}

/// Manifests in files of a hundred, each of which waits for the two before it.
fn chain(files: usize) -> String {
    let mut text = "//- tazuna.yaml\nspec:\n  manifests:\n    - includes:\n".to_owned();
    for file in 0..files {
        writeln!(text, "        - path: {file}.yaml").unwrap();
    }
    for file in 0..files {
        writeln!(text, "//- {file}.yaml\nspec:\n  manifests:").unwrap();
        for n in file * 100..file * 100 + 100 {
            let needs: Vec<String> = (1..=2)
                .filter_map(|i| Some(format!("u{}", n.checked_sub(i)?)))
                .collect();
            writeln!(
                text,
                "    - {{name: u{n}, type: kustomize, path: ., dependsOn: [{}]}}",
                needs.join(", ")
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn what_others_imply_in_large_projects() {
    let files = chain(30);
    let mut project = Edited::new(&files);
    assert_eq!(of_rule(&project.workspace.analysis(), REDUNDANT).len(), 2_998);
    let part = "/w/7.yaml";
    assert_eq!(
        project.edit(part, "[u759, u758]", "[u759, u757]", REDUNDANT),
        2_998
    );
    assert_eq!(
        project.edit(part, "[u759, u757]", "[u757]", REDUNDANT),
        2_996,
        "`u761` needs `u759`"
    );
    assert_eq!(project.edit(part, "[u757]", "[u759, u758]", REDUNDANT), 2_998);
    let broken = project.edit(part, "name: u755", "name: [u755", REDUNDANT);
    assert!(broken > 2_900, "broken lines take little away: {broken:?}");
}

#[test]
fn a_file_that_is_only_read_as_a_text_is_followed() {
    const INVALID: &str = "invalid-value";
    let mut project = Edited::new(
        "//- tazuna.yaml\nspec:\n  manifests:\n    - {name: a, type: genesissecret, path: secret.yaml}\n//- \
         secret.yaml\nspec:\n  secrets:\n    - uri: op://my.1password.com/vault/item\n",
    );
    let secret = "/w/secret.yaml";
    assert_eq!(
        project.edit(secret, "op://my.1password.com/", "op://", INVALID),
        1
    );
    assert_eq!(
        project.edit(secret, "op://", "op://my.1password.com/", INVALID),
        0
    );
    assert_eq!(project.edit(secret, "vault/", "", INVALID), 1);
}
