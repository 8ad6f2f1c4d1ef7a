/* SPDX-License-Identifier: Apache-2.0
 *
 * Oddities.
 */
#include "judge.h"

#include <inttypes.h>
#include <string.h>

#include "out_json.h"
#include "out_text.h"

static const struct {
    uint32_t bit;
    const char *name;
} names[] = {
    {TMA_ODD_KIND, "kind"},
    {TMA_ODD_RANK, "rank"},
    {TMA_ODD_ELEMENT, "elemtype"},
    {TMA_ODD_INTERLEAVE, "interleave"},
    {TMA_ODD_TF32_FLAG, "tf32"},
    {TMA_ODD_ATOMICITY, "swizzle_atomicity"},
    {TMA_ODD_SWIZZLE_96B, "swizzle_96B"},
    {TMA_ODD_BOX_BYTES, "box_bytes"},
    {TMA_ODD_REPEAT, "swizzle_repeat"},
    {TMA_ODD_BEYOND_RANK, "beyond_rank"},
    {TMA_ODD_UNOWNED, "unowned"},
};

#define SHOWN_WORDS 4

static void unowned_detail(const tma_map *map, char *text, size_t size) {
    uint32_t words[TMA_MAP_WORDS];
    size_t used = 0;
    int count = 0;
    tma_unowned(words, map->bytes);
    for (uint32_t i = 0; i < TMA_MAP_WORDS && used < size; i++) {
        count += words[i] != 0;
        if (words[i] && count <= SHOWN_WORDS) {
            used +=
                (size_t)snprintf(text + used, size - used, "%sword %" PRIu32 " bits 0x%08" PRIx32,
                                 used ? ", " : "", i, words[i]);
        }
    }
    if (count > SHOWN_WORDS && used < size) {
        snprintf(text + used, size - used, ", and %d more words", count - SHOWN_WORDS);
    }
}

static void beyond_detail(const judged *j, char *text, size_t size) {
    size_t count = 0;
    size_t used = 0;
    const tma_field_row *rows = tma_field_rows(&count);
    for (size_t i = 0; i < count && used < size; i++) {
        if (tma_field_applies(&rows[i], &j->decoded) && tma_field_read(&rows[i], j->map.bytes) &&
            (strncmp(rows[i].name, "lower", 5) && strncmp(rows[i].name, "upper", 5))) {
            const char *bracket = strchr(rows[i].name, '[');
            const uint32_t index = bracket ? (uint32_t)(bracket[1] - '0') : 0;
            const uint32_t less = !strncmp(rows[i].name, "stride", 6);
            if (bracket && index + less >= j->decoded.spec.rank) {
                used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                         rows[i].name);
            }
        }
    }
}

/* The numbers behind an oddity, "" if its sentence says all. */
static void detail(const judged *j, const tma_decoded *expected, uint32_t bit, char *text,
                   size_t size) {
    const int is_whole = !(j->decoded.odd & (TMA_ODD_KIND | TMA_ODD_RANK | TMA_ODD_ELEMENT));
    text[0] = 0;
    if (bit == TMA_ODD_BOX_BYTES && is_whole) {
        snprintf(text, size, "stored %" PRIu32 " B, expected %" PRIu32 " B", j->decoded.box_B,
                 expected->box_B);
    } else if (bit == TMA_ODD_REPEAT) {
        snprintf(text, size, "stored %" PRIu32 " B, expected %" PRIu32 " B", j->decoded.repeat_B,
                 tma_swizzle_repeat_B(j->decoded.spec.swizzle));
    } else if (bit == TMA_ODD_UNOWNED) {
        unowned_detail(&j->map, text, size);
    } else if (bit == TMA_ODD_BEYOND_RANK) {
        beyond_detail(j, text, size);
    }
}

/* Whether no driver's rule would set bit 21: they differ in how they measure a tensor. */
static int is_small(const tma_spec *spec) {
    static const uint32_t drivers[] = {13000, 13020};
    for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
        const tma_target target = {100, 0, drivers[i]};
        tma_map map;
        tma_decoded decoded;
        cli_sure(tma_encode_forced(map.bytes, spec, &target, NULL));
        cli_sure(tma_decode(&decoded, map.bytes));
        if (decoded.bit21) {
            return 0;
        }
    }
    return 1;
}

static void judge_bit21(judged *j, const tma_decoded *expected, const target_args *target) {
    char driver[16];
    oddity *odd = &j->odd[j->count];
    odd->name = "large_tensor";
    if (!target->has_arch && !target->has_driver) {
        if (j->decoded.bit21 && is_small(&j->decoded.spec)) {
            j->count++;
            snprintf(odd->text, sizeof(odd->text),
                     "bit 21 of word 2 is set, but the tensor is smaller than 128 KiB: stale, or "
                     "another maker's");
        }
    } else if (expected->bit21 != j->decoded.bit21) {
        j->count++;
        snprintf(odd->text, sizeof(odd->text),
                 "bit 21 of word 2 is %s, driver %s for %s would %s it: stale, or another driver's",
                 j->decoded.bit21 ? "set" : "clear", target_driver_text(&target->target, driver),
                 target_arch_text(&target->target), expected->bit21 ? "set" : "clear");
    }
}

void judge_map(judged *j, const tma_map *map, const target_args *target) {
    tma_map again;
    tma_decoded expected;
    memset(j, 0, sizeof(*j));
    j->map = *map;
    cli_sure(tma_decode(&j->decoded, map->bytes));
    j->needs_force = !tma_accepts(&j->decoded.spec, &target->target);
    cli_sure(tma_encode_forced(again.bytes, &j->decoded.spec, &target->target, NULL));
    cli_sure(tma_decode(&expected, again.bytes));
    j->has_bytes = !memcmp(&again, map, sizeof(again));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (j->decoded.odd & names[i].bit) {
            char numbers[256];
            oddity *odd = &j->odd[j->count++];
            odd->name = names[i].name;
            detail(j, &expected, names[i].bit, numbers, sizeof(numbers));
            snprintf(odd->text, sizeof(odd->text), *numbers ? "%s (%s)" : "%s",
                     tma_odd_text(names[i].bit), numbers);
        }
    }
    judge_bit21(j, &expected, target);
}

int judged_has(const judged *j, const char *name) {
    for (size_t i = 0; i < j->count; i++) {
        if (!strcmp(j->odd[i].name, name)) {
            return 1;
        }
    }
    return 0;
}

void judge_print(FILE *out, const judged *j, const char *before, const color_set *colors) {
    for (size_t i = 0; i < j->count; i++) {
        char text[640];
        snprintf(text, sizeof(text), "%s: %s", j->odd[i].name, j->odd[i].text);
        fprintf(out, "%sodd%s: %s", colors->severity[1], colors->end, before);
        out_wrapped(out, text, 5);
    }
}

json_t *judge_json(const judged *j) {
    json_t *array = json_array();
    for (size_t i = 0; i < j->count; i++) {
        json_t *object = json_object();
        json_put(object, "name", json_string(j->odd[i].name));
        json_put(object, "text", json_string(j->odd[i].text));
        json_add(array, object);
    }
    return array;
}
