//! Resource matchers (kapp, Config and matchers).

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
    /// There is a namespace, and it is one of these where some are named.
    HasNamespace(Vec<Box<str>>),
    /// The API group is not built in.
    CustomResource,
    /// Nothing is at the path.
    EmptyField(Vec<PathPart>),
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
    /// A regular expression for keys, which kapp knows in rebase rules only: elsewhere it panics when it gets there.
    Regex(Box<str>),
    /// An index that is none: kapp panics when it gets there.
    Unknown,
    /// Null: kapp panics when it looks at it.
    Nil,
}

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

/// How many other matchers one is worth that looks into a resource.
const FIELD: u64 = 20;

/// What a matcher asks of a resource. `None`: not known yet.
pub(crate) trait Subject {
    /// `apiVersion`.
    fn api_version(&self) -> &str;
    /// `kind`.
    fn kind(&self) -> &str;
    /// The name, as it is when the graph is made.
    fn name(&self) -> Option<&str>;
    /// The namespace, as it is when the graph is made; empty for none.
    fn namespace(&self) -> Option<&str>;
    /// Whether an annotation is there.
    fn has_annotation(&self, key: &str) -> Option<bool>;
    /// Whether nothing is at a path; the inner `None` is a panic of kapp's.
    fn is_empty_at(&self, path: &[PathPart]) -> Option<Option<bool>>;
}

/// A kind of resource without an object: what is common to all of its objects.
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
    fn is_empty_at(&self, _: &[PathPart]) -> Option<Option<bool>> {
        None
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

/// Whether resources of an API group count as custom.
pub(crate) fn is_custom(group: &str) -> bool {
    !BUILT_IN.contains(&group)
}

/// A panic of kapp's while it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panics;

impl Matcher {
    /// Whether kapp panics as soon as it looks at the matcher.
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

    /// How many matchers it is made of.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Any(list) | Self::And(list) => 1 + size(list),
            Self::Not(inner) => 1 + inner.size(),
            Self::HasAnnotation(keys) | Self::HasNamespace(keys) => 1 + keys.len() as u64,
            Self::EmptyField(path) => FIELD + path.len() as u64,
            _ => 1,
        }
    }

    /// Whether it asks what is at a path.
    pub(crate) fn asks_for_fields(&self) -> bool {
        match self {
            Self::EmptyField(_) => true,
            Self::Any(list) | Self::And(list) => list.iter().any(Self::asks_for_fields),
            Self::Not(inner) => inner.asks_for_fields(),
            _ => false,
        }
    }

    /// Whether a resource matches; `None` where that depends on what is not known.
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
            Self::EmptyField(path) => match subject.is_empty_at(path) {
                None => None,
                Some(None) => return Err(Panics),
                Some(Some(empty)) => Some(empty),
            },
            Self::Unknown(_) => return Err(Panics),
        })
    }
}

/// How many matchers some are made of.
pub(crate) fn size(list: &[Matcher]) -> u64 {
    list.iter().map(Matcher::size).sum()
}

/// The places of the matchers among some that have no known field.
pub(crate) fn unknown(list: &[Matcher]) -> Vec<u32> {
    let mut places = Vec::new();
    list.iter().for_each(|matcher| matcher.unknown(&mut places));
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
