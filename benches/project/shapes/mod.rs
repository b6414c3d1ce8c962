//! The projects that are measured, and the edits that are made in each.

mod ankaios;
mod kapp;
mod spacelift;
mod tazuna;
mod terramate;

use std::path::{Path, PathBuf};

/// How many documents of a shape are edited.
const EDITED: usize = 10;

/// One shape of a project.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) sizes: &'static [usize],
    /// Writes a project with the given number of units into a folder.
    pub(crate) write: fn(&Path, usize) -> Project,
    /// Whether opening files and disk events are measured too.
    pub(crate) outside: bool,
}

/// A project on the disk.
pub(crate) struct Project {
    pub(crate) language: &'static str,
    /// The files of its units.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) start: Start,
}

/// The findings of a project before it is edited, without hints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    Clean,
    Findings,
    Either,
}

/// A kind of edit: something is typed, and reverted.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) place: Place,
    pub(crate) effect: Effect,
    pub(crate) aim: Aim,
}

/// The position in a text for a round, and what is typed there.
type Place = Box<dyn Fn(&str, usize) -> Option<(usize, &'static str)>>;

/// The effect of an edit on the findings of its own file, without hints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// They stay the same.
    None,
    /// They change.
    Other,
    /// Any: the effect is elsewhere.
    Elsewhere,
}

/// The upper limit for the 95th percentile.
#[derive(Clone, Copy)]
pub(crate) enum Aim {
    /// By the number of units.
    Edit,
    /// For an edit that affects the meaning of every file.
    Switch,
    /// For an edit in a file that contains all units.
    OneFile,
}

impl Aim {
    /// In milliseconds.
    pub(crate) fn of(self, units: usize) -> Option<f64> {
        match (self, units) {
            (Self::Edit, ..=200) => Some(1.0),
            (Self::Edit, ..=2_000) => Some(4.0),
            (Self::Edit, _) => Some(10.0),
            (Self::Switch, 2_000) => Some(20.0),
            (Self::Switch, _) => None,
            (Self::OneFile, _) => Some(15.0),
        }
    }
}

const ALL: &[usize] = &[200, 2_000, 10_000];
const ONE_FILE: &[usize] = &[2_000];

/// All shapes, engine by engine.
pub(crate) fn all() -> Vec<Shape> {
    let engines = [
        tazuna::shapes(),
        terramate::shapes(),
        kapp::shapes(),
        spacelift::shapes(),
        ankaios::shapes(),
    ];
    engines.into_iter().flatten().collect()
}

fn shape(name: &'static str, write: fn(&Path, usize) -> Project) -> Shape {
    Shape {
        name,
        sizes: ALL,
        write,
        outside: name.ends_with("/plain"),
    }
}

fn one_file(name: &'static str, write: fn(&Path, usize) -> Project) -> Shape {
    Shape {
        name,
        sizes: ONE_FILE,
        write,
        outside: false,
    }
}

fn kind(name: &'static str, files: &[PathBuf], effect: Effect, place: Place) -> Kind {
    Kind {
        name,
        files: files.to_vec(),
        place,
        effect,
        aim: Aim::Edit,
    }
}

/// Types after an occurrence of a word, at distant places from round to round.
fn behind(word: &'static str, typed: &'static [&'static str]) -> Place {
    Box::new(move |text, round| Some((nth(text, word, round)? + word.len(), typed[round % typed.len()])))
}

/// Types before an occurrence of a word.
fn before(word: &'static str, typed: &'static str) -> Place {
    Box::new(move |text, round| Some((nth(text, word, round)?, typed)))
}

fn at_end(typed: &'static str) -> Place {
    Box::new(move |text, _| Some((text.len(), typed)))
}

fn nth(text: &str, word: &str, round: usize) -> Option<usize> {
    let places: Vec<usize> = text.match_indices(word).map(|(at, _)| at).collect();
    places.get(round * 37 % places.len().max(1)).copied()
}

/// The three units that a unit waits for: a tenth waits for nothing, every other unit for three of the previous tenth,
/// so that no reference is redundant. 27,000 references for 10,000 units.
fn waits_for(unit: usize, units: usize) -> Option<[usize; 3]> {
    let tenth = (units / 10).max(1);
    let before = (unit / tenth).checked_sub(1)?;
    Some([0, 1, 2].map(|i| before * tenth + (unit * 7 + i * 331) % tenth))
}

/// Some of the files, spread over those of units that wait for others.
fn spread(files: &[PathBuf]) -> Vec<PathBuf> {
    let from = files.len() / 10;
    (0..EDITED)
        .map(|i| files[from + i * (files.len() - from) / EDITED].clone())
        .collect()
}

fn write(path: &Path, text: &str) {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).expect("a directory");
    }
    std::fs::write(path, text).expect("a file");
}
