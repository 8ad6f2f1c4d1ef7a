/* SPDX-License-Identifier: Apache-2.0
 *
 * GPU core dumps that the driver writes when it is asked, by a byte into its pipe.
 */
#ifndef CLI_HANG_DUMP_H
#define CLI_HANG_DUMP_H

#include <stdint.h>
#include <sys/types.h>

#define HANG_PATH_B 4096

/* Asks the driver that reads from the pipe. 0; else errno: nobody reads, or it is no pipe. */
int hang_dump_ask(const char *pipe);

/* Bytes that a folder's file system has left for this user. */
uint64_t hang_dump_free_B(const char *folder);

/* "18.3 MB". */
const char *hang_dump_size(uint64_t size_B, char text[32]);

/* A dump that is being written; begun with zeros. */
typedef struct hang_dump {
    char path[HANG_PATH_B];
    uint64_t size_B;
    double since; /* when it last grew */
    int explained;
    uint64_t owner; /* user number of the process that writes it */
} hang_dump;

/* Looks at the file, which is nobody else's to read from here on; whether it is whole: it has not
 * grown for a second and has all its sections, or has not grown for a minute, or nobody writes any
 * more (`over`). */
int hang_dump_is_whole(hang_dump *dump, int over);

/* `tma hang` of one dump (null: standard input): prints, or says why not. Returns a cli_exit. */
int hang_explain(const char *given, int json);

/* Where a started process was told to write, out of its environment. 0; else -1, which is said. */
int hang_dump_of_process(long process, char pipe[HANG_PATH_B], hang_dump *dump);

#endif
