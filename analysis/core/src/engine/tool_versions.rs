//! The version of an engine that a directory's tool versions file names: `.tool-versions` of asdf, `mise.toml`
//! of mise.

use camino::{Utf8Path, Utf8PathBuf};

use super::Cx;
use crate::config::numbers_in;
use crate::files::FileKind;

/// The names of such files, by precedence within one directory.
pub const TOOL_VERSIONS: [&str; 3] = [".tool-versions", "mise.toml", ".mise.toml"];

/// A version of an engine that is in use, and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionInUse {
    /// The version: `0.17.2`.
    pub version: String,
    /// The file that names it; `None` if the configuration or the run does.
    pub named_by: Option<Utf8PathBuf>,
}

impl Cx<'_> {
    /// The version of an engine that is in use in a directory: the configured one, else the one in the nearest
    /// tool versions file that has the engine's program, upwards to the root of the version-controlled tree.
    /// `None` if no file names it, and if the nearest file names no exact version (`latest`, `0.17`).
    pub fn version_in_use(
        &self,
        configured: Option<String>,
        program: &str,
        dir: &Utf8Path,
    ) -> Option<VersionInUse> {
        if let Some(version) = configured {
            return Some(VersionInUse {
                version,
                named_by: None,
            });
        }
        let top = self.vcs_root(dir).unwrap_or_else(|| dir.to_owned());
        let dirs = dir.ancestors().take_while(|d| d.starts_with(&top));
        for path in dirs.flat_map(|d| TOOL_VERSIONS.map(|name| d.join(name))) {
            if self.kind(&path, true) != Some(FileKind::File) {
                continue;
            }
            let Ok(bytes) = self.bytes(&path) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let named = if path.extension() == Some("toml") {
                of_mise(&text, program)
            } else {
                of_asdf(&text, program)
            };
            if let Some(version) = named {
                if !is_exact(&version) {
                    return None;
                }
                return Some(VersionInUse {
                    version,
                    named_by: Some(path),
                });
            }
        }
        None
    }
}

/// `terramate 0.11.1 0.11.0`: the first version is used if it is installed.
fn of_asdf(text: &str, program: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let mut words = line.split('#').next()?.split_whitespace();
        (words.next()? == program).then(|| words.next().unwrap_or_default().to_owned())
    })
}

/// `terramate = "0.11.1"` in `[tools]`, also with a backend before the name, in a list or in a table.
fn of_mise(text: &str, program: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let tools = table.get("tools")?.as_table()?;
    let is_program = |key: &str| key.rsplit([':', '/']).next() == Some(program);
    let (_, value) = tools.iter().find(|(key, _)| is_program(key))?;
    let first = value.as_array().map_or(Some(value), |list| list.first());
    let version = first.and_then(|v| v.get("version").or(Some(v))?.as_str());
    Some(version.unwrap_or_default().to_owned())
}

/// Whether a text is one version and not a range, an alias or a path.
fn is_exact(version: &str) -> bool {
    numbers_in(version) == Some(3)
}

#[cfg(test)]
mod tests {
    use super::{is_exact, of_asdf, of_mise};

    #[test]
    fn the_first_version_of_a_line_counts() {
        let text = "# tools\nterraform 1.9.0\nterramate-catalyst 0.15.2\nterramate\t0.11.1 0.11.0 # both\n";
        assert_eq!(of_asdf(text, "terramate").as_deref(), Some("0.11.1"));
        assert_eq!(of_asdf(text, "kapp"), None);
        assert_eq!(of_asdf("terramate\n", "terramate").as_deref(), Some(""));
    }

    #[test]
    fn mise_names_a_tool_in_four_ways() {
        let of = |line: &str| of_mise(&format!("[tools]\n{line}\n"), "terramate");
        for line in [
            "terramate = \"0.11.1\"",
            "terramate = [\"0.11.1\", \"0.10.0\"]",
            "terramate = { version = \"0.11.1\", os = [\"linux\"] }",
            "\"aqua:terramate-io/terramate\" = \"0.11.1\"",
        ] {
            assert_eq!(of(line).as_deref(), Some("0.11.1"), "{line}");
        }
        assert_eq!(of("kapp = \"0.11.1\""), None);
        assert_eq!(of("terramate = 1"), Some(String::new()));
        assert_eq!(of_mise("not toml", "terramate"), None);
    }

    #[test]
    fn a_range_an_alias_and_a_path_are_not_one_version() {
        for exact in ["0.11.1", "1.0.0-rc1", "0.17.2+local"] {
            assert!(is_exact(exact), "{exact}");
        }
        for other in [
            "", "0.11", "latest", "v0.11.1", "ref:main", "path:bin", "0.11.x", "1.2.3.4",
        ] {
            assert!(!is_exact(other), "{other}");
        }
    }
}
