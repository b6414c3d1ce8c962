//! `script` blocks.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks".

use std::sync::Arc;

use super::Reader;
use crate::problems::Fault;
use crate::schema;
use applyorder_syntax::hcl::{Attribute, Block, Tree};

/// A script has jobs, and each of them either a command or several.
pub(super) fn read(reader: &mut Reader<'_>, tree: &Tree, block: Block<'_>) {
    let at = reader.at(block.header_span());
    let labels = block.labels().map(|l| Arc::from(l.text)).collect();
    reader.shape.scripts.push((labels, at));
    if !block.is_closed() || tree.has_gap(block.span()) {
        return;
    }
    let jobs = || block.body().blocks().filter(|b| b.kind() == "job");
    if jobs().next().is_none() {
        schema::missing(reader, tree, block, "job", NO_JOB);
    }
    // Terramate counts only jobs without a problem.
    let is_valid = |job: Block<'_>| {
        let commands = |a: &Attribute<'_>| matches!(a.name(), "command" | "commands");
        let is_known = |a: &Attribute<'_>| commands(a) || matches!(a.name(), "name" | "description");
        let body = job.body();
        body.blocks().next().is_none()
            && body.attributes().all(|a| is_known(&a))
            && body.attributes().filter(commands).count() == 1
    };
    let has_none = jobs().next().is_some() && !jobs().any(is_valid);
    for job in jobs() {
        let [one, many] = ["command", "commands"].map(|name| job.body().attribute(name));
        match (one, many) {
            (None, None) => {
                let words = "(script): missing command or commands";
                schema::missing(reader, tree, job, "command", words);
            }
            (Some(_), Some(many)) => {
                let fault = Fault::Conflict {
                    name: "commands".into(),
                    with: "`command`",
                    words: "(script): conflicting attribute already set".to_owned(),
                };
                reader.fatal(many.name_span(), fault);
            }
            _ => {}
        }
    }
    if let Some(problem) = reader.found.last_mut().filter(|_| has_none) {
        problem.also = Some(NO_JOB);
    }
}

/// Terramate's message for a script without a valid job.
const NO_JOB: &str = "(script): missing or invalid job";
