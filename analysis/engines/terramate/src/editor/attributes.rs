//! The attributes of a `stack` block: what each is for, and which can be added.

use applyorder_core::engine::{Completion, CompletionKind};
use applyorder_syntax::hcl::{self, Block, Tree};
use applyorder_syntax::text::Span;

/// The type of a block that declares a stack.
const STACK: &str = "stack";

/// What Terramate reads in a `stack` block, except what bundles write there.
const ATTRIBUTES: [(&str, &str); 9] = [
    (
        "name",
        "The name that is shown. Order and references use the directory.",
    ),
    ("description", "What the stack is for."),
    (
        "id",
        "The stack's identity in the whole project, also after it moved: at most 64 letters, digits, `_` and `-`.",
    ),
    (
        "tags",
        "What filters select the stack by: `--tags`, and `tag:` in `after`, `before`, `wants` and `wanted_by`.",
    ),
    (
        "after",
        "Stacks that run before this one: directories, or filters of tags (`tag:network`).",
    ),
    (
        "before",
        "Stacks that run after this one: directories, or filters of tags (`tag:apps`).",
    ),
    (
        "wants",
        "Stacks that `terramate run` selects as well when it selects this one. It orders nothing.",
    ),
    (
        "wanted_by",
        "Stacks whose selection by `terramate run` selects this one as well. It orders nothing.",
    ),
    (
        "watch",
        "Files elsewhere whose changes make this stack a changed one. It orders nothing.",
    ),
];

/// The purpose of the attribute whose name is at an offset, with its name.
pub(crate) fn field(text: &str, offset: u32) -> Option<(Span, String)> {
    let tree = hcl::parse(text);
    let block = stack_around(&tree, offset)?;
    let attribute = block
        .body()
        .attributes()
        .find(|a| a.name_span().touches(offset))?;
    let (name, meaning) = ATTRIBUTES.iter().find(|(name, _)| *name == attribute.name())?;
    Some((attribute.name_span(), format!("**{name}**\n\n{meaning}")))
}

/// The attributes that the `stack` block around an offset lacks, if the name of one is being typed there.
pub(super) fn complete(text: &str, offset: u32) -> Option<Vec<Completion>> {
    let word = word_at(text, offset)?;
    let tree = hcl::parse(text);
    let unclosed = || {
        tree.unclosed_block(text, offset)
            .filter(|block| block.kind() == STACK)
    };
    let block = stack_around(&tree, offset).or_else(unclosed)?;
    let is_assigned = text
        .get(word.end as usize..)
        .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('='));
    let is_around = |span: Span| span.start < word.start && word.start < span.end;
    if block.body().attributes().any(|a| is_around(a.span())) {
        return None;
    }
    let others: Vec<&str> = block
        .body()
        .attributes()
        .filter(|a| a.name_span() != word)
        .map(|a| a.name())
        .collect();
    let missing = ATTRIBUTES.iter().filter(|(name, _)| !others.contains(name));
    let completion = |(name, meaning): &(&str, &str)| Completion {
        label: (*name).to_owned(),
        span: word,
        insert: (!is_assigned).then(|| format!("{name} = ")),
        detail: Some((*meaning).to_owned()),
        kind: CompletionKind::Field,
        joins: None,
    };
    Some(missing.map(completion).collect())
}

/// The `stack` block whose body an offset is in.
fn stack_around(tree: &Tree, offset: u32) -> Option<Block<'_>> {
    let is_in = |body: Span| body.start < offset && offset < body.end;
    let found = |block: &Block<'_>| block.kind() == STACK && is_in(block.body_span());
    tree.body().blocks().find(found)
}

/// The word at an offset, which may be empty, if only a brace precedes it on its line.
fn word_at(text: &str, offset: u32) -> Option<Span> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let (before, behind) = (text.get(..offset as usize)?, text.get(offset as usize..)?);
    let start = before.trim_end_matches(is_part).len();
    let end = text.len() - behind.trim_start_matches(is_part).len();
    let line = before.get(..start)?.rsplit('\n').next()?.trim();
    (line.is_empty() || line.ends_with('{')).then(|| Span::from_usize(start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> (String, u32) {
        let offset = text.find('|').unwrap();
        (text.replacen('|', "", 1), u32::try_from(offset).unwrap())
    }

    fn offered(text: &str) -> Option<Vec<String>> {
        let (text, offset) = marked(text);
        let found = complete(&text, offset)?;
        let shown = |c: Completion| c.insert.unwrap_or(c.label);
        Some(found.into_iter().map(shown).collect())
    }

    #[test]
    fn what_the_block_has_not_is_offered() {
        let all: Vec<String> = ATTRIBUTES.iter().map(|(name, _)| format!("{name} = ")).collect();
        assert_eq!(offered("stack {\n  |\n}\n").as_ref(), Some(&all));
        assert_eq!(offered("stack { | }\n").as_ref(), Some(&all));
        let rest = offered("stack {\n  name = \"a\"\n  wan|\n  after = [\"/b\"]\n}\n").unwrap();
        assert!(rest.contains(&"wanted_by = ".to_owned()), "{rest:?}");
        assert!(
            !rest
                .iter()
                .any(|name| name.starts_with("name") || name.starts_with("after")),
            "{rest:?}"
        );
        assert_eq!(offered("stack {\n  |").as_ref(), Some(&all), "not closed yet");
        assert_eq!(offered("stack {\n  a|\n\nglobals {\n}\n").as_ref(), Some(&all));
        assert!(
            offered("stack {\n  wan| = []\n}\n")
                .unwrap()
                .contains(&"wants".to_owned())
        );
    }

    #[test]
    fn elsewhere_nothing_is() {
        for text in [
            "|",
            "sta|\n",
            "stack |{\n}\n",
            "globals {\n  |\n}\n",
            "stack {\n  name = |\n}\n",
            "stack {\n  after = [\n    |\n  ]\n}\n",
            "stack {\n}\n|\n",
            "stack {\n}\n  |\n",
            "stack {\n\nglo|",
            "stack {\n\nglobals {\n  |",
        ] {
            assert_eq!(offered(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_says_what_it_is_for() {
        let said = |text: &str| {
            let (text, offset) = marked(text);
            let (span, markdown) = field(&text, offset)?;
            Some((span.slice(&text).to_owned(), markdown))
        };
        let (name, text) = said("stack {\n  wan|ts = [\"/a\"]\n}\n").unwrap();
        assert_eq!(name, "wants");
        assert!(text.contains("orders nothing"), "{text}");
        assert_eq!(said("stack {\n  wants = [\"/|a\"]\n}\n"), None);
        assert_eq!(said("stack {\n  unheard| = 1\n}\n"), None);
        assert_eq!(said("globals {\n  after| = 1\n}\n"), None);
    }
}
