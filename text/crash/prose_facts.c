/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that sentences give a map: "K = 511 in bf16", "a row stride of 1,022 bytes". Each is
 * judged by the rules that judge a map, in a map of which all else is legal.
 */
#include <string.h>

#include "paste_parts.h"
#include "prose.h"
#include "prose_facts.h"
#include "source_only.h"
#include "tma/check.h"
#include "tma/crash.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"
#include "tma/limits.def"

typedef enum fact_kind {
    FACT_ANY,
    FACT_ROW,
    FACT_STRIDE,
    FACT_BOX,
    FACT_INNER,
    FACT_TRAVERSAL,
    FACT_SIZES
} fact_kind;

static const struct fact_name {
    const char *words;
    uint32_t kind;
} names[] = {
#define FACT_NAME(kind, words) {words, FACT_##kind},
#include "prose_facts.def"
};
static const struct fact_name unsaid[] = {
#define FACT_UNSAID(kind, words) {words, FACT_##kind},
#include "prose_facts.def"
};

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define NO_TYPE       PROSE_NO_TYPE
#define MOST_SPACED_B 24 /* between a name and its number */
#define LEGAL_EL      1024

typedef struct reader {
    prose_reader prose;
    tma_crash_fact_visit visit;
    void *context;
    size_t count;
    uint32_t dtype;   /* the one type of the whole text, or NO_TYPE */
    uint32_t swizzle; /* and its one swizzle */
} reader;

static int has_unsaid(const paste_line *line, size_t at, size_t end, fact_kind kind) {
    for (size_t i = 0; i < COUNT(unsaid); i++) {
        for (size_t k = at; k < end && unsaid[i].kind == kind; k++) {
            if (crash_match(line->text, line->length, k, unsaid[i].words)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether a sentence has words for which a number of this kind is none of a map. */
static int is_unsaid(const paste_line *line, size_t at, size_t end, fact_kind kind) {
    return has_unsaid(line, at, end, FACT_ANY) || has_unsaid(line, at, end, kind);
}

/* One letter is a name as it is written, and alone: neither k nor top-K. */
static int is_letter_of(const paste_line *line, size_t at, const char *words) {
    const char before = at ? line->text[at - 1] : ' ';
    return words[1] || (line->text[at] == words[0] &&
                        (paste_is_blank(before) || before == '(' || before == '`'));
}

/* The longest name that begins there; its length, or 0. */
static size_t name_at(const paste_line *line, size_t at, fact_kind *kind) {
    size_t longest = 0;
    for (size_t i = 0; i < COUNT(names); i++) {
        const size_t n = crash_match(line->text, line->length, at, names[i].words);
        if (n > longest && is_letter_of(line, at, names[i].words)) {
            longest = n;
            *kind = (fact_kind)names[i].kind;
        }
    }
    return longest;
}

/* A whole number with or without commas; its length, or 0. Not 3.5, 2x, 16-byte. */
static size_t number_at(const paste_line *line, size_t at, uint64_t *number) {
    size_t i = at;
    for (*number = 0; i < line->length && i < at + 15; i++) {
        const int is_comma = line->text[i] == ',' && i > at && i + 3 < line->length &&
                             text_run(line->text + i + 1, line->length - i - 1, text_is_digit) == 3;
        if (!is_comma && !text_is_digit(line->text[i])) {
            break;
        }
        *number = is_comma ? *number : *number * 10 + (uint64_t)(line->text[i] - '0');
    }
    const char behind = i < line->length ? line->text[i] : ' ';
    const char next = i + 1 < line->length ? line->text[i + 1] : ' ';
    const int is_more = text_is_word(behind) || behind == '-' || behind == '%' || behind == '*' ||
                        ((behind == '.' || behind == ',') && text_is_digit(next));
    const int is_part = at && (text_is_word(line->text[at - 1]) || line->text[at - 1] == '.');
    return is_more || is_part ? 0 : i - at;
}

/* Whether what stands behind a number makes another one of it: "511 + 1", "7 GB". */
static int is_more_behind(const paste_line *line, size_t at) {
    static const char *const units[] = {"KB", "MB", "GB", "KiB", "MiB", "GiB", "k", "M", "G", "x"};
    while (at < line->length && paste_is_blank(line->text[at])) {
        at++;
    }
    for (size_t i = 0; i < COUNT(units); i++) {
        if (crash_match(line->text, line->length, at, units[i])) {
            return 1;
        }
    }
    static const char operators[] = "+-*/^<>";
    for (size_t i = 0; at < line->length && i + 1 < sizeof(operators); i++) {
        if (line->text[at] == operators[i]) {
            return 1;
        }
    }
    return 0;
}

/* What may stand between a name and its number: "= ", " of ", ": ", " is ", "` = `". */
static size_t joint_at(const paste_line *line, size_t at) {
    static const char *const words[] = {"of",     "is",    "was",       "equal to",
                                        "equals", "being", "forced to", "set to"};
    size_t end = at;
    while (end < line->length && end - at < MOST_SPACED_B) {
        const char c = line->text[end];
        size_t n = paste_is_blank(c) || c == '=' || c == ':' || c == '`' || c == '*';
        for (size_t i = 0; !n && i < COUNT(words); i++) {
            n = crash_match(line->text, line->length, end, words[i]);
        }
        if (!n) {
            break;
        }
        end += n;
    }
    return end;
}

/* The type that a part of a line names; NO_TYPE if none, or several. */
uint32_t prose_dtype_in(const paste_line *line, size_t from, size_t to) {
    uint32_t dtype = NO_TYPE;
    for (size_t at = from; at < to; at++) {
        const size_t n = text_run(line->text + at, to - at, text_is_word);
        char word[32];
        tma_error ignored;
        uint32_t found = 0;
        int digits = 0; /* "byte" and "float" are said of other things */
        for (size_t i = 0; i < n; i++) {
            digits |= text_is_digit(line->text[at + i]);
        }
        if (digits && n < sizeof(word) && paste_is_letter(line->text[at])) {
            memcpy(word, line->text + at, n);
            word[n] = 0;
            if (!tma_read_enum(&found, TMA_ENUM_DTYPE, word, "", &ignored)) {
                if (dtype != NO_TYPE && dtype != found) {
                    return NO_TYPE;
                }
                dtype = found;
            }
        }
        at += n;
    }
    return dtype;
}

/* A legal map with the number in its place; 0 if its type is needed and not known. */
static int map_of(tma_spec *spec, fact_kind kind, uint64_t number, int is_B, uint32_t dtype) {
    const uint64_t element_bits = dtype == NO_TYPE ? 0 : tma_dtype_bits(dtype);
    const uint64_t row_bits = number * (is_B ? 8 : element_bits);
    *spec = (tma_spec){.api = TMA_API_TILED,
                       .dtype = dtype == NO_TYPE ? (uint32_t)TMA_DTYPE_UINT8 : dtype,
                       .rank = 2,
                       .address = UINT64_C(0x7f0000000000),
                       .dim_el = {LEGAL_EL, LEGAL_EL},
                       .stride_B = {(uint64_t)LEGAL_EL * 16},
                       .box_el = {128, 1},
                       .element_stride = {1, 1}};
    spec->box_el[0] = element_bits ? (uint32_t)(1024 / element_bits) : spec->box_el[0];
    if (kind == FACT_ROW || kind == FACT_STRIDE) {
        spec->dim_el[0] = kind == FACT_ROW ? number : 1;
        spec->stride_B[0] = row_bits / 8;
        return row_bits && row_bits % 8 == 0 && (is_B || number > 1); /* 1: the innermost stride */
    }
    if (kind == FACT_INNER) {
        spec->box_el[0] = (uint32_t)number;
        return element_bits && number && number * element_bits <= 1024;
    }
    if (kind == FACT_BOX) {
        spec->box_el[1] = (uint32_t)number;
    } else {
        spec->element_stride[1] = (uint32_t)number;
    }
    return !is_B;
}

/* What such a map is refused for among these arguments. */
static int is_refused(const paste_line *line, size_t at, size_t end, const tma_spec *spec,
                      uint32_t judged, tma_crash_fact *out) {
    tma_finding found[16];
    const size_t count = tma_check(found, COUNT(found), spec, NULL);
    for (size_t i = 0; i < count && i < COUNT(found); i++) {
        if (found[i].severity == TMA_SEVERITY_REFUSED && judged >> found[i].argument & 1) {
            *out = (tma_crash_fact){line->number, {0}, spec->dtype, found[i]};
            const size_t n = end > at ? end - at : 0;
            memcpy(out->words, line->text + at,
                   n < sizeof(out->words) ? n : sizeof(out->words) - 1);
            return 1;
        }
    }
    return 0;
}

static void judge(reader *r, const paste_line *line, size_t at, size_t end, const tma_spec *spec) {
    static const uint32_t judged = TMA_PASTE_BIT(TMA_ARG_STRIDE) | TMA_PASTE_BIT(TMA_ARG_BOX) |
                                   TMA_PASTE_BIT(TMA_ARG_ELEMENT_STRIDE);
    tma_crash_fact fact;
    if (is_refused(line, at, end, spec, judged, &fact)) {
        if (r->visit) {
            r->visit(r->context, &fact);
        }
        r->count++;
    }
}

/* Where no type is known elements have 2 bytes, and the fact says so. */
static void say_assumed(tma_crash_fact *fact) {
    static const char assumed[] = " (if 2 bytes each)";
    fact->dtype = TMA_DTYPE_UINT8; /* which no text named */
    const size_t n = text_length(fact->words);
    if (n + sizeof(assumed) <= sizeof(fact->words)) {
        memcpy(fact->words + n, assumed, sizeof(assumed));
    }
}

int prose_row_fact(const paste_line *line, size_t at, size_t end, uint64_t elements, uint32_t dtype,
                   tma_crash_fact *out) {
    const uint32_t type = dtype == NO_TYPE ? (uint32_t)TMA_DTYPE_FLOAT16 : dtype;
    tma_spec spec;
    if (elements > UINT32_MAX || !map_of(&spec, FACT_STRIDE, elements, 0, type) ||
        !is_refused(line, at, end, &spec, TMA_PASTE_BIT(TMA_ARG_STRIDE), out)) {
        return 0;
    }
    if (dtype == NO_TYPE) {
        say_assumed(out);
    }
    return 1;
}

int prose_is_of_no_operand(const paste_line *line) {
    return has_unsaid(line, 0, line->length, FACT_SIZES);
}

int prose_view_fact(const paste_line *line, size_t at, size_t end, uint64_t elements,
                    uint32_t dtype, tma_crash_fact *out) {
    const uint32_t type = dtype == NO_TYPE ? (uint32_t)TMA_DTYPE_FLOAT16 : dtype;
    tma_spec spec;
    if (!map_of(&spec, FACT_STRIDE, LEGAL_EL, 0, type) || (dtype == NO_TYPE && elements % 4 == 0)) {
        return 0;
    }
    spec.address += elements * tma_dtype_bits(type) / 8;
    if (!is_refused(line, at, end, &spec, TMA_PASTE_BIT(TMA_ARG_ADDRESS), out)) {
        return 0;
    }
    if (dtype == NO_TYPE) {
        say_assumed(out);
    }
    return 1;
}

/* A name with its number, of which byte `at` is the first, in a sentence; what it takes, or 0. */
static size_t read_fact(reader *r, const paste_line *line, size_t sentence, size_t at, size_t end,
                        uint32_t dtype) {
    fact_kind kind = FACT_ANY;
    uint64_t number = 0;
    const size_t product = prose_product(line, at, &number);
    if (product && !has_unsaid(line, sentence, end, FACT_BOX) &&
        prose_is_of_copies(&r->prose, line, sentence, end)) {
        tma_spec spec;
        map_of(&spec, FACT_BOX, number, 0, NO_TYPE);
        judge(r, line, at, at + product, &spec);
        return product;
    }
    const size_t name = name_at(line, at, &kind);
    const size_t joint = name ? joint_at(line, at + name) : at;
    const size_t digits = name ? number_at(line, joint, &number) : 0;
    const size_t last = joint + digits;
    if (!digits || last > end || joint == at + name || number > UINT32_MAX ||
        is_more_behind(line, last) || is_unsaid(line, sentence, end, kind)) {
        return 0;
    }
    if (kind == FACT_INNER && !prose_speaks_of_blocks(&r->prose)) {
        return last - at;
    }
    const size_t unit = joint_at(line, last);
    const size_t bytes = crash_match(line->text, line->length, unit, "bytes") +
                         crash_match(line->text, line->length, unit, "B");
    tma_spec spec;
    if (map_of(&spec, kind, number, bytes != 0, dtype)) {
        judge(r, line, at, bytes ? unit + bytes : last, &spec);
    }
    return last - at;
}

/* Where a clause ends: at a comma, but for those of lists. */
static size_t clause_end(const paste_line *line, size_t from, size_t end) {
    size_t depth = 0;
    size_t word = from;
    for (size_t at = from; at < end; at++) {
        const char c = line->text[at];
        depth += c == '(' || c == '[' || c == '{';
        depth -= depth && (c == ')' || c == ']' || c == '}');
        const int is_list = at + 2 < end && text_is_digit(line->text[at + 2]) && at > word &&
                            text_run(line->text + word, at - word, text_is_digit) == at - word;
        if (c == ',' && !depth && !is_list) {
            return at;
        }
        word = text_is_word(c) ? word : at + 1;
    }
    return end;
}

/* Values that one clause names together: the sentence may go on with what works. */
static void read_combo(reader *r, const paste_line *line, size_t at, size_t end, uint32_t dtype) {
    tma_crash_fact fact;
    for (size_t from = at; from < end;) {
        const size_t to = clause_end(line, from, end);
        if (prose_tells_of_failure(&r->prose, line, from, to) &&
            !is_unsaid(line, from, to, FACT_ANY) &&
            prose_combo(line, from, to, dtype, r->swizzle, &fact)) {
            if (r->visit) {
                r->visit(r->context, &fact);
            }
            r->count++;
            return;
        }
        from = to + 1;
    }
}

/* A line of which parts stand in `ticks` is prose, whatever signs are in them. */
static int has_ticks(const paste_line *line) {
    size_t count = 0;
    for (size_t i = 0; i < line->length; i++) {
        count += line->text[i] == '`';
    }
    return count >= 2 && count % 2 == 0;
}

static void read_line(reader *r, const paste_line *line) {
    int is_ended = 1;
    for (size_t at = 0; at < line->length;) {
        const size_t end = prose_sentence_end(line, at, &is_ended);
        const uint32_t named = prose_dtype_in(line, at, end);
        const int is_told = prose_tells_of_failure(&r->prose, line, at, end);
        read_combo(r, line, at, end, named == NO_TYPE ? r->dtype : named);
        for (size_t i = at; is_told && i < end;) {
            const size_t n = read_fact(r, line, at, i, end, named == NO_TYPE ? r->dtype : named);
            i += n ? n : 1;
        }
        at = end;
    }
}

/* The one value of a text so far: NO_TYPE where it has several. */
static void note_one(uint32_t *one, uint32_t *several, uint32_t found) {
    if (found != NO_TYPE) {
        *several |= *one != NO_TYPE && *one != found;
        *one = *several ? NO_TYPE : found;
    }
}

/* The type and the swizzle that the whole text names. */
static void read_names(reader *r, const char *text, size_t size) {
    paste_line line;
    paste_lines lines = {text, size, 0, 0, 0};
    uint32_t types = 0;
    uint32_t swizzles = 0;
    while (paste_next_line(&lines, &line)) {
        note_one(&r->dtype, &types, prose_dtype_in(&line, 0, line.length));
        note_one(&r->swizzle, &swizzles, prose_swizzle_in(&line));
    }
}

/* With what the text's failure asks of sizes. */
static size_t read_facts(const char *text, size_t size, uint32_t asked, tma_crash_fact_visit visit,
                         void *context) {
    reader r = {.visit = visit, .context = context, .dtype = NO_TYPE, .swizzle = NO_TYPE};
    paste_line line = {.length = 0};
    paste_lines lines = {text, size, 0, 0, 0};
    prose_begin(&r.prose, text, size, paste_search(text, size, "CU_TENSOR_MAP_") < size);
    const int is_told =
        prose_tells_of_failure(&r.prose, &line, 0, 0) && paste_search(text, size, "cuda") < size;
    read_names(&r, text, size);
    prose_sizes sizes = {text,    size, asked | (is_told ? PROSE_ASKS_STRIDES : 0u), r.dtype, visit,
                         context, 0};
    while (paste_next_line(&lines, &line)) {
        if (r.prose.is_on && (prose_is_sentence(&line) || has_ticks(&line))) {
            read_line(&r, &line);
        }
        prose_read_sizes(&sizes, &line);
    }
    return r.count + sizes.count;
}

size_t tma_crash_facts(const char *text, size_t size, tma_crash_fact_visit visit, void *context) {
    if (!text || size > PROSE_TEXT_B || source_is_all(text, size)) {
        return 0;
    }
    /* The reader of rows has left the stack before that of facts begins: prose_sizes.c has it. */
    const uint32_t asked = prose_asked(text, size);
    return read_facts(text, size, asked, visit, context);
}
