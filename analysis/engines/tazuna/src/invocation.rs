//! The commands that a project is handed to (Tazuna G5, CLI facts).

use applyorder_core::engine::{Handoff, Operation, ProjectSeed, RunOptions};

/// `tazuna apply` or `tazuna destroy` beside the root file, with the options of the run.
pub(super) fn command(seed: &ProjectSeed, operation: Operation, options: &RunOptions) -> Option<Handoff> {
    let verb = match operation {
        Operation::Apply => "apply",
        Operation::Delete => "destroy",
    };
    let mut argv = vec!["tazuna".to_owned(), verb.to_owned()];
    let file = seed.root.file_name()?;
    if file != "tazuna.yaml" {
        argv.extend(["-f".to_owned(), file.to_owned()]);
    }
    if let [environment] = options.environments.as_slice()
        && !environment.is_empty()
    {
        argv.extend(["-e".to_owned(), environment.clone()]);
    }
    if !options.tags.is_empty() {
        argv.extend(["-t".to_owned(), options.tags.join(",")]);
    }
    Some(Handoff {
        argv,
        cwd: seed.root.parent()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_handed_on() {
        let seed = ProjectSeed {
            engine: applyorder_core::engine::EngineIx(0),
            root: "/w/prod.yaml".into(),
            name: None,
            why: String::new(),
            inferred: false,
            inputs: Vec::new(),
            excluded: Vec::new(),
            beside: std::sync::Arc::default(),
        };
        let options = RunOptions {
            environments: vec!["prod".into()],
            tags: vec!["a".into(), "b,c".into()],
            ..RunOptions::default()
        };
        let handoff = command(&seed, Operation::Apply, &options).unwrap();
        assert_eq!(
            handoff.argv,
            ["tazuna", "apply", "-f", "prod.yaml", "-e", "prod", "-t", "a,b,c"]
        );
        assert_eq!(handoff.cwd, "/w");
    }
}
