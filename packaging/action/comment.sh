#!/usr/bin/env bash
# Writes the difference of the order to the step summary and, if permitted, to one comment of the pull request, which is
# edited in place. Nothing from the repository is run: no `--render`, and no event that exposes secrets to a fork's
# code.
set -euo pipefail
lines() { while IFS= read -r line || [ -n "$line" ]; do if [ -n "$line" ]; then printf '%s\0' "$line"; fi; done <<<"$1"; }
stop() { echo "::error title=applyorder::$1"; exit 1; }
case $GITHUB_EVENT_NAME in
  pull_request) ;;
  pull_request_target) stop 'comment: not on pull_request_target, where the code of a fork would be read with your secrets' ;;
  *) exit 0 ;;
esac
paths=() arguments=()
while IFS= read -r -d '' line; do paths+=("$line"); done < <(lines "$ACTION_PATHS")
while IFS= read -r -d '' line; do
  case $line in --render | --render=*) stop 'comment: --render would run what the pull request says' ;; esac
  arguments+=("$line")
done < <(lines "$ACTION_ARGUMENTS")
unset APPLYORDER_RENDER
comment=$RUNNER_TEMP/applyorder-comment.md
url=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/blob/{commit}/{path}#L{line}
code=0
"$ACTION_PROGRAM" diff ${arguments[@]+"${arguments[@]}"} --exit-code --source-url "$url" --format "markdown=$comment" -- \
  "origin/$ACTION_BASE" ${paths[@]+"${paths[@]}"} || code=$?
if [ ! -s "$comment" ]; then
  if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    stop 'the order could not be compared; the checkout needs `fetch-depth: 0`'
  fi
  stop 'the order could not be compared'
fi
cat "$comment" >>"$GITHUB_STEP_SUMMARY"
if [ "$code" -gt 1 ]; then
  stop 'not everything could be read: the difference in the step summary is not whole'
fi
# The token of a fork's run has no write access, and must not have.
if [ "$ACTION_HEAD" != "$GITHUB_REPOSITORY" ]; then
  echo 'applyorder: a pull request from a fork: the difference is in the step summary' >&2
  exit 0
fi
api() { # METHOD PATH [CURL-ARGUMENT...]: the token is not an argument, because others on the machine could see it.
  local method=$1 path=$2
  shift 2
  curl --fail --silent --show-error --retry 3 --request "$method" "$@" \
    --header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' \
    --config <(printf 'header = "Authorization: Bearer %s"\n' "$GH_TOKEN") "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$path"
}
# Our comment is identified by the marker of this question in its first line, and by its author, the user of this token.
marker=$(head -n 1 "$comment")
own= page=1
while :; do
  found=$(api GET "issues/$ACTION_NUMBER/comments?per_page=100&page=$page")
  own=$(jq -r --arg marker "$marker" --arg author "$ACTION_AUTHOR" \
    '[.[] | select(.user.login == $author and (.body | split("\n")[0] | rtrimstr("\r")) == $marker) | .id] | first // empty' <<<"$found")
  if [ -n "$own" ] || [ "$(jq length <<<"$found")" -lt 100 ]; then break; fi
  page=$((page + 1))
done
body=$RUNNER_TEMP/applyorder-comment.json
jq -n --rawfile body "$comment" '{body: $body}' >"$body"
if [ -n "$own" ]; then
  api PATCH "issues/comments/$own" --data "@$body" --output /dev/null
elif [ "$code" = 1 ]; then
  api POST "issues/$ACTION_NUMBER/comments" --data "@$body" --output /dev/null
fi
