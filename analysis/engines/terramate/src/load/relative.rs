//! Relative paths of a project, as written in one of its directories.

use camino::Utf8Path;

/// The path from one directory to another, both as project paths.
pub(crate) fn relative_path(from: &str, to: &str) -> String {
    let names = |path: &str| -> Vec<String> {
        Utf8Path::new(path)
            .components()
            .skip(1)
            .map(|c| c.as_str().to_owned())
            .collect()
    };
    let (from, to) = (names(from), names(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut parts: Vec<&str> = vec![".."; from.len() - shared];
    if parts.is_empty() {
        parts.push(".");
    }
    parts.extend(to.iter().skip(shared).map(String::as_str));
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths() {
        assert_eq!(relative_path("/a/b", "/a/c"), "../c");
        assert_eq!(relative_path("/a", "/a/c"), "./c");
        assert_eq!(relative_path("/", "/x/y"), "./x/y");
        assert_eq!(relative_path("/a/b", "/"), "../..");
    }
}
