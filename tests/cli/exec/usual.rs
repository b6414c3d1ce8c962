//! The engine's usual command, which `apply` prints and starts.

use std::fs;

use super::terraform::STACKS;
use super::{GOOD, Stage, refused};

#[test]
fn the_usual_command_is_printed_and_started() {
    let stage = Stage::new(&[
        (
            "applyorder.toml",
            "[[kapp.app]]\nname = \"shop\"\nfiles = [\"config\"]\nnamespace = \"n\"\n",
        ),
        ("config/a.yaml", GOOD),
        (
            "bad/tazuna.yaml",
            "spec:\n  manifests:\n    - {name: a, type: kustomize, path: a, dependsOn: [a]}\n",
        ),
    ]);
    let answer = stage.run(
        &["apply", "--print-command", "config", "--engine", "kapp"],
        "",
        &[],
    );
    assert_eq!(
        (answer.code, &*answer.stdout),
        (0, "kapp deploy -a shop -f config -n n\n"),
        "{answer:?}"
    );
    assert!(!stage.was_started());
    let answer = stage.run(&["apply", "--engine", "kapp"], "", &[]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        stage
            .record("argv")
            .unwrap()
            .ends_with("deploy\n-a\nshop\n-f\nconfig\n-n\nn\n")
    );
    fs::remove_file(stage.tree.path("record/argv")).unwrap();
    let answer = stage.run(
        &["apply", "--for", "delete", "--print-command", "--engine", "kapp"],
        "",
        &[],
    );
    assert_eq!(answer.stdout, "kapp delete -a shop -n n\n", "{answer:?}");
    let answer = stage.run(&["apply", "bad"], "", &[]);
    assert_eq!(
        answer.stdout,
        format!("cd {} && tazuna apply\n", stage.tree.path("bad").display())
    );
    refused(&stage, &answer, "1 problem");
    let answer = stage.run(&["apply"], "", &[]);
    refused(
        &stage,
        &answer,
        "found 2 projects; specify one of tazuna:bad/tazuna.yaml, kapp:shop",
    );
    let answer = stage.run(&["apply", "--print-command", "kapp:shop"], "", &[]);
    assert_eq!(
        answer.stdout, "kapp deploy -a shop -f config -n n\n",
        "{answer:?}"
    );
    let answer = stage.run(&["apply", "kapp:none"], "", &[]);
    refused(&stage, &answer, "unknown project `kapp:none`");
    let answer = stage.run(
        &["apply", "--engine", "kapp", "--changed", "ConfigMap/first"],
        "",
        &[],
    );
    refused(&stage, &answer, "");
}

/// The declaration of a project determines its usual command: otherwise something else would run than what was checked.
#[test]
fn the_usual_command_of_each_engine_has_what_its_project_is_declared_with() {
    let settings = "[[kapp.app]]\nname = \"shop\"\nfiles = [\"k\"]\nnamespace = \"n\"\ninto-ns = \"i\"\nmap-ns = [\"a=b\"]\n\
        [[ankaios.apply]]\nname = \"car\"\nfiles = [\"ank/one.yaml\", \"ank/two.yaml\"]\nagent = \"g\"\n\
        [spacelift]\nvar-files = [\"shared.tfvars\", \"tf/own.tfvars\"]\n";
    let workload = |name: &str| {
        format!(
            "apiVersion: v1\nworkloads:\n  {name}:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: a\"\n"
        )
    };
    let stage = Stage::new(&[
        ("applyorder.toml", settings),
        ("k/a.yaml", GOOD),
        ("ank/one.yaml", &workload("a")),
        ("ank/two.yaml", &workload("b")),
        ("tf/main.tf", STACKS),
        ("tf/own.tfvars", ""),
        ("shared.tfvars", ""),
        ("tofu/main.tofu", STACKS),
        (
            "tm/terramate.tm",
            "terramate {\n  required_version = \">= 0.1\"\n}\n",
        ),
        ("tm/s/stack.tm", "stack {\n}\n"),
        (
            "taz/prod.yaml",
            "spec:\n  environments: [p]\n  manifests:\n    - {name: a, type: kustomize, path: a}\n",
        ),
    ]);
    let root = stage.tree.root().display().to_string();
    for (args, command) in [
        (
            &["--engine", "kapp"][..],
            "kapp deploy -a shop -f k --into-ns i --map-ns a=b -n n",
        ),
        (
            &["--engine", "kapp", "--namespace", "m", "--into-ns", "j"],
            "kapp deploy -a shop -f k --into-ns j --map-ns a=b -n m",
        ),
        (
            &["--engine", "ankaios", "ankaios:car"],
            "ank --no-wait apply --agent g ank/one.yaml ank/two.yaml",
        ),
        (
            &["ankaios:car", "--agent", "h", "--for", "delete"],
            "ank --no-wait apply -d --agent h ank/one.yaml ank/two.yaml",
        ),
        (
            &["tf", "--var", "a=1"],
            "cd {root}/tf && terraform apply -var-file={root}/shared.tfvars -var-file=own.tfvars -var=a=***",
        ),
        (
            &["tofu", "--for", "delete"],
            "cd {root}/tofu && tofu destroy -var-file={root}/shared.tfvars -var-file={root}/tf/own.tfvars",
        ),
        (
            &["tm", "--tags", "a,b", "--no-tags", "c"],
            "cd {root}/tm && terramate run --tags a,b --no-tags c -- terraform apply",
        ),
        (
            &["tm", "--for", "delete"],
            "cd {root}/tm && terramate run --reverse -- terraform destroy",
        ),
        (
            &["--engine", "tazuna", "taz/prod.yaml", "-e", "p", "--tags", "x"],
            "cd {root}/taz && tazuna apply -f prod.yaml -e p -t x",
        ),
    ] {
        let answer = stage.run(&[&["apply", "--print-command"], args].concat(), "", &[]);
        let wanted = format!("{}\n", command.replace("{root}", &root));
        assert_eq!(
            (answer.code, &answer.stdout),
            (0, &wanted),
            "{args:?}: {answer:?}"
        );
    }
    assert!(!stage.was_started());
}
