#!/usr/bin/env bash
# Installs ALEPlot, yaImpute and iml into the personal R library ($R_LIBS_USER or R's default one).
# ALEPlot has left CRAN: its archive there is tried first, then conda-forge where conda or mamba is,
# then what to do by hand is said. They are run as black boxes by the live tiers; nothing of them
# enters this project.
#   ALEPLOT_CRAN   another address in place of CRAN's, such as a mirror or file:///a/folder
set -uo pipefail

cran=${ALEPLOT_CRAN:-https://cran.r-project.org}
cran=${cran%/}
# Where each package may lie, the first first. iml comes from CRAN as usual.
places_ALEPlot=(src/contrib/Archive/ALEPlot/ALEPlot_1.1.tar.gz src/contrib/ALEPlot_1.1.tar.gz)
places_yaImpute=(src/contrib/yaImpute_1.0-34.1.tar.gz
    src/contrib/Archive/yaImpute/yaImpute_1.0-34.1.tar.gz
    src/contrib/Archive/yaImpute/yaImpute_1.0-34.tar.gz)

if ! command -v Rscript >/dev/null; then
    echo "R is not installed (no Rscript on the PATH): run \`make r\`, or install R, and try again" >&2
    exit 1
fi

installed() {
    Rscript --no-init-file -e "quit(status = !requireNamespace('$1', lib.loc =
        c(Sys.getenv('ALEPLOT_LIBRARY'), .libPaths()), quietly = TRUE))" >/dev/null 2>&1
}

# The personal library: of $R_LIBS_USER, which R sets to a default of its own.
ALEPLOT_LIBRARY=$(Rscript --no-init-file -e \
    'cat(path.expand(strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep, fixed = TRUE)[[1]][1]))')
export ALEPLOT_LIBRARY
mkdir -p "$ALEPLOT_LIBRARY" 2>/dev/null
if [ ! -d "$ALEPLOT_LIBRARY" ] || [ ! -w "$ALEPLOT_LIBRARY" ]; then
    echo "the R library $ALEPLOT_LIBRARY cannot be written to: set R_LIBS_USER to a folder of yours" >&2
    exit 1
fi

log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# Download one file and install it; every reason for a failure is kept for the end.
from_file() {
    local package=$1 url="$cran/$2" file
    file="$log/$(basename "$2")"
    if ! Rscript --no-init-file -e "quit(status = download.file('$url', '$file', mode = 'wb',
            quiet = TRUE))" >"$log/out" 2>&1; then
        reasons+=("$package: $url cannot be had")
        return 1
    fi
    if ! tar -tzf "$file" >/dev/null 2>&1; then
        reasons+=("$package: $url is no whole tar.gz file (a broken download, or a page of a proxy)")
        return 1
    fi
    if ! R_LIBS="$ALEPLOT_LIBRARY${R_LIBS:+:$R_LIBS}" R CMD INSTALL --library="$ALEPLOT_LIBRARY" \
        "$file" >"$log/out" 2>&1; then
        reasons+=("$package: $url does not install: $(grep -m 1 -i error "$log/out")")
        return 1
    fi
    installed "$package" || {
        reasons+=("$package: installed from $url, but R does not load it")
        return 1
    }
    echo "Installed $package from $url"
}

from_conda() {
    local tool
    for tool in mamba conda; do
        if command -v "$tool" >/dev/null; then
            "$tool" install --yes --channel conda-forge "r-${1,,}" >"$log/out" 2>&1
            if installed "$1"; then
                echo "Installed $1 from conda-forge by $tool"
                return
            fi
            reasons+=("$1: $tool install -c conda-forge r-${1,,} did not give it to this R")
            return 1
        fi
    done
    reasons+=("$1: no conda or mamba here for conda-forge's r-${1,,}")
    return 1
}

reasons=()
missing=()
for package in yaImpute ALEPlot; do # ALEPlot needs yaImpute
    installed "$package" && continue
    declare -n places="places_$package"
    found=
    for place in "${places[@]}"; do
        from_file "$package" "$place" && found=yes && break
    done
    [ -n "$found" ] || from_conda "$package" || missing+=("$package")
done
if ! installed iml; then
    Rscript --no-init-file -e "install.packages('iml', lib = Sys.getenv('ALEPLOT_LIBRARY'),
        repos = '$cran')" >"$log/out" 2>&1
    installed iml || {
        reasons+=("iml: install.packages('iml', repos = '$cran') failed")
        missing+=(iml)
    }
fi

if [ ${#missing[@]} -eq 0 ]; then
    echo "ALEPlot, yaImpute and iml are ready for the live tiers"
    exit 0
fi
{
    echo "Not installed: ${missing[*]}"
    printf '  %s\n' "${reasons[@]}"
    echo "By hand: on a machine that reaches them, fetch"
    for package in "${missing[@]}"; do
        if [ "$package" = iml ]; then
            echo "  in R: install.packages('iml')"
            continue
        fi
        declare -n places="places_$package"
        echo "  https://cran.r-project.org/${places[0]}   or, with conda: conda install -c conda-forge r-${package,,}"
    done
    echo "then, yaImpute before ALEPlot: R CMD INSTALL --library='$ALEPLOT_LIBRARY' FILE.tar.gz"
    echo "or point ALEPLOT_CRAN at a mirror, or at a folder (file:///...) that holds src/contrib"
} >&2
exit 1
