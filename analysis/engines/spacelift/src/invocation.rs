//! What a run is told: the flavor of files, the values of variables, what is already applied. And the command that a
//! project is handed to.

use applyorder_core::engine::{Handoff, Operation, OptionName, ProjectSeed, RunOptions};
use applyorder_core::files::join_clean;
use applyorder_core::layer::Pass;
use camino::Utf8PathBuf;

/// The options of a run that Spacelift's configurations know.
pub(crate) static OPTIONS: &[OptionName] = &[
    OptionName::Vars,
    OptionName::State,
    OptionName::Changed,
    OptionName::Failed,
    OptionName::UnchangedOutputs,
];

/// Whose rules say which files of a directory count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    /// OpenTofu's where a directory has a file that only OpenTofu reads.
    Auto,
    Terraform,
    OpenTofu,
}

/// The flavor that the configuration names.
pub(crate) fn flavor(pass: &Pass<'_>) -> Flavor {
    let config = pass.cx.config(&pass.seed.root.join("main.tf"));
    match config.spacelift.flavor.as_deref() {
        Some("terraform") => Flavor::Terraform,
        Some("opentofu") => Flavor::OpenTofu,
        _ => Flavor::Auto,
    }
}

/// The files of values that the user names, those whose values win last, absolute.
pub(crate) fn var_files(pass: &Pass<'_>) -> Vec<Utf8PathBuf> {
    let config = pass.cx.config(&pass.seed.root.join("main.tf"));
    let configured = config.spacelift.var_files.iter();
    let mut files: Vec<Utf8PathBuf> = configured.map(|f| join_clean(&config.dir, f)).collect();
    files.extend(pass.options.var_files.iter().cloned());
    files
}

/// `terraform apply` or `terraform destroy` with the values that the user gave.
pub(crate) fn usual(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Handoff {
    let mut argv = vec!["terraform".to_owned()];
    argv.push(match operation {
        Operation::Apply => "apply".to_owned(),
        Operation::Delete => "destroy".to_owned(),
    });
    for file in &options.var_files {
        argv.push(format!("-var-file={file}"));
    }
    for (name, value) in &options.vars {
        argv.push(format!("-var={name}={value}"));
    }
    Handoff {
        argv,
        cwd: seed.root.clone(),
    }
}
