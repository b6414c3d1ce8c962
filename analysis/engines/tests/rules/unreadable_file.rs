//! Tests of `unreadable-file`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::unreadable_file::RULE;

#[test]
fn a_directory() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: d
//- /w/d/x.yaml
",
        ),
        "error tazuna.yaml:4 «d»: `d` cannot be read: it is a directory
  check includes first, apply includes first, destroy includes first: failed to open include file: d: read d: is a directory
"
    );
}
