//! Commands of the configuration whose output is read in place of their sources. They come with the files of a
//! workspace, so they are run only where the client says that the workspace is trusted (`trusted`) and the user
//! agreed to it (`render`), or where the user allowed just these (`applyorder trust`): at the start, when the configuration changes, and after a save; one run at a time,
//! and never on the owner's thread.

use applyorder_analysis::engine::Render;
use applyorder_lint::render;

use crate::event::{Event, Events, Rendered};

/// What was run, and whether it has to be run again.
#[derive(Default)]
pub(crate) struct Renderer {
    known: Vec<Render>,
    due: bool,
    running: bool,
}

impl Renderer {
    /// Notes that sources may be others now.
    pub(crate) fn note_change(&mut self) {
        self.due = true;
    }

    /// Notes that the commands have run.
    pub(crate) fn note_end(&mut self) {
        self.running = false;
    }

    /// Whether there is nothing to run, or what runs comes first.
    pub(crate) fn is_current(&self, renders: &[Render]) -> bool {
        self.running || !self.due && renders == self.known
    }

    /// Runs the commands on a thread of their own, where there is cause to; the outcome comes through the
    /// owner's queue.
    pub(crate) fn update(&mut self, renders: Vec<Render>, events: &Events) {
        if self.is_current(&renders) {
            return;
        }
        self.due = false;
        self.known.clone_from(&renders);
        if renders.is_empty() {
            return;
        }
        let events = events.clone();
        let work = move || {
            let outcome: Vec<Rendered> = renders
                .into_iter()
                .map(|render| {
                    let text = render::run(&render);
                    (render, text)
                })
                .collect();
            events.send(Event::Rendered(outcome));
        };
        let thread = std::thread::Builder::new().name("render".to_owned());
        self.running = thread.spawn(work).is_ok();
    }
}
