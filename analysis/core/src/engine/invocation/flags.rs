//! Argument vectors, parsed as the libraries do that the engines are built on.

use super::Refusal;

/// How a flag affects what is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The inputs.
    Inputs,
    /// Which of the inputs are used, or how.
    Selection,
    /// What is done with them.
    Operation,
    /// Nothing.
    Nothing,
    /// It cannot be predicted: why, as a sentence that begins with a verb whose subject is the flag.
    Refused(&'static str),
}

/// A flag that an engine is known to have.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// As it is written, its full name first: `--file`, `-f`.
    pub names: &'static [&'static str],
    /// Whether it takes a value.
    pub takes_value: bool,
    /// What it changes.
    pub effect: Effect,
}

/// The flags that some commands of an engine are known to have.
#[derive(Clone, Copy, Debug)]
pub struct FlagTable {
    /// The commands, each as it is written: `kapp deploy`.
    pub commands: &'static [&'static str],
    /// Their flags.
    pub flags: &'static [Flag],
    /// The variables that are read for flags that are not given, each with the flag.
    pub variables: &'static [(&'static str, &'static str)],
}

/// A flag without a value, which does not affect what is checked.
#[must_use]
pub const fn switch(names: &'static [&'static str]) -> Flag {
    Flag {
        names,
        takes_value: false,
        effect: Effect::Nothing,
    }
}

/// A flag with a value, which does not affect what is checked.
#[must_use]
pub const fn value(names: &'static [&'static str]) -> Flag {
    Flag {
        names,
        takes_value: true,
        effect: Effect::Nothing,
    }
}

/// A flag that selects the inputs.
#[must_use]
pub const fn reads(flag: Flag) -> Flag {
    Flag {
        effect: Effect::Inputs,
        ..flag
    }
}

/// A flag that selects what is used.
#[must_use]
pub const fn selects(flag: Flag) -> Flag {
    Flag {
        effect: Effect::Selection,
        ..flag
    }
}

/// A flag that decides what is done.
#[must_use]
pub const fn operates(flag: Flag) -> Flag {
    Flag {
        effect: Effect::Operation,
        ..flag
    }
}

/// A flag whose effect cannot be predicted: see [`Effect::Refused`].
#[must_use]
pub const fn refused(flag: Flag, because: &'static str) -> Flag {
    Flag {
        effect: Effect::Refused(because),
        ..flag
    }
}

/// The message for what an engine answers without reading anything: help, its version.
const READS_NOTHING: &str = "reads nothing: run it without applyorder";

/// A switch that makes an engine answer without reading anything.
#[must_use]
pub const fn reads_nothing(names: &'static [&'static str]) -> Flag {
    refused(switch(names), READS_NOTHING)
}

/// Help, as most libraries spell it.
pub const HELP: Flag = reads_nothing(&["--help", "-h"]);

/// How a library parses arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Go's pflag and Rust's clap: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-n=value`, `-ab`; flags
    /// and words in any order; `--` ends the flags.
    Gnu,
    /// Go's kong: the same, but in `-n=value` the sign belongs to the value.
    Kong,
    /// Go's own flag: `-name value`, `-name=value`, `--name`; the first word ends the flags.
    Go,
}

/// A part of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// A flag by its full name, with its value: a switch can have one too, after `=`.
    Flag(&'static str, Option<&'a str>),
    /// An argument that is not a flag.
    Plain(&'a str),
}

/// Parses arguments one by one.
#[derive(Clone, Debug)]
pub struct Parser<'a> {
    args: std::slice::Iter<'a, String>,
    /// The rest of an argument of several letters.
    letters: &'a str,
    dialect: Dialect,
    title: &'static str,
    has_ended: bool,
}

impl<'a> Parser<'a> {
    /// The arguments after the program's name; `title` is the engine's name in refusals.
    #[must_use]
    pub fn new(args: &'a [String], dialect: Dialect, title: &'static str) -> Self {
        Self {
            args: args.iter(),
            letters: "",
            dialect,
            title,
            has_ended: false,
        }
    }

    /// The remaining arguments, as they are.
    #[must_use]
    pub fn rest(&self) -> &'a [String] {
        self.args.as_slice()
    }

    /// The next flag or word.
    ///
    /// # Errors
    /// When it is a flag that is not in the table, or one that is refused, or if its value is missing.
    pub fn next(&mut self, table: &'static [Flag]) -> Result<Option<Word<'a>>, Refusal> {
        if !self.letters.is_empty() {
            return self.letter(table).map(Some);
        }
        let Some(arg) = self.args.next() else {
            return Ok(None);
        };
        if self.has_ended || arg == "-" || !arg.starts_with('-') {
            self.has_ended |= self.dialect == Dialect::Go;
            return Ok(Some(Word::Plain(arg)));
        }
        if arg == "--" {
            self.has_ended = true;
            return self.next_plain();
        }
        match self.dialect {
            Dialect::Go => {
                let name = arg.strip_prefix("--").or(arg.strip_prefix('-')).unwrap_or(arg);
                self.long(table, "-", name).map(Some)
            }
            Dialect::Gnu | Dialect::Kong => match arg.strip_prefix("--") {
                Some(name) => self.long(table, "--", name).map(Some),
                None => {
                    self.letters = arg.get(1..).unwrap_or_default();
                    self.letter(table).map(Some)
                }
            },
        }
    }

    fn next_plain(&mut self) -> Result<Option<Word<'a>>, Refusal> {
        Ok(self.args.next().map(|arg| Word::Plain(arg)))
    }

    fn long(&mut self, table: &'static [Flag], dashes: &str, text: &'a str) -> Result<Word<'a>, Refusal> {
        let (name, given) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let flag = self.find(table, &format!("{dashes}{name}"))?;
        let given = match given {
            None if flag.takes_value => Some(self.value_of(flag)?),
            given => given,
        };
        Ok(Word::Flag(first_name(flag), given))
    }

    fn letter(&mut self, table: &'static [Flag]) -> Result<Word<'a>, Refusal> {
        let letters = std::mem::take(&mut self.letters);
        let end = letters.chars().next().map_or(0, char::len_utf8);
        let (letter, rest) = letters.split_at_checked(end).unwrap_or((letters, ""));
        let flag = self.find(table, &format!("-{letter}"))?;
        if flag.takes_value {
            let own = match self.dialect {
                Dialect::Gnu => rest.strip_prefix('=').unwrap_or(rest),
                Dialect::Kong | Dialect::Go => rest,
            };
            let given = if rest.is_empty() {
                self.value_of(flag)?
            } else {
                own
            };
            return Ok(Word::Flag(first_name(flag), Some(given)));
        }
        if let Some(given) = rest.strip_prefix('=') {
            return Ok(Word::Flag(first_name(flag), Some(given)));
        }
        self.letters = rest;
        Ok(Word::Flag(first_name(flag), None))
    }

    fn value_of(&mut self, flag: &Flag) -> Result<&'a str, Refusal> {
        let next = self.args.next().map(String::as_str);
        next.ok_or_else(|| Refusal::new(format!("the value of `{}` is missing", first_name(flag))))
    }

    fn find(&self, table: &'static [Flag], name: &str) -> Result<&'static Flag, Refusal> {
        let Some(flag) = table.iter().find(|flag| flag.names.contains(&name)) else {
            return Err(Refusal::new(format!(
                "`{name}` is not a known flag of {} here: it may change which files are read",
                self.title
            )));
        };
        match flag.effect {
            Effect::Refused(because) => Err(Refusal::new(format!("`{name}` {because}"))),
            _ => Ok(flag),
        }
    }
}

const fn first_name(flag: &Flag) -> &'static str {
    match flag.names.first() {
        Some(name) => name,
        None => "",
    }
}

/// Whether a switch is on, as Go's flag and pflag read its value.
///
/// # Errors
/// When the value is not one of Go's booleans: the engine rejects it.
pub fn is_on(name: &str, given: Option<&str>) -> Result<bool, Refusal> {
    match given {
        None | Some("1" | "t" | "T" | "true" | "TRUE" | "True") => Ok(true),
        Some("0" | "f" | "F" | "false" | "FALSE" | "False") => Ok(false),
        Some(other) => Err(Refusal::new(format!("`{name}={other}` is not a boolean"))),
    }
}

/// Whether a switch is on, as kong reads its value.
///
/// # Errors
/// When the value is not one of its booleans: the engine rejects it.
pub fn is_on_in_kong(name: &str, given: Option<&str>) -> Result<bool, Refusal> {
    match given.map(str::to_lowercase).as_deref() {
        None | Some("1" | "true" | "yes") => Ok(true),
        Some("0" | "false" | "no") => Ok(false),
        Some(other) => Err(Refusal::new(format!("`{name}={other}` is not a boolean"))),
    }
}

/// The values of a flag that takes several, separated by commas; an empty string gives none.
///
/// # Errors
/// When they are quoted as in CSV, which is not supported here.
pub fn list<'a>(name: &str, given: &'a str) -> Result<impl Iterator<Item = &'a str>, Refusal> {
    if given.contains(['"', '\n', '\r']) {
        return Err(Refusal::new(format!("`{name}` has a quoted list as its value")));
    }
    Ok(given.split(',').filter(move |_| !given.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: [Flag; 5] = [
        value(&["--file", "-f"]),
        switch(&["--yes", "-y"]),
        switch(&["--patch", "-p"]),
        refused(value(&["--filter"]), "chooses by labels"),
        value(&["-var"]),
    ];

    fn parsed(dialect: Dialect, args: &[&str]) -> Result<Vec<String>, String> {
        let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
        let mut parser = Parser::new(&args, dialect, "kapp");
        let mut out = Vec::new();
        loop {
            match parser.next(&TABLE).map_err(|e| e.to_string())? {
                None => return Ok(out),
                Some(Word::Plain(word)) => out.push(word.to_owned()),
                Some(Word::Flag(name, None)) => out.push(name.to_owned()),
                Some(Word::Flag(name, Some(given))) => out.push(format!("{name}={given}")),
            }
        }
    }

    #[test]
    fn values_are_found_in_every_spelling() {
        for args in [
            &["--file", "a", "w"][..],
            &["--file=a", "w"],
            &["-f", "a", "w"],
            &["-fa", "w"],
            &["-f=a", "w"],
        ] {
            assert_eq!(parsed(Dialect::Gnu, args).unwrap(), ["--file=a", "w"], "{args:?}");
        }
        assert_eq!(parsed(Dialect::Kong, &["-f=a"]).unwrap(), ["--file==a"]);
        assert_eq!(
            parsed(Dialect::Gnu, &["-ypfa", "-", "--patch=false", "--", "--yes"]).unwrap(),
            ["--yes", "--patch", "--file=a", "-", "--patch=false", "--yes"]
        );
        assert_eq!(parsed(Dialect::Gnu, &["-f", "-y"]).unwrap(), ["--file=-y"]);
        assert_eq!(
            parsed(Dialect::Gnu, &["-p=false", "-y"]).unwrap(),
            ["--patch=false", "--yes"]
        );
    }

    #[test]
    fn go_flags_have_one_dash_or_two_and_end_at_the_first_word() {
        assert_eq!(
            parsed(Dialect::Go, &["-var=a=b", "--var", "c=d", "plan", "-var"]).unwrap(),
            ["-var=a=b", "-var=c=d", "plan", "-var"]
        );
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let because = |args: &[&str]| parsed(Dialect::Gnu, args).unwrap_err();
        assert!(because(&["--new"]).starts_with("`--new` is not a known flag of kapp"));
        assert!(because(&["-yz"]).starts_with("`-z` is not a known flag"));
        assert_eq!(because(&["--filter=x"]), "`--filter` chooses by labels");
        assert_eq!(because(&["-f"]), "the value of `--file` is missing");
        assert!(is_on("--yes", Some("maybe")).is_err());
        assert!(list("-f", "\"a,b\"").is_err());
    }

    #[test]
    fn lists_are_taken_apart_as_pflag_does() {
        let of = |given| list("-f", given).unwrap().collect::<Vec<_>>();
        assert_eq!(of("a,,b"), ["a", "", "b"]);
        assert_eq!(of("a, b"), ["a", " b"]);
        assert!(of("").is_empty());
    }

    #[test]
    fn booleans_are_those_of_each_library() {
        assert!(is_on("-x", Some("T")).unwrap() && is_on_in_kong("-x", Some("T")).is_err());
        assert!(is_on("-x", Some("yes")).is_err() && is_on_in_kong("-x", Some("Yes")).unwrap());
        assert!(!is_on_in_kong("-x", Some("no")).unwrap() && is_on_in_kong("-x", None).unwrap());
    }
}
