//! `kapp/several-matchers`: a matcher with several fields.

use super::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/several-matchers",
    severity: Severity::Warning,
    summary: "A matcher with several fields",
    docs: "\
## What it does\n\
Reports an entry of `resourceMatchers` with two or more matchers: the first in an order of kapp's own wins, the others\n\
are ignored.\n\
\n\
## Why is this bad?\n\
The binding applies to more than was meant.\n\
\n\
## Example\n\
```yaml\n\
resourceMatchers:\n\
- hasNamespaceMatcher: {}\n\
\x20 apiGroupKindMatcher: {kind: Job, apiGroup: batch}\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
resourceMatchers:\n\
- andMatcher:\n\
\x20   matchers:\n\
\x20   - hasNamespaceMatcher: {}\n\
\x20   - apiGroupKindMatcher: {kind: Job, apiGroup: batch}\n\
```\n\
\n\
## What kapp says\n\
Nothing.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, config) in source.configs() {
        for (place, ignored, winner) in &config.several {
            let d = Diagnostic::new(
                &RULE,
                source.at(item, *place),
                format!("`{ignored}` is ignored: `{winner}` in the same entry wins"),
            )
            .note("two entries mean either, `andMatcher` means both");
            found.push(Finding::new(d));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            Severity::Warning,
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeRuleBindings:
- rules: [upsert after upserting g]
  resourceMatchers: [{allMatcher: {}, hasNamespaceMatcher: {}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
            &["hasNamespaceMatcher"],
            "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeRuleBindings:
- rules: [upsert after upserting g]
  resourceMatchers: [{allMatcher: {}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {}
",
        );
    }
}
