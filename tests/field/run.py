#!/usr/bin/env python3
"""Lints public repositories at fixed commits, and compares what is found with what was found before.

    python3 tests/field/run.py BINARY [--accept] [--engine ENGINE] [OWNER/NAME...]

Exit code 0: as stored, and no rule below is broken; 1: not; 2: a repository could not be had.
"""

import argparse
import collections
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FINDINGS = HERE / "findings"
TIMEOUT = 300

# Rules whose errors no command of the engine reports, although the problem is certain: the engine accepts it, and then
# waits forever or loses what was written.
CERTAIN = {
    ("ankaios", "cycle"),
    ("ankaios", "self-dependency"),
}

# What identifies a file as one of the engine's. Files of Terramate and Terraform are identified by their project as
# well, see `carries_mark`.
MARKS = {
    "kapp": re.compile(rb"kapp\.k14s\.io"),
    "ankaios": re.compile(rb"^\s*['\"]?(workloads|configs)\b", re.MULTILINE),
    "spacelift": re.compile(rb"spacelift", re.IGNORECASE),
    "tazuna": re.compile(rb"manifests|tazuna", re.IGNORECASE),
}
TERRAMATE_BLOCK = re.compile(
    rb"^\s*(terramate|stack|globals|generate_hcl|generate_file|import|script|assert|input|output|sharing_backend"
    rb"|vendor|define|environment|scaffold|bundle|component|map)\b[^=\n]*\{",
    re.MULTILINE,
)
NOT_ONE_PROJECT = re.compile(r"probably not one (app|project)")


def environment():
    """The environment of git and of the binary, without user settings."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("APPLYORDER_", "GIT_"))}
    kept.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull, GIT_TERMINAL_PROMPT="0")
    return kept


def git(folder, *arguments, check=True):
    """The output of a git command, with the programs that a repository may name disabled."""
    safe = ["-c", "core.hooksPath=" + os.devnull, "-c", "core.autocrlf=false"]
    done = subprocess.run(
        ["git", "-C", folder, *safe, *arguments], env=environment(), capture_output=True, text=True, errors="replace"
    )
    if check and done.returncode != 0:
        raise OSError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def checkout(name, commit, cache, mirrors):
    """The folder with the files of a commit, and how many of them the mirror does not have."""
    folder = cache / name.replace("/", "+")
    done = cache / (folder.name + ".done")
    if done.is_file() and done.read_text().split()[:1] == [commit]:
        return folder, int(done.read_text().split()[1])
    folder.mkdir(parents=True, exist_ok=True)
    done.unlink(missing_ok=True)
    git(folder, "init", "--quiet")
    # Contents of large files stored elsewhere are not needed, and their program is not run.
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("* -filter -text -eol -ident -working-tree-encoding\n")
    mirror = next((path for path in places(mirrors, name) if (path / "objects").is_dir()), None)
    if mirror is not None:
        # Borrowed and not fetched: a mirror may lack large files, and a fetch requires all.
        (folder / ".git" / "objects" / "info").mkdir(exist_ok=True)
        (folder / ".git" / "objects" / "info" / "alternates").write_text(f"{(mirror / 'objects').resolve()}\n")
    else:
        git(folder, "fetch", "--quiet", "--depth", "1", f"https://github.com/{name}", commit)
    git(folder, "update-ref", "--no-deref", "HEAD", commit)
    git(folder, "read-tree", commit)
    git(folder, "checkout-index", "--all", "--force", "--quiet", check=mirror is None)
    missing = sum(1 for _ in filter(None, git(folder, "ls-files", "--deleted", "-z").split("\0")))
    done.write_text(f"{commit} {missing}\n")
    return folder, missing


def places(mirrors, name):
    """The possible paths of a repository in a directory of mirrors."""
    if mirrors is None:
        return []
    base = pathlib.Path(mirrors) / name.replace("/", "+")
    return [base, base / "repo", base / ".git", base / "repo" / ".git"]


def lint(binary, folder):
    """The findings and the projects of a repository; its own configuration is ignored."""
    with tempfile.TemporaryDirectory() as scratch:
        lines, whole = pathlib.Path(scratch, "lines"), pathlib.Path(scratch, "whole")
        command = [binary, "lint", "--isolated", "--whole", "--exit-zero", "--min-severity", "info"]
        command += ["--format", f"json-lines={lines}", "--format", f"json={whole}", "."]
        done = subprocess.run(
            command, cwd=folder, env=environment(), capture_output=True, text=True, errors="replace", timeout=TIMEOUT
        )
        if done.returncode != 0 and not lines.is_file():
            raise OSError(f"exit code {done.returncode}: {done.stderr.strip()[:500]}")
        found = [json.loads(line) for line in lines.read_text().splitlines()]
        projects = json.loads(whole.read_text())["projects"]
        failed = f"exit code {done.returncode}: {done.stderr.strip()[:500]}" if done.returncode != 0 else None
    return found, projects, failed


def engines_of(finding):
    """The engines of the projects of a finding."""
    return {project.split(":", 1)[0] for project in finding["projects"]}


def carries_mark(engine, path, folder, projects):
    """Whether a file contains a marker of the engine."""
    try:
        text = (folder / path).read_bytes()
    except OSError:
        return False
    mark = TERRAMATE_BLOCK if engine == "terramate" else MARKS[engine]
    # Terraform evaluates all files of a module, and Terramate loads all of a directory.
    return mark.search(text) is not None or (
        engine in ("terramate", "spacelift")
        and any(project["engine"] == engine and path in files_of(project) for project in projects)
    )


def files_of(project):
    """The paths of the files of a project."""
    return {file if isinstance(file, str) else file.get("path") for file in project["files"]}


def broken(engine, found, folder, projects):
    """The rules that a repository breaks, one per line."""
    if engine == "none":
        for finding in found:
            yield f"finding in a repository without an engine: {line(finding)}"
    for finding in found:
        engines = engines_of(finding)
        if finding["severity"] == "error":
            if not finding["enforced"] and not any((one, finding["rule"]) in CERTAIN for one in engines):
                yield f"error that no command of the engine reports: {line(finding)}"
            if finding["certainty"] != "certain":
                yield f"error that is not certain: {line(finding)}"
        if finding["place"] is None:
            yield f"finding without a place: {finding['rule']} {finding['message']}"
        elif not engines:
            yield f"finding of no project: {line(finding)}"
        elif not any(carries_mark(one, finding["place"]["path"], folder, projects) for one in engines):
            yield f"finding in a file without a mark of {', '.join(sorted(engines))}: {line(finding)}"
    for project in projects:
        yield from disagreements(project)
    several = [finding for finding in found if NOT_ONE_PROJECT.search(finding["message"])]
    if len(several) > 1:
        yield f"{len(several)} findings say that something is not one project"


def disagreements(project):
    """The differences between the verdicts of a project and its findings."""
    rejecting = collections.defaultdict(set)
    for finding in project["diagnostics"]:
        for by in finding["enforced"]:
            rejecting[by["command"]].add(finding["severity"])
    for verdict in project["verdicts"]:
        severities = rejecting[verdict["command"]]
        if verdict["ok"] is False and not severities:
            yield f"{project['key']}: `{verdict['command']}` is rejected, and no finding says so"
        if verdict["ok"] is not False and "error" in severities:
            yield f"{project['key']}: an error says that `{verdict['command']}` is rejected, and the verdict does not"


def line(finding):
    """A finding as stored: without its message, whose wording may change."""
    place = finding["place"]
    where = f"{place['path']}:{place['start']['line']}" if place else "-"
    return f"{where}: {finding['severity']}[{finding['rule']}]"


def stored(name):
    """The file with the findings of a repository."""
    return FINDINGS / (name.replace("/", "+") + ".txt")


def repositories():
    """Name, commit and engine of each repository."""
    for text in (HERE / "repositories.tsv").read_text().splitlines():
        if text and not text.startswith("#"):
            yield tuple(text.split("\t"))


def summary(engine, results):
    """The summary of all repositories of an engine."""
    counts = collections.Counter(finding["severity"] for found, _ in results for finding in found)
    listed = [project for _, projects in results for project in projects]
    told = ", ".join(f"{counts[severity]} {severity}" for severity in ("error", "warning", "info"))
    text = f"{engine}: {len(results)} repositories, {len(listed)} projects, {told}"
    if engine == "spacelift":
        edges = sum(len(project["edges"]) for project in listed if project["engine"] == engine)
        unknown = sum(len(project["unresolved"]) for project in listed if project["engine"] == engine)
        share = f"{100 * edges / (edges + unknown):.0f} %" if edges + unknown else "-"
        text += f"; {edges} dependencies resolved, {unknown} values unresolved ({share})"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("only", nargs="*", metavar="OWNER/NAME")
    parser.add_argument("--accept", action="store_true", help="store what is found")
    parser.add_argument("--engine", help="only the repositories of this engine, or `none`")
    given = parser.parse_args()
    binary = given.binary.resolve()
    cache = os.environ.get("APPLYORDER_FIELD")
    mirrors = os.environ.get("APPLYORDER_FIELD_MIRRORS")
    code = 0
    results = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as temporary:
        cache = pathlib.Path(cache or temporary).resolve()
        for name, commit, engine in repositories():
            if (given.only and name not in given.only) or given.engine not in (None, engine):
                continue
            try:
                folder, missing = checkout(name, commit, cache, mirrors)
            except OSError as error:
                print(f"{name}: {error}")
                code = 2
                continue
            try:
                found, projects, failed = lint(binary, folder)
            except (OSError, subprocess.TimeoutExpired, ValueError) as error:
                print(f"{name}: {error}")
                code = max(code, 1)
                continue
            results[engine].append((found, projects))
            problems = ([failed] if failed else []) + list(broken(engine, found, folder, projects))
            new = sorted(line(finding) for finding in found)
            path = stored(name)
            old = path.read_text().splitlines() if path.is_file() else []
            difference = list(difflib.unified_diff(old, new, "stored", "found", n=0, lineterm=""))[2:]
            if given.accept:
                path.parent.mkdir(exist_ok=True)
                path.write_text("".join(text + "\n" for text in new))
                difference = []
            note = f" ({missing} files not in the mirror)" if missing else ""
            print(f"{name}: {len(projects)} projects, {len(new)} findings{note}")
            for text in problems + difference:
                print(f"  {text}")
            if problems or difference:
                code = max(code, 1)
    for engine, listed in results.items():
        print(summary(engine, listed))
    return code


if __name__ == "__main__":
    sys.exit(main())
