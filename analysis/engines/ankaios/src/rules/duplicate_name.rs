//! `duplicate-name` in manifests: names that another manifest of the same apply has.

use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::duplicate_name::RULE;

use super::{InProject, both, said};
use crate::judge::stage;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    let model = project.model;
    let mut add = |what: &str, name: &str, (source, place): (u32, u32), first: Option<(u32, u32)>| {
        let text = format!("duplicate {what} `{name}`");
        let mut d = Diagnostic::new(&RULE, project.place(source, place), text).unit(name.into());
        if let Some((source, place)) = first {
            d = d.related(project.place(source, place), "first defined here");
        }
        // Within one manifest a number and a string can be the same name: only a startup manifest accepts both.
        let is_across = first.is_some_and(|(other, _)| other != source);
        let words = both(
            stage::MERGE,
            format!("Multiple workloads with the same name '{name}' found!"),
        );
        let words = Some(&words).filter(|_| is_across);
        found.push(said(project.role(), None, words, d).at(source));
    };
    for (source, number) in &model.repeated {
        let Some(workload) = model
            .source(*source)
            .and_then(|s| s.manifest().workloads.get(*number as usize))
        else {
            continue;
        };
        let first = model.named(&workload.name.value);
        let first = first.and_then(|u| {
            Some((
                model.units.get(u.0 as usize)?.source,
                model.workload(u)?.1.name.place,
            ))
        });
        add(
            "workload",
            &workload.name.value,
            (*source, workload.name.place),
            first,
        );
    }
    for (source, number) in &model.repeated_configs {
        let config = |source: u32, number: u32| model.source(source)?.manifest().configs.get(number as usize);
        let Some(later) = config(*source, *number) else {
            continue;
        };
        let first = model.configs.get(&*later.name.value);
        let first = first.and_then(|(source, number)| Some((*source, config(*source, *number)?.name.place)));
        add("config", &later.name.value, (*source, later.name.place), first);
    }
}
