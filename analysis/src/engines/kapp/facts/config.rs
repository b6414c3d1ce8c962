//! kapp's Config resources: bindings of groups and rules (kapp, Config and matchers).

use super::decode::{Fields, Struct, Type, field_of, first_fault, json_kind};
use super::places::Places;
use super::{Text, text_of};
use crate::engines::kapp::matcher::{Matcher, PathPart};
use crate::syntax::yaml::Node;
use crate::syntax::yaml::dialect::goyaml::{self, Value};

/// A Config, as far as the order hangs on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Config {
    /// Its `kind`, with the place of the value or of the document.
    pub(crate) kind: Text,
    /// `apiVersion`.
    pub(crate) api_version: Text,
    /// `metadata.name`, for messages.
    pub(crate) name: Box<str>,
    /// `minimumRequiredVersion`.
    pub(crate) minimum: Option<Text>,
    /// The first value of a wrong type, in Go's words behind `while decoding JSON: `, and its place.
    pub(crate) type_fault: Option<Text>,
    /// What is wrong with the first wrong rebase rule.
    pub(crate) rebase_fault: Option<Text>,
    /// `changeGroupBindings`.
    pub(crate) groups: Vec<GroupBinding>,
    /// `changeRuleBindings`.
    pub(crate) rules: Vec<RuleBinding>,
    /// Keys that are no field, or in another case.
    pub(crate) odd_keys: Vec<OddKey>,
    /// Matcher entries with several fields: the ignored key, and the winner.
    pub(crate) several: Vec<(u32, Box<str>, Box<str>)>,
    /// Matcher entries without a known field.
    pub(crate) empty_matchers: Vec<u32>,
}

/// A key of a Config that is no field, or a field in another case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OddKey {
    /// The key.
    pub(crate) key: Text,
    /// The field in its documented case, where the key differs in case only.
    pub(crate) canonical: Option<Box<str>>,
    /// The known fields there.
    pub(crate) known: Vec<Box<str>>,
}

/// An entry of `changeGroupBindings`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GroupBinding {
    /// The group's name, with placeholders.
    pub(crate) name: Text,
    /// The entry.
    pub(crate) place: u32,
    /// What it applies to.
    pub(crate) matchers: Vec<Matcher>,
}

/// An entry of `changeRuleBindings`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RuleBinding {
    /// The rules, with placeholders.
    pub(crate) rules: Vec<super::RuleText>,
    /// The entry.
    pub(crate) place: u32,
    /// `ignoreIfCyclical`.
    pub(crate) optional: bool,
    /// What it applies to.
    pub(crate) matchers: Vec<Matcher>,
}

const PACKAGE: &str = "config";

const MATCHERS: (&str, Type) = ("ResourceMatchers", Type::Structs(&MATCHER));

static NOTHING: Struct = Struct {
    name: "AllMatcher",
    package: PACKAGE,
    fields: &[],
};

static CUSTOM: Struct = Struct {
    name: "CustomResourceMatcher",
    package: PACKAGE,
    fields: &[],
};

static ANY: Struct = Struct {
    name: "AnyMatcher",
    package: PACKAGE,
    fields: &[("Matchers", Type::Structs(&MATCHER))],
};

static AND: Struct = Struct {
    name: "AndMatcher",
    package: PACKAGE,
    fields: &[("Matchers", Type::Structs(&MATCHER))],
};

static NOT: Struct = Struct {
    name: "NotMatcher",
    package: PACKAGE,
    fields: &[("Matcher", Type::Struct(&MATCHER))],
};

static GROUP_KIND: Struct = Struct {
    name: "APIGroupKindMatcher",
    package: PACKAGE,
    fields: &[("apiGroup", Type::Text), ("Kind", Type::Text)],
};

static VERSION_KIND: Struct = Struct {
    name: "APIVersionKindMatcher",
    package: PACKAGE,
    fields: &[("apiVersion", Type::Text), ("Kind", Type::Text)],
};

static KIND_NAMESPACE_NAME: Struct = Struct {
    name: "KindNamespaceNameMatcher",
    package: PACKAGE,
    fields: &[
        ("Kind", Type::Text),
        ("Namespace", Type::Text),
        ("Name", Type::Text),
    ],
};

static HAS_ANNOTATION: Struct = Struct {
    name: "HasAnnotationMatcher",
    package: PACKAGE,
    fields: &[("Keys", Type::Texts)],
};

static HAS_NAMESPACE: Struct = Struct {
    name: "HasNamespaceMatcher",
    package: PACKAGE,
    fields: &[("Names", Type::Texts)],
};

static EMPTY_FIELD: Struct = Struct {
    name: "EmptyFieldMatcher",
    package: PACKAGE,
    fields: &[("Path", Type::Path)],
};

/// The fields of a matcher, in the order in which the first that is set wins.
static MATCHER: Struct = Struct {
    name: "ResourceMatcher",
    package: PACKAGE,
    fields: &[
        ("AllMatcher", Type::Struct(&NOTHING)),
        ("AnyMatcher", Type::Struct(&ANY)),
        ("AndMatcher", Type::Struct(&AND)),
        ("NotMatcher", Type::Struct(&NOT)),
        ("KindNamespaceNameMatcher", Type::Struct(&KIND_NAMESPACE_NAME)),
        ("APIGroupKindMatcher", Type::Struct(&GROUP_KIND)),
        ("apiVersionKindMatcher", Type::Struct(&VERSION_KIND)),
        ("HasAnnotationMatcher", Type::Struct(&HAS_ANNOTATION)),
        ("HasNamespaceMatcher", Type::Struct(&HAS_NAMESPACE)),
        ("CustomResourceMatcher", Type::Struct(&CUSTOM)),
        ("EmptyFieldMatcher", Type::Struct(&EMPTY_FIELD)),
    ],
};

static GROUP_BINDING: Struct = Struct {
    name: "ChangeGroupBinding",
    package: PACKAGE,
    fields: &[("Name", Type::Text), MATCHERS],
};

static RULE_BINDING: Struct = Struct {
    name: "ChangeRuleBinding",
    package: PACKAGE,
    fields: &[("Rules", Type::Texts), ("IgnoreIfCyclical", Type::Flag), MATCHERS],
};

static REBASE: Struct = Struct {
    name: "RebaseRule",
    package: PACKAGE,
    fields: &[
        MATCHERS,
        ("Path", Type::Path),
        ("Paths", Type::Paths),
        ("Type", Type::Text),
        ("Sources", Type::Texts),
        ("Ytt", Type::Struct(&REBASE_YTT)),
    ],
};

static REBASE_YTT: Struct = Struct {
    name: "RebaseRuleYtt",
    package: PACKAGE,
    fields: &[("overlayContractV1", Type::Struct(&OVERLAY))],
};

static OVERLAY: Struct = Struct {
    name: "RebaseRuleYttOverlayContractV1",
    package: PACKAGE,
    fields: &[("overlay.yml", Type::Text)],
};

static WAIT: Struct = Struct {
    name: "WaitRule",
    package: PACKAGE,
    fields: &[
        ("SupportsObservedGeneration", Type::Flag),
        ("ConditionMatchers", Type::Structs(&CONDITION)),
        MATCHERS,
        ("Ytt", Type::Struct(&WAIT_YTT)),
    ],
};

static WAIT_YTT: Struct = Struct {
    name: "WaitRuleYtt",
    package: PACKAGE,
    fields: &[("funcContractV1", Type::Struct(&FUNC))],
};

static FUNC: Struct = Struct {
    name: "FuncContractV1",
    package: PACKAGE,
    fields: &[("resource.star", Type::Text)],
};

static CONDITION: Struct = Struct {
    name: "WaitRuleConditionMatcher",
    package: PACKAGE,
    fields: &[
        ("Type", Type::Text),
        ("Status", Type::Text),
        ("Failure", Type::Flag),
        ("Success", Type::Flag),
        ("SupportsObservedGeneration", Type::Flag),
        ("UnblockChanges", Type::Flag),
    ],
};

static OWNERSHIP: Struct = Struct {
    name: "OwnershipLabelRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path)],
};

static SCOPING: Struct = Struct {
    name: "LabelScopingRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path), ("isDefault", Type::Flag)],
};

static TEMPLATE: Struct = Struct {
    name: "TemplateRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("AffectedResources", Type::Struct(&AFFECTED))],
};

static AFFECTED: Struct = Struct {
    name: "TemplateAffectedResources",
    package: PACKAGE,
    fields: &[("ObjectReferences", Type::Structs(&OBJECT_REF))],
};

static OBJECT_REF: Struct = Struct {
    name: "TemplateAffectedObjRef",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path), ("nameKey", Type::Text)],
};

static DIFF_MASK: Struct = Struct {
    name: "DiffMaskRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path)],
};

static LAST_APPLIED: Struct = Struct {
    name: "DiffAgainstLastAppliedFieldExclusionRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path)],
};

static EXISTING: Struct = Struct {
    name: "DiffAgainstExistingFieldExclusionRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path)],
};

static CONFIG: Struct = Struct {
    name: "Config",
    package: PACKAGE,
    fields: &[
        ("apiVersion", Type::Text),
        ("Kind", Type::Text),
        ("minimumRequiredVersion", Type::Text),
        ("RebaseRules", Type::Structs(&REBASE)),
        ("WaitRules", Type::Structs(&WAIT)),
        ("OwnershipLabelRules", Type::Structs(&OWNERSHIP)),
        ("LabelScopingRules", Type::Structs(&SCOPING)),
        ("TemplateRules", Type::Structs(&TEMPLATE)),
        ("DiffMaskRules", Type::Structs(&DIFF_MASK)),
        ("AdditionalLabels", Type::TextMap),
        (
            "DiffAgainstLastAppliedFieldExclusionRules",
            Type::Structs(&LAST_APPLIED),
        ),
        ("DiffAgainstExistingFieldExclusionRules", Type::Structs(&EXISTING)),
        ("ChangeGroupBindings", Type::Structs(&GROUP_BINDING)),
        ("ChangeRuleBindings", Type::Structs(&RULE_BINDING)),
    ],
};

/// Fields of a Config that no order hangs on, or that are not Config's own.
const KNOWN_ELSEWHERE: [&str; 2] = ["metadata", "preflightRules"];

/// How deep matchers may be nested; what YAML writes can only be deeper through aliases.
const MAX_DEPTH: usize = 200;

/// The documented spelling of a field.
fn canonical(name: &str) -> Box<str> {
    if let Some(rest) = name.strip_prefix("API") {
        return format!("api{rest}").into();
    }
    let mut chars = name.chars();
    chars
        .next()
        .map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
        .into()
}

pub(super) fn read(root: Node<'_>, places: &mut Places<'_>) -> Config {
    let fields = Fields::of(root);
    let head = places.add(root.span());
    // These two are read without regard to what Go's decoding would make of them.
    let own = |name: &str, places: &mut Places<'_>| {
        let found = goyaml::fields(root);
        match found
            .iter()
            .find(|f| f.name == name)
            .map(|f| (f.decoded(), f.value))
        {
            Some((Value::Str(text), node)) => text_of(&text, places.add(node.span())),
            Some((_, node)) => text_of("", places.add(node.span())),
            None => text_of("", head),
        }
    };
    let mut config = Config {
        kind: own("kind", places),
        api_version: own("apiVersion", places),
        ..Config::default()
    };
    config.minimum = fields
        .text("minimumRequiredVersion")
        .map(|(text, node)| text_of(&text, places.add(node.span())));
    config.type_fault = first_fault(root, &CONFIG).map(|fault| {
        let prefix = if fault.message.starts_with("Unknown") {
            ""
        } else {
            "json: "
        };
        text_of(
            &format!("{prefix}{}", fault.message),
            places.add(fault.node.span()),
        )
    });
    config.rebase_fault = fields
        .items("RebaseRules")
        .into_iter()
        .enumerate()
        .find_map(|(i, node)| Some((i, node, rebase_fault(node)?)))
        .map(|(i, node, fault)| {
            text_of(
                &format!("Validating rebase rule {i}: {fault}"),
                places.add(node.span()),
            )
        });
    for node in fields.items("ChangeGroupBindings") {
        let binding = Fields::of(node);
        let place = places.add(node.span());
        let name = match binding.text("Name") {
            Some((text, at)) => text_of(&text, places.add(at.span())),
            None => text_of("", place),
        };
        let matchers = matchers(&binding.items("ResourceMatchers"), &mut config, places, 0);
        config.groups.push(GroupBinding {
            name,
            place,
            matchers,
        });
    }
    for node in fields.items("ChangeRuleBindings") {
        let binding = Fields::of(node);
        let place = places.add(node.span());
        let rules = binding
            .items("Rules")
            .into_iter()
            .map(|rule| {
                let text = goyaml::value(rule).into_text().unwrap_or_default();
                super::RuleText::read(&text, rule, places)
            })
            .collect();
        let optional = matches!(
            binding.get("IgnoreIfCyclical").map(goyaml::Field::decoded),
            Some(Value::Bool(true))
        );
        let matchers = matchers(&binding.items("ResourceMatchers"), &mut config, places, 0);
        config.rules.push(RuleBinding {
            rules,
            place,
            optional,
            matchers,
        });
    }
    odd_keys(root, &mut config, places);
    config
}

fn rebase_fault(node: Node<'_>) -> Option<&'static str> {
    let fields = Fields::of(node);
    let some = |name: &str| match fields.get(name).map(goyaml::Field::decoded) {
        Some(Value::Str(text)) => !text.is_empty(),
        Some(Value::Seq(list)) => list.items().next().is_some(),
        Some(_) => true,
        None => false,
    };
    if fields.get("Ytt").is_some() {
        let mixed = ["Path", "Paths", "Type", "Sources"].into_iter().any(some);
        return mixed.then_some("Expected only resourceMatchers specified with ytt configuration");
    }
    match (some("Path"), some("Paths")) {
        (true, true) => Some("Expected only one of path or paths specified"),
        (false, false) => Some("Expected either path or paths to be specified"),
        _ => None,
    }
}

fn matchers(nodes: &[Node<'_>], config: &mut Config, places: &mut Places<'_>, depth: usize) -> Vec<Matcher> {
    nodes
        .iter()
        .map(|node| matcher(*node, config, places, depth))
        .collect()
}

fn matcher(node: Node<'_>, config: &mut Config, places: &mut Places<'_>, depth: usize) -> Matcher {
    let fields = Fields::of(node);
    let mut set = MATCHER
        .fields
        .iter()
        .filter_map(|(name, _)| Some((*name, fields.get(name)?)));
    let winner = set.next();
    let Some((name, field)) = winner.filter(|_| depth < MAX_DEPTH) else {
        config.empty_matchers.push(places.add(node.span()));
        return Matcher::Unknown;
    };
    for (_, ignored) in set {
        let place = places.add(ignored.key.span());
        config
            .several
            .push((place, ignored.name.as_ref().into(), canonical(name)));
    }
    let inner = Fields::of(field.value);
    let text = |name: &str| -> Box<str> { inner.text(name).map(|(t, _)| t.into()).unwrap_or_default() };
    let texts = |name: &str| -> Vec<Box<str>> {
        inner
            .items(name)
            .into_iter()
            .map(|n| goyaml::text(n).unwrap_or_default().into())
            .collect()
    };
    match name {
        "AllMatcher" => Matcher::All,
        "AnyMatcher" => Matcher::Any(matchers(&inner.items("Matchers"), config, places, depth + 1)),
        "AndMatcher" => Matcher::And(matchers(&inner.items("Matchers"), config, places, depth + 1)),
        "NotMatcher" => {
            let negated = match inner.get("Matcher") {
                Some(field) => matcher(field.value, config, places, depth + 1),
                None => {
                    config.empty_matchers.push(places.add(field.value.span()));
                    Matcher::Unknown
                }
            };
            Matcher::Not(Box::new(negated))
        }
        "KindNamespaceNameMatcher" => {
            Matcher::KindNamespaceName(text("Kind"), text("Namespace"), text("Name"))
        }
        "APIGroupKindMatcher" => Matcher::ApiGroupKind(text("apiGroup"), text("Kind")),
        "apiVersionKindMatcher" => Matcher::ApiVersionKind(text("apiVersion"), text("Kind")),
        "HasAnnotationMatcher" => Matcher::HasAnnotation(texts("Keys")),
        "HasNamespaceMatcher" => Matcher::HasNamespace(texts("Names")),
        "CustomResourceMatcher" => Matcher::CustomResource,
        _ => Matcher::EmptyField(inner.items("Path").into_iter().map(path_part).collect()),
    }
}

fn path_part(node: Node<'_>) -> PathPart {
    match goyaml::value(node) {
        Value::Str(key) => PathPart::Key(key.into()),
        // Go decodes null into an empty string.
        Value::Null => PathPart::Key("".into()),
        Value::Map(_) => {
            let fields = Fields::of(node);
            if fields.get("allIndexes").is_some() {
                return PathPart::All;
            }
            match fields.get("Index").map(goyaml::Field::decoded) {
                Some(Value::Int(index)) => usize::try_from(index).map_or(PathPart::Unknown, PathPart::Index),
                _ => PathPart::Unknown,
            }
        }
        _ => PathPart::Unknown,
    }
}

/// Collects the keys of the parts the order hangs on that are no fields.
fn odd_keys(root: Node<'_>, config: &mut Config, places: &mut Places<'_>) {
    let mut stack: Vec<(Node<'_>, &'static Struct, usize)> = vec![(root, &CONFIG, 0)];
    let mut found: Vec<OddKey> = Vec::new();
    while let Some((node, schema, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            continue;
        }
        for field in Fields::of(node).iter() {
            let Some((name, ty)) = field_of(schema, &field.name) else {
                if depth == 0 && KNOWN_ELSEWHERE.contains(&&*field.name) {
                    continue;
                }
                found.push(OddKey {
                    key: text_of(&field.name, places.add(field.key.span())),
                    canonical: None,
                    known: schema.fields.iter().map(|(n, _)| canonical(n)).collect(),
                });
                continue;
            };
            let want = canonical(name);
            if *want != *field.name {
                found.push(OddKey {
                    key: text_of(&field.name, places.add(field.key.span())),
                    canonical: Some(want),
                    known: Vec::new(),
                });
            }
            match (ty, field.decoded()) {
                (Type::Struct(inner), Value::Map(map)) => stack.push((map, inner, depth + 1)),
                (Type::Structs(inner), Value::Seq(list)) => {
                    for item in list.items() {
                        stack.push((item, inner, depth + 1));
                    }
                }
                _ => {}
            }
        }
    }
    found.sort_by_key(|odd| odd.key.place);
    config.odd_keys = found;
}

/// What stands under `data."config.yml"` of a ConfigMap that is labelled as Config.
pub(super) fn wrong_data(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Str(_) => None,
        other => Some(json_kind(other).to_owned()),
    }
}
