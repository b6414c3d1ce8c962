#!/usr/bin/env bash
# Runs the hooks of .pre-commit-hooks.yaml as a user of pre-commit would, in a repository of its own, on the clean
# and on the broken example. The hook of `language: rust` builds the last commit.
set -u
cd "$(dirname "$0")/../.."
. tests/e2e/skipped.sh
here=$PWD
E2E=${APPLYORDER_E2E:-$PWD/.e2e}
passed=0 failed=0
if [ ! -x "$E2E/pre-commit/bin/pre-commit" ]; then
  if ! { python3 -m venv "$E2E/pre-commit" && "$E2E/pre-commit/bin/pip" install --quiet --disable-pip-version-check pre-commit; }; then
    skip pre-commit "it cannot be installed"
    exit
  fi
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PRE_COMMIT_HOME=$scratch/home
mkdir -p "$scratch/bin"
ln -s "$(readlink -f "${APPLYORDER_BIN:-${CARGO_TARGET_DIR:-target}/release/applyorder}")" "$scratch/bin/applyorder"

check() { # NAME WANTED-STATUS WANTED-TEXT HOOK EXAMPLE
  local status text
  rm -rf "$scratch/work"
  cp -R "examples/tazuna/$5" "$scratch/work"
  git -C "$scratch/work" init -q
  git -C "$scratch/work" add --all
  text=$(cd "$scratch/work" && PATH="$scratch/bin:$PATH" "$E2E/pre-commit/bin/pre-commit" try-repo "$here" "$4" --all-files --verbose 2>&1)
  status=$?
  if [ "$status" = "$2" ] && grep -qF -- "$3" <<<"$text"; then
    echo "ok   $1"
    passed=$((passed + 1))
  else
    echo "FAIL $1: exit status $status"
    printf '%s\n' "$text" | tail -n 30
    failed=$((failed + 1))
  fi
}
for hook in applyorder-system applyorder; do
  check "$hook passes the clean example" 0 Passed "$hook" shop
  check "$hook fails on the broken example" 1 unknown-dependency "$hook" broken
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
