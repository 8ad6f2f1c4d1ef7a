/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of case lines that replay answers, one row each in replay_kinds.c.
 */
#ifndef CLI_REPLAY_KINDS_H
#define CLI_REPLAY_KINDS_H

#include "tma/case.h"

/* What a line asks about: a map, a tensor without its box, or no map at all. */
typedef enum replay_of { REPLAY_OF_MAP, REPLAY_OF_TENSOR, REPLAY_OF_MMA } replay_of;

/* One request, its map already read. */
typedef struct replay_request {
    const tma_case *line;
    tma_spec spec;
    tma_target target;
} replay_request;

typedef struct replay_kind {
    const char *kind;
    const char *keys;    /* of the request, beside the map's; blank separated */
    const char *answers; /* keys that an answer may have */
    /* Whether the key's value on a line means anything; null: all do. */
    int (*compares)(const replay_request *request, const char *key);
    /* Puts the answer, " rc=0 desc=..."; an error is a request that can't be meant, and what was
     * put then is none. */
    int (*answer)(const replay_request *request, tma_out *out, tma_error *error);
    replay_of of;
} replay_kind;

/* The row of a kind, or null with a message that lists the right ones. */
const replay_kind *replay_kind_of(const char *kind, tma_error *error);

/* Answers: replay_map.c, replay_hw.c, replay_mma.c. */
int replay_enc(const replay_request *request, tma_out *out, tma_error *error);
int replay_rep(const replay_request *request, tma_out *out, tma_error *error);
int replay_dev(const replay_request *request, tma_out *out, tma_error *error);
int replay_cute(const replay_request *request, tma_out *out, tma_error *error);
int replay_bit21(const replay_request *request, tma_out *out, tma_error *error);
int replay_wgmma(const replay_request *request, tma_out *out, tma_error *error);
int replay_hw(const replay_request *request, tma_out *out, tma_error *error);
int replay_refused(const replay_request *request, tma_out *out, tma_error *error);

/* What a machine did with a copy that this library refuses is not compared with anything. */
int replay_refused_compares(const replay_request *request, const char *key);

/* The byte count of a barrier (tx) could be read on other GPUs than sm_90's only. */
int replay_hw_compares(const replay_request *request, const char *key);

#endif
