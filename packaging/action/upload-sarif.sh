#!/usr/bin/env bash
# Uploads the findings to code scanning with the job's token and without a third-party action.
set -euo pipefail
gzip -c "$ACTION_SARIF" | base64 | tr -d '\n' >"$RUNNER_TEMP/applyorder.sarif.gz.b64"
jq -n --rawfile sarif "$RUNNER_TEMP/applyorder.sarif.gz.b64" --arg commit "$ACTION_COMMIT" --arg ref "$ACTION_REF" \
  '{commit_sha: $commit, ref: $ref, sarif: $sarif, tool_name: "applyorder"}' |
  gh api --method POST "repos/$GITHUB_REPOSITORY/code-scanning/sarifs" --input - >&2
