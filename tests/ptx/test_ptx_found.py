# SPDX-License-Identifier: Apache-2.0
"""What tma run-checked says at the end of what tma ptx found in the kernels that were compiled."""

import pytest

from test_ptx_checked import fake, run_checked  # noqa: F401

EDIT = """.version 8.6
.target sm_90a
.address_size 64
.file 1 "kernel.cu"
.visible .entry edit(.param .u64 m)
{
.reg .b64 %q<4>; .reg .b32 %r<4>;
.shared .align 1024 .b8 tile[8192];
ld.param.u64 %q1, [m]; mov.u32 %r2, tile; mov.u32 %r1, 64;
.loc 1 38 3
tensormap.replace.tile.box_dim.global.b1024.b32 [%q1], 1, %r1;
fence.proxy.tensormap::generic.release.gpu;
.loc 1 39 3
FENCE
.loc 1 40 3
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%q1, {%r1, %r1}], [%r2];
ret;
}
"""
MAY = EDIT.split("tensormap.replace")[0] + """mbarrier.init.shared::cta.b64 [tile], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [tile], 4096;
cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r2+1024], [%q1, {%r1, %r1}], [tile];
ret;
}
"""
ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu [%q1], 128;"


@pytest.mark.parametrize("ends", [0, 3])
def test_run_checked_says_what_tma_ptx_found(ends, fake, tmp_path):  # noqa: F811
    """Once for each kernel and rule, whether the program fails or not; nothing of a right kernel."""
    said = "tma run-checked: tma ptx is certain: "
    source = tmp_path / "k.ptx"
    words = ["sh", "-c", f"for i in 1 2; do $TRITON_PTXAS_PATH -arch=sm_90a {source} -o {tmp_path}/o; done; exit {ends}"]
    source.write_text(EDIT.replace("FENCE", ""))
    done = run_checked(fake, tmp_path, *words)
    assert done.returncode == ends
    assert [line for line in done.stderr.splitlines() if "tma ptx" in line] == [
        said + "line 16, kernel.cu:40, kernel edit: ptx-fence: may go by its map as it was before line 11 writes it: "
        "no fence.proxy.tensormap::generic.acquire is on any path from there to here. Put "
        "fence.proxy.tensormap::generic.acquire.gpu [map], 128 before the copy, in its thread (tma explain ptx-fence)"]
    source.write_text(EDIT.replace("FENCE", ACQUIRE))
    assert "tma ptx" not in run_checked(fake, tmp_path, *words).stderr
    source.write_text(EDIT.replace("FENCE", "cp.async.bulk.tensor.9d.odd;"))  # of the file, not of the program's protocol
    assert "ptx-unread" not in run_checked(fake, tmp_path, *words).stderr


def test_run_checked_counts_what_may_be_wrong(fake, tmp_path):  # noqa: F811
    source = tmp_path / "k.ptx"
    source.write_text(MAY)
    words = ["sh", "-c", f"$TRITON_PTXAS_PATH -arch=sm_90a {source} -o {tmp_path}/o"]
    lines = [line for line in run_checked(fake, tmp_path, *words).stderr.splitlines() if "tma ptx" in line]
    assert lines == ["tma run-checked: tma ptx is not certain: wait-missing may be broken in 1 place: --notes=FILE has it (tma explain wait-missing)"]
