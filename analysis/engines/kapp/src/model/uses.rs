//! Memberships and rules of changes, from any source.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::grammar::{MayOrder, Op, Order, RuleError};
use applyorder_core::layer::{Fingerprint, Names, Sym};

/// What makes a change a member of a group, or gives it a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An annotation, by its number on the resource.
    Annotation(u32),
    /// A default binding, and the number of its rule.
    Default(u32, u32),
    /// A binding of a Config (by its number), and the number of its rule.
    Config(u32, u32, u32),
}

impl Source {
    /// All of it as numbers: of the kind, and of its content.
    const fn numbers(self) -> (u64, [u32; 3]) {
        match self {
            Self::Annotation(number) => (0, [number, 0, 0]),
            Self::Default(binding, rule) => (1, [binding, rule, 0]),
            Self::Config(config, binding, rule) => (2, [config, binding, rule]),
        }
    }

    /// The rule of the same binding with this number.
    pub(super) const fn rule(self, number: u32) -> Self {
        match self {
            Self::Default(binding, _) => Self::Default(binding, number),
            Self::Config(config, binding, _) => Self::Config(config, binding, number),
            Self::Annotation(_) => self,
        }
    }
}

/// Fingerprints are computed from all rules of all changes: in few large steps.
impl Hash for Source {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (kind, [a, b, c]) = self.numbers();
        state.write_u64(kind << 32 | u64::from(a));
        state.write_u64(u64::from(b) << 32 | u64::from(c));
    }
}

impl Hash for RuleUse {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let verbs = [self.action, self.target].map(|op| op as u64);
        let flags = verbs[0] | verbs[1] << 2 | (self.order as u64) << 4 | u64::from(self.optional) << 5;
        let weight = u64::from(self.weight.cast_unsigned());
        state.write_u64(weight << 32 | flags);
        self.group.hash(state);
        self.source.hash(state);
    }
}

/// A membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupUse {
    /// The group, as [`Uses::name`] knows it.
    pub group: Sym,
    /// What causes it.
    pub source: Source,
}

/// A rule of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleUse {
    /// What must happen to the owner.
    pub action: Op,
    /// Which side waits.
    pub order: Order,
    /// What must happen to the members.
    pub target: Op,
    /// The group, as [`Uses::name`] knows it.
    pub group: Sym,
    /// Whether kapp drops edges of it instead of failing on a cycle.
    pub optional: bool,
    /// Higher weights come first.
    pub weight: i32,
    /// What causes it.
    pub source: Source,
}

/// Why groups or rules of a change are not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseError {
    /// kapp's message.
    pub message: String,
    /// Whether kapp panics.
    pub panics: bool,
    /// Where it comes from.
    pub source: Source,
    /// Whether it is about a rule and not about a group.
    pub of_rule: bool,
    /// The error in the text.
    pub(crate) what: UseErrorKind,
}

/// The kind of error in the text of a group or rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UseErrorKind {
    /// A placeholder without a value.
    Placeholder,
    /// The rule's grammar.
    Rule(RuleError),
    /// The group's name.
    Group,
    /// A matcher of a Config.
    Matcher,
}

/// The subject of an error: whether that is a rule, and where it comes from, as numbers.
type Faulty = (bool, u64, [u32; 3]);

impl UseError {
    const fn of(&self) -> Faulty {
        let (kind, numbers) = self.source.numbers();
        (self.of_rule, kind, numbers)
    }
}

/// Up to this many groups are compared one by one.
const FEW: usize = 16;

/// A binding of a Config that applies: its Config, its number, and whether it binds rules.
pub(crate) type Applied = (u32, u32, bool);

/// Rules of kapp's own bindings whose texts are the same for all resources: all with the same bindings share
/// them.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    /// The bindings, a bit each.
    pub(super) mask: u64,
    pub(crate) rules: Box<[RuleUse]>,
    /// The groups of those that apply to a deletion.
    pub(crate) deletions: Box<[Sym]>,
    fingerprint: Fingerprint,
    /// Fingerprints of those that apply if the change is an upsert, a deletion, unchanged.
    of_ops: [Fingerprint; 3],
}

impl Fixed {
    pub(super) fn new(mask: u64, rules: Vec<RuleUse>) -> Self {
        let deletions = rules.iter().filter(|rule| rule.action == Op::Delete);
        Self {
            mask,
            deletions: deletions.map(|rule| rule.group).collect(),
            fingerprint: Fingerprint::of(&rules),
            of_ops: Op::ALL.map(|op| Fingerprint::of(&acting(&rules, op))),
            rules: rules.into(),
        }
    }
}

/// The rules that apply if this happens to the change.
fn acting(rules: &[RuleUse], op: Op) -> Vec<&RuleUse> {
    rules.iter().filter(|rule| rule.action == op).collect()
}

/// The groups and rules of one change. Faulty ones are omitted and kapp's first error is kept.
#[derive(Clone, Debug, Default)]
pub struct ChangeUses {
    /// Its groups, in kapp's order.
    pub groups: Vec<GroupUse>,
    /// kapp's first error among them.
    pub group_error: Option<Box<UseError>>,
    /// Its rules in kapp's order, except for those that it shares.
    pub(crate) own_rules: Vec<RuleUse>,
    pub(crate) fixed: Arc<Fixed>,
    /// kapp's first error among them.
    pub rule_error: Option<Box<UseError>>,
    /// Every error, for reports.
    pub(crate) errors: Vec<UseError>,
    /// The subjects of the errors, ascending.
    faults: Vec<Faulty>,
    /// What the rules among them may still order.
    pub(crate) may_order: MayOrder,
    /// The groups in the order in which kapp reaches them.
    pub(super) mentioned: Vec<Sym>,
    /// The bindings of Configs that apply.
    pub(super) applied: Vec<Applied>,
    /// Whether a rule comes from a Config.
    has_config_rules: bool,
    /// Fingerprint of all groups and rules.
    pub(crate) fingerprint: Fingerprint,
    /// Fingerprints of the inputs of the graph of a run in which the change is an upsert, a deletion,
    /// unchanged.
    of_ops: [Fingerprint; 3],
}

impl ChangeUses {
    /// With many groups, [`Self::seal`] removes duplicates.
    pub(super) fn mention(&mut self, group: Sym) {
        if self.mentioned.len() > FEW || !self.mentioned.contains(&group) {
            self.mentioned.push(group);
        }
    }

    /// Whether there is an error in the same group or rule.
    pub(crate) fn has_error(&self, error: &UseError) -> bool {
        self.faults.binary_search(&error.of()).is_ok()
    }

    /// To be called when nothing more is added.
    pub(super) fn seal(&mut self) {
        if self.mentioned.len() > FEW {
            let mut seen = FxHashSet::default();
            self.mentioned.retain(|group| seen.insert(*group));
        }
        self.faults = self.errors.iter().map(UseError::of).collect();
        self.faults.sort_unstable();
        self.groups.shrink_to_fit();
        self.own_rules.shrink_to_fit();
        self.mentioned.shrink_to_fit();
        self.applied.shrink_to_fit();
        let of_config = |rule: &RuleUse| matches!(rule.source, Source::Config(..));
        self.has_config_rules = self.own_rules.iter().any(of_config);
        let fixed = self.fixed.fingerprint;
        self.fingerprint = Fingerprint::of(&(
            &self.groups,
            &self.own_rules,
            fixed,
            &self.mentioned,
            self.may_order,
        ));
        let written: Vec<Source> = self.own_rules.iter().map(|rule| rule.source).collect();
        let ([first, second, third], [of_first, of_second, of_third]) = (Op::ALL, self.fixed.of_ops);
        let ops = [(0, first, of_first), (1, second, of_second), (2, third, of_third)];
        self.of_ops = ops.map(|(at, op, fixed): (usize, _, _)| {
            let groups = self.groups.iter().filter(|_| op != Op::Noop).collect::<Vec<_>>();
            let rules = acting(&self.own_rules, op);
            Fingerprint::of(&(at, rules, fixed, groups, &written))
        });
    }

    /// Its rules, in kapp's order: of annotations, of its own bindings, of Configs.
    pub fn rules(&self) -> impl Iterator<Item = &RuleUse> {
        let (mut own, mut fixed) = (
            self.own_rules.iter().peekable(),
            self.fixed.rules.iter().peekable(),
        );
        std::iter::from_fn(move || {
            let of_own = match (own.peek().map(|rule| rule.source), fixed.peek()) {
                (None, _) => false,
                (Some(_), None) | (Some(Source::Annotation(_)), _) => true,
                (Some(Source::Config(..)), Some(_)) => false,
                (Some(source), Some(shared)) => source.numbers() < shared.source.numbers(),
            };
            if of_own { own.next() } else { fixed.next() }
        })
    }

    /// The rules that Configs give.
    pub(crate) fn config_rules(&self) -> impl Iterator<Item = &RuleUse> {
        let rules = if self.has_config_rules {
            self.own_rules.as_slice()
        } else {
            &[]
        };
        let of_config = |rule: &&RuleUse| matches!(rule.source, Source::Config(..));
        rules.iter().filter(of_config)
    }

    /// Fingerprint of the inputs of the graph of a run in which this happens to the change.
    pub(crate) const fn of_op(&self, op: Op) -> Fingerprint {
        let [upsert, delete, noop] = self.of_ops;
        match op {
            Op::Upsert => upsert,
            Op::Delete => delete,
            Op::Noop => noop,
        }
    }
}

/// The groups and rules of all changes.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// The names of groups, in the order in which kapp reaches them.
    pub names: Vec<Arc<str>>,
    /// By change.
    pub changes: Vec<Arc<ChangeUses>>,
    syms: Vec<Sym>,
    /// By group: its number in `names`, counted from 1; 0 if it is not in it.
    numbers: Vec<u32>,
    /// The changes with errors.
    faulty: Vec<u32>,
    /// What changes share, each once.
    pub(crate) fixed: Vec<Arc<Fixed>>,
    /// By change: which of the shared ones it has.
    pub(crate) fixed_of: Vec<u32>,
    /// Bindings of Configs that matched something: Config, binding; groups, then rules.
    pub(crate) matched_groups: Vec<Vec<bool>>,
    pub(crate) matched_rules: Vec<Vec<bool>>,
}

impl Uses {
    /// The groups and rules of some changes; `first` are the groups that kapp knows before it looks at any.
    pub(crate) fn new(
        names: &Names,
        first: &[Sym],
        changes: Vec<Arc<ChangeUses>>,
        bindings: impl Iterator<Item = (usize, usize)>,
    ) -> Self {
        let mut out = Self {
            numbers: vec![0; names.len()],
            ..Self::default()
        };
        for group in first {
            out.number(*group);
        }
        for (groups, rules) in bindings {
            out.matched_groups.push(vec![false; groups]);
            out.matched_rules.push(vec![false; rules]);
        }
        out.fixed_of.reserve(changes.len());
        for (at, own) in (0u32..).zip(&changes) {
            let last = out.fixed_of.last().copied();
            let is_same = |known: &Arc<Fixed>| known.mask == own.fixed.mask;
            let known = last.filter(|last| out.fixed.get(*last as usize).is_some_and(is_same));
            let known = known.or_else(|| u32::try_from(out.fixed.iter().position(is_same)?).ok());
            let number = known.unwrap_or_else(|| {
                out.fixed.push(Arc::clone(&own.fixed));
                u32::try_from(out.fixed.len() - 1).unwrap_or(u32::MAX)
            });
            out.fixed_of.push(number);
            if own.rule_error.is_some() || own.group_error.is_some() {
                out.faulty.push(at);
            }
            for group in &own.mentioned {
                out.number(*group);
            }
            for (config, binding, is_rule) in &own.applied {
                let table = if *is_rule {
                    &mut out.matched_rules
                } else {
                    &mut out.matched_groups
                };
                let row = table.get_mut(*config as usize);
                if let Some(cell) = row.and_then(|row| row.get_mut(*binding as usize)) {
                    *cell = true;
                }
            }
        }
        out.names = out.syms.iter().map(|sym| names.text(*sym)).collect();
        out.changes = changes;
        out
    }

    /// The changes whose groups or rules are not available, in order.
    pub(crate) fn faulty(&self) -> impl Iterator<Item = (usize, &ChangeUses)> {
        let faulty = self.faulty.iter().map(|at| *at as usize);
        faulty.filter_map(|at| Some((at, &**self.changes.get(at)?)))
    }

    fn number(&mut self, group: Sym) {
        let next = u32::try_from(self.syms.len() + 1).unwrap_or(u32::MAX);
        if let Some(number) = self.numbers.get_mut(group.index())
            && *number == 0
        {
            *number = next;
            self.syms.push(group);
        }
    }

    /// The position of a group in [`Self::names`].
    pub(crate) fn position(&self, group: Sym) -> Option<usize> {
        (*self.numbers.get(group.index())? as usize).checked_sub(1)
    }

    /// The groups, as [`Self::names`] has them.
    pub(crate) fn groups(&self) -> &[Sym] {
        &self.syms
    }

    /// The name of a group.
    #[must_use]
    pub fn name(&self, group: Sym) -> &str {
        self.position(group)
            .and_then(|at| self.names.get(at))
            .map_or("", |name| name)
    }
}
