# SPDX-License-Identifier: Apache-2.0
"""Names of kernels as their source has them: by hand, and as c++filt says the symbols of libstdc++."""
import re
import shutil
import subprocess

import pytest

HAND = {
    "_Z4gemmILi128EEvPf": "void gemm<128>(float*)",
    "_Z1k14CUtensorMap_stPf": "k(CUtensorMap_st, float*)",
    "_ZN4gemm6kernelI6__halfLb1ELj4EEEvT_PKS2_": "void gemm::kernel<__half, true, 4u>(__half, __half const*)",
    "_ZN12_GLOBAL__N_11kEv": "(anonymous namespace)::k()",
    "_Z1fPFivE": "f(int (*)())",
    "_Z1fRA8_Ki": "f(int const (&) [8])",
    "_Z1kIJifEEvDpT_": "void k<int, float>(int, float)",
    "_Z1kIJifEEvDpRKT_": "void k<int, float>(int const&, float const&)",
    "_ZN7cutlass13device_kernelIN4gemm6kernelEEEvNT_6ParamsE":
        "void cutlass::device_kernel<gemm::kernel>(gemm::kernel::Params)",
    # not read, so as they are: an expression, an array by its name, what is cut short, a constructor of nothing, what is none
    "_Z1fIiENSt9enable_ifIXsr3std9is_signedIT_EE5valueEvE4typeES1_":
        "_Z1fIiENSt9enable_ifIXsr3std9is_signedIT_EE5valueEvE4typeES1_",
    "_Z1fIA4_iEvRT_": "_Z1fIA4_iEvRT_",
    "_Z4gemmILi128": "_Z4gemmILi128",
    "_Z9999k": "_Z9999k",
    "_ZTV3foo": "_ZTV3foo",
    "_ZC1v": "_ZC1v",
    "matmul_kernel": "matmul_kernel",
}


def said(tma, names, *words):
    """What tma ptx calls functions of these names."""
    bodies = "\n".join(f".visible .entry {name}(.param .align 128 .b8 m[128]) {{\n"
                       "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [m, {0}];\nret;\n}" for name in names)
    text = f".version 8.6\n.target sm_90a\n.address_size 64\n{bodies}\n"
    answer = tma("ptx", "-", *words, text=text)
    assert answer.returncode == 0, answer.stderr
    return re.findall(r"^kernel (.*)$", answer.stdout, re.M)


def test_by_hand(tma):
    assert said(tma, HAND) == list(HAND.values())
    assert said(tma, HAND, "--no-demangle") == list(HAND)


def test_each_cut_of_a_name_is_read_to_its_end(tma):
    name = "_ZN4gemm6kernelI6__halfJLb1ELj4EEEEvDpRKT_PFS1_PKS2_EZN1a1bEvEUlvE_"
    cuts = [name[:i] for i in range(3, len(name))]
    assert len(said(tma, cuts)) == len(cuts)


def test_as_cxxfilt_says_them(tma):
    if not shutil.which("c++filt") or not shutil.which("nm") or not shutil.which("c++"):
        pytest.skip("no c++filt, nm or c++ (Debian: binutils, g++)")
    library = subprocess.run(["c++", "-print-file-name=libstdc++.so"], capture_output=True, text=True).stdout.strip()
    symbols = subprocess.run(["nm", "-D", library], capture_output=True, text=True).stdout
    # std::string and its kin have their whole names there in constructors
    names = sorted({n for n in re.findall(r"\b(_Z\w+)", symbols) if not re.search("S[dios]", n)})
    if len(names) < 1000:
        pytest.skip("libstdc++ has no symbols here")
    theirs = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True).stdout.splitlines()
    ours = said(tma, names)
    read = [(o, t) for n, o, t in zip(names, ours, theirs) if o != n]
    assert len(ours) == len(names) and len(read) > 0.8 * len(names)
    assert [(o, t) for o, t in read if o != t] == []
