//! Our ports of Go's parsers against the originals, on random texts.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `APPLYORDER_GO` | the program in `go/oracle`, built | built by `go build` |
//! | `APPLYORDER_TEXTS` | how many texts of each kind | 50,000 |
//! | `APPLYORDER_SEED` | the seed, printed by each run | the time |

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use applyorder_analysis::syntax::go::{constraint, duration, url, version};

use crate::random::Random;

/// How many differing texts are printed.
const SHOWN: usize = 20;

const URLS: &[&str] = &[
    "op:",
    "OP:",
    "http:",
    "https:",
    "mailto:",
    "a+b.c-1:",
    ":",
    "/",
    "//",
    "///",
    "@",
    "?",
    "#",
    "[",
    "]",
    "[::1]",
    "[v1]",
    "[fe80::1%25en0]",
    "[1.2.3.4]",
    "[::1.2.3.4]",
    "[1:2:3:4:5:6:7:8]",
    "::",
    "1:",
    "ffff",
    "12345",
    "1.2.3.4",
    ".",
    "256",
    "01",
    "%25",
    "%20",
    "%2F",
    "%2f",
    "%zz",
    "%",
    "%4",
    "%80",
    "%c3%a9",
    "%41",
    "%5B",
    "é",
    "\u{7f}",
    "\n",
    " ",
    "\"",
    "<",
    ">",
    "\\",
    "^",
    "`",
    "{",
    "|",
    "}",
    "*",
    "!",
    "$",
    "&",
    "'",
    "(",
    ")",
    "+",
    ",",
    ";",
    "=",
    "~",
    "_",
    "-",
    "h",
    "vault",
    "item",
    "user",
    "80",
    ":80",
    ":x",
    "👍",
    "\u{200b}",
    "G",
    "my.1password.com",
    "g:",
];

const DURATIONS: &[&str] = &[
    "1",
    "0",
    "9",
    "12",
    "9223372036854775807",
    "9223372036854775808",
    "99999999999999999999",
    "2562047",
    ".",
    ".5",
    ".123456789",
    ".99999999999999999999",
    "ns",
    "us",
    "µs",
    "μs",
    "ms",
    "s",
    "m",
    "h",
    "d",
    "-",
    "+",
    " ",
    "é",
    "\"",
    "\\",
    "\n",
    "\u{7f}",
    "e3",
];

const VERSIONS: &[&str] = &[
    "0",
    "1",
    "17",
    "2",
    "0.17.2",
    "0.17",
    "1.0.0",
    "0.17.2.0",
    ".",
    ",",
    " ",
    ", ",
    "  ",
    "\t",
    "\u{b}",
    "\u{a0}",
    "v",
    "V",
    "x",
    "*",
    "=",
    ">",
    "<",
    ">=",
    "<=",
    "!=",
    "~>",
    "=>",
    "=<",
    "^",
    "~",
    "!",
    "-",
    "-rc1",
    "-rc.1",
    "-1",
    "+b",
    "+",
    "rc1",
    "a",
    "é",
    "99999999999999999999",
    "9223372036854775808",
    "-99999999999999999999",
    "--1",
    "-~",
    "01",
    ".1",
    "-rc2",
    "-0",
    "||",
];

const RUNNING: &[&str] = &[
    "0.17.2",
    "0.17.2-rc1",
    "0.17.2-rc.1",
    "1.0.0",
    "0.0.0",
    "0.17.2+b",
    "1.0.0-1",
    "0.17.2-99999999999999999999",
    "1.2",
];

#[test]
fn our_ports_say_what_go_says() {
    let Some(oracle) = oracle() else {
        crate::skipped::skip(
            "Go's own parsers",
            "the program in tests/differential/go/oracle cannot be built",
        );
        return;
    };
    let count: usize = setting("APPLYORDER_TEXTS").unwrap_or(50_000);
    let seed: u64 = setting("APPLYORDER_SEED").unwrap_or_else(now);
    println!("seed {seed}, {count} texts of each kind");
    let mut random = Random::new(seed);
    for (kind, pieces) in [
        ("url", URLS),
        ("duration", DURATIONS),
        ("version", VERSIONS),
        ("constraint", VERSIONS),
    ] {
        let texts: Vec<(String, &str)> = (0..count)
            .map(|_| (text(&mut random, kind, pieces), random.text(RUNNING)))
            .collect();
        let said = ask(&oracle, kind, &texts);
        assert_eq!(said.len(), texts.len());
        let mut differing = 0;
        let mut good = 0;
        for ((text, running), theirs) in texts.iter().zip(&said) {
            let ours = answer(kind, text, running);
            good += usize::from(ours.is_ok());
            let ours = ours.unwrap_or_else(|e| e.into_bytes());
            let same = ours == *theirs || theirs == b"panic" && ours.ends_with(b"value out of range");
            if !same {
                differing += 1;
                if differing <= SHOWN {
                    let [ours, theirs] = [&ours, theirs].map(|t| String::from_utf8_lossy(t).into_owned());
                    println!("{kind} {text:?} ({running})\n  ours   {ours}\n  theirs {theirs}");
                }
            }
        }
        println!("{kind}: {good} of {count} accepted, {differing} differ");
        assert_eq!(differing, 0, "{kind}");
        assert!(good > count / 100 && good < count, "{kind}: texts of both kinds");
    }
}

fn text(random: &mut Random, kind: &str, pieces: &[&'static str]) -> String {
    let mut text = String::new();
    if kind == "url" && !random.one_in(4) {
        text.push_str(random.text(&["op://", "http://", "op://[", "op://[::", "op://h/"]));
    }
    for _ in 0..random.below(9) {
        text.push_str(random.text(pieces));
    }
    if text.starts_with("op://[") && !random.one_in(3) {
        text.push(']');
    }
    text
}

/// Our answer in the oracle's format; `Err` is the parser's error.
fn answer(kind: &str, text: &str, running: &str) -> Result<Vec<u8>, String> {
    let met = |met: bool| met.to_string().into_bytes();
    match kind {
        "url" => {
            let url = url::parse(text)?;
            let user = url.user.map_or(Vec::new(), |user| {
                let has = user.password.is_some().to_string();
                [
                    &*user.name,
                    b" ",
                    has.as_bytes(),
                    b" ",
                    &user.password.unwrap_or_default(),
                ]
                .concat()
            });
            Ok([
                url.scheme.as_bytes(),
                url.opaque.as_bytes(),
                &user,
                &url.host,
                &url.path,
                url.raw_path.as_bytes(),
                url.force_query.to_string().as_bytes(),
                url.raw_query.as_bytes(),
                &url.fragment,
                url.raw_fragment.as_bytes(),
            ]
            .join(&b'|'))
        }
        "duration" => Ok(duration::parse(text)?.to_string().into_bytes()),
        "version" => {
            let constraints = version::Constraints::parse(text)?;
            Ok(met(constraints.admit(&version::Version::semantic(running)?)))
        }
        _ => {
            let running = constraint::Version::parse(running).ok_or("no version")?;
            Ok(met(constraint::Constraints::parse(text)?.admit(&running)))
        }
    }
}

fn ask(oracle: &Path, kind: &str, texts: &[(String, &str)]) -> Vec<Vec<u8>> {
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
    let mut child = Command::new(oracle)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it was built");
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = texts
        .iter()
        .map(|(text, running)| format!("{kind} {} {}\n", hex(text.as_bytes()), hex(running.as_bytes())))
        .collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let digit = |b: u8| u8::try_from(char::from(b).to_digit(16).unwrap()).unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| {
            line.as_bytes()
                .chunks(2)
                .map(|two| digit(two[0]) * 16 + digit(two[1]))
                .collect()
        })
        .collect()
}

fn oracle() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("APPLYORDER_GO") {
        return Some(path.into());
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-oracle");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&target)
        .arg(".")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/go/oracle"))
        .stderr(Stdio::null())
        .status();
    built.is_ok_and(|s| s.success()).then_some(target)
}

fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

fn now() -> u64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed();
    since.map_or(0, |d| d.as_secs())
}
