//! Patterns of paths, as git's ignore files have them.

use camino::Utf8Path;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A valid pattern, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("x-pattern" = true))]
pub struct Glob(String);

impl TryFrom<String> for Glob {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        let mut builder = GitignoreBuilder::new("");
        match builder.add_line(None, &written) {
            Ok(_) => Ok(Self(written)),
            Err(e) => Err(format!("invalid pattern: {e}")),
        }
    }
}

impl From<Glob> for String {
    fn from(glob: Glob) -> Self {
        glob.0
    }
}

/// Some patterns: the last one that matches a path decides, and `!` before it excludes the path.
#[derive(Clone, Debug)]
pub(super) struct Globs {
    globs: Gitignore,
    /// The same, with directories that match as a whole: `vendor` for `vendor/**`.
    whole: Gitignore,
}

impl Default for Globs {
    fn default() -> Self {
        Self {
            globs: Gitignore::empty(),
            whole: Gitignore::empty(),
        }
    }
}

impl Globs {
    /// Compiles some patterns.
    pub(super) fn new(written: &[Glob]) -> Self {
        let build = |line: &dyn Fn(&str) -> String| {
            let mut builder = GitignoreBuilder::new("");
            for glob in written {
                // Each was read before.
                drop(builder.add_line(None, &line(&glob.0)));
            }
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        };
        Self {
            globs: build(&str::to_owned),
            whole: build(&whole),
        }
    }

    /// Whether the list is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// Whether a path, relative to where the patterns are written, matches by itself.
    pub(super) fn matches(&self, path: &Utf8Path, is_dir: bool) -> bool {
        self.globs.matched(path, is_dir).is_ignore()
    }

    /// Whether a directory or everything in it matches.
    pub(super) fn matches_whole(&self, path: &Utf8Path, is_dir: bool) -> bool {
        self.matches(path, is_dir) || self.whole.matched(path, is_dir).is_ignore()
    }

    /// Whether a file or a parent directory matches.
    pub(super) fn matches_file(&self, path: &Utf8Path) -> bool {
        let mut above = path.ancestors().skip(1).filter(|dir| !dir.as_str().is_empty());
        self.matches(path, false) || above.any(|dir| self.matches(dir, true))
    }
}

/// The directory that a pattern matches as a whole, else the pattern.
fn whole(glob: &str) -> String {
    let Some(dir) = glob.strip_suffix("/**").or_else(|| glob.strip_suffix("/*")) else {
        return glob.to_owned();
    };
    // `a/**` is anchored where it is written; `a/` would match at any depth below.
    let is_anchored = dir.trim_start_matches('!').contains('/');
    match dir.strip_prefix('!') {
        Some(dir) if !is_anchored => format!("!/{dir}/"),
        None if !is_anchored => format!("/{dir}/"),
        _ => format!("{dir}/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(written: &[&str]) -> Globs {
        let glob = |text: &&str| Glob::try_from((*text).to_owned()).unwrap();
        Globs::new(&written.iter().map(glob).collect::<Vec<_>>())
    }

    #[test]
    fn patterns_are_those_of_git() {
        for (pattern, path, is_meant) in [
            ("vendor/**", "vendor/a/b.yaml", true),
            ("vendor/**", "x/vendor/a.yaml", false),
            ("vendor/", "x/vendor/a.yaml", true),
            ("/vendor", "x/vendor/a.yaml", false),
            ("*.gen.yaml", "a/b.gen.yaml", true),
            ("a/*.yaml", "a/b/c.yaml", false),
            ("**/b/**", "a/b/c.yaml", true),
            ("#a", "#a", false),
            ("", "a", false),
        ] {
            let found = globs(&[pattern]).matches_file(path.into());
            assert_eq!(found, is_meant, "{pattern} {path}");
        }
        let kept = globs(&["vendor/*", "!vendor/own"]);
        assert!(kept.matches_file("vendor/a/x".into()));
        assert!(!kept.matches_file("vendor/own/x".into()));
        assert!(Glob::try_from("a{".to_owned()).unwrap_err().contains("a{"));
        assert!(globs(&[]).is_empty() && !globs(&["a"]).is_empty());
    }

    #[test]
    fn a_directory_that_matches_as_a_whole_is_recognized() {
        for (pattern, dir, is_whole) in [
            ("vendor/**", "vendor", true),
            ("vendor/**", "x/vendor", false),
            ("**/vendor/**", "x/vendor", true),
            ("vendor/", "x/vendor", true),
            ("a/b/*", "a/b", true),
            ("*.yaml", "vendor", false),
            ("vendor/a/**", "vendor", false),
        ] {
            let found = globs(&[pattern]).matches_whole(dir.into(), true);
            assert_eq!(found, is_whole, "{pattern} {dir}");
        }
    }
}
