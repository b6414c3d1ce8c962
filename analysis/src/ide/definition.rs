//! Where something is declared: from a dependency to the units it refers to, from a path to its file, from a
//! reference to a symbol to the symbol's declaration.

use camino::Utf8PathBuf;

use super::{FileSpan, declared_at, subject, unit};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_syntax::text::Span;

/// Where to navigate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Destination {
    /// A place in a file.
    Place(FileSpan),
    /// A file as a whole, by its absolute path.
    File(Utf8PathBuf),
}

/// The destinations of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The source text of the navigation.
    pub span: Span,
    /// The destinations, each once.
    pub destinations: Vec<Destination>,
}

/// The destinations of the text at an offset. A unit's own name leads to itself, as editors expect.
#[must_use]
pub fn definition(analysis: &Analysis, file: FileId, offset: u32) -> Option<Definition> {
    let subjects = subject::at(analysis, file, offset);
    let span = subjects.iter().map(|s| s.span).min_by_key(|s| s.len())?;
    let mut destinations = Vec::new();
    for subject in subjects.iter().filter(|s| s.span == span) {
        for link in subject.links() {
            if analysis
                .file(&link.target)
                .is_some_and(|f| analysis.source(f).is_some())
            {
                destinations.push(Destination::File(link.target.to_path_buf()));
            }
        }
        let declared: Vec<_> = subject
            .symbols()
            .flat_map(|symbol| &symbol.definitions)
            .copied()
            .collect();
        // A reference to a symbol also means its members; the destination is the name itself, unless it is part
        // of what is referred to.
        let places = if declared.is_empty() || !subject.around.is_empty() {
            let mut places = subject.unit_places(analysis);
            // A name that is declared nowhere else means the units that have it.
            if let (true, Some(variant)) = (declared.is_empty(), subject.variants().first()) {
                let members = subject.symbols().flat_map(|symbol| &symbol.units);
                let members = members.filter_map(|member| unit(variant, *member));
                places.extend(members.map(|member| declared_at(analysis, member)));
            }
            places
        } else {
            let at = declared.into_iter().map(|place| FileSpan::of(analysis, place));
            at.collect()
        };
        destinations.extend(places.into_iter().map(Destination::Place));
    }
    let mut seen = rustc_hash::FxHashSet::default();
    destinations.retain(|d| seen.insert(d.clone()));
    Some(Definition { span, destinations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn check(text: &str, expected: &[&str]) {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = definition(&fixture.analysis, fixture.file, fixture.offset);
        let shown: Vec<String> = found
            .into_iter()
            .flat_map(|d| d.destinations)
            .map(|d| match d {
                Destination::Place(at) => fixture.show(at),
                Destination::File(path) => path.to_string(),
            })
            .collect();
        assert_eq!(shown, expected);
    }

    const TREE: &str = "\
//- /w/b.yaml
spec:
  manifests:
    - {name: b, type: kustomize, path: ./x, dependsOn: [a]}
//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: ./x
    - includes:
        - path: b.yaml
    - name: c
      type: kustomize
      path: ./x
      dependsOn: [\"b\", gone]
";

    #[test]
    fn a_dependency_leads_to_the_name_in_whatever_file() {
        check(&TREE.replace("\"b\"", "\"$0b\""), &["b.yaml:3 b"]);
        check(&TREE.replace("[a]", "[a$0]"), &["tazuna.yaml:3 a"]);
    }

    #[test]
    fn an_include_leads_to_the_file() {
        check(
            &TREE.replace("b.yaml\n    - name: c", "b.y$0aml\n    - name: c"),
            &["/w/b.yaml"],
        );
    }

    #[test]
    fn what_dangles_leads_nowhere() {
        check(&TREE.replace("gone", "go$0ne"), &[]);
        check(
            &TREE.replace(
                "type: kustomize\n      path: ./x\n    - inc",
                "type: kust$0omize\n      path: ./x\n    - inc",
            ),
            &[],
        );
    }
}
