//! What is allowed in a top-level block: attributes with their types, and blocks.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks"; its messages and its gaps were read from its own
//! parsers. If it discards an error of its own (`change_detection.terragrunt`, `telemetry`) or does not check
//! at all, it reports nothing, and we warn.

mod define;
mod filter;
mod map;
mod tables;
mod values;

use std::sync::Arc;

pub(crate) use self::define::{Metadata, defined, defined_kind, may_be_missing_at_times, merged_key};
use self::tables::{BLOCKS, Inside, Labels};
use self::values::typed;
pub(crate) use self::values::{disables, set_of, without_names};
use crate::problems::{Among, Fault, Problems};
use applyorder_syntax::hcl::{Attribute, Block, Body, Tree};
use applyorder_syntax::text::Span;
use rustc_hash::FxHashSet;

/// Reports what does not belong into a top-level block, or has another type there.
pub(crate) fn check(reader: &mut Problems<'_>, tree: &Tree, block: Block<'_>) {
    if define::knows(block.kind()) {
        return define::check(reader, tree, block);
    }
    let Some((_, inside)) = BLOCKS.iter().find(|(name, _)| *name == block.kind()) else {
        return;
    };
    conflicts(reader, block);
    let is_merged = block.kind() == "terramate";
    let mut open = vec![(block, *inside)];
    while let Some((block, inside)) = open.pop() {
        attributes(reader, tree, block, inside);
        let mut once: Vec<&str> = Vec::new();
        for inner in block.body().blocks() {
            let Some(known) = inside.blocks else { continue };
            if once.contains(&inner.kind()) {
                let block: Arc<str> = inner.kind().into();
                let words = match &*block {
                    "content" => "multiple generate_hcl.content blocks defined".to_owned(),
                    _ => format!("duplicated block {block}"),
                };
                reader.fatal(inner.header_span(), Fault::DuplicateBlock { block, words });
            }
            once.extend(inside.once.iter().find(|name| **name == inner.kind()));
            match known.iter().find(|(name, _)| *name == inner.kind()) {
                Some((_, inside)) if inside.is_map => map::check(reader, tree, inner),
                // It is rejected as a whole.
                Some(("stack_filter", _)) if other_context(reader, block).is_some() => {}
                Some((_, inside)) => {
                    labels(reader, inner, inside.labels);
                    open.push((inner, inside));
                }
                None => {
                    if is_merged {
                        labels(reader, inner, tables::UNLABELLED);
                    }
                    let fault = Unknown {
                        what: "block",
                        name: inner.kind(),
                        among: Among::Block(block.kind().into()),
                        known: known.iter().map(|(name, _)| *name).collect(),
                        words: inside.words.1,
                    };
                    unknown(reader, inside, inner.kind_span(), fault);
                    // Terramate also takes it for a `map`.
                    let also = match block.kind() {
                        "globals" if inner.labels().next().is_none() => Some("map block requires a label"),
                        "globals" => Some("map.for_each attribute is required"),
                        _ => None,
                    };
                    if let Some(problem) = reader.found.last_mut() {
                        problem.also = also;
                    }
                }
            }
        }
    }
}

/// Reports missing attributes of a block, superfluous ones, and those of another type.
fn attributes(reader: &mut Problems<'_>, tree: &Tree, block: Block<'_>, inside: &Inside) {
    for (name, words) in inside.needs {
        if block.body().attribute(name).is_none() {
            missing(reader, tree, block, name, words);
        }
    }
    for attribute in block.body().attributes() {
        let Some(known) = inside.attributes else { return };
        match known.iter().find(|(name, _)| *name == attribute.name()) {
            Some((_, ty)) if !tree.has_gap(block.span()) => {
                let before = reader.found.len();
                typed(reader, attribute, *ty);
                if is_checked(block.kind(), attribute) {
                    let found = reader.found.iter_mut().skip(before);
                    found.for_each(|problem| problem.not_with = Some(DISABLED));
                }
            }
            Some(_) => {}
            None => {
                let fault = Unknown {
                    what: "attribute",
                    name: attribute.name(),
                    among: Among::Block(block.kind().into()),
                    known: known.iter().map(|(name, _)| *name).collect(),
                    words: inside.words.0,
                };
                unknown(reader, inside, attribute.name_span(), fault);
            }
        }
    }
}

/// Reports missing attributes; nothing is reported if they may be in lines that cannot be read.
pub(crate) fn missing(reader: &mut Problems<'_>, tree: &Tree, block: Block<'_>, name: &str, words: &str) {
    if !block.is_closed() || tree.has_gap(block.span()) {
        return;
    }
    let fault = Fault::Missing {
        name: name.into(),
        block: block.kind().into(),
        words: words.to_owned(),
    };
    reader.fatal(block.header_span(), fault);
}

fn labels(reader: &mut Problems<'_>, block: Block<'_>, wanted: Labels) {
    let (Labels::None(words, early), count @ 1..) = (wanted, block.labels().count()) else {
        return;
    };
    let fault = Fault::LabelCount {
        block: block.kind().into(),
        takes: (0, 0),
        count,
        words: words.replace("{}", block.kind()),
    };
    reader.fatal(block.header_span(), fault).early = early;
}

/// If this lists something, what it disables must not be set in addition.
pub(crate) const DISABLED: &str = "config.disable_safeguards";

/// Whether an attribute of a block of `config` is a safeguard; of one that cannot be evaluated, Terramate checks nothing
/// else.
fn is_checked(block: &str, attribute: Attribute<'_>) -> bool {
    let is_one = match block {
        "git" => matches!(
            attribute.name(),
            "check_untracked" | "check_uncommitted" | "check_remote"
        ),
        "run" => attribute.name() == "check_gen_code",
        _ => false,
    };
    is_one && without_names(attribute.value()).errors.is_empty()
}

/// The context of a file that is generated for something else than a stack.
fn other_context<'a>(reader: &Problems<'a>, block: Block<'_>) -> Option<&'a str> {
    let context = block.body().attribute("context");
    let span = context
        .filter(|_| block.kind() == "generate_file")?
        .value()
        .span();
    let written = span.slice(reader.input.text).trim();
    (written != "stack").then_some(written)
}

/// Attributes that exclude each other.
fn conflicts(reader: &mut Problems<'_>, block: Block<'_>) {
    let body = block.body();
    let mut found: Vec<(Attribute<'_>, &'static str, String)> = Vec::new();
    let context = other_context(reader, block);
    let of_root = context == Some("root");
    if of_root && let Some(inherit) = body.attribute("inherit") {
        let words = "inherit attribute cannot be used with context=root".to_owned();
        found.push((inherit, "`context = root`", words));
    }
    for filter in body
        .blocks()
        .filter(|b| context.is_some() && b.kind() == "stack_filter")
    {
        let fault = Fault::Conflict {
            name: "stack_filter".into(),
            with: if of_root {
                "`context = root`"
            } else {
                "another `context`"
            },
            words: "stack_filter is only supported with context = \"stack\"".to_owned(),
        };
        reader.fatal(filter.header_span(), fault);
    }
    let configs = body
        .blocks()
        .filter(|b| block.kind() == "terramate" && b.kind() == "config");
    for inner in configs.flat_map(|config| config.body().blocks()) {
        let checks = inner.body().attributes();
        for check in checks.filter(|a| is_checked(inner.kind(), *a)) {
            let (kind, name): (_, Arc<str>) = (inner.kind(), check.name().into());
            let words =
                format!("terramate.config.{kind}.{name} conflicts with terramate.config.disable_safeguards");
            let fault = Fault::Conflict {
                name: name.clone(),
                with: "`disable_safeguards`",
                words,
            };
            let problem = reader.fatal(check.name_span(), fault);
            problem.attribute = Some(name);
            // The blocks of a directory are merged.
            problem.only_with = Some(DISABLED);
        }
    }
    for (attribute, with, words) in found {
        let name: Arc<str> = attribute.name().into();
        let fault = Fault::Conflict {
            name: name.clone(),
            with,
            words,
        };
        reader.fatal(attribute.name_span(), fault).attribute = Some(name);
    }
    for attribute in set_twice(&body) {
        let name: Arc<str> = attribute.name().into();
        let fault = Fault::Redeclared { name: name.clone() };
        reader.fatal(attribute.name_span(), fault).attribute = Some(name);
    }
}

/// The `lets` of a block are merged if they have the same labels, and so are the blocks in them.
fn set_twice<'t>(body: &Body<'t>) -> Vec<Attribute<'t>> {
    let mut names: FxHashSet<(Arc<str>, &str)> = FxHashSet::default();
    let mut found = Vec::new();
    let lets = body.blocks().filter(|b| b.kind() == "lets");
    let mut open: Vec<(Arc<str>, Body<'t>)> = lets.map(|b| (merged_key("", b), b.body())).collect();
    open.reverse();
    while let Some((key, body)) = open.pop() {
        let twice = |a: &Attribute<'t>| !names.insert((key.clone(), a.name()));
        found.extend(body.attributes().filter(twice));
        let inner: Vec<_> = body.blocks().map(|b| (merged_key(&key, b), b.body())).collect();
        open.extend(inner.into_iter().rev());
    }
    found
}

/// What does not exist, and Terramate's message for it: `{}` is its name, `{known}` what exists.
struct Unknown<'a> {
    what: &'static str,
    name: &'a str,
    among: Among,
    known: Vec<&'static str>,
    words: &'static str,
}

fn unknown(reader: &mut Problems<'_>, inside: &Inside, span: Span, unknown: Unknown<'_>) {
    let Unknown {
        what,
        name,
        among,
        known,
        words,
    } = unknown;
    let words = words.replace("{known}", &sorted(&known)).replace("{}", name);
    let fault = Fault::Unknown {
        what,
        name: name.into(),
        among,
        known,
        words,
    };
    if inside.silent {
        reader.non_fatal(span, fault);
    } else {
        reader.fatal(span, fault).attribute = Some(name.into());
    }
}

fn sorted(names: &[&str]) -> String {
    let mut names = names.to_vec();
    names.sort_unstable();
    names.join(", ")
}
