#!/usr/bin/env python3
"""Sits between an editor and a server and records every message.

    lsp_tee.py SESSION.jsonl SERVER ARGUMENT...      (the server command of the editor)

One JSON line per message: {"from": "client" or "server", "t": seconds, "msg": {...}}.
"""
import json
import os
import subprocess
import sys
import threading
import time

record = open(sys.argv[1], "a", buffering=1, encoding="utf-8")
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
lock, started = threading.Lock(), time.monotonic()


def pump(source, target, sender):
    while True:
        head, length = b"", None
        while not head.endswith(b"\r\n\r\n"):
            line = source.readline()
            if not line:
                target.close()
                return
            head += line
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        body = source.read(length)
        with lock:
            entry = {"from": sender, "t": round(time.monotonic() - started, 4), "msg": json.loads(body)}
            record.write(json.dumps(entry) + "\n")
        try:
            target.write(head + body)
            target.flush()
        except (BrokenPipeError, ValueError):
            return


threading.Thread(target=pump, args=(sys.stdin.buffer, server.stdin, "client"), daemon=True).start()
pump(server.stdout, sys.stdout.buffer, "server")
code = server.wait()
record.flush()
# The other thread still reads stdin: an ordinary exit could abort over it.
os._exit(code if code >= 0 else 128 - code)
