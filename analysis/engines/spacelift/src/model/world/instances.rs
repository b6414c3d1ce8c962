//! The instances of resources and of calls: `count`, `for_each`, and what the plan says of them.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use applyorder_syntax::hcl::eval::{self, Value};

use super::super::key::Key;
use super::super::module::{Attr, Decl};
use super::super::plan::Plan;
use super::{Calls, Each, Expansion, Inst, InstIx, MAX_INSTANCES, MAX_MODULE_DEPTH, Res, World};

impl<'a> World<'a> {
    /// Whether there may be one more instance.
    pub(crate) fn count(&self, more: usize) -> bool {
        let count = self.count.get().saturating_add(more);
        if count > MAX_INSTANCES {
            self.is_cut.set(true);
            return false;
        }
        self.count.set(count);
        true
    }

    /// The instances of a resource.
    pub(crate) fn expansion(&self, inst: InstIx, number: usize) -> Rc<Expansion> {
        if let Some(known) = self.expansions.borrow().get(&(inst, number)) {
            return known.clone();
        }
        let Some(decl) = self.module(inst).and_then(|m| m.resources.get(number)) else {
            return Rc::new(Expansion::Single);
        };
        // A request during the expansion is for something that depends on itself.
        let open = Rc::new(self.open(decl, "it depends on itself"));
        self.expansions.borrow_mut().insert((inst, number), open);
        let address = self.static_address(inst, decl);
        let made = Rc::new(self.expand(inst, decl, &address));
        self.expansions.borrow_mut().insert((inst, number), made.clone());
        made
    }

    fn open(&self, decl: &Decl<'a>, why: &str) -> Expansion {
        let by = decl.attr("count").or_else(|| decl.attr("for_each"));
        by.map_or(Expansion::Single, |attr| Expansion::Unknown {
            counted: attr.name == "count",
            why: why.into(),
            place: attr.value(),
        })
    }

    fn expand(&self, inst: InstIx, decl: &Decl<'a>, address: &str) -> Expansion {
        let Some(attr) = decl.attr("count").or_else(|| decl.attr("for_each")) else {
            return Expansion::Single;
        };
        let counted = attr.name == "count";
        if !self.is_asking() {
            let at: Arc<str> = format!("{address}.{}", attr.name).into();
            self.ask(at.clone(), at);
        }
        // Which instances exist depends only on their keys, which record themselves whether they are only likely.
        let outside = self.notes.take();
        let value = self.whole(|| self.eval(inst, &Each::None, attr.expr, attr.file));
        if self.notes.replace(outside).is_ahead && !self.is_planned() {
            let open = format!("{address}.{}", attr.name);
            self.expanded_ahead.borrow_mut().push(open);
        }
        let fits = self.note_repetition((inst, address), attr, &value);
        self.note_read(attr, &value);
        let keys = match fits {
            Err(why) => Err(format!("its `{}` is wrong: {why}", attr.name).into()),
            Ok(()) if counted => self.counted(&value),
            Ok(()) => self.each(&value),
        };
        let heuristic = value.heuristic || matches!(value.data, eval::Data::Set(..)) && value.has_heuristic();
        let (keys, heuristic) = match keys {
            Ok(keys) => (keys, heuristic),
            Err(why) => match self.planned(address) {
                Some(keys) => (keys, false),
                None => {
                    return Expansion::Unknown {
                        counted,
                        why,
                        place: attr.value(),
                    };
                }
            },
        };
        let by_key = keys
            .iter()
            .enumerate()
            .map(|(i, (k, _))| (k.clone(), i))
            .collect();
        Expansion::Known {
            counted,
            keys,
            by_key,
            heuristic,
            place: attr.value(),
            signatures: OnceCell::new(),
        }
    }

    /// Records that the set of instances depends on data sources: the value may be null, secret, or an invalid number
    /// of instances.
    pub(crate) fn note_read(&self, attr: &Attr<'a>, value: &Value) {
        if let Some(unknown) = value.as_unknown().filter(|unknown| unknown.is_read) {
            self.leave_read_open(attr.value(), &unknown.why);
        }
    }

    /// Whether Terraform has made a plan of all of it.
    pub(crate) fn is_planned(&self) -> bool {
        self.plan.as_ref().is_some_and(Plan::is_whole)
    }

    /// The instances that the plan has of a resource or call.
    fn planned(&self, address: &str) -> Option<Vec<(Key, Value)>> {
        let keys = self.plan.as_ref()?.keys(address)?;
        let open = || Value::unknown("the plan does not say what `each.value` is");
        Some(keys.iter().map(|key| (key.clone(), open())).collect())
    }

    fn counted(&self, value: &Value) -> Result<Vec<(Key, Value)>, Arc<str>> {
        if let Some(unknown) = value.as_unknown() {
            return Err(unknown.why.clone());
        }
        match Key::index(value) {
            Some(Key::Int(count)) if self.count(usize::try_from(count).unwrap_or(usize::MAX)) => {
                Ok((0..count).map(|n| (Key::Int(n), Value::null())).collect())
            }
            Some(_) => Err("there are too many instances".into()),
            None => Err("whether its `count` is a whole number depends on rounding".into()),
        }
    }

    fn each(&self, value: &Value) -> Result<Vec<(Key, Value)>, Arc<str>> {
        if let Some(unknown) = value.as_unknown() {
            return Err(unknown.why.clone());
        }
        let keys: Vec<(Key, Value)> = match &value.data {
            eval::Data::Object(fields) | eval::Data::Map(fields, _) => fields
                .values()
                .iter()
                .map(|(k, v)| (Key::Str(k.clone()), v.clone()))
                .collect(),
            eval::Data::Set(items, _) => {
                let mut keys = Vec::with_capacity(items.values().len());
                for item in items.values() {
                    if let Some(unknown) = item.as_unknown() {
                        return Err(unknown.why.clone());
                    }
                    let text = item.as_str().ok_or("a key of its `for_each` is not a string")?;
                    keys.push((Key::Str(text.into()), item.clone()));
                }
                keys.sort_by(|a, b| a.0.cmp(&b.0));
                keys
            }
            _ => return Err("its `for_each` is neither a map nor a set".into()),
        };
        if self.count(keys.len()) {
            Ok(keys)
        } else {
            Err("there are too many instances".into())
        }
    }

    /// What `each` and `count` mean in an instance.
    pub(crate) fn each_of(&self, res: &Res) -> Each {
        if res.key == Key::None {
            return Each::None;
        }
        let expansion = self.expansion(res.inst, res.decl);
        let key = expansion.key_value(&res.key);
        match &*expansion {
            Expansion::Known {
                counted: false,
                keys,
                by_key,
                ..
            } => {
                let value = by_key.get(&res.key).and_then(|i| keys.get(*i));
                let value = value.map_or_else(|| Value::unknown("its key is not known"), |(_, v)| v.clone());
                Each::Item(key, value)
            }
            Expansion::Unknown {
                counted: false, why, ..
            } => Each::Item(key, Value::unknown(why)),
            _ => Each::Count(key),
        }
    }

    /// What a call represents. Its module instances are made on first use.
    pub(crate) fn calls(&self, inst: InstIx, number: usize) -> Rc<Calls> {
        if let Some(known) = self.children.borrow().get(&(inst, number)) {
            return known.clone();
        }
        let none = |expansion: Expansion, why: &str| {
            Rc::new(Calls {
                expansion: Rc::new(expansion),
                insts: Vec::new(),
                why: Some(why.into()),
            })
        };
        let Some(decl) = self.module(inst).and_then(|m| m.calls.get(number)) else {
            return none(Expansion::Single, "there is no such call");
        };
        let open = none(self.open(decl, "it depends on itself"), "it depends on itself");
        self.children.borrow_mut().insert((inst, number), open);
        let made = self.called(inst, number, decl);
        let made = match made {
            Ok(calls) => Rc::new(calls),
            Err(why) => none(self.open(decl, &why), &why),
        };
        self.children.borrow_mut().insert((inst, number), made.clone());
        made
    }

    fn called(&self, inst: InstIx, number: usize, decl: &Decl<'a>) -> Result<Calls, String> {
        let own = self.inst(inst);
        let literal = decl.source;
        let loaded = self.loaded.modules.get(own.module);
        let is_likely = self.is_likely_call(own.module, decl);
        let called = loaded.and_then(|loaded| loaded.likely_called(decl.name(), decl.source));
        let Some(module) = called else {
            let name = decl.name();
            return Err(match loaded.and_then(|loaded| loaded.source(name, literal)) {
                Some(source) => format!("module `{name}` comes from `{source}`, which is not looked at"),
                None => format!("the source of module `{name}` is unknown"),
            });
        };
        let why = if self.encloses(inst, module) {
            Some(format!("module `{}` calls itself", decl.name()))
        } else {
            let is_deep = own.depth >= MAX_MODULE_DEPTH;
            is_deep.then(|| format!("modules nested more than {MAX_MODULE_DEPTH} deep are not followed"))
        };
        if let Some(why) = why {
            if let Some(attr) = decl.attr("source") {
                self.leave_open(attr.value(), &why);
                let at = || (format!("{}module.{}.source", own.path, decl.name()), why.clone());
                self.unfollowed
                    .borrow_mut()
                    .entry(attr.value())
                    .or_insert_with(at);
            }
            return Err(why);
        }
        let path = format!("{}module.{}", own.path, decl.name());
        let expansion = Rc::new(self.expand(inst, decl, &path));
        if is_likely && let Some(source) = decl.attr("source") {
            // Records what it depends on.
            let _ = self.eval(inst, &Each::None, source.expr, source.file);
        }
        let mut insts = Vec::new();
        for (key, each) in expansion.instances() {
            if key == Key::None && !self.count(1) {
                return Err("there are too many instances".to_owned());
            }
            let mut all = self.insts.borrow_mut();
            insts.push(all.len());
            all.push(Rc::new(Inst {
                module,
                caller: Some((inst, number)),
                path: format!("{path}{key}.").into(),
                each,
                depth: own.depth + 1,
                heuristic: own.heuristic || is_likely || expansion.is_heuristic(),
            }));
        }
        let why = match &*expansion {
            Expansion::Unknown { why, .. } => Some(why.clone()),
            _ => None,
        };
        Ok(Calls {
            expansion,
            insts,
            why,
        })
    }

    /// Whether a module instance is in an instance of a module.
    fn encloses(&self, inst: InstIx, module: usize) -> bool {
        let mut at = Some(inst);
        while let Some(here) = at {
            let own = self.inst(here);
            if own.module == module {
                return true;
            }
            at = own.caller.map(|(caller, _)| caller);
        }
        false
    }

    /// The module instances that an instance calls, by the number of the call.
    pub(crate) fn call_insts(&self, inst: InstIx) -> BTreeMap<usize, Rc<Calls>> {
        let count = self.module(inst).map_or(0, |m| m.calls.len());
        (0..count)
            .map(|number| (number, self.calls(inst, number)))
            .collect()
    }
}
