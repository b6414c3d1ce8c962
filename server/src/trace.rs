//! `$/setTrace` and `$/logTrace`: the client is told for each message how long it took, and which steps took the time.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, Filter};
use tracing_subscriber::registry::LookupSpan;

use crate::client::Client;

const OFF: u8 = 0;
const MESSAGES: u8 = 1;
const VERBOSE: u8 = 2;

/// The names of the spans that are a message of the client's, or what happened without it.
const OF_A_MESSAGE: [&str; 2] = ["request", "notification"];

/// The verbosity that the client requests: off, messages, or verbose.
#[derive(Clone, Default)]
pub(crate) struct Trace(Arc<AtomicU8>);

impl Trace {
    /// Takes a value of the protocol; one that it does not know changes nothing.
    pub(crate) fn set(&self, value: Option<&Value>) {
        let level = match value.and_then(Value::as_str) {
            Some("off") => OFF,
            Some("messages") => MESSAGES,
            Some("verbose") => VERBOSE,
            _ => return,
        };
        if self.0.swap(level, Ordering::Relaxed) != level {
            // Interest is cached, so that disabled spans cost nothing.
            tracing::callsite::rebuild_interest_cache();
        }
    }

    fn level(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    fn wants(&self, span: &Metadata<'_>) -> bool {
        let ours = span.is_span() && *span.level() <= Level::DEBUG && span.target().starts_with("applyorder");
        match self.level() {
            OFF => false,
            MESSAGES => ours && OF_A_MESSAGE.contains(&span.name()),
            _ => ours,
        }
    }
}

impl<S> Filter<S> for Trace {
    fn enabled(&self, span: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        self.wants(span)
    }

    fn callsite_enabled(&self, span: &'static Metadata<'static>) -> Interest {
        if self.wants(span) {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(match self.level() {
            OFF => LevelFilter::OFF,
            _ => LevelFilter::DEBUG,
        })
    }
}

/// What tells the client.
pub(crate) fn layer<S>(client: Client, trace: Trace) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let filter = trace.clone();
    Teller { client, trace }.with_filter(filter)
}

struct Teller {
    client: Client,
    trace: Trace,
}

/// A span that goes on.
struct Step {
    since: Instant,
    what: String,
    /// The steps within that have ended, a line each.
    within: String,
}

impl<S> Layer<S> for Teller
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: Context<'_, S>) {
        let Some(span) = cx.span(id) else { return };
        let mut what = What(String::new());
        if !OF_A_MESSAGE.contains(&span.name()) {
            what.0.push_str(span.name());
        }
        attributes.record(&mut what);
        span.extensions_mut().insert(Step {
            since: Instant::now(),
            what: what.0,
            within: String::new(),
        });
    }

    fn on_close(&self, id: Id, cx: Context<'_, S>) {
        let Some(span) = cx.span(&id) else { return };
        let Some(step) = span.extensions_mut().remove::<Step>() else {
            return;
        };
        let line = format!("{}: {:.1?}", step.what, step.since.elapsed());
        if let Some(parent) = span.parent() {
            if let Some(outer) = parent.extensions_mut().get_mut::<Step>() {
                for line in std::iter::once(&*line).chain(step.within.lines()) {
                    let _ = writeln!(outer.within, "  {line}");
                }
            }
            return;
        }
        let told = match self.trace.level() {
            OFF => return,
            VERBOSE if !step.within.is_empty() => json!({ "message": line, "verbose": step.within }),
            _ => json!({ "message": line }),
        };
        self.client.notify("$/logTrace", &told);
    }
}

/// A span's fields in one line.
struct What(String);

impl Visit for What {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let gap = if self.0.is_empty() { "" } else { " " };
        let _ = write!(self.0, "{gap}{}={value:?}", field.name());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let gap = if self.0.is_empty() { "" } else { " " };
        let _ = match field.name() {
            "method" => write!(self.0, "{gap}{value}"),
            name => write!(self.0, "{gap}{name}={value}"),
        };
    }
}
