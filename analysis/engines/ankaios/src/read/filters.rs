//! The subjects of rules of `controlInterfaceAccess`: masks of the state, names of workloads.

use super::fields;
use super::manifest::{AccessFault, NameFault};
use super::reader::name_fault;

/// The longest name with a wildcard.
pub(super) const MAX_FILTER: usize = 64;

/// The error in a filter mask, with the server's message.
pub(super) fn mask(text: &str) -> Option<(AccessFault, String)> {
    if text.is_empty() {
        let words = "Empty filter masks are not allowed in Control Interface access rules";
        return Some((AccessFault::EmptyMask, words.to_owned()));
    }
    let fits = |part: &str| part == "*" || !part.is_empty() && fields::is_name(part);
    if text.split('.').all(fits) {
        return None;
    }
    let words = format!(
        "Unsupported filter mask '{text}'. Only \".\" separated sequences allowed where each part is either a \
         wildcard \"*\" or chars in [a-zA-Z0-9_-]"
    );
    Some((AccessFault::Mask(text.into()), words))
}

/// The error in the name or filter of a log rule, with the server's message.
pub(super) fn log_name(text: &str) -> Option<(AccessFault, String)> {
    let failed = |words: String| {
        let fault = AccessFault::WorkloadName(text.into());
        Some((fault, format!("Log rule validation filed: {words}")))
    };
    match text.matches('*').count() {
        0 => match name_fault(text)? {
            NameFault::Empty => failed(format!("Unsupported workload name '{text}'. Is empty.")),
            NameFault::Characters => failed(format!(
                "Unsupported workload name '{text}'. Expected to have characters in [a-zA-Z0-9_-]."
            )),
            NameFault::Long(len) => failed(format!(
                "Unsupported workload name '{text}'. Length {len} exceeds the maximum limit of 63 characters."
            )),
        },
        1 if text.len() > MAX_FILTER => failed(format!(
            "Unsupported workload name filter with wildcard '{text}'. Filter length {} exceeds the maximum limit of \
             64 characters.",
            text.len()
        )),
        1 if !fields::is_name(&text.replace('*', "")) => failed(format!(
            "Unsupported workload name filter with wildcard '{text}'. Expected to have characters in [a-zA-Z0-9_-]."
        )),
        1 => None,
        _ => Some((
            AccessFault::Stars(text.into()),
            "Expected at most one '*' symbol.".to_owned(),
        )),
    }
}
