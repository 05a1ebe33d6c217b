#!/usr/bin/env bash
# Renders deploy/kubernetes and deploy/nginx from the chart, for people without helm. Needs helm 3, no cluster;
# test/serve/chart.test.ts asks for it after a change of the chart.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../helm/kritai"

# Over names and contents, in the order of the C locale; the test computes the same.
digest=$(find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1)
render() { # file, arguments of helm's
  printf '# Made by deploy/helm/render.sh; do not edit. Inputs: sha256:%s\n' "$digest" >"../../$1"
  helm template kritai . --namespace kritai "${@:2}" | sed '/^# Source: /d; s/ *$//' >>"../../$1"
}
mkdir -p ../../kubernetes ../../nginx
render kubernetes/one-gpu.yaml
render kubernetes/many-gpus.yaml --values sizes/many-gpus.yaml
render nginx/nginx.conf --show-only templates/front.yaml
sed -i -n '1p; /^  nginx.conf: |$/,/^---$/{/^    /s/^    //p; /^$/p}' ../../nginx/nginx.conf
