//! What `terraform validate` knows of a value: of locals what they say, of variables and resources the type at most.
//!
//! Source: the validate walk of Terraform 1.11.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_syntax::hcl::Expr;
use applyorder_syntax::hcl::eval::{
    self, Budget, Data, FileAnswer, FileRequest, FunctionRef, Lookup, Scope, StepKind, Traversal, Type,
    Unknown, Value,
};
use rustc_hash::FxHashMap;

use super::types::Spec;
use super::world::{InstIx, World};
use crate::schema;

/// The values of locals, by module and name; nothing while one is being computed.
pub(super) struct Validate<'w, 'a> {
    world: &'w World<'a>,
    locals: RefCell<FxHashMap<(usize, &'a str), Option<Value>>>,
}

impl<'w, 'a> Validate<'w, 'a> {
    pub(super) fn new(world: &'w World<'a>) -> Self {
        Self {
            world,
            locals: RefCell::default(),
        }
    }

    /// The value of an expression in a module, of which `inst` is any instance, with further names.
    pub(super) fn eval(&self, inst: InstIx, expr: Expr<'a>, file: usize, names: &[(&str, Value)]) -> Value {
        let here = Here { all: self, inst };
        let file = u32::try_from(file).unwrap_or(u32::MAX);
        eval::evaluate_with(expr, file, &here, &self.world.budget, names).value
    }
}

struct Here<'v, 'w, 'a> {
    all: &'v Validate<'w, 'a>,
    inst: InstIx,
}

fn open(ty: Type, steps: usize) -> Lookup {
    let unknown = Unknown {
        why: "`terraform validate` does not know it".into(),
        place: None,
        ty,
        symbol: None,
    };
    Lookup::Value {
        value: Data::Unknown(unknown).into(),
        steps,
    }
}

impl Scope for Here<'_, '_, '_> {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        let all = traversal.steps.len();
        let name = match traversal.steps.first().map(|step| &step.kind) {
            Some(StepKind::Attr(name)) => *name,
            _ => return open(Type::Dynamic, all),
        };
        match traversal.root {
            "local" => match self.local(name) {
                Some(value) => Lookup::Value { value, steps: 1 },
                None => open(Type::Dynamic, all),
            },
            "var" => open(self.variable_type(name), 1),
            "path" if name == "module" => Lookup::Value {
                value: Value::string(&self.all.world.path_of(self.inst)),
                steps: 1,
            },
            ty => match self.attribute_type(ty, name, &traversal) {
                Some(ty) => open(ty, 2),
                None => open(Type::Dynamic, all),
            },
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        super::scope::function(name)
    }

    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        super::files::answer(self.all.world, request)
    }
}

impl Here<'_, '_, '_> {
    fn local(&self, name: &str) -> Option<Value> {
        let world = self.all.world;
        let attr = *world.module(self.inst)?.locals.get(name)?;
        let key = (world.inst(self.inst).module, attr.name);
        if let Some(known) = self.all.locals.borrow().get(&key) {
            return known.clone();
        }
        self.all.locals.borrow_mut().insert(key, None);
        let value = self.all.eval(self.inst, attr.expr, attr.file, &[]);
        self.all.locals.borrow_mut().insert(key, Some(value.clone()));
        Some(value)
    }

    fn variable_type(&self, name: &str) -> Type {
        let world = self.all.world;
        let module = world.inst(self.inst).module;
        let declared = world
            .module(self.inst)
            .and_then(|m| m.variables.get_key_value(name));
        match declared
            .map(|(name, decl)| world.spec(module, name, decl))
            .as_deref()
        {
            Some(Spec::Plain(ty)) => ty.clone(),
            Some(Spec::List(_)) => Type::List(Arc::new(Type::Dynamic)),
            Some(Spec::Set(_)) => Type::Set(Arc::new(Type::Dynamic)),
            Some(Spec::Map(_)) => Type::Map(Arc::new(Type::Dynamic)),
            Some(Spec::Object(members)) => {
                let members = members.iter().map(|m| (m.name.clone(), Type::Dynamic));
                Type::Object(Arc::new(members.collect::<BTreeMap<_, _>>()))
            }
            _ => Type::Dynamic,
        }
    }

    /// The type of an attribute of the one instance of a resource of the provider's.
    fn attribute_type(&self, ty: &str, name: &str, traversal: &Traversal<'_>) -> Option<Type> {
        let module = self.all.world.module(self.inst)?;
        let decl = module.resources.get(module.resource(false, ty, name)?)?;
        if decl.attr("count").or_else(|| decl.attr("for_each")).is_some() {
            return None;
        }
        let StepKind::Attr(attribute) = traversal.steps.get(1)?.kind else {
            return None;
        };
        Some(schema::schema(false, ty)?.attributes.get(attribute)?.ty.clone())
    }
}
