#!/bin/sh
# Builds the real terramate:   tests/engines/terramate/build.sh [OUTPUT] [VERSION]
#
# Makes a module of our own around github.com/terramate-io/terramate at a pinned version, repeats the `replace`
# lines that only a main module may have, and builds its command from there. Prints where the binary is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
output=${1:-$here/../../../target/engines/terramate}
version=${2:-$(cat "$here/VERSION")}
module=github.com/terramate-io/terramate

mkdir -p "$(dirname "$output")"
output=$(cd "$(dirname "$output")" && pwd)/$(basename "$output")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

go mod init applyorder.test/terramate 2>/dev/null
download=$(go mod download -json "$module@$version") || { echo "$download" >&2; exit 1; }
field() { printf '%s\n' "$download" | sed -n "s/^\t\"$1\": \"\(.*\)\",\{0,1\}$/\1/p"; }
gomod=$(field GoMod)

go mod edit -go="$(sed -n 's/^go //p' "$gomod")" -require="$module@$(field Version)"
awk '/^replace \(/ { block = 1 } block || /^replace / { print } /^\)/ { block = 0 }' "$gomod" >>go.mod
go build -mod=mod -o "$output.new" "$module/cmd/terramate"
mv "$output.new" "$output"
echo "$output ($module $version)"
