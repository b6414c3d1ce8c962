//! The ranges that contain an offset, each inside the next: what a selection grows to.

use crate::workspace::Analysis;
use applyorder_core::diagnostic::FileId;
use applyorder_syntax::text::Span;

/// The spans that enclose an offset, innermost first, each larger than the one before; empty in a file that
/// belongs to no project.
#[must_use]
pub fn selections(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Span> {
    if analysis.projects_of(file).is_empty() {
        return Vec::new();
    }
    let mut spans = analysis.enclosing(file, offset);
    spans.reverse();
    let mut grown: Vec<Span> = Vec::new();
    for span in spans.into_iter().filter(|span| !span.is_empty()) {
        match grown.last() {
            None => grown.push(span),
            Some(last) => {
                let span = last.cover(span);
                if span != *last {
                    grown.push(span);
                }
            }
        }
    }
    grown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn shown(text: &str) -> Vec<String> {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = selections(&fixture.analysis, fixture.file, fixture.offset);
        let text = fixture.text(fixture.file);
        found.iter().map(|span| span.slice(text).to_owned()).collect()
    }

    #[test]
    fn each_contains_the_one_before() {
        let found = shown("//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: a, dependsOn: [$0bc]}\n");
        assert_eq!(found.first().map(String::as_str), Some("bc"));
        assert_eq!(found.get(1).map(String::as_str), Some("[bc]"));
        assert!(
            found.contains(&"{name: a, dependsOn: [bc]}".to_owned()),
            "{found:?}"
        );
        assert!(found.is_sorted_by_key(String::len));
        for (list, expected) in [
            ("&$0l [bc]", ["&l [bc]", "NODE"]),
            ("$0&l [bc]", ["&l [bc]", "NODE"]),
            ("&l $0[bc]", ["[bc]", "&l [bc]"]),
            ("[&l$0 bc]", ["&l bc", "[&l bc]"]),
            ("[!!str $0bc]", ["bc", "!!str bc"]),
            ("*$0l", ["*l", "NODE"]),
        ] {
            let found = shown(&format!(
                "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - dependsOn: {list}\n"
            ));
            let whole = format!("dependsOn: {}", list.replace("$0", ""));
            let expected = expected.map(|part| if part == "NODE" { &whole } else { part });
            assert_eq!(found.get(..2), Some(&expected.map(str::to_owned)[..]), "{list}");
        }
        let stack = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- /w/a/stack.tm\nstack {\n  \
                     after = [\"/$0b\"]\n}\n";
        let found = shown(stack);
        assert_eq!(found.first().map(String::as_str), Some("\"/b\""));
        assert_eq!(found.get(2).map(String::as_str), Some("after = [\"/b\"]"));
    }
}
