//! Finds Terraform and OpenTofu, and builds our own provider.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::skipped::skip;

pub(crate) struct Oracle {
    /// `terraform` or `tofu`.
    pub(crate) program: &'static str,
    /// The path of its configuration, which names the provider.
    config: PathBuf,
}

/// A program and the provider, if the former is installed and the latter can be built; otherwise skipped with a
/// message.
pub(crate) fn find(program: &'static str) -> Option<Oracle> {
    let version = Command::new(program).arg("version").output();
    if !version.is_ok_and(|o| o.status.success()) {
        skip(&format!("real {program}"), "it is not installed");
        return None;
    }
    // One builds, the others wait for it.
    static BUILDING: Mutex<()> = Mutex::new(());
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spacelift");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(dir.join("terraform-provider-spacelift"))
        .arg(".")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/spacelift/provider"))
        .output();
    if !built.as_ref().is_ok_and(|o| o.status.success()) {
        let why = built.map_or_else(
            |e| e.to_string(),
            |o| String::from_utf8_lossy(&o.stderr).into_owned(),
        );
        skip("provider of Spacelift", &format!("it cannot be built: {why}"));
        return None;
    }
    let config = dir.join("terraform.tfrc");
    let text = format!(
        "provider_installation {{\n  dev_overrides {{\n    \"spacelift-io/spacelift\" = {dir:?}\n  }}\n  direct {{\n  }}\n}}\n"
    );
    std::fs::write(&config, text).unwrap();
    Some(Oracle { program, config })
}

impl Oracle {
    /// How we read the modules.
    pub(crate) fn flavor(&self) -> &'static str {
        match self.program {
            "tofu" => "opentofu",
            other => other,
        }
    }

    /// Configures a command with what Terraform and the provider need, for a module in a directory.
    pub(crate) fn prepare<'c>(&self, command: &'c mut Command, dir: &Path) -> &'c mut Command {
        command
            .current_dir(dir)
            .stdin(Stdio::null())
            .env("TF_CLI_CONFIG_FILE", &self.config)
            .env("CHECKPOINT_DISABLE", "1")
            .env(
                "APPLYORDER_SCHEMA",
                Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("analysis/engines/spacelift/src/schema/provider.txt"),
            )
            .env("APPLYORDER_WORLD", dir.join("account"))
    }

    /// Runs it on the module in a directory, with the given values.
    pub(crate) fn run(&self, dir: &Path, args: &[&str]) -> Output {
        let mut command = Command::new(self.program);
        command.args(args);
        if args[0] != "validate" {
            command.arg("-var-file=given.tfvars");
        }
        self.prepare(&mut command, dir).output().unwrap()
    }
}
