#!/usr/bin/env bash
# Installs the npm packages webr (R compiled to WebAssembly) and ws inside the virtual environment
# (first argument). Never fails: without them the webr tier is skipped with its reason.
set -uo pipefail

venv=${1:?usage: webr.sh VENV}
folder="$venv/webr"

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "Node is not installed: the webr tier will be skipped"
    exit 0
fi
if [ -d "$folder/node_modules/webr" ] && [ -d "$folder/node_modules/ws" ]; then
    exit 0
fi
mkdir -p "$folder"
echo "Installing webr (R in Node)"
if ! npm install --prefix "$folder" --no-audit --no-fund --loglevel=error webr@0.6 ws@8; then
    echo "webr could not be installed (see above): the webr tier will be skipped"
    rm -rf "$folder"
fi
