//! Stands in for the shared layer.
#![allow(dead_code, reason = "stands in for the shared layer")]

mod finding;
mod fingerprint;
mod judge;
mod memo;

pub(super) use finding::{Block, Finding, Rejection};
pub(super) use fingerprint::{Fingerprint, Mix};
pub(super) use judge::{Command, Marks, Reports, Stage, Unknown, in_order, judge};
pub(super) use memo::{Memo, Pass, Read, Shape, Sym};
