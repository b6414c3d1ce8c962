//! The list of rules, and the input of their checks.

mod bad_override;
mod cross_account_edge;
mod cycle;
mod destroy_order_inverted;
mod destroy_order_unordered;
mod destructor_on_protected_stack;
mod destructor_on_terragrunt_stack;
mod destructor_without_references;
mod duplicate_dependency;
mod duplicate_key;
mod duplicate_name;
mod duplicate_reference_input;
mod files;
mod input_name_collision;
mod input_without_tf_var;
mod invalid_expression;
mod invalid_value;
mod literal_id_of_managed_stack;
mod manual_confirmation;
mod missing_field;
mod missing_file;
pub(crate) mod missing_instance_key;
mod name_collision;
mod name_used_as_id;
mod output_or_variable_not_found;
mod possible_cycle;
mod self_dependency;
mod sensitive_upload_off;
mod syntax_error;
mod terraform_cycle;
mod tf_var_for_other_vendor;
mod tf_var_on_output;
mod trigger_policy_mix;
mod undeclared_local;
mod undeclared_module;
mod undeclared_output;
mod undeclared_variable;
mod unexpected_instance_key;
mod unknown_dependency;
mod unknown_field;
mod unresolved;
mod upstream_has_no_outputs;
mod verdicts;
mod wrong_type;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Reaction, Rule, Severity};
use applyorder_core::graph::{Direction, EdgeId, OrderGraph};
use applyorder_core::layer::{
    Block, Finding, Listed, Pass, Scopes, check_project, count_rules, rules_listed,
};
use applyorder_core::memo::Fingerprint;
use applyorder_core::rules as shared;
use applyorder_syntax::text::Span;
use rustc_hash::FxHashMap;

use crate::inputs::ValuesFault;
use crate::judge;
use crate::model::{
    Argument, Dependency, Destructor, Fault, FaultKind, Model, Of, Reference, Stack, StackIx,
};
use crate::read::is_json;
use crate::relate::{Problem, Related};
pub(crate) use verdicts::{check, check_inside};

/// The rules that only Spacelift has.
pub(crate) static OWN: [&Rule; count_rules(RULES, true)] = rules_listed(RULES, true);

/// The shared rules that apply to configurations.
pub(crate) static SHARED: [&Rule; count_rules(RULES, false)] = rules_listed(RULES, false);

/// How each rule is checked.
const RULES: &[Listed<Spacelift>] = &[
    Listed::project(&bad_override::RULE, |p, f| bad_override::check(p, f)),
    Listed::project(&shared::duplicate_name::RULE, |p, f| duplicate_name::check(p, f)),
    Listed::project(&name_collision::RULE, |p, f| name_collision::check(p, f)),
    Listed::project(&shared::duplicate_key::RULE, |p, f| duplicate_key::check(p, f)),
    Listed::project(&shared::missing_field::RULE, |p, f| missing_field::check(p, f)),
    Listed::project(&shared::unknown_field::RULE, |p, f| unknown_field::check(p, f)),
    Listed::project(&shared::unknown_dependency::RULE, |p, f| {
        unknown_dependency::check(p, f)
    }),
    Listed::project(&missing_instance_key::RULE, |p, f| {
        missing_instance_key::check(p, f)
    }),
    Listed::project(&unexpected_instance_key::RULE, |p, f| {
        unexpected_instance_key::check(p, f)
    }),
    Listed::project(&undeclared_module::RULE, |p, f| undeclared_module::check(p, f)),
    Listed::project(&undeclared_output::RULE, |p, f| undeclared_output::check(p, f)),
    Listed::project(&undeclared_local::RULE, |p, f| undeclared_local::check(p, f)),
    Listed::project(&undeclared_variable::RULE, |p, f| {
        undeclared_variable::check(p, f)
    }),
    Listed::project(&invalid_expression::RULE, |p, f| invalid_expression::check(p, f)),
    Listed::project(&shared::wrong_type::RULE, |p, f| wrong_type::check(p, f)),
    Listed::project(&shared::invalid_value::RULE, |p, f| invalid_value::check(p, f)),
    Listed::project(&terraform_cycle::RULE, |p, f| terraform_cycle::check(p, f)),
    Listed::project(&shared::self_dependency::RULE, |p, f| {
        self_dependency::check(p, f)
    }),
    Listed::project(&shared::cycle::RULE, |p, f| cycle::check(p, f)),
    Listed::project(&possible_cycle::RULE, |p, f| possible_cycle::check(p, f)),
    Listed::project(&shared::duplicate_dependency::RULE, |p, f| {
        duplicate_dependency::check(p, f)
    }),
    Listed::project(&duplicate_reference_input::RULE, |p, f| {
        duplicate_reference_input::check(p, f)
    }),
    Listed::project(&upstream_has_no_outputs::RULE, |p, f| {
        upstream_has_no_outputs::check(p, f)
    }),
    Listed::project(&literal_id_of_managed_stack::RULE, |p, f| {
        literal_id_of_managed_stack::check(p, f)
    }),
    Listed::project(&name_used_as_id::RULE, |p, f| name_used_as_id::check(p, f)),
    Listed::project(&input_name_collision::RULE, |p, f| {
        input_name_collision::check(p, f)
    }),
    Listed::project(&destroy_order_inverted::RULE, |p, f| {
        destroy_order_inverted::check(p, f)
    }),
    Listed::project(&destroy_order_unordered::RULE, |p, f| {
        destroy_order_unordered::check(p, f)
    }),
    Listed::project(&destructor_without_references::RULE, |p, f| {
        destructor_without_references::check(p, f)
    }),
    Listed::project(&destructor_on_protected_stack::RULE, |p, f| {
        destructor_on_protected_stack::check(p, f)
    }),
    Listed::project(&destructor_on_terragrunt_stack::RULE, |p, f| {
        destructor_on_terragrunt_stack::check(p, f)
    }),
    Listed::project(&cross_account_edge::RULE, |p, f| cross_account_edge::check(p, f)),
    Listed::project(&input_without_tf_var::RULE, |p, f| {
        input_without_tf_var::check(p, f)
    }),
    Listed::project(&tf_var_on_output::RULE, |p, f| tf_var_on_output::check(p, f)),
    Listed::project(&tf_var_for_other_vendor::RULE, |p, f| {
        tf_var_for_other_vendor::check(p, f)
    }),
    Listed::project(&sensitive_upload_off::RULE, |p, f| {
        sensitive_upload_off::check(p, f)
    }),
    Listed::project(&trigger_policy_mix::RULE, |p, f| trigger_policy_mix::check(p, f)),
    Listed::project(&manual_confirmation::RULE, |p, f| {
        manual_confirmation::check(p, f)
    }),
    Listed::project(&output_or_variable_not_found::RULE, |p, f| {
        output_or_variable_not_found::check(p, f)
    }),
    Listed::project(&shared::unresolved::RULE, |p, f| unresolved::check(p, f)),
    Listed::project(&shared::syntax_error::RULE, |p, f| syntax_error::of_values(p, f)),
    Listed::elsewhere(&shared::limit_reached::RULE),
    Listed::project(&shared::missing_file::RULE, |p, f| missing_file::check(p, f)),
    Listed::elsewhere(&shared::unreadable_file::RULE),
];

/// The source of the schema of blueprints.
const SCHEMA: &str = "by the schema in Spacelift's documentation of February 2026";

/// The scopes of checks.
pub(crate) struct Spacelift;

impl Scopes for Spacelift {
    type Source<'a> = ();
    type Project<'a> = InProject<'a>;
}

/// A project as a whole.
pub(crate) struct InProject<'a> {
    pub(crate) pass: &'a Pass<'a>,
    pub(crate) model: &'a Model,
    pub(crate) related: &'a Related,
    /// The references whose resource has no other.
    by_address: FxHashMap<&'a str, &'a Reference>,
    /// The stages that may or may not reject something, each with the reason.
    open: RefCell<BTreeMap<&'static str, String>>,
}

/// The parts of a destroy problem that are named.
pub(crate) struct Destroyed<'a> {
    pub(crate) dependency: &'a Dependency,
    pub(crate) upstream: &'a Destructor,
    pub(crate) downstream: Option<&'a Destructor>,
    pub(crate) from: StackIx,
    pub(crate) to: StackIx,
}

impl<'a> InProject<'a> {
    fn stack(&self, stack: StackIx) -> Option<&'a Stack> {
        self.model.stacks.get(stack as usize)
    }

    fn name(&self, stack: StackIx) -> &'a str {
        self.stack(stack).map_or("", |s| &*s.address)
    }

    /// The references whose dependency is known, with that dependency.
    fn references(&self) -> impl Iterator<Item = (&'a Reference, &'a Dependency)> {
        let model = self.model;
        model
            .references
            .iter()
            .filter_map(move |reference| match reference.of {
                Of::Dependency(number) => Some((reference, model.dependencies.get(number as usize)?)),
                _ => None,
            })
    }

    /// The faults of a kind.
    fn faults(&self, kind: FaultKind) -> impl Iterator<Item = &'a Fault> {
        self.model.faults.iter().filter(move |f| f.kind == kind)
    }

    /// A finding about a fault, with what else is known about it.
    fn of_fault(&self, fault: &Fault, d: Diagnostic) -> Diagnostic {
        let mut d = d.unit(fault.subject.as_str().into());
        if let Some((place, text)) = &fault.related {
            d = d.related(*place, text.clone());
        }
        if let Some(text) = &fault.replacement {
            d = d.replace_with(text, FixStep::Replace(fault.place, text.clone()));
        }
        d
    }

    fn fault_finding(&self, fault: &Fault, d: Diagnostic) -> Finding {
        let d = self.likely(d, fault.heuristic);
        said(fault.kind.word(), &fault.subject, d).detail("at", at_both(&fault.at, &fault.static_at))
    }

    /// Marks a finding that depends on what is only likely, with a note.
    fn likely(&self, mut d: Diagnostic, heuristic: bool) -> Diagnostic {
        if !heuristic {
            return d;
        }
        d = d.heuristic();
        if self.model.is_blueprint {
            return d;
        }
        if let Some(values) = self.model.rests_on() {
            d = d.note(format!("values are taken from {values}"));
        }
        d
    }

    /// A finding about an argument that Terraform rejects with this message.
    fn of_argument(&self, kind: &'static str, argument: &Argument, d: Diagnostic, words: &str) -> Finding {
        let at = format!("{}.{}", argument.resource, argument.name);
        let finding = said(kind, &argument.resource, d).detail("at", at);
        self.rejected(finding, argument.stage(), argument.is_likely, words)
    }

    /// A finding in a file of values.
    fn of_values(&self, fault: &ValuesFault, d: Diagnostic) -> Finding {
        let d = if fault.is_likely { d.heuristic() } else { d };
        self.rejected(Finding::new(d), judge::stage::VALUES, fault.is_likely, "")
    }

    /// A finding of which it is unknown whether Spacelift's API rejects the project for it.
    fn may_be_accepted(&self, finding: Finding, because: &str) -> Finding {
        self.left_open(judge::stage::API, because);
        self.left(finding)
    }

    /// Marks a finding that leaves a verdict open, or whose effect shows only when stacks are created from a blueprint:
    /// it can still be published.
    fn left(&self, mut finding: Finding) -> Finding {
        finding.diagnostic_mut().reaction = Reaction::Open;
        finding
    }

    /// Records that a stage rejects the project if what is likely is true.
    fn may_reject(&self, stage: &'static str, rule: &Rule) {
        let values = self.model.rests_on();
        let values = values.as_deref().unwrap_or("what is only likely");
        self.left_open(stage, &format!("`{}` rests on {values}", rule.id));
    }

    /// Records that it is unknown whether a stage rejects the project.
    fn left_open(&self, stage: &'static str, because: &str) {
        let mut open = self.open.borrow_mut();
        open.entry(stage).or_insert_with(|| because.to_owned());
    }

    /// Adds to a finding which commands reject it, and with which message; none if it is only likely.
    fn rejected(&self, mut finding: Finding, stage: &'static str, heuristic: bool, words: &str) -> Finding {
        if heuristic {
            finding.diagnostic_mut().reaction = Reaction::Open;
            self.may_reject(stage, finding.diagnostic.rule);
            return finding;
        }
        if self.model.may_be_draft {
            let draft = "whether it is a draft, which is not validated, is unknown";
            finding = finding.told(|d| d.heuristic().note(draft));
            finding.diagnostic_mut().reaction = Reaction::Open;
            self.may_reject(stage, finding.diagnostic.rule);
            return finding;
        }
        finding.diagnostic_mut().severity = Severity::Error;
        if self.model.is_handed_over
            && matches!(stage, judge::stage::VALUES | judge::stage::API)
            && let Some(values) = self.model.rests_on()
        {
            finding = finding.told(|d| d.note(format!("values are taken from {values}")));
        }
        if self.model.is_blueprint {
            return finding.rejected(judge::PUBLISH, stage);
        }
        if !words.is_empty() {
            finding.diagnostic_mut().engine_message = Some(words.to_owned());
        }
        if stage == judge::stage::API {
            // By then other resources may be applied already.
            finding.diagnostic_mut().reaction = Reaction::FailsLater;
        }
        for command in judge::commands_at(stage) {
            finding = finding.rejected(command, stage);
        }
        finding
    }

    /// The dependency that makes a step of a path.
    fn dependency_of(&self, graph: &OrderGraph, edges: &[EdgeId]) -> Option<&'a Dependency> {
        let number = graph.edge(*edges.first()?)?.kind.dependency()?;
        let number = self.related.written.get(number as usize)?;
        self.model.dependencies.get(*number as usize)
    }

    fn destroyed(&self, problem: &Problem) -> Option<Destroyed<'a>> {
        let dependency = self.model.dependencies.get(problem.dependency as usize)?;
        let (from, to) = dependency.edge()?;
        Some(Destroyed {
            dependency,
            upstream: self.model.destructors.get(problem.upstream as usize)?,
            downstream: problem
                .downstream
                .and_then(|d| self.model.destructors.get(d as usize)),
            from,
            to,
        })
    }

    /// Whether a place is in a file of native syntax.
    fn is_native(&self, place: Place) -> bool {
        !is_json(self.pass.cx.path(place.file).as_str())
    }

    /// The text under a place, to the end of its file.
    fn text_from(&self, place: Place) -> Option<(Span, Arc<str>)> {
        let span = self.pass.cx.span(place)?;
        let (_, source) = self.pass.cx.source(&self.pass.cx.path(place.file)).ok()?;
        Some((span, source.text.clone()))
    }

    /// The steps that take a block away with its references, where it makes one dependency only and nothing else
    /// names it.
    fn remove(&self, dependency: &Dependency) -> Option<Vec<FixStep>> {
        let statics = &self.model.statics;
        let dependents = |node| statics.graph.distinct(node, Direction::Dependents);
        let is_single = dependency.is_alone && self.is_native(dependency.whole);
        let node = statics.node(&dependency.resource).filter(|_| is_single)?;
        let mut steps = vec![FixStep::RemoveBlock(dependency.whole)];
        for named_by in dependents(node) {
            let address = &statics.nodes.get(named_by.node.0 as usize)?.address;
            let reference = self.by_address.get(&**address)?;
            let is_free = dependents(named_by.node).next().is_none() && self.is_native(reference.whole);
            steps.push(is_free.then_some(FixStep::RemoveBlock(reference.whole))?);
        }
        Some(steps)
    }

    /// The step that makes a destructor wait for resources of its module, where its block makes no others.
    fn let_wait(&self, destructor: &Destructor, resources: &[&str]) -> Option<FixStep> {
        if !self.is_native(destructor.header) || resources.is_empty() {
            return None;
        }
        let mut unique: Vec<&str> = resources.to_vec();
        unique.sort_unstable();
        unique.dedup();
        let entries = unique.join(", ");
        match destructor.depends_on {
            // An entry is source text, and no string.
            Some(list) => Some(FixStep::Replace(list, self.with_entry(list, &entries)?)),
            None => {
                let key = "depends_on".to_owned();
                Some(FixStep::InsertKeyAfter(
                    destructor.argument?,
                    key,
                    format!("[{entries}]"),
                ))
            }
        }
    }

    /// The text of a list with one more entry.
    fn with_entry(&self, list: Place, entry: &str) -> Option<String> {
        let span = self.pass.cx.span(list)?;
        let (_, source) = self.pass.cx.source(&self.pass.cx.path(list.file)).ok()?;
        let text = span.slice(&source.text);
        let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim_end();
        let inner = inner.strip_suffix(',').unwrap_or(inner);
        Some(if inner.trim().is_empty() {
            format!("[{entry}]")
        } else {
            format!("[{inner}, {entry}]")
        })
    }

    /// The text of a list of addresses without some of them; nothing where they are not there.
    fn without_entries(&self, list: Place, names: &[&str]) -> Option<String> {
        let span = self.pass.cx.span(list)?;
        let (_, source) = self.pass.cx.source(&self.pass.cx.path(list.file)).ok()?;
        let inner = span.slice(&source.text).strip_prefix('[')?.strip_suffix(']')?;
        let all: Vec<&str> = inner
            .split(',')
            .map(str::trim)
            .filter(|e| !e.is_empty())
            .collect();
        let is_plain = |entry: &&str| entry.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
        let kept: Vec<&str> = all
            .iter()
            .copied()
            .filter(|entry| !names.contains(entry))
            .collect();
        (all.iter().all(is_plain) && kept.len() < all.len()).then(|| format!("[{}]", kept.join(", ")))
    }
}

/// A finding with the words that the cases have for it.
fn said(kind: &'static str, subject: &str, d: Diagnostic) -> Finding {
    Finding::new(d).about(subject).detail("kind", kind)
}

/// One place of a finding, with and without keys.
fn at_both(at: &Arc<str>, static_at: &Arc<str>) -> serde_json::Value {
    if at == static_at {
        serde_json::Value::from(&**at)
    } else {
        serde_json::json!([&**at, &**static_at])
    }
}

/// What is reported for a project as a whole.
struct Told {
    block: Arc<Block>,
    /// The stages that may reject it, each with the reason.
    open: BTreeMap<&'static str, String>,
}

/// The findings of a project as a whole are those of one state of it.
#[derive(PartialEq, Eq, Hash)]
struct BlockKey(Fingerprint);

/// What the rules find in a model.
fn told(pass: &Pass<'_>, model: &Model, related: &Related) -> Arc<Told> {
    pass.cx.memo().get(BlockKey(model.fingerprint), || {
        let references = model.references.iter().filter(|r| r.address == r.resource);
        let scope = InProject {
            pass,
            model,
            related,
            by_address: references.map(|r| (&*r.address, r)).collect(),
            open: RefCell::default(),
        };
        let mut found = check_project(RULES, &scope);
        for finding in &mut found {
            files::doubt(model, finding);
        }
        // Modules that Terraform installed are not edited here: only errors in them are reported.
        found.retain(|f| f.diagnostic.severity == Severity::Error || !is_installed(&scope, f));
        if model.is_inside {
            // Other steps go through texts of YAML, and these are inside other texts.
            for finding in &mut found {
                let fixes = &mut finding.diagnostic_mut().fixes;
                fixes.retain(|fix| fix.steps.iter().all(is_replaced_by_plain));
            }
        }
        Told {
            block: Arc::new(Block::new(found)),
            open: scope.open.into_inner(),
        }
    })
}

/// Whether a step writes text that means itself in any syntax.
fn is_replaced_by_plain(step: &FixStep) -> bool {
    matches!(step, FixStep::Replace(_, text) if !text.contains(['"', '\\', '$', '%', '\n']))
}

/// Whether a finding is in a module that Terraform has installed.
fn is_installed(scope: &InProject<'_>, finding: &Finding) -> bool {
    let path = scope.pass.cx.path(finding.diagnostic.place.file);
    path.starts_with(crate::invocation::data_dir(scope.pass))
}
