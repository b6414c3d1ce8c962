//! Character classes, and the names that Go 1.26 knows for them.

use super::{BAD_RANGE, Failure, NO_BRACKET, consumed, escape, next};

/// Parses the class in brackets at the start of a text; returns the rest.
pub(super) fn bracketed(text: &str) -> Result<&str, Failure<'_>> {
    let mut rest = text.strip_prefix('[').unwrap_or(text);
    rest = rest.strip_prefix('^').unwrap_or(rest);
    let mut first = true;
    loop {
        if let Some(left) = rest.strip_prefix(']').filter(|_| !first) {
            return Ok(left);
        }
        first = false;
        if let Some((name, left)) = named(rest) {
            if !POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
                return Err(Failure(BAD_RANGE, consumed(rest, left)));
            }
            rest = left;
            continue;
        }
        if let Some(left) = escape::class(rest)? {
            rest = left;
            continue;
        }
        let (low, left) = bound(rest, text)?;
        let from = rest;
        rest = left;
        if let Some(left) = rest
            .strip_prefix('-')
            .filter(|l| !l.is_empty() && !l.starts_with(']'))
        {
            let (high, left) = bound(left, text)?;
            if high < low {
                return Err(Failure(BAD_RANGE, consumed(from, left)));
            }
            rest = left;
        }
    }
}

/// The name in `[:name:]` at the start of a text, and the rest.
fn named(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("[:")?.split_once(":]")
}

fn bound<'p>(text: &'p str, class: &'p str) -> Result<(char, &'p str), Failure<'p>> {
    if text.starts_with('\\') {
        return escape::character(text);
    }
    next(text).ok_or(Failure(NO_BRACKET, class))
}

/// Whether a Unicode class has a name: Go compares case-insensitively and ignores blanks, `-` and `_`.
pub(super) fn is_known(name: &str) -> bool {
    let plain = name.bytes().filter(|b| !matches!(b, b' ' | b'-' | b'_'));
    let plain: Vec<u8> = plain.map(|b| b.to_ascii_lowercase()).collect();
    let plain = std::str::from_utf8(&plain).unwrap_or("");
    !plain.is_empty()
        && [CATEGORIES, SCRIPTS, LONG]
            .iter()
            .any(|list| list.split(' ').any(|n| n == plain))
}

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

const CATEGORIES: &str = "any assigned ascii c cc cf cn co cs l lc ll lm lo lt lu m mc me mn n nd nl no p pc pd \
pe pf pi po ps s sc sk sm so z zl zp zs";

/// Scripts of one word. Go 1.26 removes the `_` from the name it looks up but not from its table, so that it
/// finds no script of several words.
const SCRIPTS: &str = "adlam ahom arabic armenian avestan balinese bamum batak bengali bhaiksuki bopomofo brahmi \
braille buginese buhid carian chakma cham cherokee chorasmian common coptic cuneiform cypriot cyrillic deseret \
devanagari dogra duployan elbasan elymaic ethiopic georgian glagolitic gothic grantha greek gujarati gurmukhi han \
hangul hanunoo hatran hebrew hiragana inherited javanese kaithi kannada katakana kawi kharoshthi khmer khojki \
khudawadi lao latin lepcha limbu lisu lycian lydian mahajani makasar malayalam mandaic manichaean marchen \
medefaidrin miao modi mongolian mro multani myanmar nabataean nandinagari newa nko nushu ogham oriya osage osmanya \
palmyrene phoenician rejang runic samaritan saurashtra sharada shavian siddham sinhala sogdian soyombo sundanese \
syriac tagalog tagbanwa takri tamil tangsa tangut telugu thaana thai tibetan tifinagh tirhuta toto ugaritic vai \
vithkuqi wancho yezidi yi";

/// The long names of categories.
const LONG: &str = "casedletter closepunctuation combiningmark connectorpunctuation control currencysymbol \
dashpunctuation decimalnumber enclosingmark finalpunctuation format initialpunctuation letter letternumber \
lineseparator lowercaseletter mark mathsymbol modifierletter modifiersymbol nonspacingmark number openpunctuation \
other otherletter othernumber otherpunctuation othersymbol paragraphseparator privateuse punctuation separator \
spaceseparator spacingmark surrogate symbol titlecaseletter unassigned uppercaseletter cntrl digit punct";
