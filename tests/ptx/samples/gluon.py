# SPDX-License-Identifier: Apache-2.0
"""Makes gluon_tiles_90.ptx and persistent_90.ptx beside it, of lab/hardware/kernels/real's kernels: python3 gluon.py FOLDER,
with Triton 3.6.0, no GPU and no PyTorch needed."""
import pathlib
import sys
import types

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

sys.modules.setdefault("torch", types.ModuleType("torch"))  # imported there, not used here
COPY = pathlib.Path("/tmp/samples")  # the text names its folder
COPY.mkdir(exist_ok=True)
KERNELS = pathlib.Path(__file__).parents[3] / "lab/hardware/kernels/real/triton_kernels.py"
(COPY / KERNELS.name).write_bytes(KERNELS.read_bytes())
sys.path.insert(0, str(COPY))
from triton_kernels import gluon_tiles, persistent_matmul  # noqa: E402

shared = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
registers = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
tensor = f"tensordesc<fp16[64,64],{shared!r}>"
source = GluonASTSource(fn=gluon_tiles, signature={"source": tensor, "out": tensor, "XBLOCK": "constexpr", "YBLOCK": "constexpr",
                                                   "TILES": "constexpr", "layout": "constexpr"},
                        constexprs={"XBLOCK": 64, "YBLOCK": 64, "TILES": 64, "layout": registers})
# Copies between products: wgmma are in flight at each load.
SIZES = {"BM": 128, "BN": 256, "BK": 64, "SMS": 132, "ON_DEVICE": False}
matmul = ASTSource(fn=persistent_matmul, constexprs=SIZES,
                   signature={"a": "tensordesc<fp16[128, 64]>", "b": "tensordesc<fp16[256, 64]>",
                              "c": "tensordesc<fp16[128, 256]>", "c_ptr": "*fp16", "M": "i32", "N": "i32", "K": "i32",
                              **dict.fromkeys(SIZES, "constexpr")})
for name, made, options in (("gluon_tiles", source, {"num_warps": 4}),
                            ("persistent", matmul, {"num_warps": 8, "num_stages": 3})):
    text = triton.compile(made, target=GPUTarget("cuda", 90, 32), options=options).asm["ptx"]
    (pathlib.Path(sys.argv[1]) / f"{name}_90.ptx").write_text(text.replace(f"{COPY}/", ""))
