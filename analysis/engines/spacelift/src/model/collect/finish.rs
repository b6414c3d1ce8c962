//! What is left to say once all blocks are read.

use applyorder_core::diagnostic::Place;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::fault::{Fault as Noted, FaultKind};
use super::super::module::Misdeclaration as Why;
use super::super::world::MAX_INSTANCES;
use super::super::{
    Dependency, End, Fault, Misdeclaration, Misdeclared, Model, NodeKind, Of, StackIx, Unresolved, arguments,
    statics, validate,
};
use super::{Collector, place_of};

impl Collector<'_, '_> {
    /// What was probably meant instead of what is reported, as source text.
    fn replacement(&self, fault: &Noted) -> Option<String> {
        let place = self.place(fault.spot);
        let span = self.world.cx.span(place)?;
        let (_, source) = self.world.cx.source(&self.world.cx.path(place.file)).ok()?;
        let text = span.slice(&source.text);
        let (word, near) = fault.text.near.as_ref()?;
        match fault.text.kind {
            FaultKind::MissingInstanceKey => {
                let names: Vec<&str> = text.splitn(3, '.').collect();
                match names.as_slice() {
                    [ty, name, rest] => Some(format!("{ty}.{name}{near}.{rest}")),
                    _ => None,
                }
            }
            FaultKind::UnexpectedInstanceKey => {
                let (start, end) = (text.find('[')?, text.find(']')? + 1);
                Some(format!("{}{}", text.get(..start)?, text.get(end..)?))
            }
            _ => {
                let at = text.rfind(word.as_str())?;
                Some(format!(
                    "{}{near}{}",
                    text.get(..at)?,
                    text.get(at + word.len()..)?
                ))
            }
        }
    }

    /// Drops stacks of which only the name is known and that have no edges.
    fn drop_unused(&mut self) {
        let model = &mut self.model;
        let mut used: FxHashSet<StackIx> = FxHashSet::default();
        for (from, to) in model.dependencies.iter().filter_map(Dependency::edge) {
            used.extend([from, to]);
        }
        let mut numbers: Vec<Option<StackIx>> = Vec::with_capacity(model.stacks.len());
        let mut next = 0;
        for (number, stack) in (0u32..).zip(&model.stacks) {
            let stays = stack.kind == NodeKind::Managed || used.contains(&number);
            numbers.push(stays.then_some(next));
            next += u32::from(stays);
        }
        if numbers.iter().all(Option::is_some) {
            return;
        }
        let renumbered = |stack: StackIx| numbers.get(stack as usize).copied().flatten();
        let mut at = numbers.iter();
        model.stacks.retain(|_| at.next().is_some_and(Option::is_some));
        let open = || End::Unknown("what the other id means is unknown".into());
        for dependency in &mut model.dependencies {
            for id in [&mut dependency.stack, &mut dependency.upstream] {
                if let End::Stack(stack) = id.end {
                    id.end = renumbered(stack).map_or_else(open, End::Stack);
                }
            }
        }
        for reference in &mut model.references {
            if let Of::Stack(stack) = reference.of {
                let why = "it is no id of a dependency";
                reference.of = renumbered(stack).map_or_else(|| Of::Unknown(why.into()), Of::Stack);
            }
        }
        for destructor in &mut model.destructors {
            destructor.stack = destructor.stack.and_then(renumbered);
        }
        model.variables.retain_mut(|variable| {
            let stack = renumbered(variable.stack);
            variable.stack = stack.unwrap_or_default();
            stack.is_some()
        });
    }

    /// Finds the blocks that declare only one dependency.
    fn count_blocks(&mut self) {
        let mut made: FxHashMap<Place, usize> = FxHashMap::default();
        for dependency in &self.model.dependencies {
            *made.entry(dependency.whole).or_default() += 1;
        }
        for dependency in &mut self.model.dependencies {
            let by_its_block = made.get(&dependency.whole);
            dependency.is_alone = dependency.address == dependency.resource && by_its_block == Some(&1);
        }
    }

    pub(super) fn finish(mut self) -> Model {
        self.drop_unused();
        self.count_blocks();
        let world = self.world;
        let place = |spot| place_of(world, spot);
        let validated = validate::modules(world, &place);
        // If two are equal, the first is reported: the one that `validate` also rejects.
        for validated in validated.values() {
            self.model.arguments.extend(validated.arguments.iter().cloned());
        }
        let values = arguments::values(world, &place, |module| {
            validated.get(&module).map_or(&[], |validated| &*validated.left)
        });
        self.model.arguments.extend(values);
        let is_exhausted = world.budget.is_exhausted();
        super::rest::evaluate(world);
        let not_met = super::conditions::check(world, &self.model.arguments);
        self.model.arguments.extend(not_met);
        let moved = super::moves::check(world);
        let in_cycles = super::move_cycles::check(world, &moved);
        self.model.arguments.extend(moved);
        self.model.arguments.extend(in_cycles);
        self.model.arguments.extend(super::imports::check(world));
        self.model.arguments.extend(super::provider_keys::check(world));
        let secrets = super::secrets::check(world, &self.model.arguments);
        self.model.arguments.extend(secrets);
        let faults = world.take_faults();
        let faults: Vec<Fault> = faults
            .into_iter()
            .map(|fault| Fault {
                replacement: self.replacement(&fault),
                kind: fault.text.kind,
                place: self.place(fault.spot),
                at: fault.at,
                static_at: fault.static_at,
                related: fault.text.related.map(|(spot, text)| (self.place(spot), text)),
                heuristic: fault.text.heuristic || (fault.reads_likely && !fault.is_static),
                is_static: fault.is_static,
                subject: fault.text.subject,
            })
            .collect();
        self.model.faults = faults;
        for module in &world.modules {
            for wrong in &module.misdeclared {
                self.model.misdeclared.push(Misdeclared {
                    subject: wrong.subject.as_str().into(),
                    word: wrong.word,
                    place: self.place(wrong.spot),
                    why: match wrong.why {
                        Why::Again { first } => Misdeclaration::Again(self.place(first)),
                        Why::NoBase => Misdeclaration::NoBase,
                        Why::DependsOn => Misdeclaration::DependsOn,
                        Why::NoOverride => Misdeclaration::NoOverride,
                    },
                });
            }
        }
        self.model
            .open_instances
            .append(&mut world.expanded_ahead.borrow_mut());
        self.model.ids = (self.asked.get(), self.known.get());
        let failed = world.failed.borrow_mut().take();
        self.model.failed = failed.map(|(spot, why)| (self.place(spot), why));
        let failed = world.failed_apply.borrow_mut().take();
        self.model.failed_apply = failed.map(|(spot, why)| (self.place(spot), why));
        for (spot, (at, why)) in world.unfollowed.take() {
            self.model.unresolved.push(Unresolved {
                at,
                place: self.place(spot),
                why: why.into(),
                is_given: false,
            });
        }
        let open = world.open.borrow_mut().take();
        self.model.open = open.map(|(spot, why)| (self.place(spot), why));
        self.model.statics = statics::build(&world.modules, world.loaded, &|spot| place_of(world, spot));
        for (own, loaded) in world.modules.iter().zip(&world.loaded.modules) {
            for call in &own.calls {
                let target = loaded.likely_called(call.name(), call.source);
                let place = call.attr("source").map(|attr| self.place(attr.value()));
                self.model.links.extend(place.zip(target));
            }
        }
        self.model.stacks.shrink_to_fit();
        self.model.dependencies.shrink_to_fit();
        self.model.repository.clone_from(&world.repository);
        self.model.is_handed_over = world.inputs.is_certain;
        let likely = world.loaded.modules.iter().filter(|module| module.is_likely);
        self.model.likely_files = likely.flat_map(|m| &m.files).map(|file| file.file).collect();
        self.model.values_faults.clone_from(&world.inputs.faults);
        self.model.rests_on = world.rests_on.borrow().iter().cloned().collect();
        self.model.read.extend(world.read.borrow().iter().cloned());
        if world.is_cut.get() {
            self.model.limits.push(format!(
                "there are more modules than are read, or more than {MAX_INSTANCES} instances: the rest is not analyzed"
            ));
        }
        if is_exhausted {
            self.model.limits.push(
                "the expressions take too many steps to evaluate: what is left is not analyzed".to_owned(),
            );
        }
        self.model
    }
}
