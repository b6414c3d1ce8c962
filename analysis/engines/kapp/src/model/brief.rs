//! What the rest of an app needs to know of a file before its resources can be placed: kinds, Configs,
//! definitions.

use super::prepare::is_valid;
use super::sym;
use crate::read::KappFacts;
use crate::scope::built_in;
use applyorder_core::diagnostic::FileId;
use applyorder_core::layer::{Names, Sym};
use applyorder_core::store::Shape;

/// The brief of a file of a shape.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct BriefKey(pub(super) FileId, pub(super) Shape);

/// A kind of resources in a file.
pub(super) struct Kind {
    /// Version and kind as one name.
    pub(super) name: Sym,
    /// A resource of the kind: document, number.
    pub(super) example: (u32, u32),
    /// Whether one of them is written with a namespace, if that is significant.
    pub(super) tells_scope: bool,
}

/// See the module.
#[derive(Default)]
pub(super) struct Brief {
    pub(super) kinds: Box<[Kind]>,
    /// The resources that are or contain a Config.
    pub(super) configs: Box<[(u32, u32)]>,
    /// The definitions of custom resources.
    pub(super) definitions: Box<[(u32, u32)]>,
    /// Whether kapp rejects one of its resources because something is missing.
    pub(super) is_invalid: bool,
    /// The resources that rules have to check.
    pub(super) notable: Box<[(u32, u32)]>,
    /// How many resources it has.
    pub(super) count: usize,
    /// The maximum number of bytes of a placeholder's value, summed over all of them.
    pub(super) values: u64,
}

impl Brief {
    pub(super) fn new(facts: &KappFacts, names: &Names) -> Self {
        let mut kinds: Vec<Kind> = Vec::new();
        let (mut configs, mut definitions, mut notable) = (Vec::new(), Vec::new(), Vec::new());
        let (mut is_invalid, mut count, mut values) = (false, 0, 0);
        for (document, placed) in (0u32..).zip(&facts.documents) {
            for (number, r) in (0u32..).zip(&placed.document.resources) {
                count += 1;
                values += r.longest_value() as u64;
                let at = (document, number);
                if r.notable {
                    notable.push(at);
                }
                if r.config.is_some() || r.labeled.is_some() {
                    configs.push(at);
                }
                if r.config.is_some() {
                    continue;
                }
                if !is_valid(r) {
                    is_invalid = true;
                    continue;
                }
                if r.crd.is_some() {
                    definitions.push(at);
                }
                let (version, kind) = (&*r.api_version.value, &*r.kind.value);
                let tells_scope = !r.namespace.value.is_empty() && built_in(version, kind).is_none();
                let name = sym(names, &format!("{version} {kind}"));
                match kinds.iter_mut().find(|k| k.name == name) {
                    Some(known) => known.tells_scope |= tells_scope,
                    None => kinds.push(Kind {
                        name,
                        example: at,
                        tells_scope,
                    }),
                }
            }
        }
        Self {
            kinds: kinds.into(),
            configs: configs.into(),
            definitions: definitions.into(),
            is_invalid,
            notable: notable.into(),
            count,
            values,
        }
    }
}
