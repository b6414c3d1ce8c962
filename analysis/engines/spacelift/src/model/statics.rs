//! Terraform's own graph: which resources, locals, variables and outputs name which others, module by module and
//! without instances.
//!
//! Source: spec sections 5 and 6: it decides in which order things are destroyed, and it must not have a cycle.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::graph::{Direction, GraphBuilder, NodeId, OrderGraph};
use rustc_hash::{FxHashMap, FxHashSet};

use super::module::{Decl, Module, Spot};
use super::written_address::{self, Address, Keys};
use crate::load::Loaded;
use crate::read::{Ref, Target};

/// Most entries of the graph.
const MAX_NODES: usize = 200_000;

/// Deepest nesting of modules.
const MAX_DEPTH: usize = 32;

/// Something in the graph.
#[derive(Clone, Debug)]
pub(crate) struct StaticNode {
    /// The address without keys.
    pub(crate) address: Arc<str>,
    pub(crate) header: Place,
    /// Its type, where it is a resource.
    pub(crate) ty: Option<Arc<str>>,
}

/// See the module. An edge leads from what names to what is named.
#[derive(Debug, Default)]
pub(crate) struct Statics {
    pub(crate) nodes: Vec<StaticNode>,
    pub(crate) graph: OrderGraph,
    /// Where each edge is written.
    pub(crate) places: Vec<Place>,
    /// What names itself, which no edge says, with where it does.
    pub(crate) to_itself: Vec<(NodeId, Place, ToItself)>,
    /// Which of the places are entries of a `depends_on`.
    pub(crate) entries: FxHashSet<Place>,
    by_address: FxHashMap<Arc<str>, u32>,
    /// Whether something is left out because there is too much.
    pub(crate) is_cut: bool,
}

/// How something names itself, as far as Terraform rejects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToItself {
    /// A local.
    Local,
    /// In what has to hold before or after.
    Condition(&'static str),
    /// In what makes it be replaced.
    Trigger,
    /// In an argument.
    Argument,
}

impl ToItself {
    /// Source: Terraform 1.11. In `depends_on` and in provisioners a resource may name itself.
    fn of(r: &Ref) -> Option<Self> {
        match (r.top(), &*r.inside) {
            ("depends_on" | "provisioner" | "connection", _) => None,
            (_, "lifecycle.precondition") => Some(Self::Condition("precondition")),
            (_, "lifecycle.postcondition") => Some(Self::Condition("postcondition")),
            ("lifecycle", "lifecycle") => Some(Self::Trigger),
            // The JSON form of these blocks is not supported.
            ("lifecycle", _) => None,
            _ => Some(Self::Argument),
        }
    }
}

impl Statics {
    pub(crate) fn node(&self, address: &str) -> Option<NodeId> {
        self.by_address.get(address).copied().map(NodeId)
    }

    /// All that a node depends on, or all that depends on it, directly or through others.
    pub(crate) fn reach(&self, from: NodeId, direction: Direction) -> FxHashSet<NodeId> {
        let mut found = FxHashSet::default();
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for link in self.graph.distinct(node, direction) {
                if found.insert(link.node) {
                    open.push(link.node);
                }
            }
        }
        found
    }
}

/// A module on one way of calls.
struct Way {
    module: usize,
    path: String,
    caller: Option<(usize, usize)>,
    /// The first of its nodes: resources, then locals, variables, outputs, calls.
    resources: u32,
    outputs: u32,
    calls: u32,
    /// Terraform's node for the whole module: everything that names the module as a whole waits for that node.
    close: Option<u32>,
    locals: FxHashMap<String, u32>,
    variables: FxHashMap<String, u32>,
    children: BTreeMap<usize, usize>,
    depth: usize,
}

struct Builder<'m, 'a> {
    modules: &'m [Module<'a>],
    loaded: &'m Loaded,
    place: &'m dyn Fn(Spot) -> Place,
    ways: Vec<Way>,
    nodes: Vec<StaticNode>,
    edges: Vec<(u32, u32, Place)>,
    to_itself: Vec<(NodeId, Place, ToItself)>,
    entries: FxHashSet<Place>,
    is_cut: bool,
}

/// Builds the graph of a project.
pub(crate) fn build(modules: &[Module<'_>], loaded: &Loaded, place: &dyn Fn(Spot) -> Place) -> Statics {
    let mut builder = Builder {
        modules,
        loaded,
        place,
        ways: Vec::new(),
        nodes: Vec::new(),
        edges: Vec::new(),
        to_itself: Vec::new(),
        entries: FxHashSet::default(),
        is_cut: false,
    };
    builder.way(0, String::new(), None, 0);
    let mut next = 0;
    while next < builder.ways.len() {
        builder.children(next);
        next += 1;
    }
    for way in 0..builder.ways.len() {
        builder.relate(way);
    }
    builder.fill();
    builder.nodes.shrink_to_fit();
    let mut graph = GraphBuilder::with_capacity(builder.nodes.len(), builder.edges.len());
    for (number, _) in (0u32..).zip(&builder.nodes) {
        graph.unit(number);
    }
    let mut places = Vec::with_capacity(builder.edges.len());
    for (number, (from, to, place)) in (0u32..).zip(&builder.edges) {
        graph.explicit(NodeId(*from), NodeId(*to), number);
        places.push(*place);
    }
    Statics {
        by_address: (0u32..)
            .zip(&builder.nodes)
            .map(|(number, node)| (node.address.clone(), number))
            .collect(),
        nodes: builder.nodes,
        to_itself: builder.to_itself,
        entries: builder.entries,
        graph: graph.build(),
        places,
        is_cut: builder.is_cut,
    }
}

impl<'a> Builder<'_, 'a> {
    fn node(&mut self, address: String, spot: Spot, ty: Option<&str>) -> u32 {
        let number = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(StaticNode {
            address: address.into(),
            header: (self.place)(spot),
            ty: ty.map(Into::into),
        });
        number
    }

    fn way(&mut self, module: usize, path: String, caller: Option<(usize, usize)>, depth: usize) {
        let Some(own) = self.modules.get(module) else {
            return;
        };
        let here = |nodes: &Vec<StaticNode>| u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        let resources = here(&self.nodes);
        for decl in &own.resources {
            self.node(
                format!("{path}{}", decl.address()),
                decl.header(),
                Some(decl.ty()),
            );
        }
        let mut names: Vec<_> = own.locals.iter().collect();
        names.sort_by_key(|(name, _)| **name);
        let mut locals = FxHashMap::default();
        for (name, attr) in names {
            let number = self.node(format!("{path}local.{name}"), attr.name_spot(), None);
            locals.insert((*name).to_owned(), number);
        }
        let mut names: Vec<_> = own.variables.iter().collect();
        names.sort_by_key(|(name, _)| **name);
        let mut variables = FxHashMap::default();
        for (name, decl) in names {
            let number = self.node(format!("{path}var.{name}"), decl.header(), None);
            variables.insert((*name).to_owned(), number);
        }
        let outputs = here(&self.nodes);
        for decl in &own.outputs {
            self.node(format!("{path}output.{}", decl.name()), decl.header(), None);
        }
        let calls = here(&self.nodes);
        for decl in &own.calls {
            self.node(format!("{path}module.{}", decl.name()), decl.header(), None);
        }
        let close = self.close(&path, caller);
        self.ways.push(Way {
            module,
            path,
            caller,
            resources,
            outputs,
            calls,
            close,
            locals,
            variables,
            children: BTreeMap::new(),
            depth,
        });
    }

    /// The node for all of a called module.
    fn close(&mut self, path: &str, caller: Option<(usize, usize)>) -> Option<u32> {
        let (caller, call) = caller?;
        let header = self
            .modules
            .get(self.ways.get(caller)?.module)?
            .calls
            .get(call)?
            .header();
        let address = format!("{} (close)", path.strip_suffix('.').unwrap_or(path));
        Some(self.node(address, header, None))
    }

    /// Lets the node for all of a module wait for what is in it, if something names the module as a whole:
    /// otherwise everything in a module would have something that depends on it.
    fn fill(&mut self) {
        let closes = self.ways.iter().enumerate();
        let closes: FxHashMap<u32, usize> = closes.filter_map(|(way, own)| Some((own.close?, way))).collect();
        let named = self.edges.iter().filter_map(|(_, to, _)| closes.get(to).copied());
        let mut open: Vec<usize> = named.collect();
        let mut seen: FxHashSet<usize> = open.iter().copied().collect();
        open.sort_unstable();
        open.dedup();
        while let Some(way) = open.pop() {
            let Some(own) = self.ways.get(way) else { continue };
            let Some(close) = own.close else { continue };
            let Some(place) = self.nodes.get(close as usize).map(|node| node.header) else {
                continue;
            };
            // Its nodes precede it.
            self.edges
                .extend((own.resources..close).map(|number| (close, number, place)));
            for child in own.children.values() {
                let inner = self.ways.get(*child).and_then(|child| child.close);
                self.edges.extend(inner.map(|inner| (close, inner, place)));
                if seen.insert(*child) {
                    open.push(*child);
                }
            }
        }
    }

    fn children(&mut self, way: usize) {
        let Some((module, path, depth)) = self.ways.get(way).map(|w| (w.module, w.path.clone(), w.depth))
        else {
            return;
        };
        let (Some(own), Some(loaded)) = (self.modules.get(module), self.loaded.modules.get(module)) else {
            return;
        };
        for (number, decl) in own.calls.iter().enumerate() {
            let Some(target) = loaded.called(decl.name(), decl.source) else {
                continue;
            };
            if depth >= MAX_DEPTH || self.nodes.len() > MAX_NODES || self.encloses(way, target) {
                self.is_cut = true;
                continue;
            }
            let child = self.ways.len();
            if let Some(own) = self.ways.get_mut(way) {
                own.children.insert(number, child);
            }
            self.way(
                target,
                format!("{path}module.{}.", decl.name()),
                Some((way, number)),
                depth + 1,
            );
        }
    }

    fn encloses(&self, way: usize, module: usize) -> bool {
        let mut at = Some(way);
        while let Some(own) = at.and_then(|way| self.ways.get(way)) {
            if own.module == module {
                return true;
            }
            at = own.caller.map(|(caller, _)| caller);
        }
        false
    }

    fn relate(&mut self, way: usize) {
        let Some(own) = self.ways.get(way) else { return };
        let Some(module) = self.modules.get(own.module) else {
            return;
        };
        let (mut edges, mut to_itself) = (Vec::new(), Vec::new());
        let expanded = own
            .caller
            .and_then(|(caller, call)| Some(self.ways.get(caller)?.calls + u32::try_from(call).ok()?));
        for (number, decl) in (own.resources..).zip(&module.resources) {
            for (file, r) in &decl.refs {
                match &r.target {
                    Target::Resource(data, ty, name)
                        if (*data, &**ty, &**name) == (decl.is_data(), decl.ty(), decl.name()) =>
                    {
                        to_itself.extend(ToItself::of(r).map(|how| (number, self.at(*file, r), how)));
                    }
                    _ => self.refs(way, number, &[(*file, r)], &mut edges),
                }
            }
            if let Some(call) = expanded {
                edges.push((number, call, (self.place)(decl.header())));
            }
        }
        // Whatever is in a module waits for what repeats the module.
        if let Some(call) = expanded {
            let within =
                (own.locals.values().chain(own.variables.values()).copied()).chain(own.outputs..own.calls);
            for number in within {
                let header = self.nodes.get(number as usize).map(|node| node.header);
                edges.extend(header.map(|header| (number, call, header)));
            }
        }
        for (file, r) in &module.local_refs {
            let Some(number) = own.locals.get(&*r.attribute) else {
                continue;
            };
            if matches!(&r.target, Target::Local(name) if *name == r.attribute) {
                to_itself.push((*number, self.at(*file, r), ToItself::Local));
            } else {
                self.refs(way, *number, &[(*file, r)], &mut edges);
            }
        }
        for (number, decl) in (own.outputs..).zip(&module.outputs) {
            self.refs(way, number, &decl.refs, &mut edges);
        }
        for decl in module.variables.values() {
            self.validations(way, own, decl, &mut edges);
        }
        for (index, (number, decl)) in (own.calls..).zip(&module.calls).enumerate() {
            let child = own.children.get(&index).and_then(|c| self.ways.get(*c));
            for (file, r) in &decl.refs {
                // What is passed in is the variable's, what repeats the module all of its resources'.
                let from = match &*r.attribute {
                    "count" | "for_each" | "depends_on" => Some(number),
                    name => child.and_then(|c| c.variables.get(name).copied()),
                };
                if let Some(from) = from {
                    self.refs(way, from, &[(*file, r)], &mut edges);
                }
            }
            if let Some(call) = expanded {
                edges.push((number, call, (self.place)(decl.header())));
            }
        }
        if own.caller.is_none() {
            self.imports(way, module, &mut edges);
        }
        self.edges.extend(edges);
        let blocks = module.resources.iter().map(|decl| &decl.refs);
        let blocks = blocks.chain(module.outputs.iter().map(|decl| &decl.refs));
        let entries = blocks.flatten().filter(|(_, r)| r.is_of("depends_on"));
        let entries: Vec<Place> = entries.map(|(file, r)| self.at(*file, r)).collect();
        self.entries.extend(entries);
        let to_itself = to_itself.into_iter();
        self.to_itself
            .extend(to_itself.map(|(number, place, how)| (NodeId(number), place, how)));
    }

    /// What refers to a variable waits for its validations, which wait for what they refer to.
    fn validations(&self, way: usize, own: &Way, decl: &Decl<'a>, edges: &mut Vec<(u32, u32, Place)>) {
        let Some(number) = own.variables.get(decl.name()) else {
            return;
        };
        let is_itself = |r: &Ref| matches!(&r.target, Target::Variable(name) if **name == *decl.name());
        let refs = decl
            .refs
            .iter()
            .filter(|(_, r)| &*r.inside == "validation" && !is_itself(r));
        let refs: Vec<(usize, &'a Ref)> = refs.copied().collect();
        self.refs(way, *number, &refs, edges);
    }

    /// What is imported waits for all that its `import` refers to.
    fn imports(&self, way: usize, module: &Module<'a>, edges: &mut Vec<(u32, u32, Place)>) {
        if module.imports.is_empty() {
            return;
        }
        let ways: FxHashMap<&str, _> = self.ways.iter().map(|way| (way.path.as_str(), way)).collect();
        for (file, facts, to) in &module.imports {
            let address = written_address::read(*to, Keys::Any, false).ok();
            let Some(Address {
                calls,
                resource: Some(target),
            }) = address
            else {
                continue;
            };
            if target.sort.is_some() {
                continue;
            }
            let path: String = calls.iter().map(|(call, _)| format!("module.{call}.")).collect();
            let found = ways.get(path.as_str()).and_then(|own| {
                let at = self
                    .modules
                    .get(own.module)?
                    .resource(false, target.ty, target.name)?;
                own.resources.checked_add(u32::try_from(at).ok()?)
            });
            let Some(number) = found else { continue };
            let refs = facts.refs.iter().filter(|r| r.is_of("id") || r.is_of("for_each"));
            let refs: Vec<(usize, &'a Ref)> = refs.map(|r| (*file, r)).collect();
            let mut own = Vec::new();
            self.refs(way, number, &refs, &mut own);
            // Of itself it may speak in `for_each`.
            edges.extend(own.into_iter().filter(|(from, to, _)| from != to));
        }
    }

    fn at(&self, file: usize, r: &Ref) -> Place {
        (self.place)(Spot { file, at: r.name })
    }

    fn refs(&self, way: usize, from: u32, refs: &[(usize, &'a Ref)], edges: &mut Vec<(u32, u32, Place)>) {
        let Some(own) = self.ways.get(way) else { return };
        let Some(module) = self.modules.get(own.module) else {
            return;
        };
        let offset = |base: u32, index: usize| base.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
        for (file, r) in refs {
            let place = self.at(*file, r);
            let mut push = |to: u32| edges.push((from, to, place));
            match &r.target {
                // Its value is in `for_each`.
                Target::EachValue => {}
                Target::Local(name) => own.locals.get(&**name).copied().into_iter().for_each(&mut push),
                Target::Variable(name) => own
                    .variables
                    .get(&**name)
                    .copied()
                    .into_iter()
                    .for_each(&mut push),
                Target::Resource(data, ty, name) => {
                    let found = module.resource(*data, ty, name);
                    found
                        .map(|i| offset(own.resources, i))
                        .into_iter()
                        .for_each(&mut push);
                }
                Target::Module(name, output) => {
                    let Some(call) = module.call(name) else { continue };
                    let child = own.children.get(&call).and_then(|c| self.ways.get(*c));
                    let below = child.and_then(|c| Some((c, self.modules.get(c.module)?)));
                    match (below, output) {
                        (Some((child, below)), Some(output)) => {
                            let found = below.output(output);
                            found
                                .map(|i| offset(child.outputs, i))
                                .into_iter()
                                .for_each(&mut push);
                        }
                        // All of the module, as in `depends_on`.
                        (Some((child, _)), None) => child.close.into_iter().for_each(&mut push),
                        _ => push(offset(own.calls, call)),
                    }
                }
            }
        }
    }
}
