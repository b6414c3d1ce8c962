//! How the configuration declares what was found or inferred.

/// How a table of the configuration declares a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// A table of a list of tables: `[[kapp.app]]`. The `ways` are alternatives; the first one that reads the
    /// same files is used. A name is added, as `name`.
    Entry {
        /// The list.
        list: &'static str,
        /// The name to use.
        name: String,
        /// The key that lists the files.
        key: &'static str,
        /// The files, best first.
        ways: Vec<Vec<String>>,
        /// What the reader has to check: a sentence without its full stop.
        see_to: &'static str,
    },
    /// A value of a list: `roots`.
    Item {
        /// The list.
        list: &'static str,
        /// The value.
        value: String,
        /// What the reader has to check.
        see_to: &'static str,
    },
    /// A possibility that cannot be verified: written as a comment, once for all projects that have it.
    Perhaps {
        /// When it applies, as a sentence without its full stop.
        when: &'static str,
        /// The lines that would declare it.
        lines: String,
        /// Another value for the list that `lines` leaves open as `{}`, if any.
        item: Option<String>,
    },
}
