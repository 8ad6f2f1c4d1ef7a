/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of PTX ISA 5.5.7.
 */
#include "swizzle_tables.h"

#define LINE_B  128
#define PIECE_B 16
#define PIECES  8

/* clang-format off */
const struct swizzle_table swizzle_tables[] = {
    {TMA_SWIZZLE_NONE, "no swizzle", 1, 128, 128, 0, {
        {0, 1, 2, 3, 4, 5, 6, 7}}},
    {TMA_SWIZZLE_32B, "32 byte swizzle", 2, 256, 128, 0, {
        {0, 1, 2, 3, 4, 5, 6, 7},
        {1, 0, 3, 2, 5, 4, 7, 6}}},
    {TMA_SWIZZLE_64B, "64 byte swizzle", 4, 512, 128, 0, {
        {0, 1, 2, 3, 4, 5, 6, 7},
        {1, 0, 3, 2, 5, 4, 7, 6},
        {2, 3, 0, 1, 6, 7, 4, 5},
        {3, 2, 1, 0, 7, 6, 5, 4}}},
    {TMA_SWIZZLE_96B, "96 byte swizzle", 2, 256, 128, 0, {
        {0, 1, 2, 3, 4, 5, 6, 7},
        {1, 0, 3, 2, 5, 4, 7, 6}}},
    {TMA_SWIZZLE_128B, "128 byte swizzle, 16-byte atomicity", 8, 1024, 128, 0, {
        {0, 1, 2, 3, 4, 5, 6, 7},
        {1, 0, 3, 2, 5, 4, 7, 6},
        {2, 3, 0, 1, 6, 7, 4, 5},
        {3, 2, 1, 0, 7, 6, 5, 4},
        {4, 5, 6, 7, 0, 1, 2, 3},
        {5, 4, 7, 6, 1, 0, 3, 2},
        {6, 7, 4, 5, 2, 3, 0, 1},
        {7, 6, 5, 4, 3, 2, 1, 0}}},
    {TMA_SWIZZLE_128B_ATOM_32B, "128 byte swizzle, 32-byte atomicity", 4, 512, 32, 0, {
        {0, 1, 2, 3, 4, 5, 6, 7},
        {2, 3, 0, 1, 6, 7, 4, 5},
        {4, 5, 6, 7, 0, 1, 2, 3},
        {6, 7, 4, 5, 2, 3, 0, 1}}},
    {TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, "32-byte atomicity with 8-byte flip", 4, 512, 32, 1, {
        {0, 1, 2, 3, 4, 5, 6, 7},
        {2, 3, 0, 1, 6, 7, 4, 5},
        {4, 5, 6, 7, 0, 1, 2, 3},
        {6, 7, 4, 5, 2, 3, 0, 1}}},
    {TMA_SWIZZLE_128B_ATOM_64B, "128 byte swizzle, 64-byte atomicity", 2, 256, 64, 0, {
        {0, 1, 2, 3, 4, 5, 6, 7},
        {4, 5, 6, 7, 0, 1, 2, 3}}},
};
/* clang-format on */
const size_t swizzle_table_count = sizeof(swizzle_tables) / sizeof(swizzle_tables[0]);

const struct swizzle_table *swizzle_table_of(uint32_t swizzle) {
    for (size_t i = 0; i < swizzle_table_count; i++) {
        if (swizzle_tables[i].swizzle == swizzle) {
            return &swizzle_tables[i];
        }
    }
    return NULL;
}

uint32_t swizzle_table_place(const struct swizzle_table *table, uint32_t address) {
    const uint32_t line = address / LINE_B % table->lines;
    const uint32_t piece = address % LINE_B / PIECE_B;
    uint32_t place = 0;
    while (table->piece[line][place] != piece) {
        place++;
    }
    uint32_t within = address % PIECE_B;
    if (table->flip && line % 2) {
        within = (within + PIECE_B / 2) % PIECE_B;
    }
    return address / LINE_B * LINE_B + place * PIECE_B + within;
}
