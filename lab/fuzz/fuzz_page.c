/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text in the page's field: what is answered is whole JSON, and so is what is answered to the
 * text that it becomes when an option is changed. Input: three bytes, which option gets which
 * value, and which call of a log is asked for; then the text.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include "ask.h"

char *page_text(void);
char *page_argument(int which);
size_t page_argument_room(void);
const char *page_out(void);
size_t page_ask(size_t length, size_t pick);
size_t page_draw(int theme, int untitled);
size_t page_titles(void);
size_t page_edit(void);

#define LONGEST 16384

static const char *const values[] = {"",     "1",      "16", "64,64", "128B",    "swizzle", "store",
                                     "0x10", "im2col", "u8", "-1",    "sm_100a", "bytes",   "'\\"};

static void demand_whole(const char *json, size_t length) {
    int deep = 0;
    int in_text = 0;
    for (size_t i = 0; i < length; i++) {
        DEMAND((unsigned char)json[i] >= ' ' || json[i] == '\n');
        if (in_text) {
            in_text = json[i] != '"';
            i += json[i] == '\\';
        } else {
            in_text = json[i] == '"';
            deep += json[i] == '{' || json[i] == '[';
            deep -= json[i] == '}' || json[i] == ']';
        }
        DEMAND(deep > 0 || i + 1 == length);
    }
    DEMAND(!deep && !in_text);
}

static void ask(size_t length, size_t pick) {
    const size_t answered = page_ask(length, pick);
    fuzz_said(page_out(), answered);
    demand_whole(page_out(), answered);
    fuzz_said(page_out(), page_draw(1, 0));
    fuzz_said(page_out(), page_titles());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) {
        return 0;
    }
    size_t options = 0;
    while (ask_option_name(options)) {
        options++;
    }
    const size_t length = size - 3 < LONGEST ? size - 3 : LONGEST;
    memcpy(page_text(), data + 3, length);
    ask(length, data[2] % 4);
    snprintf(page_argument(0), page_argument_room(), "%s", ask_option_name(data[0] % options));
    snprintf(page_argument(1), page_argument_room(), "%s",
             values[data[1] % (sizeof(values) / sizeof(values[0]))]);
    const size_t edited = page_edit();
    DEMAND(edited < LONGEST * 8);
    memcpy(page_text(), page_out(), edited);
    fuzz_said(page_out(), edited);
    ask(edited, 0);
    return 0;
}
