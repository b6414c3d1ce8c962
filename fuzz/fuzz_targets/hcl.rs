//! No text makes the HCL parser panic, hang, or give a different result after an edit than from scratch.
#![no_main]

use applyorder_analysis::syntax::hcl;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|texts: (&str, &str)| {
    let (before, after) = texts;
    let edited = hcl::parse(before).reparse(after);
    let fresh = hcl::parse(after);
    assert_eq!(edited.errors(), fresh.errors());
});
