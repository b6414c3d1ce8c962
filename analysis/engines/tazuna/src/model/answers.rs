//! Which paths of manifests do not exist.

use std::sync::Arc;

use camino::Utf8Path;

use super::Part;
use crate::count;
use crate::load::Setting;
use crate::read::Manifest;
use applyorder_core::engine::World;
use applyorder_core::files::join_clean;
use applyorder_core::layer::{Fingerprint, Mix, Pass};

/// Which paths of a file's manifests do not exist.
#[derive(Hash)]
pub(crate) struct PathAnswers {
    /// The numbers of the entries whose path does not exist, with where it exists from the file itself.
    pub(crate) missing: Vec<(u32, Option<String>)>,
}

/// Some parts, one after another.
#[derive(PartialEq, Eq, Hash)]
struct AnswersKey(Fingerprint, World);

/// The answers of the parts among some with a path that does not exist, by their number among them.
type Answers = Vec<(usize, Arc<PathAnswers>)>;

/// About this many parts are queried together: mostly none of them has an answer. Where one group ends depends
/// on the file that the next begins with, so that one more include changes only the groups around it.
const TOGETHER: u32 = 64;

/// The answers of the parts with a path that does not exist.
pub(super) fn of(pass: &Pass<'_>, setting: &Setting, parts: &[Part]) -> Vec<(u32, Arc<PathAnswers>)> {
    let world = pass.cx.world();
    let groups = || parts.chunk_by(|_, next| next.brief.file.0 % TOGETHER != 0);
    let asked = groups().map(|parts| {
        let mut mix = Mix::default();
        for part in parts {
            mix.add(&(part.brief.id(), part.via.is_some(), part.again));
        }
        (parts, AnswersKey(mix.finish(), world))
    });
    let table = pass.cx.memo().table::<AnswersKey, Answers>();
    let told = table.get_each(asked, |parts, _| {
        let known = parts.iter().enumerate();
        let known = known.filter(|(_, part)| !part.again && part.brief.is_whole());
        let answers = known.map(|(number, part)| (number, Arc::new(ask(pass, setting, part))));
        answers
            .filter(|(_, answers)| !answers.missing.is_empty())
            .collect()
    });
    let mut first = 0;
    let mut all = Vec::new();
    for (parts, told) in groups().zip(told) {
        let told = told.iter();
        all.extend(told.map(|(number, answers)| (count(first + number), answers.clone())));
        first += parts.len();
    }
    all
}

fn ask(pass: &Pass<'_>, setting: &Setting, part: &Part) -> PathAnswers {
    let cx = pass.cx;
    let mut missing = Vec::new();
    let mut there: Vec<&str> = Vec::new();
    let own_dir = cx.path(part.brief.file).parent().map(Utf8Path::to_owned);
    for unit in part.piece.units.iter().filter(|u| !u.broken) {
        let Some((entry, _)) = part.piece.item(unit) else {
            continue;
        };
        let kind = Manifest::text(entry.manifest.kind.as_ref());
        let Some(path) = &entry.manifest.path else {
            continue;
        };
        if path.text.is_empty() || kind == "oras" || there.last() == Some(&&*path.text) {
            continue;
        }
        if cx.kind(&join_clean(&setting.dir, &path.text), true).is_some() {
            there.push(&path.text);
            continue;
        }
        let beside = own_dir
            .as_ref()
            .filter(|dir| part.via.is_some() && **dir != *setting.dir)
            .map(|dir| join_clean(dir, &path.text))
            .filter(|p| cx.kind(p, true).is_some());
        let better = beside.and_then(|p| from_dir(&setting.dir, &p));
        missing.push((unit.item, better));
    }
    PathAnswers { missing }
}

/// A path as it is written from a directory.
pub(super) fn from_dir(dir: &Utf8Path, path: &Utf8Path) -> Option<String> {
    if let Ok(below) = path.strip_prefix(dir) {
        return Some(format!("./{below}"));
    }
    let above = dir.ancestors().position(|d| path.starts_with(d))?;
    let shared = dir.ancestors().nth(above)?;
    let rest = path.strip_prefix(shared).ok()?;
    Some(format!("{}{rest}", "../".repeat(above)))
}
