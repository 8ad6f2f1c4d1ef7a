# SPDX-License-Identifier: Apache-2.0
"""PyTorch's device "cuda" on the CPU. Needs PyTorch."""
import pytest

torch = pytest.importorskip("torch")

from libtma._torch_cpu import on_cpu

H200 = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32}


def test_the_device_is_the_cpu():
    before = torch.cuda.get_device_capability
    undo = on_cpu(90, H200)
    try:
        made = [torch.ones(4, device="cuda"), torch.ones(4, device=torch.device("cuda", 0)),
                torch.ones(4).cuda(), torch.ones(4).to("cuda:0"), torch.ones(4).to(device="cuda")]
        assert {one.device.type for one in made} == {"cpu"}
        assert torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
        assert torch.cuda.get_device_properties(0).multi_processor_count == 132
        with torch.cuda.device(0):
            torch.cuda.synchronize()
    finally:
        undo()
    assert torch.cuda.get_device_capability is before
    if not torch.cuda.is_available():
        with pytest.raises((RuntimeError, AssertionError)):
            torch.ones(4, device="cuda")
