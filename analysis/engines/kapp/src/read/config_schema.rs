//! The fields of a Config as kapp's Go types have them: names that messages use, and types (kapp, Config and matchers).

use super::decode::{Struct, Type};

const PACKAGE: &str = "config";

const MATCHERS: (&str, Type) = ("ResourceMatchers", Type::Structs(&MATCHER));

static NOTHING: Struct = Struct {
    name: "AllMatcher",
    package: PACKAGE,
    fields: &[],
};

static CUSTOM: Struct = Struct {
    name: "CustomResourceMatcher",
    package: PACKAGE,
    fields: &[],
};

static ANY: Struct = Struct {
    name: "AnyMatcher",
    package: PACKAGE,
    fields: &[("Matchers", Type::Structs(&MATCHER))],
};

static AND: Struct = Struct {
    name: "AndMatcher",
    package: PACKAGE,
    fields: &[("Matchers", Type::Structs(&MATCHER))],
};

static NOT: Struct = Struct {
    name: "NotMatcher",
    package: PACKAGE,
    fields: &[("Matcher", Type::Struct(&MATCHER))],
};

static GROUP_KIND: Struct = Struct {
    name: "APIGroupKindMatcher",
    package: PACKAGE,
    fields: &[("apiGroup", Type::Text), ("Kind", Type::Text)],
};

static VERSION_KIND: Struct = Struct {
    name: "APIVersionKindMatcher",
    package: PACKAGE,
    fields: &[("apiVersion", Type::Text), ("Kind", Type::Text)],
};

static KIND_NAMESPACE_NAME: Struct = Struct {
    name: "KindNamespaceNameMatcher",
    package: PACKAGE,
    fields: &[
        ("Kind", Type::Text),
        ("Namespace", Type::Text),
        ("Name", Type::Text),
    ],
};

static HAS_ANNOTATION: Struct = Struct {
    name: "HasAnnotationMatcher",
    package: PACKAGE,
    fields: &[("Keys", Type::Texts(&Type::Text))],
};

static HAS_NAMESPACE: Struct = Struct {
    name: "HasNamespaceMatcher",
    package: PACKAGE,
    fields: &[("Names", Type::Texts(&Type::Text))],
};

static EMPTY_FIELD: Struct = Struct {
    name: "EmptyFieldMatcher",
    package: PACKAGE,
    fields: &[("Path", Type::Path)],
};

/// The fields of a matcher by precedence: the first that is set wins.
pub(super) static MATCHER: Struct = Struct {
    name: "ResourceMatcher",
    package: PACKAGE,
    fields: &[
        ("AllMatcher", Type::Struct(&NOTHING)),
        ("AnyMatcher", Type::Struct(&ANY)),
        ("AndMatcher", Type::Struct(&AND)),
        ("NotMatcher", Type::Struct(&NOT)),
        ("KindNamespaceNameMatcher", Type::Struct(&KIND_NAMESPACE_NAME)),
        ("APIGroupKindMatcher", Type::Struct(&GROUP_KIND)),
        ("apiVersionKindMatcher", Type::Struct(&VERSION_KIND)),
        ("HasAnnotationMatcher", Type::Struct(&HAS_ANNOTATION)),
        ("HasNamespaceMatcher", Type::Struct(&HAS_NAMESPACE)),
        ("CustomResourceMatcher", Type::Struct(&CUSTOM)),
        ("EmptyFieldMatcher", Type::Struct(&EMPTY_FIELD)),
    ],
};

static GROUP_BINDING: Struct = Struct {
    name: "ChangeGroupBinding",
    package: PACKAGE,
    fields: &[("Name", Type::Text), MATCHERS],
};

static RULE_BINDING: Struct = Struct {
    name: "ChangeRuleBinding",
    package: PACKAGE,
    fields: &[
        ("Rules", Type::Texts(&Type::Text)),
        ("IgnoreIfCyclical", Type::Flag),
        MATCHERS,
    ],
};

static REBASE: Struct = Struct {
    name: "RebaseRule",
    package: PACKAGE,
    fields: &[
        MATCHERS,
        ("Path", Type::Path),
        ("Paths", Type::Paths),
        ("Type", Type::Text),
        (
            "Sources",
            Type::Texts(&Type::Named("resources.FieldCopyModSource")),
        ),
        ("Ytt", Type::Struct(&REBASE_YTT)),
    ],
};

static REBASE_YTT: Struct = Struct {
    name: "RebaseRuleYtt",
    package: PACKAGE,
    fields: &[("overlayContractV1", Type::Struct(&OVERLAY))],
};

static OVERLAY: Struct = Struct {
    name: "RebaseRuleYttOverlayContractV1",
    package: PACKAGE,
    fields: &[("overlay.yml", Type::Text)],
};

static WAIT: Struct = Struct {
    name: "WaitRule",
    package: PACKAGE,
    fields: &[
        ("SupportsObservedGeneration", Type::Flag),
        ("ConditionMatchers", Type::Structs(&CONDITION)),
        MATCHERS,
        ("Ytt", Type::Struct(&WAIT_YTT)),
    ],
};

static WAIT_YTT: Struct = Struct {
    name: "WaitRuleYtt",
    package: PACKAGE,
    fields: &[("funcContractV1", Type::Struct(&FUNC))],
};

static FUNC: Struct = Struct {
    name: "FuncContractV1",
    package: PACKAGE,
    fields: &[("resource.star", Type::Text)],
};

static CONDITION: Struct = Struct {
    name: "WaitRuleConditionMatcher",
    package: PACKAGE,
    fields: &[
        ("Type", Type::Text),
        ("Status", Type::Text),
        ("Failure", Type::Flag),
        ("Success", Type::Flag),
        ("SupportsObservedGeneration", Type::Flag),
        ("UnblockChanges", Type::Flag),
    ],
};

static OWNERSHIP: Struct = Struct {
    name: "OwnershipLabelRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path)],
};

static SCOPING: Struct = Struct {
    name: "LabelScopingRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path), ("isDefault", Type::Flag)],
};

static TEMPLATE: Struct = Struct {
    name: "TemplateRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("AffectedResources", Type::Struct(&AFFECTED))],
};

static AFFECTED: Struct = Struct {
    name: "TemplateAffectedResources",
    package: PACKAGE,
    fields: &[("ObjectReferences", Type::Structs(&OBJECT_REF))],
};

static OBJECT_REF: Struct = Struct {
    name: "TemplateAffectedObjRef",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path), ("nameKey", Type::Text)],
};

static DIFF_MASK: Struct = Struct {
    name: "DiffMaskRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path)],
};

static LAST_APPLIED: Struct = Struct {
    name: "DiffAgainstLastAppliedFieldExclusionRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path)],
};

static EXISTING: Struct = Struct {
    name: "DiffAgainstExistingFieldExclusionRule",
    package: PACKAGE,
    fields: &[MATCHERS, ("Path", Type::Path)],
};

pub(super) static CONFIG: Struct = Struct {
    name: "Config",
    package: PACKAGE,
    fields: &[
        ("apiVersion", Type::Text),
        ("Kind", Type::Text),
        ("minimumRequiredVersion", Type::Text),
        ("RebaseRules", Type::Structs(&REBASE)),
        ("WaitRules", Type::Structs(&WAIT)),
        ("OwnershipLabelRules", Type::Structs(&OWNERSHIP)),
        ("LabelScopingRules", Type::Structs(&SCOPING)),
        ("TemplateRules", Type::Structs(&TEMPLATE)),
        ("DiffMaskRules", Type::Structs(&DIFF_MASK)),
        ("AdditionalLabels", Type::TextMap),
        (
            "DiffAgainstLastAppliedFieldExclusionRules",
            Type::Structs(&LAST_APPLIED),
        ),
        ("DiffAgainstExistingFieldExclusionRules", Type::Structs(&EXISTING)),
        ("ChangeGroupBindings", Type::Structs(&GROUP_BINDING)),
        ("ChangeRuleBindings", Type::Structs(&RULE_BINDING)),
    ],
};

/// Whether some keys lead to a field of a Config.
#[cfg(test)]
pub(crate) fn is_field(path: &[&str]) -> bool {
    let mut inside = Some(&CONFIG);
    for key in path {
        let Some((_, ty)) = inside.and_then(|schema| super::decode::field_of(schema, key)) else {
            return false;
        };
        inside = match ty {
            Type::Struct(schema) | Type::Structs(schema) => Some(*schema),
            _ => None,
        };
    }
    true
}
