//! Work that waits for a moment without typing, and results of other threads.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use applyorder_analysis::engine::Render;
use applyorder_analysis::workspace::FoundHints;
use tower_lsp_server::ls_types::MessageType;

use super::{Look, State};
use crate::event::{AskedAbout, Event, Rendered};
use crate::watch_list::WatchList;
use crate::watched::Added;

/// Deferred work is done after this long without a task, when the user is not typing...
const QUIET: Duration = Duration::from_millis(100);
/// ... but it waits at most this long.
const PATIENCE: Duration = Duration::from_millis(500);

impl State {
    /// After how long without a task deferred work is due.
    pub(crate) fn idle_after(&mut self) -> Option<Duration> {
        let hints = self.hints.due_in(&self.workspace).filter(|_| self.is_walked());
        let others = self.has_idle_work().then_some(QUIET);
        let disk = self.disk.due_in();
        let progress = self.progress_due_in();
        let worked = self.results.due_in();
        let due = hints.into_iter().chain(others).chain(disk).chain(progress);
        due.chain(worked).min()
    }

    /// Whether something has waited long enough, even if the user is typing.
    pub(crate) fn is_overdue(&mut self) -> bool {
        if !self.has_idle_work() {
            self.waiting = None;
        } else if self.waiting.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
            return true;
        }
        [self.disk.due_in(), self.results.due_in()].contains(&Some(Duration::ZERO))
    }

    fn has_idle_work(&self) -> bool {
        let is_rendered = || self.renderer.is_current(&self.renders());
        let is_compared =
            || self.look.is_none() && (self.look_settled.is_none() || !self.workspace.is_settled());
        self.is_walked() && !(is_compared() && (self.is_asking || self.is_watching()) && is_rendered())
    }

    /// The commands of the configuration that may be run: all where the workspace is trusted and the user agreed, else
    /// those that the user allowed by name; none in a workspace that is said not to be trusted.
    fn renders(&self) -> Vec<Render> {
        let mut renders = self.workspace.renders();
        match self.trusted {
            Some(true) if self.settings.render() => {}
            Some(false) => renders.clear(),
            _ => renders.retain(|render| self.trust.allows(render)),
        }
        renders
    }

    /// Does what is due.
    pub(crate) fn idle(&mut self) {
        self.tell_progress();
        if self.results.due_in() == Some(Duration::ZERO) {
            self.take_over();
            return;
        }
        if self.disk.due_in() == Some(Duration::ZERO) {
            self.take_disk_events();
            self.flush();
        }
        if self.is_walked() {
            self.hints.update(&self.workspace, &mut self.lanes, &self.events);
        }
        // What projects ask about is known when they are passed over.
        let has_waited = self.waiting.is_some_and(|since| since.elapsed() >= PATIENCE);
        if !self.has_idle_work() || !self.workspace.is_settled() && !has_waited {
            return;
        }
        self.waiting = None;
        self.renderer.update(self.renders(), &self.events);
        self.ask_what_to_watch();
        self.look_again();
    }

    /// Has what the projects asked about put in order, if other places may have to be watched.
    fn ask_what_to_watch(&mut self) {
        if self.is_asking || self.is_watching() {
            return;
        }
        self.is_asking = true;
        let (asking, version) = (self.workspace.asking(), self.workspace.questions_version());
        let (folders, supports) = (self.folders.clone(), self.supports.clone());
        let (own, client, events) = (
            self.own_watcher.asked(&self.folders),
            self.client.clone(),
            self.events.clone(),
        );
        self.lanes.run(&self.events, move || {
            let asked = asking.run();
            let places = asked.places();
            let relative = supports.watching_relative;
            let is_client = supports.watching;
            let wanted = is_client.then(|| WatchList::new(version, &places, folders.clone(), relative));
            let watched = (!is_client).then(|| own.update(&client, &places, &folders, &events));
            events.send(Event::Asked(Box::new(AskedAbout {
                asked,
                version,
                folders,
                wanted,
                watched,
            })));
        });
    }

    /// Watches the places that projects asked about.
    pub(super) fn watch(&mut self, about: AskedAbout) {
        self.is_asking = false;
        self.workspace.keep_asked(&about.asked);
        let client = &self.client;
        if let Some(wanted) = about.wanted {
            self.client_watcher.update(client, wanted);
        }
        if let Some(watched) = about.watched
            && let Some(added) = self.own_watcher.updated(about.version, about.folders, watched)
        {
            self.look_where(added);
        }
    }

    fn is_watching(&self) -> bool {
        let (workspace, folders) = (&self.workspace, &self.folders);
        if self.supports.watching {
            self.client_watcher.is_current(workspace, folders)
        } else {
            self.own_watcher.is_current(workspace, folders)
        }
    }

    /// The client watches from now on what it was asked to: what happened before gave no event.
    pub(super) fn replied(&mut self, id: i64) {
        if let Some(added) = self.client_watcher.replied(id) {
            self.look_where(added);
        }
    }

    fn look_where(&mut self, added: Added) {
        let look = match added {
            Added::All => Look::Everywhere,
            Added::Some(dirs) if dirs.is_empty() => return,
            Added::Some(dirs) => Look::In(dirs),
        };
        self.look = Some(look.and(self.look.take()));
    }

    /// Takes over what searches for hints found, unless something has changed meanwhile.
    pub(super) fn hints_found(&mut self, found: Vec<FoundHints>) {
        self.hints.ended();
        let changes = self.workspace.set_hints(found);
        // Of projects that are passed over nothing was taken.
        self.untold.changes.add(changes);
        self.tell();
    }

    /// Takes what commands of the configuration printed. Where one fails, its sources are seen as they are.
    pub(super) fn rendered(&mut self, outcome: Vec<Rendered>) {
        self.renderer.note_end();
        for (render, text) in outcome {
            match text {
                Ok(text) => self.workspace.set_text(&render.into, text),
                Err(why) => {
                    self.workspace.close(&render.into);
                    self.client.log(MessageType::WARNING, why);
                }
            }
        }
        self.revision.fetch_add(1, Ordering::Relaxed);
        self.flush();
    }
}
