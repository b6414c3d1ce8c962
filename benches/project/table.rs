//! The table: row by row on the terminal, and as a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::cold;
use crate::session::Took;

/// One kind of edit in one shape of one size.
pub(crate) struct Row {
    pub(crate) shape: &'static str,
    pub(crate) units: usize,
    pub(crate) edit: String,
    pub(crate) times: Vec<Took>,
    /// For the 95th percentile, in milliseconds.
    pub(crate) aim: Option<f64>,
    pub(crate) floor: Duration,
    /// Where the time goes if the aim is missed.
    pub(crate) spans: Vec<(String, Duration)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Met,
    /// The aim is met in processor time only: something else was running, or the machine was slow to wake a thread.
    OnlyByProcessor,
    Missed,
}

/// The value that `percent` of the times do not exceed; for few times, the largest.
pub(crate) fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let at = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(at).copied().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A number with as many digits as are meaningful.
fn short(ms: f64) -> String {
    let digits = if ms < 9.995 { 2 } else { usize::from(ms < 99.95) };
    format!("{ms:.digits$}")
}

fn grouped(count: usize) -> String {
    if count < 1_000 {
        count.to_string()
    } else {
        format!("{},{:03}", count / 1_000, count % 1_000)
    }
}

impl Row {
    fn walls(&self) -> Vec<Duration> {
        self.times.iter().map(|t| t.wall).collect()
    }

    fn processors(&self) -> Vec<Duration> {
        self.times.iter().map(|t| t.processor).collect()
    }

    fn cells(&self) -> [String; 4] {
        let processor = self.processors();
        let of = |times: &[Duration], percent| short(ms(percentile(times, percent)));
        let walls = self.walls();
        [
            of(&walls, 50),
            of(&walls, 95),
            of(&processor, 50),
            of(&processor, 95),
        ]
    }

    fn verdict(&self) -> Option<Verdict> {
        let aim = self.aim?;
        let is_met = |times: &[Duration]| ms(percentile(times, 95)) < aim;
        Some(match (is_met(&self.walls()), is_met(&self.processors())) {
            (true, _) => Verdict::Met,
            (false, true) => Verdict::OnlyByProcessor,
            (false, false) => Verdict::Missed,
        })
    }

    pub(crate) fn is_missed(&self) -> bool {
        self.verdict() == Some(Verdict::Missed)
    }

    /// `read 1.20, relate 0.85`: steps under a hundredth are omitted.
    fn spans(&self) -> String {
        let whole: Duration = self.spans.iter().map(|(_, time)| *time).sum();
        let spans = self.spans.iter().filter(|(_, time)| *time * 100 >= whole);
        let spans: Vec<String> = spans
            .map(|(name, time)| format!("{name} {}", short(ms(*time))))
            .collect();
        spans.join(", ")
    }

    /// Prints where the time goes.
    pub(crate) fn print_spans(&self) {
        println!("{:<32}of which: {}", "", self.spans());
    }

    fn ratio(&self) -> f64 {
        ms(percentile(&self.walls(), 50)) / ms(self.floor)
    }

    /// Prints the row as soon as it is known.
    pub(crate) fn print(&self) {
        let [p50, p95, cpu50, cpu95] = self.cells();
        let aim = self.aim.map_or_else(String::new, |aim| format!("{aim}"));
        let verdict = match self.verdict() {
            Some(Verdict::Missed) => "MISSED",
            Some(Verdict::OnlyByProcessor) => "missed, CPU met",
            Some(Verdict::Met) => "met",
            None => "",
        };
        println!(
            "{:<24} {:>6} {:<44} {:>4} {p50:>8} {p95:>8} {cpu50:>8} {cpu95:>8} {:>7.1} {aim:>5} {verdict}",
            self.shape,
            grouped(self.units),
            self.edit,
            self.times.len(),
            self.ratio()
        );
    }
}

#[derive(Default)]
struct FloorRow {
    numbers: Vec<Duration>,
    echoes: Vec<Duration>,
}

/// All that was measured.
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    cold: Vec<cold::Row>,
    floors: BTreeMap<usize, FloorRow>,
    what: String,
    machine: String,
    load: String,
    started: Instant,
}

impl Table {
    pub(crate) fn new(args: &Args) -> Self {
        Self {
            rows: Vec::new(),
            cold: Vec::new(),
            floors: BTreeMap::new(),
            what: what(args),
            machine: machine(),
            load: load(),
            started: Instant::now(),
        }
    }

    pub(crate) fn print_head(&self) {
        println!("{}\n{}, load {}", self.what, self.machine, self.load);
        println!("milliseconds from didChange to publishDiagnostics of that version\n");
        println!(
            "{:<24} {:>6} {:<44} {:>4} {:>8} {:>8} {:>8} {:>8} {:>7} {:>5}",
            "shape", "units", "edit", "n", "p50", "p95", "CPU p50", "CPU p95", "x floor", "aim"
        );
    }

    pub(crate) fn floor(&mut self, units: usize, numbers: &[Duration], echoes: &[Duration]) {
        let row = self.floors.entry(units).or_default();
        row.numbers.extend(numbers);
        row.echoes.extend(echoes);
    }

    pub(crate) fn cold(&mut self, row: cold::Row) {
        println!("{}", cold_cells(&row).join("  "));
        self.cold.push(row);
    }

    pub(crate) fn print_end(&self) {
        println!("\n{}", self.floors().replace("| ", "").replace(" |", ""));
        println!("{}", self.summary());
        println!(
            "load {} at the end, {:.0} s in all",
            load(),
            self.started.elapsed().as_secs_f64()
        );
    }

    fn summary(&self) -> String {
        let verdicts: Vec<Verdict> = self.rows.iter().filter_map(Row::verdict).collect();
        let count = |of: Verdict| verdicts.iter().filter(|v| **v == of).count();
        format!(
            "{} of {} aims are met, {} by processor time only, {} missed.",
            count(Verdict::Met),
            verdicts.len(),
            count(Verdict::OnlyByProcessor),
            count(Verdict::Missed)
        )
    }

    fn floors(&self) -> String {
        let mut out = String::new();
        for (units, floor) in &self.floors {
            let of = |times: &[Duration], percent| short(ms(percentile(times, percent)));
            let result = writeln!(
                out,
                "| floor of {} units: by numbers p50 {}, p95 {}; echo p50 {}, p95 {} |",
                grouped(*units),
                of(&floor.numbers, 50),
                of(&floor.numbers, 95),
                of(&floor.echoes, 50),
                of(&floor.echoes, 95)
            );
            result.expect("a string");
        }
        out
    }

    /// Writes the page.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        std::fs::write(path, self.page()).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn page(&self) -> String {
        let mut out = include_str!("page.md").to_owned();
        let mut line = |text: &str| {
            out.push_str(text);
            out.push('\n');
        };
        line(&format!(
            "\nMeasured: {}; {}, load {} at the start. {}\n",
            self.what,
            self.machine,
            self.load,
            self.summary()
        ));
        line("| floor | by numbers p50 | p95 | echo p50 | p95 |\n|---|---:|---:|---:|---:|");
        for (units, floor) in &self.floors {
            let of = |times: &[Duration], percent| short(ms(percentile(times, percent)));
            line(&format!(
                "| {} units | {} | {} | {} | {} |",
                grouped(*units),
                of(&floor.numbers, 50),
                of(&floor.numbers, 95),
                of(&floor.echoes, 50),
                of(&floor.echoes, 95)
            ));
        }
        line(
            "\n| shape | units | edit | n | p50 | p95 | CPU p50 | CPU p95 | floor | p50 ÷ floor | aim for p95 |",
        );
        line("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|");
        for row in &self.rows {
            let [p50, p95, cpu50, cpu95] = row.cells();
            let (floor, ratio) = (short(ms(row.floor)), row.ratio());
            let aim = row.aim.map_or_else(String::new, |aim| format!("< {aim}"));
            let verdict = match row.verdict() {
                Some(Verdict::Missed) => " **missed**",
                Some(Verdict::OnlyByProcessor) => " missed, CPU met",
                Some(Verdict::Met) | None => "",
            };
            line(&format!(
                "| {} | {} | {} | {} | {p50} | {p95} | {cpu50} | {cpu95} | {floor} | {ratio:.1} | {aim}{verdict} |",
                row.shape,
                grouped(row.units),
                row.edit,
                row.times.len()
            ));
        }
        let missed: Vec<&Row> = self.rows.iter().filter(|row| !row.spans.is_empty()).collect();
        if !missed.is_empty() {
            line("\n## Missed aims, by steps\n");
            line(
                "Medians of a few edits by the server's own account (`$/setTrace`), in milliseconds of the clock. Steps",
            );
            line("below a hundredth are left out.\n");
            line("| shape | units | edit | steps |\n|---|---:|---|---|");
            for row in missed {
                let (shape, units) = (row.shape, grouped(row.units));
                line(&format!("| {shape} | {units} | {} | {} |", row.edit, row.spans()));
            }
        }
        if !self.cold.is_empty() {
            line("\n## A new process");
            line(&format!(
                "\n| {} units, `lint --isolated` | p50 | p95 | peak memory |\n|---|---:|---:|---:|",
                grouped(cold::UNITS)
            ));
            for row in &self.cold {
                let [name, p50, p95, memory] = cold_cells(row);
                line(&format!("| {name} | {p50} | {p95} | {memory} |"));
            }
        }
        out
    }
}

fn cold_cells(row: &cold::Row) -> [String; 4] {
    let of = |percent| format!("{} ms", short(ms(percentile(&row.times, percent))));
    let memory = format!("{:.1} MiB", row.memory as f64 / 1024.0);
    [row.name.to_owned(), of(50), of(95), memory]
}

/// What is measured: the commit, or the version that another program prints.
fn what(args: &Args) -> String {
    let said = |command: &mut Command| {
        let output = command.output().ok().filter(|o| o.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    let version = said(Command::new(&args.server).arg("--version"));
    let version = version.unwrap_or_else(|| "an unknown version".to_owned());
    let mut git = Command::new("git");
    git.args([
        "-C",
        env!("CARGO_MANIFEST_DIR"),
        "describe",
        "--always",
        "--dirty",
        "--abbrev=10",
    ]);
    match said(&mut git).filter(|_| args.is_own) {
        Some(commit) => format!("{version}, commit {commit}"),
        None => format!(
            "{version} ({})",
            args.server.file_name().unwrap_or_default().display()
        ),
    }
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, model)| model);
    format!("{cores} cores of {model}")
}

/// How busy the machine is.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ')
        .next()
        .filter(|l| !l.is_empty())
        .unwrap_or("unknown")
        .to_owned()
}
