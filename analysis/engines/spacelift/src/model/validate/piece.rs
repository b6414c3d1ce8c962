//! What is wrong in a module whatever the values are: computed once, and again only if its inputs change.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::memo::{Fingerprint, Mix};
use rustc_hash::FxHashSet;

use super::super::Argument;
use super::super::arguments::{self, Left};
use super::super::fault::{Fault, FaultKind};
use super::super::module::{Module, Spot};
use super::super::world::World;
use super::{Absent, Declared, Validate, walk};

/// See the module. Places are entries of tables, so that they stay valid while the shapes of the files do.
pub(in super::super) struct Validated {
    pub(in super::super) arguments: Vec<Argument>,
    /// What is left to check in the instances of its resources.
    pub(in super::super) left: Vec<Left>,
    faults: Vec<Fault>,
    open: Option<(Spot, String)>,
    open_plan: Option<(Spot, String)>,
    /// The steps that were taken.
    steps: u64,
}

/// What one module is validated from.
#[derive(PartialEq, Eq, Hash)]
struct Key(Fingerprint);

/// Validates the root and all modules that calls lead to; what is found in expressions is recorded in the world.
pub(in super::super) fn modules(
    world: &World<'_>,
    place: &dyn Fn(Spot) -> Place,
) -> BTreeMap<usize, Arc<Validated>> {
    let table = world.cx.memo().table::<Key, Validated>();
    let interfaces: Vec<Fingerprint> = world.modules.iter().map(|m| interface(world, m)).collect();
    let everything = LazyCell::new(|| everything(world));
    let mut all = BTreeMap::new();
    for (number, (path, own)) in paths(world).into_iter().zip(&world.modules).enumerate() {
        let Some(path) = path else { continue };
        let key = Key(key(world, number, &path, own, &interfaces, &everything));
        let known = table.find(&key);
        let validated = match known.filter(|known| world.budget.left() >= known.steps) {
            Some(known) => {
                let _ = world.budget.spend(known.steps);
                known
            }
            None => {
                // The key does not contain the texts that functions read.
                let read_before = world.read.take();
                let made = validate(world, number, path, own, place);
                let is_whole = world.read.borrow().is_empty() && !world.budget.is_exhausted();
                world.read.borrow_mut().extend(read_before);
                if is_whole {
                    table.get(key, || made)
                } else {
                    Arc::new(made)
                }
            }
        };
        world.add_faults(&validated.faults);
        if let Some((spot, why)) = &validated.open {
            world.leave_open(*spot, why);
        }
        if let Some((spot, why)) = &validated.open_plan {
            world.leave_values_open_at(*spot, why);
        }
        all.insert(number, validated);
    }
    all
}

fn validate<'a>(
    world: &World<'a>,
    number: usize,
    path: Arc<str>,
    own: &Module<'a>,
    place: &dyn Fn(Spot) -> Place,
) -> Validated {
    let before = world.budget.left();
    let of = |absent| {
        let validate = Validate::new(world, number, path.clone(), absent);
        let (mut arguments, left) = arguments::declared(&validate, own, place);
        arguments.extend(walk::walk(&validate, place));
        let validated = Validated {
            arguments,
            left,
            faults: validate.faults.take(),
            open: validate.open.take(),
            open_plan: validate.open_plan.take(),
            steps: 0,
        };
        (validated, validate.asks_absent.get())
    };
    let (mut validated, asks_absent) = of(Absent::Perhaps);
    // It is only likely that a file does not exist, just as that a variable has its default: if nothing more is wrong
    // without the file, it does not leave the verdict open.
    if asks_absent && validated.open.is_some() && validated.says_no_less_than(&of(Absent::Surely).0) {
        validated.open = None;
    }
    validated.steps = before - world.budget.left();
    validated
}

impl Validated {
    /// Whether another result is not open and reports nothing that this one does not report.
    fn says_no_less_than(&self, other: &Self) -> bool {
        let arguments: FxHashSet<_> = self.arguments.iter().map(of_argument).collect();
        let faults: FxHashSet<_> = self.faults.iter().map(of_fault).collect();
        other.open.is_none()
            && other
                .arguments
                .iter()
                .all(|own| arguments.contains(&of_argument(own)))
            && other.faults.iter().all(|own| faults.contains(&of_fault(own)))
    }
}

fn of_argument(argument: &Argument) -> (Place, &str, &str) {
    (argument.place, &argument.resource, &argument.name)
}

fn of_fault(fault: &Fault) -> (Spot, FaultKind, &str) {
    (fault.spot, fault.text.kind, &fault.text.subject)
}

/// Everything that a module is validated from, except for the texts that functions read.
fn key(
    world: &World<'_>,
    number: usize,
    path: &str,
    own: &Module<'_>,
    interfaces: &[Fingerprint],
    everything: &LazyCell<Fingerprint, impl FnOnce() -> Fingerprint>,
) -> Fingerprint {
    let mut mix = Mix::default();
    mix.add(&(world.cx.world(), number, path, own.has_gap));
    mix.add(&(world.knows_provider(), world.is_tofu(), world.lacks_implied()));
    mix.add(&world.providers_of(number).map(Declared::names_given));
    for file in &own.files {
        if let Some(source) = world.sources.get(*file) {
            mix.add(&(file, source.id, source.facts.signature()));
        }
    }
    for call in &own.calls {
        let called = world.called_module(number, call);
        mix.add(&called.map(|called| (called, interfaces.get(called))));
        if let Some(providers) = called.and_then(|called| world.providers_of(called)) {
            mix.add(&(providers.configures, &providers.passes_on));
        }
    }
    if has_import(world, own) {
        // The target of an import may be in any called module.
        mix.add(&**everything);
    }
    mix.finish()
}

/// Everything that modules are read from, and which modules calls refer to.
fn everything(world: &World<'_>) -> Fingerprint {
    let mut mix = Mix::default();
    for source in world.sources {
        mix.add(&source.facts.signature());
    }
    for module in &world.loaded.modules {
        mix.add(&module.calls);
    }
    mix.finish()
}

fn has_import(world: &World<'_>, module: &Module<'_>) -> bool {
    let mut sources = module.files.iter().filter_map(|file| world.sources.get(*file));
    sources.any(|source| source.facts.tree.body().blocks().any(|b| b.kind() == "import"))
}

/// What callers see of a module.
fn interface(world: &World<'_>, module: &Module<'_>) -> Fingerprint {
    let mut mix = Mix::default();
    mix.add(&module.has_gap);
    for source in module.files.iter().filter_map(|file| world.sources.get(*file)) {
        mix.add(&source.facts.interface());
    }
    mix.finish()
}

/// The first path that leads to each module.
fn paths(world: &World<'_>) -> Vec<Option<Arc<str>>> {
    let mut paths: Vec<Option<Arc<str>>> = vec![None; world.modules.len()];
    if let Some(root) = paths.first_mut() {
        *root = Some("".into());
    }
    let mut open = vec![0];
    let mut next = 0;
    while let Some(module) = open.get(next).copied() {
        next += 1;
        let Some(own) = world.modules.get(module) else {
            continue;
        };
        let path = paths.get(module).cloned().flatten().unwrap_or_default();
        for call in &own.calls {
            let Some(to) = world.called_module(module, call) else {
                continue;
            };
            if let Some(known @ None) = paths.get_mut(to) {
                *known = Some(format!("{path}module.{}.", call.name()).into());
                open.push(to);
            }
        }
    }
    // The same path as in findings on instances.
    for inst in world.insts.borrow().iter().rev() {
        if let Some(path) = paths.get_mut(inst.module) {
            *path = Some(inst.path.clone());
        }
    }
    paths
}
