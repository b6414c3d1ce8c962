//! What `--log` prints to standard error: spans of work, each with its duration when it ends.

use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Layer as _, Registry, registry};

use crate::args::Global;
use crate::escape;
use crate::exit::Failure;

/// A log layer, ready to be installed.
pub type Layer = Box<dyn tracing_subscriber::Layer<Registry> + Send + Sync>;

/// The log that the flags request; `None` if they request none.
///
/// # Errors
/// When the filter cannot be parsed.
pub fn layer(global: &Global) -> Result<Option<Layer>, Failure> {
    let Some(text) = global.log.as_deref().filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    let filter = EnvFilter::builder()
        .parse(text)
        .map_err(|e| Failure::new(format!("--log {}: {e}", escape::line(text))))?;
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_span_events(FmtSpan::CLOSE);
    Ok(Some(lines.with_filter(filter).boxed()))
}

/// Starts the log that the flags request.
///
/// # Errors
/// When the filter cannot be parsed.
pub fn start(global: &Global) -> Result<(), Failure> {
    if let Some(layer) = layer(global)? {
        // A subscriber that is already set stays.
        let _ = tracing::subscriber::set_global_default(registry().with(layer));
    }
    Ok(())
}
