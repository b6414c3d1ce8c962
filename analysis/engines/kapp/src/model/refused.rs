//! What kapp rejects in a set of resources before it builds a graph: missing fields, duplicates, namespaces.

use super::error::{KappError, What};
use super::inputs::Item;
use super::piece::{Bound, Piece};
use super::prepare::{NONCE, describe, describe_written, missing_fields, no_path, unreadable_duration};
use super::{Duplicate, Placed, Prepared, item};
use crate::load::Settings;
use crate::read::Resource;
use applyorder_core::diagnostic::Place;
use applyorder_core::layer::Names;

impl Prepared {
    /// The rejections for missing fields.
    pub(super) fn validate(&mut self) {
        if !self.briefs.iter().any(|brief| brief.is_invalid) {
            return;
        }
        let mut lines = String::new();
        let (mut first, mut panics) = (None, None);
        for (input, piece) in (0u32..).zip(&self.pieces) {
            for invalid in &piece.invalid {
                let item = item(input, (invalid.document, invalid.resource));
                // The two inputs of a file that is given twice share a piece; their origins differ.
                for line in self.missing_field_lines(item) {
                    lines.push_str(&line);
                    first.get_or_insert(item);
                }
                if invalid.panics {
                    panics.get_or_insert(item);
                }
            }
        }
        if let Some(first) = first {
            let text = format!("Validation errors:{lines}");
            self.fail(KappError::new("prepare", What::MissingFields, text).about(first));
        }
        if let Some(item) = panics {
            let version = self.inputs.resource(item).map_or("", |r| &r.api_version.value);
            let text = format!("panic: Expected version to be of format group/version: was {version}");
            self.fail(KappError::new("crash", What::ApiVersion, text).about(item));
        }
    }

    /// kapp's lines about the missing fields of a resource.
    fn missing_field_lines(&self, item: Item) -> Vec<String> {
        let (Some(input), Some(r)) = (self.inputs.input(item), self.inputs.resource(item)) else {
            return Vec::new();
        };
        let (origin, document) = (&input.origin, item.document + 1);
        let described = describe_written(r);
        let line = |field| {
            format!(
                "\n- Expected '{field}' on resource '{described}' to be non-empty ({origin} doc {document})"
            )
        };
        missing_fields(r).into_iter().map(line).collect()
    }

    /// Drops duplicates.
    pub(super) fn place(&mut self, names: &Names) {
        let mut seen: Vec<Option<Placed>> = vec![None; names.len()];
        let mut again: Vec<(Placed, Placed)> = Vec::new();
        for (input, piece) in (0u32..).zip(&self.pieces) {
            for (number, bound) in (0u32..).zip(&piece.bound) {
                let placed = Placed { input, number };
                let Some(first) = seen.get_mut(bound.written.index()) else {
                    continue;
                };
                match first {
                    Some(first) => again.push((*first, placed)),
                    None => {
                        *first = Some(placed);
                        self.placed.push(placed);
                    }
                }
            }
        }
        let mut lines = String::new();
        let mut failed = None;
        for (first, later) in again {
            let (Some(first), Some(later)) = (self.item(first), self.item(later)) else {
                continue;
            };
            let digest = |item: Item| self.inputs.document(item)?.digest(item.resource as usize);
            let same = digest(first) == digest(later);
            if let Some(r) = self.inputs.resource(later).filter(|_| !same) {
                failed.get_or_insert(later);
                lines.push_str(&format!(
                    "\n- Found resource '{}' multiple times with different content",
                    describe_written(r)
                ));
            }
            if same {
                self.repeated.insert(first);
            }
            self.duplicates.push(Duplicate { first, later, same });
        }
        if let Some(item) = failed {
            let text = format!("Uniqueness errors:{lines}");
            self.fail(KappError::new("prepare", What::Duplicates, text).about(item));
        }
    }

    /// One object in two files may be a mistake; several are alternatives of each other.
    pub(super) fn scattered(&self, names: &Names) -> Option<(usize, Item)> {
        let differing = self.duplicates.iter().filter(|d| !d.same);
        let mut found: Vec<Item> = differing
            .filter(|d| d.first.input != d.later.input)
            .map(|d| d.later)
            .collect();
        let mut seen: Vec<Option<u32>> = vec![None; names.len()];
        for (item, bound, r) in self.resources() {
            let Some(slot) = seen.get_mut(bound.placed.index()) else {
                continue;
            };
            if *slot.get_or_insert(item.input) != item.input && !r.generated {
                found.push(item);
            }
        }
        let marked = |item: &&Item| self.inputs.input(**item).is_some_and(|input| !input.is_doubtful);
        let shown = found.iter().find(marked).or(found.first())?;
        (found.len() > 1).then_some((found.len(), *shown))
    }

    /// What kapp rejects while it decides on namespaces.
    pub(super) fn decide(&mut self, settings: &Settings) {
        let fault = self.definitions().find_map(|item| {
            let crd = self.inputs.resource(item)?.crd.as_ref()?;
            let fault = crd.type_fault.as_ref()?;
            let text = format!(
                "error unmarshaling JSON: while decoding JSON: json: {}",
                fault.value
            );
            Some(KappError::new("prepare", What::Definition, text).about(item))
        });
        if let Some(fault) = fault {
            self.fail(fault);
        }
        let entries = settings.map_namespaces.iter();
        for entry in entries.filter(|entry| !entry.contains('=')) {
            self.fail(KappError::new(
                "prepare",
                What::Namespaces,
                format!("Expected map namespace '{entry}' to be in 'src-ns=dst-ns' format"),
            ));
        }
        let unmapped = self.first_of(
            |piece| &piece.unmapped,
            |bound, _| {
                let text = format!("Expected to find mapped namespace for '{}'", bound.namespace);
                KappError::new("prepare", What::Namespaces, text)
            },
        );
        // kapp checks these once every namespace is decided.
        let nonce = self.first_of(
            |piece| &piece.nonces,
            |bound, r| {
                let described = bound.describe(r);
                let text =
                    format!("Expected annotation '{NONCE}' on resource '{described}' to have value ''");
                KappError::new("prepare", What::Nonce, text)
            },
        );
        for error in [unmapped, nonce].into_iter().flatten() {
            self.fail(error);
        }
    }

    fn first_of(
        &self,
        which: fn(&Piece) -> &[u32],
        error: impl Fn(&Bound, &Resource) -> KappError,
    ) -> Option<KappError> {
        let mut listed = (0u32..).zip(&self.pieces).flat_map(|(input, piece)| {
            which(piece).iter().map(move |number| Placed {
                input,
                number: *number,
            })
        });
        listed.find_map(|placed| {
            let item = self.item(placed)?;
            let error = error(self.bound(placed)?, self.inputs.resource(item)?);
            Some(error.about(item))
        })
    }

    /// Where a deploy stops that has to renew resources, and cannot parse after which time.
    pub(crate) fn renewal_error(&self) -> Option<KappError> {
        self.first_of(
            |piece| &piece.renewals,
            |bound, r| {
                let why = unreadable_duration(r).unwrap_or_default();
                let described = bound.describe(r);
                let text = format!("Unable to parse renew-duration for resource {described}: {why}");
                KappError::new("diff", What::Renewal, text)
            },
        )
    }

    /// Where a deploy stops that cannot ask the cluster for a resource. kapp asks for all at once, and reports the
    /// error that arrives first.
    pub(crate) fn path_error(&self) -> Option<KappError> {
        let count: usize = self.pieces.iter().map(|piece| piece.pathless.len()).sum();
        self.first_of(
            |piece| &piece.pathless,
            |bound, r| {
                let stopped = |what: &str| {
                    let text = format!("Checking existence of resource {what}");
                    KappError::new("diff", What::Path, text)
                };
                if count > 1 {
                    return stopped("").partial();
                }
                let why = no_path(&r.name.value, &bound.namespace).unwrap_or_default();
                let described = bound.describe(r);
                stopped(&format!("{described}: API server says: {why} (reason: )"))
            },
        )
    }

    /// A place in a Config in force, by its number.
    pub(crate) fn in_config(&self, (config, local): (u32, u32)) -> Option<Place> {
        let in_force = self.configs.in_force.get(config as usize)?;
        self.inputs.at(in_force.item, local)
    }

    /// Where an app without resources stops, if nothing else is wrong.
    pub(crate) fn empty_error(&self) -> Option<KappError> {
        let is_known = !self.inputs.incomplete && !self.configs.incomplete;
        (self.placed.is_empty() && is_known).then(|| {
            KappError::new(
                "prepare",
                What::Empty,
                "Trying to apply empty set of resources will result in deletion of resources on cluster. Refusing to continue \
                 unless --dangerous-allow-empty-list-of-resources is specified.",
            )
        })
    }

    /// A resource in kapp's messages once its namespace is decided.
    pub(crate) fn describe(&self, item: Item) -> Option<String> {
        let r = self.inputs.resource(item)?;
        let piece = self.pieces.get(item.input as usize)?;
        let of_item = |b: &&Bound| b.document == item.document && b.resource == item.resource;
        let namespace = piece.bound.iter().find(of_item).map(|b| &*b.namespace)?;
        Some(describe(
            &r.kind.value,
            &r.name.value,
            &r.api_version.value,
            namespace,
        ))
    }
}
