/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of the page's field, and what it becomes when something in it is changed.
 */
#ifndef PAGE_REQUEST_H
#define PAGE_REQUEST_H

#include "ask_text.h"

#define PAGE_TEXT (12 << 20) /* a log of 10 MB, and room */

/* The command line for the request, without options of the page alone. */
void page_put_command(tma_out *out, const ask_text *request, const char *verb);

/* The text with one option set (null value: taken away), or with another picture. A text that is no
 * command becomes one. */
void page_put_edited(tma_out *out, const ask_text *request, const char *text, size_t length,
                     const char *option, const char *value);

#endif
