#!/usr/bin/env bash
# Runs the tests that need no R in a virtual environment of their own, with
#   oldest   the oldest supported versions (.ci/oldest.txt), or
#   newest   the newest Python found and the newest versions of everything.
# $PYTHON_OLDEST or $PYTHON_NEWEST, if set, is the only candidate. Where there is no such Python it
# says so and ends well. With 0 workers the environment is made, and nothing run.
set -euo pipefail

usage="usage: test_versions.sh oldest|newest VENV WORKERS [PYTEST_ARGS...]"
which=${1:?$usage}
venv=${2:?$usage}
workers=${3:?$usage}
shift 3

# Prints the newest of the Pythons given whose version lies between two.
newest_between() {
    local low=$1 high=$2
    shift 2
    local candidate version best=0 found=
    for candidate in "$@"; do
        version=$("$candidate" -c 'import sys; print(sys.version_info[1])' 2>/dev/null) || continue
        if [ "$version" -ge "$low" ] && [ "$version" -le "$high" ] && [ "$version" -gt "$best" ]; then
            best=$version
            found=$candidate
        fi
    done
    echo "$found"
}

case $which in
oldest)
    # numpy 1.26 knows no newer Python than 3.12.
    python=$(newest_between 11 12 ${PYTHON_OLDEST:-python3.11 python3.12 python3})
    missing="numpy 1.26 needs Python 3.11 or 3.12; set PYTHON_OLDEST=..."
    recipe=.ci/oldest.txt
    ;;
newest)
    pyenv=${PYENV_ROOT:-$HOME/.pyenv}/versions
    python=$(newest_between 13 99 \
        ${PYTHON_NEWEST:-python3 python3.13 python3.14 "$pyenv"/3.*/bin/python})
    missing="no Python 3.13 or newer was found; set PYTHON_NEWEST=..."
    recipe=pyproject.toml
    ;;
*)
    echo "$usage" >&2
    exit 2
    ;;
esac

if ! cmp -s "$recipe" "$venv/$(basename "$recipe")"; then
    if [ -z "$python" ]; then
        echo "The $which versions are not tested: $missing"
        exit 0
    fi
    echo "Creating $venv with $("$python" --version) and the $which versions"
    rm -rf "$venv"
    "$python" -m venv "$venv"
    pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
    if [ "$which" = oldest ]; then
        "${pip[@]}" -r "$recipe"
        "${pip[@]}" --no-deps --editable .
    else
        "${pip[@]}" --editable '.[figures,dev]'
    fi
    cp "$recipe" "$venv/"
fi
[ "$workers" = 0 ] && exit 0

# The library: the reproductions need the newest matplotlib, the first that shapes Persian. The fuzz and
# what takes longest (arithmetic against fractions, drawn properties, coverage of bands, refits, R's
# doctor) run once, on the versions of the day. The README shows what the newest scikit-learn makes of
# two equal columns; its examples that need no extra run in tests/test_dependencies.py. One thread each:
# the workers keep the cores busy.
once=(tests/reproductions tests/fuzz tests/test_readme.py tests/test_manual.py tests/test_benchmarks.py
    tests/test_first_day.py tests/effects/test_exact.py tests/effects/test_properties.py
    tests/analysis/test_bootstrap.py tests/analysis/test_random_variable.py
    tests/analysis/test_refits.py tests/analysis/test_effect_error.py tests/analysis/test_learner.py
    tests/datasets/test_truth_by_integration.py tests/effects/test_noise_and_recovery.py
    tests/effects/test_peak_memory.py tests/r/test_r_session.py tests/scale/test_cluster.py)
OMP_NUM_THREADS=1 "$venv/bin/python" -m pytest -n "$workers" -m "not figures and not nightly" \
    tests validation/tests/test_stored.py "${once[@]/#/--ignore=}" \
    --deselect tests/test_dependencies.py::test_every_module_imports_alone_with_numpy_pandas_and_scipy "$@"
