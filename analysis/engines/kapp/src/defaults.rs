//! kapp's own bindings, as data (kapp, default bindings).

use std::sync::LazyLock;

use super::matcher::Matcher;

/// Versions of kapp that changed the bindings, as major and minor.
type Since = (u64, u64);

/// Kinds of resources.
enum Kinds {
    /// Exact API versions and a kind.
    Versions(&'static [&'static str], &'static str),
    /// Any version of an API group, and a kind.
    Group(&'static str, &'static str),
}

struct GroupDef {
    since: Since,
    name: &'static str,
    kinds: &'static [&'static [Kinds]],
}

/// The resources that have a default rule.
enum Who {
    /// Custom resources.
    Custom,
    /// Neither custom resources nor their definitions.
    NeitherCustomNorDefinition,
    /// Everything with a namespace.
    Namespaced,
    /// Some kinds.
    Kinds(&'static [&'static [Kinds]]),
    /// Everything with a namespace except some kinds.
    NamespacedBut(&'static [&'static [Kinds]]),
}

struct RuleDef {
    since: Since,
    who: Who,
    rules: &'static [&'static str],
    optional: bool,
    /// Whether the annotation that opts out is honored.
    opt_out: bool,
    /// The resources that have it, as text.
    words: &'static str,
}

/// The annotation by which a resource opts out of most default rules.
pub(crate) const OPT_OUT: &str = "kapp.k14s.io/disable-default-change-group-and-rules";

/// The prefix of kapp's own groups.
pub(crate) const PREFIX: &str = "change-groups.kapp.k14s.io/";

const RBAC_VERSIONS: &[&str] = &[
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1alpha1",
    "rbac.authorization.k8s.io/v1beta1",
];
const CRDS: &[Kinds] = &[Kinds::Group("apiextensions.k8s.io", "CustomResourceDefinition")];
const NAMESPACES: &[Kinds] = &[Kinds::Group("", "Namespace")];
const STORAGE_CLASSES: &[Kinds] = &[Kinds::Versions(
    &["storage/v1", "storage/v1beta1"],
    "StorageClass",
)];
const STORAGE: &[Kinds] = &[
    Kinds::Versions(&["v1"], "PersistentVolume"),
    Kinds::Versions(&["v1"], "PersistentVolumeClaim"),
];
const ROLES: &[Kinds] = &[
    Kinds::Versions(RBAC_VERSIONS, "ClusterRole"),
    Kinds::Versions(RBAC_VERSIONS, "Role"),
];
const ROLE_BINDINGS: &[Kinds] = &[
    Kinds::Versions(RBAC_VERSIONS, "ClusterRoleBinding"),
    Kinds::Versions(RBAC_VERSIONS, "RoleBinding"),
];
const POD_RELATED: &[Kinds] = &[
    Kinds::Versions(&["extensions/v1beta1", "networking.k8s.io/v1"], "NetworkPolicy"),
    Kinds::Versions(&["v1"], "ResourceQuota"),
    Kinds::Versions(&["v1"], "LimitRange"),
    Kinds::Versions(&["extensions/v1beta1", "policy/v1beta1"], "PodSecurityPolicy"),
    Kinds::Versions(&["policy/v1beta1"], "PodDisruptionBudget"),
    Kinds::Versions(
        &[
            "scheduling.k8s.io/v1alpha1",
            "scheduling.k8s.io/v1beta1",
            "scheduling.k8s.io/v1",
        ],
        "PriorityClass",
    ),
    Kinds::Versions(&["node.k8s.io/v1alpha1", "node.k8s.io/v1beta1"], "RuntimeClass"),
    Kinds::Versions(&["v1"], "ServiceAccount"),
    Kinds::Versions(&["v1"], "Secret"),
    Kinds::Versions(&["v1"], "ConfigMap"),
];
const SERVICE_ACCOUNTS: &[Kinds] = &[Kinds::Versions(&["v1"], "ServiceAccount")];
const APPS: &[Kinds] = &[Kinds::Versions(&["kappctrl.k14s.io/v1alpha1"], "App")];
const PACKAGE_INSTALLS: &[Kinds] = &[Kinds::Versions(
    &["packaging.carvel.dev/v1alpha1"],
    "PackageInstall",
)];

const GROUPS: &[GroupDef] = &[
    GroupDef {
        since: (0, 25),
        name: "change-groups.kapp.k14s.io/crds",
        kinds: &[CRDS],
    },
    GroupDef {
        since: (0, 41),
        name: "change-groups.kapp.k14s.io/crds-{crd-group}-{crd-kind}",
        kinds: &[CRDS],
    },
    GroupDef {
        since: (0, 25),
        name: "change-groups.kapp.k14s.io/namespaces",
        kinds: &[NAMESPACES],
    },
    GroupDef {
        since: (0, 41),
        name: "change-groups.kapp.k14s.io/namespaces-{name}",
        kinds: &[NAMESPACES],
    },
    GroupDef {
        since: (0, 25),
        name: "change-groups.kapp.k14s.io/storage-class",
        kinds: &[STORAGE_CLASSES],
    },
    GroupDef {
        since: (0, 25),
        name: "change-groups.kapp.k14s.io/storage",
        kinds: &[STORAGE],
    },
    GroupDef {
        since: (0, 43),
        name: "change-groups.kapp.k14s.io/rbac-roles",
        kinds: &[ROLES],
    },
    GroupDef {
        since: (0, 43),
        name: "change-groups.kapp.k14s.io/rbac-role-bindings",
        kinds: &[ROLE_BINDINGS],
    },
    GroupDef {
        since: (0, 25),
        name: "change-groups.kapp.k14s.io/rbac",
        kinds: &[ROLES, ROLE_BINDINGS],
    },
    GroupDef {
        since: (0, 25),
        name: "change-groups.kapp.k14s.io/pod-related",
        kinds: &[POD_RELATED],
    },
    GroupDef {
        since: (0, 53),
        name: "change-groups.kapp.k14s.io/serviceaccount",
        kinds: &[SERVICE_ACCOUNTS],
    },
    GroupDef {
        since: (0, 50),
        name: "change-groups.kapp.k14s.io/kapp-controller-app",
        kinds: &[APPS],
    },
    GroupDef {
        since: (0, 50),
        name: "change-groups.kapp.k14s.io/kapp-controller-packageinstall",
        kinds: &[PACKAGE_INSTALLS],
    },
];

const RULES: &[RuleDef] = &[
    RuleDef {
        since: (0, 41),
        who: Who::Custom,
        rules: &["upsert after upserting change-groups.kapp.k14s.io/crds-{api-group}-{kind}"],
        optional: false,
        opt_out: true,
        words: "custom resources wait for their CRD",
    },
    RuleDef {
        since: (0, 29),
        who: Who::Custom,
        rules: &["delete before deleting change-groups.kapp.k14s.io/crds"],
        optional: true,
        opt_out: true,
        words: "custom resources are deleted before CRDs",
    },
    RuleDef {
        since: (0, 29),
        who: Who::NeitherCustomNorDefinition,
        rules: &["delete after deleting change-groups.kapp.k14s.io/crds"],
        optional: true,
        opt_out: true,
        words: "built-in resources are deleted after CRDs",
    },
    RuleDef {
        since: (0, 41),
        who: Who::Namespaced,
        rules: &["upsert after upserting change-groups.kapp.k14s.io/namespaces-{namespace}"],
        optional: false,
        opt_out: true,
        words: "resources wait for their own namespace",
    },
    RuleDef {
        since: (0, 53),
        who: Who::Kinds(&[SERVICE_ACCOUNTS]),
        rules: &["delete before deleting change-groups.kapp.k14s.io/namespaces-{namespace}"],
        optional: true,
        opt_out: true,
        words: "service accounts are deleted before their namespace",
    },
    RuleDef {
        since: (0, 43),
        who: Who::Kinds(&[ROLE_BINDINGS]),
        rules: &["upsert after upserting change-groups.kapp.k14s.io/rbac-roles"],
        optional: true,
        opt_out: true,
        words: "role bindings wait for all roles",
    },
    RuleDef {
        since: (0, 50),
        who: Who::Kinds(&[SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS]),
        rules: &[
            "upsert before upserting change-groups.kapp.k14s.io/kapp-controller-packageinstall",
            "upsert before upserting change-groups.kapp.k14s.io/kapp-controller-app",
            "delete after deleting change-groups.kapp.k14s.io/kapp-controller-packageinstall",
            "delete after deleting change-groups.kapp.k14s.io/kapp-controller-app",
        ],
        optional: true,
        opt_out: true,
        words: "apps of kapp-controller are between the service accounts, roles and bindings",
    },
    RuleDef {
        since: (0, 25),
        who: Who::Kinds(&[STORAGE]),
        rules: &["upsert after upserting change-groups.kapp.k14s.io/storage-class"],
        optional: true,
        opt_out: false,
        words: "volumes and claims wait for storage classes",
    },
    RuleDef {
        since: (0, 25),
        who: Who::NamespacedBut(&[STORAGE_CLASSES, STORAGE, ROLES, ROLE_BINDINGS, POD_RELATED]),
        rules: &[
            "upsert after upserting change-groups.kapp.k14s.io/pod-related",
            "upsert after upserting change-groups.kapp.k14s.io/rbac",
            "upsert after upserting change-groups.kapp.k14s.io/storage-class",
            "upsert after upserting change-groups.kapp.k14s.io/storage",
        ],
        optional: true,
        opt_out: false,
        words: "namespaced resources wait for configuration, roles and storage",
    },
];

/// A default binding of a group.
#[derive(Debug)]
pub(crate) struct DefaultGroup {
    pub(crate) name: &'static str,
    pub(crate) matchers: Vec<Matcher>,
}

/// A default binding of rules.
#[derive(Debug)]
pub(crate) struct DefaultRule {
    pub(crate) rules: &'static [&'static str],
    pub(crate) optional: bool,
    pub(crate) matchers: Vec<Matcher>,
    /// The resources that have it, as text.
    pub(crate) words: &'static str,
}

/// The bindings of one version of kapp.
#[derive(Debug)]
pub(crate) struct Defaults {
    pub(crate) groups: Vec<DefaultGroup>,
    pub(crate) rules: Vec<DefaultRule>,
}

static NEWEST: LazyLock<Defaults> = LazyLock::new(|| Defaults::since((u64::MAX, 0)));

impl Defaults {
    /// The newest known.
    pub(crate) fn newest() -> &'static Self {
        &NEWEST
    }

    /// Those of a version, by major and minor.
    pub(crate) fn since(version: Since) -> Self {
        Self {
            groups: GROUPS
                .iter()
                .filter(|g| g.since <= version)
                .map(|g| DefaultGroup {
                    name: g.name,
                    matchers: kinds(g.kinds),
                })
                .collect(),
            rules: RULES
                .iter()
                .filter(|r| r.since <= version)
                .map(|r| DefaultRule {
                    rules: r.rules,
                    optional: r.optional,
                    matchers: who(r),
                    words: r.words,
                })
                .collect(),
        }
    }
}

fn kinds(lists: &[&[Kinds]]) -> Vec<Matcher> {
    let mut out = Vec::new();
    for kinds in lists.iter().flat_map(|l| l.iter()) {
        match kinds {
            Kinds::Group(group, kind) => out.push(Matcher::ApiGroupKind((*group).into(), (*kind).into())),
            Kinds::Versions(versions, kind) => out.extend(
                versions
                    .iter()
                    .map(|v| Matcher::ApiVersionKind((*v).into(), (*kind).into())),
            ),
        }
    }
    out
}

fn not(matcher: Matcher) -> Matcher {
    Matcher::Not(Box::new(matcher))
}

fn who(rule: &RuleDef) -> Vec<Matcher> {
    let mut all = match &rule.who {
        Who::Custom => vec![Matcher::CustomResource],
        Who::NeitherCustomNorDefinition => {
            vec![not(Matcher::CustomResource), not(Matcher::Any(kinds(&[CRDS])))]
        }
        Who::Namespaced => vec![Matcher::HasNamespace(Vec::new())],
        Who::Kinds(lists) => vec![Matcher::Any(kinds(lists))],
        Who::NamespacedBut(lists) => {
            vec![not(Matcher::Any(kinds(lists))), Matcher::HasNamespace(Vec::new())]
        }
    };
    if rule.opt_out {
        all.push(not(Matcher::HasAnnotation(vec![OPT_OUT.into()])));
    }
    vec![Matcher::And(all)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_versions_have_fewer_bindings() {
        let count = |version| {
            let d = Defaults::since(version);
            (d.groups.len(), d.rules.len())
        };
        assert_eq!(count((0, 60)), (13, 9));
        assert!(count((0, 40)) < count((0, 45)));
        assert_eq!(count((0, 24)), (0, 0));
    }
}
