/* SPDX-License-Identifier: Apache-2.0
 *
 * What nvJitLink was given so far, for each link that a program makes. No call waits for another
 * thread's: a fork in the middle of one leaves the child nothing to wait for.
 */
#ifndef SHIM_LINKED_INPUTS_H
#define SHIM_LINKED_INPUTS_H

#include <stddef.h>

struct nvJitLink;

/* One more input; `text`: of PTX, which is copied, null for any other. */
void linked_input_add(struct nvJitLink *handle, const char *text, size_t text_B);

/* The PTX of a link's only input, valid until the link is forgotten; null where there were more,
 * where it is no PTX, or where it is not known. */
const char *linked_input_only(struct nvJitLink *handle, size_t *text_B);

/* Before the handle can be another link's. */
void linked_inputs_forget(struct nvJitLink *handle);

#endif
