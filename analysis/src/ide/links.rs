//! The places in a file that name other files.

use camino::Utf8PathBuf;

use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_syntax::text::Span;

/// A path that is written in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileLink {
    /// The path as it is written.
    pub span: Span,
    /// The file that is meant, absolute.
    pub target: Utf8PathBuf,
}

/// The paths, in order; those whose file was not found are left out.
#[must_use]
pub fn links(analysis: &Analysis, file: FileId) -> Vec<FileLink> {
    let mut found: Vec<FileLink> = analysis
        .projects_of(file)
        .iter()
        .flat_map(|(_, project)| project.resolution.links.iter())
        .filter(|link| link.place.file == file)
        .filter(|link| {
            analysis
                .file(&link.target)
                .is_some_and(|f| analysis.source(f).is_some())
        })
        .map(|link| FileLink {
            span: analysis.span(link.place),
            target: link.target.clone(),
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn includes_are_links_if_their_file_is_there() {
        let fixture = Fixture::new(
            applyorder_engines::all(),
            "//- /w/b.yaml\nspec: {}\n//- /w/tazuna.yaml\nspec:\n  manifests:\n    - includes:\n        - path: \
             $0./b.yaml\n        - path: gone.yaml\n",
        );
        let found = links(&fixture.analysis, fixture.file);
        let shown: Vec<_> = found
            .iter()
            .map(|l| (l.span.slice(fixture.text(fixture.file)), l.target.as_str()))
            .collect();
        assert_eq!(shown, [("./b.yaml", "/w/b.yaml")]);
    }
}
