#!/usr/bin/env bash
# Creates the virtual environment (first argument) on the first Python >= 3.11 found and installs
# the package into it. $PYTHON, if set, is the only candidate.
set -euo pipefail

venv=${1:?usage: create_venv.sh VENV}

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3.11 python3.12 python3.13 python3.14 python3 python}; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "No Python 3.11 or newer found (tried ${PYTHON:-python3.11 ... python}); set PYTHON=..." >&2
    return 1
}

if ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$(find_python)
    echo "Creating $venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi
echo "Installing aleplot-py with the extras figures and dev (a few minutes the first time)"
"$venv/bin/python" -m pip install --quiet --editable '.[figures,dev]'
