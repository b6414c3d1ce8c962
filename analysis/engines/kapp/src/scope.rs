//! Which kinds have namespaces, without a cluster (kapp, namespaces and scope).

use rustc_hash::{FxHashMap, FxHashSet};

/// API versions, kinds with a namespace, kinds without.
type Row = (
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

/// Kubernetes 1.29 with its alpha versions and the kinds of subresources that manifests could have, and alpha and beta
/// versions that were removed before it.
const BUILT_IN: &[Row] = &[
    (
        &["v1"],
        &[
            "Binding",
            "ConfigMap",
            "Endpoints",
            "Event",
            "LimitRange",
            "PersistentVolumeClaim",
            "Pod",
            "PodTemplate",
            "ReplicationController",
            "ResourceQuota",
            "Secret",
            "Service",
            "ServiceAccount",
        ],
        &["ComponentStatus", "Namespace", "Node", "PersistentVolume"],
    ),
    (
        &["apps/v1", "apps/v1beta2"],
        &[
            "ControllerRevision",
            "DaemonSet",
            "Deployment",
            "ReplicaSet",
            "StatefulSet",
        ],
        &[],
    ),
    (
        &["apps/v1beta1"],
        &["ControllerRevision", "Deployment", "StatefulSet"],
        &[],
    ),
    (
        &["extensions/v1beta1"],
        &[
            "DaemonSet",
            "Deployment",
            "Ingress",
            "NetworkPolicy",
            "ReplicaSet",
        ],
        &["PodSecurityPolicy"],
    ),
    (&["batch/v1"], &["CronJob", "Job"], &[]),
    (
        &["batch/v1beta1", "batch/v2alpha1"],
        &["CronJob", "JobTemplate"],
        &[],
    ),
    (
        &[
            "autoscaling/v1",
            "autoscaling/v2",
            "autoscaling/v2beta1",
            "autoscaling/v2beta2",
        ],
        &["HorizontalPodAutoscaler"],
        &[],
    ),
    (&["autoscaling/v1"], &["Scale"], &[]),
    (&["policy/v1"], &["Eviction", "PodDisruptionBudget"], &[]),
    (
        &["policy/v1beta1"],
        &["Eviction", "PodDisruptionBudget"],
        &["PodSecurityPolicy"],
    ),
    (
        &["networking.k8s.io/v1"],
        &["Ingress", "NetworkPolicy"],
        &["IngressClass"],
    ),
    (&["networking.k8s.io/v1beta1"], &["Ingress"], &["IngressClass"]),
    (
        &["networking.k8s.io/v1alpha1"],
        &[],
        &["ClusterCIDR", "IPAddress", "ServiceCIDR"],
    ),
    (
        &[
            "rbac.authorization.k8s.io/v1",
            "rbac.authorization.k8s.io/v1beta1",
            "rbac.authorization.k8s.io/v1alpha1",
        ],
        &["Role", "RoleBinding"],
        &["ClusterRole", "ClusterRoleBinding"],
    ),
    (
        &[
            "scheduling.k8s.io/v1",
            "scheduling.k8s.io/v1beta1",
            "scheduling.k8s.io/v1alpha1",
        ],
        &[],
        &["PriorityClass"],
    ),
    (
        &["node.k8s.io/v1", "node.k8s.io/v1beta1", "node.k8s.io/v1alpha1"],
        &[],
        &["RuntimeClass"],
    ),
    (
        &["storage.k8s.io/v1", "storage.k8s.io/v1beta1"],
        &["CSIStorageCapacity"],
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
    ),
    (
        &["storage.k8s.io/v1alpha1"],
        &["CSIStorageCapacity"],
        &["VolumeAttachment", "VolumeAttributesClass"],
    ),
    (
        &["resource.k8s.io/v1alpha2"],
        &["PodSchedulingContext", "ResourceClaim", "ResourceClaimTemplate"],
        &["ResourceClass"],
    ),
    (
        &["resource.k8s.io/v1alpha1"],
        &["PodScheduling", "ResourceClaim", "ResourceClaimTemplate"],
        &["ResourceClass"],
    ),
    (
        &["coordination.k8s.io/v1", "coordination.k8s.io/v1beta1"],
        &["Lease"],
        &[],
    ),
    (
        &[
            "discovery.k8s.io/v1",
            "discovery.k8s.io/v1beta1",
            "discovery.k8s.io/v1alpha1",
        ],
        &["EndpointSlice"],
        &[],
    ),
    (&["events.k8s.io/v1", "events.k8s.io/v1beta1"], &["Event"], &[]),
    (
        &["certificates.k8s.io/v1", "certificates.k8s.io/v1beta1"],
        &[],
        &["CertificateSigningRequest"],
    ),
    (&["certificates.k8s.io/v1alpha1"], &[], &["ClusterTrustBundle"]),
    (&["internal.apiserver.k8s.io/v1alpha1"], &[], &["StorageVersion"]),
    (&["auditregistration.k8s.io/v1alpha1"], &[], &["AuditSink"]),
    (&["settings.k8s.io/v1alpha1"], &["PodPreset"], &[]),
    (
        &["admissionregistration.k8s.io/v1"],
        &[],
        &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
    ),
    (
        &["admissionregistration.k8s.io/v1beta1"],
        &[],
        &[
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    (
        &["admissionregistration.k8s.io/v1alpha1"],
        &[],
        &["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
    ),
    (
        &["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"],
        &[],
        &["CustomResourceDefinition"],
    ),
    (
        &["apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1beta1"],
        &[],
        &["APIService"],
    ),
    (
        &["authentication.k8s.io/v1"],
        &["TokenRequest"],
        &["SelfSubjectReview", "TokenReview"],
    ),
    (
        &["authentication.k8s.io/v1beta1"],
        &[],
        &["SelfSubjectReview", "TokenReview"],
    ),
    (&["authentication.k8s.io/v1alpha1"], &[], &["SelfSubjectReview"]),
    (
        &["authorization.k8s.io/v1", "authorization.k8s.io/v1beta1"],
        &["LocalSubjectAccessReview"],
        &[
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    (
        &[
            "flowcontrol.apiserver.k8s.io/v1",
            "flowcontrol.apiserver.k8s.io/v1alpha1",
            "flowcontrol.apiserver.k8s.io/v1beta1",
            "flowcontrol.apiserver.k8s.io/v1beta2",
            "flowcontrol.apiserver.k8s.io/v1beta3",
        ],
        &[],
        &["FlowSchema", "PriorityLevelConfiguration"],
    ),
];

/// Whether a built-in kind has a namespace; `None` if it is not built in.
pub(crate) fn built_in(api_version: &str, kind: &str) -> Option<bool> {
    let (_, namespaced, cluster) = BUILT_IN.iter().find(|(versions, namespaced, cluster)| {
        versions.contains(&api_version) && (namespaced.contains(&kind) || cluster.contains(&kind))
    })?;
    debug_assert!(namespaced.contains(&kind) != cluster.contains(&kind));
    Some(namespaced.contains(&kind))
}

/// The source of the scope of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Known {
    /// Kubernetes has the kind.
    BuiltIn,
    /// A definition among the resources.
    Definition,
    /// The configuration.
    Setting,
    /// Unknown: assumed to be as the resources are written.
    AsWritten,
}

/// The scopes of the kinds of one app.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'a> {
    defined: FxHashMap<(&'a str, &'a str, &'a str), bool>,
    settings: FxHashMap<(&'a str, &'a str), bool>,
    namespaces_written: FxHashSet<(&'a str, &'a str)>,
}

impl<'a> Scopes<'a> {
    /// Adds a definition of a custom resource: its versions are known now.
    pub(crate) fn define(
        &mut self,
        group: &'a str,
        versions: &'a [Box<str>],
        kind: &'a str,
        namespaced: bool,
    ) {
        for version in versions {
            self.defined.insert((group, version, kind), namespaced);
        }
    }

    /// Adds a setting of the configuration, `apiVersion/Kind`.
    pub(crate) fn set(&mut self, key: &'a str, namespaced: bool) {
        if let Some(pair) = key.rsplit_once('/') {
            self.settings.insert(pair, namespaced);
        }
    }

    /// Records an object that is written with a namespace.
    pub(crate) fn written(&mut self, api_version: &'a str, kind: &'a str) {
        self.namespaces_written.insert((api_version, kind));
    }

    /// Whether a kind has a namespace, and the source of that.
    pub(crate) fn of(&self, api_version: &str, kind: &str) -> (bool, Known) {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        if let Some(namespaced) = self.defined.get(&(group, version, kind)) {
            return (*namespaced, Known::Definition);
        }
        if let Some(namespaced) = built_in(api_version, kind) {
            return (namespaced, Known::BuiltIn);
        }
        if let Some(namespaced) = self.settings.get(&(api_version, kind)) {
            return (*namespaced, Known::Setting);
        }
        let written = self.namespaces_written.contains(&(api_version, kind));
        (written, Known::AsWritten)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_kinds_are_known_by_exact_version() {
        assert_eq!(built_in("v1", "ConfigMap"), Some(true));
        assert_eq!(built_in("v1", "Namespace"), Some(false));
        assert_eq!(built_in("policy/v1", "PodSecurityPolicy"), None);
        assert_eq!(built_in("apps/v2", "Deployment"), None);
        assert_eq!(built_in("resource.k8s.io/v1alpha2", "ResourceClaim"), Some(true));
        assert_eq!(built_in("networking.k8s.io/v1alpha1", "IPAddress"), Some(false));
        assert_eq!(built_in("policy/v1", "Eviction"), Some(true));
    }

    #[test]
    fn a_definition_comes_first_and_the_writing_last() {
        let mut scopes = Scopes::default();
        let versions: Vec<Box<str>> = vec!["v1".into()];
        scopes.define("example.com", &versions, "Foo", false);
        scopes.written("example.com/v2", "Foo");
        assert_eq!(scopes.of("example.com/v1", "Foo"), (false, Known::Definition));
        assert_eq!(scopes.of("example.com/v2", "Foo"), (true, Known::AsWritten));
        assert_eq!(scopes.of("example.com/v3", "Foo"), (false, Known::AsWritten));
    }
}
