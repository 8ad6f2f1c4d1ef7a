/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of crash_words.def, and how words are held against a line.
 */
#ifndef TMA_CRASH_WORDS_H
#define TMA_CRASH_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tma/detail/chars.h"

/* What must be named near the words. */
typedef enum crash_where {
    CRASH_ANYWHERE,
    CRASH_CUDA,
    CRASH_SANITIZER,
    CRASH_DEBUGGER,
    CRASH_TENSOR,
    CRASH_INTERRUPTED,
    CRASH_SYSTEM,
    CRASH_WAITED,
    CRASH_TENSOR_LOG, /* TENSOR, anywhere in the text */
    CRASH_GPU,
    CRASH_NOTHING_ELSE, /* TENSOR and CUDA or GPU anywhere, and no other row in the text */
    CRASH_FOREIGN,
    CRASH_TRAPPED,
    CRASH_TRAPPED_LOG, /* TRAPPED, anywhere in the text */
    CRASH_ASKED,       /* a question alone, no log */
    CRASH_GPU_LOG,     /* GPU or CUDA, anywhere in the text */
    CRASH_TMEM,        /* of a line, and as those below */
    /* What a text says besides its failure (crash_narrow.def), and does not deny; */
    CRASH_MULTICAST,
    CRASH_DEVICE_MADE,
    CRASH_LAYOUT,
    CRASH_BULK,
    CRASH_CLASS,
    CRASH_REPORTED,
    CRASH_STAGE,
    CRASH_WGMMA,
    CRASH_ALIGNED_MOVE,
    CRASH_EDIT, /* from here on what is missing counts, too: "without a fence" */
    CRASH_FENCE,
    CRASH_DRAIN,
    CRASH_NAMED,
    CRASH_LAST,  /* no other row is in the text */
    CRASH_TOLD,  /* as TENSOR_LOG, and words that say that it was mended deny nothing */
    CRASH_PLACES /* how many: a bit each in marks */
} crash_where;

typedef enum crash_kind {
    CRASH_IS_CODE,      /* words: the runtime's name */
    CRASH_IS_EXCEPTION, /* words: cuda-gdb's */
    CRASH_IS_XID,
    CRASH_IS_WORDS,
    CRASH_IS_MARK,
    CRASH_IS_BEFORE,
    CRASH_IS_DENIAL,
    CRASH_IS_MENDING, /* a denial, but where it is told (CRASH_TOLD) */
    CRASH_IS_NAME
} crash_kind;

typedef struct crash_entry {
    uint16_t number;
    uint8_t row;
    uint8_t where; /* crash_where */
    uint8_t kind;  /* crash_kind */
} crash_entry;

/* Rows of crash_rows.def by their IDs. */
enum {
#define CRASH(ID, ...) CRASH_ROW_##ID,
#include "crash_rows.def"
    CRASH_ROWS
};

/* The row of crash_words.def; null behind the last. */
const crash_entry *crash_entry_at(size_t index);

/* The words of the first entry, and those of the entry behind one. */
const char *crash_first_words(void);

static inline const char *crash_next_words(const char *words) {
    return words + text_length(words) + 1;
}

/* No more entries than these. */
#define CRASH_ENTRIES 2048
#define CRASH_MARKS   512 /* of them, in front, those of crash_marks.def */

/* An entry is looked for in up to so many words: a code in the runtime's name, the driver's name
 * and the driver's words. Where the words suffice is in *where. Null if it has none there. */
#define CRASH_FORMS 3
const char *crash_form(const crash_entry *entry, const char *words, size_t form, uint32_t *where);

/* A crash_entry's number: any that has no row. */
#define CRASH_ANY_OTHER UINT16_MAX

/* The row of a number of a kind, or -1. */
int crash_row_of(crash_kind kind, uint64_t number);

/* The row of an exception's enumerator without its prefix, "WARP_ASSERT", or -1. */
int crash_row_of_enumerator(const char *name, size_t length);

/* Whether of two rows in one message the first says what the second does not know, and the second
 * is no answer of its own (crash_over.def). */
int crash_is_over(uint32_t row, uint32_t other, int is_last);

/* The row that says more of this one in a text with these marks (crash_narrow.def); else the row.
 */
uint32_t crash_narrowed(uint32_t row, uint32_t marks);

/* Whether the text names targets or GPUs, and only those below the first that has tensor copies. */
int crash_is_below(const char *text, size_t size);

/* How much of the text the words take that begin at byte `at`, or 0. */
size_t crash_match(const char *text, size_t length, size_t at, const char *words);

/* Whether a character of words stands for others, too, or ends them. */
static inline int crash_is_open(char c) {
    return !c || c == ' ' || c == '#' || c == '*' || c == '\'';
}

/* The first characters of words as far as they stand for themselves, in small letters, up to four;
 * of a quote, what is behind it. What a text must begin with: most words are told apart by them. */
#define CRASH_HEAD 4
typedef struct crash_head {
    uint32_t letters;
    uint32_t mask;
} crash_head;

crash_head crash_head_of(const char *words);

/* As many characters at the front of a text, in small letters; 0 behind its end. All four at once:
 * in a byte of which the highest bit is clear, it is set in the sum from a letter on. */
static inline uint32_t crash_front(const char *text, size_t left) {
    uint32_t front = 0;
    if (left >= CRASH_HEAD) { /* of a size that the compiler knows */
        memcpy(&front, text, CRASH_HEAD);
    } else {
        memcpy(&front, text, left);
    }
    const uint32_t low = front & UINT32_C(0x7F7F7F7F);
    const uint32_t from_a = low + UINT32_C(0x01010101) * (0x80 - 'A');
    const uint32_t behind_z = low + UINT32_C(0x01010101) * (0x7F - 'Z');
    const uint32_t capitals = (from_a ^ behind_z) & ~front & UINT32_C(0x80808080);
    return front | capitals >> 2;
}

/* Whether words whose head has these letters can begin there. Where a letter is 0 the mask is; none
 * has its highest bit. */
static inline int crash_may_begin(uint32_t letters, uint32_t front) {
    const uint32_t whole = (letters + UINT32_C(0x7F7F7F7F)) >> 7 & UINT32_C(0x01010101);
    return ((letters ^ front) & whole * 0xFF) == 0;
}

/* Behind the first no mark begins, the second one begins with; but with the third all the same. */
enum crash_mark_char { CRASH_JOINS = 1, CRASH_BEGINS = 2, CRASH_INSIDE = 4 };

/* The marks by the character that they begin with. */
typedef struct crash_mark_index {
    uint16_t first[256]; /* by lower character: an entry and 1, or 0 */
    uint16_t next[CRASH_MARKS];
    uint16_t words[CRASH_MARKS]; /* from crash_first_words() on */
    uint8_t where[CRASH_MARKS];
    uint32_t letters[CRASH_MARKS]; /* of its head */
    uint8_t kinds[256];            /* of characters: crash_mark_char */
    uint32_t seconds[128]; /* by the first character's low bits: the second ones', a bit each */
} crash_mark_index;

/* Those of lines, or those of a text that narrow a row. */
void crash_index_marks(crash_mark_index *out, int that_narrow);

/* The marks in a line, a bit each by crash_where. */
uint32_t crash_marks(const crash_mark_index *index, const char *text, size_t length);

/* Whether the word may stand before an error's number. */
int crash_is_before(const char *word, size_t length);

/* Whether the line says of the words at byte `at` that what they name did not happen: "no hang
 * detected", "deadlock-free". */
int crash_is_denied(const char *text, size_t length, size_t at, size_t words, int is_told);

/* Whether the text is "PCI:0000:70:00", or "0000:70:00" of four digits and two: no "10.0.0.1:2049".
 */
int crash_is_pci_address(const char *text, size_t length);

#endif
