/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes of this program that work for another one.
 */
#include "worker.h"

#include <inttypes.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS 10
#define FURTHER 8
#define LINE_B  8192

/* Its answers come through a pipe, its complaints go where this process's go. */
static void spawn(struct worker *worker, char *const arguments[]) {
    int ends[2];
    posix_spawn_file_actions_t actions;
    fflush(stdout);
    if (pipe(ends)) {
        return;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const int wrong =
        posix_spawn(&worker->process, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!wrong) {
        worker->answers = fdopen(ends[0], "r");
    }
    if (!worker->answers) {
        close(ends[0]);
    }
}

static void write_numbers(char *list, size_t size, const struct session *s) {
    size_t length = strlen(list);
    for (size_t i = 0; i < s->number_count && length < size; i++) {
        length += (size_t)snprintf(list + length, size - length, "%s%" PRIu64, i ? "," : "",
                                   s->numbers[i]);
    }
}

struct worker worker_start(const struct session *s, const char *task, uint64_t first,
                           uint64_t count, uint64_t batch, unsigned threads) {
    struct worker worker = {NULL, 0};
    char text[OPTIONS][64];
    char list[MOST_NUMBERS * 24] = "--numbers=";
    char *arguments[OPTIONS + FURTHER] = {"tma-conformance"};
    int n = 0;
    snprintf(text[0], sizeof(text[0]), "--worker=%s", task);
    snprintf(text[1], sizeof(text[1]), "--seed=%" PRIu64, s->seed);
    snprintf(text[2], sizeof(text[2]), "--first=%" PRIu64, first);
    snprintf(text[3], sizeof(text[3]), "--count=%" PRIu64, count);
    snprintf(text[4], sizeof(text[4]), "--batch=%" PRIu64, batch);
    snprintf(text[5], sizeof(text[5]), "--threads=%u", threads);
    snprintf(text[6], sizeof(text[6]), "--device=%d", s->ordinal);
    snprintf(text[7], sizeof(text[7]), "--sample=%" PRIu64, s->sample);
    snprintf(text[8], sizeof(text[8]), "--without=%" PRIu32, s->without);
    snprintf(text[9], sizeof(text[9]), "--readings=%" PRIu32, s->device.target.readings);
    while (n < OPTIONS) {
        arguments[n + 1] = text[n];
        n++;
    }
    if (s->quiet) {
        arguments[++n] = "--quiet";
    }
    if (s->number_count) {
        write_numbers(list, sizeof(list), s);
        arguments[++n] = list;
    }
    if (s->vectors_path || s->report) {
        arguments[++n] = s->report ? "--report" : "--write-vectors";
        arguments[++n] = (char *)(uintptr_t)(s->report ? s->report : s->vectors_path);
    }
    if (s->driver_path) {
        arguments[++n] = "--driver";
        arguments[++n] = (char *)(uintptr_t)s->driver_path;
    }
    spawn(&worker, arguments);
    return worker;
}

int worker_finish(struct worker *worker, void (*take)(void *context, const char *line),
                  void *context) {
    char line[LINE_B];
    int status = 0;
    if (!worker->answers) {
        return -1;
    }
    while (fgets(line, sizeof(line), worker->answers)) {
        take(context, line);
    }
    fclose(worker->answers);
    if (waitpid(worker->process, &status, 0) != worker->process || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}
