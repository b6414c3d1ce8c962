//! The fields of a mapping of a blueprint, held against what it may have.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::rules::nearest;
use applyorder_syntax::yaml::Node;

use super::super::{Argument, Wrong};
use super::schema::{self, Fields};
use super::value::{Sort, sort};
use super::{Reader, argument};

/// The fields of a mapping by their names, each with its key and its value. A repeated one is unknown.
pub(super) struct Read<'t> {
    once: BTreeMap<String, (Node<'t>, Node<'t>)>,
    twice: BTreeMap<String, Node<'t>>,
}

impl<'t> Read<'t> {
    /// The key and the value of a field that occurs once.
    pub(super) fn get(&self, name: &str) -> Option<(Node<'t>, Node<'t>)> {
        self.once.get(name).copied().filter(|_| !self.is_twice(name))
    }

    pub(super) fn is_twice(&self, name: &str) -> bool {
        self.twice.contains_key(name)
    }

    /// The second key of a field that occurs twice.
    pub(super) fn second(&self, name: &str) -> Option<Node<'t>> {
        self.twice.get(name).copied()
    }
}

impl<'t> Reader<'t> {
    /// Reads the fields of a mapping and says which are missing, unknown, or there twice. `header` is where it is said
    /// that one is missing.
    pub(super) fn fields(
        &mut self,
        resource: &Arc<str>,
        mapping: Node<'t>,
        header: Node<'t>,
        fields: &Fields,
    ) -> Read<'t> {
        let mut read = Read {
            once: BTreeMap::new(),
            twice: BTreeMap::new(),
        };
        // What is merged in, or computed, may be any field.
        let mut is_open = false;
        for entry in mapping.entries() {
            let name = entry.key.value().into_owned();
            if !entry.key.is_scalar() || name == "<<" || matches!(sort(entry.key), Sort::Computed) {
                is_open = true;
                continue;
            }
            let place = self.place(entry.key);
            if let Some((first, _)) = read.once.get(&name) {
                let first = self.place(*first);
                self.model.arguments.push(Argument {
                    is_likely: true,
                    ..argument(resource, &name, place, Wrong::Again(first))
                });
                read.twice.insert(name, entry.key);
                continue;
            }
            if !fields.known.contains(&&*name) {
                let is_likely = fields.may_grow && !fields.refused.contains(&&*name);
                let near = schema::renamed(&name).or_else(|| nearest(&name, fields.known.iter().copied()));
                let near = near.map(str::to_owned);
                self.model.arguments.push(Argument {
                    is_likely,
                    near,
                    ..argument(resource, &name, place, Wrong::Unknown)
                });
            }
            read.once.insert(name, (entry.key, entry.value));
        }
        let missing = fields
            .required
            .iter()
            .filter(|name| !read.once.contains_key(**name));
        for name in missing.filter(|_| !is_open && !self.has_gap).collect::<Vec<_>>() {
            let place = self.place(header);
            self.wrong(resource, name, place, Wrong::Missing);
        }
        read
    }

    /// The mapping that a value is; `None` if it is not a mapping, which is reported.
    pub(super) fn mapping(&mut self, resource: &Arc<str>, name: &str, value: Node<'t>) -> Option<Node<'t>> {
        match sort(value) {
            Sort::Map(map) => Some(map),
            Sort::Computed | Sort::Open => {
                self.computed(resource, name, value);
                None
            }
            other => {
                let why = format!("expected a mapping, found {}", other.word());
                self.wrong(resource, name, self.place(value), Wrong::Type(why));
                None
            }
        }
    }

    /// The entries of the list that a value is; `None` if it is not a list, which is reported.
    pub(super) fn list(&mut self, resource: &Arc<str>, name: &str, value: Node<'t>) -> Option<Vec<Node<'t>>> {
        match sort(value) {
            Sort::List(list) => Some(list.items().collect()),
            Sort::Computed | Sort::Open => {
                self.computed(resource, name, value);
                None
            }
            other => {
                let why = format!("expected a list, found {}", other.word());
                let near = matches!(other, Sort::Text(_)).then(String::new);
                let place = self.place(value);
                self.model.arguments.push(Argument {
                    near,
                    ..argument(resource, name, place, Wrong::Type(why))
                });
                None
            }
        }
    }

    fn computed(&mut self, resource: &Arc<str>, name: &str, value: Node<'t>) {
        self.model.ids.0 += 1;
        let place = self.place(value);
        let why = "it is computed when a stack is made of the blueprint";
        self.unresolved(resource, name, place, why);
    }

    /// Reports a field that is not a string.
    pub(super) fn typed(&mut self, resource: &Arc<str>, read: &Read<'t>, name: &str) {
        let Some((_, value)) = read.get(name) else { return };
        let found = sort(value);
        if found.is_no_text() {
            let why = format!("expected a string, found {}", found.word());
            self.wrong(resource, name, self.place(value), Wrong::Type(why));
        }
    }
}
