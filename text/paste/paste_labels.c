/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels.
 */
#include "paste_parts.h"
#include "tma/detail/chars.h"

#define S(source) (UINT32_C(1) << TMA_PASTE_FROM_##source)
#define OWN       PASTE_OWN
#define FIRST     PASTE_FIRST
#define END       PASTE_END

static const paste_label labels[] = {
#define LABEL(words, field, sources, flags)                                                        \
    {words, sizeof(words) - 1, PASTE_##field, (uint32_t)(sources), flags},
#include "paste_labels.def"
#undef LABEL
};

#define LABELS (sizeof(labels) / sizeof(labels[0]))

uint32_t paste_label_order(const paste_label *label) {
    return (uint32_t)(label - labels);
}

void paste_note_labels(uint8_t begins[PASTE_FRONTS]) {
    for (size_t i = 0; i < LABELS; i++) {
        const int ends = labels[i].flags & PASTE_END;
        TMA_ASSERT(!ends || *labels[i].words == '_'); /* what paste_is_assigned looks for */
        if (!ends) {
            paste_note(begins, labels[i].words, PASTE_BEGINS_LABEL);
        }
    }
}

int paste_is_assigned(const paste_cursor *c) {
    const size_t word = paste_word(c);
    paste_cursor behind = {c->at + word, c->left - word};
    if (text_until(c->at, word, '_') == word) {
        return 0;
    }
    paste_skip_blanks(&behind);
    return paste_peek(&behind) == '=' || paste_peek(&behind) == '[';
}

/* Nobody's label stands in the middle of a sentence: behind a word in small letters, or behind a
 * number that does not begin the line, as in "batch size 4 dim 3". */
static int is_in_sentence(const paste_cursor *c, size_t before) {
    const char *line = c->at - before;
    size_t end = before;
    while (end && paste_is_blank(line[end - 1])) {
        end--;
    }
    if (end == before || end == 0) {
        return 0;
    }
    size_t start = end;
    while (start && text_is_digit(line[start - 1])) {
        start--;
    }
    if (start < end) {
        size_t first = start;
        while (first && paste_is_blank(line[first - 1])) {
            first--;
        }
        return first < start && first > 0 && line[first - 1] != ':' && line[first - 1] != '=' &&
               line[first - 1] != '|';
    }
    return line[end - 1] >= 'a' && line[end - 1] <= 'z';
}

/* A list or a word in small letters stands before it: a line that begins with a label is printed.
 */
static int goes_on(const char *line, size_t before) {
    size_t end = before;
    while (end && paste_is_blank(line[end - 1])) {
        end--;
    }
    return end && (line[end - 1] == ',' || (line[end - 1] >= 'a' && line[end - 1] <= 'z'));
}

int paste_is_named(const paste_cursor *c, size_t before, size_t length) {
    paste_cursor behind = {c->at + length, c->left - length};
    size_t size = 0;
    size_t stem = 0;
    const char next = paste_peek(&behind);
    const char second = behind.left > 1 ? behind.at[1] : ' ';
    if (!goes_on(c->at - before, before)) {
        return 0;
    }
    if ((next == ',' || next == '.') && paste_is_blank(second)) {
        return 1;
    }
    paste_skip_blanks(&behind);
    const char word = paste_peek(&behind);
    return word >= 'a' && word <= 'z' &&
           !paste_label_at(&behind, before + (size_t)(behind.at - c->at), &size, &stem);
}

/* "[rank 3]", "(rank: 3)", "rank 3:" and "rank 3 |" name who speaks, and no map's rank. */
static int is_speaker(const paste_cursor *c, size_t length, size_t before) {
    static const char closing[] = "]):|>";
    paste_cursor behind = {c->at + length, c->left - length};
    const char opening = before ? c->at[-1] : ' ';
    paste_skip_blanks(&behind);
    const int is_assigned = paste_peek(&behind) == ':' || paste_peek(&behind) == '=';
    paste_skip(&behind, (size_t)is_assigned);
    paste_skip_blanks(&behind);
    if (!text_is_digit(paste_peek(&behind))) {
        return 0;
    }
    while (text_is_digit(paste_peek(&behind))) {
        paste_skip(&behind, 1);
    }
    paste_skip_blanks(&behind);
    const char next = paste_peek(&behind);
    for (size_t i = 0; next && closing[i]; i++) {
        if (next == closing[i]) {
            return opening == '[' || opening == '(' || opening == '<' || !is_assigned;
        }
    }
    return 0;
}

const paste_label *paste_label_at(const paste_cursor *c, size_t before, size_t *length,
                                  size_t *stem) {
    const size_t word = paste_word(c);
    const paste_label *best = NULL;
    *length = 0;
    *stem = 0;
    for (size_t i = 0; i < LABELS && word; i++) {
        const paste_label *label = &labels[i];
        if (label->flags & PASTE_END) {
            const size_t size = label->length;
            if (!best && word > size && c->at[word - size] == *label->words &&
                text_equal(c->at + word - size, label->words, size)) {
                best = label;
                *length = word;
                *stem = word - size;
            }
            continue;
        }
        const size_t n = c->at[0] == label->words[0] ? paste_begins(c, label->words) : 0;
        const int ends = n && (n == c->left || !text_is_word(c->at[n]));
        if (ends && n > *length && (label->flags & PASTE_OWN || !is_in_sentence(c, before))) {
            best = label;
            *length = n;
            *stem = 0;
        }
    }
    return best && best->field == PASTE_RANK && best->words[0] == 'r' &&
                   is_speaker(c, *length, before)
               ? NULL
               : best;
}

uint64_t paste_descriptor(const char *name, size_t length) {
    uint64_t hash = length ? UINT64_C(0xCBF29CE484222325) : 0;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

int paste_skip_separators(paste_cursor *c, const paste_label *label) {
    const char *start = c->at;
    if (paste_peek(c) == '[' && c->left > 2 && text_is_digit(c->at[1])) { /* boxDim[2] = */
        paste_cursor t = *c;
        while (t.left && *t.at != ']') {
            paste_skip(&t, 1);
        }
        paste_skip(&t, 1);
        paste_skip_blanks(&t);
        if (paste_peek(&t) == '=' && !(t.left > 1 && t.at[1] == '=')) {
            *c = t;
        }
    }
    if (label->flags & PASTE_END) {
        paste_skip_blanks(c);
        if (paste_peek(c) != '=') {
            return 0;
        }
    }
    for (;;) {
        const char at = paste_peek(c);
        const int is_dash = at == '-' && c->left > 1 && (c->at[1] == '-' || c->at[-1] == '-');
        if (!paste_is_blank(at) && at != ':' && at != '=' && at != '|' && at != '"' && at != '\'' &&
            at != '`' && at != '*' && !is_dash) {
            break;
        }
        paste_skip(c, 1);
    }
    return c->at != start || paste_peek(c) == '{';
}

int paste_may_follow(const paste_cursor *behind, const paste_value *value, const paste_label *label,
                     const char *line) {
    paste_cursor c = *behind;
    size_t length = 0;
    size_t stem = 0;
    if (value->bracket && (paste_peek(&c) == '(' || text_is_digit(paste_peek(&c)))) {
        return 0; /* the next list without a newline: two writers */
    }
    paste_skip_blanks(&c);
    if (!paste_is_letter(paste_peek(&c)) || label->flags & PASTE_OWN) {
        return 1;
    }
    return paste_label_at(&c, (size_t)(c.at - line), &length, &stem) != NULL;
}
