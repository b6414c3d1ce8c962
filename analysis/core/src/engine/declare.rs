//! How the configuration declares what was found or inferred.

/// What a table of the configuration says of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// A table of a list of tables: `[[kapp.app]]`. Each of the `ways` reads the same, and the first that does is
    /// taken. A name is added, as `name`.
    Entry {
        /// The list.
        list: &'static str,
        /// What to call it.
        name: String,
        /// Where the files stand in it.
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
    /// What cannot be known and may be so: written as a comment, once for all projects that say it.
    Perhaps {
        /// When it is so, as a sentence without its full stop.
        when: &'static str,
        /// The lines that would declare it.
        lines: String,
        /// Another value for the list that `lines` leaves open as `{}`, where there is one.
        item: Option<String>,
    },
}
