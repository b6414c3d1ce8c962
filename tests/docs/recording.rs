//! The recording in README: some commands in a terminal of 100 columns and 24 rows, one after the other, in the colors
//! of a light and of a dark page. It shows the actual output.

use std::fmt::Write as _;

use anstyle_svg::{Palette, Term};

use super::{World, has_failed, is_update, root, skipped};

const COLUMNS: usize = 100;
const ROWS: usize = 24;

/// Each screen: its start in seconds, and the commands that are run on it.
const SCREENS: [(f32, &[&str]); 4] = [
    (0.0, &["applyorder lint --select cycle --min-severity error shop"]),
    (
        4.0,
        &[
            "sed -i 17d shop/platform.yaml",
            "applyorder lint --diff --unsafe-fixes shop",
        ],
    ),
    (
        8.0,
        &[
            "applyorder lint --fix --unsafe-fixes shop",
            "applyorder order shop",
        ],
    ),
    (12.0, &["applyorder why storefront cilium shop"]),
];

/// When it starts again.
const END: f32 = 16.0;

/// How long only the command is shown.
const TYPED: f32 = 0.6;

/// The colors of a theme: background, foreground, and the 16 of a terminal, of which red, green, yellow, magenta and
/// cyan are used.
struct Theme {
    name: &'static str,
    paper: &'static str,
    ink: &'static str,
    colors: [&'static str; 5],
}

const THEMES: [Theme; 2] = [
    Theme {
        name: "light",
        paper: "#ffffff",
        ink: "#1f2328",
        colors: ["#b3261e", "#1a7f37", "#8a5a00", "#6f3fc1", "#0b62c4"],
    },
    Theme {
        name: "dark",
        paper: "#0d1117",
        ink: "#e6edf3",
        colors: ["#ff7b72", "#56d364", "#e3b341", "#c297ff", "#6cb6ff"],
    },
];

#[test]
fn the_recording_shows_what_is_printed() {
    let Some(world) = World::new() else {
        skipped::skip("git", "it cannot be run");
        return;
    };
    let (_, code) = world.run("mv examples/tazuna/broken shop && script -qec true /dev/null");
    if code != Some(0) {
        skipped::skip("terminal", "`script` cannot be run");
        return;
    }
    let screens: Vec<(String, String)> = SCREENS
        .iter()
        .map(|(_, commands)| screen(&world, commands))
        .collect();
    for theme in &THEMES {
        let path = root().join(format!("docs/images/recording-{}.svg", theme.name));
        let picture = drawn(theme, &screens);
        if std::fs::read_to_string(&path).unwrap_or_default() == picture {
            continue;
        }
        assert!(
            is_update(),
            "{} does not show what is printed; INSTA_UPDATE=always writes it",
            path.display()
        );
        std::fs::write(&path, picture).unwrap();
    }
}

/// The contents of a screen at the start, and at the end.
fn screen(world: &World, commands: &[&str]) -> (String, String) {
    let prompt = |command: &str| format!("\u{1b}[1m$ {command}\u{1b}[0m\n");
    let mut lines = String::new();
    for command in commands {
        let terminal = format!(
            "export TERM=xterm-256color\nscript -qec 'stty cols {COLUMNS} rows {ROWS}; {command}' /dev/null"
        );
        let (text, code) = world.run(&terminal);
        assert!(!has_failed(code), "{command}: {code:?}\n{text}");
        write!(lines, "{}{}", prompt(command), text.replace('\r', "")).unwrap();
    }
    let lines: Vec<String> = lines.trim_end().lines().flat_map(wrapped).collect();
    assert!(
        lines.len() <= ROWS,
        "{commands:?} fill more than the screen: {}",
        lines.len()
    );
    (prompt(commands[0]), lines.join("\n"))
}

/// A line wrapped as in the terminal. Escapes have no width.
fn wrapped(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut width, mut is_escape) = (0, false);
    for c in line.chars() {
        is_escape |= c == '\u{1b}';
        if !is_escape {
            if width == COLUMNS {
                lines.push(String::new());
                width = 0;
            }
            width += 1;
        }
        is_escape &= c != 'm';
        lines.last_mut().unwrap().push(c);
    }
    lines
}

fn drawn(theme: &Theme, screens: &[(String, String)]) -> String {
    let mut colors = [rgb(theme.ink); 16];
    for (at, color) in [1, 2, 3, 5, 6].into_iter().zip(theme.colors) {
        colors[at] = rgb(color);
        colors[at + 8] = rgb(color);
    }
    let width = 20 + (COLUMNS * 84).div_ceil(10);
    let height = 20 + ROWS * 18;
    let term = Term::new()
        .palette(Palette(colors))
        .fg_color(rgb(theme.ink).into())
        .background(false)
        .min_width_px(width - 20);
    let mut styles = String::new();
    let mut frames = String::new();
    let mut begins: Vec<(f32, &str)> = Vec::new();
    for ((at, _), (first, last)) in SCREENS.iter().zip(screens) {
        begins.extend([(*at, &**first), (at + TYPED, &**last)]);
    }
    let ends = begins.iter().skip(1).map(|(at, _)| *at).chain([END]);
    for (number, ((from, text), to)) in begins.iter().zip(ends).enumerate() {
        let [from, to] = [from, &to].map(|at| at / END * 100.0);
        // Without animation, the first complete screen is visible.
        let still = if number == 1 { "visible" } else { "hidden" };
        write!(
            styles,
            ".f{number} {{ visibility: {still}; animation: k{number} {END}s step-end infinite }}\n@keyframes k{number} {{ 0% {{ visibility: \
             {} }} {from:.2}% {{ visibility: visible }} {to:.2}% {{ visibility: hidden }} }}\n",
            if number == 0 { "visible" } else { "hidden" },
        )
        .unwrap();
        write!(frames, "<g class=\"f{number}\">\n{}</g>\n", term.render_svg(text)).unwrap();
    }
    let commands: Vec<&str> = SCREENS
        .iter()
        .flat_map(|(_, commands)| *commands)
        .copied()
        .collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\">\n<title>{}</title>\n<style>\n{styles}@media (prefers-reduced-motion) {{ g {{ animation: none !important }} \
         }}\n</style>\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\" stroke=\"#8b949e\"/>\n{frames}</svg>\n",
        commands.join("; "),
        theme.paper,
    )
}

fn rgb(hex: &str) -> anstyle::RgbColor {
    let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    anstyle::RgbColor(part(1), part(3), part(5))
}
