# The settings of each verifier size, and those that both engines share. Sourced by vllm.sh and sglang.sh.
# Every setting can be given from outside; see the table in ../README.md.
# shellcheck shell=bash disable=SC2034  # the sourcing script reads these

usage() {
  echo "usage: ${0##*/} 1.5b|7b|14b [more engine flags]" >&2
  exit 2
}

# Checks settings here, with a clear message, rather than in the engine after a minute of loading.
need_integer() { # name, least
  if ! [[ ${!1} =~ ^[0-9]{1,9}$ ]] || ((10#${!1} < $2)); then
    echo "$1 must be an integer of at least $2, not '${!1}'" >&2
    exit 2
  fi
}

# Heads that attention can be split over, and generations at a time that fit one 80 GB card at the
# thinking lengths of ../README.md.
case "${1:-}" in
  1.5b) default_model=deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B heads=12 default_seqs=512 ;;
  7b) default_model=deepseek-ai/DeepSeek-R1-Distill-Qwen-7B heads=28 default_seqs=256 ;;
  14b) default_model=deepseek-ai/DeepSeek-R1-Distill-Qwen-14B heads=40 default_seqs=64 ;;
  *) usage ;;
esac

MODEL=${MODEL:-$default_model}
MODEL_REVISION=${MODEL_REVISION:-}
ENGINE_MODEL=${ENGINE_MODEL:-verifier}
ENGINE_API_KEY=${ENGINE_API_KEY:-}
HOST=${HOST:-127.0.0.1}
PORT=${PORT:-8000}
TENSOR_PARALLEL=${TENSOR_PARALLEL:-1}
DATA_PARALLEL=${DATA_PARALLEL:-1}
GPU_MEMORY=${GPU_MEMORY:-0.90}
CONTEXT_TOKENS=${CONTEXT_TOKENS:-32768}
ANSWER_TOKENS=${ANSWER_TOKENS:-16384}
BATCH_TOKENS=${BATCH_TOKENS:-8192}
GENERATIONS_MAX=${GENERATIONS_MAX:-$default_seqs}
STREAM_TOKENS=${STREAM_TOKENS:-256}
REASONING_PARSER=${REASONING_PARSER:-deepseek-r1}
KEEP_ALIVE_S=${KEEP_ALIVE_S:-5}
DRAIN_S=${DRAIN_S:-620}

need_integer PORT 1
need_integer TENSOR_PARALLEL 1
need_integer DATA_PARALLEL 1
need_integer CONTEXT_TOKENS 2
need_integer ANSWER_TOKENS 1
need_integer BATCH_TOKENS 1
need_integer GENERATIONS_MAX 1
need_integer STREAM_TOKENS 1
need_integer KEEP_ALIVE_S 1
need_integer DRAIN_S 0

if ((heads % TENSOR_PARALLEL != 0)); then
  echo "TENSOR_PARALLEL=$TENSOR_PARALLEL does not divide the $heads attention heads of the $1 model" >&2
  exit 2
fi
if ((ANSWER_TOKENS >= CONTEXT_TOKENS)); then
  echo "ANSWER_TOKENS=$ANSWER_TOKENS leaves no room for a prompt in CONTEXT_TOKENS=$CONTEXT_TOKENS" >&2
  exit 2
fi
