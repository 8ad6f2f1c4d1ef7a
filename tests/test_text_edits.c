/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits in words: read, refused for a target, done to a map, and what they lose there.
 */
#include "support/testing.h"

#include "support/said.h"
#include "tma/grammar.h"
#include "tma/map.h"

static const tma_target targets[] = {{.sm = 90, .driver = 13000},
                                     {.sm = 90, .suffix = 'a', .driver = 13000},
                                     {.sm = 100, .suffix = 'a', .driver = 13000},
                                     {.sm = 103, .suffix = 'a', .driver = 13000},
                                     {.sm = 99, .driver = 13000}};

/* "global_dim 0 64": a field, its ordinal or -, its value or -; "!" before the field: --pre-12.5.
 */
static int read_words(tma_edit_words *edit, char *text, tma_error *error) {
    const char *const field = strtok(text, " ");
    const char *const ordinal = strtok(NULL, " ");
    const char *const value = strtok(NULL, "");
    *edit = (tma_edit_words){.is_address = !strcmp(field, "address"),
                             .is_class = !strcmp(field, "class"),
                             .ordinal = *ordinal == '-' ? NULL : ordinal,
                             .value = *value == '-' ? NULL : value,
                             .flags = *field == '!' ? TMA_REPLACE_STRIDE_PRE_12_5 : 0};
    if (!edit->is_address && !edit->is_class &&
        tma_read_edit_field(&edit->field, field + (*field == '!'), "--field", error)) {
        return -1;
    }
    return tma_read_edit(edit, error);
}

static int read_edit(tma_out *out, const char *text, tma_error *error) {
    char copy[128];
    tma_edit_words edit;
    strcpy(copy, text);
    if (read_words(&edit, copy, error)) {
        assert_true(!edit.is_class || edit.number == 0);
        return -1;
    }
    tma_putf(out, "%u[%u] %" TMA_U64, (unsigned)edit.field, (unsigned)edit.ordinal_number,
             edit.number);
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        const char *const refused = tma_edit_refused(&edit, &targets[i]);
        tma_putf(out, refused ? ", %s" : ", taken", refused);
    }
    return 0;
}

static void edits(void **state) {
    static const struct asked cases[] = {
        {"address - 0x10", "= 0[0] 16, taken, taken, taken, taken, taken"},
        {"address - x",
         "--address: 'x' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"class - large", "= 0[0] 2, taken, taken, taken, taken, taken"},
        {"class - auto", "= 0[0] 0, taken, taken, taken, taken, taken"},
        {"class - 7", "= 0[0] 7, taken, taken, taken, taken, taken"},
        {"class - huge",
         "unknown --allocation-class 'huge': one of auto, small, large, or the driver's number"},
        {"global_address - 2^40",
         "= 0[0] 1099511627776, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., "
         "taken, taken, taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"global_address 0 1", "--field global_address takes no --ord"},
        {"global_adress - 1", "unknown --field 'global_adress': global_address?"},
        {"rank - 4",
         "= 1[0] 4, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"rank - 2^32", "--value 2^32: the operand of rank has 32 bits"},
        {"rank - 4294967295",
         "= 1[0] 4294967295, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., "
         "taken, taken, taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"rank - -", "--field rank needs --value: rank - 1, .b32: the compiler subtracts nothing"},
        {"rank - x",
         "--value: 'x' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"rank 1 1", "--field rank takes no --ord"},
        {"box_dim 0 64",
         "= 2[0] 64, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"box_dim 4 64",
         "= 2[4] 64, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"box_dim 5 64", "--ord 5: --field box_dim takes 0 to 4"},
        {"box_dim - 64", "--field box_dim needs --ord, 0 to 4"},
        {"box_dim x 64",
         "--ord: 'x' is not a number: decimal, hexadecimal (0x10) or a power of two (2^32)"},
        {"box_dim 2^32 64", "--ord 4294967296: --field box_dim takes 0 to 4"},
        {"box_dim 1 -", "--field box_dim needs --value: elements, .b32: stored less one in 8 bits, "
                        "so 0 and 256 are the same"},
        {"global_dim 1 0",
         "= 3[1] 0, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"global_dim 1 4294967296",
         "--value 4294967296: the operand of global_dim has 32 bits; 0 means 2^32"},
        {"global_stride 3 18446744073709551615",
         "= 4[3] 18446744073709551615, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f "
         "..., taken, taken, taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f "
         "..."},
        {"global_stride 4 16",
         "= 4[4] 16, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"!global_stride 0 16",
         "= 4[0] 16, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"!global_dim 0 16", "--pre-12.5 belongs to --field global_stride, not global_dim"},
        {"element_stride 4 8",
         "= 5[4] 8, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"elemtype - bfloat16",
         "= 6[0] 10, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"elemtype - 15",
         "= 6[0] 15, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., swizzle "
         "atomicities and the 4- and 6-bit types need sm_100a or newer, taken, taken, "
         "tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"elemtype - 16", "--value 16: elemtype takes 0 to 15"},
        {"elemtype - 16u4_align8b",
         "= 6[0] 13, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., swizzle "
         "atomicities and the 4- and 6-bit types need sm_100a or newer, taken, taken, "
         "tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"elemtype - 13",
         "= 6[0] 13, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., swizzle "
         "atomicities and the 4- and 6-bit types need sm_100a or newer, taken, taken, "
         "tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"elemtype - 12",
         "= 6[0] 12, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"elemtype - 0x1",
         "= 6[0] 1, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"elemtype - 1x", "--value '1x': elemtype takes 0 to 15, or one of uint8, uint16, uint32, "
                          "int32, uint64, int64, float16, float32, float64, bfloat16, float32_ftz, "
                          "tfloat32, tfloat32_ftz, 16u4_align8b, 16u4_align16b, 16u6_align16b"},
        {"elemtype - bf17",
         "--value 'bf17': elemtype takes 0 to 15, or one of uint8, uint16, uint32, int32, uint64, "
         "int64, float16, float32, float64, bfloat16, float32_ftz, tfloat32, tfloat32_ftz, "
         "16u4_align8b, 16u4_align16b, 16u6_align16b"},
        {"interleave_layout - 16B",
         "= 7[0] 1, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"interleave_layout - 3", "--value 3: interleave_layout takes 0 to 2"},
        {"swizzle_mode - 128B",
         "= 8[0] 3, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"swizzle_mode - 96B",
         "= 8[0] 4, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., the 96-byte "
         "swizzle needs sm_103a or sm_107a, the 96-byte swizzle needs sm_103a or sm_107a, taken, "
         "tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"swizzle_mode - 4",
         "= 8[0] 4, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., the 96-byte "
         "swizzle needs sm_103a or sm_107a, the 96-byte swizzle needs sm_103a or sm_107a, taken, "
         "tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"swizzle_mode - 5", "--value 5: swizzle_mode takes 0 to 4"},
        {"swizzle_mode - 128B_ATOM_32B", "--value 128B_ATOM_32B: to tensormap.replace that is "
                                         "swizzle_mode 128B and a swizzle_atomicity, two edits"},
        {"swizzle_mode - 128B_ATOM_64B", "--value 128B_ATOM_64B: to tensormap.replace that is "
                                         "swizzle_mode 128B and a swizzle_atomicity, two edits"},
        {"fill_mode - nan",
         "= 9[0] 1, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., taken, taken, "
         "taken, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"fill_mode - 2", "--value 2: fill_mode takes 0 to 1"},
        {"swizzle_atomicity - 32B",
         "= 10[0] 1, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., swizzle "
         "atomicities and the 4- and 6-bit types need sm_100a or newer, taken, taken, "
         "tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"swizzle_atomicity - 3",
         "= 10[0] 3, tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..., swizzle "
         "atomicities and the 4- and 6-bit types need sm_100a or newer, taken, taken, "
         "tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ..."},
        {"swizzle_atomicity - 4", "--value 4: swizzle_atomicity takes 0 to 3"},
        {"swizzle_atomicity - 99999999999999999999",
         "--value: '99999999999999999999' overflows the 64 bits of the argument"},
    };
    (void)state;
    expect_said(read_edit, cases, COUNT_OF(cases));
}

/* "3t box_dim 0 64": the rank of a map, tiled or "i" im2col, and an edit; what that loses. */
static int read_loss(tma_out *out, const char *text, tma_error *error) {
    const int is_im2col = text[1] == 'i';
    tma_spec spec = {.api = is_im2col ? TMA_API_IM2COL : TMA_API_TILED,
                     .dtype = TMA_DTYPE_UINT8,
                     .rank = (uint32_t)(text[0] - '0'),
                     .address = 4096,
                     .channels_per_pixel = 32,
                     .pixels_per_column = 4};
    tma_map map;
    tma_edit_words words;
    char copy[128];
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        spec.dim_el[i] = 64;
        spec.box_el[i] = 16;
        spec.element_stride[i] = 1;
        spec.stride_B[i < TMA_MAX_STRIDES ? i : 0] = 64;
    }
    assert_int_equal(tma_encode_forced(map.bytes, &spec, NULL, NULL), TMA_OK);
    strcpy(copy, text + 3);
    if (read_words(&words, copy, error)) {
        return -1;
    }
    const tma_edit edit = {.field = words.field,
                           .ordinal = words.ordinal_number,
                           .value = words.number,
                           .flags = words.flags};
    if (!words.is_address && !words.is_class && tma_replace(map.bytes, &edit, NULL) != TMA_OK) {
        return tma_fail(error, "not done");
    }
    tma_put(out, tma_put_edit_loss(out, &words, map.bytes) ? "" : "nothing");
    return 0;
}

static void losses(void **state) {
    static const struct asked cases[] = {
        {"3t address - 17", "= nothing"},
        {"3t class - large", "= nothing"},
        {"3t global_address - 17", "= nothing"},
        {"3t rank - 2", "= nothing"},
        {"3t rank - 7", "= nothing"},
        {"3t rank - 8", "= rank = 8 is stored as 0: the rank less one has 3 bits"},
        {"3t box_dim 0 256", "= nothing"},
        {"3t box_dim 0 257",
         "= box_dim[0] = 257 el is stored as 1 el: the size less one has 8 bits"},
        {"3t box_dim 2 0", "= box_dim[2] = 0 el is stored as 256 el: the size less one has 8 bits"},
        {"3t box_dim 3 0", "= nothing"},
        {"1t box_dim 0 0", "= box_dim[0] = 0 el is stored as 256 el: the size less one has 8 bits"},
        {"1t box_dim 1 0", "= nothing"},
        {"5t box_dim 4 0", "= box_dim[4] = 0 el is stored as 256 el: the size less one has 8 bits"},
        {"3i box_dim 0 256", "= nothing"},
        {"3i box_dim 0 257",
         "= box_dim[0] = 257 el is stored as 1 el: the size less one has 8 bits"},
        {"3i box_dim 1 257", "= nothing"},
        {"3t global_dim 0 0", "= nothing"},
        {"3t global_dim 2 4294967295", "= nothing"},
        {"3t global_dim 3 5", "= nothing"},
        {"3t global_dim 2 5", "= nothing"},
        {"3t global_stride 0 1008", "= nothing"},
        {"3t global_stride 0 1022", "= global_stride[0] = 1022 B is stored as 1008 B: the stride "
                                    "is stored in units of 16 B, in 36 bits"},
        {"3t global_stride 1 1022", "= global_stride[1] = 1022 B is stored as 1008 B: the stride "
                                    "is stored in units of 16 B, in 36 bits"},
        {"3t global_stride 2 1022", "= nothing"},
        {"1t global_stride 0 1022", "= nothing"},
        {"2t global_stride 0 1022", "= global_stride[0] = 1022 B is stored as 1008 B: the stride "
                                    "is stored in units of 16 B, in 36 bits"},
        {"2t global_stride 1 1022", "= nothing"},
        {"5t global_stride 3 1022", "= global_stride[3] = 1022 B is stored as 1008 B: the stride "
                                    "is stored in units of 16 B, in 36 bits"},
        {"5t global_stride 4 1022", "= nothing"},
        {"3t global_stride 0 1099511627776",
         "= global_stride[0] = 1099511627776 B is stored as 0 B: the stride is stored in units of "
         "16 B, in 36 bits"},
        {"3t !global_stride 0 63", "= nothing"},
        {"3t !global_stride 0 68719476735", "= nothing"},
        {"3t !global_stride 0 68719476736", "= global_stride[0] = 1099511627776 B is stored as 0 "
                                            "B: the stride is stored in units of 16 B, in 36 bits"},
        {"3t element_stride 0 8", "= nothing"},
        {"3t element_stride 0 9",
         "= element_stride[0] = 9 is stored as 1: the stride less one has 3 bits"},
        {"3t element_stride 2 9",
         "= element_stride[2] = 9 is stored as 1: the stride less one has 3 bits"},
        {"3t element_stride 3 9", "= nothing"},
        {"3i element_stride 2 9",
         "= element_stride[2] = 9 is stored as 1: the stride less one has 3 bits"},
        {"3t elemtype - 1", "= nothing"},
        {"3t fill_mode - 1", "= nothing"},
        {"3t swizzle_mode - 3", "= nothing"},
    };
    (void)state;
    expect_said(read_loss, cases, COUNT_OF(cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits),
        cmocka_unit_test(losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
