#!/usr/bin/env bash
# Lints, types and tests the Python client in a separate environment. `--tools` runs the SDKs and
# rankers of other vendors against the
# stack instead, `--trainers` real trainers (installs torch); `--prepare` after either only makes
# the environment, which is all that there is of `--release`, for scripts/release. `--bench` measures the
# client's own CPU time. Further arguments go to pytest. Needs Python 3.10 or newer (PYTHON=...),
# and `npm ci` in the repository.
set -euo pipefail
cd "$(dirname "$0")"
name=python-client requirements=requirements-test.txt tests=()
case ${1:-} in
  --tools | --trainers | --release) kind=${1#--} name+=-$kind requirements=requirements-$kind.txt tests=("tests/$kind"); shift ;;
esac
venv="$(cd ../.. && pwd)/.venv/$name"

# Installed anew when the requirements or the interpreter are not those of the last time.
alone="${requirements%.txt}-alone.txt"
wanted="$(cat "$requirements" "$alone" 2>/dev/null || true; "${PYTHON:-python3}" -VV)"
if [[ "$(cat "$venv/installed" 2>/dev/null)" != "$wanted" ]]; then
  "${PYTHON:-python3}" -m venv --clear "$venv"
  # torch first, on its own: pip then takes a build without CUDA where one lies ready.
  torch="$(grep '^torch==' "${requirements%.txt}.in" || true)"
  [[ -n $torch ]] && "$venv/bin/pip" install --quiet --disable-pip-version-check "$torch"
  for locked in "$requirements" "$alone"; do
    [[ -f $locked ]] || continue
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement "$locked"
  done
  printf '%s\n' "$wanted" >"$venv/installed"
fi
[[ ${1:-} == --prepare ]] && exit 0
[[ ${1:-} == --bench ]] && PYTHONPATH=src exec "$venv/bin/python" tests/bench.py

if [[ $name == python-client ]]; then
  "$venv/bin/ruff" check . ../../examples
  "$venv/bin/ruff" format --check . ../../examples
  "$venv/bin/mypy"
fi
"$venv/bin/python" -m pytest --quiet ${tests[@]+"${tests[@]}"} "$@" 2>&1 | tee "$venv/pytest.log"
printf '%s: %s\n' "$name" "$(tail -n 1 "$venv/pytest.log")"
