#!/usr/bin/env bash
# Hands the findings to code scanning, with the token of the job and no action of somebody else.
set -euo pipefail
gzip -c "$ACTION_SARIF" | base64 | tr -d '\n' >"$RUNNER_TEMP/applyorder.sarif.gz.b64"
jq -n --rawfile sarif "$RUNNER_TEMP/applyorder.sarif.gz.b64" --arg commit "$ACTION_COMMIT" --arg ref "$ACTION_REF" \
  '{commit_sha: $commit, ref: $ref, sarif: $sarif, tool_name: "applyorder"}' |
  gh api --method POST "repos/$GITHUB_REPOSITORY/code-scanning/sarifs" --input - >&2
