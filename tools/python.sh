#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# python.sh ARGUMENT...: runs python3 with them, the one that has pytest: $PYTHON if set, else
# Debian's own, else one in PATH (pyenv and conda put one in front that lacks it). Where none has
# it, `python.sh -m pytest` says so and ends with 77, which CTest counts as skipped.
# python.sh --path: prints which one it is.
set -u

has_pytest() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("pytest"))' 2>/dev/null
}

in_path() { # python3, then python3.13, python3.12, ...
    echo python3
    echo "$PATH" | tr ':' '\n' | while read -r folder; do
        ls -1r "$folder"/python3.[0-9] "$folder"/python3.[0-9][0-9] 2>/dev/null
    done
}

found= any=
for candidate in ${PYTHON:-} /usr/bin/python3 $(in_path); do
    if has_pytest "$candidate"; then
        found=$candidate
        break
    fi
    command -v "$candidate" >/dev/null 2>&1 && any=${any:-$candidate}
done

if [ "${1:-}" = --path ]; then
    command -v "${found:-${any:-/usr/bin/python3}}"
    exit
fi
if [ -z "$found" ]; then
    for argument in "$@"; do
        if [ "$argument" = pytest ]; then
            echo "python.sh: no python3 here has pytest: apt-get install python3-pytest" >&2
            exit 77
        fi
    done
fi
if [ -z "$found$any" ]; then
    echo "python.sh: no python3 here: apt-get install python3" >&2
    exit 77
fi
exec "${found:-$any}" "$@"
