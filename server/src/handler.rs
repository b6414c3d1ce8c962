//! What every request has: its name, its parameters, its answer.

use applyorder_analysis::engine::Engines;
use camino::Utf8PathBuf;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp_server::jsonrpc::{self, Error};

use crate::call::{Call, error};
use crate::convert;
use crate::documents::OpenDocuments;
use crate::shown;
use crate::snapshot::{DependsOn, Snapshot};
use crate::state::State;

/// A request as a value: what to do with which parameters, in a file of its own each.
pub(crate) trait RequestHandler {
    /// The method's name in the protocol.
    const METHOD: &'static str;
    /// What the client gives.
    type Params: DeserializeOwned + Send + 'static;
    /// What it gets.
    type Answer: Serialize;

    /// The URI of the document whose edit makes the answer stale.
    fn document(params: &Self::Params) -> Option<&str>;

    /// Whether every edit makes the answer stale.
    const OF_EVERYTHING: bool = false;

    /// Whether it is answered with what is known before all is up to date that concerns the document. The client has to
    /// ask again then.
    const AT_SIGHT: bool = false;

    /// Checks parameters that could be parsed.
    ///
    /// # Errors
    /// A message for the user about what is wrong with them.
    fn check(engines: Engines, params: &Self::Params) -> Result<(), String> {
        let _ = (engines, params);
        Ok(())
    }

    /// The answer. Runs in the pool; if it can take long, it checks `call` now and then for cancellation.
    ///
    /// # Errors
    /// A sentence for the user.
    fn answer(snapshot: &Snapshot, params: Self::Params, call: &Call) -> Result<Self::Answer, String>;

    /// What the owner notes before the snapshot is taken.
    fn note(params: &Self::Params) -> Option<Note> {
        let _ = params;
        None
    }
}

/// What the owner does before it gives a request its snapshot.
pub(crate) type Note = Box<dyn FnOnce(&mut State) + Send>;

/// The work on a request, in the pool.
type Run = Box<dyn FnOnce(&Snapshot, &Call) -> jsonrpc::Result<Value> + Send>;

/// A request, ready to be done.
pub(crate) struct Job {
    pub(crate) method: &'static str,
    pub(crate) run: Run,
    /// The document that it is about.
    pub(crate) document: Option<Utf8PathBuf>,
    pub(crate) depends_on: DependsOn,
    pub(crate) note: Option<Note>,
    /// See [`RequestHandler::AT_SIGHT`].
    pub(crate) at_sight: bool,
}

impl Job {
    /// Takes the name that the workspace has for its document.
    pub(crate) fn name_document(&mut self, open: &OpenDocuments) {
        self.document = self.document.take().map(|path| open.named(path));
        if let DependsOn::Document(path) = &mut self.depends_on {
            *path = open.named(std::mem::take(path));
        }
    }
}

/// The job that a handler does for a request.
///
/// # Errors
/// When the parameters can't be read.
pub(crate) fn job<H: RequestHandler>(params: Value) -> jsonrpc::Result<Job> {
    let params = if params.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        params
    };
    let params: H::Params =
        serde_json::from_value(params).map_err(|e| Error::invalid_params(format!("{}: {e}", H::METHOD)))?;
    let document = H::document(&params).and_then(convert::path_of);
    let depends_on = match &document {
        _ if H::OF_EVERYTHING => DependsOn::Everything,
        Some(path) => DependsOn::Document(path.clone()),
        None => DependsOn::Nothing,
    };
    Ok(Job {
        method: H::METHOD,
        document,
        depends_on,
        note: H::note(&params),
        at_sight: H::AT_SIGHT,
        run: Box::new(move |snapshot, call| {
            let engines = snapshot.analysis.engines();
            H::check(engines, &params).map_err(|e| Error::invalid_params(shown::text(&e).into_owned()))?;
            let answer = H::answer(snapshot, params, call).map_err(|e| error(-32803, shown::text(&e)))?;
            let mut answer = serde_json::to_value(answer).map_err(|_| Error::internal_error())?;
            shown::make_harmless(&mut answer);
            Ok(answer)
        }),
    })
}
