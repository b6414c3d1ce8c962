//! Blueprints and templates: stacks in YAML, known by their keys.
//!
//! Source: spec section 9. A value with `${{ }}` is computed when a stack is made of the blueprint, and unknown here.

mod fields;
mod inside;
mod schema;
mod value;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::memo::Fingerprint;
use applyorder_core::nearest::Signature;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::{self, Node};

use super::known_names::Compared;
use super::{
    Argument, Dependency, End, Fault, FaultKind, Given, Id, Misdeclaration, Misdeclared, Model, NodeKind, Of,
    Reference, Settings, Stack, StackIx, Unresolved, Vendor, Wrong,
};
use crate::read::blueprint::{Flavor, is_computed, stacks};
use fields::Read;
pub(super) use inside::inside;
use value::{Sort, sort, text};

/// What a repeated key belongs to.
pub(crate) const TEMPLATE: &str = "template";
/// See [`TEMPLATE`].
pub(crate) const BLUEPRINT: &str = "blueprint";

struct Reader<'t> {
    model: Model,
    file: FileId,
    /// Where a span of the text is in the file.
    at: &'t dyn Fn(Span) -> Span,
    flavor: Flavor,
    /// Stacks by their keys; `None` if several have the same.
    keys: BTreeMap<Arc<str>, Option<StackIx>>,
    /// The keys; computed once an unknown one is searched for in them.
    known_keys: OnceCell<(Vec<Arc<str>>, Vec<Signature>)>,
    compared: Compared,
    /// Whether some of the text could not be read.
    has_gap: bool,
    /// Whether there may be a stack with any key.
    is_open: bool,
    stacks: Vec<(Arc<str>, Read<'t>)>,
}

/// What a stack depends on, as it is written.
struct Upstream<'t> {
    node: Node<'t>,
    /// The field that names it.
    field: &'static str,
}

/// What is wrong with a field, certainly.
fn argument(resource: &Arc<str>, name: &str, place: Place, wrong: Wrong) -> Argument {
    Argument {
        resource: resource.clone(),
        name: name.into(),
        place,
        wrong,
        near: None,
        is_likely: false,
        is_static: true,
        is_own: false,
    }
}

/// Where a missing field of a mapping is reported.
fn start(mapping: Node<'_>) -> Node<'_> {
    mapping.entries().next().map_or(mapping, |entry| entry.key)
}

/// Reads a blueprint that is a file.
pub(super) fn read(source: &str, file: FileId, flavor: Flavor, fingerprint: Fingerprint) -> Model {
    let tree = yaml::parse(source);
    read_at(&tree, file, flavor, fingerprint, &|span| span)
}

fn read_at(
    tree: &yaml::Tree,
    file: FileId,
    flavor: Flavor,
    fingerprint: Fingerprint,
    at: &dyn Fn(Span) -> Span,
) -> Model {
    let source = tree.text();
    let mut reader = Reader {
        model: Model {
            is_blueprint: true,
            fingerprint,
            ..Model::default()
        },
        file,
        at,
        flavor,
        keys: BTreeMap::new(),
        known_keys: OnceCell::new(),
        compared: Compared::default(),
        has_gap: !tree.errors().is_empty(),
        is_open: !tree.errors().is_empty(),
        stacks: Vec::new(),
    };
    for error in tree.errors().iter().filter(|e| is_computed(source, e.span)) {
        reader.model.unresolved.push(Unresolved {
            at: "stacks".to_owned(),
            place: Place::span(file, at(error.span)),
            why: "whether values are computed before the text is parsed is not documented".into(),
            is_given: false,
        });
    }
    if let Some(root) = tree.first_document().and_then(|d| d.root()) {
        reader.root(root);
    }
    reader.declare(stacks(tree).unwrap_or_default());
    for (number, (address, stack)) in (0u32..).zip(std::mem::take(&mut reader.stacks)) {
        reader.edges(number, &address, &stack);
    }
    reader.model
}

impl<'t> Reader<'t> {
    fn place(&self, node: Node<'_>) -> Place {
        Place::span(self.file, (self.at)(node.span()))
    }

    fn wrong(&mut self, resource: &Arc<str>, name: &str, place: Place, wrong: Wrong) {
        self.model.arguments.push(argument(resource, name, place, wrong));
    }

    fn root(&mut self, root: Node<'t>) {
        let name: Arc<str> = match self.flavor {
            Flavor::Template => TEMPLATE.into(),
            _ => BLUEPRINT.into(),
        };
        let read = self.fields(&name, root, start(root), &schema::root(self.flavor));
        if let Some((key, _)) = read.get("stack") {
            let others = vec!["stacks".to_owned()];
            let place = self.place(key);
            self.wrong(&name, "stack", place, Wrong::Conflict(others));
        }
        let (most, is_likely) = match self.flavor {
            Flavor::Blueprint => (schema::MOST_STACKS, false),
            _ => (schema::MOST_STACKS_OF_TEMPLATE, true),
        };
        let list = read.get("stacks").and_then(|(_, list)| list.resolve());
        if let Some(first) = list.and_then(|list| list.items().nth(most)) {
            let place = first.resolve().and_then(|s| s.get("key")).unwrap_or(first);
            let place = self.place(place);
            self.model.arguments.push(Argument {
                is_likely,
                ..argument(&name, "stacks", place, Wrong::TooMany(most))
            });
        }
    }

    fn declare(&mut self, stacks: Vec<Node<'t>>) {
        let table = schema::stack(self.flavor);
        for (number, node) in (0u32..).zip(stacks) {
            let key = node.get("key");
            let name = key.and_then(text);
            let address: Arc<str> = name.clone().unwrap_or_else(|| format!("stacks[{number}]").into());
            let read = self.fields(&address, node, key.unwrap_or_else(|| start(node)), &table);
            let name = name.filter(|_| read.get("key").is_some());
            let place = key.map_or_else(|| self.place(node), |k| self.place(k));
            match name {
                Some(name) => self.key(name, number, place),
                None => self.is_open = true,
            }
            self.typed(&address, &read, "key");
            self.typed(&address, &read, "name");
            if let Some((_, value)) = read.get("key")
                && self.flavor == Flavor::Template
                && matches!(sort(value), Sort::Computed)
            {
                let place = self.place(value);
                self.wrong(&address, "key", place, Wrong::Computed);
            }
            let settings = self.settings(&read);
            self.model.stacks.push(Stack {
                resource: address.clone(),
                address: address.clone(),
                kind: NodeKind::Managed,
                header: place,
                name_place: key.map(|_| place),
                heuristic: false,
                settings: Some(settings),
                calls: Vec::new(),
            });
            self.stacks.push((address, read));
        }
    }

    /// A blueprint may have a key twice; a template may not.
    fn key(&mut self, key: Arc<str>, number: StackIx, place: Place) {
        match self.keys.get_mut(&key) {
            None => {
                self.keys.insert(key, Some(number));
            }
            Some(known) => {
                *known = None;
                let mut stacks = self.model.stacks.iter();
                let first = stacks.find(|s| s.address == key).map_or(place, |s| s.header);
                self.model.misdeclared.push(Misdeclared {
                    subject: key,
                    word: match self.flavor {
                        Flavor::Template => TEMPLATE,
                        Flavor::Blueprint => BLUEPRINT,
                        Flavor::Either => "key",
                    },
                    place,
                    why: Misdeclaration::Again(first),
                });
            }
        }
    }

    /// The tool that runs a stack. No rule needs its other settings in a blueprint.
    fn settings(&self, read: &Read<'t>) -> Settings {
        const VENDORS: [(&str, Vendor); 6] = [
            ("terraform", Vendor::Terraform),
            ("terragrunt", Vendor::Terragrunt),
            ("ansible", Vendor::Ansible),
            ("kubernetes", Vendor::Kubernetes),
            ("pulumi", Vendor::Pulumi),
            ("cloudformation", Vendor::CloudFormation),
        ];
        let vendor = read.get("vendor").and_then(|(_, v)| v.resolve());
        let entries: Vec<_> = vendor.into_iter().flat_map(|v| v.entries()).collect();
        let (vendor, place) = match entries.as_slice() {
            [entry] => {
                let word = entry.key.value();
                let known = VENDORS.iter().find(|(name, _)| *name == word);
                (known.map(|(_, vendor)| *vendor), Some(self.place(entry.key)))
            }
            _ => (None, None),
        };
        Settings {
            provider: "".into(),
            slug: None,
            vendor: vendor.unwrap_or(Vendor::Unknown),
            vendor_place: place,
            protect: None,
            autodeploy: None,
            sensitive_upload: None,
            labels: Vec::new(),
            project_root: None,
        }
    }

    /// What a stack depends on. A reference makes the dependency by itself, and wins over a plain one.
    fn edges(&mut self, from: StackIx, address: &Arc<str>, stack: &Read<'t>) {
        let mut made: BTreeMap<Arc<str>, u32> = BTreeMap::new();
        if let Some((_, environment)) = stack.get("environment")
            && let Some(environment) = self.mapping(address, "environment", environment)
        {
            let read = self.fields(address, environment, start(environment), &schema::environment());
            const REFERENCES: &str = "stack_dependency_references";
            if read.is_twice(REFERENCES) {
                self.twice(address, REFERENCES, &read);
            }
            let list = read.get(REFERENCES);
            for entry in list
                .and_then(|(_, list)| self.list(address, REFERENCES, list))
                .into_iter()
                .flatten()
            {
                self.reference(from, address, entry, &mut made);
            }
        }
        if stack.is_twice("depends_on") {
            self.twice(address, "depends_on", stack);
        }
        let plain = stack
            .get("depends_on")
            .and_then(|(_, list)| self.list(address, "depends_on", list));
        let mut named: BTreeSet<Arc<str>> = BTreeSet::new();
        for node in plain.into_iter().flatten() {
            let found = sort(node);
            if found.is_no_text() {
                let why = format!("expected a string, found {}", found.word());
                self.wrong(address, "depends_on", self.place(node), Wrong::Type(why));
                continue;
            }
            match found {
                Sort::Text(key) if key.is_empty() => {
                    self.wrong(address, "depends_on", self.place(node), Wrong::Empty);
                    continue;
                }
                Sort::Text(key) if made.contains_key(&key) && !named.contains(&key) => continue,
                Sort::Text(key) => {
                    named.insert(key);
                }
                Sort::Computed if self.flavor == Flavor::Template => {
                    self.wrong(address, "depends_on", self.place(node), Wrong::Computed);
                    continue;
                }
                _ => {}
            }
            let field = "depends_on";
            self.dependency(from, address, &Upstream { node, field }, &mut made);
        }
    }

    fn reference(
        &mut self,
        from: StackIx,
        address: &Arc<str>,
        entry: Node<'t>,
        made: &mut BTreeMap<Arc<str>, u32>,
    ) {
        let Some(entry) = self.mapping(address, "stack_dependency_references", entry) else {
            return;
        };
        let read = self.fields(address, entry, start(entry), &schema::reference());
        for name in ["name", "from_stack", "output"] {
            self.typed(address, &read, name);
        }
        let always = match read.get("trigger_always").map(|(_, value)| (value, sort(value))) {
            None if read.is_twice("trigger_always") => None,
            None => Some(false),
            Some((_, Sort::Bool(always))) => Some(always),
            Some((_, Sort::Computed | Sort::Open)) => None,
            Some((value, other)) => {
                let why = format!("expected a boolean, found {}", other.word());
                self.wrong(address, "trigger_always", self.place(value), Wrong::Type(why));
                None
            }
        };
        let Some((_, node)) = read.get("from_stack") else {
            if read.is_twice("from_stack") {
                self.twice(address, "from_stack", &read);
            }
            return;
        };
        let field = "from_stack";
        if sort(node).is_no_text() {
            return;
        }
        let Some(dependency) = self.dependency(from, address, &Upstream { node, field }, made) else {
            return;
        };
        let given = |name: &str| {
            let (_, node) = read.get(name)?;
            Some(Given {
                value: text(node)?,
                place: self.place(node),
            })
        };
        let own = Reference {
            address: address.clone(),
            resource: address.clone(),
            header: self.place(entry),
            whole: self.place(entry),
            of: Of::Dependency(dependency),
            of_place: self.place(node),
            output: given("output"),
            input: given("name"),
            trigger_always: always,
            heuristic: false,
        };
        self.model.references.push(own);
    }

    fn unresolved(&mut self, address: &str, field: &str, place: Place, why: &str) {
        self.model.unresolved.push(Unresolved {
            at: format!("{address}.{field}"),
            place,
            why: why.into(),
            is_given: false,
        });
    }

    /// A repeated field is unknown.
    fn twice(&mut self, address: &str, field: &str, read: &Read<'t>) {
        self.model.ids.0 += 1;
        if let Some(key) = read.second(field) {
            let place = self.place(key);
            self.unresolved(
                address,
                field,
                place,
                "which of the two Spacelift reads is not documented",
            );
        }
    }

    /// The key that was probably meant.
    fn nearest_key(&self, key: &str) -> Option<String> {
        let (keys, signatures) = self.known_keys.get_or_init(|| {
            let keys = self.keys.keys();
            keys.map(|key| (key.clone(), Signature::of(key))).unzip()
        });
        let name = |at: usize| keys.get(at).map_or("", |key| &**key);
        self.compared.nearest_of(key, signatures, name).map(str::to_owned)
    }

    /// The dependency on a key; `None` if the key is not a dependency.
    fn dependency(
        &mut self,
        from: StackIx,
        address: &Arc<str>,
        upstream: &Upstream<'_>,
        made: &mut BTreeMap<Arc<str>, u32>,
    ) -> Option<u32> {
        let place = self.place(upstream.node);
        self.model.ids.0 += 1;
        let Some(key) = text(upstream.node) else {
            let why = "it is computed when a stack is made of the blueprint";
            self.unresolved(address, upstream.field, place, why);
            return None;
        };
        if let Some(known) = made.get(&key) {
            self.model.ids.1 += 1;
            return Some(*known);
        }
        let to = match self.keys.get(&key) {
            Some(Some(stack)) => *stack,
            Some(None) => {
                let why = "several stacks have this key";
                self.unresolved(address, upstream.field, place, why);
                return None;
            }
            None if self.is_open => {
                let why = "a stack whose key is unknown may have it";
                self.unresolved(address, upstream.field, place, why);
                return None;
            }
            None => {
                self.model.ids.1 += 1;
                let at: Arc<str> = format!("{address}.{}", upstream.field).into();
                self.model.faults.push(Fault {
                    kind: FaultKind::UnknownStack,
                    subject: key.to_string(),
                    place,
                    at: at.clone(),
                    static_at: at,
                    replacement: self.nearest_key(&key),
                    related: None,
                    is_static: true,
                    heuristic: true,
                });
                return None;
            }
        };
        self.model.ids.1 += 1;
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
            attribute: upstream.field,
            header: place,
            whole: place,
            is_alone: false,
            stack: id(from, address.clone()),
            upstream: id(to, key),
            heuristic: false,
            waits_for: Arc::default(),
        });
        Some(number)
    }
}
