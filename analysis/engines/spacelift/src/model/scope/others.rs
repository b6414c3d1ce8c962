//! What the name of a resource of another provider means, with the attributes after it. Of `terraform_data` a plan
//! knows most.

use std::sync::Arc;

use applyorder_syntax::hcl::eval::{Known, Lookup, Step, StepKind, Traversal, Type, Unknown, Value};

use super::super::key::Key;
use super::super::module::Decl;
use super::super::world::{Expansion, Res};
use super::resources::{may_be_key, of_unknown_key};
use super::{Here, attr, together, unknown, value};
use crate::schema::DATA;

/// All instances of a resource of another provider together.
fn of_others_together(expansion: &Expansion, why: &str) -> Value {
    together(expansion, |_, _| Value::unknown(why))
}

impl Here<'_, '_> {
    /// The name of a resource of another provider, with what follows it: only its declared attributes and its
    /// instances' keys are known.
    pub(super) fn of_others(
        &self,
        traversal: &Traversal<'_>,
        number: usize,
        decl: &Decl<'_>,
        at: usize,
    ) -> Lookup {
        let why = match decl.is_data() {
            true => format!("`{}` is looked up when Terraform runs", decl.address()),
            false => format!("`{}` is known only once it is applied", decl.address()),
        };
        if let Some(StepKind::Index(given)) = traversal.steps.get(at).map(|step| &step.kind)
            && let expansion @ Expansion::Known { .. } = &*self.world.expansion(self.inst, number)
        {
            match self.key(expansion, given, decl) {
                Ok(None) if !may_be_key(given) || given.as_unknown().is_some_and(|key| key.is_read) => {
                    return of_unknown_key(given, traversal, at, || of_others_together(expansion, &why));
                }
                Ok(_) => {}
                Err(text) => return self.world.missing(text),
            }
        }
        if decl.is_data() {
            // `terraform validate` knows its attributes; what follows them is read.
            let steps = traversal.steps.iter().skip(at);
            let is_index = |step: &&Step<'_>| matches!(step.kind, StepKind::Index(_));
            let keys = steps.take(1).filter(is_index).count();
            let used = traversal.steps.len().min(at + keys + 1);
            return value(Value::unknown(&why).read(), used);
        }
        if let Some((found, used)) = self.of_terraform_data(traversal, number, decl, at, &why) {
            return value(found, used);
        }
        if traversal.steps.len() <= at
            && let expansion @ Expansion::Known { .. } = &*self.world.expansion(self.inst, number)
        {
            let all = together(expansion, |_, key| {
                let res = Res {
                    inst: self.inst,
                    decl: number,
                    key: key.clone(),
                };
                let whole = self.whole_terraform_data(&res, decl, &why);
                whole.unwrap_or_else(|| Value::unknown(&why))
            });
            return value(all, at);
        }
        unknown(why, traversal.steps.len())
    }

    /// An attribute of a `terraform_data`, and how many steps lead to it. When planning, Terraform knows the value of
    /// `input`, and the type of `output`.
    ///
    /// Source: Terraform 1.11, `planDataStoreResourceChange`.
    fn of_terraform_data(
        &self,
        traversal: &Traversal<'_>,
        number: usize,
        decl: &Decl<'_>,
        at: usize,
        why: &str,
    ) -> Option<(Value, usize)> {
        if decl.ty() != DATA || decl.has_gap {
            return None;
        }
        let expansion = self.world.expansion(self.inst, number);
        let (key, at) = match (&*expansion, traversal.steps.get(at).map(|step| &step.kind)) {
            (Expansion::Single, _) => (Key::None, at),
            (Expansion::Known { .. }, Some(StepKind::Index(given))) => {
                (self.key(&expansion, given, decl).ok()??.0, at + 1)
            }
            _ => return None,
        };
        let res = Res {
            inst: self.inst,
            decl: number,
            key,
        };
        let Some(name) = attr(traversal, at) else {
            let whole = self.whole_terraform_data(&res, decl, why)?;
            return Some((whole.likely(expansion.is_heuristic()), at));
        };
        let found = self.part_of_terraform_data(&res, decl, name, why)?;
        Some((found.likely(expansion.is_heuristic()), at + 1))
    }

    /// All of an instance of a `terraform_data`.
    fn whole_terraform_data(&self, res: &Res, decl: &Decl<'_>, why: &str) -> Option<Value> {
        if decl.ty() != DATA || decl.has_gap {
            return None;
        }
        let names = ["id", "input", "output", "triggers_replace"];
        let parts = names.map(|name| {
            let part = self.part_of_terraform_data(res, decl, name, why)?;
            Some((Arc::from(name), part))
        });
        Some(Value::object(parts.into_iter().collect::<Option<_>>()?))
    }

    /// The same for an attribute.
    fn part_of_terraform_data(&self, res: &Res, decl: &Decl<'_>, name: &str, why: &str) -> Option<Value> {
        let given = |name: &str| match decl.attr(name) {
            Some(_) => self.world.attribute(res, name),
            None => Some(Value::null()),
        };
        Some(match name {
            "input" | "triggers_replace" => self.created(decl, name, given(name)?),
            "output" => {
                let input = given("input")?;
                // What is secret in the input is not in what the provider makes of it.
                match input.is_null() || input.has_identity() {
                    true => self.created(decl, "input", input.without_marks()),
                    false => Value::from(Unknown::new(why, input.ty())),
                }
            }
            "id" => {
                let known = Known::NotNull;
                let id = Unknown::new(why, Type::String);
                Unknown { known, ..id }.into()
            }
            _ => return None,
        })
    }

    /// An attribute of the instance itself, if it is a `terraform_data`.
    pub(super) fn of_own_data(&self, res: &Res, decl: &Decl<'_>, name: &str) -> Option<Value> {
        if decl.ty() != DATA || decl.has_gap {
            return None;
        }
        let why = "what comes of the resource is not known";
        self.part_of_terraform_data(res, decl, name, why)
    }
}
