//! The places in a file that name other files.

use camino::Utf8PathBuf;

use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::WrittenPath;
use applyorder_core::files::FileKind;
use applyorder_syntax::text::Span;

/// A path that is written in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileLink {
    /// The path as it is written.
    pub span: Span,
    /// The file that is meant, absolute.
    pub target: Utf8PathBuf,
}

/// The paths, in order; those whose file was not found are left out. Of a directory the file that stands for it is meant.
#[must_use]
pub fn links(analysis: &Analysis, file: FileId) -> Vec<FileLink> {
    let mut found: Vec<FileLink> = known_links(analysis, file);
    for (_, project) in analysis.projects_of(file) {
        for path in paths_of(analysis, project, file) {
            if found.iter().any(|link| link.span.overlaps(path.span)) || !is_literal(analysis, file, &path) {
                continue;
            }
            if let Some(target) = shown(analysis, &path) {
                found.push(FileLink {
                    span: path.span,
                    target,
                });
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The paths that are written in a file of a project.
pub(super) fn paths_of(analysis: &Analysis, project: &Project, file: FileId) -> Vec<WrittenPath> {
    project.engine().paths(analysis, project.view(), file)
}

/// Whether what stands there is the path itself, in quotes or without.
pub(super) fn is_literal(analysis: &Analysis, file: FileId, path: &WrittenPath) -> bool {
    let source = analysis.source(file);
    let written = source.and_then(|source| source.text.get(path.span.range()));
    written.is_some_and(|written| {
        let inner = ['"', '\''].into_iter().find_map(|quote| {
            let inner = written.strip_prefix(quote)?;
            inner.strip_suffix(quote)
        });
        inner.unwrap_or(written) == path.text
    })
}

/// The file that is shown for a path.
fn shown(analysis: &Analysis, path: &WrittenPath) -> Option<Utf8PathBuf> {
    let is_file = |at: &Utf8PathBuf| analysis.kind(at) == Some(FileKind::File);
    if is_file(&path.target) {
        return Some(path.target.clone());
    }
    path.shows.iter().map(|name| path.target.join(name)).find(is_file)
}

fn known_links(analysis: &Analysis, file: FileId) -> Vec<FileLink> {
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
            target: link.target.to_path_buf(),
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

    fn check(tree: &str, expected: &[(&str, &str)]) {
        let fixture = Fixture::new(applyorder_engines::all(), tree);
        let found = links(&fixture.analysis, fixture.file);
        let shown: Vec<_> = found
            .iter()
            .map(|l| (l.span.slice(fixture.text(fixture.file)), l.target.as_str()))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_directory_leads_to_the_file_that_represents_it() {
        check(
            "//- /w/x/kustomization.yaml\nresources: []\n//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a$0, \
             type: kustomize, path: ./x}\n    - {name: b, type: kustomize, path: ./gone}\n",
            &[("./x", "/w/x/kustomization.yaml")],
        );
        check(
            "//- /w/b/stack.tm.hcl\nstack {\n}\n//- /w/terramate.tm.hcl\nterramate {\n  config {\n  }\n}\n//- \
             /w/a/stack.tm.hcl\nstack {$0\n  after = [\"../b\", \"tag:x\", \"/gone\"]\n  watch = [\"/b/stack.tm.hcl\"]\n}\n",
            &[
                ("\"../b\"", "/w/b/stack.tm.hcl"),
                ("\"/b/stack.tm.hcl\"", "/w/b/stack.tm.hcl"),
            ],
        );
    }

    #[test]
    fn functions_lead_to_the_files_that_they_read() {
        check(
            "//- /r/m/main.tf\nresource \"spacelift_space\" \"s\" {\n  name = \"s\"\n}\n//- /r/hook.sh\necho\n//- \
             /r/main.tf\nresource \"spacelift_stack\" \"a\" {$0\n  name = \"a\"\n  branch = \"m\"\n  repository = \
             \"r\"\n  description = file(\"${path.module}/hook.sh\")\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n",
            &[("/hook.sh", "/r/hook.sh"), ("\"./m\"", "/r/m/main.tf")],
        );
    }
}
