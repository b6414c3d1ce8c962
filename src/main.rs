//! applyorder: parses arguments and calls `lint` or `server`.
fn main() {}
