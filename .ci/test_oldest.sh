#!/usr/bin/env bash
# Runs the tests that need no R on the oldest supported versions, in the virtual environment
# (first argument), with the number of processes (second) and more arguments for pytest.
# $PYTHON_OLDEST, if set, is the only candidate. Without a Python that numpy 1.26 knows, it says so.
set -euo pipefail

venv=${1:?usage: test_oldest.sh VENV WORKERS [PYTEST_ARGS...]}
workers=${2:?usage: test_oldest.sh VENV WORKERS [PYTEST_ARGS...]}
shift 2

known='import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))'

if ! cmp -s .ci/oldest.txt "$venv/oldest.txt"; then
    python=
    for candidate in ${PYTHON_OLDEST:-python3.11 python3.12 python3}; do
        if "$candidate" -c "$known" 2>/dev/null; then
            python=$candidate
            break
        fi
    done
    if [ -z "$python" ]; then
        echo "Oldest versions not tested: numpy 1.26 needs Python 3.11 or 3.12, and none was found" \
            "(tried ${PYTHON_OLDEST:-python3.11 python3.12 python3}); set PYTHON_OLDEST=..."
        exit 0
    fi
    echo "Creating $venv with $("$python" --version) and the oldest supported versions"
    rm -rf "$venv"
    "$python" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r .ci/oldest.txt
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --editable .
    cp .ci/oldest.txt "$venv/oldest.txt"
fi

# The figures are drawn by the newest matplotlib, the first that shapes Persian. The README shows what
# the newest scikit-learn makes of two equal columns; its examples that need no extra run in
# tests/test_dependencies.py. One thread each: the workers keep the cores busy.
OMP_NUM_THREADS=1 "$venv/bin/python" -m pytest -n "$workers" -m "not figures" \
    tests validation/tests/test_stored.py --ignore tests/test_readme.py \
    --ignore-glob 'tests/reproductions/test_figure*' "$@"
