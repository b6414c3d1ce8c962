//! Changes to the text of a file: some without an effect, some that break it.

use crate::random::Random;

/// Fragments of YAML that are inserted at random places.
const BITS: [&str; 40] = [
    ":", " ", "\n", "- ", "  ", "\t", "#", "'", "\"", "[", "]", "{", "}", ",", "&a ", "*a", "!", "!!str ",
    "|", ">", "%", "@", "`", "?", "? ", ": ", "---\n", "...\n", "~", "\\", "é", "\u{85}", "\u{feff}",
    "\u{1}", "\r", "<<: *a\n", "{{", "}}", "null", "\u{2028}",
];

/// Documents, directives, byte order marks, line ends, comments, templates.
pub(super) fn vary(text: &mut Vec<u8>, random: &mut Random) {
    let old = String::from_utf8_lossy(text).into_owned();
    let new = match random.below(16) {
        0 => format!("---\n{old}"),
        1 => format!(
            "{old}---\n{}",
            random.pick(&["a: [\n", "spec: {}\n", "", "- x\n"])
        ),
        2 => format!("{old}...\n{}", random.pick(&["", "a: [\n", "---\nb\n", "x: y\n"])),
        3 => format!(
            "%YAML {}\n---\n{old}",
            random.pick(&["1.1", "1.2", "1.3", "2.0", "x"])
        ),
        4 => format!("---\n---\n{old}"),
        5 => format!("\u{feff}{old}"),
        6 => old.replace('\n', "\r\n"),
        7 => format!(
            "# {}\n{old}",
            random.pick(&[
                "{{ .Values.x }}",
                "{{ .Environment }}",
                "{{",
                "}}",
                "{{/* c */}}",
                "x"
            ])
        ),
        8 => old.trim_end().to_owned(),
        9 => format!(
            "{}\n{old}",
            random.pick(&[
                "# c",
                "",
                "--- # c",
                "%TAG ! !x\n---",
                "%FOO bar\n---",
                "--- |",
                "--- {}"
            ])
        ),
        10 => old.replace("app", "{{ .Environment }}"),
        11 => old.replacen(
            "- name",
            "{{ if eq .Environment \"prod\" }}\n- name: x\n{{- end }}\n- name",
            1,
        ),
        12 => old.replace(
            "type: kustomize",
            "type: {{ with .Environment }}helmfile{{ else }}kustomize{{ end }}",
        ),
        13 => format!(
            "{old}{}",
            random.pick(&[
                "x: 1\n",
                "y: .nan\n",
                "~: 1\n",
                "? [a]\n: b\n",
                "z: *u\n",
                "\t\n",
                "  \n",
                "#\n"
            ])
        ),
        14 => old.lines().map(|l| format!("  {l}\n")).collect(),
        _ => old.replacen('\n', "   \n", 1),
    };
    *text = new.into_bytes();
}

/// Removes, repeats, moves or inserts something.
pub(super) fn break_up(text: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(2) {
        let old = String::from_utf8_lossy(text).into_owned();
        let mut lines: Vec<String> = old.split_inclusive('\n').map(str::to_owned).collect();
        let line = random.below(lines.len());
        let at = char_at(&old, random.below(old.len() + 1));
        let new = match random.below(9) {
            0 => [&old[..at], *random.pick(&BITS), &old[at..]].concat(),
            1 => [&old[..at], &old[char_at(&old, at + 1)..]].concat(),
            2 => old[..at].to_owned(),
            3 => {
                if !lines.is_empty() {
                    lines.remove(line);
                }
                lines.concat()
            }
            4 => {
                if let Some(copy) = lines.get(line).cloned() {
                    lines.insert(line, copy);
                }
                lines.concat()
            }
            5 => {
                if let Some(l) = lines.get_mut(line) {
                    l.insert(0, ' ');
                }
                lines.concat()
            }
            6 => {
                if let Some(l) = lines.get_mut(line) {
                    *l = l.strip_prefix(' ').unwrap_or(l).to_owned();
                }
                lines.concat()
            }
            7 => {
                let end = char_at(&old, at + random.below(20));
                [&old[..at], &old[end..]].concat()
            }
            _ => {
                if random.one_in(3) && at < text.len() {
                    text[at] = *random.pick(&[0xff, 0xc3, 0x00, 0x80, b'\t']);
                    return;
                }
                [&old[..at], *random.pick(&BITS), *random.pick(&BITS), &old[at..]].concat()
            }
        };
        *text = new.into_bytes();
    }
}

/// The nearest character boundary at or after an offset.
fn char_at(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len())
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(text.len())
}
