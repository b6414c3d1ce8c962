//! The project layer: what lies between the facts of files and what people see, once for all engines.
//!
//! [`resolve`] takes a project through its stages ([`Stages`]); an engine fills them in. [`Memo`] keeps what
//! earlier passes computed, [`Finding`] is what every check finds, [`Names`] and [`NameIndex`] tell which units a
//! name stands for, [`Budget`] bounds what a small input can make large, and [`Hints`] wait until nobody edits.

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
