//! The possible contents of the blocks of bundles and components.

use crate::schema::tables::{FREE, Inside, Ty};

/// A block of these, or all of them.
pub(super) struct Part {
    pub(super) inside: Inside,
    /// What is allowed in it: kind, labels, block. `None`: anything.
    pub(super) children: Option<&'static [Child]>,
    pub(super) first: First,
}

/// What Terramate checks first in a block: a mistake in it ends the check. Missing parts come after all attributes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum First {
    Attributes,
    /// It may have no blocks.
    Blocks,
    /// All of it is reported.
    Neither,
}

pub(super) type Child = (&'static str, &'static [&'static str], &'static Part);

/// Stands for any label.
pub(super) const NAME: &str = "*";
/// Stands for any number of labels.
pub(super) const ANY: &str = "**";

/// Terramate's message for an unknown attribute; it names the known ones, in byte order.
const WORDS: &str = "valid attributes are [{known}] but found \"{}\"";

/// A block with these attributes and no others.
const fn part(attributes: &'static [(&'static str, Ty)], children: Option<&'static [Child]>) -> Part {
    Part {
        inside: Inside {
            attributes: Some(attributes),
            words: (WORDS, ""),
            ..FREE
        },
        children,
        first: First::Attributes,
    }
}

const fn looked_at(part: Part, first: First) -> Part {
    Part { first, ..part }
}

const fn needing(part: Part, needs: &'static [(&'static str, &'static str)]) -> Part {
    Part {
        inside: Inside { needs, ..part.inside },
        ..part
    }
}

const ANYTHING: Part = Part {
    inside: FREE,
    children: None,
    first: First::Attributes,
};
/// Attributes of any name, no block.
const VALUES: Part = Part {
    children: Some(&[]),
    ..ANYTHING
};

static PROMPT: Part = part(
    &[
        ("text", Ty::Any),
        ("options", Ty::Any),
        ("condition", Ty::Any),
        ("multiline", Ty::Any),
        ("multiselect", Ty::Any),
    ],
    None,
);
static ATTRIBUTE: Part = part(
    &[
        ("description", Ty::Any),
        ("type", Ty::Any),
        ("default", Ty::Any),
        ("required", Ty::Any),
    ],
    Some(&[("prompt", &[], &PROMPT)]),
);
pub(super) static INPUT: Part = part(
    &[
        ("prompt", Ty::Any),
        ("description", Ty::Any),
        ("type", Ty::Any),
        ("options", Ty::Any),
        ("multiline", Ty::Any),
        ("multiselect", Ty::Any),
        ("immutable", Ty::Any),
        ("required_for_scaffold", Ty::Any),
        ("default", Ty::Any),
    ],
    Some(&[("attribute", &[NAME], &ATTRIBUTE), ("prompt", &[], &PROMPT)]),
);
static SCHEMA: Part = part(
    &[("description", Ty::Any), ("type", Ty::Any)],
    Some(&[("attribute", &[NAME], &ATTRIBUTE), ("prompt", &[], &PROMPT)]),
);
static EXPORT: Part = looked_at(
    part(&[("description", Ty::Any), ("value", Ty::Any)], Some(&[])),
    First::Blocks,
);
/// Terramate checks no block there.
static EXPORT_BY_LABEL: Part = part(&[("description", Ty::Any), ("value", Ty::Any)], None);
static METADATA: Part = looked_at(
    needing(
        part(
            &[
                ("class", Ty::Any),
                ("name", Ty::Any),
                ("description", Ty::Any),
                ("technologies", Ty::Any),
                ("version", Ty::Any),
            ],
            Some(&[]),
        ),
        &[
            ("class", "\"metadata\" block requires a \"class\" attribute"),
            ("name", "\"metadata\" block requires a \"name\" attribute"),
            ("version", "\"metadata\" block requires a \"version\" attribute"),
        ],
    ),
    First::Blocks,
);
static STACK_METADATA: Part = part(
    &[
        ("path", Ty::Any),
        ("name", Ty::Any),
        ("description", Ty::Any),
        ("tags", Ty::Any),
        ("after", Ty::Any),
        ("before", Ty::Any),
        ("wants", Ty::Any),
        ("wanted_by", Ty::Any),
        ("watch", Ty::Any),
    ],
    None,
);
static CONDITION: Part = looked_at(
    needing(
        part(&[("condition", Ty::Any), ("error_message", Ty::Any)], Some(&[])),
        &[
            ("condition", "condition attribute is missing"),
            ("error_message", "error_message attribute is missing"),
        ],
    ),
    First::Blocks,
);
static SCAFFOLDING: Part = part(
    &[("path", Ty::Any), ("name", Ty::Any)],
    // Terramate does not check its labels.
    Some(&[("enabled", &[ANY], &CONDITION)]),
);
static ENVIRONMENTS: Part = part(&[("required", Ty::Any)], Some(&[]));
static USES: Part = needing(
    part(&[("source", Ty::Any)], None),
    &[("source", "\"uses\" block requires a \"source\" attribute")],
);
static LETS: Part = Part {
    children: Some(&[("map", &[ANY], &MAP)]),
    ..ANYTHING
};
static MAP: Part = Part {
    inside: Inside { is_map: true, ..FREE },
    ..ANYTHING
};
/// An instance of a component.
static COMPONENT: Part = needing(
    part(
        &[
            ("condition", Ty::Any),
            ("environment", Ty::Any),
            ("source", Ty::Any),
            ("inputs", Ty::Any),
        ],
        Some(&[("inputs", &[], &ANYTHING)]),
    ),
    &[("source", "\"component\" block requires a \"source\" attribute")],
);
static STACK: Part = looked_at(
    part(
        &[("condition", Ty::Any)],
        Some(&[
            ("metadata", &[], &STACK_METADATA),
            ("component", &[NAME], &COMPONENT),
            ("component", &[NAME, "inputs"], &ANYTHING),
        ]),
    ),
    First::Neither,
);
static DEFINE_COMPONENT: Part = Part {
    children: Some(&[
        // Terramate does not check its labels.
        ("metadata", &[ANY], &METADATA),
        ("input", &[NAME], &INPUT),
        ("uses", &["schemas", NAME], &USES),
    ]),
    ..ANYTHING
};
static DEFINE_BUNDLE: Part = part(
    &[("alias", Ty::Any)],
    Some(&[
        ("metadata", &[], &METADATA),
        ("stack", &[NAME], &STACK),
        // Terramate discards its errors here.
        ("stack", &[NAME, "metadata"], &ANYTHING),
        ("input", &[NAME], &INPUT),
        ("export", &[NAME], &EXPORT),
        ("scaffolding", &[], &SCAFFOLDING),
        ("environments", &[], &ENVIRONMENTS),
        ("lets", &[], &LETS),
        ("uses", &["schemas", NAME], &USES),
    ]),
);
/// A block that takes a name takes no labels for its position: Terramate has code for it that always fails.
static DEFINE: Part = Part {
    inside: Inside {
        attributes: Some(&[]),
        words: ("define block must not have attributes", ""),
        ..FREE
    },
    children: Some(&[
        ("component", &[], &DEFINE_COMPONENT),
        ("component", &["metadata"], &METADATA),
        ("bundle", &[], &DEFINE_BUNDLE),
        ("bundle", &["metadata"], &METADATA),
        ("bundle", &["scaffolding"], &SCAFFOLDING),
        ("bundle", &["environments"], &ENVIRONMENTS),
        ("bundle", &["lets"], &LETS),
        ("schema", &[NAME], &SCHEMA),
    ]),
    ..ANYTHING
};
static BUNDLE_ENVIRONMENT: Part = part(&[("source", Ty::Any)], Some(&[("inputs", &[], &VALUES)]));
/// An instance of a bundle.
static BUNDLE: Part = needing(
    part(
        &[("uuid", Ty::Any), ("source", Ty::Any), ("inputs", Ty::Any)],
        Some(&[
            ("inputs", &[], &VALUES),
            ("environment", &[NAME], &BUNDLE_ENVIRONMENT),
        ]),
    ),
    &[("source", "\"bundle\" block requires a \"source\" attribute")],
);
static ENVIRONMENT: Part = looked_at(
    part(
        &[
            ("description", Ty::Any),
            ("id", Ty::Any),
            ("name", Ty::Any),
            ("promote_from", Ty::Any),
        ],
        Some(&[]),
    ),
    First::Neither,
);
/// Neither its blocks nor its labels are checked.
static SCAFFOLD: Part = part(&[("package_sources", Ty::Any)], None);

/// What is allowed at the top level.
pub(super) static TOP: [Child; 20] = [
    ("define", &[], &DEFINE),
    ("define", &["component"], &DEFINE_COMPONENT),
    ("define", &["bundle"], &DEFINE_BUNDLE),
    ("define", &["component", "metadata"], &METADATA),
    ("define", &["bundle", "metadata"], &METADATA),
    ("define", &["bundle", "scaffolding"], &SCAFFOLDING),
    ("define", &["bundle", "environments"], &ENVIRONMENTS),
    ("define", &["bundle", "lets"], &LETS),
    ("define", &["schema", NAME], &SCHEMA),
    ("define", &["component", "input", NAME], &INPUT),
    ("define", &["bundle", "input", NAME], &INPUT),
    ("define", &["bundle", "export", NAME], &EXPORT_BY_LABEL),
    ("define", &["bundle", "stack", NAME], &STACK),
    ("define", &["bundle", "stack", NAME, "metadata"], &ANYTHING),
    ("bundle", &[NAME], &BUNDLE),
    ("bundle", &[NAME, NAME], &VALUES),
    ("component", &[NAME], &COMPONENT),
    ("component", &[NAME, "inputs"], &ANYTHING),
    ("environment", &[], &ENVIRONMENT),
    ("scaffold", &[ANY], &SCAFFOLD),
];
