#!/usr/bin/env bash
# Installs R, the R packages of the exported models and the rpy2 that fits the R found into the
# virtual environment (first argument). Never fails: without R the live tiers are skipped and the
# closing table of `make test` says why.
set -uo pipefail

venv=${1:?usage: r.sh VENV}
here=$(dirname "$0")
r_packages='randomForest nnet party gbm rpart'

missing_r_packages() {
    Rscript --vanilla -e "p <- strsplit('$r_packages', ' ')[[1]]
        cat(p[!p %in% rownames(installed.packages())])" 2>/dev/null
}

if ! command -v R >/dev/null || [ -n "$(missing_r_packages)" ]; then
    bash "$here/../../.ci/install_system.sh" r-base-core r-base-dev r-cran-randomforest r-cran-nnet \
        r-cran-party r-cran-gbm r-cran-rpart
fi
if ! command -v R >/dev/null; then
    echo "R is not installed: the live R tiers will be skipped"
    exit 0
fi

r_version=$(Rscript --vanilla -e 'cat(as.character(getRversion()))')
missing=$(missing_r_packages)
if [ -n "$missing" ]; then
    echo "R $r_version lacks $missing; in R: install.packages(c('${missing// /\', \'}'))"
fi

# Which rpy2 fits which R is known to the library.
stamp="$venv/.stamp-rpy2"
if [ "$(cat "$stamp" 2>/dev/null)" != "$r_version" ]; then
    mapfile -t requirements < <("$venv/bin/python" -m aleplot_py doctor --rpy2)
    if [ ${#requirements[@]} -eq 0 ]; then
        echo "No rpy2 is known for R $r_version: the live R tiers will be skipped"
        exit 0
    fi
    # An interface compiled against another R would be kept from an earlier set-up.
    [ -e "$stamp" ] && "$venv/bin/python" -m pip uninstall --quiet --yes rpy2-rinterface
    echo "Installing ${requirements[*]} for R $r_version"
    if "$venv/bin/python" -m pip install --quiet "${requirements[@]}"; then
        echo "$r_version" >"$stamp"
    else
        echo "rpy2 could not be installed (see above): the live R tiers will be skipped"
        exit 0
    fi
fi
echo "R $r_version is ready for the live tiers"
