//! A file of a project, at one place of its list: the root, or the file of one include.

use super::CheckContext;
use super::wording::{Wording, behind, in_head, of_item, with_path};
use crate::config::TazunaGeneration;
use crate::judge::{Stage, rejected};
use crate::load::{Include, shown};
use crate::model::{IncludeOutcome, Part, SecretError};
use crate::read::{Certainty, Fault, FaultKind, Item, Manifest, View, rebased};
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_value;

/// The part of its work in which Tazuna reaches something.
#[derive(Clone, Copy)]
enum Role {
    /// Tazuna does not report it.
    Silent,
    /// While it reads the root.
    Root,
    /// While it validates the entry with that number in the root's list.
    RootEntry(u32),
    /// While it reads the file that is included there.
    Included(Place),
    /// The same, if it cannot be known what it reads.
    Open(Place),
    /// While it validates the manifest at that position of the expanded list, whose file is included there.
    Expanded(Place, u32),
}

/// Something that was found.
struct Noted<'a> {
    fault: &'a Fault,
    /// What is added to its places.
    base: u32,
    role: Role,
    at: u32,
}

/// The include and the part of a slot: of the root (slot 0) or of one include (slot 1 and on).
pub(super) struct Slot<'a> {
    pub(super) include: Option<(&'a Include, &'a IncludeOutcome)>,
    pub(super) part: Option<(u32, &'a Part)>,
}

pub(super) fn slot<'a>(context: &CheckContext<'a>, number: usize) -> Slot<'a> {
    let expansion = context.expansion;
    let include = number.checked_sub(1).and_then(|index| {
        let include = expansion.includes.all.get(index)?;
        Some((include, expansion.got.get(index)?))
    });
    let part = expansion.part_of(number);
    Slot {
        include,
        part: part.and_then(|n| Some((n, expansion.parts.get(n as usize)?))),
    }
}

/// A file of a project, at one place of its list.
pub struct Source<'a> {
    pub(crate) context: &'a CheckContext<'a>,
    /// The include that brings it in, and its result; `None`: it is the root.
    pub(crate) include: Option<(&'a Include, &'a IncludeOutcome)>,
    /// Its content, with the number of the part.
    pub(crate) part: Option<(u32, &'a Part)>,
    noted: Vec<Noted<'a>>,
    unknown: Vec<(Stage, String)>,
}

impl<'a> Source<'a> {
    /// The content of a slot.
    pub(crate) fn new(context: &'a CheckContext<'a>, number: usize) -> Self {
        let Slot { include, part } = slot(context, number);
        let mut source = Self {
            context,
            include,
            part,
            noted: Vec::new(),
            unknown: Vec::new(),
        };
        match (include, part) {
            (None, Some((_, root))) => source.note_root(root),
            (Some((include, IncludeOutcome::Read)), Some((number, part)))
                if context.related.root_is_certain =>
            {
                source.note_included(include, part);
                source.note_values(number, part);
            }
            (Some((include, IncludeOutcome::Unreadable(why))), _) if context.related.root_is_certain => {
                let path = shown(&include.text);
                if let Some(what) = &why.limit {
                    source.open(Stage::Includes, format!("`{path}` {what}"));
                } else if why.reads_otherwise {
                    let because = format!("`{path}` is not UTF-8, but Tazuna may stop before that byte");
                    source.open(Stage::Includes, because);
                }
            }
            (_, Some((number, part))) => source.note_values(number, part),
            _ => {}
        }
        source
    }

    /// Whether it is the root.
    pub(crate) fn is_root(&self) -> bool {
        self.include.is_none()
    }

    /// The part of the root, if it is the root and certainly what Tazuna reads.
    pub(crate) fn certain_root(&self) -> Option<&'a Part> {
        let (_, part) = self.part.filter(|_| self.is_root())?;
        part.piece.view.is_certain().then_some(part)
    }

    /// What cannot be known of it up to the expansion.
    pub(crate) fn into_unknown(self) -> Vec<(Stage, String)> {
        self.unknown
    }

    fn open(&mut self, stage: Stage, because: String) {
        self.unknown.push((stage, because));
    }

    fn note(&mut self, faults: &'a [Fault], base: u32, role: Role, at: impl Fn(usize) -> u32) {
        let noted = faults.iter().enumerate().map(|(k, fault)| Noted {
            fault,
            base,
            role,
            at: at(k),
        });
        self.noted.extend(noted);
    }

    /// The faults of the root.
    fn note_root(&mut self, root: &'a Part) {
        let view = &*root.piece.view;
        let base = view.head_base();
        match &view.certainty {
            Certainty::Certain => {}
            Certainty::Rejected(fault) => {
                self.note(std::slice::from_ref(fault), base, Role::Root, in_head);
                return;
            }
            Certainty::Open(fault, because) => {
                self.note(std::slice::from_ref(fault), base, Role::Root, in_head);
                self.open(Stage::Template, because.clone());
                return;
            }
        }
        let head = &view.head;
        if let Some(because) = &head.open {
            self.open(Stage::Decode, because.clone());
        }
        let of_entries = noisy(root);
        if let Some(because) = why_open(&of_entries) {
            self.open(Stage::Decode, because.to_owned());
        }
        self.note_decoding(root, &of_entries, Role::Root);
        self.note(&head.header, base, Role::Root, in_head);
        self.note(&head.spec[0], base, Role::Root, in_head);
        let is_g1 = self.context.setting.generation == TazunaGeneration::G1;
        for (index, item) in &of_entries {
            let invalid = item.manifest.invalid.iter().enumerate();
            let known = invalid.filter(|(_, f)| !(is_g1 && matches!(f.kind, FaultKind::Parallel { .. })));
            let noted = known.filter(|_| !item.manifest.broken).map(|(k, fault)| Noted {
                fault,
                base: view.base(*index as usize),
                role: Role::RootEntry(*index),
                at: of_item(*index, k),
            });
            self.noted.extend(noted);
        }
        self.note(&head.spec[1], base, Role::Root, behind);
        self.note_lints(view, &of_entries);
    }

    /// What decoding a file rejects.
    fn note_decoding(&mut self, part: &'a Part, of_entries: &[(u32, &'a Item)], role: Role) {
        let view = &*part.piece.view;
        let (head, base) = (&view.head, view.head_base());
        let first = head.syntax.len();
        self.note(&head.syntax, base, role, in_head);
        self.note(&head.errors[0], base, role, |k| in_head(first + k));
        for (index, item) in of_entries.iter().filter(|(_, i)| !i.manifest.broken) {
            let base = view.base(*index as usize);
            self.note(&item.manifest.errors, base, role, |k| of_item(*index, k));
        }
        self.note(&head.errors[1], base, role, behind);
    }

    fn note_lints(&mut self, view: &'a View, of_entries: &[(u32, &'a Item)]) {
        self.note(&view.head.lints, view.head_base(), Role::Silent, |_| 0);
        for (index, item) in of_entries.iter().filter(|(_, i)| !i.manifest.broken) {
            let base = view.base(*index as usize);
            self.note(&item.manifest.lints, base, Role::Silent, |_| 0);
        }
    }

    /// The faults of an included file. For a file that is included more than once, at its first include.
    fn note_included(&mut self, include: &'a Include, part: &'a Part) {
        let view = &*part.piece.view;
        let Some(via) = part.via.filter(|_| !part.again) else {
            return;
        };
        let base = view.head_base();
        match &view.certainty {
            Certainty::Certain => {}
            Certainty::Rejected(fault) => {
                self.note(std::slice::from_ref(fault), base, Role::Included(via), in_head);
                return;
            }
            Certainty::Open(fault, because) => {
                self.note(std::slice::from_ref(fault), base, Role::Open(via), in_head);
                self.open(Stage::Includes, format!("{}: {because}", shown(&include.text)));
                return;
            }
        }
        if let Some(because) = &view.head.open {
            self.open(Stage::Includes, format!("{}: {because}", shown(&include.text)));
        }
        let of_entries = noisy(part);
        if let Some(because) = why_open(&of_entries) {
            self.open(Stage::Includes, format!("{}: {because}", shown(&include.text)));
        }
        self.note_decoding(part, &of_entries, Role::Included(via));
        self.note_lints(view, &of_entries);
    }

    /// What `apply` reports about the values of included manifests, once the list is expanded.
    fn note_values(&mut self, number: u32, part: &'a Part) {
        let Some(via) = part.via.filter(|_| !part.again && !part.piece.noisy.is_empty()) else {
            return;
        };
        let expansion = self.context.expansion;
        for (unit_number, (position, unit)) in (0u32..).zip(expansion.placed(number)) {
            let Some((item, base)) = part.piece.item(unit).filter(|_| !unit.broken) else {
                continue;
            };
            if is_sound(&item.manifest) {
                let role = Role::Expanded(via, position);
                self.note(&item.manifest.invalid, base, role, |k| of_item(unit_number, k));
            }
        }
    }

    /// Adds the findings of a rule for the faults.
    pub(crate) fn tell(&self, found: &mut Vec<Finding>, word: impl Fn(Place, &FaultKind) -> Option<Wording>) {
        self.tell_with(found, word, |_, d| d);
    }

    /// The same; the finding is completed when its places are those of the file.
    pub(crate) fn tell_with(
        &self,
        found: &mut Vec<Finding>,
        word: impl Fn(Place, &FaultKind) -> Option<Wording>,
        complete: impl Fn(&FaultKind, Diagnostic) -> Diagnostic,
    ) {
        for noted in &self.noted {
            if let Some(mut wording) = word(noted.fault.place, &noted.fault.kind) {
                let d = placed(wording.diagnostic, noted.base);
                wording.diagnostic = complete(&noted.fault.kind, d);
                found.push(self.finding(noted, wording).at(noted.at));
            }
        }
    }

    fn finding(&self, noted: &Noted<'_>, wording: Wording) -> Finding {
        let Wording {
            diagnostic: mut d,
            stage,
            details,
        } = wording;
        let own = d.engine_message.take();
        let path = self
            .include
            .map_or_else(String::new, |(include, _)| shown(&include.text));
        let is_template = stage == Some(Stage::Template);
        let (stage, subject, message) = match noted.role {
            Role::Silent => (None, String::new(), None),
            Role::Root => {
                let name = self.context.setting.name();
                let message = own.map(|own| if is_template { with_path(&own, name) } else { own });
                (stage, name.to_owned(), message)
            }
            Role::RootEntry(index) => {
                let item = self
                    .part
                    .and_then(|(_, part)| part.piece.view.item(index as usize));
                let subject = subject(item.map_or("", |i| i.manifest.name()), index as usize);
                let message = own.map(|own| format!("validation failed for manifest[{index}]: {own}"));
                (stage, subject, message)
            }
            Role::Included(via) => {
                d = d.related(via, "included here");
                let message = own.map(|own| match is_template {
                    true => with_path(&own, &path),
                    false => format!("failed to parse include file: {path}: {own}"),
                });
                (stage.map(|_| Stage::Includes), path, message)
            }
            Role::Open(via) => {
                d = d.related(via, "included here");
                (None, path, None)
            }
            Role::Expanded(via, position) => {
                if let Some(own) = own {
                    d.engine_message = Some(expanded(position, &own));
                }
                let found = self.of_values((via, position), d);
                return details
                    .into_iter()
                    .fold(found, |f, (key, value)| f.detail(key, value));
            }
        };
        d.engine_message = message;
        let found = match stage {
            Some(stage) => rejected(stage, d, &subject),
            None => Finding::new(d).about(&*subject),
        };
        details
            .into_iter()
            .fold(found, |f, (key, value)| f.detail(key, value))
    }

    /// A finding about the values of the manifest at a position of the expanded list.
    fn of_values(&self, (via, position): (Place, u32), d: Diagnostic) -> Finding {
        let unit = self.context.related.unit(position);
        let name = unit.map(|unit| unit.name.clone()).unwrap_or_default();
        let subject = subject(&name, position as usize);
        let d = d.related(via, "included here").unit(name);
        if self.context.setting.generation == TazunaGeneration::G5 {
            let d = d.note("`check` does not verify the values of included manifests");
            return rejected(Stage::Expanded, d, &subject);
        }
        let d = d
            .severity(Severity::Warning)
            .note("Tazuna notices only when it reaches the manifest");
        Finding::new(d).about(&*subject)
    }

    /// Adds the findings about the secret references that Tazuna rejects: in the root's own list, and in the
    /// expanded one.
    pub(crate) fn tell_secrets(&self, found: &mut Vec<Finding>) {
        const LAST: usize = 62;
        let Some((number, part)) = self.part.filter(|(_, part)| !part.piece.secrets.is_empty()) else {
            return;
        };
        if self.is_root() && !part.piece.view.is_certain() {
            return;
        }
        let units = (0u32..).zip(self.context.expansion.placed(number));
        for (unit_number, (position, unit)) in units {
            let Some(bad) = self.context.expansion.bad_secret(number, unit.item) else {
                continue;
            };
            let Some((item, base)) = part.piece.item(unit).filter(|_| !unit.broken) else {
                continue;
            };
            let manifest = &item.manifest;
            let (at, told) = match part.via {
                None => {
                    let index = unit.item;
                    let wrap = |text: &str| format!("validation failed for manifest[{index}]: {text}");
                    let d = secret_error(bad, manifest, base, &wrap);
                    let subject = subject(manifest.name(), index as usize);
                    (of_item(index, LAST), rejected(Stage::Spec, d, &subject))
                }
                Some(via) if !part.again && is_sound(manifest) => {
                    let d = secret_error(bad, manifest, base, &|text: &str| expanded(position, text));
                    (of_item(unit_number, LAST), self.of_values((via, position), d))
                }
                Some(_) => continue,
            };
            found.push(told.detail("field", "uri").at(at));
        }
    }
}

fn expanded(position: u32, text: &str) -> String {
    format!("validation failed after include expansion: validation failed for manifest[{position}]: {text}")
}

/// Whether everything that has to be known of a manifest is known.
fn is_sound(manifest: &Manifest) -> bool {
    !manifest.broken && manifest.open.is_none()
}

/// Why it cannot be known what Tazuna reads in one of some entries.
fn why_open<'a>(of_entries: &[(u32, &'a Item)]) -> Option<&'a str> {
    of_entries
        .iter()
        .find_map(|(_, item)| item.manifest.open.as_deref())
}

/// The entries of a part with faults.
fn noisy(part: &Part) -> Vec<(u32, &Item)> {
    let items = part.piece.noisy.iter();
    items
        .filter_map(|index| Some((*index, &**part.piece.view.item(*index as usize)?)))
        .collect()
}

/// A finding with every place shifted by `base` entries of the file's table.
fn placed(mut d: Diagnostic, base: u32) -> Diagnostic {
    d.place = rebased(d.place, base);
    for related in &mut d.related {
        related.place = rebased(related.place, base);
    }
    for step in d.fixes.iter_mut().flat_map(|f| &mut f.steps) {
        step.map_places(|place| rebased(place, base));
    }
    d
}

/// A secret reference that Tazuna rejects.
fn secret_error(
    bad: &SecretError,
    manifest: &Manifest,
    base: u32,
    wrap: &dyn Fn(&str) -> String,
) -> Diagnostic {
    let path = manifest.path.as_ref();
    let text = path.map_or("", |p| &*p.text);
    let place = path.map_or(manifest.header, |p| p.place);
    let SecretError {
        index, uri, problem, ..
    } = bad;
    Diagnostic::new(
        &invalid_value::RULE,
        rebased(place, base),
        format!("invalid secret reference `{uri}` in `{text}`"),
    )
    .related(bad.place, "reference here")
    .note("expected `op://<host>/<vault>/<item>`")
    .engine_message(wrap(&format!(
        "genesissecret validation failed for manifest {text}: secrets[{index}].uri validation failed: {problem}"
    )))
}

/// The subject of a finding about a manifest: its name, or its number if it has none.
pub(crate) fn subject(name: &str, index: usize) -> String {
    if name.is_empty() {
        format!("manifest[{index}]")
    } else {
        name.to_owned()
    }
}
