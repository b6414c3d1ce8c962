//! Fields of objects at kapp's paths: copied, removed, appended to (kapp, rebase rules, exclusions and label
//! rules).

use serde_json::{Map, Value as Json};

use super::templates::{DiffError, element, no_part, non_array, non_map};
use crate::matcher::PathPart;

/// The maximum depth of a path, whatever its regular expressions match.
const MAX_DEPTH: usize = 256;

const LAST_IS_NO_KEY: &str = "Expected last part of the path to be map key";

/// The sources of a copy: the object that determines the path, and all of them in the order of preference.
pub(super) struct Sources<'a> {
    pub(super) leading: &'a Json,
    pub(super) all: &'a [&'a Json],
}

/// Copies the fields at a path into an object; returns whether there was anything to copy.
///
/// # Errors
/// With kapp's message, without what it wraps it in.
pub(super) fn copy(object: &mut Json, path: &[PathPart], sources: &Sources<'_>) -> Result<bool, DiffError> {
    copy_at(object, Some(sources.leading), path, &mut Vec::new(), sources.all)
}

/// Whether every mapping on the path to a field exists.
pub(super) fn leads_through_mappings(object: &Json, path: &[PathPart]) -> bool {
    let mut value = object;
    for (i, part) in path.iter().enumerate() {
        let (PathPart::Key(key), Json::Object(map)) = (part, value) else {
            return false;
        };
        if i + 1 == path.len() {
            return true;
        }
        match map.get(&**key) {
            Some(inner) => value = inner,
            None => return false,
        }
    }
    false
}

/// A source's value, where `None` is a nil map of Go: it is empty, and reading it is not an error.
type Leading<'a> = Option<&'a Json>;

fn field<'a>(leading: Leading<'a>, key: &str) -> Result<Option<&'a Json>, DiffError> {
    match leading {
        None => Ok(None),
        Some(Json::Object(map)) => Ok(map.get(key)),
        Some(other) => Err(non_map(other)),
    }
}

fn copy_at(
    object: &mut Json,
    leading: Leading<'_>,
    path: &[PathPart],
    full: &mut Vec<PathPart>,
    all: &[&Json],
) -> Result<bool, DiffError> {
    if full.len() > MAX_DEPTH {
        return Ok(false);
    }
    let (mut object, mut leading) = (object, leading);
    for (i, part) in path.iter().enumerate() {
        let rest = path.get(i + 1..).unwrap_or_default();
        match part {
            PathPart::Key(key) => {
                full.push(part.clone());
                let next = field(leading, key)?;
                let Json::Object(map) = object else {
                    return Err(non_map(object));
                };
                if rest.is_empty() {
                    return copy_into(map, key, full, all);
                }
                leading = match next {
                    None | Some(Json::Null) => return Ok(false),
                    found => found,
                };
                if map.get(&**key).is_none_or(Json::is_null) {
                    let indexed = path.iter().any(is_index);
                    if indexed {
                        return Ok(false);
                    }
                    map.insert(key.to_string(), Json::Object(Map::new()));
                }
                match map.get_mut(&**key) {
                    Some(inner) => object = inner,
                    None => return Ok(false),
                }
            }
            PathPart::All | PathPart::Index(_) | PathPart::Unknown if rest.is_empty() => {
                return Err(DiffError::error(LAST_IS_NO_KEY));
            }
            PathPart::All => return copy_each(object, leading, rest, full, all),
            PathPart::Index(index) => {
                let Json::Array(list) = object else {
                    return Err(non_array(object));
                };
                let from = leading_list(leading)?;
                let length = from.len();
                let Some(item) = element(list, *index)? else {
                    return Ok(false);
                };
                let next = usize::try_from(*index).ok().and_then(|at| from.get(at));
                let Some(next) = next else {
                    return Err(DiffError::panic(format!(
                        "runtime error: index out of range [{index}] with length {length}"
                    )));
                };
                full.push(part.clone());
                return copy_at(item, Some(next), rest, full, all);
            }
            PathPart::Regex(regex) => {
                let depth = full.len();
                let mut any = false;
                for key in matching(regex, leading)? {
                    full.truncate(depth);
                    let mut path = vec![PathPart::Key(key.into())];
                    path.extend_from_slice(rest);
                    any |= copy_at(object, leading, &path, full, all)?;
                }
                return Ok(any);
            }
            PathPart::Unknown | PathPart::Nil => return Err(no_part(part)),
        }
    }
    Err(DiffError::panic("unreachable"))
}

const fn is_index(part: &PathPart) -> bool {
    matches!(part, PathPart::All | PathPart::Index(_) | PathPart::Unknown)
}

fn leading_list(leading: Leading<'_>) -> Result<&[Json], DiffError> {
    match leading {
        Some(Json::Array(list)) => Ok(list),
        Some(other) => Err(non_array(other)),
        None => Err(DiffError::error(
            "Unexpected non-array found: map[string]interface {}",
        )),
    }
}

fn copy_each(
    object: &mut Json,
    leading: Leading<'_>,
    rest: &[PathPart],
    full: &mut Vec<PathPart>,
    all: &[&Json],
) -> Result<bool, DiffError> {
    let Json::Array(list) = object else {
        return Err(non_array(object));
    };
    let from = leading_list(leading)?;
    let depth = full.len();
    let mut any = false;
    for (at, item) in list.iter_mut().enumerate() {
        let next = from.get(at);
        if let Some(other) = next.filter(|n| !n.is_object()) {
            let found = match other {
                Json::Null => "nil",
                other => super::templates::go_type(other),
            };
            return Err(DiffError::panic(format!(
                "interface conversion: interface {{}} is {found}, not map[string]interface {{}}"
            )));
        }
        full.truncate(depth);
        full.push(PathPart::Index(i64::try_from(at).unwrap_or(i64::MAX)));
        any |= copy_at(item, next, rest, full, all)?;
    }
    Ok(any)
}

fn copy_into(
    map: &mut Map<String, Json>,
    key: &str,
    full: &[PathPart],
    all: &[&Json],
) -> Result<bool, DiffError> {
    for source in all {
        if let Some(value) = obtain(source, full)? {
            map.insert(key.to_owned(), value.clone());
            return Ok(true);
        }
    }
    Ok(false)
}

fn obtain<'a>(source: &'a Json, full: &[PathPart]) -> Result<Option<&'a Json>, DiffError> {
    let mut value = source;
    for part in full {
        let found = match (part, value) {
            (PathPart::Key(key), Json::Object(map)) => map.get(&**key),
            (PathPart::Key(_), _) => None,
            (PathPart::Index(index), Json::Array(list)) => {
                usize::try_from(*index).ok().and_then(|at| list.get(at))
            }
            (_, other) => return Err(non_array(other)),
        };
        match found {
            Some(found) => value = found,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// The keys that a regular expression matches.
fn matching(regex: &str, of: Leading<'_>) -> Result<Vec<String>, DiffError> {
    let regex = regex::Regex::new(regex).map_err(|_| DiffError::error("error parsing regexp").partial())?;
    let Some(Json::Object(map)) = of else {
        return Ok(Vec::new());
    };
    Ok(map.keys().filter(|key| regex.is_match(key)).cloned().collect())
}

/// Removes the fields at a path from an object.
///
/// # Errors
/// With kapp's message, without what it wraps it in.
pub(super) fn remove(object: &mut Json, path: &[PathPart]) -> Result<(), DiffError> {
    let mut at: Vec<(&mut Json, &[PathPart], usize)> = vec![(object, path, 0)];
    // Paths with regular expressions are expanded at once: they borrow what they lead to.
    while let Some((value, path, depth)) = at.pop() {
        let Some((part, rest)) = path.split_first() else {
            return Err(DiffError::panic("unreachable"));
        };
        match part {
            PathPart::Key(key) => {
                let Json::Object(map) = value else { continue };
                if rest.is_empty() {
                    map.shift_remove(&**key);
                } else if let Some(inner) = map.get_mut(&**key) {
                    at.push((inner, rest, depth));
                }
            }
            PathPart::All | PathPart::Index(_) | PathPart::Unknown if rest.is_empty() => {
                return Err(DiffError::error(LAST_IS_NO_KEY));
            }
            PathPart::All => match value {
                Json::Array(list) => at.extend(list.iter_mut().rev().map(|item| (item, rest, depth))),
                other => return Err(non_array(other)),
            },
            PathPart::Index(index) => match value {
                Json::Array(list) => at.extend(element(list, *index)?.map(|item| (item, rest, depth))),
                other => return Err(non_array(other)),
            },
            PathPart::Regex(regex) => {
                let keys = matching(regex, Some(value))?;
                let Json::Object(map) = value else { continue };
                if rest.is_empty() {
                    map.retain(|key, _| !keys.contains(key));
                } else if depth < MAX_DEPTH {
                    let matched = map.iter_mut().filter(|(key, _)| keys.contains(key));
                    at.extend(matched.map(|(_, inner)| (inner, rest, depth + 1)));
                }
            }
            PathPart::Unknown | PathPart::Nil => return Err(no_part(part)),
        }
    }
    Ok(())
}

/// Adds strings to the mapping at a path; `only_there`: only if it exists.
///
/// # Errors
/// With kapp's message, without what it wraps it in.
pub(super) fn append(
    object: &mut Json,
    path: &[PathPart],
    texts: &[(&str, &str)],
    only_there: bool,
) -> Result<(), DiffError> {
    // Each value with the path it began with: no mapping is created before a list.
    let mut at: Vec<(&mut Json, &[PathPart], bool)> = vec![(object, path, keys_only(path))];
    while let Some((value, path, makes)) = at.pop() {
        let Some((part, rest)) = path.split_first() else {
            let Json::Object(map) = value else {
                return Err(non_map(value));
            };
            for (key, text) in texts {
                map.insert((*key).to_owned(), Json::from(*text));
            }
            continue;
        };
        match part {
            PathPart::Key(key) => {
                let Json::Object(map) = value else {
                    return Err(non_map(value));
                };
                if map.get(&**key).is_none_or(Json::is_null) {
                    if only_there || !makes {
                        continue;
                    }
                    map.insert(key.to_string(), Json::Object(Map::new()));
                }
                at.extend(map.get_mut(&**key).map(|inner| (inner, rest, makes)));
            }
            PathPart::All => match value {
                Json::Array(list) => {
                    let makes = keys_only(rest);
                    at.extend(list.iter_mut().rev().map(|item| (item, rest, makes)));
                }
                other => return Err(non_array(other)),
            },
            PathPart::Index(index) => match value {
                Json::Array(list) => {
                    at.extend(element(list, *index)?.map(|item| (item, rest, keys_only(rest))));
                }
                other => return Err(non_array(other)),
            },
            PathPart::Regex(_) | PathPart::Unknown | PathPart::Nil => return Err(no_part(part)),
        }
    }
    Ok(())
}

fn keys_only(path: &[PathPart]) -> bool {
    path.iter().all(|part| matches!(part, PathPart::Key(_)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(text: &str) -> Vec<PathPart> {
        let part = |part: &str| match (part, part.strip_prefix('~')) {
            ("*", _) => PathPart::All,
            (_, Some(regex)) => PathPart::Regex(regex.into()),
            _ => part
                .parse()
                .map_or_else(|_| PathPart::Key(part.into()), PathPart::Index),
        };
        text.split('/').map(part).collect()
    }

    fn copied(mut object: Json, at: &str, leading: &Json, all: &[&Json]) -> Result<Json, String> {
        copy(&mut object, &path(at), &Sources { leading, all })
            .map(|_| object)
            .map_err(|fault| fault.message)
    }

    #[test]
    fn the_first_source_that_has_a_field_gives_it() {
        let (new, old) = (json!({"spec": {}}), json!({"spec": {"ip": "1", "port": 2}}));
        let both = [&new, &old];
        let made = copied(new.clone(), "spec/ip", &old, &both);
        assert_eq!(made, Ok(json!({"spec": {"ip": "1"}})));
        assert_eq!(copied(new.clone(), "spec/nothing", &old, &both), Ok(new.clone()));
        assert_eq!(copied(new.clone(), "spec/ip", &new, &[&new]), Ok(new));
    }

    #[test]
    fn entries_are_copied_by_their_number() {
        let new = json!({"hooks": [{"c": {}}, {"c": {}}]});
        let old = json!({"hooks": [{"c": {"ca": "x"}}]});
        let made = copied(new.clone(), "hooks/*/c/ca", &old, &[&old]);
        assert_eq!(made, Ok(json!({"hooks": [{"c": {"ca": "x"}}, {"c": {}}]})));
        let short = copied(new, "hooks/1/c/ca", &old, &[&old]);
        assert_eq!(
            short.unwrap_err(),
            "panic: runtime error: index out of range [1] with length 1"
        );
    }

    #[test]
    fn keys_that_a_regular_expression_matches_are_copied_and_taken_out() {
        let old = json!({"m": {"a-1": 1, "a-2": 2, "b": 3}});
        let made = copied(json!({"m": {}}), "m/~^a-", &old, &[&old]);
        assert_eq!(made, Ok(json!({"m": {"a-1": 1, "a-2": 2}})));
        let mut object = old;
        remove(&mut object, &path("m/~^a-")).unwrap();
        assert_eq!(object, json!({"m": {"b": 3}}));
    }

    #[test]
    fn a_conflicting_value_is_reported_with_kapps_message() {
        let old = json!({"a": [1]});
        let way = copied(json!({"a": "x"}), "a/b", &json!({"a": {}}), &[&old]);
        assert_eq!(way.unwrap_err(), "Unexpected non-map found: string");
        let item = copied(json!({"a": [{}]}), "a/*/b", &old, &[&old]);
        assert_eq!(
            item.unwrap_err(),
            "panic: interface conversion: interface {} is float64, not map[string]interface {}"
        );
        let gone = remove(&mut json!({"a": "x"}), &path("a/*/b")).unwrap_err();
        assert_eq!(gone.message, "Unexpected non-array found: string");
        assert!(remove(&mut json!({"a": "x"}), &path("a/b/c")).is_ok());
    }

    #[test]
    fn labels_make_mappings_except_before_lists_and_in_selectors() {
        let added = |at: &str, only_there: bool| {
            let mut object = json!({"l": [{}]});
            append(&mut object, &path(at), &[("k", "v")], only_there).unwrap();
            object
        };
        assert_eq!(added("m/n", false), json!({"l": [{}], "m": {"n": {"k": "v"}}}));
        assert_eq!(added("m/n", true), json!({"l": [{}]}));
        assert_eq!(added("l/*/n", false), json!({"l": [{"n": {"k": "v"}}]}));
        assert_eq!(added("m/*/n", false), json!({"l": [{}]}));
    }
}
