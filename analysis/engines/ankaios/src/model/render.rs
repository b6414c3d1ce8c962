//! What templates come to with the configs of a project.

use std::sync::Arc;

use super::Model;
use crate::read::template::{Part, Template, Variable};
use crate::read::{Field, Item, Workload};

/// What a text comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rendered {
    /// This text.
    Text(Arc<str>),
    /// A text that is not followed.
    Unknown,
    /// It does not render.
    Failed,
}

/// Why a template does not render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RenderFault<'a> {
    /// There is no such variable.
    Variable(&'a Variable),
    /// There is no such helper: its name and place.
    Helper(&'a str, u32, (usize, usize)),
    /// There is no such partial.
    Partial(&'a str, u32, (usize, usize)),
    /// It is no template.
    Syntax(&'a str, u32),
}

/// Looks up what variables stand for.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(super) model: &'a Model,
}

/// What a variable stands for.
enum Found<'a> {
    Item(&'a Item),
    Nothing,
    /// Its config is not among these files.
    Unknown,
}

impl<'a> Lookup<'a> {
    fn variable(self, workload: &Workload, path: &str) -> Found<'a> {
        let mut steps = path.split('.');
        let alias = steps.next().unwrap_or("");
        let Some(used) = workload.configs.iter().find(|c| *c.alias.value == *alias) else {
            return Found::Nothing;
        };
        let Some((source, config)) = self.model.configs.get(&*used.config.value) else {
            return Found::Unknown;
        };
        let Some(manifest) = self.model.source(*source).map(super::Source::manifest) else {
            return Found::Unknown;
        };
        let Some(config) = manifest.configs.get(*config as usize) else {
            return Found::Unknown;
        };
        let mut item = config.item;
        for step in steps {
            let next = match manifest.items.get(item as usize) {
                Some(Item::Map(entries)) => entries.iter().find(|(key, _)| **key == *step).map(|(_, i)| *i),
                Some(Item::List(items)) => step.parse::<usize>().ok().and_then(|n| items.get(n)).copied(),
                _ => None,
            };
            let Some(next) = next else { return Found::Nothing };
            item = next;
        }
        manifest
            .items
            .get(item as usize)
            .map_or(Found::Unknown, Found::Item)
    }

    /// What a field comes to: its text, where the workload uses no configs.
    pub(crate) fn render(self, workload: &Workload, field: &Field) -> Rendered {
        if workload.configs.is_empty() {
            return Rendered::Text((*field.text.value).into());
        }
        let template = &field.template;
        if template.fault.is_some() {
            return Rendered::Failed;
        }
        let mut out = String::new();
        for part in &template.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Variable(v) => match self.variable(workload, &v.path) {
                    Found::Item(Item::Text(text)) => out.push_str(text),
                    Found::Item(Item::Map(_)) => out.push_str("[object]"),
                    Found::Item(Item::List(_) | Item::Leaf) | Found::Unknown => return Rendered::Unknown,
                    Found::Nothing => return Rendered::Failed,
                },
                Part::UnknownHelper(..) | Part::UnknownPartial(..) => return Rendered::Failed,
                Part::Needed(_) | Part::Opaque => return Rendered::Unknown,
            }
        }
        Rendered::Text(out.into())
    }

    /// The first thing that keeps a field from rendering, and whether something in it is not followed.
    pub(crate) fn fault<'t>(
        self,
        workload: &Workload,
        template: &'t Template,
    ) -> (Option<RenderFault<'t>>, bool) {
        if let Some(fault) = &template.fault {
            return (Some(RenderFault::Syntax(&fault.words, fault.place)), false);
        }
        let mut is_open = false;
        for part in &template.parts {
            match part {
                Part::Text(_) => {}
                Part::Variable(v) | Part::Needed(v) => match self.variable(workload, &v.path) {
                    Found::Item(_) => {}
                    Found::Nothing => return (Some(RenderFault::Variable(v)), is_open),
                    Found::Unknown => is_open = true,
                },
                Part::UnknownHelper(name, place, at) => {
                    return (Some(RenderFault::Helper(name, *place, *at)), is_open);
                }
                Part::UnknownPartial(name, place, at) => {
                    return (Some(RenderFault::Partial(name, *place, *at)), is_open);
                }
                Part::Opaque => is_open |= !is_harmless(template),
            }
        }
        (None, is_open)
    }
}

/// Whether blocks and partials of a template cannot fail once their values are there: what a loop over a list of
/// strings prints is always there.
fn is_harmless(template: &Template) -> bool {
    template.parts.iter().any(|p| matches!(p, Part::Needed(_)))
}
