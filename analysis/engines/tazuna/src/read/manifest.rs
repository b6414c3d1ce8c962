//! One entry of `spec.manifests`.

use std::sync::Arc;

use super::by_type;
use super::decode::{Obj, Reader, Slot, Val, Word};
use super::fault::{Fault, FaultKind, ParallelBox};
use super::places::rebased;
use crate::schema::{TEST_TYPES, TYPES};
use applyorder_core::diagnostic::Place;
use applyorder_syntax::yaml::{Node, Style};

/// A string of a file, and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    /// The string as Tazuna sees it.
    pub(crate) text: Arc<str>,
    /// Where it is written.
    pub(crate) place: Place,
    /// The alias or merge it comes from, if any.
    pub(crate) via: Option<Place>,
    /// Whether null is written.
    pub(crate) null: bool,
}

impl Text {
    /// The same, in an item whose places start at `base`.
    pub(crate) fn rebased(&self, base: u32) -> Self {
        Self {
            place: rebased(self.place, base),
            via: self.via.map(|via| rebased(via, base)),
            ..self.clone()
        }
    }

    /// The reported place: the alias or merge that the text comes from, else the text itself.
    pub(crate) fn shown(&self) -> Place {
        self.via.unwrap_or(self.place)
    }
}

/// A manifest, or a group of includes, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Manifest {
    /// Its first key.
    pub(crate) header: Place,
    /// Its last key, in the order of the text.
    pub(crate) last_key: Place,
    /// `name`, if it is given and not null.
    pub(crate) name: Option<Text>,
    /// `path`.
    pub(crate) path: Option<Text>,
    /// `type`.
    pub(crate) kind: Option<Text>,
    /// `description`.
    pub(crate) description: Option<Arc<str>>,
    /// The paths of `includes`, one per entry; if not empty, the entry is a group.
    pub(crate) includes: Box<[Text]>,
    /// The entries of `dependsOn`.
    pub(crate) needs: Box<[Text]>,
    /// The key `dependsOn`.
    pub(crate) needs_key: Option<Place>,
    /// The list of `dependsOn`.
    pub(crate) needs_list: Option<Place>,
    /// The entries of `tags`, with their places.
    pub(crate) tags: Arc<[Arc<str>]>,
    /// Their places.
    pub(crate) tag_places: Box<[Place]>,
    /// For a group: its keys without effect.
    pub(crate) ignored: Box<[(&'static str, Place)]>,
    /// What the validation of its values rejects, in Tazuna's order; without includes and secrets.
    pub(crate) invalid: Box<[Fault]>,
    /// What decoding it rejects.
    pub(crate) errors: Box<[Fault]>,
    /// What Tazuna does not report.
    pub(crate) lints: Box<[Fault]>,
    /// Whether a broken place is in it or next to it: then no conclusion may depend on it.
    pub(crate) broken: bool,
    /// Why it cannot be known what Tazuna reads.
    pub(crate) open: Option<Box<str>>,
}

impl Manifest {
    /// Whether the manifests of other files replace the entry.
    pub(crate) fn is_group(&self) -> bool {
        !self.includes.is_empty()
    }

    /// The text of a field; empty if it is not given.
    pub(crate) fn text(field: Option<&Text>) -> &str {
        field.map_or("", |t| &t.text)
    }

    /// Its name; empty if it has none.
    pub(crate) fn name(&self) -> &str {
        Self::text(self.name.as_ref())
    }
}

fn text(reader: &mut Reader<'_, '_>, word: &Word<'_>) -> Text {
    Text {
        text: word.text.as_ref().into(),
        place: word.place.unwrap_or_else(|| reader.pen.place(word.span)),
        via: word.via.map(|v| reader.pen.place(v)),
        null: word.null,
    }
}

fn given(reader: &mut Reader<'_, '_>, obj: &Obj<'_>, name: &str) -> Option<Text> {
    obj.word(name).filter(|w| !w.null).map(|w| text(reader, w))
}

/// Reads an item of the list, with those of other lists that are decoded `before` it.
pub(super) fn read<'t>(
    reader: &mut Reader<'_, '_>,
    item: Node<'t>,
    before: &[Node<'t>],
    broken: bool,
) -> Manifest {
    let obj = reader.manifest(item, before);
    let header = reader.pen.place(obj.header);
    let last = item
        .resolve()
        .and_then(|map| map.entries().last())
        .map_or(obj.header, |e| e.key.span());
    let last_key = reader.pen.place(if reader.aliases { obj.header } else { last });
    let mut includes = Vec::new();
    for include in obj.objs("includes") {
        let path = match include.word("path") {
            Some(word) => text(reader, word),
            None => Text {
                text: "".into(),
                place: reader.pen.place(include.header),
                via: None,
                null: true,
            },
        };
        includes.push(path);
    }
    let needs = obj.words("dependsOn").iter().map(|w| text(reader, w)).collect();
    let slot = obj.slot("dependsOn");
    let needs_key = slot.map(|s| reader.pen.place(s.key));
    let needs_list = slot.map(|s| reader.pen.place(s.span));
    let (tags, tag_places) = tags(reader, &obj);
    let group = !includes.is_empty();
    let mut manifest = Manifest {
        header,
        last_key,
        name: given(reader, &obj, "name"),
        path: given(reader, &obj, "path"),
        kind: given(reader, &obj, "type"),
        description: obj
            .word("description")
            .filter(|w| !w.text.is_empty())
            .map(|w| w.text.as_ref().into()),
        includes: includes.into(),
        needs,
        needs_key,
        needs_list,
        tags,
        tag_places,
        ignored: Box::default(),
        invalid: Box::default(),
        errors: Box::default(),
        lints: Box::default(),
        broken,
        open: reader.open().map(Into::into),
    };
    if group {
        let fields = obj
            .slots
            .iter()
            .filter(|s| !matches!(s.field.name, "includes" | "name" | "description"));
        manifest.ignored = fields
            .map(|s| {
                let known = manifest.needs_key.filter(|_| s.field.name == "dependsOn");
                (s.field.name, known.unwrap_or_else(|| reader.pen.place(s.key)))
            })
            .collect();
    } else {
        manifest.invalid = invalid(reader, &obj, &manifest, item).into();
        null_tags(reader, &obj, &manifest);
    }
    tests(reader, obj.objs("tests"));
    manifest.errors = std::mem::take(&mut reader.errors).into();
    manifest.lints = std::mem::take(&mut reader.lints).into();
    manifest
}

fn tags(reader: &mut Reader<'_, '_>, obj: &Obj<'_>) -> (Arc<[Arc<str>]>, Box<[Place]>) {
    let words = obj.words("tags");
    if words.is_empty() {
        // Without an allocation of its own.
        return <(Arc<[Arc<str>]>, Box<[Place]>)>::default();
    }
    let tags = words.iter().map(|w| Arc::from(w.text.as_ref())).collect();
    let places = words.iter().map(|w| reader.pen.place(w.span)).collect();
    (tags, places)
}

fn null_tags(reader: &mut Reader<'_, '_>, obj: &Obj<'_>, manifest: &Manifest) {
    for (word, place) in obj.words("tags").iter().zip(&manifest.tag_places) {
        if word.text.is_empty() {
            reader.lints.push(Fault::new(*place, FaultKind::EmptyTag));
        }
    }
}

/// Reports test plugins of unknown types.
pub(super) fn tests(reader: &mut Reader<'_, '_>, tests: &[Obj<'_>]) {
    for test in tests {
        let kind = test.text("type");
        if TEST_TYPES.contains(&kind) {
            continue;
        }
        let (span, is_written) = match test.word("type") {
            Some(word) if !word.null => (word.span, true),
            _ => (test.header, false),
        };
        let place = reader.pen.place(span);
        let kind = kind.to_owned();
        reader
            .lints
            .push(Fault::new(place, FaultKind::TestType { kind, is_written }));
    }
}

fn invalid(reader: &mut Reader<'_, '_>, obj: &Obj<'_>, manifest: &Manifest, item: Node<'_>) -> Vec<Fault> {
    let mut found = Vec::new();
    let path = Manifest::text(manifest.path.as_ref());
    let missing = |field| {
        let manifest_name = manifest.name().to_owned();
        let kind = FaultKind::Missing {
            field,
            manifest: manifest_name,
        };
        Fault::new(manifest.header, kind)
    };
    if path.is_empty() {
        found.push(missing("path"));
    }
    match (&manifest.kind, Manifest::text(manifest.kind.as_ref())) {
        (_, "") => found.push(missing("type")),
        (Some(written), "parallel") => {
            let block = unfolded(reader, item);
            let written = written.clone();
            found.push(Fault::new(
                written.shown(),
                FaultKind::Parallel { written, block },
            ));
        }
        (Some(written), kind) if !TYPES.contains(&kind) => {
            let written = written.clone();
            found.push(Fault::new(written.shown(), FaultKind::ManifestType { written }));
        }
        // The values of the vars are unknown.
        _ if reader.random.is_some() => {}
        (_, "helmfile") => {
            if let Some(helmfile) = obj.obj("helmfile") {
                by_type::helmfile(reader, helmfile, path, false, &mut found);
            }
        }
        (_, "oras") => by_type::oras(reader, obj, manifest.header, path, &mut found),
        _ => {}
    }
    found
}

/// The item of a removed `parallel` block, and the text of its children as items of the list that replace it.
fn unfolded(reader: &mut Reader<'_, '_>, item: Node<'_>) -> Option<ParallelBox> {
    let block = item.get_entry("parallel")?;
    let key = reader.pen.place(block.key.span());
    let children = block.value.get("children");
    let whole = reader.pen.place(item.full_span());
    let text = children
        .filter(|c| c.is_sequence() && c.style() == Style::Block)
        .and_then(|list| {
            let source = item.tree().text();
            let column = |at: u32| {
                let before = source.get(..at as usize).unwrap_or("");
                before.len() - before.rfind('\n').map_or(0, |i| i + 1)
            };
            let target = column(item.span().start);
            let mut items = Vec::new();
            for child in list.items() {
                let from = column(child.span().start);
                let mut lines = child.source().lines();
                let mut text = lines.next()?.to_owned();
                for line in lines {
                    let kept = line.strip_prefix(&" ".repeat(from)).unwrap_or(line.trim_start());
                    text.push('\n');
                    if !kept.is_empty() {
                        text.push_str(&" ".repeat(target));
                        text.push_str(kept);
                    }
                }
                items.push(text);
            }
            let dash = target.checked_sub(2)?;
            Some(items.join(&format!("\n{}- ", " ".repeat(dash))))
        });
    Some(ParallelBox { key, whole, text })
}

impl Slot<'_> {
    /// Whether the field has a value.
    pub(super) fn is_set(&self) -> bool {
        match &self.value {
            Val::Null => false,
            Val::Word(word) => !word.null,
            _ => true,
        }
    }
}
