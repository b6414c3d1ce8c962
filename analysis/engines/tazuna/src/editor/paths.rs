//! The paths in a file: of manifests, of includes and of files with secrets, which start from the root's
//! directory, and files of values, which start from that of the helmfile.

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{ProjectView, StartsFrom, View as Analysis, WrittenPath};
use applyorder_core::files::{FileKind, join_clean, resolve};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::{self, Node};
use camino::Utf8Path;
use rustc_hash::FxHashSet;

use crate::read::{TazunaFacts, Text, View};
use crate::schema::{ENVFILE, HELMFILE, MANIFEST, PROVIDER, ROOT, SPEC, Table};

/// The files that represent the directory of a manifest.
const SHOWN: &[&str] = &[
    "kustomization.yaml",
    "kustomization.yml",
    "Kustomization",
    "helmfile.yaml",
    "helmfile.yaml.gotmpl",
    "Chart.yaml",
];

/// The paths of a file of a project, in the order of the text.
pub(crate) fn paths(analysis: &dyn Analysis, project: ProjectView<'_>, file: FileId) -> Vec<WrittenPath> {
    let Some(facts) = analysis.facts_as::<TazunaFacts>(file, project.seed.engine) else {
        return Vec::new();
    };
    let root = &project.seed.root;
    let mut found = Vec::new();
    let mut seen: FxHashSet<Span> = FxHashSet::default();
    for view in facts.all_views() {
        of_view(&view, root, &mut seen, &mut found);
    }
    // Paths that a template generates are not in the text.
    if !facts.is_templated() {
        let settings = Settings {
            analysis,
            root,
            is_root: analysis.path(file) == root,
        };
        settings.paths(facts.text(), &mut found);
    }
    found.sort();
    found
}

/// Settings that the order does not depend on, and which are only read here.
struct Settings<'a> {
    analysis: &'a dyn Analysis,
    root: &'a Utf8Path,
    is_root: bool,
}

impl Settings<'_> {
    fn paths(&self, text: &std::sync::Arc<str>, found: &mut Vec<WrittenPath>) {
        let tree = yaml::parse(text.clone());
        let root = tree.first_document().and_then(|document| document.root());
        let Some(spec) = root.and_then(|root| value(root, &ROOT, "spec")) else {
            return;
        };
        let items = |name| value(spec, &SPEC, name).into_iter().flat_map(|list| list.items());
        // Providers of an included file are ignored.
        for provider in items("providers").filter(|_| self.is_root) {
            let path = value(provider, &PROVIDER, "envfile").and_then(|e| value(e, &ENVFILE, "path"));
            found.extend(path.and_then(|path| written(path, StartsFrom::Beside(self.root.to_owned()))));
        }
        for manifest in items("manifests") {
            let Some(from) = self.helmfile(manifest) else {
                continue;
            };
            let settings = value(manifest, &MANIFEST, "helmfile");
            let files = settings.and_then(|s| value(s, &HELMFILE, "extraValueFiles"));
            let files = files.into_iter().flat_map(|files| files.items());
            found.extend(files.filter_map(|file| written(file, from.clone())));
        }
    }

    /// Where the paths in a helmfile start from: it is a file, or is searched for in a directory.
    fn helmfile(&self, manifest: Node<'_>) -> Option<StartsFrom> {
        let is_one = value(manifest, &MANIFEST, "type").is_some_and(|ty| ty.value() == "helmfile");
        let path = value(manifest, &MANIFEST, "path").filter(|path| is_one && path.is_scalar())?;
        let at = join_clean(self.root.parent()?, &path.value());
        match self.analysis.kind(&at)? {
            FileKind::File => Some(StartsFrom::Beside(at)),
            FileKind::Directory => Some(StartsFrom::Dir(at)),
            _ => None,
        }
    }
}

/// The value of a field of an object, with YAML aliases followed.
fn value<'t>(object: Node<'t>, table: &Table, name: &str) -> Option<Node<'t>> {
    let entries = object.resolve()?.entries();
    let is_it = |key: Node<'_>| {
        table
            .field(&key.value(), false)
            .is_some_and(|field| field.name == name)
    };
    let entry = entries.filter(|entry| is_it(entry.key)).last()?;
    entry.value.resolve()
}

/// A path that the engine does not change if it is absolute.
fn written(path: Node<'_>, from: StartsFrom) -> Option<WrittenPath> {
    let text = path.value();
    if !path.is_scalar() || text.is_empty() {
        return None;
    }
    let target = resolve(from.dir(), &text);
    Some(WrittenPath {
        span: path.span(),
        text: text.into_owned(),
        from,
        target,
        shows: &[],
        is_part: false,
    })
}

fn of_view(view: &View, root: &Utf8Path, seen: &mut FxHashSet<Span>, found: &mut Vec<WrittenPath>) {
    let dir = root.parent().unwrap_or(root);
    for (index, item) in view.items() {
        let Some(extent) = view.extent(index) else {
            continue;
        };
        let is_plain = |text: &&Text| text.via.is_none() && !text.null && !text.text.is_empty();
        let written = item.manifest.includes.iter().chain(&item.manifest.path);
        for text in written.filter(is_plain) {
            let span = view.span_of(index, text.place);
            // The text of an anchor is elsewhere, and may have another meaning there too.
            let Some(span) = span.filter(|span| extent.contains(*span)) else {
                continue;
            };
            if seen.insert(span) {
                found.push(WrittenPath {
                    span,
                    text: text.text.to_string(),
                    from: StartsFrom::Beside(root.to_owned()),
                    target: join_clean(dir, &text.text),
                    shows: SHOWN,
                    is_part: false,
                });
            }
        }
    }
}
