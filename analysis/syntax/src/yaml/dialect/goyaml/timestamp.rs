//! What `!!timestamp` accepts: go-yaml passes four layouts to Go's `time.Parse`.

/// Whether a text is a date, or a date and a time.
pub(super) fn is_timestamp(text: &str) -> bool {
    let Some((year, rest)) = text.split_at_checked(4) else {
        return false;
    };
    let Ok(year) = year.parse::<u32>() else {
        return false;
    };
    let Some((month, rest)) = rest.strip_prefix('-').and_then(number) else {
        return false;
    };
    let Some((day, rest)) = rest.strip_prefix('-').and_then(number) else {
        return false;
    };
    if !text.starts_with(|c: char| c.is_ascii_digit()) || day == 0 || day > days(year, month) {
        return false;
    }
    if rest.is_empty() {
        return true;
    }
    match rest.strip_prefix(['T', 't']) {
        Some(clock) => after_clock(clock).is_some_and(is_zone),
        None if rest.starts_with(' ') => after_clock(rest.trim_start_matches(' ')) == Some(""),
        None => false,
    }
}

/// One or two digits, and what follows.
fn number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(digits)?;
    Some((digits.parse().ok()?, rest))
}

fn days(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    }
}

/// What follows `hours:minutes:seconds` and a fraction.
fn after_clock(text: &str) -> Option<&str> {
    let (hours, rest) = number(text)?;
    let (minutes, rest) = number(rest.strip_prefix(':')?)?;
    let (seconds, rest) = number(rest.strip_prefix(':')?)?;
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let fraction = rest
        .strip_prefix(['.', ','])
        .map(|f| f.trim_start_matches(|c: char| c.is_ascii_digit()));
    Some(match fraction {
        Some(behind) if behind.len() + 1 < rest.len() => behind,
        _ => rest,
    })
}

/// `Z`, or hours and minutes of two digits each with a sign.
fn is_zone(text: &str) -> bool {
    if text == "Z" {
        return true;
    }
    let Some((hours, minutes)) = text.strip_prefix(['+', '-']).and_then(|t| t.split_once(':')) else {
        return false;
    };
    let two = |t: &str, most: u32| t.len() == 2 && matches!(number(t), Some((n, "")) if n <= most);
    two(hours, 24) && two(minutes, 60)
}

#[cfg(test)]
mod tests {
    use super::is_timestamp;

    #[test]
    fn the_four_forms() {
        for text in [
            "2024-01-02",
            "2024-1-2",
            "2024-02-29",
            "2001-12-14T21:59:43.10-05:00",
            "2001-12-14t1:2:3Z",
            "2001-12-14 21:59:43.1234567890123",
            "2001-12-14   21:59:43",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "",
            "2024",
            "2024-01",
            "24-01-02",
            "+024-01-02",
            "2023-02-29",
            "2024-13-01",
            "2024-01-00",
            "2024-01-02x",
            "2001-12-14 21:59:43 Z",
            "2001-12-14 21:59:43.",
            "2001-12-14T21:59:43",
            "2001-12-14T24:00:00Z",
            "2001-12-14T21:59:43-5:00",
            "2001-12-14 21:59:43.10 -5",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }
}
