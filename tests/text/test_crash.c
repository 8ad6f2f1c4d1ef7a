/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of crashes: each row in three spellings, what must not be taken for one, and what somebody
 * asks for.
 */
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

#include "tma/crash.h"
#include "tma/paste.h"

#define MOST_ROWS 256

struct rows_found {
    size_t times[MOST_ROWS];
    size_t line[MOST_ROWS];
};

static void note(void *context, const tma_crash *found) {
    struct rows_found *all = context;
    all->times[found->row]++;
    all->line[found->row] = found->line;
}

static size_t row_named(const char *name) {
    tma_crash_row row;
    for (size_t i = 0; !tma_crash_at(&row, i); i++) {
        if (!strcmp(row.name, name)) {
            return i;
        }
    }
    fail_msg("no row is named %s", name);
    return 0;
}

/* As programs print them: the first three of each row in other forms of each other. */
static const struct spelling {
    const char *row;
    const char *lines[3];
} spellings[] = {
#define SPELLING(row, ...) {row, {__VA_ARGS__}},
#include "support/cases/crash_spellings.def"
};

static void each_row_in_three_spellings(void **state) {
    (void)state;
    size_t wrong = 0;
    tma_crash_row row;
    for (size_t i = 0; !tma_crash_at(&row, i); i++) {
        size_t k = 0;
        while (k < COUNT_OF(spellings) && strcmp(spellings[k].row, row.name) != 0) {
            k++;
        }
        if (k == COUNT_OF(spellings)) {
            print_error("%s: no spelling\n", row.name);
            wrong++;
        }
    }
    for (size_t i = 0; i < COUNT_OF(spellings); i++) {
        const size_t wanted = row_named(spellings[i].row);
        for (size_t k = 0; k < 3; k++) {
            struct rows_found all = {{0}, {0}};
            const char *line = spellings[i].lines[k];
            tma_crash_read(line, strlen(line), note, &all);
            if (all.times[wanted] != 1) {
                print_error("%s: not found in: %s\n", spellings[i].row, line);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

static size_t found_in(const char *text) {
    struct rows_found all = {{0}, {0}};
    const size_t count = tma_crash_read(text, strlen(text), note, &all);
    if (count) {
        print_error("taken for a crash: %s\n", text);
    }
    return count;
}

/* Each number that is an error somewhere, in lines that are about something else. */
static void numbers_of_something_else(void **state) {
    static const char *const lines[] = {
        "step %d of 9000: loss 0.%d, %d tokens",
        "src/cuda/kernel.cu:%d:9: warning: unused variable",
        "[%d/1200] Building CUDA object kernels/a.cu.o",
        "CUDA kernel %d took %d ms",
        "GET /issues/%d HTTP/1.1 \"%d\"",
        "wrote %d bytes, error rate %d.5",
        "error %d: connection refused",
        "process exited with code %d",
        "make: *** [cuda/Makefile:12: all] Error %d",
        "CUDA 13.0 at 10.0.0.%d port %d",
        "version %d.%d.0 of cuda-python",
        "transaction xid %d is still in progress",
        "exception %d in thread main",
        "DHCPREQUEST xid=%d",
        "RPC: xid (10.0.0.1:2049): %d, retrying",
        "line %d: error: CUDA is not found",
        "a note: see issue %d of the CUDA samples, comment %d",
    };
    size_t wrong = 0;
    (void)state;
    for (int number = 1; number < 1000; number++) {
        for (size_t i = 0; i < COUNT_OF(lines); i++) {
            char line[256];
            sprintf(line, lines[i], number, number, number);
            wrong += found_in(line) > 0;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Each exception as the debugger API names it; no other enumerator. */
static void enumerators_of_the_debugger(void **state) {
    static const struct {
        const char *line;
        const char *row;
    } lines[] = {
        {"CUDBG_EXCEPTION_WARP_ILLEGAL_ADDRESS in cutlass_moe_mm", "illegal-address"},
        {"exception: CUDBG_EXCEPTION_WARP_OUT_OF_RANGE_ADDRESS", "out-of-range-address"},
        {"CUDBG_EXCEPTION_LANE_MISALIGNED_ADDRESS (11)", "misaligned-address"},
        {"got CUDBG_EXCEPTION_WARP_ASSERT", "device-assert"},
        {"CUDBG_EXCEPTION_WARP_ILLEGAL_INSTR_PARAM (27)", "illegal-parameter"},
        {"CUDBG_EXCEPTION_WARP_ILLEGAL_INSTR_ENCODING", "illegal-encoding"},
        {"CUDBG_EXCEPTION_WARP_MISALIGNED_REG", "illegal-encoding"},
        {"died with CUDBG_EXCEPTION_CLUSTER_BLOCK_NOT_PRESENT", "cluster"},
        {"CUDBG_EXCEPTION_CLUSTER_POISON", "cluster"},
        {"CUDBG_EXCEPTION_WARP_TMEM_ACCESS_CHECK", "tensor-memory"},
        {"CUDBG_EXCEPTION_WARP_TMEM_LEAK", "tensor-memory"},
        {"CUDBG_EXCEPTION_WARP_INVALID_CONST_ADDR_LDC", "kernel-exception"},
        {"CUDBG_EXCEPTION_LANE_NONMIGRATABLE_ATOMSYS", "kernel-exception"},
        {"CUDBG_EXCEPTION_LANE_INVALID_ATOMSYS", "kernel-exception"},
        {"CUDBG_EXCEPTION_WARP_ARRIVE", "barrier-arrival"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct rows_found all = {{0}, {0}};
        assert_int_equal(tma_crash_read(lines[i].line, strlen(lines[i].line), note, &all), 1);
        assert_int_equal(all.times[row_named(lines[i].row)], 1);
    }
    assert_int_equal(tma_crash_read("CUDBG_EXCEPTION_WARP", 20, NULL, NULL), 0);
    assert_int_equal(tma_crash_read("CUDBG_EXCEPTION_", 16, NULL, NULL), 0);
    assert_int_equal(tma_crash_read("CUDBG_EXCEPTION_WARP_ASSERTED", 29, NULL, NULL), 0);
}

/* Words that say little alone count where the text is about tensor copies, wherever it says so. */
static void words_that_need_a_subject(void **state) {
    static const char *const alone[] = {
        "the job is stuck\n", "AssertionError: Tensor-likes are not close!\n",
        "Mismatched elements: 3 / 8\n", "Fatal Python error: Segmentation fault\n"};
    char text[256];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(alone); i++) {
        assert_int_equal(tma_crash_read(alone[i], strlen(alone[i]), NULL, NULL), 0);
        snprintf(text, sizeof(text), "%sa line\na line\nFAILED test_tma_store\n", alone[i]);
        assert_int_equal(tma_crash_read(text, strlen(text), NULL, NULL), 1);
    }
}

/* A failure that nobody knows is told where copies were spoken of before it, and not far from it.
 */
static void a_failure_far_from_copies(void **state) {
    char text[4096] = "H100: tma_load of stage 3\n";
    (void)state;
    for (int lines = 1; lines <= 40; lines++) {
        strcat(text, "a line\n");
        const size_t length = strlen(text);
        strcat(text, "FAILED somewhere\n");
        assert_int_equal(tma_crash_read(text, strlen(text), NULL, NULL), lines < 30);
        text[length] = 0;
    }
    assert_int_equal(tma_crash_read("FAILED\nH100: tma_load\n", 23, NULL, NULL), 0);
}

/* The longest words count, a row once a line, and what a line needs may stand in the one before. */
static void lines_of_a_log(void **state) {
    static const char text[] = "CUDA error, at the end:\n"
                               "  misaligned address\n"
                               "a blank line\n"
                               "far from it: misaligned address\n"
                               "CUDA_ERROR_ILLEGAL_INSTRUCTION, an illegal instruction was "
                               "encountered (715) CUDA error 715\n"
                               "CUDA Exception: Warp Illegal Instruction Parameter\n";
    struct rows_found all = {{0}, {0}};
    (void)state;
    assert_int_equal(tma_crash_read(text, sizeof(text) - 1, note, &all), 3);
    assert_int_equal(all.times[row_named("misaligned-address")], 1);
    assert_int_equal(all.line[row_named("misaligned-address")], 2);
    assert_int_equal(all.times[row_named("illegal-instruction")], 1);
    assert_int_equal(all.line[row_named("illegal-parameter")], 6);
    assert_int_equal(tma_crash_read(NULL, 0, note, &all), 0);
    assert_int_equal(tma_crash_read(text, sizeof(text) - 1, NULL, NULL), 3);
}

static void what_somebody_asks_for(void **state) {
    static const struct {
        const char *words;
        const char *row;
        size_t count;
    } asked[] = {
        {"715", "illegal-instruction", 1},
        {"13", "xid-13", 2},
        {"27", "illegal-parameter", 1},
        {"700 illegal instruction", "illegal-address", 2},
        {"700 illegal instruction", "illegal-instruction", 2},
        {"misaligned address", "misaligned-address", 1},
        {"Misaligned  Address", "misaligned-address", 1},
        {"CUDA_EXCEPTION_27", "illegal-parameter", 1},
        {"cudaErrorIllegalAddress", "illegal-address", 1},
        {"CUDA_ERROR_LAUNCH_FAILED", "launch-failed", 1},
        {"xid 31", "xid-31", 1},
        {"hang", "hang", 1},
        {"illegal-address", "illegal-address", 1},
        {"HIP error: misaligned address", "misaligned-address", 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        struct rows_found all = {{0}, {0}};
        const size_t count = tma_crash_about(asked[i].words, strlen(asked[i].words), note, &all);
        if (count != asked[i].count || !all.times[row_named(asked[i].row)]) {
            fail_msg("%s: %zu rows", asked[i].words, count);
        }
    }
    assert_int_equal(tma_crash_about("", 0, NULL, NULL), 0);
    assert_int_equal(tma_crash_about("12345", 5, NULL, NULL), 0);
    assert_int_equal(tma_crash_about("nonsense", 8, NULL, NULL), 0);
}

static void say_name(void *context, const tma_crash *found) {
    char *said = context;
    tma_crash_row row;
    assert_int_equal(tma_crash_at(&row, found->row), 0);
    strcat(strcat(said, row.name), " ");
}

/* Rows whose own words name what a copy has to do with. */
static int names_itself(const char *name) {
    static const char *const own[] = {"swizzled-tile",  "sanitizer-bulk", "sanitizer-wgmma",
                                      "misaligned-mma", "tensor-memory",  "stage-reuse"};
    for (size_t i = 0; i < COUNT_OF(own); i++) {
        if (!strcmp(name, own[i])) {
            return 1;
        }
    }
    return 0;
}

/* An error's words alone fit any kernel: a copy can be the cause where the text names one. */
static void what_a_text_names(void **state) {
    static const struct {
        const char *text;
        uint32_t subject;
    } texts[] = {
        {"CUDA error 715: illegal instruction", TMA_CRASH_SUBJECT_NONE},
        {"CUDA error 715 in the TMA store", TMA_CRASH_SUBJECT_NAMED},
        {"715 in a kernel with tcgen05.mma", TMA_CRASH_SUBJECT_MATRIX},
        {"715 in a kernel with tcgen05.mma and TMA", TMA_CRASH_SUBJECT_NAMED},
        {"716 in sm90_xmma_gemm_bf16", TMA_CRASH_SUBJECT_NAMED},
        {"716 with cp.async.cg, no TMA here", TMA_CRASH_SUBJECT_DENIED},
        {"a hang without wgmma, mbarrier or TMA", TMA_CRASH_SUBJECT_DENIED},
        {"No TMA here; it hangs at the mbarrier", TMA_CRASH_SUBJECT_DENIED},
        {"It doesn't use TMA, and hangs at an mbarrier", TMA_CRASH_SUBJECT_DENIED},
        {"TMA is disabled (TL_DISABLE_TMA_LOWER=1) and it still hangs", TMA_CRASH_SUBJECT_DENIED},
        {"It is not TMA that is wrong: plain loads die", TMA_CRASH_SUBJECT_DENIED},
        {"There is no tensor map and no cp.async.bulk in it", TMA_CRASH_SUBJECT_DENIED},
        {"TMA loads are not used on that path", TMA_CRASH_SUBJECT_DENIED},
        {"716 on H100. It's not the TMA, right?", TMA_CRASH_SUBJECT_NAMED},
        {"716 on H100. Is it not the TMA?", TMA_CRASH_SUBJECT_NAMED},
        {"716 on H100. It's not the TMA, since it has none.", TMA_CRASH_SUBJECT_DENIED},
        {"assert: no TMA in this kernel! Then 700 on H100", TMA_CRASH_SUBJECT_UNCLEAR},
        {"We never issue a bulk copy. It traps on B200", TMA_CRASH_SUBJECT_DENIED},
        {"Without TMA it works, with TMA it hangs", TMA_CRASH_SUBJECT_NAMED},
        {"Disabling TMA helps: with TMA disabled it passes", TMA_CRASH_SUBJECT_NAMED},
        {"TMA is not working", TMA_CRASH_SUBJECT_NAMED},
        {"no other copy is in flight, the TMA load completes", TMA_CRASH_SUBJECT_NAMED},
        {"flash-attn-3 3.0.0b1: an illegal memory access", TMA_CRASH_SUBJECT_NAMED},
        {"CUDA error (/flash-attention/hopper/flash_fwd_launch_template.h:198)",
         TMA_CRASH_SUBJECT_NAMED},
        {"no error with TMA on H100 but a hang", TMA_CRASH_SUBJECT_NAMED},
        {"the fence is missing, not visible to TMA", TMA_CRASH_SUBJECT_NAMED},
        {"The TMA load never completes", TMA_CRASH_SUBJECT_NAMED},
        {"It does not wait for the TMA store", TMA_CRASH_SUBJECT_NAMED},
        {"No cp.async.bulk completes, mbarrier.try_wait spins", TMA_CRASH_SUBJECT_NAMED},
        {"no TMA load ever completes", TMA_CRASH_SUBJECT_NAMED},
        {"never a TMA load completes", TMA_CRASH_SUBJECT_NAMED},
        {"neither the TMA load nor the store finishes", TMA_CRASH_SUBJECT_NAMED},
        {"There is no UTMALDG after tile 3, stuck at the mbarrier", TMA_CRASH_SUBJECT_NAMED},
        {"I'm no TMA expert; it hangs at the mbarrier", TMA_CRASH_SUBJECT_NAMED},
        {"No idea why the TMA store corrupts it", TMA_CRASH_SUBJECT_NAMED},
        {"no TMA error, but it hangs at the mbarrier", TMA_CRASH_SUBJECT_NAMED},
        {"TMA isn't used correctly I guess", TMA_CRASH_SUBJECT_NAMED},
        {"The TMA is not used by the first CTA", TMA_CRASH_SUBJECT_NAMED},
        {"We do not use TMA stores, it hangs at the mbarrier", TMA_CRASH_SUBJECT_NAMED},
        {"without the TMA descriptor prefetch it hangs at the mbarrier", TMA_CRASH_SUBJECT_NAMED},
        {"if no TMA descriptor is prefetched it hangs at the mbarrier", TMA_CRASH_SUBJECT_NAMED},
        {"Zero-fill of TMA is not done", TMA_CRASH_SUBJECT_NAMED},
        {"TMA is off by one row", TMA_CRASH_SUBJECT_NAMED},
        {"No fence.proxy.async here, it hangs at the mbarrier", TMA_CRASH_SUBJECT_NAMED},
        {"There is no cp.async.bulk.wait_group in it, nor at the mbarrier",
         TMA_CRASH_SUBJECT_NAMED},
        {"No cp.async.bulk.tensor.2d.shared::cluster in this kernel", TMA_CRASH_SUBJECT_DENIED},
        {"We use neither wgmma nor TMA", TMA_CRASH_SUBJECT_DENIED},
        {"TMA is turned off and it hangs", TMA_CRASH_SUBJECT_DENIED},
        {"It uses plain loads, not TMA; 700 on H100", TMA_CRASH_SUBJECT_DENIED},
        {"The producer does not use TMA, it hangs at the mbarrier", TMA_CRASH_SUBJECT_UNCLEAR},
        {"The old kernel has no TMA and works, the new one hangs", TMA_CRASH_SUBJECT_UNCLEAR},
        {"If TMA is not used, it works", TMA_CRASH_SUBJECT_UNCLEAR},
        {"It hangs at the mbarrier without TMA", TMA_CRASH_SUBJECT_UNCLEAR},
        {"TMA is disabled, it hangs at the mbarrier", TMA_CRASH_SUBJECT_UNCLEAR},
        {"A100 has no TMA. On H100 it hangs", TMA_CRASH_SUBJECT_UNCLEAR},
        {"Kernel A does not use TMA. B hangs", TMA_CRASH_SUBJECT_UNCLEAR},
        {"baseline (no TMA): 3 ms. The new one hangs", TMA_CRASH_SUBJECT_UNCLEAR},
        {"It has no TMA and it passes. The other one hangs", TMA_CRASH_SUBJECT_UNCLEAR},
        {"I have not used TMA, this is my first, it hangs", TMA_CRASH_SUBJECT_UNCLEAR},
        {"with TMA off, all is right, with it it hangs", TMA_CRASH_SUBJECT_UNCLEAR},
        {"RuntimeError: no TMA. The kernel hangs", TMA_CRASH_SUBJECT_UNCLEAR},
        {"neither TMA loads nor copies: zeros", TMA_CRASH_SUBJECT_UNCLEAR},
        {"We can't use TMA here because it hangs", TMA_CRASH_SUBJECT_NAMED},
        {"no TMA yet, it hangs at the mbarrier", TMA_CRASH_SUBJECT_NAMED},
        {"no tensor map here; the 1D load hangs at the mbarrier", TMA_CRASH_SUBJECT_NAMED},
        {"There is no UTMALDG in it. The store dies", TMA_CRASH_SUBJECT_NONE},
        {"no tma_load here! The mbarrier hangs", TMA_CRASH_SUBJECT_NAMED},
        {"This sm_90 kernel isn't using TMA", TMA_CRASH_SUBJECT_DENIED},
        {"a hang without wgmma. The mbarrier waits", TMA_CRASH_SUBJECT_NAMED},
        {"700 on a V100", TMA_CRASH_SUBJECT_OLDER},
        {"700 on an RTX 3090 Ti (sm_86)", TMA_CRASH_SUBJECT_OLDER},
        {"700 on an A100 and on an H100", TMA_CRASH_SUBJECT_NONE},
        {"700 on an A100 with a tensor map", TMA_CRASH_SUBJECT_OLDER},
        {"700 on 8xA800", TMA_CRASH_SUBJECT_OLDER},
        {"700 with TMA on 8xh100, none on the A100", TMA_CRASH_SUBJECT_NAMED},
        {"It works on an A100. The TMA kernel hangs on the new node", TMA_CRASH_SUBJECT_NAMED},
        {"700 on 8xA800 and 8xH100", TMA_CRASH_SUBJECT_NONE},
        {"It runs on a V100, on an A100 the TMA load traps: illegal", TMA_CRASH_SUBJECT_OLDER},
        {"TMA works in debug, on the A100 it hangs", TMA_CRASH_SUBJECT_OLDER},
        {"3.1 is ok, 3.2 crashes with 700 in TMA on an A100", TMA_CRASH_SUBJECT_OLDER},
        {"TMA in the kernel on A100, which works for small sizes, hangs",
         TMA_CRASH_SUBJECT_UNCLEAR},
        {"TMA: 1 row works on the RTX 3090, 8 rows hang", TMA_CRASH_SUBJECT_UNCLEAR},
        {"The TMA load fails; the A100 does not hang", TMA_CRASH_SUBJECT_NAMED},
        {"DGX Spark: the TMA load fails, an RTX 4090 has none", TMA_CRASH_SUBJECT_NAMED},
        {"RTX PRO 6000: the TMA load fails, an RTX 4090 has none", TMA_CRASH_SUBJECT_NAMED},
        {"TMA fails: RTX 4090 here, H-series there", TMA_CRASH_SUBJECT_NAMED},
        {"700 in 0xA100 of sA100", TMA_CRASH_SUBJECT_NONE},
        {"TMA hangs on a GeForce GTX 1080", TMA_CRASH_SUBJECT_OLDER},
        {"cp.async.bulk.tensor dies on my GTX 1660 Ti", TMA_CRASH_SUBJECT_OLDER},
        {"a tensor map on an RTX 2070 SUPER", TMA_CRASH_SUBJECT_OLDER},
        {"TMA on a GTX 970", TMA_CRASH_SUBJECT_OLDER},
        {"TMA works on an A100? No: sm90_tma_gemm dies", TMA_CRASH_SUBJECT_NAMED},
        {"TMA on an A100 and on Blackwell", TMA_CRASH_SUBJECT_NAMED},
        {"700 on a V100 with a tile of a 128 x 128", TMA_CRASH_SUBJECT_OLDER},
        {"a 1080 line film of the TMA load", TMA_CRASH_SUBJECT_NAMED},
        {"TMA on an RTX 5070 Ti and an RTX 3090", TMA_CRASH_SUBJECT_NAMED},
        {"on a T4", TMA_CRASH_SUBJECT_OLDER},
        {"on 4090s", TMA_CRASH_SUBJECT_NONE},
        {"at byte 4090 of t4", TMA_CRASH_SUBJECT_NONE},
        {"TMA descriptors with device='xpu'", TMA_CRASH_SUBJECT_OTHER},
        {"tensor descriptors on an MI300X", TMA_CRASH_SUBJECT_OTHER},
        {"make_tensor_descriptor on an Intel Data Center GPU Max", TMA_CRASH_SUBJECT_OTHER},
        {"TMA descriptors, XPU used to build PyTorch: N/A", TMA_CRASH_SUBJECT_NAMED},
        {"tensor descriptors on an MI300X and an H100", TMA_CRASH_SUBJECT_NAMED},
        {"T.Pipelined hangs", TMA_CRASH_SUBJECT_NAMED},
        {"T.gemm outputs NaN on an RTX 4060", TMA_CRASH_SUBJECT_OLDER},
        {"T.gemm outputs NaN on an RTX 4060 and an H100", TMA_CRASH_SUBJECT_NAMED},
        {"715 in sm100_mma, self_test_tcgen05", TMA_CRASH_SUBJECT_MATRIX},
        {"715 in sm100_mma, self_test_tcgen05 and its tensor map", TMA_CRASH_SUBJECT_NAMED},
    };
    tma_crash_row row;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const uint32_t said = tma_crash_subject_of(texts[i].text, strlen(texts[i].text));
        if (said != texts[i].subject) {
            fail_msg("%s: %u", texts[i].text, (unsigned)said);
        }
    }
    assert_int_equal(tma_crash_subject_of(NULL, 1), TMA_CRASH_SUBJECT_NONE);
    for (size_t i = 0; !tma_crash_at(&row, i); i++) {
        const tma_crash_row whole = row;
        tma_crash_in_text(&row, TMA_CRASH_SUBJECT_NAMED);
        assert_int_equal(row.copy, whole.copy);
        tma_crash_in_text(&row, TMA_CRASH_SUBJECT_NONE);
        const int is_own = whole.copy == TMA_CRASH_COPY_CAN && names_itself(row.name);
        assert_int_equal(row.copy == TMA_CRASH_COPY_CAN, is_own);
        row = whole; /* a GPU that has none has none there, too */
        tma_crash_in_text(&row, TMA_CRASH_SUBJECT_OLDER);
        assert_int_not_equal(row.copy, TMA_CRASH_COPY_CAN);
        assert_int_equal(!strcmp(row.as_copy, whole.as_copy), row.copy == whole.copy);
    }
}

/* What source text and questions name, where no failure is told. */
static void what_a_text_speaks_of(void **state) {
    static const struct {
        const char *text;
        const char *rows; /* in their order, each with a blank behind it */
    } texts[] = {
        {"if (rank == 0) tma_load_multicast(map, bar);\nmbarrier_arrive_expect_tx(bar, bytes);",
         "multicast hang-bytes "},
        {"local_store(buf, x)\ntma.store(desc, buf)\nfence_async_shared()", "proxy-fence "},
        {"cp.async.bulk.tensor.2d ... ; wait for parity 0", "hang-phase "},
        {"the router's multicast group, its parity and phase", ""},
        {"TMA", ""},
        {"The TMA gateway joins the multicast group; tma_store_bill() runs in phase 2", ""},
        {"phase 2 of the GPU rack: the TMA report and its parity bit", ""},
        {"CUDA: tma_load(map, x); in phase 2 we tune it", ""},
        {"CUDA: tma_load(map, bar);\nbar.wait(phase)", "hang-phase "},
        {"CUDA notes\nbuilt from tma_utils.cu, a multicast to all CTAs", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        char said[256] = "";
        tma_crash_topics(texts[i].text, strlen(texts[i].text), say_name, said);
        assert_string_equal(said, texts[i].rows);
    }
    assert_int_equal(tma_crash_topics(NULL, 1, NULL, NULL), 0);
    assert_int_equal(tma_crash_topics("cp.async.bulk.tensor.multicast", 30, NULL, NULL), 1);
}

/* No row says that a copy is the cause, each says what to do, and a code's number is the driver's.
 */
static void rows_are_whole(void **state) {
    tma_crash_row row;
    (void)state;
    for (size_t i = 0; !tma_crash_at(&row, i); i++) {
        if (!*row.meaning || !*row.next || !*row.source ||
            (row.copy == TMA_CRASH_COPY_CAN && (!*row.as_copy || !*row.others)) ||
            (row.code >= 0 && !tma_code_of(row.code))) {
            fail_msg("%s: something is missing", row.name);
        }
        for (size_t k = 0; k < i; k++) {
            tma_crash_row other;
            assert_int_equal(tma_crash_at(&other, k), 0);
            assert_string_not_equal(other.name, row.name);
        }
    }
    assert_int_equal(tma_crash_at(&row, 100000), -1);
}

struct facts_found {
    size_t count;
    tma_crash_fact last;
};

static void note_fact(void *context, const tma_crash_fact *found) {
    struct facts_found *all = context;
    all->count++;
    all->last = *found;
}

/* Numbers of sentences: which break a rule, and with which value. */
static void numbers_that_sentences_give_a_map(void **state) {
    static const struct {
        const char *text;
        const char *words; /* of the last one; null: there is none */
        uint16_t rule;
        uint64_t value;
    } said[] = {
        {"TMA fails on H100 for K=511 in bf16", "K=511", TMA_RULE_STRIDE_ALIGN, 1022},
        {"A row stride of 1,022 bytes makes the TMA descriptor invalid on CUDA 13.",
         "row stride of 1,022 bytes", TMA_RULE_STRIDE_ALIGN, 1022},
        {"float32 on Hopper: a head dim of 65 is an error for TMA", "head dim of 65",
         TMA_RULE_STRIDE_ALIGN, 260},
        {"the box size of 512 fails in TMA on H100", "box size of 512", TMA_RULE_BOX_LIMIT, 512},
        {"TMA fails on H100: the element stride is 9", "element stride is 9",
         TMA_RULE_ELEMENT_STRIDE_LIMIT, 9},
        {"The TMA map fails for float32 with a box of 64 x 32 and CU_TENSOR_MAP_SWIZZLE_128B",
         "box of 64 x 32 and CU_TENSOR_MAP_SWIZZLE_128B", TMA_RULE_INNER_SPAN, 256},
        {"1 is returned, an error: CU_TENSOR_MAP_DATA_TYPE_INT8 has a box {16, 4} in the tensor "
         "map",
         NULL, 0, 0},
        {"bf16, SWIZZLE_64B and boxDim = {32, 8} are refused for the TMA map", NULL, 0, 0},
        {"An error: bf16 with SWIZZLE_64B and boxDim = [64, 8] in the TMA map",
         "SWIZZLE_64B and boxDim = [64, 8", TMA_RULE_INNER_SPAN, 128},
        {"TMA on H100 (bf16, CU_TENSOR_MAP_SWIZZLE_128B).\nWith a box of {128, 128} the call "
         "fails.",
         "box of {128, 128", TMA_RULE_INNER_SPAN, 256},
        {"TMA on H100 (CU_TENSOR_MAP_SWIZZLE_64B or CU_TENSOR_MAP_SWIZZLE_128B).\n"
         "With bf16 and a box of {64, 128} the call fails.",
         NULL, 0, 0},
        {"The TMA test on H100 throws: box_dim_val = 512", "box_dim_val = 512", TMA_RULE_BOX_LIMIT,
         512},
        {"A 64x320 box is not possible with TMA on H100. What should we do?", "64x320",
         TMA_RULE_BOX_LIMIT, 320},
        {"The 4096x4096 copy through TMA gives wrong results on H100.", NULL, 0, 0},
        {"A 64x320 tile of the matrix product is not possible on H100. TMA copies parts.", NULL, 0,
         0},
        {"TMA on H100 fails: XBLOCK is forced to 1, the innermost block of float32",
         "XBLOCK is forced to 1", TMA_RULE_INNER_16B, 4},
        {"TMA on H100 fails: XBLOCK is forced to 1 in float32", NULL, 0, 0},
        {"A TMA box of 64 x 32 in float32 with SWIZZLE_128B works, an error is elsewhere", NULL, 0,
         0},
        {"TMA fails on H100 for K = 512 in bf16", NULL, 0, 0},
        {"TMA fails on H100 in fp16. It works with K = 511.", NULL, 0, 0},
        {"TMA fails on H100: strides must be a multiple of 16 bytes, a box size at most 256", NULL,
         0, 0},
        {"TMA fails on H100: the inner dimension is contiguous (stride 1), 16-byte aligned", NULL,
         0, 0},
        {"TMA fails on H100\n    int K = 511; bf16 x[K];", NULL, 0, 0},
        {"TMA on H100 with K = 511 in bf16", NULL, 0, 0},
        {"pandas fails for K = 1301 of float32", NULL, 0, 0},
        {"TMA on H100 crashes with K = 512 in bf16; K = 511 never crashes.", NULL, 0, 0},
        {"TMA on H100 fails unless K = 511 in bf16 is padded", NULL, 0, 0},
        {"TMA on H100 fails: the maximum box dimension is 1024 here", NULL, 0, 0},
        {"TMA im2col on H100 fails with a box size of 512", NULL, 0, 0},
        {"The bf16 TMA load on H100 crashes at k = 3", NULL, 0, 0},
        {"The bf16 TMA load on H100 crashes with top-K = 6", NULL, 0, 0},
        {"TMA on H100 fails for K = 511 + 1 in bf16", NULL, 0, 0},
        {"TMA on H100 fails for K = 7 GB of bf16", NULL, 0, 0},
        {"TMA on H100 fails for K = 12,34 in bf16", NULL, 0, 0},
        {"TMA on H100 fails: the stride in shared memory is 24 bytes", NULL, 0, 0},
        {"TMA on H100 fails: box size = 300 threads", NULL, 0, 0},
        {"TMA on H100 fails: box size 4294967296", NULL, 0, 0},
        {"mm fails for some tensors\ndtype = torch.float16, device='cuda'\n"
         "a = torch.as_strided(base, size=(64, 64), stride=(65, 1))",
         "stride=(65, 1)", TMA_RULE_STRIDE_ALIGN, 130},
        {"mm fails for no tensor of numpy\na = as_strided(base, stride=(65, 1)) # float16", NULL, 0,
         0},
        {"AssertionError: strides must be 16-byte aligned, test[64x64x693755]",
         "64x64x693755 (if 2 bytes each)", TMA_RULE_STRIDE_ALIGN, 1387510},
        {"AssertionError: strides must be 16-byte aligned\ndevice_mesh shape=(2, 511)", NULL, 0, 0},
        {"AssertionError: strides must be 16-byte aligned\nloss.shape = torch.Size([1, 511])", NULL,
         0, 0},
        {"Got cutlass error: Invalid status at: 6, with mnk=(1638, 6144, 3584)",
         "mnk=(1638, 6144, 3584 (if 2 bytes each)", TMA_RULE_STRIDE_ALIGN, 3276},
        {"Error: Failed to initialize the TMA descriptor\nrows = 1733\n"
         "b = torch.randn(64, rows, dtype=torch.float32)",
         "torch.randn(64, rows, dtype=torch.float32)", TMA_RULE_STRIDE_ALIGN, 6932},
        {"CUDA error: misaligned address with TMA\nreturn f(x[2:]) # bfloat16", "x[2:]",
         TMA_RULE_ADDRESS_ALIGN, UINT64_C(0x7f0000000004)},
        {"CUDA error: misaligned address with TMA\nx = torch.randn((64, 64), "
         "dtype=torch.bfloat16)\n"
         "return f(x[2:])",
         NULL, 0, 0},
        {"CUDA error: misaligned address with TMA\nfor row in table[2:]: # bfloat16", NULL, 0, 0},
        {"CUDA error: misaligned address with TMA\nargs = sys.argv[2:] # bfloat16", NULL, 0, 0},
        {"CUDA error: misaligned address\nreturn f(x[2:]) # bfloat16", NULL, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(said); i++) {
        struct facts_found all = {0};
        const size_t count = tma_crash_facts(said[i].text, strlen(said[i].text), note_fact, &all);
        if (count != (said[i].words != NULL) || all.count != count ||
            (count &&
             (strcmp(all.last.words, said[i].words) != 0 || all.last.finding.rule != said[i].rule ||
              all.last.finding.value != said[i].value))) {
            fail_msg("%s: %zu, %s", said[i].text, count, all.last.words);
        }
    }
    assert_int_equal(tma_crash_facts(NULL, 0, note_fact, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_sentences_give_a_map),
        cmocka_unit_test(each_row_in_three_spellings),
        cmocka_unit_test(numbers_of_something_else),
        cmocka_unit_test(a_failure_far_from_copies),
        cmocka_unit_test(lines_of_a_log),
        cmocka_unit_test(enumerators_of_the_debugger),
        cmocka_unit_test(words_that_need_a_subject),
        cmocka_unit_test(what_somebody_asks_for),
        cmocka_unit_test(what_a_text_names),
        cmocka_unit_test(what_a_text_speaks_of),
        cmocka_unit_test(rows_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
