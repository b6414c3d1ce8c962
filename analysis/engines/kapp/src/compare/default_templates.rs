//! kapp's own template rules, as data (kapp, versioned resources).

use std::sync::LazyLock;

use crate::matcher::{Matcher, PathPart};
use crate::read::{ObjectReference, TemplateRule};

/// The rules.
pub(super) fn rules() -> &'static [TemplateRule] {
    &DEFAULTS
}

static DEFAULTS: LazyLock<Vec<TemplateRule>> = LazyLock::new(|| {
    let rule = |kind: &str, paths: &[Path]| TemplateRule {
        matchers: vec![of_kind("v1", kind)],
        references: paths.iter().map(Path::reference).collect(),
    };
    vec![rule("ConfigMap", CONFIG_MAPS), rule("Secret", SECRETS)]
});

fn of_kind(version: &str, kind: &str) -> Matcher {
    Matcher::ApiVersionKind(version.into(), kind.into())
}

/// The resources whose references a path leads to.
enum Owner {
    /// Everything that has a template of pods.
    PodTemplate,
    CronJob,
    One(&'static str, &'static str),
}

/// A path: keys with `/` between them, `*` for every entry of a list; and the key of the name.
struct Path(Owner, &'static str, &'static str);

const WORKLOADS: [&str; 4] = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"];
const WORKLOAD_VERSIONS: [&str; 4] = ["apps/v1", "apps/v1beta2", "apps/v1beta1", "extensions/v1beta1"];
const CRON_VERSIONS: [&str; 3] = ["batch/v1", "batch/v1beta1", "batch/v2alpha1"];

impl Path {
    fn reference(&self) -> ObjectReference {
        let matchers = match self.0 {
            Owner::PodTemplate => WORKLOADS
                .iter()
                .flat_map(|kind| WORKLOAD_VERSIONS.iter().map(|v| of_kind(v, kind)))
                .chain([of_kind("batch/v1", "Job")])
                .collect(),
            Owner::CronJob => CRON_VERSIONS.iter().map(|v| of_kind(v, "CronJob")).collect(),
            Owner::One(version, kind) => vec![of_kind(version, kind)],
        };
        let part = |part: &str| match part {
            "*" => PathPart::All,
            key => PathPart::Key(key.into()),
        };
        ObjectReference {
            path: self.1.split('/').map(part).collect(),
            matchers,
            name_key: self.2.into(),
        }
    }
}

const APP: (&str, &str) = ("kappctrl.k14s.io/v1alpha1", "App");
const REPOSITORY: (&str, &str) = ("packaging.carvel.dev/v1alpha1", "PackageRepository");
const INSTALL: (&str, &str) = ("packaging.carvel.dev/v1alpha1", "PackageInstall");

const fn of(owner: (&'static str, &'static str), path: &'static str) -> Path {
    Path(Owner::One(owner.0, owner.1), path, "")
}

const fn pod(path: &'static str) -> Path {
    Path(Owner::PodTemplate, path, "")
}

const fn cron(path: &'static str) -> Path {
    Path(Owner::CronJob, path, "")
}

const CONFIG_MAPS: &[Path] = &[
    pod("spec/template/spec/containers/*/env/*/valueFrom/configMapKeyRef"),
    pod("spec/template/spec/containers/*/envFrom/*/configMapRef"),
    pod("spec/template/spec/initContainers/*/env/*/valueFrom/configMapKeyRef"),
    pod("spec/template/spec/initContainers/*/envFrom/*/configMapRef"),
    pod("spec/template/spec/volumes/*/projected/sources/*/configMap"),
    pod("spec/template/spec/volumes/*/configMap"),
    cron("spec/jobTemplate/spec/template/spec/containers/*/env/*/valueFrom/configMapKeyRef"),
    cron("spec/jobTemplate/spec/template/spec/containers/*/envFrom/*/configMapRef"),
    cron("spec/jobTemplate/spec/template/spec/initContainers/*/env/*/valueFrom/configMapKeyRef"),
    cron("spec/jobTemplate/spec/template/spec/initContainers/*/envFrom/*/configMapRef"),
    cron("spec/jobTemplate/spec/template/spec/volumes/*/projected/sources/*/configMap"),
    cron("spec/jobTemplate/spec/template/spec/volumes/*/configMap"),
    of(("v1", "Pod"), "spec/volumes/*/configMap"),
    of(APP, "spec/fetch/*/inline/pathsFrom/*/configMapRef"),
    of(APP, "spec/template/*/ytt/inline/pathsFrom/*/configMapRef"),
    of(APP, "spec/template/*/ytt/valuesFrom/*/configMapRef"),
    of(APP, "spec/template/*/helmTemplate/valuesFrom/*/configMapRef"),
    of(APP, "spec/template/*/cue/valuesFrom/*/configMapRef"),
    of(REPOSITORY, "spec/fetch/inline/pathsFrom/*/configMapRef"),
];

const SECRETS: &[Path] = &[
    pod("spec/template/spec/containers/*/env/*/valueFrom/secretKeyRef"),
    pod("spec/template/spec/containers/*/envFrom/*/secretRef"),
    pod("spec/template/spec/initContainers/*/env/*/valueFrom/secretKeyRef"),
    pod("spec/template/spec/initContainers/*/envFrom/*/secretRef"),
    pod("spec/template/spec/imagePullSecrets/*"),
    Path(
        Owner::PodTemplate,
        "spec/template/spec/volumes/*/secret",
        "secretName",
    ),
    pod("spec/template/spec/volumes/*/projected/sources/*/secret"),
    cron("spec/jobTemplate/spec/template/spec/containers/*/env/*/valueFrom/secretKeyRef"),
    cron("spec/jobTemplate/spec/template/spec/containers/*/envFrom/*/secretRef"),
    cron("spec/jobTemplate/spec/template/spec/initContainers/*/env/*/valueFrom/secretKeyRef"),
    cron("spec/jobTemplate/spec/template/spec/initContainers/*/envFrom/*/secretRef"),
    cron("spec/jobTemplate/spec/template/spec/imagePullSecrets/*"),
    Path(
        Owner::CronJob,
        "spec/jobTemplate/spec/template/spec/volumes/*/secret",
        "secretName",
    ),
    cron("spec/jobTemplate/spec/template/spec/volumes/*/projected/sources/*/secret"),
    Path(Owner::One("v1", "Pod"), "spec/volumes/*/secret", "secretName"),
    of(("v1", "Pod"), "spec/imagePullSecrets/*"),
    of(("v1", "ServiceAccount"), "imagePullSecrets/*"),
    of(("v1", "ServiceAccount"), "secrets/*"),
    of(APP, "spec/cluster/kubeconfigSecretRef"),
    of(APP, "spec/fetch/*/inline/pathsFrom/*/secretRef"),
    of(APP, "spec/fetch/*/imgpkgBundle/secretRef"),
    of(APP, "spec/fetch/*/http/secretRef"),
    of(APP, "spec/fetch/*/git/secretRef"),
    of(APP, "spec/fetch/*/helmChart/repository/secretRef"),
    of(APP, "spec/template/*/ytt/inline/pathsFrom/*/secretRef"),
    of(APP, "spec/template/*/ytt/valuesFrom/*/secretRef"),
    of(APP, "spec/template/*/helmTemplate/valuesFrom/*/secretRef"),
    of(APP, "spec/template/*/cue/valuesFrom/*/secretRef"),
    of(APP, "spec/template/*/sops/pgp/privateKeySecretRef"),
    of(INSTALL, "spec/values/*/secretRef"),
    of(INSTALL, "spec/cluster/kubeconfigSecretRef"),
    of(REPOSITORY, "spec/fetch/inline/pathsFrom/*/secretRef"),
];
