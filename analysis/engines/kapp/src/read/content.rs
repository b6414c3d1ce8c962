//! The complete content of a resource: compared for equality, queried at a path.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::decode::go_type;
use super::places::Places;
use super::resource::Resource;
use crate::matcher::{Panics, PathPart};
use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::goyaml::{self, Value};

/// The maximum number of values examined in one resource; aliases can multiply them, and go-yaml rejects such a
/// text.
const BUDGET: usize = 4_000_000;

/// A resource's content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content<'t>(Option<Node<'t>>);

impl<'t> Content<'t> {
    pub(super) const fn new(node: Option<Node<'t>>) -> Self {
        Self(node)
    }

    /// The node.
    pub(crate) const fn node(self) -> Option<Node<'t>> {
        self.0
    }

    /// A digest of the values: equal for structurally equal contents.
    pub(crate) fn digest(self) -> [u64; 2] {
        let mut one = FxHasher::default();
        let mut two = FxHasher::default();
        two.write_u64(0x9E37_79B9_7F4A_7C15);
        let mut budget = BUDGET;
        let mut stack: Vec<Step<'t>> = self.0.into_iter().map(Step::Node).collect();
        let mut put = |bytes: &[u8]| {
            bytes.hash(&mut one);
            bytes.len().hash(&mut two);
            bytes.hash(&mut two);
        };
        while let Some(step) = stack.pop() {
            budget = match budget.checked_sub(1) {
                Some(left) => left,
                None => break,
            };
            let node = match step {
                Step::Text(text) => {
                    put(text.as_bytes());
                    continue;
                }
                Step::Node(node) => node,
            };
            match goyaml::value(node) {
                Value::Null => put(b"n"),
                Value::Bool(b) => put(if b { b"t" } else { b"f" }),
                Value::Int(n) => put(&number(n as f64)),
                Value::Uint(n) => put(&number(n as f64)),
                Value::Float(n) => put(&number(n)),
                Value::Str(text) => {
                    put(b"s");
                    put(text.as_bytes());
                }
                Value::Seq(list) => {
                    put(b"[");
                    stack.push(Step::Text("]".into()));
                    let items: Vec<_> = list.items().collect();
                    stack.extend(items.into_iter().rev().map(Step::Node));
                }
                Value::Map(map) => {
                    put(b"{");
                    stack.push(Step::Text("}".into()));
                    let mut fields = goyaml::fields(map);
                    fields.sort_by(|a, b| b.name.cmp(&a.name));
                    for field in fields {
                        stack.push(Step::Node(field.value));
                        stack.push(Step::Text(field.name));
                    }
                }
            }
        }
        [one.finish(), two.finish()]
    }

    /// Whether no value is at a path, as kapp's `emptyFieldMatcher` sees it; `None` beyond a limit of ours.
    ///
    /// # Errors
    /// When kapp panics on the way.
    pub(crate) fn is_empty_at(self, path: &[PathPart]) -> Result<Option<bool>, Panics> {
        // Each entry: a value (missing: null) and the rest of the path.
        let mut stack: Vec<(Option<Node<'t>>, &[PathPart])> = vec![(self.0, path)];
        let mut budget = BUDGET;
        while let Some((node, path)) = stack.pop() {
            let Some(left) = budget.checked_sub(1) else {
                return Ok(None);
            };
            budget = left;
            let value = node.map_or(Value::Null, goyaml::value);
            let Some((part, rest)) = path.split_first() else {
                let empty = match value {
                    Value::Null => true,
                    Value::Seq(list) => list.items().next().is_none(),
                    Value::Map(map) => goyaml::fields(map).is_empty(),
                    _ => false,
                };
                if !empty {
                    return Ok(Some(false));
                }
                continue;
            };
            if let Some(panics) = part.panics() {
                return Err(panics);
            }
            match (part, value) {
                (_, Value::Null) => {}
                (PathPart::Key(key), Value::Map(map)) => {
                    let fields = goyaml::fields(map);
                    if let Some(field) = fields.iter().find(|f| *f.name == **key) {
                        stack.push((Some(field.value), rest));
                    }
                }
                (PathPart::Index(index), Value::Seq(list)) => {
                    let at = usize::try_from(*index).map_err(|_| Panics::index(*index))?;
                    if let Some(item) = list.items().nth(at) {
                        stack.push((Some(item), rest));
                    }
                }
                (PathPart::All, Value::Seq(list)) => {
                    let items: Vec<_> = list.items().collect();
                    stack.extend(items.into_iter().rev().map(|n| (Some(n), rest)));
                }
                _ => return Ok(Some(false)),
            }
        }
        Ok(Some(true))
    }
}

enum Step<'t> {
    Node(Node<'t>),
    Text(Cow<'t, str>),
}

fn number(value: f64) -> [u8; 9] {
    let mut bytes = [b'#'; 9];
    if let Some(rest) = bytes.get_mut(1..) {
        rest.copy_from_slice(&value.to_bits().to_le_bytes());
    }
    bytes
}

/// What prevents kapp from writing its labels (stage `label`).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LabelError {
    /// The path in kapp's notation: `metadata,labels`.
    pub(crate) path: Box<str>,
    /// kapp's message about the value there: `Unexpected non-map found: string`.
    pub(crate) message: Box<str>,
    /// The place of the value.
    pub(crate) place: u32,
}

/// A rule by which kapp writes labels: a path, and the kinds it applies to.
pub(crate) struct LabelPath {
    pub(crate) path: &'static [&'static str],
    /// API versions and kind; empty: everything.
    kinds: &'static [(&'static [&'static str], &'static str)],
    /// The annotations that switch it off.
    opt_out: &'static [&'static str],
}

impl LabelPath {
    /// Whether kapp writes labels there in a resource with these annotations.
    pub(crate) fn is_for(&self, version: &str, kind: &str, annotated: impl Fn(&str) -> bool) -> bool {
        let mut kinds = self.kinds.iter();
        let known = |(versions, k): &(&[&str], &str)| *k == kind && versions.contains(&version);
        (self.kinds.is_empty() || kinds.any(known)) && !self.opt_out.iter().any(|name| annotated(name))
    }

    /// Whether it is a selector: labels are only added if it exists.
    pub(crate) fn is_selector(&self) -> bool {
        self.opt_out.len() > 1
    }
}

const WORKLOADS: &[&str] = &["apps/v1", "apps/v1beta2", "apps/v1beta1", "extensions/v1beta1"];
const POD_TEMPLATES: &[(&[&str], &str)] = &[
    (WORKLOADS, "Deployment"),
    (WORKLOADS, "ReplicaSet"),
    (WORKLOADS, "StatefulSet"),
    (WORKLOADS, "DaemonSet"),
    (&["batch/v1"], "Job"),
];
const NO_OWNERSHIP: &[&str] = &["kapp.k14s.io/disable-default-ownership-label-rules"];
const NO_SCOPING: &[&str] = &[
    "kapp.k14s.io/disable-label-scoping",
    "kapp.k14s.io/disable-default-label-scoping-rules",
];

/// In a path, every entry of a list.
pub(crate) const ALL: &str = "(all)";

/// Where kapp writes labels, in its order: those of the resource itself first.
pub(crate) const LABEL_PATHS: &[LabelPath] = &[
    LabelPath {
        path: &["metadata", "labels"],
        kinds: &[],
        opt_out: &[],
    },
    LabelPath {
        path: &["spec", "template", "metadata", "labels"],
        kinds: POD_TEMPLATES,
        opt_out: NO_OWNERSHIP,
    },
    LabelPath {
        path: &["spec", "volumeClaimTemplates", ALL, "metadata", "labels"],
        kinds: &[(&["apps/v1", "apps/v1beta1", "extensions/v1beta1"], "StatefulSet")],
        opt_out: NO_OWNERSHIP,
    },
    LabelPath {
        path: &["spec", "template", "metadata", "labels"],
        kinds: &[(&["batch/v1", "batch/v1beta1", "batch/v2alpha1"], "Job")],
        opt_out: NO_OWNERSHIP,
    },
    LabelPath {
        path: &["spec", "jobTemplate", "spec", "template", "metadata", "labels"],
        kinds: &[(&["batch/v1", "batch/v1beta1", "batch/v2alpha1"], "CronJob")],
        opt_out: NO_OWNERSHIP,
    },
    LabelPath {
        path: &["spec", "selector"],
        kinds: &[(&["v1"], "Service")],
        opt_out: NO_SCOPING,
    },
    LabelPath {
        path: &["spec", "selector", "matchLabels"],
        kinds: POD_TEMPLATES,
        opt_out: NO_SCOPING,
    },
    LabelPath {
        path: &["spec", "selector", "matchLabels"],
        kinds: &[(&["policy/v1beta1"], "PodDisruptionBudget")],
        opt_out: NO_SCOPING,
    },
];

/// `labels_fit`: whether `metadata.labels` has no obstacle.
pub(super) fn label_fault(
    fields: &[goyaml::Field<'_>],
    labels_fit: bool,
    resource: &Resource,
    places: &mut Places<'_>,
) -> Option<LabelError> {
    let (version, kind) = (&*resource.api_version.value, &*resource.kind.value);
    LABEL_PATHS
        .iter()
        .skip(usize::from(labels_fit))
        .filter(|p| p.is_for(version, kind, |name| resource.has_annotation(name)))
        .find_map(|p| {
            let (first, rest) = p.path.split_first()?;
            let field = fields.iter().find(|f| f.name == *first)?;
            if field.decoded() == Value::Null {
                return None;
            }
            let (message, at) = append_fault(field.value, rest, places)?;
            Some(LabelError {
                path: p.path.join(",").into(),
                message: message.into(),
                place: places.add(at.span()),
            })
        })
}

/// kapp's error when it appends to the map at a path.
fn append_fault<'t>(node: Node<'t>, path: &[&str], places: &mut Places<'_>) -> Option<(String, Node<'t>)> {
    let mut stack: Vec<(Node<'t>, &[&str])> = vec![(node, path)];
    while let Some((node, path)) = stack.pop() {
        if !places.spend(1) {
            return None;
        }
        let value = goyaml::value(node);
        match (path.split_first(), &value) {
            (None, Value::Map(_)) => {}
            (Some((&ALL, rest)), Value::Seq(list)) => {
                let items: Vec<_> = list.items().collect();
                stack.extend(items.into_iter().rev().map(|n| (n, rest)));
            }
            (Some((&ALL, _)), other) => {
                return Some((format!("Unexpected non-array found: {}", go_type(other)), node));
            }
            (Some((key, rest)), Value::Map(map)) => {
                let fields = goyaml::fields(*map);
                // A missing or null value becomes an empty map, or ends the search.
                if let Some(field) = fields.iter().find(|f| f.name == *key)
                    && field.decoded() != Value::Null
                {
                    stack.push((field.value, rest));
                }
            }
            (_, other) => {
                return Some((format!("Unexpected non-map found: {}", go_type(other)), node));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use applyorder_syntax::yaml;

    fn digest(text: &str) -> [u64; 2] {
        let tree = yaml::parse(text);
        Content(tree.first_document().unwrap().root()).digest()
    }

    #[test]
    fn equal_values_have_equal_digests_whatever_their_writing() {
        let one = digest("a: 1\nb: [x, 'y']\n");
        assert_eq!(one, digest("{\"b\": [\"x\", \"y\"], \"a\": 1.0}"));
        assert_ne!(one, digest("a: \"1\"\nb: [x, y]\n"));
        assert_ne!(digest("a: [[x], y]"), digest("a: [[x, y]]"));
    }

    fn empty(text: &str, path: &[PathPart]) -> Result<Option<bool>, Panics> {
        let tree = yaml::parse(text);
        Content(tree.first_document().unwrap().root()).is_empty_at(path)
    }

    #[test]
    fn a_field_is_empty_when_absent_null_or_without_entries() {
        let list = |rest: &[PathPart]| {
            let mut path = vec![PathPart::Key("l".into())];
            path.extend_from_slice(rest);
            path
        };
        assert_eq!(empty("l: []", &list(&[])), Ok(Some(true)));
        assert_eq!(empty("l: 0", &list(&[])), Ok(Some(false)));
        assert_eq!(empty("x: 0", &list(&[PathPart::Index(3)])), Ok(Some(true)));
        let all = list(&[PathPart::All, PathPart::Key("v".into())]);
        assert_eq!(empty("l: [{v: {}}, {}]", &all), Ok(Some(true)));
        assert_eq!(empty("l: [{v: {}}, {v: ''}]", &all), Ok(Some(false)));
        let panics = |part: PathPart| empty("l: [1]", &list(&[part])).unwrap_err().0;
        assert!(panics(PathPart::Unknown).starts_with("Unknown array index"));
        assert!(panics(PathPart::Nil).contains("nil pointer"));
        assert!(panics(PathPart::Regex("x".into())).starts_with("Unexpected path part"));
        assert_eq!(
            panics(PathPart::Index(-1)),
            "runtime error: index out of range [-1]"
        );
        assert_eq!(empty("x: 1", &list(&[PathPart::Index(-1)])), Ok(Some(true)));
    }
}
