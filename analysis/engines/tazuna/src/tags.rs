//! What `--tags` selects by (Tazuna G5, CLI facts): each value is a record of comma-separated values as Go's
//! `encoding/csv` reads it, so that blanks are kept and a quoted tag may contain a comma.

/// The tags of all given values; none select everything. A rejection of Tazuna is returned as its message.
pub(super) fn wanted(values: &[String]) -> Result<Vec<String>, String> {
    let mut tags = Vec::new();
    for value in values.iter().filter(|v| !v.is_empty()) {
        let told = |why: &str| format!("invalid argument {value:?} for \"-t, --tags\" flag: {why}");
        tags.extend(record(value).map_err(told)?);
    }
    Ok(tags)
}

/// The first record of a text.
fn record(text: &str) -> Result<Vec<String>, &'static str> {
    const BARE: &str = "bare \" in non-quoted field";
    const QUOTE: &str = "extraneous or missing \" in quoted-field";
    let text = text.replace("\r\n", "\n");
    let text = text.strip_suffix('\r').unwrap_or(&text).trim_start_matches('\n');
    if text.is_empty() {
        return Err("EOF");
    }
    let mut fields = Vec::new();
    let mut rest = text;
    loop {
        let mut field = String::new();
        if let Some(mut quoted) = rest.strip_prefix('"') {
            rest = loop {
                let (part, behind) = quoted.split_once('"').ok_or(QUOTE)?;
                field.push_str(part);
                let Some(more) = behind.strip_prefix('"') else {
                    break behind;
                };
                field.push('"');
                quoted = more;
            };
        } else {
            let end = rest.find([',', '\n']).unwrap_or(rest.len());
            let (plain, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            if plain.contains('"') {
                return Err(BARE);
            }
            field.push_str(plain);
            rest = behind;
        }
        fields.push(field);
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind,
            None if rest.is_empty() || rest.starts_with('\n') => return Ok(fields),
            None => return Err(QUOTE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<Vec<String>, String> {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        wanted(&values)
    }

    #[test]
    fn values_are_records_of_go() {
        for (values, tags) in [
            (&["a,b"][..], &["a", "b"][..]),
            (&["a, b", "c"], &["a", " b", "c"]),
            (&["\"a,b\",c"], &["a,b", "c"]),
            (&["\"say \"\"a\"\"\""], &["say \"a\""]),
            (&["a,"], &["a", ""]),
            (&["\na\nb"], &["a"]),
            (&[""], &[]),
        ] {
            let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
            assert_eq!(read(values), Ok(tags), "{values:?}");
        }
        let refused = |value: &str, why: &str| {
            let told = format!("invalid argument {value:?} for \"-t, --tags\" flag: {why}");
            assert_eq!(read(&[value]), Err(told));
        };
        refused("a\"b", "bare \" in non-quoted field");
        refused("\"a", "extraneous or missing \" in quoted-field");
        refused("\"a\"b", "extraneous or missing \" in quoted-field");
        refused("\n", "EOF");
    }
}
