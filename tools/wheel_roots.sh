#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# wheel_roots.sh [SUITE ...]: installs the wheels of build/wheels-pypi (tools/wheels.sh) by pip in bare
# roots of Debian 12 (bookworm: Python 3.11, cp311) and 13 (trixie: 3.13, cp312-abi3), pip choosing among
# all of them, and runs the package's tests there, without a compiler. The wheels for aarch64 and for
# musl are looked into: each has to have what the others have, and only glibc's have libtma-cuda.so and
# stand-ins. Exit status 77: not root.
# wheel_roots.sh inside: what is run in those roots.
set -euo pipefail
cd "$(dirname "$0")/.."

inside() {
    local shim
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >/dev/null 2>&1
    python3 -m venv /root/v
    export PATH=/root/v/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
    pip install -q --no-index --find-links /root/shared libtma
    tma --version
    shim=$(python -c 'import libtma; print(libtma.shim_path())')
    LD_PRELOAD=$shim LIBTMA_MODE=stand-in python -c 'import ctypes; ctypes.CDLL(None).cuTensorMapEncodeTiled'
    pip install -q hypothesis ml_dtypes mypy nanobind numpy pytest
    TMA_TEST_SPECS=500 python -m pytest -q -p no:cacheprovider python/tests \
        --ignore python/tests/test_documents.py --ignore python/tests/test_package.py
    echo "wheel_roots.sh: $(python -VV | tr '\n' ' '): passed, with $shim"
}

look() { # every wheel: its files, and the system that its libraries are for
    python3 - "$@" <<'END'
import sys, zipfile
WANTED = {f"libtma/{name}" for name in ("__init__.py", "_core.pyi", "py.typed")}
wrong = []
for path in sys.argv[1:]:
    files = zipfile.ZipFile(path).namelist()
    missing = [f for f in WANTED if f not in files]
    missing += [] if any(f.endswith("/scripts/tma") for f in files) else ["tma"]
    shim = "libtma/libtma-cuda.so" in files
    stand_ins = sum("/data/lib/libtma/emulated/lib" in f for f in files)
    print(f"{path.rpartition('/')[2]}: {len(files)} files, libtma-cuda.so: {'yes' if shim else 'no'}")
    if missing or shim != ("manylinux" in path) or stand_ins != 3 * shim:
        wrong.append(f"{path}: missing {missing}, libtma-cuda.so {shim}, stand-ins {stand_ins}")
sys.exit("\n".join(wrong) or None)
END
}

if [ "${1:-}" = inside ]; then
    inside
    exit
fi
[ "$(id -u)" = 0 ] || {
    echo "wheel_roots.sh: skipped: not root"
    exit 77
}
[ -n "$(find build/wheels-pypi -name '*.whl' 2>/dev/null)" ] || {
    echo "wheel_roots.sh: no wheels in build/wheels-pypi: tools/wheels.sh makes them" >&2
    exit 1
}
look build/wheels-pypi/*.whl
[ $# -gt 0 ] || set -- bookworm trixie
for suite in "$@"; do
    .ci/bare_debian --share build/wheels-pypi "$suite" 'tools/wheel_roots.sh inside'
done
