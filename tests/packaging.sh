#!/usr/bin/env bash
# What is published, as far as it can be tested on one machine: names and versions agree, files match their schemas, the
# wheel, the npm package and the steps of the action run. Nothing is published. APPLYORDER_BIN is the program to pack.
set -u
cd "$(dirname "$0")/.."
. tests/e2e/skipped.sh
here=$PWD
program=$(readlink -f "${APPLYORDER_BIN:-${CARGO_TARGET_DIR:-target}/release/applyorder}")
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
tools=${APPLYORDER_E2E:-$PWD/.e2e}/packaging
scratch=$(mktemp -d)
servers=
trap 'for server in $servers; do kill "$server"; done; rm -rf "$scratch"' EXIT
passed=0 failed=0

check() { # NAME COMMAND...
  local name=$1 text
  shift
  if text=$("$@" 2>&1); then
    echo "ok   $name"
    passed=$((passed + 1))
  else
    echo "FAIL $name"
    printf '%s\n' "$text" | tail -n 20
    failed=$((failed + 1))
  fi
}
holds() { grep -qF -- "$2" "$1" || { echo "$1 has no $2"; return 1; }; }

check 'the version in pyproject.toml' holds pyproject.toml "dependencies = [\"applyorder==$version\"]"
check 'the version in the npm package' holds packaging/npm/package.json "\"version\": \"$version\""
check 'the version in action.yml' holds action.yml "APPLYORDER_ACTION_VERSION: $version"
check 'the version in the GitLab template' holds packaging/gitlab/applyorder.yml "APPLYORDER_VERSION: \"$version\""
check 'the version in the formula' holds packaging/homebrew/applyorder.rb "tag: \"v$version\""
targets() { # FILE: every target that it names is one that is built
  local target
  for target in $(grep -oE '(x86_64|aarch64)-(unknown-linux|apple|pc-windows)-?[a-z]+' "$1" | sort -u); do
    holds .github/workflows/release.yml "target: $target" || return
  done
}
check 'targets of the npm package' targets packaging/npm/target.js
check 'targets of the action' targets packaging/action/install.sh
pinned() { # Anyone who can move a tag of an action can run code in the release; a commit cannot be moved.
  local other
  other=$(grep -nE '^ *-? *uses:' .github/workflows/*.yml action.yml | grep -vE 'uses: [^@]+@[0-9a-f]{40}( |$)')
  [ -z "$other" ] || { echo "$other"; return 1; }
}
check 'actions are pinned by their commits' pinned
toolchain() {
  local version
  version=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
  holds packaging/docker/Dockerfile "FROM rust:${version%.*}-alpine" || holds packaging/docker/Dockerfile "FROM rust:$version-alpine"
}
check 'the image is built with the toolchain of the tests' toolchain

if python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check check-jsonschema 'maturin>=1.9,<2' pre-commit; then
  schema() { "$tools/bin/check-jsonschema" --builtin-schema "$1" "$2"; }
  check 'action.yml fits its schema' schema vendor.github-actions action.yml
  check 'the workflow fits its schema' schema vendor.github-workflows .github/workflows/release.yml
  check 'the GitLab template fits its schema' schema vendor.gitlab-ci packaging/gitlab/applyorder.yml
  check 'the hooks are hooks' "$tools/bin/pre-commit" validate-manifest .pre-commit-hooks.yaml
  permissions() { # Nothing by default, and each job only what it needs.
    "$tools/bin/python" - <<'PY'
import yaml
flow = yaml.safe_load(open(".github/workflows/release.yml"))
assert flow["permissions"] == {}, flow["permissions"]
own = {name: job.get("permissions") for name, job in flow["jobs"].items()}
build = {"contents": "read", "id-token": "write", "attestations": "write"}
assert own == {"build": build, "release": {"contents": "write"}}, own
PY
  }
  check 'each job has the permissions that it needs' permissions
else
  skip packaging-schemas "the tools cannot be installed"
fi
if [ -x "$tools/actionlint" ] || GOBIN=$tools go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 >/dev/null 2>&1; then
  check 'actionlint has nothing to say' "$tools/actionlint" .github/workflows/release.yml
else
  skip actionlint "it cannot be built"
fi

case $(uname -sm) in
  'Linux x86_64') target=x86_64-unknown-linux-musl ;;
  'Linux aarch64') target=aarch64-unknown-linux-musl ;;
  'Darwin x86_64') target=x86_64-apple-darwin ;;
  'Darwin arm64') target=aarch64-apple-darwin ;;
esac
releases=$scratch/releases/v$version
mkdir -p "$releases"
check 'the archive is packed' env APPLYORDER_BIN="$program" bash packaging/pack.sh "$target" "$releases"
(cd "$releases" && sha256sum -- *.tar.gz >SHA256SUMS)
binstall() { # What cargo-binstall would request, and look for in it.
  local of name bin
  of() { sed -n "/^\[package.metadata.binstall\]/,/^\[/s/^$1 = \"\(.*\)\"/\1/p" Cargo.toml; }
  fill() { sed "s/{ version }/$version/g; s/{ target }/$target/g; s/{ archive-suffix }/.tar.gz/; s/{ bin }/applyorder/; s/{ binary-ext }//" <<<"$1"; }
  name=$(fill "$(of pkg-url)") bin=$(fill "$(of bin-dir)")
  [ "${name##*/}" = "$(basename "$releases"/*.tar.gz)" ] || { echo "$name"; return 1; }
  tar -tzf "$releases"/*.tar.gz | grep -qxF "$bin" || { echo "no $bin"; return 1; }
  case $name in *"/releases/download/v$version/"*) ;; *) echo "$name"; return 1 ;; esac
}
check 'cargo-binstall finds the archive and the program in it' binstall
contents() {
  local file
  for file in README.md LICENSE-MIT completions/applyorder.bash completions/applyorder.powershell man/applyorder.1; do
    tar -tzf "$releases"/*.tar.gz | grep -qxF "applyorder-$version-$target/$file" || { echo "no $file"; return 1; }
  done
}
check 'the archive holds completions, manual and licenses' contents
python3 -u -m http.server --bind 127.0.0.1 --directory "$scratch/releases" 0 >"$scratch/server" 2>&1 &
servers=$!
for _ in $(seq 100); do grep -q 'port ' "$scratch/server" && break; sleep 0.1; done
url=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$scratch/server")

# npm: the package is packed, installed from the local server, and run.
if command -v npm >/dev/null; then
  npm_way() {
    local package
    package=$(cd packaging/npm && npm pack --silent --pack-destination "$scratch") || return
    mkdir -p "$scratch/npm" && cd "$scratch/npm" && npm init --yes >/dev/null || return
    APPLYORDER_NPM_RELEASES=$url npm install --silent --no-audit --no-fund "$scratch/$package" || return
    [ "$(npx --no-install applyorder --version)" = "applyorder $version" ] || return
    printf 'spec:\n  manifests:\n    - {name: a, type: kustomize, path: a, dependsOn: [a]}\n' >tazuna.yaml
    npx --no-install applyorder lint tazuna.yaml
    [ $? = 1 ]
  }
  check 'npm installs and runs it' npm_way
  npm_refuses() {
    cp -R packaging/npm "$scratch/tampered" && cd "$scratch/tampered" || return
    mkdir -p "$scratch/other/v$version" && cp "$releases"/*.tar.gz "$scratch/other/v$version/" || return
    sed 's/^./0/; s/^0\(.*\)/f\1/' "$releases/SHA256SUMS" >"$scratch/other/v$version/SHA256SUMS"
    mv "$scratch/other" "$scratch/releases/other"
    ! APPLYORDER_NPM_RELEASES=$url/other node install.js && [ ! -e bin/applyorder-program ]
  }
  check 'npm refuses another checksum' npm_refuses
else
  skip npm "there is no npm"
fi

# The action: its steps, with a fake gh that records its arguments.
mkdir -p "$scratch/bin" "$scratch/work/config"
cat >"$scratch/bin/gh" <<'GH'
#!/bin/sh
printf '%s\n' "$*" >>"$GH_LOG"
case "$1 $2" in "attestation verify") exit "${GH_ATTESTATION:-0}" ;; esac
cat >"$GH_LOG.body"
GH
chmod +x "$scratch/bin/gh"
printf 'spec:\n  manifests:\n    - {name: a, type: kustomize, path: a, dependsOn: [a]}\n' >"$scratch/work/tazuna.yaml"
export GH_LOG=$scratch/gh GITHUB_OUTPUT=$scratch/output RUNNER_TEMP=$scratch/runner GITHUB_REPOSITORY=o/r
mkdir -p "$RUNNER_TEMP"
case $(uname -sm) in Linux*) os=Linux ;; *) os=macOS ;; esac
case $(uname -m) in x86_64) arch=X64 ;; *) arch=ARM64 ;; esac
install() {
  : >"$GITHUB_OUTPUT"
  PATH=$scratch/bin:$PATH RUNNER_OS=$os RUNNER_ARCH=$arch APPLYORDER_ACTION_VERSION=$version APPLYORDER_ACTION_RELEASES=$url \
    bash packaging/action/install.sh
}
installs() { install && holds "$GITHUB_OUTPUT" "program=$RUNNER_TEMP/applyorder-$version/applyorder" && holds "$GH_LOG" "--source-ref refs/tags/v$version"; }
check 'the action installs what is attested' installs
check 'the action refuses what is not attested' eval '! GH_ATTESTATION=1 install && ! grep -q program= "$GITHUB_OUTPUT"'
lints() {
  : >"$GITHUB_OUTPUT"
  local words='$(touch hacked)'
  touch "$scratch/work/$words"
  (cd "$scratch/work" && ACTION_PROGRAM=$program ACTION_PATHS="tazuna.yaml
$words" ACTION_ARGUMENTS="" bash "$here/packaging/action/lint.sh") || return
  [ ! -e "$scratch/work/hacked" ] || { echo 'an input was run'; return 1; }
  holds "$GITHUB_OUTPUT" exit-code=1 && holds "$GITHUB_OUTPUT" "sarif-file=$RUNNER_TEMP/applyorder.sarif"
}
check 'the action lints and keeps the exit code' lints
uploads() {
  PATH=$scratch/bin:$PATH ACTION_SARIF=$RUNNER_TEMP/applyorder.sarif ACTION_COMMIT=abc ACTION_REF=refs/heads/x \
    bash packaging/action/upload-sarif.sh || return
  jq -r .sarif "$GH_LOG.body" | base64 -d | gunzip | cmp - "$RUNNER_TEMP/applyorder.sarif"
}
if command -v jq >/dev/null; then check 'the action uploads the findings' uploads; else skip jq "it is not installed"; fi

# The comment of the action, against a small fake of the API.
comments=$scratch/comments.json
python3 -u tests/support/forge.py "$comments" secret 'github-actions[bot]' >"$scratch/forge" 2>&1 &
servers="$servers $!"
for _ in $(seq 100); do [ -s "$scratch/forge" ] && break; sleep 0.1; done
pull=$scratch/pull
shop() { printf 'spec:\n  manifests:\n'; printf '    - {name: %s, type: kustomize, path: a, dependsOn: [%s]}\n' "$@"; }
mkdir -p "$pull" && (
  cd "$pull" && git init -q -b main && git config user.name a && git config user.email a@example.com &&
    shop db '' api db "'@team/x'" api >tazuna.yaml && git add -A && git commit -qm 1 &&
    git update-ref refs/remotes/origin/main HEAD && git checkout -q -b work &&
    shop db '' api '' "'@team/x'" api cron db >tazuna.yaml && git commit -qam 2
) >/dev/null 2>&1
comments() { # EVENT HEAD [ARGUMENT]: one run of the step
  rm -f "$comments.log" "$scratch/summary" && touch "$comments.log"
  (cd "$pull" && env GITHUB_EVENT_NAME="$1" ACTION_HEAD="$2" ACTION_ARGUMENTS="${3:-}" ACTION_PROGRAM="$program" ACTION_PATHS=. \
    ACTION_AUTHOR='github-actions[bot]' ACTION_BASE=main ACTION_NUMBER=7 GH_TOKEN="${TOKEN:-secret}" \
    GITHUB_API_URL="http://127.0.0.1:$(cat "$scratch/forge")" GITHUB_SERVER_URL=https://forge.example \
    GITHUB_STEP_SUMMARY="$scratch/summary" APPLYORDER_RENDER=1 bash "$here/packaging/action/comment.sh")
}
writes() { grep -c '^\(POST\|PATCH\|DELETE\)' "$comments.log"; }
body() { jq -r ".[$1].body" "$comments"; }
comments_once() {
  # 150 other comments come before it, one of which has its marker and another author.
  jq -n '[range(150) | {id: ., user: {login: "somebody"}, body: "x"}]' >"$comments"
  comments pull_request o/r || return
  [ "$(writes)" = 1 ] && [ "$(jq length "$comments")" = 151 ] || return
  body 150 >"$scratch/first"
  cmp "$scratch/first" <(cat "$scratch/summary"; echo) || return
  grep -q '^<!-- applyorder diff [0-9a-f]\{32\} -->$' <(head -n 1 "$scratch/first") || return
  holds "$scratch/first" '| − | `api` | no longer waits for `db` | [`tazuna.yaml:4`](https://forge.example/o/r/blob/' || return
  ! grep -q '@' "$scratch/first"
}
edits_its_own() {
  jq --arg body "$(cat "$scratch/first")" '.[3].body = $body' "$comments" >"$comments.new" && mv "$comments.new" "$comments"
  (cd "$pull" && shop db '' api db "'@team/x'" api cron '' >tazuna.yaml)
  comments pull_request o/r && [ "$(writes)" = 1 ] && [ "$(jq length "$comments")" = 151 ] || return
  holds <(body 150) 'cron' && [ "$(body 3)" = "$(cat "$scratch/first")" ] || return
  # No difference left: the comment says so, and no new one is written.
  (cd "$pull" && git show main:tazuna.yaml >tazuna.yaml)
  comments pull_request o/r && [ "$(writes)" = 1 ] && holds <(body 150) '✓ same order as' || return
  jq '.[:150]' "$comments" >"$comments.new" && mv "$comments.new" "$comments"
  comments pull_request o/r && [ "$(writes)" = 0 ] && holds "$scratch/summary" '✓ same order as'
}
comments_not() {
  (cd "$pull" && git checkout -q tazuna.yaml) && echo '[]' >"$comments"
  comments pull_request fork/r && [ ! -s "$comments.log" ] && holds "$scratch/summary" 'no longer waits for' || return
  ! comments pull_request_target o/r || return
  [ ! -e "$scratch/summary" ] || return
  comments push o/r && [ ! -e "$scratch/summary" ] || return
  ! comments pull_request o/r --render && [ ! -s "$comments.log" ] || return
  ! TOKEN=other comments pull_request o/r 2>/dev/null && [ "$(cat "$comments")" = '[]' ]
}
needs_the_commits() {
  git clone -q --depth 1 --no-local -b work "file://$pull" "$scratch/shallow" && (cd "$scratch/shallow" && git fetch -q --depth 1 origin main:refs/remotes/origin/main)
  local whole=$pull out
  pull=$scratch/shallow
  out=$(comments pull_request o/r 2>&1) && return 1
  pull=$whole
  holds <(printf '%s' "$out") 'fetch-depth: 0'
}
if command -v jq >/dev/null; then
  check 'the action comments once, with nobody mentioned' comments_once
  check 'the action edits its own comment and no other' edits_its_own
  check 'the action comments neither for forks nor with their secrets nor rendered' comments_not
  check 'the action says what the checkout lacks' needs_the_commits
fi

# The Python packages: a wheel with the program, and the pre-commit shim that depends on it, without cargo.
if [ -x "$tools/bin/pip" ]; then
  wheel() {
    # A wheel with maturin's layout; releases build it with maturin itself.
    python3 tests/support/wheel.py "$program" "$version" "$scratch/index" || return
    python3 -m venv "$scratch/venv" && mkdir "$scratch/shim" && cp pyproject.toml "$scratch/shim" || return
    PATH=/usr/bin:/bin "$scratch/venv/bin/pip" install --quiet --disable-pip-version-check \
      --find-links "$scratch/index" --no-cache-dir "$scratch/shim" || return
    [ "$("$scratch/venv/bin/applyorder" --version)" = "applyorder $version" ]
  }
  check 'the shim installs the wheel of this version' wheel
fi

# The whole action, step by step: findings are uploaded, and then it fails.
acts() { # EXAMPLE INPUTS: in the example's directory
  (
    cd "$here/$1" || exit
    jq -n --argjson inputs "$2" '{inputs: $inputs, github: {token: "t", sha: "abc", ref: "refs/heads/x", base_ref: "main"}}' >"$scratch/context"
    PATH=$scratch/bin:$PATH RUNNER_OS=$os RUNNER_ARCH=$arch APPLYORDER_ACTION_RELEASES=$url GITHUB_ACTION_PATH=$here \
      "$tools/bin/python" "$here/tests/support/steps.py" "$here/action.yml" "$scratch/context"
  )
}
uploads_findings() {
  local said
  rm -f "$GH_LOG" "$GH_LOG.body"
  said=$(acts examples/tazuna/broken '{"sarif": "true"}')
  [ $? = 1 ] || { echo "$said"; return 1; }
  holds <(printf '%s' "$said") 'lint: 0' && holds <(printf '%s' "$said") 'output exit-code=1' &&
    holds "$GH_LOG" 'code-scanning/sarifs' && jq -r .sarif "$GH_LOG.body" | base64 -d | gunzip | jq -e '.runs[0].results | length > 0'
}
passes() {
  local said
  rm -f "$GH_LOG"
  said=$(acts examples/tazuna/shop '{}') || { echo "$said"; return 1; }
  # Nothing is sent unless it was requested.
  ! grep -q api "$GH_LOG" && holds <(printf '%s' "$said") 'output exit-code=0'
}
fails_not() { acts examples/tazuna/broken '{"fail": "false"}' >/dev/null; }
stops_unattested() { # Then nothing is linted, and the job fails.
  local said
  said=$(GH_ATTESTATION=1 acts examples/tazuna/shop '{"sarif": "true", "comment": "true"}') && return 1
  holds <(printf '%s' "$said") 'lint: skipped' && ! grep -q '^output sarif-file=.' <<<"$said"
}
if [ -x "$tools/bin/python" ] && command -v jq >/dev/null; then
  check 'the action uploads what was found, and then fails' uploads_findings
  check 'the action passes where nothing was found, and sends nothing' passes
  check 'the action can leave it at the findings' fails_not
  check 'the action stops at an attestation that does not hold' stops_unattested
fi

# The steps of the release, except for what only its runners have: the archive contains the given program.
releases_draft() {
  local work=$scratch/release
  mkdir -p "$work" && cp -R Cargo.toml packaging README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$work" || return
  "$tools/bin/python" - <<'PY' >"$work/release.yml"
import yaml
flow = yaml.safe_load(open(".github/workflows/release.yml"))
steps = flow["jobs"]["build"]["steps"] + flow["jobs"]["release"]["steps"]
wanted = {"Build and pack", "Checksums", "Draft"}
flow["jobs"] = {"all": {"steps": [s for s in steps if s.get("name") in wanted]}}
assert len(flow["jobs"]["all"]["steps"]) == len(wanted)
print(yaml.safe_dump(flow))
PY
  jq -n --arg target "$target" --arg tag "v$version" \
    '{matrix: {target: $target}, github: {ref_name: $tag, token: "t", repository: "o/r"}}' >"$work/context"
  rm -f "$GH_LOG"
  (cd "$work" && APPLYORDER_BIN=$program PATH=$scratch/bin:$PATH "$tools/bin/python" "$here/tests/support/steps.py" release.yml context all) || return
  (cd "$work/dist" && sha256sum --check SHA256SUMS) || return
  holds "$GH_LOG" "release create v$version --draft --verify-tag" && holds "$GH_LOG" "dist/applyorder-$version-$target.tar.gz" &&
    holds "$GH_LOG" dist/SHA256SUMS
}
if [ -x "$tools/bin/python" ] && command -v jq >/dev/null; then
  check 'the release packs, sums up and drafts' releases_draft
fi

# The script of the GitLab template, with the wheel from a folder.
gitlab() {
  local work=$scratch/gitlab
  mkdir -p "$work" && cp -R examples/tazuna/broken/. "$work" || return
  "$tools/bin/python" - <<'PY' >"$work/script" || return
import shlex
import yaml
flow = yaml.safe_load(open("packaging/gitlab/applyorder.yml"))
for name, value in {**flow["variables"], **flow["applyorder"]["variables"]}.items():
    print(f"export {name}={shlex.quote(value)}")
print("set -e", *flow["applyorder"]["script"], sep="\n")
assert flow["applyorder"]["artifacts"]["when"] == "always"
PY
  python3 -m venv "$work/venv" || return
  (cd "$work" && PATH=$work/venv/bin:/usr/bin:/bin PIP_FIND_LINKS=$scratch/index PIP_NO_INDEX=1 bash script)
  [ $? = 1 ] || { echo 'it does not fail on findings'; return 1; }
  jq -e 'length > 0 and all(.[]; .fingerprint and .location.path)' "$work/applyorder-quality.json"
}
if [ -d "$scratch/index" ] && command -v jq >/dev/null; then check 'the GitLab template lints and leaves its report' gitlab; fi

# The formula's own test, without Homebrew.
formula() {
  local work=$scratch/formula
  mkdir -p "$work" && sed -n '/<<~YAML/,/^ *YAML$/p' packaging/homebrew/applyorder.rb | sed '1d;$d;s/^      //' >"$work/tazuna.yaml"
  grep -q 'dependsOn: \[a\]' "$work/tazuna.yaml" || return
  local said
  said=$(cd "$work" && "$program" lint 2>&1)
  [ $? = 1 ] && holds <(printf '%s' "$said") "$(sed -n 's/.*assert_match "\([^"]*\)".*/\1/p' packaging/homebrew/applyorder.rb)" &&
    "$program" man | grep -q '^\.TH' && "$program" completions fish >/dev/null
}
check 'what the test of the formula does' formula

# What Zed does with the extension when it installs it.
wasm=wasm32-wasip2
if rustup target list --installed 2>/dev/null | grep -qx "$wasm"; then
  # In a copy, because it leaves a lock file.
  cp -R editors/zed "$scratch/zed"
  check 'the extension of Zed compiles' cargo check --quiet --manifest-path "$scratch/zed/Cargo.toml" \
    --target "$wasm" --target-dir "$tools/zed"
else
  skip zed "the target $wasm is not installed"
fi

if command -v mdbook >/dev/null; then
  check 'the book is built' mdbook build --dest-dir "$scratch/book"
else
  skip mdbook "it is not installed"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
