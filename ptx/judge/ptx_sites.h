/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor instructions of a PTX file, and what can be said of them without running it.
 */
#ifndef PTX_PTX_SITES_H
#define PTX_PTX_SITES_H

#include "ptx_budget.h"
#include "ptx_reading.h"
#include "ptx_rules.h"
#include "ptx_values.h"
#include "tma/mma.h"

typedef enum ptx_passed_kind {
#define PTX_PASSED(id, word) PTX_PASSED_##id,
#include "ptx_passed.def"
    PTX_PASSED_KINDS
} ptx_passed_kind;

/* Of a place at which a part of a way begins that is not the same thread's. */
enum { PTX_NOT_MEANWHILE, PTX_IN_OTHER_THREAD, PTX_IN_OTHER_CTA };

/* A place on the way between a finding's two places. */
typedef struct ptx_passed {
    uint32_t row;
    uint32_t back;      /* PTX_PASSED_BACK: the row that it leads back to, + 1 */
    uint32_t left_out;  /* so many places behind it */
    uint8_t kind;       /* ptx_passed_kind */
    uint8_t taken;      /* of a branch */
    uint8_t is_not_run; /* its own guard does not hold */
    uint8_t is_others;  /* of a barrier: from here on the way is the other place's thread's */
    uint8_t meanwhile;
    uint8_t is_again; /* the way has been there: in another turn of a loop */
    char *condition;  /* of a branch: under which it goes so; null: not known */
} ptx_passed;

typedef struct ptx_finding {
    uint32_t site;    /* or PTX_NONE: about the row */
    uint32_t row;     /* or PTX_NONE: about the file */
    const char *rule; /* of ptx_rules.def, traps.def or edits.def */
    int certain;
    char *text;
    uint32_t with;   /* another row that it is about, + 1; 0: none */
    ptx_passed *way; /* from one of the two to the other; null: there is none */
    uint32_t passed;
} ptx_finding;

/* What is known of an address or an operand, in the file's own words. */
typedef enum ptx_known_kind {
    PTX_KNOWN_NOT,
    PTX_KNOWN_NUMBER,  /* added */
    PTX_KNOWN_ADDRESS, /* of a variable or parameter, + added */
    PTX_KNOWN_HELD,    /* what a kernel's parameter holds, + added */
    PTX_KNOWN_NAME,    /* what a name stands for that the file does not declare, + added */
} ptx_known_kind;

typedef struct ptx_known {
    ptx_known_kind kind;
    tma_ptx_span name;
    uint32_t variable; /* or PTX_NONE */
    int64_t added;
} ptx_known;

/* One instruction. */
typedef struct ptx_site {
    uint32_t row;
    int unread; /* text says why */
    tma_ptx_statement s;
    tma_ptx_statement known; /* the same, with the numbers that its registers hold */
    tma_position at;
    uint32_t unknown; /* of at: TMA_PTX_UNKNOWN_* */
    uint32_t low_bit; /* of coordinate 0, which is not known: so many low bits are, as in `at` */
    int is_seen;      /* some kernel or function runs it, */
    int is_idle;      /* or none: no way leads there, or its guard never lets it run */
    ptx_known map, shared, barrier;
    uint32_t given;      /* index of the map that is known, or PTX_NONE */
    uint32_t layout;     /* the same of its box and its swizzle alone */
    int has_bytes;       /* loads with such a map: */
    uint64_t bytes_B;    /* counted on the barrier */
    uint32_t expect_row; /* the mbarrier.arrive.expect_tx before it, or PTX_NONE */
    uint64_t expect_B;
} ptx_site;

/* An operand that an MMA reads from shared memory. */
typedef enum ptx_mma_verdict {
    PTX_MMA_NOT_KNOWN,
    PTX_MMA_PART,  /* some elements are read where a copy put them; the others it does not fill */
    PTX_MMA_EQUAL, /* each element is read where a copy put it */
    PTX_MMA_DIFFERS,
} ptx_mma_verdict;

typedef struct ptx_mma {
    uint32_t row;
    uint32_t family; /* tma_mma_family */
    tma_mma_operand operand;
    uint8_t verdict;                  /* ptx_mma_verdict */
    uint8_t has_bits;                 /* the descriptor is known, */
    uint8_t by_thread;                /* for the first thread alone */
    uint8_t by_way;                   /* for one way there, of several */
    uint32_t part_el;                 /* PTX_MMA_PART: so many */
    uint32_t copies;                  /* PTX_MMA_EQUAL: so many fill it, */
    uint8_t assumed;                  /* if CTAs that send slices load parts of one tile, */
    uint32_t turn;                    /* in this turn of their loop, 0 the first, */
    uint32_t cta;                     /* run by this CTA of the cluster, 0 this one, */
    uint64_t bits;                    /* it, with the variable at */
    uint32_t place;                   /* this shared address */
    uint32_t variable;                /* of shared memory, or PTX_NONE */
    uint32_t copy_row;                /* and the first of them is this row's, */
    uint32_t tile;                    /* its shared address, */
    uint32_t begin_mn_el, begin_k_el; /* and where in its tile the operand begins */
} ptx_mma;

/* A map whose bytes are known: from --map, or a constant of the file. */
typedef struct ptx_given {
    tma_ptx_span name; /* or the number of a kernel's parameter; length 0: every map */
    int64_t added;     /* the map lies so many bytes behind the name */
    uint32_t variable; /* of the file; PTX_NONE: from --map */
    struct {
        uint8_t bytes[TMA_MAP_BYTES]; /* a tma_map asks for more alignment than the room has */
    } map;
} ptx_given;

typedef struct ptx_report {
    ptx_memory *memory;    /* for what stays, */
    ptx_memory kept, work; /* and for one kernel at a time */
    ptx_rows rows;
    ptx_codes codes;
    ptx_functions functions;
    ptx_site *site;
    uint8_t *is_site; /* by row */
    ptx_finding *finding;
    ptx_given *given;
    uint8_t *is_written; /* by variable: its bytes, or those that a parameter points to, change */
    int edits_pointed;   /* some map is edited whose variable is not known */
    int edits_layout;    /* in something else than its address, sizes and strides */
    ptx_mma *mma;
    uint32_t sites, findings, givens, mmas;
    uint32_t expects;       /* instructions that expect bytes */
    uint32_t branches;      /* edits that some ways to a use fence and others do not */
    uint32_t calls;         /* edits whose way to a use goes through a call: not judged */
    ptx_unjudged *unjudged; /* kernels whose judgement ended before it was done */
    uint32_t unjudged_count;
    uint32_t outside;       /* pieces of text outside of kernels that were not understood */
    uint64_t mma_work;      /* what is left: steps of holding MMAs against copies */
    const tma_target *arch; /* --arch and --ptxas (sm 0: that alone), or null */
    tma_out out;            /* of the finding that is being written */
    char text[2048];
} ptx_report;

/* Judges a text, which has to stay where it is. `given` are the maps of --map. Memory comes from
 * `more`, and the report ends with it. 0; or -1: there is none. */
int ptx_report_make(ptx_report *r, ptx_more more, void *context, const char *text, size_t size,
                    const ptx_given *given, uint32_t givens, const tma_target *arch);

/* The same of a file that was read, without maps, --arch and --ptxas. */
int ptx_report_of(ptx_report *r, ptx_more more, void *context, const ptx_reading *reading);

/* The module that a row is in. */
const ptx_module *ptx_module_of(const ptx_report *report, uint32_t row);

/* The target that a row is judged for, null where none is known. */
const tma_target *ptx_target_of(const ptx_report *report, uint32_t row);

/* The CUDA release of the compiler that makes machine code of a row: --ptxas, or one that takes the
 * file's .version. */
uint32_t ptx_toolchain_of(const ptx_report *report, uint32_t row);

/* Whether a function's judgement may cost so much; if not, that is on record. */
int ptx_may_spend(ptx_report *report, uint32_t function, ptx_budget which, uint64_t cost);

/* A bound of another kind, or of what was spent step by step, is reached. */
void ptx_leave_unjudged(ptx_report *report, uint32_t function, ptx_budget which);

/* Adds a finding, of which the text follows in tma_putf()'s way. */
#define ptx_find(report, site, row, rule, certain, ...)                                            \
    (tma_putf(ptx_text_begin(report), __VA_ARGS__),                                                \
     ptx_add_finding(report, site, row, rule, certain))
#define ptx_break(report, site, row, rule, ...)                                                    \
    (tma_putf(ptx_text_begin(report), __VA_ARGS__), ptx_add_break(report, site, row, rule))

/* Of the last finding: another row that it is about. */
void ptx_finding_with(ptx_report *report, uint32_t row);
/* Where a finding's text is written; then the finding with it. */
tma_out *ptx_text_begin(ptx_report *report);
void ptx_add_finding(ptx_report *report, uint32_t site, uint32_t row, const char *rule,
                     int certain);
void ptx_add_break(ptx_report *report, uint32_t site, uint32_t row, ptx_rule rule);

/* By row; a function that is called twice is judged twice, and what is the same is said once. */
void ptx_findings_sort(ptx_report *report);

/* The site of a row, or PTX_NONE. */
uint32_t ptx_site_at(const ptx_report *report, uint32_t row);

/* ptx_site_judge.c: the site `i`, run by a kernel's step; one run in more than one way is judged
 * each time, and what is the same each time stays known. Or by its words alone. */
void ptx_site_judge(ptx_report *report, ptx_values *values, const ptx_step *step, uint32_t i);
void ptx_site_judge_text(ptx_report *report, uint32_t i);

/* ptx_bulk.c: a step that may be a bulk copy without a map. */
void ptx_bulk_judge(ptx_report *report, ptx_values *values, const ptx_step *step);

/* ptx_plain_forms.c: instructions around copies that the .target or the .version does not have. */
void ptx_plain_forms(ptx_report *report);

/* ptx_written.c: what one kernel or function may write; and whether a map's bytes may be others
 * than at first. */
void ptx_written_take(ptx_report *report, ptx_values *values);
int ptx_map_may_change(const ptx_report *report, const ptx_known *map);
/* Whether all that may change is its address, its sizes and its strides. */
int ptx_map_keeps_layout(const ptx_report *report, const ptx_known *map);

/* ptx_expect.c: one kernel or function with all that it calls. */
void ptx_expect_check(ptx_report *report, ptx_values *values);
/* ptx_protocol.h: fences, waits and reuse. */
void ptx_protocol_check(ptx_report *report, ptx_values *values);
/* Whether an instruction that is no site is a reason to follow its kernel, too. */
int ptx_protocol_asks(const ptx_codes *codes, uint32_t row);

#endif
