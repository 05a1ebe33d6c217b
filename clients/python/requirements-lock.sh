#!/usr/bin/env bash
# Writes requirements-*.txt, every package with its hashes, from requirements-*.in: after a change of one of those.
# Needs uv 0.13 (`pip install uv`). torch, which run-tests.sh installs by itself, and what only its build with CUDA needs are left out.
set -euo pipefail
cd "$(dirname "$0")"
lock() { # oldest Python, name, more arguments
  uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url --no-header --python-version "$1" "${@:3}" "requirements-$2.in" -o "requirements-$2.txt"
}
cuda() { uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --python-platform linux --python-version 3.11 - <<<"$1" | grep -oE '^(torch|nvidia|cuda|triton)[a-z0-9-]*' | sed 's/^/--no-emit-package=/'; }
lock 3.10 test
lock 3.11 tools
lock 3.11 trainers $(cuda "$(grep '^torch==' requirements-trainers.in)")
lock 3.11 trainers-alone --no-deps
lock 3.11 schemathesis
lock 3.11 release
lock 3.11 pip-audit
