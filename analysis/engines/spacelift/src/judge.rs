//! Terraform's commands, and Spacelift's API after `apply`.
//!
//! Source: spec section 5: which mistake is met at which stage.

use applyorder_core::layer::{Command, Reports, Stage};

/// `terraform validate`.
pub(crate) const VALIDATE: &str = "validate";
/// `terraform plan`.
pub(crate) const PLAN: &str = "plan";
/// `terraform apply`.
pub(crate) const APPLY: &str = "apply";
/// Publishing a blueprint.
pub(crate) const PUBLISH: &str = "publish";

pub(crate) mod stage {
    /// Reading the files.
    pub(crate) const LOAD: &str = "load";
    /// What is wrong whatever the values are.
    pub(crate) const CONFIG: &str = "config";
    /// What is wrong with values.
    pub(crate) const VALUES: &str = "values";
    /// What Spacelift itself rejects.
    pub(crate) const API: &str = "api";
}

const fn all(name: &'static str) -> Stage {
    Stage {
        name,
        reports: Reports::All,
    }
}

const fn command(name: &'static str, stages: &'static [Stage]) -> Command {
    Command {
        name,
        stages,
        warns_when_rejecting: true,
    }
}

pub(crate) static COMMANDS: [Command; 4] = [
    command(PUBLISH, &[all(stage::LOAD), all(stage::CONFIG), all(stage::API)]),
    command(VALIDATE, &[all(stage::LOAD), all(stage::CONFIG)]),
    command(PLAN, &[all(stage::LOAD), all(stage::CONFIG), all(stage::VALUES)]),
    command(
        APPLY,
        &[
            all(stage::LOAD),
            all(stage::CONFIG),
            all(stage::VALUES),
            all(stage::API),
        ],
    ),
];

/// The commands that come to a stage.
pub(crate) fn commands_at(at: &str) -> &'static [&'static str] {
    match at {
        stage::LOAD | stage::CONFIG => &[VALIDATE, PLAN, APPLY],
        stage::VALUES => &[PLAN, APPLY],
        _ => &[APPLY],
    }
}
