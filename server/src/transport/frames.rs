//! Cutting the input into messages, and making each one that the pump's codec accepts.
//!
//! The codec ends the session at the first message it can't read. A client that writes one bad message
//! must not lose its server: what is no message is answered with an error, and the next one is read.

use std::io::{self, BufRead, Read};

use serde_json::{Map, Value};

/// The method that a message which could not be read is replaced by.
pub(crate) const MALFORMED: &str = "$/malformed";

/// The largest message that is read, in bytes. A longer one is skipped.
const MAX_MESSAGE: u64 = 256 * 1024 * 1024;

/// Reads the body of the next message. Lines that are no header are skipped.
///
/// `Ok(None)` at the end of the input.
///
/// # Errors
/// When the input can't be read, or ends inside a message.
pub(crate) fn read_body(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length: Option<u64> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(64 * 1024).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            let Some(length) = length.take() else { continue };
            if length > MAX_MESSAGE {
                io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
                return Ok(Some(Vec::new()));
            }
            let mut body = Vec::new();
            input.by_ref().take(length).read_to_end(&mut body)?;
            return if body.len() as u64 == length {
                Ok(Some(body))
            } else {
                Err(io::ErrorKind::UnexpectedEof.into())
            };
        }
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// The message as the codec accepts it, with its header. What is no message becomes a call of
/// [`MALFORMED`]; a reply that nobody can have asked for becomes nothing.
pub(crate) fn normalised(body: &[u8]) -> Option<Vec<u8>> {
    let message = match serde_json::from_slice(body) {
        Ok(Value::Object(message)) => match checked(message) {
            Ok(message) => message?,
            Err(id) => malformed(&id, "this is no JSON-RPC message"),
        },
        Ok(_) => malformed(&Value::Null, "a message must be an object"),
        Err(e) => malformed(&Value::Null, &format!("the message is no JSON: {e}")),
    };
    let text = serde_json::to_string(&message).ok()?;
    Some(format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes())
}

fn malformed(id: &Value, why: &str) -> Value {
    serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": MALFORMED, "params": { "why": why } })
}

/// The parts of a message that have a meaning, in the types the codec wants.
fn checked(mut message: Map<String, Value>) -> Result<Option<Value>, Value> {
    let id = message.remove("id");
    let id_is_good = match &id {
        None | Some(Value::Null | Value::String(_)) => true,
        Some(Value::Number(n)) => n.is_i64(),
        Some(_) => false,
    };
    if !id_is_good {
        return Err(Value::Null);
    }
    let mut out = Map::new();
    out.insert("jsonrpc".to_owned(), "2.0".into());
    match message.remove("method") {
        Some(Value::String(method)) => {
            if let Some(id) = id {
                out.insert("id".to_owned(), id);
            }
            out.insert("method".to_owned(), Value::String(method));
            if let Some(params) = message.remove("params").filter(|p| !p.is_null()) {
                out.insert("params".to_owned(), params);
            }
            Ok(Some(Value::Object(out)))
        }
        Some(_) => Err(id.unwrap_or_default()),
        None => {
            let Some(id) = id.filter(|id| !id.is_null()) else {
                return Err(Value::Null);
            };
            out.insert("id".to_owned(), id);
            // Nothing is done with the text of a client's error; its shape is not worth a fight.
            out.insert("result".to_owned(), message.remove("result").unwrap_or_default());
            Ok(Some(Value::Object(out)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(input: &str) -> Vec<String> {
        let mut input = input.as_bytes();
        let mut out = Vec::new();
        while let Ok(Some(body)) = read_body(&mut input) {
            out.push(String::from_utf8(body).unwrap());
        }
        out
    }

    #[test]
    fn headers_come_in_any_order_and_case_and_number() {
        let input = "Content-Type: x\r\nX: y\r\nZ: 1\r\ncontent-length: 2\r\n\r\n{}\
                     garbage\r\n\r\nContent-Length: 2\n\n[]";
        assert_eq!(bodies(input), ["{}", "[]"]);
    }

    #[test]
    fn an_input_that_ends_inside_a_message_is_an_error() {
        let mut input = "Content-Length: 9\r\n\r\n{}".as_bytes();
        assert!(read_body(&mut input).is_err());
    }

    fn method(body: &str) -> Option<String> {
        let framed = String::from_utf8(normalised(body.as_bytes())?).unwrap();
        let (_, json) = framed.split_once("\r\n\r\n").unwrap();
        let value: Value = serde_json::from_str(json).unwrap();
        Some(
            value
                .get("method")
                .and_then(Value::as_str)
                .unwrap_or("reply")
                .to_owned(),
        )
    }

    #[test]
    fn what_is_no_message_is_named_so() {
        for bad in [
            "{",
            "[1]",
            "1",
            "{}",
            r#"{"id":1.5,"method":"x"}"#,
            r#"{"id":1,"method":2}"#,
        ] {
            assert_eq!(method(bad).as_deref(), Some(MALFORMED), "{bad}");
        }
        assert_eq!(method(r#"{"method":"x","params":null}"#).as_deref(), Some("x"));
        assert_eq!(method(r#"{"id":"a","result":null}"#).as_deref(), Some("reply"));
    }
}
