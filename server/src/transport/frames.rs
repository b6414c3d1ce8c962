//! Cutting the input into messages, and making each one that the pump's codec accepts.
//!
//! The codec ends the session at the first message it can't parse. A client that writes one bad message must not lose
//! its server: an invalid message is answered with an error, and the next one is read.

use std::io::{self, BufRead};

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// The method that replaces a message which could not be parsed.
pub(crate) const MALFORMED: &str = "$/malformed";

/// The largest message that is read, in bytes. A longer one is skipped.
const MAX_MESSAGE: usize = 256 * 1024 * 1024;

/// A longer line is not a header.
const MAX_LINE: usize = 64 * 1024;

const LENGTH: &[u8] = b"content-length:";

/// The longest header that gives a length: its name, spaces, digits and the end of its line.
const LONGEST_HEADER: usize = LENGTH.len() + 32;

/// Cuts an input into messages.
///
/// A length that is wrong costs the message it is wrong for, and no other. A message that ends before its length is
/// taken as it is: when what has come of it is a whole one, or when the header of the next one is in it, as no
/// text of JSON can have it. What is left of one that goes on behind its length is skipped.
pub(crate) struct Frames<R> {
    input: R,
    /// What was read too far: it is read first.
    again: Vec<u8>,
}

impl<R: BufRead> Frames<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            again: Vec::new(),
        }
    }

    /// Reads the next message: the value in its body, or why there is none.
    ///
    /// `Ok(None)` at the end of the input.
    ///
    /// # Errors
    /// When the input can't be read, or ends inside a message.
    pub(crate) fn next(&mut self) -> io::Result<Option<serde_json::Result<Value>>> {
        let Some(body) = self.next_body()? else {
            return Ok(None);
        };
        let mut values = serde_json::Deserializer::from_slice(&body).into_iter();
        let first = values.next().unwrap_or_else(|| serde_json::from_slice(b""));
        let rest = body.get(values.byte_offset()..).unwrap_or_default();
        if first.is_ok() && !rest.trim_ascii().is_empty() {
            self.again.splice(0..0, rest.iter().copied());
        }
        Ok(Some(first))
    }

    /// Reads the next body. Lines that are not headers are skipped.
    fn next_body(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut length: Option<u64> = None;
        let mut line = Vec::new();
        loop {
            line.clear();
            if !self.line(&mut line)? {
                return Ok(None);
            }
            if line.trim_ascii().is_empty() {
                match length.take() {
                    Some(length) => return self.body(length).map(Some),
                    None => continue,
                }
            }
            if let Some((_, value)) = last_header(&line) {
                length = value;
            }
        }
    }

    /// Reads a line with its end, or the start of one that is too long.
    fn line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            let chunk = self.chunk()?;
            let rest = chunk
                .get(..chunk.len().min(MAX_LINE - line.len()))
                .unwrap_or_default();
            let end = rest.iter().position(|b| *b == b'\n').map(|at| at + 1);
            let taken = end.unwrap_or(rest.len());
            line.extend_from_slice(rest.get(..taken).unwrap_or_default());
            self.consume(taken);
            if taken == 0 {
                return Ok(!line.is_empty());
            }
            if end.is_some() {
                return Ok(true);
            }
            if line.len() >= MAX_LINE {
                // A header may begin in what was read last.
                self.again = line.split_off(MAX_LINE - LONGEST_HEADER);
                return Ok(true);
            }
        }
    }

    fn body(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        let mut left = length;
        let mut searched = 0usize;
        let mut tried = 0;
        let mut too_long = false;
        while left > 0 {
            let chunk = self.chunk()?;
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
            body.extend_from_slice(chunk.get(..most).unwrap_or_default());
            self.consume(most);
            left -= most as u64;
            if most == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let from = searched.saturating_sub(LONGEST_HEADER);
            if let Some((at, _)) = first_header(&body, from) {
                self.again.splice(0..0, body.drain(at..));
                break;
            }
            searched = body.len();
            if body.len() > MAX_MESSAGE {
                too_long = true;
                body.drain(..body.len() - LONGEST_HEADER);
                searched = 0;
            }
            // Whether it is whole is not looked at with each piece of a long one.
            if left > 0 && !too_long && body.ends_with(b"}") && body.len() > 2 * tried {
                tried = body.len();
                if serde_json::from_slice::<IgnoredAny>(&body).is_ok() {
                    break;
                }
            }
        }
        if too_long {
            body.clear();
        }
        Ok(body)
    }

    fn chunk(&mut self) -> io::Result<&[u8]> {
        if self.again.is_empty() {
            self.input.fill_buf()
        } else {
            Ok(&self.again)
        }
    }

    fn consume(&mut self, count: usize) {
        if self.again.is_empty() {
            self.input.consume(count);
        } else {
            self.again.drain(..count);
        }
    }
}

/// The last header in a line that gives a length, with its start. An invalid length is `None`.
fn last_header(line: &[u8]) -> Option<(usize, Option<u64>)> {
    let starts = line
        .windows(LENGTH.len())
        .rposition(|w| w.eq_ignore_ascii_case(LENGTH));
    let start = starts?;
    let value = std::str::from_utf8(line.get(start + LENGTH.len()..)?).ok();
    Some((start, value.and_then(|value| value.trim().parse().ok())))
}

/// The first whole header in a body, from an offset on, that gives a length.
fn first_header(body: &[u8], from: usize) -> Option<(usize, u64)> {
    let mut at = from;
    loop {
        let rest = body.get(at..)?;
        let start = rest
            .windows(LENGTH.len())
            .position(|w| w.eq_ignore_ascii_case(LENGTH))?;
        let value = rest.get(start + LENGTH.len()..)?;
        let end = value.iter().take(32).position(|b| *b == b'\n');
        let digits = end.and_then(|end| std::str::from_utf8(value.get(..end)?).ok());
        if let Some(length) = digits.and_then(|digits| digits.trim().parse().ok()) {
            return Some((at + start, length));
        }
        at += start + 1;
    }
}

/// A message as the codec accepts it.
pub(crate) struct Frame {
    pub(crate) bytes: Vec<u8>,
    /// Whether it is the last that a client sends.
    pub(crate) is_exit: bool,
}

/// The message as the codec accepts it, with its header. An invalid message becomes a call of [`MALFORMED`]; a reply to
/// a request that was never sent is dropped.
pub(crate) fn normalised(received: serde_json::Result<Value>) -> Option<Frame> {
    let message = match received {
        Ok(Value::Object(message)) => match checked(message) {
            Ok(message) => message?,
            Err(id) => malformed(&id, "this is not a JSON-RPC message"),
        },
        Ok(_) => malformed(&Value::Null, "a message must be an object"),
        Err(e) => malformed(&Value::Null, &format!("the message is not JSON: {e}")),
    };
    let text = serde_json::to_string(&message).ok()?;
    Some(Frame {
        bytes: format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes(),
        is_exit: message.get("method").and_then(Value::as_str) == Some("exit"),
    })
}

fn malformed(id: &Value, why: &str) -> Value {
    serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": MALFORMED, "params": { "why": why } })
}

/// The meaningful parts of a message, in the types that the codec requires.
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
            // The text of a client's error is not used, so its form is not validated.
            out.insert("result".to_owned(), message.remove("result").unwrap_or_default());
            Ok(Some(Value::Object(out)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads from an input that comes in pieces of some bytes.
    fn bodies_in(input: &str, piece: usize) -> Vec<String> {
        let mut frames = Frames::new(io::BufReader::with_capacity(piece, input.as_bytes()));
        let mut out = Vec::new();
        while let Ok(Some(received)) = frames.next() {
            out.push(received.map_or_else(|_| "broken".to_owned(), |value| value.to_string()));
        }
        out
    }

    fn bodies(input: &str) -> Vec<String> {
        bodies_in(input, 64 * 1024)
    }

    fn framed(body: &str, by: isize) -> String {
        format!(
            "Content-Length: {}\r\n\r\n{body}",
            body.len().saturating_add_signed(by)
        )
    }

    #[test]
    fn a_wrong_length_costs_one_message_and_no_other() {
        let [a, b, c] = [r#"{"a":"}"}"#, r#"{"b":[{}]}"#, r#"{"c":1}"#];
        for piece in [1, 7, 64, 64 * 1024] {
            let of = |by: isize| bodies_in(&[framed(a, by), framed(b, 0), framed(c, 0)].concat(), piece);
            for by in [0, 1, 9, 30, 35, 60, 80, 1_000_000_000] {
                assert_eq!(of(by), [a, b, c], "too long by {by}, pieces of {piece}");
            }
            for by in [-1, -5] {
                let found = of(by);
                assert_eq!(found[1..], [b, c], "too short by {by}, pieces of {piece}");
            }
        }
    }

    #[test]
    fn a_header_is_found_behind_a_long_line() {
        for length in [MAX_LINE - 60, MAX_LINE - 10, MAX_LINE, 3 * MAX_LINE + 5] {
            let input = format!("{}{}", "x".repeat(length), framed("{}", 0));
            assert_eq!(bodies(&input), ["{}"], "{length}");
        }
    }

    #[test]
    fn headers_come_in_any_order_and_case_and_number() {
        let input = "Content-Type: x\r\nX: y\r\nZ: 1\r\ncontent-length: 2\r\n\r\n{}\
                     garbage\r\n\r\nContent-Length: 2\n\n[]";
        assert_eq!(bodies(input), ["{}", "[]"]);
    }

    #[test]
    fn an_input_that_ends_inside_a_message_is_an_error() {
        let mut frames = Frames::new("Content-Length: 9\r\n\r\n{".as_bytes());
        assert!(frames.next().is_err());
    }

    fn method(body: &str) -> Option<String> {
        let framed = String::from_utf8(normalised(serde_json::from_str(body))?.bytes).unwrap();
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
