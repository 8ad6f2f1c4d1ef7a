/* SPDX-License-Identifier: Apache-2.0
 *
 * Places along a dimension, with gaps.
 */
#include "axis.h"

#include <string.h>

#include "tma/detail/assert.h"

/* Spans stay sorted; those that meet the new one, or leave out one place, become one with it. */
void axis_add(axis *a, int64_t lo, int64_t hi) {
    axis_span kept[AXIS_SPANS + 1];
    uint32_t count = 0;
    uint32_t i = 0;
    if (hi < lo) {
        return;
    }
    for (; i < a->spans && a->span[i].hi + 2 < lo; i++) {
        kept[count++] = a->span[i];
    }
    for (; i < a->spans && a->span[i].lo <= hi + 2; i++) {
        lo = lo < a->span[i].lo ? lo : a->span[i].lo;
        hi = hi > a->span[i].hi ? hi : a->span[i].hi;
    }
    kept[count++] = (axis_span){lo, hi};
    for (; i < a->spans; i++) {
        kept[count++] = a->span[i];
    }
    TMA_ASSERT(count <= AXIS_SPANS + 1);
    a->spans = count < AXIS_SPANS ? count : AXIS_SPANS;
    memcpy(a->span, kept, sizeof(a->span));
}

static void lay(axis *a, int64_t lo, int64_t hi, int32_t *px) {
    if (a->count) {
        *px += AXIS_GAP;
    }
    for (int64_t place = lo; place <= hi && a->count < AXIS_MOST; place++) {
        a->at[a->count] = place;
        a->px[a->count++] = *px;
        *px += a->step;
    }
}

void axis_add_ends(axis *a, int64_t lo, int64_t hi) {
    if (hi - lo + 1 <= AXIS_LONGEST) {
        axis_add(a, lo, hi);
    } else {
        axis_add(a, lo, lo + AXIS_LONGEST / 2 - 1);
        axis_add(a, hi - AXIS_LONGEST / 2 + 1, hi);
    }
}

void axis_finish(axis *a, int32_t origin, int32_t step) {
    int32_t px = origin;
    TMA_ASSERT(step > 0 && a->spans <= AXIS_SPANS);
    a->origin = origin;
    a->step = step;
    a->count = 0;
    for (uint32_t i = 0; i < a->spans; i++) {
        lay(a, a->span[i].lo, a->span[i].hi, &px);
    }
}

int axis_find(const axis *a, int64_t place) {
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->at[i] == place) {
            return (int)i;
        }
    }
    return -1;
}

int32_t axis_end(const axis *a) {
    return a->count ? a->px[a->count - 1] + a->step : a->origin;
}

int32_t axis_px(const axis *a, int64_t place) {
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->at[i] >= place) {
            const int after = a->at[i] > place && i > 0 && axis_is_after_gap(a, i);
            const int ends = after && a->at[i - 1] + 1 == place;
            return ends ? a->px[i - 1] + a->step : a->px[i] - (after ? AXIS_GAP / 2 : 0);
        }
    }
    return axis_end(a);
}

int axis_is_after_gap(const axis *a, uint32_t i) {
    return i > 0 && i < a->count && a->at[i] != a->at[i - 1] + 1;
}
