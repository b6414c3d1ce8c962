//! The rules of a Config for comparing resources and for labeling them (kapp, Config: rebase rules, exclusions,
//! labels).

use super::config::{Config, matchers, path_part};
use super::decode::{Fields, scalar_text};
use super::places::Places;
use crate::matcher::{Matcher, PathPart};
use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::goyaml::{self, Value};

/// The effect of a rebase rule on the fields at its paths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rebase {
    /// Takes them from the first of these sources that has them: `new`, `existing`, `_current`.
    Copy(Vec<Box<str>>),
    /// Removes them.
    Remove,
    /// Runs a ytt overlay, whose result is unknown.
    Overlay,
    /// kapp's own overlay for ServiceAccounts.
    ServiceAccount,
    /// Nothing that kapp knows: it panics with this message.
    Panics(Box<str>),
}

/// An entry of `rebaseRules`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RebaseRule {
    /// The resources it applies to.
    pub(crate) matchers: Vec<Matcher>,
    /// Its paths.
    pub(crate) paths: Vec<Vec<PathPart>>,
    /// Its effect.
    pub(crate) kind: Rebase,
    /// The entry.
    pub(crate) place: u32,
}

/// A rule that is only a path and the resources it applies to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PathRule {
    /// The resources.
    pub(crate) matchers: Vec<Matcher>,
    /// The path.
    pub(crate) path: Vec<PathPart>,
    /// The entry.
    pub(crate) place: u32,
}

/// How a Config makes resources compared and labeled.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DiffRules {
    /// `rebaseRules`.
    pub(crate) rebase: Vec<RebaseRule>,
    /// `diffAgainstLastAppliedFieldExclusionRules`.
    pub(crate) not_in_last_applied: Vec<PathRule>,
    /// `diffAgainstExistingFieldExclusionRules`.
    pub(crate) not_in_existing: Vec<PathRule>,
    /// `ownershipLabelRules`.
    pub(crate) ownership: Vec<PathRule>,
    /// `labelScopingRules`.
    pub(crate) scoping: Vec<PathRule>,
    /// `additionalLabels`.
    pub(crate) labels: Vec<(Box<str>, Box<str>)>,
}

impl DiffRules {
    pub(super) fn read(fields: &Fields<'_>, config: &mut Config, places: &mut Places<'_>) -> Self {
        let mut rules = |name: &str| -> Vec<PathRule> {
            let nodes = fields.items(name);
            let read = nodes.into_iter().map(|node| path_rule(node, config, places));
            read.collect()
        };
        Self {
            not_in_last_applied: rules("DiffAgainstLastAppliedFieldExclusionRules"),
            not_in_existing: rules("DiffAgainstExistingFieldExclusionRules"),
            ownership: rules("OwnershipLabelRules"),
            scoping: rules("LabelScopingRules"),
            rebase: fields
                .items("RebaseRules")
                .into_iter()
                .map(|node| rebase_rule(node, config, places))
                .collect(),
            labels: additional(fields),
        }
    }

    /// Every rule that is only a path.
    pub(crate) fn path_rules(&self) -> impl Iterator<Item = &PathRule> {
        let exclusions = self.not_in_last_applied.iter().chain(&self.not_in_existing);
        exclusions.chain(&self.ownership).chain(&self.scoping)
    }

    /// Whether it has rules about labels.
    pub(crate) fn labels_anything(&self) -> bool {
        !(self.ownership.is_empty() && self.scoping.is_empty() && self.labels.is_empty())
    }
}

fn additional(fields: &Fields<'_>) -> Vec<(Box<str>, Box<str>)> {
    let Some(Value::Map(map)) = fields.get("AdditionalLabels").map(goyaml::Field::decoded) else {
        return Vec::new();
    };
    let fields = goyaml::fields(map);
    fields
        .iter()
        .map(|f| {
            let text = scalar_text(f.decoded()).unwrap_or_default();
            (f.name.as_ref().into(), text.into())
        })
        .collect()
}

fn path(node: Node<'_>) -> Vec<PathPart> {
    match goyaml::value(node) {
        Value::Seq(list) => list.items().map(path_part).collect(),
        _ => Vec::new(),
    }
}

fn path_rule(node: Node<'_>, config: &mut Config, places: &mut Places<'_>) -> PathRule {
    let rule = Fields::of(node);
    PathRule {
        matchers: matchers(&rule.items("ResourceMatchers"), config, places, 0),
        path: rule.items("Path").into_iter().map(path_part).collect(),
        place: places.add(node.span()),
    }
}

fn rebase_rule(node: Node<'_>, config: &mut Config, places: &mut Places<'_>) -> RebaseRule {
    let rule = Fields::of(node);
    let matchers = matchers(&rule.items("ResourceMatchers"), config, places, 0);
    let mut paths: Vec<Vec<PathPart>> = rule.items("Paths").into_iter().map(path).collect();
    if paths.is_empty() {
        paths.push(rule.items("Path").into_iter().map(path_part).collect());
    }
    let kind = match rule.get("Ytt") {
        Some(ytt) if Fields::of(ytt.value).get("overlayContractV1").is_some() => Rebase::Overlay,
        Some(_) => Rebase::Panics("Unknown rebase rule ytt contract (supported: overlayContractV1)".into()),
        None => {
            let ty = rule.text("Type").map(|(text, _)| text).unwrap_or_default();
            match &*ty {
                "copy" => Rebase::Copy(
                    rule.items("Sources")
                        .into_iter()
                        .map(|n| goyaml::text(n).unwrap_or_default().into())
                        .collect(),
                ),
                "remove" => Rebase::Remove,
                other => Rebase::Panics(
                    format!("Unknown rebase rule type: {other} (supported: copy, remove)").into(),
                ),
            }
        }
    };
    RebaseRule {
        matchers,
        paths,
        kind,
        place: places.add(node.span()),
    }
}
