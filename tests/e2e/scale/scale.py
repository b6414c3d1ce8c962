#!/usr/bin/env python3
"""How long a language server keeps people waiting in a large workspace, and how much memory it takes.

    scale.py [--files 10000] [--beside 100000] [--table FILE] NAME[@KIND...]=COMMAND...
    scale.py applyorder@tazuna@terramate@terraform='target/release/applyorder server' \\
        yaml-language-server='yaml-language-server --stdio' terramate-ls@terramate=terramate-ls terraform-ls@terraform='terraform-ls serve'

For each kind two workspaces are created: FILES files (Tazuna in YAML, the default kind; Terramate; kapp; Ankaios;
Terraform with Spacelift stacks), and the same next to files without an engine. Each server gets the same editor session: initialize, one
file opened with a mistake in it, the rest read, keystrokes, the mistake made and fixed. One row per server and workspace;
times in milliseconds, the median of the runs; "none" if a server gives no such answer.
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
MISTAKES = 5


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
        """The time of the first matching message, and the message; (None, None) after `limit` seconds."""
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
        moment, answer = self.wait(lambda m: m.get("id") == ident and "method" not in m)
        return None if moment is None or "error" in answer else moment - started

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """The peak resident memory, in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1000


def manifest(name, on):
    needs = f"\n      dependsOn: [{', '.join(on)}]" if on else ""
    return f"    - name: {name}\n      type: kustomize\n      path: ./x{needs}\n"


def head():
    return "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n"


def tazuna(folder, files):
    """A root that includes the other files, each with two manifests that wait for those before."""
    (folder / "x").mkdir(parents=True)
    includes = "".join(f"    - includes: [{{path: part-{i:03}.yaml}}]\n" for i in range(1, files))
    (folder / "tazuna.yaml").write_text(head() + manifest("base", []) + includes)
    for i in range(1, files):
        before = f"m{i - 1}a" if i > 1 else "base"
        (folder / f"part-{i:03}.yaml").write_text(head() + manifest(f"m{i}a", [before]) + manifest(f"m{i}b", ["base"]))


def terramate(folder, files):
    """Stacks that run one after the other."""
    for i in range(files):
        stack = folder / f"stack-{i:03}"
        stack.mkdir(parents=True)
        after = f'  after = ["../stack-{i - 1:03}"]\n' if i else ""
        (stack / "stack.tm.hcl").write_text(f'stack {{\n  name = "./x"\n{after}}}\n')


def terraform(folder, files):
    """A module whose files each declare a stack that depends on the one before."""
    folder.mkdir(parents=True)
    for i in range(files):
        text = f'resource "spacelift_stack" "s{i}" {{\n  name = "./x{i}"\n  repository = "r"\n  branch = "main"\n}}\n'
        if i:
            text += (f'resource "spacelift_stack_dependency" "d{i}" {{\n  stack_id = spacelift_stack.s{i}.id\n'
                     f"  depends_on_stack_id = spacelift_stack.s{i - 1}.id\n}}\n")
        (folder / f"stack-{i:03}.tf").write_text(text)


def kapp(folder, files):
    """An app whose resources each have a group, and wait for the group of the previous one."""
    (folder / "config").mkdir(parents=True)
    (folder / "applyorder.toml").write_text('[[kapp.app]]\nname = "shop"\nfiles = ["config"]\n')
    for i in range(files):
        rule = f'    kapp.k14s.io/change-rule: "upsert after upserting shop/g{i - 1}"\n' if i else ""
        (folder / "config" / f"r{i:03}.yaml").write_text(
            f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: r{i}\n  namespace: shop\n  annotations:\n"
            f'    note: ./x\n    kapp.k14s.io/change-group: "shop/g{i}"\n{rule}')


def ankaios(folder, files):
    """Manifests of one declared apply; each of them is also a separate project."""
    folder.mkdir(parents=True)
    names = ", ".join(f'"part-{i:03}.yaml"' for i in range(files))
    (folder / "applyorder.toml").write_text(f'[[ankaios.apply]]\nname = "all"\nfiles = [{names}]\n')
    for i in range(files):
        needs = f"    dependencies:\n      w{i - 1}: ADD_COND_RUNNING\n" if i else ""
        (folder / f"part-{i:03}.yaml").write_text(
            f"apiVersion: v1\nworkloads:\n  w{i}:\n    runtime: podman\n    agent: agent_A\n    runtimeConfig: |\n"
            f"      image: ./x\n{needs}")


class Kind:
    """How to create a workspace, which file of a project to edit, and a mistake that servers of the language report."""

    def __init__(self, make, file, language, mistake, hover):
        self.make, self.file, self.language, self.mistake, self.hover = make, file, language, mistake, hover


KINDS = {
    "tazuna": Kind(tazuna, "part-050.yaml", "yaml", "    - name: [\n", (4, 14)),
    "terramate": Kind(terramate, "stack-050/stack.tm.hcl", "terramate", "globals {\n  broken = \n}\n", (2, 14)),
    "kapp": Kind(kapp, "config/r050.yaml", "yaml", "  labels: [\n", (3, 9)),
    "ankaios": Kind(ankaios, "part-050.yaml", "yaml", "  more: [\n", (2, 3)),
    "terraform": Kind(terraform, "stack-050.tf", "terraform", 'variable "broken" {\n  default = \n}\n', (7, 40)),
}


def workspace(top, kind, files, beside):
    # The repository determines the root of a Terramate project.
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    if kind is KINDS["terramate"]:
        (top / "terramate.tm.hcl").write_text("terramate {\n  config {\n  }\n}\n")
    per_project = 100
    for number in range(max(1, files // per_project)):
        kind.make(top / f"project-{number:04}", per_project)
    for number in range(beside):
        folder = top / f"beside-{number // 500:04}"
        if number % 500 == 0:
            folder.mkdir()
        if number % 2 == 0:
            (folder / f"values-{number}.yaml").write_text(f"name: nobody-{number}\nreplicas: 3\nports: [80, 443]\n")
        else:
            (folder / f"code-{number}.go").write_text("package nobody\n\nfunc main() {}\n")


def has_findings(uri, at=None):
    """Whether a message has findings of a document, from the line `at` on."""
    def errors(params):
        return [d for d in params["diagnostics"] if at is None or d["range"]["end"]["line"] >= at]
    return lambda m: (m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
                      and errors(m["params"]))


def session(command, top, kind):
    """The measurements of one session; None if the server never answered."""
    row = {}
    path = top / "project-0050" / kind.file
    if not path.exists():
        path = next(top.glob(f"project-*/{kind.file}"))
    uri = path.as_uri()
    good = path.read_text()
    bad = good + kind.mistake
    server = Server(command)
    try:
        row["initialize"] = server.ask("initialize", {
            "processId": os.getpid(), "rootUri": top.as_uri(), "workspaceFolders": [{"uri": top.as_uri(), "name": "w"}],
            "capabilities": {"textDocument": {"publishDiagnostics": {}}, "workspace": {"configuration": True,
                             "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True}}},
        })
        server.send("initialized", {})
        started = time.perf_counter()
        server.send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": kind.language, "version": 1, "text": bad}})
        moment, _ = server.wait(has_findings(uri))
        row["first finding"] = None if moment is None else moment - started
        position = {"line": kind.hover[0], "character": kind.hover[1]}
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
            answered = server.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
            if answered is not None:
                times.append(time.perf_counter() - started)
        row["keystroke"] = statistics.median(times) if times else None
        row["keystroke CPU"] = (server.cpu() - cpu) / KEYSTROKES
        times = []
        for version in range(3 + KEYSTROKES, 3 + KEYSTROKES + 2 * MISTAKES, 2):
            started = time.perf_counter()
            server.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": bad}]})
            moment, _ = server.wait(has_findings(uri, good.count("\n")), 10)
            if moment is None:
                break
            times.append(moment - started)
            server.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": version + 1}, "contentChanges": [{"text": good}]})
            server.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri, 5)
        row["mistake"] = statistics.median(times) if times else None
        row["memory"] = server.memory()
    finally:
        server.process.kill()
        server.process.wait()
    return row


def cell(column, rows):
    known = [row[column] for row in rows if row.get(column) is not None]
    if not known:
        return "none"
    middle = statistics.median(known)
    return f"{middle:.0f} MB" if column == "memory" else f"{middle * 1000:.1f} ms"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("servers", nargs="+", metavar="NAME[@KIND...]=COMMAND")
    arguments.add_argument("--files", type=int, default=10_000)
    arguments.add_argument("--beside", type=int, default=100_000)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--table", type=pathlib.Path, help="write the table here as well")
    options = arguments.parse_args()
    columns = ["initialize", "first finding", "all read", "keystroke", "keystroke CPU", "mistake", "memory"]
    lines = ["| server | workspace | initialize | first finding | all read | keystroke | CPU a keystroke | finding after an edit | memory |",
             "|---|---|---|---|---|---|---|---|---|"]
    wanted = []
    for given in options.servers:
        name, command = given.split("=", 1)
        name, *kinds = name.split("@")
        wanted += [(kind, name, command) for kind in kinds or ["tazuna"]]
    for word in [word for word in KINDS if any(kind == word for kind, _, _ in wanted)]:
        for beside in sorted({0, options.beside}):
            with tempfile.TemporaryDirectory() as scratch:
                top = pathlib.Path(scratch) / "w"
                workspace(top, KINDS[word], options.files, beside)
                title = f"{options.files:,} files of {word}" + (f" beside {beside:,} others" if beside else "")
                for name, command in [(name, command) for kind, name, command in wanted if kind == word]:
                    rows = [session(command, top, KINDS[word]) for _ in range(options.runs)]
                    lines.append("| " + " | ".join([name, title, *(cell(column, rows) for column in columns)]) + " |")
                    print(lines[-1], flush=True)
    text = "\n".join(lines)
    print(text)
    if options.table:
        options.table.write_text(text + "\n")
    return 0


sys.exit(main())
