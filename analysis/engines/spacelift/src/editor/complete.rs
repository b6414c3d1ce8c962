//! Completion of the addresses that ids are taken from.

use std::collections::BTreeSet;
use std::sync::Arc;

use applyorder_core::diagnostic::{EngineIx, FileId};
use applyorder_core::engine::{Completion, CompletionKind, Facts as _, Joins, Operation, View};
use applyorder_core::files::join_clean;
use applyorder_syntax::hcl::edit::quote;
use applyorder_syntax::hcl::{self, NodeRef};
use applyorder_syntax::text::Span;

use camino::Utf8PathBuf;

use crate::Found;
use crate::model::{Of, TF_VAR};
use crate::read::{BlockFacts, BlockKind, Ref, Target, TfFacts, is_json};
use crate::schema::STACK;

/// The keys by which an instance names the one of another resource that has the same.
const EACH: &str = "[each.key]";
/// See [`EACH`].
const COUNT: &str = "[count.index]";

/// The maximum number of proposed instances of one resource.
const MOST_INSTANCES: usize = 50;

/// What may be written at an offset of a file.
pub(crate) fn complete(analysis: &dyn View, engine: EngineIx, file: FileId, offset: u32) -> Vec<Completion> {
    let Some(source) = analysis.source(file) else {
        return Vec::new();
    };
    let path = analysis.path(file).to_owned();
    if is_json(path.as_str()) {
        return Vec::new();
    }
    let Some(mut argument) = argument_at(&source.text, offset) else {
        return Vec::new();
    };
    argument.is_one = makes_one(analysis, file, &argument);
    let listed = Listed::new(analysis, file, &argument);
    let wanted: Wanted = match argument.name.as_str() {
        "stack_id" | "depends_on_stack_id" => &[
            (STACK, false, "stack"),
            (STACK, true, "data source"),
            ("spacelift_current_stack", true, "data source"),
        ],
        "stack_dependency_id" => &[("spacelift_stack_dependency", false, "dependency")],
        "depends_on" => return resources(analysis, engine, file, &argument),
        "output_name" | "input_name" => return names(analysis, file, &argument),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for (id, facts) in beside(analysis, engine, file) {
        for block in &facts.blocks {
            let is_data = match block.kind {
                BlockKind::Resource => false,
                BlockKind::Data => true,
                BlockKind::Module => {
                    found.extend(outputs(
                        analysis,
                        engine,
                        (id, block),
                        (&argument, &listed),
                        wanted,
                    ));
                    continue;
                }
                _ => continue,
            };
            let (ty, name) = (block.label(0), block.label(1));
            let Some((_, _, word)) = wanted.iter().find(|(t, data, _)| *t == ty && *data == is_data) else {
                continue;
            };
            let prefix = if is_data { "data." } else { "" };
            let address = format!("{prefix}{ty}.{name}");
            let keys = argument.keys(analysis, id, block, &address);
            let open = keys
                .iter()
                .filter(|key| !listed.has(&argument, &format!("{address}{key}")));
            found.extend(open.map(|key| Completion {
                label: format!("{address}{key}.id"),
                span: argument.span,
                insert: None,
                detail: Some((*word).to_owned()),
                kind: CompletionKind::Unit,
                joins: argument.joins(&keys, |key| format!("{address}{key}"), key),
            }));
        }
    }
    sorted(found)
}

/// Whether the block of an argument makes one dependency: it has no keys of its own, and its file is not that of a module,
/// which may be called by several names.
fn makes_one(analysis: &dyn View, file: FileId, argument: &Argument) -> bool {
    let projects = analysis.projects_of(file);
    let dir = analysis.path(file).parent();
    argument.loops.is_none() && projects.iter().all(|project| dir == Some(&*project.seed.root))
}

/// Types of resources, whether they are data sources, and the word for each.
type Wanted = &'static [(&'static str, bool, &'static str)];

fn sorted(mut found: Vec<Completion>) -> Vec<Completion> {
    found.sort_by(|a, b| a.label.cmp(&b.label));
    found.dedup();
    found
}

/// Whether a key is that of the instance that the block itself makes.
fn is_of_block(key: &str) -> bool {
    matches!(key, EACH | COUNT)
}

/// The outputs of a call that give an id.
fn outputs(
    analysis: &dyn View,
    engine: EngineIx,
    (file, call): (FileId, &BlockFacts),
    (argument, listed): (&Argument, &Listed),
    wanted: Wanted,
) -> Vec<Completion> {
    let (Some(dir), Some(source)) = (analysis.path(file).parent(), call.local_source()) else {
        return Vec::new();
    };
    let dir = join_clean(dir, source);
    let address = format!("module.{}", call.label(0));
    let keys = argument.keys(analysis, file, call, &address);
    let mut found = Vec::new();
    for (id, facts) in in_directory(analysis, engine, dir) {
        for block in facts.blocks.iter().filter(|b| b.kind == BlockKind::Output) {
            let gives = |r: &Ref| {
                let is_wanted = |ty: &str| wanted.iter().find(|(t, data, _)| *t == ty && !data);
                match &r.target {
                    Target::Resource(false, ty, name) if r.is_of("value") => {
                        Some((is_wanted(ty)?.2, format!("{ty}.{name}")))
                    }
                    _ => None,
                }
            };
            let Some((word, given)) = block.refs.iter().find_map(gives) else {
                continue;
            };
            let text = block.attribute("value").and_then(|a| facts.span(a.value_at));
            let source = analysis.source(id);
            let text = text.and_then(|span| Some(span.slice(&source?.text)));
            let Some(text) = text.filter(|text| text.ends_with(".id") || text.ends_with(".slug")) else {
                continue;
            };
            let attribute = text.strip_prefix(&given);
            let is_whole = attribute.is_some_and(|rest| matches!(rest, ".id" | ".slug"));
            let is_listed = |key: &str| listed.has(argument, &format!("{address}{key}.{given}"));
            let open = keys.iter().filter(|key| !is_whole || !is_listed(key));
            found.extend(open.map(|key| {
                Completion {
                    label: format!("{address}{key}.{}", block.label(0)),
                    span: argument.span,
                    insert: None,
                    detail: Some(format!("{word} of a module")),
                    kind: CompletionKind::Unit,
                    joins: argument
                        .joins(&keys, |key| format!("{address}{key}.{given}"), key)
                        .filter(|_| is_whole),
                }
            }));
        }
    }
    found
}

/// The resources of Spacelift's that an entry of `depends_on` may name.
fn resources(analysis: &dyn View, engine: EngineIx, file: FileId, argument: &Argument) -> Vec<Completion> {
    let mut found = Vec::new();
    for (_, facts) in beside(analysis, engine, file) {
        let own = facts
            .blocks
            .iter()
            .filter(|b| b.is_spacelift() && b.kind == BlockKind::Resource);
        for block in own {
            let label = format!("{}.{}", block.label(0), block.label(1));
            if label == argument.own {
                continue;
            }
            found.push(Completion {
                label,
                span: argument.span,
                insert: None,
                detail: Some("resource".to_owned()),
                kind: CompletionKind::Unit,
                joins: None,
            });
        }
    }
    sorted(found)
}

/// The project that a file is in, as it was found last.
fn states(analysis: &dyn View, file: FileId) -> Vec<&Found> {
    let views = analysis.projects_of(file).into_iter();
    let states = views.filter_map(|view| view.resolution.state.as_ref()?.downcast_ref::<Found>());
    states.collect()
}

/// The outputs of the stack that a reference takes from, and the inputs of the one that it gives to, where the directory
/// that the stack runs is known.
fn names(analysis: &dyn View, file: FileId, argument: &Argument) -> Vec<Completion> {
    let mut found = Vec::new();
    let is_input = argument.name == "input_name";
    for state in states(analysis, file) {
        let project = &state.project;
        let own = project.references.iter();
        let own = own.filter(|r| r.header.file == file && r.resource.ends_with(&argument.own));
        let ends = own.filter_map(|r| match r.of {
            Of::Dependency(number) => {
                let dependency = project.dependencies.get(number as usize)?;
                let end = if is_input {
                    &dependency.stack
                } else {
                    &dependency.upstream
                };
                end.stack()
            }
            _ => None,
        });
        for number in ends {
            let Some(stack) = project.stacks.get(number as usize) else {
                continue;
            };
            let (all, prefix, word) = match is_input {
                true if project.reads_tf_vars(number) => (&project.inputs, TF_VAR, "variable"),
                true => continue,
                false => (&project.outputs, "", "output"),
            };
            for declared in all.get(&number).into_iter().flatten() {
                let label = format!("{prefix}{}", declared.name.value);
                found.push(Completion {
                    span: argument.span,
                    insert: (!argument.is_quoted).then(|| quote(&label)),
                    label,
                    detail: Some(format!("{word} of {}", stack.address)),
                    kind: CompletionKind::Symbol,
                    joins: None,
                });
            }
        }
    }
    sorted(found)
}

/// The files of the same directory.
fn beside(analysis: &dyn View, engine: EngineIx, file: FileId) -> impl Iterator<Item = (FileId, &TfFacts)> {
    let dir = analysis
        .path(file)
        .parent()
        .map(ToOwned::to_owned)
        .unwrap_or_default();
    in_directory(analysis, engine, dir)
}

fn in_directory(
    analysis: &dyn View,
    engine: EngineIx,
    dir: Utf8PathBuf,
) -> impl Iterator<Item = (FileId, &TfFacts)> {
    analysis
        .read_files()
        .filter(move |(_, path)| path.parent() == Some(&dir))
        .filter_map(move |(id, _)| Some((id, analysis.facts_as::<TfFacts>(id, engine)?)))
}

/// An argument whose value is being typed.
struct Argument {
    /// The address of the resource it is in, without the module's.
    own: String,
    /// The key that means the instance of this block in another one with the same keys.
    loops: Option<&'static str>,
    name: String,
    is_quoted: bool,
    /// What is replaced.
    span: Span,
    /// Whether the block makes one dependency.
    is_one: bool,
    /// The value of the other end of the dependency, if that is written.
    other_at: Option<Span>,
    /// The stack that the other end of the dependency names, by its address.
    other: Option<String>,
}

impl Argument {
    /// The keys by which a resource or call can be named here; an empty one where it has no instances.
    fn keys(&self, analysis: &dyn View, file: FileId, block: &BlockFacts, address: &str) -> Vec<String> {
        let by = if block.attribute("for_each").is_some() {
            EACH
        } else if block.attribute("count").is_some() {
            COUNT
        } else {
            return vec![String::new()];
        };
        let mut keys: Vec<String> = self
            .loops
            .filter(|own| *own == by)
            .map(str::to_owned)
            .into_iter()
            .collect();
        let mut known: BTreeSet<String> = BTreeSet::new();
        for state in states(analysis, file) {
            let stacks = state.project.stacks.iter().map(|s| &s.address);
            let dependencies = state.project.dependencies.iter().map(|d| &d.address);
            for instance in stacks.chain(dependencies) {
                // After the path of the module that this file is in.
                let key = instance
                    .split_once(address)
                    .and_then(|(_, rest)| rest.strip_prefix('['));
                let key = key.and_then(|rest| rest.split_once(']'));
                known.extend(key.map(|(key, _)| format!("[{key}]")));
            }
        }
        keys.extend(known.into_iter().take(MOST_INSTANCES));
        keys
    }

    /// What a stack in its place would order: the one with key `key`, of all `keys`. The block's own key represents all
    /// of its instances; if both ends have it, the first instance represents them.
    fn joins(&self, keys: &[String], address: impl Fn(&str) -> String, key: &str) -> Option<Joins> {
        let written = || keys.iter().filter(|key| !is_of_block(key));
        let own_loop = self
            .loops
            .filter(|own| self.other.as_ref().is_some_and(|o| o.contains(own)));
        let (other, others) = match (&self.other, own_loop) {
            (Some(other), Some(own)) => {
                let key = if is_of_block(key) {
                    written().next()?.as_str()
                } else {
                    key
                };
                (Some(other.replace(own, key)), vec![address(key)])
            }
            (other, _) if is_of_block(key) => (other.clone(), written().map(|key| address(key)).collect()),
            (other, _) => (other.clone(), vec![address(key)]),
        };
        (self.other_at.is_some() && !others.is_empty()).then(|| Joins {
            unit: other.filter(|_| self.is_one).map(Arc::from),
            others: others.into_iter().map(Arc::from).collect(),
            reversed: self.name == "stack_id",
            operation: Operation::Apply,
            // A dependency is written where its upstream is.
            place: self.other_at.filter(|_| self.name == "stack_id"),
        })
    }
}

/// Which stacks wait for which by other blocks of the same module, as they are written there.
struct Listed {
    /// The addresses of all stacks.
    stacks: BTreeSet<String>,
    /// The one that waits, and the one it waits for.
    pairs: BTreeSet<(String, String)>,
}

impl Listed {
    fn new(analysis: &dyn View, file: FileId, argument: &Argument) -> Self {
        let mut listed = Self {
            stacks: BTreeSet::new(),
            pairs: BTreeSet::new(),
        };
        let dir = analysis.path(file).parent();
        for state in states(analysis, file) {
            let project = &state.project;
            let in_module = |address: &str| {
                let (_, of_module) = address.split_at(address.rfind("spacelift_stack.").unwrap_or(0));
                of_module.to_owned()
            };
            listed
                .stacks
                .extend(project.stacks.iter().map(|s| in_module(&s.address)));
            for dependency in &project.dependencies {
                let at = dependency.header.file;
                let is_own = at == file && dependency.resource.ends_with(&argument.own);
                let module = dependency.address.rfind("spacelift_stack_dependency.");
                let module = module.and_then(|at| dependency.address.get(..at));
                let (Some((stack, upstream)), Some(module), false) = (dependency.edge(), module, is_own)
                else {
                    continue;
                };
                let ends = [stack, upstream].map(|number| {
                    let stack = project.stacks.get(number as usize)?;
                    Some(stack.address.strip_prefix(module)?.to_owned())
                });
                if let [Some(stack), Some(upstream)] = ends
                    && analysis.path(at).parent() == dir
                {
                    listed.pairs.insert((stack, upstream));
                }
            }
        }
        listed
    }

    /// Whether all that a stack in the place of an argument would order is ordered by another block.
    fn has(&self, argument: &Argument, address: &str) -> bool {
        let Some(other) = &argument.other else {
            return false;
        };
        let pair = |other: String, address: String| match argument.name.as_str() {
            "stack_id" => (address, other),
            _ => (other, address),
        };
        let each = argument.loops.and_then(|own| {
            let pattern = [other.as_str(), address]
                .into_iter()
                .find(|text| text.contains(own))?;
            Some((own, pattern.split_once(own)?))
        });
        let Some((own, (before, behind))) = each else {
            return self.pairs.contains(&pair(other.clone(), address.to_owned()));
        };
        let keys = self.stacks.iter().filter_map(|stack| {
            let key = stack.strip_prefix(before)?.strip_suffix(behind)?;
            key.starts_with('[').then_some(key)
        });
        let mut pairs = keys.map(|key| pair(other.replace(own, key), address.replace(own, key)));
        let first = pairs.next();
        first.is_some_and(|first| self.pairs.contains(&first) && pairs.all(|pair| self.pairs.contains(&pair)))
    }
}

/// The stack that an id is written of, with a key that is written or that of the block.
fn stack_of(id: &str, own: Option<&str>) -> Option<String> {
    let address = id.trim().strip_suffix(".id")?;
    let (name, key) = address.split_once('[').map_or((address, ""), |(name, _)| {
        (name, address.get(name.len()..).unwrap_or(""))
    });
    let inside = key.strip_prefix('[').and_then(|key| key.strip_suffix(']'));
    let is_text = |key: &str| {
        let text = key.strip_prefix('"').and_then(|key| key.strip_suffix('"'));
        text.is_some_and(|text| !text.contains(['"', '$', '%', '\\']))
    };
    let is_written = inside.is_some_and(|key| is_text(key) || key.parse::<u64>().is_ok());
    let fits = key.is_empty() || Some(key) == own || is_written;
    (fits && !name.contains(['(', '"', '$', ' '])).then(|| address.to_owned())
}

/// The argument at an offset: by the tree, or by the line if it has no value yet.
fn argument_at(text: &str, offset: u32) -> Option<Argument> {
    let before = text.get(..offset as usize)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.get(line_start..)?;
    // Only in a block of Spacelift's.
    let tree = hcl::parse(text);
    let path = tree.node_at(offset);
    let block = path.iter().find_map(|node| match node {
        NodeRef::Block(block) => Some(*block),
        _ => None,
    });
    let block = block.or_else(|| tree.unclosed_block(text, offset))?;
    let (name, typed) = match line.split_once('=') {
        Some((name, value)) => (name.trim().to_owned(), value.trim_start()),
        // A list on several lines.
        None => {
            let list = block
                .body()
                .attribute("depends_on")
                .filter(|a| a.span().touches(offset))?;
            (list.name().to_owned(), line)
        }
    };
    let typed = match name.as_str() {
        "depends_on" => typed.rsplit(['[', ',']).next().unwrap_or_default().trim_start(),
        _ => typed,
    };
    let is_quoted = typed.starts_with('"');
    let typed = typed.strip_prefix('"').unwrap_or(typed);
    // A key in quotes is part of an address.
    let is_word =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']') || c == '"' && !is_quoted;
    if !hcl::is_identifier(&name) || !typed.chars().all(is_word) {
        return None;
    }
    let start = before.len() - typed.len();
    let rest = text.get(offset as usize..)?;
    let tail = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    let labels: Vec<&str> = block.labels().map(|l| l.text).collect();
    let is_own = labels.first().is_some_and(|ty| ty.starts_with("spacelift_"));
    let loops = [("for_each", EACH), ("count", COUNT)];
    let loops = loops
        .iter()
        .find(|(name, _)| block.body().attribute(name).is_some());
    let other = match name.as_str() {
        "stack_id" => Some("depends_on_stack_id"),
        "depends_on_stack_id" => Some("stack_id"),
        _ => None,
    };
    let other_at = other.and_then(|other| Some(block.body().attribute(other)?.value().span()));
    // An id in quotes would be a text.
    let fits = !is_quoted || matches!(name.as_str(), "output_name" | "input_name");
    (is_own && fits).then(|| Argument {
        own: labels.join("."),
        loops: loops.map(|(_, key)| *key),
        is_quoted,
        name,
        is_one: false,
        other_at,
        other: other_at.and_then(|at| stack_of(at.slice(text), loops.map(|(_, key)| *key))),
        span: Span::from_usize(start, before.len() + tail),
    })
}
