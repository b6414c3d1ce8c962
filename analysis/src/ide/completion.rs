//! What can be put in at an offset. Engines know; each that read the file is asked.

use super::card::card;
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Completion, UnitIx};

/// The proposals, each once, in the engines' own order.
#[must_use]
pub fn completions(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Completion> {
    let mut found: Vec<Completion> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for (index, engine) in analysis.engines().iter() {
        if analysis.facts(file, index).is_none() {
            continue;
        }
        for completion in engine.complete(analysis, index, file, offset) {
            if seen.insert((completion.label.clone(), completion.span)) {
                found.push(completion);
            }
        }
    }
    found
}

/// What is to be known of the unit that a proposal in a file stands for, in Markdown.
#[must_use]
pub fn documentation(analysis: &Analysis, file: FileId, label: &str) -> Option<String> {
    analysis.projects_of(file).into_iter().find_map(|(_, project)| {
        project.resolution.variants.iter().find_map(|variant| {
            let mut units = (0..).map(UnitIx).zip(&variant.units);
            let (ix, _) = units.find(|(_, unit)| *unit.name == *label)?;
            Some(card(analysis, project, variant, ix))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn names_are_proposed_in_dependencies() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: cni, type: kustomize, path: ./x}\n    - name: b\n      \
             type: kustomize\n      path: ./x\n      dependsOn: [c$0]\n",
        );
        let found = completions(&fixture.analysis, fixture.file, fixture.offset);
        assert!(found.iter().any(|c| c.label == "cni"), "{found:?}");
        assert!(!found.iter().any(|c| c.label == "b"), "not itself");
        let told = documentation(&fixture.analysis, fixture.file, "cni").unwrap();
        assert!(told.starts_with("**manifest `cni`**: layer 1 of"), "{told}");
        assert_eq!(documentation(&fixture.analysis, fixture.file, "c"), None);
    }
}
