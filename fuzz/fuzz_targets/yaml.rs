//! No text makes the YAML parser panic, hang, or give a different result after an edit than from scratch.
#![no_main]

use applyorder_analysis::syntax::yaml;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|texts: (&str, &str)| {
    let (before, after) = texts;
    let edited = yaml::parse(before).reparse(after);
    let fresh = yaml::parse(after);
    assert_eq!(edited.errors(), fresh.errors());
});
