//! Signals: those sent only to us are forwarded, those from the terminal arrive once.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{GOOD, Stage};

/// A program that counts its signals and exits on `TERM`.
const COUNTS: &str = "for s in HUP INT QUIT; do trap \"echo $s >> '$RECORD/signals'\" $s; done
trap \"echo TERM >> '$RECORD/signals'; exit 5\" TERM
: > \"$RECORD/ready\"
i=0; while [ $i -lt 600 ]; do i=$((i+1)); sleep 0.05; done";

fn until(what: &str, mut is_done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what} did not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn started(stage: &Stage) -> Child {
    let child = stage
        .command(&[("DO", COUNTS)])
        .args(["exec", "--", "kapp", "deploy", "-f", "a.yaml"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the start", || stage.record("ready").is_some());
    child
}

fn has(stage: &Stage, signal: &str) -> bool {
    stage
        .record("signals")
        .is_some_and(|s| s.lines().any(|l| l == signal))
}

#[test]
fn signals_sent_only_to_us_are_passed_on() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let mut child = started(&stage);
    let pid = Pid::from_child(&child);
    // As from a terminal, but only to us: it is not forwarded, and does not end us.
    kill_process(pid, Signal::INT).unwrap();
    kill_process(pid, Signal::QUIT).unwrap();
    kill_process(pid, Signal::HUP).unwrap();
    until("HUP", || has(&stage, "HUP"));
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(5));
    assert_eq!(stage.record("signals").unwrap(), "HUP\nTERM\n");
}

#[test]
fn the_end_by_a_signal_is_128_and_its_number() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let args = ["exec", "--", "kapp", "deploy", "-f", "a.yaml"];
    let answer = stage.run(&args, "", &[("DO", "kill -KILL $$")]);
    assert_eq!(answer.code, 137, "{answer:?}");
    assert!(
        answer
            .stderr
            .ends_with("kapp was started and ended by signal 9 (exit 137)\n"),
        "{answer:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_ignored_stays_ignored() {
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let own = stage.command(&[("DO", "grep SigIgn /proc/$$/status > \"$RECORD/ignored\"")]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$APPLY\" exec -- kapp deploy -f a.yaml"]);
    shell
        .env("APPLY", own.get_program())
        .current_dir(own.get_current_dir().unwrap());
    shell.envs(own.get_envs().filter_map(|(n, v)| Some((n, v?))));
    assert!(shell.stdin(Stdio::null()).output().unwrap().status.success());
    let mask = stage.record("ignored").unwrap();
    let mask = u64::from_str_radix(mask.split_whitespace().last().unwrap(), 16).unwrap();
    assert_eq!(mask & 1, 1, "SIGHUP is not ignored any more: {mask:x}");
}

/// One Ctrl-C on a pseudo-terminal arrives once; with one, Terraform stops gracefully, with a second one it aborts.
#[cfg(target_os = "linux")]
#[test]
fn what_the_terminal_sends_arrives_once() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let setsid = std::process::Command::new("setsid").arg("--version").output();
    if !setsid.is_ok_and(|o| o.status.success()) {
        return crate::skipped::skip("pseudo-terminal", "there is no setsid");
    }
    let stage = Stage::new(&[("a.yaml", GOOD)]);
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let other = || {
        std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(&name)
            .unwrap()
    };
    let own = stage.command(&[("DO", COUNTS)]);
    let mut command = std::process::Command::new("setsid");
    command.args(["--ctty", "--wait"]).arg(own.get_program());
    command.args(["exec", "--", "kapp", "deploy", "-f", "a.yaml"]);
    command.current_dir(own.get_current_dir().unwrap());
    command.envs(own.get_envs().filter_map(|(n, v)| Some((n, v?))));
    let mut child = command
        .stdin(other())
        .stdout(other())
        .stderr(other())
        .spawn()
        .unwrap();
    let mut terminal = std::fs::File::from(terminal);
    until("the start", || stage.record("ready").is_some());
    terminal.write_all(b"\x03").unwrap();
    until("INT", || has(&stage, "INT"));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(
        stage.record("signals").unwrap(),
        "INT\n",
        "once, and we are still there"
    );
    terminal.write_all(b"\x1c").unwrap();
    until("QUIT", || has(&stage, "QUIT"));
    let mut shown = vec![0; 4096];
    let read = terminal.read(&mut shown).unwrap();
    let shown = String::from_utf8_lossy(&shown[..read]).into_owned();
    assert!(shown.contains("applyorder: starting kapp"), "{shown}");
    // The waiting process is asked to end, as by a supervisor.
    let applyorder = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap();
    let pid = applyorder
        .split_whitespace()
        .next()
        .map_or_else(|| i32::try_from(child.id()).unwrap(), |p| p.parse().unwrap());
    kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(5));
    assert_eq!(stage.record("signals").unwrap(), "INT\nQUIT\nTERM\n");
}
