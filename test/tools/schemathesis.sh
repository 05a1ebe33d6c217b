#!/usr/bin/env bash
# Holds the running stack against /openapi.json with schemathesis, all checks, the seed SEED (1).
# Needs Python; `--prepare` only installs. Not for the core's tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=.venv/schemathesis
if [ ! -x "$venv/bin/st" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --no-deps --require-hashes -r clients/python/requirements-schemathesis.txt
fi
[ "${1:-}" = "--prepare" ] && exit 0

folder=$(mktemp -d)
log="$folder/stack.log"
key=schemathesis-key
digest=$(printf %s "$key" | sha256sum | cut -d' ' -f1)
env -u DATABASE_URL PORT=0 DATA_DIR="$folder/data" API_KEYS="ci:$digest:score+logs+admin" node_modules/.bin/node scripts/stack/commands/start.ts >"$log" 2>&1 &
stack=$!
trap 'kill "$stack" 2>/dev/null; wait "$stack" 2>/dev/null; rm -rf "$folder"' EXIT
for _ in $(seq 240); do
  grep -q '^ready ' "$log" && break
  kill -0 "$stack" 2>/dev/null || { cat "$log"; exit 1; }
  sleep 0.25
done
url=$(sed -n 's/^ready //p' "$log")
[ -n "$url" ] || { echo "not ready after 60 s"; cat "$log"; exit 1; }
export REFUSALS="$folder/refusals.json"
node_modules/.bin/node scripts/build/openapi/refusals.ts >"$REFUSALS"
# Paths in the configuration are relative to its own folder.
{
  sed "s|^hooks = \"|&$PWD/|" test/tools/schemathesis.toml
  printf '\n# Alone in its group, or of a backend that is not there: 503, as documented.\n[[operations]]\ninclude-operation-id = %s\n' \
    "$(node_modules/.bin/node -p 'JSON.stringify(JSON.parse(fs.readFileSync(process.env.REFUSALS)).unavailable)')"
  printf 'checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "503"]\n'
} >"$folder/schemathesis.toml"
PYTHONHASHSEED=0 timeout 240 "$venv/bin/st" --config-file "$folder/schemathesis.toml" run "$url/openapi.json" \
  --header "Authorization: Bearer $key" --checks all --exclude-checks positive_data_acceptance --seed "${SEED:-1}" --max-examples 15 --max-time 90 --no-color --continue-on-failure
