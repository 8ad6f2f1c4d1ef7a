/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of 64 bits in a log, each once, with what they say if they are what their bits look like.
 */
#include "log_words.h"

#include <inttypes.h>
#include <string.h>

#include "ask_text.h"
#include "cli_out.h"
#include "out_text.h"
#include "printable.h"
#include "tma/word.h"

static void json_word(const char *label, const tma_word *word) {
    out_json line;
    tma_json *json = out_json_begin(&line, "check");
    if (label) {
        tma_json_text(json, "input", label);
    }
    tma_json_u64(json, "line", word->line);
    tma_json_text(json, "kind", "word");
    tma_json_hex(json, "word", word->word);
    tma_json_list(json, "can_be");
    for (uint32_t kind = 0; kind < TMA_WORD_KINDS; kind++) {
        if (word->kinds >> kind & 1) {
            tma_json_object(json, NULL);
            tma_json_word(json, word->word, kind);
            tma_json_end(json);
        }
    }
    tma_json_end(json);
    out_json_end(&line);
}

static void print_word(const char *label, const tma_word *word, const color_set *colors) {
    tma_out out = out_to(stdout);
    fputs(colors->bold, stdout);
    if (label) {
        printable(stdout, label);
        putchar(':');
    }
    printf("%zu%s: 0x%016" PRIx64 "\n", word->line, colors->end, word->word);
    for (uint32_t kind = 0; kind < TMA_WORD_KINDS; kind++) {
        if (word->kinds >> kind & 1) {
            printf("    as %s: ", tma_word_kind_name(kind));
            tma_word_put(&out, word->word, kind);
            putchar('\n');
        }
    }
    printf("    %snext:%s        tma decode 0x%016" PRIx64 " shows its fields\n", colors->dim,
           colors->end, word->word);
}

/* As a note: a word is no finding. */
static void lint_word(const check_view *view, const tma_word *word) {
    char text[1024];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_putf(&out, "0x%016" PRIx64, word->word);
    for (uint32_t kind = 0; kind < TMA_WORD_KINDS; kind++) {
        if (word->kinds >> kind & 1) {
            tma_putf(&out, "; as %s: ", tma_word_kind_name(kind));
            tma_word_put(&out, word->word, kind);
        }
    }
    lint_says(&view->lint, word->line, "word", LINT_NOTE, text);
}

size_t log_words(const check_view *view, const char *label, const char *text, size_t size,
                 size_t before) {
    ask_words all;
    memset(&all, 0, sizeof(all));
    tma_word_read(text, size, ask_take_word, &all);
    for (size_t i = 0; i < all.count; i++) {
        if (view->lint.writer) {
            lint_word(view, &all.of[i]);
            continue;
        }
        if (view->json) {
            json_word(label, &all.of[i]);
            continue;
        }
        fputs(before + i ? "\n" : "", stdout);
        print_word(label, &all.of[i], &view->colors);
    }
    return all.count;
}
