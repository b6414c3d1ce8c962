#!/bin/sh
# Builds a real engine:              tests/differential/build.sh tazuna|terramate [OUTPUT] [VERSION]
# or a server that editors run:      tests/differential/build.sh terramate-ls|terraform-ls OUTPUT VERSION
#
# Creates a module of our own around theirs at a pinned version (a tag or commit, by default from ENGINE/VERSION),
# repeats the `replace` lines that only a main module may have, and builds its command from there. Prints the path of
# the binary.
set -eu
engine=${1:-}
case $engine in
tazuna) module=github.com/pepabo/tazuna command= ;;
terramate | terramate-ls) module=github.com/terramate-io/terramate command=/cmd/$engine ;;
terraform-ls) module=github.com/hashicorp/terraform-ls command= ;;
*) echo "usage: $0 tazuna|terramate|terramate-ls|terraform-ls [OUTPUT] [VERSION]" >&2; exit 2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
output=${2:-$here/../../target/differential/$engine}
version=${3:-$(cat "$here/$engine/VERSION")}

mkdir -p "$(dirname "$output")"
output=$(cd "$(dirname "$output")" && pwd)/$(basename "$output")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

go mod init "applyorder.test/$engine" 2>/dev/null
download=$(go mod download -json "$module@$version") || { echo "$download" >&2; exit 1; }
field() { printf '%s\n' "$download" | sed -n "s/^\t\"$1\": \"\(.*\)\",\{0,1\}$/\1/p"; }
exact=$(field Version)
gomod=$(field GoMod)

go mod edit -go="$(sed -n 's/^go //p' "$gomod")" -require="$module@$exact"
awk '/^replace \(/ { block = 1 } block || /^replace / { print } /^\)/ { block = 0 }' "$gomod" >>go.mod
go build -mod=mod -o "$output.new" "$module$command"
mv "$output.new" "$output"
echo "$output ($module $exact)"
