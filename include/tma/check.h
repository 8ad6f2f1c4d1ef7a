/* SPDX-License-Identifier: Apache-2.0
 *
 * Every rule that a map can break, each with who says so, and all that one spec breaks at once.
 *
 * All functions here are pure: no allocation, no globals, no input or output, safe on any thread.
 */
#ifndef TMA_CHECK_H
#define TMA_CHECK_H

#include "spec.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_severity {
    TMA_SEVERITY_REFUSED = 0, /* the driver refuses the map: CUDA_ERROR_INVALID_VALUE */
    TMA_SEVERITY_FAULTS = 1,  /* it takes the map, but a copy traps or does not do what it seems */
    TMA_SEVERITY_SURPRISING = 2, /* legal, and often not what was meant */
    TMA_SEVERITIES
} tma_severity;

/* What a rule stands on. The first two decide whether driver 13.0 accepts a map on sm_90. */
typedef enum tma_standing {
    TMA_STANDING_ENFORCED = 0,     /* documented, and the driver was seen to refuse */
    TMA_STANDING_UNDOCUMENTED = 1, /* no document says it; the driver was seen to refuse */
    TMA_STANDING_IGNORED = 2,      /* documented; the driver was seen to accept */
    TMA_STANDING_DOCUMENTED = 3,   /* documented, not seen on hardware */
    TMA_STANDING_HARDWARE = 4,     /* follows from copies that were seen on hardware */
    TMA_STANDING_ARITHMETIC = 5,   /* follows from the numbers of the map alone */
    TMA_STANDING_ELSEWHERE = 6, /* seen on sm_90 with driver 13.0, not on the target asked about */
    TMA_STANDING_NOT_ASKED = 7, /* documented; on sm_90 driver 13.0 was seen to accept, and no
                                   driver of the target asked about was asked */
    TMA_STANDINGS
} tma_standing;

/* What the hardware does with a copy that breaks a rule. */
typedef enum tma_hardware {
    TMA_HARDWARE_NOTHING = 0,   /* no copy is judged by this rule */
    TMA_HARDWARE_KILLS = 1,     /* cudaErrorIllegalInstruction: TMA_TRAP */
    TMA_HARDWARE_MISALIGNS = 2, /* cudaErrorMisalignedAddress: TMA_TRAP */
    TMA_HARDWARE_LEAVES = 3,    /* it leaves its memory: TMA_MEMORY */
    TMA_HARDWARE_PTXAS = 4,     /* no assembler makes it: TMA_PTXAS */
    TMA_HARDWARE_UNKNOWN = 5,   /* TMA_UNKNOWN */
    TMA_HARDWARE_INVALID = 6,   /* it is not one: TMA_INVALID */
    TMA_HARDWARE_LAUNCH = 7,    /* cudaErrorLaunchFailure: TMA_TRAP */
    TMA_HARDWARE_CUTS = 8,      /* it moves less than it says: TMA_UNKNOWN */
    TMA_HARDWARES
} tma_hardware;

/* The argument that a finding is about, as cuda.h names it. */
typedef enum tma_argument {
    TMA_ARG_NONE,
    TMA_ARG_API,
    TMA_ARG_DTYPE,
    TMA_ARG_RANK,
    TMA_ARG_ADDRESS,
    TMA_ARG_DIM,
    TMA_ARG_STRIDE,
    TMA_ARG_BOX,
    TMA_ARG_ELEMENT_STRIDE,
    TMA_ARG_LOWER,
    TMA_ARG_UPPER,
    TMA_ARG_CHANNELS,
    TMA_ARG_PIXELS,
    TMA_ARG_INTERLEAVE,
    TMA_ARG_SWIZZLE,
    TMA_ARG_L2,
    TMA_ARG_FILL,
    TMA_ARG_WIDE_MODE,
    TMA_ARG_ARCH,   /* the target, not an argument of the call */
    TMA_ARG_DRIVER, /* likewise */
    TMA_ARG_COORD,  /* from here on: operands of an instruction, see plan.h */
    TMA_ARG_OFFSET,
    TMA_ARG_SHARED,
    TMA_ARG_OPERATION,
    TMA_ARG_MODE,
    TMA_ARG_MEMORY,
    TMA_ARG_MAP,
    TMA_ARG_SPEC, /* from here on: whole parameters of this library's calls */
    TMA_ARG_PLAN,
    TMA_ARG_POSITION,
    TMA_ARG_INSTRUCTION,
    TMA_ARG_WINDOW,
    TMA_ARG_OUT,
    TMA_ARG_RESERVED,
    TMA_ARG_GLOBAL,
    TMA_ARG_EDIT,
    TMA_ARG_FIELD, /* from here on: of tensormap.replace */
    TMA_ARG_ORDINAL,
    TMA_ARG_IMMEDIATE,
    TMA_ARG_PTX,      /* the target's PTX version */
    TMA_ARG_CTA_MASK, /* of a multicast */
    TMA_ARG_OVERRIDE, /* the operands of .override */
    TMA_ARG_BARRIER,  /* mbar */
    TMA_ARG_SIZE,     /* of a bulk copy without a map, */
    TMA_ARG_FAR,      /* and its address that is not in the CTA's shared memory */
    TMA_ARGUMENTS
} tma_argument;

typedef enum tma_unit {
    TMA_UNIT_NONE,
    TMA_UNIT_B,       /* bytes */
    TMA_UNIT_EL,      /* elements */
    TMA_UNIT_PX,      /* im2col pixels */
    TMA_UNIT_ADDRESS, /* an address: printed in hex */
    TMA_UNIT_VERSION  /* a driver's version, as tma_target has it; of limits alone */
} tma_unit;

/* How `value` should stand to `limit`. */
typedef enum tma_relation {
    TMA_MUST_BE_AT_MOST,
    TMA_MUST_BE_AT_LEAST,
    TMA_MUST_BE_BELOW,
    TMA_MUST_BE_ABOVE,
    TMA_MUST_BE_MULTIPLE_OF,
    TMA_MUST_BE,
    TMA_MUST_NOT_BE
} tma_relation;

/* Rules by number. A rule keeps its number and its name (tma_rule.name) for ever; new ones are
 * appended, and 0 is none. */
typedef enum tma_rule_id {
    TMA_RULE_NONE = 0,
#define TMA_RULE(number, id, ...) TMA_RULE_##id = (number),
#include "edits.def"
#include "rules.def"
#include "traps.def"
#undef TMA_RULE
    TMA_RULE_LIMIT = 1024 /* numbers are below, in every version */
} tma_rule_id;

/* What a rule is about. */
typedef enum tma_rule_scope {
    TMA_RULES_OF_MAPS = 0,   /* an encode call: rules.def */
    TMA_RULES_OF_COPIES = 1, /* an instruction with a map: traps.def */
    TMA_RULES_OF_EDITS = 2   /* tensormap.replace, cuTensorMapReplaceAddress: edits.def */
} tma_rule_scope;

/* One row of rules.def or traps.def. */
typedef struct tma_rule {
    const char *name; /* "inner-span": what `tma explain` takes */
    tma_severity severity;
    tma_standing standing;
    tma_argument argument; /* what it is mostly about */
    const char *statement; /* the rule in one sentence */
    const char *source;    /* document and section, "" if no document has it */
    const char *evidence;  /* what was seen, and how often */
    tma_rule_id number;
    tma_rule_scope scope;
    tma_hardware hardware; /* what follows for a copy, where the rule holds */
    uint64_t with;         /* targets that have these features (TMA_FEATURE_*), */
    uint64_t without;      /* and not these */
} tma_rule;

/* One broken rule. given is the argument as it was passed (signed ones as two's complement);
 * value is what the rule looks at, in `unit`, compared with limit as `relation` says. */
typedef struct tma_finding {
    uint16_t rule;     /* tma_rule_id */
    uint8_t severity;  /* tma_severity */
    uint8_t standing;  /* tma_standing, for the target that was asked about */
    uint8_t argument;  /* tma_argument */
    int8_t index;      /* of the argument's array, -1 if it is not one */
    uint8_t unit;      /* tma_unit of value and limit */
    uint8_t relation;  /* tma_relation of value to limit */
    uint8_t has_legal; /* whether legal means something */
    uint64_t given;
    uint64_t value;
    uint64_t limit;
    uint64_t legal; /* a value for the argument that the rule would take, near the given one */
    uint64_t reserved[2]; /* 0 */
} tma_finding;

/* Judges a spec for a target (null: sm_90, driver 13.0) and writes the first `capacity` findings
 * to `out` (may be null when capacity is 0), the refusals first. Returns how many there are in
 * all, which may be more than capacity. A null spec is a finding too, and so is a target that
 * libtma does not know. */
TMA_EXPORT TMA_MUST_USE size_t tma_check(tma_finding *out, size_t capacity, const tma_spec *spec,
                                         const tma_target *target);

/* Whether the driver accepts the spec: the same answer as "tma_check() has no finding of severity
 * TMA_SEVERITY_REFUSED", without making the findings. */
TMA_EXPORT TMA_MUST_USE bool tma_accepts(const tma_spec *spec, const tma_target *target);

/* Whether a copy can take a map that lies at this address; *out (may be null) is the finding if it
 * can't: TMA_RULE_TENSOR_MAP_ALIGN. Target: null for sm_90, driver 13.0. */
TMA_EXPORT TMA_MUST_USE bool tma_check_map_address(tma_finding *out, uint64_t map_address,
                                                   const tma_target *target);

/* So that a compiler of C warns where the answer, a yes or no, is compared with a tma_status. */
#if !defined(__cplusplus) && !defined(TMA_INSIDE)
typedef enum tma_answer { TMA_NO = 0, TMA_YES = 1 } tma_answer;

TMA_MUST_USE static inline tma_answer tma_accepts_or_not(const tma_spec *spec,
                                                         const tma_target *target) {
    return (tma_answer)tma_accepts(spec, target);
}
#define tma_accepts(spec, target) tma_accepts_or_not(spec, target)
#endif

/* The row of a rule, by number or by name, and all of them one by one. Null if there is none. */
TMA_EXPORT const tma_rule *tma_rule_of(uint32_t number);
TMA_EXPORT const tma_rule *tma_rule_find(const char *name);
TMA_EXPORT size_t tma_rule_count(void);
TMA_EXPORT const tma_rule *tma_rule_at(size_t index); /* null from the count on */

/* One row of limits.def: a number that rules, sentences and documents share. */
typedef struct tma_limit {
    const char *name; /* "STRIDE" */
    uint64_t value;
    const char *text; /* as the rules say it: "2^40" */
    tma_unit unit;
    const char *meaning; /* what it limits, and on which side */
    const char *evidence;
} tma_limit;

/* The rows of limits.def, one by one. */
TMA_EXPORT size_t tma_limit_count(void);
TMA_EXPORT const tma_limit *tma_limit_at(size_t index); /* null from the count on */

/* Words for the numbers above, never null: "refused", "documented, not seen on hardware",
 * "boxDim", "B", "at most". */
TMA_EXPORT const char *tma_severity_name(uint32_t severity);
TMA_EXPORT const char *tma_standing_name(uint32_t standing);
TMA_EXPORT const char *tma_hardware_name(uint32_t hardware);
TMA_EXPORT const char *tma_argument_name(uint32_t argument);
TMA_EXPORT const char *tma_unit_name(uint32_t unit);
TMA_EXPORT const char *tma_relation_name(uint32_t relation);

/* One line about a finding, without newline:
 *   "boxDim[0] = 128: 256 B, must be at most 128 B (e.g. 64): <the rule's statement>".
 * Writes at most `size` bytes to `text`, always terminated when size > 0, and returns the length
 * that the whole line has (as snprintf does). */
TMA_EXPORT size_t tma_finding_text(char *text, size_t size, const tma_finding *finding);

/* The argument's value as given, in the words of that argument: an address in hex, a corner
 * signed, an enumerator by name, anything else in decimal. Same contract as above. */
TMA_EXPORT size_t tma_finding_given(char *text, size_t size, const tma_finding *finding);

#ifdef __cplusplus
}
#endif
#endif
