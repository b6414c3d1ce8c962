//! Hyperlinks (OSC 8) in a human-readable report.

use super::docs_page;

/// A text that links to a URL.
pub(super) fn link(url: &str, text: &str) -> String {
    format!("\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\")
}

/// Adds links to the report on one finding: its rule links to the rule's page, the place of each snippet to what
/// `url_of` returns for the file name, line and column.
pub(super) fn linked(report: &str, rule: &str, url_of: impl Fn(&str, u64, u64) -> Option<String>) -> String {
    let mut lines = report.split_inclusive('\n');
    let mut text = String::with_capacity(report.len() * 2);
    if let Some(head) = lines.next() {
        text.push_str(&head.replacen(rule, &link(&docs_page(rule), rule), 1));
    }
    for line in lines {
        let parts = place(line).and_then(|(before, place, after)| {
            let mut parts = place.rsplitn(3, ':');
            let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            Some((before, link(&url_of(parts.next()?, line, column)?, place), after))
        });
        match parts {
            Some((before, place, after)) => text.extend([before, &place, after]),
            None => text.push_str(line),
        }
    }
    text
}

/// The place in the line above a snippet, with the text before and after it.
fn place(line: &str) -> Option<(&str, &str, &str)> {
    const CORNER: &str = "┌─";
    let corner = line.find(CORNER)?;
    // Source lines have their number and a border before them.
    let margin = line.get(..corner)?;
    if skip_styles(margin).trim() != "" {
        return None;
    }
    let rest = line.get(corner + CORNER.len()..)?;
    let start = line.len() - skip_styles(rest).len();
    let rest = line.get(start..)?;
    let end = start + rest.find(['\x1b', '\r', '\n']).unwrap_or(rest.len());
    Some((line.get(..start)?, line.get(start..end)?, line.get(end..)?))
}

/// Skips leading styles and spaces.
fn skip_styles(text: &str) -> &str {
    let mut rest = text.trim_start_matches(' ');
    while let Some(style) = rest.strip_prefix("\x1b[") {
        rest = style
            .split_once('m')
            .map_or("", |(_, rest)| rest)
            .trim_start_matches(' ');
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(report: &str) -> String {
        let linked = linked(report, "cycle", |name, line, column| {
            Some(format!("x:///w/{name}?{line}&{column}"))
        });
        // Makes the ends of links readable.
        linked
            .replace("\x1b]8;;\x1b\\", "</>")
            .replace("\x1b\\", ">")
            .replace("\x1b]8;;", "<")
    }

    #[test]
    fn rules_and_places_lead_somewhere_and_nothing_else_does() {
        let report =
            "error[cycle]: cycle of a\n  ┌─ d/x.yaml:3:4\n  │\n3 │ a ┌─ b:1:2 cycle\n  │   ┌─ y:1:1\n";
        let page = docs_page("cycle");
        assert_eq!(
            shown(report),
            format!(
                "error[<{page}>cycle</>]: cycle of a\n  ┌─ <x:///w/d/x.yaml?3&4>d/x.yaml:3:4</>\n  │\n\
                 3 │ a ┌─ b:1:2 cycle\n  │   ┌─ y:1:1\n"
            )
        );
        let colored =
            "\x1b[1m\x1b[31merror[cycle]\x1b[0m: x\n  \x1b[0m\x1b[34m┌─\x1b[0m a b.yaml:1:2\x1b[0m\n";
        let linked = shown(colored);
        assert!(
            linked.contains("┌─\x1b[0m <x:///w/a b.yaml?1&2>a b.yaml:1:2</>\x1b[0m\n"),
            "{linked}"
        );
    }
}
