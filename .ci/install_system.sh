#!/usr/bin/env bash
# Installs the Debian packages given as arguments that are missing, where this user may.
# Returns 1, with the reason printed, when a package is missing and cannot be installed.
set -uo pipefail

missing=()
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "No apt-get here; please install the equivalent of: ${missing[*]}"
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "Not root; an administrator can run: apt-get install --no-install-recommends ${missing[*]}"
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Installing ${missing[*]}"
if ! { apt-get update -q && apt-get install -q -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log"
    echo "apt-get could not install: ${missing[*]}"
    exit 1
fi
