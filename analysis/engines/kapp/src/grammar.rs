//! Rule texts and placeholders (kapp, annotations and placeholders).

use super::names;

/// What happens to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// It is created or updated.
    Upsert,
    /// It is removed.
    Delete,
    /// Nothing; it is not part of the order.
    Noop,
}

impl Op {
    /// Each of them; its position is its number.
    pub(crate) const ALL: [Self; 3] = [Self::Upsert, Self::Delete, Self::Noop];

    /// kapp's term.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Upsert => "upsert",
            Self::Delete => "delete",
            Self::Noop => "noop",
        }
    }
}

/// The second word of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The group waits.
    Before,
    /// The owner waits.
    After,
}

impl Order {
    /// kapp's term.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// A rule, parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parsed<'a> {
    /// What must happen to the owner.
    pub(crate) action: Op,
    /// Which side waits.
    pub(crate) order: Order,
    /// What must happen to the members.
    pub(crate) target: Op,
    /// The group.
    pub(crate) group: &'a str,
}

/// What a rule may order on create or update, if it is unknown what it orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MayOrder {
    /// Its resource may wait.
    pub(crate) waits: bool,
    /// Others may wait for its resource.
    pub(crate) is_waited_for: bool,
}

impl MayOrder {
    /// Anything.
    pub(crate) const ALL: Self = Self {
        waits: true,
        is_waited_for: true,
    };

    /// What at least one of the two may order.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            waits: self.waits || other.waits,
            is_waited_for: self.is_waited_for || other.is_waited_for,
        }
    }
}

/// What a rule that cannot be parsed may order, judged by its words.
pub(crate) fn may_order(text: &str) -> MayOrder {
    let has = |word: &str| text.split_whitespace().any(|own| own == word);
    if has(Op::Delete.as_str()) && !has(Op::Upsert.as_str()) {
        return MayOrder::default();
    }
    let (after, before) = (has(Order::After.as_str()), has(Order::Before.as_str()));
    MayOrder {
        waits: after || !before,
        is_waited_for: before || !after,
    }
}

/// Why a rule is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RuleError {
    /// Not four words between single spaces.
    Format,
    /// The group's name.
    Group(String),
    /// The first word.
    Action,
    /// The second word.
    Order,
    /// The third word.
    Target,
}

/// The allowed words of a rule by position.
pub(crate) const WORDS: [&[&str]; 3] = [
    &["upsert", "delete"],
    &["before", "after"],
    &["upserting", "deleting"],
];

impl RuleError {
    /// kapp's message for the rule text after replacement.
    pub(crate) fn message(&self, text: &str) -> String {
        match self {
            Self::Format => format!(
                "Expected change rule annotation value to have format '(upsert|delete) (before|after) (upserting|deleting) (change-group)', but was '{text}'"
            ),
            Self::Group(message) => message.clone(),
            Self::Action => "Unknown change rule Action".to_owned(),
            Self::Order => "Unknown change rule Order".to_owned(),
            Self::Target => "Unknown change rule TargetAction".to_owned(),
        }
    }
}

/// Parses a rule after placeholders were replaced: the number of words first, then the group, then the
/// verbs in their order.
///
/// # Errors
/// With kapp's error.
pub(crate) fn parse(text: &str) -> Result<Parsed<'_>, RuleError> {
    let mut words = text.split(' ');
    let (Some(action), Some(order), Some(target), Some(group), None) = (
        words.next(),
        words.next(),
        words.next(),
        words.next(),
        words.next(),
    ) else {
        return Err(RuleError::Format);
    };
    names::check(group).map_err(|(message, _)| RuleError::Group(message))?;
    Ok(Parsed {
        action: match action {
            "upsert" => Op::Upsert,
            "delete" => Op::Delete,
            _ => return Err(RuleError::Action),
        },
        order: match order {
            "before" => Order::Before,
            "after" => Order::After,
            _ => return Err(RuleError::Order),
        },
        target: match target {
            "upserting" => Op::Upsert,
            "deleting" => Op::Delete,
            _ => return Err(RuleError::Target),
        },
        group,
    })
}

/// The known placeholders.
pub(crate) const PLACEHOLDERS: [&str; 6] = [
    "{api-group}",
    "{kind}",
    "{name}",
    "{namespace}",
    "{crd-kind}",
    "{crd-group}",
];

/// The values of a resource for each of [`PLACEHOLDERS`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Values<'a>(pub(crate) [&'a str; 6]);

/// Where the placeholders of a text are: braces with at least one character in between, the shortest match,
/// within one line.
pub(crate) fn placeholders(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(open) = bytes.get(at..).and_then(|b| memchr::memchr(b'{', b)) {
            let open = at + open;
            // At least one character is between the braces, even a brace.
            let first = text.get(open + 1..).and_then(|t| t.chars().next());
            let from = match first {
                None | Some('\n') => {
                    at = open + 1;
                    continue;
                }
                Some(c) => open + 1 + c.len_utf8(),
            };
            match bytes.get(from..).and_then(|b| memchr::memchr2(b'}', b'\n', b)) {
                Some(close) if bytes.get(from + close) == Some(&b'}') => {
                    at = from + close + 1;
                    return Some(open..at);
                }
                _ => at = open + 1,
            }
        }
        None
    })
}

/// Replaces the placeholders of a text. `None` if there are none.
///
/// # Errors
/// kapp's message for the last placeholder that has no value.
pub(crate) fn replace(text: &str, values: &Values<'_>) -> Result<Option<String>, String> {
    if memchr::memchr(b'{', text.as_bytes()).is_none() {
        return Ok(None);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut end = 0;
    let mut bad = None;
    for range in placeholders(text) {
        let name = text.get(range.clone()).unwrap_or("");
        let value = PLACEHOLDERS
            .iter()
            .position(|p| *p == name)
            .and_then(|i| values.0.get(i).copied())
            .unwrap_or("");
        if value.is_empty() {
            bad = Some(name);
        }
        out.push_str(text.get(end..range.start).unwrap_or(""));
        out.push_str(value);
        end = range.end;
    }
    if let Some(name) = bad {
        return Err(format!(
            "Placeholder {name} does not have a value for target resource (hint: placeholders with the 'crd-' prefix can only be used with CRDs)"
        ));
    }
    if end == 0 {
        return Ok(None);
    }
    out.push_str(text.get(end..).unwrap_or(""));
    Ok(Some(out))
}

/// A text that looks like a placeholder: where, and what was probably meant.
pub(crate) fn lookalike(text: &str) -> Option<(std::ops::Range<usize>, String)> {
    memchr::memchr3(b'{', b'$', b'<', text.as_bytes())?;
    let forms = [("${", "}"), ("{{", "}}"), ("$(", ")"), ("<", ">")];
    for (open, close) in forms {
        let Some(start) = text.find(open) else { continue };
        let inner_start = start + open.len();
        let Some(length) = text.get(inner_start..).and_then(|t| t.find(close)) else {
            continue;
        };
        let inner = text.get(inner_start..inner_start + length)?;
        if let Some(meant) = meant(inner) {
            return Some((start..inner_start + length + close.len(), meant));
        }
    }
    if let Some(start) = text.find("{}") {
        return Some((start..start + 2, "{name}".to_owned()));
    }
    let start = text.find("{ ")?;
    let length = text.get(start..)?.find('}')?;
    let meant = meant(text.get(start + 1..start + length)?)?;
    Some((start..start + length + 1, meant))
}

fn meant(inner: &str) -> Option<String> {
    let wanted = format!(
        "{{{}}}",
        inner.trim().trim_start_matches('.').to_ascii_lowercase()
    );
    PLACEHOLDERS.contains(&wanted.as_str()).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_four_words_and_no_more() {
        let rule = parse("upsert after upserting big.co/x").unwrap();
        assert_eq!(
            (rule.action, rule.order, rule.target),
            (Op::Upsert, Order::After, Op::Upsert)
        );
        for bad in [
            "",
            "upsert after upserting",
            "upsert  after upserting x",
            "upsert after upserting x ",
        ] {
            assert_eq!(parse(bad), Err(RuleError::Format), "{bad}");
        }
    }

    #[test]
    fn the_group_is_looked_at_before_the_verbs() {
        assert!(matches!(
            parse("Upsert after upserting -"),
            Err(RuleError::Group(_))
        ));
        assert_eq!(parse("Upsert then upserting g"), Err(RuleError::Action));
        assert_eq!(parse("upsert then upserted g"), Err(RuleError::Order));
        assert_eq!(parse("upsert after upserted g"), Err(RuleError::Target));
        assert!(matches!(
            parse("upsert after upserting g\n"),
            Err(RuleError::Group(_))
        ));
    }

    fn found(text: &str) -> Vec<&str> {
        placeholders(text).map(|r| &text[r]).collect()
    }

    #[test]
    fn a_placeholder_is_the_shortest_run_between_braces() {
        assert_eq!(found("x{}"), [""; 0]);
        assert_eq!(found("{}}"), ["{}}"]);
        assert_eq!(found("{{name}}"), ["{{name}"]);
        assert_eq!(found("${name}-{kind}"), ["{name}", "{kind}"]);
        assert_eq!(found("{a\nb}{name}"), ["{name}"]);
    }

    #[test]
    fn the_last_placeholder_without_a_value_is_reported() {
        let values = Values(["", "Job", "a", "", "", ""]);
        assert_eq!(replace("x-{kind}-{name}", &values).unwrap().unwrap(), "x-Job-a");
        assert_eq!(replace("plain", &values), Ok(None));
        assert!(
            replace("{nope}{namespace}{kind}", &values)
                .unwrap_err()
                .starts_with("Placeholder {namespace} ")
        );
    }

    #[test]
    fn other_tools_placeholders_are_known() {
        for (text, odd, want) in [
            ("a-${name}", "${name}", "{name}"),
            ("a-{{ .Namespace }}", "{{ .Namespace }}", "{namespace}"),
            ("a-{ kind }", "{ kind }", "{kind}"),
            ("<crd-kind>", "<crd-kind>", "{crd-kind}"),
            ("x{}", "{}", "{name}"),
        ] {
            let (range, meant) = lookalike(text).unwrap();
            assert_eq!((&text[range], meant.as_str()), (odd, want));
        }
        assert_eq!(lookalike("a-{name}-{nope}"), None);
    }
}
