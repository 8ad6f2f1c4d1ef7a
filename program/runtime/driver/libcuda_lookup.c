/* SPDX-License-Identifier: Apache-2.0
 *
 * cuGetProcAddress: which symbol a name stands for.
 */
#include <string.h>

#include "driver_abi.h"
#include "libcuda_calls.h"

typedef void driver_call(void);

static const struct row {
    const char *name;
    int since;
    driver_call *call;
} rows[] = {
#define LIBCUDA_CALL(name, since, symbol, ...) {#name, since, (driver_call *)symbol},
#include "libcuda_calls.def"
    {"cuTensorMapEncodeTiled", 12000, (driver_call *)cuTensorMapEncodeTiled},
    {"cuTensorMapEncodeIm2col", 12000, (driver_call *)cuTensorMapEncodeIm2col},
    {"cuTensorMapEncodeIm2colWide", 12080, (driver_call *)cuTensorMapEncodeIm2colWide},
    {"cuTensorMapReplaceAddress", 12000, (driver_call *)cuTensorMapReplaceAddress},
};

uint32_t cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, uint64_t flags,
                             uint32_t *symbolStatus) {
    const struct row *found = NULL;
    uint32_t status = SHIM_LOOKUP_NOT_FOUND;
    if (!symbol || !*symbol || !pfn || flags & ~(uint64_t)SHIM_LOOKUP_FLAGS) {
        return CUDA_INVALID_VALUE;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].name, symbol) != 0) {
            continue;
        }
        if (rows[i].since > cudaVersion) {
            status = found ? status : SHIM_LOOKUP_VERSION_NOT_SUFFICIENT;
        } else if (!found || rows[i].since > found->since) {
            found = &rows[i];
            status = SHIM_LOOKUP_SUCCESS;
        }
    }
    *pfn = NULL;
    if (found) {
        memcpy(pfn, &found->call, sizeof(*pfn));
    }
    if (symbolStatus) {
        *symbolStatus = status;
    }
    return found || symbolStatus ? CUDA_SUCCESS : CUDA_SYMBOL_NOT_FOUND;
}

uint32_t cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, uint64_t flags) {
    return cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
}

/* What these tables hold no document says. The static runtime does nothing without them, others ask
 * and do: the command says it where nothing was launched. */
uint32_t cuGetExportTable(const void **ppExportTable, const struct CUuuid_st *pExportTableId) {
    if (!ppExportTable || !pExportTableId) {
        return CUDA_INVALID_VALUE;
    }
    *ppExportTable = NULL;
    tma_program_report("tables", 0, 0, 0);
    return CUDA_SYMBOL_NOT_FOUND;
}
