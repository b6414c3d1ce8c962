//! kapp's usual commands for an app.

use crate::config::{INTO_NS, MAP_NS, NAMESPACE};
use applyorder_core::engine::{Handoff, Operation, ProjectSeed, RunOptions};

/// `kapp deploy -a APP -f ...`, or `kapp delete -a APP`.
pub(crate) fn command(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
    let app = seed
        .name
        .clone()
        .or_else(|| seed.root.file_name().map(str::to_owned))?;
    let mut argv = vec!["kapp".to_owned()];
    match operation {
        Operation::Apply => {
            argv.extend(["deploy".to_owned(), "-a".to_owned(), app]);
            for input in &seed.inputs {
                // kapp splits the value at commas, so that such a path cannot be given to it.
                if input.as_str().contains(',') {
                    return None;
                }
                argv.extend(["-f".to_owned(), input.to_string()]);
            }
            if let Some(namespace) = options.one(&INTO_NS) {
                argv.extend(["--into-ns".to_owned(), namespace.to_owned()]);
            }
            for mapped in options.all(&MAP_NS) {
                argv.extend(["--map-ns".to_owned(), mapped.clone()]);
            }
        }
        Operation::Delete => argv.extend(["delete".to_owned(), "-a".to_owned(), app]),
    }
    if let Some(namespace) = options.one(&NAMESPACE) {
        argv.extend(["-n".to_owned(), namespace.to_owned()]);
    }
    Some(Handoff {
        argv,
        cwd: seed.root.clone(),
    })
}
