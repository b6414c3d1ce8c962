//! `globals` blocks, and other blocks that are merged with equal ones.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks".

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Evaluated, Reader, Sort};
use crate::schema;
use applyorder_syntax::hcl::{Block, Body};
use applyorder_syntax::text::Span;

/// The attributes of a block that is merged with equal ones, and of the blocks in it.
/// `before`: how many problems there were before the block.
pub(super) fn merged(reader: &mut Reader<'_>, block: Block<'_>, before: usize) {
    let first = reader.shape.merged.len();
    merged_in(reader, schema::merged_key("", block), block.body());
    let is_twice = {
        let mut set = FxHashSet::default();
        let own = reader.shape.merged.get(first..).unwrap_or_default();
        !own.iter().all(|(key, name, _)| set.insert((key, name)))
    };
    // If a block sets something twice in equal blocks inside it, Terramate checks nothing else of it.
    if let Some(own) = reader.found.get_mut(before..).filter(|_| is_twice) {
        own.iter_mut().for_each(|p| p.is_unmerged = !p.early);
    }
}

/// The attributes of a part of such a block.
fn merged_in(reader: &mut Reader<'_>, key: Arc<str>, body: Body<'_>) {
    let mut open = vec![(key, body)];
    while let Some((key, body)) = open.pop() {
        for attribute in body.attributes() {
            let at = reader.at(attribute.name_span());
            reader
                .shape
                .merged
                .push((key.clone(), attribute.name().into(), at));
        }
        let behind = open.len();
        let inner = body.blocks();
        open.extend(inner.map(|inner| (schema::merged_key(&key, inner), inner.body())));
        open.get_mut(behind..).unwrap_or_default().reverse();
    }
}

/// Reads a `globals` block.
pub(super) fn read(reader: &mut Reader<'_>, block: Block<'_>) {
    let labels: Vec<Arc<str>> = block.labels().map(|l| Arc::from(l.text)).collect();
    evaluated(
        reader,
        Sort::Block,
        &labels,
        "",
        (block.header_span(), block.header_span()),
    );
    for attribute in block.body().attributes() {
        let at = reader.at(attribute.name_span());
        let name = attribute.name().into();
        reader.shape.globals.push((labels.clone(), name, at));
        let spans = (attribute.span(), attribute.value().span());
        evaluated(reader, Sort::Global, &labels, attribute.name(), spans);
    }
    let key = schema::merged_key("", block);
    for inner in block.body().blocks() {
        merged_in(reader, schema::merged_key(&key, inner), inner.body());
    }
    for map in block.body().blocks().filter(|b| b.kind() == "map") {
        if let Some(label) = map.labels().next() {
            evaluated(
                reader,
                Sort::Map,
                &labels,
                label.text,
                (map.span(), map.header_span()),
            );
        }
    }
}

/// Notes what a run evaluates: its bytes, and where users see it.
pub(super) fn evaluated(
    reader: &mut Reader<'_>,
    sort: Sort,
    labels: &[Arc<str>],
    name: &str,
    (of, at): (Span, Span),
) {
    let at = reader.at(at);
    // The terminator of a heredoc is part of it.
    let source = match sort {
        Sort::Block => String::new(),
        _ => format!("{}\n", of.slice(reader.input.text)),
    };
    reader.shape.evaluated.push(Evaluated {
        sort,
        labels: labels.to_vec(),
        name: name.into(),
        source: source.into(),
        at,
    });
}
