//! The places in one file that name what stands at an offset.

use super::references::{self, Reference};
use crate::config_file;
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;

/// The places, in order; declarations among them.
#[must_use]
pub fn highlights(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Reference> {
    if config_file::mention_at(analysis, file, offset).is_none() {
        return references::references_in(analysis, file, offset);
    }
    let mut found = references::references(analysis, file, offset, false);
    found.retain(|r| r.at.file == file);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn declarations_are_distinguished_from_references() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: $0a, type: kustomize, path: ./x}\n    \
             - {name: b, type: kustomize, path: ./x, dependsOn: [a]}\n",
        );
        let found = highlights(&fixture.analysis, fixture.file, fixture.offset);
        let shown: Vec<_> = found
            .iter()
            .map(|r| (fixture.show(r.at), r.declaration))
            .collect();
        let expected = [("tazuna.yaml:3 a", true), ("tazuna.yaml:4 a", false)];
        assert_eq!(shown, expected.map(|(s, d)| (s.to_owned(), d)));
    }
}
