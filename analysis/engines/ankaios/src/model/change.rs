//! What an apply changes in a cluster: which workloads are new or changed.
//!
//! Source: the server compares workloads as they are rendered, with all their fields, including those that the
//! request does not name but whose configs it does.

use std::sync::Arc;

use applyorder_core::engine::UnitIx;

use super::Model;
use super::render::{Configs, Rendered};
use crate::read::{FileEntry, Workload};

/// The known difference of a workload before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It did not exist.
    New,
    Changed,
    Same,
    /// A template in it is not evaluated.
    Unknown,
}

impl Change {
    /// Whether it is certainly new or changed.
    pub(crate) fn is_update(self) -> bool {
        matches!(self, Self::New | Self::Changed)
    }
}

impl Model {
    /// The change of a workload in its files.
    pub(crate) fn change(&self, unit: UnitIx) -> Change {
        let Some((_, now)) = self.workload(unit) else {
            return Change::Unknown;
        };
        let Some(snapshot) = &self.snapshot else {
            return Change::New;
        };
        match snapshot.workload(&now.name.value) {
            None => Change::New,
            Some(before) => self.compared(before, (now, Some(&self.agents(unit).given))),
        }
    }

    /// Whether an agent has a workload of the cluster, so that an update has to remove it there first.
    ///
    /// Source: `handle_not_started_deleted_workloads` of the server.
    pub(crate) fn is_on_agent(&self, name: &str) -> bool {
        let workload = self.snapshot.as_ref().and_then(|snapshot| {
            let is_sent = !snapshot.is_unsent(name);
            snapshot.workload(name).filter(|_| is_sent)
        });
        let nobody = Rendered::Text(Arc::from(""));
        let before = Configs::of_cluster(self);
        workload.is_some_and(|w| w.agent.is_none() || before.render(w, w.agent.as_ref(), false) != nobody)
    }

    /// The change of a workload that its files do not name.
    pub(crate) fn change_behind<'a>(&'a self, workload: &'a Workload) -> Change {
        self.compared(workload, (workload, None))
    }

    fn compared<'a>(
        &'a self,
        before: &'a Workload,
        (now, agent): (&'a Workload, Option<&Rendered>),
    ) -> Change {
        let text = |w: &Workload| w.runtime.as_ref().map(|r| r.value.clone());
        let needs = |w: &Workload, lost: bool| {
            let all = w.dependencies.iter().filter(|_| !lost);
            let mut all: Vec<_> = all.map(|d| (d.name.value.clone(), d.condition)).collect();
            all.sort_unstable();
            all
        };
        let listed = |all: &[Box<str>], lost: bool| {
            let mut all: Vec<Box<str>> = all.iter().filter(|_| !lost).cloned().collect();
            all.sort_unstable();
            all
        };
        if text(before) != text(now)
            || before.restart != now.restart
            || needs(before, false) != needs(now, now.loses("dependencies"))
            || listed(&before.tags, false) != listed(&now.tags, now.loses("tags"))
            || before.access != now.access
        {
            return Change::Changed;
        }
        let (old, new) = (Configs::of_cluster(self), Configs::after(self));
        let files_now = if now.loses("files") {
            &[][..]
        } else {
            &now.files[..]
        };
        if before.files.len() != files_now.len() {
            return Change::Changed;
        }
        let mut pairs = vec![(
            old.render(before, before.runtime_config.as_ref(), true),
            new.render(now, now.runtime_config.as_ref(), true),
        )];
        let own = new.render(now, now.agent.as_ref(), false);
        pairs.push((
            old.render(before, before.agent.as_ref(), false),
            agent.cloned().unwrap_or(own),
        ));
        for (a, b) in before.files.iter().zip(files_now) {
            let mount = |f: &FileEntry| f.mount.as_ref().map(|m| m.value.clone());
            if mount(a) != mount(b) || a.applies_binary() != b.applies_binary() {
                return Change::Changed;
            }
            let (a, b) = (a.applied(), b.applied());
            pairs.push((old.render(before, a, false), new.render(now, b, false)));
        }
        let is_known = |r: &Rendered| matches!(r, Rendered::Text(_));
        if pairs.iter().any(|(a, b)| is_known(a) && is_known(b) && a != b) {
            Change::Changed
        } else if pairs.iter().all(|(a, b)| is_known(a) && is_known(b)) {
            Change::Same
        } else {
            Change::Unknown
        }
    }
}
