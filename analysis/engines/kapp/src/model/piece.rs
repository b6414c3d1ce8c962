//! The content of one file: its resources as kapp orders them, with the groups and rules of each.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::bindings::{Bindings, Subject};
use super::prepare::{describe, has_own_nonce, is_valid, no_path, unreadable_duration};
use super::sym;
use super::uses::ChangeUses;
use crate::load::Settings;
use crate::read::{KappFacts, Key, Resource};
use crate::scope::{Known, built_in};
use applyorder_core::diagnostic::FileId;
use applyorder_core::layer::{Fingerprint, Memo, Sym};
use applyorder_core::store::Shape;

/// The piece of a file of a shape; the fingerprint is that of the settings, of all Configs and of the scopes of
/// the kinds in the file.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct PieceKey(pub(super) FileId, pub(super) Shape, pub(super) Fingerprint);

/// A resource that kapp orders.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) document: u32,
    pub(crate) resource: u32,
    /// Its name as it is written.
    pub(crate) name: Arc<str>,
    /// Its namespace; empty for none.
    pub(crate) namespace: Arc<str>,
    /// The source of its scope.
    pub(crate) known: Known,
    /// Its identity as it is written: kapp drops duplicates of it.
    pub(crate) written: Sym,
    /// Its identity once the namespace is decided.
    pub(crate) placed: Sym,
    /// The name in outputs, unless another has the same.
    pub(crate) plain: Sym,
    pub(crate) plain_text: Arc<str>,
    /// Its groups and rules.
    pub(crate) uses: Arc<ChangeUses>,
    /// The same without what Configs bind, which `kapp delete` does not read.
    pub(crate) default_uses: Arc<ChangeUses>,
    /// Whether it is `noop`.
    pub(crate) is_noop: bool,
    /// Whether kapp treats an existing object of it as its own.
    pub(crate) is_owned: bool,
    /// Why its dependents may continue once it is applied.
    pub(crate) weakness: Option<&'static str>,
    /// Whether a rule has to check it.
    pub(crate) notable: bool,
    /// Whether it is or requires a new version in every deploy.
    pub(crate) is_versioned: bool,
}

/// The error for something missing in a resource.
#[derive(Debug)]
pub(crate) struct Invalid {
    pub(crate) document: u32,
    pub(crate) resource: u32,
    pub(crate) panics: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) bound: Box<[Bound]>,
    pub(crate) invalid: Box<[Invalid]>,
    /// Resources with a nonce that is not left to kapp, as numbers in `bound`.
    pub(crate) nonces: Box<[u32]>,
    /// Resources with a renewal duration that kapp cannot parse.
    pub(crate) renewals: Box<[u32]>,
    /// Resources whose namespace is not mapped, if some are mapped.
    pub(crate) unmapped: Box<[u32]>,
    /// Resources for which kapp cannot ask the cluster.
    pub(crate) pathless: Box<[u32]>,
    pub(crate) has_versions: bool,
}

/// The common inputs of the pieces of all files.
pub(super) struct Maker<'a> {
    pub(super) memo: &'a Memo,
    pub(super) settings: &'a Settings,
    pub(super) bindings: &'a Bindings,
    /// Valid entries of `--map-ns`.
    pub(super) mapped: &'a FxHashMap<&'a str, &'a str>,
    /// By the name of a kind.
    pub(super) scopes: &'a [Option<(bool, Known)>],
}

impl Maker<'_> {
    pub(super) fn make(&self, facts: &KappFacts) -> Piece {
        let (mut bound, mut invalid) = (Vec::new(), Vec::new());
        let (mut nonces, mut renewals, mut unmapped) = (Vec::new(), Vec::new(), Vec::new());
        let mut pathless = Vec::new();
        let mut spaces: FxHashMap<&str, Arc<str>> = FxHashMap::default();
        let mut kinds: FxHashMap<(&str, &str), Sym> = FxHashMap::default();
        for (document, read) in (0u32..).zip(&facts.documents) {
            for (number, r) in (0u32..).zip(&read.document.resources) {
                if r.config.is_some() {
                    continue;
                }
                if !is_valid(r) {
                    invalid.push(Invalid {
                        document,
                        resource: number,
                        panics: r.panics(),
                    });
                    continue;
                }
                let names = self.memo.names();
                let (version, kind) = (&*r.api_version.value, &*r.kind.value);
                let kind_name = *kinds
                    .entry((version, kind))
                    .or_insert_with(|| sym(names, &format!("{version} {kind}")));
                let (namespaced, known) = self
                    .scopes
                    .get(kind_name.index())
                    .copied()
                    .flatten()
                    .unwrap_or((true, Known::AsWritten));
                let at = u32::try_from(bound.len()).unwrap_or(u32::MAX);
                let (namespace, is_mapped) = self.namespace(r, namespaced);
                if !is_mapped {
                    unmapped.push(at);
                }
                let namespace = spaces
                    .entry(namespace)
                    .or_insert_with(|| namespace.into())
                    .clone();
                if has_own_nonce(r) {
                    nonces.push(at);
                }
                if unreadable_duration(r).is_some() {
                    renewals.push(at);
                }
                // kapp does not ask for objects of a kind that the cluster does not have yet.
                let is_there = known != Known::Definition || built_in(version, kind).is_some();
                if is_there && no_path(&r.name.value, &namespace).is_some() {
                    pathless.push(at);
                }
                let group = r.group();
                let identity = |namespace: &str| {
                    let text = format!("{namespace}/{group}/{kind}/{}", r.name.value);
                    sym(names, &text)
                };
                let written = identity(&r.namespace.value);
                let placed = if *namespace == *r.namespace.value {
                    written
                } else {
                    identity(&namespace)
                };
                let name: Arc<str> = (&*r.name.value).into();
                let subject = Subject {
                    name: &name,
                    namespace: &namespace,
                    written: r,
                    seen: r,
                    rebased: false,
                    document: &read.document,
                    number: number as usize,
                };
                let (uses, default_uses) = self.bindings.uses(&subject, kind_name, self.memo);
                let plain_text = plain_name(kind, &name, &namespace);
                bound.push(Bound {
                    document,
                    resource: number,
                    known,
                    written,
                    placed,
                    plain: names.intern(&plain_text),
                    plain_text,
                    uses,
                    default_uses,
                    is_noop: r.has(Key::Noop),
                    is_owned: is_owned(r),
                    weakness: weakness(r),
                    notable: r.notable,
                    is_versioned: r.has(Key::Versioned),
                    name,
                    namespace,
                });
            }
        }
        Piece {
            has_versions: bound.iter().any(|b| b.is_versioned),
            bound: bound.into(),
            invalid: invalid.into(),
            nonces: nonces.into(),
            renewals: renewals.into(),
            unmapped: unmapped.into(),
            pathless: pathless.into(),
        }
    }

    /// The final namespace, and whether it is mapped if all must be.
    fn namespace<'r>(&'r self, r: &'r Resource, namespaced: bool) -> (&'r str, bool) {
        if !namespaced {
            return ("", true);
        }
        let own = match &self.settings.into_namespace {
            Some(into) => into.as_str(),
            None if r.namespace.value.is_empty() => self.settings.namespace.as_deref().unwrap_or("default"),
            None => &r.namespace.value,
        };
        match self.mapped.get(own) {
            Some(to) => (to, true),
            None => (own, self.mapped.is_empty()),
        }
    }
}

/// The name of a resource in outputs: kind and name, the namespace unless it is none or `default`.
pub(crate) fn plain_name(kind: &str, name: &str, namespace: &str) -> Arc<str> {
    match namespace {
        "" | "default" => format!("{kind}/{name}").into(),
        namespace => format!("{kind}/{name}@{namespace}").into(),
    }
}

/// Whether kapp treats an existing object of a resource as its own.
pub(crate) fn is_owned(r: &Resource) -> bool {
    !r.has(Key::Exists) && !r.has(Key::Noop)
}

/// Why the dependents of a resource may continue once it is applied.
fn weakness(r: &Resource) -> Option<&'static str> {
    if r.has(Key::DisableWait) {
        Some("has `kapp.k14s.io/disable-wait`")
    } else if &*r.kind.value == "CronJob" && r.group() == "batch" {
        Some("is a CronJob; its jobs run later")
    } else {
        None
    }
}

impl Bound {
    /// As all of kapp's messages name it.
    pub(crate) fn describe(&self, r: &Resource) -> String {
        describe(
            &r.kind.value,
            &r.name.value,
            &r.api_version.value,
            &self.namespace,
        )
    }
}
