//! Resource matchers (kapp, Config and matchers).

use std::borrow::Cow;

/// What a binding applies to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Matcher {
    /// Everything.
    All,
    /// At least one.
    Any(Vec<Matcher>),
    /// Every one.
    And(Vec<Matcher>),
    /// Everything else.
    Not(Box<Matcher>),
    /// Kind, namespace and name are equal.
    KindNamespaceName(Box<str>, Box<str>, Box<str>),
    /// API group and kind are equal.
    ApiGroupKind(Box<str>, Box<str>),
    /// API version and kind are equal.
    ApiVersionKind(Box<str>, Box<str>),
    /// All keys are there.
    HasAnnotation(Vec<Box<str>>),
    /// It has a namespace, and it is one of these if some are named.
    HasNamespace(Vec<Box<str>>),
    /// The API group is not built in.
    CustomResource,
    /// No value is at the path. With the number of the place of its first part at which kapp panics.
    EmptyField(Vec<PathPart>, Option<u32>),
    /// No known field is set: kapp panics. With the number of its place in the document.
    Unknown(u32),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PathPart {
    /// A key of a mapping.
    Key(Box<str>),
    /// An entry of a list.
    Index(i64),
    /// Every entry of a list.
    All,
    /// A regular expression for keys, which kapp supports in rebase rules only: elsewhere it panics on reaching
    /// it.
    Regex(Box<str>),
    /// An invalid index: kapp panics on reaching it.
    Unknown,
    /// Null: kapp panics when reading it.
    Nil,
}

impl PathPart {
    /// kapp's panic when a matcher reaches the part, whatever value is there.
    pub(crate) fn panics(&self) -> Option<Panics> {
        match self {
            Self::Key(_) | Self::Index(_) | Self::All => None,
            Self::Regex(_) => Some(Panics::of("Unexpected path part: &resources.PathPart")),
            Self::Unknown => Some(Panics::of("Unknown array index: &resources.PathPartArrayIndex")),
            Self::Nil => Some(Panics::of(NIL)),
        }
    }

    /// Whether kapp panics at the part in some resource.
    pub(crate) fn may_panic(&self) -> bool {
        matches!(self, Self::Index(..0)) || self.panics().is_some()
    }
}

/// Go's message when a null is dereferenced.
pub(crate) const NIL: &str = "runtime error: invalid memory address or nil pointer dereference";

/// As kapp's messages write a part of a path.
impl std::fmt::Display for PathPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Key(key) => f.write_str(key),
            Self::Index(index) => write!(f, "{index}"),
            Self::All => f.write_str("(all)"),
            Self::Regex(regex) => f.write_str(regex),
            Self::Unknown | Self::Nil => Ok(()),
        }
    }
}

/// The cost of a matcher that looks into a resource, in other matchers.
const FIELD: u64 = 20;

/// What a matcher queries of a resource. `None`: not known yet.
pub(crate) trait Subject {
    /// `apiVersion`.
    fn api_version(&self) -> &str;
    /// `kind`.
    fn kind(&self) -> &str;
    /// The name, as it is when the graph is built.
    fn name(&self) -> Option<&str>;
    /// The namespace, as it is when the graph is built; empty for none.
    fn namespace(&self) -> Option<&str>;
    /// Whether an annotation exists.
    fn has_annotation(&self, key: &str) -> Option<bool>;
    /// Whether no value is at a path.
    ///
    /// # Errors
    /// When kapp panics on the way.
    fn is_empty_at(&self, path: &[PathPart]) -> Result<Option<bool>, Panics>;
}

/// A kind of resource without an object: what all of its objects have in common.
pub(crate) struct KindOnly<'a> {
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
}

impl Subject for KindOnly<'_> {
    fn api_version(&self) -> &str {
        self.api_version
    }
    fn kind(&self) -> &str {
        self.kind
    }
    fn name(&self) -> Option<&str> {
        None
    }
    fn namespace(&self) -> Option<&str> {
        None
    }
    fn has_annotation(&self, _: &str) -> Option<bool> {
        None
    }
    fn is_empty_at(&self, path: &[PathPart]) -> Result<Option<bool>, Panics> {
        let part = path.iter().find(|part| part.may_panic());
        part.map_or(Ok(None), |part| Err(part.panics().unwrap_or(Panics::UNKNOWN)))
    }
}

/// The part of an API version before its slash.
pub(crate) fn api_group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// API groups whose resources are not custom.
const BUILT_IN: [&str; 24] = [
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "metrics.k8s.io",
    "migration.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];

/// Whether resources of an API group are custom resources.
pub(crate) fn is_custom(group: &str) -> bool {
    !BUILT_IN.contains(&group)
}

/// A panic of kapp while matching, with its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Panics(pub(crate) Cow<'static, str>);

impl Panics {
    /// No known field of a matcher is set.
    pub(crate) const UNKNOWN: Self = Self::of("Unknown resource matcher specified: config.ResourceMatcher");

    const fn of(words: &'static str) -> Self {
        Self(Cow::Borrowed(words))
    }

    /// A negative index.
    pub(crate) fn index(index: i64) -> Self {
        Self(format!("runtime error: index out of range [{index}]").into())
    }
}

impl Matcher {
    /// Whether kapp panics on reading the matcher at all.
    pub(crate) fn is_unknown(&self) -> bool {
        let mut places = Vec::new();
        self.unknown(&mut places);
        !places.is_empty()
    }

    fn unknown(&self, places: &mut Vec<u32>) {
        match self {
            Self::Unknown(place) => places.push(*place),
            Self::Any(list) | Self::And(list) => list.iter().for_each(|inner| inner.unknown(places)),
            Self::Not(inner) => inner.unknown(places),
            _ => {}
        }
    }

    /// The number of matchers that it consists of.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Any(list) | Self::And(list) => 1 + size(list),
            Self::Not(inner) => 1 + inner.size(),
            Self::HasAnnotation(keys) | Self::HasNamespace(keys) => 1 + keys.len() as u64,
            Self::EmptyField(path, _) => FIELD + path.len() as u64,
            _ => 1,
        }
    }

    /// Whether it queries the value at a path.
    pub(crate) fn asks_for_fields(&self) -> bool {
        match self {
            Self::EmptyField(..) => true,
            Self::Any(list) | Self::And(list) => list.iter().any(Self::asks_for_fields),
            Self::Not(inner) => inner.asks_for_fields(),
            _ => false,
        }
    }

    /// Whether a resource matches; `None` if that depends on something unknown.
    ///
    /// # Errors
    /// When kapp panics on the way.
    pub(crate) fn matches(&self, subject: &dyn Subject) -> Result<Option<bool>, Panics> {
        Ok(match self {
            Self::All => Some(true),
            Self::Any(list) => any(list, subject)?,
            Self::And(list) => {
                let mut known = Some(true);
                for inner in list {
                    match inner.matches(subject)? {
                        Some(false) => return Ok(Some(false)),
                        None => known = None,
                        Some(true) => {}
                    }
                }
                known
            }
            Self::Not(inner) => inner.matches(subject)?.map(|m| !m),
            Self::KindNamespaceName(kind, namespace, name) => {
                if subject.kind() != &**kind {
                    return Ok(Some(false));
                }
                match (subject.namespace(), subject.name()) {
                    (Some(ns), Some(n)) => Some(ns == &**namespace && n == &**name),
                    _ => None,
                }
            }
            Self::ApiGroupKind(group, kind) => {
                Some(subject.kind() == &**kind && api_group(subject.api_version()) == &**group)
            }
            Self::ApiVersionKind(version, kind) => {
                Some(subject.kind() == &**kind && subject.api_version() == &**version)
            }
            Self::HasAnnotation(keys) => {
                let mut known = Some(true);
                for key in keys {
                    match subject.has_annotation(key) {
                        Some(true) => {}
                        Some(false) => return Ok(Some(false)),
                        None => known = None,
                    }
                }
                known
            }
            Self::HasNamespace(names) => subject
                .namespace()
                .map(|ns| !ns.is_empty() && (names.is_empty() || names.iter().any(|n| **n == *ns))),
            Self::CustomResource => Some(is_custom(api_group(subject.api_version()))),
            Self::EmptyField(path, _) => subject.is_empty_at(path)?,
            Self::Unknown(_) => return Err(Panics::UNKNOWN),
        })
    }
}

/// The number of matchers that some consist of.
pub(crate) fn size(list: &[Matcher]) -> u64 {
    list.iter().map(Matcher::size).sum()
}

/// The places of the matchers among some that have no known field.
pub(crate) fn unknown(list: &[Matcher]) -> Vec<u32> {
    let mut places = Vec::new();
    list.iter().for_each(|matcher| matcher.unknown(&mut places));
    places
}

/// The places of the parts of paths among some matchers at which kapp panics on reaching them.
pub(crate) fn broken_paths(list: &[Matcher]) -> Vec<u32> {
    let mut open: Vec<&Matcher> = list.iter().rev().collect();
    let mut places = Vec::new();
    while let Some(matcher) = open.pop() {
        match matcher {
            Matcher::EmptyField(_, Some(place)) => places.push(*place),
            Matcher::Any(list) | Matcher::And(list) => open.extend(list.iter().rev()),
            Matcher::Not(inner) => open.push(inner),
            _ => {}
        }
    }
    places
}

/// Whether any of some matchers matches.
///
/// # Errors
/// When kapp panics on the way.
pub(crate) fn any(list: &[Matcher], subject: &dyn Subject) -> Result<Option<bool>, Panics> {
    let mut known = Some(false);
    for inner in list {
        match inner.matches(subject)? {
            Some(true) => return Ok(Some(true)),
            None => known = None,
            Some(false) => {}
        }
    }
    Ok(known)
}
