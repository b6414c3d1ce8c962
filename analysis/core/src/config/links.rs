//! The targets of links in reports on a terminal.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::nearest::{nearest, question};

/// What opens places, by well-known names: a URL with `{path}` (absolute, from its `/` on), `{line}` and
/// `{column}`.
const KNOWN: [(&str, &str); 8] = [
    ("file", "file://{path}"),
    ("vscode", "vscode://file{path}:{line}:{column}"),
    ("vscode-insiders", "vscode-insiders://file{path}:{line}:{column}"),
    ("vscodium", "vscodium://file{path}:{line}:{column}"),
    ("cursor", "cursor://file{path}:{line}:{column}"),
    ("zed", "zed://file{path}:{line}:{column}"),
    ("idea", "idea://open?file={path}&line={line}&column={column}"),
    (
        "textmate",
        "txmt://open?url=file://{path}&line={line}&column={column}",
    ),
];

/// Whether output in a terminal has links, and their targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Hyperlinks {
    /// To files, if the terminal is known to support links.
    #[default]
    Auto,
    /// No links.
    Off,
    /// To a URL, if output has colors.
    To(LinkTemplate),
}

/// A URL with `{path}`, `{line}` and `{column}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTemplate {
    /// As it is written: a name that is known, or the URL itself.
    written: String,
}

impl LinkTemplate {
    /// To the file alone.
    #[must_use]
    pub fn file() -> Self {
        Self {
            written: "file".to_owned(),
        }
    }

    fn url(&self) -> &str {
        let known = KNOWN.iter().find(|(name, _)| *name == self.written);
        known.map_or(&self.written, |(_, url)| url)
    }

    /// The URL that opens a place. The path is percent-encoded: absolute, from its `/` on; line and column are
    /// from 1.
    #[must_use]
    pub fn of(&self, path: &str, line: u64, column: u64) -> String {
        let mut out = String::new();
        let mut rest = self.url();
        // In one pass: what a path contains is not a placeholder.
        while let Some((before, behind)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, behind)) = behind.split_once('}') else {
                break;
            };
            match name {
                "path" => out.push_str(path),
                "line" => out.push_str(&line.to_string()),
                _ => out.push_str(&column.to_string()),
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    }
}

impl TryFrom<String> for Hyperlinks {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match &*text {
            "auto" => return Ok(Self::Auto),
            "off" => return Ok(Self::Off),
            name if KNOWN.iter().any(|(known, _)| *known == name) => {}
            template => check(template)?,
        }
        Ok(Self::To(LinkTemplate { written: text }))
    }
}

/// What is wrong with a URL that a user wrote. It is printed to the terminal as it is: nothing in it may end
/// the link.
fn check(template: &str) -> Result<(), String> {
    let words = || {
        ["auto", "off"]
            .into_iter()
            .chain(KNOWN.iter().map(|(name, _)| *name))
    };
    let scheme = template.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |s: &str| {
        s.starts_with(|c: char| c.is_ascii_alphabetic())
            && s.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    if !scheme.is_some_and(is_scheme) {
        let hint = question(nearest(template, words()));
        let known: Vec<&str> = words().collect();
        return Err(format!(
            "expected {} or a URL with {{path}}{hint}",
            known.join(", ")
        ));
    }
    if let Some(c) = template.chars().find(|c| !c.is_ascii_graphic()) {
        return Err(format!("a URL cannot contain {c:?}"));
    }
    let mut has_path = false;
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, behind)) = behind.split_once('}').filter(|_| !before.contains('}')) else {
            return Err("`{` without `}`".to_owned());
        };
        match name {
            "path" => has_path = true,
            "line" | "column" => {}
            name => {
                return Err(format!(
                    "unknown placeholder {{{name}}}: expected {{path}}, {{line}} or {{column}}"
                ));
            }
        }
        rest = behind;
    }
    if rest.contains('}') {
        return Err("`}` without `{`".to_owned());
    }
    if has_path {
        Ok(())
    } else {
        Err("expected a URL with {path}".to_owned())
    }
}

impl From<Hyperlinks> for String {
    fn from(links: Hyperlinks) -> Self {
        match links {
            Hyperlinks::Auto => "auto".to_owned(),
            Hyperlinks::Off => "off".to_owned(),
            Hyperlinks::To(template) => template.written,
        }
    }
}

impl JsonSchema for Hyperlinks {
    fn schema_name() -> Cow<'static, str> {
        "Hyperlinks".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let described = |name: &str, description: String| json_schema!({ "description": description, "type": "string", "const": name });
        let mut all = vec![
            described(
                "auto",
                "To files, if the terminal is known to support links.".to_owned(),
            ),
            described("off", "No links.".to_owned()),
        ];
        all.extend(
            KNOWN
                .iter()
                .map(|(name, url)| described(name, format!("If output has colors: {url}"))),
        );
        all.push(json_schema!({
            "description": "If output has colors: this URL, with {path}, {line} and {column}.",
            "type": "string",
            "pattern": "^[A-Za-z][A-Za-z0-9+.-]*:.*\\{path\\}"
        }));
        json_schema!({ "description": "Whether output in a terminal has links, and their targets.", "anyOf": all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Hyperlinks, String> {
        Hyperlinks::try_from(text.to_owned())
    }

    #[test]
    fn editors_are_known_by_name_and_every_other_url_can_be_written() {
        let url = |text: &str| match of(text) {
            Ok(Hyperlinks::To(template)) => template.of("/a%20b/{line}", 3, 14),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(url("file"), "file:///a%20b/{line}");
        assert_eq!(url("vscode"), "vscode://file/a%20b/{line}:3:14");
        assert_eq!(url("idea"), "idea://open?file=/a%20b/{line}&line=3&column=14");
        assert_eq!(url("my-editor:{line}/{path}"), "my-editor:3//a%20b/{line}");
        for (name, _) in KNOWN {
            assert_eq!(check(&of_known(name)), Ok(()), "{name}");
        }
    }

    fn of_known(name: &str) -> String {
        match of(name) {
            Ok(Hyperlinks::To(template)) => template.url().to_owned(),
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn what_would_lead_nowhere_is_refused_and_so_is_what_would_end_the_link() {
        for (text, part) in [
            ("vscoed", "did you mean `vscode`?"),
            ("always", "expected auto, off, file, vscode"),
            ("x://{line}", "with {path}"),
            ("x://{path}{row}", "unknown placeholder {row}"),
            ("x://{path", "without `}`"),
            ("x://}{path}", "without `}`"),
            ("x://{path}}", "without `{`"),
            ("x://{path}\u{1b}\\", "cannot contain"),
            ("x://{path} ", "cannot contain"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        for text in ["auto", "off", "file", "x:{path}"] {
            assert_eq!(String::from(of(text).unwrap()), text);
        }
    }
}
