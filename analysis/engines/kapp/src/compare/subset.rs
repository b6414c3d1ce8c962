//! Whether an object on a cluster is what a manifest requires, if kapp's note of what it applied is lost:
//! everything in the manifest exists. Other content may come from the cluster, or from an earlier manifest.

use serde_json::Value as Json;

use super::object::MAX_DEPTH;

/// Keys under which the same amount may be written in several ways.
const AMOUNTS: [&str; 9] = [
    "limits",
    "requests",
    "capacity",
    "hard",
    "default",
    "defaultRequest",
    "max",
    "min",
    "sizeLimit",
];

/// Whether everything in `wanted` is in `there`.
pub(super) fn is_within(wanted: &Json, there: &Json) -> bool {
    let mut stack = vec![(wanted, Some(there), false, 0)];
    while let Some((wanted, there, amount, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            return false;
        }
        match (wanted, there) {
            // A cluster drops empty values.
            (wanted, None) if is_empty(wanted) => {}
            (Json::Object(one), Some(Json::Object(two))) => {
                for (key, value) in one {
                    if key == "stringData" && depth == 0 && !two.contains_key(key) {
                        if !is_encoded(value, two.get("data")) {
                            return false;
                        }
                        continue;
                    }
                    let amount = amount || AMOUNTS.contains(&key.as_str());
                    stack.push((value, two.get(key), amount, depth + 1));
                }
            }
            (Json::Array(one), Some(Json::Array(two))) if one.len() == two.len() => {
                let pairs = one.iter().zip(two);
                stack.extend(pairs.map(|(w, t)| (w, Some(t), amount, depth + 1)));
            }
            (wanted, Some(there)) if wanted == there || wanted.is_null() => {}
            (Json::Number(one), Some(Json::Number(two))) if one.as_f64() == two.as_f64() => {}
            (wanted, Some(there)) if amount && is_same_amount(wanted, there) => {}
            _ => return false,
        }
    }
    true
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::Bool(true) => false,
        Json::Number(n) => n.as_f64() == Some(0.0),
        Json::String(text) => text.is_empty(),
        Json::Array(list) => list.is_empty(),
        Json::Object(map) => map.values().all(is_empty_leaf),
    }
}

fn is_empty_leaf(value: &Json) -> bool {
    match value {
        Json::Object(map) => map.is_empty(),
        Json::Array(list) => list.is_empty(),
        other => is_empty(other),
    }
}

/// Whether the strings of a Secret are in its data, encoded.
fn is_encoded(texts: &Json, data: Option<&Json>) -> bool {
    let Some(texts) = texts.as_object() else {
        return texts.is_null();
    };
    texts.iter().all(|(key, text)| {
        let encoded = text.as_str().map(|text| base64(text.as_bytes()));
        encoded.is_some() && data.and_then(|d| d.get(key)?.as_str()) == encoded.as_deref()
    })
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = (bits >> (18 - 6 * at) & 63) as usize;
            match ALPHABET.get(digit) {
                Some(c) if at <= chunk.len() => out.push(char::from(*c)),
                _ => out.push('='),
            }
        }
    }
    out
}

fn is_same_amount(one: &Json, two: &Json) -> bool {
    let (one, two) = (amount(one), amount(two));
    one.is_some() && one == two
}

/// An amount as Kubernetes writes it: a number with a suffix.
fn amount(value: &Json) -> Option<f64> {
    let text = match value {
        Json::Number(n) => return n.as_f64(),
        Json::String(text) => text,
        _ => return None,
    };
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-')))
        .unwrap_or(text.len());
    let (number, suffix) = (text.get(..end)?.parse::<f64>().ok()?, text.get(end..)?);
    let power = |base: f64, n: i32| Some(base.powi(n));
    let factor = match suffix {
        "" => Some(1.0),
        "m" => Some(0.001),
        "k" => power(1000.0, 1),
        "M" => power(1000.0, 2),
        "G" => power(1000.0, 3),
        "T" => power(1000.0, 4),
        "P" => power(1000.0, 5),
        "Ki" => power(1024.0, 1),
        "Mi" => power(1024.0, 2),
        "Gi" => power(1024.0, 3),
        "Ti" => power(1024.0, 4),
        "Pi" => power(1024.0, 5),
        _ => None,
    }?;
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::super::object::object;
    use super::*;

    fn within(wanted: &str, there: &str) -> bool {
        is_within(&object(wanted), &object(there))
    }

    #[test]
    fn what_a_cluster_adds_does_not_count() {
        assert!(within(
            "{a: {b: 1}, l: [{x: y}]}",
            "{a: {b: 1, c: 2}, l: [{x: y, z: 1}], s: {}}"
        ));
        assert!(within("{a: {}, b: ~, c: [], d: ''}", "{}"));
        assert!(!within("{a: {b: 1}}", "{a: {b: 2}}"));
        assert!(!within("{l: [1, 2]}", "{l: [1]}"));
        assert!(!within("{a: 1}", "{}"));
    }

    #[test]
    fn amounts_and_the_texts_of_secrets_are_known_in_other_writing() {
        assert!(within(
            "{limits: {cpu: 1000m, memory: 1024Mi}}",
            "{limits: {cpu: '1', memory: 1Gi}}"
        ));
        assert!(!within("{limits: {cpu: 100m}}", "{limits: {cpu: 200m}}"));
        assert!(!within("{data: {cpu: 1000m}}", "{data: {cpu: '1'}}"));
        assert!(within("{stringData: {a: hello}}", "{data: {a: aGVsbG8=}}"));
        assert!(!within("{stringData: {a: other}}", "{data: {a: aGVsbG8=}}"));
    }

    #[test]
    fn base64_is_padded() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
    }
}
