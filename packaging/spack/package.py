# SPDX-License-Identifier: Apache-2.0
"""spack dev-build libtma@main, in the tree. Spack 1.0 or later."""
from spack.package import depends_on, license, variant, version  # noqa: A004
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Libtma(CMakePackage):
    """NVIDIA's Tensor Memory Accelerator without a GPU: tensor maps and their copies."""

    license("Apache-2.0")
    version("main")

    variant("cairo", default=True, description="tma draw writes .pdf")
    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    depends_on("zlib-api")
    depends_on("cairo", when="+cairo")

    def cmake_args(self):
        off = [self.define(f"LIBTMA_BUILD_{what}", False) for what in ("TESTS", "BENCH", "FUZZERS")]
        off.append(self.define("LIBTMA_WERROR", False))
        return [*off, self.define_from_variant("LIBTMA_CAIRO", "cairo")]
