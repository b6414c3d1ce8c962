#!/usr/bin/env python3
"""Checks a session recorded by lsp_tee.py against the protocol's own types.

    lsp_strict.py [--may-kill] SESSION.jsonl...

`lsprotocol` is generated from the protocol's meta model. Every message of the server is turned
into its typed class and back; what does not survive this is a finding: wrong types and
values, missing or unknown properties, null where only absence is allowed. Also found: answers
to no request, a second answer, requests left without one, server requests before
`initialized`, backward ranges. What editors send is not checked: real ones violate the
letter of the protocol. --may-kill: the editor may end the server without waiting for the
answer to `shutdown`.
"""
import argparse
import json
import sys

from lsprotocol import converters, types

# Free-form according to the meta model, so unknown properties inside them are not findings.
FREE_FORM = {"data", "initializationOptions", "experimental", "settings", "arguments",
             "registerOptions", "value", "changes", "documentChanges"}
CONVERTER = converters.get_converter()


def lost(sent, kept, path=""):
    """The differences between the JSON `sent` and `kept`, its round trip through the types."""
    if isinstance(sent, dict) and isinstance(kept, dict):
        for key, value in sent.items():
            if key in FREE_FORM and "." in path[1:]:
                continue
            if key in kept:
                yield from lost(value, kept[key], f"{path}.{key}")
            elif value is None:
                yield f"{path}.{key}: null, but the property may only be left out"
            else:
                yield f"{path}.{key}: unknown property {json.dumps(value)[:60]}"
    elif isinstance(sent, list) and isinstance(kept, list):
        if len(sent) != len(kept):
            yield f"{path}: {len(sent)} items became {len(kept)}"
        for index, (one, other) in enumerate(zip(sent, kept)):
            yield from lost(one, other, f"{path}[{index}]")
    elif sent != kept or isinstance(sent, bool) != isinstance(kept, bool):
        yield f"{path}: {json.dumps(sent)[:60]} became {json.dumps(kept)[:60]}"


def bad_ranges(value, path=""):
    if isinstance(value, dict):
        if set(value) == {"start", "end"} and all(isinstance(p, dict) and "line" in p for p in value.values()):
            start, end = ((p["line"], p["character"]) for p in (value["start"], value["end"]))
            if start > end:
                yield f"{path}: range runs backwards, {start} to {end}"
            if min(*start, *end) < 0:
                yield f"{path}: negative position"
        for key, inner in value.items():
            yield from bad_ranges(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from bad_ranges(inner, f"{path}[{index}]")


def leaves(error):
    """The messages inside the nested groups of errors that the converter raises."""
    inner = getattr(error, "exceptions", None)
    if inner is None:
        return [f"{type(error).__name__}: {error}"]
    return [text for one in inner for text in leaves(one)]


class Session:
    def __init__(self):
        self.open_requests = {}
        self.initialized = False
        self.checked = 0
        self.findings = []

    def take(self, number, sender, message):
        method, ident = message.get("method"), message.get("id")
        asked = method
        if method is None:
            other = "client" if sender == "server" else "server"
            asked = self.open_requests.pop((other, ident), None)
        elif ident is not None:
            if (sender, ident) in self.open_requests and sender == "server":
                self.findings.append(f"line {number}: request id {ident} is in use already")
            self.open_requests[sender, ident] = method
        # One recording may contain several sessions, one after the other.
        if method in ("initialize", "initialized"):
            self.initialized = method == "initialized"
        if sender == "server":
            self.checked += 1
            what = f"line {number}, {method or 'answer to ' + str(asked)}"
            self.findings += [f"{what}: {text}" for text in self.judge(message, method, asked)]

    def judge(self, message, method, asked):
        if message.get("jsonrpc") != "2.0":
            yield 'no "jsonrpc": "2.0"'
        if method is None and asked is None:
            yield "answers no open request"
            return
        if method is None:
            if ("result" in message) == ("error" in message):
                yield "needs exactly one of result and error"
            if "error" in message:
                error = message["error"]
                if not isinstance(error.get("code"), int) or not isinstance(error.get("message"), str):
                    yield "error needs an integer code and a text"
                return
        elif "id" in message and not self.initialized and method != "window/showMessageRequest":
            yield "request before `initialized`"
        if asked not in types.METHOD_TO_TYPES:
            # Methods that start with a dollar or with our name are not expected to be in it.
            if not asked.startswith(("$/", "applyorder/")):
                yield "method is not in the protocol"
            return
        if method is not None and types.message_direction(method) not in ("both", "serverToClient"):
            yield "only a client may send this"
        kind = types.METHOD_TO_TYPES[asked][0 if method else 1]
        if kind is None:
            return
        try:
            kept = CONVERTER.unstructure(CONVERTER.structure(message, kind))
        except Exception as error:  # the converter raises whatever its hooks raise
            yield f"is no {kind.__name__}: " + "; ".join(leaves(error))[:300]
            return
        yield from lost(message, kept)
        yield from bad_ranges(message)


def check(path, may_kill):
    session = Session()
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            record = json.loads(line)
            session.take(number, record["from"], record["msg"])
    for (sender, ident), method in session.open_requests.items():
        if sender == "client" and not (may_kill and method == "shutdown"):
            session.findings.append(f"request {ident}, {method}, never got an answer")
    for finding in session.findings:
        print("FAIL", finding)
    return session.checked, len(session.findings)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("sessions", nargs="+")
    arguments.add_argument("--may-kill", action="store_true")
    options = arguments.parse_args()
    results = [check(path, options.may_kill) for path in options.sessions]
    checked, findings = (sum(column) for column in zip(*results))
    print(f"{checked} messages of the server in {len(results)} sessions held against the protocol, {findings} findings")
    # A recording without messages proves nothing.
    return 1 if findings or not all(count for count, _ in results) else 0


sys.exit(main())
