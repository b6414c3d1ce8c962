//! kapp's Config resources: bindings of groups and rules (kapp, Config and matchers).

use super::config_rules::DiffRules;
use super::config_schema::{CONFIG, MATCHER};
use super::decode::{Fields, Struct, Type, field_of, first_fault, scalar_text, whole};
use super::places::Places;
use super::{Text, text_of};
use crate::grammar;
use crate::matcher::{Matcher, PathPart, size};
use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::goyaml::{self, Value};
use rustc_hash::FxHashMap;

/// A Config, as far as the order depends on it.
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
    /// The first value of a wrong type, as Go's message after `while decoding JSON: `, and its place.
    pub(crate) type_fault: Option<Text>,
    /// The error in the version or kind that Go decodes, if another spelling of the key replaces it.
    pub(crate) head_fault: Option<Text>,
    /// The error in the first invalid rebase rule.
    pub(crate) rebase_fault: Option<Text>,
    /// `changeGroupBindings`.
    pub(crate) groups: Vec<GroupBinding>,
    /// `changeRuleBindings`.
    pub(crate) rules: Vec<RuleBinding>,
    /// `templateRules`.
    pub(crate) templates: Vec<TemplateRule>,
    /// How resources are compared and labeled.
    pub(crate) diff: DiffRules,
    /// Keys that are not fields, or in another case.
    pub(crate) odd_keys: Vec<OddKey>,
    /// Why it is open what kapp reads, at the key that makes it so: another key of a list or mapping for the same
    /// field, because Go decodes both into one value, item by item; or a key `<<` that is not a merge, because it
    /// becomes one when kapp writes the Config and reads it again.
    pub(crate) merged: Option<Text>,
    /// Matcher entries with several fields: the ignored key, and the one that is used.
    pub(crate) several: Vec<(u32, Box<str>, Box<str>)>,
}

impl Config {
    /// The steps that matching one resource against it may take.
    pub(crate) fn cost(&self) -> u64 {
        let text = |text: &super::RuleText| text.value.len() as u64 / 16;
        let groups = self.groups.iter().map(|g| 1 + text(&g.name) + size(&g.matchers));
        let rules = self.rules.iter().map(|r| {
            let texts: u64 = r.rules.iter().map(text).sum();
            1 + texts + size(&r.matchers)
        });
        let references = |t: &TemplateRule| t.references.iter().map(|r| size(&r.matchers)).sum::<u64>();
        let templates = self.templates.iter().map(|t| size(&t.matchers) + references(t));
        let rebase = self
            .diff
            .rebase
            .iter()
            .map(|r| size(&r.matchers) + r.paths.len() as u64);
        let paths = self.diff.path_rules().map(|r| 1 + size(&r.matchers));
        let labels = self.diff.labels.len() as u64;
        groups
            .chain(rules)
            .chain(templates)
            .chain(rebase)
            .chain(paths)
            .sum::<u64>()
            + labels
    }

    /// How many placeholders are in its groups and rules.
    pub(crate) fn placeholders(&self) -> u64 {
        let groups = self.groups.iter().map(|g| &g.name);
        let texts = groups.chain(self.rules.iter().flat_map(|r| &r.rules));
        texts
            .map(|text| grammar::placeholders(&text.value).count() as u64)
            .sum()
    }

    /// Whether a binding or a template rule queries the value at a path.
    pub(crate) fn asks_for_fields(&self) -> bool {
        let groups = self.groups.iter().flat_map(|g| &g.matchers);
        let rules = self.rules.iter().flat_map(|r| &r.matchers);
        groups.chain(rules).any(Matcher::asks_for_fields)
    }
}

/// A key of a Config that is not a field, or a field in another case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OddKey {
    /// The key.
    pub(crate) key: Text,
    /// The field in its documented case, if the key differs in case only.
    pub(crate) canonical: Option<Box<str>>,
    /// The known fields there.
    pub(crate) known: Vec<Box<str>>,
    /// Whether another key there is the same field.
    pub(crate) is_repeated: bool,
}

/// An entry of `changeGroupBindings`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GroupBinding {
    /// The group's name, with placeholders.
    pub(crate) name: super::RuleText,
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

/// An entry of `templateRules`: references to some versioned resources.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TemplateRule {
    /// The versioned resources.
    pub(crate) matchers: Vec<Matcher>,
    /// Where references to them are.
    pub(crate) references: Vec<ObjectReference>,
}

/// Where a reference to a versioned resource is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObjectReference {
    /// The path to it.
    pub(crate) path: Vec<PathPart>,
    /// In which resources.
    pub(crate) matchers: Vec<Matcher>,
    /// The key of the name; empty for `name`.
    pub(crate) name_key: Box<str>,
}

/// Fields of a Config that the order does not depend on, or that are not Config's own.
const KNOWN_ELSEWHERE: [&str; 2] = ["metadata", "preflightRules"];

/// The maximum nesting of matchers; YAML text can only be deeper through aliases.
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
    // These two are read independently of the result of Go's decoding.
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
    config.type_fault = first_fault(root, &CONFIG, places).map(|fault| {
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
    let heads = [
        ("apiVersion", "version", super::CONFIG_VERSION),
        ("kind", "kind", "Config"),
    ];
    config.head_fault = heads.into_iter().find_map(|(key, what, known)| {
        let (_, node) = fields.text(key).filter(|(text, _)| **text != *known)?;
        let text = format!("Validating {key}: Unknown {what} (known: {known})");
        Some(text_of(&text, places.add(node.span())))
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
            Some((text, at)) => super::RuleText::group(&text, at, places),
            None => super::RuleText::absent(place),
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
                let text = scalar_text(goyaml::value(rule)).unwrap_or_default();
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
    config.templates = templates(&fields, places);
    config.diff = DiffRules::read(&fields, &mut config, places);
    odd_keys(root, &mut config, places);
    if let Some(key) = literal_merge(root, places) {
        let words = "literal key `<<`: what kapp makes of it in a Config is not followed";
        let text = text_of(words, places.add(key.span()));
        config.merged.get_or_insert(text);
    }
    config
}

fn templates(fields: &Fields<'_>, places: &mut Places<'_>) -> Vec<TemplateRule> {
    // Which fields their matchers ignore is not reported: errors in them matter only if something is versioned,
    // and are reported there.
    let mut unsaid = Config::default();
    let mut out = Vec::new();
    for node in fields.items("TemplateRules") {
        let rule = Fields::of(node);
        let mut references = Vec::new();
        let affected = rule.get("AffectedResources").map(|f| Fields::of(f.value));
        for node in affected.map_or_else(Vec::new, |f| f.items("ObjectReferences")) {
            let reference = Fields::of(node);
            references.push(ObjectReference {
                path: reference.items("Path").into_iter().map(path_part).collect(),
                matchers: matchers(&reference.items("ResourceMatchers"), &mut unsaid, places, 0),
                name_key: reference
                    .text("nameKey")
                    .map(|(t, _)| t.into())
                    .unwrap_or_default(),
            });
        }
        out.push(TemplateRule {
            matchers: matchers(&rule.items("ResourceMatchers"), &mut unsaid, places, 0),
            references,
        });
    }
    out
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

pub(super) fn matchers(
    nodes: &[Node<'_>],
    config: &mut Config,
    places: &mut Places<'_>,
    depth: usize,
) -> Vec<Matcher> {
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
    let Some((name, field)) = winner.filter(|_| depth < MAX_DEPTH && places.spend(1)) else {
        return Matcher::Unknown(places.add(node.span()));
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
                None => Matcher::Unknown(places.add(field.value.span())),
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
        _ => {
            let nodes = inner.items("Path");
            let path: Vec<PathPart> = nodes.iter().copied().map(path_part).collect();
            let broken = nodes.iter().zip(&path).find(|(_, part)| part.may_panic());
            let place = broken.map(|(node, _)| places.add(node.span()));
            Matcher::EmptyField(path, place)
        }
    }
}

pub(super) fn path_part(node: Node<'_>) -> PathPart {
    match goyaml::value(node) {
        Value::Str(key) => PathPart::Key(key.into()),
        Value::Null => PathPart::Nil,
        Value::Map(_) => {
            let fields = Fields::of(node);
            if let Some(Value::Str(regex)) = fields.get("regex").map(goyaml::Field::decoded) {
                return PathPart::Regex(regex.into());
            }
            if fields.get("allIndexes").is_some() {
                return PathPart::All;
            }
            let index = fields.get("Index").and_then(|field| whole(&field.decoded()));
            index.map_or(PathPart::Unknown, PathPart::Index)
        }
        _ => PathPart::Unknown,
    }
}

/// The first key `<<` that is not a merge.
fn literal_merge<'t>(root: Node<'t>, places: &mut Places<'_>) -> Option<Node<'t>> {
    if !root.source().contains("<<") {
        return None;
    }
    let mut stack = vec![root];
    while let Some(node) = stack.pop().filter(|_| places.spend(1)) {
        match goyaml::value(node) {
            Value::Seq(list) => stack.extend(list.items()),
            Value::Map(map) => {
                for field in goyaml::fields(map) {
                    if field.name == "<<" {
                        return Some(field.key);
                    }
                    stack.push(field.value);
                }
            }
            _ => {}
        }
    }
    None
}

/// Collects the keys of the parts that the order depends on that are not fields.
fn odd_keys(root: Node<'_>, config: &mut Config, places: &mut Places<'_>) {
    let mut stack: Vec<(Node<'_>, &'static Struct, usize)> = vec![(root, &CONFIG, 0)];
    let mut found: Vec<OddKey> = Vec::new();
    while let Some((node, schema, depth)) = stack.pop() {
        if depth > MAX_DEPTH || !places.spend(1) {
            continue;
        }
        let fields = Fields::of(node);
        let mut keys_of: FxHashMap<&str, u32> = FxHashMap::default();
        for (name, _) in fields.iter().filter_map(|f| field_of(schema, &f.name)) {
            *keys_of.entry(name).or_default() += 1;
        }
        for field in fields.iter() {
            let Some((name, ty)) = field_of(schema, &field.name) else {
                if depth == 0 && KNOWN_ELSEWHERE.contains(&&*field.name) {
                    continue;
                }
                found.push(OddKey {
                    key: text_of(&field.name, places.add(field.key.span())),
                    canonical: None,
                    known: schema.fields.iter().map(|(n, _)| canonical(n)).collect(),
                    is_repeated: false,
                });
                continue;
            };
            let is_repeated = keys_of.get(name).is_some_and(|keys| *keys > 1);
            // Of simple values the last one is used.
            if is_repeated && !matches!(ty, Type::Text | Type::Named(_) | Type::Flag) {
                config.merged.get_or_insert_with(|| {
                    let words = format!(
                        "another key is the same field as `{}`: what kapp makes of both is not followed",
                        field.name
                    );
                    text_of(&words, places.add(field.key.span()))
                });
            }
            let want = canonical(name);
            if *want != *field.name {
                found.push(OddKey {
                    key: text_of(&field.name, places.add(field.key.span())),
                    canonical: Some(want),
                    known: Vec::new(),
                    is_repeated,
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
