//! The annotations and the fields of a Config that concern the order, and the purpose of each.

use std::borrow::Cow;

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{EngineIx, View};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::context::{self, Context};

use crate::read::{CONFIG_VERSION, KappFacts};

/// A key, its purpose, and the keys below it.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    inner: &'static [Field],
    /// Whether the keys below it are those of a list's items.
    is_list: bool,
}

impl Field {
    /// Whether the key may be repeated, with a suffix after a dot.
    pub(super) fn may_continue(&self) -> bool {
        self.name.contains("/change-")
    }
}

const fn field(name: &'static str, meaning: &'static str) -> Field {
    Field {
        name,
        meaning,
        inner: &[],
        is_list: false,
    }
}

const fn object(name: &'static str, meaning: &'static str, inner: &'static [Field]) -> Field {
    Field {
        name,
        meaning,
        inner,
        is_list: false,
    }
}

const fn list(name: &'static str, meaning: &'static str, inner: &'static [Field]) -> Field {
    Field {
        name,
        meaning,
        inner,
        is_list: true,
    }
}

/// The keys of annotations.
pub(super) static ANNOTATIONS: [Field; 8] = [
    field("kapp.k14s.io/change-group", "adds the resource to a change group"),
    field(
        "kapp.k14s.io/change-rule",
        "orders the resource against a change group",
    ),
    field(
        "kapp.k14s.io/disable-default-change-group-and-rules",
        "disables most default rules",
    ),
    field("kapp.k14s.io/exists", "waits until something else creates it"),
    field("kapp.k14s.io/noop", "never changed by kapp"),
    field("kapp.k14s.io/versioned", "a new name for every change of content"),
    field(
        "kapp.k14s.io/versioned-keep-original",
        "keeps an unversioned copy as well",
    ),
    field(
        "kapp.k14s.io/disable-wait",
        "dependents do not wait until it is ready",
    ),
];

const MATCHERS: Field = list(
    "resourceMatchers",
    "the resources that the binding is of: those that any of these match; without them it never applies",
    &MATCHER,
);

static CONFIG: [Field; 5] = [
    field("apiVersion", "`kapp.k14s.io/v1alpha1`"),
    field("kind", "`Config`"),
    field("minimumRequiredVersion", "the oldest kapp that takes this Config"),
    list(
        "changeGroupBindings",
        "change groups, and which resources are in them",
        &GROUP_BINDING,
    ),
    list(
        "changeRuleBindings",
        "change rules, and which resources follow them",
        &RULE_BINDING,
    ),
];

static GROUP_BINDING: [Field; 2] = [field("name", "the name of the change group"), MATCHERS];

static RULE_BINDING: [Field; 3] = [
    field("rules", "the rules, each as the annotation has it"),
    field(
        "ignoreIfCyclical",
        "drops the rule where it would close a cycle; `false` by default",
    ),
    MATCHERS,
];

/// By precedence: the first that is set wins.
static MATCHER: [Field; 11] = [
    field("allMatcher", "every resource"),
    object(
        "anyMatcher",
        "resources that at least one of the matchers matches",
        &MATCHER_LIST,
    ),
    object(
        "andMatcher",
        "resources that all of the matchers match",
        &MATCHER_LIST,
    ),
    object(
        "notMatcher",
        "resources that the matcher does not match",
        &ONE_MATCHER,
    ),
    object(
        "kindNamespaceNameMatcher",
        "the resource of a kind, namespace and name; what is not set is empty",
        &KIND_NAMESPACE_NAME,
    ),
    object(
        "apiGroupKindMatcher",
        "resources of an API group and kind",
        &GROUP_KIND,
    ),
    object(
        "apiVersionKindMatcher",
        "resources of an API version and kind",
        &VERSION_KIND,
    ),
    object(
        "hasAnnotationMatcher",
        "resources that have all of the annotations",
        &ANNOTATION_KEYS,
    ),
    object(
        "hasNamespaceMatcher",
        "resources in one of the namespaces, or in any where none is named",
        &NAMESPACES,
    ),
    field(
        "customResourceMatcher",
        "resources whose API group is not one of Kubernetes itself",
    ),
    object(
        "emptyFieldMatcher",
        "resources in which a field is missing or empty",
        &FIELD_PATH,
    ),
];

static MATCHER_LIST: [Field; 1] = [list("matchers", "the matchers", &MATCHER)];
static ONE_MATCHER: [Field; 1] = [object("matcher", "the matcher", &MATCHER)];
static KIND_NAMESPACE_NAME: [Field; 3] = [
    field("kind", "the kind"),
    field("namespace", "the namespace"),
    field("name", "the name"),
];
static GROUP_KIND: [Field; 2] = [field("apiGroup", "the API group"), field("kind", "the kind")];
static VERSION_KIND: [Field; 2] = [field("apiVersion", "the API version"), field("kind", "the kind")];
static ANNOTATION_KEYS: [Field; 1] = [field("keys", "the keys of the annotations")];
static NAMESPACES: [Field; 1] = [field("names", "the namespaces")];
static FIELD_PATH: [Field; 1] = [field("path", "the keys that lead to the field")];

/// The keys of a mapping.
pub(super) struct Keys {
    pub(super) known: &'static [Field],
    /// Whether the mapping is an item of a list.
    pub(super) of_item: bool,
}

/// The keys that the mapping around a cursor may have; `None` if none of them concerns the order.
pub(super) fn around(facts: &KappFacts, context: &Context, offset: u32) -> Option<Keys> {
    if context.value {
        return None;
    }
    let mut path = context.path.iter().map(String::as_str).peekable();
    path.next_if_eq(&"items");
    let path: Vec<&str> = path.collect();
    if path == ["metadata", "annotations"] {
        return Some(Keys {
            known: &ANNOTATIONS,
            of_item: false,
        });
    }
    let (_, document) = facts.document_at(offset)?;
    let is_config = |r: &crate::read::Resource| &*r.api_version.value == CONFIG_VERSION;
    let mut known: &'static [Field] = document.resources.iter().any(is_config).then_some(&CONFIG)?;
    let mut of_item = false;
    for key in path {
        let field = find(known, key)?;
        (known, of_item) = (field.inner, field.is_list);
    }
    (!known.is_empty()).then_some(Keys { known, of_item })
}

/// The field of a key, as kapp reads it: annotations may continue after a dot, and the case of a Config's keys
/// is ignored.
fn find(fields: &'static [Field], key: &str) -> Option<&'static Field> {
    let is_meant = |field: &&Field| {
        let continued = key
            .strip_prefix(field.name)
            .is_some_and(|rest| rest.starts_with('.'));
        field.name.eq_ignore_ascii_case(key) || (continued && field.may_continue())
    };
    fields.iter().find(is_meant)
}

/// The purpose of the key at an offset, with the key.
pub(crate) fn meaning(
    analysis: &dyn View,
    engine: EngineIx,
    file: FileId,
    offset: u32,
) -> Option<(Span, String)> {
    let facts = analysis.facts_as::<KappFacts>(file, engine)?;
    let text = &analysis.source(file)?.text;
    let context = context::at(text, offset)?;
    let behind = text
        .get(context.word.end as usize..)?
        .trim_start_matches(['"', '\'']);
    let field = find(around(facts, &context, offset)?.known, context.word.slice(text))?;
    let said = || {
        (
            context.word,
            format!("**{}**\n\n{}", field.name, sentence(field.meaning)),
        )
    };
    behind.starts_with(':').then(said)
}

fn sentence(meaning: &str) -> Cow<'_, str> {
    let mut rest = meaning.chars();
    match rest.next() {
        Some(first) if first.is_lowercase() => {
            Cow::Owned(format!("{}{}.", first.to_uppercase(), rest.as_str()))
        }
        _ => Cow::Borrowed(meaning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::config_field;
    use applyorder_analysis::fixture::Fixture;
    use applyorder_analysis::ide::hover::hover;

    #[test]
    fn every_field_of_a_config_is_one_of_kapps() {
        let mut open: Vec<(Vec<&str>, &[Field])> = vec![(Vec::new(), &CONFIG)];
        let mut seen = 0;
        while let Some((path, fields)) = open.pop() {
            for field in fields {
                let below: Vec<&str> = path.iter().copied().chain([field.name]).collect();
                assert!(config_field(&below), "{below:?}");
                seen += 1;
                // Matchers contain matchers.
                if below.len() < 6 {
                    open.push((below, field.inner));
                }
            }
        }
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn a_key_says_what_it_is_for() {
        for (text, part) in [
            (
                "kind: Config\napiVersion: kapp.k14s.io/v1alpha1\nchangeRuleBindings:\n- ignore$0IfCyclical: true\n  rules: []\n",
                "where it would close a cycle",
            ),
            (
                "kind: Config\napiVersion: kapp.k14s.io/v1alpha1\nchangeGroupBindings:\n- name: g\n  resourceMatchers:\n  - notMatcher:\n      matcher: {all$0Matcher: {}}\n",
                "Every resource.",
            ),
            (
                "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n  annotations:\n    kapp.k14s.io/ex$0ists: \"\"\n    kapp.k14s.io/change-group: g\n",
                "Waits until something else creates it.",
            ),
        ] {
            let tree = format!(
                "//- /w/applyorder.toml\n[[kapp.app]]\nname = \"a\"\nfiles = [\"a.yaml\"]\n//- /w/a.yaml\n{text}"
            );
            let fixture = Fixture::new(crate::ALONE, &tree);
            let shown =
                hover(&fixture.analysis, fixture.file, fixture.offset).unwrap_or_else(|| panic!("{text}"));
            assert!(shown.markdown.contains(part), "{}", shown.markdown);
        }
    }
}
