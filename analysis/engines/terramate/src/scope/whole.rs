//! The project as a whole.

use std::sync::Arc;

use super::Scope;
use crate::judge::{ENVIRONMENT, LOAD, RUN, foreseen, rejected};
use crate::load::foreign::Foreign;
use crate::load::instances::Instance;
use crate::model::bundles::BundleFault;
use crate::model::environments::{EnvironmentFault, EnvironmentFaultKind};
use crate::read::instance::{Decoded, InstanceFaultKind, decode, unreadable};
use crate::run_env::{self, Evaluation, Names};
use applyorder_core::diagnostic::{Diagnostic, FileId, Place, Rule, Severity};
use applyorder_core::engine::Cx;
use applyorder_core::layer::{Block, Finding, Fingerprint, Unknown};
use applyorder_syntax::hcl::eval::Value;

/// A project across its directories, as the checks of rules see it.
pub struct Whole<'a> {
    pub(crate) scope: Scope<'a>,
    pub(crate) cx: &'a Cx<'a>,
    /// What is wrong with the environments of the root.
    environment: Result<Option<EnvironmentFault>, String>,
    /// Whether Terramate reaches the environments, or does not load a directory.
    is_loaded: bool,
    /// The results of Terramate's decoder for the instances of bundles, in the order in which it reaches them.
    instances: Vec<(&'a Instance, Arc<Decoded>)>,
    /// What a run evaluates, if it reaches that.
    pub(crate) run: Evaluation,
}

impl<'a> Whole<'a> {
    /// With the blocks of the project's directories.
    pub(crate) fn new(scope: Scope<'a>, cx: &'a Cx<'a>, dirs: &[Arc<Block>]) -> Self {
        let found = dirs.iter().flat_map(|block| block.findings());
        let mut stages = found.flat_map(|f| {
            let own = f.rejections.iter().map(|r| r.stage);
            own.chain(f.diagnostic.enforced.iter().map(|e| e.stage))
        });
        let is_loaded = !stages.any(|stage| stage == LOAD);
        let model = scope.model;
        let comes_to_run = is_loaded && !scope.related.selection.is_list && model.unknowns.load.is_none();
        let run = || {
            run_env::evaluate(run_env::Project {
                cx,
                engine: scope.engine,
                model,
                related: scope.related,
            })
        };
        // What Terramate knows of the project before it evaluates bundles.
        let names = || {
            let list = match model.unknowns.may_hold_stacks {
                true => Value::unknown("the stacks of the project are not known"),
                false => run_env::list(&model.stacks),
            };
            Names::of_project(cx, scope.tree, &list, &model.loaded.version)
        };
        let instances = scope.tree.instances.iter();
        Self {
            environment: model.environment_fault(cx, names),
            is_loaded,
            instances: instances.map(|i| (i, decoded(cx, i))).collect(),
            run: if comes_to_run {
                run()
            } else {
                Evaluation::default()
            },
            scope,
            cx,
        }
    }

    /// Reports what a rule finds in the environments of the root.
    pub(crate) fn tell_of_environments(
        &self,
        found: &mut Vec<Finding>,
        worded: impl Fn(Place, &EnvironmentFaultKind) -> Option<Diagnostic>,
    ) {
        let Ok(Some(fault)) = &self.environment else {
            return;
        };
        let place = self.scope.at(fault.file, fault.at);
        let Some(d) = worded(place, &fault.kind) else {
            return;
        };
        // Terramate stops at anything that it could not load before, instances of bundles included.
        found.push(if self.is_loaded {
            rejected(LOAD, d, &"/".into()).at(u32::MAX)
        } else {
            foreseen(LOAD, d)
        });
    }

    /// Reports what a rule finds in the instances of bundles.
    pub(crate) fn tell_of_instances(
        &self,
        rule: &'static Rule,
        found: &mut Vec<Finding>,
        worded: impl Fn(&InstanceFaultKind) -> Option<String>,
    ) {
        // Between what has a name that is not UTF-8.
        for (at, (instance, decoded)) in (2u32..).step_by(2).zip(&self.instances) {
            let Decoded::Rejected(fault) = &**decoded else {
                continue;
            };
            let Some(message) = worded(&fault.kind) else {
                continue;
            };
            let place = Place::span(instance.file, fault.span);
            let d = Diagnostic::new(rule, place, message).severity(Severity::Error);
            let d = d.engine_message(fault.words.clone());
            found.push(rejected(LOAD, d, &instance.shown.as_str().into()).at(at));
        }
    }

    /// Reports instances of bundles whose source has no definition. Terramate reaches them if everything else is loaded
    /// and the environments are valid.
    pub(crate) fn tell_of_bundles(
        &self,
        found: &mut Vec<Finding>,
        worded: impl Fn(Place, &BundleFault) -> Diagnostic,
    ) {
        let (scope, model) = (self.scope, self.scope.model);
        let instances = self.instances.iter().filter(|(instance, _)| instance.is_loaded);
        let in_yaml = instances.filter_map(|(instance, decoded)| match &**decoded {
            Decoded::Instance(Some(source)) => {
                let place = Place::span(instance.file, source.span);
                Some((place, model.bundle_fault(self.cx, source.text.as_deref())?))
            }
            _ => None,
        });
        let blocks = model.bundle_sources().filter_map(|(file, source)| {
            let fault = model.bundle_fault(self.cx, Some(&source.value))?;
            Some((scope.at(file, source.at), fault))
        });
        let is_reached = self.is_loaded && matches!(self.environment, Ok(None));
        for (place, fault) in blocks.chain(in_yaml) {
            let d = worded(place, &fault);
            found.push(if is_reached {
                rejected(LOAD, d, &"/".into()).at(u32::MAX)
            } else {
                foreseen(LOAD, d)
            });
        }
    }

    /// Reports where the search for instances fails.
    pub(crate) fn tell_of_foreign(
        &self,
        found: &mut Vec<Finding>,
        worded: impl Fn(Place, &Foreign) -> Option<Diagnostic>,
    ) {
        let tree = self.scope.tree;
        let place = Place::file(self.scope.model.loaded.root_file);
        for foreign in &tree.foreign {
            let Some(d) = worded(place, foreign) else { continue };
            let before = self.instances.partition_point(|(i, _)| foreign.is_after(i));
            let at = u32::try_from(before).unwrap_or(u32::MAX / 2).saturating_mul(2) + 1;
            found.push(rejected(LOAD, d, &format!("/{}", foreign.shown).into()).at(at));
        }
    }

    /// What cannot be known of it: an instance in a directory that is not part of the project (for others a gap
    /// of the model says so), and what the run evaluates.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = Unknown> {
        let is_open = |(instance, decoded): &&(&Instance, Arc<Decoded>)| {
            matches!(**decoded, Decoded::Unknown) && !instance.is_loaded
        };
        let instance = self.instances.iter().find(is_open).map(|(instance, _)| {
            format!(
                "`{}` is an instance of a bundle that is not understood",
                instance.shown
            )
        });
        let environment = self.environment.as_ref().err().cloned();
        let load = instance.or(environment).map(|because| Unknown {
            command: None,
            stage: LOAD,
            at: None,
            because,
            leaves_later: false,
        });
        let run = self.run.open.clone().map(|because| Unknown {
            command: Some(RUN),
            stage: ENVIRONMENT,
            at: None,
            because,
            leaves_later: false,
        });
        load.into_iter().chain(run)
    }
}

#[derive(PartialEq, Eq, Hash)]
struct DecodedKey(FileId, Fingerprint);

fn decoded(cx: &Cx<'_>, instance: &Instance) -> Arc<Decoded> {
    match cx.source(&instance.path) {
        Ok((_, source)) => {
            let key = DecodedKey(instance.file, Fingerprint::of(&*source.text));
            cx.memo().get(key, || decode(&source.text))
        }
        Err(error) => Arc::new(unreadable(&instance.path, &instance.shown, error)),
    }
}
