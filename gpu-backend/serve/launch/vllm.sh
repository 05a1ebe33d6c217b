#!/usr/bin/env bash
# The command line of one vLLM 0.33.0 engine for a verifier.
# usage: vllm.sh 1.5b|7b|14b [more vllm flags]
# settings by environment: ../README.md
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=sizes.sh
source "$(dirname "${BASH_SOURCE[0]}")/sizes.sh"
shift

# Not on the command line, where every user of the machine could read it.
[[ -z $ENGINE_API_KEY ]] || export VLLM_API_KEY=$ENGINE_API_KEY
# The gateway reuses connections; with the default of 5 s the engine closes them under its feet.
export VLLM_HTTP_TIMEOUT_KEEP_ALIVE=${VLLM_HTTP_TIMEOUT_KEEP_ALIVE:-75}
export VLLM_NO_USAGE_STATS=${VLLM_NO_USAGE_STATS:-1}

# shellcheck disable=SC2054  # the comma belongs to a flag's value
args=(
  "$MODEL"
  --served-model-name "$ENGINE_MODEL"
  --host "$HOST"
  --port "$PORT"
  --dtype bfloat16
  --tensor-parallel-size "$TENSOR_PARALLEL"
  --gpu-memory-utilization "$GPU_MEMORY"
  --max-model-len "$CONTEXT_TOKENS"
  --generation-config vllm
  --override-generation-config "{\"max_new_tokens\": $ANSWER_TOKENS}"
  --enable-prefix-caching
  --enable-chunked-prefill
  --max-num-batched-tokens "$BATCH_TOKENS"
  --max-num-seqs "$GENERATIONS_MAX"
  --scheduling-policy priority
  --max-logprobs 20
  --logprobs-mode raw_logprobs
  --stream-interval "$STREAM_TOKENS"
  --sse-keep-alive-interval "$KEEP_ALIVE_S"
  --enable-prompt-tokens-details
  --enable-tokenizer-info-endpoint
  --no-enable-log-requests
  --disable-access-log-for-endpoints /health,/metrics
  --shutdown-timeout "$DRAIN_S"
)
[[ $REASONING_PARSER == none ]] || args+=(--reasoning-parser "${REASONING_PARSER/#deepseek-r1/deepseek_r1}")
[[ -z $MODEL_REVISION ]] || args+=(--revision "$MODEL_REVISION")
((DATA_PARALLEL == 1)) || args+=(--data-parallel-size "$DATA_PARALLEL")

exec vllm serve "${args[@]}" "$@"
