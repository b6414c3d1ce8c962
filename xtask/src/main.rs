//! Developer tasks: `cargo run -p xtask -- docs` writes the generated part of `docs/`.

mod docs;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."));
    let result = match std::env::args().nth(1).as_deref() {
        Some("docs") => docs::write(root),
        _ => Err("usage: cargo run -p xtask -- docs".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "{message}");
            ExitCode::FAILURE
        }
    }
}
