//! Changes to a valid tree, most of which make it invalid.

use super::super::nodes::{Entries, Node};
use super::values::{
    self, HELMFILES, INCLUDES, KEYS, MERGES, MODES, ORAS, OTHER_FILES, PROVIDERS, SCALARS, SECRETS,
    TEMPLATES, VARIABLES, VERSIONS,
};
use super::{Draft, spec};
use crate::random::Random;

fn raw(random: &mut Random, from: &[&str]) -> Node {
    Node::raw(*random.pick(from))
}

/// Makes a change to names or dependencies.
pub(super) fn add_late(draft: &mut Draft, random: &mut Random) {
    match random.below(10) {
        0 | 1 => {
            let names = draft.names();
            if !names.is_empty() {
                let name = random.pick(&names).clone();
                draft.manifest(random).set("name", Node::raw(name));
            }
        }
        2 => {
            let name = raw(random, &SCALARS);
            draft.manifest(random).set("name", name);
        }
        3 => draft.manifest(random).remove("name"),
        4..=6 => ring(draft, random),
        7 => {
            let name = format!(
                "{}{}",
                "a".repeat(235),
                random.pick(&["aaaaa", "aaaaaa", "éé", "ééé", "A"])
            );
            draft.manifest(random).set("name", Node::raw(name));
        }
        _ => dependencies(draft, random),
    }
}

/// Makes a change of any kind.
pub(super) fn add(draft: &mut Draft, random: &mut Random) {
    match random.below(32) {
        0..=5 => add_late(draft, random),
        6 => {
            let key = *random.pick(&["name", "type", "path"]);
            draft.manifest(random).remove(key);
        }
        7 => {
            let kind = raw(
                random,
                &[
                    "Kustomize",
                    "parallel",
                    "",
                    "oras",
                    "genesissecret",
                    "helmfile ",
                    "on",
                    "[x]",
                ],
            );
            draft.manifest(random).set("type", kind);
        }
        8 => {
            let value = raw(random, &SCALARS);
            let key = *random.pick(&[
                "path",
                "type",
                "description",
                "tags",
                "tests",
                "kustomize",
                "genesisSecret",
            ]);
            draft.manifest(random).set(key, value);
        }
        9..=11 => include(draft, random),
        12 => {
            let value = raw(
                random,
                &[
                    "tazuna.pepabo.com/v1",
                    "v1",
                    "1",
                    "Tazuna",
                    "tazuna",
                    "~",
                    "\"\"",
                    "[]",
                ],
            );
            let key = *random.pick(&["apiVersion", "kind", "KIND", "spec"]);
            draft.root().set(key, value);
        }
        13 => {
            let version = raw(random, &VERSIONS);
            *spec(draft.root(), "minimumSupportedTazunaVersion") = version;
        }
        14 | 29 | 30 => {
            let pattern = values::pattern(random);
            let list = if random.one_in(4) {
                pattern
            } else {
                Node::List(vec![pattern])
            };
            *spec(draft.root(), "context_matches") = list;
        }
        15 => {
            let mode = raw(random, &MODES);
            *spec(draft.root(), "context_match_mode") = mode;
        }
        16 => environments(draft, random),
        17 => {
            let list = (0..=random.below(2)).map(|_| raw(random, &PROVIDERS)).collect();
            *spec(draft.root(), "providers") = Node::List(list);
        }
        18 | 19 => typed_block(draft, random),
        20 | 21 => repeated_key(draft, random),
        22 => other_case(draft, random),
        23 | 24 => merge(draft, random),
        25 | 26 => {
            let value = raw(random, &TEMPLATES);
            let key = *random.pick(&["name", "path", "description"]);
            draft.manifest(random).set(key, value);
        }
        27 => {
            let entry = raw(random, &["~", "x", "1", "[]", "{}", "", "{name: only}"]);
            let list = draft.manifests(random);
            let at = random.below(list.len() + 1);
            list.insert(at, entry);
        }
        28 => {
            let (key, value) = (*random.pick(&KEYS), raw(random, &SCALARS));
            let target = if random.one_in(2) {
                draft.root()
            } else {
                draft.manifest(random)
            };
            target.map().push((key.to_owned(), value));
        }
        _ => {
            let value = raw(random, &SCALARS);
            let key = *random.pick(&["x", "depends_on", "includes", "dependson", "parallel"]);
            draft.manifest(random).set(key, value);
        }
    }
}

fn dependencies(draft: &mut Draft, random: &mut Random) {
    let names = draft.names();
    let some_name = |random: &mut Random| {
        if names.is_empty() {
            Node::raw("a")
        } else {
            Node::raw(random.pick(&names).clone())
        }
    };
    let entry = match random.below(6) {
        0..=2 => some_name(random),
        3 => raw(
            random,
            &["nowhere", "group0", "APP0", "app0 ", "\"app0\"", "App0"],
        ),
        _ => raw(random, &SCALARS),
    };
    let whole = match random.below(10) {
        0 => Some(raw(
            random,
            &[
                "app0",
                "~",
                "{}",
                "{a: b}",
                "[[app0]]",
                "[]",
                "\"\"",
                "[app0, app0]",
                "[~]",
                "1",
            ],
        )),
        1 => Some(some_name(random)),
        _ => None,
    };
    let manifest = draft.manifest(random);
    match whole {
        Some(whole) => manifest.set("dependsOn", whole),
        None => {
            if manifest.get("dependsOn").is_none() {
                manifest.set("dependsOn", Node::List(Vec::new()));
            }
            manifest.get_mut("dependsOn").unwrap().list().push(entry);
        }
    }
}

/// Makes some manifests of the root depend on each other in a cycle.
fn ring(draft: &mut Draft, random: &mut Random) {
    let list = spec(draft.root(), "manifests").list();
    let mut members: Vec<&mut Node> = list.iter_mut().filter(|m| m.get("name").is_some()).collect();
    members.truncate(1 + random.below(4));
    let mut names: Vec<Node> = members.iter().filter_map(|m| m.get("name").cloned()).collect();
    let by = random.below(names.len()).min(1);
    names.rotate_left(by);
    for (member, name) in members.into_iter().zip(names) {
        match member.get_mut("dependsOn") {
            Some(known) => known.list().push(name),
            None => member.set("dependsOn", Node::List(vec![name])),
        }
    }
}

fn include(draft: &mut Draft, random: &mut Random) {
    for (path, text) in OTHER_FILES {
        draft.other.push((path.to_owned(), text.to_owned()));
    }
    let extra = ["typed.yaml", "templated.yaml"];
    let path = if random.one_in(8) {
        raw(random, &extra)
    } else {
        raw(random, &INCLUDES)
    };
    let mut entry = Node::Map(Vec::new());
    entry.set("path", path.clone());
    let includes = match random.below(8) {
        0 => raw(
            random,
            &[
                "[]",
                "~",
                "inc0.yaml",
                "[inc0.yaml]",
                "{path: inc0.yaml}",
                "[~]",
                "[{}]",
            ],
        ),
        1 => Node::List(vec![entry.clone(), entry]),
        _ => Node::List(vec![entry]),
    };
    if random.one_in(2) {
        draft.manifest(random).set("includes", includes);
    } else {
        let mut group = Node::Map(Vec::new());
        group.set("includes", includes);
        let list = spec(draft.root(), "manifests").list();
        let at = random.below(list.len() + 1);
        list.insert(at, group);
    }
}

fn environments(draft: &mut Draft, random: &mut Random) {
    let value = raw(
        random,
        &[
            "[prod]",
            "{prod: ~}",
            "{on: ~}",
            "{\"\": ~}",
            "{prod: {context_matches: x}}",
            "{prod: x}",
            "~",
            "{1: {}}",
            "{prod: {context_matches: ['[']}}",
            "{prod: {context_match_mode: xor}}",
            "{Prod: {}}",
            "prod",
            "{a b: {}}",
        ],
    );
    *spec(draft.root(), "environments") = value;
    draft.environments = vec![random.pick(&["prod", "true", "1", "stage"]).to_string()];
}

/// A block that belongs to a type, usually together with the type.
fn typed_block(draft: &mut Draft, random: &mut Random) {
    let (kind, key, block) = match random.below(5) {
        0 | 1 => {
            let mut helmfile = Node::Map(Vec::new());
            let mut variables = Node::Map(Vec::new());
            variables.set("a", raw(random, &VARIABLES));
            helmfile.set("vars", variables);
            ("helmfile", "helmfile", helmfile)
        }
        2 => ("helmfile", "helmfile", raw(random, &HELMFILES)),
        3 => ("oras", "oras", raw(random, &ORAS)),
        _ => {
            let provider = *random.pick(&[
                "",
                "provider: default-op, ",
                "provider: other, ",
                "provider: [x], ",
            ]);
            let uri = *random.pick(&SECRETS);
            let text = match random.below(8) {
                0 => "spec: [\n".to_owned(),
                1 => format!("spec: {{{provider}secrets: [{{uri: {uri}}}], static: {{a: [b]}}}}\n"),
                _ => format!("spec: {{{provider}secrets: [{{uri: op://h/v/i}}, {{uri: {uri}}}]}}\n"),
            };
            draft.other.push(("secret.yaml".to_owned(), text));
            ("genesissecret", "path", Node::raw("secret.yaml"))
        }
    };
    let manifest = draft.manifest(random);
    manifest.set(key, block);
    if !random.one_in(5) {
        manifest.set("type", Node::raw(kind));
    }
}

/// Some map of the tree, chosen at random.
fn in_some_map(draft: &mut Draft, random: &mut Random, change: &mut dyn FnMut(&mut Entries, &mut Random)) {
    let file = random.below(draft.files.len());
    let node = &mut draft.files[file].1;
    let mut count = 0;
    node.maps(&mut |_| count += 1);
    let chosen = random.below(count);
    let mut at = 0;
    node.maps(&mut |map| {
        if at == chosen && !map.is_empty() {
            change(map, random);
        }
        at += 1;
    });
}

fn repeated_key(draft: &mut Draft, random: &mut Random) {
    in_some_map(draft, random, &mut |map, random| {
        let (key, value) = map[random.below(map.len())].clone();
        let key = if random.one_in(2) {
            recased(&key, random)
        } else {
            key
        };
        let value = match value {
            Node::Raw(_) if random.one_in(2) => raw(random, &SCALARS),
            Node::List(_) if random.one_in(2) => Node::List(vec![raw(random, &SCALARS)]),
            value => value,
        };
        let at = random.below(map.len() + 1);
        map.insert(at, (key, value));
    });
}

fn other_case(draft: &mut Draft, random: &mut Random) {
    in_some_map(draft, random, &mut |map, random| {
        let at = random.below(map.len());
        map[at].0 = recased(&map[at].0.clone(), random);
    });
}

fn recased(key: &str, random: &mut Random) -> String {
    match random.below(5) {
        0 => key.to_uppercase(),
        1 => key.to_lowercase(),
        2 => key.replacen('s', "ſ", 1),
        3 => key.replacen('k', "\u{212a}", 1),
        _ => {
            let mut chars = key.chars();
            chars
                .next()
                .map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
        }
    }
}

/// Anchors under an unknown key, and a merge of them into a manifest.
fn merge(draft: &mut Draft, random: &mut Random) {
    let anchors =
        "{m: &m {name: from-m, type: kustomize}, n: &n {path: from-n, dependsOn: [app0]}, s: &s app0}";
    let file = if random.one_in(4) {
        random.below(draft.files.len())
    } else {
        0
    };
    draft.files[file]
        .1
        .map()
        .insert(0, ("x-anchors".to_owned(), Node::raw(anchors)));
    let list = spec(&mut draft.files[file].1, "manifests").list();
    if list.is_empty() {
        list.push(Node::Map(Vec::new()));
    }
    let at = random.below(list.len());
    let entries = list[at].map();
    match random.below(4) {
        0 => {
            let key = *random.pick(&["name", "type", "path"]);
            entries.push((key.to_owned(), Node::raw("*s")));
        }
        1 => {
            let value = raw(random, &["[*s]", "*s", "[*s, *m]", "[*n]", "*n"]);
            list[at].set("dependsOn", value);
        }
        _ => {
            for _ in 0..=random.below(2) {
                let at = random.below(entries.len() + 1);
                entries.insert(at, ("<<".to_owned(), raw(random, &MERGES)));
            }
        }
    }
}
