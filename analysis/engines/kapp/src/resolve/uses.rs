//! Memberships and rules of changes, whoever gives them.

use rustc_hash::FxHashMap;

use crate::grammar::{Fault, Op, Order};

/// What makes a change a member of a group, or gives it a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// An annotation, by its number on the resource.
    Annotation(u32),
    /// A default binding, and the number of its rule.
    Default(u32, u32),
    /// A binding of a Config (by its number), and the number of its rule.
    Config(u32, u32, u32),
}

impl Source {
    /// The same binding's rule of this number.
    pub(super) const fn rule(self, number: u32) -> Self {
        match self {
            Self::Default(binding, _) => Self::Default(binding, number),
            Self::Config(config, binding, _) => Self::Config(config, binding, number),
            Self::Annotation(_) => self,
        }
    }
}

/// A membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupUse {
    /// The group's number in [`Uses::names`].
    pub group: u32,
    /// What makes it.
    pub source: Source,
}

/// A rule of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleUse {
    /// What must happen to the owner.
    pub action: Op,
    /// Who waits.
    pub order: Order,
    /// What must happen to the members.
    pub target: Op,
    /// The group's number in [`Uses::names`].
    pub group: u32,
    /// Whether kapp drops edges of it rather than fail on a cycle.
    pub optional: bool,
    /// Higher weights come first.
    pub weight: i32,
    /// What gives it.
    pub source: Source,
}

/// Why groups or rules of a change cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseError {
    /// kapp's message.
    pub message: String,
    /// Whether kapp panics.
    pub panics: bool,
    /// Where it comes from.
    pub source: Source,
    /// What is wrong in the text.
    pub(crate) what: Wrong,
}

/// What is wrong in the text of a group or rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// A placeholder without a value.
    Placeholder,
    /// The rule's grammar.
    Rule(Fault),
    /// The group's name.
    Group,
    /// A matcher of a Config.
    Matcher,
}

/// The groups and rules of one change. What is wrong is left out and kapp's first error kept.
#[derive(Clone, Debug, Default)]
pub struct ChangeUses {
    /// Its groups, in kapp's order.
    pub groups: Vec<GroupUse>,
    /// kapp's first error among them.
    pub group_error: Option<Box<UseError>>,
    /// Its rules, in kapp's order.
    pub rules: Vec<RuleUse>,
    /// kapp's first error among them.
    pub rule_error: Option<Box<UseError>>,
    /// Every error, for reports.
    pub(crate) errors: Vec<UseError>,
}

/// The groups and rules of all changes.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// The names of groups.
    pub names: Vec<Box<str>>,
    /// By change.
    pub changes: Vec<ChangeUses>,
    pub(super) numbers: FxHashMap<Box<str>, u32>,
    /// Bindings of Configs that matched something: Config, binding; groups, then rules.
    pub(crate) matched_groups: Vec<Vec<bool>>,
    pub(crate) matched_rules: Vec<Vec<bool>>,
}

impl Uses {
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// The number of a group that somebody named.
    pub fn group(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name of a group.
    pub fn name(&self, group: u32) -> &str {
        self.names.get(group as usize).map_or("", |n| n)
    }
}
