//! `moved` and `removed` and what exists already: Terraform checks that when it plans.
//!
//! Source: Terraform 1.11, `refactoring.ValidateMoves` and `validateRemoveStatements`.

use std::collections::{BTreeMap, BTreeSet};

use applyorder_syntax::hcl::Block;
use applyorder_syntax::hcl::eval::Place as Written;

use super::super::key::Key;
use super::super::module::written;
use super::super::world::{Expansion, InstIx, World};
use super::super::written_address::{self, Address, Keys};
use super::super::{Argument, Wrong};

/// Whether there is something, and whether that is only likely; the error says why it is unknown.
pub(super) type Found = Result<(bool, bool), &'static str>;

/// Why what a module holds is unknown.
const UNREAD: &str = "the module cannot be read";

/// Where a move is wrong.
pub(super) const MOVED: [&str; 2] = ["moved", "from"];

/// A statement of a file: its block, and the number of the file.
pub(super) type Statement<'a> = (Block<'a>, usize);

/// What is wrong with the statements of all modules. The first unknown one is noted in the world.
pub(super) fn check(world: &World<'_>) -> Vec<Argument> {
    let mut found: Vec<Argument> = Vec::new();
    let mut moves = Moves::default();
    let count = world.insts.borrow().len();
    for inst in 0..count {
        let Some(module) = world.module(inst) else {
            continue;
        };
        for file in &module.files {
            let Some(source) = world.sources.get(*file) else {
                continue;
            };
            if module.overriding.contains(file) {
                // They are rejected there, or ignored.
                continue;
            }
            for block in source.facts.tree.body().blocks() {
                let statement = (block, *file);
                match block.kind() {
                    "moved" => found.extend(moves.add(world, inst, statement)),
                    "removed" => found.extend(removed(world, inst, statement)),
                    _ => {}
                }
            }
        }
    }
    // The same in one instance of a module is enough.
    let mut told = BTreeSet::new();
    found.retain(|argument| told.insert(argument.place));
    found
}

/// The moves of all module instances, by where they move from and by where to.
#[derive(Default)]
struct Moves {
    to: BTreeMap<End, Other>,
    from: BTreeMap<End, Other>,
}

/// The other end of a move, and whether it is only likely that there is its module.
type Other = (String, bool);

/// Whether an end of a move is an instance, and its address.
type End = (bool, String);

impl Moves {
    fn add(&mut self, world: &World<'_>, inst: InstIx, (block, file): Statement<'_>) -> Option<Argument> {
        let end = |name: &str| {
            let expr = block.body().attribute(name)?.value();
            Some((
                expr,
                written_address::read(expr, Keys::Constant, world.is_tofu()).ok()?,
            ))
        };
        let ((expr, from), (_, to)) = (end("from")?, end("to")?);
        let at = written(expr.span(), file);
        // Where one end has a key, both mean an instance.
        let is_instance = own_key(&from) != Key::None || own_key(&to) != Key::None;
        let (source, target) = (name(&from), name(&to));
        let why = if source == target {
            Some((format!("`{source}` is moved to itself"), false))
        } else {
            let exists = exists(world, inst, &from, is_instance);
            let known = exists.unwrap_or_else(|why| {
                world.leave_values_open(
                    at,
                    &format!("whether `{source}` is still there is not known: {why}"),
                );
                (false, false)
            });
            let own = world.inst(inst);
            let [absolute, other] = [&source, &target].map(|name| format!("{}{name}", own.path));
            // Whether it is only likely; `None` if it is not the case.
            let differs = |known: &mut BTreeMap<End, Other>, end: &String, other: &String| {
                let entry = known.entry((is_instance, end.clone()));
                let (first, is_likely) = entry.or_insert_with(|| (other.clone(), own.heuristic));
                (first != other).then_some(*is_likely || own.heuristic)
            };
            let by_source = differs(&mut self.to, &absolute, &other);
            let by_target = differs(&mut self.from, &other, &absolute);
            let ambiguous = [by_source, by_target].into_iter().flatten().min();
            match (known, ambiguous) {
                ((true, likely), _) => Some((format!("`{source}` is still declared"), likely)),
                (_, Some(likely)) => Some(("another `moved` says otherwise".to_owned(), likely)),
                _ => None,
            }
        };
        let (why, is_likely) = why?;
        Some(wrong(world, MOVED, at, why, is_likely))
    }
}

/// The key at the end of an address.
pub(super) fn own_key(address: &Address<'_>) -> Key {
    match &address.resource {
        Some(own) => own.key.clone().unwrap_or(Key::None),
        None => address.calls.last().map_or(Key::None, |(_, key)| key.clone()),
    }
}

/// An address as text.
pub(super) fn name(address: &Address<'_>) -> String {
    address.to_string().trim_end_matches('.').to_owned()
}

/// Whether there is what an address in a module instance names.
pub(super) fn exists(world: &World<'_>, inst: InstIx, address: &Address<'_>, is_instance: bool) -> Found {
    let mut inst = inst;
    let mut is_likely = world.inst(inst).heuristic;
    let last = address
        .calls
        .len()
        .checked_sub(usize::from(address.resource.is_none()));
    for (step, (name, key)) in address.calls.iter().enumerate() {
        let module = world.module(inst).ok_or(UNREAD)?;
        let Some(number) = module.call(name) else {
            return missing(module.has_gap);
        };
        let is_end = Some(step) == last;
        if is_end && !is_instance {
            return Ok((true, is_likely));
        }
        let calls = world.calls(inst, number);
        is_likely |= calls.expansion.is_heuristic();
        let at = match instance(&calls.expansion, key)? {
            Some(at) => at,
            None => return Ok((false, is_likely)),
        };
        if is_end {
            return Ok((true, is_likely));
        }
        inst = *calls.insts.get(at).ok_or(UNREAD)?;
    }
    let Some(own) = address.resource.as_ref().filter(|own| own.sort.is_none()) else {
        return Ok((false, false));
    };
    let module = world.module(inst).ok_or(UNREAD)?;
    let Some(number) = module.resource(false, own.ty, own.name) else {
        return missing(module.has_gap);
    };
    if !is_instance {
        return Ok((true, is_likely));
    }
    let expansion = world.expansion(inst, number);
    let key = own.key.as_ref().unwrap_or(&Key::None);
    let found = instance(&expansion, key)?;
    Ok((found.is_some(), is_likely || expansion.is_heuristic()))
}

fn missing(has_gap: bool) -> Found {
    if has_gap { Err(UNREAD) } else { Ok((false, false)) }
}

/// The number of the instance that a key names; the error says why it is unknown.
fn instance(expansion: &Expansion, key: &Key) -> Result<Option<usize>, &'static str> {
    match expansion {
        Expansion::Single => Ok((*key == Key::None).then_some(0)),
        Expansion::Known { by_key, .. } => Ok(by_key.get(key).copied()),
        Expansion::Unknown { .. } if *key == Key::None => Ok(None),
        Expansion::Unknown { .. } => Err("which instances there are is unknown"),
    }
}

/// Checks whether the object of a `removed` block is still declared. Which instances exist does not matter.
fn removed(world: &World<'_>, inst: InstIx, (block, file): Statement<'_>) -> Option<Argument> {
    let expr = block.body().attribute("from")?.value();
    let address = written_address::read(expr, Keys::None, world.is_tofu()).ok()?;
    let at = written(expr.span(), file);
    let mut number = world.inst(inst).module;
    for (call, _) in &address.calls {
        let module = world.modules.get(number)?;
        let Some(call) = module.call(call).and_then(|at| module.calls.get(at)) else {
            if module.has_gap {
                world.leave_values_open(at, UNREAD);
            }
            return None;
        };
        let Some(called) = world.called_module(number, call) else {
            world.leave_values_open(at, UNREAD);
            return None;
        };
        number = called;
    }
    if let Some(own) = &address.resource {
        let module = world.modules.get(number)?;
        if module.resource(false, own.ty, own.name).is_none() {
            if module.has_gap {
                world.leave_values_open(at, UNREAD);
            }
            return None;
        }
    }
    let why = format!("`{}` is still declared", name(&address));
    Some(wrong(world, ["removed", "from"], at, why, false))
}

/// What is wrong with an argument of a block of some kind.
pub(super) fn wrong(
    world: &World<'_>,
    [kind, name]: [&str; 2],
    at: Written,
    why: String,
    is_likely: bool,
) -> Argument {
    let place = super::place_of(world, world.spot(at));
    Argument::of_values(kind, name, place, Wrong::Condition(why), is_likely)
}

#[cfg(test)]
mod tests {
    use crate::tests::moved_or_imported as plan;

    fn moved(from: &str, to: &str) -> String {
        format!("moved {{\n  from = {from}\n  to   = {to}\n}}\n")
    }

    /// What Terraform 1.11.4 says.
    #[test]
    fn what_is_moved_must_not_be_there_any_more() {
        let gone = "`from` of `moved`: ";
        for (from, to, said) in [
            ("spacelift_stack.old", "spacelift_stack.a", ""),
            (
                "spacelift_stack.a",
                "spacelift_stack.new",
                "`spacelift_stack.a` is still declared",
            ),
            (
                "spacelift_stack.a",
                "spacelift_stack.a",
                "`spacelift_stack.a` is moved to itself",
            ),
            ("spacelift_stack.a[0]", "spacelift_stack.a", ""),
            (
                "spacelift_stack.a",
                "spacelift_stack.new[0]",
                "`spacelift_stack.a` is still declared",
            ),
            (
                "terraform_data.many[\"k\"]",
                "terraform_data.new",
                "`terraform_data.many[\"k\"]` is still declared",
            ),
            ("terraform_data.many", "terraform_data.many[\"k\"]", ""),
            ("terraform_data.many[\"l\"]", "terraform_data.many[\"k\"]", ""),
            (
                "module.m.spacelift_stack.in",
                "spacelift_stack.in",
                "`module.m.spacelift_stack.in` is still declared",
            ),
            ("module.m.spacelift_stack.out", "spacelift_stack.out", ""),
            ("module.old", "module.m", ""),
            ("module.m", "module.new", "`module.m` is still declared"),
        ] {
            let (ok, found) = plan(&moved(from, to));
            let expected: Vec<String> = (!said.is_empty())
                .then(|| format!("{gone}{said}"))
                .into_iter()
                .collect();
            assert_eq!((ok, found), (Some(said.is_empty()), expected), "{from} {to}");
        }
        let two = moved("spacelift_stack.x", "spacelift_stack.a")
            + &moved("spacelift_stack.x", "spacelift_stack.b");
        assert_eq!(
            plan(&two).1,
            ["`from` of `moved`: another `moved` says otherwise"]
        );
        let ring = moved("spacelift_stack.x", "spacelift_stack.y")
            + &moved("spacelift_stack.y", "spacelift_stack.x");
        let in_ring = |from: &str, to: &str| {
            format!(
                "{gone}the move from `spacelift_stack.{from}` to `spacelift_stack.{to}` is part of a cycle of moves"
            )
        };
        assert_eq!(
            plan(&ring),
            (Some(false), vec![in_ring("x", "y"), in_ring("y", "x")])
        );
        // What leads into a cycle is not in it, and another mistake is reported first.
        let led = moved("spacelift_stack.w", "spacelift_stack.x") + &ring;
        let (ok, found) = plan(&led);
        assert_eq!((ok, found.len()), (Some(false), 1), "{found:?}");
        let self_moved = ring.clone() + &moved("spacelift_stack.z", "spacelift_stack.z");
        assert_eq!(
            plan(&self_moved).1,
            [format!("{gone}`spacelift_stack.z` is moved to itself")]
        );
        let chain = moved("spacelift_stack.x", "spacelift_stack.y")
            + &moved("spacelift_stack.y", "spacelift_stack.a");
        assert_eq!(plan(&chain), (Some(true), vec![]));
    }

    #[test]
    fn what_is_removed_must_not_be_there_any_more() {
        let removed = |from: &str| format!("removed {{\n  from = {from}\n}}\n");
        for (from, is_there) in [
            ("spacelift_stack.gone", false),
            ("spacelift_stack.a", true),
            ("terraform_data.many", true),
            ("module.m", true),
            ("module.gone", false),
            ("module.m.spacelift_stack.in", true),
            ("module.m.spacelift_stack.out", false),
        ] {
            let (ok, found) = plan(&removed(from));
            assert_eq!(
                (ok, found.len()),
                (Some(!is_there), usize::from(is_there)),
                "{from}: {found:?}"
            );
        }
    }
}
