/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of case lines.
 */
#include "replay_kinds.h"

static const replay_kind kinds[] = {
    {"enc", "", "rc desc", NULL, replay_enc, 0},
    {"rep", "naddr", "rc desc", NULL, replay_rep, 0},
    {"dev", "field ord val", "rc before desc", NULL, replay_dev, 0},
    {"hw", "op mode coord off smem win gwin fill seed raw expect space", "rc st tx bars n hash raw",
     replay_hw_compares, replay_hw, 0},
    {"refused", "op mode coord off smem win gwin fill seed raw expect space",
     "rc refused st n hash raw", replay_refused_compares, replay_refused, 0},
    {"cute", "", "desc64", NULL, replay_cute, 0},
    {"bit21", "", "bit", NULL, replay_bit21, 1},
};

static const char *kind_name(size_t i) {
    return i < sizeof(kinds) / sizeof(kinds[0]) ? kinds[i].kind : NULL;
}

const replay_kind *replay_kind_of(const char *kind, tma_error *error) {
    size_t found = 0;
    return tma_read_name(&found, kind, "kind of line", kind_name, error) ? NULL : &kinds[found];
}
