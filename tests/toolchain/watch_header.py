# SPDX-License-Identifier: Apache-2.0
"""watch_header.py CUDA_H [ROOT]: members of CUresult, enumerators and calls of tensor maps in cuda.h that the tables and
tma/cuda_api.h do not have."""
import re
import sys
from pathlib import Path


def main():
    header = re.sub(r"/\*.*?\*/", "", Path(sys.argv[1]).read_text(errors="replace"), flags=re.S)
    root = Path((sys.argv[2:] or [Path(__file__).parents[2]])[0])
    codes = (root / "include/tma/driver_codes.def").read_text()
    api = (root / "include/tma/cuda_api.h").read_text()
    compiled = codes if "DRIVER_CODE_NAME" in api else re.sub(r"DRIVER_CODE_NAME\(.*", "", codes)
    known = {(name, int(n)) for name, n in re.findall(r"\b(?:DRIVER_CODE|DRIVER_CODE_NAME)\((\w+), (\d+)", compiled)}
    begin = header.index("typedef enum cudaError_enum")
    results = re.findall(r"CUDA_ERROR_(\w+)\s*=\s*(\d+)", header[begin:header.index("CUresult;", begin)])
    lacks = [f"CUresult CUDA_ERROR_{name} = {n}" for name, n in results if (name, int(n)) not in known]
    words = set(re.findall(r"\b(?:CU_TENSOR_MAP_\w+|cuTensorMap\w+)", header)) - {"CU_TENSOR_MAP_NUM_QWORDS"}
    lacks += [word for word in sorted(words) if not re.search(rf"\b{word}\b", api)]
    for row in lacks:
        print(f"cuda.h has {row}, which tma/cuda_api.h has not")
    print(f"{len(results)} members of CUresult, {len(words)} names of tensor maps compared")
    sys.exit(bool(lacks) or len(results) < 100 or len(words) < 20)


main()
