//! `ankaios/runtime-config`: a `runtimeConfig` that the runtime cannot read.

use applyorder_core::diagnostic::{Diagnostic, Rule, Severity, Status};
use applyorder_core::layer::{Finding, Fingerprint};

use super::InSource;
use applyorder_syntax::yaml::{self, Libyaml};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "ankaios/runtime-config",
    severity: Severity::Warning,
    summary: "A `runtimeConfig` that the runtime cannot read",
    docs: include_str!("../../../../../docs/rules/ankaios/runtime-config.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The text of a `runtimeConfig` with the key that its runtime needs.
#[derive(PartialEq, Eq, Hash)]
struct TextKey(Fingerprint);

/// Why a runtime cannot read a text; a manifest with many workloads is mostly edited in one of them.
fn fault(text: &str, needed: &str) -> Option<String> {
    let tree = yaml::parse_as(text, Libyaml::New);
    let root = tree.first_document().and_then(|d| d.root());
    if !tree.errors().is_empty() {
        Some("is not YAML".to_owned())
    } else if root.and_then(|r| r.get(needed)).is_none() {
        Some(format!("has no `{needed}`"))
    } else {
        None
    }
}

pub(crate) fn check(source: &InSource<'_>, found: &mut Vec<Finding>) {
    if source.manifest.is_broken {
        return;
    }
    let known = source.memo.table::<TextKey, Option<String>>();
    for workload in &source.manifest.workloads {
        let (Some(runtime), Some(config)) = (&workload.runtime, &workload.runtime_config) else {
            continue;
        };
        let needed = match &*runtime.value {
            "podman" | "containerd" => "image",
            "podman-kube" => "manifest",
            _ => continue,
        };
        if config.template.has_braces && !workload.configs.is_empty() {
            continue;
        }
        let text = &*config.text.value;
        let key = TextKey(Fingerprint::of(&(text, needed)));
        let reason = known.get(key, || fault(text, needed));
        let Some(reason) = &*reason else { continue };
        let text = format!(
            "the `runtimeConfig` of `{}` {reason}: it never starts",
            workload.name.value
        );
        let d = Diagnostic::new(&RULE, source.place(config.key), text).unit((*workload.name.value).into());
        let d = d.related(
            source.place(runtime.place),
            format!("`{}` needs it", runtime.value),
        );
        found.push(Finding::new(
            d.note("the server accepts this, and the agent does not"),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        let with = |config: &str| {
            format!(
                "apiVersion: v1\nworkloads:\n  a: {{agent: b, runtime: podman, runtimeConfig: {config}}}\n"
            )
        };
        speaks(&RULE, &with("'img: x'"), &["runtimeConfig"]);
        speaks(&RULE, &with("'image: x'"), &[]);
    }
}
