/* SPDX-License-Identifier: Apache-2.0
 *
 * strict_calls MODE CALL: a program that gives up all of the kernel but read and write (MODE
 * strict, SECCOMP_MODE_STRICT), or for which rt_sigprocmask fails from then on (MODE filter), and
 * then makes a call that is accepted or refused (CALL). Before that it has made one that is
 * accepted.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "row_call.h"

static int refuse_masks(void) {
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof(rows) / sizeof(rows[0]), rows};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv) {
    char answer[] = "answered ?\n";
    if (argc != 3 || encode(64)) {
        return 2;
    }
    if (strcmp(argv[1], "strict") == 0 ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)
                                       : refuse_masks()) {
        return 77;
    }
    answer[sizeof(answer) - 3] = (char)('0' + encode(strcmp(argv[2], "refused") ? 64 : 512));
    const ssize_t written = write(STDOUT_FILENO, answer, sizeof(answer) - 1);
    syscall(SYS_exit, written == sizeof(answer) - 1 ? 0 : 1); /* exit_group is not allowed */
}
