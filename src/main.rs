//! applyorder: parses arguments and calls `lint` or `server`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match applyorder_lint::args::parse(std::env::args_os()) {
        Ok(cli) => ExitCode::from(applyorder_lint::run(&cli)),
        Err(answer) => {
            // Help and version are answers too; who does not read them to the end is not at fault.
            let _ = answer.print();
            ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2))
        }
    }
}
