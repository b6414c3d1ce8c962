#!/usr/bin/env bash
# Runs the hooks of .pre-commit-hooks.yaml as a user of pre-commit would, in a separate repository, on the clean and on
# the broken example. The hooks of `language: python` get the wheel of this version from a folder, and no cargo; the one
# of `language: rust` builds the last commit. APPLYORDER_HOOKS limits which hooks are run.
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

program=$(readlink -f "$scratch/bin/applyorder")
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
python3 tests/support/wheel.py "$program" "$version" "$scratch/index"
export PIP_FIND_LINKS=$scratch/index PIP_DISABLE_PIP_VERSION_CHECK=1
hooks=${APPLYORDER_HOOKS:-applyorder-system applyorder applyorder-rust}
full_path=$PATH

# The output of a hook: try HOOK ARGUMENTS...
try() {
  local hook=$1 path=$scratch/bin:$full_path
  shift
  # No Rust toolchain: PATH entries with cargo are removed.
  if [ "$hook" = applyorder ] || [ "$hook" = applyorder-fix ]; then
    path=$scratch/without:$(tr : '\n' <<<"$full_path" | while read -r dir; do [ -x "$dir/cargo" ] || echo "$dir"; done | paste -sd:)
  fi
  (cd "$scratch/work" && PATH="$path" "$E2E/pre-commit/bin/pre-commit" try-repo "$here" "$hook" --verbose "$@" 2>&1)
}

report() { # NAME STATUS WANTED-STATUS TEXT WANTED-TEXT
  if [ "$2" = "$3" ] && grep -qF -- "$5" <<<"$4"; then
    echo "ok   $1"
    passed=$((passed + 1))
  else
    echo "FAIL $1: exit status $2"
    printf '%s\n' "$4" | tail -n 30
    failed=$((failed + 1))
  fi
}

example() { # NAME: a repository with a copy of it, staged
  rm -rf "$scratch/work"
  cp -R "examples/tazuna/$1" "$scratch/work"
  git -C "$scratch/work" init -q
  git -C "$scratch/work" add --all
}

check() { # NAME WANTED-STATUS WANTED-TEXT HOOK EXAMPLE
  local text
  example "$5"
  text=$(try "$4" --all-files)
  report "$1" $? "$2" "$text" "$3"
}
for hook in $hooks; do
  check "$hook passes the clean example" 0 Passed "$hook" shop
  check "$hook fails on the broken example" 1 unknown-dependency "$hook" broken
done

# Many staged files of one project: one run sees them all, and none is taken for a project of its own.
example shop
mkdir "$scratch/work/many"
for i in $(seq 500); do
  printf 'spec:\n  manifests:\n    - {name: m%s, type: kustomize, path: m%s}\n' "$i" "$i" >"$scratch/work/many/$i.yaml"
  printf '    - includes: [{path: many/%s.yaml}]\n' "$i"
done >"$scratch/list"
{ printf 'spec:\n  manifests:\n'; cat "$scratch/list"; } >"$scratch/work/many.yaml"
mv "$scratch/work/many.yaml" "$scratch/work/many.tmp"
mkdir "$scratch/work/big" && mv "$scratch/work/many" "$scratch/work/big/many" && mv "$scratch/work/many.tmp" "$scratch/work/big/tazuna.yaml"
git -C "$scratch/work" add --all
text=$(try applyorder-system)
report '500 staged files are one project, seen once' $? 0 "$text" '(505 files)'
[ "$(grep -c 'in 2 projects' <<<"$text")" = 1 ] || { echo "FAIL it ran more than once"; failed=$((failed + 1)); }

# A commit that only deletes files passes no file names, but it can break references.
example shop
git -C "$scratch/work" -c user.name=a -c user.email=a@b commit -q -m all
git -C "$scratch/work" rm -q platform.yaml
text=$(try applyorder-system)
report 'a commit that only deletes is checked' $? 1 "$text" missing-file

# lint-staged and lefthook pass the names of staged files, of all kinds and at once.
example broken
text=$(cd "$scratch/work" && "$program" lint $(git ls-files) 2>&1)
report 'file names as lint-staged and lefthook give them' $? 1 "$text" unknown-dependency
example shop
text=$(cd "$scratch/work" && "$program" lint "$scratch"/work/*.yaml 2>&1)
report 'absolute file names as lint-staged gives them' $? 0 "$text" 'no problems'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
