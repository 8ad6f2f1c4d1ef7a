/* SPDX-License-Identifier: Apache-2.0 */
#include "hang_seconds.h"

#include <string.h>

#include "cli_error.h"
#include "tma/judge_record.h"
#include "tma/text.h"

uint32_t hang_seconds(const char *text) {
    uint32_t seconds = 0;
    tma_error error;
    if (tma_read_u32(&seconds, text, strlen(text), TMA_HANG_MOST_SECONDS, "--hang", &error)) {
        cli_say("%s", error.text);
        return 0;
    }
    if (!seconds) {
        cli_say("--hang=0: a wait of no seconds is none; it can be 1 to %u", TMA_HANG_MOST_SECONDS);
    }
    return seconds;
}
