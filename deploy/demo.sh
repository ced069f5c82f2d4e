# Sourced by up and down: where the demo lives, its ports, and its processes.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
DIR=$(realpath --canonicalize-missing "${KITS_DEMO_DIR:-$ROOT/.local}")
PORT=${KITS_DEMO_PORT:-8080}
ADMIN_PORT=${KITS_DEMO_ADMIN_PORT:-9090}
SIMULATOR_PORT=${KITS_DEMO_SIMULATOR_PORT:-2197}
SIMULATOR_ADMIN_PORT=${KITS_DEMO_SIMULATOR_ADMIN_PORT:-2198}
POSTGRES_PORT=${KITS_DEMO_POSTGRES_PORT:-0} # 0: only a unix socket, which nothing can have taken

# A heading; bold where that can be seen.
say() { if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n== %s\n' "$*"; fi; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# running NAME: the process that NAME.pid names is alive and is that program, not one that got its number later. A
# dead one that nobody collected (there may be no init in a container) doesn't count.
running() {
  local pid
  pid=$(cat "$DIR/run/$1.pid" 2>/dev/null) || return 1
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ] && alive "$pid"
}

alive() { grep --quiet '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status" 2>/dev/null; }

# stop NAME: asks the process to finish (SIGTERM) and waits; after 30 s it is killed and that is said.
stop() {
  local pid deadline=$((SECONDS + 30))
  if running "$1"; then
    pid=$(cat "$DIR/run/$1.pid")
    kill -TERM "$pid"
    while alive "$pid" && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.1; done
    if alive "$pid"; then
      echo "$1 ($pid) did not stop within 30 s and is killed" >&2
      kill -KILL "$pid" || true
    fi
  fi
  rm -f "$DIR/run/$1.pid"
}

# wait_until SECONDS NAME COMMAND…: repeats the command until it succeeds. When NAME died or time is up, shows the end
# of its log and fails.
wait_until() {
  local deadline=$((SECONDS + $1)) name=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ! alive "$(cat "$DIR/run/$name.pid")" || [ "$SECONDS" -ge "$deadline" ]; then
      tail -n 20 "$DIR/log/$name.log" >&2
      fail "$name did not get ready; its log is $DIR/log/$name.log"
    fi
    sleep 0.1
  done
}
