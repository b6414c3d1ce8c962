//! What a run is told: the flavor of files and the values of variables. And the command that a project is handed to.

use applyorder_core::engine::{Handoff, Operation, ProjectSeed, RunOptions};
use applyorder_core::files::join_clean;
use applyorder_core::layer::Pass;
use camino::Utf8PathBuf;

use crate::config::{Flavor, SpaceliftConfig, VAR, VAR_FILE};

/// The flavor that the configuration names.
pub(crate) fn flavor(pass: &Pass<'_>) -> Flavor {
    let config = pass.cx.config(&pass.seed.root.join("main.tf"));
    config.section::<SpaceliftConfig>().flavor
}

/// The files of values that the user names, those whose values win last, absolute.
pub(crate) fn var_files(pass: &Pass<'_>) -> Vec<Utf8PathBuf> {
    let config = pass.cx.config(&pass.seed.root.join("main.tf"));
    let own = config.section::<SpaceliftConfig>();
    let mut files: Vec<Utf8PathBuf> = own.var_files.iter().map(|f| join_clean(&config.dir, f)).collect();
    files.extend(pass.options.all(&VAR_FILE).iter().map(Utf8PathBuf::from));
    files
}

/// The values on the command line, by name.
pub(crate) fn vars(options: &RunOptions) -> impl Iterator<Item = (&str, &str)> {
    options.all(&VAR).iter().filter_map(|pair| pair.split_once('='))
}

/// `terraform apply` or `terraform destroy` with the values that the user gave.
pub(crate) fn usual(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Handoff {
    let mut argv = vec!["terraform".to_owned()];
    argv.push(match operation {
        Operation::Apply => "apply".to_owned(),
        Operation::Delete => "destroy".to_owned(),
    });
    argv.extend(
        options
            .all(&VAR_FILE)
            .iter()
            .map(|file| format!("-var-file={file}")),
    );
    argv.extend(vars(options).map(|(name, value)| format!("-var={name}={value}")));
    Handoff {
        argv,
        cwd: seed.root.clone(),
    }
}
