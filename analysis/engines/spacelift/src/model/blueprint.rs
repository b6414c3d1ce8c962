//! Blueprints and templates: stacks in YAML, known by their keys.
//!
//! Source: spec section 9. A value with `${{ }}` is computed when a stack is made of the blueprint, and unknown here.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::memo::Fingerprint;
use applyorder_core::rules::nearest;
use applyorder_syntax::yaml::{self, Node};

use super::{
    Dependency, End, Fault, FaultKind, Given, Id, Model, NodeKind, Of, Reference, Stack, StackIx, Unresolved,
};
use crate::read::blueprint::stacks;

/// A plain text; nothing where it is computed later.
fn text(node: Node<'_>) -> Option<Arc<str>> {
    let value = node.value();
    (node.is_scalar() && !value.contains("${{")).then(|| value.as_ref().into())
}

struct Reader<'t> {
    model: Model,
    file: FileId,
    keys: BTreeMap<Arc<str>, StackIx>,
    stacks: Vec<Node<'t>>,
}

/// Reads a blueprint.
pub(super) fn read(source: &str, file: FileId, fingerprint: Fingerprint) -> Model {
    let tree = yaml::parse(source);
    let stacks = stacks(&tree).unwrap_or_default();
    let mut reader = Reader {
        model: Model {
            is_blueprint: true,
            fingerprint,
            ..Model::default()
        },
        file,
        keys: BTreeMap::new(),
        stacks,
    };
    reader.declare();
    for number in 0..reader.stacks.len() {
        reader.edges(number);
    }
    reader.model
}

impl<'t> Reader<'t> {
    fn place(&self, node: Node<'_>) -> Place {
        Place::span(self.file, node.span())
    }

    fn declare(&mut self) {
        for (number, stack) in (0u32..).zip(self.stacks.clone()) {
            let key = stack.get("key");
            let name = key.and_then(text);
            let address: Arc<str> = name.clone().unwrap_or_else(|| format!("stacks[{number}]").into());
            let place = key.map_or_else(|| self.place(stack), |k| self.place(k));
            if let Some(name) = name {
                self.keys.entry(name).or_insert(number);
            }
            self.model.stacks.push(Stack {
                resource: address.clone(),
                address,
                kind: NodeKind::Managed,
                header: place,
                name_place: key.map(|_| place),
                heuristic: false,
                settings: None,
            });
        }
    }

    /// What a stack depends on. A reference makes the dependency by itself, and wins over a plain one.
    fn edges(&mut self, number: usize) {
        let Some(stack) = self.stacks.get(number).copied() else {
            return;
        };
        let from = u32::try_from(number).unwrap_or(u32::MAX);
        let address = self
            .model
            .stacks
            .get(number)
            .map_or_else(|| "".into(), |s| s.address.clone());
        let mut made: BTreeMap<Arc<str>, u32> = BTreeMap::new();
        let references = stack
            .get("environment")
            .and_then(|e| e.get("stack_dependency_references"))
            .filter(|r| r.is_sequence());
        for reference in references.into_iter().flat_map(|r| r.items()) {
            let Some(upstream) = reference.get("from_stack") else {
                continue;
            };
            let Some(dependency) = self.dependency(from, &address, upstream, &mut made) else {
                continue;
            };
            let given = |name: &str, reader: &Self| {
                let node = reference.get(name)?;
                Some(Given {
                    value: text(node)?,
                    place: reader.place(node),
                })
            };
            let trigger = reference.get("trigger_always").and_then(text);
            let own = Reference {
                address: address.clone(),
                resource: address.clone(),
                header: self.place(reference),
                of: Of::Dependency(dependency),
                of_place: self.place(upstream),
                output: given("output", self),
                input: given("name", self),
                trigger_always: Some(trigger.as_deref() == Some("true")),
                heuristic: false,
            };
            self.model.references.push(own);
        }
        let plain = stack.get("depends_on").filter(|d| d.is_sequence());
        for upstream in plain.into_iter().flat_map(|d| d.items()) {
            let is_known = text(upstream).is_some_and(|key| made.contains_key(&key));
            if !is_known {
                self.dependency(from, &address, upstream, &mut made);
            }
        }
    }

    /// The dependency on a key; nothing where that is none.
    fn dependency(
        &mut self,
        from: StackIx,
        address: &Arc<str>,
        upstream: Node<'_>,
        made: &mut BTreeMap<Arc<str>, u32>,
    ) -> Option<u32> {
        let place = self.place(upstream);
        self.model.ids.0 += 1;
        let Some(key) = text(upstream) else {
            self.model.unresolved.push(Unresolved {
                at: format!("{address}.depends_on"),
                place,
                why: "it is computed when a stack is made of the blueprint".into(),
            });
            return None;
        };
        self.model.ids.1 += 1;
        if let Some(known) = made.get(&key) {
            return Some(*known);
        }
        let Some(to) = self.keys.get(&key).copied() else {
            let at: Arc<str> = format!("{address}.depends_on").into();
            self.model.faults.push(Fault {
                kind: FaultKind::UnknownStack,
                subject: key.to_string(),
                place,
                at: at.clone(),
                static_at: at,
                cure: nearest(&key, self.keys.keys().map(|k| &**k)).map(str::to_owned),
                related: None,
                heuristic: true,
            });
            return None;
        };
        let number = u32::try_from(self.model.dependencies.len()).unwrap_or(u32::MAX);
        made.insert(key.clone(), number);
        let id = |stack: StackIx, text: Arc<str>| Id {
            end: End::Stack(stack),
            place,
            text,
            heuristic: false,
            is_literal: false,
        };
        self.model.dependencies.push(Dependency {
            address: format!("{address} on {key}").into(),
            resource: address.clone(),
            header: place,
            whole: place,
            stack: id(from, address.clone()),
            upstream: id(to, key),
            heuristic: false,
            depends_on: Arc::default(),
        });
        Some(number)
    }
}
