# SPDX-License-Identifier: Apache-2.0
"""Triton's own compiler, stage by stage. No GPU is asked."""
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend


def compiled(source, sm, before, **options):
    """What the stages before the named one make of a source, and what they say of it."""
    target = GPUTarget("cuda", sm, 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": 4, **options, **source.parse_options()})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(target, options, backend.get_codegen_implementation(options),
                            backend.get_module_map(), context)
    stages, said = {}, {"target": target, **options.__dict__}
    backend.add_stages(stages, options, source.language)
    for name, stage in stages.items():
        if name == before:
            break
        module = stage(module, said)
    return module, said
