/* SPDX-License-Identifier: Apache-2.0
 *
 * What the page says about a request, as JSON.
 */
#ifndef PAGE_ANSWER_H
#define PAGE_ANSWER_H

#include "request.h"
#include "tma/json.h"

void page_answer(tma_out *out, ask_text *request);
void page_answer_copy(tma_json *json, ask_text *request);
void page_answer_map(tma_json *json, const ask_text *request);

/* The drawing with the request's map and copy in it. */
tma_drawing page_drawing(const ask_text *request, uint32_t picture);

#endif
