#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# python_with.sh NAME==VERSION COMMAND [ARGUMENT...]: runs COMMAND where python has a package of PyPI,
# which is fetched the first time; ends with 77 where it cannot be had.
# Run it through python_package.sh.
set -euo pipefail
name=${1%%==*} version=${1##*==}
there=$(python -c 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))' \
    "$name" 2>/dev/null || true)
if [ "$there" != "$version" ]; then
    pip install -q --disable-pip-version-check "$1" || {
        echo "python_with.sh: $1 cannot be had here" >&2
        exit 77
    }
fi
shift
exec "$@"
