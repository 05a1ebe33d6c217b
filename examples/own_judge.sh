#!/usr/bin/env bash
# Ranks texts with your own verifier: any OpenAI-compatible server (vLLM, SGLang, llama.cpp, a vendor).
#
#     VERIFIER_URL=http://HOST:8000/v1 VERIFIER_MODEL=NAME bash examples/own_judge.sh
#
# Starts Kritai on a free port, asks it once, and ends it. VERIFIER_API_KEY is the verifier's key.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${VERIFIER_URL:?the base URL of your verifier, as http://HOST:8000/v1}" "${VERIFIER_MODEL:?the name of its model}"

folder=$(mktemp -d)
JUDGE=text-select PORT=0 DATA_DIR="$folder/data" npm start >"$folder/log" 2>&1 &
kritai=$!
trap 'kill "$kritai" 2>/dev/null; wait "$kritai" 2>/dev/null || true; rm -rf "$folder"' EXIT
until grep -q '^ready ' "$folder/log"; do
  kill -0 "$kritai" 2>/dev/null || { cat "$folder/log"; exit 1; }
  sleep 0.2
done
url=$(sed -n 's/^ready //p' "$folder/log")

curl -sS --fail-with-body "$url/v2/rerank" -H 'content-type: application/json' -d '{
  "model": "default", "query": "Which city is the capital of France?", "documents": ["Lyon.", "Paris."]}'
echo
