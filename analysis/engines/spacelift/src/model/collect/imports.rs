//! `import` and what exists already: Terraform checks that when it plans.

use std::collections::BTreeSet;

use applyorder_syntax::hcl::eval::{Marks, Value};
use applyorder_syntax::hcl::{Block, Expr};

use super::super::Argument;
use super::super::key::Key;
use super::super::module::written;
use super::super::validate::{MOST_ENTRIES, entries_of};
use super::super::world::{Each, InstIx, World};
use super::super::written_address::{self, Address, Keys};
use super::moves::{Statement, exists, name, wrong};

/// What is wrong with the imports of the root. The first unknown one is noted in the world.
pub(super) fn check(world: &World<'_>) -> Vec<Argument> {
    let Some(root) = world.modules.first() else {
        return Vec::new();
    };
    let files = root.files.iter().filter(|file| !root.overriding.contains(file));
    let mut told = BTreeSet::new();
    let mut found = Vec::new();
    for file in files {
        let Some(source) = world.sources.get(*file) else {
            continue;
        };
        let blocks = source.facts.tree.body().blocks();
        let imports = blocks.filter(|block| block.kind() == "import");
        found.extend(imports.filter_map(|block| imported(world, (block, *file))));
    }
    found.retain(|argument: &Argument| told.insert(argument.place));
    found
}

/// What may be referred to without waiting for a resource.
const PLAIN: &[&str] = &["count", "each", "path", "terraform", "tofu", "var"];

/// What is imported has to be known before anything is applied. Its target may be written when Terraform plans,
/// if it is configured to do so.
fn imported<'a>(world: &World<'a>, (block, file): Statement<'a>) -> Option<Argument> {
    let to = block.body().attribute("to")?.value();
    if world.is_tofu()
        && let Some(waits) = waiting(block, to)
    {
        let why = "whether what is imported waits for itself is not known";
        world.leave_values_open(written(waits.span(), file), why);
    }
    if let Some(undeclared) = undeclared(world, to) {
        world.leave_values_open(written(to.span(), file), &undeclared);
        return None;
    }
    let of_entry = |each: &Each| {
        let found = nowhere(world, (to, file), each);
        found.or_else(|| what_is_imported(world, (block, file), each))
    };
    let Some(by) = block.body().attribute("for_each").map(|by| by.value()) else {
        return of_entry(&Each::None);
    };
    let value = world.eval(0, &Each::None, by, file);
    let at = written(by.span(), file);
    if let Some(unknown) = value.as_unknown() {
        let why = format!("what is imported is not known: {}", unknown.why);
        world.leave_values_open(at, &why);
        return None;
    }
    let likely = value.heuristic;
    // What cannot be iterated over is reported elsewhere.
    let entries = entries_of(&value).unwrap_or_default();
    if entries.len() > MOST_ENTRIES {
        world.leave_values_open(at, "not all entries of the import are followed");
    }
    let mut all = entries.into_iter().take(MOST_ENTRIES);
    all.find_map(|(key, entry)| of_entry(&Each::Item(key.likely(likely), entry.likely(likely))))
}

/// What of an `import` refers to more than its target and [`PLAIN`].
fn waiting<'a>(block: Block<'a>, to: Expr<'a>) -> Option<Expr<'a>> {
    let values = ["id", "for_each", "to"].map(|name| block.body().attribute(name).map(|a| a.value()));
    let start = to.span().start;
    values.into_iter().flatten().find(|value| {
        let mut names = value.free_names().into_iter();
        names.any(|(name, span)| !PLAIN.contains(&name) && span.start != start)
    })
}

/// Why nothing is imported to a resource of the root that is not declared.
fn undeclared(world: &World<'_>, to: Expr<'_>) -> Option<String> {
    let address = written_address::read(to, Keys::Any, world.is_tofu()).ok()?;
    let own = address.resource.as_ref().filter(|_| address.calls.is_empty())?;
    let module = world.modules.first().filter(|module| !module.has_gap)?;
    let is_declared =
        own.sort.is_some() && !world.is_tofu() || module.resource(false, own.ty, own.name).is_some();
    (!is_declared).then(|| {
        format!(
            "`{}.{}` is not declared, and nothing is imported to it",
            own.ty, own.name
        )
    })
}

/// The address that an expression of a module instance is, and whether a key in it is only likely; the error says why a key
/// is unknown.
pub(super) fn target<'a>(
    world: &World<'a>,
    inst: InstIx,
    (to, file): (Expr<'a>, usize),
    each: &Each,
) -> Option<Result<(Address<'a>, bool), String>> {
    let mut unknown = None;
    let mut is_likely = false;
    let address = written_address::read_with(to, (Keys::Any, world.is_tofu()), &mut |key| {
        let value = world.eval(inst, each, key, file);
        is_likely |= value.has_heuristic();
        let key = Key::of_address(&value);
        if key.is_none() {
            let why = value.as_unknown().map(|unknown| unknown.why.to_string());
            unknown = Some(why.unwrap_or_else(|| "a key has no value".to_owned()));
        }
        key
    });
    let address = address.ok()?;
    Some(match unknown {
        Some(why) => Err(why),
        None => Ok((address, is_likely)),
    })
}

/// An instance that is imported to and is not there, of a resource that is declared: nothing is written for that.
fn nowhere<'a>(world: &World<'a>, (to, file): (Expr<'a>, usize), each: &Each) -> Option<Argument> {
    let at = written(to.span(), file);
    let (address, is_likely_key) = match target(world, 0, (to, file), each)? {
        Ok(found) => found,
        Err(why) => {
            world.leave_values_open(at, &format!("what is imported to is not known: {why}"));
            return None;
        }
    };
    let own = address.resource.as_ref().filter(|own| own.sort.is_none())?;
    let mut number = 0;
    for (call, _) in &address.calls {
        let module = world.modules.get(number)?;
        let call = module.call(call).and_then(|at| module.calls.get(at))?;
        number = world.called_module(number, call)?;
    }
    world.modules.get(number)?.resource(false, own.ty, own.name)?;
    match exists(world, 0, &address, true) {
        Ok((true, _)) => None,
        Ok((false, is_likely)) => {
            let why = format!("instance `{}` does not exist", name(&address));
            Some(wrong(
                world,
                ["import", "to"],
                at,
                why,
                is_likely || is_likely_key,
            ))
        }
        Err(why) => {
            let why = format!("whether `{}` exists is not known: {why}", name(&address));
            world.leave_values_open(at, &why);
            None
        }
    }
}

fn what_is_imported<'a>(world: &World<'a>, (block, file): Statement<'a>, each: &Each) -> Option<Argument> {
    let id = block.body().attribute("id")?.value();
    let value = world.eval(0, each, id, file);
    if let Some(unknown) = value.as_unknown() {
        let why = format!("whether what is imported is known is not known: {}", unknown.why);
        world.leave_values_open(written(id.span(), file), &why);
    }
    if world.is_tofu() {
        let is_secret = value.marks.has(Marks::SENSITIVE);
        let why = match value.is_null() {
            true => Some("it must not be null"),
            false => is_secret.then_some("it must not be sensitive"),
        };
        if let Some(why) = why {
            let (at, is_likely) = (written(id.span(), file), value.has_heuristic());
            return Some(wrong(world, ["import", "id"], at, why.to_owned(), is_likely));
        }
    }
    misshapen(world, (block, file), id, &value)
}

/// An id in which parts are missing. What is in the state already is not imported again, so that this is only likely.
///
/// Source: the importers of terraform-provider-spacelift.
fn misshapen<'a>(
    world: &World<'a>,
    (block, file): Statement<'a>,
    id: Expr<'a>,
    value: &Value,
) -> Option<Argument> {
    let address =
        written_address::read(block.body().attribute("to")?.value(), Keys::Any, world.is_tofu()).ok()?;
    let (parts, shape) = match address.resource?.ty {
        "spacelift_stack_dependency" => (2, "STACK/UPSTREAM-STACK"),
        "spacelift_stack_dependency_reference" => (3, "STACK/UPSTREAM-STACK/INPUT-NAME"),
        _ => return None,
    };
    let has_parts = value.as_str()?.split('/').count() >= parts;
    let why = format!("expected an id as in `{shape}`");
    (!has_parts).then(|| wrong(world, ["import", "id"], written(id.span(), file), why, true))
}

#[cfg(test)]
mod tests {
    use crate::tests::moved_or_imported as plan;

    #[test]
    fn what_is_imported_has_to_be_known() {
        let import = |id: &str| format!("import {{\n  to = spacelift_stack.a\n  id = {id}\n}}\n");
        assert_eq!(plan(&import("\"a\"")).0, Some(true));
        // Terraform may be configured to write the target of an import.
        let nowhere = import("\"a\"").replace("stack.a", "stack.nowhere");
        assert_eq!(plan(&nowhere).0, None);
        assert_eq!(plan(&import("terraform_data.many[\"k\"].id")).0, None);
        for (to, is_there) in [
            ("terraform_data.many[\"k\"]", true),
            ("terraform_data.many[\"l\"]", false),
            ("module.m.spacelift_stack.in", true),
            ("module.m[0].spacelift_stack.in", false),
        ] {
            let (ok, found) = plan(&import("\"a\"").replace("spacelift_stack.a", to));
            assert_eq!(
                (ok, found.len()),
                (Some(is_there), usize::from(!is_there)),
                "{to}: {found:?}"
            );
        }
    }

    #[test]
    fn an_id_has_the_parts_that_its_provider_takes_apart() {
        let of = |ty: &str, to: &str, id: &str| {
            let text = format!("import {{\n  to = {ty}.{to}\n  id = {id}\n}}\n");
            plan(
                &(text
                    + "resource \"spacelift_stack_dependency_reference\" \"r\" {\n  stack_dependency_id = \
                   spacelift_stack_dependency.d.id\n  output_name = \"o\"\n  input_name = \"TF_VAR_i\"\n}\n"),
            )
        };
        let dependency = |id: &str| of("spacelift_stack_dependency", "d", id);
        let reference = |id: &str| of("spacelift_stack_dependency_reference", "r", id);
        assert_eq!(dependency("\"a/b\""), (Some(true), vec![]));
        assert_eq!(reference("\"a/b/c\""), (Some(true), vec![]));
        assert_eq!(of("spacelift_stack", "a", "\"a\""), (Some(true), vec![]));
        // What is in the state already is not imported.
        let said = "`id` of `import`: expected an id as in `STACK/UPSTREAM-STACK";
        assert_eq!(dependency("\"a\""), (None, vec![format!("{said}`")]));
        assert_eq!(dependency("join(\"-\", [\"a\", \"b\"])").0, None);
        assert_eq!(reference("\"a/b\""), (None, vec![format!("{said}/INPUT-NAME`")]));
    }
}
