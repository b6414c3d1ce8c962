//! The file of a manifest of type `genesissecret`, as far as `check` reads it: it must decode as a whole, or
//! Tazuna does not report its references.

use super::decode::Reader;
use super::places::Pen;
use crate::schema::{Table, Ty, field};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::EngineIx;
use applyorder_syntax::template::SourceMap;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml;
use applyorder_syntax::yaml::dialect::goyaml::{self, DialectErrorKind};

static FILE: Table = Table {
    title: "the file",
    go: "GenesisSecret",
    fields: &[field("spec", Ty::Obj(&SPEC), "the secrets and where they go")],
};

static SPEC: Table = Table {
    title: "`spec`",
    go: "GenesisSecretSpec",
    fields: &[
        field("provider", Ty::Str, "who knows the secrets"),
        field("secrets", Ty::Objs(&SECRET), "where they come from"),
        field("static", Ty::StrMap, "values that are no secrets"),
        field("outputs", Ty::Objs(&OUTPUT), "where they go"),
    ],
};

static SECRET: Table = Table {
    title: "a secret",
    go: "GenesisSecretGenerate",
    fields: &[
        field("uri", Ty::Str, "its reference"),
        field("preferLabel", Ty::Bool, "whether labels are keys"),
        field("items", Ty::ObjMap(&ITEM), "what its fields are called"),
    ],
};

static ITEM: Table = Table {
    title: "an item",
    go: "GenesisSecretGenerateItem",
    fields: &[field("mapTo", Ty::Str, "the name it gets")],
};

static OUTPUT: Table = Table {
    title: "an output",
    go: "GenesisSecretOutput",
    fields: &[
        field("stdout", Ty::Any, "printed"),
        field("kubernetesSecret", Ty::Obj(&KUBERNETES), "applied as a Secret"),
    ],
};

static KUBERNETES: Table = Table {
    title: "a Secret",
    go: "GenesisSecretOutputKubernetesSecret",
    fields: &[
        field("context", Ty::Str, "where it is applied"),
        field("namespace", Ty::Str, "its namespace"),
        field("name", Ty::Str, "its name"),
        field("labels", Ty::StrMap, "its labels"),
        field("annotations", Ty::StrMap, "its annotations"),
        field("type", Ty::Str, "its type"),
    ],
};

/// A reference to a secret.
pub(crate) struct Reference {
    /// Its place in `spec.secrets`, from 0.
    pub(crate) index: usize,
    /// The reference; empty if none is given.
    pub(crate) uri: String,
    /// Its place, or the entry that lacks it.
    pub(crate) span: Span,
}

/// The references that the built-in provider has to resolve. Empty if another provider does, and if the text
/// does not decode.
pub(crate) fn references(file: FileId, engine: EngineIx, text: &str) -> Vec<Reference> {
    if text.starts_with(super::view::MARKS) {
        return Vec::new();
    }
    let tree = yaml::parse(text);
    let Some(document) = tree.first_document() else {
        return Vec::new();
    };
    let Some(root) = document.root() else {
        return Vec::new();
    };
    let map = SourceMap::identity();
    let mut pen = Pen::new(file, engine, &map, 0);
    let mut reader = Reader::new(&mut pen, false, FILE.go, &[]);
    let object = reader.object(root, &FILE, None).unwrap_or_default();
    let decodes = reader.errors.is_empty()
        && !document.errors().any(goyaml::refuses)
        && goyaml::check(document)
            .iter()
            .all(|e| e.kind == DialectErrorKind::NotJson && reader.non_finite.contains(&e.span));
    let Some(spec) = object.obj("spec").filter(|_| decodes) else {
        return Vec::new();
    };
    if !matches!(spec.text("provider"), "" | "default-op") {
        return Vec::new();
    }
    let secrets = spec.objs("secrets").iter().enumerate();
    secrets
        .map(|(index, secret)| Reference {
            index,
            uri: secret.text("uri").to_owned(),
            span: secret.word("uri").map_or(secret.header, |w| w.span),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uris(text: &str) -> Vec<String> {
        references(FileId(0), EngineIx(0), text)
            .into_iter()
            .map(|r| r.uri)
            .collect()
    }

    #[test]
    fn another_provider_and_a_file_that_does_not_decode_are_left_alone() {
        let text = "spec:\n  secrets:\n    - uri: op://v/i\n    - preferLabel: true\n";
        assert_eq!(uris(text), ["op://v/i", ""]);
        assert_eq!(
            uris(&text.replace("spec:", "spec:\n  provider: default-op")).len(),
            2
        );
        assert!(uris(&text.replace("spec:", "spec:\n  provider: other")).is_empty());
        for wrong in ["  x: [", "  static: {a: [b]}", "  outputs: x", "  provider: {}"] {
            assert!(uris(&format!("{text}{wrong}\n")).is_empty(), "{wrong}");
        }
        assert!(uris(&text.replace("true", "1")).is_empty());
        assert_eq!(uris(&format!("{text}  unknown: [1]\n")).len(), 2);
    }
}
