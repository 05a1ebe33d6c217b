#!/usr/bin/env bash
# The command line of one SGLang 0.5.23 engine for a verifier.
# usage: sglang.sh 1.5b|7b|14b [more sglang flags]
# settings by environment: ../README.md
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=sizes.sh
source "$(dirname "${BASH_SOURCE[0]}")/sizes.sh"
shift

# The gateway reuses connections; with the default of 5 s the engine closes them under its feet.
export SGLANG_TIMEOUT_KEEP_ALIVE=${SGLANG_TIMEOUT_KEEP_ALIVE:-75}

args=(
  --model-path "$MODEL"
  --served-model-name "$ENGINE_MODEL"
  --host "$HOST"
  --port "$PORT"
  --dtype bfloat16
  --tp-size "$TENSOR_PARALLEL"
  --mem-fraction-static "$GPU_MEMORY"
  --context-length "$CONTEXT_TOKENS"
  --sampling-defaults openai
  --strip-thinking-cache
  --chunked-prefill-size "$BATCH_TOKENS"
  --max-running-requests "$GENERATIONS_MAX"
  --schedule-policy fcfs
  --enable-priority-scheduling
  --schedule-low-priority-values-first
  --default-priority-value 0
  --stream-interval "$STREAM_TOKENS"
  --enable-cache-report
  --enable-metrics
  --log-level-http warning
)
[[ $REASONING_PARSER == none ]] || args+=(--reasoning-parser "$REASONING_PARSER")
[[ -z $MODEL_REVISION ]] || args+=(--revision "$MODEL_REVISION")
((DATA_PARALLEL == 1)) || args+=(--dp-size "$DATA_PARALLEL")

if [[ -n $ENGINE_API_KEY ]]; then
  # Not on the command line, where every user of the machine could read it. mktemp's folder is its
  # owner's alone.
  key_file=$(mktemp -d)/key.yaml
  printf "api-key: '%s'\n" "${ENGINE_API_KEY//\'/\'\'}" >"$key_file"
  args+=(--config "$key_file")
fi

exec python3 -m sglang.launch_server "${args[@]}" "$@"
