//! Plain tables for human-readable output.

use std::io::{self, Write};

use crate::escape;

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// To the left.
    Left,
    /// To the right: numbers.
    Right,
}

/// Writes rows under their headings, two spaces between columns; the last column is not padded.
///
/// # Errors
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    headings: &[(&str, Align)],
    rows: &[Vec<String>],
    color: bool,
) -> io::Result<()> {
    let mut widths: Vec<usize> = headings.iter().map(|(h, _)| width(h)).collect();
    for row in rows {
        for (w, cell) in widths.iter_mut().zip(row) {
            *w = (*w).max(width(cell));
        }
    }
    let (bold, plain) = if color { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let head: Vec<String> = headings.iter().map(|(h, _)| (*h).to_owned()).collect();
    writeln!(out, "{bold}{}{plain}", row_text(headings, &widths, &head))?;
    for row in rows {
        writeln!(out, "{}", escape::line_start(&row_text(headings, &widths, row)))?;
    }
    Ok(())
}

fn row_text(headings: &[(&str, Align)], widths: &[usize], row: &[String]) -> String {
    let mut text = String::new();
    for (i, ((cell, width_of), (_, align))) in row.iter().zip(widths).zip(headings).enumerate() {
        if i > 0 {
            text.push_str("  ");
        }
        let pad = " ".repeat(width_of.saturating_sub(width(cell)));
        match align {
            Align::Right => text.extend([pad.as_str(), cell]),
            Align::Left => text.extend([cell, pad.as_str()]),
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// The width of a text in terminal columns.
#[must_use]
pub fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_the_width_of_characters() {
        let mut out = Vec::new();
        let rows = [["1", "日本", "x"], ["12", "cni", "y"]].map(|r| r.map(str::to_owned).to_vec());
        let headings = [("n", Align::Right), ("unit", Align::Left), ("file", Align::Left)];
        write(&mut out, &headings, &rows, false).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            " n  unit  file\n 1  日本  x\n12  cni   y\n"
        );
    }
}
