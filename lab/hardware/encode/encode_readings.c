/* SPDX-License-Identifier: Apache-2.0 */
#include "encode_readings.h"

#include <inttypes.h>
#include <string.h>

#include "driver.h"
#include "random_specs.h"
#include "reading_pass.h"

#define SCANNED 200000 /* specs */
#define ENOUGH  100    /* maps of one question */

/* Maps that hang on one question, and how many of them each of its readings gives. */
struct counts {
    unsigned maps, same[TMA_MOST_READS];
};

static int is_of_maps(unsigned question) {
    return tma_reading_at(question)->rule == TMA_RULE_NONE;
}

/* The library's map by one reading; 0: it refuses the spec. */
static int map_by(tma_map *map, const tma_spec *spec, tma_target target, unsigned question,
                  uint32_t value) {
    return tma_target_read(&target, question, value) == TMA_OK &&
           tma_encode(map->bytes, spec, &target) == TMA_OK;
}

/* The one question of maps that a spec hangs on; TMA_READINGS: none, or several. */
static unsigned question_of(const tma_spec *spec, const tma_target *target) {
    unsigned found = TMA_READINGS;
    for (unsigned q = 0; q < TMA_READINGS; q++) {
        tma_map first, other;
        if (is_of_maps(q) && map_by(&first, spec, *target, q, 0) &&
            map_by(&other, spec, *target, q, 1) && memcmp(&first, &other, sizeof(first)) != 0) {
            if (found != TMA_READINGS) {
                return TMA_READINGS;
            }
            found = q;
        }
    }
    return found;
}

static void count(struct counts *c, const tma_spec *spec, const tma_target *target,
                  unsigned question) {
    tma_map theirs, ours;
    if (c->maps >= ENOUGH || driver_encode(&theirs, spec)) {
        return;
    }
    c->maps++;
    for (uint32_t value = 0; value < tma_reading_at(question)->count; value++) {
        c->same[value] +=
            map_by(&ours, spec, *target, question, value) && !memcmp(&theirs, &ours, sizeof(ours));
    }
}

/* Takes the reading that gives most of the maps: an answer among many may differ by itself, which
 * the mass of specs finds. */
static void decide(struct session *session, const struct counts *c, unsigned question,
                   struct tally *tally) {
    const tma_reading *q = tma_reading_at(question);
    char text[512];
    uint32_t best = 0;
    for (uint32_t value = 1; value < q->count; value++) {
        best = c->same[value] > c->same[best] ? value : best;
    }
    if (c->same[best] * 2 <= c->maps) {
        snprintf(text, sizeof(text), "reading: %s: this driver does none of those known (%u maps)",
                 q->name, c->maps);
        tally->failed++;
    } else {
        snprintf(text, sizeof(text), "reading: %s=%s: %s (%u of %u maps)", q->name,
                 tma_reads_at(question, best)->name, tma_reads_at(question, best)->meaning,
                 c->same[best], c->maps);
        (void)!tma_target_read(&session->device.target, question, best);
        tally->passed++;
    }
    reading_say(session, text);
}

void encode_readings(struct session *session, struct tally *tally) {
    struct counts counts[TMA_READINGS];
    const tma_target target = session->device.target;
    if (!(tma_arch_of(&target)->features & TMA_FEATURE_BIT21)) {
        return; /* an H200's words were seen */
    }
    memset(counts, 0, sizeof(counts));
    for (uint64_t i = session->first; i < session->first + SCANNED; i++) {
        struct random_source r = case_source(session->seed, i);
        const tma_spec spec = encode_case(&r, &target);
        const unsigned question = question_of(&spec, &target);
        if (question < TMA_READINGS && (spec.api != TMA_API_WIDE || driver_has_wide())) {
            count(&counts[question], &spec, &target, question);
        }
    }
    for (unsigned q = 0; q < TMA_READINGS; q++) {
        if (counts[q].maps) {
            decide(session, &counts[q], q, tally);
        }
    }
    reading_say_replay(session);
    fflush(stdout);
}
