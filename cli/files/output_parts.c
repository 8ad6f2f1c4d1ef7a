/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of files.
 */
#include "output_file.h"

#include <stdlib.h>
#include <unistd.h>

/* Files that are begun: without memory, say, a program ends before output_end(). */
static output_file *begun;

static void remove_parts(void) {
    for (; begun; begun = begun->next) {
        close(begun->fd); /* Windows removes no file that is open */
        unlink(begun->part);
    }
}

void output_enlist(output_file *output) {
    static int is_registered;
    if (!is_registered) {
        is_registered = !atexit(remove_parts);
    }
    output->next = begun;
    begun = output;
}

void output_strike_off(const output_file *output) {
    output_file **at = &begun;
    while (*at != output) {
        at = &(*at)->next;
    }
    *at = output->next;
}
