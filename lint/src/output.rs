//! Destinations of output: answers go to standard output and files, notes to standard error. Nothing else writes.

use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};

use applyorder_analysis::config::{Hyperlinks, LinkTemplate};
use camino::Utf8Path;
use supports_hyperlinks::Stream;

use crate::args::{Color, Global, To};
use crate::escape;
use crate::exit::Failure;
use crate::look::Look;
use crate::write;

/// The outputs of one run.
pub struct Output {
    stdout: Box<dyn Write>,
    stderr: Box<dyn Write>,
    color_stdout: bool,
    color_stderr: bool,
    terminal: bool,
    quiet: bool,
    verbose: bool,
    /// Whether standard error is a terminal that a person watches.
    watched: bool,
    /// Whether the terminal of standard output is known to support hyperlinks.
    links_stdout: bool,
}

impl Output {
    /// The standard streams of the process.
    #[must_use]
    pub fn standard(global: &Global) -> Self {
        let color = |terminal: bool| wants_color(global.color, terminal, |name| env::var(name).ok());
        Self {
            stdout: Box::new(BufWriter::with_capacity(1 << 16, io::stdout())),
            stderr: Box::new(io::stderr()),
            color_stdout: color(io::stdout().is_terminal()),
            color_stderr: color(io::stderr().is_terminal()),
            terminal: io::stdout().is_terminal(),
            quiet: global.quiet,
            verbose: global.verbose,
            watched: io::stderr().is_terminal()
                && env::var("TERM").as_deref() != Ok("dumb")
                && global.log.is_none(),
            // The terminal of VS Code detects places itself, and opens them at their line.
            links_stdout: supports_hyperlinks::on(Stream::Stdout)
                && env::var("TERM_PROGRAM").as_deref() != Ok("vscode"),
        }
    }

    /// Uses the given streams instead of those of the process: for answers and for notes. Without colors.
    #[must_use]
    pub fn to(answers: Box<dyn Write>, notes: Box<dyn Write>) -> Self {
        Self {
            stdout: answers,
            stderr: notes,
            quiet: false,
            ..Self::silent()
        }
    }

    /// For a run whose output is discarded.
    pub(crate) fn silent() -> Self {
        Self {
            stdout: Box::new(io::sink()),
            stderr: Box::new(io::sink()),
            color_stdout: false,
            color_stderr: false,
            terminal: false,
            quiet: true,
            verbose: false,
            watched: false,
            links_stdout: false,
        }
    }

    /// Whether output to standard output may be colored.
    #[must_use]
    pub fn color(&self) -> bool {
        self.color_stdout
    }

    /// Whether the user wants more details.
    #[must_use]
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// The hyperlink template for colored output, according to the configuration; `None`: no hyperlinks.
    #[must_use]
    pub fn links(&self, wanted: &Hyperlinks) -> Option<LinkTemplate> {
        match wanted {
            Hyperlinks::Auto => self.links_stdout.then(LinkTemplate::file),
            Hyperlinks::Off => None,
            Hyperlinks::To(template) => Some(template.clone()),
        }
    }

    /// Whether a transient progress line may be shown on standard error.
    #[must_use]
    pub fn shows_progress(&self) -> bool {
        self.watched && !self.quiet && !self.verbose
    }

    /// Writes one answer to the file its format names, or to standard output. `print` is told whether it may use color.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn answer<F>(
        &mut self,
        to: &To<F>,
        print: impl FnOnce(&mut dyn Write, bool) -> io::Result<()>,
    ) -> Result<(), Failure> {
        match &to.file {
            None => print(&mut self.stdout, self.color_stdout)?,
            Some(path) => {
                let failed = |e: io::Error| Failure::new(format!("{}: {e}", escape::line(path.as_str())));
                let mut text = Vec::new();
                print(&mut text, false)
                    .and_then(|()| write::put(&write::Machine, path, &text))
                    .map_err(failed)?;
            }
        }
        Ok(())
    }

    /// The capabilities of standard output.
    #[must_use]
    pub fn look(&self) -> Look {
        Look {
            color: self.color_stdout,
            terminal: self.terminal,
            ascii: Look::shows_only_ascii(|name| env::var(name).ok()),
            width: columns(self.terminal),
        }
    }

    /// The capabilities of standard error.
    #[must_use]
    pub fn note_look(&self) -> Look {
        Look {
            color: self.color_stderr,
            ..self.look()
        }
    }

    /// Whether standard output is a terminal.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// As [`Self::answer`], for output with a layout: `print` receives the capabilities of the output.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn answer_looking<F>(
        &mut self,
        to: &To<F>,
        print: impl FnOnce(&mut dyn Write, Look) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let look = match &to.file {
            Some(_) => Look::PLAIN,
            None => self.look(),
        };
        self.answer(to, |w, _| print(w, look))
    }

    /// Writes to standard output.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.stdout.write_all(text.as_bytes())?)
    }

    /// Reports an error, even with `--quiet`.
    pub fn error(&mut self, message: &str) {
        self.say("error", "1;31", message);
    }

    /// Reports something important about the run itself.
    pub fn warning(&mut self, message: &str) {
        if !self.quiet {
            self.say("warning", "1;33", message);
        }
    }

    /// Reports details for verbose output.
    pub fn detail(&mut self, message: &str) {
        if self.verbose {
            self.line(message);
        }
    }

    /// A line for the CI system, even with `--quiet`.
    pub fn annotate(&mut self, line: &str) {
        self.line(line);
    }

    /// A closing line.
    pub fn summary(&mut self, message: &str) {
        if !self.quiet {
            self.line(message);
        }
    }

    /// The last line, even with `--quiet`.
    pub fn closing(&mut self, message: &str) {
        self.line(message);
    }

    /// Writes human-readable notes to standard error; `print` is told whether it may use color.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn notes(
        &mut self,
        print: impl FnOnce(&mut dyn Write, bool) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.stdout.flush()?;
        Ok(print(&mut self.stderr, self.color_stderr)?)
    }

    fn say(&mut self, word: &str, style: &str, message: &str) {
        let message = if self.color_stderr {
            format!("\x1b[{style}m{word}\x1b[0m: {message}")
        } else {
            format!("{word}: {message}")
        };
        self.line(&message);
    }

    /// Standard output is flushed first, so that both streams are in order on one terminal.
    fn line(&mut self, message: &str) {
        let _ = self.stdout.flush();
        let _ = writeln!(self.stderr, "{message}");
    }

    /// Writes buffered output.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }
}

/// The number of columns of a line: from `COLUMNS`, else from the terminal.
fn columns(terminal: bool) -> usize {
    let given = env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    given.or_else(|| asked().filter(|_| terminal)).unwrap_or(100)
}

/// The flag takes precedence, then `NO_COLOR`, then `FORCE_COLOR`, then whether it is a terminal.
fn wants_color(flag: Color, terminal: bool, env: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name| env(name).is_some_and(|v| !v.is_empty());
    match flag {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if is_set("NO_COLOR") => false,
        Color::Auto if is_set("FORCE_COLOR") => env("FORCE_COLOR").as_deref() != Some("0"),
        Color::Auto => terminal && env("TERM").as_deref() != Some("dumb"),
    }
}

/// Whether a path means standard input.
#[must_use]
pub fn is_stdin(path: &Utf8Path) -> bool {
    path == "-"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_wins_then_no_color_then_force_color() {
        let env =
            |set: &'static [&'static str]| move |name: &str| set.contains(&name).then(|| "1".to_owned());
        assert!(wants_color(Color::Always, false, env(&["NO_COLOR"])));
        assert!(!wants_color(Color::Auto, true, env(&["NO_COLOR", "FORCE_COLOR"])));
        assert!(wants_color(Color::Auto, false, env(&["FORCE_COLOR"])));
        assert!(wants_color(Color::Auto, true, env(&[])));
        assert!(!wants_color(Color::Auto, false, env(&[])));
        assert!(!wants_color(Color::Never, true, env(&["FORCE_COLOR"])));
    }
}
