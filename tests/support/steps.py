"""Runs the shell steps of a GitHub action or of a job of a workflow as the runner does, as far as that needs no GitHub.

steps.py FILE CONTEXT [JOB]: CONTEXT is a JSON file with `inputs`, `github`, `matrix` and the like. Steps that use an
action are named and left out. Prints which steps ran, with their exit codes, and ends with the first code that is
not 0."""

import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(\|\||&&|==|!=|!|\(|\))|([A-Za-z_][\w.\[\]*-]*)(\(\))?)")


class Expression:
    """An expression of `${{ }}`: names, strings, `!`, `==`, `!=`, `&&`, `||` and the functions of a step's state."""

    def __init__(self, text, context, failed):
        self.tokens, at = [], 0
        while at < len(text.rstrip()):
            found = TOKEN.match(text, at)
            if not found:
                raise SystemExit(f"not understood: {text[at:]}")
            self.tokens.append(found.groups())
            at = found.end()
        self.context, self.failed = context, failed

    def operator(self, *wanted):
        if self.tokens and self.tokens[0][1] in wanted:
            return self.tokens.pop(0)[1]
        return None

    def either(self):
        left = self.both()
        while self.operator("||"):
            right = self.both()
            left = left or right
        return left

    def both(self):
        left = self.compared()
        while self.operator("&&"):
            right = self.compared()
            left = left and right
        return left

    def compared(self):
        left = self.single()
        while sign := self.operator("==", "!="):
            same = str(left if left is not None else "") == str(self.single() or "")
            left = same if sign == "==" else not same
        return left

    def single(self):
        if self.operator("!"):
            return not self.single()
        if self.operator("("):
            inner = self.either()
            self.operator(")")
            return inner
        string, _, name, call = self.tokens.pop(0)
        if string:
            return string[1:-1].replace("''", "'")
        if call:
            return {"cancelled": False, "always": True, "success": not self.failed, "failure": self.failed}[name]
        value = self.context
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value


def filled(text, context, failed):
    """A text with its expressions replaced."""
    def value(found):
        answer = Expression(found.group(1), context, failed).either()
        return "" if answer is None else str(answer).lower() if isinstance(answer, bool) else str(answer)

    return re.sub(r"\$\{\{(.*?)\}\}", value, str(text))


def holds(step, context, failed):
    condition = step.get("if")
    if condition is None:
        return not failed
    inner = re.sub(r"^\s*\$\{\{(.*)\}\}\s*$", r"\1", str(condition))
    answer = bool(Expression(inner, context, failed).either())
    is_asked = re.search(r"\b(cancelled|always|failure|success)\(\)", inner)
    return answer and (bool(is_asked) or not failed)


def main():
    file, context_file, *job = sys.argv[1:]
    document = yaml.safe_load(open(file))
    context = json.load(open(context_file))
    given = context.setdefault("inputs", {})
    for name, about in (document.get("inputs") or {}).items():
        given.setdefault(name, filled(about.get("default", ""), context, False))
    steps = document["jobs"][job[0]]["steps"] if job else document["runs"]["steps"]
    context["steps"], first = {}, 0
    shared = {name: filled(value, context, False) for name, value in (document.get("env") or {}).items()}
    for index, step in enumerate(steps):
        name = step.get("id") or step.get("name") or step.get("uses") or str(index)
        if "uses" in step:
            print(f"{name}: left out")
            continue
        if not holds(step, context, first != 0):
            print(f"{name}: skipped")
            continue
        if "${{" in step["run"]:
            raise SystemExit(f"{name}: an expression in the script itself: whatever it holds would be run")
        env = {**os.environ, **shared}
        env.update({key: filled(value, context, first != 0) for key, value in (step.get("env") or {}).items()})
        with tempfile.NamedTemporaryFile("r", suffix=".output") as output:
            env["GITHUB_OUTPUT"] = output.name
            code = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                env=env,
                cwd=filled(step.get("working-directory") or ".", context, False),
            ).returncode
            outputs = dict(line.split("=", 1) for line in output.read().splitlines() if "=" in line)
        if "id" in step:
            context["steps"][step["id"]] = {"outputs": outputs}
        print(f"{name}: {code}")
        first = first or code
    for name, about in (document.get("outputs") or {}).items() if not job else ():
        print(f"output {name}={filled(about['value'], context, False)}")
    sys.exit(first)


main()
