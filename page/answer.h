/* SPDX-License-Identifier: Apache-2.0
 *
 * What the page says about a request, as JSON.
 */
#ifndef PAGE_ANSWER_H
#define PAGE_ANSWER_H

#include "request.h"
#include "tma/json.h"

/* `ptx`, of `size` bytes, or null: a text that is a PTX file. */
void page_answer(tma_out *out, ask_text *request, const char *ptx, size_t size);
/* A PTX file, which is read where it stands. */
int page_is_ptx(const char *text, size_t size);
/* 0: it is too large. */
int page_answer_ptx(tma_json *json, const char *text, size_t size);
void page_answer_copy(tma_json *json, ask_text *request);
void page_answer_map(tma_json *json, const ask_text *request);

/* The drawing with the request's map and copy in it. */
tma_drawing page_drawing(const ask_text *request, uint32_t picture);

#endif
