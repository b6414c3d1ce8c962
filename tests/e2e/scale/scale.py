#!/usr/bin/env python3
"""How long a language server keeps people waiting in a large workspace, and how much memory it takes.

    scale.py [--files 10000] [--beside 100000] [--table FILE] NAME=COMMAND...
    scale.py applyorder='target/release/applyorder server' yaml='yaml-language-server --stdio'

Two workspaces are made: FILES files of Tazuna (a root with its includes, several projects), and the same beside files that
are nobody's. Each server gets the same session of an editor: initialize, one file opened with a mistake in it, the
rest read, keystrokes. One row a server and workspace; times in milliseconds, the median of the runs.
"""
import argparse
import json
import os
import pathlib
import queue
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time

KEYSTROKES = 30


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.messages = queue.Queue()
        self.last_id = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        stream = self.process.stdout
        while True:
            length = None
            while (line := stream.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if length is None:
                return
            self.messages.put((time.perf_counter(), json.loads(stream.read(length))))

    def send(self, method, params, is_request=False):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if is_request:
            self.last_id += 1
            message["id"] = self.last_id
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()
        return self.last_id

    def answer_theirs(self, message):
        result = [None] * len(message["params"]["items"]) if message["method"] == "workspace/configuration" else None
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def wait(self, wanted, limit=120):
        """The moment of the first message that is wanted, and the message; (None, None) after `limit` seconds."""
        end = time.perf_counter() + limit
        while (left := end - time.perf_counter()) > 0:
            try:
                moment, message = self.messages.get(timeout=left)
            except queue.Empty:
                break
            if "method" in message and "id" in message:
                self.answer_theirs(message)
            if wanted(message):
                return moment, message
        return None, None

    def ask(self, method, params):
        started = time.perf_counter()
        ident = self.send(method, params, True)
        moment, _ = self.wait(lambda m: m.get("id") == ident and "method" not in m)
        return None if moment is None else moment - started

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """The most that was ever resident, in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1000


def manifest(name, on):
    needs = f"\n      dependsOn: [{', '.join(on)}]" if on else ""
    return f"    - name: {name}\n      type: kustomize\n      path: ./x{needs}\n"


def head():
    return "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n"


def project(top, number, files):
    """A root that includes the other files, each with two manifests that wait for those before."""
    folder = top / f"project-{number:04}"
    folder.mkdir(parents=True)
    (folder / "x").mkdir()
    includes = "".join(f"    - includes: [{{path: part-{i:03}.yaml}}]\n" for i in range(1, files))
    (folder / "tazuna.yaml").write_text(head() + manifest("base", []) + includes)
    for i in range(1, files):
        before = f"m{i - 1}a" if i > 1 else "base"
        (folder / f"part-{i:03}.yaml").write_text(head() + manifest(f"m{i}a", [before]) + manifest(f"m{i}b", ["base"]))


def workspace(top, files, beside):
    (top / ".git").mkdir(parents=True)
    per_project = 100
    for number in range(files // per_project):
        project(top, number, per_project)
    for number in range(beside):
        folder = top / f"beside-{number // 500:04}"
        if number % 500 == 0:
            folder.mkdir()
        if number % 2 == 0:
            (folder / f"values-{number}.yaml").write_text(f"name: nobody-{number}\nreplicas: 3\nports: [80, 443]\n")
        else:
            (folder / f"code-{number}.go").write_text("package nobody\n\nfunc main() {}\n")


def has_findings(uri):
    return lambda m: (m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
                      and m["params"]["diagnostics"])


def session(command, top):
    """What one session takes; None where the server never answered."""
    row = {}
    path = top / "project-0050" / "part-050.yaml"
    if not path.exists():
        path = next(top.glob("project-*/part-050.yaml"))
    uri = path.as_uri()
    good = path.read_text()
    # A mistake that a YAML server sees as well as one that knows the order.
    bad = good + "    - name: [\n"
    server = Server(command)
    try:
        row["initialize"] = server.ask("initialize", {
            "processId": os.getpid(), "rootUri": top.as_uri(), "workspaceFolders": [{"uri": top.as_uri(), "name": "w"}],
            "capabilities": {"textDocument": {"publishDiagnostics": {}}, "workspace": {"configuration": True,
                             "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True}}},
        })
        server.send("initialized", {})
        started = time.perf_counter()
        server.send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": bad}})
        moment, _ = server.wait(has_findings(uri))
        row["first finding"] = None if moment is None else moment - started
        position = {"line": 4, "character": 14}
        started = time.perf_counter()
        server.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
        server.ask("workspace/symbol", {"query": "nothing"})
        row["all read"] = time.perf_counter() - started + (row["first finding"] or 0)
        server.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": good}]})
        server.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
        times, cpu = [], server.cpu()
        for version in range(3, 3 + KEYSTROKES):
            text = good.replace("./x", "./x" + "y" * version, 1)
            started = time.perf_counter()
            server.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                                   "contentChanges": [{"text": text}]})
            server.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
            times.append(time.perf_counter() - started)
        row["keystroke"] = statistics.median(times)
        row["keystroke CPU"] = (server.cpu() - cpu) / KEYSTROKES
        row["memory"] = server.memory()
    finally:
        server.process.kill()
        server.process.wait()
    return row


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("servers", nargs="+", metavar="NAME=COMMAND")
    arguments.add_argument("--files", type=int, default=10_000)
    arguments.add_argument("--beside", type=int, default=100_000)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--table", type=pathlib.Path, help="write the table here as well")
    options = arguments.parse_args()
    columns = ["initialize", "first finding", "all read", "keystroke", "keystroke CPU", "memory"]
    lines = ["| server | workspace | initialize | first finding | all read | keystroke | CPU a keystroke | memory |",
             "|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as scratch:
        workspaces = [(f"{options.files:,} files", options.files, 0)]
        if options.beside:
            workspaces.append((f"{options.files:,} beside {options.beside:,} others", options.files, options.beside))
        for title, files, beside in workspaces:
            top = pathlib.Path(scratch) / str(beside)
            workspace(top, files, beside)
            for given in options.servers:
                name, command = given.split("=", 1)
                rows = [session(command, top) for _ in range(options.runs)]
                cells = []
                for column in columns:
                    known = [row[column] for row in rows if row.get(column) is not None]
                    if not known:
                        cells.append("none")
                    elif column == "memory":
                        cells.append(f"{statistics.median(known):.0f} MB")
                    else:
                        cells.append(f"{statistics.median(known) * 1000:.1f} ms")
                lines.append("| " + " | ".join([name, title, *cells]) + " |")
                print(lines[-1], flush=True)
    text = "\n".join(lines)
    print(text)
    if options.table:
        options.table.write_text(text + "\n")
    return 0


sys.exit(main())
