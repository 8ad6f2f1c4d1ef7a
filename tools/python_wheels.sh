#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# python_wheels.sh BUILD [PYTHON...]: builds a wheel with every Python that is given, or with those found
# here (3.10 and later): the newest, the free-threaded ones and one of the others, drawn by HEAD
# (tools/drawn.sh), with LIBTMA_EACH_PYTHON=1 (make long) all. Runs the package's tests on what it installs: a
# cp312-abi3 wheel also under each later Python. The newest and the free-threaded ones are asked all tests, the
# others those of what is packed, the page, maps and PTX; with LIBTMA_EACH_PYTHON=1 all are asked all but the
# Python of BUILD/python-environment, which python_package asks. The wheels take the libraries, the
# command and the page that BUILD has (cmake/made.cmake). Then builds all of it, as pip does, from the source
# distribution, in a namespace without a network where the machine allows one.
# The wheels are left in BUILD/wheels. 77: no such Python, or no PyPI for NumPy and pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wheels=$build/wheels
rm -rf "$wheels"
mkdir -p "$wheels"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
declare -A python # by tag: cp311, cp312, cp313t

tag_of() {
    "$1" - 2>/dev/null <<'END'
import ensurepip, os, sys, sysconfig, venv
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
if sys.version_info >= (3, 10) and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    print(f"cp{sys.version_info[0]}{sys.version_info[1]}{free}")
END
}

find_pythons() {
    local candidate tag
    for candidate in "$@"; do
        if command -v "$candidate" >/dev/null; then
            tag=$(tag_of "$candidate") || continue
            if [ -n "$tag" ] && [ -z "${python[$tag]:-}" ]; then
                python[$tag]=$(command -v "$candidate")
            fi
        fi
    done
}

environment() { # TAG: one with what the tests need
    local at=$work/$1
    "${python[$1]}" -m venv "$at" &&
        "$at/bin/pip" install -q hypothesis ml_dtypes nanobind numpy pytest scikit-build-core mypy
}

try() { # TAG WHEEL
    local tests=$PWD/python/tests asked how=
    asked=("$tests" --ignore "$tests/test_documents.py")
    if [[ $1 != "$newest" && $1 != *t && -z ${LIBTMA_EACH_PYTHON:-} ]] || [[ $1 = "$tested" && $2 != *-abi3-* ]]; then
        asked=("$tests"/test_{package,page,descriptor,ptx}.py)
        how=' (some tests)'
    fi
    "$work/$1/bin/pip" install -q --no-index --no-deps --force-reinstall "$2"
    (cd "$work" && PATH=$work/$1/bin:$PATH TMA_TEST_SPECS=500 python -m pytest -q -p no:cacheprovider \
        -c "$OLDPWD/pyproject.toml" "${asked[@]}")
    "$work/$1/bin/tma" --version
    "$work/$1/bin/python" -m libtma.page --print tma check || [ -z "$with_page" ]
    echo "python_wheels.sh: $(basename "$2") under $("$work/$1/bin/python" -VV | tr '\n' ' '): passed$how"
}

if [ $# -gt 0 ]; then
    find_pythons "$@"
else
    find_pythons python3.{10..15} python3.{13..15}t "$HOME"/.pyenv/versions/3.*/bin/python3 python3
fi
if [ ${#python[@]} = 0 ]; then
    echo "python_wheels.sh: no Python of 3.10 or later with headers and venv here" >&2
    exit 77
fi
makes_page=
if command -v clang >/dev/null && compgen -c wasm-ld >/dev/null; then
    makes_page=1
fi
tags=$(printf '%s\n' "${!python[@]}" | sort)
newest=$(grep -v 't$' <<<"$tags" | tail -n 1 || true)
if [ $# = 0 ] && [ -z "${LIBTMA_EACH_PYTHON:-}" ]; then
    others=$(grep -v 't$' <<<"$tags" | grep -vxF "$newest" || true)
    drawn=$([ -z "$others" ] || tools/drawn.sh 1 <<<"$others")
    echo "python_wheels.sh: of $(wc -w <<<"$others") Pythons before $newest, drawn: ${drawn:-none}"
    tags=$(grep -xF -e "$newest" -e "$drawn" -e "$(grep 't$' <<<"$tags" || true)" <<<"$tags")
fi
tested=$(tag_of "$build/python-environment/bin/python" || true)
for tag in $tags; do
    environment "$tag" || {
        echo "python_wheels.sh: PyPI has nothing for $tag here" >&2
        exit 77
    }
done

made='' with_page=$makes_page
if [ -f "$build/made.cmake" ]; then
    made=$build
    [ -f "$build/page/index.html" ] || with_page=
fi
abi3=
for tag in $tags; do
    case $tag in
        cp310 | cp311 | *t) wanted="$tag-$tag" ;;
        *) wanted=cp312-abi3 ;;
    esac
    wheel=$(find "$wheels" -name "*-$wanted-*.whl")
    if [ -z "$wheel" ]; then
        PATH=$work/$tag/bin:$PATH pip wheel -q --no-build-isolation --no-deps --no-index -w "$wheels" \
            --config-settings "cmake.define.LIBTMA_MADE=$made" .
        wheel=$(find "$wheels" -name "*-$wanted-*.whl")
        [ -n "$wheel" ] || {
            echo "python_wheels.sh: $tag makes no $wanted wheel, but $(ls "$wheels")" >&2
            exit 1
        }
    fi
    try "$tag" "$wheel"
    abi3=$tag
done

alone=()
if unshare -rn true 2>/dev/null; then
    alone=(unshare -rn)
fi
PATH=$work/$abi3/bin:$PATH
python -c 'import scikit_build_core.build as b, sys; b.build_sdist(sys.argv[1])' "$work" >/dev/null
"${alone[@]}" pip install -q --no-build-isolation --no-deps --no-index --force-reinstall "$work"/libtma-*.tar.gz
(cd "$work" && python -c 'import libtma; print("python_wheels.sh: the source distribution:", libtma.__version__)' &&
    tma --version && { python -m libtma.page --print tma check || [ -z "$makes_page" ]; })
