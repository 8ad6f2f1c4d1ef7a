#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# python_beside.sh NAME==VERSION COMMAND [ARGUMENT...]: runs COMMAND where python finds this version of
# a package of PyPI before any other, in a folder of its own beside the environment's, which is filled
# the first time; ends with 77 where it cannot be had. Run it through python_package.sh.
set -euo pipefail
folder=$(python -c 'import sys; print(sys.prefix)')-$1
package=$1
shift
if [ ! -e "$folder/whole" ]; then
    rm -rf "$folder"
    pip install -q --disable-pip-version-check --no-deps --target "$folder" "$package" || {
        echo "python_beside.sh: $package cannot be had here" >&2
        exit 77
    }
    touch "$folder/whole"
fi
PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH} exec "$@"
