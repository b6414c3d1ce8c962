//! What is wrong with the values of the instances of a resource.

use std::sync::Arc;

use applyorder_syntax::hcl::eval::{Marks, convert};

use super::super::Wrong;
use super::super::module::{Attr, Decl, Spot};
use super::super::world::{Each, InstIx, Res, STORED};
use super::{At, Checker, Frame, Given, Left, Repeated, Walk, Walked, give, id_of, limits};
use crate::schema::{Block, Need};

impl<'a> Checker<'_, 'a> {
    /// What is wrong with the values of the instances.
    pub(super) fn values(
        &mut self,
        inst: InstIx,
        module: usize,
        left: &Left,
        decl: &Decl<'a>,
        schema: &'static Block,
    ) {
        let id = (module, left.decl);
        let has_nested = left.has_nested;
        self.reported
            .entry(id)
            .or_insert_with(|| left.reported.iter().cloned().collect());
        self.told.extend(left.told.iter().cloned());
        let open: Vec<Attr<'a>> = left
            .open
            .iter()
            .filter_map(|name| decl.attr(name))
            .copied()
            .collect();
        let world = self.world;
        let expansion = world.expansion(inst, left.decl);
        let instance_is_likely = world.inst(inst).heuristic || expansion.is_heuristic();
        let resource: Arc<str> = world.static_address(inst, decl).into();
        let instances = expansion.instances();
        if instances.is_empty() && has_nested {
            let each = Each::Open("which instances there are is unknown".into());
            let walk = Walk {
                resource: &resource,
                repeated: Repeated::of(decl),
                of: Walked::Instance(inst, &resource, &each),
                is_likely: instance_is_likely,
                is_silent: true,
            };
            world.is_static.set(true);
            let mut inside = Vec::new();
            self.blocks(
                &walk,
                &Frame::top(decl, schema),
                &mut left.given.clone(),
                &mut inside,
            );
            self.inside(&walk, inside);
            world.is_static.set(false);
        }
        for (key, each) in instances {
            let res = Res {
                inst,
                decl: left.decl,
                key,
            };
            let mut given = left.given.clone();
            let mut is_likely = instance_is_likely;
            for (name, (given, _)) in &mut given {
                // The arguments that are not checked are known to be strings.
                if *given == Given::Open && decl.attr(name).is_some() {
                    *given = Given::Yes;
                }
            }
            if has_nested {
                let address = world.address(&res);
                let walk = Walk {
                    resource: &resource,
                    repeated: Repeated::of(decl),
                    of: Walked::Instance(inst, &address, &each),
                    is_likely,
                    is_silent: false,
                };
                let mut inside = Vec::new();
                is_likely |= self.blocks(&walk, &Frame::top(decl, schema), &mut given, &mut inside);
                self.inside(&walk, inside);
            }
            // Each with whether what is wrong is only likely: what depends on one argument alone depends on its value.
            let mut found: Vec<(&str, Spot, Wrong, bool)> = Vec::new();
            for attr in &open {
                let at = |address: String| Arc::from(format!("{address}.{}", attr.name));
                world.ask(at(world.address(&res)), at(resource.to_string()));
                let (Some(value), Some(known)) =
                    (world.attribute(&res, attr.name), schema.attributes.get(attr.name))
                else {
                    continue;
                };
                let of_value = instance_is_likely || value.has_heuristic();
                is_likely |= of_value;
                give(&mut given, schema, attr, &value);
                if value.all_marks().has(Marks::EPHEMERAL) {
                    found.push((
                        attr.name,
                        attr.value(),
                        Wrong::Secret(STORED.to_owned()),
                        of_value,
                    ));
                } else if let Err(why) = convert(&value, &known.ty) {
                    found.push((attr.name, attr.value(), Wrong::Type(why), of_value));
                } else if known.need == Need::Required && value.is_null() {
                    found.push((attr.name, attr.value(), Wrong::Missing, of_value));
                } else if known.is_never_empty && value.as_str() == Some("") {
                    found.push((attr.name, attr.value(), Wrong::Empty, of_value));
                }
            }
            let of_several = limits(schema, decl.header(), &given).into_iter();
            found.extend(of_several.map(|(name, spot, wrong)| (name, spot, wrong, is_likely)));
            for (name, spot, wrong, is_likely) in found {
                let attr = open.iter().find(|attr| attr.name == name);
                // The same in one instance is enough.
                let name = attr.map_or(name, |attr| attr.name);
                if !self.reported_once(id, name, decl) {
                    continue;
                }
                let near = attr.and_then(|attr| id_of(&wrong, attr));
                let at = At {
                    resource: &resource,
                    path: "",
                    name,
                    spot,
                };
                self.push(at, wrong, near, false);
                if let Some(last) = self.found.last_mut() {
                    last.is_likely |= is_likely;
                }
            }
        }
    }

    /// Whether nothing was reported of a name so far.
    fn reported_once(&mut self, id: (usize, usize), name: &str, decl: &Decl<'a>) -> bool {
        let attrs = decl.attrs.iter().map(|attr| attr.name);
        let own = attrs
            .chain(decl.blocks.iter().map(|inner| inner.word))
            .find(|n| *n == name);
        let reported = self.reported.entry(id).or_default();
        reported.insert(own.unwrap_or("").to_owned())
    }
}
