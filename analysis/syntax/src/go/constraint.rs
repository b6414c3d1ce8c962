//! Version constraints as `ParseRubyStyleMulti` of `github.com/apparentlymart/go-versions` (1.0.3) understands
//! them. Terramate uses it if pre-releases are allowed.

use super::quote;

/// A version of three numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    numbers: [u64; 3],
    pre: String,
    metadata: String,
}

impl Version {
    /// Parses an exact version; numbers that are not written are zero. `None` if it is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (raw, rest) = scan(text);
        let exact = raw.operator.is_empty() && raw.space.is_empty() && rest.is_empty() && raw.count <= 3;
        if text.trim().is_empty() || !exact {
            return None;
        }
        Some(Self {
            numbers: raw.values().ok()?,
            pre: raw.pre.to_owned(),
            metadata: raw.metadata.to_owned(),
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.numbers == other.numbers && self.pre == other.pre
    }

    fn is_less(&self, other: &Self) -> bool {
        match (self.pre.is_empty(), other.pre.is_empty()) {
            _ if self.numbers != other.numbers => self.numbers < other.numbers,
            (true, _) => false,
            (false, true) => true,
            (false, false) => is_less(&self.pre, &other.pre),
        }
    }

    fn is_greater(&self, other: &Self) -> bool {
        !self.is_same(other) && !self.is_less(other)
    }
}

/// Whether a pre-release comes before another one: part by part; the one that reaches its last part
/// earlier comes first.
fn is_less(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a, b);
    loop {
        match (a.split_once('.'), b.split_once('.')) {
            (None, Some(_)) => return true,
            (Some(_), None) => return false,
            (None, None) => return is_part_less(a, b),
            (Some((left, _)), Some((right, _))) if left != right => return is_part_less(left, right),
            (Some((_, left)), Some((_, right))) => (a, b) = (left, right),
        }
    }
}

fn is_part_less(a: &str, b: &str) -> bool {
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    match (is_number(a), is_number(b)) {
        (true, false) => true,
        (false, true) => false,
        (true, true) => (a.len(), a) < (b.len(), b),
        (false, false) => a < b,
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
    /// Up to the next major version.
    Minor,
    /// Up to the next minor version.
    Patch,
}

/// Constraints that a version must all satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints(Vec<(Operator, Version)>);

impl Constraints {
    /// Parses constraints separated by commas. If the list is empty, each version satisfies it.
    ///
    /// # Errors
    /// The library's message.
    pub fn parse(text: &str) -> Result<Self, String> {
        const PREFIX: &str = "a \"v\" prefix should not be used when specifying versions";
        let mut found = Vec::new();
        let mut text = text.trim();
        while !text.is_empty() {
            let (constraint, rest) = constraint(text);
            let consumed = text.get(..text.len() - rest.len()).unwrap_or("");
            let told = |why: String| format!("invalid specification {}: {why}", quote(consumed.as_bytes()));
            found.push(constraint.map_err(told)?);
            text = rest.trim();
            if text.is_empty() {
                break;
            }
            if text.starts_with('v') {
                return Err(PREFIX.to_owned());
            }
            text = match text.strip_prefix(',') {
                Some(rest) => rest.trim(),
                None => return Err(format!("missing comma after {}", quote(consumed.as_bytes()))),
            };
        }
        Ok(Self(found))
    }

    /// Whether a version satisfies them.
    #[must_use]
    pub fn admit(&self, version: &Version) -> bool {
        // The library treats 0.0.0 as unspecified: only an empty list of constraints admits it.
        self.0.is_empty()
            || (*version != Version::default()
                && self
                    .0
                    .iter()
                    .all(|(operator, boundary)| admits(*operator, boundary, version)))
    }
}

fn admits(operator: Operator, boundary: &Version, version: &Version) -> bool {
    let from = || !version.is_less(boundary);
    let before_next = |number: usize| {
        let mut next = Version::default();
        for (at, (to, from)) in next.numbers.iter_mut().zip(boundary.numbers).enumerate() {
            if at <= number {
                *to = from.wrapping_add(u64::from(at == number));
            }
        }
        version.is_less(&next)
    };
    match operator {
        Operator::Equal => version == boundary,
        Operator::NotEqual => version != boundary,
        Operator::Greater => version.is_greater(boundary),
        Operator::GreaterOrEqual => from(),
        Operator::Less => version.is_less(boundary),
        Operator::LessOrEqual => !version.is_greater(boundary),
        Operator::Minor => from() && before_next(0),
        Operator::Patch => from() && before_next(1),
    }
}

/// The parts of a constraint, not validated yet.
#[derive(Default)]
struct Raw<'a> {
    operator: &'a str,
    /// The text between operator and numbers: space, and the letter `v`.
    space: &'a str,
    numbers: [&'a str; 3],
    /// How many numbers there are, including those after the third.
    count: usize,
    pre: &'a str,
    metadata: &'a str,
}

impl Raw<'_> {
    /// The numbers; those that are not written are zero.
    fn values(&self) -> Result<[u64; 3], String> {
        for (text, name) in self.numbers.iter().zip(["major", "minor", "patch"]) {
            if matches!(*text, "*" | "x" | "X") {
                return Err(format!(
                    "can't use wildcard for {name} number; omit segments that should be unconstrained"
                ));
            }
        }
        let mut values = [0; 3];
        for (value, text) in values.iter_mut().zip(self.numbers) {
            if !text.is_empty() {
                // The library panics.
                *value = text
                    .parse()
                    .map_err(|_| format!("strconv.ParseUint: parsing \"{text}\": value out of range"))?;
            }
        }
        Ok(values)
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// The longest prefix of a text that looks like a constraint, and the rest.
fn scan(text: &str) -> (Raw<'_>, &str) {
    let mut raw = Raw::default();
    let cut = |text: &'_ str, end: Option<usize>| end.unwrap_or(text.len());
    let is_no_sign = |c: char| c.is_ascii_alphanumeric() || is_space(c) || matches!(c, '.' | '*');
    let (operator, rest) = text.split_at(cut(text, text.find(is_no_sign)));
    let (space, mut rest) = rest.split_at(cut(rest, rest.find(|c| !is_space(c) && c != 'v')));
    (raw.operator, raw.space) = (operator, space);
    let mut number = false;
    loop {
        let length = match rest.bytes().next() {
            Some(b'*' | b'x' | b'X') => 1,
            _ => cut(rest, rest.find(|c: char| !c.is_ascii_digit())),
        };
        if length == 0 {
            break;
        }
        number = true;
        let (digits, behind) = rest.split_at(length);
        if let Some(place) = raw.numbers.get_mut(raw.count) {
            *place = digits;
        }
        raw.count += 1;
        match behind.strip_prefix('.') {
            Some(behind) => (rest, number) = (behind, false),
            None => {
                rest = behind;
                break;
            }
        }
    }
    if space.is_empty() && raw.count == 0 && !operator.is_empty() {
        // If nothing follows, the scanner also takes the operator as the space.
        raw.space = operator;
    }
    if !number {
        return (raw, rest);
    }
    for (sign, place) in [('-', &mut raw.pre), ('+', &mut raw.metadata)] {
        let Some(behind) = rest.strip_prefix(sign) else {
            continue;
        };
        let is_extra = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        let (extra, behind) = behind.split_at(cut(behind, behind.find(|c| !is_extra(c))));
        (*place, rest) = (extra, behind);
        if extra.is_empty() {
            break;
        }
    }
    (raw, rest)
}

fn constraint(text: &str) -> (Result<(Operator, Version), String>, &str) {
    let (raw, rest) = scan(text);
    (judge(&raw), rest)
}

fn judge(raw: &Raw<'_>) -> Result<(Operator, Version), String> {
    let operator = match raw.operator {
        "=" | "" => Operator::Equal,
        "!=" => Operator::NotEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        "~>" if raw.count == 3 => Operator::Patch,
        "~>" => Operator::Minor,
        wrong => {
            let meant = match wrong {
                "=<" => "; did you mean \"<=\"?",
                "=>" => "; did you mean \">=\"?",
                _ => "",
            };
            let wrong = quote(wrong.as_bytes());
            return Err(format!("invalid constraint operator {wrong}{meant}"));
        }
    };
    match (raw.space, raw.operator) {
        ("", _) => {}
        (" ", sign) if !sign.is_empty() => {}
        (space, _) if space.contains('v') => {
            return Err("a \"v\" prefix should not be used when specifying versions".to_owned());
        }
        (_, "") => return Err("extraneous spaces at start of specification".to_owned()),
        (_, sign) => {
            let sign = quote(sign.as_bytes());
            return Err(format!("only one space is expected after the operator {sign}"));
        }
    }
    if raw.count > 3 {
        let why = "too many numbered portions; only three are allowed (major, minor, patch)";
        return Err(why.to_owned());
    }
    let is_exact = matches!(operator, Operator::Equal | Operator::NotEqual);
    let boundary = Version {
        numbers: raw.values()?,
        pre: raw.pre.to_owned(),
        metadata: if is_exact { raw.metadata } else { "" }.to_owned(),
    };
    Ok((operator, boundary))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(constraints: &str) -> Option<bool> {
        let version = Version::parse("0.17.2").unwrap();
        Some(Constraints::parse(constraints).ok()?.admit(&version))
    }

    #[test]
    fn constraints_are_met_as_the_library_meets_them() {
        for (constraints, met) in [
            (">=0.1,", Some(true)),
            (">= 0.1.0, ", Some(true)),
            ("", Some(true)),
            ("0.17.2", Some(true)),
            ("~> 0.17", Some(true)),
            ("~> 0.16.0", Some(false)),
            ("!= 0.17.2", Some(false)),
            ("= 0.17.2+b", Some(false)),
            (">= 0.17.2+b", Some(true)),
            ("> 0.17.2-rc1", Some(true)),
            ("v0.17.2", None),
            ("= v0.17.2", None),
            (">= 0.1.0.0", None),
            (">=\t0.1", None),
            ("0.x", None),
        ] {
            assert_eq!(admit(constraints), met, "{constraints}");
        }
    }

    #[test]
    fn errors_have_the_text_of_the_library() {
        for (text, why) in [
            (
                "=> 1",
                "invalid specification \"=> 1\": invalid constraint operator \"=>\"; did you mean \">=\"?",
            ),
            ("1 2", "missing comma after \"1\""),
            (
                ">=  1",
                "invalid specification \">=  1\": only one space is expected after the operator \">=\"",
            ),
        ] {
            assert_eq!(Constraints::parse(text), Err(why.to_owned()));
        }
    }
}
