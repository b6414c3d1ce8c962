//! The signature of a rule being typed, and the meaning of its words.

use std::borrow::Cow;

use super::spot::{Slot, Spot, slot, spot, value_before, word_of};
use crate::grammar::WORDS;
use crate::read::KappFacts;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{EngineIx, Signature, SignaturePart, View};
use applyorder_syntax::yaml::context;

/// The rule being typed: four words, each with what is allowed there.
pub(crate) fn signature(
    analysis: &dyn View,
    engine: EngineIx,
    file: FileId,
    offset: u32,
) -> Option<Signature> {
    let facts = analysis.facts_as::<KappFacts>(file, engine)?;
    let (base, document) = facts.document_at(offset)?;
    let local = offset.saturating_sub(base);
    let path = document.tree().node_at(local);
    let (active, value) = match spot(&path) {
        Some(Spot::Rule(node, _)) => (word_of(document.text(), node, local).0, node.value()),
        Some(_) => return None,
        // After the last word the value has ended.
        None => {
            let text = &analysis.source(file)?.text;
            let context = context::at(text, offset)?;
            let keys: Vec<&str> = context.path.iter().map(String::as_str).collect();
            let Slot::Rule(_) = slot(&keys)? else { return None };
            let typed = value_before(text, context.word.start)?;
            (typed.matches(' ').count(), Cow::Borrowed(typed))
        }
    };
    let written: Vec<&str> = value.split(' ').collect();
    let one = |words: &[&str]| {
        let said = words.iter().map(|word| format!("{word}: {}", meaning(word)));
        SignaturePart {
            label: words.join("|"),
            meaning: said.collect::<Vec<_>>().join("; "),
        }
    };
    let group = SignaturePart {
        label: "GROUP".to_owned(),
        meaning: "the name of a change group".to_owned(),
    };
    Some(Signature {
        meaning: sentence(&written),
        parts: WORDS.iter().map(|words| one(words)).chain([group]).collect(),
        active: active.min(WORDS.len()),
    })
}

/// The meaning of the written words together.
fn sentence(written: &[&str]) -> String {
    let word = |at: usize| {
        let words = WORDS.get(at)?;
        written.get(at).filter(|word| words.contains(word)).copied()
    };
    let which = word(2)
        .map(meaning)
        .and_then(|which| which.strip_prefix("members"));
    let members = format!("the members of the group{}", which.unwrap_or_default());
    let waits = match (word(1), word(2)) {
        (Some("before"), _) => Some(format!("{members} wait for it")),
        (Some(_), _) => Some(format!("it waits for {members}")),
        (None, which) => which.map(|which| meaning(which).to_owned()),
    };
    let when = word(0).map(|word| meaning(word).to_owned());
    when.into_iter().chain(waits).collect::<Vec<_>>().join(", ")
}

pub(super) fn meaning(word: &str) -> &'static str {
    match word {
        "upsert" => "when this resource is created or updated",
        "delete" => "when this resource is deleted",
        "before" => "the members of the group wait for it",
        "after" => "it waits for the members of the group",
        "upserting" => "members that are created or updated",
        _ => "members that are deleted",
    }
}
