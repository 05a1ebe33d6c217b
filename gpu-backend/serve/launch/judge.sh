#!/usr/bin/env bash
# An engine and the gateway before it on one machine without containers: neither outlives the other, and
# SIGTERM lets running generations end.
# usage: judge.sh 1.5b|7b|14b [more vllm flags]        settings by environment: ../README.md
set -euo pipefail
: "${GATEWAY_API_KEY:?your key, which the edge sends as VERIFIER_API_KEY}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export ENGINE_MODEL=${ENGINE_MODEL:-verifier}
port=${PORT:-8000}
# The engine's concurrent generations, by its size: the gateway sends at most as many.
# shellcheck source-path=SCRIPTDIR source=sizes.sh
most=$(source "$here/sizes.sh" "$@" && echo "$GENERATIONS_MAX")

"$here/vllm.sh" "$@" &
engine=$!
# The gateway is there at once: it is ready when the engine is.
HOST=${GATEWAY_HOST:-127.0.0.1} PORT=${GATEWAY_PORT:-8791} ENGINE_URL=http://127.0.0.1:$port \
  ENGINE_MAX_IN_FLIGHT=$most GATEWAY_DRAIN_MS=${GATEWAY_DRAIN_MS:-600000} \
  node "$here/../../gateway/main.ts" &
gateway=$!

# The gateway first: what it still answers needs the engine.
trap 'kill -TERM "$gateway" 2>/dev/null || true' TERM INT
status=0
wait -n "$engine" "$gateway" || status=$?
kill -TERM "$gateway" 2>/dev/null || true
while kill -0 "$gateway" 2>/dev/null; do wait "$gateway" || true; done
kill -TERM "$engine" 2>/dev/null || true
wait "$engine" || true
# 143: ended by the signal that this process was sent.
((status == 143)) && status=0
exit "$status"
