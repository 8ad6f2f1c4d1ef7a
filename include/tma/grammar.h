/* SPDX-License-Identifier: Apache-2.0
 *
 * The words for specs, targets and instructions: the options of the command `tma`, which other
 * front ends take as well. text.h says how text goes out and errors come back.
 */
#ifndef TMA_GRAMMAR_H
#define TMA_GRAMMAR_H

#include "instruction.h"
#include "plan.h"
#include "spec.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A name of this library, of cuda.h or of PTX, or a driver's number, right or wrong. `what` names
 * the argument in messages. */
TMA_EXPORT TMA_MUST_USE int tma_read_enum(uint32_t *out, tma_enum_kind kind, const char *text,
                                          const char *what, tma_error *error);

/* The name of a driver's number, or the number itself. */
TMA_EXPORT void tma_put_enum(tma_out *out, tma_enum_kind kind, uint32_t number);

/* "sm_100a" or "100a"; the driver of *out stays. Of a target before sm_90 the message says that it
 * has no TMA. Source: API Tensor Map Object Management, compute capability 9.0. */
TMA_EXPORT TMA_MUST_USE int tma_read_arch(tma_target *out, const char *text, const char *what,
                                          tma_error *error);

/* "13.0", or 13000 as cuDriverGetVersion counts. */
TMA_EXPORT TMA_MUST_USE int tma_read_driver(uint32_t *out, const char *text, const char *what,
                                            tma_error *error);

/* A CUDA release, as 13000 counts: "13.5", or ptxas' own "13.5.37". */
TMA_EXPORT TMA_MUST_USE int tma_read_toolchain(uint32_t *out, const char *text, const char *what,
                                               tma_error *error);

/* What a kernel's .version says: "8.6" is 86. */
TMA_EXPORT TMA_MUST_USE int tma_read_ptx_version(uint32_t *out, const char *text, const char *what,
                                                 tma_error *error);

/* Reads "w128-halo=behind", a reading of a disputed question (tma_reading_at()), into *out. The
 * second writes the readings that a target chose: " --reading w128-halo=behind". */
TMA_EXPORT TMA_MUST_USE int tma_read_reading(tma_target *out, const char *text, const char *what,
                                             tma_error *error);
TMA_EXPORT void tma_put_readings(tma_out *out, const tma_target *target);

/* Writes the readings that decide the result of a copy: "w128-halo=chunks, w-images=one". Returns
 * whether anything was written. */
TMA_EXPORT bool tma_put_plan_readings(tma_out *out, const tma_plan *plan, const tma_position *at);

/* An architecture ("sm_100a", or "an unknown architecture"), a driver ("13.0") and a PTX version
 * ("8.6") in words. */
TMA_EXPORT const char *tma_arch_text(const tma_target *target);
TMA_EXPORT void tma_put_driver(tma_out *out, uint32_t driver);
TMA_EXPORT void tma_put_ptx_version(tma_out *out, uint32_t version);

/* A target, and which of its options were given. */
typedef struct tma_target_words {
    tma_target target;
    int has_arch;
    int has_driver;
    int has_ptx;
    int has_readings;
    int has_toolchain;
} tma_target_words;

/* The options of a target by number. */
typedef enum tma_target_option {
#define TMA_TARGET_OPTION(id, ...) TMA_TARGET_##id,
#include "target_options.def"
    TMA_TARGET_OPTIONS
} tma_target_option;

/* "arch", "driver", "ptx-version", "ptxas", "reading" (the one that may be given again and again);
 * null from TMA_TARGET_OPTIONS on. */
TMA_EXPORT const char *tma_target_option_name(size_t option);

/* Begins with no option given: sm_90 with driver 13.0. */
TMA_EXPORT void tma_target_words_begin(tma_target_words *words);

/* " --arch A --driver D --ptx-version V --ptxas C", those that were given. */
TMA_EXPORT void tma_put_target_words(tma_out *out, const tma_target_words *words);

/* The options of a spec by number: one for each row of spec_options.def. */
typedef enum tma_spec_option {
#define TMA_OPTION(id, ...) TMA_OPTION_##id,
#include "spec_options.def"
    TMA_SPEC_OPTIONS
} tma_spec_option;

/* "dim"; null from TMA_SPEC_OPTIONS on. */
TMA_EXPORT const char *tma_spec_option_name(size_t option);

/* How many entries of the option's array the call looks at, at most what a spec holds: 1 for what
 * is no array, 0 for what the call of spec->api has no argument for. */
TMA_EXPORT uint32_t tma_spec_entries(const tma_spec *spec, tma_spec_option option);

/* Whether the call of spec->api has the argument; and whether the argument's value has a name:
 * false for a number that its enumeration does not have. */
TMA_EXPORT bool tma_spec_has(const tma_spec *spec, tma_spec_option option);
TMA_EXPORT bool tma_spec_is_known(const tma_spec *spec, tma_spec_option option);

/* What was given so far. */
typedef struct tma_spec_words {
    tma_target_words target;
    tma_spec spec;
    uint32_t given; /* a bit for each tma_spec_option; above them again one for what "conv" set */
    uint32_t count[TMA_SPEC_OPTIONS]; /* entries of the lists */
    char dtype_word[24];              /* --dtype as it was written, if it is no longer */
} tma_spec_words;

#define TMA_LIST_ENTRIES 16 /* of a list: only five mean something, more can be asked about */

/* Begins with no option given. */
TMA_EXPORT void tma_spec_words_begin(tma_spec_words *words);

/* An option by name alone that sets three: "pad=1,dil=1,filter=3x3,stride=2" of a convolution, W
 * first, to the corners, lower = -pad and upper = pad - dil (filter - 1) px, and, where stride is
 * given, the element strides of an im2col map. pad is 0 and dil 1 where they are left out. */
#define TMA_CONV_OPTION "conv"

/* One option and its value: by number, or by its name without dashes ("dim"; also a
 * target's, and TMA_CONV_OPTION). Given twice is an error. What was given before an error stays. */
TMA_EXPORT TMA_MUST_USE int tma_spec_words_set(tma_spec_words *words, tma_spec_option option,
                                               const char *value, tma_error *error);
TMA_EXPORT TMA_MUST_USE int tma_spec_words_set_named(tma_spec_words *words, const char *name,
                                                     const char *value, tma_error *error);
TMA_EXPORT TMA_MUST_USE int tma_target_words_set(tma_target_words *words, const char *name,
                                                 const char *value, tma_error *error);

/* Checks that the options belong together and fills in what was left out: the rank, an address,
 * element strides of 1, packed strides. Then words->spec is whole. */
TMA_EXPORT TMA_MUST_USE int tma_spec_words_finish(tma_spec_words *words, tma_error *error);

/* A text cut into words as a shell cuts them. */
#define TMA_WORD_ROOM 1024
typedef struct tma_text_word {
    size_t begin, end;        /* where it stands in the text */
    char text[TMA_WORD_ROOM]; /* quotes taken off */
} tma_text_word;

/* The next word from *at on: 1; 0 behind the last, -1 for one that does not end or is too long. */
TMA_EXPORT TMA_MUST_USE int tma_next_word(tma_text_word *word, size_t *at, const char *text,
                                          size_t length);

typedef struct tma_place_words {
    const char *name;
    size_t name_length;
    uint32_t offset_B;
    const char *rest; /* what is behind the place */
} tma_place_words;

/* "NAME=REST", "NAME+128=REST": a value's place, as the option --map has it. NAME is a word of PTX
 * or a number. Returns 1; 0 where the text names no place, and is the rest as a whole; -1 for an
 * offset that is no number or past 2^31 - 1. */
TMA_EXPORT TMA_MUST_USE int tma_read_place(tma_place_words *place, const char *text,
                                           const char *option, tma_error *error);

/* Called with an option's name and value; it may write another value, of less than TMA_WORD_ROOM
 * bytes, over it. */
typedef int (*tma_option_value)(void *context, const char *name, char *value, tma_error *error);

/* The options of tma encode in one text, "--dtype float16 --dim 64,32 --box 64,8", from
 * tma_spec_words_begin() to tma_spec_words_finish(). `value` may be null. */
TMA_EXPORT TMA_MUST_USE int tma_spec_words_read(tma_spec_words *words, const char *text,
                                                tma_option_value value, void *context,
                                                tma_error *error);

/* " --api tiled --dtype bfloat16 ... --fill none": every argument of the call, in words that read
 * back as the same spec. */
TMA_EXPORT void tma_put_spec(tma_out *out, const tma_spec *spec);

/* The value of one option as those words have it, with `between` the entries of a list. */
TMA_EXPORT void tma_put_option_value(tma_out *out, const tma_spec *spec, tma_spec_option option,
                                     const char *between);

/* "load", "store", "add" ... "prefetch"; and PTX's load modes and store modes, as well as the case
 * lines' short ones ("gather4", "im2col_w"). */
TMA_EXPORT TMA_MUST_USE int tma_read_op(uint32_t *out, const char *text, const char *what,
                                        tma_error *error);
TMA_EXPORT TMA_MUST_USE int tma_read_mode(uint32_t *out, const char *text, const char *what,
                                          tma_error *error);

/* The case lines' name of a mode: "tile", "im2col_w". */
TMA_EXPORT const char *tma_mode_key(uint32_t mode);

/* How many coordinates an instruction has: the map's rank, 5 with gather4 and scatter4. How many
 * im2col offsets: none for stores and tile modes; 2 are wHalo and wOffset. */
TMA_EXPORT uint32_t tma_mode_coords(uint32_t mode, uint32_t rank);
TMA_EXPORT uint32_t tma_mode_offsets(uint32_t op, uint32_t mode, uint32_t rank);

TMA_EXPORT bool tma_mode_is_im2col(uint32_t mode);
TMA_EXPORT bool tma_mode_is_wide(uint32_t mode);  /* im2col::w and im2col::w::128 */
TMA_EXPORT bool tma_mode_is_rows4(uint32_t mode); /* gather4 and scatter4 */

/* "N,...", *count entries so far (0 to begin with) and at most what a tma_position holds. */
TMA_EXPORT TMA_MUST_USE int tma_read_coords(int32_t out[TMA_MAX_RANK], uint32_t *count,
                                            const char *text, const char *what, tma_error *error);
TMA_EXPORT TMA_MUST_USE int tma_read_offsets(uint16_t out[TMA_MAX_SPATIAL], uint32_t *count,
                                             const char *text, const char *what, tma_error *error);

/* The options of one copy: what the instruction says, and its operands. */
typedef enum tma_copy_option {
#define TMA_COPY_OPTION(id, ...) TMA_COPY_##id,
#include "copy_options.def"
    TMA_COPY_OPTIONS
} tma_copy_option;

/* "w-halo"; null from TMA_COPY_OPTIONS on. */
TMA_EXPORT const char *tma_copy_option_name(size_t option);

/* What was given so far. */
typedef struct tma_copy_words {
    tma_instruction in;
    tma_position at;
    uint32_t coords, offsets; /* how many were given */
    int has_mode;
    int has_halo, has_offset; /* --w-halo, --w-offset */
    tma_override_operands override;
    uint32_t sizes, lowers; /* of override: how many were given */
} tma_copy_words;

/* Begins with no option given: the operation in its plain form, coordinates 0, shared address
 * 0x400. */
TMA_EXPORT void tma_copy_words_begin(tma_copy_words *words, uint32_t op);

/* Takes one option and its value. The value of --cluster is not read, and may not be null. */
TMA_EXPORT TMA_MUST_USE int tma_copy_words_set(tma_copy_words *words, tma_copy_option option,
                                               const char *value, tma_error *error);

/* To be called when all options are given. The first checks that they belong together. The second
 * sets the map's own mode where none was given. The third checks that there are as many
 * coordinates and offsets as the instruction takes on that map. */
TMA_EXPORT TMA_MUST_USE int tma_copy_words_together(const tma_copy_words *words, tma_error *error);
TMA_EXPORT void tma_copy_words_default(tma_copy_words *words, const tma_spec *spec);
TMA_EXPORT TMA_MUST_USE int tma_copy_words_check(const tma_copy_words *words, const tma_spec *spec,
                                                 tma_error *error);

/* Writes the options of a copy, on a map of that rank, in words that read back as the same
 * instruction and position: " --op load --mode tile --coord=64,0 --shared 0x400". */
TMA_EXPORT void tma_put_copy_words(tma_out *out, const tma_instruction *in, uint32_t map_rank,
                                   const tma_position *at);

/* "#v1/tma+draw+copy+...": what follows the page's address so that its field holds the text,
 * UTF-8, `length` bytes of anything that it reads. The same as its own links (docs/page.md). */
TMA_EXPORT void tma_put_page_link(tma_out *out, const char *text, size_t length);

/* An instruction with its operands as PTX writes it, on a map of that rank:
 *   cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [0x400], [map,
 *   {64, 0}], [mbar] */
TMA_EXPORT void tma_put_instruction(tma_out *out, const tma_instruction *in, uint32_t map_rank,
                                    const tma_position *at);

/* The same with the operands of .override as numbers instead of names (null: names). */
TMA_EXPORT void tma_put_overriding(tma_out *out, const tma_instruction *in, uint32_t map_rank,
                                   const tma_position *at, const tma_override_operands *operands);

/* " --override-address 0x1000 --override-dim 8,4 ...": what tma_put_copy_words() leaves out. */
TMA_EXPORT void tma_put_override_words(tma_out *out, const tma_instruction *in, uint32_t map_rank,
                                       const tma_override_operands *operands);

/* Reads a report mechanism: "validity::per_16bytes::8000". */
TMA_EXPORT TMA_MUST_USE int tma_read_inspection(uint32_t *out, const char *text, const char *what,
                                                tma_error *error);

/* One edit of a map in words: --field NAME [--ord N] --value V [--pre-12.5 | --alloc C] for
 * tensormap.replace, --address A for cuTensorMapReplaceAddress, or --allocation-class C for
 * cuTensorMapSetAllocationClass. */
typedef struct tma_edit_words {
    int is_address;
    int is_class;        /* then `number` is the class: auto, small, large */
    uint32_t field;      /* tma_replace_field */
    const char *ordinal; /* as written; null if not given */
    const char *value;
    const char *alloc; /* small, large or same: of --field global_address */
    uint32_t flags;
    uint32_t toolchain;      /* of the target */
    uint32_t ordinal_number; /* these two by tma_read_edit() */
    uint64_t number;
} tma_edit_words;

/* Reads the name of a field of tensormap.replace: "global_dim". */
TMA_EXPORT TMA_MUST_USE int tma_read_edit_field(uint32_t *out, const char *text, const char *what,
                                                tma_error *error);

/* Reads ordinal and value: numbers, or PTX's words where the operand is an immediate. */
TMA_EXPORT TMA_MUST_USE int tma_read_edit(tma_edit_words *edit, tma_error *error);

/* Why ptxas refuses an edit for this target, or null if it does not. */
TMA_EXPORT const char *tma_edit_refused(const tma_edit_words *edit, const tma_target *target);

/* What an edit's value lost on its way into the map, in one sentence: "global_stride[0] = 1022 B is
 * stored as 1008 B: ...". Returns whether it lost anything; then something was put. `after` is the
 * map as the edit left it. */
TMA_EXPORT TMA_MUST_USE bool tma_put_edit_loss(tma_out *out, const tma_edit_words *edit,
                                               const uint8_t *after);

#ifdef __cplusplus
}
#endif

#endif
