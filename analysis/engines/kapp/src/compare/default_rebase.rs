//! kapp's own rebase rules and exclusions, as data (kapp, Config: defaults).

use std::sync::LazyLock;

use crate::matcher::{Matcher, PathPart};
use crate::read::{PathRule, Rebase, RebaseRule};

/// The rebase rules.
pub(super) fn rules() -> &'static [RebaseRule] {
    &RULES
}

/// The fields excluded when a resource is compared with what was applied last.
pub(super) fn not_in_last_applied() -> &'static [PathRule] {
    &NOT_IN_LAST_APPLIED
}

/// The fields excluded from everything that is compared.
pub(super) fn not_in_existing() -> &'static [PathRule] {
    &NOT_IN_EXISTING
}

fn path(text: &str) -> Vec<PathPart> {
    let part = |part: &str| match part {
        "*" => PathPart::All,
        key => PathPart::Key(key.into()),
    };
    text.split(' ').map(part).collect()
}

fn of_kinds(versions: &[&str], kinds: &[&str]) -> Vec<Matcher> {
    let pairs = versions.iter().flat_map(|v| kinds.iter().map(move |k| (v, k)));
    pairs
        .map(|(version, kind)| Matcher::ApiVersionKind((*version).into(), (*kind).into()))
        .collect()
}

fn rule(matchers: Vec<Matcher>, kind: Rebase, paths: &[&str]) -> RebaseRule {
    RebaseRule {
        matchers,
        paths: paths.iter().map(|p| path(p)).collect(),
        kind,
        place: 0,
    }
}

fn from(sources: &[&str]) -> Rebase {
    Rebase::Copy(sources.iter().map(|s| (*s).into()).collect())
}

fn deployments() -> Vec<Matcher> {
    of_kinds(
        &["apps/v1", "apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"],
        &["Deployment"],
    )
}

fn annotated(key: &str) -> Matcher {
    Matcher::HasAnnotation(vec![key.into()])
}

fn not(matcher: Matcher) -> Matcher {
    Matcher::Not(Box::new(matcher))
}

const REVISION: &str = "metadata annotations deployment.kubernetes.io/revision";

static RULES: LazyLock<Vec<RebaseRule>> = LazyLock::new(|| {
    let all = || vec![Matcher::All];
    let core = |kind: &str| of_kinds(&["v1"], &[kind]);
    let new_first = || from(&["new", "existing"]);
    let hooks = of_kinds(
        &[
            "admissionregistration.k8s.io/v1beta1",
            "admissionregistration.k8s.io/v1",
        ],
        &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
    );
    let services = of_kinds(
        &["apiregistration.k8s.io/v1beta1", "apiregistration.k8s.io/v1"],
        &["APIService"],
    );
    let definitions = |version: &str| of_kinds(&[version], &["CustomResourceDefinition"]);
    let roles = of_kinds(
        &[
            "rbac.authorization.k8s.io/v1",
            "rbac.authorization.k8s.io/v1alpha1",
            "rbac.authorization.k8s.io/v1beta1",
        ],
        &["ClusterRole"],
    );
    let aggregated = not(Matcher::EmptyField(path("aggregationRule"), None));
    let pull_secret = Matcher::And(vec![
        Matcher::Any(core("Secret")),
        annotated("secretgen.carvel.dev/image-pull-secret"),
        not(annotated("kapp.k14s.io/disable-default-secretgen-rebase-rules")),
    ]);
    vec![
        rule(all(), from(&["existing"]), &["metadata"]),
        rule(all(), Rebase::Remove, &["metadata labels"]),
        rule(all(), from(&["new"]), &["metadata labels"]),
        rule(all(), Rebase::Remove, &["metadata annotations"]),
        rule(all(), from(&["new"]), &["metadata annotations"]),
        rule(
            core("Service"),
            new_first(),
            &["spec clusterIP", "spec healthCheckNodePort"],
        ),
        rule(core("Namespace"), new_first(), &["spec finalizers"]),
        rule(
            core("Namespace"),
            new_first(),
            &[
                "metadata annotations openshift.io/sa.scc.mcs",
                "metadata annotations openshift.io/sa.scc.supplemental-groups",
                "metadata annotations openshift.io/sa.scc.uid-range",
            ],
        ),
        rule(
            core("PersistentVolumeClaim"),
            new_first(),
            &[
                "metadata annotations pv.kubernetes.io/bind-completed",
                "metadata annotations pv.kubernetes.io/bound-by-controller",
                "metadata annotations pv.kubernetes.io/migrated-to",
                "metadata annotations volume.beta.kubernetes.io/storage-provisioner",
                "spec storageClassName",
                "spec volumeMode",
                "spec volumeName",
            ],
        ),
        rule(deployments(), new_first(), &[REVISION]),
        rule(hooks, new_first(), &["webhooks * clientConfig caBundle"]),
        rule(services, new_first(), &["spec caBundle"]),
        rule(
            definitions("apiextensions.k8s.io/v1beta1"),
            new_first(),
            &["spec conversion webhookClientConfig caBundle"],
        ),
        rule(
            definitions("apiextensions.k8s.io/v1"),
            new_first(),
            &["spec conversion webhook clientConfig caBundle"],
        ),
        rule(core("Pod"), new_first(), &["spec nodeName"]),
        rule(core("ServiceAccount"), Rebase::ServiceAccount, &[]),
        rule(
            vec![pull_secret],
            from(&["existing", "new"]),
            &[
                "data .dockerconfigjson",
                "metadata annotations secretgen.carvel.dev/status",
            ],
        ),
        rule(
            vec![Matcher::And(vec![Matcher::Any(roles), aggregated])],
            from(&["existing"]),
            &["rules"],
        ),
    ]
});

static NOT_IN_LAST_APPLIED: LazyLock<Vec<PathRule>> = LazyLock::new(|| {
    vec![PathRule {
        matchers: deployments(),
        path: path(REVISION),
        place: 0,
    }]
});

static NOT_IN_EXISTING: LazyLock<Vec<PathRule>> = LazyLock::new(|| {
    vec![PathRule {
        matchers: vec![Matcher::All],
        path: path("status"),
        place: 0,
    }]
});
