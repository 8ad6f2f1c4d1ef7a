/* SPDX-License-Identifier: Apache-2.0
 *
 * The documents' enumerators and element types, as tma explain tells them.
 */
#ifndef CLI_ENUM_VIEW_H
#define CLI_ENUM_VIEW_H

/* Prints what an enumerator of cuda.h is, or an element type of PTX (.f16, in PTX with its dot);
 * returns whether it is known. */
int enum_explain(const char *word, int json);

#endif
