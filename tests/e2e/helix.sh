#!/usr/bin/env bash
# Checks `applyorder server` in Helix with the setup that editors/helix ships:
#   WORKSPACE=DIR tests/e2e/helix.sh 'COMMAND OF HELIX'
# Helix has no batch mode: it runs in a tmux pane whose screen is read back. `applyorder` is on the PATH.
set -u
cd "$(dirname "$0")/../.."
helix=$1
config=$(mktemp -d) socket=applyorder-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null; rm -rf "$config"' EXIT
mkdir "$config/helix"
cp editors/helix/languages.toml "$config/helix/"
cat >"$config/helix/config.toml" <<'TOML'
[editor]
end-of-line-diagnostics = "hint"
[editor.inline-diagnostics]
cursor-line = "hint"
other-lines = "hint"
TOML

here=$PWD
tmux -L "$socket" -f /dev/null new-session -d -x 150 -y 40 \
  "cd '$here' && HX='$helix' && export XDG_CONFIG_HOME='$config' TERM=tmux-256color COLORTERM=truecolor &&
   \$HX -w '$WORKSPACE' -v --log '$config/hx.log' '$WORKSPACE/broken/tazuna.yaml'; touch '$config/ended'; sleep 5"
screen() { tmux -L "$socket" capture-pane -p; }
keys() { tmux -L "$socket" send-keys "$@"; sleep 0.3; }
shows() { for _ in $(seq 1 100); do screen | grep -qiE -- "$1" && return 0; sleep 0.1; done; return 1; }
hides() { for _ in $(seq 1 100); do screen | grep -qiE -- "$1" || return 0; sleep 0.1; done; return 1; }

passed=0 failed=0
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@"; then
    echo "ok   $name"
    passed=$((passed + 1))
  else
    echo "FAIL $name"
    screen | sed 's/^/  | /'
    failed=$((failed + 1))
  fi
}

unknown='unknown manifest|does not exist'
check 'unknown dependency on the screen' shows "$unknown"
keys '/operater' Enter
keys c
keys operator
keys Escape
check 'an edit that is not saved clears it' hides "$unknown"
keys ':open '"$WORKSPACE/shop/apps.yaml" Enter
check 'second file open' shows 'name: storefront'
keys '/orders-db' Enter
keys Space k
check 'hover says the layer' shows 'layer 4 of 6'
keys Escape
keys g d
check 'definition leads to another file' shows 'shop/data\.yaml'

# An example of each engine, as in engines.json. Helix shows no lenses.
at() { # FILE AFTER TEXT: the cursor goes to where the text begins
  keys Escape
  keys ':open '"$ENGINES/$1" Enter
  keys g g
  [ -z "$2" ] || keys -l "/$2"
  [ -z "$2" ] || keys Enter
  keys -l "/$3"
  keys Enter
  keys 'M-;' ';'
}
while IFS=$'\t' read -r engine what file after text wanted extra; do
  case $what in
    finding)
      at "$file" "$after" "$text"
      keys Space d
      check "$engine: a finding" shows "$wanted"
      keys Escape
      ;;
    hover)
      at "$file" "$after" "$text"
      keys Space k
      check "$engine: hover" shows "$wanted"
      ;;
    definition)
      at "$file" "$after" "$text"
      keys g d
      check "$engine: definition" shows "$wanted.* [0-9]+:[0-9]+ *$"
      ;;
    rename)
      at "$file" "$after" "$text"
      keys Space r
      keys C-u
      keys -l "$wanted"
      keys Enter
      check "$engine: rename" shows "$wanted"
      keys ':reload-all' Enter
      ;;
  esac
done < <(python3 - <<'PY'
import json
for case in json.load(open("tests/e2e/engines.json")):
    for what, wanted in (("finding", "rule"), ("hover", "says"), ("definition", "to"), ("rename", "name")):
        row = case[what]
        print(case["engine"], what, row["file"], row.get("after", ""), row["at"], row[wanted], sep="\t")
PY
)
keys Escape
keys ':open '"$ENGINES/terramate/shop/tools/stack.tm" Enter
keys Space d
check 'a .tm has findings' shows 'unknown-dependency'
keys Escape
keys ':open '"$ENGINES/kapp/shop/applyorder.toml" Enter
keys '/files' Enter
keys Space k
check 'the configuration is explained' shows 'list of strings'
keys Escape
keys ':quit-all!' Enter
ended() { for _ in $(seq 1 50); do [ -e "$config/ended" ] && return 0; sleep 0.1; done; return 1; }
check 'Helix ends with its server' ended
[ "$failed" = 0 ] || grep -iE 'applyorder|error' "$config/hx.log" | tail -n 20
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
