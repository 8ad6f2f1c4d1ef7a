#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# python_triton.sh COMMAND [ARGUMENT...]: runs COMMAND where python has the Triton that docs/triton.md names,
# which is fetched from PyPI the first time; ends with 77 where it cannot be had. Run it through
# python_package.sh.
set -euo pipefail
wanted=3.9.0
if [ "$(python -c 'import triton; print(triton.__version__)' 2>/dev/null)" != "$wanted" ]; then
    pip install -q --disable-pip-version-check --no-deps "triton==$wanted" || {
        echo "python_triton.sh: Triton $wanted cannot be had here" >&2
        exit 77
    }
fi
exec "$@"
