//! The floor: no server that looks at the whole project on each edit can be faster. A project of the same size as
//! numbers alone: names to units, references, the graph, its components and layers; and a message that another process
//! only sends back.

use std::hint::black_box;
use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::session::next_message;

/// The names and references of a project: as many references per unit as in the shapes.
pub(crate) struct Numbers {
    names: Vec<u32>,
    references: Vec<u32>,
    /// Where the references of each unit start; one more entry than units.
    starts: Vec<u32>,
}

impl Numbers {
    /// A tenth of the units refers to nothing, every other unit to three of the previous tenth.
    pub(crate) fn new(units: usize) -> Self {
        let tenth = (units / 10).max(1);
        // Names are numbers in no particular order, as from an interner.
        let names: Vec<u32> = (0..units).map(|u| ((u * 7919) % units) as u32).collect();
        let (mut references, mut starts) = (Vec::new(), vec![0]);
        for unit in 0..units {
            if let Some(before) = (unit / tenth).checked_sub(1) {
                let to = |i: usize| before * tenth + (unit * 7 + i * 331) % tenth;
                references.extend((0..3).map(|i| names[to(i)]));
            }
            starts.push(references.len() as u32);
        }
        Self {
            names,
            references,
            starts,
        }
    }

    /// Does everything once.
    pub(crate) fn run(&self) -> Duration {
        let started = Instant::now();
        let units = self.names.len();
        let mut index = vec![u32::MAX; units];
        for (unit, name) in self.names.iter().enumerate() {
            index[*name as usize] = unit as u32;
        }
        let graph = Graph {
            starts: &self.starts,
            targets: self.references.iter().map(|name| index[*name as usize]).collect(),
        };
        black_box(graph.reversed());
        black_box(graph.components());
        black_box(graph.layers());
        started.elapsed()
    }
}

struct Graph<'a> {
    starts: &'a [u32],
    targets: Vec<u32>,
}

impl Graph<'_> {
    fn of(&self, unit: usize) -> &[u32] {
        &self.targets[self.starts[unit] as usize..self.starts[unit + 1] as usize]
    }

    fn units(&self) -> usize {
        self.starts.len() - 1
    }

    fn reversed(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0u32; self.units() + 1];
        for target in &self.targets {
            starts[*target as usize + 1] += 1;
        }
        for i in 0..self.units() {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut sources = vec![0u32; self.targets.len()];
        for unit in 0..self.units() {
            for target in self.of(unit) {
                let at = &mut next[*target as usize];
                sources[*at as usize] = unit as u32;
                *at += 1;
            }
        }
        (starts, sources)
    }

    /// Tarjan's algorithm with an explicit stack.
    fn components(&self) -> Vec<u32> {
        let units = self.units();
        let (mut order, mut low) = (vec![0u32; units], vec![0u32; units]);
        let (mut component, mut count, mut now) = (vec![u32::MAX; units], 0, 0);
        let (mut path, mut open): (Vec<(u32, u32)>, Vec<u32>) = (Vec::new(), Vec::new());
        for start in 0..units as u32 {
            if order[start as usize] > 0 {
                continue;
            }
            path.push((start, 0));
            while let Some((unit, next)) = path.last_mut() {
                let u = *unit as usize;
                if *next == 0 && order[u] == 0 {
                    now += 1;
                    (order[u], low[u]) = (now, now);
                    open.push(*unit);
                }
                if let Some(target) = self.of(u).get(*next as usize) {
                    *next += 1;
                    let t = *target as usize;
                    if order[t] == 0 {
                        path.push((*target, 0));
                    } else if component[t] == u32::MAX {
                        low[u] = low[u].min(order[t]);
                    }
                    continue;
                }
                path.pop();
                if let Some((above, _)) = path.last() {
                    low[*above as usize] = low[*above as usize].min(low[u]);
                }
                if low[u] == order[u] {
                    while let Some(member) = open.pop() {
                        component[member as usize] = count;
                        if member as usize == u {
                            break;
                        }
                    }
                    count += 1;
                }
            }
        }
        component
    }

    fn layers(&self) -> Vec<u32> {
        let (starts, sources) = self.reversed();
        let mut waits: Vec<u32> = self.starts.windows(2).map(|w| w[1] - w[0]).collect();
        let mut layer = vec![0u32; self.units()];
        let mut ready: Vec<u32> = (0..self.units() as u32)
            .filter(|u| waits[*u as usize] == 0)
            .collect();
        while let Some(unit) = ready.pop() {
            let u = unit as usize;
            for source in &sources[starts[u] as usize..starts[u + 1] as usize] {
                let s = *source as usize;
                layer[s] = layer[s].max(layer[u] + 1);
                waits[s] -= 1;
                if waits[s] == 0 {
                    ready.push(*source);
                }
            }
        }
        layer
    }
}

/// A process that sends back what it receives.
pub(crate) struct Echo {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Echo {
    /// The flag that makes the bench that process.
    pub(crate) const FLAG: &'static str = "--echo";

    pub(crate) fn start(bench: &Path) -> Result<Self, String> {
        let mut child = Command::new(bench)
            .arg(Self::FLAG)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        Ok(Self { child, stdin, stdout })
    }

    /// One round trip.
    pub(crate) fn run(&mut self) -> Result<Duration, String> {
        let text = "x".repeat(300);
        let started = Instant::now();
        send(&mut self.stdin, text.as_bytes()).map_err(|e| e.to_string())?;
        next_message(&mut self.stdout).ok_or("the echo has ended")?;
        Ok(started.elapsed())
    }

    /// The main function of that process.
    pub(crate) fn serve() {
        let (stdin, mut stdout) = (std::io::stdin(), std::io::stdout());
        let mut stdin = stdin.lock();
        while let Some(message) = next_message(&mut stdin) {
            if send(&mut stdout, &message).is_err() {
                break;
            }
        }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn send(to: &mut impl Write, body: &[u8]) -> std::io::Result<()> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    to.write_all(&frame)?;
    to.flush()
}
