//! Random trees: valid ones, ones with a mistake or two, and ones with broken text.

// With explicit paths, because the tests of the engine's crate use this file too.
#[path = "generate/mistakes.rs"]
mod mistakes;
#[path = "generate/text.rs"]
mod text;
#[path = "generate/values.rs"]
mod values;

use super::nodes::Node;
use crate::random::Random;
use std::fmt;
use std::path::Path;

/// A root `tazuna.yaml`, the files that it may include, and the environments to ask for.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) environments: Vec<Option<String>>,
}

impl Tree {
    pub(crate) fn write(&self, dir: &Path) {
        for (path, bytes) in &self.files {
            let path = dir.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    }

    /// A smaller tree for which `differs` is still true: files, lines and characters are removed while it is.
    pub(crate) fn shrunk(&self, differs: impl Fn(&Tree) -> bool) -> Tree {
        let mut tree = self.clone();
        let mut budget = 600;
        let mut accept = |candidate: Tree, tree: &mut Tree| {
            if budget == 0 {
                return false;
            }
            budget -= 1;
            let smaller = differs(&candidate);
            if smaller {
                *tree = candidate;
            }
            smaller
        };
        let mut i = 1;
        while i < tree.files.len() {
            let mut candidate = tree.clone();
            candidate.files.remove(i);
            if !accept(candidate, &mut tree) {
                i += 1;
            }
        }
        for file in 0..tree.files.len() {
            let mut chunk = 16;
            while chunk > 0 {
                let mut at = 0;
                loop {
                    let lines: Vec<&[u8]> = tree.files[file].1.split_inclusive(|b| *b == b'\n').collect();
                    if at >= lines.len() {
                        break;
                    }
                    let end = (at + chunk).min(lines.len());
                    let kept = [&lines[..at], &lines[end..]].concat().concat();
                    let mut candidate = tree.clone();
                    candidate.files[file].1 = kept;
                    if !accept(candidate, &mut tree) {
                        at += chunk;
                    }
                }
                chunk /= 2;
            }
        }
        tree
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, bytes) in &self.files {
            writeln!(f, "--> {path}")?;
            for line in String::from_utf8_lossy(bytes).split_inclusive('\n') {
                writeln!(f, "    | {}", line.escape_debug())?;
            }
        }
        Ok(())
    }
}

/// A tree before it is serialized.
pub(super) struct Draft {
    pub(super) files: Vec<(String, Node)>,
    /// Files that are not built from nodes.
    pub(super) other: Vec<(String, String)>,
    pub(super) environments: Vec<String>,
}

impl Draft {
    /// The manifests of some file, the root more often than not.
    pub(super) fn manifests(&mut self, random: &mut Random) -> &mut Vec<Node> {
        let file = random.below(self.files.len());
        let file = if random.one_in(2) { 0 } else { file };
        spec(&mut self.files[file].1, "manifests").list()
    }

    /// Some manifest; a new empty one if the chosen file has none.
    pub(super) fn manifest(&mut self, random: &mut Random) -> &mut Node {
        let list = self.manifests(random);
        if list.is_empty() {
            list.push(Node::Map(Vec::new()));
        }
        let at = random.below(list.len());
        &mut list[at]
    }

    pub(super) fn root(&mut self) -> &mut Node {
        &mut self.files[0].1
    }

    pub(super) fn names(&self) -> Vec<String> {
        let lists = self
            .files
            .iter()
            .filter_map(|(_, f)| f.get("spec")?.get("manifests"));
        let items = lists.flat_map(|l| {
            if let Node::List(items) = l {
                items.as_slice()
            } else {
                &[]
            }
        });
        let names = items.filter_map(|m| match m.get("name")? {
            Node::Raw(name) => Some(name.clone()),
            _ => None,
        });
        names.collect()
    }
}

/// A field of `spec`, created if it is missing.
pub(super) fn spec<'n>(document: &'n mut Node, field: &str) -> &'n mut Node {
    for (level, key) in [(0, "spec"), (1, field)] {
        let node = if level == 0 {
            &mut *document
        } else {
            document.get_mut("spec").unwrap()
        };
        if node.get(key).is_none() {
            node.set(key, Node::raw(""));
        }
    }
    document.get_mut("spec").unwrap().get_mut(field).unwrap()
}

pub(crate) fn tree(random: &mut Random) -> Tree {
    let mut draft = valid(random);
    let mistakes = [0, 0, 1, 1, 1, 2, 2, 3][random.below(8)];
    // Half of the trees stay well-formed, so that the checks that come last are reached often enough.
    let late = random.one_in(2);
    for _ in 0..mistakes {
        if late {
            mistakes::add_late(&mut draft, random);
        } else {
            mistakes::add(&mut draft, random);
        }
    }
    let mut files: Vec<(String, Vec<u8>)> = draft
        .files
        .iter()
        .map(|(path, node)| (path.clone(), node.write(random).into_bytes()))
        .collect();
    files.extend(
        draft
            .other
            .iter()
            .map(|(path, text)| (path.clone(), text.clone().into_bytes())),
    );
    if random.one_in(4) {
        let end = if random.one_in(3) { files.len() } else { 1 };
        let file = random.below(end);
        text::vary(&mut files[file].1, random);
    }
    if !late && random.one_in(3) {
        let end = if random.one_in(3) { files.len() } else { 1 };
        let file = random.below(end);
        text::break_up(&mut files[file].1, random);
    }
    let mut environments = vec![None];
    if let Some(declared) = draft.environments.first() {
        environments.push(Some(declared.clone()));
    }
    if random.one_in(6) {
        environments.push(Some(
            random.pick(&["prod", "stage", "true", "a b", ""]).to_string(),
        ));
    }
    environments.retain(|e| e.as_deref() != Some(""));
    environments.dedup();
    Tree { files, environments }
}

const TYPES: [&str; 4] = ["kustomize", "helmfile", "kustomize", "genesissecret"];

/// A tree that Tazuna accepts.
fn valid(random: &mut Random) -> Draft {
    let mut draft = Draft {
        files: Vec::new(),
        other: Vec::new(),
        environments: Vec::new(),
    };
    let mut root = Node::Map(Vec::new());
    if random.one_in(2) {
        root.set("apiVersion", Node::raw("tazuna.pepabo.com/v1"));
        root.set("kind", Node::raw("Tazuna"));
    }
    if random.one_in(4) {
        let environments = spec(&mut root, "environments");
        for name in ["prod", "dev"] {
            environments.set(name, Node::raw(""));
            draft.environments.push(name.to_owned());
        }
    }
    let mut known: Vec<String> = Vec::new();
    let mut includes = Vec::new();
    let mut list = Vec::new();
    for _ in 0..random.below(6) {
        if random.one_in(5) && includes.len() < 3 {
            let path = format!("{}inc{}.yaml", random.pick(&["", "", "sub/"]), includes.len());
            let mut group = Node::Map(Vec::new());
            if random.one_in(2) {
                group.set("name", Node::raw(format!("group{}", includes.len())));
            }
            let mut entry = Node::Map(Vec::new());
            entry.set("path", Node::raw(path.clone()));
            group.set("includes", Node::List(vec![entry]));
            list.push(group);
            let mut inner = Node::Map(Vec::new());
            let manifests = (0..random.below(4))
                .map(|_| manifest(&mut known, random))
                .collect();
            *spec(&mut inner, "manifests") = Node::List(manifests);
            includes.push((path, inner));
        } else {
            list.push(manifest(&mut known, random));
        }
    }
    *spec(&mut root, "manifests") = Node::List(list);
    draft.files.push(("tazuna.yaml".to_owned(), root));
    draft.files.extend(includes);
    draft
}

/// A manifest with a new name that depends on some of the known ones.
fn manifest(known: &mut Vec<String>, random: &mut Random) -> Node {
    let mut node = Node::Map(Vec::new());
    let name = format!(
        "{}{}",
        random.pick(&["app", "db", "cni-", "0x", "e"]),
        known.len()
    );
    let name = if name.starts_with("0x") {
        format!("\"{name}\"")
    } else {
        name
    };
    node.set("name", Node::raw(name.clone()));
    node.set("type", Node::raw(*random.pick(&TYPES)));
    node.set("path", Node::raw(format!("./{}", known.len())));
    if random.one_in(4) {
        node.set("tags", Node::List(vec![Node::raw("t1"), Node::raw("t2")]));
    }
    if !known.is_empty() && random.one_in(2) {
        let wanted = (0..=random.below(2)).map(|_| Node::raw(random.pick(known).clone()));
        node.set("dependsOn", Node::List(wanted.collect()));
    }
    if random.one_in(4) {
        let entries = node.map();
        let (a, b) = (random.below(entries.len()), random.below(entries.len()));
        entries.swap(a, b);
    }
    known.push(name);
    node
}
