//! Merges nodes, and the edges between them.

use rustc_hash::FxHashMap;

use crate::build::plural;
use crate::model::{Edge, Node, NodeKind, Picture};

/// For each node the index of its group: the first node with the same key. A node without a key is its own group.
pub(super) fn group<K: std::hash::Hash + Eq>(keys: Vec<Option<K>>) -> Vec<usize> {
    let mut first: FxHashMap<K, usize> = FxHashMap::default();
    keys.into_iter()
        .enumerate()
        .map(|(at, key)| key.map_or(at, |key| *first.entry(key).or_insert(at)))
        .collect()
}

/// Makes each group one node, and the edges between two groups one edge.
pub(super) fn merge(picture: &mut Picture, groups: &[usize]) {
    let words = picture.words;
    let mut number: Vec<usize> = Vec::with_capacity(groups.len());
    let mut nodes: Vec<Node> = Vec::new();
    for (at, (node, first)) in std::mem::take(&mut picture.nodes)
        .into_iter()
        .zip(groups)
        .enumerate()
    {
        if *first == at {
            number.push(nodes.len());
            nodes.push(node);
            continue;
        }
        let of = number.get(*first).copied().unwrap_or(0);
        number.push(of);
        if let Some(into) = nodes.get_mut(of) {
            join(into, node);
        }
    }
    for node in nodes.iter_mut().filter(|n| !n.members.is_empty()) {
        if node.kind == NodeKind::Unknown {
            node.name = name_of(&node.members, ["name", "names"]);
            continue;
        }
        node.name = name_of(&node.members, words);
        node.detail = node
            .spot
            .as_ref()
            .map_or_else(String::new, |s| format!("{} …", s.show()));
    }
    picture.nodes = nodes;
    let edges = std::mem::take(&mut picture.edges);
    let mut between: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for mut edge in edges {
        let at = |n: usize| number.get(n).copied().unwrap_or(0);
        let same = edge.before == edge.after;
        (edge.before, edge.after) = (at(edge.before), at(edge.after));
        // Edges inside a box are not drawn; an edge from a node to itself is.
        if edge.before == edge.after && !same {
            continue;
        }
        match between
            .get(&(edge.before, edge.after))
            .and_then(|n| picture.edges.get_mut(*n))
        {
            Some(there) => add(there, &edge),
            None => {
                between.insert((edge.before, edge.after), picture.edges.len());
                picture.edges.push(edge);
            }
        }
    }
}

fn join(into: &mut Node, node: Node) {
    if let (
        NodeKind::Join { waiting, awaited },
        NodeKind::Join {
            waiting: w,
            awaited: a,
        },
    ) = (into.kind, node.kind)
    {
        into.kind = NodeKind::Join {
            waiting: waiting + w,
            awaited: awaited + a,
        };
        into.name = format!("{} × {}", waiting + w, awaited + a);
        return;
    }
    if into.members.is_empty() {
        into.members = vec![std::mem::take(&mut into.name)];
    }
    if into.kind == NodeKind::Unit {
        into.kind = NodeKind::Group;
        into.unit = None;
    }
    if node.members.is_empty() {
        into.members.push(node.name);
    } else {
        into.members.extend(node.members);
    }
    into.chain |= node.chain;
    into.later |= node.later;
    into.cycle |= node.cycle;
    into.finding = into.finding.max(node.finding);
    into.tags.retain(|tag| node.tags.contains(tag));
}

fn add(into: &mut Edge, edge: &Edge) {
    into.count += edge.count;
    into.explicit |= edge.explicit;
    into.chain |= edge.chain;
    into.cycle |= edge.cycle;
    into.dropped &= edge.dropped;
    into.ring = into.ring.or(edge.ring);
    if into.reason != edge.reason {
        into.reason = None;
    }
    if into.condition != edge.condition {
        into.condition = None;
    }
}

/// Lists of names up to this many characters are shown in full.
const LONGEST_LIST: usize = 30;

/// All names if the list is short; else their common prefix, up to a separator: `Deployment ×48`; else only the count.
fn name_of(members: &[String], words: [&str; 2]) -> String {
    let count = members.len();
    let length: usize = members.iter().map(|name| name.chars().count() + 2).sum();
    if length <= LONGEST_LIST {
        return members.join(", ");
    }
    let mut common = members.first().map_or("", String::as_str);
    for name in members {
        let same = common.char_indices().zip(name.chars()).find(|((_, a), b)| a != b);
        let end = same.map_or(common.len().min(name.len()), |((at, _), _)| at);
        common = common.get(..end).unwrap_or("");
    }
    let is_mark = |c: char| matches!(c, '/' | '.' | '-' | '_' | '@' | ':' | '[');
    let common = common
        .rfind(is_mark)
        .map_or("", |at| common.get(..at).unwrap_or(""));
    if common.is_empty() {
        plural(count, words)
    } else {
        format!("{common} ×{count}")
    }
}
