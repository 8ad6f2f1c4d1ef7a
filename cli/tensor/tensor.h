/* SPDX-License-Identifier: Apache-2.0
 *
 * A tensor in host memory, laid out as its map says: from an .npy file, a ramp or zeros, and back
 * into an .npy file. Arrays have the map's sizes outermost first, as numpy counts; interleaved ones
 * a slice's channels behind them, packed types (4 and 6 bits) bytes for their innermost dimension.
 */
#ifndef CLI_TENSOR_H
#define CLI_TENSOR_H

#include "file_bytes.h"
#include "npy.h"
#include "tma/copy.h"

/* Memory that stands for all of a tensor, or for what one copy touches of it. */
typedef struct tensor {
    tma_range *ranges; /* by address, apart from each other */
    size_t count;
    file_bytes bytes; /* of all ranges, one after another */
} tensor;

void tensor_free(tensor *tensor);

/* The bytes at an address, null if there are none. */
uint8_t *tensor_at(const tensor *tensor, uint64_t address, uint64_t size_B);

/* The descr that a data type has in files: "<u2" for bfloat16, "|u1" for packed types. */
const char *tensor_type(uint32_t dtype);

/* Bytes of an element in an array: 1 for packed types. */
uint32_t tensor_item_B(uint32_t dtype);

/* Whether such an array may stand for the type; the message says what may: "'<u2' or '<V2'". */
int tensor_type_check(uint32_t dtype, const char *type, const char *name, tma_error *error);

/* The array of the whole tensor. */
npy_header tensor_array(const tma_spec *spec);

/* Room for the whole tensor, zeroed, up to the 16-byte unit that its last row ends in. More than
 * NPY_MOST_B is an error. */
int tensor_room(tensor *out, const tma_spec *spec, tma_error *error);

/* The same, filled from a file. */
int tensor_read(tensor *out, const tma_spec *spec, const char *path, tma_error *error);

/* More than this writes or holds of a tensor is an error. */
int tensor_size_check(const tma_spec *spec, tma_error *error);

/* Bytes of the innermost dimension, which always lie together. */
uint64_t tensor_row_B(const tma_spec *spec);

/* Calls for each row of the array, in order: its number and its memory in a whole tensor. */
void tensor_each_row(const tensor *whole, const tma_spec *spec,
                     void (*call)(void *context, uint64_t row, uint8_t *at), void *context);

/* Room for the rows that one copy reads or writes, zeroed: tensor_part.c. */
void tensor_part(tensor *out, const tma_plan *plan, const tma_position *at);

/* The bytes that one copy touches and no others, by address, in memory that `held` holds. */
tensor tensor_touched(const tensor *held, const tma_plan *plan, const tma_position *at);

/* The address behind its last element. */
uint64_t tensor_end(const tma_spec *spec);

/* Whether two indices share bytes: rows longer than their stride, strides of 0. */
int tensor_overlaps(const tma_spec *spec);

#endif
