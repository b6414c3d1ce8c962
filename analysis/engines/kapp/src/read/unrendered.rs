//! Files that resources are generated from by another tool: their content is unknown until they are rendered.

use camino::Utf8Path;
use memchr::memmem;

use super::{Placed, Text};
use applyorder_core::engine::LeftOut;
use applyorder_syntax::yaml::Style;
use applyorder_syntax::yaml::dialect::goyaml;

/// What generates resources from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unrendered {
    /// ytt: comments that start with `#@`.
    Ytt,
    /// A template with `{{` where no YAML value can start like that.
    Helm,
    /// A `kustomization.yaml`.
    Kustomization,
    /// Encrypted by SOPS.
    Sops,
}

impl Unrendered {
    /// The name in messages.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Ytt => "a ytt template",
            Self::Helm => "a Helm template",
            Self::Kustomization => "a kustomization",
            Self::Sops => "a file encrypted by SOPS",
        }
    }

    pub(super) const fn left_out(self) -> LeftOut {
        let (kind, help) = match self {
            Self::Ytt => (
                ["ytt template", "ytt templates"],
                "ytt -f PATH | applyorder lint --engine kapp -",
            ),
            Self::Helm => (
                ["Helm template", "Helm templates"],
                "helm template PATH | applyorder lint --engine kapp -",
            ),
            Self::Kustomization => (
                ["kustomization", "kustomizations"],
                "kustomize build PATH | applyorder lint --engine kapp -",
            ),
            Self::Sops => (
                ["file encrypted by SOPS", "files encrypted by SOPS"],
                "sops decrypt PATH | applyorder lint --engine kapp -",
            ),
        };
        LeftOut { kind, help }
    }
}

/// `separators`: what follows the dashes of those that kapp rejects.
pub(super) fn detect(
    path: &Utf8Path,
    text: &str,
    documents: &[Placed],
    separators: &[Text],
) -> Option<Unrendered> {
    if matches!(
        path.file_name(),
        Some("kustomization.yaml" | "kustomization.yml" | "Kustomization")
    ) {
        return Some(Unrendered::Kustomization);
    }
    let marked = |p: &&Placed| memmem::find(p.document.text().as_bytes(), b"#@").is_some();
    if memmem::find(text.as_bytes(), b"#@").is_some()
        && documents.iter().filter(marked).any(|p| {
            let tree = p.document.tree();
            tree.comments()
                .any(|c| c.span.slice(tree.text()).starts_with("#@"))
        })
    {
        return Some(Unrendered::Ytt);
    }
    // An overlay that excludes a document begins like that.
    if !separators.is_empty() && separators.iter().all(|rest| &*rest.value == "{}") {
        return Some(Unrendered::Ytt);
    }
    if is_encrypted(text, documents) {
        return Some(Unrendered::Sops);
    }
    memmem::find(text.as_bytes(), b"{{")?;
    documents
        .iter()
        .any(|p| p.document.text().contains("{{") && is_helm(p))
        .then_some(Unrendered::Helm)
}

/// Whether a text begins unlike a manifest, and is not YAML there: the snapshots of a test, for example.
pub(super) fn is_foreign(text: &str, documents: &[Placed]) -> bool {
    let is_broken = |placed: &Placed| placed.document.fatal.is_some();
    text.trim_start().starts_with(['/', '<', ';', '(', '$']) && documents.first().is_some_and(is_broken)
}

/// SOPS writes how it encrypted a document under its own key, and values as `ENC[…]`.
fn is_encrypted(text: &str, documents: &[Placed]) -> bool {
    if memmem::find(text.as_bytes(), b"ENC[").is_none() || memmem::find(text.as_bytes(), b"sops").is_none() {
        return false;
    }
    documents.iter().any(|placed| {
        let root = placed.document.tree().first_document().and_then(|d| d.root());
        let fields = root.map(goyaml::fields).unwrap_or_default();
        fields
            .iter()
            .any(|field| field.name == "sops" && field.value.is_mapping())
    })
}

fn is_helm(placed: &Placed) -> bool {
    let text = placed.document.text();
    let tree = placed.document.tree();
    memmem::find_iter(text.as_bytes(), b"{{").any(|at| {
        let line = text.get(..at).unwrap_or("");
        let before = line
            .rsplit('\n')
            .next()
            .unwrap_or("")
            .trim_end_matches([' ', '\t']);
        let starts_value = before.is_empty() || before.ends_with([':', '-']);
        let offset = u32::try_from(at).unwrap_or(u32::MAX);
        starts_value
            && !tree.node_at(offset).last().is_some_and(|node| {
                node.is_scalar()
                    && node.style() != Style::Plain
                    && node
                        .span()
                        .contains(applyorder_syntax::text::Span::new(offset, offset + 2))
            })
    })
}
