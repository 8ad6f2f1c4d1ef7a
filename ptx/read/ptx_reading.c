/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that was read.
 */
#include "ptx_reading.h"

int ptx_reading_make(ptx_reading *reading, ptx_memory *memory, const char *text, size_t size) {
    reading->text = text;
    reading->size = size;
    return ptx_rows_read(&reading->rows, memory, text, size) ||
                   ptx_codes_read(&reading->codes, memory, &reading->rows) ||
                   ptx_functions_read(&reading->functions, memory, &reading->rows)
               ? -1
               : 0;
}
