//! applyorder: parses arguments and calls `lint`, `server` or `mcp`.

use std::io::Write;
use std::process::ExitCode;

use applyorder_lint::args::{self, Cli, Command};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let engines = applyorder_engines::all();
    if let Some(code) = applyorder_lint::commands::completions::answer(engines, std::env::args_os()) {
        return ExitCode::from(code);
    }
    match args::parse(engines, std::env::args_os()) {
        Ok(cli) if matches!(cli.command, Command::Server(_)) => {
            match applyorder_lint::for_server(engines, &cli) {
                Ok((config, log)) => applyorder_server::run(engines, config, log),
                Err(code) => ExitCode::from(code),
            }
        }
        Ok(Cli {
            command: Command::Mcp(args),
            global,
        }) => applyorder_mcp::run(engines, &global, &args),
        Ok(cli) => ExitCode::from(applyorder_lint::run(engines, &cli)),
        Err(answer) => {
            // Help and version are answers too; a reader that closes the output early is not an error.
            let _ = answer.print();
            let code = u8::try_from(answer.exit_code()).unwrap_or(2);
            if code == 0 || !args::was_to_hand_over(engines, std::env::args_os()) {
                return ExitCode::from(code);
            }
            let (last_line, code) = applyorder_lint::commands::exec::not_understood();
            let _ = writeln!(std::io::stderr(), "{last_line}");
            ExitCode::from(code)
        }
    }
}
