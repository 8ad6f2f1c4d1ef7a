/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of spec.h: enumerations in their three numberings, and architectures.
 */
#include "tma/spec.h"
#include "archs.h"
#include "tma/detail/chars.h"
#include "tma/limits.def"

#define BASE_ROW(name, cuda, ptx, driver, imm, stored, evidence)                                   \
    {name, cuda, ptx, driver, imm, stored, evidence},
#define DTYPE_ROW(id, name, cuda, ptx, imm, stored, evidence, ...)                                 \
    {name, cuda, ptx, TMA_DTYPE_##id, imm, stored, evidence},
#define SWIZZLE_ROW(id, name, cuda, ptx, imm, stored, evidence, ...)                               \
    {name, cuda, ptx, TMA_SWIZZLE_##id, imm, stored, evidence},

static const tma_enum_row apis[] = {
#define TMA_API_ROWS(id, name, cuda, ptx, imm, stored, evidence)                                   \
    {name, cuda, ptx, TMA_API_##id, imm, stored, evidence},
#include "tma/enums.def"
};
static const tma_enum_row dtypes[] = {
#define TMA_DTYPE_ROWS DTYPE_ROW
#include "tma/enums.def"
};
static const tma_enum_row interleaves[] = {
#define TMA_INTERLEAVE_ROWS BASE_ROW
#include "tma/enums.def"
};
static const tma_enum_row swizzles[] = {
#define TMA_SWIZZLE_ROWS SWIZZLE_ROW
#include "tma/enums.def"
};
static const tma_enum_row atomicities[] = {
#define TMA_ATOMICITY_ROWS BASE_ROW
#include "tma/enums.def"
};
static const tma_enum_row l2s[] = {
#define TMA_L2_ROWS BASE_ROW
#include "tma/enums.def"
};
static const tma_enum_row fills[] = {
#define TMA_FILL_ROWS BASE_ROW
#include "tma/enums.def"
};
static const tma_enum_row wide_modes[] = {
#define TMA_WIDE_MODE_ROWS BASE_ROW
#include "tma/enums.def"
};

static const tma_enum_row classes[] = {
#define TMA_CLASS_ROWS BASE_ROW
#include "tma/enums.def"
};

/* From 9.0 on PTX's minor version is CUDA's: 9.4 came with 13.4, 9.5 with 13.5. */
uint32_t tma_target_toolchain(const tma_target *target) {
    const uint32_t seen = TMA_VALUE(SEEN_TOOLCHAIN);
    if (!target || target->toolchain) {
        return target ? target->toolchain : seen;
    }
    const uint32_t of_ptx = target->ptx > 90 ? 13000 + (target->ptx - 90) * 10 : 0;
    return of_ptx > seen ? of_ptx : seen;
}

#define TABLE(rows)                                                                                \
    { rows, sizeof(rows) / sizeof((rows)[0]) }

/* In the order of tma_enum_kind. */
static const struct {
    const tma_enum_row *rows;
    size_t count;
} tables[TMA_ENUM_KINDS] = {TABLE(apis),     TABLE(dtypes),      TABLE(interleaves),
                            TABLE(swizzles), TABLE(atomicities), TABLE(l2s),
                            TABLE(fills),    TABLE(wide_modes),  TABLE(classes)};

const tma_arch_row tma_archs[] = {
#define TMA_ARCH(sm, suffix, name, features, shared, evidence)                                     \
    {sm, suffix, features, name, evidence, TMA_VALUE(shared)},
#include "tma/spec_archs.def"
};

size_t tma_enum_count(tma_enum_kind kind) {
    return (unsigned)kind < TMA_ENUM_KINDS ? tables[kind].count : 0;
}

const tma_enum_row *tma_enum_at(tma_enum_kind kind, size_t index) {
    return index < tma_enum_count(kind) ? &tables[kind].rows[index] : NULL;
}

const tma_enum_row *tma_enum_row_of(tma_enum_kind kind, uint32_t driver) {
    const tma_enum_row *row = NULL;
    for (size_t i = 0; (row = tma_enum_at(kind, i)) != NULL; i++) {
        if (row->driver >= 0 && (uint32_t)row->driver == driver) {
            return row;
        }
    }
    return NULL;
}

static int same_word(const char *a, const char *b) {
    if (!*a) {
        return 0;
    }
    while (*a && text_lower(*a) == text_lower(*b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

static const tma_enum_row *find_dtype_word(const char *text) {
    static const struct {
        const char *word;
        uint32_t dtype;
    } words[] = {
#define TMA_DTYPE_WORDS(word, id) {word, TMA_DTYPE_##id},
#include "tma/enums.def"
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (same_word(words[i].word, text)) {
            return tma_enum_row_of(TMA_ENUM_DTYPE, words[i].dtype);
        }
    }
    return NULL;
}

const tma_enum_row *tma_enum_find(tma_enum_kind kind, const char *text) {
    const tma_enum_row *row = NULL;
    for (size_t i = 0; text && (row = tma_enum_at(kind, i)) != NULL; i++) {
        if (same_word(row->name, text) || same_word(row->cuda_name, text) ||
            same_word(row->ptx_name, text)) {
            return row;
        }
    }
    return text && kind == TMA_ENUM_DTYPE ? find_dtype_word(text) : NULL;
}

size_t tma_arch_count(void) {
    return sizeof(tma_archs) / sizeof(tma_archs[0]);
}

const tma_arch_row *tma_arch_at(size_t index) {
    return index < sizeof(tma_archs) / sizeof(tma_archs[0]) ? &tma_archs[index] : NULL;
}

/* The rows of spec_archs.def as they are counted, by their lines there. */
#define ROW_OF_(line) arch_row_##line
#define ROW_OF(line)  ROW_OF_(line)
enum {
#define TMA_ARCH(...) ROW_OF(__LINE__),
#include "tma/spec_archs.def"
};

/* Where the rows of an sm begin, by sm - 90: only a guess, which saves the search. The rows with a
 * suffix are out of the way, behind. */
#define SMS 64
static const uint8_t first_archs[] = {
#define TMA_ARCH(sm, suffix, ...) [(suffix) ? SMS + ROW_OF(__LINE__) : (sm)-90] = ROW_OF(__LINE__),
#include "tma/spec_archs.def"
};

static int is_arch(const tma_arch_row *row, const tma_target *target) {
    return row->sm == target->sm && row->suffix == target->suffix;
}

const tma_arch_row *tma_arch_of(const tma_target *target) {
    if (!target) {
        return &tma_archs[0];
    }
    const uint32_t from_90 = target->sm - 90u;
    const size_t first = from_90 < SMS ? first_archs[from_90] : 0;
    const tma_arch_row *guess =
        &tma_archs[first + (target->suffix == 'a' ? 2 : target->suffix == 'f')];
    if (is_arch(guess, target)) {
        return guess;
    }
    for (size_t i = 0; i < sizeof(tma_archs) / sizeof(tma_archs[0]); i++) {
        if (is_arch(&tma_archs[i], target)) {
            return &tma_archs[i];
        }
    }
    return NULL;
}

const tma_arch_row *tma_arch_find(const char *text) {
    for (size_t i = 0; text && i < sizeof(tma_archs) / sizeof(tma_archs[0]); i++) {
        if (same_word(tma_archs[i].name, text) || same_word(tma_archs[i].name + 3, text)) {
            return &tma_archs[i];
        }
    }
    return NULL;
}
