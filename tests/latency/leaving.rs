//! The server exits when its client does, whatever it is doing.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Client, Folder};

/// A client that has given its server seconds of work.
fn busy(folder: &Folder) -> Client {
    let mut client = Client::start(folder);
    client.settle();
    for i in 0..STACKS {
        folder.write(&stack_path(i), &stack(i, "core"));
        client.watched(&folder.uri(&stack_path(i)), 2);
    }
    for i in 0..STACKS {
        let uri = folder.uri(&stack_path(i));
        client.open(&uri, &stack(i, "core"));
        client.ask_at_start("hover", &uri);
    }
    client
}

/// So many that the work takes far longer than the server may continue.
const STACKS: u32 = 300;

fn stack_path(i: u32) -> String {
    format!("s{i}/stack.tm.hcl")
}

fn stack(i: u32, after: &str) -> String {
    let tags = if i.is_multiple_of(3) { "core" } else { "other" };
    format!("stack {{\n  name = \"s{i}\"\n  tags = [\"{tags}\"]\n  after = [\"tag:{after}\"]\n}}\n")
}

fn folder() -> Folder {
    let folder = Folder::new(&[(
        "terramate.tm.hcl",
        "terramate {\n  required_version = \">= 0.1\"\n}\n",
    )]);
    for i in 0..STACKS {
        folder.write(&stack_path(i), &stack(i, "other"));
    }
    folder
}

/// The time limit for the server.
const LONG: Duration = if cfg!(debug_assertions) {
    Duration::from_millis(400)
} else {
    Duration::from_millis(100)
};

/// The machine is busy with other things too: a server that does not exit at once never does.
const ATTEMPTS: usize = 5;

/// How long a server with a full queue takes to exit, in the fastest of a few attempts.
fn left(say: impl Fn(&mut Client)) -> Duration {
    let mut quickest = Duration::MAX;
    for _ in 0..ATTEMPTS {
        let folder = folder();
        let mut client = busy(&folder);
        let since = Instant::now();
        say(&mut client);
        assert_eq!(client.wait_for_exit().code(), Some(1));
        quickest = quickest.min(since.elapsed());
        if quickest < LONG {
            break;
        }
    }
    quickest
}

#[test]
fn it_leaves_at_exit_with_a_queue_full_of_work() {
    let _turn = crate::turn();
    let took = left(|client| client.notify("exit", Value::Null));
    assert!(took < LONG, "{took:?}");
}

#[test]
fn it_leaves_at_the_end_of_its_input_with_a_queue_full_of_work() {
    let _turn = crate::turn();
    let took = left(Client::close_stdin);
    assert!(took < LONG, "{took:?}");
}

/// Linux tells whether other processes exist.
#[cfg(target_os = "linux")]
#[test]
fn it_leaves_when_its_client_is_gone_already() {
    let _turn = crate::turn();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    for (process, leaves) in [(gone.id(), true), (std::process::id(), false)] {
        let mut client = Client::spawn();
        let params = serde_json::json!({ "processId": process, "rootUri": null, "capabilities": {} });
        // It may exit before it answers.
        let id = client.ask("initialize", params);
        if leaves {
            assert_eq!(client.wait_for_exit().code(), Some(1));
        } else {
            assert!(client.answer(id).is_ok());
            client.notify("initialized", Value::Null);
            assert!(
                client
                    .request("workspace/symbol", serde_json::json!({ "query": "" }))
                    .is_ok()
            );
        }
    }
}

#[test]
fn what_was_asked_before_the_end_is_answered() {
    let _turn = crate::turn();
    let folder = Folder::new(&[]);
    let mut client = Client::start(&folder);
    // A server that is still starting has other work as well.
    client.settle();
    let id = client.ask("workspace/symbol", Value::Null);
    let shutdown = client.ask("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert!(client.answer(id).is_ok());
    assert_eq!(client.answer(shutdown), Ok(Value::Null));
    assert_eq!(client.wait_for_exit().code(), Some(0));
}

#[test]
fn a_wrong_length_costs_one_message_at_most() {
    let _turn = crate::turn();
    let folder = Folder::new(&[]);
    let mut client = Client::start(&folder);
    let ask = |id: i64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"workspace/symbol","params":{{}}}}"#);
    for (id, by) in [(100, 1i64), (102, 40), (104, 99_999_999)] {
        for id in [id, id + 1] {
            let body = ask(id);
            let by = if id % 2 == 0 { by } else { 0 };
            let length = body.len() as i64 + by;
            write!(client.stdin(), "Content-Length: {length}\r\n\r\n{body}").unwrap();
        }
        assert!(client.answer(id).is_ok(), "too long by {by}");
        assert!(client.answer(id + 1).is_ok(), "too long by {by}");
    }
    let body = ask(200);
    write!(client.stdin(), "Content-Length: {}\r\n\r\n{body}", body.len() - 3).unwrap();
    client.wait_for(|m| m["error"]["code"] == -32700 && m["id"].is_null());
    let id = client.ask("workspace/symbol", Value::Null);
    assert!(client.answer(id).is_ok());
}
