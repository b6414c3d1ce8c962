//! Versions and version constraints as `github.com/hashicorp/go-version` (1.9.0) understands them.

use std::cmp::Ordering;
use std::num::IntErrorKind;

/// A version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// At least three numbers; those that were not written are zero.
    numbers: Vec<i64>,
    /// How many numbers were written.
    written: usize,
    pre: String,
}

impl Version {
    /// Parses a version with a hyphen before its pre-release.
    ///
    /// # Errors
    /// The library's message.
    pub fn semantic(text: &str) -> Result<Self, String> {
        Self::parse(text, false)
    }

    fn parse(text: &str, joined: bool) -> Result<Self, String> {
        let malformed = || format!("malformed version: {text}");
        let (numbers, pre) = split(text, joined).ok_or_else(malformed)?;
        let mut numbers = numbers
            .split('.')
            .map(|number| {
                number.parse().map_err(|_| {
                    format!(
                        "error parsing version: strconv.ParseInt: parsing \"{number}\": value out of range"
                    )
                })
            })
            .collect::<Result<Vec<i64>, String>>()?;
        let written = numbers.len();
        numbers.resize(written.max(3), 0);
        Ok(Self {
            numbers,
            written,
            pre: pre.to_owned(),
        })
    }

    fn precedence(&self, other: &Self) -> Ordering {
        if self.numbers == other.numbers {
            return match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => compare_pre(&self.pre, &other.pre),
            };
        }
        let at = |numbers: &[i64], i: usize| numbers.get(i).copied().unwrap_or(0);
        (0..self.numbers.len().max(other.numbers.len()))
            .map(|i| at(&self.numbers, i).cmp(&at(&other.numbers, i)))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// The numbers of a version and its pre-release. `joined`: the pre-release may follow without a hyphen.
fn split(text: &str, joined: bool) -> Option<(&str, &str)> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (text, metadata) = match text.split_once('+') {
        Some((text, metadata)) => (text, Some(metadata)),
        None => (text, None),
    };
    if metadata.is_some_and(|m| !is_dotted(m)) {
        return None;
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (numbers, tail) = text.split_at(end);
    if numbers.split('.').any(str::is_empty) {
        return None;
    }
    if tail.is_empty() {
        return Some((numbers, ""));
    }
    let pre = match tail.strip_prefix('-') {
        // If nothing follows it, the hyphen is the pre-release.
        Some(pre) if joined && !pre.starts_with(is_part) => tail,
        Some(pre) => pre,
        None if joined => tail,
        None => return None,
    };
    is_dotted(pre).then_some((numbers, pre))
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '~')
}

fn is_dotted(text: &str) -> bool {
    text.split('.')
        .all(|part| !part.is_empty() && part.chars().all(is_part))
}

fn compare_pre(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let (left, right) = (a.next(), b.next());
        if left.is_none() && right.is_none() {
            return Ordering::Equal;
        }
        let order = compare_parts(left.unwrap_or(""), right.unwrap_or(""));
        if order.is_ne() {
            return order;
        }
    }
}

fn compare_parts(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let ((left, left_is_number), (right, right_is_number)) = (number(a), number(b));
    let is_less = if a.is_empty() {
        right_is_number
    } else if b.is_empty() {
        !left_is_number
    } else if left_is_number != right_is_number {
        left_is_number
    } else if !left_is_number && a > b {
        false
    } else {
        // Also for words, whose numbers are 0, or the extreme value if they are too long as a number.
        left <= right
    };
    if is_less {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

/// The result of Go's `ParseInt`, and whether it has no error.
fn number(text: &str) -> (i64, bool) {
    match text.parse::<i64>() {
        Ok(number) => (number, true),
        Err(e) => match e.kind() {
            IntErrorKind::PosOverflow => (i64::MAX, false),
            IntErrorKind::NegOverflow => (i64::MIN, false),
            _ => (0, false),
        },
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Pessimistic,
}

/// Longer operators before their prefixes.
const OPERATORS: [(&str, Operator); 7] = [
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("!=", Operator::NotEqual),
    ("~>", Operator::Pessimistic),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("=", Operator::Equal),
];

/// Constraints that a version must all satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints(Vec<(Operator, Version)>);

impl Constraints {
    /// Parses constraints separated by commas.
    ///
    /// # Errors
    /// The library's message.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(constraint)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether a version satisfies them.
    #[must_use]
    pub fn admit(&self, version: &Version) -> bool {
        self.0
            .iter()
            .all(|(operator, boundary)| admits(*operator, boundary, version))
    }
}

fn constraint(text: &str) -> Result<(Operator, Version), String> {
    let space = [' ', '\t', '\n', '\r', '\x0c'];
    let inner = text.trim_matches(space);
    let (operator, version) = OPERATORS
        .iter()
        .find_map(|(sign, operator)| Some((*operator, inner.strip_prefix(sign)?)))
        .unwrap_or((Operator::Equal, inner));
    let version = version.trim_start_matches(space);
    if split(version, true).is_none() {
        return Err(format!("malformed constraint: {text}"));
    }
    Ok((operator, Version::parse(version, true)?))
}

fn admits(operator: Operator, boundary: &Version, version: &Version) -> bool {
    let order = version.precedence(boundary);
    match operator {
        Operator::Equal => return order.is_eq(),
        Operator::NotEqual => return order.is_ne(),
        _ => {}
    }
    // A pre-release satisfies only a constraint that names a pre-release of the same version.
    if !version.pre.is_empty() && (boundary.pre.is_empty() || version.numbers != boundary.numbers) {
        return false;
    }
    match operator {
        Operator::Greater => order.is_gt(),
        Operator::GreaterOrEqual => order.is_ge(),
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        _ => order.is_ge() && is_near(boundary, version),
    }
}

/// For `~>`: only the last written number may differ.
fn is_near(boundary: &Version, version: &Version) -> bool {
    if !boundary.pre.is_empty() && version.pre.is_empty() {
        return false;
    }
    let last = boundary.numbers.len() - 1;
    let fixed = boundary.written.saturating_sub(1);
    version.numbers.len() >= boundary.numbers.len()
        && version.numbers.get(..fixed) == boundary.numbers.get(..fixed)
        && version.numbers.get(last) >= boundary.numbers.get(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(constraints: &str, version: &str) -> bool {
        Constraints::parse(constraints)
            .unwrap()
            .admit(&Version::semantic(version).unwrap())
    }

    #[test]
    fn constraints_are_met_as_the_library_meets_them() {
        for (constraints, version, met) in [
            (">= 0.14, < 1.0", "0.17.2", true),
            ("~> 0.14", "0.17.2", true),
            ("~> 0.14.0", "0.17.2", false),
            ("~> 0.17.1-rc1", "0.17.2", false),
            ("~> 0.17.2.0", "0.17.2", false),
            (">= 0.17.2~1", "0.17.2", true),
            ("> 0.17.2-", "0.17.2", true),
            ("v0.17.2", "0.17.2", true),
            (" =\t0.17.2+b ", "0.17.2", true),
            ("> 0.0.1", "0.17.2-rc1", false),
            ("!= 0.0.1", "0.17.2-rc1", true),
            (">= 0.17.2-rc1", "0.17.2-rc2", true),
            ("1rc1", "1.0.0-rc1", true),
        ] {
            assert_eq!(admit(constraints, version), met, "{constraints} {version}");
        }
    }

    #[test]
    fn errors_have_the_text_of_the_library() {
        for (text, why) in [
            (">=0.1,", "malformed constraint: "),
            ("abc", "malformed constraint: abc"),
            ("1.", "malformed constraint: 1."),
            (
                "> 99999999999999999999",
                "error parsing version: strconv.ParseInt: parsing \"99999999999999999999\": value out of range",
            ),
        ] {
            assert_eq!(Constraints::parse(text), Err(why.to_owned()));
        }
        assert!(Version::semantic("1.0rc1").is_err());
    }
}
