/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of case lines.
 */
#include "replay_kinds.h"

static const replay_kind kinds[] = {
    {"enc", "", "rc desc", NULL, replay_enc, REPLAY_OF_MAP},
    {"rep", "naddr", "rc desc", NULL, replay_rep, REPLAY_OF_MAP},
    {"dev", "field ord val", "rc before desc", NULL, replay_dev, REPLAY_OF_MAP},
    {"hw", "op mode coord off smem win gwin fill seed raw expect space", "rc st tx bars n hash raw",
     replay_hw_compares, replay_hw, REPLAY_OF_MAP},
    {"refused", "op mode coord off smem win gwin fill seed raw expect space",
     "rc refused st n hash raw", replay_refused_compares, replay_refused, REPLAY_OF_MAP},
    {"cute", "", "desc64", NULL, replay_cute, REPLAY_OF_MAP},
    {"bit21", "", "bit", NULL, replay_bit21, REPLAY_OF_TENSOR},
    {"wgmma", "", "read", NULL, replay_wgmma, REPLAY_OF_MMA},
};

static const char *kind_name(size_t i) {
    return i < sizeof(kinds) / sizeof(kinds[0]) ? kinds[i].kind : NULL;
}

const replay_kind *replay_kind_of(const char *kind, tma_error *error) {
    size_t found = 0;
    return tma_read_name(&found, kind, "kind of line", kind_name, error) ? NULL : &kinds[found];
}
