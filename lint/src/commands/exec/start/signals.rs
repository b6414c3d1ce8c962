//! Signals while an engine runs.

use std::fs::File;
use std::io::{self, Read};
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

/// Signals that are sent only to us.
const SENT: [(i32, Signal); 2] = [(SIGTERM, Signal::TERM), (SIGHUP, Signal::HUP)];

/// Signals that the terminal sends to the whole process group: we outlive them to report how the engine ended.
const OF_TERMINAL: [i32; 2] = [SIGINT, SIGQUIT];

/// While it exists, signals do not terminate us.
pub(super) struct Guard {
    signals: Signals,
}

impl Guard {
    /// Ignored signals stay ignored, by the engine too: a handler would be reset to the default when it starts.
    pub(super) fn new() -> io::Result<Self> {
        let ignored = ignored();
        let all = SENT.iter().map(|(n, _)| *n).chain(OF_TERMINAL);
        let handled = all.filter(|signal| ignored & (1 << (signal - 1)) == 0);
        Ok(Self {
            signals: Signals::new(handled)?,
        })
    }

    /// Whether a signal arrived before there was a process to forward it to.
    pub(super) fn was_asked_to_end(&mut self) -> bool {
        self.signals.pending().next().is_some()
    }

    /// Forwards signals to an engine.
    pub(super) fn forwarding_to(self, child: &Child) -> Forwarding {
        let Self { mut signals } = self;
        let target = Arc::new(Mutex::new(Some(Pid::from_child(child))));
        let handle = signals.handle();
        let to = target.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let to = to.lock().unwrap_or_else(PoisonError::into_inner);
                if let (Some(pid), Some((_, signal))) = (*to, SENT.iter().find(|(n, _)| *n == signal)) {
                    // An engine that is already ending does not need it.
                    let _ = kill_process(pid, *signal);
                }
            }
        });
        Forwarding { target, handle }
    }
}

/// Forwards signals until the engine has ended.
pub(super) struct Forwarding {
    target: Arc<Mutex<Option<Pid>>>,
    handle: Handle,
}

impl Forwarding {
    /// Waits until the engine has ended without reaping it. Until then its process ID stays its own, so no other
    /// process receives its signals.
    pub(super) fn wait_for_end(self, child: &Child) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(Pid::from_child(child)), options) {}
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.handle.close();
    }
}

/// The ignored signals as a mask; empty if the system does not report them.
fn ignored() -> u64 {
    let mut status = String::new();
    let read = File::open("/proc/self/status").and_then(|mut file| file.read_to_string(&mut status));
    let mask = |_| {
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    read.ok().and_then(mask).unwrap_or_default()
}
