/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel left whose wait lasted too long (tma/judge_record.h), in the words of tma hang.
 */
#ifndef CLI_HANG_RECORD_H
#define CLI_HANG_RECORD_H

#include "tma/judge_record.h"

/* On standard error. */
void hang_record_print(const tma_judge_record_slot *slot);

#endif
