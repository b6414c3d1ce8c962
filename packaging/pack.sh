#!/usr/bin/env bash
# Builds the program for a target and packs it: packaging/pack.sh TARGET OUT. If APPLYORDER_BIN is set, that program is
# packed.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1 out=$2
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
case $target in *windows*) suffix=.exe ;; *) suffix= ;; esac
program=${APPLYORDER_BIN:-}
if [ -z "$program" ]; then
  cargo build --locked --profile dist --target "$target" --bin applyorder
  program=${CARGO_TARGET_DIR:-target}/$target/dist/applyorder$suffix
fi
name=applyorder-$version-$target
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
mkdir -p "$out" "$staging/$name/completions" "$staging/$name/man"
cp "$program" "$staging/$name/applyorder$suffix"
cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$staging/$name/"
# A program for another architecture cannot be run.
if "$staging/$name/applyorder$suffix" --version >/dev/null 2>&1; then
  for shell in bash zsh fish powershell; do
    "$staging/$name/applyorder$suffix" completions "$shell" >"$staging/$name/completions/applyorder.$shell"
  done
  "$staging/$name/applyorder$suffix" man --dir "$staging/$name/man"
fi
out=$(cd "$out" && pwd)
case $target in
  *windows*) (cd "$staging" && 7z a -bso0 "$out/$name.zip" "$name") ;;
  *) tar -C "$staging" -czf "$out/$name.tar.gz" "$name" ;;
esac
