//! `unknown-dependency` in manifests: a dependency on a workload that none of the files has.

use std::cell::LazyCell;

use applyorder_core::diagnostic::{Place, Severity};
use applyorder_core::engine::{Offer, Recognition};
use applyorder_core::layer::{Budget, Finding};
use applyorder_core::nearest::{Signature, nearest_within};
use rustc_hash::{FxHashMap, FxHashSet};

use super::InProject;
use crate::discover::{is_manifest, recognise};
use crate::load::Role;
use crate::read::AnkaiosFacts;

/// The budget of suggestions in one project.
const SUGGESTIONS: u64 = 20_000_000;

pub(crate) fn check(project: &InProject<'_>, found: &mut Vec<Finding>) {
    if !project.concludes() {
        return;
    }
    // Computed when the first name is missing.
    let names = LazyCell::new(|| -> Vec<(Signature, &str)> {
        let units = project.units();
        units.map(|(_, u)| (Signature::of(&u.name), &*u.name)).collect()
    });
    // A key that is already written is not suggested again.
    let depended = LazyCell::new(|| -> FxHashSet<(u32, u32)> {
        let known = project.related.waits.iter();
        known
            .filter_map(|wait| Some((wait.unit.0, wait.target?.0)))
            .collect()
    });
    let mut budget = Budget::new(SUGGESTIONS);
    let snapshot = project.model.snapshot.as_ref();
    let mut siblings = Siblings { project, names: None };
    let waits = (0u32..).zip(&project.related.waits);
    for (number, wait) in waits.filter(|(_, wait)| wait.target.is_none() && !wait.unknown) {
        let (unit, related) = (wait.unit, project.related);
        let both = project.model.stated(unit).zip(related.dependency(number));
        let Some((own, written)) = both.map(|(stated, written)| (&stated.unit, written)) else {
            continue;
        };
        if snapshot.is_none_or(|s| !s.has_workload(&written.text)) {
            let sibling = siblings.declaring(&written.text);
            // A workload is not suggested for itself.
            let is_other =
                |i: usize| u32::try_from(i).is_ok_and(|i| i != unit.0 && !depended.contains(&(unit.0, i)));
            let signature = |i: usize| match names.get(i) {
                Some((signature, _)) if is_other(i) => *signature,
                _ => Signature::none(),
            };
            let name = |i: usize| names.get(i).map_or("", |(_, name)| name);
            let near = nearest_within(&written.text, names.len(), signature, name, &mut budget);
            let near = near.filter(|_| sibling.is_none());
            let d = applyorder_core::rules::unknown_dependency::diagnostic("workload", own, &written, near);
            let mut d = project.in_mapping(d, &written);
            let severity = if project.role() == Role::Both && near.is_none() && snapshot.is_none() {
                Severity::Info
            } else {
                Severity::Warning
            };
            if let Some(place) = sibling {
                d = d.related(place, "declared in another manifest");
            }
            let d = d
                .severity(severity)
                .note("Ankaios accepts this: the workload waits until one of that name is there, forever if none comes");
            let d = match project.role() {
                Role::Both if snapshot.is_none() => d.note(
                    "manifests that are applied together are declared by `[[ankaios.apply]]` in applyorder.toml",
                ),
                _ => d,
            };
            found.push(Finding::new(d));
        }
    }
}

/// The manifests next to one that is not declared together with others. They are read when the first name is
/// missing.
struct Siblings<'a> {
    project: &'a InProject<'a>,
    names: Option<FxHashMap<String, Place>>,
}

impl Siblings<'_> {
    fn declaring(&mut self, name: &str) -> Option<Place> {
        let project = self.project;
        let names = self.names.get_or_insert_with(|| names(project));
        names.get(name).copied()
    }
}

fn names(project: &InProject<'_>) -> FxHashMap<String, Place> {
    let cx = project.pass.cx;
    let mut names = FxHashMap::default();
    for path in &project.model.loaded.siblings {
        let is_ours = |bytes: &[u8]| recognise(path, Offer::Found, Some(bytes)) == Recognition::Yes;
        if !cx.bytes(path).is_ok_and(|bytes| is_ours(&bytes)) {
            continue;
        }
        let Ok(read) = cx.facts::<AnkaiosFacts>(path) else {
            continue;
        };
        if is_manifest(path, &read.facts.manifest) {
            for workload in &read.facts.manifest.workloads {
                let place = cx.place(read.file, workload.name.place);
                names.entry(workload.name.value.to_string()).or_insert(place);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use crate::tests::speaks;
    use applyorder_core::rules::unknown_dependency::RULE;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |dep: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  database: {{agent: b, runtime: docker, runtimeConfig: x}}\n  a: {{agent: c, runtime: docker, runtimeConfig: x, dependencies: {{{dep}: ADD_COND_RUNNING}}}}\n"
            )
        };
        speaks(&RULE, &with("databse"), &["databse"]);
        speaks(&RULE, &with("database"), &[]);
    }

    #[test]
    fn a_manifest_next_to_it_that_has_the_name_is_shown() {
        let with = |name: &str, rest: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  {name}: {{agent: b, runtime: podman, runtimeConfig: 'image: x'{rest}}}\n"
            )
        };
        let a = with("a", ", dependencies: {b: ADD_COND_RUNNING}");
        let tree = |other: &str| format!("//- /w/a.yaml\n{a}//- /w/b.yaml\n{other}//- /w/c.yaml\nb: 1\n");
        let told = |other: &str| applyorder_analysis::fixture::told(crate::ALONE, &RULE, &tree(other));
        let found = told(&with("b", ""));
        assert!(found.starts_with("info a.yaml:3 «b»"), "{found}");
        assert!(
            found.contains("b.yaml:3 «b»: declared in another manifest"),
            "{found}"
        );
        assert!(found.contains("[[ankaios.apply]]"), "{found}");
        assert!(!told(&with("c", "")).contains("beside"));
    }
}
