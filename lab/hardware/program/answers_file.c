/* SPDX-License-Identifier: Apache-2.0
 *
 * The file that vectors go to, and a report's words in it.
 */
#include "answers_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tma/export.h>
#include <unistd.h>

#define LINE_B 65536 /* longer than any line: processes append whole ones */
#define SOME   500   /* cases that agree, of each part */

static const char *path_of(const struct session *session) {
    return session->report ? session->report : session->vectors_path;
}

static void begin_report(const struct session *s) {
    fprintf(s->vectors,
            "# tma-conformance report 1\n"
            "# libtma %s, %s, sm_%u%.1s, driver %u.%u\n"
            "# seed %" PRIu64 ", first %" PRIu64 ", count %" PRIu64 " (0: as usual)\n"
            "# Lines without # are cases with the machine's answers: tma replay --check reads "
            "them.\n"
            "# To send it back: an issue of libtma's repository, form \"A GPU's answers\".\n",
            TMA_VERSION, s->device.name, (unsigned)s->device.target.sm, &s->device.target.suffix,
            s->device.target.driver / 1000, s->device.target.driver % 1000 / 10, s->seed, s->first,
            s->count);
    fflush(s->vectors);
}

void vectors_open(struct session *session) {
    const char *path = path_of(session);
    if (!path) {
        return;
    }
    if (!session->worker && truncate(path, 0) && errno != ENOENT) {
        fprintf(stderr, "tma-conformance: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    session->vectors = fopen(path, "a"); /* workers append to it as well */
    if (!session->vectors) {
        fprintf(stderr, "tma-conformance: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    if (session->report) {
        (void)setvbuf(session->vectors, NULL, _IOLBF, LINE_B);
    }
    if (session->report && !session->worker) {
        begin_report(session);
    }
}

int vector_is_wanted(const struct session *session, uint64_t number, int differs) {
    return session->vectors &&
           (!session->report || differs || !session->sample || number % session->sample == 0);
}

void report_part(const struct session *session, const char *part, const struct tally *tally) {
    if (session->report) {
        fprintf(session->vectors, "# %s: %" PRIu64 " passed, %" PRIu64 " failed\n", part,
                tally->passed, tally->failed);
    }
}

int vectors_close(const struct session *session) {
    if (!session->vectors) {
        return 0;
    }
    const int lost = ferror(session->vectors); /* of what was flushed before */
    if (!fclose(session->vectors) && !lost) {
        return 0;
    }
    fprintf(stderr, "tma-conformance: %s is not whole\n", path_of(session));
    return -1;
}

struct session session_sampling(const struct session *session, uint64_t count) {
    struct session sampling = *session;
    sampling.sample = session->sample ? session->sample : count / SOME + 1;
    return sampling;
}
