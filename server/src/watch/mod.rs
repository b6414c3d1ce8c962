//! How the server learns of changes on the disk: from the client if it can watch files, as the protocol
//! prefers it, else from a watcher of its own. Language servers that rely on clients alone (or look again
//! when something is saved) miss what a generator, `git` or another program changes.

pub(crate) mod client;
pub(crate) mod notify;
