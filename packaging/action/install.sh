#!/usr/bin/env bash
# Downloads the release that the action names, verifies its attestation, and outputs the path of the program.
# APPLYORDER_ACTION_RELEASES overrides the download location (tests).
set -euo pipefail
version=$APPLYORDER_ACTION_VERSION
case $RUNNER_OS-$RUNNER_ARCH in
  Linux-X64) target=x86_64-unknown-linux-musl kind=tar.gz ;;
  Linux-ARM64) target=aarch64-unknown-linux-musl kind=tar.gz ;;
  macOS-X64) target=x86_64-apple-darwin kind=tar.gz ;;
  macOS-ARM64) target=aarch64-apple-darwin kind=tar.gz ;;
  Windows-X64) target=x86_64-pc-windows-msvc kind=zip ;;
  Windows-ARM64) target=aarch64-pc-windows-msvc kind=zip ;;
  *) echo "::error title=applyorder::no release for $RUNNER_OS on $RUNNER_ARCH"; exit 1 ;;
esac
archive=applyorder-$version-$target.$kind
releases=${APPLYORDER_ACTION_RELEASES:-https://github.com/applyorder/applyorder/releases/download}
dir=$RUNNER_TEMP/applyorder-$version
mkdir -p "$dir"
curl --fail --silent --show-error --location --retry 3 --proto '=https,http' --output "$dir/$archive" \
  "$releases/v$version/$archive"
# Checks the attestation of origin: a checksum next to the archive would come from the same source as the archive.
gh attestation verify "$dir/$archive" --repo applyorder/applyorder \
  --signer-workflow applyorder/applyorder/.github/workflows/release.yml \
  --source-ref "refs/tags/v$version" >&2
case $kind in
  tar.gz) tar -xzf "$dir/$archive" -C "$dir" --strip-components=1; program=$dir/applyorder ;;
  zip) unzip -q -o -j "$dir/$archive" -d "$dir"; program=$dir/applyorder.exe ;;
esac
"$program" --version >&2
echo "program=$program" >>"$GITHUB_OUTPUT"
