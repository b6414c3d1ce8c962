#!/usr/bin/env bash
# Runs `applyorder server` inside real editors on copies of the Tazuna examples:
#   tests/e2e/run.sh [nvim|helix|emacs|vscode|all]...       (no argument: nvim)
# Editors are installed by setup.sh into ${APPLYORDER_E2E:-.e2e}; one that cannot be installed is skipped with a
# message.
# The server is ${APPLYORDER_BIN:-the release build}. Each session is recorded and checked against the protocol's own
# types. Ends with "N passed, N failed".
#     tests/e2e/run.sh record         makes the recordings of the README again, in docs/images
#   tests/e2e/run.sh pictures       runs vscode, and takes the pictures of its README
set -u
cd "$(dirname "$0")/../.."
. tests/e2e/skipped.sh
export E2E=${APPLYORDER_E2E:-$PWD/.e2e}
export APPLYORDER_BIN=${APPLYORDER_BIN:-${CARGO_TARGET_DIR:-target}/release/applyorder}
OUT=$E2E/out
mkdir -p "$OUT/bin"
OUT=$(cd "$OUT" && pwd)
[ $# -gt 0 ] || set -- nvim
[ "$*" != all ] || set -- nvim helix emacs vscode
if [ ! -x "$APPLYORDER_BIN" ]; then
  echo "no $APPLYORDER_BIN: build it with 'cargo build --release'" >&2
  exit 2
fi
APPLYORDER_BIN=$(readlink -f "$APPLYORDER_BIN")

# The editors find `applyorder` on the PATH, as a user's editors would; this one records the session.
cat >"$OUT/bin/applyorder" <<SH
#!/bin/sh
exec python3 "$PWD/tests/e2e/lsp_tee.py" "\$SESSION_LOGS/\$\$.jsonl" "$APPLYORDER_BIN" "\$@"
SH
chmod +x "$OUT/bin/applyorder"
export PATH="$OUT/bin:$PATH"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
new_workspace() { # EDITOR: fresh copies outside this repository, whose ignore rules must not apply
  export WORKSPACE=$scratch/$1/work ENGINES=$scratch/$1/engines PLAIN=$scratch/$1/plain SESSION_LOGS=$OUT/$1-sessions
  mkdir -p "$WORKSPACE" && cp -R examples/tazuna/broken examples/tazuna/shop "$WORKSPACE"
  git init -q "$WORKSPACE"
  # An example of each engine, with a stack in a file that could be taken for Tcl, and a file that is Tcl.
  mkdir -p "$ENGINES/tcl" "$ENGINES/tofu" "$ENGINES/empty" && cp -R examples/* "$ENGINES"
  mkdir "$ENGINES/terramate/shop/tools"
  printf 'stack {\n  name  = "tools"\n  after = ["tag:nothing"]\n}\n' >"$ENGINES/terramate/shop/tools/stack.tm"
  cp "$ENGINES/spacelift/broken/main.tf" "$ENGINES/tofu/main.tofu"
  : >"$ENGINES/empty/main.tf"
  printf 'package provide module 1.0\nproc hello {} { puts hello }\n' >"$ENGINES/tcl/module.tm"
  # Each is a separate repository, which determines the root of a Terramate project.
  rm "$ENGINES"/terramate/*/applyorder.toml
  for example in "$ENGINES"/*/*/ "$ENGINES/tofu" "$ENGINES/empty"; do git init -q "$example"; done
  # Files of the same languages without a project.
  mkdir -p "$PLAIN"
  printf 'name: nobody\nneeds: [nothing]\n' >"$PLAIN/values.yaml"
  printf 'resource "null_resource" "nothing" {\n}\n' >"$PLAIN/main.tf"
  git init -q "$PLAIN"
  rm -rf "$SESSION_LOGS" && mkdir "$SESSION_LOGS"
}

run_nvim() {
  timeout 120 tests/e2e/from-tree.sh "$E2E/neovim" nvim --headless --clean -n \
    --cmd "set rtp^=$PWD/editors/neovim" -l tests/e2e/nvim.lua
}
run_helix() { timeout 240 tests/e2e/helix.sh "tests/e2e/from-tree.sh $E2E/hx hx"; }
run_emacs() { timeout 120 tests/e2e/from-tree.sh "$E2E/emacs-nox" emacs -Q --batch -l tests/e2e/emacs.el; }
run_vscode() { timeout 540 tests/e2e/vscode/run.sh; }
run_pictures() {
  run_vscode && mkdir -p editors/vscode/images &&
    for name in cycle order graph cut; do
      [ ! -e "$OUT/vscode-$name.png" ] || cp "$OUT/vscode-$name.png" "editors/vscode/images/$name.png"
    done
}
run_record() {
  [ -e "$E2E/pillow" ] || { python3 -m venv "$E2E/pillow" && "$E2E/pillow/bin/pip" install --quiet pillow; }
  mkdir -p docs/images
  local theme
  for theme in light dark; do
    new_workspace "record-$theme"
    timeout 420 tests/e2e/vscode/run.sh record "$theme" &&
      "$E2E/pillow/bin/python" tests/e2e/vscode/gif.py "$OUT/frames" "docs/images/vscode-$theme.gif" || return
  done
}

passed=0 failed=0
count() { # OUTPUT STATUS: adds up the closing line of a check
  local p f
  read -r p f < <(awk '/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 } END { print p + 0, f + 0 }' "$1")
  passed=$((passed + ${p:-0}))
  f=${f:-0}
  if [ "$2" != 0 ] && [ "$f" = 0 ]; then f=1; fi # it did not live to count
  failed=$((failed + f))
}
for editor in "$@"; do
  echo "== $editor"
  part=${editor/record/vscode}
  if ! tests/e2e/setup.sh "${part/pictures/vscode}"; then
    skip "$editor" "it cannot be installed" || failed=$((failed + 1))
    continue
  fi
  if [ "$part" = pictures ] || [ "$part" = vscode ]; then
    for server in yaml-language-server terraform-ls terramate-ls; do
      tests/e2e/setup.sh "$server" || skip "$server" "no neighbor that runs it" || failed=$((failed + 1))
    done
  fi
  # Editors are driven by what their windows show, and a machine may be too busy to draw in time: a check that fails
  # once is retried with a message; one that fails twice has failed.
  for attempt in 1 2; do
    new_workspace "$editor"
    "run_$editor" >"$OUT/$editor.log" 2>&1 </dev/null
    status=$?
    cat "$OUT/$editor.log"
    [ "$status" != 0 ] && [ "$attempt" = 1 ] || break
    echo "AGAIN: $editor failed with status $status"
    cp "$OUT/$editor.log" "$OUT/$editor-first.log"
    rm -rf "${scratch:?}/$editor"
  done
  count "$OUT/$editor.log" "$status"

  strictness=()
  [ "$editor" != helix ] || strictness=(--may-kill) # Helix does not always wait for its servers
  if ! tests/e2e/setup.sh strict; then
    skip "protocol's types" "the recorded session of $editor is not checked against them" || failed=$((failed + 1))
  elif "$E2E/strict/bin/python" tests/e2e/lsp_strict.py "${strictness[@]}" "$SESSION_LOGS"/*.jsonl; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
