//! `replace_triggered_by` in a `lifecycle`: what it names must exist.
//!
//! Source: `EvaluateReplaceTriggeredBy` and `triggersExprToTraversal` of Terraform 1.11, which look at it when they plan an
//! instance.

use applyorder_syntax::hcl::eval::Place;
use applyorder_syntax::hcl::{Expr, ExprKind};

use super::super::fault::{FaultKind, FaultText};
use super::super::key::Key;
use super::super::module::{Decl, written};
use super::super::world::{Each, InstIx, Res, World};
use super::super::written_address::Resource;
use super::imports::target;
use super::moves::{Found, exists, name};

/// The maximum number of instances of a resource of another provider that are distinguished.
pub(super) const MOST: usize = 100;

/// Checks that the instances that `replace_triggered_by` names exist: Terraform rejects others.
pub(super) fn triggers<'a>(world: &World<'a>, inst: InstIx, number: usize, decl: &Decl<'a>) {
    let lifecycle = decl.blocks.iter().filter(|inner| inner.word == "lifecycle");
    let named = lifecycle.filter_map(|inner| {
        let named = inner.block.body().attribute("replace_triggered_by")?;
        Some((named.value().entries()?, inner.header.file))
    });
    let named: Vec<_> = named.collect();
    if named.is_empty() || decl.has_gap {
        return;
    }
    for (key, each) in world.expansion(inst, number).instances().into_iter().take(MOST) {
        let res = Res {
            inst,
            decl: number,
            key,
        };
        for (entries, file) in &named {
            for entry in entries.iter() {
                world.ask_argument(&res, "lifecycle");
                trigger(world, inst, (entry, *file), &each);
            }
        }
    }
}

/// Checks that what an entry of `replace_triggered_by` names exists. Attributes after it are not checked.
fn trigger<'a>(world: &World<'a>, inst: InstIx, (entry, file): (Expr<'a>, usize), each: &Each) {
    let place = written(entry.span(), file);
    let Some((named, has_more)) = resource_in(entry) else {
        // In JSON it is written as a string.
        if entry.as_text().is_none() {
            let why = "Unexpected expression found in \"replace_triggered_by\".";
            world.fails(
                place,
                &FaultText::new(FaultKind::FailingExpression, why.to_owned()),
            );
        }
        return;
    };
    let not_known = |why: &str| {
        let why = format!("whether what replaces it exists is not known: {why}");
        world.leave_values_open(place, &why);
    };
    let (address, is_likely) = match target(world, inst, (named, file), each) {
        Some(Ok(found)) => found,
        Some(Err(why)) => return not_known(&why),
        None => return,
    };
    let Some(own) = address.resource.as_ref() else {
        return;
    };
    if own.sort.is_some() {
        return undeclared_data(world, inst, own, place);
    }
    // Without a key and attributes all instances are meant.
    let is_instance = has_more || own.key != Some(Key::None);
    let is_there = match exists(world, inst, &address, is_instance) {
        Ok((true, _)) if !is_instance => has_instances(world, inst, own),
        found => found,
    };
    match is_there {
        Ok((true, _)) => {}
        Ok((false, likely)) => {
            let named = name(&address);
            let text = match is_instance {
                true => FaultText::new(FaultKind::UnknownInstance, named),
                false => FaultText::new(
                    FaultKind::FailingExpression,
                    format!("`{named}` has no instances."),
                ),
            };
            world.fails(place, &text.likely(likely || is_likely));
        }
        Err(why) => not_known(why),
    }
}

/// Checks that a data source is declared.
fn undeclared_data(world: &World<'_>, inst: InstIx, own: &Resource<'_>, place: Place) {
    let module = world.module(inst).filter(|module| !module.has_gap);
    if own.sort == Some("data")
        && module.is_some_and(|module| module.resource(true, own.ty, own.name).is_none())
    {
        let why = format!("The data source `{}.{}` is not declared.", own.ty, own.name);
        world.fails(place, &FaultText::new(FaultKind::FailingExpression, why));
    }
}

/// Whether a resource has an instance; the error says why it is unknown.
fn has_instances(world: &World<'_>, inst: InstIx, own: &Resource<'_>) -> Found {
    let number = world
        .module(inst)
        .and_then(|module| module.resource(false, own.ty, own.name));
    let number = number.ok_or("it is not declared here")?;
    let expansion = world.expansion(inst, number);
    match expansion.is_unknown() {
        true => Err("which instances there are is unknown"),
        false => Ok((!expansion.instances().is_empty(), expansion.is_heuristic())),
    }
}

/// The part of an expression that names a resource, with its key, and whether attributes follow.
fn resource_in(entry: Expr<'_>) -> Option<(Expr<'_>, bool)> {
    let mut chain = vec![entry];
    let mut at = entry;
    let root = loop {
        at = match at.kind() {
            ExprKind::GetAttr { source, .. } | ExprKind::LegacyIndex { source, .. } => source,
            ExprKind::Index { source, key } if is_trigger_key(key) => source,
            ExprKind::Variable(root) => break root,
            _ => return None,
        };
        chain.push(at);
    };
    chain.reverse();
    let named = usize::from(matches!(root, "resource" | "data")) + 1;
    let is_key =
        |expr: &Expr<'_>| matches!(expr.kind(), ExprKind::Index { .. } | ExprKind::LegacyIndex { .. });
    let end = named + usize::from(chain.get(named + 1).is_some_and(is_key));
    Some((*chain.get(end)?, chain.len() > end + 1))
}

/// Whether a key in `replace_triggered_by` is a constant, `count.index` or `each.key`.
fn is_trigger_key(key: Expr<'_>) -> bool {
    let is_constant = matches!(
        key.kind(),
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Null
    );
    let names = key.as_names();
    is_constant
        || key.as_text().is_some()
        || matches!(names.as_deref(), Some(["count", "index"] | ["each", "key"]))
}
