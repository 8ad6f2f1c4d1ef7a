/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs print is read back: in every form, between other lines, from several ranks at once;
 * and what got mixed is never judged as if it were whole.
 */
#include "support/testing.h"

#include "support/gen/gen_spec.h"
#include "support/paste_print.h"
#include <tma/paste.h>
#include <tma/synonyms.h>

#define MOST_FOUND 8
#define MOST_LINES 256

typedef struct seen {
    tma_paste of[MOST_FOUND];
    size_t count;
} seen;

static void note(void *context, const tma_paste *found) {
    seen *s = context;
    if (s->count < MOST_FOUND) {
        s->of[s->count] = *found;
    }
    s->count++;
}

/* Read from a block of its own size, so that a sanitizer sees a byte too far. */
static seen read_text(const char *text, size_t size) {
    seen s = {.count = 0};
    char *own = malloc(size ? size : 1);
    assert_non_null(own);
    memcpy(own, text, size);
    const size_t visited = tma_paste_read(own, size, note, &s);
    assert_int_equal(visited, s.count);
    free(own);
    return s;
}

/* The spec as what a form prints of it says it. */
static tma_spec as_read(const tma_spec *spec, const paste_form *form) {
    tma_spec s = gen_plain(spec);
    if (form->hidden & HIDES_ADDRESS) {
        s.address = UINT64_C(0x7f0000000000);
    }
    return s;
}

static int same_spec(const tma_spec *a, const tma_spec *b) {
    const tma_spec x = gen_plain(a);
    const tma_spec y = gen_plain(b);
    return !memcmp(&x, &y, sizeof(x));
}

/* A spec that the form can print. */
static tma_spec printable_spec(struct random_source *r, const paste_form *form) {
    for (;;) {
        const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
        tma_spec s = gen_spec(r, &target);
        if (random_one_in(r, 2)) { /* what few random specs are, and some forms take for granted */
            s.interleave = TMA_INTERLEAVE_NONE;
            s.fill = TMA_FILL_NONE;
            s.l2 = random_in(r, 2, 3);
            s.dtype = random_one_in(r, 2) ? s.dtype : random_in(r, 0, 2);
        }
        if (random_one_in(r, 4)) {
            s.rank = 2;
            s.element_stride[0] = 1;
            s.element_stride[1] = 1;
        }
        if (s.rank >= 1 && s.rank <= 5 && s.dtype <= TMA_DTYPE_16U6_ALIGN16B &&
            s.swizzle <= TMA_SWIZZLE_128B_ATOM_64B && s.fill <= 1 && s.api <= TMA_API_WIDE &&
            s.l2 <= 3 && (s.api == TMA_API_TILED || s.rank >= 3) && form->can(&s)) {
            return s;
        }
    }
}

static const int codes[] = {1, 700, 999};

static char *printed(const tma_spec *s, const paste_form *form, int code, size_t *size) {
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    assert_non_null(file);
    form->print(file, s, code);
    fclose(file);
    return text;
}

static void every_form_reads_back(void **state) {
    (void)state;
    struct random_source r = {81};
    const unsigned long count = spec_count() / 20 + 500;
    for (unsigned long i = 0; i < count; i++) {
        const paste_form *form = &paste_forms[i % paste_form_count];
        const tma_spec spec = printable_spec(&r, form);
        const int code = codes[random_below(&r, 3)];
        size_t size = 0;
        char *text = printed(&spec, form, code, &size);
        const seen s = read_text(text, size);
        const tma_spec expected = as_read(&spec, form);
        if (s.count != 1 || s.of[0].kind != TMA_PASTE_MAP || !same_spec(&s.of[0].spec, &expected) ||
            strcmp(tma_paste_source_name(s.of[0].source), form->name) != 0 ||
            (form->has_code && s.of[0].code != code)) {
            fail_msg("%zu found, kind %u, %s, code %d, in:\n%s", s.count, s.of[0].kind,
                     tma_paste_source_name(s.of[0].source), s.of[0].code, text);
        }
        free(text);
    }
}

/* The lines of a text, each with its newline. */
static size_t split(const char *text, size_t size, const char *lines[MOST_LINES],
                    size_t lengths[MOST_LINES]) {
    size_t count = 0;
    for (size_t at = 0; at < size && count < MOST_LINES; count++) {
        const char *end = memchr(text + at, '\n', size - at);
        lines[count] = text + at;
        lengths[count] = end ? (size_t)(end - text) + 1 - at : size - at;
        at += lengths[count];
    }
    return count;
}

static void noise(struct random_source *r, FILE *out) {
    static const char *const lines[] = {
        "INFO 03-04 10:11:12 [gpu_model_runner.py:512] Graph capturing finished\n",
        "  12%|##    | 6/15 [00:00<00:00, 55.1profile/s]\n",
        "batch size 4 dim 3 rank 2 is fine, swizzle off\n",
        "CUDA Error: invalid argument (1) at copy.cu:12 cudaMemcpyAsync\n",
        "\n",
        "Traceback (most recent call last):\n",
        "x.shape=[4, 4] dtype=torch.float16\n",
    };
    fputs(lines[random_below(r, COUNT_OF(lines))], out);
}

/* Two ranks, line by line in any order; with `prefixes` each line says whose it is. */
static char *mixed(struct random_source *r, char *texts[2], const size_t sizes[2], int prefixes,
                   size_t *size) {
    static const char *const forms[][2] = {
        {"[rank0]: ", "[rank1]: "},
        {"(Worker_TP0 pid=4021) ERROR 03-04 10:11:%02u [x.py:%u] ",
         "(Worker_TP1 pid=4022) ERROR 03-04 10:11:%02u [x.py:%u] "},
        {"[1,0]<stderr>: ", "[1,1]<stderr>: "},
        {"svc-1  | ", "svc-2  | "},
    };
    const size_t form = random_below(r, COUNT_OF(forms));
    const char *lines[2][MOST_LINES];
    size_t lengths[2][MOST_LINES];
    size_t at[2] = {0, 0};
    char *text = NULL;
    size_t counts[2];
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    for (size_t k = 0; k < 2; k++) {
        counts[k] = split(texts[k], sizes[k], lines[k], lengths[k]);
    }
    while (at[0] < counts[0] || at[1] < counts[1]) {
        const size_t k = at[0] == counts[0] ? 1 : at[1] == counts[1] ? 0 : random_below(r, 2);
        if (prefixes && form == 1) {
            fprintf(out,
                    k ? "(Worker_TP1 pid=4022) ERROR 03-04 10:11:%02u [x.py:%u] "
                      : "(Worker_TP0 pid=4021) ERROR 03-04 10:11:%02u [x.py:%u] ",
                    random_in(r, 0, 59), random_in(r, 1, 2000));
        } else if (prefixes) {
            fputs(forms[form][k], out);
        }
        fwrite(lines[k][at[k]], 1, lengths[k][at[k]], out);
        at[k]++;
        if (random_one_in(r, 8)) {
            noise(r, out);
        }
    }
    fclose(out);
    return text;
}

static void ranks(struct random_source *r, int prefixes) {
    const paste_form *form = &paste_forms[prefixes ? random_below(r, 6) : random_below(r, 2)];
    tma_spec specs[2];
    char *texts[2];
    size_t sizes[2];
    size_t size = 0;
    for (size_t k = 0; k < 2; k++) {
        specs[k] = printable_spec(r, form);
        texts[k] = printed(&specs[k], form, 1, &sizes[k]);
    }
    char *text = mixed(r, texts, sizes, prefixes, &size);
    const seen s = read_text(text, size);
    size_t maps = 0;
    for (size_t i = 0; i < s.count && i < MOST_FOUND; i++) {
        const tma_paste *p = &s.of[i];
        const int is_one = same_spec(&p->spec, &specs[0]) || same_spec(&p->spec, &specs[1]);
        maps += p->kind == TMA_PASTE_MAP;
        if (p->kind == TMA_PASTE_MAP && !is_one &&
            (prefixes || (p->shown & TMA_PASTE_BIT(TMA_ARG_FILL)))) {
            fail_msg("a map that nobody printed, lines %zu to %zu of:\n%s", p->line, p->last_line,
                     text);
        }
    }
    if (prefixes && maps != 2) {
        fail_msg("%zu maps of 2 (%s) in:\n%s", maps, form->name, text);
    }
    free(text);
    free(texts[0]);
    free(texts[1]);
}

static void ranks_are_told_apart(void **state) {
    (void)state;
    struct random_source r = {82};
    for (unsigned long i = 0; i < spec_count() / 100 + 200; i++) {
        ranks(&r, 1);
    }
}

static void mixed_lines_are_no_map(void **state) {
    (void)state;
    struct random_source r = {83};
    for (unsigned long i = 0; i < spec_count() / 100 + 200; i++) {
        ranks(&r, 0);
    }
}

static tma_paste only(const char *text) {
    const seen s = read_text(text, strlen(text));
    if (s.count != 1) {
        fail_msg("%zu found in: %s", s.count, text);
    }
    return s.of[0];
}

static void remarks_name_rules(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *rule; /* null: no driver's rule */
        int index;
    } cases[] = {
        {"python: /x/copy_traits_sm90_tma.hpp:977: ... Assertion `(gmem_prob_stride[1] & 0b1111) "
         "== 0' failed.",
         "stride-align", 0},
        {"Assertion `(gmem_prob_stride[4] & 0b1111) == 0' failed.", "stride-align", 3},
        {"Assertion `gmem_prob_shape[2] >= (uint64_t(1))' failed", "dim-zero", 2},
        {"Assertion `gmem_prob_shape[0] <= (uint64_t(1) << 32)' failed", "dim-limit", 0},
        {"Assertion `(gmem_prob_stride[2]) < (uint64_t(1) << 40)' failed", "stride-limit", 1},
        {"Assertion `smem_box_shape[3] <= (uint32_t(1) << 8)' failed", "box-limit", 3},
        {"Assertion `(reinterpret_cast<uint64_t>(gmem_address) & 0b1111) == 0' failed",
         "address-align", -1},
        {"Assertion `gmem_prob_stride[0] == 1 && \"Majorness\"' failed", NULL, -1},
        {"Window shape must be in [0, 256], but got 320 at index 1", "box-limit", -1},
        {"Rank must be in [1, 5], but got 6", "rank-range", -1},
        {"buildNdTmaDescriptor: boxDim too large 512", "box-limit", -1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const tma_paste p = only(cases[i].text);
        assert_int_equal(p.kind, TMA_PASTE_REMARK);
        assert_true(*p.says);
        assert_int_equal(p.index, cases[i].index);
        const tma_rule *rule = tma_rule_of(p.rule);
        if (!cases[i].rule ? rule != NULL : !rule || strcmp(rule->name, cases[i].rule) != 0) {
            fail_msg("%s: rule %s", cases[i].text, rule ? rule->name : "none");
        }
    }
}

static void errors_have_their_codes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int code;
    } cases[] = {
        {"Error: Failed to initialize the TMA descriptor 700", 700},
        {"Exception: Failed to encode tensor map: 700", 700},
        {"Failed to encode TMA descriptor 0: 1", 1},
        {"cuTensorMapEncodeTiled failed: operation not supported", 801},
        {"Failed to create tensormap with cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE", 1},
        {"RuntimeError: Kernel call failed: Error: Failed to initialize the TMA descriptor B_desc",
         TMA_PASTE_UNKNOWN_CODE},
        {"========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"invalid argument\" on "
         "CUDA API call to cuTensorMapEncodeTiled.",
         1},
        {"Error: Failed to initialize the TMA descriptor due to misaligned address", 716},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const tma_paste p = only(cases[i].text);
        assert_int_equal(p.kind, TMA_PASTE_ERROR);
        assert_int_equal(p.code, cases[i].code);
    }
    assert_int_equal(tma_code_of(700)->about, TMA_CODE_ABOUT_OLDER);
    assert_int_equal(tma_code_of(801)->about, TMA_CODE_ABOUT_DEVICE);
    assert_int_equal(tma_code_of(1)->about, TMA_CODE_ABOUT_ARGUMENTS);
    assert_null(tma_code_of(12345));
}

#define CUTLASS_ROW(before, name, value) before name value "\n"
#define CUTLASS(before, box)                                                                       \
    CUTLASS_ROW(before, "TMA Desc Addr:   ", "0x7ffe10a2c340")                                     \
    CUTLASS_ROW(before, "format         ", "9")                                                    \
    CUTLASS_ROW(before, "dim            ", "3")                                                    \
    CUTLASS_ROW(before, "gmem_address   ", "0x7f2a40000000")                                       \
    CUTLASS_ROW(before, "globalDim      ", "(896,4608,6,1,1)")                                     \
    CUTLASS_ROW(before, "globalStrides  ", "(2,1800,8294400,0,0)")                                 \
    CUTLASS_ROW(before, "boxDim         ", box)                                                    \
    CUTLASS_ROW(before, "elementStrides ", "(1,1,1,1,1)")                                          \
    CUTLASS_ROW(before, "interleave     ", "0")                                                    \
    CUTLASS_ROW(before, "swizzle        ", "3")                                                    \
    CUTLASS_ROW(before, "l2Promotion    ", "2")                                                    \
    CUTLASS_ROW(before, "oobFill        ", "0")

/* Another rank's error is this one's only right behind it. */
static void errors_of_other_ranks(void **state) {
    (void)state;
    static const char error[] = "[rank1]: Error: Failed to initialize the TMA descriptor 1\n";
    for (size_t between = 0; between < 4; between++) {
        char text[2048] = CUTLASS("[rank0]: ", "(64,96,1,1,1)");
        for (size_t i = 0; i < between; i++) {
            strcat(text, "[rank0]: loaded\n");
        }
        strcat(text, error);
        const seen s = read_text(text, strlen(text));
        assert_int_equal(s.count, between ? 2 : 1);
        assert_int_equal(s.of[0].kind, TMA_PASTE_MAP);
        assert_int_equal(s.of[0].code, between ? TMA_PASTE_NO_CODE : 1);
        assert_int_equal(s.of[0].last_line, between ? 12 : 13);
        assert_true(!between || s.of[1].kind == TMA_PASTE_ERROR);
    }
}

typedef struct counted {
    size_t *of; /* by box: 8, 16, ... 80 */
    int code;
} counted;

static void count_boxes(void *context, const tma_paste *found) {
    const counted *c = context;
    const uint32_t box = found->spec.box_el[0];
    assert_int_equal(found->kind, TMA_PASTE_MAP);
    assert_int_equal(found->code, c->code);
    assert_true(box % 8 == 0 && box >= 8 && box <= 80);
    c->of[box / 8 - 1]++;
}

/* How far apart lines may stand that belong together: both sides of each limit. */
static void lines_that_stand_apart(void **state) {
    (void)state;
    static const char block[] = CUTLASS("", "(64,96,1,1,1)");
    static const char later[] = "Error: Failed to initialize the TMA descriptor 1\n";
    static const char first[] =
        "Error: Failed to initialize the TMA descriptor due to invalid argument\n";
    static const char trtllm[] = "tmaFormat: 9 dim: 4 gmem: 0x7f2a40000000\n"
                                 "Shape: 128 32 1 90112 0\nStride: 256 2 8192 421\n"
                                 "tileShapes: 64 32 1 1 0\ntileStrides: 1 1 1 1 0\n"
                                 "swizzleType: 3\n";
    static const struct {
        const char *before, *middle, *behind; /* before, middle, other lines, behind */
        size_t most;                          /* other lines, and it is still one */
        int code, code_apart;                 /* of the map */
    } cases[] = {
        {"", block, later, 200, 1, TMA_PASTE_NO_CODE}, /* an error behind its block */
        {block, later, later, 78, 1, 1},               /* said again by a traceback */
        {"", first, trtllm, 40, 1, TMA_PASTE_NO_CODE}, /* an error before its block */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (size_t apart = 0; apart < 2; apart++) {
            char *text = NULL;
            size_t size = 0;
            FILE *out = open_memstream(&text, &size);
            assert_non_null(out);
            fprintf(out, "%s%s", cases[i].before, cases[i].middle);
            for (size_t k = 0; k < cases[i].most + apart; k++) {
                fputs("loading\n", out);
            }
            fputs(cases[i].behind, out);
            fclose(out);
            const seen s = read_text(text, size);
            assert_int_equal(s.count, 1 + apart);
            const tma_paste *map = &s.of[s.of[0].kind == TMA_PASTE_MAP ? 0 : 1];
            assert_int_equal(map->kind, TMA_PASTE_MAP);
            assert_int_equal(map->code, apart ? cases[i].code_apart : cases[i].code);
            free(text);
        }
    }
}

static const char *const cutlass_lines[] = {"TMA Desc Addr:   0x7ffe10a2c340",
                                            "format         9",
                                            "dim            3",
                                            "gmem_address   0x7f2a40000000",
                                            "globalDim      (896,4608,6,1,1)",
                                            "globalStrides  (2,1800,8294400,0,0)",
                                            "boxDim         (%zu,96,1,1,1)",
                                            "elementStrides (1,1,1,1,1)",
                                            "interleave     0",
                                            "swizzle        3",
                                            "l2Promotion    2",
                                            "oobFill        0"};

/* The line behind its rank's name, with the rank's own box. */
static void put_line(FILE *out, size_t rank, const char *line) {
    const char *number = strstr(line, "%zu");
    fprintf(out, "[rank%zu]: %.*s", rank, (int)(number ? number - line : (ptrdiff_t)strlen(line)),
            line);
    if (number) {
        fprintf(out, "%zu%s", 8 * (rank + 1), number + 3);
    }
    fputc('\n', out);
}

/* Ten ranks, line by line in turn; and four ranks' errors before the first of their blocks. */
static void many_ranks_at_once(void **state) {
    (void)state;
    static const char *const trtllm[] = {
        "Error: Failed to initialize the TMA descriptor due to invalid argument",
        "tmaFormat: 9 dim: 2 gmem: 0x7f2a40000000",
        "Shape: 128 32 0 0 0",
        "Stride: 256 0 0 0",
        "tileShapes: %zu 32 0 0 0",
        "tileStrides: 1 1 0 0 0",
        "swizzleType: 3"};
    for (int form = 0; form < 2; form++) {
        const size_t ranks = form ? 4 : 10;
        char *text = NULL;
        size_t size = 0;
        size_t seen_of[10] = {0};
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        for (size_t k = 0; k < (form ? COUNT_OF(trtllm) : COUNT_OF(cutlass_lines)); k++) {
            for (size_t rank = 0; rank < ranks; rank++) {
                put_line(out, rank, form ? trtllm[k] : cutlass_lines[k]);
            }
        }
        fclose(out);
        counted c = {seen_of, form ? 1 : TMA_PASTE_NO_CODE};
        assert_int_equal(tma_paste_read(text, size, count_boxes, &c), ranks);
        for (size_t rank = 0; rank < ranks; rank++) {
            assert_int_equal(seen_of[rank], 1);
        }
        free(text);
    }
}

static void note_code(void *context, const tma_paste *found) {
    int *codes = context;
    const uint32_t box = found->spec.box_el[0];
    assert_int_equal(found->kind, TMA_PASTE_MAP);
    assert_true(box % 8 == 0 && box >= 8 && box <= 88);
    codes[box / 8 - 1] = found->code;
}

/* Eleven ranks' blocks: of the ten before the last the one whose last line is oldest is over, rank
 * 0's, or where that ends late rank 1's. The others' errors, which come then, still find them. */
static void too_many_ranks_at_once(void **state) {
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        const size_t late = COUNT_OF(cutlass_lines) - over; /* line of rank 0 */
        char *text = NULL;
        size_t size = 0;
        int codes[11] = {0};
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        for (size_t rank = 0; rank < COUNT_OF(codes); rank++) {
            if (over && rank == COUNT_OF(codes) - 1) {
                put_line(out, 0, cutlass_lines[late]);
            }
            for (size_t k = 0; k < (rank ? COUNT_OF(cutlass_lines) : late); k++) {
                put_line(out, rank, cutlass_lines[k]);
            }
        }
        for (size_t rank = 0; rank < COUNT_OF(codes); rank++) {
            if (rank != over) {
                put_line(out, rank, "Error: Failed to initialize the TMA descriptor 1");
            }
        }
        fclose(out);
        assert_int_equal(tma_paste_read(text, size, note_code, codes), COUNT_OF(codes));
        for (size_t rank = 0; rank < COUNT_OF(codes); rank++) {
            assert_int_equal(codes[rank], rank == over ? TMA_PASTE_NO_CODE : 1);
        }
        free(text);
    }
}

/* A number with more behind it is an item that says nothing; the others keep their places. */
static void items_that_are_no_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t box[3];
        int is_shown;
    } cases[] = {
        {CUTLASS("", "(64,96,1,1,1)"), {64, 96, 1}, 1},
        {CUTLASS("", "(65-1,96*2/2,1,1,1)"), {64, 96, 1}, 1},
        {CUTLASS("", "(64 96 1 1 1)"), {64, 96, 1}, 1},
        {CUTLASS("", "(64 el,96,1,1,1)"), {1, 96, 1}, 0},
        {CUTLASS("", "(64,96 el,1,1,1)"), {64, 1, 1}, 0},
        {CUTLASS("", "(64,f(96, 2),2,1,1)"), {64, 1, 2}, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const tma_paste p = only(cases[i].text);
        assert_int_equal(p.kind, TMA_PASTE_MAP);
        if (memcmp(p.spec.box_el, cases[i].box, sizeof(cases[i].box)) != 0 ||
            !(p.shown & TMA_PASTE_BIT(TMA_ARG_BOX)) != !cases[i].is_shown) {
            fail_msg("box %u %u %u in: %s", p.spec.box_el[0], p.spec.box_el[1], p.spec.box_el[2],
                     cases[i].text);
        }
    }
}

/* Other errors, sentences, and a source that holds the error's text. */
static void nothing_is_read_into_other_text(void **state) {
    (void)state;
    static const char *const texts[] = {
        "CUDA Error: invalid argument (1) at copy.cu:12 cudaMemcpyAsync",
        "the format 9 and dim 3 of globalDim are wrong; boxDim is too large. strides: 4 5",
        "shape=[1, 2, 3] rank=3 strides=[6, 3, 1]",
        "std::stringstream ss; ss << \"Error: Failed to initialize the TMA descriptor\" << err;",
        "CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType "
        "tensorDataType, cuuint32_t tensorRank, void* globalAddress, const cuuint64_t* globalDim, "
        "const cuuint64_t* globalStrides, const cuuint32_t* boxDim, const cuuint32_t* "
        "elementStrides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, "
        "CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill);",
        "",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const seen s = read_text(texts[i], strlen(texts[i]));
        if (s.count) {
            fail_msg("%zu found (kind %u) in: %s", s.count, s.of[0].kind, texts[i]);
        }
    }
    assert_int_equal(tma_paste_read(NULL, 0, note, NULL), 0);
}

static void words_for_enumerators(void **state) {
    (void)state;
    static const struct {
        tma_enum_kind kind;
        const char *text;
        int number; /* -1: none */
    } cases[] = {
        {TMA_ENUM_DTYPE, "fp16", TMA_DTYPE_FLOAT16},
        {TMA_ENUM_DTYPE, "torch.bfloat16", TMA_DTYPE_BFLOAT16},
        {TMA_ENUM_DTYPE, "__nv_fp8_e4m3", TMA_DTYPE_UINT8},
        {TMA_ENUM_DTYPE, "CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT32", TMA_DTYPE_FLOAT32},
        {TMA_ENUM_DTYPE, "E5M2", TMA_DTYPE_UINT8},
        {TMA_ENUM_DTYPE, "fp4", TMA_DTYPE_16U4_ALIGN8B},
        {TMA_ENUM_SWIZZLE, "SWIZZLE_128B", TMA_SWIZZLE_128B},
        {TMA_ENUM_SWIZZLE, "128", TMA_SWIZZLE_128B},
        {TMA_ENUM_SWIZZLE, "3", -1},
        {TMA_ENUM_SWIZZLE, "CU_TENSOR_MAP_SWIZZLE_64B", TMA_SWIZZLE_64B},
        {TMA_ENUM_L2, "L2_256B", TMA_L2_256B},
        {TMA_ENUM_FILL, "NaN", TMA_FILL_NAN},
        {TMA_ENUM_INTERLEAVE, "torch.", -1},
        {TMA_ENUM_DTYPE, "complex64", -1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const tma_enum_row *row =
            tma_enum_synonym(cases[i].kind, cases[i].text, strlen(cases[i].text));
        if ((row ? row->driver : -1) != cases[i].number) {
            fail_msg("%s: %d", cases[i].text, row ? (int)row->driver : -1);
        }
    }
    assert_null(tma_enum_synonym(TMA_ENUM_DTYPE, "fp16", 0));
    assert_null(tma_enum_synonym(TMA_ENUM_KINDS, "fp16", 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_reads_back),
        cmocka_unit_test(ranks_are_told_apart),
        cmocka_unit_test(mixed_lines_are_no_map),
        cmocka_unit_test(remarks_name_rules),
        cmocka_unit_test(errors_have_their_codes),
        cmocka_unit_test(errors_of_other_ranks),
        cmocka_unit_test(lines_that_stand_apart),
        cmocka_unit_test(many_ranks_at_once),
        cmocka_unit_test(too_many_ranks_at_once),
        cmocka_unit_test(items_that_are_no_numbers),
        cmocka_unit_test(nothing_is_read_into_other_text),
        cmocka_unit_test(words_for_enumerators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
