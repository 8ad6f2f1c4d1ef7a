/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the kernel whether memory can be read: an answer instead of a signal. It copies a signal set
 * from the address before it finds that the call's first argument means nothing; so nothing else
 * happens. Unlike process_vm_readv() this works for all memory that the program itself can read,
 * the driver's mappings included, and wherever a program runs at all.
 */
#include "careful_read.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORD_B ((uintptr_t)8) /* a signal set, to the kernel */
#define NO_HOW (-1)

/* The aligned word around the address: never in two pages. */
static int can_read(uintptr_t address) {
    const uintptr_t word = address & ~(WORD_B - 1);
    return word &&
           (syscall(SYS_rt_sigprocmask, NO_HOW, word, NULL, WORD_B) >= 0 || errno != EFAULT);
}

int read_carefully(void *to, const void *from, size_t size_B) {
    const int error = errno;
    const uintptr_t page_B = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)from;
    const uintptr_t last = first + size_B - 1;
    int readable = size_B == 0 || last >= first;
    for (uintptr_t at = first; readable && size_B; at = (at | (page_B - 1)) + 1) {
        readable = can_read(at);
        if (last - at <= ((at | (page_B - 1)) - at)) {
            break; /* the last page */
        }
    }
    if (readable && size_B) {
        memcpy(to, from, size_B);
    }
    errno = error;
    return readable ? 0 : -1;
}
