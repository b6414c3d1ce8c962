//! The outcome of a command: the last line, and the report file.

use applyorder_analysis::engine::EngineMeta;
use applyorder_analysis::engine::invocation::Action;
use camino::Utf8Path;
use serde_json::json;

use super::Stop;
use super::start::Ended;
use crate::escape;
use crate::write;

/// See the module documentation.
#[derive(Default)]
pub(super) struct Report {
    /// The program's name.
    pub(super) program: String,
    /// The command, with secrets masked.
    pub(super) command: Vec<String>,
    pub(super) engine: Option<&'static EngineMeta>,
    /// The version that the engine reports.
    pub(super) engine_version: String,
    pub(super) action: Option<Action>,
    /// Whether the engine was started.
    pub(super) started: bool,
    pub(super) rejected_by_engine: bool,
    pub(super) findings: usize,
    /// What could not be checked.
    pub(super) unresolved: Vec<String>,
    because: Option<String>,
    code: Option<u8>,
    signal: Option<i32>,
}

impl Report {
    /// Records why the engine was not started.
    pub(super) fn stopped(&mut self, stop: &Stop) {
        self.started = false;
        self.because = Some(stop.because.clone());
        self.code = Some(stop.code);
    }

    /// Records how the engine ended, and returns the exit code.
    pub(super) fn ended(&mut self, ended: Ended) -> u8 {
        let code = match ended {
            Ended::Code(code) => code,
            Ended::Signal(signal) => {
                self.signal = Some(signal);
                u8::try_from(128 + signal).unwrap_or(u8::MAX)
            }
        };
        self.code = Some(code);
        code
    }

    /// The last line on standard error.
    pub(super) fn last_line(&self) -> String {
        let program = match &*self.program {
            "" => "the engine".to_owned(),
            program => escape::line(program).into_owned(),
        };
        let code = self.code.unwrap_or_default();
        match (&self.because, self.signal) {
            (Some(because), _) => {
                let because = escape::line(because);
                format!("applyorder: {program} was NOT started: {because} (exit {code})")
            }
            (None, Some(signal)) => {
                format!("applyorder: {program} was started and ended by signal {signal} (exit {code})")
            }
            (None, None) => format!("applyorder: {program} was started and ended with {code}"),
        }
    }

    /// Writes the report file.
    ///
    /// # Errors
    /// When it cannot be written; as a sentence.
    pub(super) fn write(&self, path: Option<&Utf8Path>) -> Result<(), String> {
        let Some(path) = path else {
            return Ok(());
        };
        let report = json!({
            "version": 1,
            "started": self.started,
            "because": self.because,
            "exit_code": self.code,
            "signal": self.signal,
            "command": self.command,
            "engine": self.engine.map(|e| e.id),
            "engine_version": Some(&self.engine_version).filter(|v| !v.is_empty()),
            "verdict_version": self.engine.map(|e| e.version),
            "action": self.action.map(Action::as_str),
            "rejected_by_engine": self.rejected_by_engine,
            "findings": self.findings,
            "unresolved": self.unresolved,
        });
        let mut text = format!("{report:#}");
        text.push('\n');
        write::put(&write::Machine, path, text.as_bytes())
            .map_err(|e| format!("{}: {e}", escape::line(path.as_str())))
    }
}
