#!/usr/bin/env bash
# Checks `applyorder server` in Helix with the set-up that editors/helix ships:
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

unknown='unknown manifest'
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
keys ':quit-all!' Enter
ended() { for _ in $(seq 1 50); do [ -e "$config/ended" ] && return 0; sleep 0.1; done; return 1; }
check 'Helix ends with its server' ended
[ "$failed" = 0 ] || grep -iE 'applyorder|error' "$config/hx.log" | tail -n 20
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
