//! The project layer: everything between the facts of files and what users see, once for all engines.
//!
//! [`resolve`] takes a project through its stages ([`Stages`]); an engine implements them. [`Memo`] keeps what
//! earlier passes computed, [`Finding`] is the result of every check, [`Names`] and [`NameIndex`] say which
//! units a name refers to, [`Budget`] bounds what a small input can make large, and [`Hints`] wait until the
//! user stops typing.

mod agreement;
mod finding;
mod judge;
mod merge;
mod most;
mod runner;
mod stages;

pub use crate::engine::{Hint, HintSearch, Hints, Stop};
pub use crate::memo::{Budget, Fingerprint, Memo, MemoTable, Mix, NameIndex, Names, Sym};
pub use agreement::contradictions;
pub use finding::{Block, Finding, Rejection};
pub use judge::{Command, Reports, Stage, Unknown};
pub use most::MOST;
pub use runner::{
    Check, Listed, Scopes, check_certain, check_project, check_source, count_rules, rules_listed,
};
pub use stages::{Checked, Environment, Outcome, Pass, Stages, at_sight, resolve};
