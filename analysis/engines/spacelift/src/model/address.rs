//! Addresses of resources: `module.m["k"].spacelift_stack.a[0]`.

/// An address as it is written in the same module; `None` if it is in another module.
pub(crate) fn seen_from<'n>(from: &str, to: &'n str) -> Option<&'n str> {
    let (own, other) = (module_of(from), module_of(to));
    (own == other).then(|| to.get(other.len()..)).flatten()
}

/// What precedes the resource in an address.
fn module_of(address: &str) -> &str {
    let mut end = 0;
    while let Some(rest) = address.get(end..).filter(|rest| rest.starts_with("module.")) {
        let mut in_quotes = false;
        let mut depth = 0usize;
        let mut dots = 0;
        let found = rest.char_indices().find(|(_, c)| {
            match c {
                '"' => in_quotes = !in_quotes,
                '[' if !in_quotes => depth += 1,
                ']' if !in_quotes => depth = depth.saturating_sub(1),
                '.' if !in_quotes && depth == 0 => dots += 1,
                _ => {}
            }
            dots == 2
        });
        match found {
            Some((at, _)) => end += at + 1,
            None => break,
        }
    }
    address.get(..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::module_of;

    #[test]
    fn modules_stand_before_the_resource() {
        assert_eq!(module_of("spacelift_stack.a"), "");
        assert_eq!(module_of("module.m.spacelift_stack.a"), "module.m.");
        assert_eq!(
            module_of("module.m[\"a.b\"].module.n[0].x.y[\"k\"]"),
            "module.m[\"a.b\"].module.n[0]."
        );
    }
}
