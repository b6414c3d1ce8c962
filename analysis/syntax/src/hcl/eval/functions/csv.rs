//! `csvdecode`: tables as Go's `encoding/csv` reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::types::Type;
use super::super::value::Value;
use super::{Args, Fault, Given};

pub(super) fn csvdecode(args: &Args<'_>) -> Given {
    let text = args.string(0)?;
    args.spend(text.len() / 16)?;
    let mut rows = rows(text)?.into_iter();
    let Some((_, header)) = rows.next() else {
        return Err(Fault::new("the line of headers is missing"));
    };
    let mut names: BTreeSet<&str> = BTreeSet::new();
    if let Some(again) = header.iter().find(|name| !names.insert(name)) {
        return Err(Fault::new(format!("duplicate column \"{again}\"")));
    }
    let mut found = Vec::new();
    for (line, row) in rows {
        if row.len() != header.len() {
            return Err(Fault::new(format!(
                "line {line} has {} fields, expected {}",
                row.len(),
                header.len()
            )));
        }
        let fields = header.iter().zip(&row);
        let fields: BTreeMap<Arc<str>, Value> = fields
            .map(|(name, field)| (Arc::from(name.as_str()), Value::string(field)))
            .collect();
        found.push(Value::object(fields));
    }
    let row = header.iter().map(|name| (Arc::from(name.as_str()), Type::String));
    Ok(Value::list(found, Type::Object(Arc::new(row.collect()))))
}

type Row = (usize, Vec<String>);

fn rows(text: &str) -> Result<Vec<Row>, Fault> {
    let wrong = |line: usize| Fault::new(format!("line {line} has an unexpected `\"`"));
    let text = text.replace("\r\n", "\n");
    let mut found = Vec::new();
    let mut rest = text.as_str();
    let mut line = 0;
    while !rest.is_empty() {
        line += 1;
        if let Some(behind) = rest.strip_prefix('\n') {
            rest = behind;
            continue;
        }
        let first = line;
        let mut row = Vec::new();
        loop {
            let (field, behind) = match rest.strip_prefix('"') {
                Some(inside) => {
                    let (field, behind) = quoted(inside).ok_or_else(|| wrong(line))?;
                    line += field.matches('\n').count();
                    (field, behind)
                }
                None => {
                    let end = rest.find([',', '\n']).unwrap_or(rest.len());
                    let (field, behind) = rest.split_at(end);
                    if field.contains('"') {
                        return Err(wrong(line));
                    }
                    (field.to_owned(), behind)
                }
            };
            row.push(field);
            match behind.strip_prefix(',') {
                Some(next) => rest = next,
                None if behind.is_empty() => {
                    rest = behind;
                    break;
                }
                None => {
                    rest = behind.strip_prefix('\n').ok_or_else(|| wrong(line))?;
                    break;
                }
            }
        }
        found.push((first, row));
    }
    Ok(found)
}

/// The text in quotes, and the rest; `None` if the quotes are not closed.
fn quoted(mut rest: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    loop {
        let (inside, behind) = rest.split_once('"')?;
        field.push_str(inside);
        match behind.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                rest = more;
            }
            None => return Some((field, behind)),
        }
    }
}
