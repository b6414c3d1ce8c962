//! Commands as displayed: ready to paste, with values of secrets masked.

/// Replaces a hidden value.
const MASK: &str = "***";

/// Substrings of names of flags and variables whose values are hidden.
const SECRET: [&str; 10] = [
    "password",
    "passwd",
    "secret",
    "token",
    "credential",
    "private",
    "apikey",
    "api-key",
    "api_key",
    "kubeconfig-yaml",
];

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|word| name.contains(word)) || name.ends_with("_key") || name.ends_with("-key")
}

/// The arguments, with the values of flags masked that look like secrets. Every value of `-var` is masked: the name
/// does not tell what a variable contains.
pub(super) fn masked(argv: &[String]) -> Vec<String> {
    let mut next_is_secret = false;
    let mut next_is_pair = false;
    let mut out = Vec::with_capacity(argv.len());
    for arg in argv {
        if std::mem::take(&mut next_is_secret) {
            out.push(MASK.to_owned());
            continue;
        }
        if std::mem::take(&mut next_is_pair) {
            out.push(pair(arg));
            continue;
        }
        let name = arg.trim_start_matches('-');
        if name.len() == arg.len() {
            out.push(arg.clone());
            continue;
        }
        match name.split_once('=') {
            Some(("var", value)) => out.push(format!("{}{}", flag(arg), pair(value))),
            Some((name, _)) if is_secret(name) => out.push(format!("{}{MASK}", flag(arg))),
            Some(_) => out.push(arg.clone()),
            None => {
                next_is_pair = name == "var";
                next_is_secret = is_secret(name);
                out.push(arg.clone());
            }
        }
    }
    out
}

/// A flag with its `=`.
fn flag(arg: &str) -> &str {
    arg.split_inclusive('=').next().unwrap_or(arg)
}

fn pair(text: &str) -> String {
    match text.split_once('=') {
        Some((name, _)) => format!("{name}={MASK}"),
        None => text.to_owned(),
    }
}

/// A command on one line in shell syntax, with secrets masked.
pub(in crate::commands) fn shown(argv: &[String]) -> String {
    let quoted = masked(argv).iter().map(|arg| quoted(arg)).collect::<Vec<_>>();
    quoted.join(" ")
}

fn quoted(arg: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !arg.is_empty()
        && (arg == MASK
            || arg.chars().all(is_plain)
            || arg.ends_with(MASK) && arg.trim_end_matches('*').chars().all(is_plain))
    {
        arg.to_owned()
    } else {
        let shown = crate::escape::line(arg);
        format!("'{}'", shown.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(argv: &[&str]) -> String {
        shown(&argv.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn secrets_are_masked_and_the_rest_can_be_pasted() {
        assert_eq!(
            line(&["kapp", "deploy", "-a", "my app", "-f", "a'b"]),
            "kapp deploy -a 'my app' -f 'a'\\''b'"
        );
        assert_eq!(
            line(&["x", "--api-token=abc", "--password", "p w", "last"]),
            "x --api-token=*** --password *** last"
        );
        assert_eq!(
            line(&["terraform", "apply", "-var=a=b=c", "-var", "d=e", "-var-file=f"]),
            "terraform apply -var=a=*** -var d=*** -var-file=f"
        );
        assert_eq!(
            line(&["ank", "--key_pem=k", "-k", "apply"]),
            "ank --key_pem=k -k apply"
        );
        assert_eq!(line(&["x", ""]), "x ''");
    }
}
