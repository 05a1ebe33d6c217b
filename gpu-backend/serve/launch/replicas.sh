#!/usr/bin/env bash
# Runs several engines on one machine, each on its own GPUs and port.
# usage: replicas.sh vllm|sglang 1.5b|7b|14b COUNT [more engine flags]
# Prints the gateway's ENGINE_URL, then waits for all engines to end. Forwards SIGTERM and SIGINT to each.
set -euo pipefail

here=$(dirname "${BASH_SOURCE[0]}")
engine=${1:-} size=${2:-} count=${3:-}
case "$engine" in vllm | sglang) ;; *)
  echo "usage: ${0##*/} vllm|sglang 1.5b|7b|14b COUNT [more engine flags]" >&2
  exit 2
  ;;
esac
if ! [[ $count =~ ^[1-9][0-9]*$ ]]; then
  echo "COUNT must be a positive integer, not '$count'" >&2
  exit 2
fi
shift 3

first_port=${PORT:-8000}
first_gpu=${FIRST_GPU:-0}
gpus_each=${TENSOR_PARALLEL:-1}
host=${HOST:-127.0.0.1}
reached_at=$host
[[ $host != 0.0.0.0 ]] || reached_at=127.0.0.1

urls=() pids=() interrupted=
# shellcheck disable=SC2317,SC2329  # called by the traps; 0.9 and newer say it by two names
forward() {
  interrupted=yes
  ((${#pids[@]} == 0)) || kill -s "$1" "${pids[@]}" 2>/dev/null || true
}
trap 'forward TERM' TERM
trap 'forward INT' INT

# A trapped signal cuts wait short while the engine still drains, so wait again.
ended() { # pid
  local code=0
  while interrupted= && code=0; do
    wait "$1" || code=$?
    [[ -n $interrupted ]] || return "$code"
  done
}

for ((i = 0; i < count; i++)); do
  from=$((first_gpu + i * gpus_each))
  devices=$(seq -s, "$from" $((from + gpus_each - 1)))
  port=$((first_port + i))
  CUDA_VISIBLE_DEVICES=$devices PORT=$port bash "$here/$engine.sh" "$size" "$@" &
  pids+=($!)
  urls+=("http://$reached_at:$port")
done
echo "ENGINE_URL=$(IFS=, && echo "${urls[*]}")"

status=0
for pid in "${pids[@]}"; do
  code=0
  ended "$pid" || code=$?
  if ((code != 0)); then
    echo "engine with pid $pid ended with status $code" >&2
    status=$code
  fi
done
exit "$status"
