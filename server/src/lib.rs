//! The language server of applyorder.
//!
//! The pump, codec and message types are those of `tower-lsp-server`; everything that decides about order
//! is here. The pump calls the [`service`] with one message after the other, in the order they were read.
//! The service does nothing but send: each message goes, before the call returns, into the queue of the one
//! [`main_loop`] of the state. The owner applies changes in order, and gives a request the immutable picture of
//! the workspace at the request's place in the queue; a pool does the work. So no handler can see an edit
//! too early or too late, none waits for a reply of the client, and no lock is held across an await.
//!
//! What is here converts: positions, URIs, JSON. What an answer says is decided in
//! [`applyorder_analysis::ide`].

mod answerers;
mod call;
mod capabilities;
mod client;
mod commands;
mod config_file;
mod convert;
mod diagnostics;
mod dispatch;
mod documents;
mod event;
mod handler;
mod hints;
mod lanes;
mod main_loop;
mod memory;
mod notifications;
mod object;
mod order_state;
mod params;
mod render;
mod requests;
mod scan;
mod service;
mod settings;
mod shown;
mod snapshot;
mod start;
mod state;
mod task;
mod trace;
mod transport;
mod watch;
mod watch_list;
mod watched;

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use applyorder_analysis::config::ConfigSource;
use applyorder_analysis::engine::Engines;
use applyorder_lint::log;
use tower_lsp_server::Server;
use tracing::subscriber::set_global_default;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry;

use crate::client::Client;
use crate::trace::Trace;
use crate::transport::{Ended, Ending};

/// How long the server continues after the end of its input to answer what came before.
const GRACE: Duration = Duration::from_millis(50);

/// Serves one client on standard input and output until it sends `exit`, or until the input ends. `config` is the
/// source of the configuration, and `log` the requested log of the work.
///
/// Pending work is abandoned: the caller ends the process.
///
/// The exit code is 0 after a `shutdown` request, else 1, as the protocol demands; 2 when the server could
/// not be started.
#[must_use]
pub fn run(engines: Engines, config: ConfigSource, log: Option<log::Layer>) -> ExitCode {
    memory::in_small_pages();
    let (ending, ended) = Ending::new();
    let Some(input) = transport::Input::start(ending.clone()) else {
        return ExitCode::from(2);
    };
    let (client, said) = client::connect();
    let trace = Trace::default();
    listen(log, trace.clone(), client.clone());
    let Some((queue, events)) = main_loop::start(engines, client, config) else {
        return ExitCode::from(2);
    };
    let service = service::Service::new(queue, input.closer(), trace);
    let shut_down = service.shut_down_flag();
    let serve = move || {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() {
            runtime.block_on(
                Server::new(input, transport::Output, said.with_replies(events))
                    // A request waits for its turn in the owner's queue, not in the pump's.
                    .concurrency_level(usize::MAX)
                    .serve(service),
            );
        }
        ending.tell(Ended::Work);
    };
    // On a separate thread: a client that does not read must not keep the server from exiting.
    let pump = std::thread::Builder::new().name("pump".to_owned());
    if pump.spawn(serve).is_err() {
        return ExitCode::from(2);
    }
    if ended.recv() == Ok(Ended::Input) {
        let _ = ended.recv_timeout(GRACE);
    }
    if shut_down.load(Ordering::Relaxed) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Sets the subscribers of the spans: the log, if there is one, and the client's trace.
fn listen(log: Option<log::Layer>, trace: Trace, client: Client) {
    // A subscriber that is already set stays.
    let _ = match log {
        Some(log) => set_global_default(registry().with(log).with(trace::layer(client, trace))),
        None => set_global_default(registry().with(trace::layer(client, trace))),
    };
}
