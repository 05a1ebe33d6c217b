#!/usr/bin/env bash
# Owns rendered/: what kubectl's kustomize makes of each overlay, for reading, `kubectl apply -f` and the tests. Needs kubectl, no cluster.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Over names and contents, in the order of the C locale; the test computes the same.
digest=$(find base components overlays -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1)
for overlay in overlays/*/; do
  name=$(basename "$overlay")
  manifests=$(kubectl kustomize "$overlay")
  printf '# Made by ../render.sh from overlays/%s; do not edit.\n# inputs sha256:%s\n%s\n' "$name" "$digest" "$manifests" >"rendered/$name.yaml"
done

# In the project's own layout, where its formatter is installed.
biome=../../../test/node_modules/.bin/biome
[[ ! -x $biome ]] || "$biome" format --write rendered >/dev/null
