/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps that came as bytes, and what the check of any map has in common.
 */
#include "check_view.h"

#include <inttypes.h>
#include <string.h>

#include "out_text.h"
#include "printable.h"
#include "tma/limits.def"
#include "tma/view.h"

void check_count(check_tally *tally, const verdict *v, tma_severity level, const tma_spec *spec,
                 const tma_target *target) {
    tally->maps++;
    tally->spec = *spec;
    tally->target = *target;
    for (uint32_t i = 0; i <= (uint32_t)level; i++) {
        tally->of[i] += v->of[i] > 0;
    }
}

static int takes_spec(void *spec, const tma_target *target) {
    return tma_accepts(spec, target);
}

tma_target check_target(const tma_target_words *words, const tma_spec *spec) {
    tma_spec judged = *spec;
    return check_target_by(words, takes_spec, &judged);
}

tma_target check_target_by(const tma_target_words *words, check_takes takes, void *context) {
    static const tma_target others[] = {{.sm = 100, .suffix = 'a', .driver = 13000},
                                        {.sm = 103, .suffix = 'a', .driver = 13000},
                                        {.sm = 120, .suffix = 'a', .driver = 13000}};
    if (!words->has_arch && !takes(context, &words->target)) {
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
            tma_target target = others[i];
            target.driver = words->has_driver ? words->target.driver : target.driver;
            if (takes(context, &target)) {
                return target;
            }
        }
    }
    return words->target;
}

void check_map_type(uint64_t address, char *text, size_t room) {
    text[0] = 0;
    if (address % TMA_VALUE(MAP_ALIGN) == 0 && address % TMA_VALUE(MAP_TYPE_ALIGN)) {
        snprintf(text, room,
                 "the map itself lies at 0x%" PRIx64 ", a multiple of %d B and not of %d B: right "
                 "for every copy, but CUDA 13's headers declare CUtensorMap with %d B, so host "
                 "and device code of different toolkits disagree about structs that hold one",
                 address, TMA_VALUE(MAP_ALIGN), TMA_VALUE(MAP_TYPE_ALIGN),
                 TMA_VALUE(MAP_TYPE_ALIGN));
    }
}

static void print_bytes(const check_view *view, const tma_judged *j, const verdict *v,
                        const tma_target *target) {
    tma_out out = out_to(stdout);
    tma_put(&out, "tma check");
    tma_put_spec(&out, &j->decoded.spec);
    tma_putf(&out, " --arch %s\n", tma_arch_text(target));
    out_odd(stdout, j, "", &view->colors);
    char reading[128];
    tma_out words = tma_out_into(reading, sizeof(reading));
    if (tma_put_map_readings(&words, &j->decoded, UINT32_MAX)) {
        printf("words 16 and 18 are as --reading %s has them%s\n", reading,
               view->words->target.has_arch ? "" : ", and stale on Hopper: --arch says which");
    }
    verdict_findings(stdout, v, view->level, &view->colors);
    verdict_summary(stdout, v, view->level);
    if (v->accepted) {
        out_measure(stdout, &j->decoded.spec, &v->measure);
    }
}

void check_bytes(const check_view *view, check_tally *tally, const char *label, size_t line,
                 const uint8_t *map) {
    tma_judged judged;
    verdict v;
    tma_judge(&judged, map, &view->words->target);
    const tma_target target = check_target(&view->words->target, &judged.decoded.spec);
    verdict_of(&v, &judged.decoded.spec, &target);
    if (view->has_map_address) {
        verdict_place(&v, view->map_address, &target);
    }
    check_count(tally, &v, view->level, &judged.decoded.spec, &target);
    tally->odd += judged.count > 0;
    if (view->lint.writer) {
        lint_odd(&view->lint, line, &judged);
        lint_verdict(&view->lint, line, &v, view->level);
        return;
    }
    if (view->json) {
        out_json out;
        tma_json *json = out_json_begin(&out, "check");
        if (label) {
            tma_json_text(json, "input", label);
        }
        tma_json_map(json, "map", map);
        tma_json_target(json, "target", &target);
        tma_json_spec(json, "spec", &judged.decoded.spec);
        out_odd_json(json, "odd", &judged);
        verdict_json(json, &v, &judged.decoded.spec, view->level);
        out_json_end(&out);
        return;
    }
    if (label) {
        fputs(view->colors.bold, stdout);
        printable(stdout, label);
        printf("%s: 128 bytes\n", view->colors.end);
    }
    print_bytes(view, &judged, &v, &target);
}
