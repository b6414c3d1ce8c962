//! The line on a terminal that shows the progress of a long run.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use applyorder_analysis::workspace::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::look::Look;

/// Shorter runs show no progress.
const PATIENCE: Duration = Duration::from_millis(300);

/// How often the line changes.
const TICK: Duration = Duration::from_millis(100);

/// A line that disappears when this is dropped. Nothing else may be printed before.
#[derive(Default)]
pub(crate) struct Line(Option<(Sender<()>, JoinHandle<()>)>);

impl Line {
    /// Shows the progress of reading files if the run that began at `began` takes long.
    pub(crate) fn reading(progress: &Arc<Progress>, files: usize, began: Instant) -> Self {
        let patience = PATIENCE.saturating_sub(began.elapsed());
        Self::on(ProgressDrawTarget::stderr(), patience, progress, files)
    }

    fn on(target: ProgressDrawTarget, patience: Duration, progress: &Arc<Progress>, files: usize) -> Self {
        let (stop, stopped) = mpsc::channel();
        let progress = progress.clone();
        let look = Look {
            ascii: Look::shows_only_ascii(|name| std::env::var(name).ok()),
            ..Look::PLAIN
        };
        let show = move || {
            let waited = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !waited(patience) {
                return;
            }
            let bar = ProgressBar::with_draw_target(Some(files as u64), target);
            let style =
                ProgressStyle::with_template("reading {bar:10} {human_pos} of {human_len} files{msg}");
            if let Ok(style) = style {
                bar.set_style(style.progress_chars(if look.ascii { "=>-" } else { "━╸─" }));
            }
            loop {
                bar.set_position(progress.looked_at().min(files) as u64);
                bar.set_message(projects(&progress, look));
                bar.tick();
                if !waited(TICK) {
                    break;
                }
            }
            bar.finish_and_clear();
        };
        // If the thread cannot be started, no line is shown.
        let thread = std::thread::Builder::new()
            .name("progress".to_owned())
            .spawn(show);
        Self(thread.ok().map(|thread| (stop, thread)))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            drop(thread.join());
        }
    }
}

fn projects(progress: &Progress, look: Look) -> String {
    let dot = look.glyph("·");
    match progress.projects() {
        (0, _) => String::new(),
        (1, _) => format!(" {dot} 1 project"),
        (all, resolved) if resolved < all => format!(" {dot} {resolved} of {all} projects"),
        (all, _) => format!(" {dot} {all} projects"),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use applyorder_analysis::engine::{Engines, Offer, RunOptions};
    use applyorder_analysis::files::MemoryFiles;
    use applyorder_analysis::workspace::Workspace;
    use indicatif::TermLike;

    use super::*;

    /// A terminal that records what was written.
    #[derive(Clone, Debug, Default)]
    struct Kept(Arc<Mutex<String>>);

    impl TermLike for Kept {
        fn width(&self) -> u16 {
            100
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            self.write_str("<cleared>")
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn progress(files: usize) -> Arc<Progress> {
        let progress = Arc::new(Progress::default());
        let memory = Arc::new(MemoryFiles::new());
        let mut workspace = Workspace::new(Engines::new(&[]), memory, RunOptions::default());
        workspace.set_progress(progress.clone());
        let paths: Vec<_> = (0..files).map(|n| format!("/w/{n}").into()).collect();
        workspace.offer(&paths, Offer::Found);
        progress
    }

    fn shown(patience: Duration) -> String {
        let kept = Kept::default();
        let target = ProgressDrawTarget::term_like(Box::new(kept.clone()));
        let line = Line::on(target, patience, &progress(6_412), 10_000);
        std::thread::sleep(Duration::from_millis(60));
        drop(line);
        kept.0.lock().unwrap().clone()
    }

    #[test]
    fn a_long_run_says_how_far_it_is_and_leaves_nothing() {
        let text = shown(Duration::ZERO);
        assert!(
            text.contains("reading ━━━━━━╸─── 6,412 of 10,000 files"),
            "{text}"
        );
        assert!(text.ends_with("<cleared>"), "{text}");
        assert_eq!(shown(Duration::from_secs(60)), "");
    }
}
