//! No text makes the template engine panic or hang.
#![no_main]

use applyorder_analysis::syntax::template::{Data, parse, render};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let template = parse(text);
    let rendered = render(&template, &Data { type_name: "main.data", fields: &[("Environment", "prod")] });
    if !text.contains("{{") {
        assert_eq!(rendered.text, text);
    }
});
