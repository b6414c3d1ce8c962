//! Names of providers, and where they come from.
//!
//! Source: Terraform 1.11; `ParseProviderSource` of `github.com/hashicorp/terraform-registry-address`.

/// Why the name of a provider that the type of a resource implies is not valid. Capital letters count as small ones there.
pub(in super::super) fn not_implied(ty: &str) -> Option<&'static str> {
    let name = ty.split('_').next().unwrap_or(ty);
    match name.is_empty() {
        true => Some("a type begins with the name of its provider"),
        false => not_a_name(&name.to_lowercase()),
    }
}

/// Why a word is not a valid provider name.
pub(in super::super) fn not_a_name(name: &str) -> Option<&'static str> {
    if !name.is_ascii() {
        return None;
    }
    let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if !is_plain || name.starts_with('-') || name.ends_with('-') {
        return Some("the name of a provider has letters, digits and dashes, and no dash at an end");
    }
    if name.contains("--") {
        return Some("the name of a provider has no two dashes in a row");
    }
    let has_capital = name.bytes().any(|b| b.is_ascii_uppercase());
    has_capital.then_some("the name of a provider has no capital letters")
}

/// The registry that Terraform knows itself.
const REGISTRY: &str = "registry.terraform.io";

/// Why a text is not the source of a provider: `[HOSTNAME/][NAMESPACE/]TYPE`. Hostnames are not checked.
pub(in super::super) fn not_a_source(source: &str) -> Option<&'static str> {
    let parts: Vec<&str> = source.split('/').collect();
    if parts.len() > 3 || parts.iter().any(|part| part.is_empty()) {
        return Some("it is not a source as in `hashicorp/aws`");
    }
    let mut names = parts.iter().rev().map(|part| part.to_lowercase());
    let (ty, namespace) = (names.next().unwrap_or_default(), names.next());
    let is_namespace = |name: &String| name != "-" || parts.len() == 3 && parts.first() != Some(&REGISTRY);
    if let Some(why) = not_a_name(&ty).or_else(|| not_a_name(&namespace.filter(is_namespace)?)) {
        return Some(why);
    }
    // Without a namespace this is not checked.
    let has_prefix = parts.len() > 1 && ty.starts_with("terraform-");
    has_prefix.then_some("the type of a provider does not begin with `terraform-`")
}

#[cfg(test)]
mod tests {
    use super::not_a_source;

    /// The result of `terraform get` 1.11.4.
    #[test]
    fn sources_are_checked_as_terraform_does() {
        let valid = [
            "aws",
            "terraform-x",
            "spacelift-io/spacelift",
            "Spacelift-IO/Spacelift",
            "-/aws",
            "registry.terraform.io/-/aws",
            "example.com/a/b",
            "a/b1-c2",
        ];
        let invalid = [
            "",
            "a/",
            "/a",
            "a/b/c/d",
            "a--b/c",
            "a/b--c",
            "-a/b",
            "a-/b",
            "a/-b",
            "a/b-",
            "a/b_c",
            "a_b/c",
            "a.b/c",
            "a/b.c",
            "a b/c",
            "example.com/-/b",
            "a/terraform-provider-b",
            "a/terraform-b",
        ];
        assert_eq!(valid.map(not_a_source), [None; 8]);
        let accepted = invalid
            .into_iter()
            .filter(|source| not_a_source(source).is_none());
        assert_eq!(accepted.collect::<Vec<_>>(), [""; 0]);
    }
}
