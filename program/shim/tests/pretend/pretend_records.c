/* SPDX-License-Identifier: Apache-2.0
 *
 * The pretend driver's memory for kernels' records, and a kernel, which runs when it is told where
 * its record is: PRETEND_KERNEL and PRETEND_REGISTER of pretend_driver.c.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_abi.h"
#include "gate.h"
#include "tma/judge_record.h"

static void run_kernel(tma_judge_record *r) {
    const char *kernel = getenv("PRETEND_KERNEL");
    if (!kernel || r->format != TMA_JUDGE_RECORD_FORMAT || r->state) {
        return;
    }
    r->rule = TMA_RULE_TRAP_COORD_ALIGN;
    r->index = 0;
    r->given = 1;
    r->value = 2;
    r->limit = 16;
    r->relation = TMA_MUST_BE_MULTIPLE_OF;
    r->unit = TMA_UNIT_B;
    r->map = 0x7f00;
    r->coords = 2;
    r->coord[0] = 1;
    r->shared_address = 0x400;
    r->line = 20;
    r->skipped = strcmp(kernel, "skip") ? 0 : 3;
    memcpy(r->opcode, "cp.async.bulk.tensor.2d", sizeof("cp.async.bulk.tensor.2d"));
    memcpy(r->file, "my\033.cu", sizeof("my\033.cu"));
    memcpy(r->function, "copy", sizeof("copy"));
    r->state = strcmp(kernel, "cut") ? TMA_JUDGE_RECORD_DONE : TMA_JUDGE_RECORD_BEGUN;
    if (!strcmp(kernel, "killed")) {
        raise(SIGKILL);
    }
}

SHIM_EXPORT shim_register_call cuMemHostRegister_v2;
SHIM_EXPORT shim_result cuMemHostRegister_v2(void *p, size_t bytesize, unsigned Flags) {
    static int asked;
    const char *refused = getenv("PRETEND_REGISTER");
    gate_pass();
    if ((uintptr_t)p % 4096 || bytesize % 4096 || Flags != SHIM_REGISTER_FOR_DEVICES) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    return refused && (!strcmp(refused, "none") || !asked++) ? SHIM_ERROR_NOT_SUPPORTED
                                                             : SHIM_SUCCESS;
}

SHIM_EXPORT shim_unregister_call cuMemHostUnregister;
SHIM_EXPORT shim_result cuMemHostUnregister(void *p) {
    return !p;
}

SHIM_EXPORT shim_device_pointer_call cuMemHostGetDevicePointer_v2;
SHIM_EXPORT shim_result cuMemHostGetDevicePointer_v2(uint64_t *pdptr, void *p, unsigned Flags) {
    *pdptr = (uintptr_t)p;
    return Flags;
}

SHIM_EXPORT shim_stream_create_call cuStreamCreate;
SHIM_EXPORT shim_result cuStreamCreate(struct CUstream_st **phStream, unsigned Flags) {
    static char stream;
    void *const at = &stream;
    memcpy(phStream, &at, sizeof(at));
    return Flags != SHIM_STREAM_NON_BLOCKING;
}

SHIM_EXPORT shim_stream_call cuStreamSynchronize;
SHIM_EXPORT shim_result cuStreamSynchronize(struct CUstream_st *hStream) {
    return !hStream;
}

SHIM_EXPORT shim_stream_call cuStreamDestroy_v2;
SHIM_EXPORT shim_result cuStreamDestroy_v2(struct CUstream_st *hStream) {
    return !hStream;
}

SHIM_EXPORT shim_capture_mode_call cuThreadExchangeStreamCaptureMode;
SHIM_EXPORT shim_result cuThreadExchangeStreamCaptureMode(uint32_t *mode) {
    static uint32_t now;
    const uint32_t before = now;
    now = *mode;
    *mode = before;
    if (getenv("PRETEND_KERNEL")) {
        printf("capture mode %u\n", now);
    }
    return SHIM_SUCCESS;
}

SHIM_EXPORT shim_write_call cuMemcpyHtoDAsync_v2;
SHIM_EXPORT shim_result cuMemcpyHtoDAsync_v2(uint64_t dstDevice, const void *srcHost,
                                             size_t ByteCount, struct CUstream_st *hStream) {
    union {
        uint64_t address;
        void *to;
        tma_judge_record *record;
    } as = {dstDevice};
    if (!hStream || ByteCount != sizeof(as)) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    memcpy(as.to, srcHost, ByteCount);
    memcpy(&as, srcHost, ByteCount);
    run_kernel(as.record);
    return SHIM_SUCCESS;
}
