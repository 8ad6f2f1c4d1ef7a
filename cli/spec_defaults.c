/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the options of a spec belong together, and what stands for those left out: element
 * strides of 1, packed strides, an address. All other defaults are the driver's zeros.
 */
#include <inttypes.h>
#include <string.h>

#include "spec_args.h"

#define DEFAULT_ADDRESS UINT64_C(0x7f0000000000)

#define BIT(id) (1u << SPEC_##id)

static const char *option_name(uint32_t id) {
    static const char *const names[] = {
#define OPTION(id, name, argument, form, names, member, help) name,
#include "spec_options.def"
#undef OPTION
    };
    return names[id];
}

static const char *api_name(const spec_args *args) {
    const tma_enum_row *row = tma_enum_row_of(TMA_ENUM_API, args->spec.api);
    return row ? row->name : "?";
}

/* Options that the chosen call has no argument for are refused, not ignored. */
static int belongs(const spec_args *args, cli_error *error) {
    static const struct {
        uint32_t options;
        uint32_t apis; /* a bit for each tma_api that has them */
        const char *where;
    } rows[] = {
        {BIT(BOX), 1u << TMA_API_TILED, "--api tiled"},
        {BIT(LOWER) | BIT(UPPER) | BIT(CHANNELS) | BIT(PIXELS),
         1u << TMA_API_IM2COL | 1u << TMA_API_WIDE, "--api im2col and wide"},
        {BIT(WIDE_MODE), 1u << TMA_API_WIDE, "--api wide"},
    };
    for (uint32_t i = 0; i < 3 * SPEC_OPTIONS; i++) {
        const uint32_t id = i % SPEC_OPTIONS;
        if (rows[i / SPEC_OPTIONS].options & args->given & 1u << id &&
            !(rows[i / SPEC_OPTIONS].apis & 1u << args->spec.api)) {
            return cli_fail(error, "--%s belongs to %s, but --api is %s", option_name(id),
                            rows[i / SPEC_OPTIONS].where, api_name(args));
        }
    }
    return 0;
}

static int required(const spec_args *args, cli_error *error) {
    const uint32_t n = args->count[SPEC_DIM];
    const uint32_t tiled = BIT(BOX);
    const uint32_t im2col = BIT(CHANNELS) | BIT(PIXELS) | (n > 2 ? BIT(LOWER) | BIT(UPPER) : 0);
    const uint32_t needed =
        BIT(DTYPE) | BIT(DIM) | (args->spec.api == TMA_API_TILED ? tiled : im2col);
    for (uint32_t id = 0; id < SPEC_OPTIONS; id++) {
        if (needed & ~args->given & 1u << id) {
            return cli_fail(error, "--%s is missing (--api is %s)", option_name(id),
                            api_name(args));
        }
    }
    return 0;
}

static int count_is(const spec_args *args, spec_option id, uint32_t expected, const char *why,
                    cli_error *error) {
    const uint32_t count = args->count[id];
    if (!(args->given & 1u << id) || count == expected) {
        return 0;
    }
    return cli_fail(error, "--%s has %" PRIu32 " %s, but --dim has %" PRIu32 ": %s, %" PRIu32,
                    option_name(id), count, count == 1 ? "entry" : "entries", args->count[SPEC_DIM],
                    why, expected);
}

/* Lists of one spec belong to one rank, that of --dim; a --rank beyond 5 may stand beside five
 * entries, of which no call takes more, and one of 0 beside any. */
static int lengths(const spec_args *args, cli_error *error) {
    const uint32_t n = args->count[SPEC_DIM];
    const uint32_t rank = args->spec.rank;
    const uint32_t spatial = n < 3 ? 0 : args->spec.api == TMA_API_WIDE ? 1 : n - 2;
    const int is_rank = rank >= 1 && rank <= TMA_MAX_RANK;
    if (args->given & BIT(RANK) && (is_rank ? rank != n : rank && n < TMA_MAX_RANK)) {
        return cli_fail(error, "--rank is %" PRIu32 ", but --dim has %" PRIu32 " %s%s", rank, n,
                        n == 1 ? "entry" : "entries", is_rank ? "" : "; 5 will do");
    }
    if (count_is(args, SPEC_STRIDE, n - 1, "one less is needed", error) ||
        count_is(args, SPEC_BOX, n, "as many are needed", error) ||
        count_is(args, SPEC_ES, n, "as many are needed", error)) {
        return -1;
    }
    if (n < 3) { /* no im2col map; the corners of a wrong rank have no right number */
        return 0;
    }
    const char *why = args->spec.api == TMA_API_WIDE ? "W alone is needed" : "two less are needed";
    return count_is(args, SPEC_LOWER, spatial, why, error) ||
                   count_is(args, SPEC_UPPER, spatial, why, error)
               ? -1
               : 0;
}

/* What the library fills in, kept where the options left it open. Where packed strides are no
 * multiple of 16 bytes, a check shows it. */
static int fill(spec_args *args, cli_error *error) {
    tma_spec *s = &args->spec;
    tma_spec filled = *s;
    const uint32_t n = args->count[SPEC_DIM] < TMA_MAX_RANK ? args->count[SPEC_DIM] : TMA_MAX_RANK;
    const int strides_given = (args->given & BIT(STRIDE)) != 0;
    filled.rank = strides_given ? 1 : n; /* --rank may be one that no map has */
    if (tma_spec_fill(&filled) != TMA_OK) {
        if (!s->interleave && !tma_dtype_bits(s->dtype)) {
            return cli_fail(error,
                            "--stride is missing: --dtype %" PRIu32
                            " is no type, and has no packed strides",
                            s->dtype);
        }
        return cli_fail(error, "--stride is missing: the packed ones do not fit in 64 bits");
    }
    for (uint32_t i = 0; i < TMA_MAX_RANK && !(args->given & BIT(ES)); i++) {
        s->element_stride[i] = 1;
    }
    if (!strides_given) {
        memcpy(s->stride_B, filled.stride_B, sizeof(s->stride_B));
    }
    return 0;
}

int spec_args_finish(spec_args *args, cli_error *error) {
    tma_spec *s = &args->spec;
    if (belongs(args, error) || required(args, error) || lengths(args, error)) {
        return -1;
    }
    if (!(args->given & BIT(RANK))) {
        s->rank = args->count[SPEC_DIM];
    }
    if (!(args->given & BIT(ADDRESS))) {
        s->address = DEFAULT_ADDRESS;
    }
    return fill(args, error);
}
