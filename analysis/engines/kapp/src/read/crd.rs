//! What kapp reads from a definition of a custom resource.

use super::decode::{Fields, Struct, Type, first_fault};
use super::places::Places;
use super::{Text, text_of};
use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::goyaml;

/// The content of a definition of a custom resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Crd {
    /// `spec.group`.
    pub(crate) group: Box<str>,
    /// `spec.names.kind`.
    pub(crate) kind: Box<str>,
    /// Whether `spec.scope` is `Namespaced`.
    pub(crate) namespaced: bool,
    /// `spec.version` and the names in `spec.versions`.
    pub(crate) versions: Vec<Box<str>>,
    /// The first value of a wrong type, as Go's message.
    pub(crate) type_fault: Option<Text>,
    /// Where `spec` is, or the resource.
    pub(crate) place: u32,
}

static CRD: Struct = Struct {
    name: "crdObj",
    package: "resourcesmisc",
    fields: &[("Spec", Type::Struct(&CRD_SPEC))],
};

static CRD_SPEC: Struct = Struct {
    name: "crdSpec",
    package: "resourcesmisc",
    fields: &[
        ("Group", Type::Text),
        ("Scope", Type::Text),
        ("Version", Type::Text),
        ("Versions", Type::Structs(&CRD_VERSION)),
        ("Names", Type::Struct(&CRD_NAMES)),
    ],
};

static CRD_VERSION: Struct = Struct {
    name: "crdSpecVersion",
    package: "resourcesmisc",
    fields: &[("Name", Type::Text)],
};

static CRD_NAMES: Struct = Struct {
    name: "crdSpecNames",
    package: "resourcesmisc",
    fields: &[("Kind", Type::Text)],
};

/// Reads a definition from its mapping and the mapping's fields; `header` is where the resource is.
pub(super) fn read(
    node: Node<'_>,
    fields: &[goyaml::Field<'_>],
    header: u32,
    places: &mut Places<'_>,
) -> Crd {
    let key = fields.iter().find(|f| f.name.eq_ignore_ascii_case("spec"));
    let place = key.map_or(header, |f| places.add(f.key.span()));
    let type_fault =
        first_fault(node, &CRD, places).map(|fault| text_of(&fault.message, places.add(fault.node.span())));
    let root = Fields::of(node);
    let Some(spec) = root.get("Spec").map(|f| Fields::of(f.value)) else {
        return Crd {
            type_fault,
            place,
            ..Crd::default()
        };
    };
    let text = |fields: &Fields<'_>, name: &str| -> Box<str> {
        fields.text(name).map(|(t, _)| t.into()).unwrap_or_default()
    };
    let mut versions = Vec::new();
    let single = text(&spec, "Version");
    if !single.is_empty() {
        versions.push(single);
    }
    let listed = spec.items("Versions");
    places.spend(listed.len() as u64);
    versions.extend(listed.into_iter().map(|v| text(&Fields::of(v), "Name")));
    Crd {
        group: text(&spec, "Group"),
        kind: spec
            .get("Names")
            .map_or_else(Default::default, |f| text(&Fields::of(f.value), "Kind")),
        namespaced: &*text(&spec, "Scope") == "Namespaced",
        versions,
        type_fault,
        place,
    }
}
