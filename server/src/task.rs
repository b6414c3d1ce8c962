//! What the service sends to the owner.

use std::sync::Arc;

use crate::call::Call;
use crate::event::Event;
use crate::handler::{Job, Note};
use crate::params::DidChange;
use crate::start::Start;

/// One thing for the owner to do.
pub(crate) enum Task {
    /// The session begins.
    Start(Box<Start>),
    /// A document was edited.
    Change(DidChange),
    /// Any other notification: its method, and what is done then.
    Notify(&'static str, Note),
    /// Something happened without the client.
    Happened(Event),
    /// A request.
    Ask {
        /// What is to be done for it.
        job: Job,
        /// The pending call to answer.
        call: Arc<Call>,
    },
}
