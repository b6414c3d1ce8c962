#!/usr/bin/env bash
# Lints, writes annotations to the log and SARIF to a file, and leaves the exit code to a later step, so that the
# findings are uploaded first. Each line of ACTION_PATHS and ACTION_ARGUMENTS is one argument, whatever it contains.
set -euo pipefail
lines() { while IFS= read -r line || [ -n "$line" ]; do if [ -n "$line" ]; then printf '%s\0' "$line"; fi; done <<<"$1"; }
paths=() arguments=()
while IFS= read -r -d '' line; do paths+=("$line"); done < <(lines "$ACTION_PATHS")
while IFS= read -r -d '' line; do arguments+=("$line"); done < <(lines "$ACTION_ARGUMENTS")
sarif=$RUNNER_TEMP/applyorder.sarif
rm -f "$sarif"
code=0
"$ACTION_PROGRAM" lint --format github --format "sarif=$sarif" ${arguments[@]+"${arguments[@]}"} -- \
  ${paths[@]+"${paths[@]}"} || code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
if [ -s "$sarif" ]; then echo "sarif-file=$sarif" >>"$GITHUB_OUTPUT"; fi
