//! `ankaios/file-content`: a file entry that the agent cannot use.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::Finding;

use super::InSource;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/file-content",
    severity: Severity::Warning,
    summary: "A file entry that the agent cannot use",
    docs: include_str!("../../../../../docs/rules/ankaios/file-content.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    if source.manifest.is_broken {
        return;
    }
    for workload in &source.manifest.workloads {
        for entry in &workload.files {
            let mut note = |place: u32, text: String| {
                let d = Diagnostic::new(&RULE, source.place(place), text);
                let d = d
                    .unit((*workload.name.value).into())
                    .note("the server accepts this, and the agent does not");
                found.push(Finding::new(d));
            };
            let role = source.role;
            let applies_binary = role.applies() && entry.applies_binary();
            if let (Some(data), Some(binary)) = (&entry.data, &entry.binary) {
                let (key, text) = match (role.starts_up(), applies_binary) {
                    (_, false) => (binary.key, "`binaryData` is ignored: `data` takes precedence"),
                    (false, true) => (data.key, "`data` is ignored: `ank apply` takes what comes first"),
                    (true, true) => (
                        binary.key,
                        "`binaryData` conflicts with `data`: the startup takes `data`, `ank apply` what comes first",
                    ),
                };
                note(key, text.to_owned());
            }
            if let Some(mount) = entry.mount.as_ref().filter(|m| !m.value.starts_with('/')) {
                note(
                    mount.place,
                    format!("invalid mount point `{}`: the path is not absolute", mount.value),
                );
            }
            if let Some(binary) = entry
                .binary
                .as_ref()
                .filter(|b| (entry.data.is_none() || applies_binary) && !b.template.has_braces)
                && !is_base64(&binary.text.value)
            {
                note(binary.text.place, "invalid `binaryData`: not Base64".to_owned());
            }
        }
    }
}

/// Standard Base64 with padding.
fn is_base64(text: &str) -> bool {
    let text = text.trim();
    let padding = text.bytes().rev().take_while(|b| *b == b'=').count();
    let body = text.get(..text.len() - padding).unwrap_or("");
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    text.len().is_multiple_of(4) && padding <= 2 && body.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |entry: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: podman, runtimeConfig: 'image: x', files: [{entry}]}}\n"
            )
        };
        speaks(&RULE, &with("{mountPoint: rel, data: x}"), &["rel"]);
        speaks(&RULE, &with("{mountPoint: /a, binaryData: '%%%'}"), &["'%%%'"]);
        speaks(
            &RULE,
            &with("{mountPoint: /a, data: x, binaryData: eA==}"),
            &["binaryData"],
        );
        speaks(&RULE, &with("{mountPoint: /a, binaryData: eA==}"), &[]);
    }
}
