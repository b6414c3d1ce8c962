//! Read-only answers for coding agents: the Model Context Protocol on standard input and output.
//!
//! The protocol implementation is `rmcp`; the answers are those of the command line. A [tool](tools) turns its
//! arguments into those of a command, runs the command as `--format json` would, over files [within
//! reach](applyorder_lint::reach), and returns the part of the report that an agent needs. So the two cannot disagree,
//! each call sees the current files, and nothing is written: no tool makes an argument that writes.

mod answers;
mod call;
mod params;
mod service;
mod tools;

use std::process::ExitCode;

use applyorder_analysis::engine::Engines;
use applyorder_lint::args::{Global, McpArgs};
use applyorder_lint::exit::Exit;
use applyorder_lint::log;
use applyorder_lint::output::Output;
use applyorder_lint::reach::Reach;
use applyorder_lint::start::{absolute, current_dir};
use rmcp::ServiceExt as _;

/// Serves one client on standard input and output until the input ends. Paths in tool arguments are relative to the
/// first of the directories.
///
/// The exit code is 0 at the end of the input, and 2 when the server could not be started.
#[must_use]
pub fn run(engines: Engines, global: &Global, args: &McpArgs) -> ExitCode {
    match serve(engines, global, args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            Output::standard(global).error(&message);
            ExitCode::from(Exit::Failed.code())
        }
    }
}

fn serve(engines: Engines, global: &Global, args: &McpArgs) -> Result<(), String> {
    let sentence = |failure| match failure {
        applyorder_lint::exit::Failure::Message(message) => message,
        applyorder_lint::exit::Failure::BrokenPipe => "the output is closed".to_owned(),
    };
    let cwd = current_dir().map_err(sentence)?;
    let dirs: Vec<_> = args.dirs.iter().map(|dir| absolute(&cwd, dir)).collect();
    let reach = Reach::below(&dirs)?;
    log::start(global).map_err(sentence)?;
    // Answers name files relative to this directory, so that agents can open them.
    if let Some(first) = reach.dirs().first() {
        std::env::set_current_dir(first).map_err(|e| format!("{first}: {e}"))?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| format!("the runtime cannot be started: {e}"))?;
    let service = service::Service::new(engines, global.clone(), reach);
    let served = runtime.block_on(async {
        match service.serve(rmcp::transport::stdio()).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(|e| e.to_string()),
            // A client that closes the connection without a message is not an error.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(e) => Err(applyorder_lint::escape::line(&e.to_string()).into_owned()),
        }
    });
    // A pending read of standard input, or a cancelled call, must not keep the process alive.
    runtime.shutdown_background();
    served
}
