//! What can be put in at an offset. Engines know; each that read the file is asked.

use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Completion;

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
    }
}
